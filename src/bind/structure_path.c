/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#include "bind/structure_parts.h"

/* A path under the growing load: its events, and states at any load. */

static dls_structure_path *check(lua_State *L) {
  return (dls_structure_path *)dls_class_check(L, 1, &dls_structure_path_class);
}

static void release(lua_State *L, void *self) {
  dls_structure_path *path = (dls_structure_path *)self;
  (void)L;
  dls_path_destroy(&path->path);
  dls_law_destroy(&path->law);
  dls_free(&path->alloc, path->slip0, (size_t)path->m, sizeof *path->slip0);
  path->slip0 = NULL;
}

static bool converged(const dls_structure_path *path) {
  return path->holds && path->path.end <= DLS_PATH_MECHANISM &&
         path->path.residual <= path->tolerance;
}

/* --- properties ------------------------------------------------------------------------------- */
/* A path whose states miss the law by more than round-off has come to its limit. */
static dls_path_end end_of(const dls_structure_path *path) {
  return path->path.end <= DLS_PATH_MECHANISM && !path->holds ? DLS_PATH_LIMIT : path->path.end;
}

static const char *status_of(const dls_structure_path *path) {
  return dls_path_end_name(end_of(path));
}

static int get_status(lua_State *L) {
  lua_pushstring(L, status_of(check(L)));
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

static int get_seconds(lua_State *L) {
  lua_pushnumber(L, check(L)->seconds);
  return 1;
}

static int get_converged(lua_State *L) {
  lua_pushboolean(L, converged(check(L)));
  return 1;
}

static int get_tightening(lua_State *L) {
  lua_pushnumber(L, check(L)->law.tightening);
  return 1;
}

/* "x_n3", "x_+3", "z_-1", "p" of variable v. */
static void push_variable(lua_State *L, const dls_law *law, int v) {
  static const char *const kinds[] = {"n", "+", "-"};
  int kind;
  if (v == 2 * law->n) {
    lua_pushliteral(L, "p");
    return;
  }
  const int contact = dls_law_row(law, v % law->n, &kind);
  lua_pushfstring(L, "%s%s%d", v < law->n ? "x" : "z", kinds[kind], contact + 1);
}

/* What a variable that comes down to zero means for its contact. */
static const char *change_of(const dls_law *law, int v, int *contact) {
  int kind;
  *contact = -1;
  if (v == 2 * law->n) return "returns";
  *contact = dls_law_row(law, v % law->n, &kind);
  if (v < law->n) return kind == 0 ? "separates" : "slips";
  return kind == 0 ? "closes" : "sticks";
}

static int get_events(lua_State *L) {
  const dls_structure_path *path = check(L);
  lua_getiuservalue(L, 1, 1);
  const int structure = lua_gettop(L);
  lua_createtable(L, path->path.n_events, 0);
  for (int k = 0; k < path->path.n_events; k++) {
    const dls_path_event *event = &path->path.events[k];
    int contact;
    lua_createtable(L, 0, 5);
    lua_pushnumber(L, event->p);
    lua_setfield(L, -2, "p");
    lua_pushstring(L, change_of(&path->law, event->leaving, &contact));
    lua_setfield(L, -2, "change");
    push_variable(L, &path->law, event->leaving);
    lua_setfield(L, -2, "leaving");
    push_variable(L, &path->law, event->entering);
    lua_setfield(L, -2, "entering");
    if (contact >= 0) {
      dls_structure_push_child(L, structure, STRUCTURE_CONTACTS, contact);
      lua_setfield(L, -2, "contact");
    }
    lua_rawseti(L, structure + 1, k + 1);
  }
  return 1;
}

/* Pushes "1 change" or "n changes". */
static const char *push_changes(lua_State *L, int n) {
  return lua_pushfstring(L, n == 1 ? "%d change" : "%d changes", n);
}

/* How often the load turns back on the way. */
static int turns_of(const dls_path *p) {
  int turns = 0;
  for (int k = 1; k < p->n_events; k++)
    turns += p->events[k].p < p->events[k - 1].p * (1.0 - 1e-9);
  return turns;
}

/* The end in words. */
static int get_explanation(lua_State *L) {
  const dls_path *p = &check(L)->path;
  const lua_Number last = p->n_states > 0 ? p->p[p->n_states - 1] : 0.0;
  const char *changes = push_changes(L, p->n_events);
  const int turns = turns_of(p);
  if (end_of(check(L)) != p->end) {
    lua_pushfstring(L,
                    "No path was found whose states obey the contact law to round-off (%s, up to "
                    "p = %f).",
                    changes, last);
    return 1;
  }
  switch (p->end) {
  case DLS_PATH_REACHED:
    lua_pushfstring(L, "The load p = %f is reached after %s of the contacts.", last, changes);
    break;
  case DLS_PATH_RAY:
    lua_pushfstring(L,
                    "The working scheme does not change any more beyond p = %f (after %s): the "
                    "solution goes on along a ray for every larger load.",
                    last, changes);
    break;
  case DLS_PATH_MECHANISM:
    lua_pushfstring(L,
                    "Ultimate load p = %f, after %s: the contacts let the structure move as a "
                    "mechanism, and no state of equilibrium hangs together with this one beyond "
                    "that load.",
                    (lua_Number)p->p_limit, changes);
    break;
  case DLS_PATH_UNSOLVED:
    lua_pushliteral(L, "No state of equilibrium was found under the constant load alone (p = 0), "
                       "so the path does not begin.");
    break;
  default:
    lua_pushfstring(L,
                    "Given up after %s, at p = %f: too many of them, or a pivot that is zero to "
                    "working accuracy.",
                    changes, last);
  }
  if (turns == 0) return 1;
  lua_pushfstring(L, " The load turns back %s on the way: there is more than one state at some "
                     "loads (path:all).",
                  turns == 1 ? "once" : "several times");
  lua_concat(L, 2);
  return 1;
}

/* --- states ----------------------------------------------------------------------------------- */

/* Pushes the state of z at p; user values of the path at 2 and 3 of the stack. */
static void push_state(lua_State *L, const dls_structure_path *path, double p, const double *z,
                       bool rate, const char *function) {
  const dls_structure_system *system = (const dls_structure_system *)lua_touserdata(L, 4);
  dls_structure_state_box *box = dls_structure_push_state(L, 3, 4);
  dls_listener ear;
  dls_listen(&ear, L);
  dls_status status =
      dls_state_make(&box->s, &system->c, &path->law, path->slip0, p, z, rate, &ear.stop);
  status = dls_stop_status(&ear.stop, status);
  dls_listen_end(&ear);
  box->tolerance = path->tolerance;
  box->status = "solved";
  if (status == DLS_STOPPED) lua_error(L);
  dls_check_status(L, status, function);
}

/* Structure and system at 3 and 4, room for z at 5. */
static double *prepare(lua_State *L, const dls_structure_path *path) {
  lua_settop(L, 2);
  lua_getiuservalue(L, 1, 1);
  lua_getiuservalue(L, 1, 2);
  return dls_push_vector(L, path->law.n, NULL);
}

/* A load beyond the limit by round-off alone (0.1 k, k = 1, 2, ...) is the limit. */
static double check_p(lua_State *L, const dls_structure_path *path, const char *function) {
  const dls_at at = {function, "p", 0, 0};
  const double p = dls_check_number(L, 2, &at), most = path->path.p_limit;
  return p > most && p <= most * (1 + 1e-15) ? most : p;
}

/* at(p) -> the first state reached there, or nil */
static int at_load(lua_State *L) {
  const dls_structure_path *path = check(L);
  const double p = check_p(L, path, "path:at");
  double *z = prepare(L, path);
  int segment = 0;
  if (dls_path_next(&path->path, p, &segment, z)) push_state(L, path, p, z, false, "path:at");
  else lua_pushnil(L);
  return 1;
}

static bool same_state(int n, const double *a, const double *b) {
  double apart = 0.0, size = 0.0;
  for (int i = 0; i < n; i++) {
    apart = dls_max(apart, fabs(a[i] - b[i]));
    size = dls_max(size, dls_max(a[i], b[i]));
  }
  return apart <= 1e-12 * size;
}

/* all(p) -> every state met there, in the order of the path */
static int all_at(lua_State *L) {
  const dls_structure_path *path = check(L);
  const double p = check_p(L, path, "path:all");
  double *z = prepare(L, path), *last = dls_push_vector(L, path->law.n, NULL);
  int segment = 0, n_found = 0;
  lua_newtable(L);
  const int list = lua_gettop(L);
  while (dls_path_next(&path->path, p, &segment, z)) {
    if (n_found > 0 && same_state(path->law.n, z, last))
      continue; /* the end of one segment begins the next */
    memcpy(last, z, (size_t)path->law.n * sizeof *z);
    push_state(L, path, p, z, false, "path:all");
    lua_rawseti(L, list, ++n_found);
  }
  return 1;
}

/* step(k) -> the state at event k (0: the start), or nil */
static int at_step(lua_State *L) {
  const dls_structure_path *path = check(L);
  const dls_at at = {"path:step", "k", 0, 0};
  lua_Integer k;
  lua_settop(L, 2);
  dls_read_int64(L, 2, &at, NULL, &k);
  double *z = prepare(L, path);
  if (k < 0 || k > path->path.n_events || k >= path->path.n_states) {
    lua_pushnil(L);
    return 1;
  }
  const double *from = path->path.z + (size_t)k * (size_t)path->law.n;
  for (int i = 0; i < path->law.n; i++) z[i] = dls_max(from[i], 0.0);
  push_state(L, path, path->path.p[k], z, false, "path:step");
  return 1;
}

/* rate() -> what the state gains per unit of p beyond the last event of a ray: with a purely
** growing load the solution itself, free of the tightening; nil where the path did not end on a
** ray */
static int rate(lua_State *L) {
  const dls_structure_path *path = check(L);
  double *z = prepare(L, path);
  if (path->path.end != DLS_PATH_RAY) {
    lua_pushnil(L);
    return 1;
  }
  if (path->law.n > 0) memcpy(z, path->path.ray, (size_t)path->law.n * sizeof *z);
  push_state(L, path, 1.0, z, true, "path:rate");
  return 1;
}

/* problem() -> R, q_c with the tightening, r_v: all 3 m rows */
static int problem(lua_State *L) {
  const dls_structure_path *path = check(L);
  const int m = path->m;
  double *R = dls_push_matrix(L, 3 * m, 3 * m, NULL);
  double *q = dls_push_vector(L, 3 * m, NULL), *d = dls_push_vector(L, 3 * m, NULL);
  dls_law_full(&path->law, true, R, q, d);
  return 3;
}

static int to_string(lua_State *L) {
  const dls_structure_path *path =
      (const dls_structure_path *)dls_class_test(L, 1, &dls_structure_path_class);
  if (path == NULL || !path->handle.open) lua_pushliteral(L, "delassus.StructurePath (closed)");
  else
    lua_pushfstring(L, "delassus.StructurePath (%d contacts, %d events, %s, p up to %f)", path->m,
                    path->path.n_events, status_of(path), (lua_Number)path->path.p_limit);
  return 1;
}

static const dls_property properties[] = {
    {"status", get_status, NULL,
     "how it ended: reached, ray, mechanism; unsolved (no start), limit"},
    {"explanation", get_explanation, NULL, "the same in words"},
    {"p_limit", get_p_limit, NULL, "largest p with a known state"},
    {"steps", get_steps, NULL, "number of events"},
    {"events", get_events, NULL,
     "list of { p =, contact =, change = \"separates\" | \"closes\" | \"slips\" | \"sticks\" }"},
    {"pivots", get_pivots, NULL, "exchanges of the path and of its start"},
    {"residual", get_residual, NULL, "worst of the states, relative to their right sides"},
    {"converged", get_converged, NULL, "ended as it should, with the residual in the tolerance"},
    {"tightening", get_tightening, NULL,
     "the artificial weight t in every row, N; t (1 + f) in those of friction f >= 1"},
    {"seconds", get_seconds, NULL, "that the pivots took"},
    {NULL, NULL, NULL, NULL}};

static const dls_method methods[] = {
    {"at", at_load, "(p) -> the first state reached at p, or nil"},
    {"all", all_at, "(p) -> list of all states met at p"},
    {"step", at_step, "(k) -> the state at event k (0: the start), or nil"},
    {"rate", rate, "() -> the state per unit p beyond the last event of a ray, or nil"},
    {"problem", problem, "() -> R, q_c with the tightening, r_v that it followed"},
    {NULL, NULL, NULL}};

static const luaL_Reg meta[] = {{"__tostring", to_string}, {NULL, NULL}};

const dls_class dls_structure_path_class = {
    "delassus.StructurePath", "path", methods, properties, meta, NULL, release};
