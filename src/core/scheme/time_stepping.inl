/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
/* The step: its list of stages, and the room they share. */

#define ROOM(X, n, pairs, contacts, joints, penalties, springs)                 \
  X(q_c, double, (n) * NQ)                                              \
  X(u_c, double, (n) * NU)                                              \
  X(push, double, (n) * NU)                                             \
  X(POSES, pose, (n))                                                   \
  X(reach, double, (n))                                                 \
  X(idle, unsigned char, (n))                                           \
  X(near, candidate, (pairs))                                           \
  X(beside_from, int, (n) + 1)                                          \
  X(beside, int, (pairs))                                               \
  X(gradient, double, (n) * NU)                                         \
  X(u_smooth, double, (n) * NU)                                         \
  X(bounce, double, (contacts + joints + 1) * NB)                                \
  X(tangential, double, (contacts + joints + 1) * NB)                            \
  X(drift, double, (contacts + joints + 1) * NB)                                 \
  X(p_impact, double, (contacts + joints + 1) * NB)                              \
  X(shift, double, (contacts + joints + 1) * NB)                                 \
  X(q_end, double, (w->hooks.motion ? (n) * NQ : 0))                             \
  X(u_end, double, (w->hooks.motion ? (n) * NU : 0))                             \
  X(jointed, unsigned char, (n))                                        \
  X(crowded, unsigned char, (n))                                        \
  X(closing, int, (contacts) + 1)                                          \
  X(account, int, (n))                                                  \
  X(unexplained, double, (n) * D)                                       \
  X(closing_near, int, (contacts) + 1)                                     \
  X(near_of, int, (contacts))                                           \
  X(odd, int, (contacts + joints))                                      \
  X(height, double, (contacts + joints))                                \
  X(plain, plain, (contacts + joints))                                  \
  X(plain_run, plain_run, (contacts) + 1)                               \
  X(sleeper, int, (contacts) + 1)                                       \
  X(held, unsigned char, (n))                                           \
  X(joints.aim, double, (n) * NQ)                                              \
  X(joints.way, double, (n) * NU)                                              \
  X(joints.answer, double, (n) * NU)                                           \
  X(joints.u_t, double, (n) * NU)                                              \
  X(joints.qd, double, 6 * (size_t)w->n_joints)                                \
  X(joints.stretch, double, 6 * (size_t)w->n_joints)                           \
  X(joints.spring_row, spring_row, (springs))                                  \
  X(probe, dls_touch, (size_t)w->touch_room)                            \
  X(passed, uint64_t, (size_t)w->touch_room)                            \
  X(joints.what, int, (contacts + joints))                                      \
  X(joints.second, dls_second, w->n_gears)                                     \
  X(joints.penalty, penalty_at, (penalties))                                   \
  X(joints.penalty_impulse, double, (penalties > 0 ? (n) * NU : 0))            \
  X(joints.penalty_u, double, (penalties > 0 ? (n) * NU : 0))

