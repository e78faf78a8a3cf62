/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#include "core/forest/model.h"

#include "core/forest/flat.h"

/* How far an inertia may be from that of a body, relative to its trace: rounding of input. */
#define INERTIA_SLACK 1e-9

static bool is_finite_array(const double *x, int n) {
  for (int i = 0; i < n; i++)
    if (!dls_is_finite(x[i])) return false;
  return true;
}

static int count_free(const dls_link *link) {
  int n = 0;
  for (int i = 0; i < link->n_motions; i++) n += link->motions[i].drive < 0;
  return n;
}

/* Nodes a link becomes. */
static int count_nodes(const dls_link *link) {
  if (link->kind != DLS_JOINT_MOTIONS || link->n_motions == 0) return 1;
  return link->n_motions;
}

static void count_coordinates(const dls_link *link, int *nq, int *nu) {
  switch (link->kind) {
    case DLS_JOINT_MOTIONS: *nq = *nu = count_free(link); break;
    case DLS_JOINT_SPHERICAL: *nq = 4, *nu = 3; break;
    case DLS_JOINT_FREE: *nq = 7, *nu = 6; break;
    case DLS_JOINT_PLANE: *nq = *nu = 3; break;
    case DLS_JOINT_GIVEN: *nq = *nu = 0; break;
  }
}

/* --- checks ----------------------------------------------------------------------------------- */

static bool fail(dls_forest_fault *fault, dls_forest_reason reason, int link, double value) {
  *fault = (dls_forest_fault){reason, link, value};
  return false;
}

/* A body's second moments S = tr(I)/2 E - I are positive semidefinite (its principal moments obey
** the triangle inequality): all principal minors of S, relative to its trace. */
static double inertia_defect(const double I[6]) {
  const double tr = I[0] + I[1] + I[2], h = 0.5 * tr;
  if (tr == 0) return fabs(I[3]) + fabs(I[4]) + fabs(I[5]);
  if (tr < 0) return 1;
  const double a = (h - I[0]) / tr, b = (h - I[1]) / tr, c = (h - I[2]) / tr;
  const double d = -I[3] / tr, e = -I[4] / tr, f = -I[5] / tr;
  double worst = dls_min(a, dls_min(b, c));
  worst = dls_min(worst, dls_min(a * b - d * d, dls_min(a * c - e * e, b * c - f * f)));
  const double det = a * (b * c - f * f) - d * (d * c - e * f) + e * (d * f - b * e);
  return -dls_min(worst, det);
}

static bool check_body(const dls_forest_def *def, int i, dls_forest_fault *fault) {
  const dls_link *link = &def->links[i];
  if (!dls_is_finite(link->mass) || link->mass < 0)
    return fail(fault, DLS_FOREST_NUMBER, i, link->mass);
  if (!is_finite_array(link->com, 3) || !is_finite_array(link->inertia, 6) ||
      !is_finite_array(link->on_parent.R.m, 9) || !is_finite_array(link->on_child.R.m, 9) ||
      !dls_v3_is_finite(link->on_parent.p) || !dls_v3_is_finite(link->on_child.p))
    return fail(fault, DLS_FOREST_NUMBER, i, 0);
  if (link->kind == DLS_JOINT_GIVEN) return true;
  const double defect = def->planar ? -link->inertia[2] : inertia_defect(link->inertia);
  if (defect > INERTIA_SLACK) return fail(fault, DLS_FOREST_INERTIA, i, defect);
  return true;
}

static bool check_motions(const dls_forest_def *def, int i, dls_forest_fault *fault) {
  const dls_link *link = &def->links[i];
  if (link->kind != DLS_JOINT_MOTIONS) return true;
  if (link->n_motions < 0 || link->n_motions > DLS_MAX_MOTIONS || count_free(link) > 6)
    return fail(fault, DLS_FOREST_MOTIONS, i, link->n_motions);
  for (int j = 0; j < link->n_motions; j++) {
    const dls_motion *m = &link->motions[j];
    const bool screw = m->kind == DLS_MOTION_SCREW;
    if (m->drive >= def->n_drives) return fail(fault, DLS_FOREST_DRIVE, i, m->drive);
    if (!is_finite_array(m->axis, 3) || (screw && !is_finite_array(m->linear, 3)) ||
        !dls_is_finite(m->rotor) || m->rotor < 0)
      return fail(fault, DLS_FOREST_NUMBER, i, m->rotor);
    const double length = dls_v3_norm(dls_v3_load(m->axis));
    if (length == 0 && (!screw || dls_v3_norm(dls_v3_load(m->linear)) == 0))
      return fail(fault, DLS_FOREST_AXIS, i, j);
  }
  return true;
}

