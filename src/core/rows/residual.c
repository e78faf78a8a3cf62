/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#include "core/rows/residual.h"

#include "core/rows/impulses.h"
#include "core/rows/special.h"
#include "core/rows/residual_2.h"
#include "core/rows/tree_rows.h"

enum { MOST_ROWS = 6 }; /* of a block */

double dls_block_norm(const dls_rows *rows, const dls_block *block) {
  const double *length = rows->length + block->row;
  double norm = 0;
  for (int k = 0; k < block->n; k++)
    for (int j = 0; j < block->n; j++) {
      const double w = rows->W[(size_t)((block->row + k) * rows->nb + j)] * length[k] * length[j];
      norm += w * w;
    }
  return norm > 0 ? sqrt(norm) : 1;
}

dls_cone_shape dls_cone_of(const dls_rows *rows, const dls_block *block) {
  dls_cone_shape shape = {1, {1, 1, 0}, {block->mu[0], block->mu[1], 0}};
  if (rows->dim == 3)
    shape = (dls_cone_shape){1, {2, 1, 2}, {block->mu[0], block->mu[1], block->mu[2]}};
  if (block->kind == DLS_ROW_ROLLING) shape.n_parts = rows->dim;
  for (int k = 1, row = block->row + rows->dim; k < shape.n_parts; row += shape.rows[k], k++)
    shape.mu[k] /= rows->length[row];
  return shape;
}

void dls_admit(const dls_rows *rows, const dls_block *block, double *z) {
  const double length = rows->length[block->row];
  switch (block->kind) {
  case DLS_ROW_BILATERAL: return;
  case DLS_ROW_UNILATERAL: z[0] = dls_max(z[0], 0); return;
  case DLS_ROW_BOX: z[0] = dls_clamp(z[0], block->lo / length, block->hi / length); return;
  default: {
    const dls_cone_shape shape = dls_cone_of(rows, block);
    dls_cone_project(&shape, z);
  }
  }
}

/* y_n += sum of the bounds times the speeds. */
static void de_saxce(const dls_rows *rows, const dls_block *block, double *y) {
  if (block->kind != DLS_ROW_CONE && block->kind != DLS_ROW_ROLLING) return;
  const dls_cone_shape shape = dls_cone_of(rows, block);
  for (int k = 0, at = 1; k < shape.n_parts; at += shape.rows[k], k++) {
    double slip = y[at] * y[at];
    if (shape.rows[k] == 2) slip += y[at + 1] * y[at + 1];
    y[0] += shape.mu[k] * sqrt(slip);
  }
}

/* --- one block -------------------------------------------------------------------------------- */

/* Whether a spatial block is a contact, whose set is one circular cone. */
static inline bool is_circular(const dls_rows *rows, const dls_block *block) {
  const double *length = rows->length + block->row;
  return block->kind == DLS_ROW_CONE && length[0] == 1 && length[1] == 1 && length[2] == 1;
}

