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

/* r^2 of a planar contact, whose set is a wedge, written out; norm: |W|. Contacts stick, slide and open as they
** come, so both answers are made and one is taken, without a branch. */
static inline __attribute__((always_inline)) double wedge_error(double norm, double mu, double p_n, double p_t,
                                                                double v_n, double y_t) {
  const double y_n = v_n + mu * fabs(y_t);
  const double x_n = norm * p_n - y_n, x_t = norm * p_t - y_t, size = fabs(x_t);
  const double side = (x_n + mu * size) / (1 + mu * mu); /* outside: the apex, or a side */
  const double z_n = dls_choose(side > 0, side, 0), z_t = copysign(mu * z_n, x_t);
  const bool outside = (x_n < 0) | (size > mu * x_n);
  const double d_n = dls_choose(outside, norm * p_n - z_n, y_n);
  const double d_t = dls_choose(outside, norm * p_t - z_t, y_t);
  return d_n * d_n + d_t * d_t;
}

/* The same of two at once. */
typedef double duo __attribute__((vector_size(16)));
typedef int64_t duo_bits __attribute__((vector_size(16)));

static inline duo choose_duo(duo_bits yes, duo a, duo b) {
  return (duo)(((duo_bits)a & yes) | ((duo_bits)b & ~yes));
}

static inline __attribute__((always_inline)) duo wedge_errors(duo norm, duo mu, duo p_n, duo p_t, duo v_n, duo y_t) {
  const duo_bits sign = (duo_bits){INT64_MIN, INT64_MIN};
  const duo zero = {0, 0}, y_n = v_n + mu * (duo)((duo_bits)y_t & ~sign);
  const duo x_n = norm * p_n - y_n, x_t = norm * p_t - y_t, size = (duo)((duo_bits)x_t & ~sign);
  const duo side = (x_n + mu * size) / (1 + mu * mu);
  const duo z_n = (duo)((duo_bits)side & (side > zero)), z_t = mu * z_n;
  duo_bits outside = (x_n < zero) | (size > mu * x_n);
#if defined(__SSE2__)
  __asm__("" : "+x"(outside)); /* gcc would choose one by one, through other registers */
#endif
  const duo d_n = choose_duo(outside, norm * p_n - z_n, y_n);
  const duo d_t = choose_duo(outside, norm * p_t - (duo)((duo_bits)z_t | ((duo_bits)x_t & sign)), y_t);
  return d_n * d_n + d_t * d_t;
}

static inline double wedge_squared(const dls_rows *rows, const dls_block *block, const double *v) {
  const int i = block->row;
  const double *W = rows->W + (size_t)i * NB, p_n = rows->p[i], p_t = rows->p[i + 1];
  const double w = W[0] * W[0] + W[1] * W[1] + W[NB] * W[NB] + W[NB + 1] * W[NB + 1];
  return wedge_error(w > 0 ? sqrt(w) : 1, block->mu[0], p_n, p_t, v[0] + rows->s[i] + rows->gamma[i] * p_n,
                     v[1] + rows->s[i + 1] + rows->gamma[i + 1] * p_t);
}

/* r^2 of a lean block; v: its rows' velocities at u. */
static inline double lean_squared(const dls_lean *c, const double *p, const double *s, const double *u, double *v) {
  dls_lean_speeds(c, u + (size_t)c->a * NU, u + (size_t)c->b * NU, v);
  return wedge_error(c->norm, c->mu, p[0], p[1], v[0] + s[0], v[1] + s[1]);
}

/* The largest of a run, with which v is filled. */
static double residual_lean(dls_rows *rows, int run) {
  const int first = rows->lean_run[2 * run], n = run_end(rows, run) - first, row = rows->block[first].row;
  const dls_lean *c = rows->lean + first;
  const double *p = rows->p + row, *s = rows->s + row, *u = rows->u;
  double *v = rows->v + row;
  duo worst = {0, 0};
  for (int k = 0; k < n; k++, c++, v += 2) dls_lean_speeds(c, u + (size_t)c->a * NU, u + (size_t)c->b * NU, v);
  c -= n, v -= 2 * (size_t)n;
  for (int k = 0; k < n; k += 2, c += 2, p += 4, s += 4, v += 4) {
    const int d = k + 1 < n; /* the last may stand for both */
    const duo norm = {c[0].norm, c[d].norm}, mu = {c[0].mu, c[d].mu};
    const duo p_n = {p[0], p[2 * d]}, p_t = {p[1], p[2 * d + 1]};
    const duo y_n = (duo){v[0], v[2 * d]} + (duo){s[0], s[2 * d]};
    const duo y_t = (duo){v[1], v[2 * d + 1]} + (duo){s[1], s[2 * d + 1]};
    const duo r = wedge_errors(norm, mu, p_n, p_t, y_n, y_t);
    worst = choose_duo(r <= worst, worst, r);
  }
  return worst[1] <= worst[0] ? worst[0] : worst[1];
}

