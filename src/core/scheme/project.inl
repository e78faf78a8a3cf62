/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
/* Positions, after velocities: the smallest change in the M-norm, dq = M^-1 J' pi, with
**
**     0 <= pi  _|_  gap + J dq >= 0                                   (rigid contacts)
**
** by projected Gauss-Seidel on the gaps at q'. No velocity and no impulse is touched. */

enum { ROUNDS = 3, SWEEPS = 12, SWEEPS_SMALL = 200, SMALL_PILE = 60 };
static const double OVERLAP_SMALL = 1e-10, OVERLAP_LARGE = 1e-4;

static void add_overlap(step *S, overlap *o, int a, int b, const dls_touch *touch) {
  dls_world *w = S->w;
  dls_vec3 on_a, on_b;
  points_of(w, a, b, touch, &on_a, &on_b);
  *o = (overlap){.a = a, .b = b, .gap = touch->gap};
  write_row(o->J, touch->normal, arm_to(Q(S->q_n, a), on_a), arm_to(Q(S->q_n, b), on_b));
  apply_inverse(&S->rows, a, o->J, o->MJ);
  apply_inverse(&S->rows, b, o->J + NU, o->MJ + NU);
  o->w = row_velocity(o->J, o->MJ, o->MJ + NU);
  o->size = 2 * dls_min(w->bodies[a].shape->reach, w->bodies[b].shape->reach);
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
    memcpy(o->J, at.J, sizeof at.J);
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
    memcpy(o->J, at.J, sizeof at.J);
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

/* A contact may act before its gap is closed, since it would close within the step. Where it held
** (it pressed, and does not open), the bodies go the rest of the way: else they would hover there
** for ever, held by a row at a distance. By sweeps over these gaps alone; what they disagree about
** is settled by the projection that follows. */
static dls_status close_gaps(step *S, overlap *o, double *dq) {
  if (is_joined(S)) return close_joined(S, o);
  int n = 0;
  for (int k = 0; k < S->n_closing; k++) {
    const dls_contact *c = &S->w->contacts_next[S->closing[k]];
    if (!overlap_of(S, c, &o[n]) || !(o[n].gap > CLOSED * o[n].size)) continue;
    n++;
  }
  if (n == 0) return DLS_OK;
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
  if (is_joined(S) && status == DLS_OK) status = project_joined(S, o, &n, &worst, &deepest);
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
