/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#include "core/structure/motions.h"

#include "core/math/dense.h"

#define SOFT 1e-6  /* of the links' springs: what resists less is a candidate; a soft structure has
                      some that are not free, at the cost of a solve each */
#define SURE 1e-3  /* of them, pivots in any order: where all are more, nothing is SOFT */
#define ONE 1.0    /* of what rounding makes of an energy: more is a resistance */

void dls_motions_destroy(dls_free_motions *m) {
  const size_t l = (size_t)m->l;
  if (m->alloc.fn != NULL) {
    dls_free(&m->alloc, m->z, (size_t)m->n_room * l, sizeof *m->z);
    dls_free(&m->alloc, m->root, l, sizeof *m->root);
    dls_free(&m->alloc, m->each, (size_t)m->n_room, sizeof *m->each);
  }
  memset(m, 0, sizeof *m);
}

/* Room while they are sought. */
typedef struct search {
  dls_condensed *c;    /* of the caller */
  dls_free_motions *m; /* its motions: candidates, at first */
  dls_stop *stop;      /* asked whether to go on */
  size_t ld;           /* row distance of A */
  double *A;           /* l x ld: R over the springs; then energies */
  double *image;       /* n x l: B y times sqrt(rho), of each candidate */
  double *error;       /* n: what rounding makes of an energy */
  int *perm;           /* l */
  double *v;           /* l */
  double *y, *Ky;      /* dofs.n each */
  double *size[2];     /* dofs.n each: |K| |u| + |f| of both loads */
  double *reading[2];  /* l each: sqrt(rho) |B| |u| of both loads */
  double *own;         /* l: the same of a motion */
  double *tmp;         /* of a solve */
} search;

/* --- candidates ------------------------------------------------------------------------------ */

/* A = R over the springs, sqrt(rho_i rho_j), exact. */
static void fill_scaled(search *s) {
  const dls_condensed *c = s->c;
  const size_t l = (size_t)c->links.n;
  for (size_t i = 0; i < l; i++) s->m->root[i] = sqrt(c->links.link[i].weight);
  for (size_t i = 0; i < l; i++)
    for (size_t j = 0; j < l; j++)
      s->A[i * s->ld + j] = c->R[i * l + j] / s->m->root[i] / s->m->root[j];
}

/* The null vector of R'R (rank rows, pivoted) in which unknown perm[j] is 1 and the others past the
** rank are 0; n numbers. */
static void null_vector(const search *s, int n, int rank, int j, double *v) {
  for (int i = 0; i < n; i++) v[i] = 0.0;
  v[s->perm[j]] = 1.0;
  for (int i = rank - 1; i >= 0; i--) {
    const double *r = s->A + (size_t)i * s->ld;
    double sum = r[j];
    for (int k = i + 1; k < rank; k++) sum += r[k] * v[s->perm[k]];
    v[s->perm[i]] = -sum / r[i];
  }
}

/* The rows of z, n of them, made orthonormal; twice, against round-off. */
static void orthonormalize(dls_free_motions *m) {
  const dls_lanes *lanes = dls_lanes_best();
  const size_t l = (size_t)m->l;
  for (int k = 0; k < m->n; k++) {
    double *own = m->z + (size_t)k * l;
    for (int pass = 0; pass < 2; pass++) {
      for (int i = 0; i < k; i++) {
        const double *other = m->z + (size_t)i * l;
        lanes->axpy(m->l, -lanes->dot(m->l, other, own), other, own);
      }
      const double norm = sqrt(lanes->dot(m->l, own, own));
      for (size_t i = 0; i < l && norm > 0.0; i++) own[i] /= norm;
    }
    for (size_t i = 0; i < l; i++)
      if (fabs(own[i]) <= DLS_ROUND_OFF) own[i] = 0.0; /* round-off, which R may be stiff for */
  }
}

/* Whether R resists everything by far, which blocks of columns tell in a tenth of the time. */
static bool resists_all(search *s) {
  const int l = s->m->l;
  double pivot;
  if (dls_dense_cholesky_stop(l, s->A, s->ld, &pivot, s->stop) >= 0) return false;
  for (int i = 0; i < l; i++) {
    const double root = s->A[(size_t)i * s->ld + (size_t)i];
    if (!(root * root > SURE)) return false;
  }
  return true;
}

