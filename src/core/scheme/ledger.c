/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#include "core/scheme/ledger.h"

#include "core/contacts/compliance.h"
#include "core/contacts/contact_row.h"
#include "core/joints/admit.h"
#include "core/joints/penalty_step.h"
#include "core/joints/reactions.h"
#include "core/joints/spring_rows.h"
#include "core/rows/coupling.h"
#include "core/scheme/advance.h"
#include "core/scheme/forces.h"
#include "core/scheme/impact_gain.h"
#include "core/scheme/time_stepping.h"

/* Round-off of energies, of their sum: a few operations each. */
static const double ENERGY_NOISE = 2e-15;

/* A compliant contact, from its node: p = h k x' + c dx, and while it is closed
** v' = -(x' + gap)/(theta h). The scheme's own share is what these leave of p (v + v')/2. */
static void charge_spring(dls_step *S, const dls_contact_stage *C, const dls_block *block,
                          dls_ledger *l) {
  const dls_contact *c = &S->w->contacts_next[block->source];
  const double *J = S->rows.J + (size_t)block->row * 2 * (size_t)S->nu;
  double k, damping;
  dls_stiffness_of(S, c, &k, &damping);
  double dx = c->x - c->x_before, p = S->rows.p[block->row];
  const double *a = DLS_U(S, S->u_c, block->a), *b = DLS_U(S, S->u_c, block->b);
  double v = dls_row_velocity(S->nu, J, a, b) + C->drift[block->row];
  double v_n = -(c->x + c->gap) / (S->theta * S->h) - dls_shift_in(S, C, block, block->row) -
               dls_admitted_more(S, J, block->a, block->b);
  l->damping += damping * dx * dx / S->h;
  l->stored += 0.5 * k * (c->x * c->x - c->x_before * c->x_before);
  l->scheme += 0.5 * p * (v + v_n) + p * dx / S->h - 0.5 * k * dx * dx;
}

/* Nodes that relax on their own: the same with p = 0. */
static void charge_relaxed(const dls_step *S, const dls_contact_stage *C, dls_ledger *l) {
  for (int j = 0; j < C->n_contacts; j++) {
    const dls_contact *c = &S->w->contacts_next[j];
    if (c->listed || !(c->x_before > 0)) continue;
    double k, damping;
    dls_stiffness_of(S, c, &k, &damping);
    const double dx = c->x - c->x_before;
    l->damping += damping * dx * dx / S->h;
    l->stored += 0.5 * k * (c->x * c->x - c->x_before * c->x_before);
    l->scheme -= 0.5 * k * dx * dx;
  }
}

static double stored_by(const dls_step *S, const dls_contact *c, double x) {
  double k, damping;
  if (!(x > 0) || (c->user >= 0 && !S->w->user_contacts[c->user].alive)) return 0;
  dls_stiffness_of(S, c, &k, &damping);
  return k < DLS_INF ? 0.5 * k * x * x : 0;
}

/* What compliant contacts bring that were not there and are compressed, less what those take that
** are gone. */
static void charge_changed(const dls_step *S, const dls_contact_stage *C, dls_ledger *l) {
  const dls_world *w = S->w;
  double now = 0, before = 0;
  for (int j = 0; j < C->n_contacts; j++)
    now += stored_by(S, &w->contacts_next[j], w->contacts_next[j].x_before);
  for (int j = 0; j < w->n_contacts; j++) before += stored_by(S, &w->contacts[j], w->contacts[j].x);
  l->stored += now - before;
  l->correction += now - before;
}

/* What friction, spinning and rolling resistance take of their work, each of its own rows: with
** impulses that grow together, p . (v before + v after)/2 is the work along the way. Where that is
** positive, the normal impulse has thrown the point against friction first, or gave tangential
** restitution: the impact's. */
static double taken_by_friction(int dim, const dls_block *block, const double *work) {
  static const int of_plane[] = {1, 2, 3, 3}, of_space[] = {1, 3, 4, 6};
  const int *from = dim == 2 ? of_plane : of_space;
  double taken = 0;
  for (int part = 0; part < 3; part++) {
    double sum = 0;
    for (int i = from[part]; i < from[part + 1] && i < block->n; i++) sum += work[i];
    taken -= dls_min(sum, 0);
  }
  return taken;
}

