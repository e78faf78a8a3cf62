/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#include "core/scheme/trees.h"

#include "core/base/dim.h"
#include "core/base/sort.h"
#include "core/math/elementary.h"
#include "core/scheme/penalties.h"

/* --- bodies' arrays -------------------------------------------------------------------------- */

static size_t nq_of(const dls_world *w) { return (size_t)DLS_NQ(w->dim); }
static size_t nu_of(const dls_world *w) { return (size_t)DLS_NU(w->dim); }

/* The frame of a body from its coordinates. */
static dls_place frame_of(const dls_world *w, int body, const double *q) {
  dls_place T;
  if (w->dim == 2) {
    double s = 0, c = 1;
    if (q[2] != 0) dls_sincos(q[2], &s, &c);
    T.R = (dls_mat3){{c, -s, 0, s, c, 0, 0, 0, 1}};
    T.p = dls_v3(q[0], q[1], 0);
  } else {
    T.R = dls_q_matrix(dls_q_load(q + 3));
    T.p = dls_v3_load(q);
  }
  T.p = dls_v3_sub(T.p, dls_m3_apply(&T.R, dls_v3_load(w->bodies[body].com)));
  return T;
}

dls_place dls_body_frame(const dls_world *w, int body) {
  return frame_of(w, body, w->q + (size_t)body * nq_of(w));
}

dls_place dls_joint_between(const dls_world *w, const dls_joint *joint) {
  const dls_place A = dls_body_frame(w, joint->a), B = dls_body_frame(w, joint->b);
  const dls_place on_a = dls_place_mul(&A, &joint->on_a), on_b = dls_place_mul(&B, &joint->on_b);
  const dls_place back = dls_place_inverse(&on_a);
  return dls_place_mul(&back, &on_b);
}

/* Angular velocity, and velocity of the mass centre. */
static dls_spatial motion_of(const dls_world *w, const double *u) {
  if (w->dim == 2) return (dls_spatial){{0, 0, u[2]}, {u[0], u[1], 0}};
  return (dls_spatial){dls_v3_load(u + 3), dls_v3_load(u)};
}

/* --- compiling --------------------------------------------------------------------------------- */

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
  dls_free(&w->alloc, t->du, nu, sizeof(double));
  dls_free(&w->alloc, t->q_mid, nq, sizeof(double));
  dls_free(&w->alloc, t->wrench, 6 * (size_t)t->n_links, sizeof(double));
  dls_free(&w->alloc, t->velocity, 6 * (size_t)t->n_links, sizeof(double));
  dls_free(&w->alloc, t->drives_mid, (size_t)t->forest->n_drives, sizeof(dls_drive));
  dls_free(&w->alloc, t->given_mid, (size_t)t->forest->n_given, sizeof(dls_given));
  t->drives_mid = NULL;
  t->given_mid = NULL;
  t->u_free = t->u_end = t->u_before = t->du = t->q_mid = t->wrench = t->velocity = NULL;
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
#undef FREE
  dls_arena_destroy(&t->arena, &w->alloc);
  dls_free(&w->alloc, t, 1, sizeof *t);
  w->trees = NULL;
}

static dls_status make_trees(dls_world *w) {
  if (w->trees) return DLS_OK;
  w->trees = dls_new(&w->alloc, 1, sizeof *w->trees);
  if (!w->trees) return DLS_NOMEM;
  w->trees->stale = true;
  w->trees->method = w->factor;
  return DLS_OK;
}

