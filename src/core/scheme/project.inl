/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
/* Positions, after velocities: the smallest change in the M-norm, dq = M^-1 J' pi, with
**
**     0 <= pi  _|_  gap + J dq >= 0                                   (rigid contacts)
**
** by projected Gauss-Seidel on the gaps at q'. No velocity and no impulse is touched. */

typedef struct overlap {
  int a, b;          /* bodies                                    */
  double J[2 * NU];  /* of the gap                                */
  double MJ[2 * NU]; /* M^-1 J'                                   */
  double w;          /* J M^-1 J'                                 */
  double gap;        /* m                                         */
  double pi;         /* multiplier, kg m                          */
  double size;       /* of the smaller body, m                    */
  bool both;         /* a constraint: the gap is to be zero       */
} overlap;

enum { ROUNDS = 3, SWEEPS = 12, SWEEPS_SMALL = 200, SMALL_PILE = 60 };
/* Overlap below this share of the smaller body is round-off. */
static const double OVERLAP_NOISE = 1e-12, OVERLAP_SMALL = 1e-10, OVERLAP_LARGE = 1e-4;

static void add_overlap(step *S, overlap *o, int a, int b, const dls_touch *touch) {
  dls_world *w = S->w;
  dls_vec3 on_a, on_b;
  points_of(w, a, b, touch, &on_a, &on_b);
  *o = (overlap){.a = a, .b = b, .gap = touch->gap};
  write_row(o->J, touch->normal, arm_to(Q(S->q_n, a), on_a), arm_to(Q(S->q_n, b), on_b));
  apply_inverse(&S->rows, a, o->J, o->MJ);
  apply_inverse(&S->rows, b, o->J + NU, o->MJ + NU);
  o->w = row_velocity(o->J, o->MJ, o->MJ + NU);
  o->size = 2 * dls_min(dls_shape_girth(w->bodies[a].shape), dls_shape_girth(w->bodies[b].shape));
}

/* Hand-made contacts first. */
static dls_status find_tied_overlaps(step *S, overlap *out, double slack, int *n_out,
                                     double *worst, double *deepest) {
  dls_world *w = S->w;
  for (int i = 0; i < w->n_ties; i++) {
    const dls_tie *tie = &w->ties[i];
    if (!tie->alive || !tie->active || tie->material.stiffness < DLS_INF) continue;
    tied at;
    dls_status status = tie_at(S, i, S->q_n, w->time + S->h, &at);
    if (status != DLS_OK) return status;
    if (at.gap > slack) continue;
    if (*n_out >= S->room_contacts) {
      w->need_contacts = 2 * S->room_contacts;
      return DLS_FULL;
    }
    overlap *o = &out[*n_out];
    *o = (overlap){.a = tie->a, .b = tie->b, .gap = at.gap, .size = 1};
    memcpy(o->J, at.J, sizeof o->J);
    apply_inverse(&S->rows, o->a, o->J, o->MJ);
    apply_inverse(&S->rows, o->b, o->J + NU, o->MJ + NU);
    o->w = row_velocity(o->J, o->MJ, o->MJ + NU);
    if (!(o->w > 0) && !held_by_tree(S, o->a) && !held_by_tree(S, o->b)) continue;
    *worst = dls_max(*worst, -o->gap);
    *deepest = dls_max(*deepest, -o->gap);
    ++*n_out;
  }
  return DLS_OK;
}

/* All rigid touches at q' that overlap or are within `slack`; the worst overlap, by size, and the
** deepest, m. */
static dls_status find_overlaps(step *S, overlap *out, double slack, int *n_out, double *worst,
                                double *deepest) {
  dls_world *w = S->w;
  dls_touch touch[TOUCHES];
  *n_out = 0;
  *worst = *deepest = 0;
  dls_status status = find_tied_overlaps(S, out, slack, n_out, worst, deepest);
  if (status != DLS_OK) return status;
  for (int k = 0; k < S->n_near; k++) {
    int a = S->near[k].a, b = S->near[k].b;
    if (w->bodies[a].sensor || w->bodies[b].sensor) continue;
    int n = touches_of(S, a, b, slack, touch);
    if (n == 0) continue;
    if (dls_world_material(w, a, b).stiffness < DLS_INF) continue;
    for (int i = 0; i < n; i++) {
      if (*n_out >= S->room_contacts) {
        w->need_contacts = 2 * S->room_contacts;
        return DLS_FULL;
      }
      overlap *o = &out[*n_out];
      add_overlap(S, o, a, b, &touch[i]);
      if (!(o->w > 0) && !held_by_tree(S, a) && !held_by_tree(S, b)) continue;
      *worst = dls_max(*worst, -o->gap / o->size);
      *deepest = dls_max(*deepest, -o->gap);
      ++*n_out;
    }
  }
  return DLS_OK;
}

