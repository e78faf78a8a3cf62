/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#include "core/elastic/stack.h"

#include "core/elastic/stack_residual.h"

/* The deepest compression that a contact may start with, as a share of the two radii, or of the
** stack's height where both are 0; and what round-off in sums of heights may do to a gap of 0. */
#define RADII 0.2
#define HEIGHTS 0.05
#define ROUND_OFF 1e-12

dls_stack_def dls_stack_def_default(void) {
  dls_stack_def def = {0};
  def.ceiling = DLS_INF;
  def.gravity = 9.81;
  def.dt = 1e-5;
  def.damping = DLS_STACK_LAGGED;
  def.log = true;
  return def;
}

/* --- creation --------------------------------------------------------------------------------- */

static size_t array_doubles(int n, int m) { return 6 * (size_t)n + 11 * (size_t)m; }

/* The arrays in the block: D0, then the state (3 n + 5 m), then the step under way. */
static void lay_out(dls_stack *s) {
  const int n = s->n, m = s->m;
  double *at = s->block;
  s->D0 = at, at += m;
  s->U = at, at += n;
  s->V = at, at += n;
  s->L = at, at += n;
  s->N = at, at += m;
  s->D = at, at += m;
  s->B = at, at += m;
  s->peak = at, at += m;
  s->peak_time = at, at += m;
  s->next = at;
}

static double *state_of(const dls_stack *s) { return s->U; }
static size_t state_doubles(const dls_stack *s) { return 3 * (size_t)s->n + 5 * (size_t)s->m; }

static double top_of(const dls_stack_body *b) { return b->position + b->radius; }
static double bottom_of(const dls_stack_body *b) { return b->position - b->radius; }

/* Gap j at the start, and the heights it is the difference of. */
static double first_gap(const dls_stack_def *def, int j, double *scale) {
  const double above = j < def->n ? bottom_of(&def->bodies[j]) : def->ceiling;
  const double below = j > 0 ? top_of(&def->bodies[j - 1]) : def->floor;
  *scale = fabs(above) + fabs(below);
  return above - below;
}

static bool in_range(double x) { return dls_is_finite(x) && x > 0; }

/* P / dt^2 and its inverse, for an inertia P. */
static bool inertia_in_range(double P, double dt) {
  return in_range(P) && in_range(1 / P) && in_range(dt * dt / P) && in_range(P / (dt * dt));
}

static bool body_in_range(const dls_stack_def *def, const dls_stack_body *b) {
  return inertia_in_range(b->mass, def->dt) &&
         inertia_in_range(b->mass + def->dt * b->damping, def->dt) && in_range(b->stiffness) &&
         in_range(1 / b->stiffness) && b->damping >= 0 && b->radius >= 0 &&
         dls_is_finite(b->mass * def->gravity * def->dt) &&
         dls_is_finite(top_of(b) - bottom_of(b)) && dls_is_finite(b->mass * b->velocity);
}

/* How deeply contact j may be compressed at the start: beyond, bodies are listed in a wrong order
** or stand in one another. */
static double deepest(const dls_stack_def *def, int j) {
  const double above = j < def->n ? def->bodies[j].radius : 0.0;
  const double below = j > 0 ? def->bodies[j - 1].radius : 0.0;
  if (above + below > 0) return RADII * (above + below);
  const bool closed = dls_is_finite(def->ceiling);
  const double top = closed ? def->ceiling : top_of(&def->bodies[def->n - 1]);
  return HEIGHTS * dls_max(top - def->floor, 0.0);
}

static dls_status check(const dls_stack_def *def, int m, dls_fault *fault) {
  for (int i = 0; i < def->n; i++) {
    if (body_in_range(def, &def->bodies[i])) continue;
    *fault = (dls_fault){i, 0.0};
    return DLS_ARG;
  }
  for (int j = 0; j < m; j++) {
    double scale;
    const double gap = first_gap(def, j, &scale);
    if (gap >= -dls_max(ROUND_OFF * scale, deepest(def, j))) continue;
    *fault = (dls_fault){j, gap};
    return DLS_ARG;
  }
  return DLS_OK;
}

static double compliance(const dls_stack *s, int j) {
  const double below = j > 0 ? 1 / s->def.bodies[j - 1].stiffness : 0.0;
  return below + (j < s->n ? 1 / s->def.bodies[j].stiffness : 0.0);
}

