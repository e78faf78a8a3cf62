/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
/* What record() and charge_rows() do for the contacts of plain_disks.inl, written out and done at once. */

#if D == 2
/* p . (v before + v after)/2 of its two rows, by what takes it (taken_by_friction). */
static inline void charge_plain(step *S, const dls_block *block, const dls_contact *c) {
  const double *J_t = S->rows.J + (size_t)(block->row + 1) * 2 * NU;
  const double *p = S->rows.p + block->row, *v = S->rows.v + block->row;
  const double v_t = row_velocity(J_t, U(S->u_c, block->a), U(S->u_c, block->b));
  const double work_n = 0.5 * p[0] * (c->before + v[0]), work_t = 0.5 * p[1] * (v_t + v[1]);
  const double taken = -dls_min(work_t, 0);
  S->worked.impact -= work_n + (work_t + taken);
  S->worked.friction += taken;
  S->worked.turnover += fabs(work_n) + fabs(work_t);
}

static inline void record_plain(step *S, int k) {
  const dls_block *block = &S->rows.block[k];
  const plain *known = &S->plain[k];
  dls_contact *c = &S->w->contacts_next[block->source];
  const double *p = S->rows.p + block->row, *v = S->rows.v + block->row;
  const double gap = S->meets[0][known->met], nx = S->meets[1][known->met], ny = S->meets[2][known->met];
  const double slip = fabs(v[1]);
  S->was[block->source] = known->old;
  c->key = 0;
  c->a = block->a, c->b = block->b;
  c->tie = -1;
  c->state = state_of(S, block->mu[0], p[0], fabs(p[1]), slip);
  c->age = known->age;
  c->listed = 1;
  c->mark = known->mark;
  c->spare = 0;
  point_plain(&S->disk[known->b], nx, ny, gap, c->point);
  c->normal[0] = nx, c->normal[1] = ny, c->normal[2] = 0;
  c->gap = gap;
  c->p_n = p[0];
  c->impulse[0] = nx * p[0] + ny * p[1], c->impulse[1] = ny * p[0] - nx * p[1], c->impulse[2] = 0;
  c->torque[0] = 0, c->torque[1] = 0, c->torque[2] = 0;
  c->velocity[0] = nx * v[0] + ny * v[1], c->velocity[1] = ny * v[0] - nx * v[1], c->velocity[2] = 0;
  c->before = S->meets[4][known->met];
  c->slip = dls_choose(c->state == DLS_STICK, 0, slip);
  c->x = 0, c->x_before = 0;
  c->damping = 0;
  c->mu = block->mu[0];
  c->reach = S->meets[5][known->met];
  c->mark |= note_closing(S, k, c, v[0], true);
  charge_plain(S, block, c);
}
#endif