/* Two arrays of ints of one size. */
static dls_status grow_two(dls_world *w, int **x, int **y, int *room, int n) {
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
static dls_status map_bodies(dls_world *w) {
  dls_status status = make_trees(w);
  if (status != DLS_OK) return status;
  dls_trees *t = w->trees;
  const int known = t->room_map;
  status = grow_two(w, &t->carrier, &t->group, &t->room_map, w->n_bodies);
  for (int i = known; status == DLS_OK && i < t->room_map; i++) {
    t->carrier[i] = -1;
    t->group[i] = i;
  }
  return status;
}

static int group_of(dls_trees *t, int i) {
  while (t->group[i] != i) {
    t->group[i] = t->group[t->group[i]];
    i = t->group[i];
  }
  return i;
}

static bool is_dynamic(const dls_world *w, int i) { return w->bodies[i].type == DLS_DYNAMIC; }

static void join(dls_world *w, const dls_joint *joint, int index) {
  dls_trees *t = w->trees;
  t->carrier[joint->turned ? joint->a : joint->b] = index;
  t->n_reduced++;
  if (!is_dynamic(w, joint->a) || !is_dynamic(w, joint->b)) return;
  const int i = group_of(t, joint->a), j = group_of(t, joint->b);
  if (i < j) t->group[j] = i;
  else t->group[i] = j;
}

bool dls_trees_joined(dls_world *w, int a, int b) {
  if (map_bodies(w) != DLS_OK) return false;
  if (!is_dynamic(w, a) || !is_dynamic(w, b)) return false;
  return group_of(w->trees, a) == group_of(w->trees, b);
}

/* Does a reduced joint hang on this body, which does not move freely? */
static void mark_carriers(const dls_world *w, int *body_link) {
  for (int i = 0; i < w->n_bodies; i++) body_link[i] = is_dynamic(w, i) && w->bodies[i].alive;
  for (int i = 0; i < w->n_joints; i++) {
    const dls_joint *joint = &w->joints[i];
    if (!joint->alive || joint->formulation != DLS_REDUCED) continue;
    body_link[joint->turned ? joint->b : joint->a] = 1;
  }
  body_link[0] = 0; /* the ground is the inertial frame */
}

/* link_body: marked bodies in the order in which they were made. */
static dls_status order_bodies(dls_world *w, dls_trees *t) {
  t->n_links = 0;
  mark_carriers(w, t->body_link);
  int last = -1;
  bool sorted = true;
  for (int i = 0; i < w->n_bodies; i++) {
    if (!t->body_link[i]) continue;
    t->link_body[t->n_links++] = i;
    if (last >= 0 && w->bodies[last].serial > w->bodies[i].serial) sorted = false;
    last = i;
  }
  dls_status status = DLS_OK;
  if (!sorted) { /* slots were used again */
    uint64_t *key = dls_new(&w->alloc, (size_t)w->n_bodies, sizeof *key);
    status = dls_arena_reserve(&t->arena, &w->alloc, dls_sort_bytes(t->n_links));
    if (!key) status = DLS_NOMEM;
    for (int i = 0; i < w->n_bodies && key; i++) key[i] = (uint64_t)w->bodies[i].serial;
    if (status == DLS_OK) status = dls_sort_by_word(t->n_links, key, t->link_body, &t->arena);
    dls_free(&w->alloc, key, (size_t)w->n_bodies, sizeof *key);
  }
  for (int i = 0; i < w->n_bodies; i++) t->body_link[i] = -1;
  for (int k = 0; k < t->n_links; k++) t->body_link[t->link_body[k]] = k;
  return status;
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

static void describe_body(const dls_world *w, int body, dls_link *link) {
  const dls_body *model = &w->bodies[body];
  const double *I = model->inertia;
  const bool planar = w->dim == 2;
  link->mass = model->mass;
  memcpy(link->com, model->com, sizeof link->com);
  const double full[6] = {I[0], I[4], I[8], I[1], I[2], I[5]}, flat[6] = {0, 0, I[0], 0, 0, 0};
  memcpy(link->inertia, planar ? flat : full, sizeof full);
  link->parent = -1;
  link->on_parent = link->on_child = dls_place_identity();
  link->kind = planar ? DLS_JOINT_PLANE : DLS_JOINT_FREE;
  if (model->type != DLS_DYNAMIC) {
    link->kind = DLS_JOINT_GIVEN;
    return;
  }
  bool point = true; /* nothing turns a free point: any inertia does */
  for (int i = 0; i < 6; i++) point = point && link->inertia[i] == 0;
  if (point && model->mass > 0 && dls_trees_carrier(w, body) < 0)
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
    t->body_tree[body] = group_of(t, body);
    if (is_dynamic(w, carrier)) t->body_tree[carrier] = group_of(t, carrier);
  }
}

static dls_status take_numbers(dls_world *w, dls_trees *t) {
  const size_t nu = (size_t)t->forest->nu, nq = (size_t)t->forest->nq;
  t->u_free = dls_new(&w->alloc, nu, sizeof(double));
  t->u_end = dls_new(&w->alloc, nu, sizeof(double));
  t->u_before = dls_new(&w->alloc, nu, sizeof(double));
  t->du = dls_new(&w->alloc, nu, sizeof(double));
  t->q_mid = dls_new(&w->alloc, nq, sizeof(double));
  t->wrench = dls_new(&w->alloc, 6 * (size_t)t->n_links, sizeof(double));
  t->velocity = dls_new(&w->alloc, 6 * (size_t)t->n_links, sizeof(double));
  t->drives_mid = dls_new(&w->alloc, (size_t)t->forest->n_drives, sizeof(dls_drive));
  t->given_mid = dls_new(&w->alloc, (size_t)t->forest->n_given, sizeof(dls_given));
  const bool good = t->drives_mid && t->given_mid && t->velocity && t->u_free && t->u_end && t->u_before && t->du && t->q_mid && t->wrench;
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
  }
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
  dls_status status = grow_two(w, &t->link_body, &t->link_joint, &t->room_links, w->n_bodies);
  if (status == DLS_OK)
    status = grow_two(w, &t->body_link, &t->body_tree, &t->room_bodies, w->n_bodies);
  if (status == DLS_OK)
    status = grow_two(w, &t->drive_joint, &t->drive_motion, &t->room_drives, n_drives);
  drop_numbers(w, t);
  drop_forest(t);
  if (status == DLS_OK) status = order_bodies(w, t);
  if (status == DLS_OK) status = dls_trees_make(w, &t->forest, fault);
  if (status != DLS_OK) return status;
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
  dls_status status = map_bodies(w);
  if (status != DLS_OK || !w->trees->stale) return status;
  status = compile(w, fault);
  if (status == DLS_OK) w->trees->stale = false;
  w->trees->known = DLS_KNOWN_NOTHING;
  return status;
}

