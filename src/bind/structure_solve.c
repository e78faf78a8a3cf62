/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#include "bind/structure_parts.h"

#include "core/structure/follow.h"

/* The condensed structure, its path and its answer to one load. */

/* --- the system ------------------------------------------------------------------------------- */
static void release_system(lua_State *L, void *self) {
  (void)L;
  dls_structure_system *system = self;
  dls_single_room_destroy(&system->room, &system->c.st.alloc);
  dls_condensed_destroy(&system->c);
}

const dls_class dls_structure_system_class = {
    "delassus.StructureSystem", "system", NULL, NULL, NULL, NULL, release_system};

/* Pushes "'x', 'rotation'". */
static const char *push_motions(lua_State *L, int motions) {
  static const char *const names[] = {"'x'", "'y'", "'rotation'"};
  int n = 0;
  for (int d = 0; d < 3; d++)
    if (motions >> d & 1) {
      if (n > 0) lua_pushliteral(L, ", ");
      lua_pushstring(L, names[d]);
      n += n > 0 ? 2 : 1;
    }
  lua_concat(L, n);
  return lua_tostring(L, -1);
}

_Noreturn static void raise_flaw(lua_State *L, const dls_structure_fault *fault,
                                 const char *function) {
  const int node = fault->node + 1, contact = fault->contact + 1;
  switch (fault->kind) {
  case DLS_FLAW_LOADED:
    dls_raise(L, function,
              "node %d is loaded, but nothing hangs on it (no element, spring or contact)", node);
  case DLS_FLAW_MOMENT:
    dls_raise(L, function,
              "node %d is loaded by a moment, but has no rotation (no frame ends there)", node);
  case DLS_FLAW_SPRING:
    dls_raise(L, function, "node %d has a spring on its rotation, but no frame ends there", node);
  case DLS_FLAW_FLOATS:
    dls_raise(L, function,
              "the structure can float: the part of node %d (%d node%s) is free to move, %s", node,
              fault->count, fault->count == 1 ? "" : "s", push_motions(L, fault->motions));
  case DLS_FLAW_YIELDS:
    dls_raise(L, function, "the structure can float: at node %d nothing resists %s", node,
              push_motions(L, fault->motions));
  case DLS_FLAW_HELD:
    dls_raise(L, function, "contact %d: both of its sides are held along the normal", contact);
  default: dls_raise(L, function, "%s", dls_status_text(DLS_ARG));
  }
}

/* The factorisation that the optional rock lends, as a light userdata. */
static const dls_factor_kind *kind_of(lua_State *L, int factor, const char *function) {
  if (factor == 0) return NULL;
  lua_getglobal(L, "require");
  lua_pushliteral(L, "delassus.cholmod");
  if (lua_pcall(L, 1, 1, 0) != LUA_OK || !lua_islightuserdata(L, -1))
    dls_raise(L, function,
              "factor 'cholmod' needs the rock 'delassus-cholmod', which is not installed "
              "(luarocks make in rocks/cholmod)");
  const dls_factor_kind *kind = (const dls_factor_kind *)lua_touserdata(L, -1);
  lua_pop(L, 1);
  return kind;
}

static dls_status build(dls_structure_system *system, const dls_structure *st,
                        const dls_factor_kind *kind, dls_stop *stop, dls_structure_fault *fault) {
  dls_status status = DLS_OK;
  for (int stage = 0; stage < 3 && status == DLS_OK; stage++) {
    const dls_watch watch = dls_watch_start();
    if (stage == 0) status = dls_condensed_assemble(&system->c, st, fault);
    else if (stage == 1) status = dls_condensed_factor(&system->c, kind, stop, fault);
    else status = dls_condensed_links(&system->c, stop);
    system->seconds[stage] = dls_watch_elapsed(&watch);
  }
  return dls_stop_status(stop, status);
}

