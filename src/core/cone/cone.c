/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#include "core/cone/cone.h"

#include "core/lcp/residual.h"

const dls_cone_law dls_cone_laws[DLS_CONE_N_KINDS] = {
  [DLS_CONE_BILATERAL] = {"bilateral", 1, 0, {0}},
  [DLS_CONE_UNILATERAL] = {"unilateral", 1, 0, {0}},
  [DLS_CONE_BOX] = {"box", 1, 0, {0}},
  [DLS_CONE_SPATIAL] = {"cone", 3, 1, {2}},
  [DLS_CONE_PLANAR] = {"cone", 2, 1, {1}},
  [DLS_CONE_ROLLING] = {"rolling", 6, 3, {2, 1, 2}},
  [DLS_CONE_ROLLING_PLANAR] = {"rolling", 3, 2, {1, 1}},
};

dls_cone_opts dls_cone_opts_default(void) {
  return (dls_cone_opts){.tolerance = 1e-10};
}

/* --- check ------------------------------------------------------------------------------------ */

static bool group_is_good(const dls_cone_group *g, int row) {
  if ((int)g->kind < 0 || g->kind >= DLS_CONE_N_KINDS || g->row != row) return false;
  if (g->kind == DLS_CONE_BOX) return g->lo <= g->hi && g->lo < DLS_INF && g->hi > -DLS_INF;
  for (int k = 0; k < dls_cone_laws[g->kind].n_parts; k++)
    if (!(g->mu[k] >= 0) || !dls_is_finite(g->mu[k])) return false;
  return true;
}

static bool numbers_are_good(int n, const double *x, bool positive, bool zero, dls_fault *fault) {
  for (int i = 0; x && i < n; i++)
    if (!dls_is_finite(x[i]) || (positive && (x[i] < 0 || (!zero && x[i] == 0)))) {
      *fault = (dls_fault){i, x[i]};
      return false;
    }
  return true;
}

static bool matrix_is_good(const dls_cone_problem *pr, dls_fault *fault) {
  int n = pr->n_rows;
  if (pr->S) {
    if (pr->S->n_rows != n || pr->S->n_cols != n) return false;
    for (int i = 0; i < n; i++)
      if (!numbers_are_good(pr->S->start[i + 1] - pr->S->start[i],
                            pr->S->value + pr->S->start[i], false, true, fault)) {
        fault->index = i;
        return false;
      }
    return true;
  }
  for (int i = 0; i < n; i++)
    if (!numbers_are_good(n, pr->W + (size_t)i * (size_t)n, false, true, fault)) {
      fault->index = i;
      return false;
    }
  return true;
}

dls_status dls_cone_check(const dls_cone_problem *pr, dls_fault *fault) {
  *fault = (dls_fault){-1, 0};
  if (pr->n_rows < 0 || pr->n_groups < 0) return DLS_ARG;
  if (pr->n_rows > 0 && (!pr->b || (!pr->W && !pr->S))) return DLS_ARG;
  int row = 0;
  for (int g = 0; g < pr->n_groups; g++) {
    if (!group_is_good(&pr->groups[g], row)) {
      *fault = (dls_fault){g, pr->groups[g].mu[0]};
      return DLS_ARG;
    }
    row += dls_cone_laws[pr->groups[g].kind].n_rows;
  }
  if (row != pr->n_rows) return DLS_ARG;
  if (!matrix_is_good(pr, fault)) return DLS_ARG;
  if (!numbers_are_good(row, pr->b, false, true, fault)) return DLS_ARG;
  if (!numbers_are_good(row, pr->compliance, true, true, fault)) return DLS_ARG;
  if (!numbers_are_good(row, pr->shift, false, true, fault)) return DLS_ARG;
  if (!numbers_are_good(row, pr->length, true, false, fault)) return DLS_ARG;
  return DLS_OK;
}

/* --- the judge: knows no method --------------------------------------------------------------- */

void dls_cone_image(const dls_cone_problem *pr, const double *p, double *v) {
  int n = pr->n_rows;
  for (int i = 0; i < n; i++) {
    double sum = 0;
    if (pr->S) {
      for (int k = pr->S->start[i]; k < pr->S->start[i + 1]; k++)
        sum += pr->S->value[k] * p[pr->S->col[k]];
    } else {
      const double *row = pr->W + (size_t)i * (size_t)n;
      for (int j = 0; j < n; j++) sum += row[j] * p[j];
    }
    v[i] = sum + pr->b[i];
  }
}