static bool check(const dls_forest_def *def, dls_forest_fault *fault) {
  for (int i = 0; i < def->n_links; i++) {
    const dls_link *link = &def->links[i];
    if (link->kind != DLS_JOINT_GIVEN && (link->parent < -1 || link->parent >= def->n_links))
      return fail(fault, DLS_FOREST_PARENT, i, link->parent);
    if (!check_body(def, i, fault) || !check_motions(def, i, fault)) return false;
  }
  return true;
}

/* --- order: parents first, a tree's links together -------------------------------------------- */

static int parent_of(const dls_link *link) {
  return link->kind == DLS_JOINT_GIVEN ? -1 : link->parent;
}

/* Depth first without recursion. work: 2 n + 1 numbers (first child of -1..n-1, next sibling).
** Returns how many links were reached: fewer than n where joints close a loop; reached links are
** marked by work[n + 1 + i] = -2. */
static int depth_first(const dls_forest_def *def, int *work, int *order) {
  const int n = def->n_links;
  int *child = work + 1, *sibling = work + 1 + n, n_done = 0, at = -1;
  for (int i = -1; i < n; i++) child[i] = -1;
  for (int i = n - 1; i >= 0; i--) {
    const int p = parent_of(&def->links[i]);
    sibling[i] = child[p];
    child[p] = i;
  }
  for (;;) {
    if (child[at] >= 0) { /* go down, and take the edge away */
      const int next = child[at];
      child[at] = sibling[next];
      sibling[next] = -2;
      order[n_done++] = next;
      at = next;
    } else {
      if (at == -1) break;
      at = parent_of(&def->links[at]);
    }
  }
  return n_done;
}

/* Links that are alone go to the end of order (n); work: n numbers. */
static void put_alone_last(const dls_forest_def *def, int *order, int *work) {
  int n_walked = 0, n_alone = 0;
  for (int k = 0; k < def->n_links; k++)
    if (def->links[order[k]].alone) work[n_alone++] = order[k];
    else order[n_walked++] = order[k];
  memcpy(order + n_walked, work, (size_t)n_alone * sizeof *work);
}

/* --- nodes ----------------------------------------------------------------------------------- */

/* A frame whose z axis is the unit vector e: a permutation where e is a coordinate axis. */
static dls_mat3 frame_of_axis(dls_vec3 e) {
  const dls_vec3 x = {1, 0, 0}, y = {0, 1, 0}, z = {0, 0, 1};
  if (e.x == 1) return dls_m3_columns(y, z, x);
  if (e.y == 1) return dls_m3_columns(z, x, y);
  if (e.z == 1) return dls_m3_identity();
  const dls_vec3 t = dls_v3_orthogonal(e);
  return dls_m3_columns(t, dls_v3_cross(e, t), e);
}

/* The screw of a motion: its frame (z along the axis, origin on it) in the frame left by the
** motion before, and its rates a, b. */
static dls_place screw_of(const dls_motion *m, double *a, double *b) {
  const dls_vec3 axis = dls_v3_load(m->axis), linear = dls_v3_load(m->linear);
  const double turn = dls_v3_norm(axis);
  dls_place place = {dls_m3_identity(), {0, 0, 0}};
  if (m->kind != DLS_MOTION_SCREW) {
    *a = m->kind == DLS_MOTION_ROTATE;
    *b = m->kind == DLS_MOTION_SLIDE;
    place.R = frame_of_axis(dls_v3_unit(axis));
  } else if (turn == 0) { /* a slide */
    *a = 0;
    *b = dls_v3_norm(linear);
    place.R = frame_of_axis(dls_v3_unit(linear));
  } else { /* through c = axis x linear / turn^2, advancing by the part of linear along the axis */
    const dls_vec3 e = dls_v3_scale(1 / turn, axis);
    *a = turn;
    *b = dls_v3_dot(e, linear);
    place.R = frame_of_axis(e);
    place.p = dls_v3_scale(1 / turn, dls_v3_cross(e, linear));
  }
  return place;
}

