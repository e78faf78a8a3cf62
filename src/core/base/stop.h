/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#ifndef DLS_BASE_STOP_H
#define DLS_BASE_STOP_H

#include "core/base/status.h"

/* A question that long computations ask now and then: is the answer still wanted? Whoever starts
** one may lend it (NULL: it always is); the computation tells the work it has done, in numbers
** multiplied, and asks about once a millisecond. Once the answer was no, every further poll says so
** at once: loops run out by their ordinary exits, and the entry point answers DLS_STOPPED. What is
** computed does not depend on how often was asked. */
typedef struct dls_stop {
  bool (*ask)(void *data); /* true: come to an end                */
  void *data;              /* for ask, borrowed                   */
  double work;             /* done since it was last asked, multiplications */
  bool stopped;            /* it was answered so                  */
} dls_stop;

#define DLS_STOP_WORK 1e6 /* multiplications: about a millisecond */

static inline bool dls_stop_poll(dls_stop *stop, double work) {
  if (stop == NULL) return false;
  if (stop->stopped) return true;
  stop->work += work;
  if (stop->work < DLS_STOP_WORK) return false;
  stop->work = 0.0;
  stop->stopped = stop->ask(stop->data);
  return stop->stopped;
}

/* The status of a computation that may have been stopped. */
static inline dls_status dls_stop_status(const dls_stop *stop, dls_status status) {
  return stop != NULL && stop->stopped ? DLS_STOPPED : status;
}

#endif
