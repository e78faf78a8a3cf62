/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
/* How well the rows' laws hold: code that knows no solver (EQUATIONS G.1.7). With K the block's
** set and y its velocities as in rows.h (De Saxce's change for cones),
**
**     r = |p - P_K(p - rho y)| / rho,   rho = 1 / |W| (Frobenius),
**
** rows in rad/s made m/s by their length: v * length, p / length, arm / length. */

/* The parts of a block's cone: sliding, and for rolling blocks spinning and rolling. */
static dls_cone_shape cone_of(const dls_rows *rows, const dls_block *block) {
#if D == 2
  dls_cone_shape shape = {1, {1, 1, 0}, {block->mu[0], block->mu[1], 0}};
  if (block->kind == DLS_ROW_ROLLING) shape.n_parts = 2;
#else
  dls_cone_shape shape = {1, {2, 1, 2}, {block->mu[0], block->mu[1], block->mu[2]}};
  if (block->kind == DLS_ROW_ROLLING) shape.n_parts = 3;
#endif
  for (int k = 1, row = block->row + D; k < shape.n_parts; row += shape.rows[k], k++)
    shape.mu[k] /= rows->length[row];
  return shape;
}

/* The nearest point of the block's set, in place; z measured by the rows' lengths. */
static void admit(const dls_rows *rows, const dls_block *block, double *z) {
  double length = rows->length[block->row];
  switch (block->kind) {
  case DLS_ROW_BILATERAL: return;
  case DLS_ROW_UNILATERAL: z[0] = dls_max(z[0], 0); return;
  case DLS_ROW_BOX: z[0] = dls_clamp(z[0], block->lo / length, block->hi / length); return;
  default: {
    dls_cone_shape shape = cone_of(rows, block);
    dls_cone_project(&shape, z);
  }
  }
}

/* y_n += sum of the bounds times the speeds. */
static void de_saxce(const dls_rows *rows, const dls_block *block, double *y) {
  if (block->kind != DLS_ROW_CONE && block->kind != DLS_ROW_ROLLING) return;
  dls_cone_shape shape = cone_of(rows, block);
  for (int k = 0, at = 1; k < shape.n_parts; at += shape.rows[k], k++) {
    double slip = y[at] * y[at];
    if (shape.rows[k] == 2) slip += y[at + 1] * y[at + 1];
    y[0] += shape.mu[k] * sqrt(slip);
  }
}

#if D == 2
static inline bool is_wedge(const dls_rows *rows, const dls_block *block) {
  const double *length = rows->length + block->row;
  return block->kind == DLS_ROW_CONE && length[0] == 1 && length[1] == 1;
}

/* The same for a planar contact, whose set is a wedge, written out: all times |W|, squared. Contacts stick,
** slide and open as they come, so both answers are made and one is taken, without a branch. */
static inline __attribute__((always_inline)) double wedge_squared(const dls_rows *rows,
                                                                  const dls_block *block,
                                                                  const double *v) {
  const int i = block->row;
  const double *W = rows->W + (size_t)i * NB, mu = block->mu[0];
  const double w = W[0] * W[0] + W[1] * W[1] + W[NB] * W[NB] + W[NB + 1] * W[NB + 1];
  const double norm = w > 0 ? sqrt(w) : 1, p_n = rows->p[i], p_t = rows->p[i + 1];
  const double y_t = v[1] + rows->s[i + 1] + rows->gamma[i + 1] * p_t;
  const double y_n = v[0] + rows->s[i] + rows->gamma[i] * p_n + mu * fabs(y_t);
  const double x_n = norm * p_n - y_n, x_t = norm * p_t - y_t, size = fabs(x_t);
  const double side = (x_n + mu * size) / (1 + mu * mu); /* outside: the apex, or a side */
  const double z_n = dls_choose(side > 0, side, 0), z_t = copysign(mu * z_n, x_t);
  const bool outside = (x_n < 0) | (size > mu * x_n);
  const double d_n = dls_choose(outside, norm * p_n - z_n, y_n);
  const double d_t = dls_choose(outside, norm * p_t - z_t, y_t);
  return d_n * d_n + d_t * d_t;
}
#endif

