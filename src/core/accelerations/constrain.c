/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#include "core/accelerations/constrain.h"

#include "core/accelerations/contacts_acc.h"
#include "core/accelerations/follow.h"
#include "core/accelerations/joint_acc.h"
#include "core/accelerations/laws.h"
#include "core/forest/pinned.h"
#include "core/joints/joint_forces.h"
#include "core/joints/joint_frame.h"
#include "core/math/dense.h"
#include "core/model/frames.h"

typedef struct held {
  int n;            /* rows */
  dls_acc_row *row; /* n                         */
  int *joint;         /* n: whose                  */
  int *other;         /* n: a gear's first one, -1 */
  int *first;         /* n + 1: into sides         */
  dls_row_side *sides; /* first[n]: what the rows act on */
  double *W, *b, *x;  /* n x n; n; n: multipliers  */
} held;

/* HOLDING: RIGID, and motors without bound */
typedef enum wanted { RIGID, HOLDING, ACTING, SATURATED } wanted;

/* A row that drives or brakes with all it has. */
static bool saturated(const dls_acc_row *row) {
  return row->kind == DLS_ROW_BOX && fabs(row->v) > DLS_JOINT_STILL;
}

static bool is_wanted(const dls_acc_row *row, wanted which) {
  switch (which) {
    case RIGID: return row->kind == DLS_ROW_BILATERAL;
    case HOLDING: return row->kind == DLS_ROW_BILATERAL || dls_acc_row_holds_speed(row);
    case SATURATED: return saturated(row);
    case ACTING: break;
  }
  if (row->kind == DLS_ROW_UNILATERAL && row->v > DLS_JOINT_STILL) return false; /* it leaves */
  return !saturated(row);
}

static bool gear_of(const dls_world *w, int index, wanted which, dls_acc_row *row) {
  if (which == SATURATED) return false;
  return dls_gear_acc_row(w, index, row);
}

/* Rows of joint i: penalty joints are forces, but for motors that hold a speed and friction at
** rest. */
static int rows_of(const dls_world *w, int i, dls_acc_row *rows) {
  return w->joints[i].formulation == DLS_PENALTY ? dls_penalty_acc_drives(w, i, rows)
                                                 : dls_joint_acc_rows(w, i, rows);
}

static int count(const dls_world *w, wanted which) {
  dls_acc_row rows[DLS_JOINT_ACC_ROWS];
  int n = 0;
  for (int i = 0; i < w->n_joints; i++) {
    const int m = rows_of(w, i, rows);
    for (int k = 0; k < m; k++) n += is_wanted(&rows[k], which);
  }
  for (int i = 0; i < w->n_gears; i++) n += gear_of(w, i, which, rows);
  return n;
}

bool dls_world_is_constrained(const dls_world *w) {
  for (int i = 0; i < w->n_joints; i++)
    if (w->joints[i].alive && w->joints[i].formulation == DLS_RIGID) return true;
  for (int i = 0; i < w->n_gears; i++)
    if (w->gears[i].alive) return true;
  return false;
}

/* NU numbers of a row as moment and force. */
static void as_side(const dls_world *w, const double *J, double *j) {
  const double flat[6] = {0, 0, J[2], J[0], J[1], 0};
  const double full[6] = {J[3], J[4], J[5], J[0], J[1], J[2]};
  memcpy(j, w->dim == 2 ? flat : full, sizeof flat);
}

static dls_status take(dls_world *w, held *h, int n) {
  dls_arena *tmp = &w->trees->rows_arena;
  const size_t m = (size_t)n, ld = dls_lanes_ld(n);
  size_t bytes = dls_arena_bytes(m, sizeof *h->row);
  bytes = dls_bytes_add(bytes, dls_arena_bytes(4 * m + 1, sizeof *h->sides));
  bytes = dls_bytes_add(bytes, dls_arena_bytes(8 * m + 16, sizeof(double)));
  bytes = dls_bytes_add(bytes, 8 * dls_arena_bytes(m * ld + ld, sizeof(double)) + 4096);
  if (tmp->size < bytes) {
    dls_status status = dls_arena_reserve(tmp, &w->alloc, bytes);
    if (status != DLS_OK) return status;
  }
  tmp->used = 0;
  h->n = n;
  h->row = DLS_TAKE(tmp, dls_acc_row, n);
  h->joint = DLS_TAKE(tmp, int, n);
  h->other = DLS_TAKE(tmp, int, n);
  h->first = DLS_TAKE(tmp, int, n + 1);
  h->sides = DLS_TAKE(tmp, dls_row_side, 4 * n + 1);
  h->W = DLS_TAKE(tmp, double, m * m);
  h->b = DLS_TAKE(tmp, double, n);
  h->x = DLS_TAKE(tmp, double, n);
  return h->row && h->joint && h->other && h->first && h->sides && h->W && h->b && h->x ? DLS_OK
                                                                                        : DLS_FULL;
}