/* The start: a negative gap is a contact closed and compressed that far, its nodes in balance. */
static void start(dls_stack *s) {
  for (int i = 0; i < s->n; i++) s->V[i] = s->def.bodies[i].velocity;
  for (int j = 0; j < s->m; j++) {
    double scale;
    s->D0[j] = s->D[j] = first_gap(&s->def, j, &scale);
    if (s->D0[j] >= -ROUND_OFF * scale) continue;
    s->D[j] = 0;
    s->N[j] = s->peak[j] = -s->D0[j] / compliance(s, j);
  }
}

dls_status dls_stack_create(dls_stack *stack, const dls_stack_def *def, const dls_alloc *alloc,
                            dls_fault *fault) {
  *stack = (dls_stack){0};
  *fault = (dls_fault){-1, 0.0};
  if (def->n < 1 || !in_range(def->dt)) return DLS_ARG;
  if (def->n > INT32_MAX - 1) return DLS_TOOBIG;
  const int m = dls_is_finite(def->ceiling) ? def->n + 1 : def->n;
  const dls_status status = check(def, m, fault);
  if (status != DLS_OK) return status;

  stack->alloc = *alloc;
  stack->def = *def;
  stack->n = def->n;
  stack->m = m;
  dls_stack_body *bodies =
      (dls_stack_body *)dls_new(alloc, (size_t)def->n, sizeof(dls_stack_body));
  stack->def.bodies = bodies;
  stack->block = (double *)dls_new(alloc, array_doubles(def->n, m), sizeof(double));
  if (bodies == NULL || stack->block == NULL ||
      dls_arena_create(&stack->tmp, alloc, dls_tridiagonal_bytes(m)) != DLS_OK) {
    dls_stack_destroy(stack);
    return DLS_NOMEM;
  }
  memcpy(bodies, def->bodies, (size_t)def->n * sizeof *bodies);
  lay_out(stack);
  start(stack);
  return DLS_OK;
}

void dls_stack_destroy(dls_stack *stack) {
  const dls_alloc *alloc = &stack->alloc;
  if (alloc->fn == NULL) return;
  dls_free(alloc, (void *)stack->def.bodies, (size_t)stack->n, sizeof(dls_stack_body));
  dls_free(alloc, stack->block, array_doubles(stack->n, stack->m), sizeof(double));
  dls_free(alloc, stack->events, stack->n_room, sizeof(dls_stack_event));
  dls_arena_destroy(&stack->tmp, alloc);
  *stack = (dls_stack){0};
}

/* --- one step --------------------------------------------------------------------------------- */

/* The step under way, in stack->next. */
typedef struct trial {
  double *U, *V, *L;                        /* n */
  double *diagonal, *coupling, *B, *N, *D;  /* m */
} trial;

static trial trial_of(const dls_stack *s) {
  double *at = s->next;
  const int n = s->n, m = s->m;
  return (trial){at,         at + n,         at + 2 * (size_t)n, at + 3 * (size_t)n,
                 at + 3 * (size_t)n + m,     at + 3 * (size_t)n + 2 * (size_t)m,
                 at + 3 * (size_t)n + 3 * (size_t)m, at + 3 * (size_t)n + 4 * (size_t)m};
}

/* Damping in force: "lagged" asks whether the last step's forces touched the body. */
static double damping_now(const dls_stack *s, int i) {
  const double L = s->def.bodies[i].damping;
  if (s->def.damping == DLS_STACK_ALWAYS) return L;
  if (s->def.damping == DLS_STACK_NONE) return 0.0;
  return s->N[i] > 0 || (i + 1 < s->m && s->N[i + 1] > 0) ? L : 0.0;
}

static double inertia(const dls_stack *s, const double *L, int i) {
  return s->def.bodies[i].mass + s->def.dt * L[i];
}

/* A from the damping in force. */
static void matrix(const dls_stack *s, const double *L, double *diagonal, double *coupling) {
  const double dt = s->def.dt;
  for (int j = 0; j < s->m; j++) diagonal[j] = 0;
  for (int i = 0; i < s->n; i++) {
    const double k = dt * dt / inertia(s, L, i), both = 1 / s->def.bodies[i].stiffness + k;
    diagonal[i] += both;
    if (i + 1 == s->m) break;
    diagonal[i + 1] += both;
    coupling[i] = k;
  }
}

/* Free velocities (into V) and B: the gaps that they would lead to. */
static void fly_free(const dls_stack *s, const trial *t) {
  const double dt = s->def.dt;
  for (int i = 0; i < s->n; i++) {
    const double M = s->def.bodies[i].mass;
    t->V[i] = (M * s->V[i] - dt * (M * s->def.gravity)) / inertia(s, t->L, i);
  }
  for (int j = 0; j < s->m; j++) {
    const double above = j < s->n ? s->U[j] : 0.0, below = j > 0 ? s->U[j - 1] : 0.0;
    const double v_above = j < s->n ? t->V[j] : 0.0, v_below = j > 0 ? t->V[j - 1] : 0.0;
    t->B[j] = (s->D0[j] + (above - below)) + dt * (v_above - v_below);
  }
}