/* max |J u_f| of a run. */
static double scale_of_lean(const dls_rows *rows, int run) {
  const dls_lean *c = rows->lean + rows->lean_run[2 * run], *const end = rows->lean + run_end(rows, run);
  const double *u = rows->u_free;
  double worst[2] = {0, 0}, v[2];
  for (; c < end; c++) {
    dls_lean_speeds(c, u + (size_t)c->a * NU, u + (size_t)c->b * NU, v);
    worst[0] = dls_max(worst[0], fabs(v[0]));
    worst[1] = dls_max(worst[1], fabs(v[1]));
  }
  return dls_max(worst[0], worst[1]);
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
#if D == 2
  if (block->lean)
    return sqrt(lean_squared(&rows->lean[block - rows->block], rows->p + block->row, rows->s + block->row,
                             rows->u, v));
#endif
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

/* Rows of springs, which come to rest where nothing weighs on them: what they make of u_f by themselves, and a share of
** the velocities whose difference J u_f is, so that a tolerance is not asked of their round-off. */
static double scale_of_springs(const dls_rows *rows, const dls_block *block) {
  static const double SHARE = 1e-3;
  const double *u_a = rows->u_free + (size_t)block->a * NU, *u_b = rows->u_free + (size_t)block->b * NU;
  double worst = 0;
  for (int i = block->row; i < block->row + block->n; i++) {
    const double w = rows->W[(size_t)i * NB + (size_t)(i - block->row)], *J = rows->J + (size_t)i * 2 * NU;
    double sum = 0;
    for (int k = 0; k < NU; k++) sum += fabs(J[k] * u_a[k]) + fabs(J[NU + k] * u_b[k]);
    const double push = fabs(rows->s[i]) * (w / (w + rows->gamma[i]));
    worst = dls_max(worst, rows->length[i] * dls_max(push, SHARE * sum));
  }
  return worst;
}

static double scale_at(const dls_rows *rows, const dls_block *block) {
  double worst = 0;
  for (int i = block->row; i < block->row + block->n; i++)
    worst = dls_max(worst, rows->length[i] * fabs(row_speed(rows, block, i, rows->u_free)));
  if (block->kind != DLS_ROW_BILATERAL || !(rows->gamma[block->row] > 0)) return worst;
  return dls_max(worst, scale_of_springs(rows, block));
}

/* max |J u_f| of all blocks, and what springs push. */
static double scale_of_all(const dls_rows *rows) {
  double worst = 0;
  for (int run = 0, k = 0;; k = run_end(rows, run++)) {
    for (const int end = whole_until(rows, run); k < end; k++)
      worst = dls_max(worst, scale_at(rows, &rows->block[k]));
    if (run == rows->n_lean) return worst;
#if D == 2
    worst = dls_max(worst, scale_of_lean(rows, run));
#endif
  }
}

/* r of a block that is written out; fills v. */
static double residual_whole(dls_rows *rows, const dls_block *block) {
#if D == 2
  if (block->second == 0 && is_wedge(rows, block)) { /* most blocks */
    const double *J = rows->J + (size_t)block->row * 2 * NU;
    const double *u_a = rows->u + (size_t)block->a * NU, *u_b = rows->u + (size_t)block->b * NU;
    double *v = rows->v + block->row;
    v[0] = row_velocity(J, u_a, u_b);
    v[1] = row_velocity(J + 2 * NU, u_a, u_b);
    return sqrt(wedge_squared(rows, block, v));
  }
#endif
  for (int i = block->row; i < block->row + block->n; i++) rows->v[i] = row_speed(rows, block, i, rows->u);
  return residual_block(rows, block, rows->v + block->row);
}

static double residual(dls_rows *rows) {
  apply_impulses(rows);
  double worst = 0;
  for (int run = 0, k = 0;; k = run_end(rows, run++)) {
    for (const int end = whole_until(rows, run); k < end; k++) {
      const double r = residual_whole(rows, &rows->block[k]);
      if (!(r <= worst)) worst = r;
    }
    if (run == rows->n_lean) return worst;
#if D == 2
    const double r = sqrt(residual_lean(rows, run));
    if (!(r <= worst)) worst = r;
#endif
  }
}
