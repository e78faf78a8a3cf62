/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#ifndef DLS_BIND_PLATFORM_H
#define DLS_BIND_PLATFORM_H

#include "core/base/real.h"

DLS_OUTSIDE
#include <signal.h>
#include <stdio.h>
DLS_INSIDE

/* What is asked of the operating system beyond standard C: a steady clock, Ctrl-C, who looks at a
** descriptor, processes beside this one, files that several append to. platform.c has a half for
** POSIX and one for Windows; nothing else in the library knows of either. */

/* Seconds of a clock that never goes back. */
double dls_platform_seconds(void);

bool dls_platform_is_terminal(int descriptor);

/* run(ctx), Ctrl-C calling `handler` until it is done; then it is as before. */
int dls_platform_with_interrupt(void (*handler)(int), int (*run)(void *), void *ctx);
/* run(ctx), Ctrl-C held back until it is done. */
int dls_platform_without_interrupt(int (*run)(void *), void *ctx);
/* Ctrl-C calls `handler` from now on; it interrupts a read. */
void dls_platform_on_interrupt(void (*handler)(int));

/* Descriptors that can be waited for are below it. */
enum { DLS_DESCRIPTORS = 1024 };

/* Waits for `seconds` (below 0: for ever) until a descriptor of the two (-1: none) can be read
** from, *stop is set by a handler of Ctrl-C, or, where not for ever, any signal comes. Answers 1
** for the first, 2 for the second, 3 for both, 0. */
int dls_platform_wait(int first, int second, double seconds, const volatile sig_atomic_t *stop);

/* A copy of this process that works beside it and writes an answer. On Windows there is none. */
typedef struct dls_process {
  long pid;   /* 0: none */
  long owner; /* the process that made it, and may end it */
  int fd;     /* its answer is read here (in the child itself: written); -1: none */
} dls_process;

/* Whether processes can be copied here. */
bool dls_platform_forks(void);
/* Answers 1 in this process, 0 in the child, where Ctrl-C ends it, and -1 with errno where there is
** none. Streams are flushed first: nothing is written twice. On Linux a child does not outlive the
** thread that made it. */
int dls_platform_fork(dls_process *child);
/* All of the n bytes to the answer; false where nobody reads it. */
bool dls_platform_answer(const dls_process *child, const char *bytes, size_t n);
/* Ends this process at once: what it shares with the one it is a copy of is left alone. */
_Noreturn void dls_platform_leave(int status);
/* At most n bytes of the answer; 0 at its end, -1 where a signal came first. */
int dls_platform_hear(const dls_process *child, char *bytes, int n);
/* Waits for `seconds`, or a signal, until one of the n children has something to read: its place,
** or -1. `children` may be NULL where there is none. */
int dls_platform_wait_children(dls_process *const *children, int n, double seconds);
/* Waits for the end of a child, which is killed first where asked, and forgets it. Answers its exit
** status, or minus the number of the signal that ended it. */
int dls_platform_end_child(dls_process *child, bool kill_it);

/* Keeps other processes that ask for the same from a file, or lets them (`on` false). False where
** another one has it. */
bool dls_platform_lock(FILE *file, bool on);
/* Cuts a file after `size` bytes; false with errno where that fails. */
bool dls_platform_cut(FILE *file, double size);

#endif
