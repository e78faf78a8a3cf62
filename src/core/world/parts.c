/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#include "core/world/parts.h"

#include "core/joints/reactions.h"
#include "core/joints/trees.h"
#include "core/model/frames.h"
#include "core/model/records.h"
#include "core/scheme/time_stepping.h"
#include "core/world/state.h"

/* No step is made in more. */
enum { MOST_PARTS = 128 };
/* Of a joint: moment and force on b, accelerations, the force of a drive. */
enum { OF_JOINT = 13 };

/* What parts overwrite of the state before the step, beside world->undo, and what they made so
** far. */
typedef struct before {
  double *q, *q_before, *u; /* n_bodies                                  */
  dls_contact *contacts;    /* n_contacts                                */
  int n_contacts;           /* of contacts */
  dls_contact *all, *spare; /* contact_room: contacts of the parts so far */
  int n;                    /* of all */
  double *joints;           /* OF_JOINT n_joints: sums over the parts so far */
  double time; /* s */
  int64_t steps, n_unconverged; /* made, and missed, before it */
  dls_worst worst;              /* up to it */
} before;

static size_t bytes_of_numbers(const dls_world *w) {
  const size_t of_bodies = (size_t)w->n_bodies * (2 * dls_nq_of(w) + dls_nu_of(w));
  return (of_bodies + OF_JOINT * (size_t)w->n_joints) * sizeof(double);
}

static dls_status keep_before(dls_world *w, before *b) {
  const size_t n = (size_t)w->n_bodies, nq = n * dls_nq_of(w), nu = n * dls_nu_of(w);
  const size_t size =
      dls_bytes_add(bytes_of_numbers(w), 3 * (size_t)w->contact_room * sizeof(dls_contact));
  if (size > w->parted_room) {
    const dls_status status = dls_grow(&w->alloc, (void **)&w->parted, w->parted_room, size, 1);
    if (status != DLS_OK) return status;
    w->parted_room = size;
  }
  *b = (before){.q = (double *)(void *)w->parted, .n_contacts = w->n_contacts, .time = w->time,
                .steps = w->steps, .n_unconverged = w->n_unconverged, .worst = w->worst};
  b->q_before = b->q + nq, b->u = b->q_before + nq;
  b->joints = b->u + nu;
  b->contacts = (dls_contact *)(void *)(b->joints + OF_JOINT * (size_t)w->n_joints);
  b->all = b->contacts + w->contact_room, b->spare = b->all + w->contact_room;
  memcpy(b->q, w->q, nq * sizeof *b->q);
  memcpy(b->q_before, w->q_before, nq * sizeof *b->q);
  memcpy(b->u, w->u, nu * sizeof *b->u);
  if (b->n_contacts > 0)
    memcpy(b->contacts, dls_world_contacts(w), (size_t)b->n_contacts * sizeof *b->contacts);
  return DLS_OK;
}

static void go_back(dls_world *w, const before *b) {
  const size_t n = (size_t)w->n_bodies, nq = n * dls_nq_of(w), nu = n * dls_nu_of(w);
  memcpy(w->q, b->q, nq * sizeof *b->q);
  memcpy(w->q_before, b->q_before, nq * sizeof *b->q);
  memcpy(w->u, b->u, nu * sizeof *b->u);
  dls_undo_load(w, w->undo);
  if (w->list_kept) dls_broad_load(&w->broad, w->undo + w->undo_list);
  if (b->n_contacts > 0)
    memcpy(w->contacts, b->contacts, (size_t)b->n_contacts * sizeof *b->contacts);
  dls_records_changed(w);
  if (w->trees) w->trees->known = DLS_KNOWN_NOTHING; /* reactions were those of a part */
  w->worst = b->worst;
}

/* --- one step for whoever looks --------------------------------------------------------------- */

/* A contact as one part after another has it. */
static dls_contact joined(const dls_contact *earlier, const dls_contact *later) {
  dls_contact c = *later;
  for (int k = 0; k < 3; k++)
    c.impulse[k] += earlier->impulse[k], c.torque[k] += earlier->torque[k];
  c.p_n += earlier->p_n;
  c.mark |= earlier->mark, c.age = earlier->age;
  /* what pressed and gives way since (a compliant contact that relaxes) is one of the step's */
  if (earlier->listed && !later->listed) c.listed = earlier->listed, c.state = earlier->state;
  if (earlier->p_n > 0) c.before = earlier->before;
  return c;
}

/* Contacts of one more part; of those that are gone the ones that pressed stay. DLS_FULL:
** need_contacts is set. */
static dls_status join_contacts(dls_world *w, before *b) {
  const dls_contact *now = dls_world_contacts(w);
  int n = 0, i = 0, j = 0;
  while (i < b->n || j < w->n_contacts) {
    const int order = i == b->n            ? 1
                      : j == w->n_contacts ? -1
                                           : dls_contacts_order(&b->all[i], &now[j]);
    const bool gone = order < 0;
    const bool pressed = gone && (b->all[i].p_n > 0 || dls_contact_acts(&b->all[i]));
    if ((pressed || !gone) && n == w->contact_room) {
      w->need_contacts = 2 * w->contact_room;
      return DLS_FULL;
    }
    if (pressed) {
      b->spare[n] = b->all[i], b->spare[n++].held = 0;
    } else if (!gone) {
      b->spare[n++] = order == 0 ? joined(&b->all[i], &now[j]) : now[j];
    }
    i += order <= 0, j += order >= 0;
  }
  dls_contact *swap = b->all;
  b->all = b->spare, b->spare = swap, b->n = n;
  return DLS_OK;
}

