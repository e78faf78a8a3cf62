/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#include "core/ladder/newton_step.h"

#include "core/ladder/contact_step.h"
#include "core/math/alart_curnier.h"
#include "core/rows/impulses.h"
#include "core/rows/residual.h"

enum { MOST_SQUARE = DLS_MOST_ROWS * DLS_MOST_ROWS };

dls_status dls_newton_take(dls_rows *rows, const int *blocks, int n, const bool *late,
                           dls_arena *tmp, dls_newton *N) {
  dls_status status = dls_body_graph_build(rows, blocks, n, late, tmp, &N->graph);
  if (status != DLS_OK) return status;
  const size_t m = (size_t)n, b = (size_t)(N->graph.n * dls_graph_row(rows->nu)),
               nb = (size_t)rows->nb;
  int n_plain = 0, n_turning = 0;
  for (int k = 0; k < n; k++) {
    if (!dls_is_plain_contact(rows, &rows->block[blocks[k]])) continue;
    n_plain++;
    if (rows->block[blocks[k]].kind == DLS_ROW_ROLLING) n_turning += DLS_TURNING_PARTS;
  }
  N->centre = NULL;
  N->supported = NULL;
  N->law = DLS_TAKE(tmp, dls_linear_law, m);
  double *numbers = DLS_TAKE(tmp, double, m * nb * (nb + 1));
  N->dp = DLS_TAKE(tmp, double, m * nb);
  N->dv = DLS_TAKE(tmp, double, m * nb);
  N->best = DLS_TAKE(tmp, double, m * nb);
  N->raw = DLS_TAKE(tmp, double, m * nb);
  N->y = DLS_TAKE(tmp, double, b);
  N->du = DLS_TAKE(tmp, double, b);
  N->u = DLS_TAKE(tmp, double, b);
  N->plain = DLS_TAKE(tmp, dls_body_contact, n_plain);
  N->speed = DLS_TAKE(tmp, double, 6 * (size_t)n_plain);
  N->change = N->speed + 3 * n_plain;
  N->turning = DLS_TAKE(tmp, dls_turning, n_turning);
  N->turned = DLS_TAKE(tmp, dls_body_contact, n_turning);
  N->turn_speed = DLS_TAKE(tmp, double, 6 * (size_t)n_turning);
  N->turn_change = N->turn_speed + 3 * n_turning;
  if (!N->turning || !N->turned || !N->turn_speed || !N->speed || !N->plain || !N->u || !N->du ||
      !N->y || !N->raw || !N->best || !N->dv || !N->dp || !N->law || !numbers)
    return DLS_FULL;
  for (int k = 0; k < n; k++, numbers += nb * (nb + 1)) {
    N->law[k].apart = false;
    N->law[k].drag[0] = N->law[k].drag[1] = 1;
    N->law[k].contact = dls_is_plain_contact(rows, &rows->block[blocks[k]]);
    N->law[k].norm = dls_block_norm(rows, &rows->block[blocks[k]]);
    N->law[k].S = numbers;
    N->law[k].g = numbers + nb * nb;
  }
  memset(N->du, 0, b * sizeof(double));
  memset(N->u, 0, b * sizeof(double));
  dls_newton_pack(rows, blocks, n, N);
  return DLS_OK;
}

void dls_newton_pack(const dls_rows *rows, const int *blocks, int n, dls_newton *N) {
  N->n_plain = N->n_turning = 0;
  for (int k = 0; k < n; k++) {
    const dls_block *block = &rows->block[blocks[k]];
    if (!N->law[k].contact) continue;
    dls_body_contact *c = &N->plain[N->n_plain++];
    dls_contact_pack(rows, block, &N->graph, c);
    c->block = k;
    for (int i = 0; block->kind == DLS_ROW_ROLLING && i < DLS_TURNING_PARTS; i++, N->n_turning++)
      dls_turning_pack(rows, block, c, i, &N->turning[N->n_turning], &N->turned[N->n_turning]);
  }
}