/* Row number `at` of the list is made of the rest of it. */
static void add_row(const dls_world *w, held *h, int at, const dls_acc_row *row, int joint,
                    int other, int *n_sides) {
  const int body[4] = {row->a, row->b, row->c, row->d};
  h->row[at] = *row;
  h->joint[at] = joint;
  h->other[at] = other;
  h->first[at] = *n_sides;
  for (int e = 0; e < row->n_ends; e++) {
    const int link = body[e] == 0 ? -1 : w->trees->body_link[body[e]];
    if (link < 0) continue;
    h->sides[*n_sides].link = link;
    as_side(w, row->J + (size_t)e * dls_nu_of(w), h->sides[(*n_sides)++].j);
  }
}

/* Rows of contacts, in the room that is kept for them: looked for again where there are more. */
static dls_status find_contacts(dls_world *w, int *n, const dls_acc_row **rows) {
  dls_arena *room = &w->trees->acc_room.contacts;
  dls_status status = DLS_OK;
  *n = 0;
  for (int most = -1; status == DLS_OK && *n > most;) {
    status = dls_arena_reserve(room, &w->alloc, dls_arena_bytes((size_t)*n, sizeof **rows));
    if (status != DLS_OK) break;
    const size_t fits = room->size / DLS_ALIGN * DLS_ALIGN / sizeof **rows;
    most = fits < INT32_MAX ? (int)fits : INT32_MAX;
    dls_acc_row *out = DLS_TAKE(room, dls_acc_row, most);
    *rows = out;
    status = dls_contacts_acc(w, out, most, n);
  }
  return status;
}

/* Contacts last. */
static dls_status collect(dls_world *w, held *h, wanted which, bool contacts) {
  dls_acc_row rows[DLS_JOINT_ACC_ROWS];
  const dls_acc_row *touching = NULL;
  int n_contacts = 0;
  dls_status status = contacts ? find_contacts(w, &n_contacts, &touching) : DLS_OK;
  if (status == DLS_OK) status = take(w, h, count(w, which) + n_contacts);
  int at = 0, n_sides = 0;
  for (int i = 0; status == DLS_OK && i < w->n_joints; i++) {
    const int m = rows_of(w, i, rows);
    for (int k = 0; k < m; k++) {
      if (is_wanted(&rows[k], which)) add_row(w, h, at++, &rows[k], i, -1, &n_sides);
    }
  }
  for (int i = 0; status == DLS_OK && i < w->n_gears; i++)
    if (gear_of(w, i, which, rows))
      add_row(w, h, at++, rows, w->gears[i].joint[1], w->gears[i].joint[0], &n_sides);
  for (int i = 0; status == DLS_OK && i < n_contacts; i++)
    add_row(w, h, at++, &touching[i], -1, -1, &n_sides);
  if (status == DLS_OK) h->first[at] = n_sides;
  return status;
}

static void forget_row(held *h, int row) {
  const size_t i = (size_t)row, n = (size_t)h->n;
  h->b[i] = 0;
  for (size_t j = 0; j < n; j++) h->W[i * n + j] = h->W[j * n + i] = 0;
}

/* Rows that no joint of their trees gives way to are zeros, as in steps: of W and of b round-off
** alone is left. */
static void forget_pinned(const dls_world *w, held *h) {
  for (int i = 0; i < h->n; i++) {
    const dls_row_side *sides = h->sides + h->first[i];
    if (dls_forest_is_pinned(w->trees->forest, w->trees->state, h->first[i + 1] - h->first[i],
                             sides))
      forget_row(h, i);
  }
}

