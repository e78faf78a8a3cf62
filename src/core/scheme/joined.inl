/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
/* Velocities as joints admit them, reduced and rigid alike, in one turn: at the start of a step, before anything
** touches, and at its end. */

/* u at q -> the nearest that joints and the rows o admit: J u = -gap. ref: where trees are, in their
** velocities, which follow; f: momenta of rotors beyond that, or NULL. S->answer holds the bodies' u
** afterwards. */
static dls_status admit_velocities(step *S, const double *q, overlap *o, int n, const double *u,
                                   double *ref, const double *f) {
  dls_world *w = S->w;
  dls_trees *t = dls_trees_used(w) ? w->trees : NULL;
  memcpy(S->u_t, u, (size_t)w->n_bodies * NU * sizeof(double));
  if (t) spread(S, ref, true, S->u_t);
  for (int i = 0; i < w->n_bodies * NU; i++) S->way[i] = u[i] - S->u_t[i];
  for (int k = 0; k < n; k++)
    o[k].gap += speed_of(&o[k], S->u_t);
  dls_status status = answer(S, q, o, n, S->way, f);
  if (status != DLS_OK) return status;
  for (int i = 0; i < w->n_bodies * NU; i++) S->answer[i] += S->u_t[i];
  for (int i = 0; t && i < t->forest->nu; i++) ref[i] += t->du[i];
  return DLS_OK;
}

/* No joint has acted yet. */
static void forget_reactions(step *S) {
  dls_world *w = S->w;
  if (w->n_joints > 0) memset(w->joint_own, 0, 6 * (size_t)w->n_joints * sizeof(double));
  if (!dls_trees_used(w)) return;
  dls_trees *t = w->trees;
  t->known = DLS_KNOWN_NOTHING;
  memset(t->jump, 0, 6 * (size_t)t->n_links * sizeof(double));
  memset(t->u_end, 0, (size_t)t->forest->nu * sizeof(double));
}

/* The impulses of the rows o (pi, N s) that made admitted velocities of w->u: reactions, and what their impact took,
** pi (v after - v before)/2. */
static void keep_closing(step *S, const overlap *o, int n) {
  dls_world *w = S->w;
  for (int k = 0; k < n; k++) {
    const double before = speed_of(&o[k], w->u);
    S->closed_impact += 0.5 * o[k].pi * (o[k].rate - before);
    S->closed_kinematic += o[k].pi * o[k].rate;
    for (int e = 0; e < ends_of(&o[k]); e++)
      if (!moves_freely(&w->bodies[end_of(&o[k], e)]))
        S->closed_kinematic -= o[k].pi * dot_u(o[k].J + e * NU, U(w->u, end_of(&o[k], e)));
    add_own(S, o[k].source, o[k].J, o[k].pi / S->h);
    if (o[k].n_ends > 2) add_own(S, o[k].other, o[k].J + 2 * NU, o[k].pi / S->h);
  }
  if (!dls_trees_used(w)) return;
  dls_trees *t = w->trees;
  for (int i = 0; i < t->forest->nu; i++) t->u_end[i] = t->du[i];
  for (int k = 0; k < t->n_links; k++) {
    const int i = t->link_body[k];
    double du[NU], M_du[NU];
    if (t->body_tree[i] < 0 || !moves_freely(&w->bodies[i])) continue;
    for (int m = 0; m < NU; m++) du[m] = U(S->answer, i)[m] - U(w->u, i)[m];
    momentum_of(&w->bodies[i], Q(S->q_c, i), du, M_du);
    link_wrench(M_du, 1, t->jump + 6 * (size_t)k);
  }
  for (int k = 0; k < n; k++)
    for (int e = 0; e < ends_of(&o[k]); e++) {
      const int body = end_of(&o[k], e);
      if (held_by_tree(S, body))
        link_wrench(o[k].J + e * NU, -o[k].pi, t->jump + 6 * (size_t)t->body_link[body]);
    }
}