static size_t step_bytes(const dls_world *w, int contacts) {
  size_t n = (size_t)w->n_bodies, pairs = (size_t)w->broad.pair_room, total = 0;
  size_t room = (size_t)contacts, joints = (size_t)dls_joints_count_blocks(w);
  const size_t springs = (size_t)dls_springs_count_rows(w), own = joints; /* blocks of springs have no other part */
  joints += (size_t)dls_springs_count_blocks(w);
#define ADD(name, type, count)                                                                 \
  total = dls_bytes_add(total, dls_arena_bytes((size_t)(count), sizeof(type)));
  const size_t penalties = (size_t)dls_penalties_count_rows(w);
  ROOM(ADD, n, pairs, room, joints, penalties, springs)
#undef ADD
  for (int i = 0; i < 2 * D; i++)
    total = dls_bytes_add(total, dls_arena_bytes(n, sizeof(double)));
  total = dls_bytes_add(total, dls_rows_bytes(D, w->n_bodies, contacts + (int)joints,
                                              (contacts + (int)joints + 1) * NB));
  total = dls_bytes_add(total, dls_arena_bytes(springs, sizeof(overlap)));
  if (dls_trees_used(w)) total = dls_bytes_add(total, dls_forest_mobility_bytes(w->trees->forest));
  joints = own;
  total = dls_bytes_add(total, w->ways_bytes);
  total = dls_bytes_add(total, dls_arena_bytes((size_t)w->touch_room, sizeof(dls_touch)));
  total = dls_bytes_add(total, dls_arena_bytes(room + 6 * joints, sizeof(overlap)));
  if (penalties > 0) total = dls_bytes_add(total, dls_stability_bytes((int)penalties));
  total = dls_bytes_add(total, dls_arena_bytes(room + 6 * joints, sizeof(int)));
  total = dls_bytes_add(total, dls_arena_bytes(pairs + 4, sizeof(int)));
#if D == 2
  total = dls_bytes_add(total, dls_arena_bytes(pairs, 3 * sizeof(double)));
  total = dls_bytes_add(total, dls_arena_bytes(pairs, sizeof(dls_position_disks) + 1));
  total = dls_bytes_add(total, dls_arena_bytes(n, sizeof(spot)));
  total = dls_bytes_add(total, dls_arena_bytes(pairs + room + 5, sizeof(dls_press)));
  total = dls_bytes_add(total, dls_arena_bytes(dls_press_numbers((int)n), sizeof(float)));
  total = dls_bytes_add(total, dls_press_bytes((int)(pairs + room), (int)n));
  for (int i = 0; i < 6; i++) total = dls_bytes_add(total, dls_arena_bytes(pairs, sizeof(double)));
  total = dls_bytes_add(total, 2 * dls_arena_bytes(n, sizeof(dls_spot2)));
  total = dls_bytes_add(total, dls_arena_bytes(n, sizeof(dls_rim2)));
  total = dls_bytes_add(total, 8 * DLS_ALIGN);
#else
  total = dls_bytes_add(total, 2 * dls_arena_bytes(n, sizeof(dls_rod)));
  total = dls_bytes_add(total, dls_arena_bytes(n, sizeof(ball)));
  total = dls_bytes_add(total, dls_arena_bytes(n, sizeof(int)));
  total = dls_bytes_add(total, dls_arena_bytes(pairs, sizeof(double)));
  total = dls_bytes_add(total, dls_arena_bytes(room + 6 * joints, sizeof(dls_position_touch)));
  total = dls_bytes_add(total, dls_arena_bytes(pairs, sizeof(double)));
  total = dls_bytes_add(total, dls_arena_bytes(pairs, sizeof(int)));
  total = dls_bytes_add(total, dls_arena_bytes(3 * DLS_RODS_AT_ONCE, sizeof(dls_touch)));
#endif
  total = dls_bytes_add(total, dls_arena_bytes(pairs + 1, sizeof(chosen)));
  total = dls_bytes_add(total, dls_arena_bytes(room + 1, sizeof(uint64_t)));
  total = dls_bytes_add(total, 2 * dls_arena_bytes(pairs + 4, sizeof(int)));
  total = dls_bytes_add(total, dls_arena_bytes(n, 1));
  if (joints > 0 || dls_trees_used(w)) { /* see project_both */
    total = dls_bytes_add(total, dls_arena_bytes(pairs, sizeof(candidate)));
    total = dls_bytes_add(total, dls_arena_bytes(2 * room, sizeof(int)));
    total = dls_bytes_add(total, dls_arena_bytes(n, 1));
    total = dls_bytes_add(total, dls_arena_bytes(room + joints, 1));
  }
  total = dls_bytes_add(total, dls_arena_bytes(n, sizeof(int)));
  return dls_bytes_add(total, dls_arena_bytes(n * NU, sizeof(double)));
}

