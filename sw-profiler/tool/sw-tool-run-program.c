/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "sw-profiler/tool/sw-tool-run-private.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#define STATUS_NOT_EXECUTABLE 126
#define STATUS_NOT_FOUND 127
#define STATUS_SIGNAL 128

static const int passed_on[] = { SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGUSR1, SIGUSR2, SIGTSTP, SIGCONT };

/* What the program shall find as this process found it. */
typedef struct
{
  sigset_t mask;
  struct sigaction child_action;
} Inherited;

/* All signals of interest are waited for, instead of being handled: nothing is interrupted by them. */
static void
block_signals (Inherited *inherited,
               sigset_t *watched)
{
  const struct sigaction usual = { .sa_handler = SIG_DFL };

  sigemptyset (watched);
  sigaddset (watched, SIGCHLD);
  for (gsize i = 0; i < G_N_ELEMENTS (passed_on); i++)
    sigaddset (watched, passed_on[i]);
  sigprocmask (SIG_BLOCK, watched, &inherited->mask);
  /* Else the system forgets how the child ended, where whoever started us ignores that signal. */
  sigaction (SIGCHLD, &usual, &inherited->child_action);
}

static void
unblock_signals (const Inherited *inherited)
{
  sigaction (SIGCHLD, &inherited->child_action, NULL);
  sigprocmask (SIG_SETMASK, &inherited->mask, NULL);
}

static void G_GNUC_NORETURN
become (char **argv,
        char **environment,
        int report)
{
  int error_number;

  execvpe (argv[0], argv, environment);
  error_number = errno;
  /* The pipe is there for this one number. */
  if (write (report, &error_number, sizeof error_number) < 0)
    _exit (STATUS_NOT_FOUND);
  _exit (STATUS_NOT_FOUND);
}

/* 0: the program runs; else errno. */
static int
read_report (int report)
{
  int error_number = 0;
  gssize n;

  do
    n = read (report, &error_number, sizeof error_number);
  while (n < 0 && errno == EINTR);
  return n == sizeof error_number ? error_number : 0;
}

static pid_t
start (char **argv,
       char **environment,
       const Inherited *inherited,
       int *error_number)
{
  int report[2];
  pid_t child;

  *error_number = 0;
  if (pipe2 (report, O_CLOEXEC) != 0)
    {
      *error_number = errno;
      return -1;
    }
  child = fork ();
  if (child == 0)
    {
      unblock_signals (inherited);
      become (argv, environment, report[1]);
    }
  if (child < 0)
    *error_number = errno;
  close (report[1]);
  if (child > 0)
    *error_number = read_report (report[0]);
  close (report[0]);
  return child;
}

/* The terminal itself sends to the whole group, so the program has got it already. */
static void
pass_on (pid_t child,
         const siginfo_t *info)
{
  if (info->si_code <= 0)
    kill (child, info->si_signo);
}

/* TRUE: it has ended. */
static gboolean
look_at (pid_t child,
         int *status)
{
  while (waitpid (child, status, WNOHANG | WUNTRACED) == child)
    {
      if (!WIFSTOPPED (*status))
        return TRUE;
      /* Whoever waits for us is to see that the job stands still. The signal to go on comes to us, and is passed on. */
      if (WSTOPSIG (*status) != SIGSTOP)
        raise (SIGSTOP);
    }
  return FALSE;
}

static int
wait_for (pid_t child,
          const sigset_t *watched)
{
  siginfo_t info;
  int status = 0;

  for (;;)
    {
      int number = sigwaitinfo (watched, &info);

      if (number == SIGCHLD && look_at (child, &status))
        break;
      if (number == SIGCONT)
        kill (child, SIGCONT);
      else if (number > 0 && number != SIGCHLD)
        pass_on (child, &info);
    }
  return WIFEXITED (status) ? WEXITSTATUS (status) : STATUS_SIGNAL + WTERMSIG (status);
}

int
sw_tool_run_program (char **argv,
                     char **environment)
{
  Inherited inherited;
  sigset_t watched;
  int error_number;
  int status;
  pid_t child;

  block_signals (&inherited, &watched);
  child = start (argv, environment, &inherited, &error_number);
  status = child > 0 ? wait_for (child, &watched) : STATUS_NOT_EXECUTABLE;
  unblock_signals (&inherited);
  if (error_number == 0)
    return status;
  sw_tool_complain ("run: cannot execute '%s': %s", argv[0], g_strerror (error_number));
  return error_number == ENOENT ? STATUS_NOT_FOUND : STATUS_NOT_EXECUTABLE;
}