enum { NU = 6 };

/* Velocities of the bodies by places. */
static void read_bodies(const dls_rows *rows, const dls_newton *N) {
  for (int i = 0; i < N->graph.n; i++)
    memcpy(N->u + (size_t)i * DLS_BODY_ROW, rows->u + (size_t)N->graph.body[i] * NU,
           NU * sizeof(double));
}

void dls_newton_push(dls_rows *rows, const int *blocks, int n, const dls_newton *N) {
  const dls_body_graph *graph = &N->graph;
  if (N->n_plain == 0) {
    dls_push_island(rows, blocks, n, graph->body, graph->n);
    return;
  }
  for (int i = 0; i < graph->n; i++)
    memcpy(rows->u + (size_t)graph->body[i] * NU,
           rows->u_free + (size_t)graph->body[i] * NU, NU * sizeof(double));
  for (int k = 0; N->n_plain < n && k < n; k++)
    if (!N->law[k].contact) dls_push_block(rows, &rows->block[blocks[k]]);
  read_bodies(rows, N);
  dls_body_lanes_best()->push(N->n_plain, N->plain, rows->p, N->u);
  for (int k = 0; k < N->n_turning; k++)
    dls_turning_push(rows, &N->turning[k], &N->turned[k], N->u);
  for (int i = 0; i < graph->n; i++)
    memcpy(rows->u + (size_t)graph->body[i] * NU, N->u + (size_t)i * DLS_BODY_ROW,
           NU * sizeof(double));
}

/* z and y, with the damping E dz or E (z - centre), of block `at` at impulses p + t dp and
** velocities v + t dv. */
DLS_WITH_NU void read_block(int nb, const dls_rows *rows, const dls_block *block,
                            const dls_newton *N, int at, double t, const double *v, double *z,
                            double *y) {
  const double *dp = N->dp + (size_t)(at * nb), *dv = N->dv + (size_t)(at * nb);
  double E = N->damp * N->law[at].norm;
  for (int k = 0; k < block->n; k++) {
    int i = block->row + k;
    const double E_k = E * N->law[at].drag[k > 0];
    double p = rows->p[i], length = rows->length[i], speed = v[k], drag = 0;
    if (t > 0) {
      p += t * dp[k];
      speed += t * dv[k];
      drag = E_k * t * dp[k] / length;
    }
    if (N->centre) drag = E_k * (p - N->centre[(size_t)(at * nb + k)]) / length;
    z[k] = p / length;
    y[k] = (speed + rows->s[i] + rows->gamma[i] * p) * length + drag;
  }
}

static double part_length(int n, const double *x) {
  return n == 1 ? fabs(x[0]) : sqrt(x[0] * x[0] + x[1] * x[1]);
}

static void bounds_of(const dls_rows *rows, const dls_block *block, double *lo, double *hi) {
  *lo = block->kind == DLS_ROW_BILATERAL ? -DLS_INF : 0;
  *hi = DLS_INF;
  if (block->kind != DLS_ROW_BOX) return;
  *lo = block->lo / rows->length[block->row];
  *hi = block->hi / rows->length[block->row];
}

static bool has_cone(const dls_block *block) {
  return block->kind == DLS_ROW_CONE || block->kind == DLS_ROW_ROLLING;
}

/* F of a block. */
static void law_value(const dls_rows *rows, const dls_block *block, double rho, const double *z,
                      const double *y, double *F) {
  if (!has_cone(block)) {
    double lo, hi;
    bounds_of(rows, block, &lo, &hi);
    for (int k = 0; k < block->n; k++) F[k] = z[k] - dls_clamp(z[k] - rho * y[k], lo, hi);
    return;
  }
  dls_cone_shape shape = dls_cone_of(rows, block);
  double x_n = dls_max(z[0] - rho * y[0], 0);
  F[0] = z[0] - x_n;
  for (int k = 0, at = 1; k < shape.n_parts; at += shape.rows[k], k++) {
    double x[2] = {0, 0}, bound = shape.mu[k] * x_n;
    for (int i = 0; i < shape.rows[k]; i++) x[i] = z[at + i] - rho * y[at + i];
    double size = part_length(shape.rows[k], x), cut = size > bound ? bound / size : 1;
    for (int i = 0; i < shape.rows[k]; i++) F[at + i] = z[at + i] - cut * x[i];
  }
}

