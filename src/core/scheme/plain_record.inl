/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
/* What record() and charge_rows() do for the contact of two rigid disks that both move freely, with
** friction (plain_disks.inl), written out and done at once. */

#if D == 2
static inline bool is_plain_block(const step *S, int k) {
  const dls_block *block = &S->rows.block[k];
  return S->near_of[k] >= 0 && block->kind == DLS_ROW_CONE && S->w->impact == DLS_IMPACT_NEWTON &&
         S->rows.inv_mass[block->a] > 0 && S->rows.inv_mass[block->b] > 0;
}

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
  dls_contact *c = &S->w->contacts_next[block->source];
  const double *p = S->rows.p + block->row, *v = S->rows.v + block->row;
  const double nx = c->normal[0], ny = c->normal[1], size = fabs(p[1]), slip = fabs(v[1]);
  c->p_n = p[0];
  c->impulse[0] = nx * p[0] + ny * p[1], c->impulse[1] = ny * p[0] - nx * p[1];
  c->velocity[0] = nx * v[0] + ny * v[1], c->velocity[1] = ny * v[0] - nx * v[1];
  c->state = state_of(S, c->mu, p[0], size, slip);
  c->slip = c->state == DLS_STICK ? 0 : slip;
  note_closing(S, k, v[0], true);
  charge_plain(S, block, c);
}
#endif
