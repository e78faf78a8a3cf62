/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#include "bind/forest.h"
#include "bind/joint.h"
#include "bind/open.h"

/* delassus.batch(world, n): many states of one model at once. The batch has a forest of its own, so
** that the world may go on and be closed. */

static const char function[] = "delassus.batch";

typedef struct model_box {
  dls_handle handle;
  dls_forest *forest;
} model_box;

static void release(lua_State *L, void *self) {
  model_box *box = self;
  (void)L;
  dls_forest_destroy(box->forest);
  box->forest = NULL;
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
      dls_raise(L, function, "joint #%d has limits or a spring about a point: not possible in a batch",
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

/* Springs, dampers, friction and limits of the joints, a law a velocity of theirs; pushes their room
** and tells how many. */
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
          .joint = j->slot + 1, .iq = link->iq + (link->nq == link->nu ? i : 0), .iu = link->iu + i,
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
  dls_forest_fault fault;
  dls_check_status(L, dls_trees_make(w, &model->forest, &fault), function);
  model->handle.open = true;
  dls_trees_load(w, NULL, 0);
  const int top = lua_gettop(L), n_laws = push_laws(L, w, model->forest);
  dls_push_batch(L, top, model->forest, t->state, n, -1, w->dt);
  dls_batch_obey(L, -1, lua_touserdata(L, top + 1), n_laws);
  dls_batch_fill(L, -1, t->state);
  return 1;
}

void dls_open_world_batch(lua_State *L) {
  dls_class_register(L, &model_class);
  lua_pushcfunction(L, batch);
  lua_setfield(L, -2, "batch");
}
