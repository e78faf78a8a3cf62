/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#include "core/scheme/time_stepping.h"

#include "core/contacts/compliance.h"
#include "core/contacts/contact_row.h"
#include "core/contacts/contacts.h"
#include "core/contacts/near.h"
#include "core/contacts/speculative.h"
#include "core/contacts/user_contacts.h"
#include "core/contacts/wedges.h"
#include "core/joints/admit.h"
#include "core/joints/fit.h"
#include "core/joints/joint_rows.h"
#include "core/joints/penalties.h"
#include "core/joints/penalty_step.h"
#include "core/joints/reactions.h"
#include "core/joints/spring_nets.h"
#include "core/joints/spring_rows.h"
#include "core/joints/tree_springs.h"
#include "core/joints/tree_step.h"
#include "core/ladder/ladder.h"
#include "core/model/material.h"
#include "core/model/records.h"
#include "core/rows/impulses.h"
#include "core/scheme/advance.h"
#include "core/scheme/forces.h"
#include "core/scheme/friction.h"
#include "core/scheme/impacts.h"
#include "core/scheme/judgement.h"
#include "core/scheme/ledger.h"
#include "core/scheme/record.h"
#include "core/scheme/stages.h"
#include "core/scheme/step_room.h"
#include "core/scheme/unforced.h"
#include "core/step/poses.h"

/* What is to be known of joints beside the trees at the start of the step. */
static dls_status note_rates(dls_step *S, dls_joint_stage *joints) {
  dls_world *w = S->w;
  double q[7] = {0};
  dls_status status = joints->n_unreduced > 0 ? dls_joints_drive(w, w->time) : DLS_OK;
  if (status != DLS_OK) return status;
  dls_penalties_store_start(joints);
  for (int i = 0; joints->n_unreduced > 0 && i < w->n_joints; i++) {
    if (!w->joints[i].alive || w->joints[i].formulation == DLS_REDUCED) continue;
    dls_joint_now(w, i, q, joints->qd + 6 * (size_t)i);
    memcpy(joints->stretch + 6 * (size_t)i, q, 6 * sizeof *q);
  }
  return DLS_OK;
}

/* qdd of joints beside the trees: what the step made of their velocities, by h, as the trees'
** own. */
static void keep_rates(dls_step *S, const dls_joint_stage *joints) {
  dls_world *w = S->w;
  for (int i = 0; i < w->n_joints; i++) {
    double q[7], u[6];
    if (!w->joints[i].alive || w->joints[i].formulation == DLS_REDUCED) continue;
    dls_joint_now(w, i, q, u);
    for (size_t k = 6 * (size_t)i, m = 0; m < (size_t)w->joints[i].nu; k++, m++)
      w->joint_qdd[k] = (u[m] - joints->qd[k]) / S->h;
  }
}

static void commit(dls_step *S, const dls_contact_stage *C, const dls_joint_stage *joints,
                   const dls_account_stage *A) {
  dls_world *w = S->w;
  double *before = w->q_before, *u = w->u; /* kept until the next step: world/step.c may go back */
  w->q_before = w->q, w->q = w->q_next, w->q_next = before;
  w->u = w->u_next, w->u_next = u;
  w->own_known = true;
  if (joints->n_unreduced > 0) dls_joints_foresee_turns(joints);
  if (joints->n_unreduced > 0) dls_joints_keep(w);
  dls_penalties_follow(w);
  dls_joints_remember(joints);
  if (joints->n_unreduced > 0) keep_rates(S, joints);
  w->qdd_known = true;
  if (dls_trees_used(w)) {
    dls_trees_keep(w);
    w->trees->known = DLS_KNOWN_STEP;
  } else if (w->trees) {
    w->trees->known = DLS_KNOWN_NOTHING;
  }
  dls_contact *swap = w->contacts;
  w->contacts = w->contacts_next;
  w->contacts_next = swap;
  const dls_warm_columns warm = w->warm;
  w->warm = w->warm_next;
  w->warm_next = warm;
  w->n_contacts = C->n_contacts;
  w->untold = true;
  w->impacts += A->n_onsets;
  w->steps++;
  w->time = w->time_origin + (double)(w->steps - w->steps_origin) * S->h;
}

/* The time since the last mark goes to a phase. */
static void mark(dls_step *S, dls_account_stage *A, dls_phase phase) {
  dls_world *w = S->w;
  if (!w->hooks.clock) return;
  double now = w->hooks.clock(w->hooks.ud);
  w->phase[phase] += now - A->marked;
  A->marked = now;
}

