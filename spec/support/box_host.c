/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#include "core/collide/separate3.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "chance.h"

/* Of two boxes the best of the directions that can be written down, bit by bit that of looking at all 31 of them, one after
** the other. Arguments: pairs, first seed. Prints what is wrong with its seed, and "ok" at the end. */

static dls_vec3 random_unit(void) { return dls_v3_unit(dls_v3(within(1), within(1), 0.01 + within(1))); }
static dls_mat3 frame_of(dls_vec3 u, double turn) {
  const dls_vec3 e = dls_v3_orthogonal(u), g = dls_v3_cross(u, e);
  const dls_vec3 y = dls_v3_axpy(dls_v3_scale(cos(turn), e), sin(turn), g);
  return dls_m3_columns(u, y, dls_v3_cross(u, y));
}

typedef struct search {
  const dls_body3 *a, *b;
  dls_separation3 best;
} search;

static void look(search *f, dls_vec3 n) {
  dls_separation3 s = {0, n, dls_body3_support(f->a, n), dls_body3_support(f->b, dls_v3_neg(n))};
  s.value = dls_v3_dot(n, dls_v3_sub(s.y, s.x));
  if (s.value > f->best.value) f->best = s;
}

static void look_faces(search *f, const dls_body3 *body, double sign) {
  for (int k = 0; k < 6; k++) {
    const double one = sign * (k % 2 ? 1 : -1);
    look(f, dls_m3_apply(&body->R, dls_v3(k / 2 == 0 ? one : 0, k / 2 == 1 ? one : 0, k / 2 == 2 ? one : 0)));
  }
}

static void look_crossings(search *f) {
  for (int k = 0; k < 9; k++) {
    const dls_vec3 e = dls_m3_column(&f->a->R, k / 3), g = dls_m3_column(&f->b->R, k % 3), w = dls_v3_cross(e, g);
    const double ww = dls_v3_dot(w, w);
    if (!(ww > 1e-14)) continue;
    look(f, dls_v3_unit(dls_v3_scale(sqrt(1 / ww), w)));
    look(f, dls_v3_unit(dls_v3_scale(-sqrt(1 / ww), w)));
  }
}

static dls_separation3 best_of_all(const dls_body3 *a, const dls_body3 *b, double enough) {
  search f = {a, b, {-DLS_INF, {1, 0, 0}, {0, 0, 0}, {0, 0, 0}}};
  const dls_vec3 d = dls_v3_sub(b->p, a->p);
  look(&f, dls_v3_norm(d) > 0 ? dls_v3_unit(d) : dls_v3(1, 0, 0));
  for (int k = 0; k < 2 && !(f.best.value > enough); k++) look_faces(&f, k == 0 ? a : b, k == 0 ? 1 : -1);
  if (!(f.best.value > enough)) look_crossings(&f);
  return f.best;
}

static double tiny(void) { return pow(10, -between(0, 17)); }

/* A box about half as large as `size` to one twice as large; now and then flat or long. */
static dls_shape *make_box(const dls_alloc *alloc, double size) {
  double s[3];
  dls_shape *shape = NULL;
  for (int k = 0; k < 3; k++) s[k] = size * (uniform() < 0.3 ? 1 : uniform() < 0.2 ? tiny() : between(0.5, 2));
  if (dls_shape_box(alloc, 3, s, &shape, NULL) != DLS_OK) exit(1);
  return shape;
}

/* b on a face of a, askew by anything down to round-off, or anywhere. */
static void place(const dls_shape *a, const dls_shape *b, double size, dls_pose3 *A, dls_pose3 *B) {
  A->R = uniform() < 0.3 ? dls_m3_identity() : frame_of(random_unit(), within(3));
  A->p = dls_v3_scale(uniform() < 0.5 ? 0 : 1e3 * size, random_unit());
  const dls_mat3 askew = frame_of(dls_v3_unit(dls_v3_axpy(dls_v3(1, 0, 0), tiny(), random_unit())), tiny());
  B->R = uniform() < 0.2 ? A->R : uniform() < 0.7 ? dls_m3_mul(&A->R, &askew) : frame_of(random_unit(), within(3));
  const int k = (int)(3 * uniform());
  const double h_a[3] = {a->half.x, a->half.y, a->half.z}, h_b[3] = {b->half.x, b->half.y, b->half.z};
  double d[3];
  for (int i = 0; i < 3; i++) d[i] = i == k ? h_a[i] + h_b[i] : uniform() < 0.4 ? 0 : within(h_a[i] + h_b[i]);
  d[k] += size * (uniform() < 0.3 ? 0 : within(1) * tiny());
  if (uniform() < 0.2) dls_v3_store(d, dls_v3_scale(2 * size * uniform(), random_unit()));
  B->p = dls_v3_add(A->p, dls_m3_apply(&A->R, dls_v3_load(d)));
}

static int check_pair(const dls_alloc *alloc, int seed) {
  state = (uint64_t)seed * 1000003u;
  for (int k = 0; k < 4; k++) uniform();
  const double size = uniform() < 0.5 ? 1 : pow(10, within(4));
  dls_shape *a = make_box(alloc, size), *b = make_box(alloc, size);
  dls_pose3 A, B;
  place(a, b, size, &A, &B);
  const dls_body3 x = dls_body3_make(a, &A, A.p), y = dls_body3_make(b, &B, A.p);
  const double enough = size * (uniform() < 0.3 ? DLS_INF : uniform() < 0.5 ? tiny() : within(1));
  const dls_separation3 want = best_of_all(&x, &y, enough);
  const dls_separation3 got = dls_separate3_candidates(&x, &y, enough, dls_v3(0, 0, 0));
  const bool same = want.value == got.value && want.n.x == got.n.x && want.n.y == got.n.y && want.n.z == got.n.z &&
                    !memcmp(&want.x, &got.x, sizeof want.x) && !memcmp(&want.y, &got.y, sizeof want.y);
  if (!same) printf("seed %d: %.17g along %g %g %g, not %.17g along %g %g %g\n", seed, got.value, got.n.x, got.n.y, got.n.z,
                    want.value, want.n.x, want.n.y, want.n.z);
  dls_shape_drop(a);
  dls_shape_drop(b);
  return !same;
}

int main(int argc, char **argv) {
  const dls_alloc alloc = dls_alloc_libc();
  const int pairs = argc > 1 ? atoi(argv[1]) : 20000, first = argc > 2 ? atoi(argv[2]) : 1;
  int bad = 0;
  for (int seed = first; seed < first + pairs && bad < 5; seed++) bad += check_pair(&alloc, seed);
  if (!bad) puts("ok");
  return bad > 0;
}