/* The link's inertia about the origin of its node, node axes. */
static dls_inertia inertia_of(const dls_link *link, const dls_link_info *info) {
  const double *I = link->inertia;
  const dls_mat3 about_centre = {{I[0], I[3], I[4], I[3], I[1], I[5], I[4], I[5], I[2]}};
  const dls_mat3 turned = dls_m3_congruent(&info->body.R, &about_centre);
  const dls_mat3 point = dls_m3_point_inertia(link->mass, info->com);
  const dls_mat3 J = dls_m3_add(&turned, &point);
  dls_inertia M = {{J.m[0], J.m[1], J.m[2], J.m[4], J.m[5], J.m[8]}, {0, 0, 0}, link->mass};
  dls_v3_store(M.mc, dls_v3_scale(link->mass, info->com));
  return M;
}

/* One node after another of a MOTIONS joint; at: the joint's frame in the parent node. Returns the
** frame left by the last motion, in the last node. */
static dls_place add_motions(dls_forest *forest, const dls_link *link, dls_node start, int *n_nodes,
                             dls_place at) {
  const dls_link_info *info = &forest->links[start.link];
  const int step = link->backwards ? -1 : 1, first = link->backwards ? info->nu - 1 : 0;
  int iq = start.iq + first, iu = start.iu + first;
  for (int j = 0; j < link->n_motions; j++) {
    const dls_motion *m = &link->motions[j];
    dls_node *node = &forest->nodes[*n_nodes];
    *node = start;
    if (j > 0) node->parent = *n_nodes - 1;
    const dls_place screw = screw_of(m, &node->a, &node->b);
    node->zero = dls_place_mul(&at, &screw);
    node->rotor = m->rotor;
    node->iq = iq;
    node->iu = iu;
    if (m->drive >= 0) {
      node->kind = DLS_NODE_DRIVEN;
      node->input = m->drive;
    } else {
      const bool plain = node->a == 1 && node->b == 0 && node->rotor == 0;
      node->kind = plain ? DLS_NODE_REVOLUTE : DLS_NODE_SCREW;
      node->nq = node->nu = 1;
      iq += step, iu += step;
    }
    at = dls_place_inverse(&screw);
    *n_nodes += 1;
  }
  return at;
}

static void add_link(dls_forest *forest, const dls_link *links, int i, int *n_nodes) {
  const dls_link *link = &links[i];
  dls_link_info *info = &forest->links[i];
  const int p = parent_of(link);
  const dls_place inverse = dls_place_inverse(&link->on_child);
  dls_node start = {.kind = DLS_NODE_WELD, .parent = -1, .up = -1, .link = i, .iq = info->iq,
                    .iu = info->iu};
  dls_place at = link->on_parent; /* the joint's frame, then what follows it, in the last node */
  if (p >= 0) {
    at = dls_place_mul(&forest->links[p].body, &link->on_parent);
    start.parent = forest->links[p].node;
  }
  if (link->kind == DLS_JOINT_MOTIONS && link->n_motions > 0) {
    at = add_motions(forest, link, start, n_nodes, at);
    info->body = dls_place_mul(&at, &inverse);
  } else {
    dls_node *node = &forest->nodes[(*n_nodes)++];
    *node = start;
    node->nq = info->nq;
    node->nu = info->nu;
    info->body = dls_place_identity();
    if (link->kind == DLS_JOINT_SPHERICAL) { /* the link's axes, the origin at the anchor */
      node->kind = DLS_NODE_BALL;
      node->zero = (dls_place){dls_m3_mul_t(&at.R, &link->on_child.R), at.p};
      info->body.p = dls_v3_neg(link->on_child.p);
    } else {
      node->zero = dls_place_mul(&at, &inverse);
      if (link->kind == DLS_JOINT_FREE) node->kind = DLS_NODE_FREE;
      if (link->kind == DLS_JOINT_PLANE) node->kind = DLS_NODE_PLANE;
      if (link->kind == DLS_JOINT_GIVEN) {
        node->kind = DLS_NODE_GIVEN;
        node->input = forest->n_given++;
        node->zero = dls_place_identity();
      }
    }
  }
  info->node = *n_nodes - 1;
  info->com = dls_place_point(&info->body, dls_v3_load(link->com));
  info->anchor = dls_place_point(&info->body, link->on_child.p);
  info->mass = link->mass;
  forest->nodes[info->node].M = inertia_of(link, info);
  if (link->kind == DLS_JOINT_GIVEN) forest->nodes[info->node].M = (dls_inertia){{0}, {0}, 0};
}