static void law_slopes(const dls_rows *rows, const dls_block *block, double rho, const double *z,
                       const double *y, double *X, double *Y) {
  dls_cone_shape shape = {0};
  double lo = 0, hi = DLS_INF;
  if (has_cone(block)) shape = dls_cone_of(rows, block);
  else bounds_of(rows, block, &lo, &hi);
  dls_alart_curnier_slopes(&shape, block->n, lo, hi, rho, z, y, X, Y);
}

/* b <- a^-1 b, b n x m; a is destroyed. */
DLS_WITH_NU void solve_of(int n, int m, double *a, double *b) {
  for (int k = 0; k < n; k++) {
    int best = k;
    for (int i = k + 1; i < n; i++)
      if (fabs(a[i * n + k]) > fabs(a[best * n + k])) best = i;
    for (int j = 0; best != k && j < n; j++) {
      double x = a[k * n + j];
      a[k * n + j] = a[best * n + j];
      a[best * n + j] = x;
    }
    for (int j = 0; best != k && j < m; j++) {
      double x = b[k * m + j];
      b[k * m + j] = b[best * m + j];
      b[best * m + j] = x;
    }
    double pivot = a[k * n + k];
    if (!(fabs(pivot) > 1e-30)) pivot = 1e-30;
    for (int i = 0; i < n; i++) {
      double x = a[i * n + k] / pivot;
      if (i == k || x == 0) continue;
      for (int j = k; j < n; j++) a[i * n + j] -= x * a[k * n + j];
      for (int j = 0; j < m; j++) b[i * m + j] -= x * b[k * m + j];
    }
    for (int j = 0; j < m; j++) b[k * m + j] /= pivot;
    for (int j = k; j < n; j++) a[k * n + j] /= pivot;
  }
}

static void solve_small(int n, int m, double *a, double *b) {
  if (n == 3 && m == 4) solve_of(3, 4, a, b);
  else solve_of(n, m, a, b);
}

DLS_WITH_NU void block_velocities(int nu, const dls_rows *rows, const dls_block *block, double *v) {
  const double *u_a = rows->u + (size_t)block->a * (size_t)nu,
               *u_b = rows->u + (size_t)block->b * (size_t)nu;
  for (int i = 0; i < block->n; i++)
    v[i] = dls_row_velocity(nu, rows->J + (size_t)(block->row + i) * 2 * (size_t)nu, u_a, u_b);
}

/* S and g of a block at the p and u at hand; answers |F / rho|^2. */
DLS_WITH_NU double linearise(int nu, int nb, const dls_rows *rows, const dls_block *block,
                             const dls_newton *N, int at) {
  int n = block->n;
  dls_linear_law *law = &N->law[at];
  double v[DLS_MOST_ROWS], z[DLS_MOST_ROWS], y[DLS_MOST_ROWS], F[DLS_MOST_ROWS];
  double X[MOST_SQUARE], C[MOST_SQUARE], right[MOST_SQUARE + DLS_MOST_ROWS];
  double rho = N->times / law->norm, damp = N->damp;
  block_velocities(nu, rows, block, v);
  read_block(nb, rows, block, N, at, 0, v, z, y);
  law_value(rows, block, rho, z, y, F);
  law_slopes(rows, block, rho, z, y, X, C);
  law->acts = false;
  double sum = 0;
  for (int i = 0; i < n; i++) sum += (F[i] / rho) * (F[i] / rho);
  for (int i = 0; i < n; i++) {
    for (int j = 0; j < n; j++) {
      double l = rows->length[block->row + j];
      C[i * n + j] += X[i * n + j] *
                      (damp * law->norm * law->drag[j > 0] + rows->gamma[block->row + j] * l * l);
      right[i * (n + 1) + j] = X[i * n + j];
      if (X[i * n + j] != 0) law->acts = true;
    }
    right[i * (n + 1) + n] = F[i];
  }
  solve_small(n, n + 1, C, right);
  for (int i = 0; i < n; i++) {
    for (int j = 0; j < n; j++) law->S[i * n + j] = right[i * (n + 1) + j];
    law->g[i] = right[i * (n + 1) + n];
  }
  return sum;
}

