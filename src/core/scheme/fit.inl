/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
/* Projections of positions on what joints hold, reduced and rigid alike: to the point q with
**
**     S' ( M (aim (-) q) + J' pi ) = 0,    g = 0 or 0 <= pi _|_ gap >= 0,
**
** M, J and S there, which is the nearest to `aim`: by Gauss and Newton, so that rigid joints and trees
** arrive at the same point. */

/* aim (-) q of one body: (translation, rotation vector), world axes. */
static void way_to(const double *aim, const double *q, double *x) {
  for (int k = 0; k < D; k++) x[k] = aim[k] - q[k];
#if D == 2
  x[2] = aim[2] - q[2];
#else
  dls_quat turn = dls_q_mul(dls_q_load(aim + 3), dls_q_conj(dls_q_load(q + 3)));
  if (turn.w < 0) turn = (dls_quat){-turn.w, -turn.x, -turn.y, -turn.z};
  const dls_vec3 v = dls_v3(turn.x, turn.y, turn.z);
  const double s = dls_v3_norm(v);
  dls_v3_store(x + 3, dls_v3_scale(s > 0 ? 2 * dls_atan2(s, turn.w) / s : 2, v));
#endif
}

/* The trees stand where their coordinates say; inertias are those at q. afresh: so is their factor. */
static dls_status stand(step *S, double *q, bool afresh) {
  dls_world *w = S->w;
  if (dls_trees_used(w)) {
    dls_forest_place(w->trees->forest, w->trees->state);
    dls_trees_scatter(w, q, NULL, false);
    dls_status status = afresh ? factor_trees(S) : DLS_OK;
    if (status != DLS_OK) return status;
  }
  for (int i = 0; S->n_unreduced + S->n_gears + S->n_late > 0 && i < w->n_bodies; i++) {
    if (!S->held[i] || held_by_tree(S, i)) continue;
    const pose T = pose_of(&w->bodies[i], Q(q, i));
    weigh(S, i, &T);
  }
  if (dls_trees_used(w)) unweigh_trees(S);
  return DLS_OK;
}

/* f: momenta of rotors, which are bodies of their own, along their ways x to where they would be. */
static void rotor_momenta(const dls_trees *t, const double *x, double *f) {
  memset(f, 0, (size_t)t->forest->nu * sizeof(double));
  for (int i = 0; i < t->forest->n_nodes; i++) {
    const dls_node *node = &t->forest->nodes[i];
    if (node->rotor > 0 && node->nu == 1) f[node->iu] = node->rotor * x[node->iu];
  }
}

/* S->way for all bodies, and f for rotors. */
static void ways_to_aim(step *S, const double *q, double *f) {
  const dls_world *w = S->w;
  memset(S->way, 0, (size_t)w->n_bodies * NU * sizeof(double));
  for (int i = 0; i < w->n_bodies; i++)
    if (moves_freely(&w->bodies[i]) && memcmp(Q(S->aim, i), Q(q, i), NQ * sizeof(double)) != 0)
      way_to(Q(S->aim, i), Q(q, i), U(S->way, i));
  if (!dls_trees_used(w)) return;
  const dls_trees *t = w->trees;
  memset(f, 0, (size_t)t->forest->nu * sizeof(double));
  for (int i = 0; i < t->forest->n_nodes; i++) {
    const dls_node *node = &t->forest->nodes[i];
    if (node->rotor > 0 && node->nu == 1)
      f[node->iu] = node->rotor * (t->q_aim[node->iq] - t->state->q[node->iq]);
  }
}

/* One turn: everything goes the way S->way that the rows o (at q, with gaps) leave it, or as much of it as its
** farthest body may go, by radii of gyration and radians; f: momenta of rotors along theirs, or NULL. Answers how far
** the farthest went. */
static dls_status turn_along(step *S, double *q, overlap *o, int n, const double *f, double most, double *size) {
  dls_world *w = S->w;
  dls_trees *t = dls_trees_used(w) ? w->trees : NULL;
  dls_status status = answer(S, q, o, n, S->way, f);
  if (status != DLS_OK) return status;
  *size = 0;
  for (int i = 0; i < w->n_bodies; i++) {
    const double *y = U(S->answer, i);
    if (!moves_freely(&w->bodies[i])) continue;
    const double length = w->bodies[i].gyration > 0 ? w->bodies[i].gyration : 1;
    for (int k = 0; k < NU; k++) *size = dls_max(*size, k < D ? fabs(y[k]) / length : fabs(y[k]));
  }
  const double share = *size > most ? most / *size : 1;
  for (int i = 0; i < w->n_bodies; i++)
    if (moves_freely(&w->bodies[i]) && !held_by_tree(S, i)) drift(Q(q, i), share, U(S->answer, i));
  if (t) dls_forest_advance(t->forest, t->state->q, share, t->du);
  return DLS_OK;
}

