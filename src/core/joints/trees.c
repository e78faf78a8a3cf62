/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#include "core/joints/trees.h"

#include "core/base/sort.h"
#include "core/lcp/enumerate.h"
#include "core/model/frames.h"

/* A world's bodies and reduced joints compiled to a forest. */

/* --- which reduced joint carries a body, and which bodies hang together ----------------------- */

static dls_status make_trees(dls_world *w) {
  if (w->trees) return DLS_OK;
  w->trees = dls_new(&w->alloc, 1, sizeof *w->trees);
  if (!w->trees) return DLS_NOMEM;
  w->trees->stale = true;
  w->trees->method = w->factor;
  w->trees->acc_room.alloc = w->alloc;
  w->trees->acc_room.all = dls_lcp_solutions_over(w->alloc);
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

/* The joint that carries each body, and groups, from the joints there are. */
static void join_anew(dls_world *w) {
  dls_trees *t = w->trees;
  t->n_reduced = 0;
  t->parted = false;
  for (int i = 0; i < t->room_map; i++) {
    t->carrier[i] = -1;
    t->group[i] = i;
  }
  for (int i = 0; i < w->n_joints; i++)
    if (w->joints[i].alive && w->joints[i].formulation == DLS_REDUCED)
      dls_trees_join(w, &w->joints[i], i);
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

int dls_trees_joint_between(const dls_world *w, int a, int b) {
  for (int e = 0; e < 2; e++) {
    const int joint = dls_trees_carrier(w, e == 0 ? a : b), other = e == 0 ? b : a;
    if (joint >= 0 && (w->joints[joint].a == other || w->joints[joint].b == other)) return joint;
  }
  return -1;
}

bool dls_are_tree_joined(const dls_world *w, int a, int b) {
  return dls_trees_joint_between(w, a, b) >= 0;
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

/* --- the forest ------------------------------------------------------------------------------ */

static void drop_forest(dls_trees *t) {
  if (t->forest) dls_forest_state_destroy(t->state, t->forest);
  dls_forest_destroy(t->forest);
  t->forest = NULL;
  t->state = NULL;
}

static void drop_numbers(dls_world *w, dls_trees *t) {
  if (!t->forest) return;
  const size_t nu = (size_t)t->forest->nu, nq = (size_t)t->forest->nq;
  dls_free(&w->alloc, t->u_free, nu, sizeof(double));
  dls_free(&w->alloc, t->u_end, nu, sizeof(double));
  dls_free(&w->alloc, t->u_before, nu, sizeof(double));
  dls_free(&w->alloc, t->gave, nu, sizeof(double));
  dls_free(&w->alloc, t->give, nu, sizeof(double));
  dls_free(&w->alloc, t->impulse, nu, sizeof(double));
  dls_free(&w->alloc, t->du, nu, sizeof(double));
  dls_free(&w->alloc, t->q_mid, nq, sizeof(double));
  dls_free(&w->alloc, t->q_aim, nq, sizeof(double));
  dls_free(&w->alloc, t->u_scratch, nu, sizeof(double));
  dls_free(&w->alloc, t->u_apart, nu, sizeof(double));
  dls_free(&w->alloc, t->law, nu, sizeof *t->law);
  dls_free(&w->alloc, t->soft, nu, sizeof(double));
  dls_free(&w->alloc, t->late, nu, sizeof(double));
  dls_free(&w->alloc, t->mean, nu, sizeof(double));
  t->law = NULL;
  t->soft = t->late = t->mean = NULL;
  dls_free(&w->alloc, t->jump, 6 * (size_t)t->n_links, sizeof(double));
  dls_free(&w->alloc, t->apart_jump, 6 * (size_t)t->n_links, sizeof(double));
  dls_free(&w->alloc, t->wrench, 6 * (size_t)t->n_links, sizeof(double));
  dls_free(&w->alloc, t->velocity, 6 * (size_t)t->n_links, sizeof(double));
  dls_free(&w->alloc, t->drives_mid, (size_t)t->forest->n_drives, sizeof(dls_drive));
  dls_free(&w->alloc, t->given_mid, (size_t)t->forest->n_given, sizeof(dls_given));
  dls_free(&w->alloc, t->axis, 3 * (size_t)t->forest->n_nodes, sizeof(double));
  dls_free(&w->alloc, t->off_axis, 3 * (size_t)t->forest->n_nodes, sizeof(double));
  dls_free(&w->alloc, t->walked_link, (size_t)t->n_links, sizeof(int));
  t->walked_link = NULL;
  t->n_walked = 0;
  t->axis = t->off_axis = NULL;
  t->n_axes = 0;
  t->drives_mid = NULL;
  t->given_mid = NULL;
  t->q_aim = t->u_scratch = t->u_apart = t->jump = t->apart_jump = NULL;
  t->gave = t->give = t->impulse = NULL;
  t->u_free = t->u_end = t->u_before = t->du = t->q_mid = t->wrench = t->velocity = NULL;
}

dls_status dls_trees_keep_fault(dls_world *w, dls_status status, dls_fault fault) {
  w->trees->fault = fault;
  if (status != DLS_OK && fault.index >= 0)
    w->trees->fault.index = w->trees->link_body[fault.index];
  return status;
}

dls_status dls_trees_factor(dls_world *w) {
  dls_fault fault = {-1, 0};
  const dls_status status = dls_forest_factor(w->trees->forest, w->trees->state, &fault);
  return dls_trees_keep_fault(w, status, fault);
}

void dls_trees_destroy(dls_world *w) {
  dls_trees *t = w->trees;
  if (!t) return;
  drop_numbers(w, t);
  drop_forest(t);
#define FREE(name, n) dls_free(&w->alloc, t->name, (size_t)(n), sizeof *t->name);
  FREE(link_body, t->room_links)
  FREE(link_joint, t->room_links)
  FREE(drive_joint, t->room_drives)
  FREE(drive_motion, t->room_drives)
  FREE(body_link, t->room_bodies)
  FREE(body_tree, t->room_bodies)
  FREE(carrier, t->room_map)
  FREE(group, t->room_map)
  FREE(push, t->push_room)
#undef FREE
  dls_arena_destroy(&t->arena, &w->alloc);
  dls_arena_destroy(&t->rows_arena, &w->alloc);
  dls_arena_destroy(&t->acc_room.contacts, &w->alloc);
  dls_arena_destroy(&t->acc_room.laws, &w->alloc);
  dls_arena_destroy(&t->acc_room.search, &w->alloc);
  dls_arena_destroy(&t->acc_room.method, &w->alloc);
  dls_lcp_solutions_destroy(&t->acc_room.all);
  dls_free(&w->alloc, t, 1, sizeof *t);
  w->trees = NULL;
}


/* Does a joint hang on this body, which does not move freely? */
static void mark_carriers(const dls_world *w, int *body_link) {
  for (int i = 0; i < w->n_bodies; i++) body_link[i] = dls_is_dynamic(w, i) && w->bodies[i].alive;
  for (int i = 0; i < w->n_joints; i++) {
    const dls_joint *joint = &w->joints[i];
    if (!joint->alive) continue;
    if (joint->formulation == DLS_REDUCED) body_link[joint->turned ? joint->b : joint->a] = 1;
    else body_link[joint->a] = body_link[joint->b] = 1;
  }
  body_link[0] = 0; /* the ground is the inertial frame */
}

/* link_body: marked bodies in the order in which they were made. */
static void order_bodies(const dls_world *w, dls_trees *t) {
  t->n_links = 0;
  mark_carriers(w, t->body_link);
  for (int i = 0; i < w->n_bodies; i++) {
    const bool marked = t->body_link[i] != 0;
    t->body_link[i] = marked ? t->n_links : -1;
    if (marked) t->link_body[t->n_links++] = i;
  }
}

/* The motions of a joint as the tree has them; drives are counted on. */
static void tree_motions(dls_trees *t, const dls_joint *joint, int index, dls_motion *out,
                         int *n_drives) {
  for (int k = 0; k < joint->n_motions; k++) {
    const int from = joint->turned ? joint->n_motions - 1 - k : k;
    out[k] = joint->motions[from];
    if (joint->n_driven == 0) out[k].drive = -1;
    if (joint->turned)
      for (int i = 0; i < 3; i++) {
        out[k].axis[i] = -out[k].axis[i];
        out[k].linear[i] = -out[k].linear[i];
      }
    if (out[k].drive < 0) continue;
    t->drive_joint[*n_drives] = index;
    t->drive_motion[*n_drives] = from;
    out[k].drive = (*n_drives)++;
  }
}

/* Whether a joint pushes a body beside its mass centre there, or turns it. */
static bool turns(const dls_world *w, const dls_joint *joint, int body) {
  const dls_place *on = joint->a == body ? &joint->on_a : &joint->on_b;
  const dls_vec3 com = dls_v3_load(w->bodies[body].com), arm = dls_v3_sub(on->p, com);
  if (joint->kind == DLS_KIND_FREE) return false;
  if (dls_v3_norm(arm) > 1e-12 * (dls_v3_norm(on->p) + dls_v3_norm(com))) return true;
  return joint->kind != DLS_KIND_SPHERICAL && !(w->dim == 2 && joint->kind == DLS_KIND_REVOLUTE);
}

/* A point mass that hangs on nothing in a tree. */
static bool is_free_point(const dls_world *w, int body) {
  const dls_body *model = &w->bodies[body];
  bool point = model->alive && model->type == DLS_DYNAMIC && model->mass > 0;
  for (int i = 0; i < 9; i++) point = point && model->inertia[i] == 0;
  return point && dls_trees_carrier(w, body) < 0;
}

/* Whether reduced joints turn it with what they carry, whose inertia is then its own. */
static bool is_turned(const dls_world *w, int body) {
  bool turned = false;
  for (int i = 0; i < w->n_joints && w->bodies[body].bonds > 0 && !turned; i++) {
    const dls_joint *joint = &w->joints[i];
    turned = joint->alive && joint->formulation == DLS_REDUCED &&
             (joint->a == body || joint->b == body) && turns(w, joint, body);
  }
  return turned;
}

int dls_joints_turn_point(const dls_world *w) {
  for (int i = 0; i < w->n_joints; i++) {
    const dls_joint *joint = &w->joints[i];
    if (!joint->alive || joint->formulation == DLS_REDUCED) continue;
    if (is_free_point(w, joint->a) && turns(w, joint, joint->a)) return joint->a;
    if (is_free_point(w, joint->b) && turns(w, joint, joint->b)) return joint->b;
  }
  return -1;
}

static void describe_body(const dls_world *w, int body, dls_link *link) {
  const dls_body *model = &w->bodies[body];
  const double *I = model->inertia;
  const bool planar = w->dim == 2;
  link->mass = model->mass;
  memcpy(link->com, model->com, sizeof link->com);
  const double full[6] = {I[0], I[4], I[8], I[1], I[2], I[5]}, flat[6] = {0, 0, I[0], 0, 0, 0};
  memcpy(link->inertia, planar ? flat : full, sizeof full);
  link->parent = -1;
  link->backwards = false;
  link->on_parent = link->on_child = dls_place_identity();
  link->kind = planar ? DLS_JOINT_PLANE : DLS_JOINT_FREE;
  if (model->type != DLS_DYNAMIC) {
    link->kind = DLS_JOINT_GIVEN;
    return;
  }
  if (is_free_point(w, body) && !is_turned(w, body)) /* any inertia does */
    for (int i = 0; i < 3; i++) link->inertia[i] = model->mass;
}

static void describe_joint(dls_world *w, int k, dls_link *link, dls_motion **motions,
                           int *n_drives) {
  dls_trees *t = w->trees;
  const int body = t->link_body[k], index = t->link_joint[k];
  describe_body(w, body, link);
  if (index < 0) return;
  const dls_joint *joint = &w->joints[index];
  const int carrier = joint->turned ? joint->b : joint->a;
  const dls_place *up = joint->turned ? &joint->on_b : &joint->on_a;
  const dls_place *down = joint->turned ? &joint->on_a : &joint->on_b;
  link->parent = carrier == 0 ? -1 : t->body_link[carrier];
  link->on_parent = *up;
  link->on_child = *down;
  if (joint->kind == DLS_KIND_FREE) {
    const dls_place back = dls_place_inverse(down);
    link->kind = DLS_JOINT_FREE;
    link->on_parent = dls_place_mul(up, &back);
    link->on_child = dls_place_identity();
  } else if (joint->kind == DLS_KIND_SPHERICAL) {
    link->kind = DLS_JOINT_SPHERICAL;
  } else {
    link->kind = DLS_JOINT_MOTIONS;
    link->n_motions = joint->n_motions;
    link->backwards = joint->turned;
    link->motions = *motions;
    tree_motions(t, joint, index, *motions, n_drives);
    *motions += joint->n_motions;
  }
}

/* Which bodies are held by joints: the first body of their tree. */
static void number_trees(const dls_world *w, dls_trees *t) {
  for (int i = 0; i < w->n_bodies; i++) t->body_tree[i] = -1;
  for (int k = 0; k < t->n_links; k++) {
    const int joint = t->link_joint[k], body = t->link_body[k];
    if (joint < 0) continue;
    const int carrier = w->joints[joint].turned ? w->joints[joint].b : w->joints[joint].a;
    t->body_tree[body] = dls_trees_group(t, body);
    if (dls_is_dynamic(w, carrier)) t->body_tree[carrier] = dls_trees_group(t, carrier);
  }
}

static dls_status take_numbers(dls_world *w, dls_trees *t) {
  const size_t nu = (size_t)t->forest->nu, nq = (size_t)t->forest->nq;
  t->u_free = dls_new(&w->alloc, nu, sizeof(double));
  t->u_end = dls_new(&w->alloc, nu, sizeof(double));
  t->u_before = dls_new(&w->alloc, nu, sizeof(double));
  t->gave = dls_new(&w->alloc, nu, sizeof(double));
  t->give = dls_new(&w->alloc, nu, sizeof(double));
  t->impulse = dls_new(&w->alloc, nu, sizeof(double));
  t->du = dls_new(&w->alloc, nu, sizeof(double));
  t->q_mid = dls_new(&w->alloc, nq, sizeof(double));
  t->q_aim = dls_new(&w->alloc, nq, sizeof(double));
  t->u_scratch = dls_new(&w->alloc, nu, sizeof(double));
  t->u_apart = dls_new(&w->alloc, nu, sizeof(double));
  t->law = dls_new(&w->alloc, nu, sizeof *t->law);
  t->soft = dls_new(&w->alloc, nu, sizeof(double));
  t->late = dls_new(&w->alloc, nu, sizeof(double));
  t->mean = dls_new(&w->alloc, nu, sizeof(double));
  t->jump = dls_new(&w->alloc, 6 * (size_t)t->n_links, sizeof(double));
  t->apart_jump = dls_new(&w->alloc, 6 * (size_t)t->n_links, sizeof(double));
  t->wrench = dls_new(&w->alloc, 6 * (size_t)t->n_links, sizeof(double));
  t->velocity = dls_new(&w->alloc, 6 * (size_t)t->n_links, sizeof(double));
  t->walked_link = dls_new(&w->alloc, (size_t)t->n_links, sizeof(int));
  for (int k = 0; k < t->n_links && t->walked_link; k++)
    if (t->forest->links[k].node < t->walked.n_nodes) t->walked_link[t->n_walked++] = k;
  t->axis = dls_new(&w->alloc, 3 * (size_t)t->forest->n_nodes, sizeof(double));
  t->off_axis = dls_new(&w->alloc, 3 * (size_t)t->forest->n_nodes, sizeof(double));
  t->drives_mid = dls_new(&w->alloc, (size_t)t->forest->n_drives, sizeof(dls_drive));
  t->given_mid = dls_new(&w->alloc, (size_t)t->forest->n_given, sizeof(dls_given));
  const bool good = t->drives_mid && t->given_mid && t->velocity && t->u_free && t->u_end &&
                    t->u_before && t->gave && t->give && t->impulse && t->du && t->q_mid &&
                    t->wrench && t->q_aim && t->u_scratch &&
                    t->u_apart && t->jump && t->apart_jump && t->law && t->soft && t->late &&
                    t->mean && t->axis && t->off_axis && t->walked_link;
  return good ? dls_arena_reserve(&t->arena, &w->alloc,
                                  dls_forest_bytes(t->forest, (dls_forest_method)t->method))
              : DLS_NOMEM;
}

static void count_motions(const dls_world *w, size_t *n_motions, int *n_drives) {
  *n_motions = 1;
  *n_drives = 0;
  for (int i = 0; i < w->n_joints; i++) {
    const dls_joint *joint = &w->joints[i];
    if (!joint->alive || joint->formulation != DLS_REDUCED) continue;
    *n_motions += (size_t)joint->n_motions;
    *n_drives += joint->n_driven;
  }
}

dls_status dls_trees_make(dls_world *w, dls_forest **out, dls_forest_fault *fault) {
  dls_trees *t = w->trees;
  size_t n_motions;
  int n_drives, drives = 0;
  count_motions(w, &n_motions, &n_drives);
  const size_t n_links = (size_t)t->n_links + 1;
  dls_link *links = dls_new(&w->alloc, n_links, sizeof *links);
  dls_motion *motions = dls_new(&w->alloc, n_motions, sizeof *motions), *at = motions;
  dls_status status = links && motions ? DLS_OK : DLS_NOMEM;
  for (int k = 0; status == DLS_OK && k < t->n_links; k++) {
    t->link_joint[k] = dls_trees_carrier(w, t->link_body[k]);
    describe_joint(w, k, &links[k], &at, &drives);
    links[k].alone = links[k].kind != DLS_JOINT_GIVEN && t->link_joint[k] < 0;
  }
  for (int k = 0; status == DLS_OK && k < t->n_links; k++)
    if (links[k].parent >= 0) links[links[k].parent].alone = false;
  const dls_forest_def def = {t->n_links, links, n_drives, w->dim == 2};
  if (status == DLS_OK) status = dls_forest_create(out, &w->alloc, &def, fault);
  if (status == DLS_ARG && fault->link >= 0) fault->link = t->link_body[fault->link];
  dls_free(&w->alloc, links, n_links, sizeof *links);
  dls_free(&w->alloc, motions, n_motions, sizeof *motions);
  return status;
}

static dls_status compile(dls_world *w, dls_forest_fault *fault) {
  dls_trees *t = w->trees;
  size_t n_motions;
  int n_drives;
  count_motions(w, &n_motions, &n_drives);
  dls_status status = dls_grow_two(w, &t->link_body, &t->link_joint, &t->room_links, w->n_bodies);
  if (status == DLS_OK)
    status = dls_grow_two(w, &t->body_link, &t->body_tree, &t->room_bodies, w->n_bodies);
  if (status == DLS_OK)
    status = dls_grow_two(w, &t->drive_joint, &t->drive_motion, &t->room_drives, n_drives);
  drop_numbers(w, t);
  drop_forest(t);
  if (status == DLS_OK) order_bodies(w, t);
  if (status == DLS_OK) status = dls_trees_make(w, &t->forest, fault);
  if (status != DLS_OK) return status;
  t->walked = dls_forest_walked(t->forest);
  dls_trees_regroup(w);
  number_trees(w, t);
  status = dls_forest_state_create(&t->state, t->forest);
  if (status == DLS_OK) status = take_numbers(w, t);
  if (status != DLS_OK) {
    drop_numbers(w, t);
    drop_forest(t);
  }
  return status;
}

dls_status dls_trees_update(dls_world *w, dls_forest_fault *fault) {
  *fault = (dls_forest_fault){DLS_FOREST_FINE, -1, 0};
  dls_status status = dls_trees_map(w);
  if (status != DLS_OK || !w->trees->stale) return status;
  status = compile(w, fault);
  if (status == DLS_OK) w->trees->stale = false;
  w->trees->known = DLS_KNOWN_NOTHING;
  return status;
}