/* Velocities that rigid joints do not admit (set by hand, or by joints made on moving bodies) give
** way before the step. */
static dls_status begin_joined(step *S) {
  dls_world *w = S->w;
  static const double ADMITTED = 1e-11; /* of the fastest */
  memcpy(S->q_c, w->q, (size_t)w->n_bodies * NQ * sizeof(double));
  memcpy(S->u_c, w->u, (size_t)w->n_bodies * NU * sizeof(double));
  forget_reactions(S);
  if (!is_joined(S)) return DLS_OK;
  mark_held(S);
  if (S->n_unreduced + S->n_gears == 0) return DLS_OK;
  const size_t mark = dls_arena_mark(&w->arena);
  overlap *o = DLS_TAKE(&w->arena, overlap, S->room_joints);
  if (!o) return DLS_FULL;
  dls_status status = dls_joints_drive(w, w->time);
  if (status == DLS_OK && dls_trees_used(w))
    status = dls_trees_gather(w, w->q, w->u, w->q, w->u, w->time);
  if (status == DLS_OK) status = stand(S, S->q_c, true);
  int n = 0;
  double fastest = 0, worst = 0;
  if (status == DLS_OK) find_held_gaps(S, S->q_c, o, &n);
  for (int k = 0; k < n; k++) {
    o[k].gap = -o[k].rate;
    worst = dls_max(worst, fabs(speed_of(&o[k], S->u_c) - o[k].rate));
    for (int e = 0; e < ends_of(&o[k]); e++)
      for (int i = 0; i < NU; i++)
        fastest = dls_max(fastest, fabs(o[k].J[e * NU + i] * U(S->u_c, end_of(&o[k], e))[i]));
  }
  if (status == DLS_OK && worst > ADMITTED * fastest) {
    double *ref = dls_trees_used(w) ? w->trees->state->u : NULL;
    status = admit_velocities(S, S->q_c, o, n, S->u_c, ref, NULL);
    if (status == DLS_OK) keep_closing(S, o, n);
    if (status == DLS_OK) memcpy(S->u_c, S->answer, (size_t)w->n_bodies * NU * sizeof(double));
  }
  dls_arena_release(&w->arena, mark);
  return status;
}

/* Angular velocities of held bodies at q from the angular momenta of u at q_from. */
static void carry_spins(step *S, const double *q_from, const double *u_from, const double *q,
                        double *u) {
#if D == 3
  for (int i = 0; i < S->w->n_bodies; i++) {
    const dls_body *body = &S->w->bodies[i];
    if (!S->held[i] || !moves_freely(body) || is_round(body)) continue;
    const dls_vec3 L = angular_momentum(body, Q(q_from, i), U(u_from, i));
    dls_v3_store(U(u, i) + 3, rate_of(body, Q(q, i), L));
  }
#else
  (void)S, (void)q_from, (void)u_from, (void)q, (void)u;
#endif
}

/* q_c as the joints admit it. */
static dls_status fit_middle(step *S) {
  dls_status status = dls_joints_drive(S->w, S->w->time + (1 - S->theta) * S->h);
  if (status == DLS_OK) status = fit(S, S->q_c, true);
  if (status == DLS_OK) carry_spins(S, S->aim, S->u_c, S->q_c, S->u_c);
  return status;
}

/* u_f with what rigid joints do about it before anything touches: what approaches is told by it. */
static dls_status look_ahead(step *S) {
  dls_world *w = S->w;
  S->u_ahead = S->rows.u_free;
  if (S->n_unreduced + S->n_gears == 0) return DLS_OK;
  const size_t mark = dls_arena_mark(&w->arena);
  overlap *o = DLS_TAKE(&w->arena, overlap, S->room_joints);
  if (!o) return DLS_FULL;
  int n = 0;
  find_held_gaps(S, S->q_c, o, &n);
  for (int k = 0; k < n; k++) {
    o[k].gap = speed_of(&o[k], S->u_c) + speed_of(&o[k], S->rows.u_free) - 2 * o[k].rate;
  }
  memset(S->way, 0, (size_t)w->n_bodies * NU * sizeof(double));
  dls_status status = answer(S, S->q_c, o, n, S->way, NULL);
  for (int i = 0; i < w->n_bodies * NU; i++) S->u_t[i] = S->rows.u_free[i] + S->answer[i];
  S->u_ahead = S->u_t;
  dls_arena_release(&w->arena, mark);
  return status;
}

/* Rows of joints that held a velocity in this step hold it at the end as well. */
static void find_holding(step *S, overlap *o, int *n) {
  const dls_rows *rows = &S->rows;
  for (int k = 0; k < rows->n_blocks; k++) {
    const dls_block *block = &rows->block[k];
    const int row = block->row, what = S->what[k];
    if (block->source >= 0 || what < 0 || what >= SPRINGS || rows->gamma[row] > 0) continue;
    const double p = rows->p[row];
    const bool box = block->kind == DLS_ROW_BOX;
    if (box ? !(p > block->lo && p < block->hi) : !(p > 0)) continue;
    const int index = -1 - block->source;
    const hinge h = hinge_at(S, index, S->q_n);
    double d[6], gap;
    if (what < LIMITS) {
      if (!limit_of(&h, what, &gap, d)) continue;
    } else if (h.regular) {
      memcpy(d, h.dual + 6 * (what - LIMITS), sizeof d);
    } else {
      continue;
    }
    overlap *out = &o[(*n)++];
    *out = (overlap){.a = block->a, .b = block->b, .both = true, .size = 1, .source = index};
    out->gap = rows->s[row];
    write_functional(S, &h, S->q_n, d, out->J);
    weigh_row(S, out);
  }
}