/* --- state in and out ------------------------------------------------------------------------------ */

static void gather_free(const dls_world *w, int body, const double *q, const double *u, double *fq,
                        double *fu) {
  const dls_place T = frame_of(w, body, q);
  const dls_spatial v = motion_of(w, u);
  const dls_vec3 back = dls_v3_neg(dls_m3_apply(&T.R, dls_v3_load(w->bodies[body].com)));
  const dls_vec3 at_origin = dls_v3_add(v.l, dls_v3_cross(v.a, back));
  if (w->dim == 2) {
    fq[0] = T.p.x, fq[1] = T.p.y, fq[2] = q[2];
    fu[0] = at_origin.x, fu[1] = at_origin.y, fu[2] = v.a.z;
    return;
  }
  dls_v3_store(fq, T.p);
  memcpy(fq + 3, q + 3, 4 * sizeof(double));
  dls_v3_store(fu, at_origin);
  dls_v3_store(fu + 3, dls_m3_apply_t(&T.R, v.a));
}

static dls_status give_one(dls_world *w, int body, const double *q, const double *u, double time,
                           bool ask, dls_given *out) {
  const dls_place T = frame_of(w, body, q);
  const dls_spatial v = motion_of(w, u);
  const dls_vec3 back = dls_v3_neg(dls_m3_apply(&T.R, dls_v3_load(w->bodies[body].com)));
  dls_v3_store(out->p, T.p);
  dls_q_store(out->q, dls_q_from_matrix(&T.R));
  dls_v3_store(out->omega, v.a);
  dls_v3_store(out->v, dls_v3_add(v.l, dls_v3_cross(v.a, back)));
  double more[6] = {0};
  if (ask && w->bodies[body].moved && w->hooks.motion) {
    double p[3], r[4], x[3], y[3];
    dls_status status = w->hooks.motion(w->hooks.ud, body, time, p, r, x, y, more);
    if (status != DLS_OK) return status;
  }
  const dls_vec3 a = dls_v3_load(more), eps = dls_v3_load(more + 3);
  const dls_vec3 inward = dls_v3_cross(v.a, dls_v3_cross(v.a, back));
  dls_v3_store(out->eps, eps);
  dls_v3_store(out->a, dls_v3_add(dls_v3_add(a, dls_v3_cross(eps, back)), inward));
  return DLS_OK;
}

