/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#include "core/joints/spring_rows.h"

#include "core/joints/held.h"
#include "core/joints/joint_forces.h"
#include "core/joints/joint_rows.h"
#include "core/joints/penalty_step.h"
#include "core/joints/spring_line.h"
#include "core/joints/spring_nets.h"
#include "core/joints/tree_springs.h"
#include "core/joints/tree_step.h"
#include "core/model/row_frame.h"
#include "core/ladder/constrained.h"
#include "core/rows/impulses.h"

int dls_springs_count_rows(const dls_world *w) {
  int n = 0;
  for (int i = 0; i < w->n_joints; i++)
    if (w->joints[i].formulation != DLS_REDUCED && dls_joint_is_sprung(w, &w->joints[i]))
      n += w->joints[i].nu;
  for (int i = 0; i < w->n_springs && !w->springs_push; i++) n += w->springs[i].alive;
  return n;
}

int dls_springs_count_blocks(const dls_world *w) {
  int n = 0;
  for (int i = 0; i < w->n_joints; i++)
    n += w->joints[i].formulation != DLS_REDUCED && dls_joint_is_sprung(w, &w->joints[i]);
  for (int i = 0; i < w->n_springs && !w->springs_push; i++) n += w->springs[i].alive;
  return n;
}

dls_spring_row *dls_springs_of(const dls_joint_stage *S, int k) {
  return S->rows->block[k].source < 0 && S->what[k] >= DLS_WHAT_SPRINGS
             ? &S->spring_row[S->what[k] - DLS_WHAT_SPRINGS]
             : NULL;
}

/* M^-1 j of a body by itself, whatever joints do; posed by S->T. */
static void free_inverse(const dls_joint_stage *S, int i, const double *j, double *out) {
  const dls_body *body = &S->w->bodies[i];
  if (!dls_moves_freely(body)) {
    for (int k = 0; k < S->nu; k++) out[k] = 0;
    return;
  }
  out[0] = j[0] / body->mass, out[1] = j[1] / body->mass;
  if (S->dim == 2) {
    out[2] = body->inverse[0] * j[2];
    return;
  }
  out[2] = j[2] / body->mass;
  const dls_mat3 inverse = dls_m3_load(body->inverse);
  const dls_vec3 turn = dls_m3_apply_t(&S->T[i].R, dls_v3_load(j + 3));
  dls_v3_store(out + 3, dls_m3_apply(&S->T[i].R, dls_m3_apply(&inverse, turn)));
}

/* J M^-1 J' of a row between two bodies that n other rows between them hold, by Gram and Schmidt in
** M^-1. */
static double give_along(const dls_joint_stage *S, int a, int b, const double *J,
                         const double *held, int n) {
  static const double DEPENDENT = 1e-12; /* of a row's own share: it adds nothing to those before */
  double e[7][2 * DLS_NU(3)], M_e[7][2 * DLS_NU(3)], own = 0, left = 0;
  int rank = 0;
  const dls_body *bodies = S->w->bodies;
  if (dls_moves_freely(&bodies[a]) && !(bodies[a].mass > 0)) return DLS_INF;
  if (dls_moves_freely(&bodies[b]) && !(bodies[b].mass > 0)) return DLS_INF;
  for (int i = 0; i <= n; i++) {
    double *x = e[rank], *Mx = M_e[rank];
    const double *from = i < n ? held + (size_t)i * 2 * S->nu : J;
    for (int m = 0; m < 2 * S->nu; m++) x[m] = from[m];
    for (int pass = 0; pass < 3; pass++) {
      free_inverse(S, a, x, Mx);
      free_inverse(S, b, x + S->nu, Mx + S->nu);
      left = dls_row_velocity(S->nu, x, Mx, Mx + S->nu);
      if (pass == 0) own = left;
      for (int j = 0; j < rank && pass < 2; j++) {
        const double part = dls_row_velocity(S->nu, x, M_e[j], M_e[j] + S->nu);
        for (int m = 0; m < 2 * S->nu; m++) x[m] -= part * e[j][m];
      }
    }
    if (i == n) return dls_max(left, DEPENDENT * own);
    if (!(left > DEPENDENT * own)) continue;
    const double unit = 1 / sqrt(left);
    for (int m = 0; m < 2 * S->nu; m++) x[m] *= unit, Mx[m] *= unit;
    rank++;
  }
  return left;
}

