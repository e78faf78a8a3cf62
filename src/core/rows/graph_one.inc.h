/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */

/* graph_lanes.inc.h number by number, in plain C: the same products and sums in the same order. */

/* y <- y - A x of a block's columns; A x where `alone`. x is not y. */
static void times(const double *a, const double *x, bool alone, double *y) {
  for (int l = 0; l < DLS_GRAPH_ROW; l++) {
    const double image = a[l] * x[0] + a[4 + l] * x[1] + a[8 + l] * x[2];
    y[l] = alone ? image : y[l] - image;
  }
}

/* c -= a b */
static void subtract(const double *a, const double *b, double *c) {
  for (int j = 0; j < DLS_GRAPH_BLOCK; j += DLS_GRAPH_ROW) times(a, b + j, false, c + j);
}

/* [row | own], four numbers each. */
typedef struct whole_row {
  double x[8];
} whole_row;

static void eliminate(int k, whole_row *row, int p, int q, int r) {
  double pivot = row[p].x[k];
  if (!(fabs(pivot) > 1e-30)) pivot = 1e-30;
  const double scale = 1 / pivot, x = row[q].x[k], y = row[r].x[k];
  for (int l = 0; l < 8; l++) {
    row[p].x[l] *= scale;
    row[q].x[l] -= x * row[p].x[l];
    row[r].x[l] -= y * row[p].x[l];
  }
}

static void swap(whole_row *a, whole_row *b) {
  const whole_row x = *a;
  *a = *b, *b = x;
}

static void invert(double *a) {
  whole_row row[3] = {
      {{a[0], a[4], a[8], 0, 1, 0, 0, 0}}, {{a[1], a[5], a[9], 0, 0, 1, 0, 0}}, {{a[2], a[6], a[10], 0, 0, 0, 1, 0}}};
  const double x = fabs(a[0]), y = fabs(a[1]), z = fabs(a[2]);
  if (y > x && !(z > y)) swap(&row[0], &row[1]);
  else if (z > x) swap(&row[0], &row[2]);
  eliminate(0, row, 0, 1, 2);
  if (fabs(row[2].x[1]) > fabs(row[1].x[1])) swap(&row[1], &row[2]);
  eliminate(1, row, 1, 0, 2);
  eliminate(2, row, 2, 0, 1);
  for (int j = 0; j < 3; j++)
    for (int l = 0; l < DLS_GRAPH_ROW; l++) a[DLS_GRAPH_ROW * j + l] = l < 3 ? row[l].x[4 + j] : 0;
}

static void factor(const dls_graph_factor *K) {
  const int *start = K->start, *col = K->col;
  for (int k = 0; k < K->n; k++) {
    double *d = K->d + (size_t)k * DLS_GRAPH_BLOCK, a[DLS_GRAPH_BLOCK];
    const int last = start[k + 1];
    invert(d);
    for (int e = start[k]; e < last; e++) {
      double *low = K->low + (size_t)e * DLS_GRAPH_BLOCK;
      memcpy(a, low, sizeof a);
      for (int j = 0; j < DLS_GRAPH_BLOCK; j += DLS_GRAPH_ROW) times(a, d + j, true, low + j);
    }
    for (int e = start[k]; e < last; e++) {
      const int i = col[e];
      const double *low = K->low + (size_t)e * DLS_GRAPH_BLOCK, *up = K->up + (size_t)e * DLS_GRAPH_BLOCK;
      subtract(low, up, K->d + (size_t)i * DLS_GRAPH_BLOCK);
      for (int f = e + 1, at = start[i]; f < last; f++) {
        while (col[at] != col[f]) at++;
        subtract(low, K->up + (size_t)f * DLS_GRAPH_BLOCK, K->up + (size_t)at * DLS_GRAPH_BLOCK);
        subtract(K->low + (size_t)f * DLS_GRAPH_BLOCK, up, K->low + (size_t)at * DLS_GRAPH_BLOCK);
      }
    }
  }
}