/* The same towards the aim. */
static dls_status turn_to_aim(step *S, double *q, overlap *o, int n, double *size) {
  double *f = dls_trees_used(S->w) ? S->w->trees->u_scratch : NULL;
  ways_to_aim(S, q, f);
  return turn_along(S, q, o, n, f, DLS_INF, size);
}

/* The energy of the way from aim to q. */
static void charge_way(step *S, const double *q) {
  const dls_world *w = S->w;
  for (int i = 0; i < w->n_bodies; i++)
    for (int k = 0; k < D && moves_freely(&w->bodies[i]); k++)
      S->correction -= w->bodies[i].mass * w->gravity[k] * (Q(q, i)[k] - Q(S->aim, i)[k]);
}

static void aim_here(step *S, const double *q) {
  const dls_trees *t = S->w->trees;
  memcpy(S->aim, q, (size_t)S->w->n_bodies * NQ * sizeof(double));
  if (dls_trees_used(S->w)) memcpy(t->q_aim, t->state->q, (size_t)t->forest->nq * sizeof(double));
}

/* Rotors went on by themselves, as bodies did. */
static void aim_rotors(const step *S) {
  const dls_trees *t = S->w->trees;
  for (int i = 0; i < t->forest->n_nodes; i++) {
    const dls_node *node = &t->forest->nodes[i];
    if (node->rotor > 0 && node->nu == 1) t->q_aim[node->iq] += S->theta * S->h * t->u_apart[node->iu];
  }
}

enum { FIT_TURNS = 12 };
/* A turn that went so far leaves round-off; and one that went so far times the first. */
static const double FITTED = 1e-11, LEFT = 1e-16;
static bool is_fitted(double size, double first) { return size <= FITTED || size * first <= LEFT; }

/* --- where turns do not come nearer ----------------------------------------------------------------- */

/* Near a singular pose (a loop that is stretched straight) what closes it bends more over the way than the way is
** long: the nearest point is not found by turns that go back to their aim, and the exact pose has no row left that
** holds it. There bodies go the shortest way from the aim to where gaps are SHUT: rows remain, as far from the
** singular pose as the root of that, and hold. */
static const double SHUT = 3e-6; /* of a moving body's radius of gyration */

/* The farthest that a body goes in one turn there, by its radius of gyration, and rad. */
static const double LONGEST_TURN = 0.5;
/* Share of the last turn beyond which a turn does not come nearer; a singular pose leaves half. */
static const double BENT = 0.25;
/* Turns of bodies below this, of their radius of gyration, are left as they are: gaps are round-off there. */
static const double CLOSE_BY = 1e-6;

/* Gaps of joints beyond what counts as shut; the largest, by what does. */
static double gaps_to_shut(const step *S, overlap *o, int n) {
  double worst = 0;
  for (int k = 0; k < n; k++) {
    double length = 0;
    for (int e = 0; e < ends_of(&o[k]); e++) {
      const dls_body *body = &S->w->bodies[end_of(&o[k], e)];
      if (moves_freely(body)) length = dls_max(length, body->gyration);
    }
    const double shut = SHUT * (length > 0 ? length : 1), beyond = dls_max(fabs(o[k].gap) - shut, 0);
    o[k].gap = o[k].gap > 0 ? beyond : -beyond;
    worst = dls_max(worst, beyond / shut);
  }
  return worst;
}