/* Impacts that come before the forces, then all rows; statistics of the solve. */
static dls_status solve_rows(dls_stages *all) {
  dls_step *S = &all->step;
  dls_contact_stage *C = &all->contacts;
  dls_disk_stage *disks = &all->disks;
  dls_joint_stage *joints = &all->joints;
  dls_account_stage *A = &all->account;
  dls_world *w = S->w;
  dls_solve_report report;
  dls_solve_opts opts = w->solve;
  opts.bounded = w->work.bounded;
  double g2 = w->gravity[0] * w->gravity[0] + w->gravity[1] * w->gravity[1] +
              w->gravity[2] * w->gravity[2];
  opts.scale = dls_max(S->h * sqrt(g2), dls_springs_scale(joints));
  /* of joints and springs, which stand behind the others */
  for (int k = S->rows.n_blocks - 1; k >= 0 && S->rows.block[k].source < 0; k--) {
    const double *q = DLS_Q(S, S->q_c, S->rows.block[k].b);
    C->height[k] = dls_height_of(S, q);
  }
  S->rows.height = C->height;
  S->rows.u_before = S->u_c;
  dls_rows_prepare(&S->rows, w->impact == DLS_IMPACT_NEWTON && !S->joined);
  dls_rows_islands(&S->rows);
  memcpy(S->u_smooth, S->rows.u_free, (size_t)w->n_bodies * (size_t)S->nu * sizeof(double));
  S->u_unstruck = S->u_smooth;
  if (S->u_ahead != S->rows.u_free) {
    memcpy(S->u_kept, S->u_ahead, (size_t)w->n_bodies * (size_t)S->nu * sizeof(double));
    S->u_unstruck = S->u_kept;
  }
  dls_solve_report impact = {0};
  dls_status status = DLS_OK;
  /* springs are forces */
  if (w->impact != DLS_IMPACT_NEWTON) status = dls_tree_springs_set(joints, false);
  if (status == DLS_OK && w->impact == DLS_IMPACT_SEQUENTIAL)
    status = dls_collide_in_turn(S, C, joints);
  opts.max_iterations = dls_work_to_solve(&w->work);
  dls_solve_opts first = opts; /* impacts leave half of what is bounded to the forces */
  if (opts.bounded) first.max_iterations = (opts.max_iterations + 1) / 2;
  if (status == DLS_OK && w->impact == DLS_IMPACT_POISSON)
    status = dls_collide_by_poisson(S, C, joints, &first, &impact);
  if (status == DLS_OK && w->impact != DLS_IMPACT_NEWTON)
    status = dls_tree_springs_set(joints, true);
  if (status == DLS_OK && w->impact != DLS_IMPACT_NEWTON) dls_springs_start_struck(joints);
  if (opts.bounded) opts.max_iterations = (int)dls_max(0, opts.max_iterations - impact.work);
  if (status == DLS_OK) status = dls_solve_laws(S, C, disks, A, &opts, &report);
  else report = impact;
  dls_work_pay(&w->work, impact.work + (status == DLS_OK ? report.work : 0));
  dls_forget_speculative(S, C, disks);
  if (status == DLS_FULL) w->need_arena = S->rows.need;
  if (status == DLS_OK && w->impact != DLS_IMPACT_NEWTON) dls_add_impacts(S, C);
  w->stats.unknowns = S->rows.n_rows;
  w->stats.iterations = report.iterations + impact.iterations;
  w->stats.pivots = report.pivots + impact.pivots;
  w->stats.islands = report.islands;
  dls_know_noise(C, &report);
  w->stats.residual = dls_max(report.residual, impact.residual);
  w->stats.unconverged = report.unconverged + impact.unconverged;
  w->stats.limited = w->stats.unconverged > 0 && (report.limited || impact.limited);
  if (w->stats.limited) w->work.given_up |= 1u << DLS_WORK_SOLVE;
  mark(S, A, DLS_PHASE_SOLVE);
  return status;
}

/* What a block of springs did; between two points: the change of momentum that it explains. */
static void record_springs(dls_step *S, dls_joint_stage *joints, dls_account_stage *A,
                           const dls_block *block, dls_spring_row *of) {
  dls_springs_record(joints, block, of);
  if (of->joint >= 0) return;
  const double *J = S->rows.J + (size_t)block->row * 2 * S->nu, p = S->rows.p[block->row];
  for (int e = 0; e < 2; e++) {
    const int account = A->account[e == 0 ? block->a : block->b];
    for (int k = 0; k < S->dim && account >= 0; k++) {
      A->unexplained[(size_t)S->dim * (size_t)account + (size_t)k] -= p * J[e * S->nu + k];
      A->judged.largest = dls_max(A->judged.largest, fabs(p * J[e * S->nu + k]));
    }
  }
}