/* W, from the factor of now. */
static dls_status assemble(dls_world *w, held *h) {
  dls_trees *t = w->trees;
  const dls_forest_rows list = {h->n, h->first, h->sides, NULL, NULL};
  dls_status status = dls_trees_factor(w);
  const size_t bytes = dls_forest_delassus_bytes(t->forest, &list) + 64;
  if (status == DLS_OK && t->arena.size < bytes)
    status = dls_arena_reserve(&t->arena, &w->alloc, bytes);
  if (status != DLS_OK) return status;
  status = dls_forest_delassus(t->forest, t->state, &list, &t->arena, h->W);
  if (status == DLS_OK) forget_pinned(w, h);
  return status;
}

/* W P' = P' R'R with unit diagonals before: rank, R (ld apart), perm, and the scales. */
typedef struct ranked {
  int rank, *perm;                       /* n: rows in the order of pivots */
  size_t ld;                             /* row distance of R */
  double *R, *unit;                      /* n x ld; n: 1/sqrt of W's diagonal */
} ranked;

static dls_status rank_of(dls_world *w, const held *h, ranked *r) {
  static const double DEPENDENT = 1e-12; /* of the diagonal */
  dls_arena *tmp = &w->trees->rows_arena;
  const size_t n = (size_t)h->n;
  r->ld = dls_lanes_ld(h->n);
  r->R = DLS_TAKE(tmp, double, n * r->ld);
  r->unit = DLS_TAKE(tmp, double, n);
  r->perm = DLS_TAKE(tmp, int, n);
  if (!r->R || !r->unit || !r->perm) return DLS_FULL;
  memset(r->R, 0, n * r->ld * sizeof(double));
  for (size_t i = 0; i < n; i++) r->unit[i] = h->W[i * n + i] > 0 ? 1 / sqrt(h->W[i * n + i]) : 0;
  for (size_t i = 0; i < n; i++)
    for (size_t j = 0; j < n; j++) r->R[i * r->ld + j] = r->unit[i] * r->unit[j] * h->W[i * n + j];
  r->rank = dls_dense_cholesky_pivoted(h->n, r->R, r->ld, DEPENDENT * (double)h->n, r->perm);
  return DLS_OK;
}

/* The largest angle by which gaps of equations turn rows. */
static double off_of(const dls_world *w, const held *h) {
  double off = 0;
  for (int i = 0; i < h->n; i++) {
    const dls_acc_row *row = &h->row[i];
    if (h->joint[i] < 0 || row->kind != DLS_ROW_BILATERAL || row->what >= 0) continue;
    const int bodies[4] = {row->a, row->b, row->c, row->d};
    off = dls_max(off, dls_joint_turn_of_gap(w, row->gap,
                                             dls_joint_size(w, &w->joints[h->joint[i]]),
                                             row->n_ends > 2 ? 4 : 2, bodies, row->J));
  }
  return off;
}

