/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* The kinds of recorder that can be active; each has one bit of the gate and one place in every thread's state. */
typedef enum {
  SW_RECORDER_OPERATIONS,
  SW_RECORDER_GROUP,
  SW_RECORDER_PROCESS, /* the group that the environment asks for, beside one that the program has */
  SW_RECORDER_ZONES,
  SW_RECORDER_TRACE,
  SW_N_RECORDERS
} SwRecorderKind;

/* One bit for each kind of recorder that is active on any thread, one for whether somebody counts the kernels that run, and
 * one for each level of notes that somebody wants: sw-note-private.h. */
extern guint sw_gate;

#define SW_GATE_RECORDERS ((1u << SW_N_RECORDERS) - 1)
#define SW_GATE_KERNELS (1u << 15)
#define SW_GATE_NOTES(level) (1u << (16 + (level)))
#define SW_GATE_ALL_NOTES (0xffffu << 16)

/* All state that a thread has, for all recorders. */
typedef struct
{
  /* The innermost boundary that this thread is in, while a recorder of this thread is active. */
  gpointer boundary;
  /* What this thread records into, by kind; NULL where nothing. */
  gpointer recorders[SW_N_RECORDERS];
  /* The innermost SwKernelChoice that wants to know which kernel runs on this thread; NULL: nobody does. */
  gpointer kernel_choice;
  /* How many calls the thread is inside of that are themselves part of recording: what it does there is not recorded. */
  guint n_muted;
} SwThread;

/* Not initial-exec: the library may be loaded late, when little static thread storage is left. */
extern _Thread_local SwThread sw_thread;

/* Relaxed: a thread sees its own opening of the gate in program order, and what other threads record is not its own. */
static inline gboolean
sw_gate_is_open (void)
{
  return G_UNLIKELY ((__atomic_load_n (&sw_gate, __ATOMIC_RELAXED) & SW_GATE_RECORDERS) != 0);
}

/* Counts the active recorders of a kind; the bit is set while there is one. */
void sw_gate_open (SwRecorderKind kind);
void sw_gate_close (SwRecorderKind kind);
/* Notes up to @level are wanted; 0: none. */
void sw_gate_set_notes (guint level);
void sw_gate_set_kernels (gboolean wanted);

/* A number that no other thread of this process has or had, unlike pthread_self (). */
guint64 sw_thread_get_number (void);

/* Makes the gate usable in forked children, whatever other threads did while the process was forked. Whoever calls
 * pthread_atfork () and wants the gate in its handlers calls this before. */
void sw_gate_watch_fork (void);

/* How many forks lie between this process and the one that first watched them: what was made under another number is
 * inherited. Costs a load, where getpid () is a system call. */
guint sw_fork_get_count (void);

/* Calls @leave (recorder) when this thread ends with a recorder still set. */
void sw_thread_watch_exit (SwRecorderKind kind,
                           void (*leave) (gpointer recorder));

G_END_DECLS