/* Velocities and displacements under the contact forces; false where a number left its range. */
static bool move(const dls_stack *s, const trial *t) {
  const double dt = s->def.dt;
  bool good = true;
  for (int i = 0; i < s->n; i++) {
    const double above = i + 1 < s->m ? t->N[i + 1] : 0.0;
    t->V[i] += dt * (t->N[i] - above) / inertia(s, t->L, i);
    t->U[i] = s->U[i] + dt * t->V[i];
    good &= dls_is_finite(t->U[i]);
  }
  for (int j = 0; j < s->m; j++) good &= dls_is_finite(t->D[j]) && dls_is_finite(t->N[j]);
  return good;
}

/* The terms of the energy balance that a step dissipates. */
static void tally(const dls_stack *s, const trial *t, dls_stack_count *count) {
  double damped = 0, numerical = 0;
  for (int i = 0; i < s->n; i++) {
    const double dV = t->V[i] - s->V[i];
    damped += t->L[i] * t->V[i] * t->V[i];
    numerical += 0.5 * s->def.bodies[i].mass * dV * dV;
  }
  for (int j = 0; j < s->m; j++) {
    const double dN = t->N[j] - s->N[j];
    if (t->N[j] > 0 || s->N[j] > 0)
      numerical += 0.5 * compliance(s, j) * dN * dN + t->N[j] * s->D[j];
  }
  count->damped += s->def.dt * damped;
  count->numerical += numerical;
}

static double approach(const dls_stack *s, int j) {
  return (j > 0 ? s->V[j - 1] : 0.0) - (j < s->n ? s->V[j] : 0.0);
}

/* Contacts that closed or opened; those that closed counted. */
static void note_changes(dls_stack *s, const trial *t, dls_stack_count *count) {
  const double time = (double)count->steps * s->def.dt;
  for (int j = 0; j < s->m; j++) {
    const bool closed = t->N[j] > 0;
    if (closed == (s->N[j] > 0)) continue;
    count->collisions += closed;
    if (s->def.log)
      s->events[s->n_events++] = (dls_stack_event){time, approach(s, j), j, closed};
  }
}

static void commit(dls_stack *s, const trial *t) {
  const double time = (double)(s->count.steps) * s->def.dt;
  const size_t n = (size_t)s->n * sizeof(double), m = (size_t)s->m * sizeof(double);
  memcpy(s->U, t->U, n);
  memcpy(s->V, t->V, n);
  memcpy(s->L, t->L, n);
  memcpy(s->N, t->N, m);
  memcpy(s->D, t->D, m);
  memcpy(s->B, t->B, m);
  for (int j = 0; j < s->m; j++) {
    if (!(t->N[j] > s->peak[j])) continue;
    s->peak[j] = t->N[j];
    s->peak_time[j] = time;
  }
}

dls_status dls_stack_step(dls_stack *s) {
  if (s->def.log && s->n_room - s->n_events < (size_t)s->m) return DLS_FULL;
  const trial t = trial_of(s);
  dls_stack_count count = s->count;
  const dls_tridiagonal lcp = {s->m, t.diagonal, t.coupling, t.B};

  for (int i = 0; i < s->n; i++) t.L[i] = damping_now(s, i);
  matrix(s, t.L, t.diagonal, t.coupling);
  fly_free(s, &t);
  int pivots = 0;
  const dls_status status = dls_tridiagonal_solve(&lcp, &s->tmp, t.N, t.D, &pivots);
  if (status != DLS_OK) return status;
  if (!move(s, &t)) return DLS_ARG;

  count.steps++;
  count.pivots += pivots;
  count.last_pivots = pivots;
  tally(s, &t, &count);
  count.residual = dls_stack_residual(s, t.U, t.V, t.L, t.N);
  count.worst = dls_max(count.worst, count.residual);
  note_changes(s, &t, &count);
  s->count = count;
  commit(s, &t);
  return DLS_OK;
}

dls_status dls_stack_make_room(dls_stack *s) {
  const size_t more = s->n_room + s->n_room / 2 + (size_t)s->m + 64;
  void *events = s->events;
  const dls_status status = dls_grow(&s->alloc, &events, s->n_room, more, sizeof *s->events);
  if (status != DLS_OK) return status;
  s->events = (dls_stack_event *)events;
  s->n_room = more;
  return DLS_OK;
}

