/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#include "core/structure/harden.h"

#include "core/math/dense.h"

#define STEPS 4       /* of refinement, each gains about six digits                 */
#define GAIN 1e-3     /* of what is left over a step: more, and links fight         */
#define SETTLED 1e-13 /* of the largest term: what is left is round-off             */
#define BASIC 1e-12   /* of the largest z: one below is not in the basis            */

/* A link: its unknown v is the force x, or rho (zeta - s). */
typedef struct link_state {
  bool given;     /* zeta is given, x unknown; else x = known + share x_n, zeta unknown      */
  double known;   /* zeta - s, m, or force, N                                                */
  double share;   /* of the contact's normal force in x                                      */
} link_state;

typedef struct work {
  const dls_condensed *c; /* borrowed */
  const dls_law *law;     /* borrowed */
  const double *part;     /* of the loads */
  double tight;           /* of the tightening that is in the forces */
  int l;                  /* links */
  size_t ld;              /* row distance of A */
  dls_arena tmp;          /* owns what follows */
  link_state *link;       /* l */
  double *A, *LU;         /* l x ld: hard; its softened copy's factors */
  int *perm;              /* of the rows of LU */
  double *b, *v, *r, *d;  /* l each: right side, unknowns, what is left, correction */
  double *size;           /* l: largest term of a row */
} work;

static bool any_soft(const dls_condensed *c) {
  for (int i = 0; i < c->links.n; i++)
    if (c->links.link[i].compliance > 0.0) return true;
  return false;
}

static bool take(work *k, const dls_alloc *alloc) {
  const size_t l = (size_t)k->l;
  size_t bytes = 2 * dls_arena_bytes(dls_bytes(l, k->ld), sizeof(double));
  bytes = dls_bytes_add(bytes, dls_arena_bytes(l, sizeof(link_state)));
  bytes = dls_bytes_add(bytes, dls_arena_bytes(l, sizeof(int)));
  bytes = dls_bytes_add(bytes, 5 * dls_arena_bytes(l, sizeof(double)));
  if (dls_arena_create(&k->tmp, alloc, bytes) != DLS_OK) return false;
  k->link = DLS_TAKE(&k->tmp, link_state, l);
  k->A = DLS_TAKE(&k->tmp, double, l * k->ld);
  k->LU = DLS_TAKE(&k->tmp, double, l * k->ld);
  k->perm = DLS_TAKE(&k->tmp, int, l);
  k->b = DLS_TAKE(&k->tmp, double, l);
  k->v = DLS_TAKE(&k->tmp, double, l);
  k->r = DLS_TAKE(&k->tmp, double, l);
  k->d = DLS_TAKE(&k->tmp, double, l);
  k->size = DLS_TAKE(&k->tmp, double, l);
  return k->link != NULL && k->A != NULL && k->LU != NULL && k->perm != NULL && k->b != NULL &&
         k->v != NULL && k->r != NULL && k->d != NULL && k->size != NULL;
}

/* What the basis of z says of each link. An open contact has no tangential force, but where it is
** tightened. */
static void read_basis(work *k, const double *slip0, const double *z) {
  const dls_law *law = k->law;
  const int m = law->m, nt = law->n_tangents;
  const double zero = BASIC * dls_lanes_best()->amax(law->n, z);
  for (int i = 0; i < k->l; i++) {
    const dls_structure_link *link = &k->c->links.link[i];
    const dls_contact_pair *pair = &k->c->st.contacts[link->contact];
    const double shift = k->part[0] * link->shift[0] + k->part[1] * link->shift[1];
    link_state *s = &k->link[i];
    if (i < m) {
      const bool open = fabs(z[i]) > zero;
      *s = open ? (link_state){false, -k->tight, 0.0}
                : (link_state){true, -k->part[0] * pair->gap - shift, 0.0};
      continue;
    }
    const double slip = z[i] - z[i + nt], start = slip0 == NULL ? 0.0 : slip0[link->contact];
    const double sign = fabs(z[i]) > fabs(z[i + nt]) ? -1.0 : 1.0;
    const double tight = k->part[0] * law->weight[i];
    if (!k->link[link->contact].given && k->tight == 0.0) *s = (link_state){false, 0.0, 0.0};
    else if (fabs(slip) > zero) *s = (link_state){false, sign * tight, sign * pair->friction};
    else *s = (link_state){true, k->part[0] * start - shift, 0.0};
  }
}

/* A v = b: the links' rows without compliance. */
static void fill(work *k) {
  const dls_condensed *c = k->c;
  const int l = k->l;
  memset(k->A, 0, (size_t)l * k->ld * sizeof *k->A);
  for (int i = 0; i < l; i++) {
    const double *W = c->W + (size_t)i * (size_t)l;
    double *row = k->A + (size_t)i * k->ld;
    double sum = -(k->part[0] * c->g[i] + k->part[1] * c->g[(size_t)l + (size_t)i]);
    for (int j = 0; j < l; j++) {
      const link_state *s = &k->link[j];
      const dls_structure_link *link = &c->links.link[j];
      row[j] += W[j];
      if (s->given) {
        sum -= W[j] * (link->weight * s->known);
      } else {
        const link_state *normal = &k->link[link->contact];
        sum -= W[j] * s->known;
        if (s->share == 0.0) continue;
        if (normal->given) row[link->contact] += W[j] * s->share;
        else sum -= W[j] * (s->share * normal->known);
      }
    }
    if (k->link[i].given) sum += k->link[i].known;
    else row[i] -= 1.0 / c->links.link[i].weight;
    k->b[i] = sum;
    k->size[i] = fabs(sum);
  }
}

