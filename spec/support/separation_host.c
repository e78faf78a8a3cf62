/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#include "separation.h"

int separation_plane(int pairs, int first); /* separation_plane_host.c */
int separation_walls(int pairs, int first); /* separation_walls_host.c */

/* Contacts of pairs of convex shapes against the largest separation of supports; then those of the other hosts.
** Arguments: pairs a kind, first seed; then names of kinds of convex ones alone. Prints what is wrong with its seed, and "ok" at the end. What the product finds beyond the search is
** checked along the normal that it tells. So a pair is right where
**   every contact's gap is at least the separation that any direction shows, and the least is that to 1e-6 of a size;
**   every point of a contact lies on its own body. */

static int check_pair(const dls_alloc *alloc, int i, int j, int seed) {
  state = (uint64_t)seed * 1000003u + (uint64_t)(100 * i + j);
  for (int k = 0; k < 4; k++) uniform();
  body a = make(alloc, i), b = make(alloc, j);
  const int way = (int)(4 * uniform());
  const dls_vec3 u = random_unit();
  a.pose = (dls_pose3){frame_of(u, within(3)), {within(1), within(1), within(1)}};
  /* Axes anyhow; parallel; coaxial; across. */
  const dls_vec3 across = dls_m3_column(&a.pose.R, 1), along = dls_v3_scale(uniform() < 0.5 ? 1 : -1, u);
  b.pose.R = frame_of(way == 0 ? random_unit() : near_to(way == 3 ? across : along), within(3));
  dls_vec3 n = random_unit();
  if (way == 1 || way == 3) n = near_to(dls_m3_column(&a.pose.R, (int)(3 * uniform())));
  if (way == 2) n = near_to(dls_v3_scale(uniform() < 0.5 ? 1 : -1, u));
  const double gap = gap_wanted();
  place(&a, &b, n, gap, way > 0 && uniform() < 0.7 ? between(0, 0.2) : 0);
  if (way == 2 && uniform() < 0.5) { /* really on one line */
    n = dls_v3_scale(dls_v3_dot(dls_v3_sub(b.pose.p, a.pose.p), u) > 0 ? 1 : -1, u);
    b.pose.p = a.pose.p;
    b.pose.p = dls_v3_axpy(a.pose.p, gap - separation(&a, &b, n), n);
  }
  told t;
  const double searched = largest(&a, &b, n);
  ask(a.shape, &a.pose, b.shape, &b.pose, dls_max(searched, 0) + 0.01, &t);
  double right = dls_max(searched, separation(&a, &b, t.near.normal));
  for (int k = 0; k < t.n; k++) right = dls_max(right, separation(&a, &b, t.touch[k].normal));
  if (right > searched + 0.005) ask(a.shape, &a.pose, b.shape, &b.pose, right + 0.01, &t); /* the search failed */
  int bad = judge(names[i], names[j], seed, right, &t, dls_min(a.size, b.size));
  bad += off_points(names[i], names[j], seed, &a, true, &t) + off_points(names[i], names[j], seed, &b, false, &t);
  dls_shape_drop(a.shape);
  dls_shape_drop(b.shape);
  return bad;
}

int main(int argc, char **argv) {
  const dls_alloc alloc = dls_alloc_libc();
  const int pairs = argc > 1 ? atoi(argv[1]) : 60, first = argc > 2 ? atoi(argv[2]) : 1;
  int wrong = 0;
  for (int i = 0; i < N_KINDS; i++)
    for (int j = 0; j < N_KINDS; j++) {
      if (argc > 3 && strcmp(names[i], argv[3])) continue;
      if (argc > 4 && strcmp(names[j], argv[4])) continue;
      int bad = 0;
      for (int seed = first; seed < first + pairs && bad < 5; seed++) bad += check_pair(&alloc, i, j, seed);
      wrong += bad;
    }
  if (argc <= 3) wrong += separation_walls(pairs, first) + separation_plane(pairs, first);
  if (!wrong) puts("ok");
  return wrong != 0;
}