/* What each link of a tree got from its joints: the change of its momentum less all that is known. */
static void keep_jumps(step *S, const overlap *o, int n) {
  dls_trees *t = S->w->trees;
  for (int k = 0; k < t->n_links; k++) {
    const int i = t->link_body[k];
    double *jump = t->jump + 6 * (size_t)k, du[NU], M_du[NU];
    for (int m = 0; m < 6; m++) {
      jump[m] = -jump[m]; /* the forces' impulses */
      if (t->pushed) jump[m] -= t->wrench[6 * (size_t)k + (size_t)m];
    }
    if (t->body_tree[i] < 0 || !moves_freely(&S->w->bodies[i])) continue;
    for (int m = 0; m < NU; m++) du[m] = U(S->rows.u, i)[m] - U(S->u_c, i)[m];
    momentum_of(&S->w->bodies[i], Q(S->q_c, i), du, M_du);
    link_wrench(M_du, 1, jump);
    for (int m = 0; m < NU; m++) du[m] = U(S->answer, i)[m] - U(S->u_n, i)[m];
    momentum_of(&S->w->bodies[i], Q(S->q_n, i), du, M_du);
    link_wrench(M_du, 1, jump);
  }
  for (int k = 0; k < n; k++)
    for (int e = 0; e < ends_of(&o[k]); e++) {
      const int body = end_of(&o[k], e);
      if (held_by_tree(S, body))
        link_wrench(o[k].J + e * NU, -o[k].pi, t->jump + 6 * (size_t)t->body_link[body]);
    }
}

/* Kinetic energy of rotors that are faster than their joints by `apart` (NULL: not at all). */
static double rotor_energy(const dls_trees *t, const double *apart) {
  double sum = 0;
  for (int i = 0; i < t->forest->n_nodes; i++) {
    const dls_node *node = &t->forest->nodes[i];
    if (node->nu != 1 || !(node->rotor > 0)) continue;
    const double u = t->u_end[node->iu] + (apart ? apart[node->iu] : 0);
    sum += 0.5 * node->rotor * u * u;
  }
  return sum;
}

/* What prescribed motions inside trees, and given bodies that carry them, do by the reactions in node[].R. */
static double power_of_drives(const dls_trees *t) {
  double power = 0;
  for (int i = 0; i < t->forest->n_nodes; i++) {
    const dls_node *node = &t->forest->nodes[i];
    const dls_node_state *s = &t->state->node[i];
    const dls_spatial R = dls_sp_load(s->R);
    if (node->kind == DLS_NODE_DRIVEN)
      power += (node->a * R.a.z + node->b * R.l.z) * t->state->drives[node->input].ds;
    if (node->parent < 0 || t->forest->nodes[node->parent].kind != DLS_NODE_GIVEN) continue;
    const dls_spatial v = dls_node_down(s, dls_sp_load(t->state->node[node->parent].v));
    power += dls_v3_dot(R.a, v.a) + dls_v3_dot(R.l, v.l);
  }
  return power;
}

/* The same for the impulses of the last projection. */
static void note_late_work(step *S, const overlap *o, int n) {
  dls_trees *t = S->w->trees;
  if (t->forest->n_drives + t->forest->n_given == 0) return;
  memset(t->velocity, 0, 6 * (size_t)t->n_links * sizeof(double));
  for (int k = 0; k < t->n_links; k++) {
    const int body = t->link_body[k];
    double du[NU], M_du[NU];
    if (!held_by_tree(S, body) || !moves_freely(&S->w->bodies[body])) continue;
    for (int m = 0; m < NU; m++) du[m] = U(S->answer, body)[m] - U(S->u_n, body)[m];
    momentum_of(&S->w->bodies[body], Q(S->q_n, body), du, M_du);
    link_wrench(M_du, 1, t->velocity + 6 * (size_t)k);
  }
  for (int k = 0; k < n; k++)
    for (int e = 0; e < ends_of(&o[k]); e++) {
      const int body = end_of(&o[k], e);
      if (held_by_tree(S, body))
        link_wrench(o[k].J + e * NU, -o[k].pi, t->velocity + 6 * (size_t)t->body_link[body]);
    }
  dls_forest_transmit(t->forest, t->state, t->velocity);
  S->late_work = power_of_drives(t);
}