dls_structure_system *dls_structure_take_system(lua_State *L, int factor, const char *function) {
  dls_structure_box *box = dls_structure_check(L);
  const dls_factor_kind *kind = kind_of(L, factor, function);
  if (lua_getiuservalue(L, 1, STRUCTURE_SYSTEM) == LUA_TUSERDATA) {
    dls_structure_system *kept = (dls_structure_system *)lua_touserdata(L, -1);
    if (kept->c.kind == kind) return kept;
  }
  lua_pop(L, 1);
  dls_structure_system *system =
      (dls_structure_system *)dls_class_new(L, &dls_structure_system_class, sizeof *system, 0);
  dls_structure_fault fault = {DLS_FLAW_NONE, -1, -1, 0, 0};
  dls_listener ear;
  system->handle.open = true;
  const long long version = box->version;
  dls_listen(&ear, L);
  const dls_status status = build(system, &box->st, kind, &ear.stop, &fault);
  dls_listen_end(&ear);
  if (status != DLS_OK) dls_condensed_destroy(&system->c);
  if (status == DLS_STOPPED) lua_error(L);
  if (status == DLS_ARG && fault.kind != DLS_FLAW_NONE) raise_flaw(L, &fault, function);
  dls_check_status(L, status, function);
  if (box->handle.open && version == box->version) { /* a hook may have changed it meanwhile */
    lua_pushvalue(L, -1);
    lua_setiuservalue(L, 1, STRUCTURE_SYSTEM);
  }
  return system;
}

/* --- options ---------------------------------------------------------------------------------- */
typedef struct request {
  double to, p, tightening, tolerance; /* loads; weight in each row (law.h); relative residual */
  int max_pivots, factor; /* 0: by size; 0 our own, 1 cholmod */
} request;

static const char *const factors[] = {"own", "cholmod", NULL};

static void read_target(lua_State *L, int idx, const dls_at *at, const void *arg, void *out) {
  dls_read_extended(L, idx, at, arg, out);
  if (!(*(double *)out >= 0.0)) dls_bad(L, at, "must be >= 0", idx);
}

static const dls_option follow_options[] = {
    {"to", read_target, offsetof(request, to), NULL, 0, 0},
    {"tightening", dls_read_nonnegative, offsetof(request, tightening), NULL, 0, 0},
    {"tolerance", dls_read_positive, offsetof(request, tolerance), NULL, 0, 0},
    {"max_pivots", dls_read_count, offsetof(request, max_pivots), NULL, 0, 0},
    {"factor", dls_read_choice, offsetof(request, factor), factors, 0, 0},
    {NULL, NULL, 0, NULL, 0, 0}};

static const dls_option solve_options[] = {
    {"p", dls_read_number, offsetof(request, p), NULL, 0, 0},
    {"tolerance", dls_read_positive, offsetof(request, tolerance), NULL, 0, 0},
    {"factor", dls_read_choice, offsetof(request, factor), factors, 0, 0},
    {NULL, NULL, 0, NULL, 0, 0}};

static request read_request(lua_State *L, const char *function, const dls_option *rows) {
  request r = {.to = 1.0, .p = 1.0, .tolerance = 1e-9, .factor = dls_structure_check(L)->factor};
  if (!lua_isnoneornil(L, 2)) dls_read_options(L, 2, function, rows, &r);
  dls_class_still_open(L);
  return r;
}

/* The committed slips of the structure's contacts, as many as the system has. */
static double *copy_slips(const dls_structure_box *box, const dls_alloc *alloc, int m) {
  double *slip0 = (double *)dls_new(alloc, (size_t)m, sizeof *slip0);
  for (int i = 0; slip0 != NULL && i < m && i < box->slip_room; i++) slip0[i] = box->slip0[i];
  return slip0;
}

/* --- follow ----------------------------------------------------------------------------------- */

/* The residual of a path is no less than what is out of balance at p, nor than that of a state
** where links jam (state.h): the path, which knows flexible links, goes on there. */
static dls_status judge_at(dls_structure_path *path, const dls_condensed *c, double p,
                           dls_stop *stop) {
  const size_t n = (size_t)path->law.n;
  double *z = (double *)dls_new(&path->alloc, n, sizeof *z);
  int segment = 0;
  dls_status status = z ? DLS_OK : DLS_NOMEM;
  dls_structure_state s;
  if (status == DLS_OK && dls_path_next(&path->path, p, &segment, z)) {
    status = dls_state_make(&s, c, &path->law, path->slip0, p, z, false, stop);
    if (status == DLS_OK)
      path->path.residual = dls_max(path->path.residual, s.jammed ? s.residual : s.unbalance);
    dls_state_destroy(&s);
  }
  dls_free(&path->alloc, z, n, sizeof *z);
  return status;
}

