/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#include "bind/system.h"
#include "core/model/contact_law.h"

/* Functions of a system given by its equations. Everything that Lua may raise happens in `invoke`,
** protected: the core sees DLS_STOPPED. */

#define NAME "delassus.system"

typedef struct request {
  const char *option; /* as in the table of options, for messages           */
  int place;          /* in user value 1                                    */
  double t;           /* s                                                  */
  const double *q, *u; /* n; u NULL: not an argument; q NULL: t is the only one */
  int n;              /* of q and u                                         */
  int n_rows, n_cols; /* of the answer; n_rows 0: a number                  */
  double *out;        /* n_rows x n_cols, or one number */
  bool positive;      /* a number that must not be below 0                  */
  int gap, sided;     /* of a normal: places of its gap and of DLS_CONTACT_SIDED; else 0 */
} request;

static void push_list(lua_State *L, int n, const double *x) {
  lua_createtable(L, n, 0);
  for (int i = 0; i < n; i++) {
    lua_pushnumber(L, x[i]);
    lua_rawseti(L, -2, i + 1);
  }
}

/* Pushes what a message names: 'mass', or contacts[2]: 'gap'. */
static const char *push_subject(lua_State *L, const request *r) {
  if (r->place < DLS_SYSTEM_CONTACTS) return lua_pushfstring(L, "'%s'", r->option);
  return lua_pushfstring(L, "contacts[%d]: '%s'",
                         (r->place - DLS_SYSTEM_CONTACTS) / DLS_CONTACT_PLACES + 1, r->option);
}

static void read_list(lua_State *L, int idx, const request *r, int row, int n, double *out) {
  const int top = lua_gettop(L);
  const dls_vector *vector = dls_test_vector(L, idx);
  const dls_vec *vec = dls_test_vec(L, idx);
  const int length = vector != NULL        ? vector->n
                     : vec != NULL         ? vec->n
                     : lua_istable(L, idx) ? (int)lua_rawlen(L, idx)
                                           : -1;
  if (length != n)
    dls_raise(L, NAME, "%s must return %s%d numbers, got %s", push_subject(L, r),
              row > 0 ? "rows of " : "", n,
              length < 0 ? dls_push_described(L, idx) : lua_pushfstring(L, "%d", length));
  for (int i = 0; i < n; i++) {
    double x = vector != NULL ? vector->x[i] : vec != NULL ? vec->x[i] : 0;
    if (vector == NULL && vec == NULL) {
      if (lua_rawgeti(L, idx, i + 1) != LUA_TNUMBER)
        dls_raise(L, NAME, "%s must return numbers, got %s at %d", push_subject(L, r),
                  dls_push_described(L, top + 1), i + 1);
      x = lua_tonumber(L, -1);
      lua_pop(L, 1);
    }
    if (!dls_is_finite(x))
      dls_raise(L, NAME, "%s must return finite numbers, got %f at %d", push_subject(L, r),
                (lua_Number)x, i + 1);
    out[i] = x;
  }
  lua_settop(L, top);
}

static void read_matrix(lua_State *L, int idx, const request *r) {
  const dls_matrix *matrix = dls_test_matrix(L, idx);
  const int n = r->n_rows;
  if (matrix != NULL) {
    if (matrix->n_rows != n || matrix->n_cols != n)
      dls_raise(L, NAME, "%s must return a matrix of %d x %d, got %d x %d", push_subject(L, r), n,
                n, matrix->n_rows, matrix->n_cols);
    memcpy(r->out, matrix->a, (size_t)n * (size_t)n * sizeof *r->out);
  } else {
    if (!lua_istable(L, idx) || (int)lua_rawlen(L, idx) != n)
      dls_raise(L, NAME, "%s must return a matrix of %d rows, got %s", push_subject(L, r), n,
                dls_push_described(L, idx));
    for (int i = 0; i < n; i++) {
      lua_rawgeti(L, idx, i + 1);
      read_list(L, lua_gettop(L), r, i + 1, n, r->out + (size_t)i * (size_t)n);
      lua_pop(L, 1);
    }
  }
  for (int i = 0; i < n; i++)
    for (int j = 0; j < i; j++) {
      const double a = r->out[(size_t)i * (size_t)n + (size_t)j],
                   b = r->out[(size_t)j * (size_t)n + (size_t)i];
      if (fabs(a - b) > 1e-10 * dls_max(fabs(a), fabs(b)))
        dls_raise(L, NAME, "%s must return a symmetric matrix, got %f and %f at (%d, %d)",
                  push_subject(L, r), (lua_Number)a, (lua_Number)b, i + 1, j + 1);
    }
}

/* The gap of a normal w at q + s w; *known: it answers with a number there. */
static double gap_beside(lua_State *L, const request *r, double s, bool *known) {
  lua_rawgeti(L, 1, r->gap);
  lua_createtable(L, r->n, 0);
  for (int i = 0; i < r->n; i++) {
    lua_pushnumber(L, r->q[i] + s * r->out[i]);
    lua_rawseti(L, -2, i + 1);
  }
  lua_pushnumber(L, r->t);
  lua_call(L, 2, 1);
  *known = lua_type(L, -1) == LUA_TNUMBER && *known;
  const double gap = lua_tonumber(L, -1);
  lua_pop(L, 1);
  return gap;
}