/* What joints did in one more part. */
static void add_joints(dls_world *w, before *b) {
  for (int i = 0; i < w->n_joints; i++) {
    double now[OF_JOINT] = {0}, *sum = b->joints + OF_JOINT * (size_t)i;
    const dls_joint *joint = &w->joints[i];
    if (!joint->alive) continue;
    (void)dls_joint_reaction(w, i, now + 3, now);
    (void)dls_joint_rates(w, i, now + 6);
    if (joint->n_driven == 1 && joint->n_motions == 1) (void)dls_joint_drive_force(w, i, now + 12);
    for (int k = 0; k < OF_JOINT; k++) sum[k] += now[k];
  }
}

/* Reactions, accelerations and drives over n parts are their means. */
static void tell_joints(dls_world *w, const before *b, int n) {
  for (int i = 0; i < w->n_joints; i++) {
    const double *sum = b->joints + OF_JOINT * (size_t)i;
    double *own = w->joint_own + 6 * (size_t)i, *qdd = w->joint_qdd + 6 * (size_t)i;
    for (int k = 0; k < 6; k++) own[k] = sum[k] / n, qdd[k] = sum[6 + k] / n;
    if (w->joints[i].formulation == DLS_REDUCED && w->joints[i].nu == 0) qdd[0] = sum[12] / n;
  }
  if (dls_trees_used(w)) w->trees->known = DLS_KNOWN_MEANS;
}

static void join_stats(dls_stats *all, const dls_stats *part) {
  dls_stats s = *part;
  s.pivots += all->pivots, s.iterations += all->iterations, s.unconverged += all->unconverged,
      s.curbed += all->curbed;
  s.work += all->work, s.given_up |= all->given_up;
  s.limited |= all->limited, s.overdamped |= all->overdamped, s.infeasible |= all->infeasible;
  double *const to[] = {&s.residual,       &s.overlap,        &s.penetration,
                        &s.cone_violation, &s.momentum_error, &s.energy_balance,
                        &s.correction,     &s.impact_gain,    &s.stability};
  const double was[] = {all->residual,       all->overlap,        all->penetration,
                        all->cone_violation, all->momentum_error, all->energy_balance,
                        all->correction,     all->impact_gain,    all->stability};
  for (size_t k = 0; k < sizeof was / sizeof *was; k++) *to[k] = dls_max(*to[k], was[k]);
  *all = s;
}

/* The arrays that change places are as one step leaves them. */
static void finish(dls_world *w, before *b, dls_stats *stats) {
  const size_t n = (size_t)w->n_bodies, nq = n * dls_nq_of(w), nu = n * dls_nu_of(w);
  w->steps = b->steps + 1;
  w->time = w->time_origin + (double)(w->steps - w->steps_origin) * w->dt;
  w->n_unconverged = b->n_unconverged + (w->n_unconverged > b->n_unconverged);
  stats->contacts = 0;
  for (int i = 0; i < b->n; i++) stats->contacts += b->all[i].listed != 0;
  w->stats = *stats;
  memcpy(w->q_before, b->q, nq * sizeof *b->q);
  memcpy(w->q_next, b->q_before, nq * sizeof *b->q);
  memcpy(w->u_next, b->u, nu * sizeof *b->u);
  w->n_contacts = b->n;
  if (b->n > 0) memcpy(w->contacts, b->all, (size_t)b->n * sizeof *b->all);
  if (b->n_contacts > 0)
    memcpy(w->contacts_next, b->contacts, (size_t)b->n_contacts * sizeof *b->contacts);
  w->warm_next.n = b->n_contacts;
  w->warm_next.any_pending = w->warm_next.known = false;
  dls_records_changed(w);
  dls_warm_starts_make(w);
  w->untold = true;
}

/* Part k of n; *more: so many are wanted instead, *unsolved: since the solve of this one missed. */
static dls_status make_part(dls_world *w, before *b, int k, int n, bool *unsolved, int *more) {
  dls_division of = {.parts = n, .unjudged = n >= MOST_PARTS, .unsolved = *unsolved};
  const dls_status status = dls_time_step(w, &of);
  *more = of.wanted, *unsolved = of.unsolved;
  if (status != DLS_OK || of.wanted > 0) return status;
  w->time = b->time + w->dt * (k + 1) / n;
  w->steps = b->steps;
  add_joints(w, b);
  return join_contacts(w, b);
}

dls_status dls_step_in_parts(dls_world *w, int n, bool unsolved) {
  before b;
  dls_status status = keep_before(w, &b);
  while (status == DLS_OK) {
    dls_stats stats = {0};
    int more = 0;
    if (n > MOST_PARTS) n = MOST_PARTS;
    b.n = 0;
    memset(b.joints, 0, OF_JOINT * (size_t)w->n_joints * sizeof *b.joints);
    for (int k = 0; k < n && status == DLS_OK && more == 0; k++) {
      status = make_part(w, &b, k, n, &unsolved, &more);
      if (status == DLS_OK && more == 0) join_stats(&stats, &w->stats);
    }
    if (status == DLS_OK && more == 0) {
      finish(w, &b, &stats);
      tell_joints(w, &b, n);
      return DLS_OK;
    }
    go_back(w, &b);
    n = more;
  }
  return status;
}
