/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#include "core/collide/manifold3.h"

void dls_manifold3_add(dls_manifold3 *m, const dls_sink *sink, dls_vec3 point_a, dls_vec3 point_b,
                       dls_vec3 normal, double gap, uint64_t key) {
  int at = m->n;
  if (!(gap <= sink->margin)) return;
  if (at == DLS_MAX_CANDIDATES) {
    at = 0;
    for (int i = 1; i < m->n; i++)
      if (m->c[i].gap > m->c[at].gap) at = i;
    if (!(gap < m->c[at].gap)) return;
  } else {
    m->n++;
  }
  m->c[at] = (dls_touch){point_a, point_b, normal, gap, key, 0, 0, 0};
}

static int deepest(const dls_manifold3 *m) {
  int best = 0;
  for (int i = 1; i < m->n; i++)
    if (m->c[i].gap < m->c[best].gap) best = i;
  return best;
}

/* How far i lies to the side of the line from a to b, in units of area; signed. */
static double side(const dls_manifold3 *m, int a, int b, int i) {
  dls_vec3 o = m->c[a].point_a, e = dls_v3_sub(m->c[b].point_a, o);
  return dls_v3_dot(m->c[a].normal, dls_v3_cross(e, dls_v3_sub(m->c[i].point_a, o)));
}

void dls_manifold3_put(const dls_manifold3 *m, dls_sink *sink) {
  bool keep[DLS_MAX_CANDIDATES] = {false};
  if (m->n == 0) return;
  if (m->n <= 4) {
    for (int i = 0; i < m->n; i++) keep[i] = true;
  } else {
    int a = deepest(m), b = a, left = a, right = a;
    double far = -1, most = 0, least = 0;
    for (int i = 0; i < m->n; i++) {
      double d = dls_v3_norm(dls_v3_sub(m->c[i].point_a, m->c[a].point_a));
      if (d > far) far = d, b = i;
    }
    for (int i = 0; i < m->n; i++) {
      double s = side(m, a, b, i);
      if (s > most) most = s, left = i;
      if (s < least) least = s, right = i;
    }
    keep[a] = keep[b] = keep[left] = keep[right] = true;
  }
  for (int i = 0; i < m->n; i++) {
    const dls_touch *t = &m->c[i];
    if (keep[i]) dls_sink_put(sink, t->point_a, t->point_b, t->normal, t->gap, t->key);
  }
}