/* A gap grows along its gradient w by w . w: a normal of the other sign is told by the gap itself,
** beside q, at two distances. All else passes: what answers the same anywhere, has steps, or
** noise. A few times, until one tells. */
static void check_side(lua_State *L, const request *r) {
  enum { TIMES = 4 };
  static const double BESIDE = 1e-6, OPPOSITE = 0.01; /* of q; of w . w */
  double square = 0, most = 0, share[2] = {0, 0};
  bool known = lua_rawgeti(L, 1, r->gap) == LUA_TFUNCTION;
  lua_rawgeti(L, 1, r->sided);
  const bool done = lua_toboolean(L, -1) && !lua_isnumber(L, -1);
  const lua_Integer times = lua_tointeger(L, -1) + 1;
  lua_pop(L, 2);
  if (done) return;
  for (int i = 0; i < r->n; i++) {
    square += r->out[i] * r->out[i];
    most = dls_max(most, fabs(r->q[i]));
  }
  known = known && square > 0 && dls_is_finite(square);
  for (int k = 0; k < 2 && known; k++) {
    const double s = BESIDE * (most > 0 ? most : 1) / (k + 1) / sqrt(square);
    const double change = gap_beside(L, r, s, &known) - gap_beside(L, r, -s, &known);
    share[k] = known ? change / (2 * s * square) : 0;
  }
  if (fabs(share[0] + 1) < OPPOSITE && fabs(share[1] + 1) < OPPOSITE)
    dls_raise(L, NAME, "%s points the other way: 'gap' falls along it as it should grow",
              push_subject(L, r));
  if (share[0] > 0.5 || times == TIMES) lua_pushboolean(L, true);
  else lua_pushinteger(L, times);
  lua_rawseti(L, 1, r->sided);
}

/* Protected; stack: user value 1, request (light). */
static int invoke(lua_State *L) {
  const request *r = (const request *)lua_touserdata(L, 2);
  luaL_checkstack(L, 12, "callback");
  lua_rawgeti(L, 1, r->place);
  if (lua_isfunction(L, 3)) {
    int n_args = 0;
    if (r->q != NULL) push_list(L, r->n, r->q), n_args++;
    if (r->u != NULL) push_list(L, r->n, r->u), n_args++;
    lua_pushnumber(L, r->t);
    lua_call(L, n_args + 1, 1);
  }
  if (r->n_cols > 0) read_matrix(L, 3, r);
  else if (r->n_rows > 0) {
    read_list(L, 3, r, 0, r->n_rows, r->out);
    if (r->gap > 0) check_side(L, r);
  } else {
    if (lua_type(L, 3) != LUA_TNUMBER)
      dls_raise(L, NAME, "%s must return a number, got %s", push_subject(L, r),
                dls_push_described(L, 3));
    *r->out = lua_tonumber(L, 3);
    if (!dls_is_finite(*r->out))
      dls_raise(L, NAME, "%s must return a finite number, got %f", push_subject(L, r),
                (lua_Number)*r->out);
    if (r->positive && *r->out < 0)
      dls_raise(L, NAME, "%s must return a number >= 0, got %f", push_subject(L, r),
                (lua_Number)*r->out);
  }
  return 0;
}

static dls_status ask(dls_system_box *box, request *r) {
  lua_State *L = box->call.L;
  lua_pushcfunction(L, invoke);
  lua_pushvalue(L, box->functions);
  lua_pushlightuserdata(L, r);
  const dls_status status = dls_call_protected(&box->call, 2, 0);
  if (status != DLS_OK) box->culprit = r->option;
  return status;
}

static bool given(dls_system_box *box, int place) {
  lua_State *L = box->call.L;
  const bool there = lua_rawgeti(L, box->functions, place) != LUA_TBOOLEAN;
  lua_pop(L, 1);
  return there;
}

static int place_of(int contact, int what) {
  return DLS_SYSTEM_CONTACTS + contact * DLS_CONTACT_PLACES + what;
}

static dls_status mass(void *ctx, double t, const double *q, double *M) {
  dls_system_box *box = (dls_system_box *)ctx;
  const int n = box->system.n;
  if (box->mass != NULL) {
    memcpy(M, box->mass, (size_t)n * (size_t)n * sizeof *M);
    return DLS_OK;
  }
  request r = {"mass", DLS_SYSTEM_MASS, t, q, NULL, n, n, n, M, .positive = false};
  return ask(box, &r);
}

static dls_status forces(void *ctx, double t, const double *q, const double *u, double *h) {
  dls_system_box *box = (dls_system_box *)ctx;
  const int n = box->system.n;
  request r = {"forces", DLS_SYSTEM_FORCES, t, q, u, n, n, 0, h, .positive = false};
  return ask(box, &r);
}

