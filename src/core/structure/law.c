/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#include "core/structure/law.h"

#include <float.h>

#include "core/math/lanes.h"
#include "core/structure/motions.h"

#define MARGIN 1e-7     /* of a contact's force under the constant load (EQUATIONS D.3) */
#define LEAST 1e-12     /* of the largest of these: no margin is below that */
#define ROUND_OFF 4e-15 /* of max |q|: no margin is below that           */
/* Of R times gaps: no force below is the scale of a residual, since rounding leaves more than 1e-9
** of it (z is a basis's, which may be some hundred times as stiff in one link as in another). */
#define SMALL (10 * DLS_ROUND_OFF / 1e-9)

void dls_law_destroy(dls_law *law) {
  const size_t n = (size_t)law->n;
  if (law->alloc.fn != NULL) {
    dls_free(&law->alloc, law->contact, (size_t)law->n_tangents, sizeof *law->contact);
    dls_free(&law->alloc, law->M, n * n, sizeof *law->M);
    dls_free(&law->alloc, law->weight, n, sizeof *law->weight);
    dls_free(&law->alloc, law->q, n, sizeof *law->q);
    dls_free(&law->alloc, law->d, n, sizeof *law->d);
    dls_free(&law->alloc, law->margin, n, sizeof *law->margin);
    for (int g = 0; g < 2; g++)
      dls_free(&law->alloc, law->round_off[g], n, sizeof *law->round_off[g]);
  }
  memset(law, 0, sizeof *law);
}

/* Rows + and - of tangent t from those of its normal (n) and tangent (s): f n + s, f n - s. */
static void mix(double f, double n, double s, double *plus, double *minus) {
  *plus = s + f * n;
  *minus = f * n - s;
}

/* The columns (n, +, -) of a row of R in the links. */
static void spread(const dls_law *law, const double *R, double *row) {
  for (int j = 0; j < law->m; j++) row[j] = R[j];
  for (int s = 0; s < law->n_tangents; s++) {
    row[law->m + s] = R[law->m + s];
    row[law->m + law->n_tangents + s] = -R[law->m + s];
  }
}

static void fill_matrix(dls_law *law, const dls_condensed *c) {
  const size_t n = (size_t)law->n, l = (size_t)c->links.n;
  const int m = law->m, nt = law->n_tangents;
  for (int i = 0; i < m + nt; i++) spread(law, c->R + (size_t)i * l, law->M + (size_t)i * n);
  for (int t = 0; t < nt; t++) {
    const double *normal = law->M + (size_t)law->contact[t] * n;
    double *plus = law->M + (size_t)(m + t) * n, *minus = law->M + (size_t)(m + nt + t) * n;
    const double f = c->st.contacts[law->contact[t]].friction;
    for (size_t j = 0; j < n; j++) mix(f, normal[j], plus[j], &plus[j], &minus[j]);
  }
}

void dls_law_rows(const dls_law *law, const dls_condensed *c, const double *x, double *q) {
  const int m = law->m, nt = law->n_tangents;
  for (int i = 0; i < m; i++) q[i] = x[i];
  for (int t = 0; t < nt; t++) {
    const int k = law->contact[t];
    mix(c->st.contacts[k].friction, x[k], x[m + t], &q[m + t], &q[m + nt + t]);
  }
}

/* Forces of the closed links under the constant load, gaps (`open`: or interferences alone) and
** committed slips. */
static void constant_forces(const dls_law *law, const dls_condensed *c, const double *slip0,
                            bool open, double *x) {
  const size_t l = (size_t)c->links.n;
  for (size_t i = 0; i < l; i++) {
    double sum = c->RF[DLS_CONSTANT][i];
    for (int j = 0; j < law->m; j++) {
      const double gap = c->st.contacts[j].gap;
      if (open || gap < 0.0) sum -= c->R[i * l + (size_t)j] * gap;
    }
    for (int t = 0; t < law->n_tangents && slip0 != NULL; t++)
      sum += c->R[i * l + (size_t)(law->m + t)] * slip0[law->contact[t]];
    x[i] = sum;
  }
}

/* How much stiffer R is for link i than the structure, where links repeat others: at most 1. */
static double softness(const dls_condensed *c, int i) {
  const double R = c->R[(size_t)i * (size_t)c->links.n + (size_t)i];
  return c->W == NULL ? 1.0 : dls_min(1.0, c->links.link[i].weight / dls_max(R, DBL_MIN));
}

