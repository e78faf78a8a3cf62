/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
/* What joints add to the rows: limits, friction, motors, and the constraints of rigid joints. */

/* A block of rows by functionals. what: number of the limit, LIMITS + k for the velocity k, -1 for
** the constraints. */
static dls_block *functional_block(step *S, const hinge *h, int index, int kind, int what,
                                   const double *d, int n) {
  dls_rows *rows = &S->rows;
  S->what[rows->n_blocks] = what;
  dls_block *block = &rows->block[rows->n_blocks++];
  *block = (dls_block){.kind = (unsigned char)kind, .a = h->joint->a, .b = h->joint->b, .row = rows->n_rows,
                       .n = (unsigned char)n, .source = -1 - index};
  for (int i = 0; i < n; i++) {
    const int row = rows->n_rows++;
    const double *f = d + 6 * i;
    const bool turns = f[3] == 0 && f[4] == 0 && f[5] == 0;
    write_functional(S, h, S->q_c, f, rows->J + (size_t)row * 2 * NU);
    rows->gamma[row] = rows->s[row] = rows->p[row] = 0;
    rows->length[row] = turns ? spin_length(S, h) : 1;
    S->bounce[row] = S->tangential[row] = S->drift[row] = 0;
  }
  return block;
}

static void add_motor(step *S, const hinge *h, int index) {
  const dls_motor *motor = &h->joint->motor;
  const double reach = S->theta * S->h, c = motor->stiffness * reach + motor->damping;
  if (motor->kind == DLS_MOTOR_NONE || !(motor->most > 0)) return;
  if (motor->kind == DLS_MOTOR_POSITION && !(c > 0)) return;
  dls_block *block = functional_block(S, h, index, DLS_ROW_BOX, LIMITS, h->dual, 1);
  block->hi = S->h * motor->most;
  block->lo = -block->hi;
  S->rows.s[block->row] = -motor->target;
  if (motor->kind == DLS_MOTOR_SPEED) return;
  S->rows.gamma[block->row] = 1 / (S->h * c);
  S->rows.s[block->row] = -motor->stiffness * (motor->target - h->q[0]) / c;
}

/* Blocks that joints may add: limits, the motor, friction on each velocity, the constraints. */
static int count_joint_blocks(const dls_world *w) {
  int n = 0;
  for (int i = 0; i < w->n_joints; i++)
    if (has_rows(&w->joints[i])) n += LIMITS + 2 + w->joints[i].nu;
  for (int i = 0; i < w->n_gears; i++) n += w->gears[i].alive;
  return n;
}

static void add_joint_springs(step *S, const hinge *h, int index, const double *held, int n_held);

static void find_joint_rows(step *S) {
  dls_world *w = S->w;
  dls_rows *rows = &S->rows;
  for (int i = 0; i < w->n_joints; i++) {
    const dls_joint *joint = &w->joints[i];
    if (!has_rows(joint)) continue;
    const hinge h = hinge_at(S, i, S->q_c);
    for (int k = 0; k < LIMITS && joint->formulation != DLS_PENALTY; k++) {
      double gap = 0, d[6], J[2 * NU];
      if (!limit_of(&h, k, &gap, d)) continue;
      write_functional(S, &h, S->q_c, d, J);
      const double v = row_velocity(J, U(S->u_ahead, joint->a), U(S->u_ahead, joint->b));
      const double reach = S->theta * S->h;
      if (gap > 0 && gap + 4 * reach * v > 0 && gap > 4 * reach * fabs(v)) continue;
      dls_block *block = functional_block(S, &h, i, DLS_ROW_UNILATERAL, k, d, 1);
      rows->s[block->row] = dls_max(gap, 0) / reach;
    }
    if (h.regular) add_motor(S, &h, i);
    for (int k = 0; h.regular && joint->friction > 0 && k < joint->nu; k++) {
      dls_block *block = functional_block(S, &h, i, DLS_ROW_BOX, LIMITS + k, h.dual + 6 * k, 1);
      block->hi = S->h * joint->friction;
      block->lo = -block->hi;
      rows->s[block->row] = S->drift[block->row] = -along(h.dual + 6 * k, h.rate);
    }
    if (joint->formulation != DLS_RIGID) continue;
    double N[36];
    const int n = held_directions(&h, N);
    const double *held = rows->J + (size_t)rows->n_rows * 2 * NU;
    if (n == 0) {
      add_joint_springs(S, &h, i, held, 0);
      continue;
    }
    dls_block *block = functional_block(S, &h, i, DLS_ROW_BILATERAL, -1, N, n);
    for (int k = 0; k < n; k++) { /* it holds the mean: see release_trees */
      const double *J = rows->J + (size_t)(block->row + k) * 2 * NU;
      S->drift[block->row + k] = -along(N + 6 * k, h.rate);
      rows->s[block->row + k] = row_velocity(J, U(S->u_c, joint->a), U(S->u_c, joint->b)) +
                                2 * S->drift[block->row + k];
    }
    add_joint_springs(S, &h, i, held, n);
  }
}

/* Impulses of joints act on it too. */
static bool is_bound(const step *S, int body) {
  return held_by_tree(S, body) || (S->jointed[body] & 2) != 0;
}

/* The wrench of a joint's own rows on b. */
static void record_joint(step *S, const dls_block *block) {
  for (int i = block->row; i < block->row + block->n; i++)
    add_own(S, -1 - block->source, S->rows.J + (size_t)i * 2 * NU, S->rows.p[i] / S->h);
}

/* Torques (and springs, where they push) of joints that are not in the tree act on their bodies. */
static void push_joints(step *S) {
  dls_world *w = S->w;
  for (int i = 0; i < w->n_joints; i++) {
    const dls_joint *joint = &w->joints[i];
    if (!joint->alive || joint->formulation == DLS_REDUCED || joint->nu == 0) continue;
    if (joint->formulation == DLS_PENALTY) continue; /* push_penalties does */
    const hinge h = hinge_at(S, i, S->q_c);
    double J[2 * NU], rate[6], force[6];
    if (!h.regular) continue;
    for (int k = 0; k < joint->nu && w->springs_push; k++) {
      write_functional(S, &h, S->q_c, h.dual + 6 * k, J);
      rate[k] = row_velocity(J, U(S->u_c, joint->a), U(S->u_c, joint->b)) - along(h.dual + 6 * k, h.rate);
    }
    if (w->springs_push) forces_of(S, i, &h, rate, force);
    else torque_of(S, i, force);
    for (int k = 0; k < joint->nu; k++) {
      if (force[k] == 0) continue;
      write_functional(S, &h, S->q_c, h.dual + 6 * k, J);
      add_own(S, i, J, force[k]);
      add_u(U(S->push, joint->a), force[k], J);
      add_u(U(S->push, joint->b), force[k], J + NU);
    }
  }
}
