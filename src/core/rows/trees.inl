/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
/* Rows on bodies in trees: they meet through the forest's factor, J M^-1 J', and impulses on one link
** move the whole tree. Such islands are assembled. */

static bool in_tree(const dls_rows *rows, int body) { return rows->tree && rows->tree[body] >= 0; }

static bool touches_tree(const dls_rows *rows, const dls_block *block) {
  const dls_second *s = second_of(rows, block);
  if (s && (in_tree(rows, s->c) || in_tree(rows, s->d))) return true;
  return in_tree(rows, block->a) || in_tree(rows, block->b);
}

static bool island_in_tree(const dls_rows *rows, const int *blocks, int n) {
  for (int k = 0; rows->tree && k < n; k++)
    if (touches_tree(rows, &rows->block[blocks[k]])) return true;
  return false;
}

/* What sweeps over bodies cannot do. */
static bool must_assemble(const dls_rows *rows, const int *blocks, int n) {
  for (int k = 0; rows->second && k < n; k++)
    if (rows->block[blocks[k]].second > 0) return true;
  return island_in_tree(rows, blocks, n);
}

/* (v, w) numbers of a row as (moment, force) of a link. */
static void as_wrench(const double *j, double p, double *out) {
#if D == 2
  out[2] += p * j[2];
  out[3] += p * j[0];
  out[4] += p * j[1];
#else
  for (int i = 0; i < 3; i++) {
    out[i] += p * j[3 + i];
    out[3 + i] += p * j[i];
  }
#endif
}

/* W += the trees' part; the blocks' own W follow. */
static dls_status add_trees(dls_rows *rows, const int *blocks, int n, int m, dls_arena *tmp,
                            double *W) {
  const size_t mark = dls_arena_mark(tmp);
  int *first = DLS_TAKE(tmp, int, m + 1);
  dls_row_side *sides = DLS_TAKE(tmp, dls_row_side, 4 * m + 1);
  double *part = DLS_TAKE(tmp, double, (size_t)m * (size_t)m);
  size_t own = dls_arena_bytes((size_t)m + 1, sizeof(int)) +
               dls_arena_bytes(4 * (size_t)m + 1, sizeof(dls_row_side)) +
               dls_arena_bytes((size_t)m * (size_t)m, sizeof(double));
  rows->need = dls_bytes_add(rows->need, own);
  dls_status status = DLS_FULL;
  if (first && sides && part) {
    int at = 0, n_sides = 0;
    first[0] = 0;
    for (int k = 0; k < n; k++) {
      const dls_block *block = &rows->block[blocks[k]];
      for (int i = block->row; i < block->row + block->n; i++) {
        arm arms[4];
        const int n_arms = arms_of(rows, block, i - block->row, arms);
        for (int e = 0; e < n_arms; e++) {
          if (!in_tree(rows, arms[e].body)) continue;
          dls_row_side *side = &sides[n_sides++];
          *side = (dls_row_side){.link = rows->link[arms[e].body]};
          as_wrench(arms[e].J, 1, side->j);
        }
        first[++at] = n_sides;
      }
    }
    const dls_forest_rows list = {m, first, sides, NULL, NULL};
    rows->need = dls_bytes_add(rows->need, dls_forest_delassus_bytes(rows->forest, &list));
    status = dls_forest_delassus(rows->forest, rows->state, &list, tmp, part);
  }
  for (size_t i = 0; status == DLS_OK && i < (size_t)m * (size_t)m; i++) W[i] += part[i];
  int at = 0;
  for (int k = 0; status == DLS_OK && k < n; k++) {
    const dls_block *block = &rows->block[blocks[k]];
    for (int i = 0; i < block->n; i++)
      for (int j = 0; j < block->n; j++)
        rows->W[(size_t)(block->row + i) * NB + j] = W[(size_t)(at + i) * (size_t)m + (size_t)(at + j)];
    at += block->n;
  }
  dls_arena_release(tmp, mark);
  return status;
}

/* u of the bodies in trees: u_free, and what all impulses add. */
static void apply_to_trees(dls_rows *rows) {
  const dls_forest *forest = rows->forest;
  bool any = false;
  for (int k = 0; k < rows->n_blocks; k++) {
    const dls_block *block = &rows->block[k];
    if (!touches_tree(rows, block)) continue;
    if (!any) memset(rows->wrench, 0, 6 * (size_t)forest->n_links * sizeof(double));
    any = true;
    for (int i = 0; i < block->n; i++) {
      arm arms[4];
      const int n_arms = arms_of(rows, block, i, arms);
      for (int e = 0; e < n_arms; e++)
        if (in_tree(rows, arms[e].body))
          as_wrench(arms[e].J, rows->p[block->row + i],
                    rows->wrench + 6 * (size_t)rows->link[arms[e].body]);
    }
  }
  rows->pushed = any;
  memcpy(rows->g, rows->g_free, (size_t)forest->nu * sizeof(double));
  if (!any) return;
  dls_forest_respond(forest, rows->state, NULL, rows->wrench, rows->dg);
  for (int i = 0; i < forest->nu; i++) rows->g[i] += rows->dg[i];
  dls_forest_velocities(forest, rows->state, rows->dg, false, rows->velocity);
  for (int k = 0; k < forest->n_links; k++) {
    const int body = rows->link_body[k];
    if (!in_tree(rows, body)) continue;
    const double *v = rows->velocity + 6 * (size_t)k;
    double *u = rows->u + (size_t)body * NU;
#if D == 2
    u[0] += v[3], u[1] += v[4], u[2] += v[2];
#else
    for (int i = 0; i < 3; i++) u[i] += v[3 + i], u[3 + i] += v[i];
#endif
  }
}
