/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#include "core/events/contact_parts.h"
#include "core/math/ranked.h"

/* Contacts that adhere in space: few sweeps, then proximal points with Newton's full steps (as
** cone/proximal.h, on a matrix that sliding contacts make unsymmetric), which redundant contacts do
** not slow down, where that fails also from friction in polygons (contact_facets.c); then sweeps
** again. */

#define FIRST_SWEEPS 100
#define NEAR_SWEEPS 5
#define SWEEPS 5000
/* sweeps; a residual that has not fallen by a tenth since the last look will not do in SWEEPS */
#define LOOK 250
#define STEPS 300       /* of Newton, from sweeps, and again from nothing                */
#define INNER 8         /* of them for one proximal point                               */
#define TIMES 10.0      /* rho |G_ii| of Alart and Curnier's function                   */
#define E_LEAST 1e-13   /* share of |G_ii| that makes a point regular: bounds and changes */
#define E_MOST 1.0
#define THETA 0.3
#define FALL 2.0
#define RISE 10.0
#define ROUND 1e-12     /* of the terms of an acceleration                               */
#define GAIN 0.8        /* a residual this much smaller than the best chooses it anew   */

/* --- sweeps ----------------------------------------------------------------------------------- */

/* The force in the disk |x| <= radius that leaves, with G_TT (2 x 2) and the rest b of its
** acceleration, none or one against it: (G_TT + alpha) x = -b, alpha >= 0, alpha = 0 where |x| <
** radius. */
static void disk_force(double g11, double g12, double g22, const double *b, double radius,
                       double *x) {
  double lo = 0, hi = 0;
  if (!(radius > 0)) {
    x[0] = x[1] = 0;
    return;
  }
  for (int k = 0; k < 200; k++) {
    const double alpha = k == 0 ? 0 : 0.5 * (lo + hi);
    const double h11 = g11 + alpha, h22 = g22 + alpha, det = h11 * h22 - g12 * g12;
    const bool solvable = det > 1e-14 * h11 * h22;
    if (solvable) {
      x[0] = (-h22 * b[0] + g12 * b[1]) / det;
      x[1] = (g12 * b[0] - h11 * b[1]) / det;
    }
    const bool inside = solvable && dls_disk_length(2, x) <= radius;
    if (k == 0) {
      if (inside) return;
      hi = dls_disk_length(2, b) / radius; /* |x| <= |b| / alpha */
    } else if (inside) {
      hi = alpha;
    } else {
      lo = alpha;
    }
    if (k > 0 && hi - lo <= 1e-16 * hi) break;
  }
  const double size = dls_disk_length(2, x); /* on the circle, to the last bit */
  if (size > 0)
    for (int k = 0; k < 2; k++) x[k] *= radius / size;
}

/* One visit of contact i; how far its forces moved, in units of a. */
static double visit(const dls_contact_problem *p, int i, double *lambda) {
  const int r = p->row[i], d = p->n_tangents[i];
  double a[3] = {0, 0, 0}, moved = 0;
  for (int k = 0; k <= d; k++) {
    a[k] = p->c[r + k];
    for (int s = 0; s < p->n_rows; s++) a[k] += dls_contact_G(p, r + k, s) * lambda[s];
  }
  const double before = lambda[r], weight = dls_contact_column(p, r, i, false);
  if (!(weight > 0)) return DLS_INF;
  lambda[r] = dls_max(dls_contact_least(p, i), before - a[0] / weight);
  const double change = lambda[r] - before;
  moved = fabs(change) * weight;
  if (dls_contact_slides(p, i)) {
    for (int k = 0; k < d; k++) lambda[r + 1 + k] = -p->mu[i] * lambda[r] * p->slip[2 * i + k];
  } else if (dls_contact_adheres(p, i)) {
    double b[2] = {0, 0}, x[2] = {0, 0};
    for (int k = 0; k < d; k++) {
      b[k] = a[1 + k] + dls_contact_G(p, r + 1 + k, r) * change;
      for (int l = 0; l < d; l++)
        b[k] -= dls_contact_G(p, r + 1 + k, r + 1 + l) * lambda[r + 1 + l];
    }
    const double g11 = dls_contact_G(p, r + 1, r + 1), radius = p->mu[i] * lambda[r];
    if (d == 2)
      disk_force(g11, dls_contact_G(p, r + 1, r + 2), dls_contact_G(p, r + 2, r + 2), b, radius, x);
    else
      x[0] = g11 > 0 ? dls_clamp(-b[0] / g11, -radius, radius) : 0;
    for (int k = 0; k < d; k++) {
      moved =
          dls_max(moved, fabs(x[k] - lambda[r + 1 + k]) * dls_contact_G(p, r + 1 + k, r + 1 + k));
      lambda[r + 1 + k] = x[k];
    }
  }
  return moved;
}