/* Room for the candidates that R has. */
static dls_status find_candidates(search *s) {
  dls_free_motions *m = s->m;
  const int l = m->l;
  fill_scaled(s);
  const bool firm = resists_all(s);
  if (dls_stop_poll(s->stop, (double)l * l * l)) return DLS_STOPPED;
  if (firm) return DLS_OK;
  fill_scaled(s);
  const int rank = dls_dense_cholesky_pivoted(l, s->A, s->ld, SOFT, s->perm);
  if (rank == l) return DLS_OK;
  const int n = l - rank;
  m->z = (double *)dls_new(&m->alloc, (size_t)n * (size_t)l, sizeof *m->z);
  m->each = (dls_free_motion *)dls_new(&m->alloc, (size_t)n, sizeof *m->each);
  m->n_room = n;
  if (m->z == NULL || m->each == NULL) return DLS_NOMEM;
  for (int j = rank; j < l; j++)
    null_vector(s, l, rank, j, m->z + (size_t)(j - rank) * (size_t)l);
  m->n = n;
  orthonormalize(m);
  return DLS_OK;
}

/* --- motions of the structure ---------------------------------------------------------------- */

/* y of row z of a motion, |K| |y|, and B y times sqrt(rho). */
static dls_status move(search *s, const double *z, double *image) {
  const dls_condensed *c = s->c;
  const size_t n = (size_t)c->dofs.n;
  for (size_t i = 0; i < n; i++) s->y[i] = 0.0;
  for (int i = 0; i < c->links.n; i++) {
    const dls_structure_link *link = &c->links.link[i];
    for (int e = 0; e < link->n; e++)
      if (link->dof[e] >= 0) s->y[link->dof[e]] += link->c[e] * (s->m->root[i] * z[i]);
  }
  const dls_status status = dls_condensed_solve(c, s->y, s->y, s->tmp, s->stop);
  if (status != DLS_OK) return status;
  for (int i = 0; i < c->links.n; i++) {
    const dls_structure_link *link = &c->links.link[i];
    double sum = 0.0;
    for (int e = 0; e < link->n; e++)
      if (link->dof[e] >= 0) sum += link->c[e] * s->y[link->dof[e]];
    image[i] = s->m->root[i] * sum;
  }
  return DLS_OK;
}

/* size = |K| |u|. */
static void sizes_of(const dls_stiffness *K, const double *u, double *size) {
  for (int i = 0; i < K->A.n_rows; i++) {
    double sum = 0.0;
    for (int e = K->start[i]; e < K->start[i + 1]; e++) sum += fabs(K->value[e] * u[K->col[e]]);
    size[i] = sum;
  }
}

/* sqrt(rho) |B| |u|; where links have a compliance, what R over sqrt(rho), which is stiffer than
** rho there, makes of |B| |u| and of |W| |x|, x forces of links (NULL: zero). */
static void readings_of(const search *s, const double *u, const double *x, double *reading) {
  const dls_condensed *c = s->c;
  const int l = c->links.n;
  for (int i = 0; i < l; i++) {
    const dls_structure_link *link = &c->links.link[i];
    s->v[i] = 0.0;
    for (int e = 0; e < link->n; e++)
      if (link->dof[e] >= 0) s->v[i] += fabs(link->c[e] * u[link->dof[e]]);
    reading[i] = s->m->root[i] * s->v[i];
    for (int j = 0; j < l && c->W != NULL && x != NULL; j++)
      s->v[i] += fabs(c->W[(size_t)i * (size_t)l + (size_t)j] * x[j]);
  }
  for (int i = 0; i < l && c->W != NULL; i++) {
    double sum = 0.0;
    for (int j = 0; j < l; j++) sum += fabs(c->R[(size_t)i * (size_t)l + (size_t)j]) * s->v[j];
    reading[i] = dls_max(reading[i], sum / s->m->root[i]);
  }
}

/* What rounding makes of y'K u for row z of a motion, whose y is at hand. */
static double rounding(const search *s, const double *z, const double *size,
                       const double *reading) {
  double sum = 0.0;
  for (int i = 0; i < s->c->dofs.n; i++) {
    const double term = s->y[i] * size[i];
    sum += term * term;
  }
  for (int i = 0; i < s->m->l; i++) {
    const double term = z[i] * reading[i];
    sum += term * term;
  }
  return DLS_ROUND_OFF * sqrt(sum);
}

static dls_status measure_loads(search *s) {
  const dls_condensed *c = s->c;
  for (int g = 0; g < 2; g++) {
    const dls_status status = dls_condensed_solve(c, c->f[g], s->y, s->tmp, s->stop);
    if (status != DLS_OK) return status;
    sizes_of(&c->K, s->y, s->size[g]);
    readings_of(s, s->y, c->RF[g], s->reading[g]);
    for (int i = 0; i < c->dofs.n; i++) s->size[g][i] += fabs(c->f[g][i]);
  }
  return DLS_OK;
}

