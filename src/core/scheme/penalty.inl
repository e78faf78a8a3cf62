/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
/* Penalty joints in a step: explicit forces at (q_c, u_c), whether they are stable, what they store. */

static dls_status set_soft(step *S, bool soft);

/* The numbers of one body of a row: (v, w) as bodies have them. */
static void body_row(const double *J, double out[NU]) {
#if D == 2
  out[0] = J[0], out[1] = J[1], out[2] = J[5];
#else
  memcpy(out, J, 6 * sizeof(double));
#endif
}

static dls_penalty_body penalty_body(const step *S, int body, const double *q, const double *u) {
#if D == 2
  (void)S;
  return dls_penalty_body_of(S->w, body, q, u);
#else
  const double *x = Q(q, body), *v = U(u, body);
  return (dls_penalty_body){S->POSES[body].R, dls_v3_load(x), dls_v3_load(v), dls_v3_load(v + 3)};
#endif
}

static int count_penalty_rows(const dls_world *w) {
  int n = 0;
  for (int i = 0; i < w->n_joints && w->n_penalties > 0; i++)
    if (dls_is_penalty(&w->joints[i])) n += w->joints[i].penalty.n_rows;
  return n;
}

/* Limits that rest are no rows. */
static bool is_idle(const dls_penalty_row *row, const penalty_at *at) {
  return dls_penalty_is_limit(row) && at->chi == 0;
}

/* What the springs hold at the start, while prescribed motions stand there. */
static void store_start(step *S) {
  S->stored_before = S->w->n_penalties > 0 && S->theta < 1 ? dls_penalties_energy(S->w, S->w->q) : 0;
}

/* Forces of all penalty joints; T holds the poses at q_c. */
static void push_penalties(step *S) {
  dls_world *w = S->w;
  S->n_penalties = 0;
  for (int i = 0; i < w->n_joints && w->n_penalties > 0; i++) {
    const dls_joint *joint = &w->joints[i];
    if (!dls_is_penalty(joint)) continue;
    const dls_penalty *p = &joint->penalty;
    const dls_penalty_body a = penalty_body(S, joint->a, S->q_c, S->u_c);
    const dls_penalty_body b = penalty_body(S, joint->b, S->q_c, S->u_c);
    dls_penalty_now now[DLS_PENALTY_ROWS];
    const int what = w->springs_push ? DLS_DRIVE_TORQUE | DLS_DRIVE_SPRINGS : DLS_DRIVE_TORQUE;
    dls_penalty_rows_of(w, i, (const dls_penalty_body[2]){a, b}, now);
    for (int k = 0; k < p->n_rows; k++) {
      penalty_at *at = &S->penalty[S->n_penalties++];
      *at = (penalty_at){.joint = i, .row = k, .chi = now[k].chi, .rate = now[k].rate,
                         .drift = now[k].drift,
                         .lambda = now[k].lambda};
      body_row(now[k].J, at->J);
      body_row(now[k].J + 6, at->J + NU);
      at->weight = 0;
      at->alpha = now[k].share * p->row[k].alpha;
      at->beta = now[k].share * p->row[k].beta;
      if (is_idle(&p->row[k], at)) continue;
      at->weight = sqrt(S->h * S->h * at->alpha + 2 * S->h * at->beta);
      add_u(U(S->push, joint->a), at->lambda, at->J);
      add_u(U(S->push, joint->b), at->lambda, at->J + NU);
    }
    double *own = w->joint_own + 6 * (size_t)i, more[12], J[2 * NU];
    for (int k = 0; k < p->n_rows; k++)
      if (now[k].lambda != 0) dls_penalty_add_wrench(p, &b.R, now[k].lambda, now[k].J, own);
    if (!dls_penalty_drive(w, i, S->q_c, S->u_c, what, more)) continue;
    body_row(more, J);
    body_row(more + 6, J + NU);
    add_u(U(S->push, joint->a), 1, J);
    add_u(U(S->push, joint->b), 1, J + NU);
    dls_penalty_add_wrench(p, &b.R, 1, more, own);
  }
}

/* --- stability ------------------------------------------------------------------------------------ */

/* u of bodies in trees from impulses on them. */
static void answer_trees(step *S, const double *impulse, double *u) {
  dls_trees *t = S->w->trees;
  bool any = false;
  for (int k = 0; k < t->n_links; k++) {
    const int body = t->link_body[k];
    double *wrench = t->wrench + 6 * (size_t)k;
    memset(wrench, 0, 6 * sizeof *wrench);
    if (!held_by_tree(S, body)) continue;
    link_wrench(U(impulse, body), 1, wrench);
    for (int i = 0; i < 6; i++) any = any || wrench[i] != 0;
  }
  if (!any) return;
  dls_forest_respond(t->forest, t->state, NULL, t->wrench, t->du);
  spread(S, t->du, false, u);
}

