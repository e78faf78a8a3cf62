/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#include "separation.h"

int separation_walls(int pairs, int first);

/* Contacts of convex shapes with planes, drums (shell, ends, lifters), meshes and compounds against what follows from
** supports. Prints what is wrong with its seed; answers how many are. */

enum { PLANE, DRUM, MESH, COMPOUND, N_WALLS };
static const char *const walls[] = {"plane", "drum", "mesh", "compound"};

static void turn_beside(body *b, const dls_mat3 *R) {
  const dls_vec3 axis = dls_m3_column(R, (int)(3 * uniform()));
  b->pose.R = frame_of(uniform() < 0.4 ? random_unit() : near_to(axis), within(3));
}

static dls_pose3 random_pose(void) {
  return (dls_pose3){frame_of(random_unit(), within(3)), {within(1), within(1), within(1)}};
}

/* Largest distance from the x axis of the pose at `at` of a ball or rim of the body; of an ellipsoid, over all directions
** from the axis, of its farthest points. */
static double out_from(const body *b, const dls_pose3 *at) {
  double most = 0, angle = 0, turn = 0.01;
  for (int level = 0; level < 5 && b->kind == ELLIPSOID; level++, turn *= 0.01) {
    const double middle = angle;
    for (int k = -315; k <= 315; k++) {
      const dls_vec3 d = dls_m3_apply(&at->R, dls_v3(0, cos(middle + turn * k), sin(middle + turn * k)));
      const double out = dls_v3_dot(d, dls_v3_sub(farthest(b, d), at->p));
      if (out > most) most = out, angle = middle + turn * k;
    }
  }
  const bool rim = b->kind == CYLINDER || b->kind == CONE;
  for (int end = -1; end <= 1 && b->kind < BOX; end += 2) {
    double best = 0, far = 0, width = 0.01; /* of an angle: all around, then ever closer around the best */
    for (int level = 0; level < 5; level++, width *= 0.01) {
      const double middle = best;
      for (int k = -315; k <= 315; k++) {
        const double t = middle + width * k, r = rim ? (end > 0 ? b->r2 : b->r1) : 0;
        const dls_vec3 p = dls_pose3_back(at, dls_pose3_apply(&b->pose, dls_v3(end * b->h, r * cos(t), r * sin(t))));
        const double out = hypot(p.y, p.z) + (rim ? 0 : b->r1);
        if (out > far) far = out, best = t;
      }
    }
    most = dls_max(most, far);
  }
  for (int i = 0; i < b->n; i++) {
    const dls_vec3 p = dls_pose3_back(at, dls_pose3_apply(&b->pose, b->p[i]));
    most = dls_max(most, hypot(p.y, p.z));
  }
  return most;
}

static double before_plane(const body *b, dls_vec3 n, dls_vec3 on) {
  return dls_v3_dot(n, dls_v3_sub(farthest(b, dls_v3_neg(n)), on));
}

/* A bar of a drum as a box whose back is out of reach. */
static body bar_of(const dls_pose3 *at, double R, double length, const dls_lifters *l, int k) {
  body bar = {.kind = BOX, .n = 8};
  const double t = 2 * DLS_PI * k / l->count, in = R - l->height, out = R + 2;
  const dls_vec3 d = {0, cos(t), sin(t)}, side = {0, -sin(t), cos(t)};
  for (int i = 0; i < 8; i++)
    bar.p[i] = dls_v3_axpy(dls_v3_axpy(dls_v3(i & 1 ? length / 2 : -length / 2, 0, 0), i & 2 ? in : out, d),
                           i & 4 ? l->width / 2 : -l->width / 2, side);
  bar.pose = *at;
  return bar;
}

static int check_drum(const dls_alloc *alloc, int j, int seed) {
  body b = make(alloc, j);
  const double R = between(1, 2), length = between(2, 4);
  const dls_lifters l = {.count = 1 + (int)(6 * uniform()), .height = between(0.05, 0.2), .width = between(0.02, 0.2)};
  const bool bars = uniform() < 0.6, ends = uniform() < 0.6;
  dls_shape *drum;
  if (dls_shape_drum(alloc, R, length, bars ? &l : NULL, ends, &drum, NULL)) fail("drum");
  const dls_pose3 at = random_pose();
  turn_beside(&b, &at.R);
  /* Before the shell, an end or a bar. */
  const int which = (int)(3 * uniform());
  const double t = within(4), gap = gap_wanted();
  const dls_vec3 in = dls_m3_apply(&at.R, dls_v3(0, -cos(t), -sin(t))), x = dls_m3_column(&at.R, 0);
  b.pose.p = at.p;
  if (which == 1 && ends) {
    b.pose.p = dls_v3_axpy(at.p, -between(0, 0.4), in);
    b.pose.p = dls_v3_axpy(b.pose.p, gap - before_plane(&b, x, dls_v3_axpy(at.p, -length / 2, x)), x);
  } else if (which == 2 && bars) {
    body bar = bar_of(&at, R, length, &l, 0);
    bar.n = 8;
    const dls_vec3 d = dls_m3_column(&at.R, 1), side = dls_m3_column(&at.R, 2);
    const double turn = within(1.2);
    place(&bar, &b, near_to(dls_v3_axpy(dls_v3_scale(-cos(turn), d), sin(turn), side)), gap, 0);
    b.pose.p = dls_v3_axpy(b.pose.p, within(0.3) - dls_v3_dot(x, dls_v3_sub(b.pose.p, at.p)), x);
  } else {
    b.pose.p = dls_v3_axpy(at.p, gap - R - before_plane(&b, in, at.p), in);
    b.pose.p = dls_v3_axpy(b.pose.p, gap - R + out_from(&b, &at), in);
  }
  double right = R - out_from(&b, &at);
  for (int end = -1; end <= 1 && ends; end += 2)
    right = dls_min(right, before_plane(&b, dls_v3_scale(-end, x), dls_v3_axpy(at.p, end * length / 2, x)));
  told t1;
  ask(drum, &at, b.shape, &b.pose, 0.5, &t1);
  for (int k = 0; k < l.count && bars; k++) {
    body bar = bar_of(&at, R, length, &l, k);
    double s = largest(&bar, &b, in);
    for (int i = 0; i < t1.n; i++) s = dls_max(s, separation(&bar, &b, t1.touch[i].normal));
    right = dls_min(right, s);
  }
  int bad = judge("drum", names[j], seed, right, &t1, b.size);
  bad += off_points("drum", names[j], seed, &b, false, &t1);
  dls_shape_drop(drum), dls_shape_drop(b.shape);
  return bad;
}