bool dls_spring_line_at(const dls_joint_stage *S, const dls_spring *spring, const double *q,
                        dls_spring_line *line, double *J) {
  const int ends[2] = {spring->a, spring->b};
  const double *anchors[2] = {spring->anchor_a, spring->anchor_b};
  dls_vec3 r[2], x[2];
  for (int e = 0; e < 2; e++) {
    r[e] = dls_turned(S->dim, &S->w->bodies[ends[e]], DLS_Q(S, q, ends[e]), anchors[e]);
    x[e] =
        dls_v3_sub(r[e], dls_v3_sub(dls_v3(0, 0, 0), dls_point_of(S->dim, DLS_Q(S, q, ends[e]))));
  }
  dls_vec3 way = dls_v3_sub(x[1], x[0]);
  line->r = way;
  line->rest = spring->length;
  line->length = dls_v3_norm(way);
  /* of no length at rest, too, any direction is the one that it goes to */
  if (!(line->length > 0)) {
    if (spring->length > 0) return false;
    const dls_vec3 v_a = dls_velocity_at(S->dim, DLS_U(S, S->u_c, spring->a), r[0]);
    way = dls_v3_sub(dls_velocity_at(S->dim, DLS_U(S, S->u_c, spring->b), r[1]), v_a);
    if (!(dls_v3_norm(way) > 0)) way = dls_v3(1, 0, 0);
  }
  line->n = dls_v3_scale(1 / dls_v3_norm(way), way);
  line->end[0].arm = r[0], line->end[1].arm = r[1];
  dls_write_row(S->dim, J, line->n, r[0], r[1]);
  return true;
}

/* L* - L of a spring between two points by itself; J is its row, law has its dampers. */
static double shift_of(const dls_joint_stage *S, const dls_spring_row *of,
                       const dls_spring_law *law, dls_spring_line *line, const double *J) {
  double by[2][DLS_NU(3)];
  free_inverse(S, of->a, J, by[0]);
  free_inverse(S, of->b, J + S->nu, by[1]);
  const double own = dls_row_velocity(S->nu, J, by[0], by[1]), share = own > 0 ? of->give / own : 0;
  for (int e = 0; e < 2; e++) {
    const double *u = DLS_U(S, S->u_c, e == 0 ? of->a : of->b);
    dls_spring_end *end = &line->end[e];
    end->v = dls_point_of(S->dim, u), end->turn = dls_turn_of(S->dim, u);
    end->v_p = dls_v3_scale(share, dls_point_of(S->dim, by[e]));
    end->turn_p = dls_v3_scale(share, dls_turn_of(S->dim, by[e]));
  }
  return dls_spring_line_shift(line, law, S->h, of->v0, of->give);
}

/* The row of a spring by its law for the give at hand. */
static void set_spring(dls_joint_stage *S, dls_spring_row *of) {
  const dls_spring_law *was = &of->law;
  S->n_late -= was->late > 0;
  dls_spring_line line;
  double J[2 * DLS_NU(3)], x = was->x;
  const bool lines =
      of->joint < 0 && dls_spring_line_at(S, &S->w->springs[-1 - of->joint], S->q_c, &line, J);
  if (lines) x = line.length - line.rest - 0.5 * S->h * of->v0;
  const dls_spring_try *known = dls_spring_try_of(S, of);
  of->law =
      dls_spring_law_within(dls_spring_law_make(was->k, was->c, x, S->h, of->give), S->h, of->way);
  if (known->slow > 0) of->law = dls_spring_law_slowed(of->law, S->h, of->give, known->slow);
  if (lines) {
    of->law.x -= known->known ? known->shift : shift_of(S, of, &of->law, &line, J);
  } else { /* what keeps its way counts from its start */
    of->law.x =
        of->middle + of->law.apart * (of->start - of->middle) - (known->known ? known->shift : 0);
  }
  S->n_late += of->law.late > 0;
  S->rows->gamma[of->row] = 1 / dls_spring_law_mass(&of->law, S->h);
  S->rows->s[of->row] = of->v0 + dls_spring_law_shift(&of->law, S->h);
}

