/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#ifndef DLS_BASE_STATUS_H
#define DLS_BASE_STATUS_H

#include "core/base/real.h"

/* Status codes and their texts: one list, so that they cannot drift apart. Only failures are
** statuses. "No solution", "not converged" are outcomes, told in a report.
**
** Which ones a function answers its comment says, or the head of its header for all of them. Left
** unsaid are, where there is room to take, a user's function to call or an argument to be wrong:
**
**     NOMEM, TOOBIG   the allocator has no more; a size that overflows
**     FULL            the arena at hand is too small; its owner's `need` says for how much
**     STOPPED         a user's function failed, or asked for an end
**     ARG             an argument that the comment rules out
**
** SINGULAR, STATE, UNSTABLE and RANGE are always named (spec/architecture_spec.lua follows who
** calls whom). */
#define DLS_STATUS_LIST(X)                            \
  X(OK, "success")                                    \
  X(NOMEM, "out of memory")                           \
  X(FULL, "workspace too small")                      \
  X(ARG, "argument out of range")                     \
  X(SINGULAR, "matrix is singular")                   \
  X(TOOBIG, "size beyond what memory can hold")       \
  X(STOPPED, "stopped by a callback")                 \
  X(STATE, "not possible in the present state")       \
  X(UNSTABLE, "the step is too long for explicit forces as stiff or as strongly damped as these") \
  X(RANGE, "beyond the range of numbers")

typedef enum dls_status {
#define X(code, text) DLS_##code,
  DLS_STATUS_LIST(X)
#undef X
  DLS_N_STATUS
} dls_status;

/* The text of a status code; "unknown status" for anything else. */
const char *dls_status_text(dls_status status);

/* Where a failure was: details travel as numbers, the binding writes the sentence. */
typedef struct dls_fault {
  int index;    /* row, body, ... (0-based); -1 where there is none */
  double value; /* the offending value; 0 where there is none       */
} dls_fault;

#endif