/* The least x with W x + b = 0: with W = C'C, C = R D^-1 (rank x n), x = C' (C C')^-1 y and
** C_1' y = -b_1 on the first rank rows. */
static dls_status solve_least(dls_world *w, held *h) {
  dls_arena *tmp = &w->trees->rows_arena;
  ranked r;
  dls_status status = rank_of(w, h, &r);
  if (status != DLS_OK) return status;
  const int n = h->n;
  int rank = r.rank;
  const size_t ld = dls_lanes_ld(rank);
  double *G = DLS_TAKE(tmp, double, (size_t)rank * ld), *y = DLS_TAKE(tmp, double, ld), pivot,
         *b = DLS_TAKE(tmp, double, n), *left = DLS_TAKE(tmp, double, n), most = 0;
  if (!G || !y || !b || !left) return DLS_FULL;
  memset(G, 0, (size_t)rank * ld * sizeof(double));
  memset(y, 0, ld * sizeof(double));
  for (int i = 0; i < n; i++) b[i] = -r.unit[r.perm[i]] * h->b[r.perm[i]];
  for (int i = 0; i < n; i++) most = dls_max(most, fabs(b[i]));
  for (int i = 0; i < n; i++) left[i] = DLS_JOINT_LEFT * most;
  memcpy(y, b, (size_t)rank * sizeof *y);
  dls_dense_forward(rank, r.R, r.ld, y);
  rank = dls_dense_clear_rank(n, rank, r.R, r.ld, b, y, dls_joint_dependent_pivot(off_of(w, h)),
                              left);
  for (int j = 0; j < n; j++) { /* R -> C; what lies below its staircase is zero */
    const double scale = r.unit[r.perm[j]];
    for (int i = 0; i < rank; i++)
      r.R[(size_t)i * r.ld + (size_t)j] =
          i > j || !(scale > 0) ? 0 : r.R[(size_t)i * r.ld + (size_t)j] / scale;
  }
  for (int i = 0; i < rank; i++)
    for (int j = i; j < rank; j++) {
      double sum = 0;
      for (int k = j; k < n; k++)
        sum += r.R[(size_t)i * r.ld + (size_t)k] * r.R[(size_t)j * r.ld + (size_t)k];
      G[(size_t)i * ld + (size_t)j] = sum;
    }
  (void)dls_dense_cholesky(rank, G, ld, &pivot);
  dls_dense_forward(rank, G, ld, y);
  dls_dense_backward(rank, G, ld, y);
  for (int k = 0; k < n; k++) {
    double sum = 0;
    for (int i = 0; i < rank && i <= k; i++) sum += r.R[(size_t)i * r.ld + (size_t)k] * y[i];
    h->x[r.perm[k]] = sum;
  }
  return DLS_OK;
}

/* A contact whose normal joints leave nothing of has no force: a normal force without bound would
** hold whatever rubs. */
static void forget_contacts(const dls_world *w, held *h, const dls_acc_laws *laws) {
  for (int i = 0; i < h->n; i++) {
    const int kind = h->row[i].kind;
    const bool normal =
        kind == DLS_ROW_UNILATERAL || kind == DLS_ROW_CONE || kind == DLS_ROW_ROLLING;
    if (h->joint[i] >= 0 || !normal) continue;
    const int own = kind == DLS_ROW_UNILATERAL ? 1 : kind == DLS_ROW_CONE ? w->dim : DLS_NB(w->dim);
    bool unknown = h->row[i].pressed;
    for (int k = 0; k < laws->m && !unknown; k++) unknown = laws->row[k] == i;
    for (int k = i; !unknown && k < h->n && h->joint[k] < 0; k++) {
      const bool follows = h->row[k].kind == DLS_ROW_BOX && k - h->row[k].back == i;
      if (k < i + own || follows) forget_row(h, k);
    }
    i += own - 1;
  }
}

/* All solutions where they are few, else one; *found as fault.value tells it. */
static dls_status solve_laws(dls_world *w, held *h, dls_acc_found *found) {
  dls_acc_room *room = &w->trees->acc_room;
  dls_acc_laws laws = {0};
  bool solved = false;
  const size_t bytes =
      dls_bytes_add(dls_acc_laws_bytes(h->n), dls_arena_bytes((size_t)h->n, sizeof(double)));
  dls_status status = dls_arena_reserve(&room->laws, &room->alloc, bytes);
  if (status != DLS_OK) return status;
  double *x = DLS_TAKE(&room->laws, double, h->n);
  if (!x) return DLS_FULL;
  status = dls_acc_laws_pose(w->dim, h->n, h->row, h->joint, h->W, h->b, &room->laws, &laws);
  if (status != DLS_OK) return status;
  forget_contacts(w, h, &laws);
  const bool small = laws.planar && laws.m + laws.n_disks <= DLS_ACC_ALL;
  if (laws.symmetric || !small)
    status = dls_acc_by_following(room, w->dim, h->n, h->row, h->joint, h->W, h->b, h->x, &solved);
  *found = DLS_ACC_ONE;
  if (status != DLS_OK || (solved && laws.symmetric && !laws.coupled)) return status;
  /* not known to be the only one */
  status = dls_acc_laws_solve(room, &laws, solved ? h->x : NULL, x, found);
  const bool good = *found == DLS_ACC_ONE || *found == DLS_ACC_SOME;
  if (status == DLS_OK && good && !solved) memcpy(h->x, x, (size_t)h->n * sizeof *x);
  /* the residual of h->x is below theirs */
  if (solved && !good && *found != DLS_ACC_SEVERAL) *found = DLS_ACC_SOME;
  return status;
}

