/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#include "core/scheme/position.h"

#include "core/step/poses.h"

/* Large piles in the plane of disks about their mass centres, whose touches turn no body: dq of two
** numbers a body, in lanes (disks/position_lanes.h), swept with Nesterov's momentum. */

/* Touches up to this gap, by size, take part; moves up to this one are not made; sweeps a turn. */
static const double TURNLESS_SLACK = 1e-3, TURNLESS_LEFT = 3e-4;
/* In a second turn and later ones gaps of so many times the worst dls_overlap take part, too: a
** small body between three others is else pushed out of two of them into the third, and back. */
static const double TURNLESS_REACH = 2;
/* An overlap with what does not give way, a shell or a lifter, is let be up to this share: it does
** not spread. */
static const double TURNLESS_FIXED = 2.5e-4;
enum { TURNLESS_SWEEPS = 60 };
/* sweeps over blocks that all looks of a turn cost, in lanes */
static const double TURNLESS_LOOKS = 1;

typedef struct turnless_pile {
  double unit;            /* of lengths in the list and in dq, m        */
  double least;           /* share of a size up to which overlaps are let be */
  dls_position_sight sight; /* which disks the next look lists */
  dls_position_found found;  /* of disks, by the last look                 */
  dls_position_contact *list;        /* n_near + room_contacts + 1, and some beyond */
  float *dq;              /* 2 n_bodies, and some beyond                */
} turnless_pile;

static bool take_lists(dls_step *S, const dls_near_stage *N, const dls_position_stage *P,
                       turnless_pile *R) {
  const double *inv_mass = S->rows.inv_mass;
  double narrowest = DLS_INF;
  for (int i = 0; i < S->w->n_bodies; i++)
    if (P->spot[i].radius > 0 && inv_mass[i] > 0) narrowest = dls_min(narrowest, P->spot[i].radius);
  R->unit = narrowest < DLS_INF ? 2 * narrowest : 1;
  R->sight =
      (dls_position_sight){.per_unit = 1 / R->unit, .slack = TURNLESS_SLACK, .open = R->least};
  R->list = DLS_TAKE(&S->w->arena, dls_position_contact, N->n_near + S->room_contacts + 5);
  R->dq = DLS_TAKE(&S->w->arena, float, dls_disks_numbers(S->w->n_bodies));
  return R->list && R->dq;
}

double dls_let_be_2(const dls_step *S) {
  bool rough = S->w->solve.tolerance >= DLS_POSITION_ROUGH;
  for (int i = 0; i < S->rows.n_blocks && !rough; i++) rough = S->rows.block[i].n > 1;
  return rough ? DLS_OVERLAP_LARGE : DLS_OVERLAP_ROUND;
}

/* Whether a touch of shapes turns a body. */
static bool turns(const dls_step *S, const dls_overlap *o) {
  const double *inv_mass = S->rows.inv_mass;
  const double turn =
      (inv_mass[o->a] > 0 ? fabs(o->J[2]) : 0) + (inv_mass[o->b] > 0 ? fabs(o->J[3 + 2]) : 0);
  return !(turn <= 1e-9 * o->size);
}

/* The touches of shapes at q'. *turnless: false where one turns a body; then they are not
** complete. */
static dls_status look_at_general(dls_step *S, dls_near_stage *N, dls_position_stage *P,
                                  double slack, bool *turnless) {
  P->n = P->n_user = 0;
  *turnless = true;
  for (int i = 0; i < P->n_general && *turnless; i++) {
    const dls_near *pair = &N->near[P->general[i]];
    const int from = P->n;
    const dls_status status = dls_look_at_shapes(S, N, P, pair->a, pair->b);
    if (status != DLS_OK) return status;
    for (int k = from; k < P->n && *turnless; k++)
      *turnless = !(P->o[k].gap <= slack * P->o[k].size && turns(S, &P->o[k]));
  }
  dls_sum_up(P);
  return DLS_OK;
}

/* All touches at q': those of disks in the list, those of shapes as they are. *turnless: as
** above. */
static dls_status look_all(dls_step *S, dls_near_stage *N, dls_position_stage *P, turnless_pile *R,
                           bool *turnless) {
  R->found = (dls_position_found){.n = 0};
  dls_disks_find_gaps(N->n_near, N->near, P->spot, P->mark, &R->sight, R->list, P->general,
                      &R->found);
  P->n_general = R->found.n_general;
  P->worst = R->found.worst;
  return look_at_general(S, N, P, R->sight.slack, turnless);
}