/* Row i of a block becomes the spring of a law that has k, c and x alone; joint: whose, start: as
** in dls_spring_row. */
static void lay_spring(dls_joint_stage *S, const dls_block *block, int i, int joint,
                       dls_spring_law law, double start, double give, double way) {
  const int row = block->row + i;
  const double *J = S->rows->J + (size_t)row * 2 * S->nu;
  dls_spring_row *of = &S->spring_row[S->n_spring_rows++];
  *of = (dls_spring_row){.law = law, .row = row, .joint = joint, .k = i, .late = -1, .a = block->a,
                         .b = block->b, .give = give, .way = way, .middle = law.x, .start = start};
  of->v0 = dls_velocity_between(S, J, S->u_c, block->a, block->b) + 2 * S->drift[row];
  set_spring(S, of);
  of->alone = of->law.apart > 0 && give < DLS_INF ? give : 0;
}

/* Where the deflection of a coordinate counts from; now: its value at q_c; v0 its rate before. */
static double start_of(const dls_joint_stage *S, int joint, int k, double now, double v0) {
  if (S->w->joints[joint].kind == DLS_KIND_SPHERICAL) return now - 0.5 * S->h * v0;
  return S->stretch[6 * (size_t)joint + (size_t)k] - (S->theta - 0.5) * S->h * v0;
}

void dls_joint_springs_add(dls_joint_stage *S, const dls_joint_frame *f, int index,
                           const double *held, int n_held) {
  const dls_joint *joint = f->joint;
  double x[6] = {0};
  if (!dls_joint_is_sprung(S->w, joint) || !f->regular) return;
  const dls_block *block = dls_functional_block(
      S, f, index, DLS_ROW_BILATERAL, DLS_WHAT_SPRINGS + S->n_spring_rows, f->dual, joint->nu);
  const bool ball = joint->kind == DLS_KIND_SPHERICAL;
  double from[3] = {0};
  if (ball) {
    const dls_joint_frame before = dls_joint_frame_at(S->w, index, S->w->q);
    dls_v3_store(x, dls_ball_rotation(f->q));
    dls_v3_store(from, dls_ball_rotation(before.q));
  }
  for (int k = 0; k < joint->nu; k++) {
    const int row = block->row + k;
    const double *J = S->rows->J + (size_t)row * 2 * S->nu;
    S->drift[row] = -dls_functional(f->dual + 6 * k, f->rate);
    const double v0 = dls_velocity_between(S, J, S->u_c, joint->a, joint->b) + S->drift[row];
    const double give = give_along(S, joint->a, joint->b, J, held, n_held);
    const dls_spring_law law = {
        .k = joint->stiffness, .c = joint->damping, .x = start_of(S, index, k, x[k], v0)};
    lay_spring(S, block, k, index, law, ball ? from[k] + (0.5 - S->theta) * S->h * v0 : law.x, give,
               DLS_INF);
  }
}

/* n rows for a block of springs between a and b, whose J the caller writes. */
static dls_block *spring_block(dls_joint_stage *S, int a, int b, int n, int source) {
  dls_rows *rows = S->rows;
  S->what[rows->n_blocks] = DLS_WHAT_SPRINGS + S->n_spring_rows;
  dls_block *block = &rows->block[rows->n_blocks++];
  *block = (dls_block){.kind = DLS_ROW_BILATERAL, .a = a, .b = b, .row = rows->n_rows,
                       .n = (unsigned char)n, .source = source};
  for (int i = 0; i < n; i++) {
    const int row = rows->n_rows++;
    rows->p[row] = S->bounce[row] = S->tangential[row] = S->drift[row] = 0;
    rows->length[row] = 1;
  }
  return block;
}

