/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#if !defined(_POSIX_C_SOURCE) && !defined(_WIN32)
#define _POSIX_C_SOURCE 200809L
#endif
#include "bind/platform.h"

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

#else

/* --- POSIX ------------------------------------------------------------------------------------ */

DLS_OUTSIDE
#include <errno.h>
#include <sys/select.h>
#include <time.h>
#include <unistd.h>
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

#endif