/* up, trees, and the node of each velocity. */
static void connect(dls_forest *forest, const dls_link *links) {
  for (int i = 0; i < forest->n_nodes; i++) {
    dls_node *node = &forest->nodes[i];
    const dls_node *parent = node->parent >= 0 ? &forest->nodes[node->parent] : NULL;
    dls_q_store(node->turn, dls_q_from_matrix(&node->zero.R));
    if (parent == NULL) forest->tree_first[forest->n_trees++] = i;
    if (parent != NULL && parent->kind != DLS_NODE_GIVEN) node->up = node->parent;
    forest->links[node->link].tree = forest->n_trees - 1;
    if (!links[node->link].alone) forest->n_walked = i + 1, forest->n_walked_trees = forest->n_trees;
    for (int k = 0; k < node->nu; k++) forest->u_node[node->iu + k] = i;
  }
  forest->tree_first[forest->n_trees] = forest->n_nodes;
}

static dls_status build(dls_forest *forest, const dls_forest_def *def, dls_forest_fault *fault) {
  const dls_alloc *alloc = &forest->alloc;
  const size_t n = (size_t)def->n_links;
  int *work = dls_new(alloc, 3 * n + 1, sizeof(int));
  if (work == NULL) return DLS_NOMEM;
  int *order = work + 2 * n + 1, n_nodes = 0;
  if (depth_first(def, work, order) < def->n_links) {
    int i = 0;
    while (work[1 + n + (size_t)i] == -2) i++;
    fail(fault, DLS_FOREST_LOOP, i, def->links[i].parent);
    dls_free(alloc, work, 3 * n + 1, sizeof(int));
    return DLS_ARG;
  }
  put_alone_last(def, order, work);
  for (int k = 0; k < def->n_links; k++) add_link(forest, def->links, order[k], &n_nodes);
  connect(forest, def->links);
  forest->flat = def->planar && dls_forest_is_flat(forest);
  forest->hinged = forest->flat && dls_flat_is_hinged(forest);
  if (forest->flat) dls_flat_measure(forest);
  dls_free(alloc, work, 3 * n + 1, sizeof(int));
  return DLS_OK;
}

dls_status dls_forest_create(dls_forest **out, const dls_alloc *alloc, const dls_forest_def *def,
                             dls_forest_fault *fault) {
  dls_forest_fault ignored;
  if (fault == NULL) fault = &ignored;
  *fault = (dls_forest_fault){DLS_FOREST_FINE, -1, 0};
  if (def->n_links < 0 || def->n_drives < 0) return DLS_ARG;
  if (def->n_links > INT32_MAX / (8 * DLS_MAX_MOTIONS)) return DLS_TOOBIG;
  if (!check(def, fault)) return DLS_ARG;
  dls_forest *forest = dls_new(alloc, 1, sizeof *forest);
  if (forest == NULL) return DLS_NOMEM;
  forest->alloc = *alloc;
  forest->n_links = def->n_links;
  forest->n_drives = def->n_drives;
  forest->links = dls_new(alloc, (size_t)def->n_links, sizeof *forest->links);
  for (int i = 0; i < def->n_links && forest->links != NULL; i++) {
    dls_link_info *info = &forest->links[i];
    count_coordinates(&def->links[i], &info->nq, &info->nu);
    info->iq = forest->nq;
    info->iu = forest->nu;
    forest->nq += info->nq;
    forest->nu += info->nu;
    forest->n_nodes += count_nodes(&def->links[i]);
  }
  forest->nodes = dls_new(alloc, (size_t)forest->n_nodes, sizeof *forest->nodes);
  forest->tree_first = dls_new(alloc, (size_t)def->n_links + 1, sizeof(int));
  forest->u_node = dls_new(alloc, (size_t)forest->nu, sizeof(int));
  dls_status status = DLS_NOMEM;
  if (forest->links != NULL && forest->nodes != NULL && forest->tree_first != NULL &&
      forest->u_node != NULL)
    status = build(forest, def, fault);
  if (status == DLS_OK)
    *out = forest;
  else
    dls_forest_destroy(forest);
  return status;
}

void dls_forest_destroy(dls_forest *forest) {
  if (forest == NULL) return;
  const dls_alloc alloc = forest->alloc;
  const size_t n_links = (size_t)forest->n_links;
  dls_free(&alloc, forest->links, n_links, sizeof *forest->links);
  dls_free(&alloc, forest->nodes, (size_t)forest->n_nodes, sizeof *forest->nodes);
  dls_free(&alloc, forest->tree_first, n_links + 1, sizeof(int));
  dls_free(&alloc, forest->u_node, (size_t)forest->nu, sizeof(int));
  dls_free(&alloc, forest, 1, sizeof *forest);
}