/* Of a penalty joint: along its coordinates, as if its rows held. */
static void add_penalty_springs(dls_joint_stage *S, int index) {
  const dls_joint *joint = &S->w->joints[index];
  double held[6 * 2 * DLS_NU(3)];
  int n_held = 0;
  for (int k = 0; k < S->n_penalties; k++)
    if (S->penalty[k].joint == index && S->penalty[k].row < joint->penalty.n_held)
      memcpy(held + (size_t)n_held++ * 2 * S->nu, S->penalty[k].J,
             2 * (size_t)S->nu * sizeof(double));
  dls_along at;
  dls_penalty_look_along(S->w, index, S->q_c, S->u_c, &at);
  const dls_block *block = spring_block(S, joint->a, joint->b, joint->nu, -1 - index);
  for (int k = 0; k < joint->nu; k++) {
    const int row = block->row + k;
    double *J = S->rows->J + (size_t)row * 2 * S->nu;
    dls_penalty_row_of(S->dim, at.J[k], J);
    dls_penalty_row_of(S->dim, at.J[k] + 6, J + S->nu);
    const dls_body *turns =
        &S->w->bodies[dls_moves_freely(&S->w->bodies[joint->b]) ? joint->b : joint->a];
    if (dls_v3_norm(dls_v3_load(at.J[k] + 6)) == 0) S->rows->length[row] = turns->gyration;
    S->drift[row] = -at.drift[k];
    const double give = give_along(S, joint->a, joint->b, J, held, n_held);
    const double from = start_of(S, index, k, at.x[k], at.rate[k]);
    const dls_spring_law law = {.k = joint->stiffness, .c = joint->damping, .x = from};
    lay_spring(S, block, k, index, law, from, give, DLS_INF);
  }
}

void dls_springs_push(dls_joint_stage *S) {
  const dls_world *w = S->w;
  for (int i = 0; i < w->n_springs && w->springs_push; i++) {
    const dls_spring *s = &w->springs[i];
    dls_spring_line line;
    double J[2 * DLS_NU(3)];
    if (!s->alive || !dls_spring_line_at(S, s, S->q_c, &line, J)) continue;
    const double rate = dls_velocity_between(S, J, S->u_c, s->a, s->b);
    const double force = -(s->stiffness * (line.length - s->length) + s->damping * rate);
    dls_add_u(S->nu, DLS_U(S, S->push, s->a), force, J);
    dls_add_u(S->nu, DLS_U(S, S->push, s->b), force, J + S->nu);
  }
}

/* How far a spring may close until one of its bodies has turned by half a radian, m. */
static double way_to_turn(const dls_joint_stage *S, int a, int b, const double *J, double w) {
  double most = 0, turn[DLS_NU(3)];
  for (int e = 0; e < 2; e++) {
    free_inverse(S, e == 0 ? a : b, J + e * S->nu, turn);
    most = dls_max(most, S->dim == 2 ? fabs(turn[2]) : dls_v3_norm(dls_v3_load(turn + 3)));
  }
  return most > 0 && w < DLS_INF ? 0.5 * w / most : DLS_INF;
}

static void add_line_spring(dls_joint_stage *S, int index) {
  const dls_spring *spring = &S->w->springs[index];
  dls_spring_line line;
  double J[2 * DLS_NU(3)];
  if (!dls_moves_freely(&S->w->bodies[spring->a]) && !dls_moves_freely(&S->w->bodies[spring->b]))
    return;
  if (S->spring_try[index].carried) return;
  if (!(spring->stiffness > 0 || spring->damping > 0) ||
      !dls_spring_line_at(S, spring, S->q_c, &line, J))
    return;
  const dls_block *block = spring_block(S, spring->a, spring->b, 1, -1 - index);
  memcpy(S->rows->J + (size_t)block->row * 2 * S->nu, J, 2 * (size_t)S->nu * sizeof *J);
  const double give = give_along(S, spring->a, spring->b, J, NULL, 0);
  const dls_spring_law law = {.k = spring->stiffness, .c = spring->damping};
  lay_spring(S, block, 0, -1 - index, law, 0, give, way_to_turn(S, spring->a, spring->b, J, give));
}

