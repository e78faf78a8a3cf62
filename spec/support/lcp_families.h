/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#ifndef LCP_FAMILIES_H
#define LCP_FAMILIES_H

/* Families of symmetric complementarity problems from fixed seeds, for specs and benchmarks. Dense
** n x n, so rows or columns first are the same thing. No library beyond libm. */
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

typedef struct family_rng {
  uint64_t s;
} family_rng;

static inline double uniform(family_rng *r) {
  uint64_t z = (r->s += 0x9E3779B97F4A7C15ull);
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ull;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBull;
  return ((double)((z ^ (z >> 31)) >> 11) + 0.5) * (1.0 / 9007199254740992.0);
}

/* Sum of twelve uniform numbers less six: near enough to normal, and the same bits everywhere. */
static inline double normal(family_rng *r) {
  double s = -6.0;
  for (int i = 0; i < 12; i++) s += uniform(r);
  return s;
}

/* A A'/n + 0.1 I; a share of q exactly zero. */
static inline void make_spd(family_rng *r, int n, double zeros, double *M, double *q) {
  const size_t m = (size_t)n;
  double *A = (double *)malloc(m * m * sizeof *A);
  for (size_t i = 0; i < m * m; i++) A[i] = normal(r);
  for (size_t i = 0; i < m; i++)
    for (size_t j = 0; j <= i; j++) {
      double s = 0.0;
      for (size_t k = 0; k < m; k++) s += A[i * m + k] * A[j * m + k];
      M[i * m + j] = M[j * m + i] = s / n + (i == j ? 0.1 : 0.0);
    }
  for (size_t i = 0; i < m; i++) {
    const double g = normal(r);
    q[i] = uniform(r) < zeros ? 0.0 : g;
  }
  free(A);
}

/* Condition 1e8: Q diag(1 .. 1e-8) Q'. q from a known solution of size one, or random. */
static inline void make_ill(family_rng *r, int n, int known, double *M, double *q) {
  const size_t m = (size_t)n;
  double *Q = (double *)malloc(m * m * sizeof *Q), *z = (double *)calloc(m, sizeof *z);
  for (size_t i = 0; i < m; i++) {
    double *v = Q + i * m, norm = 0.0;
    for (size_t j = 0; j < m; j++) v[j] = normal(r);
    for (int twice = 0; twice < 2; twice++)
      for (size_t k = 0; k < i; k++) {
        double s = 0.0;
        for (size_t j = 0; j < m; j++) s += v[j] * Q[k * m + j];
        for (size_t j = 0; j < m; j++) v[j] -= s * Q[k * m + j];
      }
    for (size_t j = 0; j < m; j++) norm += v[j] * v[j];
    for (size_t j = 0; j < m; j++) v[j] /= sqrt(norm);
  }
  memset(M, 0, m * m * sizeof *M);
  for (size_t k = 0; k < m; k++) {
    const double size = pow(10.0, -8.0 * (double)k / (n > 1 ? n - 1 : 1));
    const double *v = Q + k * m;
    for (size_t i = 0; i < m; i++)
      for (size_t j = 0; j <= i; j++) M[i * m + j] += size * v[i] * v[j];
  }
  for (size_t i = 0; i < m; i++)
    for (size_t j = 0; j < i; j++) M[j * m + i] = M[i * m + j];
  for (size_t i = 0; i < m; i++) q[i] = known ? 0.0 : normal(r);
  for (size_t i = 0; known && i < m; i++) {
    const double value = 0.1 + uniform(r);
    if (uniform(r) < 0.5) z[i] = value;
    else q[i] = value;
  }
  for (size_t i = 0; known && i < m; i++)
    for (size_t j = 0; j < m; j++) q[i] -= M[i * m + j] * z[j];
  free(Q);
  free(z);
}

/* n bodies in a column on the ground: tridiagonal. */
static inline void make_stack(family_rng *r, int n, int rest, double *M, double *q) {
  const size_t m = (size_t)n;
  double before = 0.0, v_before = 0.0;
  memset(M, 0, m * m * sizeof *M);
  for (size_t i = 0; i < m; i++) {
    const double inverse = rest ? 1.0 : 1.0 / (0.5 + 1.5 * uniform(r));
    const double v = -0.0981 + (rest ? 0.0 : normal(r));
    M[i * m + i] = inverse + before;
    if (i + 1 < m) M[i * m + i + 1] = M[(i + 1) * m + i] = -inverse;
    q[i] = v - v_before;
    before = inverse;
    v_before = v;
  }
}