/* Joints beside the trees. */
static void mark_jointed(step *S) {
  const dls_world *w = S->w;
  memset(S->jointed, 0, (size_t)w->n_bodies);
  for (int i = 0; i < w->n_joints; i++) {
    const dls_joint *joint = &w->joints[i];
    if (!joint->alive || joint->formulation == DLS_REDUCED) continue;
    S->n_unreduced++;
    const unsigned char how = dls_joint_has_rows(joint) || dls_joint_is_sprung(w, joint) ? 3 : 1; /* forces of penalties are in u_f */
    S->jointed[joint->a] |= how;
    S->jointed[joint->b] |= how;
  }
}

/* The joints' record gets what it shares with the other stages. */
static void open_joints(step *S) {
  dls_joint_stage *joints = &S->joints;
  joints->w = S->w;
  joints->dim = S->dim, joints->nu = S->nu, joints->nq = S->nq, joints->nb = S->nb;
  joints->h = S->h, joints->theta = S->theta;
  joints->rows = &S->rows;
  joints->q_c = S->q_c, joints->q_n = S->q_n, joints->u_c = S->u_c, joints->u_n = S->u_n;
  joints->push = S->push, joints->u_smooth = S->u_smooth;
  joints->T = S->dim == 3 ? S->T3 : NULL;
  joints->bounce = S->bounce, joints->tangential = S->tangential, joints->drift = S->drift;
  joints->held = S->held, joints->jointed = S->jointed;
  joints->n_unreduced = S->n_unreduced, joints->room_joints = S->room_joints;
  joints->correction = &S->correction;
}

static dls_status take_room(step *S) {
  dls_world *w = S->w;
  dls_arena *tmp = &w->arena;
  bool full = false;
  S->q_n = w->q_next;
  S->u_n = w->u_next;
  S->room_contacts = w->contact_room;
  S->room_joints = 6 * dls_joints_count_blocks(w);
  const int joints = S->room_joints / 6 + dls_springs_count_blocks(w), springs = dls_springs_count_rows(w);
  for (int i = 0; i < w->n_gears; i++) S->joints.n_gears += w->gears[i].alive;
#define TAKE(name, type, count) full = (S->name = DLS_TAKE(tmp, type, count)) == NULL || full;
  const int penalties = dls_penalties_count_rows(w);
  ROOM(TAKE, w->n_bodies, w->broad.pair_room, w->contact_room, joints, penalties, springs)
#undef TAKE
  for (int i = 0; i < 2 * D; i++)
    full = (S->bound[i] = DLS_TAKE(tmp, double, w->n_bodies)) == NULL || full;
#if D == 2
  for (int i = 0; i < 6; i++)
    full = (S->meets[i] = DLS_TAKE(tmp, double, w->broad.pair_room)) == NULL || full;
  full = (S->spot = DLS_TAKE(tmp, dls_spot2, w->n_bodies)) == NULL || full;
  full = (S->disk = DLS_TAKE(tmp, dls_spot2, w->n_bodies)) == NULL || full;
  full = (S->rim = DLS_TAKE(tmp, dls_rim2, w->n_bodies)) == NULL || full;
#else
  full = (S->ball = DLS_TAKE(tmp, ball, w->n_bodies)) == NULL || full;
  full = (S->body_of = DLS_TAKE(tmp, int, w->n_bodies)) == NULL || full;
  full = (S->rod = DLS_TAKE(tmp, dls_rod, w->n_bodies)) == NULL || full;
  full = (S->around = DLS_TAKE(tmp, dls_rod, w->n_bodies)) == NULL || full;
#endif
  S->touch_room = w->touch_room;
  full = (S->touch = DLS_TAKE(tmp, dls_touch, w->touch_room)) == NULL || full;
  if (full) return DLS_FULL;
  memset(S->held, 0, (size_t)w->n_bodies);
  mark_jointed(S);
  open_joints(S);
  if (S->pushed) memset(S->push, 0, (size_t)w->n_bodies * NU * sizeof(double));
  const dls_status status = dls_rows_take(&S->rows, tmp, D, w->n_bodies, w->contact_room + joints,
                                          (w->contact_room + joints + 1) * NB);
  S->rows.stop = w->stop;
  return status;
}