static void record_general(dls_stages *all, int k) {
  dls_step *S = &all->step;
  dls_contact_stage *C = &all->contacts;
  dls_joint_stage *joints = &all->joints;
  dls_position_stage *P = &all->positions;
  dls_account_stage *A = &all->account;
  const dls_block *block = &S->rows.block[k];
  A->general[A->n_general++] = k;
  if (dls_springs_of(joints, k)) {
    record_springs(S, joints, A, block, dls_springs_of(joints, k));
    return;
  }
  if (block->source < 0) dls_joint_record(joints, block);
  if (block->second > 0) dls_gear_record(joints, block);
  if (block->source >= 0 && !block->speculative) dls_record_contact(S, C, P, block);
}

/* What the rows did goes to contacts and joints. */
static void record_all(dls_stages *all) {
  dls_step *S = &all->step;
  dls_contact_stage *C = &all->contacts;
  dls_disk_stage *disks = &all->disks;
  dls_joint_stage *joints = &all->joints;
  dls_account_stage *A = &all->account;
  dls_open_judgement(S, joints, A);
  dls_open_records(S, A);
  A->n_general = 0;
  int k = 0;
  for (int r = 0; r < disks->n_runs; r++) {
    const dls_disk_run *run = &disks->run[r];
    for (; k < run->block; k++) record_general(all, k);
    dls_disks_record(disks, run);
    k += run->n;
  }
  for (; k < S->rows.n_blocks; k++) record_general(all, k);
  dls_close_records(S, C, A);
}

/* All bodies at q_c, and the free velocities u_f that forces alone give them. */
static dls_status predict(dls_step *S, dls_joint_stage *joints) {
  if (S->dim == 2) dls_disks_know(S->w);
  if (S->unforced) return dls_set_out_unforced(S);
  dls_status status = dls_joints_admit_start(joints);
  if (status == DLS_OK) status = note_rates(S, joints);
  if (status == DLS_OK) status = dls_begin_bodies(S);
  if (status == DLS_OK) status = dls_trees_begin_step(joints);
  if (status == DLS_OK) status = dls_joints_fit_middle(joints);
  if (status != DLS_OK) return status;
  dls_poses_at(S, S->q_c);
  dls_springs_push(joints);
  dls_joints_push_torques(joints);
  dls_penalties_push_step(joints);
  status = dls_push_fields(S);
  if (status != DLS_OK) return status;
  dls_release(S);
  status = dls_trees_release(joints);
  if (status != DLS_OK) return status;
  return dls_check_bodies(S, S->q_c, S->rows.u_free);
}

/* What a step leaves must be numbers: forces or velocities beyond all measure end it, and it is
** undone. Who it was is looked for only where something is wrong. */
static dls_status check_range(dls_step *S) {
  const dls_world *w = S->w;
  const dls_status status = dls_check_bodies(S, S->q_n, S->u_n);
  if (status != DLS_OK) return status;
  return dls_is_finite(w->ledger.error) && dls_is_finite(w->ledger.turnover) ? DLS_OK : DLS_RANGE;
}

/* --- the stages -------------------------------------------------------------------------- */

/* Room, bodies at q_c, forces, free velocities. */
static dls_status begin(dls_stages *all) {
  dls_step *S = &all->step;
  dls_joint_stage *joints = &all->joints;
  dls_account_stage *A = &all->account;
  dls_world *w = S->w;
  if (w->hooks.clock) A->marked = w->hooks.clock(w->hooks.ud);
  dls_warm_starts_make(w);
  if (S->compliant) (void)dls_world_contacts(w);
  dls_status status = dls_take_room(all);
  if (status == DLS_OK) status = predict(S, joints);
  mark(S, A, DLS_PHASE_FORCES);
  return status;
}

