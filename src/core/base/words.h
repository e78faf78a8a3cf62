/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#ifndef DLS_BASE_WORDS_H
#define DLS_BASE_WORDS_H

/* Words that systems and worlds, whatever their scheme, share: what can happen to a contact, and
** laws of impact. */
#define DLS_EVENT_LIST(X)                                                                     \
  X(IMPACT, "impact") X(CONTACT, "contact") X(SEPARATION, "separation") X(STICK, "stick")     \
  X(SLIP, "slip") X(STEP, "step") X(ACCUMULATION, "accumulation") X(COLLAPSED, "collapsed")

typedef enum dls_event_kind {
#define X(code, text) DLS_EVENT_##code,
  DLS_EVENT_LIST(X)
#undef X
  DLS_N_EVENTS
} dls_event_kind;

typedef enum dls_impact_law {
  DLS_IMPACT_NEWTON,
  DLS_IMPACT_POISSON,
  DLS_IMPACT_SEQUENTIAL
} dls_impact_law;

#endif
