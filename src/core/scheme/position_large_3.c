/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#include "core/scheme/position.h"

/* (To start from those alone that are
** to move, and to add what the first sweep reaches, as disks do, took more rounds and left more.) */
void dls_lay_touches(const dls_step *S, dls_position_stage *P) {
  P->n_taken = P->n_active;
  for (int k = 0; k < P->n_active; k++) {
    const dls_overlap *o = &P->o[P->active[k]];
    const double share = o->w > 0 ? 1 / o->w : 0;
    P->touches[k] = (dls_position_touch){.n = dls_v3_load(o->J + 6), .t_a = dls_v3_load(o->J + 3),
                          .t_b = dls_v3_load(o->J + 6 + 3), .w_a = dls_v3_scale(share, dls_v3_load(o->MJ + 3)),
                          .w_b = dls_v3_scale(share, dls_v3_load(o->MJ + 6 + 3)),
                          .m_a = share * S->rows.inv_mass[o->a],
                          .m_b = share * S->rows.inv_mass[o->b], .gap = o->gap, .size = o->size,
                          .a = o->a, .b = o->b, .seen = -1, .both = o->both};
  }
}

double dls_sweep_touches(dls_position_stage *P, bool backwards, double left) {
  const int n = P->n_taken;
  int *moved = P->moved;
  double worst = 0;
  for (int k = 0; k < n; k++) {
    dls_position_touch *c = &P->touches[backwards ? n - 1 - k : k];
    if (moved[c->a] <= c->seen && moved[c->b] <= c->seen) continue;
    c->seen = P->moves;
    double *dq_a = P->dq + 6 * c->a, *dq_b = P->dq + 6 * c->b;
    const dls_vec3 x_a = dls_v3_load(dq_a), x_b = dls_v3_load(dq_b);
    const dls_vec3 r_a = dls_v3_load(dq_a + 3), r_b = dls_v3_load(dq_b + 3);
    const double least = left * c->size;
    const double gap = c->gap + (dls_v3_dot(c->n, dls_v3_sub(x_b, x_a)) +
                                 (dls_v3_dot(c->t_a, r_a) + dls_v3_dot(c->t_b, r_b)));
    if (fabs(gap) <= least) continue;
    double way = c->way - gap;
    if (!c->both && way < 0) way = 0;
    const double change = way - c->way, size = fabs(change);
    if (size <= least) continue;
    if (size > worst * c->size) worst = size / c->size;
    c->way = way;
    dls_v3_store(dq_a, dls_v3_axpy(x_a, -change * c->m_a, c->n));
    dls_v3_store(dq_b, dls_v3_axpy(x_b, change * c->m_b, c->n));
    dls_v3_store(dq_a + 3, dls_v3_axpy(r_a, change, c->w_a));
    dls_v3_store(dq_b + 3, dls_v3_axpy(r_b, change, c->w_b));
    c->seen = ++P->moves;
    if (c->m_a > 0) moved[c->a] = P->moves;
    if (c->m_b > 0) moved[c->b] = P->moves;
  }
  return worst;
}