/* The start and the end, or along a ray to no end its last event. */
static dls_status judge_ends(dls_structure_path *path, const dls_condensed *c, double to,
                             dls_stop *stop) {
  const dls_path *p = &path->path;
  double last = dls_min(to, p->p_limit);
  if (p->n_states == 0) return DLS_OK;
  if (!(last < DLS_INF)) last = p->p[p->n_states - 1];
  const dls_status status = judge_at(path, c, 0.0, stop);
  return status == DLS_OK && last != 0.0 ? judge_at(path, c, last, stop) : status;
}

static dls_status run(dls_structure_path *path, const dls_structure_box *box,
                      const dls_condensed *c, const request *r, dls_stop *stop) {
  path->alloc = c->st.alloc;
  path->tolerance = r->tolerance;
  path->slip0 = copy_slips(box, &path->alloc, c->links.m);
  if (path->slip0 == NULL) return DLS_NOMEM;
  path->m = c->links.m;
  dls_status status = dls_law_make(&path->law, c, path->slip0, r->tightening);
  if (status != DLS_OK) return status;
  dls_path_problem load = dls_law_path(&path->law, r->to, stop);
  load.max_steps = r->max_pivots;
  dls_arena tmp;
  status = dls_arena_create(&tmp, &path->alloc, dls_law_follow_bytes(path->law.n));
  if (status == DLS_OK) status = dls_law_follow(&path->law, &load, &tmp, &path->path, &path->holds);
  dls_arena_destroy(&tmp, &path->alloc);
  if (status == DLS_OK) status = judge_ends(path, c, r->to, stop);
  return dls_stop_status(stop, status);
}

int dls_structure_follow(lua_State *L) {
  const request r = read_request(L, "structure:follow", follow_options);
  const dls_structure_system *system = dls_structure_take_system(L, r.factor, "structure:follow");
  const int at = lua_gettop(L);
  dls_structure_path *path =
      (dls_structure_path *)dls_class_new(L, &dls_structure_path_class, sizeof *path, 2);
  lua_pushvalue(L, 1);
  lua_setiuservalue(L, -2, 1);
  lua_pushvalue(L, at);
  lua_setiuservalue(L, -2, 2);
  path->handle.open = true;
  const dls_watch watch = dls_watch_start();
  dls_listener ear;
  dls_listen(&ear, L);
  const dls_status status = run(path, dls_structure_check(L), &system->c, &r, &ear.stop);
  dls_listen_end(&ear);
  path->seconds = dls_watch_elapsed(&watch);
  if (status == DLS_STOPPED) lua_error(L);
  dls_check_status(L, status, "structure:follow");
  return 1;
}

/* --- solve ------------------------------------------------------------------------------------ */

/* Memory of a solve, freed by whoever made it whatever happens. */
typedef struct single {
  dls_law law;          /* of contact and friction */
  double *slip0, *z;    /* contacts; rows of law */
  dls_single_room room; /* the system's, while this solve runs */
  dls_single answer;    /* how it ended */
} single;

static dls_status answer_load(single *k, dls_structure_state_box *box, const dls_structure_box *st,
                              const dls_condensed *c, double p, dls_stop *stop) {
  const dls_alloc *alloc = &c->st.alloc;
  k->slip0 = copy_slips(st, alloc, c->links.m);
  dls_status status = k->slip0 == NULL ? DLS_NOMEM : dls_law_make(&k->law, c, k->slip0, 0.0);
  if (status != DLS_OK) return status;
  k->z = (double *)dls_new(alloc, (size_t)k->law.n, sizeof *k->z);
  if (k->z == NULL) return DLS_NOMEM;
  status = dls_single_solve(&k->law, p, stop, &k->room, k->z, &k->answer);
  if (status == DLS_OK)
    status = dls_state_make(&box->s, c, &k->law, k->slip0, p, k->z, false, stop);
  return dls_stop_status(stop, status);
}