/* Sweeps to and fro; dq in NU numbers a body. Answers the worst violation left, by size. */
static double push_apart(overlap *o, int n, double *dq, double limit) {
  int most = n <= SMALL_PILE ? SWEEPS_SMALL : SWEEPS;
  double worst = 0;
  for (int i = 0; i < most; i++) {
    worst = 0;
    for (int k = 0; k < n; k++) {
      overlap *c = &o[(i & 1) ? n - 1 - k : k];
      double *dq_a = U(dq, c->a), *dq_b = U(dq, c->b);
      double gap = c->gap + row_velocity(c->J, dq_a, dq_b);
      double pi = dls_max(0, c->pi - gap / c->w), change = pi - c->pi;
      if (change == 0) continue;
      worst = dls_max(worst, fabs(change) * c->w / c->size);
      c->pi = pi;
      add_u(dq_a, change, c->MJ);
      add_u(dq_b, change, c->MJ + NU);
    }
    if (worst <= limit) break;
  }
  return worst;
}

static void place(step *S) {
  dls_world *w = S->w;
  for (int i = 0; i < w->n_bodies; i++)
    if (w->bodies[i].alive && w->bodies[i].shape)
      S->T[i] = pose_for_shapes(&w->bodies[i], Q(S->q_n, i), S->shapes_only);
}

/* Moves q' by dq; the energy it adds goes to the ledger. */
static void displace(step *S, const double *dq) {
  dls_world *w = S->w;
  for (int i = 0; i < w->n_bodies; i++) {
    if (!moves_freely(&w->bodies[i])) continue;
    const double *change = U(dq, i);
    double rise = 0;
    for (int k = 0; k < D; k++) rise -= w->bodies[i].mass * w->gravity[k] * change[k];
    S->correction += rise;
    drift(Q(S->q_n, i), 1, change);
  }
  place(S);
}

/* The gap at q' of a contact of this step, as an overlap; false where it is gone. */
static bool overlap_of(step *S, const dls_contact *c, overlap *o) {
  dls_world *w = S->w;
  if (c->tie >= 0) {
    tied at;
    if (w->ties[c->tie].kind == DLS_TIE_GAP) return false;
    if (tie_at(S, c->tie, S->q_n, w->time + S->h, &at) != DLS_OK) return false;
    *o = (overlap){.a = c->a, .b = c->b, .gap = at.gap, .size = 1};
    memcpy(o->J, at.J, sizeof o->J);
    apply_inverse(&S->rows, o->a, o->J, o->MJ);
    apply_inverse(&S->rows, o->b, o->J + NU, o->MJ + NU);
    o->w = row_velocity(o->J, o->MJ, o->MJ + NU);
    return o->w > 0 || held_by_tree(S, o->a) || held_by_tree(S, o->b);
  }
  dls_touch touch[TOUCHES];
  int n = touches_of(S, c->a, c->b, 2 * fabs(c->gap) + S->reach[c->a] + S->reach[c->b], touch);
  for (int i = 0; i < n; i++)
    if (touch[i].key == c->key) {
      add_overlap(S, o, c->a, c->b, &touch[i]);
      return o->w > 0 || held_by_tree(S, o->a) || held_by_tree(S, o->b);
    }
  return false;
}

/* --- with joints: dense, finished to the end ---------------------------------------------------- */

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
static void displace_joined(step *S, const overlap *o, int n, double *dq) {
  dls_world *w = S->w;
  memset(dq, 0, (size_t)w->n_bodies * NU * sizeof(double));
  for (int k = 0; k < n; k++) {
    add_u(U(dq, o[k].a), o[k].pi, o[k].MJ);
    add_u(U(dq, o[k].b), o[k].pi, o[k].MJ + NU);
  }
  displace(S, dq);
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
  place(S);
}

/* 0 <= pi _|_ gap + W pi >= 0, or = 0 for constraints; then everything moves. */
static dls_status settle_joined(step *S, overlap *o, int n, double *dq) {
  dls_world *w = S->w;
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
  if (status == DLS_OK) displace_joined(S, o, n, dq);
  dls_arena_release(tmp, mark);
  return status;
}

