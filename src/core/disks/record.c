/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#include "core/disks/source.h"

#include "core/base/vector.h"
#include "core/disks/compact.h"

/* So many contacts ahead the second body is fetched: in large beds it is in the third-level cache.
** (The first ones follow one another.) */
enum { RECORD_AHEAD = 16 };

/* p . (v before + v after)/2 of two rows, by what takes it (taken_by_friction); v_n, v_t: before.
** *given: what is positive beyond |p| speed. */
static inline void charge(dls_ledger *l, double *given, const double *p, const double *v,
                          double v_n, double v_t, double speed) {
  const double work_n = 0.5 * p[0] * (v_n + v[0]), work_t = 0.5 * p[1] * (v_t + v[1]);
  const double taken = 0.5 * (fabs(work_t) - work_t); /* of what is negative; no branch */
  l->impact -= work_n + (work_t + taken);
  *given += dls_max(work_t - fabs(p[1]) * speed, 0) + dls_max(work_n - p[0] * speed, 0);
  l->friction += taken;
  l->turnover += fabs(work_n) + fabs(work_t);
}

/* judge_contact() of two bodies that move freely; x, y: the impulse. */
static inline void judge(dls_judgement *of, double *sum_a, double *sum_b, double x, double y,
                         const double *p, double mu) {
  sum_b[0] -= x, sum_b[1] -= y;
  sum_a[0] += x, sum_a[1] += y;
  of->largest = dls_max(of->largest, dls_max(fabs(x), fabs(y)));
  of->cone = dls_max(of->cone, fabs(p[1]) - mu * p[0]);
  of->p_most = dls_max(of->p_most, p[0]);
}

/* Sums and counts are local: what is written through a pointer may be any of them. */
void dls_disks_record(dls_disk_stage *D, const dls_disk_run *run) {
  const dls_rows *rows = D->rows;
  const double *gaps = D->meets.gap, *befores = D->meets.v_before, *sizes = D->meets.size;
  const double noise = *D->noise, way = D->theta * D->h, *u_c = D->u_c;
  const dls_slip_bounds slips = *D->slips;
  const dls_disk_source *known = D->source + run->block, *const end = known + run->n;
  const dls_disk_contact *c = dls_disk_contacts(rows) + run->block;
  const double *p = rows->p + rows->block[run->block].row,
               *v = rows->v + rows->block[run->block].row;
  const dls_spot2 *spots = D->spot;
  double *unexplained = D->unexplained;
  uint64_t *pairs = D->w->warm_next.pair;
  dls_warm_start *starts = D->w->warm_next.start;
  dls_pending *pendings = D->w->warm_next.pending;
  int *closing = D->closing, *closing_near = D->closing_near, n_closing = *D->n_closing, onsets = 0;
  int here = run->contact;
  dls_ledger work = D->worked;
  double given = D->given;
  const double fallen = dls_impact_fallen(D->w->gravity, D->h);
  bool rebounds = D->rebounds;
  dls_judgement judged = *D->judged;
  dls_warm_starts_until(&D->w->warm_next, D->w->contacts_next, D->n_starts, here);
  for (; known < end; known++, c++, p += 2, v += 2) {
    const int met = known->met, a = c->a, b = c->b;
    const int ahead = c[end - known > RECORD_AHEAD ? RECORD_AHEAD : 0].b;
    DLS_FETCH(u_c + 3 * (size_t)ahead);
    DLS_FETCH(unexplained + 2 * (size_t)ahead);
    DLS_FETCH(&spots[ahead]);
    if (known->mark & DLS_DISK_SPECULATIVE) continue;
    const double nx = c->nx, ny = c->ny, gap = gaps[met], before = befores[met], size = sizes[met];
    const double mu = c->mu, x = nx * p[0] + ny * p[1], y = ny * p[0] - nx * p[1];
    const int state = dls_state_of(&slips, mu, p[0], fabs(p[1]), fabs(v[1]));
    double speeds[2];
    dls_disk_speeds(c, u_c + 3 * (size_t)a, u_c + 3 * (size_t)b, speeds);
    charge(&work, &given, p, v, before, speeds[1], fallen);
    rebounds |= ((known->mark & DLS_DISK_BOUNCES) != 0) & (before < 0);
    judge(&judged, unexplained + 2 * (size_t)a, unexplained + 2 * (size_t)b, x, y, p, mu);
    const bool presses = p[0] > 0,
               thrown = ((known->mark & DLS_DISK_BOUNCES) != 0) & (before > noise);
    const bool opens = dls_law_opens(way, v[0], gap, DLS_CLOSED * size),
               acted = (known->mark & DLS_DISK_ACTED) != 0;
    closing_near[n_closing] = known->near;
    closing[n_closing] = here;
    n_closing += presses & !opens;
    onsets += presses & (before < 0) & !acted;
    const int mark = (known->mark & DLS_DISK_MARKS) | (presses & thrown) * DLS_MARK_FELL;
    pairs[here] = dls_pair_word(a, b);
    dls_warm_start *start = &starts[here];
    start->push[0] = x, start->push[1] = y;
    start->age = known->age;
    start->how = state | presses * DLS_START_ACTS | (presses & !opens) * DLS_START_HELD |
                 (DLS_START_LISTED | DLS_START_PENDING) | mark << DLS_START_MARKS;
    start->was = known->old;
    start->spare = 0;
    dls_pending *pending = &pendings[here];
    dls_disk_point(&spots[b], nx, ny, gap, pending->point);
    pending->normal[0] = nx, pending->normal[1] = ny;
    pending->gap = gap, pending->size = size, pending->mu = mu, pending->before = before;
    pending->p_n = p[0], pending->v_n = v[0], pending->v_t = v[1];
    here++;
  }
  *D->n_starts = here;
  D->worked = work;
  D->given = given, D->rebounds = rebounds;
  *D->judged = judged;
  *D->n_closing = n_closing;
  *D->n_onsets += onsets;
  D->w->warm_next.any_pending = true;
}

bool dls_disks_charge(const dls_disk_stage *D, int k, const double *u_free, dls_impact_sum *sum) {
  const dls_rows *rows = D->rows;
  const dls_disk_source *of = &D->source[k];
  const dls_disk_contact *c = dls_disk_contacts(rows) + k;
  const double *p = rows->p + rows->block[k].row, *v = rows->v + rows->block[k].row;
  double before[2], free[2];
  if (of->mark & DLS_DISK_SPECULATIVE) return false;
  dls_disk_speeds(c, D->u_c + 3 * (size_t)c->a, D->u_c + 3 * (size_t)c->b, before);
  dls_disk_speeds(c, u_free + 3 * (size_t)c->a, u_free + 3 * (size_t)c->b, free);
  const double fallen = dls_impact_fallen(D->w->gravity, D->h);
  for (int i = 0; i < 2; i++) dls_impact_strike(sum, p[i], before[i], free[i], v[i], fallen);
  sum->thrown += dls_max(0.5 * p[1] * (before[1] + v[1]), 0);
  return (of->mark & DLS_DISK_BOUNCES) != 0 && before[0] < 0;
}
