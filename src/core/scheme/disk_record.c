/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#include "core/scheme/disk_record.h"

#include "core/disks/compact.h"
#include "core/scheme/contact_row.h"
#include "core/scheme/disk_contacts.h"
#include "core/scheme/record.h"

/* Contacts that have records get their traces up to the n-th. */
static void trace_to(dls_step *S, int n) {
  dls_world *w = S->w;
  for (int *i = &S->n_traced; S->dim == 2 && *i < n; ++*i)
    dls_trace_make(&w->brief_next, *i, &w->contacts_next[*i]);
}

/* So many contacts ahead the second body is fetched: in large beds it is in the third-level cache. (The first ones
** follow one another.) */
enum { RECORD_AHEAD = 16 };

/* p . (v before + v after)/2 of two rows, by what takes it (taken_by_friction); v_n, v_t: before. */
static inline void charge_plain(dls_ledger *l, const double *p, const double *v, double v_n, double v_t) {
  const double work_n = 0.5 * p[0] * (v_n + v[0]), work_t = 0.5 * p[1] * (v_t + v[1]);
  const double taken = 0.5 * (fabs(work_t) - work_t); /* of what is negative; no branch */
  l->impact -= work_n + (work_t + taken);
  l->friction += taken;
  l->turnover += fabs(work_n) + fabs(work_t);
}

/* judge_contact() of two bodies that move freely; x, y: the impulse. */
static inline void judge_plain(dls_judgement *of, double *sum_a, double *sum_b, double x, double y, const double *p,
                               double mu) {
  sum_b[0] -= x, sum_b[1] -= y;
  sum_a[0] += x, sum_a[1] += y;
  of->largest = dls_max(of->largest, dls_max(fabs(x), fabs(y)));
  of->cone = dls_max(of->cone, fabs(p[1]) - mu * p[0]);
  of->p_most = dls_max(of->p_most, p[0]);
}

void dls_record_plain(dls_step *S, const dls_plain_run *run) {
  const dls_rows *rows = &S->rows;
  const double *gaps = S->meets[0], *befores = S->meets[4], *sizes = S->meets[5];
  const double noise = S->noise, way = S->theta * S->h, *u_c = S->u_c;
  const dls_slip_bounds slips = S->slips;
  const dls_plain *known = S->plain + run->block, *const end = known + run->n;
  const dls_disk_contact *lean = dls_disk_contacts(rows) + run->block;
  const double *p = rows->p + rows->block[run->block].row, *v = rows->v + rows->block[run->block].row;
  const dls_spot2 *disks = S->disk;
  double *unexplained = S->unexplained;
  uint64_t *pairs = S->w->brief_next.pair;
  dls_trace *traces = S->w->brief_next.trace;
  dls_sketch *sketches = S->w->brief_next.sketch;
  int *closing = S->closing, *closing_near = S->closing_near, n_closing = S->n_closing, onsets = 0;
  int here = run->contact;
  dls_ledger work = S->worked;
  dls_judgement judged = S->judged;
  trace_to(S, here);
  for (; known < end; known++, lean++, p += 2, v += 2) {
    const int met = known->met, a = lean->a, b = lean->b;
    const int ahead = lean[end - known > RECORD_AHEAD ? RECORD_AHEAD : 0].b;
    __builtin_prefetch(u_c + 3 * (size_t)ahead);
    __builtin_prefetch(unexplained + 2 * (size_t)ahead);
    __builtin_prefetch(&disks[ahead]);
    if (known->mark & DLS_PLAIN_ASLEEP) continue;
    const double nx = lean->nx, ny = lean->ny, gap = gaps[met], before = befores[met], size = sizes[met];
    const double mu = lean->mu, x = nx * p[0] + ny * p[1], y = ny * p[0] - nx * p[1];
    const int state = dls_state_of(&slips, mu, p[0], fabs(p[1]), fabs(v[1]));
    double speeds[2];
    dls_disk_speeds(lean, u_c + 3 * (size_t)a, u_c + 3 * (size_t)b, speeds);
    charge_plain(&work, p, v, before, speeds[1]);
    judge_plain(&judged, unexplained + 2 * (size_t)a, unexplained + 2 * (size_t)b, x, y, p, mu);
    const bool presses = p[0] > 0, thrown = ((known->mark & DLS_PLAIN_BOUNCES) != 0) & (before > noise);
    const bool opens = dls_law_opens(way, v[0], gap, DLS_CLOSED * size), acted = (known->mark & DLS_PLAIN_ACTED) != 0;
    closing_near[n_closing] = known->near;
    closing[n_closing] = here;
    n_closing += presses & !opens;
    onsets += presses & (before < 0) & !acted;
    const int mark = (known->mark & DLS_PLAIN_MARKS) | (presses & thrown) * DLS_MARK_FELL;
    pairs[here] = dls_pair_word(a, b);
    dls_trace *trace = &traces[here];
    trace->push[0] = x, trace->push[1] = y;
    trace->age = known->age;
    trace->how = state | presses * DLS_TRACE_ACTS | (presses & !opens) * DLS_TRACE_HELD |
                 (DLS_TRACE_LISTED | DLS_TRACE_PENDING) | mark << DLS_TRACE_MARKS;
    trace->was = known->old;
    trace->spare = 0;
    dls_sketch *sketch = &sketches[here];
    double at[3];
    dls_point_plain(&disks[b], nx, ny, gap, at);
    sketch->point[0] = at[0], sketch->point[1] = at[1];
    sketch->normal[0] = nx, sketch->normal[1] = ny;
    sketch->gap = gap, sketch->reach = size, sketch->mu = mu, sketch->before = before;
    sketch->p_n = p[0], sketch->v_n = v[0], sketch->v_t = v[1];
    here++;
  }
  S->n_traced = here;
  S->worked = work;
  S->judged = judged;
  S->n_closing = n_closing;
  S->n_onsets += onsets;
  S->w->brief_next.pending = true;
}

void dls_open_brief(dls_step *S) {
  S->n_traced = S->n_onsets = 0;
  S->w->brief_next.pending = false;
}

/* All contacts are recorded: those of shapes count their onsets, as dls_plain ones have. */
void dls_close_brief(dls_step *S) {
  dls_world *w = S->w;
  trace_to(S, S->n_contacts);
  w->brief_next.n = S->n_contacts;
  w->brief_next.traced = S->dim == 2;
  if (S->dim == 2 && S->n_contacts > 0) w->brief_next.pair[S->n_contacts] = UINT64_MAX;
  if (S->compliant) dls_records_make(w->contacts_next, &w->brief_next);
  int at = dls_count_tied(w);
  for (int e = 0; e < S->n_odd; e++) {
    const dls_block *block = &S->rows.block[S->odd[e]];
    if (block->source < 0 || block->asleep) continue;
    const dls_contact *c = &w->contacts_next[block->source];
    if (!(c->before < 0) || !dls_contact_acts(c)) continue;
    const dls_contact *was = c->tie >= 0 ? dls_remembered_tie(w, c->tie) : dls_remembered(w, &at, c->a, c->b, c->key);
    S->n_onsets += !was || !dls_contact_acts(was);
  }
}