static void free_single(single *k, const dls_alloc *alloc, int m) {
  dls_free(alloc, k->slip0, (size_t)m, sizeof *k->slip0);
  dls_free(alloc, k->z, (size_t)k->law.n, sizeof *k->z);
  dls_law_destroy(&k->law);
}

int dls_structure_solve(lua_State *L) {
  static const char *const words[] = {
#define X(code, text) text,
      DLS_SINGLE_ENDS(X)
#undef X
  };
  const request r = read_request(L, "structure:solve", solve_options);
  dls_structure_system *system = dls_structure_take_system(L, r.factor, "structure:solve");
  dls_structure_state_box *box = dls_structure_push_state(L, 1, lua_gettop(L));
  const dls_structure_box *st = dls_structure_check(L);
  single k;
  memset(&k, 0, sizeof k);
  k.room = system->room; /* a hook may solve the same structure meanwhile */
  memset(&system->room, 0, sizeof system->room);
  dls_listener ear;
  dls_listen(&ear, L);
  const dls_status status = answer_load(&k, box, st, &system->c, r.p, &ear.stop);
  dls_listen_end(&ear);
  box->tolerance = r.tolerance;
  box->status = words[k.answer.end];
  box->n_solutions = k.answer.n_solutions;
  box->p_limit = k.answer.p_limit;
  dls_single_room_destroy(&system->room, &system->c.st.alloc);
  system->room = k.room;
  free_single(&k, &system->c.st.alloc, system->c.links.m);
  if (status == DLS_STOPPED) lua_error(L);
  dls_check_status(L, status, "structure:solve");
  return 1;
}

/* --- problem, commit -------------------------------------------------------------------------- */

/* problem() -> R, q_c, r_v */
int dls_structure_problem(lua_State *L) {
  const request r = read_request(L, "structure:problem", solve_options);
  const dls_structure_system *system = dls_structure_take_system(L, r.factor, "structure:problem");
  const int m = system->c.links.m;
  double *R = dls_push_matrix(L, 3 * m, 3 * m, NULL);
  double *q = dls_push_vector(L, 3 * m, NULL), *d = dls_push_vector(L, 3 * m, NULL);
  dls_law law;
  double *slip0 = copy_slips(dls_structure_check(L), &system->c.st.alloc, m);
  const dls_status status = slip0 == NULL ? DLS_NOMEM : dls_law_make(&law, &system->c, slip0, 0.0);
  if (status == DLS_OK) {
    dls_law_full(&law, false, R, q, d);
    dls_law_destroy(&law);
  }
  dls_free(&system->c.st.alloc, slip0, (size_t)m, sizeof *slip0);
  dls_check_status(L, status, "structure:problem");
  return 3;
}

/* commit(state): the slips of its contacts with friction, from now on the starting point. */
int dls_structure_commit(lua_State *L) {
  dls_structure_box *box = dls_structure_check(L);
  const dls_structure_state_box *state =
      (const dls_structure_state_box *)dls_class_test(L, 2, &dls_structure_state_class);
  const dls_at at = {"structure:commit", NULL, 0, 0};
  if (state == NULL || !state->handle.open)
    dls_bad(L, &at, "expected a state of this structure", 2);
  lua_getiuservalue(L, 2, 1);
  if (!lua_rawequal(L, -1, 1))
    dls_bad_got(L, &at, "expected a state of this structure", "that of another");
  const int m = state->s.m;
  if (m > box->slip_room) {
    dls_check_status(L,
                     dls_grow(&box->st.alloc, (void **)&box->slip0, (size_t)box->slip_room,
                              (size_t)m, sizeof *box->slip0),
                     "structure:commit");
    box->slip_room = m;
  }
  for (int i = 0; i < m; i++)
    box->slip0[i] = box->st.contacts[i].friction > 0.0 ? state->s.contacts[i].slip : 0.0;
  return 0;
}
