/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#include "bind/array.h"
#include "bind/call.h"
#include "bind/forest.h"
#include "bind/options.h"
#include "core/forest/kinematics.h"
#include "core/model/joint.h"

/* batch: many states of one forest at once. States are counted from 1. */

typedef struct batch_box {
  dls_handle handle; /* first: open or closed (class.h) */
  dls_forest_batch batch; /* the states and their forest */
  double dt; /* of step */
  dls_batch_law *laws; /* n_laws, in user value 2 with what follows; NULL: none                */
  int n_laws;          /* of laws */
  dls_forest *soft;    /* of steps, with springs and dampers as rotors; NULL: they have none   */
  double *torque;      /* as batch.tau: what was set, which laws are added to                  */
  double *start;       /* coordinates and velocities when a call began, one behind the other; in
                       ** user value 3                                                         */
  double *state;       /* nq + 3 nu numbers: one state's                                       */
} batch_box;

extern const dls_class dls_batch_class;

static batch_box *check(lua_State *L) {
  return (batch_box *)dls_class_check(L, 1, &dls_batch_class);
}

static void release(lua_State *L, void *self) {
  (void)L;
  dls_forest_batch_destroy(&((batch_box *)self)->batch);
}

/* Numbers of all coordinates, and of all velocities. */
static size_t numbers(const batch_box *box, int one) {
  return (size_t)box->batch.n_blocks * (size_t)box->batch.width * (size_t)one;
}

int dls_push_batch(lua_State *L, int idx, const dls_forest *forest, const dls_forest_state *state,
                   int n, int path, double dt) {
  idx = lua_absindex(L, idx);
  batch_box *box = (batch_box *)dls_class_new(L, &dls_batch_class, sizeof *box, 3);
  lua_pushvalue(L, idx); /* the batch borrows the forest */
  lua_setiuservalue(L, -2, 1);
  dls_check_status(L, dls_forest_batch_create(&box->batch, forest, n, path), "batch");
  box->handle.open = true;
  box->dt = dt;
  box->start = lua_newuserdatauv(
      L, (numbers(box, forest->nq) + numbers(box, forest->nu) + 1) * sizeof(double), 0);
  lua_setiuservalue(L, -2, 3);
  memcpy(box->batch.gravity, state->gravity, sizeof state->gravity);
  memcpy(box->batch.drives, state->drives, (size_t)forest->n_drives * sizeof(dls_drive));
  memcpy(box->batch.given, state->given, (size_t)forest->n_given * sizeof(dls_given));
  return 1;
}

/* --- laws of joints --------------------------------------------------------------------------- */

void dls_batch_obey(lua_State *L, int idx, const dls_batch_law *laws, int n, dls_forest *soft) {
  idx = lua_absindex(L, idx);
  batch_box *box = (batch_box *)dls_class_test(L, idx, &dls_batch_class);
  const dls_forest_batch *batch = &box->batch;
  if (n == 0) return;
  const size_t nu = (size_t)batch->forest->nu,
               all = (size_t)batch->n_blocks * (size_t)batch->width * nu,
               one = (size_t)batch->forest->nq + 3 * nu;
  void *room = lua_newuserdatauv(
      L, (all + one) * sizeof(double) + (size_t)n * sizeof *laws, 0);
  box->torque = room;
  box->state = box->torque + all;
  void *behind = box->state + one;
  box->laws = behind;
  box->n_laws = n;
  box->soft = soft;
  memcpy(box->laws, laws, (size_t)n * sizeof *laws);
  memset(box->torque, 0, all * sizeof(double));
  lua_setiuservalue(L, idx, 2);
}

/* A spring and damper over a step of h, the midpoint's (EQUATIONS G.1): -(k (x + h v/2) + c v) of
** the mean rate v = u + h udot/2 is -k x - d u, d = c + h k/2, and a rotor of h d/2. */
static double damping_over(const dls_batch_law *law, double h) {
  return law->damping + 0.5 * h * law->stiffness;
}