/* x of the rows as wrenches on the links. */
static void push(const held *h, double *wrench) {
  for (int i = 0; i < h->n; i++)
    for (int k = h->first[i]; k < h->first[i + 1]; k++)
      for (int m = 0; m < 6; m++) wrench[6 * h->sides[k].link + m] += h->x[i] * h->sides[k].j[m];
}

static void note(dls_world *w, const held *h) {
  for (int i = 0; i < h->n; i++) {
    if (h->joint[i] < 0) continue; /* a contact's */
    const bool limit = h->row[i].kind == DLS_ROW_BILATERAL && h->row[i].what >= 0;
    if (limit && w->trees->limit_force)
      w->trees->limit_force[DLS_JOINT_LIMITS * h->joint[i] + h->row[i].what] = h->x[i];
    dls_joint_own_add(w, w->q, h->joint[i], h->row[i].J, h->x[i]);
    if (h->other[i] >= 0)
      dls_joint_own_add(w, w->q, h->other[i], h->row[i].J + 2 * dls_nu_of(w), h->x[i]);
  }
}

dls_status dls_constrain_saturated(dls_world *w) {
  held h;
  dls_status status = collect(w, &h, SATURATED, false);
  if (status != DLS_OK || h.n == 0) return status;
  for (int i = 0; i < h.n; i++) h.x[i] = h.row[i].v > 0 ? h.row[i].lo : h.row[i].hi;
  for (int i = 0; i < h.n; i++)
    if (fabs(h.x[i]) == DLS_INF) return DLS_STATE;
  push(&h, w->trees->state->wrench);
  note(w, &h);
  w->trees->state->loaded = true;
  return DLS_OK;
}

/* What the prescribed motions of bodies outside the forest add to the rows' accelerations. */
static dls_status add_motions(dls_world *w, held *h) {
  for (int i = 0; i < h->n; i++) {
    const int body[4] = {h->row[i].a, h->row[i].b, h->row[i].c, h->row[i].d};
    for (int e = 0; e < h->row[i].n_ends; e++) {
      double p[3], r[4], v[3], omega[3], a[6] = {0}, j[6];
      if (!w->bodies[body[e]].moved || !w->hooks.motion || w->trees->body_link[body[e]] >= 0)
        continue;
      dls_status status = w->hooks.motion(w->hooks.ud, body[e], w->time, p, r, v, omega, a);
      if (status != DLS_OK) return status;
      as_side(w, h->row[i].J + (size_t)e * dls_nu_of(w), j);
      for (int k = 0; k < 3; k++) h->b[i] += j[3 + k] * a[k] + j[k] * a[3 + k];
    }
  }
  return DLS_OK;
}

dls_status dls_constrain_accelerations(dls_world *w, bool contacts) {
  dls_trees *t = w->trees;
  held h;
  dls_status status = collect(w, &h, ACTING, contacts);
  if (status != DLS_OK || h.n == 0) return status;
  bool bilateral = true;
  for (int i = 0; i < h.n; i++) {
    h.b[i] = -h.row[i].bias;
    for (int k = h.first[i]; k < h.first[i + 1]; k++) {
      double a[6];
      dls_sp_store(a, dls_forest_link_acceleration(t->forest, t->state, h.sides[k].link));
      for (int m = 0; m < 6; m++) h.b[i] += h.sides[k].j[m] * a[m];
    }
    bilateral = bilateral && h.row[i].kind == DLS_ROW_BILATERAL;
  }
  status = add_motions(w, &h);
  if (status == DLS_OK) status = assemble(w, &h);
  t->fault = (dls_fault){-1, 0};
  if (status == DLS_OK && bilateral) {
    status = solve_least(w, &h);
  } else if (status == DLS_OK) {
    dls_acc_found found;
    status = solve_laws(w, &h, &found);
    t->fault.value = found;
    t->one_of_more = found == DLS_ACC_SOME;
    if (status == DLS_OK && found != DLS_ACC_ONE && found != DLS_ACC_SOME) status = DLS_STATE;
  }
  if (status != DLS_OK) return status;
  push(&h, t->state->wrench);
  note(w, &h);
  t->state->loaded = true;
  return DLS_OK;
}

