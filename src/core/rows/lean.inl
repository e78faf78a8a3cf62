/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
/* All blocks: those that are written out, and in between runs of lean ones (lean.h), whose rows stand one behind
** the other; and lean ones written out for whoever wants that. */

/* Where the blocks that are written out end before a run; where the run ends. */
static inline int whole_until(const dls_rows *rows, int run) {
  return run < rows->n_lean ? rows->lean_run[2 * run] : rows->n_blocks;
}
static inline int run_end(const dls_rows *rows, int run) { return rows->lean_run[2 * run + 1]; }

#if D == 2
/* J, M^-1 J' and all else of block k, which is lean. */
static void write_out(dls_rows *rows, int k) {
  const dls_block *block = &rows->block[k];
  const int row = block->row;
  dls_lean_rows(&rows->lean[k], rows->J + (size_t)row * 2 * NU);
  rows->gamma[row] = rows->gamma[row + 1] = 0;
  rows->length[row] = rows->length[row + 1] = 1;
  prepare_rows(rows, block, D);
}

static void write_out_blocks(dls_rows *rows, const int *blocks, int n) {
  for (int k = 0; k < n && rows->n_lean > 0; k++)
    if (rows->block[blocks[k]].lean) write_out(rows, blocks[k]);
}

/* u += M^-1 J' p of one. */
static inline void push_one(const dls_rows *rows, const dls_lean *c, const double *p) {
  double *u_a = rows->u + (size_t)c->a * NU, *u_b = rows->u + (size_t)c->b * NU;
  const double x = c->nx * p[0] + c->ny * p[1], y = c->ny * p[0] - c->nx * p[1];
  const double m_a = rows->inv_mass[c->a], m_b = rows->inv_mass[c->b];
  u_a[0] -= m_a * x, u_a[1] -= m_a * y, u_a[2] += rows->inv_inertia[c->a] * (c->turn_a * p[1]);
  u_b[0] += m_b * x, u_b[1] += m_b * y, u_b[2] += rows->inv_inertia[c->b] * (c->turn_b * p[1]);
}

/* Of a run. */
static void push_lean(const dls_rows *rows, int run) {
  const int first = rows->lean_run[2 * run];
  const dls_lean *c = rows->lean + first, *const end = rows->lean + run_end(rows, run);
  const dls_rows own = *rows; /* what is written can be no part of it */
  for (const double *p = rows->p + rows->block[first].row; c < end; c++, p += 2) push_one(&own, c, p);
}
#else
static void write_out_blocks(dls_rows *rows, const int *blocks, int n) { (void)rows, (void)blocks, (void)n; }
static void push_lean(const dls_rows *rows, int run) { (void)rows, (void)run; }
#endif

static void prepare(dls_rows *rows, bool stay_lean) {
  rows->n_odd = 0;
  for (int run = 0, k = 0;; k = run_end(rows, run++)) {
    for (const int end = whole_until(rows, run); k < end; k++) prepare_block(rows, &rows->block[k]);
    if (run == rows->n_lean) break;
  }
  if (stay_lean || rows->n_lean == 0) return;
  for (int run = 0; run < rows->n_lean; run++)
    for (int k = rows->lean_run[2 * run]; k < run_end(rows, run); k++) {
      write_out_blocks(rows, &k, 1);
      rows->block[k].lean = false;
    }
  rows->n_lean = 0;
}

/* u += M^-1 J' p of one block. */
static void push_block(dls_rows *rows, const dls_block *block) {
#if D == 2
  if (block->lean) {
    push_one(rows, &rows->lean[block - rows->block], rows->p + block->row);
    return;
  }
#endif
  double *u_a = rows->u + (size_t)block->a * NU, *u_b = rows->u + (size_t)block->b * NU;
  for (int i = block->row; i < block->row + block->n; i++) {
    const double *MJ = rows->MJ + (size_t)i * 2 * NU;
    add_u(u_a, rows->p[i], MJ);
    add_u(u_b, rows->p[i], MJ + NU);
  }
  const dls_second *s = second_of(rows, block);
  if (!s) return;
  add_u(rows->u + (size_t)s->c * NU, rows->p[block->row], s->MK);
  add_u(rows->u + (size_t)s->d * NU, rows->p[block->row], s->MK + NU);
}

/* Most blocks have D rows: those read and write each velocity once. */
static inline void push_whole(dls_rows *rows, const dls_block *block) {
  if (block->n != D || block->second > 0 || block->a == block->b) {
    push_block(rows, block);
    return;
  }
  const double *MJ = rows->MJ + (size_t)block->row * 2 * NU, *p = rows->p + block->row;
  double *u_a = rows->u + (size_t)block->a * NU, *u_b = rows->u + (size_t)block->b * NU;
  for (int i = 0; i < NU; i++) {
    double at_a = u_a[i], at_b = u_b[i];
    for (int j = 0; j < D; j++) {
      at_a += p[j] * MJ[j * 2 * NU + i];
      at_b += p[j] * MJ[j * 2 * NU + NU + i];
    }
    u_a[i] = at_a;
    u_b[i] = at_b;
  }
}

/* u = u_free + M^-1 J' p, blocks in order. */
static void apply_impulses(dls_rows *rows) {
  memcpy(rows->u, rows->u_free, (size_t)rows->n_bodies * NU * sizeof(double));
  for (int run = 0, k = 0;; k = run_end(rows, run++)) {
    for (const int end = whole_until(rows, run); k < end; k++) push_whole(rows, &rows->block[k]);
    if (run == rows->n_lean) break;
    push_lean(rows, run);
  }
  if (rows->tree) apply_to_trees(rows);
}
