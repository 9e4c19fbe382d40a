/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "sw-profiler/trace/sw-sysprof-capture-private.h"

#if SW_HAVE_SYSPROF

#include <errno.h>
#include <string.h>
#include <sysprof-capture.h>
#include <unistd.h>

/* A frame of the format has 16 bits for its length. */
#define MAX_MESSAGE_BYTES (32 * 1024)
#define BUFFER_BYTES (256 * 1024)

struct _SwSysprofCapture
{
  SysprofCaptureWriter *writer;
  gint32 pid;
};

gboolean
sw_sysprof_capture_is_built (void)
{
  return TRUE;
}

SwSysprofCapture *
sw_sysprof_capture_new (int fd)
{
  SysprofCaptureWriter *writer = sysprof_capture_writer_new_from_fd (fd, BUFFER_BYTES);
  SwSysprofCapture *self;

  if (writer == NULL)
    return NULL;
  self = g_new (SwSysprofCapture, 1);
  self->writer = writer;
  self->pid = getpid ();
  return self;
}

void
sw_sysprof_capture_free (SwSysprofCapture *self)
{
  sysprof_capture_writer_unref (self->writer);
  g_free (self);
}

/* The text, or a copy in @buffer that ends with a whole character. */
static const char *
cut (const char *text,
     char *buffer,
     gsize size)
{
  gsize length = strnlen (text, size);

  if (length < size)
    return text;
  length = size - 1;
  while (length > size - 5 && ((guint8) text[length] & 0xc0) == 0x80)
    length--;
  memcpy (buffer, text, length);
  buffer[length] = '\0';
  return buffer;
}

gboolean
sw_sysprof_capture_add_mark (SwSysprofCapture *self,
                             gint64 time_ns,
                             gint64 duration_ns,
                             const char *group,
                             const char *name,
                             const char *message)
{
  char group_buffer[sizeof ((SysprofCaptureMark *) NULL)->group];
  char name_buffer[sizeof ((SysprofCaptureMark *) NULL)->name];
  g_autofree char *message_buffer = strlen (message) >= MAX_MESSAGE_BYTES ? g_malloc (MAX_MESSAGE_BYTES) : NULL;

  if (message_buffer != NULL)
    message = cut (message, message_buffer, MAX_MESSAGE_BYTES);
  return sysprof_capture_writer_add_mark (self->writer, time_ns, -1, self->pid, (guint64) duration_ns,
                                          cut (group, group_buffer, sizeof group_buffer),
                                          cut (name, name_buffer, sizeof name_buffer), message);
}

guint
sw_sysprof_capture_add_counter (SwSysprofCapture *self,
                                gint64 time_ns,
                                const char *name,
                                gboolean is_integer)
{
  SysprofCaptureCounter counter = { .category = "Strideweave" };
  char buffer[sizeof counter.name];

  counter.id = sysprof_capture_writer_request_counter (self->writer, 1);
  counter.type = is_integer ? SYSPROF_CAPTURE_COUNTER_INT64 : SYSPROF_CAPTURE_COUNTER_DOUBLE;
  g_strlcpy (counter.name, cut (name, buffer, sizeof buffer), sizeof counter.name);
  /* The name again, for there is room for more of it. */
  {
    char description[sizeof counter.description];

    g_strlcpy (counter.description, cut (name, description, sizeof description), sizeof counter.description);
  }
  return sysprof_capture_writer_define_counters (self->writer, time_ns, -1, self->pid, &counter, 1) ? counter.id : 0;
}

gboolean
sw_sysprof_capture_set_counter (SwSysprofCapture *self,
                                gint64 time_ns,
                                guint counter,
                                gint64 integer,
                                double real,
                                gboolean is_integer)
{
  SysprofCaptureCounterValue value;

  if (is_integer)
    value.v64 = integer;
  else
    value.vdbl = real;
  return sysprof_capture_writer_set_counters (self->writer, time_ns, -1, self->pid, &counter, &value, 1);
}

gboolean
sw_sysprof_capture_add_metadata (SwSysprofCapture *self,
                                 gint64 time_ns,
                                 const char *id,
                                 const char *text)
{
  return sysprof_capture_writer_add_metadata (self->writer, time_ns, -1, self->pid, id, text, -1);
}

gboolean
sw_sysprof_capture_flush (SwSysprofCapture *self)
{
  return sysprof_capture_writer_flush (self->writer);
}

#else /* Nothing makes a capture, so nothing uses one. */

gboolean
sw_sysprof_capture_is_built (void)
{
  return FALSE;
}

SwSysprofCapture *
sw_sysprof_capture_new (int fd)
{
  return NULL;
}

void
sw_sysprof_capture_free (SwSysprofCapture *self)
{
}

gboolean
sw_sysprof_capture_add_mark (SwSysprofCapture *self,
                             gint64 time_ns,
                             gint64 duration_ns,
                             const char *group,
                             const char *name,
                             const char *message)
{
  return FALSE;
}

guint
sw_sysprof_capture_add_counter (SwSysprofCapture *self,
                                gint64 time_ns,
                                const char *name,
                                gboolean is_integer)
{
  return 0;
}

gboolean
sw_sysprof_capture_set_counter (SwSysprofCapture *self,
                                gint64 time_ns,
                                guint counter,
                                gint64 integer,
                                double real,
                                gboolean is_integer)
{
  return FALSE;
}

gboolean
sw_sysprof_capture_add_metadata (SwSysprofCapture *self,
                                 gint64 time_ns,
                                 const char *id,
                                 const char *text)
{
  return FALSE;
}

gboolean
sw_sysprof_capture_flush (SwSysprofCapture *self)
{
  return FALSE;
}

#endif