/* What is to be known of joints beside the trees at the start of the step. */
static dls_status note_rates(step *S) {
  dls_world *w = S->w;
  double q[7] = {0};
  dls_status status = S->n_unreduced > 0 ? dls_joints_drive(w, w->time) : DLS_OK;
  if (status != DLS_OK) return status;
  dls_penalties_store_start(&S->joints);
  for (int i = 0; S->n_unreduced > 0 && i < w->n_joints; i++) {
    if (!w->joints[i].alive || w->joints[i].formulation == DLS_REDUCED) continue;
    dls_joint_now(w, i, q, S->joints.qd + 6 * (size_t)i);
    memcpy(S->joints.stretch + 6 * (size_t)i, q, 6 * sizeof *q);
  }
  return DLS_OK;
}

/* qdd of joints beside the trees: what the step made of their velocities, by h, as the trees' own. */
static void keep_rates(step *S) {
  dls_world *w = S->w;
  for (int i = 0; i < w->n_joints; i++) {
    double q[7], u[6];
    if (!w->joints[i].alive || w->joints[i].formulation == DLS_REDUCED) continue;
    dls_joint_now(w, i, q, u);
    for (size_t k = 6 * (size_t)i, m = 0; m < (size_t)w->joints[i].nu; k++, m++)
      w->joint_qdd[k] = (u[m] - S->joints.qd[k]) / S->h;
  }
}

static void commit(step *S) {
  dls_world *w = S->w;
  double *before = w->q_before, *u = w->u; /* kept until the next step: world/step.c may go back */
  w->q_before = w->q, w->q = w->q_next, w->q_next = before;
  w->u = w->u_next, w->u_next = u;
  w->own_known = true;
  if (S->n_unreduced > 0) dls_joints_keep(w);
  dls_penalties_follow(w);
  if (S->n_unreduced > 0) keep_rates(S);
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
  const dls_brief brief = w->brief;
  w->brief = w->brief_next;
  w->brief_next = brief;
  w->n_contacts = S->n_contacts;
  w->untold = true;
  w->impacts += S->n_onsets;
  w->steps++;
  w->time = w->time_origin + (double)(w->steps - w->steps_origin) * S->h;
}

static dls_status solve_rows(step *S) {
  dls_world *w = S->w;
  dls_solve_report report;
  dls_solve_opts opts = w->solve;
  double g2 = w->gravity[0] * w->gravity[0] + w->gravity[1] * w->gravity[1] +
              w->gravity[2] * w->gravity[2];
  opts.scale = S->h * sqrt(g2);
  for (int k = S->rows.n_blocks - 1; k >= 0 && S->rows.block[k].source < 0; k--) { /* joints' and springs', behind the others */
    const double *q = Q(S->q_c, S->rows.block[k].b);
    S->height[k] = height_of(S, q);
  }
  S->rows.height = S->height;
  dls_rows_prepare(&S->rows, w->impact == DLS_IMPACT_NEWTON && !S->joined);
  dls_rows_islands(&S->rows);
  memcpy(S->u_smooth, S->rows.u_free, (size_t)w->n_bodies * NU * sizeof(double));
  dls_solve_report impact = {0};
  dls_status status = DLS_OK;
  if (w->impact != DLS_IMPACT_NEWTON) status = dls_tree_springs_set(&S->joints, false); /* springs are forces */
  if (status == DLS_OK && w->impact == DLS_IMPACT_SEQUENTIAL) collide_in_turn(S);
  if (status == DLS_OK && w->impact == DLS_IMPACT_POISSON) status = collide_by_poisson(S, &opts, &impact);
  if (status == DLS_OK && w->impact != DLS_IMPACT_NEWTON) status = dls_tree_springs_set(&S->joints, true);
  if (status == DLS_OK && w->impact != DLS_IMPACT_NEWTON) dls_springs_start_struck(&S->joints);
  opts.max_iterations = (int)dls_max(0, opts.max_iterations - impact.work);
  if (status == DLS_OK) status = dls_solve_laws(S, &opts, &report);
  else report = impact;
  dls_forget_speculative(S);
  if (status == DLS_FULL) w->need_arena = S->rows.need;
  if (status == DLS_OK && w->impact != DLS_IMPACT_NEWTON) add_impacts(S);
  w->stats.unknowns = S->rows.n_rows;
  w->stats.iterations = report.iterations + impact.iterations;
  w->stats.pivots = report.pivots + impact.pivots;
  w->stats.islands = report.islands;
  dls_know_noise(S, &report);
  w->stats.residual = dls_max(report.residual, impact.residual);
  w->stats.unconverged = report.unconverged + impact.unconverged;
  w->stats.limited = w->stats.unconverged > 0 && (report.limited || impact.limited);
  return status;
}