/* --- how much bodies give that joints hold ---------------------------------------------------- */

/* A row that asks for what two bodies give along row `row` of the step: a block, or one more row of
** the last. */
static void append_asking(const dls_joint_stage *S, dls_rows *ask, int row, int a, int b,
                          bool more) {
  const size_t n = 2 * (size_t)S->nu;
  if (more) ask->block[ask->n_blocks - 1].n++;
  else
    ask->block[ask->n_blocks++] = (dls_block){.kind = DLS_ROW_UNILATERAL, .a = a, .b = b,
                                              .row = ask->n_rows, .n = 1, .source = -1};
  memcpy(ask->J + (size_t)ask->n_rows * n, S->rows->J + (size_t)row * n, n * sizeof(double));
  ask->length[ask->n_rows++] = 1;
}

/* The blocks of all constraints, and springs and then motors that seem unresolved as rows that ask:
** numbers of springs, of blocks. Answers how many springs those are. */
static int list_asking(const dls_joint_stage *S, dls_rows *ask, int *of) {
  const dls_rows *rows = S->rows;
  int n = 0;
  for (int k = 0; k < rows->n_blocks; k++) {
    const dls_block *block = &rows->block[k];
    const bool springs = dls_springs_of(S, k) != NULL;
    if (block->kind != DLS_ROW_BILATERAL || springs) continue;
    dls_block *held = &ask->block[ask->n_blocks++];
    *held = *block;
    held->row = ask->n_rows;
    memcpy(ask->J + (size_t)ask->n_rows * 2 * S->nu, rows->J + (size_t)block->row * 2 * S->nu,
           (size_t)block->n * 2 * (size_t)S->nu * sizeof(double));
    memcpy(ask->length + ask->n_rows, rows->length + block->row, block->n * sizeof(double));
    ask->n_rows += block->n;
  }
  for (int k = 0; k < S->n_spring_rows; k++) {
    const dls_spring_row *spring = &S->spring_row[k];
    if (!(spring->law.apart > 0)) continue;
    const bool more = /* rows of a joint meet the same others */
        n > 0 && of[n - 1] == k - 1 && spring->k > 0 && spring->joint == spring[-1].joint;
    of[n++] = k;
    append_asking(S, ask, spring->row, spring->a, spring->b, more);
  }
  for (int k = 0, m = n; k < rows->n_blocks && S->n_stiff > 0; k++) {
    const dls_block *block = &rows->block[k];
    if (!dls_joints_seem_stiff(S, block)) continue;
    of[m++] = k;
    append_asking(S, ask, block->row, block->a, block->b, false);
  }
  return n;
}

/* What bodies give along a spring or a motor is less where joints beside its own hold them. It is
** asked for where it matters: where it seems not to be resolved. */
static dls_status look_closer(dls_joint_stage *S) {
  dls_world *w = S->w;
  if (S->n_late + S->n_stiff == 0) return DLS_OK;
  if (S->n_unreduced + S->n_gears == 0 && !dls_trees_used(w)) return DLS_OK;
  const size_t mark = dls_arena_mark(&w->arena),
               bytes = (size_t)w->n_bodies * S->nu * sizeof(double);
  const int n_rows = S->rows->n_rows;
  dls_rows ask;
  int *of = DLS_TAKE(&w->arena, int, S->n_spring_rows + S->n_stiff);
  double *give = DLS_TAKE(&w->arena, double, n_rows);
  dls_status status = dls_rows_take(&ask, &w->arena, S->dim, w->n_bodies, n_rows, n_rows);
  w->need_arena = dls_bytes_add(w->arena.size, dls_rows_bytes(S->dim, w->n_bodies, n_rows, n_rows));
  if (status != DLS_OK || !of || !give) return DLS_FULL;
  ask.inv_mass = S->rows->inv_mass;
  ask.inv_inertia = S->rows->inv_inertia;
  ask.second = S->second;
  ask.stop = w->stop;
  if (dls_trees_used(w)) status = dls_trees_lend(S, &ask);
  if (status == DLS_OK) status = dls_tree_springs_set(S, false);
  if (status != DLS_OK) return status;
  const int n = list_asking(S, &ask, of);
  memset(ask.u, 0, bytes);
  memset(ask.u_free, 0, bytes);
  for (int i = 0; i < ask.n_rows; i++) ask.gamma[i] = ask.s[i] = ask.p[i] = 0;
  dls_rows_prepare(&ask, false);
  status = dls_rows_gives(&ask, &w->arena, give);
  if (status == DLS_FULL) w->need_arena = dls_bytes_add(w->need_arena, ask.need);
  const double *asked = give + ask.n_rows - n - S->n_stiff;
  for (int i = 0; status == DLS_OK && i < n; i++) {
    dls_spring_row *spring = &S->spring_row[of[i]];
    spring->give = dls_min(spring->give, asked[i]);
    set_spring(S, spring);
  }
  for (int i = n; status == DLS_OK && i < n + S->n_stiff; i++)
    dls_joints_hold_position(S, &S->rows->block[of[i]], asked[i]);
  dls_arena_release(&w->arena, mark);
  return status == DLS_OK ? dls_tree_springs_set(S, true) : status;
}

