/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
/* The projection of a world with joints: dense, finished to the end. */

static bool is_joined(const step *S) { return S->room_joints > 0 || dls_trees_used(S->w); }

/* Constraints and limits of joints at q'. */
static void find_joint_gaps(step *S, overlap *out, int *n_out, double slack, double *worst) {
  dls_world *w = S->w;
  for (int i = 0; i < w->n_joints; i++) {
    const dls_joint *joint = &w->joints[i];
    if (!has_rows(joint)) continue;
    const hinge h = hinge_at(S, i, S->q_n);
    double N[36], x[6];
    const int n = joint->formulation == DLS_RIGID ? held_directions(&h, N) : 0;
    const dls_mat3 R = dls_m3_mul_t(&h.T.R, &h.at.R);
    const dls_quat turn = dls_q_from_matrix(&R);
    const double side = turn.w < 0 ? -2 : 2;
    dls_sp_store(x, (dls_spatial){dls_v3(side * turn.x, side * turn.y, side * turn.z),
                                  dls_v3_sub(h.T.p, h.at.p)});
    for (int k = 0; k < n + LIMITS; k++) {
      double gap = 0, d[6];
      if (k < n) {
        memcpy(d, N + 6 * k, sizeof d);
        for (int m = 0; m < 6; m++) gap += d[m] * x[m];
      } else if (!limit_of(&h, k - n, &gap, d) || gap > slack) {
        continue;
      }
      overlap *o = &out[(*n_out)++];
      *o = (overlap){.a = joint->a, .b = joint->b, .gap = gap, .size = 1, .both = k < n};
      write_functional(S, &h, S->q_n, d, o->J);
      apply_inverse(&S->rows, o->a, o->J, o->MJ);
      apply_inverse(&S->rows, o->b, o->J + NU, o->MJ + NU);
      *worst = dls_max(*worst, k < n ? fabs(gap) : -gap);
    }
  }
}

/* The trees' part of W among the overlaps. */
static dls_status add_tree_part(step *S, const overlap *o, int n, double *W) {
  dls_trees *t = S->w->trees;
  dls_arena *tmp = &S->w->arena;
  dls_fault fault;
  int *first = DLS_TAKE(tmp, int, n + 1), n_sides = 0;
  dls_row_side *sides = DLS_TAKE(tmp, dls_row_side, 2 * n + 1);
  double *part = DLS_TAKE(tmp, double, (size_t)n * (size_t)n);
  if (!first || !sides || !part) return DLS_FULL;
  for (int k = 0; k < n; k++) {
    first[k] = n_sides;
    for (int e = 0; e < 2; e++) {
      const int body = e == 0 ? o[k].a : o[k].b;
      if (!held_by_tree(S, body)) continue;
      dls_row_side *side = &sides[n_sides++];
      *side = (dls_row_side){.link = t->body_link[body]};
      link_wrench(o[k].J + e * NU, 1, side->j);
    }
  }
  first[n] = n_sides;
  dls_status status = dls_forest_factor(t->forest, t->state, &fault);
  if (status != DLS_OK) return status;
  const dls_forest_rows list = {n, first, sides, NULL, NULL};
  S->w->need_arena = dls_bytes_add(S->w->need_arena, dls_forest_delassus_bytes(t->forest, &list));
  status = dls_forest_delassus(t->forest, t->state, &list, tmp, part);
  for (size_t i = 0; status == DLS_OK && i < (size_t)n * (size_t)n; i++) W[i] += part[i];
  return status;
}

/* Moves trees by the multipliers; free bodies by dq. */
static void displace_joined(step *S, pile *P, int n) {
  dls_world *w = S->w;
  const overlap *o = P->o;
  start_moving(S, P);
  for (int k = 0; k < n; k++) {
    add_u(U(P->dq, o[k].a), o[k].pi, o[k].MJ);
    add_u(U(P->dq, o[k].b), o[k].pi, o[k].MJ + NU);
    P->moved[o[k].a] = P->moved[o[k].b] = 1;
  }
  displace(S, P);
  if (!dls_trees_used(w)) return;
  dls_trees *t = w->trees;
  double *wrench = t->velocity; /* scratch of the same size; t->wrench is the step's */
  memset(wrench, 0, 6 * (size_t)t->n_links * sizeof(double));
  bool any = false;
  for (int k = 0; k < n; k++)
    for (int e = 0; e < 2; e++) {
      const int body = e == 0 ? o[k].a : o[k].b;
      if (!held_by_tree(S, body) || o[k].pi == 0) continue;
      link_wrench(o[k].J + e * NU, o[k].pi, wrench + 6 * (size_t)t->body_link[body]);
      any = true;
    }
  if (!any) return;
  double before = dls_forest_potential(t->forest, t->state);
  dls_forest_respond(t->forest, t->state, NULL, wrench, t->du);
  dls_forest_advance(t->forest, t->state->q, 1, t->du);
  dls_forest_place(t->forest, t->state);
  dls_forest_move(t->forest, t->state);
  S->correction += dls_forest_potential(t->forest, t->state) - before;
  dls_trees_scatter(w, S->q_n, S->u_n, false);
  poses_at(S, S->q_n);
#if D == 2
  take_spots(S);
#endif
}