static void lower(const dls_graph_factor *K, double *y) {
  for (int k = 0; k < K->n; k++) {
    const double *own = y + (size_t)DLS_GRAPH_ROW * (size_t)k;
    if (own[0] == 0 && own[1] == 0 && own[2] == 0) continue;
    for (int e = K->start[k]; e < K->start[k + 1]; e++)
      times(K->low + (size_t)e * DLS_GRAPH_BLOCK, own, false, y + (size_t)DLS_GRAPH_ROW * (size_t)K->col[e]);
  }
}

static void upper(const dls_graph_factor *K, double *y) {
  for (int k = K->n - 1; k >= 0; k--) {
    double *own = y + (size_t)DLS_GRAPH_ROW * (size_t)k, x[DLS_GRAPH_ROW];
    memcpy(x, own, sizeof x);
    for (int e = K->start[k]; e < K->start[k + 1]; e++)
      times(K->up + (size_t)e * DLS_GRAPH_BLOCK, y + (size_t)DLS_GRAPH_ROW * (size_t)K->col[e], false, x);
    times(K->d + (size_t)k * DLS_GRAPH_BLOCK, x, true, own);
  }
}

/* --- kinks -------------------------------------------------------------------------------------- */

static double image(double a[3][4], double b[3][4], int l, const double *y_a, const double *y_b) {
  return (a[0][l] * y_a[0] + a[1][l] * y_a[1] + a[2][l] * y_a[2]) +
         (b[0][l] * y_b[0] + b[1][l] * y_b[1] + b[2][l] * y_b[2]);
}

/* x + length dx comes to zero before the kink that is known. */
static void meet(double x, double dx, int lane, int which, dls_path_kink *kink) {
  if (!(dx < 0) || x >= -dx * kink->length) return;
  *kink = (dls_path_kink){dls_max(x, 0) / -dx, lane, which};
}

static dls_path_kink direct(int n_groups, dls_path_group *group, const double *y, double sign, double longest) {
  dls_path_kink kink = {longest, -1, 0};
  for (int k = 0; k < n_groups; k++) {
    dls_path_group *g = &group[k];
    for (int l = 0; l < DLS_PATH_LANES; l++) {
      const double *y_a = y + g->a[l], *y_b = y + g->b[l];
      const double f_n = image(g->n_a, g->n_b, l, y_a, y_b) - g->r_n[l];
      const double f_t = image(g->t_a, g->t_b, l, y_a, y_b) - g->r_t[l];
      const double dz_n = -(g->s_n[l] * f_n), dz_t = -(g->s_nt[l] * f_n) - g->s_t[l] * f_t;
      const double dv_n = f_n + g->e_n[l] * dz_n, dv_t = f_t + g->e_t[l] * dz_t;
      g->dz_n[l] = dz_n, g->dz_t[l] = dz_t;
      g->dv_n[l] = dv_n, g->dv_t[l] = dv_t;
      const double x = g->k_zn[l] * g->z_n[l] + g->k_zt[l] * g->z_t[l] + g->k_vn[l] * g->v_n[l];
      const double w = g->l_zn[l] * g->z_n[l] + g->l_zt[l] * g->z_t[l] + g->l_vt[l] * g->v_t[l];
      meet(x, sign * (g->k_zn[l] * dz_n + g->k_zt[l] * dz_t + g->k_vn[l] * dv_n), DLS_PATH_LANES * k + l, 0, &kink);
      meet(w, sign * (g->l_zn[l] * dz_n + g->l_zt[l] * dz_t + g->l_vt[l] * dv_t), DLS_PATH_LANES * k + l, 1, &kink);
    }
  }
  return kink;
}

static void go(int n_groups, dls_path_group *group, double length) {
  for (int k = 0; k < n_groups; k++) {
    dls_path_group *g = &group[k];
    for (int l = 0; l < DLS_PATH_LANES; l++) {
      g->z_n[l] += length * g->dz_n[l];
      g->z_t[l] += length * g->dz_t[l];
      g->v_n[l] += length * g->dv_n[l];
      g->v_t[l] += length * g->dv_t[l];
    }
  }
}

const dls_graph_lanes GRAPH_TABLE = {
    .name = GRAPH_NAME, .factor = factor, .lower = lower, .upper = upper, .direct = direct, .go = go};