/* W_ij, zero where a sparse matrix has no entry. */
static double entry(const dls_cone_problem *pr, int i, int j) {
  if (!pr->S) return pr->W[(size_t)i * (size_t)pr->n_rows + (size_t)j];
  for (int k = pr->S->start[i]; k < pr->S->start[i + 1]; k++)
    if (pr->S->col[k] == j) return pr->S->value[k];
  return 0;
}

static double length_of(const dls_cone_problem *pr, int i) {
  return pr->length ? pr->length[i] : 1;
}

/* |W_gg| in scaled rows; for a zero block the compliance, then 1. */
static double block_norm(const dls_cone_problem *pr, int row, int d) {
  double sum = 0, soft = 0, largest = 0;
  for (int i = row; i < row + d; i++)
    for (int j = row; j < row + d; j++)
      largest = dls_max(largest, fabs(entry(pr, i, j) * length_of(pr, i) * length_of(pr, j)));
  for (int i = row; i < row + d && largest > 0; i++)
    for (int j = row; j < row + d; j++) { /* divided by the largest: squares stay in range */
      double w = entry(pr, i, j) * length_of(pr, i) * length_of(pr, j) / largest;
      sum += w * w;
    }
  for (int i = row; pr->compliance && i < row + d; i++)
    soft = dls_max(soft, pr->compliance[i] * length_of(pr, i) * length_of(pr, i));
  return sum > 0 ? largest * sqrt(sum) : (soft > 0 ? soft : 1);
}

/* P_g on scaled impulses z (rows of one group), arms divided by the length of their rows. */
static void admit(const dls_cone_problem *pr, const dls_cone_group *g, double *z) {
  const dls_cone_law *law = &dls_cone_laws[g->kind];
  double l = length_of(pr, g->row);
  if (g->kind == DLS_CONE_BILATERAL) return;
  if (g->kind == DLS_CONE_UNILATERAL) {
    z[0] = dls_max(z[0], 0);
  } else if (g->kind == DLS_CONE_BOX) {
    z[0] = dls_clamp(z[0], g->lo / l, g->hi / l);
  } else {
    dls_cone_shape shape = {.n_parts = law->n_parts};
    for (int k = 0, row = g->row + 1; k < law->n_parts; row += law->rows[k], k++) {
      shape.rows[k] = law->rows[k];
      shape.mu[k] = g->mu[k] * l / length_of(pr, row);
    }
    dls_cone_project(&shape, z);
  }
}

void dls_cone_admit(const dls_cone_problem *pr, double *p) {
  for (int g = 0; g < pr->n_groups; g++) {
    int row = pr->groups[g].row, d = dls_cone_laws[pr->groups[g].kind].n_rows;
    double z[DLS_CONE_ROWS];
    if (!pr->length) {
      admit(pr, &pr->groups[g], p + row);
      continue;
    }
    for (int i = 0; i < d; i++) z[i] = p[row + i] / pr->length[row + i];
    admit(pr, &pr->groups[g], z);
    for (int i = 0; i < d; i++) p[row + i] = z[i] * pr->length[row + i];
  }
}

/* y of the table from u, in place: De Saxce's change of variable on the normal. */
static void de_saxce(const dls_cone_problem *pr, const dls_cone_group *g, double *u) {
  const dls_cone_law *law = &dls_cone_laws[g->kind];
  double more = 0;
  for (int k = 0, at = 1; k < law->n_parts; at += law->rows[k], k++) {
    double l = length_of(pr, g->row) / length_of(pr, g->row + at);
    more += g->mu[k] * l * dls_disk_length(law->rows[k], u + at);
  }
  u[0] += more;
}

