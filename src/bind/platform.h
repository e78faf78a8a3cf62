/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#ifndef DLS_BIND_PLATFORM_H
#define DLS_BIND_PLATFORM_H

#include "core/base/real.h"

DLS_OUTSIDE
#include <signal.h>
DLS_INSIDE

/* What is asked of the operating system beyond standard C: a steady clock, Ctrl-C, who looks at a
** descriptor. platform.c has a half for POSIX and one for Windows; nothing else in the library
** knows of either. */

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

#endif