dls_status dls_springs_find_rows(dls_joint_stage *S) {
  const dls_world *w = S->w;
  for (int i = 0; i < w->n_joints && w->n_penalties > 0; i++)
    if (dls_is_penalty(&w->joints[i]) && dls_joint_is_sprung(w, &w->joints[i]))
      add_penalty_springs(S, i);
  for (int i = 0; i < w->n_springs && !w->springs_push; i++)
    if (w->springs[i].alive) add_line_spring(S, i);
  return look_closer(S);
}

double dls_springs_scale(const dls_joint_stage *S) {
  static const double NOISE = 1e-5; /* round-off of a sum over a strict tolerance */
  static const double ARMS = 8; /* lengths that a row's impulse acts at, over its own */
  double most = 0;
  for (int k = 0; k < S->n_spring_rows; k++) {
    const dls_spring_row *of = &S->spring_row[k];
    most = dls_max(most, ARMS * S->rows->length[of->row] * of->alone * fabs(of->law.k * of->law.x));
  }
  return NOISE * S->h * most;
}

void dls_springs_start_struck(dls_joint_stage *S) {
  const size_t nu = (size_t)S->w->n_bodies * S->nu;
  bool any = false;
  for (size_t i = 0; i < nu && !any; i++) any = S->rows->u_free[i] != S->u_smooth[i];
  if (any && S->soft) dls_tree_springs_start_struck(S);
}

/* --- after the solve -------------------------------------------------------------------------- */

double dls_spring_mean_rate(const dls_joint_stage *S, const dls_spring_row *of) {
  const double *J = S->rows->J + (size_t)of->row * 2 * S->nu;
  const double *u_a = DLS_U(S, S->rows->u, of->a), *u_b = DLS_U(S, S->rows->u, of->b);
  return 0.5 * (dls_velocity_between(S, J, S->u_c, of->a, of->b) +
                dls_row_velocity(S->nu, J, u_a, u_b)) +
         S->drift[of->row];
}

void dls_springs_record(dls_joint_stage *S, const dls_block *block, dls_spring_row *of) {
  for (int i = block->row; i < block->row + block->n; i++, of++) {
    const double *J = S->rows->J + (size_t)i * 2 * S->nu, p = S->rows->p[i];
    of->mean = dls_spring_mean_rate(S, of);
    if (of->joint >= 0) dls_joint_own_add(S->w, S->q_c, of->joint, J, p / S->h);
  }
}

void dls_spring_charge(dls_joint_stage *S, const dls_spring_row *of, double work) {
  dls_spring_work own = {0};
  dls_spring_law_charge(&of->law, S->h, of->mean, &own);
  S->sprung.springs += work + own.damping + own.scheme; /* by the impulse that was found */
  S->sprung.damping += own.damping;
  S->sprung.scheme += own.scheme;
}