/* The pose, of bodies and trees, to `to` and back. */
static void keep_pose(const step *S, const double *q, double *to) {
  const dls_world *w = S->w;
  memcpy(to, q, (size_t)w->n_bodies * NQ * sizeof(double));
  if (dls_trees_used(w))
    memcpy(to + (size_t)w->n_bodies * NQ, w->trees->state->q, (size_t)w->trees->forest->nq * sizeof(double));
}
static void take_pose(step *S, const double *from, double *q) {
  dls_world *w = S->w;
  memcpy(q, from, (size_t)w->n_bodies * NQ * sizeof(double));
  if (dls_trees_used(w))
    memcpy(w->trees->state->q, from + (size_t)w->n_bodies * NQ, (size_t)w->trees->forest->nq * sizeof(double));
}

/* From S->aim. Where gaps do not shut, the pose met at which the largest is least is kept; turns are shorter each time
** that one was worse than the last. */
static dls_status shut_loops(step *S, double *q, overlap *o) {
  enum { TURNS = 60 };
  static const double ENOUGH = 1e-3, SHORTEST_TURN = 1e-4; /* of what counts as shut; as LONGEST_TURN */
  dls_world *w = S->w;
  const size_t room = (size_t)w->n_bodies * NQ + (dls_trees_used(w) ? (size_t)w->trees->forest->nq : 0);
  double *best = DLS_TAKE(&w->arena, double, room);
  if (!best) {
    w->need_arena = dls_bytes_add(w->arena.size, dls_arena_bytes(room, sizeof *best));
    return DLS_FULL;
  }
  memcpy(q, S->aim, (size_t)w->n_bodies * NQ * sizeof(double));
  if (dls_trees_used(w))
    memcpy(w->trees->state->q, w->trees->q_aim, (size_t)w->trees->forest->nq * sizeof(double));
  memset(S->way, 0, (size_t)w->n_bodies * NU * sizeof(double));
  keep_pose(S, q, best);
  dls_status status = DLS_OK;
  double least = DLS_INF, worst = DLS_INF, most = LONGEST_TURN;
  for (int turn = 0; turn < TURNS && status == DLS_OK; turn++) {
    double size = 0;
    int n = 0;
    status = stand(S, q, true);
    if (status != DLS_OK) break;
    find_held_gaps(S, q, o, &n);
    const double last = worst;
    worst = gaps_to_shut(S, o, n);
    if (worst < least) keep_pose(S, q, best);
    if (turn > 1 && worst > last) most *= 0.5;
    least = dls_min(least, worst);
    if (worst <= ENOUGH || most < SHORTEST_TURN) break;
    status = turn_along(S, q, o, n, NULL, most, &size);
    if (size <= FITTED) break;
  }
  if (worst > ENOUGH) take_pose(S, best, q);
  return status;
}

/* Bodies that drifted by themselves to q go to the nearest point that joints admit. The factor of the first
** turn serves them all: each leaves of its way about the share that the first one was long. factored: at the end it
** is that of q. */
static dls_status fit(step *S, double *q, bool factored) {
  dls_world *w = S->w;
  S->bent = false;
  if (!is_joined(S)) return DLS_OK;
  const size_t mark = dls_arena_mark(&w->arena);
  overlap *o = DLS_TAKE(&w->arena, overlap, S->room_joints);
  if (!o) return DLS_FULL;
  aim_here(S, q);
  if (dls_trees_used(w)) aim_rotors(S);
  double last = DLS_INF, first = 0;
  dls_status status = DLS_OK;
  for (int turn = 0; turn < FIT_TURNS && status == DLS_OK; turn++) {
    double size = 0;
    int n = 0;
    status = stand(S, q, turn == 0);
    if (status != DLS_OK) break;
    find_held_gaps(S, q, o, &n);
    if (n == 0 && !dls_trees_used(w)) break;
    status = turn_to_aim(S, q, o, n, &size);
    if (turn == 0) first = size;
    if (is_fitted(size, first) || (turn > 2 && size >= last)) break;
    S->bent = n > 0 && turn > 0 && size > BENT * last && size > CLOSE_BY;
    if (S->bent) break;
    last = size;
  }
  if (status == DLS_OK && S->bent) status = shut_loops(S, q, o);
  if (status == DLS_OK) status = stand(S, q, factored);
  charge_way(S, q);
  dls_arena_release(&w->arena, mark);
  return status;
}