/* What a given body's velocity at the point of the other one is more than at its own across the
** gap. An impulse works at one point on both: where logs wedge each other in a drum, impulses that
** do nothing together would work across gaps, 1e6 J and more. First touches are told by another
** gap. */
static dls_vec3 across_gap(const dls_step *S, const dls_block *block) {
  if (block->source < 0) return dls_v3(0, 0, 0);
  const dls_contact *c = &S->w->contacts_next[block->source];
  const bool a = dls_moves_freely(&S->w->bodies[block->a]),
             b = dls_moves_freely(&S->w->bodies[block->b]);
  const bool one = c->mark & (DLS_MARK_AS_ONE | DLS_MARK_SWIFT);
  if (a == b || one || c->user >= 0) return dls_v3(0, 0, 0);
  const dls_vec3 turn = dls_turn_of(S->dim, DLS_U(S, S->rows.u, a ? block->b : block->a));
  return dls_v3_scale(c->gap, dls_v3_cross(turn, dls_v3_load(c->normal)));
}

/* Work of the rows: p . (v before + v after)/2, by what takes it. */
DLS_WITH_NU void charge_rows(int nu, dls_step *S, const dls_contact_stage *C,
                             const dls_disk_stage *disks,
                             dls_joint_stage *joints, dls_account_stage *A, dls_ledger *l) {
  dls_rows *rows = &S->rows;
  dls_world *w = S->w;
  l->friction += disks->worked.friction;
  l->impact += disks->worked.impact;
  l->turnover += disks->worked.turnover;
  A->given = disks->given;
  A->rebounds = disks->rebounds;
  const double fallen = dls_impact_fallen(w->gravity, S->h);
  for (int e = 0; e < A->n_general; e++) { /* the others are charged already (disks/record.c) */
    const dls_block *block = &rows->block[A->general[e]];
    const dls_spring_row *springs = dls_springs_of(joints, A->general[e]);
    const dls_vec3 across = across_gap(S, block);
    double work_n = 0, work_t = 0, works[DLS_NB(3)] = {0};
    for (int i = block->row; i < block->row + block->n; i++) {
      const double drift = i == block->row || block->source < 0 ? C->drift[i] : 0;
      double v0 = dls_row_speed(nu, rows, block, i, S->u_c) + drift;
      const double *of_b = rows->J + (size_t)i * 2 * (size_t)nu + nu;
      const double moved = rows->p[i] * dls_v3_dot(dls_point_of(S->dim, of_b), across);
      double work = 0.5 * rows->p[i] * (v0 + rows->v[i] + drift) - moved;
      l->kinematic -= rows->p[i] * drift - moved; /* whoever moves the gap, or drives the joint */
      l->turnover += fabs(work);
      works[i - block->row] = work;
      if (springs) dls_spring_charge(joints, springs + (i - block->row), work);
      if (i == block->row) work_n = work;
      else work_t += work;
      dls_arm arms[4];
      const int n_arms = dls_arms_of(nu, rows, block, i - block->row, arms);
      for (int k = 0; k < n_arms; k++)
        if (!dls_moves_freely(&w->bodies[arms[k].body]))
          l->kinematic -= rows->p[i] * dls_dot_u(nu, arms[k].J, DLS_U(S, rows->u, arms[k].body));
    }
    if (springs) continue;
    if (block->source < 0) { /* a joint's: motors work, friction takes, the rest does nothing */
      if (block->kind == DLS_ROW_BOX) /* what it would move by itself, as gravity would */
        A->balance.turnover += 0.5 * rows->p[block->row] * rows->p[block->row] *
                               rows->W[block->row * rows->nb];
      const bool drives = (joints->what[A->general[e]] & DLS_WHAT_MOTOR) != 0;
      const double taken = dls_max(-work_n, 0); /* where it gives, a blow has thrown the joint */
      if (block->kind != DLS_ROW_BOX) l->impact -= work_n + work_t;
      else if (drives) l->forces += work_n;
      else l->friction += taken, l->impact -= work_n + taken;
      continue;
    }
    const double taken = taken_by_friction(S->dim, block, works);
    l->friction += taken;
    l->impact -= work_t + taken;
    if (rows->gamma[block->row] == 0) {
      A->given += work_t + taken + dls_max(work_n - rows->p[block->row] * fallen, 0);
      A->rebounds |= dls_block_rebounds(S, C, block);
      l->impact -= work_n;
      continue;
    }
    charge_spring(S, C, block, l);
  }
}