/* --- projections ------------------------------------------------------------------------------ */

static void follow(dls_world *w) {
  dls_trees *t = w->trees;
  dls_forest_place(t->forest, t->state);
  dls_forest_move(t->forest, t->state);
  dls_trees_scatter(w, w->q, w->u, true);
}

/* x = -W^+ b, du = M^-1 J' x into trees->du. */
static dls_status respond(dls_world *w, held *h) {
  dls_trees *t = w->trees;
  dls_status status = assemble(w, h);
  if (status == DLS_OK) status = solve_least(w, h);
  if (status != DLS_OK) return status;
  memset(t->wrench, 0, 6 * (size_t)t->n_links * sizeof(double));
  push(h, t->wrench);
  dls_forest_respond(t->forest, t->state, NULL, t->wrench, t->du);
  return DLS_OK;
}

dls_status dls_constrain_state(dls_world *w, double time) {
  enum { TURNS = 6 };
  static const double CLOSED = 1e-14; /* m, rad: relative to coordinates of that size */
  dls_trees *t = w->trees;
  held h;
  dls_status status = dls_joints_drive(w, time);
  follow(w);
  for (int turn = 0; status == DLS_OK && turn < TURNS; turn++) {
    double worst = 0, size = 1;
    status = collect(w, &h, RIGID, false);
    if (status != DLS_OK) return status;
    for (int i = 0; i < h.n; i++) {
      h.b[i] = h.row[i].gap;
      worst = dls_max(worst, fabs(h.b[i]));
    }
    for (int i = 0; i < w->n_bodies; i++)
      size = dls_max(size, dls_v3_norm(dls_centre_of(w, w->q + (size_t)i * dls_nq_of(w))));
    if (worst <= CLOSED * size) break;
    status = respond(w, &h);
    if (status != DLS_OK) break;
    dls_forest_advance(t->forest, t->state->q, 1, t->du);
    follow(w);
  }
  if (status == DLS_OK) status = collect(w, &h, HOLDING, false);
  if (status != DLS_OK || h.n == 0) return status;
  for (int i = 0; i < h.n; i++) h.b[i] = h.row[i].v;
  status = respond(w, &h);
  for (int i = 0; status == DLS_OK && i < t->forest->nu; i++) t->state->u[i] += t->du[i];
  follow(w);
  return status;
}

dls_status dls_constrain_start(dls_world *w, double time) {
  static const double ROUND = 1e-11; /* of sizes and velocities of 1 and more */
  dls_trees *t = w->trees;
  held h;
  double size = 1, fastest = 1, gap = 0, rate = 0;
  dls_status status = dls_joints_drive(w, time);
  follow(w);
  if (status == DLS_OK) status = collect(w, &h, RIGID, false);
  for (int i = 0; status == DLS_OK && i < h.n; i++) gap = dls_max(gap, fabs(h.row[i].gap));
  if (status == DLS_OK) status = collect(w, &h, HOLDING, false);
  for (int i = 0; status == DLS_OK && i < h.n; i++) rate = dls_max(rate, fabs(h.row[i].v));
  for (int i = 0; i < w->n_bodies; i++)
    size = dls_max(size, dls_v3_norm(dls_centre_of(w, w->q + (size_t)i * dls_nq_of(w))));
  for (int i = 0; i < t->forest->nu; i++) fastest = dls_max(fastest, fabs(t->state->u[i]));
  if (status != DLS_OK || (gap <= ROUND * size && rate <= ROUND * fastest * size)) return status;
  return dls_constrain_state(w, time);
}

dls_status dls_constrain_count(dls_world *w, int *rows, int *rank) {
  held h;
  ranked r = {0};
  dls_status status = collect(w, &h, RIGID, false);
  *rows = *rank = 0;
  if (status != DLS_OK || h.n == 0) return status;
  status = assemble(w, &h);
  if (status == DLS_OK) status = rank_of(w, &h, &r);
  if (status != DLS_OK) return status;
  *rows = h.n;
  *rank = r.rank;
  return DLS_OK;
}