/* Broad and narrow phase; contacts, joints, gears and springs as rows. */
static dls_status find_rows(dls_stages *all) {
  dls_step *S = &all->step;
  dls_near_stage *N = &all->near;
  dls_contact_stage *C = &all->contacts;
  dls_disk_stage *disks = &all->disks;
  dls_joint_stage *joints = &all->joints;
  dls_account_stage *A = &all->account;
  S->w->stats.overdamped = false, S->w->stats.curbed = 0;
  dls_status status = dls_joints_look_ahead(joints);
  S->u_ahead = joints->u_ahead;
  S->u_off = dls_joints_hold(joints) ? joints->u_off : NULL;
  disks->u_c = S->u_c, disks->u_ahead = S->u_ahead;
  if (status == DLS_OK) status = dls_penalties_judge(joints);
  if (status == DLS_OK) status = dls_find_neighbours(S, N, disks);
  const bool may_touch =
      S->w->broad.n_pairs + S->w->n_user_contacts > 0 || S->w->impact != DLS_IMPACT_NEWTON;
  if (status == DLS_OK && (may_touch || dls_joints_have_rates(joints)))
    status = dls_joints_find_off(joints);
  if (status == DLS_OK) dls_note_crowded(S, C), dls_note_together(S, C);
  if (status == DLS_OK) status = dls_find_user_contacts(S, C, disks);
  if (status == DLS_OK) status = dls_find_contacts(S, N, C, disks);
  joints->q_weighed = S->q_weighed;
  if (status == DLS_OK) status = dls_keep_compressed(S, C, disks);
  if (status == DLS_OK) dls_joints_find_rows(joints);
  if (status == DLS_OK) dls_gears_find_rows(joints);
  if (status == DLS_OK) status = dls_springs_find_rows(joints);
  mark(S, A, DLS_PHASE_DETECT);
  return status;
}

/* Bodies and trees at q', behind their first touches, where joints admit them. */
static dls_status advance(dls_stages *all) {
  dls_step *S = &all->step;
  dls_near_stage *N = &all->near;
  dls_joint_stage *joints = &all->joints;
  dls_position_stage *P = &all->positions;
  if (S->unforced) dls_advance_unforced(S);
  else dls_advance_bodies(S);
  dls_status status = dls_trees_advance(joints);
  const bool near = N->n_near > 0;
  const double stored = near ? dls_springs_stored(joints) : 0;
  if (status == DLS_OK) status = dls_end_ways(S, N, P);
  if (status == DLS_OK) status = dls_joints_drive(S->w, S->w->time + S->h);
  if (status == DLS_OK) dls_joints_note_alone(joints);
  if (status == DLS_OK) status = dls_joints_fit(joints, S->q_n, false);
  joints->stretched = near && P->behind ? dls_springs_stored(joints) - stored : 0;
  if (status == DLS_OK) status = dls_spring_nets_carry(joints);
  return status;
}

/* What is carried by its net goes nowhere else: contacts that it would have closed wait for a
** step of its own. */
static void leave_open(const dls_near_stage *N, const dls_joint_stage *joints,
                       dls_position_stage *P, const dls_world *w) {
  int n = 0;
  for (int k = 0; k < P->n_closing; k++) {
    const int near = P->closing_near[k];
    const dls_contact *c = &w->contacts_next[P->closing[k]];
    if (joints->carried[near >= 0 ? N->near[near].a : c->a] ||
        joints->carried[near >= 0 ? N->near[near].b : c->b])
      continue;
    P->closing[n] = P->closing[k], P->closing_near[n++] = near;
  }
  P->n_closing = n;
}

/* Overlaps taken out; velocities to the nearest that joints admit there. */
static dls_status project(dls_stages *all) {
  dls_step *S = &all->step;
  dls_near_stage *N = &all->near;
  const dls_contact_stage *C = &all->contacts;
  dls_joint_stage *joints = &all->joints;
  dls_position_stage *P = &all->positions;
  dls_account_stage *A = &all->account;
  dls_stand_at(S, S->q_n);
  dls_penalties_store_end(joints);
  if (joints->carried) leave_open(N, joints, P, S->w);
  const bool near = N->n_near > 0 || S->w->n_user_contacts > 0;
  const double stored = near ? dls_springs_stored(joints) : 0;
  dls_status status = dls_project(S, N, C, joints, P);
  if (near) joints->stretched += dls_springs_stored(joints) - stored;
  if (joints->carried && joints->tree_late) dls_tree_springs_rest(joints, joints->carried);
  if (status == DLS_OK) dls_joints_spin_on(joints);
  if (status == DLS_OK) status = dls_spring_nets_find(joints);
  if (status == DLS_OK) status = dls_joints_keep_momenta(joints);
  if (status == DLS_OK) dls_spring_nets_judge(joints);
  if (joints->again) return status;
  if (status == DLS_OK) status = dls_joints_admit_end(joints);
  if (status == DLS_OK) dls_spring_nets_pay(joints);
  if (status == DLS_OK) dls_penalties_store_projected(joints);
  mark(S, A, DLS_PHASE_PROJECT);
  return status;
}