/* r of one, written out. */
static double residual_circular(const dls_rows *rows, const dls_block *block, const double *v) {
  const int i = block->row;
  const double *W = rows->W + (size_t)i * 6, *p = rows->p + i, mu = block->mu[0];
  double y[3], norm = 0;
  DLS_UNROLL
  for (int k = 0; k < 3; k++) {
    y[k] = v[k] + rows->s[i + k] + rows->gamma[i + k] * p[k];
    norm += W[k * 6] * W[k * 6] + W[k * 6 + 1] * W[k * 6 + 1] + W[k * 6 + 2] * W[k * 6 + 2];
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

/* r of a block of any kind. */
static double residual_general(const dls_rows *rows, const dls_block *block, const double *v) {
  double z[MOST_ROWS] = {0}, y[MOST_ROWS] = {0}, x[MOST_ROWS] = {0}, norm = 0, error = 0;
  for (int k = 0; k < block->n; k++) {
    const int i = block->row + k;
    z[k] = rows->p[i] / rows->length[i];
    y[k] = (v[k] + rows->s[i] + rows->gamma[i] * rows->p[i]) * rows->length[i];
  }
  norm = dls_block_norm(rows, block);
  de_saxce(rows, block, y);
  for (int k = 0; k < block->n; k++) x[k] = z[k] - y[k] / norm;
  dls_admit(rows, block, x);
  for (int k = 0; k < block->n; k++) error += (z[k] - x[k]) * (z[k] - x[k]);
  return norm * sqrt(error);
}

double dls_residual_block(const dls_rows *rows, const dls_block *block, const double *v) {
  if (rows->dim == 2 && dls_is_wedge(rows, block)) return dls_residual_wedge(rows, block, v);
  if (rows->dim == 3 && is_circular(rows, block)) return residual_circular(rows, block, v);
  return residual_general(rows, block, v);
}

/* --- several blocks, at the u at hand --------------------------------------------------------- */

DLS_WITH_NU double residual_at(int nu, const dls_rows *rows, const dls_block *block) {
  double *v = rows->v + block->row;
  if (block->compact) return rows->special->residual(rows, (int)(block - rows->block));
  for (int i = 0; i < block->n; i++) v[i] = dls_row_speed(nu, rows, block, block->row + i, rows->u);
  return dls_residual_block(rows, block, v);
}

DLS_WITH_NU double residual_of(int nu, const dls_rows *rows, const int *blocks, int n_blocks) {
  double worst = 0;
  for (int k = 0; k < n_blocks; k++) {
    const double r = residual_at(nu, rows, &rows->block[blocks[k]]);
    if (!(r <= worst)) worst = r;
  }
  return worst;
}

double dls_rows_residual_of(const dls_rows *rows, const int *blocks, int n_blocks) {
  return rows->nu == 3 ? residual_of(3, rows, blocks, n_blocks)
                       : residual_of(6, rows, blocks, n_blocks);
}

DLS_WITH_NU double residual_within(int nu, const dls_rows *rows, const int *blocks, int n_blocks,
                                   double limit) {
  double worst = 0;
  for (int k = 0; k < n_blocks; k++) {
    const double r = residual_at(nu, rows, &rows->block[blocks[k]]);
    if (!(r <= limit)) return DLS_INF;
    worst = dls_max(worst, r);
  }
  return worst;
}

double dls_residual_within(const dls_rows *rows, const int *blocks, int n_blocks, double limit) {
  return rows->nu == 3 ? residual_within(3, rows, blocks, n_blocks, limit)
                       : residual_within(6, rows, blocks, n_blocks, limit);
}

bool dls_residual_holds(const dls_rows *rows, const int *blocks, int n_blocks, double limit) {
  return dls_residual_within(rows, blocks, n_blocks, limit) < DLS_INF;
}

/* --- all blocks ------------------------------------------------------------------------------- */

/* r of a block that is written out; fills v. */
DLS_WITH_NU double residual_whole(int nu, dls_rows *rows, const dls_block *block) {
  double *v = rows->v + block->row;
  if (nu == 3 && block->second == 0 && dls_is_wedge(rows, block)) { /* most blocks */
    const double *J = rows->J + (size_t)block->row * 6;
    const double *u_a = rows->u + (size_t)block->a * 3, *u_b = rows->u + (size_t)block->b * 3;
    v[0] = dls_row_velocity(3, J, u_a, u_b);
    v[1] = dls_row_velocity(3, J + 6, u_a, u_b);
    return dls_residual_wedge(rows, block, v);
  }
  for (int i = 0; i < block->n; i++) v[i] = dls_row_speed(nu, rows, block, block->row + i, rows->u);
  return dls_residual_block(rows, block, v);
}

double dls_rows_residual(dls_rows *rows) {
  dls_apply_impulses(rows);
  double worst = 0;
  for (int run = 0, k = 0;; k = dls_run_end(rows, run++)) {
    for (const int end = dls_whole_until(rows, run); k < end; k++) {
      const dls_block *block = &rows->block[k];
      const double r =
          rows->nu == 3 ? residual_whole(3, rows, block) : residual_whole(6, rows, block);
      if (!(r <= worst)) worst = r;
    }
    if (run == rows->n_compact) return worst;
    const double r =
        rows->special->residuals(rows, rows->compact_run[2 * run], dls_run_end(rows, run));
    if (!(r <= worst)) worst = r;
  }
}

/* --- scale ------------------------------------------------------------------------------------ */

/* What row i makes of u_free by its shift alone: springs, motors. */
static double asked_of(const dls_rows *rows, const dls_block *block, int i) {
  const double own = rows->W[(size_t)(i * rows->nb + i - block->row)];
  const double w = own > 0 ? own : dls_row_alone(rows, block, i - block->row);
  return w > 0 ? fabs(rows->s[i]) * (w / (w + rows->gamma[i])) : 0;
}

/* Rows of springs, which come to rest where nothing weighs on them: what they make of u_free by
** themselves, and a share of the velocities whose difference J u_free is, so that a tolerance is
** not asked of their round-off. */
static double scale_of_springs(const dls_rows *rows, const dls_block *block) {
  static const double SHARE = 1e-2;
  const size_t nu = (size_t)rows->nu;
  const double *u_a = rows->u_free + (size_t)block->a * nu,
               *u_b = rows->u_free + (size_t)block->b * nu;
  double worst = 0;
  for (int i = block->row; i < block->row + block->n; i++) {
    const double *J = rows->J + (size_t)i * 2 * nu;
    double sum = 0;
    for (size_t k = 0; k < nu; k++) sum += fabs(J[k] * u_a[k]) + fabs(J[nu + k] * u_b[k]);
    const double push = asked_of(rows, block, i);
    worst = dls_max(worst, rows->length[i] * dls_max(push, SHARE * sum));
  }
  return worst;
}

DLS_WITH_NU double scale_at(int nu, const dls_rows *rows, const dls_block *block) {
  double worst = 0;
  for (int i = block->row; i < block->row + block->n; i++)
    worst = dls_max(worst, rows->length[i] * fabs(dls_row_speed(nu, rows, block, i, rows->u_free)));
  if (block->kind == DLS_ROW_BOX)
    return dls_max(worst, rows->length[block->row] * asked_of(rows, block, block->row));
  if (block->kind != DLS_ROW_BILATERAL || !(rows->gamma[block->row] > 0)) return worst;
  return dls_max(worst, scale_of_springs(rows, block));
}

double dls_rows_scale(const dls_rows *rows) {
  double worst = 0;
  for (int run = 0, k = 0;; k = dls_run_end(rows, run++)) {
    for (const int end = dls_whole_until(rows, run); k < end; k++) {
      const dls_block *block = &rows->block[k];
      worst = dls_max(worst, rows->nu == 3 ? scale_at(3, rows, block) : scale_at(6, rows, block));
    }
    if (run == rows->n_compact) return worst;
    worst = dls_max(worst,
                    rows->special->scale(rows, rows->compact_run[2 * run], dls_run_end(rows, run)));
  }
}