/* The rows with the compliance of links whose force is unknown, factored. */
static bool factor(work *k, dls_stop *stop) {
  memcpy(k->LU, k->A, (size_t)k->l * k->ld * sizeof *k->LU);
  for (int i = 0; i < k->l; i++)
    if (k->link[i].given) k->LU[(size_t)i * k->ld + (size_t)i] += k->c->links.link[i].compliance;
  return dls_dense_lu_stop(k->l, k->LU, k->ld, k->perm, stop) < 0;
}

/* r = b - A v; its largest, beside the largest term of all. */
static double left_over(work *k, double *size) {
  double most = 0.0;
  *size = 0.0;
  for (int i = 0; i < k->l; i++) {
    const double *row = k->A + (size_t)i * k->ld;
    double sum = k->b[i];
    *size = dls_max(*size, k->size[i]);
    for (int j = 0; j < k->l; j++) {
      sum -= row[j] * k->v[j];
      *size = dls_max(*size, fabs(row[j] * k->v[j]));
    }
    k->r[i] = sum;
    most = dls_max(most, fabs(sum));
  }
  return most;
}

static bool settle(work *k) {
  double size = 0.0, before = DLS_INF;
  dls_dense_lu_solve(k->l, k->LU, k->ld, k->perm, k->b, k->v);
  for (int step = 0; step < STEPS; step++) {
    const double left = left_over(k, &size);
    if (!(left < DLS_INF)) return false;
    if (left <= SETTLED * size) return true;
    if (step > 0 && left > GAIN * before) return left <= 1e3 * SETTLED * size;
    before = left;
    dls_dense_lu_solve(k->l, k->LU, k->ld, k->perm, k->r, k->d);
    for (int i = 0; i < k->l; i++) k->v[i] += k->d[i];
  }
  return left_over(k, &size) <= 1e3 * SETTLED * size;
}

static double force(const work *k, int i) {
  const link_state *s = &k->link[i];
  if (s->given) return k->v[i];
  const int normal = k->c->links.link[i].contact;
  return s->share == 0.0 ? s->known : s->known + s->share * force(k, normal);
}

/* What dislocates link i beyond where its contact starts: an opening, or slip. */
static double moved(const work *k, int i, double start) {
  const dls_structure_link *link = &k->c->links.link[i];
  if (k->link[i].given) return 0.0;
  return k->v[i] / link->weight + k->part[0] * link->shift[0] + k->part[1] * link->shift[1] - start;
}

/* z, w and the worst negative number among them. */
static double write_out(const work *k, const double *slip0, double *z, double *w) {
  const dls_law *law = k->law;
  const int m = law->m, nt = law->n_tangents;
  const bool rate = k->part[0] == 0.0;
  double worst = 0.0;
  for (int i = 0; i < k->l; i++) {
    const dls_structure_link *link = &k->c->links.link[i];
    const dls_contact_pair *pair = &k->c->st.contacts[link->contact];
    if (i < m) {
      z[i] = moved(k, i, -k->part[0] * pair->gap);
      w[i] = force(k, i) + k->tight;
      worst = dls_max(worst, dls_max(-z[i] * link->weight, -w[i]));
      continue;
    }
    const double start = slip0 == NULL ? 0.0 : k->part[0] * slip0[link->contact];
    const double slip = moved(k, i, start), x = force(k, i);
    const double most = pair->friction * force(k, link->contact) + k->part[0] * law->weight[i];
    const bool plus = k->link[i].share < 0.0, minus = k->link[i].share > 0.0;
    if (plus) worst = dls_max(worst, -slip * link->weight);
    if (minus) worst = dls_max(worst, slip * link->weight);
    const double ahead = rate ? slip : dls_max(slip, 0.0);
    const double back = rate ? (minus ? -slip : 0.0) : dls_max(-slip, 0.0);
    z[i] = minus ? 0.0 : ahead;
    z[i + nt] = plus ? 0.0 : back;
    w[i] = plus ? 0.0 : most + x;
    w[i + nt] = minus ? 0.0 : most - x;
    worst = dls_max(worst, dls_max(-w[i], -w[i + nt]));
  }
  for (int i = 0; i < m && !rate; i++) z[i] = dls_max(z[i], 0.0);
  return rate ? 0.0 : worst;
}

dls_status dls_law_harden(const dls_condensed *c, const dls_law *law, const double *slip0,
                          const double part[2], dls_stop *stop, double *z, double *w, bool *hard,
                          double *residual) {
  const dls_alloc *alloc = &c->st.alloc;
  work k = {.c = c, .law = law, .part = part, .tight = part[0] * law->tightening,
            .l = c->links.n, .ld = dls_lanes_ld(c->links.n)};
  *hard = false;
  if (law->n == 0 || !any_soft(c)) return DLS_OK;
  if (!take(&k, alloc)) {
    dls_arena_destroy(&k.tmp, alloc);
    return DLS_NOMEM;
  }
  read_basis(&k, slip0, z);
  fill(&k);
  *hard = factor(&k, stop) && settle(&k);
  if (*hard) *residual = write_out(&k, slip0, z, w);
  dls_arena_destroy(&k.tmp, alloc);
  return dls_stop_status(stop, DLS_OK);
}
