/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#include "bind/forest.h"
#include "bind/joint.h"
#include "bind/open.h"

/* delassus.batch(world, n): many states of one model at once. The batch has a forest of its own, so
** that the world may go on and be closed. */

static const char function[] = "delassus.batch";

typedef struct model_box {
  dls_handle handle; /* first: open or closed (class.h) */
  dls_forest *forest; /* the world's, owned */
  dls_forest *soft; /* the same with rotors where joints have springs or dampers; NULL: none has */
} model_box;

static void release(lua_State *L, void *self) {
  model_box *box = self;
  (void)L;
  dls_forest_destroy(box->forest);
  dls_forest_destroy(box->soft);
  box->forest = box->soft = NULL;
}

static const dls_class model_class = {"delassus.Model", "model", NULL, NULL, NULL, NULL, release};

/* What many states at once do not know. */
static void refuse(lua_State *L, const dls_world *w) {
  for (int i = 0; i < w->n_joints; i++) {
    const dls_joint *j = &w->joints[i];
    if (!j->alive) continue;
    if (j->formulation != DLS_REDUCED)
      dls_raise(L, function, "joint #%d is not reduced: not possible in a batch", j->slot + 1);
    if (j->motor.kind != DLS_MOTOR_NONE)
      dls_raise(L, function, "joint #%d has a motor: not possible in a batch", j->slot + 1);
    const bool cone = j->cone < DLS_INF || j->twist[0] > -DLS_INF || j->twist[1] < DLS_INF;
    if (j->kind == DLS_KIND_SPHERICAL && (cone || j->stiffness != 0))
      dls_raise(L, function,
                "joint #%d has limits or a spring about a point: not possible in a batch",
                j->slot + 1);
  }
  for (int i = 0; i < w->n_gears; i++)
    if (w->gears[i].alive) dls_raise(L, function, "gears are not possible in a batch");
  for (int i = 0; i < w->n_user_contacts; i++)
    if (w->user_contacts[i].alive && w->user_contacts[i].active)
      dls_raise(L, function,
                "contacts made by hand are not possible in a batch (but with active = false)");
  if (dls_world_is_pushed(w))
    dls_raise(L, function, "springs and fields are not possible in a batch");
  for (int i = 0; i < w->n_bodies * (w->dim == 2 ? 3 : 6); i++)
    if (w->load[i] != 0) dls_raise(L, function, "forces by body:apply are not possible in a batch");
}

static int node_of(const dls_forest *forest, int iu) {
  for (int i = 0; i < forest->n_nodes; i++)
    if (forest->nodes[i].nu == 1 && forest->nodes[i].iu == iu) return i;
  return -1;
}

/* Gives the motions of joints with springs or dampers rotors of 1, and keeps their own; or gives
** them those back. -> how many there are. */
static int lend_rotors(dls_world *w, double *own, bool back) {
  int n = 0;
  for (int i = 0; i < w->n_joints; i++) {
    dls_joint *j = &w->joints[i];
    if (!j->alive || (j->stiffness == 0 && j->damping == 0)) continue;
    for (int k = 0; k < j->n_motions; k++) {
      if (j->motions[k].drive >= 0) continue;
      if (own && back) j->motions[k].rotor = own[n];
      else if (own) own[n] = j->motions[k].rotor, j->motions[k].rotor = 1;
      n++;
    }
  }
  return n;
}

/* The forest of steps in which springs and dampers are rotors too; none where there are none. */
static dls_status make_soft(lua_State *L, dls_world *w, dls_forest **out) {
  const int n = lend_rotors(w, NULL, false);
  if (n == 0) return DLS_OK;
  double *own = lua_newuserdatauv(L, (size_t)n * sizeof *own, 0);
  dls_forest_fault fault;
  (void)lend_rotors(w, own, false);
  const dls_status status = dls_trees_make(w, out, &fault);
  (void)lend_rotors(w, own, true);
  lua_pop(L, 1);
  return status;
}

/* Springs, dampers, friction and limits of the joints, a law a velocity of theirs; pushes their
** room and tells how many. */
static int push_laws(lua_State *L, const dls_world *w, const dls_forest *forest) {
  const dls_trees *t = w->trees;
  dls_batch_law *laws = lua_newuserdatauv(L, ((size_t)forest->nu + 1) * sizeof *laws, 0);
  int n = 0;
  for (int k = 0; k < t->n_links; k++) {
    if (t->link_joint[k] < 0) continue;
    const dls_joint *j = &w->joints[t->link_joint[k]];
    const dls_link_info *link = &forest->links[k];
    for (int i = 0; i < link->nu; i++) {
      const bool limited = i < j->n_limits;
      const dls_batch_law law = {
          .joint = j->slot + 1, .iu = link->iu + i,
          .iq = link->iq + (link->nq == link->nu ? i : 0),
          .node = node_of(forest, link->iu + i),
          .stiffness = j->stiffness, .damping = j->damping, .friction = j->friction,
          .lo = limited ? j->lo[i] : -DLS_INF, .hi = limited ? j->hi[i] : DLS_INF};
      if (law.stiffness != 0 || law.damping != 0 || law.friction != 0 || limited) laws[n++] = law;
    }
  }
  return n;
}

static int batch(lua_State *L) {
  static const dls_at at = {function, "n", 0, 0};
  dls_world_box *box = dls_check_unlocked(L, 1, function);
  dls_world *w = box->world;
  int n = 0;
  dls_read_count(L, 2, &at, NULL, &n);
  if (n > 1 << 24) dls_raise(L, function, "'n' must be at most %d", 1 << 24);
  lua_settop(L, 1);
  dls_settle_world(L, 1);
  dls_ready_trees(L, 1, function);
  refuse(L, w);
  dls_trees *t = w->trees;
  model_box *model = dls_class_new(L, &model_class, sizeof *model, 0);
  model->handle.open = true;
  dls_forest_fault fault;
  dls_check_status(L, dls_trees_make(w, &model->forest, &fault), function);
  dls_check_status(L, make_soft(L, w, &model->soft), function);
  dls_trees_load(w, NULL, 0);
  const int top = lua_gettop(L), n_laws = push_laws(L, w, model->forest);
  dls_push_batch(L, top, model->forest, t->state, n, -1, w->dt);
  dls_batch_obey(L, -1, lua_touserdata(L, top + 1), n_laws, model->soft);
  dls_batch_fill(L, -1, t->state);
  return 1;
}

void dls_open_world_batch(lua_State *L) {
  dls_class_register(L, &model_class);
  lua_pushcfunction(L, batch);
  lua_setfield(L, -2, "batch");
}