/* Largest |c|, or the problem's scale. */
static double size_of_accelerations(const dls_contact_problem *p) {
  double size = p->scale;
  for (int r = 0; r < p->n_rows; r++) size = dls_max(size, fabs(p->c[r]));
  return size;
}

/* Whether a residual is no more than the round-off of the terms that accelerations are sums of:
** wedges near the angle where they lock have forces of 1e4 times what they carry. */
static bool is_round_off(const dls_contact_problem *p, const double *lambda, double residual) {
  double terms = 0;
  for (int r = 0; r < p->n_rows; r++) {
    double sum = 0;
    for (int s = 0; s < p->n_rows; s++) sum += fabs(dls_contact_G(p, r, s) * lambda[s]);
    terms = dls_max(terms, sum);
  }
  return residual * size_of_accelerations(p) <= ROUND * terms && terms < DLS_INF;
}

static double sought_of(const dls_contact_problem *p) {
  return p->sought > 0 ? p->sought : DLS_CONTACT_TOLERANCE;
}

/* Gauss and Seidel's sweeps over the contacts, each visit exact in its normal, then in its
** friction. */
static void sweep(const dls_contact_problem *p, int sweeps, double *lambda, double *a,
                  dls_contact_report *report) {
  const double size = size_of_accelerations(p);
  double before = DLS_INF;
  for (int k = 0; k < sweeps; k++) {
    double moved = 0;
    if (k > 0 && k % LOOK == 0) {
      const double now = dls_contact_residual(p, lambda, a);
      if (!(now < 0.9 * before)) break;
      before = now;
    }
    for (int i = 0; i < p->n; i++) moved = dls_max(moved, visit(p, i, lambda));
    report->pivots++;
    if (!(moved < DLS_INF)) break;
    if (moved <= 1e-3 * sought_of(p) * size) break;
  }
  report->residual = dls_contact_residual(p, lambda, a);
}

/* --- Newton's steps --------------------------------------------------------------------------- */

/* Forces as the laws admit them: sliding friction follows its normal force. */
static void admit(const dls_contact_problem *p, double *lambda) {
  for (int i = 0; i < p->n; i++) {
    double *at = lambda + p->row[i];
    const int d = p->n_tangents[i];
    at[0] = dls_max(at[0], dls_contact_least(p, i));
    if (dls_contact_slides(p, i))
      for (int k = 0; k < d; k++) at[1 + k] = -p->mu[i] * at[0] * p->slip[2 * i + k];
    else if (dls_contact_adheres(p, i)) dls_disk_project(d, p->mu[i] * dls_max(0, at[0]), at + 1);
    else
      for (int k = 0; k < d; k++) at[1 + k] = 0;
  }
}

typedef struct space {
  const dls_contact_problem *p; /* borrowed */
  int m;            /* unknowns: normal forces, and tangential ones of contacts that adhere      */
  int *row, *of;    /* m: the row of each; its contact                                            */
  int *perm;        /* m */
  double *A, *H;    /* m x m: accelerations by unknowns; Newton's matrix                          */
  double *norm;     /* m: largest diagonal of G of its contact                                    */
  double *b, *z, *ref, *acc, *F, *dz, *scale; /* m */
  double *best, *lambda, *a;                  /* n_rows */
} space;

size_t dls_contact_space_bytes(int n_rows) {
  const size_t n = (size_t)n_rows, line = dls_arena_bytes(n, sizeof(double));
  size_t bytes = 3 * dls_arena_bytes(n, sizeof(int));
  for (int k = 0; k < 11; k++) bytes = dls_bytes_add(bytes, line);
  const size_t square = dls_arena_bytes(dls_bytes(n, n), sizeof(double));
  bytes = dls_bytes_add(bytes, dls_bytes_add(square, square));
  return dls_bytes_add(bytes, dls_contact_facets_bytes(n_rows));
}

static bool take(space *s, const dls_contact_problem *p, dls_arena *tmp) {
  const size_t n = (size_t)p->n_rows;
  int **ints[] = {&s->row, &s->of, &s->perm};
  double **lines[] = {&s->norm, &s->b,     &s->z,    &s->ref,    &s->acc, &s->F,
                      &s->dz,   &s->scale, &s->best, &s->lambda, &s->a};
  *s = (space){.p = p};
  for (size_t k = 0; k < sizeof ints / sizeof *ints; k++) *ints[k] = DLS_TAKE(tmp, int, n);
  for (size_t k = 0; k < sizeof lines / sizeof *lines; k++) *lines[k] = DLS_TAKE(tmp, double, n);
  s->A = DLS_TAKE(tmp, double, n *n), s->H = DLS_TAKE(tmp, double, n *n);
  return s->H != NULL && s->A != NULL && s->a != NULL;
}

