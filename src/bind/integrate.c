/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#include "bind/joint.h"
#include "bind/joint_penalty.h"
#include "bind/ode.h"
#include "core/base/dim.h"
#include "core/accelerations/integrate.h"
#include "core/world/plain_run.h"

/* world:integrate{ method =, order =, dt =, to =, each =, rtol =, atol = } */

static const char function[] = "world:integrate";

/* stepped: by steps of the world, which know friction. */
static void refuse_rough(lua_State *L, const dls_world *w, bool stepped) {
  int a = 0, b = 0;
  switch (dls_world_rough(w, stepped, &a, &b)) {
    case DLS_ROUGH_FINE: return;
    case DLS_ROUGH_LIMITS:
      dls_raise(L, function, "the limits of joint #%d could act: such worlds are stepped",
                w->joints[a].slot + 1);
      break;
    case DLS_ROUGH_MOTOR:
      dls_raise(L, function, "the motor of joint #%d holds a speed: such worlds are stepped",
                w->joints[a].slot + 1);
      break;
    case DLS_ROUGH_FRICTION:
      dls_raise(L, function, "the friction of joint #%d could hold it: such worlds are stepped",
                w->joints[a].slot + 1);
      break;
    case DLS_ROUGH_USER_CONTACT:
      dls_raise(L, function, "a contact made by hand could act: such worlds are stepped");
      break;
    case DLS_ROUGH_SHAPES:
      dls_raise(L, function,
                "bodies #%d and #%d could touch: such worlds are stepped ('collides' = false keeps "
                "shapes apart)", w->bodies[a].slot, w->bodies[b].slot);
  }
}

static const char hint[] = " ('dt' may be too long for the stiffness and damping)";

static void raise_rough(lua_State *L, double t) {
  dls_raise(L, function,
            "near t = %f the estimated error of a step is as large as the motion itself%s", t,
            hint);
}

/* What each(world) needs of a call. */
typedef struct plain_steps {
  dls_call *call; /* calls the user's functions */
  int each; /* stack index, 0: none */
  dls_watch watch; /* the time that `each` is told */
  dls_world *world; /* that steps */
} plain_steps;

/* Hooks get their turn, then each(world), if any: it may look, and change what a step's callback
** may; the world is locked meanwhile. */
static dls_status call_each(dls_call *call, dls_watch *watch, int each, dls_world *w) {
  const bool locked = w->stepping, whole = w->whole;
  w->stepping = w->whole = true;
  dls_status status = dls_call_look_in(call, watch);
  if (status == DLS_OK && each != 0) {
    lua_pushvalue(call->L, each);
    lua_pushvalue(call->L, 1);
    status = dls_call_named(call, 1, 0, "world:integrate", "'each'");
  }
  w->stepping = locked;
  w->whole = whole;
  return status;
}

static dls_status after_plain(void *ctx) {
  plain_steps *r = ctx;
  return call_each(r->call, &r->watch, r->each, r->world);
}

/* "semi-implicit" without reduced joints is EQUATIONS B.1 itself: steps of the world. */
static int step_plainly(lua_State *L, dls_world_box *box, const dls_ode_def *def, double dt) {
  dls_world *w = box->world;
  const size_t kept_size = dls_world_snapshot_size(w);
  unsigned char *kept = lua_newuserdatauv(L, kept_size, 0);
  dls_world_snapshot(w, kept);
  plain_steps r = {.watch = dls_watch_start(), .world = w};
  if (def->each) {
    lua_getfield(L, 2, "each");
    r.each = lua_gettop(L);
  }
  luaL_checkstack(L, 32, function);
  dls_scope scope;
  dls_scope_begin(L, &scope, box, 1);
  r.call = &scope.call;
  dls_ode_run judge = {.rough = 0};
  dls_ode_stats *stats = &judge.stats;
  dls_status status = dls_world_run_plainly(w, dt, def->to, after_plain, &r, &judge);
  stats->evaluations = stats->steps;
  const double reached = w->time;
  if (status != DLS_OK) (void)dls_world_restore(w, kept, kept_size);
  if (status == DLS_UNSTABLE) {
    box->call = scope.outer;
    if (judge.rough > 0) raise_rough(L, reached);
    dls_raise_unstable(L, 1, status, function);
  }
  dls_scope_end(&scope, status, function);
  dls_ode_push_stats(L, stats);
  return 1;
}

