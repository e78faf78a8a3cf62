/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#include "core/world/snapshot_check.h"

#include "core/base/dim.h"

/* Steps, and whatever is counted by them: far from where the next one overflows. */
static const int64_t MOST_STEPS = (int64_t)1 << 53;

static bool are_finite(const double *x, size_t n) {
  for (size_t i = 0; i < n; i++)
    if (!dls_is_finite(x[i])) return false;
  return true;
}

static bool is_counted(int64_t n) { return n >= 0 && n <= MOST_STEPS; }
static bool is_within(int x, int lo, int hi) { return x >= lo && x <= hi; }

/* A byte that was read into a bool is one. */
static bool is_bool(const bool *x) {
  unsigned char byte;
  memcpy(&byte, x, sizeof byte);
  return sizeof *x == 1 && byte <= 1;
}

static bool is_turn(const double *q) {
  /* of a unit quaternion's length: much more than a run gathers */
  static const double ROUND_OFF = 1e-6;
  return fabs(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3] - 1) <= ROUND_OFF;
}

/* --- numbers of the world --------------------------------------------------------------------- */

static bool options_are_sound(const dls_world *w, const dls_world *r) {
  const int solver = r->solve.method;
  return is_within(r->impact, DLS_IMPACT_NEWTON, DLS_IMPACT_SEQUENTIAL) &&
         is_within(solver, 0, DLS_N_SOLVE - 1) && !(solver == DLS_SOLVE_LEMKE && w->dim == 3) &&
         is_within(r->factor, DLS_FOREST_FAST, DLS_FOREST_DENSE) &&
         (r->friction_corners == 2 || r->friction_corners == 4) && r->solve.max_iterations >= 1 &&
         r->solve.tolerance >= 0 && dls_is_finite(r->solve.tolerance) && r->dt > 0 &&
         dls_is_finite(r->dt) && (r->theta == 0 || (r->theta >= 0.5 && r->theta <= 1)) &&
         is_bool(&r->log) && is_bool(&r->strict);
}

/* Time is counted in steps since its origin: a step goes to the next of them, however far that
** is. */
static bool is_timely(const dls_world *r) {
  static const double ROUND_OFF = 1e-12;
  const double told = r->time_origin + (double)(r->steps - r->steps_origin) * r->dt;
  return fabs(r->time - told) <= ROUND_OFF * (fabs(r->time_origin) + fabs(told));
}

static bool scalars_are_sound(const dls_world *w, const dls_world *r) {
  const uint64_t *s = r->random.s;
  bool good =
      are_finite(&r->time, 1) && are_finite(&r->time_origin, 1) && are_finite(r->gravity, 3);
#define FINITE(name) good = good && dls_is_finite(r->ledger.name);
  DLS_LEDGER_LIST(FINITE)
#undef FINITE
  return good && options_are_sound(w, r) && is_counted(r->steps) && is_counted(r->steps_origin) &&
         r->steps_origin <= r->steps && is_timely(r) && is_counted(r->impacts) &&
         is_counted(r->n_unconverged) && (s[0] | s[1] | s[2] | s[3]) != 0;
}

/* --- bodies and joints ------------------------------------------------------------------------ */

static bool body_is_sound(const dls_world *w, const dls_world *r, size_t i) {
  const size_t nq = (size_t)DLS_NQ(w->dim), nu = (size_t)DLS_NU(w->dim);
  const double *q = r->q + i * nq, *before = r->q_before + i * nq, *u = r->u + i * nu;
  if (!are_finite(q, nq) || !are_finite(before, nq) || !are_finite(u, nu) ||
      !are_finite(r->load + i * nu, nu))
    return false;
  for (size_t k = 0; k < nu && w->bodies[i].type == DLS_STATIC; k++)
    if (u[k] != 0) return false;
  return w->dim == 2 || (is_turn(q + 3) && is_turn(before + 3));
}

static bool joint_is_sound(const dls_joint *joint, const dls_joint_state *s) {
  if (!are_finite(s->q, 7) || !are_finite(s->u, 6) || !are_finite(s->torque, 6) ||
      !are_finite(s->p, 8))
    return false;
  if (joint->kind == DLS_KIND_SPHERICAL) return is_turn(s->q);
  return joint->kind != DLS_KIND_FREE || is_turn(s->q + 3);
}

static bool motor_is_sound(const dls_motor *m) {
  return m->kind == DLS_MOTOR_NONE ||
         (are_finite(&m->target, 1) && m->stiffness >= 0 && are_finite(&m->stiffness, 1) &&
          m->damping >= 0 && are_finite(&m->damping, 1) && m->most >= 0);
}

static bool models_are_sound(const dls_world *w, const dls_world *r) {
  for (int i = 0; i < w->n_bodies; i++)
    if (w->bodies[i].alive && !body_is_sound(w, r, (size_t)i)) return false;
  for (int i = 0; i < w->n_joints; i++)
    if (w->joints[i].alive &&
        !(joint_is_sound(&w->joints[i], &r->joint_state[i]) && motor_is_sound(&r->joints[i].motor)))
      return false;
  for (int i = 0; i < w->n_user_contacts; i++)
    if (w->user_contacts[i].alive && !is_bool(&r->user_contacts[i].active)) return false;
  return true;
}

/* --- contacts and events ---------------------------------------------------------------------- */

static bool is_shaped(const dls_world *w, int i) {
  return i >= 0 && i < w->n_bodies && w->bodies[i].alive && w->bodies[i].shape;
}

static bool is_user_contact(const dls_world *w, int user) {
  return user >= 0 && user < w->n_user_contacts && w->user_contacts[user].alive;
}

