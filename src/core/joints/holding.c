/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#include "core/joints/holding.h"

#include "core/joints/joint_frame.h"
#include "core/joints/joint_gaps.h"
#include "core/joints/joint_rows.h"
#include "core/model/frames.h"
#include "core/model/motion.h"
#include "core/model/row_frame.h"

/* --- which, and what they hold ---------------------------------------------------------------- */

/* Whether a row of a joint held its velocity: of y = v + s and of the way of p to its bounds, in
** velocities, the first is the less. A row at its bound, or one that parts, is off by what the
** solver left. Where impacts come before the forces, p has both impulses, and y is of the last. */
static bool has_held(const dls_joint_stage *S, const dls_block *block) {
  const dls_rows *rows = S->rows;
  const int row = block->row;
  const double p = rows->p[row], y = rows->v[row] + rows->s[row];
  const double room = block->kind == DLS_ROW_BOX ? dls_min(p - block->lo, block->hi - p) : p;
  if (S->w->impact != DLS_IMPACT_NEWTON) return room > 0;
  return room > 0 && fabs(y) <= rows->W[(size_t)(row * rows->nb)] * room;
}

/* k of a block that holds the velocity k of its joint. */
static int velocity_of(int what) { return (what & ~DLS_WHAT_MOTOR) - DLS_JOINT_LIMITS; }

/* The velocity that a row which held ends with. A limit that was closed when the step began has the
** rate that it had then, to the other side. Where impacts come before the forces, what an impact
** held may be left behind: y is of the solve. */
static double velocity_held(const dls_joint_stage *S, const dls_block *block, int index) {
  const dls_rows *rows = S->rows;
  const int row = block->row, what = S->what[block - rows->block];
  const double y = S->w->impact == DLS_IMPACT_NEWTON ? 0 : rows->v[row] + rows->s[row];
  double late;
  if (what < DLS_JOINT_LIMITS) {
    const dls_limit_start start = dls_joints_limit_start(S, index, what);
    if (!start.open) return y - (1 - S->theta) / S->theta * dls_max(0, start.rate);
    late = dls_joints_limit_gain(S, block, &start);
  } else {
    late = dls_joints_late_rate(S, block, index, velocity_of(what));
  }
  return y - rows->s[row] + dls_joints_admitted_more(S, block) + late;
}

/* Whether what the end of the step makes of velocities is left out of body i's. */
static bool keeps_own(const dls_joint_stage *S, int i) {
  return dls_moves_freely(&S->w->bodies[i]) && !S->held[i];
}

/* What that row is at q'. False: there is none. */
static bool hold(const dls_joint_stage *S, const dls_block *block, dls_overlap *out) {
  const int index = -1 - block->source, what = S->what[block - S->rows->block];
  dls_joint_frame f;
  double d[6], gap;
  if (what < DLS_JOINT_LIMITS) {
    dls_joint_frame_for_limits(S->w, index, S->q_n, NULL, &f);
    if (!dls_joint_frame_limit(&f, what, &gap, d)) return false;
  } else {
    f = dls_joint_frame_at(S->w, index, S->q_n);
    if (!f.regular) return false;
    memcpy(d, f.dual + 6 * velocity_of(what), sizeof d);
  }
  *out = (dls_overlap){.a = block->a, .b = block->b, .both = true, .size = 1, .source = index};
  out->gap = -velocity_held(S, block, index);
  dls_joint_frame_row(S->w, &f, S->q_n, d, out->J);
  dls_overlap_weigh(S, out);
  return true;
}

/* Not those of penalty joints to bodies that nothing else holds, which have no part in it. */
dls_status dls_holding_find(dls_joint_stage *S, dls_overlap *o, int *n, dls_holding *H) {
  const dls_rows *rows = S->rows;
  dls_arena *tmp = &S->w->arena;
  const int most = *n + rows->n_blocks + S->n_late;
  *H = (dls_holding){.from = *n, .row = DLS_TAKE(tmp, int, most),
                     .given = DLS_TAKE(tmp, bool, most), .gap = DLS_TAKE(tmp, double, most)};
  S->w->need_arena = dls_bytes_add(tmp->size, 16 * (size_t)most + 8192);
  if (!H->row || !H->given || !H->gap) return DLS_FULL;
  for (int k = 0; k < rows->n_blocks; k++) {
    const dls_block *block = &rows->block[k];
    const int row = block->row, what = S->what[k];
    if (block->source >= 0 || what < 0 || what >= DLS_WHAT_SPRINGS || rows->gamma[row] > 0)
      continue;
    if (S->carried && (S->carried[block->a] || S->carried[block->b]))
      continue; /* nothing moves there */
    if (keeps_own(S, block->a) || keeps_own(S, block->b) || !has_held(S, block)) continue;
    if (!hold(S, block, &o[*n])) continue;
    H->row[H->n] = k;
    H->given[H->n++] = false;
    ++*n;
  }
  return DLS_OK;
}