/* The force of link i of x, N, by the structure's own stiffness; of a tangent also friction. */
static double own_force(const dls_law *law, const dls_condensed *c, const double *x, int i) {
  const int normal = c->links.link[i].contact;
  const double f = c->st.contacts[normal].friction;
  const double own = i < law->m ? fabs(x[i]) : dls_max(fabs(x[i]), f * fabs(x[normal]));
  return softness(c, i) * own;
}

static double largest_force(const dls_law *law, const dls_condensed *c, const double *x) {
  double most = 0.0;
  for (int i = 0; i < c->links.n; i++) most = dls_max(most, own_force(law, c, x, i));
  return most;
}

/* Sizes, N, of the sums that R makes of gaps, committed slips and prescribed displacements: along a
** tangent too, displacements are known to a share of the gap. */
static double dislocated(const dls_law *law, const dls_condensed *c, const double *slip0, int g,
                         int i) {
  const double *R = c->R + (size_t)i * (size_t)c->links.n;
  double sum = 0.0;
  for (int j = 0; j < c->links.n; j++) {
    const dls_structure_link *link = &c->links.link[j];
    double by = fabs(link->shift[g]);
    if (g == DLS_CONSTANT) by += fabs(c->st.contacts[link->contact].gap);
    if (g == DLS_CONSTANT && j >= law->m && slip0 != NULL) by += fabs(slip0[link->contact]);
    sum += fabs(R[j]) * by;
  }
  return sum;
}

/* What rounding may have made of the rows, and the largest force that load g calls for before its
** parts cancel. Off free motions an error of a force is one of an opening or a slip. */
static double measure(dls_law *law, const dls_condensed *c, const double *slip0, int g) {
  const int m = law->m, nt = law->n_tangents;
  double *row = law->round_off[g], *size = law->margin, most = 0.0;
  for (int i = 0; i < c->links.n; i++) {
    size[i] = dislocated(law, c, slip0, g, i);
    most = dls_max(most, dls_motions_force(&c->motions, g, i));
    most = dls_max(most, SMALL * softness(c, i) * size[i]);
  }
  dls_motions_round_off(&c->motions, g, size, row);
  for (int t = 0; t < nt; t++) {
    const int normal = law->contact[t];
    row[m + t] += c->st.contacts[normal].friction * row[normal];
    row[m + nt + t] = row[m + t];
  }
  return most;
}

/* The scale of residuals, and margins of ratio tests: a contact's is a share of its own force, so
** that small ones come in their own order beside large ones. */
static void weigh(dls_law *law, const dls_condensed *c, const double *slip0) {
  const int m = law->m, nt = law->n_tangents;
  double *x = law->margin;
  const double before[2] = {measure(law, c, slip0, DLS_CONSTANT),
                            measure(law, c, slip0, DLS_GROWING)};
  constant_forces(law, c, slip0, true, x);
  const double all = largest_force(law, c, x), most = dls_lanes_best()->amax(law->n, law->q);
  constant_forces(law, c, slip0, false, x);
  double loads = largest_force(law, c, x) + law->tightening;
  law->size = dls_max(loads, before[DLS_CONSTANT]);
  law->growing = dls_max(dls_lanes_best()->amax(law->n, law->d), before[DLS_GROWING]);
  if (!(loads > 0.0)) {
    memcpy(x, c->RF[DLS_GROWING], (size_t)c->links.n * sizeof *x);
    loads = largest_force(law, c, x);
  }
  const double least = dls_max(LEAST * (loads > 0.0 ? loads : all), ROUND_OFF * most);
  for (int t = 0; t < nt; t++) {
    const int normal = law->contact[t];
    const double own = dls_max(own_force(law, c, x, normal), own_force(law, c, x, m + t));
    law->margin[m + nt + t] = dls_max(MARGIN * (own + law->tightening), least);
  }
  for (int t = 0; t < nt; t++) law->margin[m + t] = law->margin[m + nt + t];
  for (int i = 0; i < m; i++) law->margin[i] = 0.0;
  for (int i = 0; i < law->n; i++)
    law->margin[i] = dls_max(law->margin[i], law->round_off[0][i] + law->round_off[1][i]);
}