/* y = D J M^-1 J' D x */
static void apply_penalties(void *ctx, const double *x, double *y) {
  step *S = ctx;
  dls_world *w = S->w;
  double *impulse = S->penalty_impulse, *u = S->penalty_u;
  memset(impulse, 0, (size_t)w->n_bodies * NU * sizeof(double));
  for (int k = 0; k < S->n_penalties; k++) {
    const penalty_at *at = &S->penalty[k];
    const dls_joint *joint = &w->joints[at->joint];
    add_u(U(impulse, joint->a), at->weight * x[k], at->J);
    add_u(U(impulse, joint->b), at->weight * x[k], at->J + NU);
  }
  for (int i = 0; i < w->n_bodies; i++) apply_inverse(&S->rows, i, U(impulse, i), U(u, i));
  if (dls_trees_used(w)) answer_trees(S, impulse, u);
  for (int k = 0; k < S->n_penalties; k++) {
    const penalty_at *at = &S->penalty[k];
    const dls_joint *joint = &w->joints[at->joint];
    y[k] = at->weight * row_velocity(at->J, U(u, joint->a), U(u, joint->b));
  }
}

/* The number of rows/stability.h, M as in this step; too large: the joint that would be lost. Where no
** pose can reach it, the number is there to be read alone: it is looked at in some steps. */
static dls_status judge_penalties(step *S) {
  static const double STABLE = 4, CLEAR = 3.5;
  enum { NOW_AND_THEN = 16 };
  dls_world *w = S->w;
  if (S->n_penalties == 0) w->stats.stability = 0;
  if (S->n_penalties == 0) return DLS_OK;
  const bool safe = w->stability_bound < CLEAR && w->stats.stability > 0;
  if (safe && w->steps % NOW_AND_THEN != 0) return DLS_OK;
  dls_stability found;
  /* Springs beside them are implicit, and change nothing: with the velocities taken at half steps they are an
  ** inertia h^2 k/4 and a stiffness k, so that h^2 (alpha + k) < 4 (m + h^2 k/4) asks for h^2 alpha < 4 m. */
  dls_status status = set_soft(S, false);
  if (status == DLS_OK) status = dls_stability_number(S->n_penalties, apply_penalties, S, CLEAR, &w->arena, &found);
  if (status == DLS_OK) status = set_soft(S, true);
  if (status != DLS_OK) return status;
  w->stats.stability = found.number;
  if (found.number <= STABLE) return DLS_OK;
  w->fault = S->penalty[found.row].joint;
  w->fault_value = found.number;
  return DLS_UNSTABLE;
}

/* --- ledger ---------------------------------------------------------------------------------------- */

/* What the springs hold: before the step (where q_c = q that is known), and at q'. */
static void store_penalties(step *S) {
  S->stored = S->stored_n = S->stored_moved = 0;
  if (S->n_penalties == 0) return;
  if (S->theta < 1) S->stored = S->stored_before;
  for (int k = 0; k < S->n_penalties && S->theta == 1; k++) {
    const penalty_at *at = &S->penalty[k];
    S->stored += 0.5 * at->alpha * (at->chi * at->chi);
  }
  S->stored_moved = S->stored_n = dls_penalties_energy(S->w, S->q_n);
}

/* The same after the projection, where something could be projected. */
static void store_projected(step *S) {
  if (S->n_penalties > 0 && (S->rows.n_blocks > 0 || S->w->stats.penetration != 0 || S->correction != 0))
    S->stored_moved = dls_penalties_energy(S->w, S->q_n);
}

/* Work h lambda (rate before + rate after)/2: dampers take h beta rate (...)/2; springs give theirs to
** what is stored, up to the scheme's own share: the force is that of q_c all through the step. */
static void charge_penalties(step *S, dls_ledger *l) {
  dls_world *w = S->w;
  if (S->n_penalties == 0) return;
  double spring = 0;
  for (int k = 0; k < S->n_penalties; k++) {
    const penalty_at *at = &S->penalty[k];
    const dls_joint *joint = &w->joints[at->joint];
    if (at->weight == 0) continue;
    const double *u_a = U(S->rows.u, joint->a), *u_b = U(S->rows.u, joint->b);
    const double mean = 0.5 * (at->rate + (row_velocity(at->J, u_a, u_b) - at->drift));
    const double force = S->h * at->lambda, brake = at->lambda != 0 ? -S->h * at->beta * at->rate : 0;
    double carried = -at->drift; /* by bodies that do not move freely, and by drives */
    for (int e = 0; e < 2; e++) {
      const int body = e == 0 ? joint->a : joint->b;
      if (moves_freely(&w->bodies[body])) continue;
      carried += 0.5 * dot_u(at->J + e * NU, U(S->u_c, body));
      carried += 0.5 * dot_u(at->J + e * NU, U(S->rows.u, body));
    }
    l->forces -= force * (mean - carried); /* charge_motion counted it as a push */
    l->kinematic -= force * carried;
    l->damping -= brake * mean;
    spring += (force - brake) * mean;
  }
  const double change = S->stored_n - S->stored;
  l->stored += change + (S->stored_moved - S->stored_n);
  l->correction += S->stored_moved - S->stored_n;
  l->scheme += change + spring;
}