static dls_status give_all(dls_world *w, const double *q, const double *u, double time, bool ask) {
  dls_trees *t = w->trees;
  for (int k = 0; k < t->n_links; k++) {
    const dls_node *node = &t->forest->nodes[t->forest->links[k].node];
    if (node->kind != DLS_NODE_GIVEN) continue;
    const int body = t->link_body[k];
    dls_status status = give_one(w, body, q + (size_t)body * nq_of(w), u + (size_t)body * nu_of(w),
                                 time, ask, &t->state->given[node->input]);
    if (status != DLS_OK) return status;
  }
  return DLS_OK;
}

void dls_trees_give(dls_world *w, const double *q, const double *u) {
  (void)give_all(w, q, u, 0, false);
}

dls_status dls_trees_drive(dls_world *w, double time) {
  dls_trees *t = w->trees;
  for (int i = 0; i < t->forest->n_drives && w->hooks.drive; i++) {
    double out[3];
    dls_status status =
        w->hooks.drive(w->hooks.ud, t->drive_joint[i], t->drive_motion[i], time, out);
    if (status != DLS_OK) return status;
    t->state->drives[i] = (dls_drive){out[0], out[1], out[2]};
  }
  return DLS_OK;
}

dls_status dls_trees_gather(dls_world *w, const double *q, const double *u, const double *q_given,
                            const double *u_given, double time) {
  dls_trees *t = w->trees;
  memcpy(t->state->gravity, w->gravity, sizeof w->gravity);
  for (int k = 0; k < t->n_links; k++) {
    const dls_link_info *info = &t->forest->links[k];
    const int body = t->link_body[k], index = t->link_joint[k];
    double *fq = t->state->q + info->iq, *fu = t->state->u + info->iu;
    if (index >= 0) {
      memcpy(fq, w->joint_state[index].q, (size_t)info->nq * sizeof(double));
      memcpy(fu, w->joint_state[index].u, (size_t)info->nu * sizeof(double));
    } else if (info->nu > 0) {
      gather_free(w, body, q + (size_t)body * nq_of(w), u + (size_t)body * nu_of(w), fq, fu);
    }
  }
  dls_status status = give_all(w, q_given, u_given, time, true);
  return status == DLS_OK ? dls_trees_drive(w, time) : status;
}

dls_status dls_trees_inputs(dls_world *w, double time) {
  memcpy(w->trees->state->gravity, w->gravity, sizeof w->gravity);
  dls_status status = give_all(w, w->q, w->u, time, true);
  return status == DLS_OK ? dls_trees_drive(w, time) : status;
}

void dls_trees_keep(dls_world *w) {
  dls_trees *t = w->trees;
  for (int k = 0; k < t->n_links; k++) {
    const dls_link_info *info = &t->forest->links[k];
    const int index = t->link_joint[k];
    if (index < 0) continue;
    memcpy(w->joint_state[index].q, t->state->q + info->iq, (size_t)info->nq * sizeof(double));
    memcpy(w->joint_state[index].u, t->state->u + info->iu, (size_t)info->nu * sizeof(double));
  }
}

