/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#if !defined(_POSIX_C_SOURCE) && !defined(_WIN32)
#define _POSIX_C_SOURCE 200809L
#endif
#include "bind/platform.h"

DLS_OUTSIDE
#include <errno.h>
#include <stdlib.h>
DLS_INSIDE

#ifdef _WIN32

/* --- Windows ---------------------------------------------------------------------------------- */

DLS_OUTSIDE
#ifndef WIN32_LEAN_AND_MEAN
#define WIN32_LEAN_AND_MEAN
#endif
#include <io.h>
#include <windows.h>
DLS_INSIDE

double dls_platform_seconds(void) {
  LARGE_INTEGER now, rate;
  QueryPerformanceFrequency(&rate);
  QueryPerformanceCounter(&now);
  return (double)now.QuadPart / (double)rate.QuadPart;
}

bool dls_platform_is_terminal(int descriptor) { return _isatty(descriptor) != 0; }

/* The C library forgets a handler when it calls it; those that are to stay are set again. The
** thread that calls it is another one. */
static void (*volatile lasting)(int) = NULL;
static volatile sig_atomic_t held = 0;

static void call_lasting(int number) {
  signal(SIGINT, call_lasting);
  if (lasting) lasting(number);
}
static void hold(int number) {
  (void)number;
  signal(SIGINT, hold);
  held = 1;
}

int dls_platform_with_interrupt(void (*handler)(int), int (*run)(void *), void *ctx) {
  void (*const outer)(int) = lasting;
  lasting = handler;
  void (*const before)(int) = signal(SIGINT, call_lasting);
  const int answer = run(ctx);
  signal(SIGINT, before);
  lasting = outer;
  return answer;
}

int dls_platform_without_interrupt(int (*run)(void *), void *ctx) {
  held = 0;
  void (*const before)(int) = signal(SIGINT, hold);
  const int answer = run(ctx);
  signal(SIGINT, before);
  if (held) raise(SIGINT);
  return answer;
}

void dls_platform_on_interrupt(void (*handler)(int)) {
  lasting = handler;
  signal(SIGINT, call_lasting);
}

/* Whether a console, pipe or file can be read from now. Sockets are no descriptors here. */
static bool is_ready(int descriptor) {
  if (descriptor < 0) return false;
  const HANDLE handle = (HANDLE)_get_osfhandle(descriptor);
  DWORD bytes = 0;
  if (handle == INVALID_HANDLE_VALUE) return false;
  if (GetFileType(handle) != FILE_TYPE_PIPE) return WaitForSingleObject(handle, 0) == WAIT_OBJECT_0;
  /* at its end a read answers at once */
  return !PeekNamedPipe(handle, NULL, 0, NULL, &bytes, NULL) || bytes > 0;
}

int dls_platform_wait(int first, int second, double seconds, const volatile sig_atomic_t *stop) {
  static const DWORD SLICE = 5; /* ms */
  const double end = dls_platform_seconds() + seconds;
  while (!*stop) {
    const int ready = (is_ready(first) ? 1 : 0) + (is_ready(second) ? 2 : 0);
    if (ready != 0 || (seconds >= 0 && dls_platform_seconds() >= end)) return ready;
    Sleep(SLICE);
  }
  return 0;
}

bool dls_platform_forks(void) { return false; }
int dls_platform_fork(dls_process *child) {
  *child = (dls_process){0, 0, -1};
  errno = ENOSYS;
  return -1;
}
bool dls_platform_answer(const dls_process *child, const char *bytes, size_t n) {
  (void)child, (void)bytes, (void)n;
  return false;
}
void dls_platform_leave(int status) { _Exit(status); }
int dls_platform_hear(const dls_process *child, char *bytes, int n) {
  (void)child, (void)bytes, (void)n;
  return 0;
}
int dls_platform_wait_children(dls_process *const *children, int n, double seconds) {
  (void)children, (void)n;
  Sleep((DWORD)(1e3 * seconds));
  return -1;
}
int dls_platform_end_child(dls_process *child, bool kill_it) {
  (void)child, (void)kill_it;
  return 0;
}

bool dls_platform_lock(FILE *file, bool on) {
  (void)file, (void)on;
  return true;
}
bool dls_platform_cut(FILE *file, double size) {
  fflush(file);
  return _chsize_s(_fileno(file), (__int64)size) == 0;
}

#else

/* --- POSIX ------------------------------------------------------------------------------------ */

DLS_OUTSIDE
#include <fcntl.h>
#include <sys/select.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#ifdef __linux__
#include <sys/prctl.h>
#endif
DLS_INSIDE

_Static_assert(DLS_DESCRIPTORS <= FD_SETSIZE, "descriptors that can be waited for");

double dls_platform_seconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

bool dls_platform_is_terminal(int descriptor) { return isatty(descriptor) != 0; }

static void set_handler(void (*handler)(int), int flags, struct sigaction *before) {
  struct sigaction mine = {0};
  mine.sa_handler = handler;
  mine.sa_flags = flags;
  sigemptyset(&mine.sa_mask);
  sigaction(SIGINT, &mine, before);
}

/* Ctrl-C waits, until the mask is `before` again. */
static void block_interrupt(sigset_t *before) {
  sigset_t interrupt;
  sigemptyset(&interrupt);
  sigaddset(&interrupt, SIGINT);
  sigprocmask(SIG_BLOCK, &interrupt, before);
}

int dls_platform_with_interrupt(void (*handler)(int), int (*run)(void *), void *ctx) {
  struct sigaction before;
  set_handler(handler, SA_RESTART, &before);
  const int answer = run(ctx);
  sigaction(SIGINT, &before, NULL);
  return answer;
}

