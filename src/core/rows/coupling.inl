/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
/* What two rows share. */

/* Where a row acts: body, J and M^-1 J' there. */
typedef struct arm {
  int body;
  const double *J, *MJ;
} arm;

static int arms_of(const dls_rows *rows, const dls_block *block, int i, arm out[4]) {
  const size_t at = (size_t)(block->row + i) * 2 * NU;
  out[0] = (arm){block->a, rows->J + at, rows->MJ + at};
  out[1] = (arm){block->b, rows->J + at + NU, rows->MJ + at + NU};
  const dls_second *s = second_of(rows, block);
  if (!s) return 2;
  out[2] = (arm){s->c, s->K, s->MK};
  out[3] = (arm){s->d, s->K + NU, s->MK + NU};
  return 4;
}

/* W_ij of row i of one block and row j of another: what they share of a body. */
static double coupling(const dls_rows *rows, const dls_block *x, int i, const dls_block *y,
                       int j) {
  arm a[4], b[4];
  const int n_a = arms_of(rows, x, i, a), n_b = arms_of(rows, y, j, b);
  double sum = 0;
  for (int k = 0; k < n_a; k++)
    for (int l = 0; l < n_b; l++)
      if (a[k].body == b[l].body) sum += dot_u(a[k].J, b[l].MJ);
  return sum;
}

static bool meet(const dls_block *x, const dls_block *y) {
  if (x->second > 0 || y->second > 0) return true;
  return x->a == y->a || x->a == y->b || x->b == y->a || x->b == y->b;
}