static void scatter_pose(const dls_world *w, int k, double *q) {
  const dls_trees *t = w->trees;
  const dls_vec3 centre = dls_forest_link_centre(t->forest, t->state, k);
  const dls_place T = dls_forest_link_place(t->forest, t->state, k);
  if (w->dim == 2) { /* the angle nearest to the last: turns are counted */
    const double angle = dls_atan2(T.R.m[3], T.R.m[0]), round = 2 * DLS_PI;
    q[0] = centre.x, q[1] = centre.y;
    q[2] = angle + round * floor((q[2] - angle) / round + 0.5);
    return;
  }
  dls_quat turn = dls_q_unit(dls_q_from_matrix(&T.R));
  const double side = turn.w * q[3] + turn.x * q[4] + turn.y * q[5] + turn.z * q[6];
  if (side < 0) turn = (dls_quat){-turn.w, -turn.x, -turn.y, -turn.z};
  dls_v3_store(q, centre);
  dls_q_store(q + 3, turn);
}

void dls_trees_scatter(dls_world *w, double *q, double *u, bool all) {
  const dls_trees *t = w->trees;
  for (int k = 0; k < t->n_links; k++) {
    const int body = t->link_body[k];
    if (!all && t->body_tree[body] < 0) continue;
    if (!is_dynamic(w, body)) continue;
    if (q) scatter_pose(w, k, q + (size_t)body * nq_of(w));
    if (!u) continue;
    const dls_spatial v = dls_forest_link_velocity(t->forest, t->state, k);
    double *out = u + (size_t)body * nu_of(w);
    if (w->dim == 2) {
      out[0] = v.l.x, out[1] = v.l.y, out[2] = v.a.z;
    } else {
      dls_v3_store(out, v.l);
      dls_v3_store(out + 3, v.a);
    }
  }
}

dls_status dls_trees_follow(dls_world *w, dls_forest_fault *fault) {
  dls_status status = dls_trees_update(w, fault);
  if (status != DLS_OK) return status;
  w->trees->known = DLS_KNOWN_NOTHING;
  status = dls_trees_gather(w, w->q, w->u, w->q, w->u, w->time);
  if (status != DLS_OK) return status;
  dls_forest_place(w->trees->forest, w->trees->state);
  dls_forest_move(w->trees->forest, w->trees->state);
  dls_trees_scatter(w, w->q, w->u, false);
  return DLS_OK;
}

/* --- forces ------------------------------------------------------------------------------------------ */

/* Springs, dampers and friction of a joint, as forces on its velocities. */
static void joint_forces(const dls_joint *joint, const double *q, const double *u, bool friction,
                         double *tau) {
  if (joint->kind == DLS_KIND_SPHERICAL && joint->stiffness != 0) {
    dls_quat turn = dls_q_load(q);
    if (turn.w < 0) turn = (dls_quat){-turn.w, -turn.x, -turn.y, -turn.z};
    const double sine = sqrt(turn.x * turn.x + turn.y * turn.y + turn.z * turn.z);
    const double k = sine > 0 ? 2 * dls_atan2(sine, turn.w) / sine : 2;
    tau[0] -= joint->stiffness * k * turn.x;
    tau[1] -= joint->stiffness * k * turn.y;
    tau[2] -= joint->stiffness * k * turn.z;
  } else if (dls_joint_is_chain(joint)) {
    for (int i = 0; i < joint->nu; i++) tau[i] -= joint->stiffness * q[i];
  }
  for (int i = 0; i < joint->nu; i++) {
    tau[i] -= joint->damping * u[i];
    if (friction && u[i] != 0) tau[i] -= u[i] > 0 ? joint->friction : -joint->friction;
  }
  const dls_motor *motor = &joint->motor;
  if (motor->kind == DLS_MOTOR_POSITION && friction) {
    const double pull = motor->stiffness * (motor->target - q[0]) - motor->damping * u[0];
    tau[0] += dls_clamp(pull, -motor->most, motor->most);
  }
}

