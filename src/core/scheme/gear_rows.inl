/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
/* Gears: q_2 - ratio q_1 = rest, a row on the bodies of two joints. */

static void find_gear_rows(step *S) {
  const dls_world *w = S->w;
  dls_rows *rows = &S->rows;
  rows->second = S->second;
  for (int i = 0, n = 0; i < w->n_gears && S->n_gears > 0; i++) {
    wheels at;
    if (!w->gears[i].alive || !wheels_at(S, &w->gears[i], S->q_c, &at)) continue;
    const dls_joint *one = at.f[0].joint, *two = at.f[1].joint;
    const int row = rows->n_rows++;
    dls_second *second = &S->second[n++];
    S->what[rows->n_blocks] = -1;
    dls_block *block = &rows->block[rows->n_blocks++];
    *block = (dls_block){.kind = DLS_ROW_BILATERAL, .a = two->a, .b = two->b, .row = row, .n = 1,
                         .source = -1 - w->gears[i].joint[1], .second = n};
    second->c = one->a;
    second->d = one->b;
    memcpy(rows->J + (size_t)row * 2 * NU, at.J, 2 * NU * sizeof(double));
    memcpy(second->K, at.J + 2 * NU, 2 * NU * sizeof(double));
    rows->gamma[row] = rows->p[row] = 0;
    rows->length[row] = two->motions[0].kind == DLS_MOTION_SLIDE ? 1 : spin_length(S, &at.f[1]);
    S->bounce[row] = S->tangential[row] = S->drift[row] = 0;
    rows->s[row] = row_speed(rows, block, row, S->u_c); /* it holds the mean: see release_trees */
  }
}

/* The gear of a block that record_joint has noted on the second joint: the first gets its part. */
static void record_gear(step *S, const dls_block *block) {
  const dls_second *second = &S->second[block->second - 1];
  int n = 0;
  for (int i = 0; i < S->w->n_gears; i++) {
    wheels at;
    if (!S->w->gears[i].alive || !wheels_at(S, &S->w->gears[i], S->q_c, &at)) continue;
    if (++n != block->second) continue;
    add_own(S, S->w->gears[i].joint[0], second->K, S->rows.p[block->row] / S->h);
  }
}