/* K_ij += J_i' S M^-1 J_j of two of the block's sides (0: a, 1: b). */
DLS_WITH_NU void add_side(int nu, int n, const dls_rows *rows, const dls_block *block,
                          const double *SJ, int side, int other, double *K) {
  for (int k = 0; k < n; k++) {
    const double *J = rows->J + (size_t)(block->row + k) * 2 * (size_t)nu + (size_t)(side * nu);
    double length = rows->length[block->row + k];
    for (int i = 0; i < nu; i++) {
      double j = J[i] * length;
      if (j == 0) continue;
      for (int l = 0; l < nu; l++)
        K[i * dls_graph_down(nu) + l * dls_graph_across(nu)] += j * SJ[(2 * k + other) * nu + l];
    }
  }
}

DLS_WITH_NU void add_rows(int nu, int n, const dls_rows *rows, const dls_block *block,
                          const dls_linear_law *law, dls_body_graph *graph, double *y) {
  const size_t size = (size_t)dls_graph_size(nu), row = (size_t)dls_graph_row(nu);
  int at[2] = {-1, -1};
  if (dls_moves(rows, block->a)) at[0] = graph->place[block->a];
  if (dls_moves(rows, block->b)) at[1] = graph->place[block->b];
  for (int side = 0; side < 2; side++)
    for (int k = 0; at[side] >= 0 && k < n; k++)
      dls_add_u(nu, y + (size_t)at[side] * row, -law->g[k] * rows->length[block->row + k],
            rows->J + (size_t)(block->row + k) * 2 * (size_t)nu + (size_t)(side * nu));
  if (!law->acts) return;
  double SJ[DLS_MOST_ROWS * 12];
  memset(SJ, 0, (size_t)(2 * n * nu) * sizeof *SJ);
  for (int k = 0; k < n; k++)
    for (int j = 0; j < n; j++) {
      double s = law->S[k * n + j] * rows->length[block->row + j];
      const double *MJ = rows->MJ + (size_t)(block->row + j) * 2 * (size_t)nu;
      for (int l = 0; l < 2 * nu; l++) SJ[2 * k * nu + l] += s * MJ[l];
    }
  for (int side = 0; side < 2; side++)
    for (int other = 0; other < 2; other++) {
      int i = at[side], j = at[other];
      if (i < 0 || j < 0) continue;
      double *K = graph->d + (size_t)i * size;
      if (i < j) K = graph->up + (size_t)dls_body_graph_entry(graph, i, j) * size;
      if (i > j) K = graph->low + (size_t)dls_body_graph_entry(graph, j, i) * size;
      add_side(nu, n, rows, block, SJ, side, other, K);
    }
}

/* Contacts with friction in space are the most frequent blocks: their size is a constant. */
DLS_WITH_NU void add_block(int nu, const dls_rows *rows, const dls_block *block,
                           const dls_linear_law *law, dls_body_graph *graph, double *y) {
  if (block->n == 3) add_rows(nu, 3, rows, block, law, graph, y);
  else add_rows(nu, block->n, rows, block, law, graph, y);
}