static void fill(dls_law *law, const dls_condensed *c, const double *slip0) {
  const int n = law->n;
  for (int i = 0, t = 0; i < c->links.m; i++)
    if (c->links.tangent[i] >= 0) law->contact[t++] = i;
  fill_matrix(law, c);
  constant_forces(law, c, slip0, true, law->margin);
  dls_law_rows(law, c, law->margin, law->q);
  dls_law_rows(law, c, c->RF[DLS_GROWING], law->d);
  for (int i = 0; i < n; i++) {
    int kind;
    const double f = c->st.contacts[dls_law_row(law, i, &kind)].friction;
    law->weight[i] = law->tightening * (kind == 0 || f < 1.0 ? 1.0 : 1.0 + f);
    law->q[i] += law->weight[i];
  }
  for (int i = 0; i < c->links.n; i++)
    law->stiffness = dls_max(law->stiffness, c->links.link[i].weight);
  for (size_t i = 0; i < (size_t)n; i++)
    law->stiffness = dls_max(law->stiffness, law->M[i * (size_t)n + i]);
  weigh(law, c, slip0);
}

dls_status dls_law_make(dls_law *law, const dls_condensed *c, const double *slip0,
                        double tightening) {
  const dls_alloc *alloc = &c->st.alloc;
  memset(law, 0, sizeof *law);
  law->alloc = *alloc;
  law->m = c->links.m;
  law->n_tangents = c->links.n - c->links.m;
  law->n = law->m + 2 * law->n_tangents;
  law->tightening = tightening;
  const size_t n = (size_t)law->n;
  law->contact = (int *)dls_new(alloc, (size_t)law->n_tangents, sizeof *law->contact);
  law->M = (double *)dls_new(alloc, n * n, sizeof *law->M);
  law->weight = (double *)dls_new(alloc, n, sizeof *law->weight);
  law->q = (double *)dls_new(alloc, n, sizeof *law->q);
  law->d = (double *)dls_new(alloc, n, sizeof *law->d);
  law->margin = (double *)dls_new(alloc, n, sizeof *law->margin);
  for (int g = 0; g < 2; g++)
    law->round_off[g] = (double *)dls_new(alloc, n, sizeof *law->round_off[g]);
  if (law->contact == NULL || law->M == NULL || law->weight == NULL || law->q == NULL ||
      law->d == NULL || law->margin == NULL || law->round_off[0] == NULL ||
      law->round_off[1] == NULL) {
    dls_law_destroy(law);
    return DLS_NOMEM;
  }
  if (n > 0) fill(law, c, slip0);
  return DLS_OK;
}

double dls_law_most(const dls_law *law, double force) {
  static const double BELIEVED = 1e11;
  return law->stiffness > 0 ? BELIEVED * force / law->stiffness : DLS_INF;
}

bool dls_law_believes(const dls_law *law, double p, const double *z) {
  const dls_lanes *lanes = dls_lanes_best();
  const double force = lanes->amax(law->n, law->q) + fabs(p) * lanes->amax(law->n, law->d);
  return lanes->amax(law->n, z) <= dls_law_most(law, force);
}

dls_path_problem dls_law_path(const dls_law *law, double to, dls_stop *stop) {
  return (dls_path_problem){.n = law->n, .M = law->M, .q = law->q, .d = law->d,
                            .margin = law->margin, .to = to, .size = law->size,
                            .growing = law->growing, .stop = stop,
                            .most_rate = dls_law_most(law, dls_lanes_best()->amax(law->n, law->d))};
}

int dls_law_row(const dls_law *law, int i, int *kind) {
  *kind = i < law->m ? 0 : i < law->m + law->n_tangents ? 1 : 2;
  return *kind == 0 ? i : law->contact[(i - law->m) % law->n_tangents];
}

void dls_law_full(const dls_law *law, bool tightened, double *R, double *q, double *d) {
  const size_t m = (size_t)law->m, n = (size_t)law->n;
  memset(R, 0, 9 * m * m * sizeof *R);
  for (size_t i = 0; i < 3 * m; i++) q[i] = tightened ? law->tightening : 0.0;
  memset(d, 0, 3 * m * sizeof *d);
  for (size_t i = 0; i < n; i++) {
    int kind, other;
    const size_t row = (size_t)dls_law_row(law, (int)i, &kind) + m * (size_t)kind;
    q[row] = tightened ? law->q[i] : law->q[i] - law->weight[i];
    d[row] = law->d[i];
    for (size_t j = 0; j < n; j++) {
      const size_t col = (size_t)dls_law_row(law, (int)j, &other) + m * (size_t)other;
      R[row * 3 * m + col] = law->M[i * n + j];
    }
  }
}
