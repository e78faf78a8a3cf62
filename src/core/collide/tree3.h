/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#ifndef DLS_COLLIDE_TREE3_H
#define DLS_COLLIDE_TREE3_H

#include "core/collide/collide.h"

/* A static tree of boxes over the triangles of a mesh: which of them a box or a ray may reach, in
** O(log n). Nodes stand in the order of a walk that goes down first; one that is missed is left by
** its link, so that a walk needs no stack:
**
**     for (i = 0; i < n_nodes;)
**       if (reached(node i)) { faces of node i, if it is a leaf; i++; } else i = node[i].skip;
**
** Made once with the mesh, by halving along the longest side of the boxes' middles; ties stay in
** the order of the faces. Source: Ericson 2005, ch. 6. */
struct dls_node3 {
  dls_vec3 lo, hi;  /* bounds of its faces                            */
  int skip;         /* the next node where this one is missed         */
  int first, count; /* of a leaf: into tree_faces; count 0: not a leaf */
};

/* Fills nodes and tree_faces of a mesh. DLS_NOMEM. */
dls_status dls_tree3_build(dls_shape *mesh);

static inline bool dls_node3_meets(const dls_node3 *node, dls_vec3 lo, dls_vec3 hi) {
  return node->lo.x <= hi.x && lo.x <= node->hi.x && node->lo.y <= hi.y && lo.y <= node->hi.y &&
         node->lo.z <= hi.z && lo.z <= node->hi.z;
}

/* Whether the points o + t d, 0 <= t <= most, come within slack of the node's box. */
bool dls_node3_crossed(const dls_node3 *node, dls_vec3 o, dls_vec3 d, double most, double slack);

#endif
