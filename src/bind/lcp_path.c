/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#include "bind/array.h"
#include "bind/call.h"
#include "bind/open.h"
#include "bind/options.h"
#include "core/lcp/parametric.h"

/* lcp.parametric: the path of w = M z + q + p d in the load parameter p. */

#define FUNCTION "lcp.parametric"
#define MOST_BYTES ((size_t)1 << 31) /* memory beyond this is refused: 2 GiB */

typedef struct request {
  dls_matrix_arg M; /* n x n */
  dls_vector_arg q, d, margin; /* n each */
  double to; /* the load to go to, >= 0, may be infinite */
  double tolerance; /* on the residual, relative */
  int contacts;     /* rows are (n, +, -) of so many; 0: not so */
  int max_pivots;   /* of the path; 0: by n */
} request;

typedef struct path_box {
  dls_handle handle; /* first: open or closed (class.h) */
  dls_alloc alloc;  /* of numbers and of the path */
  double *numbers;  /* n (n + 3): M, q, d, margin */
  double tolerance; /* on the residual            */
  dls_path_problem load;    /* its pointers are into numbers */
  dls_path path;            /* its states and events */
} path_box;

static void read_target(lua_State *L, int idx, const dls_at *at, const void *arg, void *out) {
  dls_read_extended(L, idx, at, arg, out);
  if (!(*(double *)out >= 0.0)) dls_bad(L, at, "must be >= 0", idx);
}

#define ROW(name, read, field, flags) {name, read, offsetof(request, field), NULL, flags, 0}
static const dls_option options[] = {
    ROW("M", dls_read_matrix, M, DLS_REQUIRED),
    ROW("q", dls_read_vector, q, DLS_REQUIRED),
    ROW("d", dls_read_vector, d, DLS_REQUIRED),
    ROW("to", read_target, to, DLS_OPTIONAL),
    ROW("tolerance", dls_read_positive, tolerance, DLS_OPTIONAL),
    ROW("margin", dls_read_vector, margin, DLS_OPTIONAL),
    ROW("contacts", dls_read_count, contacts, DLS_OPTIONAL),
    ROW("max_pivots", dls_read_count, max_pivots, DLS_OPTIONAL),
    {NULL, NULL, 0, NULL, 0, 0}};

static void release(lua_State *L, void *self) {
  path_box *box = (path_box *)self;
  const size_t n = (size_t)box->load.n;
  (void)L;
  dls_path_destroy(&box->path);
  dls_free(&box->alloc, box->numbers, n * (n + 3), sizeof *box->numbers);
  box->numbers = NULL;
}

static const dls_class path_class;

static path_box *check(lua_State *L) { return (path_box *)dls_class_check(L, 1, &path_class); }

/* --- reading a path -------------------------------------------------------------------------- */
static void push_variable(lua_State *L, int n, int v) {
  if (v == 2 * n) lua_pushliteral(L, "p");
  else lua_pushfstring(L, "%s%d", v < n ? "w" : "z", (v < n ? v : v - n) + 1);
}

static int get_status(lua_State *L) {
  lua_pushstring(L, dls_path_end_name(check(L)->path.end));
  return 1;
}

static int get_events(lua_State *L) {
  const dls_path *path = &check(L)->path;
  lua_createtable(L, path->n_events, 0);
  for (int k = 0; k < path->n_events; k++) {
    lua_createtable(L, 0, 3);
    lua_pushnumber(L, path->events[k].p);
    lua_setfield(L, -2, "p");
    push_variable(L, path->n, path->events[k].leaving);
    lua_setfield(L, -2, "leaving");
    push_variable(L, path->n, path->events[k].entering);
    lua_setfield(L, -2, "entering");
    lua_rawseti(L, -2, k + 1);
  }
  return 1;
}

static int get_p_limit(lua_State *L) {
  lua_pushnumber(L, check(L)->path.p_limit);
  return 1;
}

static int get_steps(lua_State *L) {
  lua_pushinteger(L, check(L)->path.n_events);
  return 1;
}

static int get_pivots(lua_State *L) {
  lua_pushinteger(L, check(L)->path.pivots);
  return 1;
}

static int get_residual(lua_State *L) {
  lua_pushnumber(L, check(L)->path.residual);
  return 1;
}

static bool converged(const path_box *box) {
  return box->path.end <= DLS_PATH_MECHANISM && box->path.residual <= box->tolerance;
}

static int get_converged(lua_State *L) {
  lua_pushboolean(L, converged(check(L)));
  return 1;
}

/* Pushes z and w of the next state at p; false: there is none, nothing is pushed. */
static bool push_next(lua_State *L, const path_box *box, double p, int *segment) {
  double *z = dls_push_vector(L, box->load.n, NULL);
  if (!dls_path_next(&box->path, p, segment, z)) {
    lua_pop(L, 1);
    return false;
  }
  dls_path_image(&box->load, p, z, dls_push_vector(L, box->load.n, NULL));
  return true;
}