/* Shapes where they are at q. */
static void stand_at(step *S, const double *q) {
#if D == 2
  if (S->loose) {
    dls_poses_disks(S, q);
    return;
  }
#endif
  poses_at(S, q);
}

static void advance(step *S) {
#if D == 2
  if (S->loose) {
    dls_advance_disks(S);
    return;
  }
#endif
  dls_advance_bodies(S);
}

/* The time since the last mark goes to a phase. */
static void mark(step *S, dls_phase phase) {
  dls_world *w = S->w;
  if (!w->hooks.clock) return;
  double now = w->hooks.clock(w->hooks.ud);
  w->phase[phase] = now - S->marked;
  S->marked = now;
}

/* What a block of springs did; between two points: the change of momentum that it explains. */
static void record_springs(step *S, const dls_block *block, dls_spring_row *of) {
  dls_springs_record(&S->joints, block, of);
  if (of->joint >= 0) return;
  const double *J = S->rows.J + (size_t)block->row * 2 * NU, p = S->rows.p[block->row];
  for (int e = 0; e < 2; e++) {
    const int account = S->account[e == 0 ? block->a : block->b];
    for (int k = 0; k < D && account >= 0; k++) {
      S->unexplained[D * (size_t)account + (size_t)k] -= p * J[e * NU + k];
      S->judged.largest = dls_max(S->judged.largest, fabs(p * J[e * NU + k]));
    }
  }
}

static void record_odd(step *S, int k) {
  const dls_block *block = &S->rows.block[k];
  S->odd[S->n_odd++] = k;
  if (springs_of(S, k)) {
    record_springs(S, block, springs_of(S, k));
    return;
  }
  if (block->source < 0) dls_joint_record(&S->joints, block);
  if (block->second > 0) dls_gear_record(&S->joints, block);
  if (block->source >= 0 && !block->asleep) dls_record_contact(S, block);
}

/* What the rows did goes to contacts and joints. */
static void record_all(step *S) {
  open_judgement(S);
  dls_open_brief(S);
  S->n_odd = 0;
  int k = 0;
  for (const plain_run *run = S->plain_run, *end = run + S->n_plain_runs; run < end; run++) {
    for (; k < run->block; k++) record_odd(S, k);
    dls_record_plain(S, run);
    k += run->n;
  }
  for (; k < S->rows.n_blocks; k++) record_odd(S, k);
  dls_close_brief(S);
}