/* Of motion k, whose y is at hand. */
static void measure(search *s, int k) {
  const size_t n = (size_t)s->c->dofs.n;
  const double *z = s->m->z + (size_t)k * (size_t)s->m->l;
  dls_free_motion *motion = &s->m->each[k];
  *motion = (dls_free_motion){.work = {0.0, 0.0}};
  for (int g = 0; g < 2; g++) {
    for (size_t i = 0; i < n; i++) {
      const double term = s->y[i] * s->c->f[g][i];
      motion->work[g] += term;
      motion->parts[g] += fabs(term);
    }
    motion->blur[g] = rounding(s, z, s->size[g], s->reading[g]);
  }
}

static dls_status measure_all(search *s) {
  const size_t l = (size_t)s->m->l;
  for (int k = 0; k < s->m->n; k++) {
    const double *z = s->m->z + (size_t)k * l;
    const dls_status status = move(s, z, s->image + (size_t)k * l);
    if (status != DLS_OK) return status;
    sizes_of(&s->c->K, s->y, s->Ky);
    readings_of(s, s->y, NULL, s->own);
    s->error[k] = rounding(s, z, s->Ky, s->own);
    measure(s, k);
  }
  return DLS_OK;
}

/* A = y_i'K y_j = (B y_i)'rho (zeta_j - B y_j), relative to what rounding makes of it. */
static void fill_energies(search *s) {
  const dls_free_motions *m = s->m;
  const size_t l = (size_t)m->l;
  for (int j = 0; j < m->n; j++) {
    for (size_t a = 0; a < l; a++) s->v[a] = m->z[(size_t)j * l + a] - s->image[(size_t)j * l + a];
    for (int i = 0; i <= j; i++)
      s->A[(size_t)i * s->ld + (size_t)j] = s->A[(size_t)j * s->ld + (size_t)i] =
          dls_lanes_best()->dot(m->l, s->image + (size_t)i * l, s->v) /
          sqrt(s->error[i] * s->error[j]);
  }
}

/* Leaves of the candidates what nothing resists; *less: there are fewer. */
static void leave_free(search *s, bool *less) {
  dls_free_motions *m = s->m;
  const size_t l = (size_t)m->l;
  const int n = m->n;
  fill_energies(s);
  const int rank = dls_dense_cholesky_pivoted(n, s->A, s->ld, ONE, s->perm);
  *less = rank > 0;
  if (rank == 0) return;
  for (int j = rank; j < n; j++) {
    double *row = s->image + (size_t)(j - rank) * l;
    null_vector(s, n, rank, j, s->v);
    for (size_t a = 0; a < l; a++) row[a] = 0.0;
    for (int k = 0; k < n; k++)
      dls_lanes_best()->axpy(m->l, s->v[k] / sqrt(s->error[k]), m->z + (size_t)k * l, row);
  }
  m->n = n - rank;
  memcpy(m->z, s->image, (size_t)m->n * l * sizeof *m->z);
  orthonormalize(m);
}

/* --- what rounding has left ------------------------------------------------------------------ */

/* A = P A P, P = 1 - z z', of R over the springs. */
static void project(search *s, const double *z) {
  const dls_lanes *lanes = dls_lanes_best();
  const int l = s->m->l;
  lanes->gemv(l, l, s->A, s->ld, z, s->v);
  if (lanes->amax(l, s->v) == 0.0) return;
  const double own = lanes->dot(l, z, s->v);
  for (int i = 0; i < l; i++) {
    double *row = s->A + (size_t)i * s->ld;
    lanes->axpy(l, own * z[i] - s->v[i], z, row);
    if (z[i] != 0.0) lanes->axpy(l, -z[i], s->v, row);
  }
}

/* R z = 0 for all motions. */
static void clear_stiffness(search *s) {
  double *R = s->c->R;
  const double *root = s->m->root;
  const size_t l = (size_t)s->m->l;
  fill_scaled(s);
  for (int k = 0; k < s->m->n; k++) project(s, s->m->z + (size_t)k * l);
  for (size_t i = 0; i < l; i++)
    for (size_t j = i; j < l; j++)
      R[i * l + j] = R[j * l + i] = s->A[i * s->ld + j] * root[i] * root[j];
}

static void clear_force(search *s, int k, int g) {
  dls_condensed *c = s->c;
  const dls_free_motions *m = s->m;
  const double *z = m->z + (size_t)k * (size_t)m->l;
  if (fabs(m->each[k].work[g]) > m->each[k].blur[g]) return;
  double sum = 0.0;
  for (int i = 0; i < m->l; i++) sum += z[i] * (c->RF[g][i] / m->root[i]);
  for (int i = 0; i < m->l; i++) c->RF[g][i] -= sum * z[i] * m->root[i];
}