/* --- what is asked about it ------------------------------------------------------------------- */

void dls_stack_energy(const dls_stack *s, double *kinetic, double *potential, double *stored) {
  double T = 0, P = 0, E = 0;
  for (int i = 0; i < s->n; i++) {
    const dls_stack_body *b = &s->def.bodies[i];
    T += 0.5 * b->mass * s->V[i] * s->V[i];
    P += b->mass * s->def.gravity * (b->position + s->U[i]);
  }
  for (int j = 0; j < s->m; j++) E += 0.5 * compliance(s, j) * s->N[j] * s->N[j];
  *kinetic = T;
  *potential = P;
  *stored = E;
}

void dls_stack_matrix(const dls_stack *s, double *diagonal, double *coupling) {
  matrix(s, s->L, diagonal, coupling);
}

/* --- state as bytes --------------------------------------------------------------------------- */

/* What makes two stacks the same: everything the user gave. */
static uint64_t identity(const dls_stack *s) {
  dls_hash hash = dls_hash_start();
  dls_hash_int(&hash, s->n);
  dls_hash_int(&hash, s->def.damping);
  const double numbers[] = {s->def.floor, s->def.ceiling, s->def.gravity, s->def.dt};
  dls_hash_doubles(&hash, numbers, 4);
  for (int i = 0; i < s->n; i++) {
    const dls_stack_body *b = &s->def.bodies[i];
    const double body[] = {b->mass,     b->stiffness, b->damping,
                           b->position, b->velocity,  b->radius};
    dls_hash_doubles(&hash, body, 6);
  }
  return dls_hash_digest(&hash);
}

uint64_t dls_stack_hash(const dls_stack *s) {
  const dls_stack_count *c = &s->count;
  const double sums[] = {c->damped, c->numerical, c->residual, c->worst};
  dls_hash hash = dls_hash_start();
  dls_hash_word(&hash, identity(s));
  dls_hash_int(&hash, c->steps);
  dls_hash_int(&hash, c->pivots);
  dls_hash_int(&hash, c->collisions);
  dls_hash_int(&hash, c->last_pivots);
  dls_hash_doubles(&hash, sums, 4);
  dls_hash_doubles(&hash, state_of(s), state_doubles(s));
  return dls_hash_digest(&hash);
}

#define HEAD (2 * sizeof(uint64_t)) /* identity, and the hash of what follows */

size_t dls_stack_state_bytes(const dls_stack *s) {
  return HEAD + sizeof s->count + state_doubles(s) * sizeof(double);
}

void dls_stack_save(const dls_stack *s, void *bytes) {
  char *at = (char *)bytes;
  const uint64_t head[2] = {identity(s), dls_stack_hash(s)};
  memcpy(at, head, HEAD);
  memcpy(at + HEAD, &s->count, sizeof s->count);
  memcpy(at + HEAD + sizeof s->count, state_of(s), state_doubles(s) * sizeof(double));
}

/* A state that steps can go on from: the hash alone says that nobody changed it by chance. */
static bool is_sound(const dls_stack *s) {
  const dls_stack_count *c = &s->count;
  static const int64_t MOST = (int64_t)1 << 53; /* of steps and what is counted by them */
  bool good = true;
  for (size_t i = 0; i < state_doubles(s); i++) good = good && dls_is_finite(state_of(s)[i]);
  return good && c->steps >= 0 && c->steps < MOST && c->pivots >= 0 && c->pivots < MOST &&
         c->collisions >= 0 && c->collisions < MOST && c->last_pivots >= 0 &&
         c->last_pivots <= c->pivots;
}

dls_status dls_stack_load(dls_stack *s, const void *bytes, size_t size) {
  const char *at = (const char *)bytes;
  uint64_t head[2];
  if (size != dls_stack_state_bytes(s)) return DLS_STATE;
  memcpy(head, at, HEAD);
  if (head[0] != identity(s)) return DLS_STATE;

  /* Tried in the room of the step under way: a spoilt snapshot must change nothing. */
  const dls_stack_count before = s->count;
  const size_t doubles = state_doubles(s) * sizeof(double);
  memcpy(s->next, state_of(s), doubles);
  memcpy(&s->count, at + HEAD, sizeof s->count);
  memcpy(state_of(s), at + HEAD + sizeof s->count, doubles);
  if (dls_stack_hash(s) != head[1] || !is_sound(s)) {
    memcpy(state_of(s), s->next, doubles);
    s->count = before;
    return DLS_STATE;
  }
  const double time = dls_stack_time(s);
  while (s->n_events > 0 && s->events[s->n_events - 1].t > time) s->n_events--;
  return DLS_OK;
}