/* Contacts of a hexagonal pile of equal disks in a box, the n lowest: semidefinite, singular. */
typedef struct family_contact {
  int a, b; /* b < 0: the box */
  double x, y;
} family_contact;

static inline int pile_contacts(int n, int columns, family_contact *c) {
  const double root = sqrt(3.0) / 2.0;
  int k = 0;
  for (int row = 0, first = 0, below = 0; k < n; below = first, first += columns - row % 2, row++)
    for (int i = 0; i < columns - row % 2; i++) {
      const int disk = first + i, odd = row % 2, left = odd ? i : i - 1;
      const int n_below = columns - (row + 1) % 2;
      family_contact list[6];
      int m = 0;
      if (row == 0) list[m++] = (family_contact){disk, -1, 0.0, 1.0};
      if (!odd && i == 0) list[m++] = (family_contact){disk, -1, 1.0, 0.0};
      if (!odd && i == columns - 1) list[m++] = (family_contact){disk, -1, -1.0, 0.0};
      if (i > 0) list[m++] = (family_contact){disk, disk - 1, 1.0, 0.0};
      if (row > 0 && left >= 0) list[m++] = (family_contact){disk, below + left, 0.5, root};
      if (row > 0 && left + 1 < n_below)
        list[m++] = (family_contact){disk, below + left + 1, -0.5, root};
      for (int j = 0; j < m && k < n; j++) c[k++] = list[j];
    }
  int disks = 0;
  for (int i = 0; i < n; i++) disks = c[i].a >= disks ? c[i].a + 1 : disks;
  return disks;
}

static inline void make_pile(family_rng *r, int n, double speed, double *M, double *q) {
  int columns = (int)ceil(sqrt(n / 3.0)) + 1;
  if (columns < 3) columns = 3;
  family_contact *c = (family_contact *)malloc((size_t)n * sizeof *c);
  const int disks = pile_contacts(n, columns, c);
  double *v = (double *)malloc((size_t)disks * 2 * sizeof *v);
  for (int d = 0; d < disks; d++) {
    v[2 * d] = speed * normal(r);
    v[2 * d + 1] = -0.0981 + speed * normal(r);
  }
  for (int i = 0; i < n; i++) {
    for (int j = 0; j < n; j++) {
      const double cosine = c[i].x * c[j].x + c[i].y * c[j].y;
      double s = 0.0;
      if (c[i].a == c[j].a) s += cosine;
      if (c[i].b >= 0 && c[i].b == c[j].b) s += cosine;
      if (c[i].a == c[j].b || c[i].b == c[j].a) s -= cosine;
      M[(size_t)i * (size_t)n + (size_t)j] = s;
    }
    q[i] = c[i].x * v[2 * c[i].a] + c[i].y * v[2 * c[i].a + 1];
    if (c[i].b >= 0) q[i] -= c[i].x * v[2 * c[i].b] + c[i].y * v[2 * c[i].b + 1];
  }
  free(c);
  free(v);
}

static const char *const family_names[] = {"spd",  "stackv", "stackrest", "illK", "illR",
                                           "pile", "pilev",  "zeros",     NULL};

static inline void make_family(const char *name, int n, int seed, double *M, double *q) {
  family_rng r = {0x1234567ull + (uint64_t)n * 7919u + (uint64_t)seed * 104729u};
  for (const char *c = name; *c; c++) r.s = r.s * 131u + (unsigned char)*c;
  if (!strcmp(name, "spd")) make_spd(&r, n, 0.0, M, q);
  else if (!strcmp(name, "zeros")) make_spd(&r, n, 0.7, M, q);
  else if (!strcmp(name, "stackv")) make_stack(&r, n, 0, M, q);
  else if (!strcmp(name, "stackrest")) make_stack(&r, n, 1, M, q);
  else if (!strcmp(name, "illK")) make_ill(&r, n, 1, M, q);
  else if (!strcmp(name, "illR")) make_ill(&r, n, 0, M, q);
  else if (!strcmp(name, "pile")) make_pile(&r, n, 0.0, M, q);
  else make_pile(&r, n, 0.1, M, q);
}

#endif