/* --- all of it ------------------------------------------------------------------------------- */
static dls_status find(search *s) {
  bool less = s->m->n > 0;
  dls_status status = s->m->n > 0 ? measure_loads(s) : DLS_OK;
  while (less && s->m->n > 0 && status == DLS_OK) {
    status = measure_all(s);
    if (status == DLS_OK) leave_free(s, &less);
  }
  if (status != DLS_OK || s->m->n == 0) return status;
  clear_stiffness(s);
  for (int k = 0; k < s->m->n; k++)
    for (int g = 0; g < 2; g++) clear_force(s, k, g);
  return dls_stop_status(s->stop, DLS_OK);
}

dls_status dls_motions_find(dls_condensed *c, dls_stop *stop) {
  const dls_alloc *alloc = &c->st.alloc;
  const size_t l = (size_t)c->links.n, n = (size_t)c->dofs.n;
  search s = {.c = c, .m = &c->motions, .stop = stop, .ld = dls_lanes_ld((int)l)};
  s.m->alloc = *alloc;
  s.m->l = c->links.n;
  s.m->root = (double *)dls_new(alloc, l, sizeof *s.m->root);
  s.A = (double *)dls_new(alloc, l * s.ld, sizeof *s.A);
  s.perm = (int *)dls_new(alloc, l, sizeof *s.perm);
  dls_status status = DLS_NOMEM;
  if (s.m->root != NULL && s.A != NULL && s.perm != NULL) status = find_candidates(&s);
  const size_t some = (size_t)s.m->n, room = some > 0 ? n : 0;
  const size_t n_more = 4 * room + 4 * l + some + (some > 0 ? dls_condensed_tmp(c) : 0);
  double *more = (double *)dls_new(alloc, n_more, sizeof *more);
  s.image = (double *)dls_new(alloc, some * l, sizeof *s.image);
  if (status == DLS_OK && (more == NULL || s.image == NULL)) status = DLS_NOMEM;
  if (status == DLS_OK && some > 0) {
    s.y = more;
    s.Ky = s.y + n;
    s.size[0] = s.Ky + n;
    s.size[1] = s.size[0] + n;
    s.reading[0] = s.size[1] + n;
    s.reading[1] = s.reading[0] + l;
    s.own = s.reading[1] + l;
    s.v = s.own + l;
    s.error = s.v + l;
    s.tmp = s.error + some;
    status = find(&s);
  }
  dls_free(alloc, s.A, l * s.ld, sizeof *s.A);
  dls_free(alloc, s.perm, l, sizeof *s.perm);
  dls_free(alloc, more, n_more, sizeof *more);
  dls_free(alloc, s.image, some * l, sizeof *s.image);
  return status;
}

/* --- forces ---------------------------------------------------------------------------------- */
double dls_motions_force(const dls_free_motions *m, int g, int i) {
  double sum = 0.0;
  for (int k = 0; k < m->n; k++)
    sum += fabs(m->z[(size_t)k * (size_t)m->l + (size_t)i]) * m->each[k].parts[g];
  return m->n > 0 ? m->root[i] * sum : 0.0;
}

void dls_motions_round_off(const dls_free_motions *m, int g, const double *size, double *x) {
  for (int i = 0; i < m->l; i++) x[i] = 0.0;
  for (int k = 0; k < m->n; k++) {
    const double *z = m->z + (size_t)k * (size_t)m->l;
    double noise = m->each[k].blur[g];
    for (int i = 0; i < m->l; i++) noise += DLS_ROUND_OFF * fabs(z[i]) * (size[i] / m->root[i]);
    for (int i = 0; i < m->l; i++) x[i] += m->root[i] * fabs(z[i]) * noise;
  }
}

double dls_motions_unbalance(const dls_free_motions *m, const double part[2], const double *x,
                             double size, double *const round_off[2]) {
  double worst = 0.0, most = 0.0;
  for (int k = 0; k < m->n; k++) {
    const dls_free_motion *motion = &m->each[k];
    const double *z = m->z + (size_t)k * (size_t)m->l;
    double sum = 0.0, parts = 0.0, noise = 0.0;
    for (int g = 0; g < 2; g++) {
      sum += part[g] * motion->work[g];
      parts += fabs(part[g]) * motion->parts[g];
    }
    for (int i = 0; i < m->l; i++) {
      const double zeta = z[i] / m->root[i];
      sum += x[i] * zeta;
      parts += (fabs(x[i]) + size) * fabs(zeta);
      for (int g = 0; g < 2; g++) noise += fabs(part[g] * round_off[g][i] * zeta);
    }
    worst = dls_max(worst, fabs(sum) - noise);
    most = dls_max(most, parts);
  }
  return most > 0.0 ? worst / most : 0.0;
}