static void pose(space *s) {
  const dls_contact_problem *p = s->p;
  for (int i = 0; i < p->n; i++) {
    const int r = p->row[i], d = dls_contact_adheres(p, i) ? p->n_tangents[i] : 0;
    double norm = 0;
    for (int k = 0; k <= p->n_tangents[i]; k++)
      norm = dls_max(norm, dls_contact_G(p, r + k, r + k));
    for (int k = 0; k <= d; k++)
      s->of[s->m] = i, s->norm[s->m] = norm > 0 ? norm : 1, s->row[s->m++] = r + k;
  }
  for (int x = 0; x < s->m; x++) {
    s->b[x] = p->c[s->row[x]];
    s->scale[x] = 1 / sqrt(s->norm[x]);
    for (int y = 0; y < s->m; y++) {
      const int j = s->of[y];
      s->A[x * s->m + y] = s->row[y] == p->row[j] ? dls_contact_column(p, s->row[x], j, false)
                                                  : dls_contact_G(p, s->row[x], s->row[y]);
    }
  }
}

static double residual_of(space *s, const double *z) {
  memset(s->lambda, 0, (size_t)s->p->n_rows * sizeof *s->lambda);
  for (int x = 0; x < s->m; x++) s->lambda[s->row[x]] = z[x];
  admit(s->p, s->lambda);
  return dls_contact_residual(s->p, s->lambda, s->a);
}

/* Row x of Newton's matrix <- acc_x's derivatives times `times`, with the regular share in it. */
static void put_acceleration(const space *s, int x, double e, double times) {
  for (int y = 0; y < s->m; y++) s->H[x * s->m + y] += times * s->A[x * s->m + y];
  s->H[x * s->m + x] += times * e * s->norm[x];
}

/* F and its derivatives of the contact whose normal is unknown x, in units of acceleration; d
** tangents behind it. */
static void law(space *s, int x, int d, double e) {
  const dls_contact_problem *p = s->p;
  const int i = s->of[x], m = s->m;
  const double norm = s->norm[x], rho = TIMES / norm, unit = norm / TIMES,
               least = dls_contact_least(p, i);
  const double x_n = s->z[x] - rho * s->acc[x];
  const bool bears = x_n > least;
  s->F[x] = bears ? s->acc[x] : unit * (s->z[x] - least);
  if (bears) put_acceleration(s, x, e, 1);
  else s->H[x * m + x] += unit;
  const double radius = p->mu[i] * dls_max(bears ? x_n : least, 0);
  double at[2] = {0, 0}, w[2] = {0, 0};
  for (int k = 0; k < d; k++) at[k] = s->z[x + 1 + k] - rho * s->acc[x + 1 + k];
  const double size = d > 0 ? dls_disk_length(d, at) : 0;
  if (size <= radius && radius > 0) {
    for (int k = 0; k < d; k++)
      s->F[x + 1 + k] = s->acc[x + 1 + k], put_acceleration(s, x + 1 + k, e, 1);
    return;
  }
  const double share = size > 0 ? radius / size : 0;
  for (int k = 0; k < d; k++) w[k] = size > 0 ? at[k] / size : 0;
  for (int k = 0; k < d; k++) { /* F = z - radius at / |at| */
    const int y = x + 1 + k;
    s->F[y] = unit * (s->z[y] - radius * w[k]);
    s->H[y * m + y] += unit;
    for (int l = 0; l < d; l++) {
      const double turn = d == 2 ? share * ((k == l) - w[k] * w[l]) : 0;
      s->H[y * m + x + 1 + l] -= unit * turn;
      for (int c = 0; c < m; c++) s->H[y * m + c] += turn * s->A[(x + 1 + l) * m + c];
      s->H[y * m + x + 1 + l] += turn * e * norm;
    }
    if (!bears) continue;
    s->H[y * m + x] -= unit * p->mu[i] * w[k];
    for (int c = 0; c < m; c++) s->H[y * m + c] += p->mu[i] * w[k] * s->A[x * m + c];
    s->H[y * m + x] += p->mu[i] * w[k] * e * norm;
  }
}