static bool contact_is_sound(const dls_world *w, const dls_contact *c) {
  const bool found = c->user == -1 && c->a != c->b && is_shaped(w, c->a) && is_shaped(w, c->b);
  const bool by_user = is_user_contact(w, c->user) && c->a == w->user_contacts[c->user].a &&
                       c->b == w->user_contacts[c->user].b;
  return (found || by_user) && is_within(c->state, DLS_APART, DLS_SLIP) &&
         is_within(c->age, 0, DLS_OLDEST) && is_within(c->listed, 0, 1) &&
         is_within(c->mark, 0, DLS_MARK_END - 1) && is_within(c->held, 0, 1) &&
         are_finite(c->point, 3) && are_finite(c->normal, 3) && are_finite(c->impulse, 3) &&
         are_finite(c->torque, 3) && are_finite(c->velocity, 3) && are_finite(&c->p_n, 1) &&
         are_finite(&c->before, 1) && are_finite(&c->slip, 1) && are_finite(&c->x, 1) &&
         are_finite(&c->x_before, 1) && are_finite(&c->damping, 1) && c->mu >= 0 &&
         are_finite(&c->mu, 1) && c->gap == c->gap && c->size > 0;
}

static bool contacts_are_sound(const dls_world *w, const dls_world *r) {
  for (int i = 0; i < r->n_contacts; i++) {
    if (!contact_is_sound(w, &r->contacts[i])) return false;
    if (i > 0 && dls_contacts_order(&r->contacts[i - 1], &r->contacts[i]) >= 0) return false;
  }
  return true;
}

/* Bodies and contacts of events may be gone: who reads them looks at generations. */
static bool event_is_sound(const dls_event *e) {
  return is_within(e->kind, 0, DLS_N_EVENTS - 1) && e->kind != DLS_EVENT_STEP &&
         is_within(e->state, DLS_APART, DLS_SLIP) && e->a >= 0 && e->b >= 0 && e->user >= -1 &&
         e->contact >= -1 && is_within(e->age, 0, DLS_OLDEST) && dls_is_finite(e->t) &&
         dls_is_finite(e->impulse) && dls_is_finite(e->speed) && e->gap == e->gap &&
         are_finite(e->point, 3) && are_finite(e->normal, 3) && are_finite(e->push, 3);
}

/* In their order, but for accumulations, whose time is the limit of impacts to come. */
static bool events_are_sound(const dls_world *r) {
  double last = -DLS_INF;
  for (int i = 0; i < r->n_events; i++) {
    if (!event_is_sound(&r->events[i])) return false;
    if (r->events[i].kind == DLS_EVENT_ACCUMULATION) continue;
    if (r->events[i].t < last) return false;
    last = r->events[i].t;
  }
  return true;
}

/* What an event-driven world keeps of its gaps. */
static bool memory_is_sound(const dls_world *r) {
  const dls_event_state *s = &r->event_state;
  if (!(s->speed >= 0) || !are_finite(&s->speed, 1) || !(s->next_dt >= 0) ||
      !are_finite(&s->next_dt, 1) || !are_finite(&s->friction, 1) || !(s->span >= 0) ||
      !are_finite(&s->span, 1))
    return false;
  for (int i = 0; i < r->n_event_contacts; i++) {
    const dls_event_memory *m = &r->event_contacts[i];
    const bool numbers = are_finite(&m->held, 1) && are_finite(&m->level, 1) && m->level <= 0 &&
                         are_finite(m->slip, 2) && are_finite(m->force, 3) &&
                         m->last_impact < DLS_INF && m->flight >= 0 && m->struck < DLS_INF &&
                         m->approach >= 0 && are_finite(&m->approach, 1) && m->limit > -DLS_INF;
    if (!numbers || !is_within(m->mode, 0, 3) || m->n_brief < 0 ||
        !is_within(m->age, 0, DLS_OLDEST) || !is_within(m->armed[0], 0, 1) ||
        !is_within(m->armed[1], 0, 1))
      return false;
  }
  return true;
}

/* --- the neighbour list ----------------------------------------------------------------------- */

static bool may_be_near(const dls_world *w, int a, int b) {
  return is_shaped(w, a) && is_shaped(w, b) &&
         (w->bodies[a].type == DLS_DYNAMIC || w->bodies[b].type == DLS_DYNAMIC);
}

/* The bodies of the boxes: in the plane all, in space those that have shapes. Answers how many. */
static int number_boxes(const dls_world *w, int *of) {
  int n = 0;
  for (int i = 0; i < w->n_bodies; i++) {
    if (w->dim == 3 && !is_shaped(w, i)) continue;
    of[n++] = i;
  }
  return n;
}

/* `of` is room for as many numbers as there are bodies. */
static bool list_is_sound(const dls_world *w, const dls_world *r, int *of) {
  const dls_broad *list = &r->broad;
  const int n = number_boxes(w, of);
  if (list->n < 0) return list->n == -1 && list->n_pairs >= 0;
  if (list->n > w->n_bodies) return false;
  for (size_t i = 0; i < 2 * (size_t)w->dim * (size_t)list->n; i++)
    if (list->built[i] != list->built[i]) return false;
  if (list->n != n) return true; /* of other boxes: the next step makes another */
  for (int k = 0; k < list->n_pairs; k++) {
    const int a = list->a[k], b = list->b[k];
    if (a < 0 || a >= b || b >= n || !may_be_near(w, of[a], of[b])) return false;
    if (k > 0 && (a < list->a[k - 1] || (a == list->a[k - 1] && b <= list->b[k - 1]))) return false;
  }
  return true;
}

bool dls_state_is_sound(const dls_world *world, const dls_world *read, int *room) {
  return scalars_are_sound(world, read) && models_are_sound(world, read) &&
         contacts_are_sound(world, read) && events_are_sound(read) && memory_is_sound(read) &&
         list_is_sound(world, read, room);
}