void dls_holding_add_limits(const dls_joint_stage *S, dls_overlap *o, int *n, dls_holding *H) {
  const dls_rows *rows = S->rows;
  for (int k = 0, own = 0; k < rows->n_blocks; k++) {
    const dls_block *block = &rows->block[k];
    const int what = S->what[k], index = -1 - block->source;
    const bool held = own < H->n && H->row[own] == k;
    own += held;
    if (block->source >= 0 || what < 0 || what >= DLS_JOINT_LIMITS || held) continue;
    if (keeps_own(S, block->a) || keeps_own(S, block->b)) continue;
    dls_joint_frame f;
    double d[6], gap;
    dls_joint_frame_for_limits(S->w, index, S->q_n, NULL, &f);
    if (!dls_joint_frame_limit(&f, what, &gap, d)) continue;
    if (gap > dls_joints_closed_limit(S, index, what)) continue;
    dls_overlap *out = &o[*n];
    *out = (dls_overlap){.a = block->a, .b = block->b, .size = 1, .source = index};
    dls_joint_frame_row(S->w, &f, S->q_n, d, out->J);
    dls_overlap_weigh(S, out);
    H->gap[(*n)++] = 0;
  }
}

/* --- with what is left of their bounds -------------------------------------------------------- */

/* What is left: p + pi within them. */
static double within(const dls_rows *rows, const dls_block *block, double pi) {
  /* Of the bound, or of what presses: rows at it, and limits that let go, are so to second order */
  static const double NEAR = 1e-6;
  const double p = rows->p[block->row];
  const bool box = block->kind == DLS_ROW_BOX;
  const double lo = box ? block->lo : 0, hi = box ? block->hi : DLS_INF,
               near = NEAR * (box ? hi - lo : p);
  if (p + pi < lo - near) return lo - p;
  if (p + pi > hi + near) return hi - p;
  return pi;
}

bool dls_holding_gives_way(const dls_joint_stage *S, dls_overlap *o, dls_holding *H) {
  bool some = false;
  for (int k = 0; k < H->n; k++) {
    dls_overlap *own = &o[H->from + k];
    if (H->given[k]) continue;
    const double pi = within(S->rows, &S->rows->block[H->row[k]], own->pi);
    H->given[k] = pi != own->pi;
    own->pi = pi;
    some = some || H->given[k];
  }
  return some;
}

/* The velocities u of one body at q, with the impulse pi J, as if it were alone. */
static void push_alone(const dls_joint_stage *S, int i, double pi, const double *J,
                       const double *q, double *u) {
  const dls_body *body = &S->w->bodies[i];
  if (!dls_moves_freely(body) || !(body->mass > 0)) return;
  for (int k = 0; k < S->dim; k++) u[k] += pi * J[k] / body->mass;
  if (S->dim == 2) {
    u[2] += pi * J[2] * body->inverse[0];
    return;
  }
  const dls_vec3 turn = dls_angular_rate(body, q, dls_v3_scale(pi, dls_v3_load(J + 3)));
  dls_v3_store(u + 3, dls_v3_add(dls_v3_load(u + 3), turn));
}

void dls_holding_push(const dls_joint_stage *S, const dls_overlap *o, const dls_holding *H,
                      const double *q, double *u) {
  for (int k = 0; k < H->n; k++) {
    const dls_overlap *own = &o[H->from + k];
    for (int e = 0; e < 2 && H->given[k]; e++) {
      const int i = dls_overlap_end(own, e);
      push_alone(S, i, own->pi, own->J + e * S->nu, DLS_Q(S, q, i), DLS_U(S, u, i));
    }
  }
}