/* Where loops could not follow (see shut_loops), bodies have the velocities of the way that they went, if that is
** less motion: what closed a gap from before is none. */
static void follow_way(step *S) {
  const dls_world *w = S->w;
  double more = 0;
  for (int i = 0; i < w->n_bodies; i++) {
    double *u = U(S->way, i);
    if (!S->held[i] || !moves_freely(&w->bodies[i])) continue;
    way_to(Q(S->q_n, i), Q(w->q, i), u);
    for (int k = 0; k < NU; k++) u[k] /= S->h;
    more += kinetic_of(&w->bodies[i], Q(S->q_n, i), u) - kinetic_of(&w->bodies[i], Q(S->q_n, i), U(S->u_n, i));
  }
  if (!(more < 0)) return;
  S->correction += more;
  for (int i = 0; i < w->n_bodies; i++)
    if (S->held[i] && moves_freely(&w->bodies[i])) memcpy(U(S->u_n, i), U(S->way, i), NU * sizeof(double));
}

/* What rows of joints lack at q', after every projection: a gap beyond FAR_APART tells that they cannot hold together.
** o: n rows that are held; those of limits behind them are scratch. */
static void judge_joints(step *S, overlap *o, int n) {
  static const double FAR_APART = 1e-3; /* of a moving body's radius of gyration; rad */
  dls_world *w = S->w;
  double over = 0, worst = FAR_APART;
  int all = n;
  find_limit_gaps(S, o, &all, 0, &over);
  w->apart_joint = -1;
  for (int k = 0; k < all; k++) {
    double length = 0, linear = 0;
    for (int e = 0; e < ends_of(&o[k]); e++) {
      const dls_body *body = &w->bodies[end_of(&o[k], e)];
      if (moves_freely(body)) length = dls_max(length, body->gyration);
      for (int i = 0; i < D; i++) linear = dls_max(linear, fabs(o[k].J[e * NU + i]));
    }
    const double gap = fabs(o[k].gap) / (linear > 0 && length > 0 ? length : 1);
    if (!(gap > worst)) continue;
    worst = gap;
    w->apart = fabs(o[k].gap);
    w->apart_joint = o[k].source;
  }
  if (w->apart_joint >= 0) w->stats.infeasible = true;
}

/* The velocities at the end as the joints admit them there. */
static dls_status finish_joined(step *S) {
  dls_world *w = S->w;
  if (!is_joined(S) && S->n_late == 0) return DLS_OK;
  dls_trees *t = dls_trees_used(w) ? w->trees : NULL;
  const size_t mark = dls_arena_mark(&w->arena);
  overlap *o = DLS_TAKE(&w->arena, overlap, S->room_joints + S->n_late);
  if (!o) return DLS_FULL;
  hold_late(S);
  S->more = S->tree_late ? t->late : NULL;
  dls_status status = stand(S, S->q_n, true);
  int n = 0;
  if (status == DLS_OK) {
    carry_spins(S, S->q_c, S->rows.u, S->q_n, S->u_n);
    if (S->bent) follow_way(S);
    find_held_gaps(S, S->q_n, o, &n);
    judge_joints(S, o, n);
    for (int k = 0; k < n; k++) o[k].gap = -o[k].rate;
    find_holding(S, o, &n);
    find_late(S, o, &n);
    if (t) rotor_momenta(t, t->u_apart, t->u_scratch);
    if (t) draw_late(S, t->u_scratch);
    if (t) S->correction -= rotor_energy(t, t->u_apart);
    status = admit_velocities(S, S->q_n, o, n, S->u_n, t ? t->u_end : NULL, t ? t->u_scratch : NULL);
    S->more = NULL;
  }
  if (status == DLS_OK) S->correction -= charge_late(S, o, S->u_n, S->answer);
  if (status == DLS_OK && t) S->correction -= charge_tree_late(S, t->du);
  for (int k = 0; status == DLS_OK && k < n; k++) {
    if (o[k].source >= 0) add_own(S, o[k].source, o[k].J, o[k].pi / S->h);
    if (o[k].n_ends > 2) add_own(S, o[k].other, o[k].J + 2 * NU, o[k].pi / S->h);
  }
  if (status == DLS_OK && t) {
    keep_jumps(S, o, n);
    S->correction += rotor_energy(t, NULL);
    note_late_work(S, o, n);
    memcpy(t->state->u, t->u_end, (size_t)t->forest->nu * sizeof(double));
    dls_forest_move(t->forest, t->state);
  }
  for (int i = 0; status == DLS_OK && i < w->n_bodies; i++) {
    if (!S->held[i] || !moves_freely(&w->bodies[i])) continue;
    S->correction += kinetic_of(&w->bodies[i], Q(S->q_n, i), U(S->answer, i)) -
                     kinetic_of(&w->bodies[i], Q(S->q_n, i), U(S->u_n, i));
    memcpy(U(S->u_n, i), U(S->answer, i), NU * sizeof(double));
  }
  dls_arena_release(&w->arena, mark);
  return status;
}