/* Rotors turn with the joints of trees; bodies do not know of them. */
static void charge_rotors(const dls_step *S, dls_ledger *l) {
  const dls_trees *t = S->w->trees;
  for (int i = 0; i < t->walked.n_nodes; i++) {
    const dls_node *node = &t->forest->nodes[i];
    if (node->nu != 1 || node->rotor == 0) continue;
    const double before = t->u_before[node->iu], after = t->u_end[node->iu];
    const double kinetic = 0.5 * node->rotor * (after * after - before * before);
    l->kinetic += kinetic;
    l->turnover += fabs(kinetic);
  }
}

/* Forces on a body, by the mean velocity of the step. */
static inline void charge_forces(const dls_step *S, int i, dls_ledger *l) {
  const double *u = DLS_U(S, S->u_c, i), *u_n = DLS_U(S, S->rows.u, i),
      *load = DLS_U(S, S->w->load, i);
  const double *push = dls_push_on(S, i);
  for (int k = 0; k < S->nu; k++) l->forces += 0.5 * S->h * (load[k] + push[k]) * (u[k] + u_n[k]);
}

static inline bool is_loaded(const dls_step *S, int i) {
  const double *load = DLS_U(S, S->w->load, i);
  bool loaded = S->pushed;
  for (int k = 0; k < S->nu; k++) loaded |= load[k] != 0;
  return loaded;
}

static void charge_motion(dls_step *S, dls_account_stage *A, dls_ledger *out) {
  dls_world *w = S->w;
  const double h = S->h, early = S->theta - 0.5;
  if (dls_trees_used(w)) charge_rotors(S, out);
  dls_ledger l = *out; /* nothing that is read can be part of it */
  double energies = 0, mass = 0;
  for (int i = 0, n = w->n_bodies; i < n; i++) {
    if (!dls_is_free(w, i)) continue;
    const double *u = DLS_U(S, S->u_c, i), *u_n = DLS_U(S, S->rows.u, i);
    const double kinetic_n = dls_kinetic_at(w, i, DLS_Q(S, S->q_n, i), DLS_U(S, S->u_n, i));
    const double potential_n = dls_potential_at(w, i, DLS_Q(S, S->q_n, i));
    const double kinetic = kinetic_n - dls_kinetic_at(w, i, DLS_Q(S, w->q, i), DLS_U(S, w->u, i));
    const double potential = potential_n - dls_potential_at(w, i, DLS_Q(S, w->q, i));
    energies += kinetic_n + fabs(potential_n);
    mass += dls_mass_at(w, i);
    l.kinetic += kinetic;
    l.potential += potential;
    l.turnover += fabs(kinetic) + fabs(potential);
    if (is_loaded(S, i)) charge_forces(S, i, &l);
    for (int k = 0; k < S->dim && early != 0; k++)
      l.scheme += dls_mass_at(w, i) * w->gravity[k] * h * early * (u[k] - u_n[k]);
  }
  *out = l;
  double g2 = 0;
  for (int k = 0; k < S->dim; k++) g2 += w->gravity[k] * w->gravity[k];
  A->balance.noise = ENERGY_NOISE * energies;
  A->balance.turnover = 0.5 * mass * h * h * g2; /* at the least, see dls_keep_ledger */
}

/* Energy of the step that does not add up, and what adds to what was turned over. */
static void tell_balance(dls_step *S, dls_account_stage *A, double error, double turnover) {
  dls_balance *of = &A->balance;
  of->error += error;
  of->turnover = dls_max(of->turnover, turnover);
  S->w->stats.energy_balance = dls_balance_of(of);
}