void dls_trees_load(dls_world *w, const double *push, bool friction) {
  dls_trees *t = w->trees;
  dls_forest_state *state = t->state;
  bool loaded = false;
  for (int k = 0; k < t->n_links; k++) {
    const int body = t->link_body[k], index = t->link_joint[k];
    const dls_link_info *info = &t->forest->links[k];
    double *tau = state->tau + info->iu, *out = state->wrench + 6 * (size_t)k;
    memset(tau, 0, (size_t)info->nu * sizeof(double));
    if (index >= 0) {
      memcpy(tau, w->joint_state[index].torque, (size_t)info->nu * sizeof(double));
      joint_forces(&w->joints[index], state->q + info->iq, state->u + info->iu, friction, tau);
    }
    const double *load = w->load + (size_t)body * nu_of(w);
    const double *more = push ? push + (size_t)body * nu_of(w) : NULL;
    double sum[6] = {0};
    for (size_t i = 0; i < nu_of(w); i++) {
      sum[i] = load[i] + (more ? more[i] : 0);
      loaded = loaded || sum[i] != 0;
    }
    const dls_spatial x = motion_of(w, sum);
    dls_sp_store(out, x);
  }
  state->loaded = loaded;
}

/* --- joints ------------------------------------------------------------------------------------------- */

static dls_status room_for_joint(dls_world *w) {
  if (w->n_joints < w->joint_room) return DLS_OK;
  const size_t old = (size_t)w->joint_room, more = old < 8 ? 8 : 2 * old;
  dls_joint_state *state = dls_new(&w->alloc, more, sizeof *state);
  dls_joint *joints = dls_new(&w->alloc, more, sizeof *joints);
  double *own = dls_new(&w->alloc, 6 * more, sizeof *own);
  if (!state || !joints || !own) {
    dls_free(&w->alloc, own, 6 * more, sizeof *own);
    dls_free(&w->alloc, state, more, sizeof *state);
    dls_free(&w->alloc, joints, more, sizeof *joints);
    return DLS_NOMEM;
  }
  if (old > 0) {
    memcpy(state, w->joint_state, old * sizeof *state);
    memcpy(joints, w->joints, old * sizeof *joints);
    memcpy(own, w->joint_own, 6 * old * sizeof *own);
  }
  dls_free(&w->alloc, w->joint_own, 6 * old, sizeof *own);
  w->joint_own = own;
  dls_free(&w->alloc, w->joint_state, old, sizeof *state);
  dls_free(&w->alloc, w->joints, old, sizeof *joints);
  w->joint_state = state;
  w->joints = joints;
  w->joint_room = (int)more;
  return DLS_OK;
}

/* The order of a turned joint's coordinates is that of its motions backwards. */
static void reverse(double *x, int n) {
  for (int i = 0; i < n / 2; i++) {
    const double swap = x[i];
    x[i] = x[n - 1 - i];
    x[n - 1 - i] = swap;
  }
}