/* 0 <= pi _|_ gap + W pi >= 0, or = 0 for constraints; then everything moves. */
static dls_status settle_joined(step *S, pile *P, int n) {
  dls_world *w = S->w;
  overlap *o = P->o;
  dls_arena *tmp = &w->arena;
  const size_t mark = dls_arena_mark(tmp), size = (size_t)n * (size_t)n;
  double *W = DLS_TAKE(tmp, double, size), *b = DLS_TAKE(tmp, double, n);
  double *pi = DLS_TAKE(tmp, double, n), *v = DLS_TAKE(tmp, double, n);
  dls_cone_group *groups = DLS_TAKE(tmp, dls_cone_group, n);
  w->need_arena = 4096 + 128 * size + 1024 * (size_t)n;
  dls_status status = W && b && pi && v && groups ? DLS_OK : DLS_FULL;
  for (int i = 0; status == DLS_OK && i < n; i++) {
    for (int j = 0; j < n; j++) {
      double sum = 0;
      if (o[i].a == o[j].a) sum += dot_u(o[i].J, o[j].MJ);
      if (o[i].a == o[j].b) sum += dot_u(o[i].J, o[j].MJ + NU);
      if (o[i].b == o[j].a) sum += dot_u(o[i].J + NU, o[j].MJ);
      if (o[i].b == o[j].b) sum += dot_u(o[i].J + NU, o[j].MJ + NU);
      W[(size_t)i * (size_t)n + (size_t)j] = sum;
    }
    b[i] = o[i].gap;
    groups[i] = (dls_cone_group){.kind = o[i].both ? DLS_CONE_BILATERAL : DLS_CONE_UNILATERAL, .row = i};
  }
  if (status == DLS_OK && dls_trees_used(w)) status = add_tree_part(S, o, n, W);
  if (status == DLS_OK) {
    for (size_t i = 0; i < (size_t)n; i++)
      for (size_t j = 0; j < i; j++)
        W[i * (size_t)n + j] = W[j * (size_t)n + i] =
            0.5 * (W[i * (size_t)n + j] + W[j * (size_t)n + i]);
    dls_cone_problem problem = {.n_rows = n, .n_groups = n, .groups = groups, .W = W, .b = b};
    dls_cone_opts opts = dls_cone_opts_default();
    dls_cone_report report;
    opts.tolerance = 1e-9;
    opts.max_iterations = 300;
    w->need_arena = dls_bytes_add(w->need_arena, dls_cone_solve_bytes(&problem));
    status = dls_cone_solve(&problem, &opts, tmp, pi, v, &report);
  }
  for (int i = 0; status == DLS_OK && i < n; i++) o[i].pi = pi[i];
  if (status == DLS_OK) displace_joined(S, P, n);
  dls_arena_release(tmp, mark);
  return status;
}

/* The gaps to be settled, one after another from the front. */
static void line_up(pile *P) {
  for (int k = 0; k < P->n_active; k++) P->o[k] = P->o[P->active[k]];
}

/* Contacts that pressed across a gap: the bodies go the rest of the way (see close_gaps). */
static dls_status close_joined(step *S, pile *P) {
  if (!(mark_holding(S, P) > CLOSED)) return DLS_OK;
  dls_status status = pick(S, P, -DLS_INF, true);
  if (status != DLS_OK) return status;
  int n = 0;
  for (int k = 0; k < P->n_active; k++) {
    const overlap *o = &P->o[P->active[k]];
    if (o->gap > CLOSED * o->size) P->active[n++] = P->active[k];
  }
  if (n == 0) return DLS_OK;
  P->n_active = n;
  line_up(P);
  for (int k = 0; k < n; k++) P->o[k].both = true;
  status = settle_joined(S, P, n);
  return status == DLS_OK ? look(S, P) : status;
}

/* Newton on the gaps, few rounds. */
static dls_status project_joined(step *S, pile *P) {
  enum { TURNS = 5, MOST = 1500 };
  static const double NOISE = 1e-13;
  dls_status status = look(S, P);
  if (status == DLS_OK) status = close_joined(S, P);
  for (int turn = 0; turn < TURNS && status == DLS_OK; turn++) {
    double apart = 0;
    int n = P->n;
    find_joint_gaps(S, P->o, &n, 0, &apart);
    n += P->touching - P->n;
    if (n == 0 || n > MOST || (P->worst <= OVERLAP_NOISE && apart <= NOISE)) break;
    status = pick(S, P, 2 * P->deepest, false);
    if (status != DLS_OK) break;
    line_up(P);
    n = P->n_active;
    find_joint_gaps(S, P->o, &n, 2 * P->deepest, &apart);
    status = settle_joined(S, P, n);
    if (status == DLS_OK) status = look(S, P);
  }
  return status;
}