/* A load beyond the limit by round-off alone (0.1 k, k = 1, 2, ...) is the limit. */
static double check_p(lua_State *L, const path_box *box, const char *function) {
  const dls_at at = {function, "p", 0, 0};
  const double p = dls_check_number(L, 2, &at), most = box->path.p_limit;
  return p > most && p <= most * (1 + 1e-15) ? most : p;
}

/* at(p) -> z, w of the first state reached there; nil where there is none */
static int at(lua_State *L) {
  const path_box *box = check(L);
  int segment = 0;
  if (push_next(L, box, check_p(L, box, "path:at"), &segment)) return 2;
  lua_pushnil(L);
  return 1;
}

/* all(p) -> list of { z =, w = }, in the order of the path, each state once */
static int all(lua_State *L) {
  const path_box *box = check(L);
  const double p = check_p(L, box, "path:all");
  const int n = box->load.n;
  int segment = 0, n_found = 0;
  lua_settop(L, 2);
  lua_newtable(L);
  while (push_next(L, box, p, &segment)) {
    const double *z = dls_test_vector(L, -2)->x;
    bool again = false;
    if (n_found > 0) { /* the end of one segment is the beginning of the next */
      lua_rawgeti(L, 3, n_found);
      lua_getfield(L, -1, "z");
      const double *last = dls_test_vector(L, -1)->x;
      double apart = 0.0, size = 0.0;
      for (int i = 0; i < n; i++) {
        apart = dls_max(apart, fabs(z[i] - last[i]));
        size = dls_max(size, dls_max(z[i], last[i]));
      }
      again = apart <= 1e-12 * size;
      lua_pop(L, 2);
    }
    if (again) {
      lua_pop(L, 2);
      continue;
    }
    lua_createtable(L, 0, 2);
    lua_insert(L, -2);
    lua_setfield(L, -2, "w");
    lua_insert(L, -2);
    lua_setfield(L, -2, "z");
    lua_rawseti(L, 3, ++n_found);
  }
  return 1;
}

/* step(k) -> z, w, p of the state at event k, or at the start for k = 0; nil past the last */
static int step(lua_State *L) {
  const path_box *box = check(L);
  const dls_at at = {"path:step", "k", 0, 0};
  lua_Integer k;
  lua_settop(L, 2);
  dls_read_int64(L, 2, &at, NULL, &k);
  if (k < 0 || k > box->path.n_events || k >= box->path.n_states) {
    lua_pushnil(L);
    return 1;
  }
  const size_t n = (size_t)box->load.n;
  const double p = box->path.p[k];
  double *z = dls_push_vector(L, box->load.n, NULL);
  for (size_t i = 0; i < n; i++) z[i] = dls_max(box->path.z[(size_t)k * n + i], 0.0);
  dls_path_image(&box->load, p, z, dls_push_vector(L, box->load.n, NULL));
  lua_pushnumber(L, p);
  return 3;
}

/* rate() -> dz/dp, dw/dp beyond the last state of a ray: the solution per unit p, which is the
** whole solution where q was artificial; nil where the path did not end on a ray */
static int rate(lua_State *L) {
  const path_box *box = check(L);
  if (box->path.end != DLS_PATH_RAY) {
    lua_pushnil(L);
    return 1;
  }
  const size_t n = (size_t)box->load.n;
  double *z = dls_push_vector(L, box->load.n, box->path.ray);
  double *w = dls_push_vector(L, box->load.n, NULL);
  dls_path_image(&box->load, 1.0, z, w);
  for (size_t i = 0; i < n; i++) w[i] -= box->load.q[i];
  return 2;
}

static int to_string(lua_State *L) {
  const path_box *box = (const path_box *)dls_class_test(L, 1, &path_class);
  if (box == NULL || !box->handle.open) {
    lua_pushliteral(L, "delassus.LcpPath (closed)");
    return 1;
  }
  lua_getfield(L, 1, "status");
  lua_pushfstring(L, "delassus.LcpPath (n = %d, %d events, %s, p up to %f)", box->load.n,
                  box->path.n_events, lua_tostring(L, -1), box->path.p_limit);
  return 1;
}

static const dls_property properties[] = {
    {"status", get_status, NULL, "how the path ended: reached, ray, mechanism, unsolved or limit"},
    {"events", get_events, NULL, "list of { p =, leaving =, entering = }"},
    {"p_limit", get_p_limit, NULL, "largest p with a known state"},
    {"steps", get_steps, NULL, "number of events"},
    {"pivots", get_pivots, NULL, "exchanges of the path and of its start"},
    {"residual", get_residual, NULL, "worst of the states, relative to its right side"},
    {"converged", get_converged, NULL, "ended as it should, with the residual in the tolerance"},
    {NULL, NULL, NULL, NULL}};