int dls_platform_without_interrupt(int (*run)(void *), void *ctx) {
  sigset_t before;
  block_interrupt(&before);
  const int answer = run(ctx);
  sigprocmask(SIG_SETMASK, &before, NULL);
  return answer;
}

void dls_platform_on_interrupt(void (*handler)(int)) { set_handler(handler, 0, NULL); }

int dls_platform_wait(int first, int second, double seconds, const volatile sig_atomic_t *stop) {
  const bool forever = seconds < 0;
  const double whole = forever ? 0 : floor(seconds);
  const struct timespec limit = {(time_t)whole, forever ? 0 : (long)(1e9 * (seconds - whole))};
  sigset_t before;
  fd_set readable;
  int n = 0;
  block_interrupt(&before);
  do {
    FD_ZERO(&readable);
    if (first >= 0) FD_SET(first, &readable);
    if (second >= 0) FD_SET(second, &readable);
    if (*stop) break;
    n = pselect((first > second ? first : second) + 1, &readable, NULL, NULL,
                forever ? NULL : &limit, &before);
  } while (n < 0 && errno == EINTR && !*stop && forever); /* some other signal */
  sigprocmask(SIG_SETMASK, &before, NULL);
  if (n <= 0 || *stop) return 0;
  return (first >= 0 && FD_ISSET(first, &readable) ? 1 : 0) +
         (second >= 0 && FD_ISSET(second, &readable) ? 2 : 0);
}

bool dls_platform_forks(void) { return true; }

static void close_ends(const int ends[2]) {
  const int why = errno;
  close(ends[0]);
  close(ends[1]);
  errno = why;
}

/* In a child: a Ctrl-C, where it is heard at all, ends it, and so does the end of its maker. */
static void begin_child(pid_t owner) {
  struct sigaction now;
  sigaction(SIGINT, NULL, &now);
  if (now.sa_handler != SIG_IGN) set_handler(SIG_DFL, 0, NULL);
#ifdef __linux__
  prctl(PR_SET_PDEATHSIG, SIGKILL);
#endif
  if (getppid() != owner) _exit(1);
}

int dls_platform_fork(dls_process *child) {
  const pid_t owner = getpid();
  int ends[2];
  *child = (dls_process){0, 0, -1};
  if (pipe(ends) != 0) return -1;
  fcntl(ends[0], F_SETFD, FD_CLOEXEC); /* programs that a run starts hold none of them */
  fcntl(ends[1], F_SETFD, FD_CLOEXEC);
  fflush(NULL);
  const pid_t pid = ends[0] < DLS_DESCRIPTORS ? fork() : -1;
  if (pid < 0) {
    if (ends[0] >= DLS_DESCRIPTORS) errno = EMFILE;
    close_ends(ends);
    return -1;
  }
  if (pid == 0) begin_child(owner);
  close(ends[pid == 0 ? 0 : 1]);
  *child = (dls_process){pid, owner, ends[pid == 0 ? 1 : 0]};
  return pid == 0 ? 0 : 1;
}

bool dls_platform_answer(const dls_process *child, const char *bytes, size_t n) {
  while (n > 0) {
    const ssize_t done = write(child->fd, bytes, n);
    if (done < 0 && errno != EINTR) return false;
    if (done <= 0) continue;
    bytes += done;
    n -= (size_t)done;
  }
  return true;
}

void dls_platform_leave(int status) { _exit(status); }

int dls_platform_hear(const dls_process *child, char *bytes, int n) {
  const ssize_t got = child->fd < 0 ? 0 : read(child->fd, bytes, (size_t)n);
  return got < 0 && errno != EINTR ? 0 : (int)got;
}

int dls_platform_wait_children(dls_process *const *children, int n, double seconds) {
  const struct timespec limit = {(time_t)floor(seconds), (long)(1e9 * (seconds - floor(seconds)))};
  fd_set readable;
  int most = -1;
  FD_ZERO(&readable);
  for (int i = 0; i < n; i++) {
    if (children[i]->fd < 0) return i; /* at its end */
    FD_SET(children[i]->fd, &readable);
    if (children[i]->fd > most) most = children[i]->fd;
  }
  if (pselect(most + 1, &readable, NULL, NULL, &limit, NULL) <= 0) return -1;
  for (int i = 0; i < n; i++)
    if (FD_ISSET(children[i]->fd, &readable)) return i;
  return -1;
}

int dls_platform_end_child(dls_process *child, bool kill_it) {
  const dls_process it = *child;
  int status = 0;
  if (it.fd >= 0) close(it.fd);
  *child = (dls_process){0, 0, -1};
  if (it.pid == 0 || it.owner != getpid()) return 0; /* a copy of the owner ends no child of it */
  if (kill_it) kill((pid_t)it.pid, SIGKILL);
  while (waitpid((pid_t)it.pid, &status, 0) < 0)
    if (errno != EINTR) return 0; /* SIGCHLD is ignored here: nobody can wait */
  return WIFSIGNALED(status) ? -WTERMSIG(status) : WEXITSTATUS(status);
}

bool dls_platform_lock(FILE *file, bool on) {
  struct flock whole = {0};
  whole.l_type = on ? F_WRLCK : F_UNLCK;
  whole.l_whence = SEEK_SET;
  if (fcntl(fileno(file), F_SETLK, &whole) == 0) return true;
  return errno != EACCES && errno != EAGAIN; /* where there are no locks it is ours */
}

bool dls_platform_cut(FILE *file, double size) {
  fflush(file);
  return ftruncate(fileno(file), (off_t)size) == 0;
}

#endif