/* The touches of shapes that take part go behind those of disks. *turnless: as above. */
static void lay_general(const dls_step *S, const dls_position_stage *P, turnless_pile *R,
                        bool *turnless) {
  const double *inv_mass = S->rows.inv_mass, by = R->sight.per_unit;
  for (int k = 0; k < P->n && *turnless; k++) {
    const dls_overlap *o = &P->o[k];
    const bool open = o->holds && o->gap > R->least * o->size;
    if (!open && !(o->gap <= R->sight.slack * o->size)) continue;
    *turnless = !turns(S, o);
    R->list[R->found.n++] =
        (dls_position_contact){.nx = (float)o->J[3], .ny = (float)o->J[4],
                               .share = (float)(inv_mass[o->a] / (inv_mass[o->a] + inv_mass[o->b])),
                               .gap = (float)(o->gap * by), .by_size = 1 / (float)(o->size * by),
                               .start = open ? 1 : 0, .a = o->a, .b = o->b};
  }
}

/* Moves q' by dq; the energy it adds goes to the ledger. */
static void displace(dls_step *S, dls_position_stage *P, const turnless_pile *R) {
  const double *g = S->w->gravity;
  double rise = 0;
  P->displaced = true;
  for (int i = 0; i < S->w->n_bodies; i++) {
    dls_spot2 *at = &P->spot[i];
    if (!(at->other > 0)) continue;
    const double x = R->unit * (double)R->dq[2 * i], y = R->unit * (double)R->dq[2 * i + 1];
    double *q = DLS_Q(S, S->q_n, i);
    q[0] += x, q[1] += y;
    at->x = q[0], at->y = q[1];
    rise -= (g[0] * x + g[1] * y) / at->other;
    if (at->radius > 0) S->T2[i].x = q[0], S->T2[i].y = q[1];
    else dls_pose_at(S, i, q);
  }
  P->correction += rise;
}

/* Largest overlap of the touches of shapes, disks in a shell among them, with a body that does not
** move freely. */
static double worst_of_fixed(const dls_step *S, const dls_position_stage *P) {
  double worst = 0;
  for (int k = 0; k < P->n; k++) {
    const dls_overlap *o = &P->o[k];
    if (o->gap < 0 && (S->rows.inv_mass[o->a] == 0 || S->rows.inv_mass[o->b] == 0))
      worst = dls_max(worst, -o->gap / o->size);
  }
  return worst;
}

/* What a turn leaves deeper than enough gets another one; *done: false where the general way has to
** go on. */
static dls_status settle(dls_step *S, dls_near_stage *N, dls_position_stage *P, turnless_pile *R,
                         bool *done) {
  const double enough = dls_enough_of(S, R->least);
  double left = enough <= R->least ? 0.5 * R->least : TURNLESS_LEFT;
  bool turnless = true;
  for (int turn = 0; turn < 2 * DLS_ROUNDS; turn++) {
    if (turnless) lay_general(S, P, R, &turnless);
    *done = turnless && R->found.n == 0;
    if (!turnless || *done) break;
    const int sweeps = dls_work_times(&S->w->work, DLS_PRICE_LANES, TURNLESS_SWEEPS);
    dls_work_pay(&S->w->work, DLS_PRICE_LANES * sweeps);
    dls_status status = dls_disks_move_apart(R->found.n, R->list, S->w->n_bodies, S->rows.inv_mass,
                                             left, sweeps, &S->w->arena, R->dq, done);
    if (status != DLS_OK || !*done) return status;
    displace(S, P, R);
    P->worst = dls_disks_worst(N->n_near, N->near, P->spot);
    status = look_at_general(S, N, P, R->sight.slack, &turnless);
    if (status != DLS_OK) return status;
    const bool beyond = worst_of_fixed(S, P) > TURNLESS_FIXED;
    if (turnless && P->worst <= enough && !beyond) return status;
    if (beyond) left = 0.5 * R->least;
    if (!dls_work_afford(&S->w->work, TURNLESS_LOOKS, DLS_WORK_PROJECTION)) return status;
    memset(P->mark, 0, (size_t)N->n_near);
    R->sight.slack = dls_max(TURNLESS_SLACK, TURNLESS_REACH * P->worst);
    status = look_all(S, N, P, R, &turnless);
    if (status != DLS_OK) return status;
  }
  return DLS_OK;
}

dls_status dls_project_turnless(dls_step *S, dls_near_stage *N, dls_position_stage *P, bool *done) {
  dls_arena *tmp = &S->w->arena;
  const size_t mark = dls_arena_mark(tmp);
  turnless_pile R = {.least = dls_let_be_2(S)};
  *done = false;
  if (!take_lists(S, N, P, &R)) return DLS_FULL;
  memset(P->mark, 0, (size_t)N->n_near);
  for (int i = 0; i < P->n_closing; i++)
    if (P->closing_near[i] >= 0) P->mark[P->closing_near[i]] = DLS_GAP_HOLDS;
  bool turnless = false;
  dls_status status = look_all(S, N, P, &R, &turnless);
  if (status == DLS_OK && turnless) {
    dls_note_found(P);
    const double widest = dls_max(R.found.widest, dls_mark_general(S, P));
    *done = P->worst <= R.least && widest <= R.least;
    if (!*done) status = settle(S, N, P, &R, done);
  }
  dls_arena_release(tmp, mark);
  return status;
}