/* Energy that impacts added, beyond round-off and what the residual leaves open; sought only where
** contacts added that much. */
static void tell_gain(const dls_step *S, const dls_contact_stage *C, const dls_disk_stage *disks,
                      const dls_account_stage *A) {
  dls_stats *stats = &S->w->stats;
  const double open = A->balance.noise + stats->residual * A->balance.turnover;
  stats->impact_gain = 0;
  if (!A->rebounds || !(A->given > open)) return;
  const double given = dls_impact_gain(S, C, disks, A, DLS_IMPACT_ROUND_OFF + stats->residual);
  if (given > open) stats->impact_gain = given / A->balance.turnover;
}

dls_ledger dls_ledger_of(dls_step *S, const dls_contact_stage *C, const dls_disk_stage *disks,
                         dls_joint_stage *joints, dls_account_stage *A) {
  dls_ledger l = {0};
  charge_motion(S, A, &l);
  dls_penalties_charge(joints, &l);
  if (S->nu == 3) charge_rows(3, S, C, disks, joints, A, &l);
  else charge_rows(6, S, C, disks, joints, A, &l);
  if (S->compliant) charge_relaxed(S, C, &l);
  if (S->compliant) charge_changed(S, C, &l);
  l.correction += *joints->correction + joints->stretched;
  l.springs -= joints->stretched;
  l.impact += joints->closed_impact;
  l.kinematic += joints->closed_kinematic;
  l.turnover += fabs(joints->closed_impact) + fabs(joints->closed_kinematic);
  l.forces += joints->joint_work;
  l.springs += joints->sprung.springs;
  l.damping += joints->sprung.damping;
  l.scheme += S->turned + joints->turned_middle + joints->turned - joints->sprung.scheme;
  l.error = l.kinetic + l.potential + l.stored - l.forces - l.springs - l.kinematic + l.friction +
            l.impact + l.damping - l.correction - l.scheme + joints->net_gain;
  l.turnover += fabs(l.stored) + fabs(l.forces) + fabs(l.springs) + fabs(l.kinematic) +
      fabs(l.damping) +
                fabs(l.correction);
  return l;
}

void dls_keep_ledger(dls_step *S, const dls_contact_stage *C, const dls_disk_stage *disks,
                     const dls_ledger *of, dls_account_stage *A) {
  dls_world *w = S->w;
  const dls_ledger l = *of;
#define ADD(name) w->ledger.name += l.name;
  DLS_LEDGER_LIST(ADD)
#undef ADD
  tell_balance(S, A, l.error, l.turnover);
  const double turnover = A->balance.turnover;
  w->stats.correction = turnover > 0 ? fabs(l.correction) / turnover : 0;
  tell_gain(S, C, disks, A);
  A->turnover = l.turnover;
}

void dls_charge_drives(dls_step *S, dls_account_stage *A) {
  dls_world *w = S->w;
  if (!dls_trees_used(w) || w->trees->forest->n_drives + w->trees->forest->n_given == 0) return;
  if (!dls_trees_recall(w)) return;
  const double work = dls_trees_drive_work(w->trees);
  dls_ledger *l = &w->ledger;
  l->kinematic += work;
  l->error -= work;
  l->turnover += fabs(work);
  tell_balance(S, A, -work, A->turnover + fabs(work));
}

void dls_keep_worst(dls_step *S, const dls_account_stage *A) {
  dls_worst *worst = &S->w->worst;
  const dls_stats *stats = &S->w->stats;
  worst->residual = dls_max(worst->residual, stats->residual);
  worst->penetration = dls_max(worst->penetration, stats->penetration);
  worst->overlap = dls_max(worst->overlap, stats->overlap);
  worst->impact_gain += stats->impact_gain * A->balance.turnover;
  worst->balance.error += A->balance.error;
  worst->balance.turnover += A->balance.turnover;
  worst->balance.noise += A->balance.noise;
}