/* Energy and statistics, of numbers. */
static dls_status account(dls_stages *all, dls_division *division) {
  dls_step *S = &all->step;
  dls_contact_stage *C = &all->contacts;
  dls_disk_stage *disks = &all->disks;
  dls_joint_stage *joints = &all->joints;
  dls_account_stage *A = &all->account;
  const dls_ledger l = dls_ledger_of(S, C, disks, joints, A);
  dls_judge_lift(S, &l, division);
  if (division->wanted > 0) return DLS_OK;
  dls_keep_ledger(S, C, disks, &l, A);
  dls_judge(S, joints, A);
  return check_range(S);
}

/* The step is whole. */
static void complete(dls_stages *all) {
  dls_step *S = &all->step;
  dls_contact_stage *C = &all->contacts;
  dls_joint_stage *joints = &all->joints;
  dls_account_stage *A = &all->account;
  if (S->w->stats.unconverged > 0) S->w->n_unconverged++;
  S->w->stats.work = S->w->work.spent;
  S->w->stats.given_up = S->w->work.given_up;
  commit(S, C, joints, A);
  dls_charge_drives(S, A);
  dls_keep_worst(S, A);
  mark(S, A, DLS_PHASE_REPORT);
}

static dls_status run_stages(dls_stages *all, dls_division *division) {
  dls_status status = begin(all);
  if (status == DLS_OK) status = find_rows(all);
  if (status == DLS_OK) status = solve_rows(all);
  if (status == DLS_OK) dls_judge_solve(&all->step, &all->contacts, division);
  if (division->wanted > 0) return status;
  if (status == DLS_OK) status = advance(all);
  if (status == DLS_OK) record_all(all);
  if (status == DLS_OK) status = project(all);
  if (all->joints.again) return status;
  if (status == DLS_OK)
    status = dls_judge_places(&all->step, &all->near.ways, all->positions.sank, division);
  if (division->wanted > 0) return status;
  if (status == DLS_OK) status = account(all, division);
  if (division->wanted > 0) return status;
  if (status == DLS_OK) complete(all);
  return status;
}

/* Steps in which a velocity as large as the tolerance, in the same direction, is not told from
** rest. */
enum { UNSURE_STEPS = 30 };

static dls_status attempt(dls_world *w, dls_spring_try *tries, dls_division *division,
                          bool *again) {
  dls_stages all = {.step = dls_step_of(w, w->dim)};
  dls_step *S = &all.step;
  S->h = w->dt / division->parts, S->theta = dls_world_theta(w);
  S->compliant = dls_world_is_compliant(w);
  S->pushed = (w->n_springs > 0 && w->springs_push) || w->n_joints > 0 || dls_trees_used(w) ||
              w->hooks.field;
  S->shapes_only = w->n_springs == 0 && w->n_user_contacts == 0 && w->n_joints == 0;
  S->unforced = w->dim == 2 && S->shapes_only && !S->pushed;
  S->unsure =
      UNSURE_STEPS * w->solve.tolerance * S->h * S->h * dls_v3_norm(dls_v3_load(w->gravity));
  all.joints.spring_try = tries;
  const dls_status status = run_stages(&all, division);
  *again = status == DLS_OK && all.joints.again;
  return status;
}

/* Work of the step. What the solvers of a part miss stays missed, so they have more than those of
** a whole step (40 walls that a ball on a chain strikes miss 1 of 76,000 steps for 11; with 4 times
** as much 1, too), but for fourths of an unsolved step, which together have as much as halves. */
static dls_work work_of(const dls_world *w, const dls_division *division) {
  static const double OF_PARTS = 2;
  dls_work work = dls_work_of(w->solve.max_iterations);
  const bool fourth = division->unsolved && division->parts > 2;
  if (division->parts > 1 && !fourth && !work.bounded)
    work.most = work.left = dls_min(OF_PARTS * work.most, INT32_MAX);
  return work;
}

dls_status dls_time_step(dls_world *w, dls_division *division) {
  division->wanted = 0;
  w->arena.used = 0;
  w->work = work_of(w, division);
  dls_spring_try *tries = NULL;
  const int n_tries = dls_spring_tries(w);
  if (n_tries > 0) {
    tries = DLS_TAKE(&w->arena, dls_spring_try, n_tries);
    if (!tries) return DLS_FULL;
    memset(tries, 0, (size_t)n_tries * sizeof *tries);
  }
  const size_t mark_tries = dls_arena_mark(&w->arena);
  dls_status status = DLS_OK;
  /* nets of springs (spring_nets.h) ask for so many at most */
  for (bool again = true; again && status == DLS_OK;) {
    dls_arena_release(&w->arena, mark_tries);
    status = attempt(w, tries, division, &again);
  }
  w->work.bounded = false; /* who moves joints between steps is not held back */
  return status;
}
