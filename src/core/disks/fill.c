/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#include "core/disks/groups.h"

#include "core/disks/compact.h"

/* Contacts into the lanes of their groups. */

/* What velocities that impulses do not change bring into row i. */
static double given_speed(const dls_rows *rows, int i, int a, int b) {
  const double *J = rows->J + (size_t)i * 6;
  const double *u_a = rows->u + (size_t)a * 3, *u_b = rows->u + (size_t)b * 3;
  double v = 0;
  if (!(rows->inv_mass[a] > 0)) v += J[0] * u_a[0] + J[1] * u_a[1];
  if (!(rows->inv_mass[b] > 0)) v += J[3] * u_b[0] + J[4] * u_b[1];
  if (!(rows->inv_inertia[a] > 0)) v += J[2] * u_a[2];
  if (!(rows->inv_inertia[b] > 0)) v += J[5] * u_b[2];
  return v;
}

static void set_law(dls_disk_law *law, int l, float mu, float s_t, bool tangential) {
  law->mu[l] = mu, law->inner[l] = 1 / (1 + mu * mu);
  law->s_t[l] = s_t, law->tangential[l] = tangential ? 1 : 0;
}

/* The law of most: that of a contact from the middle (what stands around a bed comes first), with
** no shift. A lane without a contact has it, too. */
void dls_disk_begin_laws(const dls_block *one, dls_disk_groups *G) {
  const bool tangential = one->kind == DLS_ROW_CONE;
  const float mu = tangential ? (float)one->mu[0] : 0;
  for (int l = 0; l < DLS_DISK_LANES; l++) set_law(&G->bed.law[0], l, mu, 0, tangential);
  memset(G->bed.law_of, 0, (size_t)G->bed.n * sizeof(int));
  G->n_laws = 1;
}

/* A group with a contact unlike most gets a law of its own. */
static inline void put_law(dls_disk_groups *G, int k, int l, float mu, float s_t, bool tangential) {
  dls_disk_law *laws = G->bed.law;
  int *of = &G->bed.law_of[k];
  if (mu == laws[0].mu[0] && s_t == 0 && tangential == (laws[0].tangential[0] > 0)) return;
  if (*of == 0) laws[*of = G->n_laws++] = laws[0];
  set_law(&laws[*of], l, mu, s_t, tangential);
}

static inline void put_lane(dls_disk_groups *G, int at, int i, int j, const double *p) {
  const int l = at % DLS_DISK_LANES, k = at / DLS_DISK_LANES;
  float *to = G->p + DLS_DISK_PARTS * DLS_DISK_LANES * k + l;
  G->bed.pairs[k].i[l] = i;
  G->bed.pairs[k].j[l] = j;
  to[0] = (float)p[0];
  to[DLS_DISK_LANES] = (float)p[1];
}

/* A compact contact. */
static inline void fill_compact(const dls_rows *rows, const dls_disk_contact *c,
                                const dls_disk_member *x, const int *place, dls_disk_groups *G) {
  const int l = x->at % DLS_DISK_LANES, k = x->at / DLS_DISK_LANES;
  const int i = DLS_DISK_BODY * place[x->a], j = DLS_DISK_BODY * place[x->b];
  const double *s = rows->s + x->row, *p = rows->p + x->row;
  dls_disk_group *g = &G->bed.group[k];
  G->slope += p[0] * s[0] + p[1] * s[1];
  g->nx[l] = (float)c->nx;
  g->ny[l] = (float)c->ny;
  g->ma[l] = G->root[i];
  g->mb[l] = G->root[j];
  g->ta[l] = (float)c->turn_a * G->root[i + 2];
  g->tb[l] = (float)c->turn_b * G->root[j + 2];
  g->s_n[l] = (float)s[0];
  g->w_t[l] = (float)c->w_t;
  put_law(G, k, l, (float)c->mu, (float)s[1], true);
  put_lane(G, x->at, i, j, p);
}

/* Another contact. */
static inline void fill_whole(const dls_rows *rows, const dls_block *block,
                              const dls_disk_member *x, const int *place, dls_disk_groups *G) {
  const int l = x->at % DLS_DISK_LANES, k = x->at / DLS_DISK_LANES, row = x->row, a = x->a,
            b = x->b;
  const int i = DLS_DISK_BODY * (place[a] < 0 ? G->n_bodies : place[a]);
  const int j = DLS_DISK_BODY * (place[b] < 0 ? G->n_bodies : place[b]);
  const float *root_a = G->root + i, *root_b = G->root + j;
  const double *J = rows->J + (size_t)row * 6, *T = J + 6, *W = rows->W + (size_t)row * 3;
  const bool tangential = block->kind == DLS_ROW_CONE;
  const bool fixed = !(root_a[0] > 0 && root_b[0] > 0 && root_a[2] > 0 && root_b[2] > 0);
  const double p[2] = {rows->p[row], tangential ? rows->p[row + 1] : 0};
  const double s_n = rows->s[row] + (fixed ? given_speed(rows, row, a, b) : 0);
  const double s_t =
      tangential ? rows->s[row + 1] + (fixed ? given_speed(rows, row + 1, a, b) : 0) : 0;
  dls_disk_group *g = &G->bed.group[k];
  G->slope += p[0] * s_n + p[1] * s_t;
  g->nx[l] = (float)J[3];
  g->ny[l] = (float)J[4];
  g->ma[l] = root_a[0];
  g->mb[l] = root_b[0];
  g->ta[l] = tangential ? (float)T[2] * root_a[2] : 0;
  g->tb[l] = tangential ? (float)T[5] * root_b[2] : 0;
  g->s_n[l] = (float)s_n;
  g->w_t[l] = (float)(tangential ? W[4] : W[0]);
  put_law(G, k, l, tangential ? (float)block->mu[0] : 0, (float)s_t, tangential);
  put_lane(G, x->at, i, j, p);
}

void dls_disk_fill_lane(const dls_rows *rows, int block, const dls_disk_member *x, const int *place,
                        dls_disk_groups *G) {
  if (rows->block[block].compact) fill_compact(rows, &dls_disk_contacts(rows)[block], x, place, G);
  else fill_whole(rows, &rows->block[block], x, place, G);
}

/* Apart from everything. */
void dls_disk_leave_lane(dls_disk_groups *G, int at) {
  const int l = at % DLS_DISK_LANES, nobody = DLS_DISK_BODY * G->n_bodies;
  const double none[2] = {0, 0};
  dls_disk_group *g = &G->bed.group[at / DLS_DISK_LANES];
#define X(name) g->name[l] = 0;
  DLS_DISK_FIELDS(X)
#undef X
  g->ma[l] = g->s_n[l] = g->w_t[l] = 1;
  put_lane(G, at, nobody, nobody, none);
}