typedef struct world_run {
  dls_call *call;    /* calls the user's functions */
  int each;          /* stack index, 0: none */
  dls_watch watch;   /* the time that `each` is told */
  dls_smooth smooth; /* accelerations of the world */
  dls_ode_run run;   /* where the integration stands */
} world_run;

static dls_status after_step(void *ctx) {
  world_run *r = ctx;
  dls_status status = dls_smooth_project(&r->smooth, &r->run);
  if (status != DLS_OK) return status;
  status = dls_smooth_accept(&r->smooth, r->run.t, r->run.q, r->run.u);
  if (status != DLS_OK) return status;
  return call_each(r->call, &r->watch, r->each, r->smooth.world);
}

/* Raises why the integration ended near `reached`, where its words say more than the status. */
static void raise_failure(lua_State *L, dls_world_box *box, const dls_scope *scope,
                          const world_run *r, dls_status status, double reached) {
  if (status != DLS_SINGULAR && status != DLS_STATE && status != DLS_UNSTABLE &&
      status != DLS_RANGE)
    return;
  box->call = scope->outer;
  if (status == DLS_STATE) dls_raise(L, function, "the tolerances cannot be reached");
  if (status == DLS_UNSTABLE) raise_rough(L, reached);
  if (status == DLS_RANGE)
    dls_raise(L, function, "near t = %f the motion went beyond the range of numbers%s", reached,
              hint);
  /* it had inertia at the start */
  if (r->run.stats.evaluations > 1 && box->world->trees->fault.index >= 0)
    dls_raise(L, function, "near t = %f a joint has no inertia left, to rounding%s", reached, hint);
  dls_raise_trees(L, 1, status, function);
}

static int integrate(lua_State *L) {
  dls_world_box *box = dls_check_unlocked(L, 1, function);
  dls_world *w = box->world;
  lua_settop(L, 2);
  dls_ode_def def = {.reading = -1};
  dls_read_options(L, 2, function, dls_ode_options, &def);
  const dls_ode_opts opts = dls_ode_check(L, function, &def);
  if (def.to < w->time) dls_raise(L, function, "'to' must not be before the world's time");
  dls_settle_world(L, 1);
  dls_ready_trees(L, 1, function);
  const bool stepped = opts.method == DLS_ODE_SEMI_IMPLICIT && !dls_trees_used(w);
  refuse_rough(L, w, stepped);
  if (stepped) return step_plainly(L, box, &def, opts.dt);
  const dls_forest *forest = w->trees->forest;
  const size_t bytes = dls_ode_bytes(forest->nq, forest->nu) + DLS_ALIGN;
  dls_arena arena = dls_arena_over(lua_newuserdatauv(L, bytes, 0), bytes);
  double *q_start =
      lua_newuserdatauv(L, ((size_t)w->n_bodies * DLS_NQ(3) + 1) * sizeof *q_start, 0);
  const size_t kept_size = dls_world_snapshot_size(w);
  unsigned char *kept = lua_newuserdatauv(L, kept_size, 0);
  dls_world_snapshot(w, kept);
  world_run r = {.watch = dls_watch_start()};
  if (def.each) {
    lua_getfield(L, 2, "each");
    r.each = lua_gettop(L);
  }
  luaL_checkstack(L, 32, function);
  dls_scope scope;
  dls_scope_begin(L, &scope, box, 1);
  r.call = &scope.call;
  dls_smooth_begin(&r.smooth, w, q_start);
  const dls_ode ode = dls_ode_of_world(&r.smooth);
  w->stepping = true;
  dls_status status = def.to > w->time ? dls_smooth_start(&r.smooth) : DLS_OK;
  if (status == DLS_OK)
    status = dls_ode_begin(&r.run, &ode, &opts, w->time, w->trees->state->q, w->trees->state->u,
                           &arena);
  if (status == DLS_OK && def.to > w->time) status = dls_ode_drive(&r.run, def.to, after_step, &r);
  w->stepping = false;
  if (status != DLS_OK) {
    const double reached = w->time;
    (void)dls_world_restore(w, kept, kept_size);
    w->trees->known = DLS_KNOWN_NOTHING;
    raise_failure(L, box, &scope, &r, status, reached);
  }
  dls_scope_end(&scope, status, function);
  dls_ode_push_stats(L, &r.run.stats);
  return 1;
}

static const dls_method methods[] = {
    {"integrate", integrate,
     "{ method =, dt =, to =, each = } smooth worlds -> { steps =, error =, ... }"},
    {NULL, NULL, NULL}};

void dls_add_integrate(lua_State *L) { dls_class_extend(L, &dls_world_class, methods); }