static dls_status gap(void *ctx, int i, double t, const double *q, double *value) {
  dls_system_box *box = (dls_system_box *)ctx;
  const int place = place_of(i, DLS_CONTACT_GAP);
  request r = {"gap", place, t, q, NULL, box->system.n, 0, 0, value, .positive = false};
  return ask(box, &r);
}

/* One that does not ask for the time does not move by it. */
static bool moves(void *ctx, int i) {
  dls_system_box *box = (dls_system_box *)ctx;
  lua_State *L = box->call.L;
  lua_Debug of;
  if (lua_rawgeti(L, box->functions, place_of(i, DLS_CONTACT_GAP)) != LUA_TFUNCTION) {
    lua_pop(L, 1);
    return false;
  }
  return lua_getinfo(L, ">u", &of) != 0 && (of.nparams > 1 || of.isvararg);
}

static dls_status direction(void *ctx, int i, int k, double t, const double *q, double *w) {
  static const char *const names[] = {"normal", "tangent", "tangent2"};
  dls_system_box *box = (dls_system_box *)ctx;
  const int n = box->system.n;
  request r = {names[k], place_of(i, DLS_CONTACT_NORMAL + k), t, q, NULL, n, n, 0, w, false,
               .gap = k == 0 ? place_of(i, DLS_CONTACT_GAP) : 0,
               .sided = place_of(i, DLS_CONTACT_SIDED)};
  return ask(box, &r);
}

static dls_status drift(void *ctx, int i, int k, double t, const double *q, bool *is_given,
                        double *value) {
  static const char *const names[] = {"normal_speed", "tangent_speed", "tangent2_speed"};
  dls_system_box *box = (dls_system_box *)ctx;
  const int place = place_of(i, DLS_CONTACT_SPEED + k);
  *is_given = given(box, place);
  if (!*is_given) return DLS_OK;
  request r = {names[k], place, t, q, NULL, box->system.n, 0, 0, value, .positive = false};
  return ask(box, &r);
}

static dls_status bias(void *ctx, int i, int k, double t, const double *q, const double *u,
                       bool *is_given, double *value) {
  static const char *const names[] = {"normal_bias", "tangent_bias", "tangent2_bias"};
  dls_system_box *box = (dls_system_box *)ctx;
  const int place = place_of(i, DLS_CONTACT_BIAS + k);
  *is_given = given(box, place);
  if (!*is_given) return DLS_OK;
  request r = {names[k], place, t, q, u, box->system.n, 0, 0, value, .positive = false};
  return ask(box, &r);
}

static dls_status friction(void *ctx, int i, double speed, double *mu) {
  dls_system_box *box = (dls_system_box *)ctx;
  const dls_friction_law *law = &box->friction[i];
  const int place = place_of(i, DLS_CONTACT_FRICTION);
  if (given(box, place)) {
    request r = {.option = "friction",
                 .place = place,
                 .t = dls_asked_speed(speed),
                 .out = mu,
                 .positive = true};
    return ask(box, &r);
  }
  *mu = speed == 0 ? law->kinetic : dls_law_friction(law->at_rest, law->kinetic, law->decay, speed);
  if (speed == 0 && law->decay < DLS_INF) *mu = law->at_rest; /* the limit to slip */
  return DLS_OK;
}

void dls_system_callbacks(dls_system_def *def) {
  def->mass = mass, def->forces = forces, def->gap = gap, def->moves = moves,
  def->direction = direction;
  def->drift = drift, def->bias = bias, def->friction = friction;
}

void dls_system_begin(lua_State *L, dls_system_box *box) {
  luaL_checkstack(L, 16, NULL);
  lua_getiuservalue(L, 1, 1);
  box->functions = lua_gettop(L);
  lua_pushnil(L);
  box->call = (dls_call){L, lua_gettop(L)};
  box->culprit = "a function";
  box->busy = true;
}

void dls_system_end(lua_State *L, dls_system_box *box, dls_status status, const char *function) {
  const int failed = box->scheme.failed;
  box->busy = false;
  if (status == DLS_OK) return;
  if (status == DLS_STOPPED) {
    if (dls_call_yielded(&box->call)) dls_raise(L, function, "'%s' must not yield", box->culprit);
  }
  if (status == DLS_SINGULAR && box->system.indefinite)
    dls_raise(L, function, "'mass' is not positive definite beyond t = %f s",
              (lua_Number)box->scheme.t);
  if (status == DLS_SINGULAR)
    dls_raise(L, function, "no accelerations that the contacts admit, at t = %f s",
              (lua_Number)box->scheme.t);
  if (status == DLS_STATE && failed >= 0)
    dls_raise(L, function, "contact %d starts with its gap below -gap_tolerance", failed + 1);
  if (status == DLS_STATE)
    dls_raise(L, function, "the motion beyond t = %f s cannot be followed to the tolerance",
              (lua_Number)box->scheme.t);
  dls_call_report(&box->call, status, function);
}
