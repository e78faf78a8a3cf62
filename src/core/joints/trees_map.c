/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#include "core/joints/trees.h"

#include "core/model/frames.h"

/* Which reduced joint carries a body, and which bodies hang together. */

static dls_status make_trees(dls_world *w) {
  if (w->trees) return DLS_OK;
  w->trees = dls_new(&w->alloc, 1, sizeof *w->trees);
  if (!w->trees) return DLS_NOMEM;
  w->trees->stale = true;
  w->trees->method = w->factor;
  return DLS_OK;
}

/* Two arrays of ints of one size. */
dls_status dls_grow_two(dls_world *w, int **x, int **y, int *room, int n) {
  if (n <= *room) return DLS_OK;
  const size_t more = (size_t)n + (size_t)n / 2 + 8;
  dls_status status = dls_grow(&w->alloc, (void **)x, (size_t)*room, more, sizeof(int));
  if (status != DLS_OK) return status;
  int *grown = dls_new(&w->alloc, more, sizeof(int));
  if (!grown) { /* as it was: the first one shrinks back by being known as it was */
    (void)dls_grow(&w->alloc, (void **)x, more, (size_t)*room, sizeof(int));
    return DLS_NOMEM;
  }
  if (*room > 0) memcpy(grown, *y, (size_t)*room * sizeof(int));
  dls_free(&w->alloc, *y, (size_t)*room, sizeof(int));
  *y = grown;
  *room = (int)more;
  return DLS_OK;
}

/* Bodies that joints were not told about yet: carried by none, each its own group. */
dls_status dls_trees_map(dls_world *w) {
  dls_status status = make_trees(w);
  if (status != DLS_OK) return status;
  dls_trees *t = w->trees;
  const int known = t->room_map;
  status = dls_grow_two(w, &t->carrier, &t->group, &t->room_map, w->n_bodies);
  for (int i = known; status == DLS_OK && i < t->room_map; i++) {
    t->carrier[i] = -1;
    t->group[i] = i;
  }
  return status;
}

int dls_trees_group(dls_trees *t, int i) {
  while (t->group[i] != i) {
    t->group[i] = t->group[t->group[i]];
    i = t->group[i];
  }
  return i;
}

static int child_of(const dls_joint *joint) { return joint->turned ? joint->a : joint->b; }

void dls_trees_join(dls_world *w, const dls_joint *joint, int index) {
  dls_trees *t = w->trees;
  t->carrier[child_of(joint)] = index;
  t->n_reduced++;
  if (!dls_is_dynamic(w, joint->a) || !dls_is_dynamic(w, joint->b)) return;
  const int i = dls_trees_group(t, joint->a), j = dls_trees_group(t, joint->b);
  if (i < j) t->group[j] = i;
  else t->group[i] = j;
}

void dls_trees_part(dls_world *w, const dls_joint *joint) {
  dls_trees *t = w->trees;
  t->carrier[child_of(joint)] = -1;
  t->n_reduced--;
  t->parted = true;
}

/* Which joint carries whom, and groups, from the joints there are. */
static void join_anew(dls_world *w) {
  dls_trees *t = w->trees;
  t->n_reduced = 0;
  t->parted = false;
  for (int i = 0; i < t->room_map; i++) {
    t->carrier[i] = -1;
    t->group[i] = i;
  }
  for (int i = 0; i < w->n_joints; i++)
    if (w->joints[i].alive && w->joints[i].formulation == DLS_REDUCED) dls_trees_join(w, &w->joints[i], i);
}

void dls_trees_moved(dls_world *w) {
  if (!w->trees) return;
  w->trees->stale = true;
  join_anew(w);
}

void dls_trees_regroup(dls_world *w) {
  if (w->trees->parted) join_anew(w);
}

bool dls_trees_joined(dls_world *w, int a, int b) {
  if (dls_trees_map(w) != DLS_OK) return false;
  dls_trees_regroup(w);
  if (!dls_is_dynamic(w, a) || !dls_is_dynamic(w, b)) return false;
  return dls_trees_group(w->trees, a) == dls_trees_group(w->trees, b);
}

bool dls_are_tree_joined(const dls_world *w, int a, int b) {
  for (int e = 0; e < 2; e++) {
    const int joint = dls_trees_carrier(w, e == 0 ? a : b), other = e == 0 ? b : a;
    if (joint >= 0 && (w->joints[joint].a == other || w->joints[joint].b == other)) return true;
  }
  return false;
}

bool dls_are_joined(const dls_world *w, int a, int b) {
  if (dls_are_tree_joined(w, a, b)) return true;
  for (int i = 0; i < w->n_joints; i++) {
    const dls_joint *j = &w->joints[i];
    if (!j->alive || j->formulation == DLS_REDUCED) continue;
    if ((j->a == a && j->b == b) || (j->a == b && j->b == a)) return true;
  }
  return false;
}