/* The forces of springs, dampers and dry friction, added to what was set: now, h = 0, or over a
** step. A joint at rest could be held by its friction: no batch knows. */
static void load_laws(lua_State *L, batch_box *box, const char *function, double h) {
  dls_forest_batch *batch = &box->batch;
  const int nq = batch->forest->nq, nu = batch->forest->nu;
  double *q = box->state, *u = q + nq, *tau = u + nu;
  for (int k = 0; box->n_laws > 0 && k < batch->n; k++) {
    dls_forest_batch_get(batch, batch->q, nq, k, q);
    dls_forest_batch_get(batch, batch->u, nu, k, u);
    dls_forest_batch_get(batch, box->torque, nu, k, tau);
    for (int i = 0; i < box->n_laws; i++) {
      const dls_batch_law *law = &box->laws[i];
      const double rate = u[law->iu];
      if (law->friction > 0 && !(fabs(rate) > DLS_JOINT_STILL))
        dls_raise(L, function,
                  "state %d: the friction of joint #%d could hold it: such worlds are stepped",
                  k + 1, law->joint);
      if (law->stiffness != 0) tau[law->iu] -= law->stiffness * q[law->iq];
      tau[law->iu] -= damping_over(law, h) * rate;
      if (law->friction > 0) tau[law->iu] -= rate > 0 ? law->friction : -law->friction;
    }
    dls_forest_batch_set(batch, batch->tau, nu, k, tau);
  }
}

/* The first law whose limit state k presses on or is beyond; NULL: none. Where it rests there, its
** acceleration decides; where `reach`, to reach it is enough. */
static const dls_batch_law *pressed(const batch_box *box, int k, bool reach) {
  const dls_forest_batch *batch = &box->batch;
  const int nq = batch->forest->nq, nu = batch->forest->nu;
  double *q = box->state, *u = q + nq, *udot = u + nu;
  dls_forest_batch_get(batch, batch->q, nq, k, q);
  dls_forest_batch_get(batch, batch->u, nu, k, u);
  dls_forest_batch_get(batch, batch->udot, nu, k, udot);
  for (int i = 0; i < box->n_laws; i++) {
    const dls_batch_law *law = &box->laws[i];
    const double x = q[law->iq], slack = 1e-12 * dls_max(1, fabs(x));
    const double side = x <= law->lo + slack ? 1 : (x >= law->hi - slack ? -1 : 0);
    const double rate = side * u[law->iu], more = side * udot[law->iu];
    if (side == 0) continue;
    if (reach ? rate < 0 : rate < -DLS_JOINT_STILL || (rate <= DLS_JOINT_STILL && more < 0))
      return law;
  }
  return NULL;
}

static void refuse_limits(lua_State *L, const batch_box *box, const char *function) {
  for (int k = 0; box->n_laws > 0 && k < box->batch.n; k++) {
    const dls_batch_law *law = pressed(box, k, false);
    if (law)
      dls_raise(L, function, "state %d: a limit of joint #%d could act: such worlds are stepped",
                k + 1, law->joint);
  }
}

/* Notes all coordinates and velocities, or takes them back. */
static void note_start(batch_box *box, bool back) {
  double *const now[2] = {box->batch.q, box->batch.u}, *kept = box->start;
  const size_t n[2] = {numbers(box, box->batch.forest->nq), numbers(box, box->batch.forest->nu)};
  for (int k = 0; k < 2; kept += n[k++])
    memcpy(back ? now[k] : kept, back ? kept : now[k], n[k] * sizeof(double));
}

/* One step; where a state reaches a limit in it, all are as at the start. */
static dls_status step_once(lua_State *L, batch_box *box, dls_fault *fault) {
  dls_forest_batch *batch = &box->batch;
  const dls_forest *forest = batch->forest;
  load_laws(L, box, "batch:step", box->dt);
  for (int i = 0; box->soft && i < box->n_laws; i++) {
    const dls_batch_law *law = &box->laws[i];
    if (law->node >= 0)
      box->soft->nodes[law->node].rotor =
          forest->nodes[law->node].rotor + 0.5 * box->dt * damping_over(law, box->dt);
  }
  if (box->soft) batch->forest = box->soft;
  const dls_status status = dls_forest_batch_step(batch, box->dt, fault);
  batch->forest = forest;
  for (int k = 0; box->n_laws > 0 && status == DLS_OK && k < batch->n; k++) {
    const dls_batch_law *law = pressed(box, k, true);
    if (!law) continue;
    note_start(box, true);
    dls_raise(L, "batch:step",
              "state %d: a limit of joint #%d could act: such worlds are stepped", k + 1,
              law->joint);
  }
  return status;
}

/* --- states ----------------------------------------------------------------------------------- */