/* q from the bodies' poses, u the projection of their velocities. */
static dls_status measure(dls_world *w, int index, bool *moving) {
  const dls_joint *joint = &w->joints[index];
  dls_joint_state *state = &w->joint_state[index];
  double s[DLS_MAX_MOTIONS] = {0}, A[36], x[6];
  for (int i = 0; i < joint->n_motions; i++) {
    double out[3];
    if (joint->motions[i].drive < 0 || !w->hooks.drive) continue;
    dls_status status = w->hooks.drive(w->hooks.ud, index, i, w->time, out);
    if (status != DLS_OK) return status;
    s[i] = out[0];
  }
  dls_place T = dls_joint_between(w, joint);
  const bool turned_free = joint->turned && !dls_joint_is_chain(joint);
  if (joint->kind == DLS_KIND_SPHERICAL) { /* axes of the child, in those of the zero frame */
    const dls_place *on = joint->turned ? &joint->on_a : &joint->on_b;
    if (joint->turned) T = dls_place_inverse(&T);
    T.R = dls_m3_mul_t(&T.R, &on->R);
    T.R = dls_m3_mul(&on->R, &T.R);
  } else if (turned_free) {
    T = dls_place_inverse(&T);
  }
  dls_joint_measure(joint, &T, s, state->q);
  (void)dls_joint_pose(joint, state->q, s, A);
  /* The relative twist at the origin of b's frame, axes of a's. */
  const int child = turned_free ? joint->a : joint->b, base = turned_free ? joint->b : joint->a;
  const dls_place *on_child = turned_free ? &joint->on_a : &joint->on_b;
  const dls_place *on_base = turned_free ? &joint->on_b : &joint->on_a;
  const dls_place C = dls_body_frame(w, child), B = dls_body_frame(w, base);
  const dls_vec3 point = dls_place_point(&C, on_child->p);
  const dls_mat3 F = dls_m3_mul(&B.R, &on_base->R);
  dls_vec3 v[2], rate[2];
  for (int k = 0; k < 2; k++) {
    const int body = k == 0 ? base : child;
    const dls_spatial m = motion_of(w, w->u + (size_t)body * nu_of(w));
    const double *q = w->q + (size_t)body * nq_of(w);
    const dls_vec3 centre = dls_v3(q[0], q[1], w->dim == 3 ? q[2] : 0);
    rate[k] = m.a;
    v[k] = dls_v3_add(m.l, dls_v3_cross(m.a, dls_v3_sub(point, centre)));
  }
  const dls_spatial rel = {dls_v3_sub(rate[1], rate[0]), dls_v3_sub(v[1], v[0])};
  *moving = dls_v3_norm(rel.a) != 0 || dls_v3_norm(rel.l) != 0 || dls_v3_norm(v[0]) != 0;
  dls_sp_store(x, (dls_spatial){dls_m3_apply_t(&F, rel.a), dls_m3_apply_t(&F, rel.l)});
  if (joint->kind == DLS_KIND_SPHERICAL) {
    dls_v3_store(state->u, dls_m3_apply_t(&C.R, rel.a));
  } else if (joint->kind == DLS_KIND_FREE) {
    dls_v3_store(state->u, dls_m3_apply_t(&F, rel.l));
    dls_v3_store(state->u + 3, dls_m3_apply_t(&C.R, rel.a));
  } else if (joint->nu > 0 && !dls_columns_solve(A, joint->nu, x, state->u)) {
    memset(state->u, 0, sizeof state->u);
  }
  if (joint->turned && dls_joint_is_chain(joint)) {
    reverse(state->q, joint->nu);
    reverse(state->u, joint->nu);
  }
  return DLS_OK;
}

dls_status dls_world_joint_add(dls_world *w, const dls_joint *def, int *index) {
  dls_status status = room_for_joint(w);
  if (status == DLS_OK) status = map_bodies(w);
  if (status != DLS_OK) return status;
  dls_joint joint = *def;
  joint.motions = NULL;
  if (def->n_motions > 0) {
    joint.motions = dls_new(&w->alloc, (size_t)def->n_motions, sizeof *joint.motions);
    if (!joint.motions) return DLS_NOMEM;
    memcpy(joint.motions, def->motions, (size_t)def->n_motions * sizeof *joint.motions);
  }
  const int i = w->n_joints;
  w->joints[i] = joint;
  memset(&w->joint_state[i], 0, sizeof w->joint_state[i]);
  bool moving = false;
  status = measure(w, i, &moving);
  if (status != DLS_OK) {
    dls_free(&w->alloc, joint.motions, (size_t)joint.n_motions, sizeof *joint.motions);
    return status;
  }
  w->n_joints++;
  *index = i;
  dls_penalties_changed(w);
  if (joint.formulation != DLS_REDUCED) return DLS_OK;
  join(w, &joint, i);
  w->trees->stale = true;
  return DLS_OK;
}

void dls_world_joint_remove(dls_world *w, int index) {
  dls_joint *joint = &w->joints[index];
  if (!joint->alive) return;
  joint->alive = false;
  dls_penalties_changed(w);
  dls_trees *t = w->trees;
  if (joint->formulation != DLS_REDUCED) return;
  t->stale = true;
  t->n_reduced = 0;
  for (int i = 0; i < t->room_map; i++) {
    t->carrier[i] = -1;
    t->group[i] = i;
  }
  for (int i = 0; i < w->n_joints; i++)
    if (w->joints[i].alive && w->joints[i].formulation == DLS_REDUCED) join(w, &w->joints[i], i);
}