/* The projection of a world with joints: Newton on the gaps, few rounds. */
static dls_status project_joined(step *S, overlap *o, double *dq, int *n, double *worst,
                                 double *deepest) {
  enum { TURNS = 5, MOST = 1500 };
  static const double NOISE = 1e-13;
  dls_status status = DLS_OK;
  for (int turn = 0; turn < TURNS && status == DLS_OK; turn++) {
    double apart = 0;
    status = find_overlaps(S, o, 0, n, worst, deepest);
    if (status != DLS_OK) break;
    find_joint_gaps(S, o, n, 0, &apart);
    if (*n == 0 || *n > MOST || (*worst <= OVERLAP_NOISE && apart <= NOISE)) break;
    status = find_overlaps(S, o, 2 * *deepest, n, worst, deepest);
    if (status != DLS_OK) break;
    find_joint_gaps(S, o, n, 2 * *deepest, &apart);
    status = settle_joined(S, o, *n, dq);
  }
  if (status == DLS_OK) status = find_overlaps(S, o, 0, n, worst, deepest);
  return status;
}

/* A contact may act before its gap is closed, since it would close within the step. Where it held
** (it pressed, and does not open), the bodies go the rest of the way: else they would hover there
** for ever, held by a row at a distance. By sweeps over these gaps alone; what they disagree about
** is settled by the projection that follows. */
static dls_status close_gaps(step *S, overlap *o, double *dq) {
  int n = 0;
  for (int k = 0; k < S->n_closing; k++) {
    const dls_contact *c = &S->w->contacts_next[S->closing[k]];
    if (!overlap_of(S, c, &o[n]) || !(o[n].gap > CLOSED * o[n].size)) continue;
    n++;
  }
  if (n == 0) return DLS_OK;
  if (is_joined(S)) {
    for (int k = 0; k < n; k++) o[k].both = true;
    return settle_joined(S, o, n, dq);
  }
  memset(dq, 0, (size_t)S->w->n_bodies * NU * sizeof(double));
  for (int i = 0; i < SWEEPS; i++) {
    double worst = 0;
    for (int k = 0; k < n; k++) {
      overlap *c = &o[(i & 1) ? n - 1 - k : k];
      double *dq_a = U(dq, c->a), *dq_b = U(dq, c->b);
      double gap = c->gap + row_velocity(c->J, dq_a, dq_b), change = -gap / c->w;
      worst = dls_max(worst, fabs(gap) / c->size);
      add_u(dq_a, change, c->MJ);
      add_u(dq_b, change, c->MJ + NU);
    }
    if (worst <= OVERLAP_NOISE) break;
  }
  displace(S, dq);
  return DLS_OK;
}

static dls_status project(step *S) {
  dls_world *w = S->w;
  size_t mark = dls_arena_mark(&w->arena);
  int room = S->room_contacts + S->room_joints;
  overlap *o = DLS_TAKE(&w->arena, overlap, room);
  double *dq = DLS_TAKE(&w->arena, double, w->n_bodies * NU);
  if (!o || !dq) return DLS_FULL;
  double worst = 0, deepest = 0;
  w->stats.infeasible = false;
  int n = 0;
  dls_status status = close_gaps(S, o, dq);
  if (status == DLS_OK) status = find_overlaps(S, o, 0, &n, &worst, &deepest);
  if (is_joined(S) && status == DLS_OK) status = project_joined(S, o, dq, &n, &worst, &deepest);
  for (int turn = 0; turn < ROUNDS && status == DLS_OK; turn++) {
    double limit = n <= SMALL_PILE ? OVERLAP_SMALL : OVERLAP_LARGE;
    bool exact = turn == 0 && n <= SMALL_PILE; /* large piles are let be below their limit */
    if (worst <= (exact ? OVERLAP_NOISE : limit)) break;
    if (turn > 0 && n > SMALL_PILE && worst <= 10 * limit) break; /* the next step goes on */
    /* Those that would be closed by opening the others belong to the problem. */
    status = find_overlaps(S, o, 2 * deepest, &n, &worst, &deepest);
    if (status != DLS_OK) break;
    memset(dq, 0, (size_t)w->n_bodies * NU * sizeof(double));
    push_apart(o, n, dq, 0.1 * limit);
    displace(S, dq);
    status = find_overlaps(S, o, 0, &n, &worst, &deepest);
  }
  w->stats.penetration = worst;
  w->stats.infeasible = worst > 1e-2;
  dls_arena_release(&w->arena, mark);
  return status;
}