void dls_batch_fill(lua_State *L, int idx, const dls_forest_state *state) {
  batch_box *box = (batch_box *)dls_class_test(L, idx, &dls_batch_class);
  dls_forest_batch *batch = &box->batch;
  for (int k = 0; k < batch->n; k++) {
    dls_forest_batch_set(batch, batch->q, batch->forest->nq, k, state->q);
    dls_forest_batch_set(batch, batch->u, batch->forest->nu, k, state->u);
    dls_forest_batch_set(batch, batch->tau, batch->forest->nu, k, state->tau);
    if (box->n_laws > 0)
      dls_forest_batch_set(batch, box->torque, batch->forest->nu, k, state->tau);
  }
}

static int read_state(lua_State *L, const batch_box *box, const char *function) {
  const dls_at at = {function, "k", 0, 0};
  int whole = 0;
  const lua_Integer k = lua_type(L, 2) == LUA_TNUMBER ? lua_tointegerx(L, 2, &whole) : 0;
  if (!whole) dls_bad(L, &at, "must be a whole number", 2);
  if (k < 1 || k > box->batch.n) dls_raise(L, function, "no state %d of %d", (int)k, box->batch.n);
  return (int)k - 1;
}

static int set(lua_State *L, const char *function, batch_box *box, double *x, int size) {
  const dls_at at = {function, NULL, 0, 0};
  const int k = read_state(L, box, function);
  const dls_vector_arg list = dls_take_vector(L, 3, &at);
  if (list.n != size) return dls_raise(L, function, "expected %d numbers, got %d", size, list.n);
  dls_forest_batch_set(&box->batch, x, size, k, list.x);
  return 0;
}

void dls_check_turns(lua_State *L, const char *function, const dls_forest *forest,
                     const double *q) {
  for (int i = 0; i < forest->n_nodes; i++) {
    const dls_node *node = &forest->nodes[i];
    if (node->kind != DLS_NODE_BALL && node->kind != DLS_NODE_FREE) continue;
    const int at = node->iq + (node->kind == DLS_NODE_FREE ? 3 : 0);
    if (!(fabs(dls_q_norm(dls_q_load(q + at)) - 1) < 1e-6))
      dls_raise(L, function, "numbers %d to %d must be a unit quaternion", at + 1, at + 4);
  }
}

static int set_coordinates(lua_State *L) {
  static const char function[] = "batch:set_coordinates";
  batch_box *box = check(L);
  const dls_forest *forest = box->batch.forest;
  const dls_at at = {function, NULL, 0, 0};
  const int k = read_state(L, box, function);
  const dls_vector_arg list = dls_take_vector(L, 3, &at);
  if (list.n != forest->nq)
    return dls_raise(L, function, "expected %d numbers, got %d", forest->nq, list.n);
  dls_check_turns(L, function, forest, list.x);
  double *q = dls_push_vector(L, list.n, list.x);
  /* round-off stays */
  if (dls_forest_normalise(forest, q) < 1e-15) memcpy(q, list.x, (size_t)list.n * sizeof *q);
  dls_forest_batch_set(&box->batch, box->batch.q, forest->nq, k, q);
  return 0;
}

static int set_velocities(lua_State *L) {
  batch_box *box = check(L);
  return set(L, "batch:set_velocities", box, box->batch.u, box->batch.forest->nu);
}
static int set_torques(lua_State *L) {
  batch_box *box = check(L);
  if (box->n_laws > 0) (void)set(L, "batch:set_torques", box, box->torque, box->batch.forest->nu);
  return set(L, "batch:set_torques", box, box->batch.tau, box->batch.forest->nu);
}

static int push_state(lua_State *L, const batch_box *box, const char *function, const double *x,
                      int size) {
  const int k = read_state(L, box, function);
  dls_forest_batch_get(&box->batch, x, size, k, dls_push_vector(L, size, NULL));
  return 1;
}

static int coordinates(lua_State *L) {
  const batch_box *box = check(L);
  return push_state(L, box, "batch:coordinates", box->batch.q, box->batch.forest->nq);
}
static int velocities(lua_State *L) {
  const batch_box *box = check(L);
  return push_state(L, box, "batch:velocities", box->batch.u, box->batch.forest->nu);
}

static int raise_fault(lua_State *L, dls_status status, const dls_fault *fault,
                       const char *function) {
  if (status == DLS_SINGULAR)
    return dls_raise(L, function, "near state %d a joint has a direction without inertia",
                     fault->index + 1);
  dls_check_status(L, status, function);
  return 0;
}

/* How often, at 2: once where it is absent. */
static int read_times(lua_State *L, const char *function) {
  const dls_at at = {function, "n", 0, 0};
  int n = 1;
  if (!lua_isnoneornil(L, 2)) dls_read_integer(L, 2, &at, NULL, &n);
  if (n < 0) dls_bad(L, &at, "must be >= 0", 2);
  return n;
}

