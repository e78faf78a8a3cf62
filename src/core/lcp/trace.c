/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#include "core/lcp/trace.h"

dls_lcp_trace dls_lcp_trace_over(dls_alloc alloc) {
  dls_lcp_trace trace;
  memset(&trace, 0, sizeof trace);
  trace.alloc = alloc;
  return trace;
}

void dls_lcp_trace_destroy(dls_lcp_trace *trace) {
  const size_t room = (size_t)trace->n_room, n = (size_t)trace->n;
  dls_free(&trace->alloc, trace->entries, room, sizeof *trace->entries);
  dls_free(&trace->alloc, trace->basis, room * n, sizeof *trace->basis);
  dls_free(&trace->alloc, trace->q, room * n, sizeof *trace->q);
  dls_free(&trace->alloc, trace->tableau, room * n * n, sizeof *trace->tableau);
  *trace = dls_lcp_trace_over(trace->alloc);
}

void dls_lcp_trace_begin(dls_lcp_trace *trace, int n) {
  if (trace->n != n) {
    dls_lcp_trace_destroy(trace);
    trace->n = n;
  }
  trace->n_entries = 0;
}

/* States beyond this many numbers are refused, before the machine suffers: 2 GiB. */
#define MOST ((size_t)1 << 28)

/* Room for twice as many. All the new arrays are made before any of the old is given up. */
static bool grow(dls_lcp_trace *trace) {
  const size_t n = (size_t)trace->n, room = (size_t)trace->n_room * 2 + 8;
  const size_t kept = (size_t)trace->n_entries;
  dls_lcp_trace next = dls_lcp_trace_over(trace->alloc);
  next.n = trace->n;
  next.n_room = (int)room;
  if (n != 0 && room > MOST / n / n) return false;
  next.entries = dls_new(&next.alloc, room, sizeof *next.entries);
  next.basis = dls_new(&next.alloc, room * n, sizeof *next.basis);
  next.q = dls_new(&next.alloc, room * n, sizeof *next.q);
  next.tableau = dls_new(&next.alloc, room * n * n, sizeof *next.tableau);
  if (!next.entries || !next.basis || !next.q || !next.tableau) {
    dls_lcp_trace_destroy(&next);
    return false;
  }
  if (kept > 0) {
    memcpy(next.entries, trace->entries, kept * sizeof *next.entries);
    memcpy(next.basis, trace->basis, kept * n);
    memcpy(next.q, trace->q, kept * n * sizeof *next.q);
    memcpy(next.tableau, trace->tableau, kept * n * n * sizeof *next.tableau);
  }
  next.n_entries = trace->n_entries;
  dls_lcp_trace_destroy(trace);
  *trace = next;
  return true;
}

dls_status dls_lcp_trace_push(dls_lcp_trace *trace, dls_lcp_entry entry,
                              const unsigned char *basis, const double *q,
                              const double *tableau, int ld) {
  if (trace->n_entries == trace->n_room && !grow(trace)) return DLS_NOMEM;
  const size_t n = (size_t)trace->n, k = (size_t)trace->n_entries++;
  trace->entries[k] = entry;
  if (n == 0) return DLS_OK;
  memcpy(trace->basis + k * n, basis, n);
  memcpy(trace->q + k * n, q, n * sizeof *q);
  for (size_t i = 0; i < n; i++)
    memcpy(trace->tableau + (k * n + i) * n, tableau + i * (size_t)ld, n * sizeof *tableau);
  return DLS_OK;
}
