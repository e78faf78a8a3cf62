/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
/* What record(), charge_rows() and judge_contact() do for the contacts of plain_disks.inl, written out and done at
** once, for a run of blocks. Sums and counts are local: what is written through a pointer may be any of them. */

#if D == 2
/* p . (v before + v after)/2 of two rows, by what takes it (taken_by_friction); v_n, v_t: before. */
static inline void charge_plain(dls_ledger *l, const double *p, const double *v, double v_n, double v_t) {
  const double work_n = 0.5 * p[0] * (v_n + v[0]), work_t = 0.5 * p[1] * (v_t + v[1]);
  const double taken = -dls_min(work_t, 0);
  l->impact -= work_n + (work_t + taken);
  l->friction += taken;
  l->turnover += fabs(work_n) + fabs(work_t);
}

/* judge_contact() of two bodies that move freely. */
static inline void judge_plain(judgement *of, double *sum_a, double *sum_b, const dls_contact *c, double p_t) {
  const double x = c->impulse[0], y = c->impulse[1];
  sum_b[0] -= x, sum_b[1] -= y;
  sum_a[0] += x, sum_a[1] += y;
  of->largest = dls_max(of->largest, dls_max(fabs(x), fabs(y)));
  of->cone = dls_max(of->cone, p_t - c->mu * c->p_n);
  of->p_most = dls_max(of->p_most, c->p_n);
}

/* All of contact c but its mark: block, and what is known of it. */
static inline void write_plain(const step *S, dls_contact *c, const dls_block *block, const plain *known,
                               const double *p, const double *v) {
  const double gap = S->meets[0][known->met], nx = S->meets[1][known->met], ny = S->meets[2][known->met];
  const double slip = fabs(v[1]);
  const int state = state_of(S, block->mu[0], p[0], fabs(p[1]), slip);
  c->key = 0;
  c->a = block->a, c->b = block->b;
  c->tie = -1;
  c->state = state;
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
  c->slip = dls_choose(state == DLS_STICK, 0, slip);
  c->x = 0, c->x_before = 0;
  c->damping = 0;
  c->mu = block->mu[0];
  c->reach = S->meets[5][known->met];
}

/* Blocks k .. end - 1, which are all plain. */
static void record_plain(step *S, int k, int end) {
  const dls_rows *rows = &S->rows;
  const dls_contact *contacts = S->w->contacts;
  dls_ledger work = S->worked;
  judgement judged = S->judged;
  for (; k < end; k++) {
    const dls_block *block = &rows->block[k];
    const plain *known = &S->plain[k];
    const int source = block->source, row = block->row;
    if (block->asleep) continue;
    dls_contact *c = &S->w->contacts_next[source];
    const double *p = rows->p + row, *v = rows->v + row;
    write_plain(S, c, block, known, p, v);
    double before[2];
    dls_lean_speeds(&rows->lean[k], U(S->u_c, block->a), U(S->u_c, block->b), before);
    charge_plain(&work, p, v, c->before, before[1]);
    judge_plain(&judged, U(S->unexplained, block->a), U(S->unexplained, block->b), c, fabs(p[1]));
    c->mark |= note_closing(S, k, c, v[0], true);
    const bool on = known->old >= 0 && goes_on(&contacts[known->old], c);
    S->was[source] = known->old;
    S->told[source] = TOLD_JUDGED | (on ? TOLD_ON : 0);
  }
  S->worked = work;
  S->judged = judged;
}
#endif
