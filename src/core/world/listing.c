/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#include "core/world/listing.h"

#include "core/model/frames.h"

static bool is_listed(const dls_world *w, int i) {
  return w->bodies[i].alive && w->bodies[i].type == DLS_DYNAMIC;
}

int dls_listing_count(const dls_world *w, int *n_u) {
  int nq = 0, nu = 0;
  if (dls_trees_used(w)) {
    nq = w->trees->forest->nq;
    nu = w->trees->forest->nu;
  } else {
    for (int i = 1; i < w->n_bodies; i++)
      if (is_listed(w, i)) nq += DLS_NQ(w->dim), nu += DLS_NU(w->dim);
  }
  if (n_u) *n_u = nu;
  return nq;
}

static void fill_free(const dls_world *w, int body, const double *q, double *out) {
  q += (size_t)body * dls_nq_of(w);
  const dls_place T = dls_frame_of(w, body, q);
  if (w->dim == 2) {
    out[0] = T.p.x, out[1] = T.p.y, out[2] = q[2];
    return;
  }
  dls_v3_store(out, T.p);
  memcpy(out + 3, q + 3, 4 * sizeof(double));
}

void dls_listing_fill(const dls_world *w, const double *q, double *out) {
  if (!dls_trees_used(w)) {
    for (int i = 1; i < w->n_bodies; i++) {
      if (!is_listed(w, i)) continue;
      fill_free(w, i, q, out);
      out += DLS_NQ(w->dim);
    }
    return;
  }
  const dls_trees *t = w->trees;
  for (int k = 0; k < t->n_links; k++) {
    const dls_link_info *info = &t->forest->links[k];
    if (t->link_joint[k] >= 0)
      memcpy(out + info->iq, t->state->q + info->iq, (size_t)info->nq * sizeof(double));
    else if (info->nu > 0)
      fill_free(w, t->link_body[k], q, out + info->iq);
  }
}

int dls_listing_first(const dls_world *w, int body) {
  if (body <= 0 || !is_listed(w, body)) return -1;
  if (dls_trees_used(w)) {
    const int link = w->trees->body_link[body];
    return link >= 0 && w->trees->body_tree[body] < 0 ? w->trees->forest->links[link].iu : -1;
  }
  int at = 0;
  for (int i = 1; i < body; i++)
    if (is_listed(w, i)) at += DLS_NU(w->dim);
  return at;
}

/* v_origin = v_centre - w x r with r from the origin to the mass centre, w = R w_body. */
void dls_listing_gradient(const dls_world *w, int body, const double *q, const double *g,
                          double *out) {
  const dls_place T = dls_frame_of(w, body, q + (size_t)body * dls_nq_of(w));
  const dls_vec3 r = dls_m3_apply(&T.R, dls_v3_load(w->bodies[body].com));
  const dls_vec3 linear = dls_v3(g[0], g[1], w->dim == 3 ? g[2] : 0);
  const dls_vec3 lever = dls_v3_cross(r, linear);
  if (w->dim == 2) {
    out[0] = g[0], out[1] = g[1], out[2] = g[2] - lever.z;
    return;
  }
  dls_v3_store(out, linear);
  dls_v3_store(out + 3, dls_v3_sub(dls_m3_apply(&T.R, dls_v3_load(g + 3)), lever));
}