/* J du of a block, du by places. */
DLS_WITH_NU void change_of(int nu, const dls_rows *rows, const dls_block *block,
                           const dls_newton *N, double *dv) {
  for (int k = 0; k < block->n; k++) {
    const double *J = rows->J + (size_t)(block->row + k) * 2 * (size_t)nu;
    dv[k] = 0;
    const size_t row = (size_t)dls_graph_row(nu);
    if (dls_moves(rows, block->a))
      dv[k] += dls_dot_u(nu, J, N->du + (size_t)N->graph.place[block->a] * row);
    if (dls_moves(rows, block->b))
      dv[k] += dls_dot_u(nu, J + nu, N->du + (size_t)N->graph.place[block->b] * row);
  }
}

DLS_WITH_NU double linearise_all(int nu, int nb, const dls_rows *rows, const int *blocks, int n,
                                 const dls_newton *N) {
  double sum = 0;
  if (N->n_plain > 0) {
    read_bodies(rows, N);
    dls_body_lanes_best()->speeds(N->n_plain, N->plain, N->u, N->speed);
  }
  for (int k = 0; k < N->n_plain; k++)
    sum += dls_contact_linearise(rows, N, &N->plain[k], N->speed + 3 * k);
  if (N->n_turning > 0)
    dls_body_lanes_best()->speeds(N->n_turning, N->turned, N->u, N->turn_speed);
  for (int k = 0; k < N->n_turning; k++)
    sum += dls_turning_linearise(rows, N, &N->turning[k], &N->turned[k], N->turn_speed + 3 * k);
  for (int k = 0; N->n_plain < n && k < n; k++)
    if (!N->law[k].contact) sum += linearise(nu, nb, rows, &rows->block[blocks[k]], N, k);
  return sum;
}

DLS_WITH_NU void newton_step(int nu, int nb, const dls_rows *rows, const int *blocks, int n,
                             dls_newton *N) {
  dls_body_graph *graph = &N->graph;
  const size_t row = (size_t)dls_graph_row(nu);
  dls_body_graph_clear(graph);
  memset(N->y, 0, (size_t)graph->n * row * sizeof(double));
  for (int k = 0; N->n_plain < n && k < n; k++)
    if (!N->law[k].apart && !N->law[k].contact)
      add_block(nu, rows, &rows->block[blocks[k]], &N->law[k], graph, N->y);
  if (N->n_plain > 0) dls_body_lanes_best()->add(N->n_plain, N->plain, N->y);
  if (N->n_turning > 0) dls_body_lanes_best()->add(N->n_turning, N->turned, N->y);
  dls_body_graph_factor(graph);
  dls_body_graph_solve(graph, N->y);
  if (N->supported) dls_supported_step(rows, blocks, N);
  for (int i = 0; i < graph->n; i++)
    dls_apply_inverse(nu, rows, graph->body[i], N->y + (size_t)i * row,
                      N->du + (size_t)i * row);
  if (N->n_plain > 0)
    dls_body_lanes_best()->speeds(N->n_plain, N->plain, N->du, N->change);
  for (int k = 0; k < N->n_plain; k++)
    dls_contact_change(&N->plain[k], N->change + 3 * k,
                       N->dp + (size_t)(N->plain[k].block * nb));
  if (N->n_turning > 0)
    dls_body_lanes_best()->speeds(N->n_turning, N->turned, N->du, N->turn_change);
  for (int k = 0; k < N->n_turning; k++)
    dls_turning_change(&N->turning[k], &N->turned[k], N->turn_change + 3 * k,
                       N->dp + (size_t)(N->turned[k].block * nb));
  for (int k = 0; N->n_plain < n && k < n; k++) {
    const dls_block *block = &rows->block[blocks[k]];
    const dls_linear_law *law = &N->law[k];
    double dv[DLS_MOST_ROWS];
    if (law->apart || law->contact) continue;
    change_of(nu, rows, block, N, dv);
    for (int i = 0; i < block->n; i++) {
      double dz = -law->g[i];
      for (int j = 0; law->acts && j < block->n; j++)
        dz -= law->S[i * block->n + j] * dv[j] * rows->length[block->row + j];
      N->dp[(size_t)(k * nb + i)] = dz * rows->length[block->row + i];
    }
  }
}

