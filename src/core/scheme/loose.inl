/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
/* Worlds of disks on which nothing but gravity and loads acts: coordinates, velocities and masses of all bodies at
** once (motion_lanes.h), then whatever is no disk that moves freely one by one. */

/* The columns of all bodies, where some body has changed since they were made. */
static void know_columns(const step *S) {
  const dls_world *w = S->w;
  dls_columns *c = &S->w->columns;
  if (c->known && c->pairings == w->n_pairings && c->joints == w->n_joints && c->impact == w->impact) return;
  law_seen seen = {.material = -1};
  c->known = c->rigid = true, c->filtered = false, c->n_odd = 0;
  c->narrowest = DLS_INF, c->longest = 0;
  c->pairings = w->n_pairings, c->joints = w->n_joints, c->impact = w->impact;
  for (int i = 0; i < w->n_bodies; i++) {
    const dls_body *body = &w->bodies[i];
    const bool free = moves_freely(body), shaped = body->alive && body->shape;
    const double round = shaped ? body->round : 0, m = free ? 1 / body->mass : 0, turn = free ? body->inverse[0] : 0;
    c->radius[i] = round;
    c->inverse[3 * (size_t)i] = c->inverse[3 * (size_t)i + 1] = c->inv_mass[i] = m;
    c->inverse[3 * (size_t)i + 2] = c->inv_inertia[i] = turn;
    c->mass[i] = free ? body->mass : 0, c->inertia[i] = free ? body->inertia[0] : 0;
    c->law[i] = shaped ? law_of(S, body, m > 0, &seen) : LAW_ANY;
    c->rigid &= !(round > 0) | (c->law[i] > LAW_ANY);
    c->idle[i] = !free;
    c->filtered |= shaped && ((body->group != 1) | (body->collides != ~(uint32_t)0));
    if (!free || !(round > 0)) c->odd[c->n_odd++] = i;
    if (shaped) c->narrowest = dls_min(c->narrowest, body->shape->narrowest);
    if (shaped && free) c->longest = dls_max(c->longest, longest_of(body));
  }
}

/* Coordinates and velocities at q_c, masses, and the free velocities: begin(), poses_at() and release(). */
static dls_status set_out(step *S) {
  dls_world *w = S->w;
  const dls_columns *c = &w->columns;
  const size_t n = (size_t)w->n_bodies;
  const double pull[3] = {w->gravity[0], w->gravity[1], -0.0}; /* -0 + x is x, whatever x is */
  if (w->hooks.motion) memcpy(S->u_c, w->u, n * NU * sizeof(double));
  else S->u_c = w->u; /* which nothing changes, then */
  bool finite = dls_motion_lanes_best()->release(w->n_bodies * NU, w->q, w->u, w->load, c->inverse, pull,
                                                 (1 - S->theta) * S->h, S->h, S->q_c, S->rows.u_free);
  memcpy(S->rows.inv_mass, c->inv_mass, n * sizeof(double));
  memcpy(S->rows.inv_inertia, c->inv_inertia, n * sizeof(double));
  for (int e = 0; e < c->n_odd; e++) {
    const int i = c->odd[e];
    double *q = Q(S->q_c, i);
    memcpy(q, Q(w->q, i), NQ * sizeof(double));
    const dls_status status = dls_begin_body(S, i);
    if (status != DLS_OK) return status;
    dls_release_body(S, i);
    if (w->bodies[i].alive) pose_at(S, i, q);
    finite &= dls_zero_of(q, NQ) == 0 && dls_zero_of(U(S->rows.u_free, i), NU) == 0;
  }
  S->placed = S->q_c;
  w->fault = -1;
  return finite ? DLS_OK : dls_check_bodies(S, S->q_c, S->rows.u_free);
}

/* Poses at q of what is no disk that moves freely; touches_of() makes those it asks for. */
static void poses_loose(step *S, const double *q) {
  const dls_columns *c = &S->w->columns;
  for (int e = 0; e < c->n_odd; e++)
    if (S->w->bodies[c->odd[e]].alive) pose_at(S, c->odd[e], Q(q, c->odd[e]));
  S->placed = q;
}