static const dls_method methods[] = {
    {"at", at, "(p) -> z, w of the first state reached at p, or nil"},
    {"all", all, "(p) -> list of { z =, w = } of all states met at p"},
    {"step", step, "(k) -> z, w, p at event k (0: the start), or nil"},
    {"rate", rate, "() -> dz/dp, dw/dp beyond the last state of a ray, or nil"},
    {NULL, NULL, NULL}};

static const luaL_Reg meta[] = {{"__tostring", to_string}, {NULL, NULL}};

static const dls_class path_class = {
    "delassus.LcpPath", "path", methods, properties, meta, NULL, release};

/* --- making one ------------------------------------------------------------------------------- */
static void check_length(lua_State *L, const char *name, const dls_vector_arg *x, int n) {
  if (x->n != n)
    dls_raise(L, FUNCTION, "'%s' must hold %d numbers, as many as 'M' has rows, got %d", name, n,
              x->n);
}

static void check_request(lua_State *L, const request *r) {
  const int n = r->M.n_rows;
  if (r->M.n_rows != r->M.n_cols)
    dls_raise(L, FUNCTION, "'M' must be square, got %d x %d", r->M.n_rows, r->M.n_cols);
  check_length(L, "q", &r->q, n);
  check_length(L, "d", &r->d, n);
  if (r->margin.x != NULL) check_length(L, "margin", &r->margin, n);
  for (int i = 0; i < r->margin.n; i++)
    if (r->margin.x[i] < 0.0)
      dls_raise(L, FUNCTION, "'margin' element %d must be >= 0, got %f", i + 1, r->margin.x[i]);
  if (r->contacts > 0 && (n % 3 != 0 || r->contacts != n / 3))
    dls_raise(L, FUNCTION, "'contacts' must be a third of the %d rows of 'M', got %d", n,
              r->contacts);
  if (dls_path_bytes(n) > MOST_BYTES)
    dls_raise(L, FUNCTION, "n = %d would take %f GB of memory, the most is %f GB", n,
              (double)dls_path_bytes(n) * 1e-9, (double)MOST_BYTES * 1e-9);
}

static void copy_matrix(const dls_matrix_arg *from, double *to) {
  const size_t n = (size_t)from->n_rows;
  if (from->a != NULL) {
    memcpy(to, from->a, n * n * sizeof *to);
    return;
  }
  for (size_t i = 0; i < n; i++)
    for (int e = from->s->start[i]; e < from->s->start[i + 1]; e++)
      to[i * n + (size_t)from->s->col[e]] = from->s->value[e];
}

static dls_status follow(path_box *box, const request *r, dls_stop *stop) {
  const size_t n = (size_t)r->M.n_rows;
  box->load.n = (int)n;
  box->numbers = (double *)dls_new(&box->alloc, n * (n + 3), sizeof *box->numbers);
  if (box->numbers == NULL) return DLS_NOMEM;
  double *q = box->numbers + n * n, *d = q + n, *margin = d + n;
  copy_matrix(&r->M, box->numbers);
  if (n > 0) {
    memcpy(q, r->q.x, n * sizeof *q);
    memcpy(d, r->d.x, n * sizeof *d);
    if (r->margin.x != NULL) memcpy(margin, r->margin.x, n * sizeof *margin);
  }
  box->load.M = box->numbers;
  box->load.q = q;
  box->load.d = d;
  box->load.margin = margin;
  box->load.contacts = r->contacts;
  box->load.to = r->to;
  box->load.max_steps = r->max_pivots;
  box->load.stop = stop;
  box->tolerance = r->tolerance;
  dls_arena tmp;
  dls_status status = dls_arena_create(&tmp, &box->alloc, dls_path_bytes((int)n));
  if (status == DLS_OK) status = dls_path_follow(&box->load, &box->alloc, &tmp, &box->path);
  dls_arena_destroy(&tmp, &box->alloc);
  box->load.stop = NULL;
  return status;
}

/* lcp_parametric(options) -> path */
static int parametric(lua_State *L) {
  request r;
  memset(&r, 0, sizeof r);
  r.to = 1.0;
  r.tolerance = 1e-9;
  dls_read_options(L, 1, FUNCTION, options, &r);
  check_request(L, &r);
  path_box *box = (path_box *)dls_class_new(L, &path_class, sizeof *box, 0);
  box->alloc = dls_lua_alloc(L);
  box->handle.open = true;
  dls_listener ear;
  dls_listen(&ear, L);
  const dls_status status = follow(box, &r, &ear.stop);
  dls_listen_end(&ear);
  if (status != DLS_OK) {
    release(L, box);
    box->handle.open = false;
  }
  if (status == DLS_STOPPED) lua_error(L);
  dls_check_status(L, status, FUNCTION);
  return 1;
}

void dls_open_lcp_path(lua_State *L) {
  static const luaL_Reg functions[] = {{"lcp_parametric", parametric}, {NULL, NULL}};
  dls_class_register(L, &path_class);
  luaL_setfuncs(L, functions, 0);
}