/* All bodies at q_c, and where forces alone would take them. */
static dls_status set_all_out(step *S) {
#if D == 2
  dls_know_columns(S->w);
  if (S->loose) return dls_set_out_disks(S);
#endif
  dls_status status = dls_joints_admit_start(&S->joints);
  if (status == DLS_OK) status = note_rates(S);
  if (status == DLS_OK) status = dls_begin_bodies(S);
  if (status == DLS_OK) status = dls_trees_begin_step(&S->joints);
  if (status == DLS_OK) status = dls_joints_fit_middle(&S->joints);
  if (status != DLS_OK) return status;
  poses_at(S, S->q_c);
  dls_springs_push(&S->joints);
  dls_joints_push_torques(&S->joints);
  dls_penalties_push_step(&S->joints);
  status = dls_push_fields(S);
  if (status != DLS_OK) return status;
  dls_release(S);
  status = dls_trees_release(&S->joints);
  if (status != DLS_OK) return status;
  return dls_check_bodies(S, S->q_c, S->rows.u_free);
}

static dls_status run_stages(step *S) {
  dls_world *w = S->w;
  if (w->hooks.clock) S->marked = w->hooks.clock(w->hooks.ud);
  dls_traces_make(w);
  if (S->compliant) (void)dls_world_contacts(w);
  dls_status status = take_room(S);
  if (status == DLS_OK) status = set_all_out(S);
  if (status != DLS_OK) return status;
  mark(S, DLS_PHASE_FORCES);
  w->stats.overdamped = false;
  status = dls_joints_look_ahead(&S->joints);
  S->u_ahead = S->joints.u_ahead;
  if (status == DLS_OK) status = dls_penalties_judge(&S->joints);
  if (status == DLS_OK) status = dls_find_neighbours(S);
  if (status == DLS_OK) status = dls_find_ties(S);
  if (status == DLS_OK) status = dls_find_contacts(S);
  if (status == DLS_OK) status = dls_keep_compressed(S);
  if (status == DLS_OK) dls_joints_find_rows(&S->joints);
  if (status == DLS_OK) dls_gears_find_rows(&S->joints);
  if (status == DLS_OK) status = dls_springs_find_rows(&S->joints);
  mark(S, DLS_PHASE_DETECT);
  if (status == DLS_OK) status = solve_rows(S);
  mark(S, DLS_PHASE_SOLVE);
  if (status == DLS_OK) advance(S);
  if (status == DLS_OK) status = dls_trees_advance(&S->joints);
  if (status == DLS_OK) status = dls_end_ways(S);
  if (status == DLS_OK) status = dls_joints_drive(w, w->time + S->h);
  if (status == DLS_OK) status = dls_joints_fit(&S->joints, S->q_n, false);
  if (status != DLS_OK) return status;
  record_all(S);
  stand_at(S, S->q_n);
  dls_penalties_store_end(&S->joints);
  status = dls_project(S);
  if (status == DLS_OK) status = dls_joints_admit_end(&S->joints);
  if (status != DLS_OK) return status;
  dls_penalties_store_projected(&S->joints);
  mark(S, DLS_PHASE_PROJECT);
  keep_ledger(S);
  judge(S);
  status = check_range(S);
  if (status != DLS_OK) return status;
  if (w->stats.unconverged > 0) w->n_unconverged++;
  commit(S);
  charge_drives(S);
  keep_worst(S);
  mark(S, DLS_PHASE_REPORT);
  return DLS_OK;
}

static dls_status step_world(dls_world *w) {
  step S = dls_step_of(w, D);
  S.h = w->dt, S.theta = dls_world_theta(w);
  S.compliant = dls_world_is_compliant(w);
  S.pushed = (w->n_springs > 0 && w->springs_push) || w->n_joints > 0 || dls_trees_used(w) || w->hooks.field;
  S.shapes_only = w->n_springs == 0 && w->n_ties == 0 && w->n_joints == 0;
#if D == 2
  S.loose = S.shapes_only && !S.pushed;
#endif
  w->arena.used = 0;
  return run_stages(&S);
}