/* evaluate(n): n evaluations of all accelerations. */
static int evaluate(lua_State *L) {
  batch_box *box = check(L);
  const int n = read_times(L, "batch:evaluate");
  dls_fault fault = {-1, 0};
  dls_status status = DLS_OK;
  dls_watch watch = dls_watch_start();
  load_laws(L, box, "batch:accelerations", 0);
  for (int i = 0; i < n && status == DLS_OK; i++) {
    status = dls_forest_batch_accelerate(&box->batch, &fault);
    if (n == 1 || status != DLS_OK) break;
    dls_look_in(L, &watch);
    box = check(L); /* as it was, or closed */
  }
  return raise_fault(L, status, &fault, "batch:accelerations");
}

static int accelerations(lua_State *L) {
  batch_box *box = check(L);
  const int nu = box->batch.forest->nu;
  lua_settop(L, 1);
  evaluate(L);
  refuse_limits(L, box, "batch:accelerations");
  double *out = dls_push_matrix(L, box->batch.n, nu, NULL);
  for (int k = 0; k < box->batch.n; k++)
    dls_forest_batch_get(&box->batch, box->batch.udot, nu, k, out + (size_t)k * (size_t)nu);
  return 1;
}

static int step(lua_State *L) {
  batch_box *box = check(L);
  const int n = read_times(L, "batch:step");
  dls_fault fault = {-1, 0};
  dls_status status = DLS_OK;
  if (box->batch.forest->n_drives > 0)
    dls_raise(L, "batch:step",
              "prescribed motions are not possible in steps of a batch (accelerations are)");
  for (int i = 0; i < box->n_laws; i++) {
    const dls_batch_law *law = &box->laws[i];
    if (law->friction != 0 || (law->damping != 0 && law->node < 0))
      dls_raise(L, "batch:step",
                "joint #%d has %s: not possible in steps of a batch (accelerations are)",
                law->joint, law->friction != 0 ? "friction" : "a damper about a point");
  }
  note_start(box, false);
  dls_watch watch = dls_watch_start();
  for (int i = 0; i < n && status == DLS_OK; i++) {
    status = step_once(L, box, &fault);
    if (n == 1 || status != DLS_OK) break;
    dls_look_in(L, &watch);
    box = check(L); /* as it was, or closed */
  }
  if (status != DLS_OK) note_start(box, true);
  return raise_fault(L, status, &fault, "batch:step");
}

static int get_dt(lua_State *L) {
  lua_pushnumber(L, check(L)->dt);
  return 1;
}
static int set_dt(lua_State *L) {
  const dls_at at = {"batch", "dt", 0, 0};
  dls_read_positive(L, 2, &at, NULL, &check(L)->dt);
  return 0;
}
static int get_path(lua_State *L) {
  lua_pushstring(L, check(L)->batch.lanes->name);
  return 1;
}

static int batch_len(lua_State *L) {
  lua_pushinteger(L, check(L)->batch.n);
  return 1;
}
static int batch_tostring(lua_State *L) {
  const batch_box *box = (const batch_box *)dls_class_test(L, 1, &dls_batch_class);
  if (box == NULL || !box->handle.open)
    lua_pushliteral(L, "batch (closed)");
  else
    lua_pushfstring(L, "batch of %d states (%d velocities each, %s)", box->batch.n,
                    box->batch.forest->nu, box->batch.lanes->name);
  return 1;
}

static const dls_method methods[] = {
    {"set_coordinates", set_coordinates, "(k, q) of state k"},
    {"set_velocities", set_velocities, "(k, u) of state k"},
    {"set_torques", set_torques, "(k, tau) of state k"},
    {"coordinates", coordinates, "(k) -> q"},
    {"velocities", velocities, "(k) -> u"},
    {"accelerations", accelerations, "() a row of udot for each state"},
    {"evaluate", evaluate, "(n) n evaluations of the accelerations"},
    {"step", step, "(n) n steps of dt by the midpoint scheme"},
    {NULL, NULL, NULL}};

static const dls_property properties[] = {{"dt", get_dt, set_dt, "time step, s"},
                                          {"path", get_path, NULL, "instructions in use"},
                                          {NULL, NULL, NULL, NULL}};

static const luaL_Reg meta[] = {
    {"__len", batch_len}, {"__tostring", batch_tostring}, {NULL, NULL}};

const dls_class dls_batch_class = {"delassus.batch", "batch", methods, properties,
                                   meta,             NULL,    release};