static int check_plane(const dls_alloc *alloc, int j, int seed) {
  body b = make(alloc, j);
  const double normal[3] = {within(1), within(1), 0.1 + uniform()};
  dls_shape *plane;
  if (dls_shape_plane(alloc, normal, within(1), &plane, NULL)) fail("plane");
  const dls_pose3 at = random_pose();
  const dls_vec3 n = dls_m3_apply(&at.R, plane->normal), on = dls_v3_axpy(at.p, plane->offset, n);
  const dls_mat3 R = frame_of(n, 0);
  turn_beside(&b, &R);
  b.pose.p = dls_v3_axpy(on, 0.3, dls_m3_column(&R, 1));
  b.pose.p = dls_v3_axpy(b.pose.p, gap_wanted() - before_plane(&b, n, on), n);
  told t;
  ask(plane, &at, b.shape, &b.pose, 0.01, &t);
  int bad = judge("plane", names[j], seed, before_plane(&b, n, on), &t, b.size);
  bad += off_points("plane", names[j], seed, &b, false, &t);
  dls_shape_drop(plane), dls_shape_drop(b.shape);
  return bad;
}

/* The faces of a box as triangles. */
static dls_shape *shell_of(const dls_alloc *alloc, const body *box) {
  static const int face[6][4] = {{0, 4, 6, 2}, {1, 3, 7, 5}, {0, 1, 5, 4}, {2, 6, 7, 3}, {0, 2, 3, 1}, {4, 5, 7, 6}};
  int tri[36];
  double x[24];
  dls_shape *mesh;
  for (int i = 0; i < 8; i++) dls_v3_store(x + 3 * i, box->p[i]);
  for (int f = 0; f < 6; f++)
    for (int k = 0; k < 2; k++) {
      int *t = tri + 6 * f + 3 * k;
      t[0] = face[f][0], t[1] = face[f][k + 1], t[2] = face[f][k + 2];
    }
  if (dls_shape_mesh(alloc, 8, x, 12, tri, &mesh, NULL)) fail("mesh");
  return mesh;
}

/* A mesh of a box, and a union of two bodies. */
static int check_parts(const dls_alloc *alloc, int wall, int j, int seed) {
  body a = make(alloc, wall == MESH ? BOX : (int)(N_KINDS * uniform())), c = make(alloc, (int)(N_KINDS * uniform()));
  body b = make(alloc, j);
  a.pose = random_pose();
  dls_shape *shape = NULL;
  dls_pose3 at = a.pose;
  if (wall == MESH) {
    shape = shell_of(alloc, &a);
  } else {
    c.pose = random_pose();
    const dls_child child[2] = {{a.shape, dls_pose2_identity(), a.pose}, {c.shape, dls_pose2_identity(), c.pose}};
    if (dls_shape_compound(alloc, 2, child, &shape, NULL)) fail("compound");
    at = dls_pose3_identity();
  }
  turn_beside(&b, &a.pose.R);
  const double gap = wall == MESH ? fabs(gap_wanted()) : gap_wanted();
  place(&a, &b, uniform() < 0.3 ? random_unit() : near_to(dls_m3_column(&a.pose.R, (int)(3 * uniform()))), gap, 0.1 * uniform());
  told t;
  ask(shape, &at, b.shape, &b.pose, 0.5, &t);
  double right = DLS_INF;
  for (int k = 0; k < (wall == MESH ? 1 : 2); k++) {
    const body *part = k == 0 ? &a : &c;
    double s = largest(part, &b, random_unit());
    s = dls_max(s, separation(part, &b, t.near.normal));
    for (int i = 0; i < t.n; i++) s = dls_max(s, separation(part, &b, t.touch[i].normal));
    right = dls_min(right, s);
  }
  int bad = wall == MESH && right < 0 ? 0 : judge(walls[wall], names[j], seed, right, &t, dls_min(a.size, b.size));
  bad += off_points(walls[wall], names[j], seed, &b, false, &t);
  dls_shape_drop(shape), dls_shape_drop(a.shape), dls_shape_drop(b.shape), dls_shape_drop(c.shape);
  return bad;
}

int separation_walls(int pairs, int first) {
  const dls_alloc alloc = dls_alloc_libc();
  int wrong = 0;
  for (int i = 0; i < N_WALLS; i++)
    for (int j = 0; j < N_KINDS; j++) {
      int bad = 0;
      for (int seed = first; seed < first + pairs && bad < 5; seed++) {
        state = (uint64_t)seed * 1000003u + (uint64_t)(100 * i + j);
        for (int k = 0; k < 4; k++) uniform();
        bad += i == PLANE ? check_plane(&alloc, j, seed) : i == DRUM ? check_drum(&alloc, j, seed) : check_parts(&alloc, i, j, seed);
      }
      wrong += bad;
    }
  return wrong;
}