#if D == 3
/* The same for a spatial contact, whose set is one circular cone, written out. */
static double residual_circular(const dls_rows *rows, const dls_block *block, const double *v) {
  const int i = block->row;
  const double *W = rows->W + (size_t)i * NB, *p = rows->p + i, mu = block->mu[0];
  double y[3], norm = 0;
  for (int k = 0; k < 3; k++) {
    y[k] = v[k] + rows->s[i + k] + rows->gamma[i + k] * p[k];
    norm += W[k * NB] * W[k * NB] + W[k * NB + 1] * W[k * NB + 1] + W[k * NB + 2] * W[k * NB + 2];
  }
  norm = norm > 0 ? sqrt(norm) : 1;
  y[0] += mu * sqrt(y[1] * y[1] + y[2] * y[2]);
  const double x[3] = {p[0] - y[0] / norm, p[1] - y[1] / norm, p[2] - y[2] / norm};
  const double size = sqrt(x[1] * x[1] + x[2] * x[2]);
  double z_n = x[0], share = 1;
  if (x[0] < 0 || size > mu * x[0]) { /* outside: the apex, or the mantle */
    z_n = (x[0] + mu * size) / (1 + mu * mu);
    if (!(z_n > 0)) z_n = 0;
    share = size > 0 ? mu * z_n / size : 0;
  }
  const double e[3] = {p[0] - z_n, p[1] - share * x[1], p[2] - share * x[2]};
  return norm * sqrt(e[0] * e[0] + e[1] * e[1] + e[2] * e[2]);
}
#endif

/* r of one block in m/s; v its rows' velocities. */
static double residual_block(const dls_rows *rows, const dls_block *block, const double *v) {
#if D == 2
  if (is_wedge(rows, block)) return sqrt(wedge_squared(rows, block, v));
#else
  if (block->kind == DLS_ROW_CONE && rows->length[block->row] == 1 &&
      rows->length[block->row + 1] == 1 && rows->length[block->row + 2] == 1)
    return residual_circular(rows, block, v);
#endif
  double z[NB] = {0}, y[NB] = {0}, x[NB] = {0}, norm = 0, error = 0;
  for (int k = 0; k < block->n; k++) {
    int i = block->row + k;
    z[k] = rows->p[i] / rows->length[i];
    y[k] = (v[k] + rows->s[i] + rows->gamma[i] * rows->p[i]) * rows->length[i];
    for (int j = 0; j < block->n; j++) {
      double w = rows->W[(size_t)i * NB + j] * rows->length[i] * rows->length[block->row + j];
      norm += w * w;
    }
  }
  norm = norm > 0 ? sqrt(norm) : 1;
  de_saxce(rows, block, y);
  for (int k = 0; k < block->n; k++) x[k] = z[k] - y[k] / norm;
  admit(rows, block, x);
  for (int k = 0; k < block->n; k++) error += (z[k] - x[k]) * (z[k] - x[k]);
  return norm * sqrt(error);
}

static double residual_at(const dls_rows *rows, const dls_block *block) {
  double v[NB];
  for (int i = 0; i < block->n; i++) v[i] = row_speed(rows, block, block->row + i, rows->u);
  return residual_block(rows, block, v);
}

static double residual_of(const dls_rows *rows, const int *blocks, int n_blocks) {
  double worst = 0;
  for (int k = 0; k < n_blocks; k++) {
    const double r = residual_at(rows, &rows->block[blocks[k]]);
    if (!(r <= worst)) worst = r;
  }
  return worst;
}

/* Whether all are within the limit: stops at the first that is not. */
static bool holds(const dls_rows *rows, const int *blocks, int n_blocks, double limit) {
  for (int k = 0; k < n_blocks; k++)
    if (!(residual_at(rows, &rows->block[blocks[k]]) <= limit)) return false;
  return true;
}

static double scale_of(const dls_rows *rows, const int *blocks, int n_blocks) {
  double worst = 0;
  for (int k = 0; k < n_blocks; k++) {
    const dls_block *block = &rows->block[blocks[k]];
    for (int i = block->row; i < block->row + block->n; i++)
      worst = dls_max(worst, rows->length[i] * fabs(row_speed(rows, block, i, rows->u_free)));
  }
  return worst;
}

static double residual(dls_rows *rows) {
  apply_impulses(rows);
  double worst = 0;
#if D == 2
  double worst_squared = 0;
#endif
  for (int k = 0; k < rows->n_blocks; k++) {
    const dls_block *block = &rows->block[k];
#if D == 2
    if (block->second == 0 && is_wedge(rows, block)) { /* most blocks */
      const double *J = rows->J + (size_t)block->row * 2 * NU;
      const double *u_a = rows->u + (size_t)block->a * NU, *u_b = rows->u + (size_t)block->b * NU;
      const double v[2] = {row_velocity(J, u_a, u_b), row_velocity(J + 2 * NU, u_a, u_b)};
      const double r = wedge_squared(rows, block, v);
      rows->v[block->row] = v[0];
      rows->v[block->row + 1] = v[1];
      if (!(r <= worst_squared)) worst_squared = r;
      continue;
    }
#endif
    for (int i = block->row; i < block->row + block->n; i++)
      rows->v[i] = row_speed(rows, block, i, rows->u);
    double r = residual_block(rows, block, rows->v + block->row);
    if (!(r <= worst)) worst = r;
  }
#if D == 2
  const double wedges = sqrt(worst_squared);
  if (!(wedges <= worst)) worst = wedges;
#endif
  return worst;
}