/* du that belongs to dp exactly, whatever the solution lost by rounding, and J du. */
DLS_WITH_NU void follow(int nu, int nb, const dls_rows *rows, const int *blocks, int n,
                        dls_newton *N) {
  const dls_body_graph *graph = &N->graph;
  const size_t row = (size_t)dls_graph_row(nu);
  memset(N->du, 0, (size_t)graph->n * row * sizeof(double));
  for (int k = 0; k < n; k++) {
    const dls_block *block = &rows->block[blocks[k]];
    for (int i = 0; i < block->n; i++) {
      const double *MJ = rows->MJ + (size_t)(block->row + i) * 2 * (size_t)nu;
      double dp = N->dp[(size_t)(k * nb + i)];
      if (dls_moves(rows, block->a))
        dls_add_u(nu, N->du + (size_t)graph->place[block->a] * row, dp, MJ);
      if (dls_moves(rows, block->b))
        dls_add_u(nu, N->du + (size_t)graph->place[block->b] * row, dp, MJ + nu);
    }
  }
  for (int k = 0; k < n; k++)
    change_of(nu, rows, &rows->block[blocks[k]], N, N->dv + (size_t)(k * nb));
}

DLS_WITH_NU double merit(int nu, int nb, const dls_rows *rows, const int *blocks, int n, double t,
                         const dls_newton *N) {
  double sum = 0;
  for (int k = 0; k < N->n_plain; k++)
    sum += dls_contact_merit(rows, N, &N->plain[k], N->speed + 3 * k, t);
  for (int k = 0; k < N->n_turning; k++)
    sum += dls_turning_merit(rows, N, &N->turning[k], &N->turned[k], N->turn_speed + 3 * k, t);
  for (int k = 0; N->n_plain < n && k < n; k++) {
    const dls_block *block = &rows->block[blocks[k]];
    if (N->law[k].contact) continue;
    double v[DLS_MOST_ROWS], z[DLS_MOST_ROWS], y[DLS_MOST_ROWS], F[DLS_MOST_ROWS],
        rho = N->times / N->law[k].norm;
    block_velocities(nu, rows, block, v);
    read_block(nb, rows, block, N, k, t, v, z, y);
    law_value(rows, block, rho, z, y, F);
    for (int i = 0; i < block->n; i++) sum += (F[i] / rho) * (F[i] / rho);
  }
  return sum;
}

void dls_newton_go(dls_rows *rows, const int *blocks, int n, double t, const dls_newton *N) {
  const int nb = rows->nb;
  for (int k = 0; k < n; k++) {
    const dls_block *block = &rows->block[blocks[k]];
    for (int i = 0; i < block->n; i++) rows->p[block->row + i] += t * N->dp[(size_t)(k * nb + i)];
  }
}

double dls_newton_linearise(const dls_rows *rows, const int *blocks, int n, dls_newton *N) {
  return rows->nu == 3 ? linearise_all(3, 3, rows, blocks, n, N)
                       : linearise_all(6, 6, rows, blocks, n, N);
}

void dls_newton_step(const dls_rows *rows, const int *blocks, int n, dls_newton *N) {
  if (rows->nu == 3) newton_step(3, 3, rows, blocks, n, N);
  else newton_step(6, 6, rows, blocks, n, N);
}

void dls_newton_follow(const dls_rows *rows, const int *blocks, int n, dls_newton *N) {
  if (rows->nu == 3) follow(3, 3, rows, blocks, n, N);
  else follow(6, 6, rows, blocks, n, N);
}

double dls_newton_merit(const dls_rows *rows, const int *blocks, int n, double t,
                        const dls_newton *N) {
  return rows->nu == 3 ? merit(3, 3, rows, blocks, n, t, N) : merit(6, 6, rows, blocks, n, t, N);
}
