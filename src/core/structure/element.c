/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#include "core/structure/element.h"

#include "core/structure/quad.h"

/* Direction and length of a bar or frame. */
static double axis_of(const dls_structure *st, const dls_element *e, double d[2]) {
  const double *a = st->nodes[e->node[0]].at, *b = st->nodes[e->node[1]].at;
  d[0] = b[0] - a[0];
  d[1] = b[1] - a[1];
  const double length = sqrt(d[0] * d[0] + d[1] * d[1]);
  d[0] /= length;
  d[1] /= length;
  return length;
}

static void bar_matrix(const dls_structure *st, const dls_element *e, double *K, double *heat) {
  double d[2];
  const double length = axis_of(st, e, d), k = e->E * e->A / length;
  const double force = e->E * e->A * e->expansion;
  const double g[4] = {-d[0], -d[1], d[0], d[1]};
  for (int i = 0; i < 4; i++) {
    heat[i] = force * g[i];
    for (int j = 0; j < 4; j++) K[4 * i + j] = k * g[i] * g[j];
  }
}

/* Rows of (axial stretch, across at 1, rotation 1, across at 2, rotation 2) on the six numbers of
** a frame. */
static void frame_rows(const double d[2], double G[5][6]) {
  memset(G, 0, 30 * sizeof G[0][0]);
  G[0][0] = -d[0];
  G[0][1] = -d[1];
  G[0][3] = d[0];
  G[0][4] = d[1];
  for (int end = 0; end < 2; end++) {
    G[1 + 2 * end][3 * end] = -d[1];
    G[1 + 2 * end][3 * end + 1] = d[0];
    G[2 + 2 * end][3 * end + 2] = 1.0;
  }
}

static void beam(const dls_element *e, double l, double k[4][4]) {
  const double c = e->E * e->I / (l * l * l);
  const double unit[4][4] = {{12, 6 * l, -12, 6 * l},
                             {6 * l, 4 * l * l, -6 * l, 2 * l * l},
                             {-12, -6 * l, 12, -6 * l},
                             {6 * l, 2 * l * l, -6 * l, 4 * l * l}};
  for (int i = 0; i < 4; i++)
    for (int j = 0; j < 4; j++) k[i][j] = c * unit[i][j];
}

static void frame_matrix(const dls_structure *st, const dls_element *e, double *K, double *heat) {
  double d[2], G[5][6], k[4][4];
  const double length = axis_of(st, e, d), axial = e->E * e->A / length;
  frame_rows(d, G);
  beam(e, length, k);
  for (int i = 0; i < 6; i++) {
    heat[i] = e->E * e->A * e->expansion * G[0][i];
    for (int j = 0; j < 6; j++) {
      double sum = axial * G[0][i] * G[0][j];
      for (int a = 0; a < 4; a++)
        for (int b = 0; b < 4; b++) sum += G[1 + a][i] * k[a][b] * G[1 + b][j];
      K[6 * i + j] = sum;
    }
  }
}

void dls_element_matrix(const dls_structure *st, const dls_element *e, double *K, double *heat) {
  if (e->kind == DLS_ELEMENT_BAR) bar_matrix(st, e, K, heat);
  else if (e->kind == DLS_ELEMENT_FRAME) frame_matrix(st, e, K, heat);
  else dls_quad_matrix(st, e, K, heat);
}

void dls_element_section(const dls_structure *st, const dls_element *e, const double *u, double T,
                         double *s) {
  double d[2], G[5][6], k[4][4], q[5] = {0};
  const double length = axis_of(st, e, d);
  memset(s, 0, 5 * sizeof *s);
  if (e->kind == DLS_ELEMENT_BAR) {
    q[0] = d[0] * (u[2] - u[0]) + d[1] * (u[3] - u[1]);
  } else {
    frame_rows(d, G);
    for (int i = 0; i < 5; i++)
      for (int j = 0; j < 6; j++) q[i] += G[i][j] * u[j];
  }
  s[0] = e->E * e->A * (q[0] / length - e->expansion * T);
  if (e->kind == DLS_ELEMENT_BAR) return;
  beam(e, length, k);
  double force[4] = {0}; /* of the nodes on the beam: across, moment, at both ends */
  for (int a = 0; a < 4; a++)
    for (int b = 0; b < 4; b++) force[a] += k[a][b] * q[1 + b];
  s[1] = force[0];
  s[2] = 0.0 - force[1];
  s[3] = 0.0 - force[2];
  s[4] = force[3];
}

void dls_element_stress(const dls_structure *st, const dls_element *e, const double *u, double T,
                        double *s) {
  dls_quad_stress(st, e, u, T, s);
}