double dls_cone_group_residual(const dls_cone_problem *pr, int group, const double *p_g,
                               const double *v_g) {
  const dls_cone_group *g = &pr->groups[group];
  int d = dls_cone_laws[g->kind].n_rows;
  double z[DLS_CONE_ROWS], y[DLS_CONE_ROWS] = {0}, x[DLS_CONE_ROWS], most = 0, sum = 0;
  double norm = block_norm(pr, g->row, d), rho = 1 / norm;
  for (int k = 0; k < d; k++) {
    int i = g->row + k;
    double soft = pr->compliance ? pr->compliance[i] * p_g[k] : 0;
    z[k] = p_g[k] / length_of(pr, i);
    y[k] = (v_g[k] + soft + (pr->shift ? pr->shift[i] : 0)) * length_of(pr, i);
  }
  de_saxce(pr, g, y);
  double tried[DLS_CONE_ROWS];
  for (int k = 0; k < d; k++) tried[k] = x[k] = z[k] - rho * y[k];
  admit(pr, g, x);
  /* then z - x is rho y, whatever z hides of it */
  const bool within = memcmp(tried, x, (size_t)d * sizeof *x) == 0;
  for (int k = 0; k < d; k++) {
    x[k] = within ? fabs(y[k]) : fabs(z[k] - x[k]) * norm;
    most = x[k] > most || x[k] != x[k] ? x[k] : most;
  }
  for (int k = 0; k < d && most > 0; k++) sum += (x[k] / most) * (x[k] / most);
  return most > 0 ? most * sqrt(sum) : most;
}

/* The largest r_g, and of which group, of velocities at hand. */
static double worst_of(const dls_cone_problem *pr, const double *p, const double *v, int *worst) {
  double most = 0;
  *worst = pr->n_groups > 0 ? 0 : -1;
  for (int g = 0; g < pr->n_groups; g++) {
    double r = dls_cone_group_residual(pr, g, p + pr->groups[g].row, v + pr->groups[g].row);
    if (!dls_is_finite(r)) r = DLS_INF;
    if (r > most) most = r, *worst = g;
  }
  return most;
}

/* What the residual is relative to. */
static double scale_of(const dls_cone_problem *pr) {
  double scale = pr->scale;
  for (int i = 0; i < pr->n_rows; i++) scale = dls_max(scale, fabs(pr->b[i]) * length_of(pr, i));
  return scale > 0 ? scale : 1;
}

double dls_cone_residual(const dls_cone_problem *pr, const double *p, double *v,
                         double *natural, int *worst) {
  int at;
  dls_cone_image(pr, p, v);
  const double most = worst_of(pr, p, v, &at);
  if (natural) *natural = most;
  if (worst) *worst = at;
  return most / scale_of(pr);
}

/* The most by which r_g can change for a change of one velocity of the group: P_g draws nearer, and
** y_n takes mu |u_T| from the tangents as well. */
static double steepest(const dls_cone_problem *pr) {
  double most = 1, length = 1;
  for (int g = 0; g < pr->n_groups; g++)
    for (int k = 0; k < dls_cone_laws[pr->groups[g].kind].n_parts; k++)
      most = dls_max(most, 1 + pr->groups[g].mu[k]);
  for (int i = 0; pr->length && i < pr->n_rows; i++) length = dls_max(length, pr->length[i]);
  return most * length * sqrt((double)DLS_CONE_ROWS);
}

/* Where the round-off of v = W p + b could make the verdict another one, v is summed in twice the
** precision. */
static void judge_again(const dls_cone_problem *pr, double tolerance, const double *p, double *v,
                        dls_cone_report *report) {
  static const double FAR = 1e3; /* tolerances: no round-off makes an answer of that */
  const dls_lcp linear = {pr->n_rows, pr->S ? NULL : pr->W, pr->S, pr->b};
  const double scale = scale_of(pr), most = tolerance * scale;
  double plain, twice;
  if (!(report->natural <= FAR * most)) return;
  dls_lcp_round_off(&linear, p, &plain, &twice);
  /* rows are summed one behind the other: eight times the terms of eight partial sums */
  if (report->natural + 8 * plain * steepest(pr) <= most) return;
  dls_lcp_image_in_twice(&linear, p, v);
  report->natural = worst_of(pr, p, v, &report->fault.index);
  if (report->natural <= most && report->natural + twice * steepest(pr) > most)
    report->natural += twice * steepest(pr); /* nobody can say */
  report->residual = report->natural / scale;
}

void dls_cone_judge(const dls_cone_problem *pr, const dls_cone_opts *opts, const double *p,
                    double *v, dls_outcome otherwise, dls_cone_report *report) {
  report->residual =
      dls_cone_residual(pr, p, v, &report->natural, &report->fault.index);
  judge_again(pr, opts->tolerance, p, v, report);
  report->fault.value = report->natural;
  bool good = report->residual <= opts->tolerance;
  report->outcome = good ? DLS_SOLVED : (otherwise == DLS_SOLVED ? DLS_LIMIT : otherwise);
}