/* Newton's full steps on the problem regular about ref; whether the law holds where they end. */
static bool point(space *s, double e, double limit, int *done, int end) {
  const int m = s->m;
  for (int step = 0; step <= INNER; step++) {
    memset(s->H, 0, (size_t)m * (size_t)m * sizeof *s->H);
    for (int x = 0; x < m; x++) {
      s->acc[x] = s->b[x] + e * s->norm[x] * (s->z[x] - s->ref[x]);
      for (int y = 0; y < m; y++) s->acc[x] += s->A[x * m + y] * s->z[y];
    }
    for (int x = 0; x < m;) {
      const int d = dls_contact_adheres(s->p, s->of[x]) ? s->p->n_tangents[s->of[x]] : 0;
      law(s, x, d, e);
      x += 1 + d;
    }
    double error = 0;
    for (int x = 0; x < m; x++) error = dls_max(error, fabs(s->F[x]));
    if (!(error < DLS_INF)) return false;
    if (step > 0 && error <= limit) return true;
    if (step == INNER || *done == end) return false;
    for (int x = 0; x < m; x++) s->F[x] = -s->F[x];
    dls_ranked_solve(m, s->H, s->F, s->scale, s->perm, s->dz);
    for (int x = 0; x < m; x++) s->z[x] += s->dz[x];
    ++*done;
  }
  return false;
}

/* Proximal points from z; s->best is the best they met, its residual the answer. */
static double proximal(space *s, int *done) {
  const size_t bytes = (size_t)s->m * sizeof(double);
  const double size = size_of_accelerations(s->p);
  const int end = *done + STEPS;
  double best = residual_of(s, s->z), e = 0;
  memcpy(s->best, s->z, bytes);
  const double sought = sought_of(s->p);
  while (best > sought && *done < end && e < E_MOST) {
    double most = 1e-3 * size;
    for (int x = 0; x < s->m; x++) most = dls_max(most, s->norm[x] * fabs(s->z[x]));
    if (e == 0) e = dls_clamp(best * size / (THETA * most), E_LEAST, E_MOST / RISE);
    memcpy(s->ref, s->z, bytes);
    const bool held = point(s, e, 0.01 * sought * size, done, end);
    const double now = residual_of(s, s->z);
    const bool gained = now < GAIN * best;
    if (now < best) best = now, memcpy(s->best, s->z, bytes);
    e = gained ? 0 : held ? dls_max(e / FALL, E_LEAST) : e * RISE;
    if (!held && !gained) memcpy(s->z, s->ref, bytes);
  }
  return best;
}

/* --- both ------------------------------------------------------------------------------------- */

/* Newton's steps from the forces `from`, NULL: from none; into lambda where they come nearer to the
** laws. */
static void near_by(space *s, const double *from, double *lambda, dls_contact_report *report) {
  for (int x = 0; x < s->m; x++) s->z[x] = from != NULL ? from[s->row[x]] : 0;
  const double now = proximal(s, &report->pivots);
  if (!(now < report->residual)) return;
  (void)residual_of(s, s->best);
  memcpy(lambda, s->lambda, (size_t)s->p->n_rows * sizeof *lambda);
  report->residual = now;
}

void dls_contact_space(const dls_contact_problem *p, dls_arena *tmp, double *lambda, double *a,
                       dls_contact_report *report) {
  space s;
  if (p->start != NULL) memcpy(lambda, p->start, (size_t)p->n_rows * sizeof *lambda);
  for (int i = 0; i < p->n; i++)
    lambda[p->row[i]] = dls_max(lambda[p->row[i]], dls_contact_least(p, i));
  sweep(p, p->start != NULL ? NEAR_SWEEPS : FIRST_SWEEPS, lambda, a, report);
  const bool ready = report->residual > sought_of(p) && take(&s, p, tmp);
  if (ready) pose(&s);
  if (ready) near_by(&s, report->residual < DLS_INF ? lambda : NULL, lambda, report);
  if (ready && report->residual > DLS_CONTACT_TOLERANCE) near_by(&s, NULL, lambda, report);
  if (ready && report->residual > DLS_CONTACT_TOLERANCE && dls_contact_facets(p, tmp, s.dz))
    near_by(&s, s.dz, lambda, report);
  if (report->residual > DLS_CONTACT_TOLERANCE && report->residual < DLS_INF)
    sweep(p, SWEEPS, lambda, a, report);
  report->residual = dls_contact_residual(p, lambda, a);
  const bool solved =
      report->residual <= DLS_CONTACT_TOLERANCE || is_round_off(p, lambda, report->residual);
  report->outcome = solved ? DLS_SOLVED : DLS_LIMIT;
}
