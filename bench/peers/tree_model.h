/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#ifndef TREE_MODEL_H
#define TREE_MODEL_H

/* The model and state that bench/tree_models.lua writes, for programs in C and C++:
**
**   name n gx gy gz
**   a line a body: parent (-1 the world) kind (r hinge, b ball, f free) axis (0 x, 1 y, 2 z)
**     R0 (9, rows: child axes at zero in the parent) p (3) mass com (3) Ic (xx yy zz xy xz yz, about the centre)
**   q, u, tau, udot: our accelerations, for comparison
**
** The frame of a body stands at its joint. b: q = quaternion w x y z of the child in the joint's zero frame, u = angular
** velocity relative to the parent in child axes. f: q = origin in the world, quaternion; u = velocity of the origin in
** world axes, angular velocity in child axes. udot is the derivative of these numbers, tau is conjugate to u. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

typedef struct {
  int parent, axis, iq, iu, nq, nu;
  char kind;
  double R[9], p[3], m, com[3], I[6];
} Body;

typedef struct {
  char name[64];
  int n, nq, nu;
  double g[3];
  Body *body;
  double *q, *u, *tau, *udot;
} Model;

static int read_numbers(FILE *file, int n, double *x) {
  for (int i = 0; i < n; i++)
    if (fscanf(file, "%lf", &x[i]) != 1) return 0;
  return 1;
}
static double *read_list(FILE *file, int n) {
  double *x = (double *)malloc((size_t)n * sizeof *x);
  if (!read_numbers(file, n, x)) exit(2);
  return x;
}

static Model read_model(const char *path) {
  Model m;
  FILE *file = fopen(path, "r");
  if (!file || fscanf(file, "%63s %d", m.name, &m.n) != 2 || !read_numbers(file, 3, m.g)) exit(2);
  m.body = (Body *)malloc((size_t)m.n * sizeof *m.body);
  m.nq = m.nu = 0;
  for (int i = 0; i < m.n; i++) {
    Body *b = &m.body[i];
    if (fscanf(file, "%d %c %d", &b->parent, &b->kind, &b->axis) != 3 || !read_numbers(file, 9, b->R) ||
        !read_numbers(file, 3, b->p) || !read_numbers(file, 1, &b->m) || !read_numbers(file, 3, b->com) ||
        !read_numbers(file, 6, b->I))
      exit(2);
    b->nq = b->kind == 'r' ? 1 : b->kind == 'b' ? 4 : 7;
    b->nu = b->kind == 'r' ? 1 : b->kind == 'b' ? 3 : 6;
    b->iq = m.nq;
    b->iu = m.nu;
    m.nq += b->nq;
    m.nu += b->nu;
  }
  m.q = read_list(file, m.nq);
  m.u = read_list(file, m.nu);
  m.tau = read_list(file, m.nu);
  m.udot = read_list(file, m.nu);
  fclose(file);
  return m;
}

static double now_ns(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return 1e9 * (double)t.tv_sec + (double)t.tv_nsec;
}

/* ns = nanoseconds a run of `statement`: the best of fifteen batches of at least 2 ms. */
#define TIME(ns, statement)                                                                    \
  do {                                                                                         \
    long k_ = 1;                                                                               \
    double t_;                                                                                 \
    for (;; k_ *= 2) {                                                                         \
      t_ = now_ns();                                                                           \
      for (long i_ = 0; i_ < k_; i_++) { statement; }                                          \
      if (now_ns() - t_ > 2e6) break;                                                          \
    }                                                                                          \
    ns = HUGE_VAL;                                                                             \
    for (int b_ = 0; b_ < 15; b_++) {                                                           \
      t_ = now_ns();                                                                           \
      for (long i_ = 0; i_ < k_; i_++) { statement; }                                          \
      t_ = (now_ns() - t_) / (double)k_;                                                       \
      if (t_ < ns) ns = t_;                                                                    \
    }                                                                                          \
  } while (0)

/* A line of bench/tree.lua: the difference is the largest of all accelerations, relative to the largest of ours. */
static void report(const Model *m, const char *name, double ns, const double *udot) {
  double off = 0, most = 0;
  for (int i = 0; i < m->nu; i++) {
    const double d = fabs(udot[i] - m->udot[i]);
    if (!(d <= off)) off = d;
    if (fabs(m->udot[i]) > most) most = fabs(m->udot[i]);
  }
  off /= most;
  printf("%s,%d,%s,%.1f,%.1e%s\n", m->name, m->n, name, ns / m->n, off, off <= 1e-6 ? "" : " WRONG");
  fflush(stdout);
}

#endif
