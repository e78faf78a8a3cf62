/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */

/* tree_published MODEL [stormer]: forward dynamics as the papers print it, 6 x 6 blocks in full, for a fair comparison of the two
** eliminations (EQUATIONS C): Shimanovskiy's block L'DL, and Vereshchagin's sweep with P = E - M A (A'MA)^-1 A' formed and
** multiplied out. The latter is unstable on chains of balls; it belongs here and nowhere else. */
#include "tree_model.h"

typedef struct {
  double E[9], om[3];                   /* pose in the parent, angular velocity */
  double C[36], A[36], M[36], F[6], ws[6]; /* A: 6 x n                            */
  double Ms[36], Fs[6];                 /* starred                              */
  double U[36], x[6], V[36];            /* factor of A'M*A, ..., n x 6          */
  double w[6];
} Node;

static void cross(double *o, const double *a, const double *b) {
  const double x = a[1] * b[2] - a[2] * b[1], y = a[2] * b[0] - a[0] * b[2];
  o[2] = a[0] * b[1] - a[1] * b[0], o[0] = x, o[1] = y;
}
/* o (m x n) = A (m x k) B (k x n); with a transposed A (k x m) */
static void product(double *o, const double *A, const double *B, int m, int k, int n) {
  for (int i = 0; i < m; i++)
    for (int j = 0; j < n; j++) {
      double s = 0;
      for (int l = 0; l < k; l++) s += A[i * k + l] * B[l * n + j];
      o[i * n + j] = s;
    }
}
static void product_t(double *o, const double *A, const double *B, int m, int k, int n) {
  for (int i = 0; i < m; i++)
    for (int j = 0; j < n; j++) {
      double s = 0;
      for (int l = 0; l < k; l++) s += A[l * m + i] * B[l * n + j];
      o[i * n + j] = s;
    }
}

static void rotation(double *R, const Body *b, const double *q) {
  double w, x, y, z;
  if (b->kind == 'r') {
    const int i = (b->axis + 1) % 3, j = (b->axis + 2) % 3;
    const double c = cos(q[0]), s = sin(q[0]);
    memset(R, 0, 9 * sizeof *R);
    R[4 * b->axis] = 1, R[4 * i] = R[4 * j] = c, R[3 * i + j] = -s, R[3 * j + i] = s;
    return;
  }
  if (b->kind == 'f') q += 3;
  w = q[0], x = q[1], y = q[2], z = q[3];
  R[0] = 1 - 2 * (y * y + z * z), R[1] = 2 * (x * y - w * z), R[2] = 2 * (x * z + w * y);
  R[3] = 2 * (x * y + w * z), R[4] = 1 - 2 * (x * x + z * z), R[5] = 2 * (y * z - w * x);
  R[6] = 2 * (x * z - w * y), R[7] = 2 * (y * z + w * x), R[8] = 1 - 2 * (x * x + y * y);
}

/* C, A, M, F, w* of one body; g: gravity in its axes. */
static void kinematics(const Model *m, int i, Node *nodes, double (*g)[3]) {
  const Body *b = &m->body[i];
  const double *u = m->u + b->iu, still[3] = {0, 0, 0}, *down = b->parent < 0 ? m->g : g[b->parent];
  Node *s = &nodes[i];
  const double *om_k = b->parent < 0 ? still : nodes[b->parent].om;
  double R[9], r[3], own[3] = {0, 0, 0}, t[3], carried[3];
  rotation(R, b, m->q + b->iq);
  product(s->E, b->R, R, 3, 3, 3);
  memcpy(r, b->kind == 'f' ? m->q + b->iq : b->p, sizeof r);
  product_t(g[i], s->E, down, 3, 3, 1);
  product_t(carried, s->E, om_k, 3, 3, 1);
  memset(s->A, 0, sizeof s->A);
  for (int k = 0; k < b->nu; k++)
    if (b->kind == 'r')
      s->A[b->axis] = 1;
    else if (b->kind == 'b')
      s->A[k * 3 + k] = 1;
    else if (k < 3)
      for (int l = 0; l < 3; l++) s->A[(3 + l) * 6 + k] = s->E[3 * k + l];
    else
      s->A[(k - 3) * 6 + k] = 1;
  if (b->kind == 'r') own[b->axis] = u[0];
  if (b->kind == 'b') memcpy(own, u, sizeof own);
  if (b->kind == 'f') memcpy(own, u + 3, sizeof own);
  for (int k = 0; k < 3; k++) s->om[k] = carried[k] + own[k];
  cross(s->ws, carried, own);
  cross(t, om_k, r);
  cross(t, om_k, t);
  product_t(s->ws + 3, s->E, t, 3, 3, 1);
  /* C = [ E' 0 ; -E' r~ E' ] */
  const double rt[9] = {0, -r[2], r[1], r[2], 0, -r[0], -r[1], r[0], 0};
  memset(s->C, 0, sizeof s->C);
  for (int a = 0; a < 3; a++)
    for (int c = 0; c < 3; c++) {
      double low = 0;
      for (int l = 0; l < 3; l++) low -= s->E[3 * l + a] * rt[3 * l + c];
      s->C[6 * a + c] = s->C[6 * (a + 3) + c + 3] = s->E[3 * c + a];
      s->C[6 * (a + 3) + c] = low;
    }
  /* M = [ J m r~ ; -m r~ m E ], F */
  const double *c = b->com, m0 = b->m, *I = b->I;
  const double ct[9] = {0, -c[2], c[1], c[2], 0, -c[0], -c[1], c[0], 0};
  const double Jc[9] = {I[0], I[3], I[4], I[3], I[1], I[5], I[4], I[5], I[2]};
  double J[9], f[3], n[3];
  memset(s->M, 0, sizeof s->M);
  for (int a = 0; a < 3; a++)
    for (int d = 0; d < 3; d++) {
      double square = 0;
      for (int l = 0; l < 3; l++) square += ct[3 * a + l] * ct[3 * l + d];
      J[3 * a + d] = s->M[6 * a + d] = Jc[3 * a + d] - m0 * square;
      s->M[6 * a + d + 3] = m0 * ct[3 * a + d];
      s->M[6 * (a + 3) + d] = -m0 * ct[3 * a + d];
    }
  for (int a = 3; a < 6; a++) s->M[7 * a] = m0;
  product(t, J, s->om, 3, 3, 1);
  cross(n, s->om, t);
  cross(t, s->om, c);
  cross(f, s->om, t);
  cross(t, c, g[i]);
  for (int a = 0; a < 3; a++) {
    s->F[a] = m0 * t[a] - n[a];
    s->F[3 + a] = m0 * (g[i][a] - f[a]);
  }
  memcpy(s->Ms, s->M, sizeof s->M);
  memcpy(s->Fs, s->F, sizeof s->F);
}

/* L L' = S, n x n, in place (lower triangle). */
static void cholesky(double *S, int n) {
  for (int j = 0; j < n; j++)
    for (int i = j; i < n; i++) {
      double s = S[i * n + j];
      for (int l = 0; l < j; l++) s -= S[i * n + l] * S[j * n + l];
      S[i * n + j] = i == j ? sqrt(s) : s / S[j * n + j];
    }
}
static void forward(const double *L, double *x, int n, int columns) { /* L^-1 X */
  for (int i = 0; i < n; i++)
    for (int c = 0; c < columns; c++) {
      double s = x[i * columns + c];
      for (int l = 0; l < i; l++) s -= L[i * n + l] * x[l * columns + c];
      x[i * columns + c] = s / L[i * n + i];
    }
}
static void back(const double *L, double *x, int n, int columns) { /* L'^-1 X */
  for (int i = n - 1; i >= 0; i--)
    for (int c = 0; c < columns; c++) {
      double s = x[i * columns + c];
      for (int l = i + 1; l < n; l++) s -= L[l * n + i] * x[l * columns + c];
      x[i * columns + c] = s / L[i * n + i];
    }
}

/* What both need: M* A, A'M*A factored, F* - M* w*, and A' of it plus the joint's force. */
static void joint(const Model *m, int i, Node *s, double *MA, double *rest, double *z) {
  const Body *b = &m->body[i];
  double t[6];
  product(MA, s->Ms, s->A, 6, 6, b->nu);
  product_t(s->U, s->A, MA, b->nu, 6, b->nu);
  cholesky(s->U, b->nu);
  product(t, s->Ms, s->ws, 6, 6, 1);
  for (int k = 0; k < 6; k++) rest[k] = s->Fs[k] - t[k];
  product_t(z, s->A, rest, b->nu, 6, 1);
  for (int k = 0; k < b->nu; k++) z[k] += m->tau[b->iu + k];
}

static void add(double *o, const double *x, int n, double sign) {
  for (int k = 0; k < n; k++) o[k] += sign * x[k];
}

static void block_ldl(const Model *m, Node *nodes, double (*g)[3], double *udot) {
  double MA[36], rest[6], T[36], S[36], t[6];
  for (int i = 0; i < m->n; i++) kinematics(m, i, nodes, g);
  for (int i = m->n - 1; i >= 0; i--) {
    const Body *b = &m->body[i];
    Node *s = &nodes[i];
    joint(m, i, s, MA, rest, s->x);
    forward(s->U, s->x, b->nu, 1);
    if (b->parent < 0) continue;
    Node *k = &nodes[b->parent];
    product(T, s->Ms, s->C, 6, 6, 6);
    product_t(s->V, s->A, T, b->nu, 6, 6);
    forward(s->U, s->V, b->nu, 6);
    product_t(S, s->C, T, 6, 6, 6);
    add(k->Ms, S, 36, 1);
    product_t(S, s->V, s->V, 6, b->nu, 6);
    add(k->Ms, S, 36, -1);
    product_t(t, s->C, rest, 6, 6, 1);
    add(k->Fs, t, 6, 1);
    product_t(t, s->V, s->x, 6, b->nu, 1);
    add(k->Fs, t, 6, -1);
  }
  for (int i = 0; i < m->n; i++) {
    const Body *b = &m->body[i];
    Node *s = &nodes[i];
    double *a = udot + b->iu;
    memcpy(a, s->x, (size_t)b->nu * sizeof *a);
    memset(s->w, 0, sizeof s->w);
    if (b->parent >= 0) {
      product(t, s->V, nodes[b->parent].w, b->nu, 6, 1);
      add(a, t, b->nu, -1);
      product(s->w, s->C, nodes[b->parent].w, 6, 6, 1);
    }
    back(s->U, a, b->nu, 1);
    product(t, s->A, a, 6, b->nu, 1);
    add(s->w, t, 6, 1);
    add(s->w, s->ws, 6, 1);
  }
}

static void full_sweep(const Model *m, Node *nodes, double (*g)[3], double *udot) {
  double MA[36], rest[6], z[6], P[36], T[36], S[36], At[36], t[6];
  for (int i = 0; i < m->n; i++) kinematics(m, i, nodes, g);
  for (int i = m->n - 1; i >= 0; i--) {
    const Body *b = &m->body[i];
    Node *s = &nodes[i];
    joint(m, i, s, MA, rest, z);
    if (b->parent < 0) continue;
    Node *k = &nodes[b->parent];
    for (int a = 0; a < 6; a++)
      for (int c = 0; c < b->nu; c++) At[c * 6 + a] = s->A[a * b->nu + c];
    forward(s->U, At, b->nu, 6);
    back(s->U, At, b->nu, 6); /* (A'M*A)^-1 A' */
    product(P, MA, At, 6, b->nu, 6);
    for (int a = 0; a < 36; a++) P[a] = (a % 7 == 0) - P[a];
    product(T, P, s->Ms, 6, 6, 6);
    product_t(S, s->C, T, 6, 6, 6);
    product(T, S, s->C, 6, 6, 6);
    add(k->Ms, T, 36, 1);
    /* F* - M* w* less the joint's own share M* A (A'M*A)^-1 Q */
    double Q[6];
    memcpy(Q, m->tau + b->iu, (size_t)b->nu * sizeof *Q);
    forward(s->U, Q, b->nu, 1);
    back(s->U, Q, b->nu, 1);
    product(t, P, rest, 6, 6, 1);
    product(S, MA, Q, 6, b->nu, 1);
    add(t, S, 6, -1);
    product_t(S, s->C, t, 6, 6, 1);
    add(k->Fs, S, 6, 1);
  }
  for (int i = 0; i < m->n; i++) {
    const Body *b = &m->body[i];
    Node *s = &nodes[i];
    double *a = udot + b->iu;
    memset(s->w, 0, sizeof s->w);
    if (b->parent >= 0) product(s->w, s->C, nodes[b->parent].w, 6, 6, 1);
    add(s->w, s->ws, 6, 1);
    product(t, s->Ms, s->w, 6, 6, 1);
    for (int k = 0; k < 6; k++) rest[k] = s->Fs[k] - t[k];
    product_t(a, s->A, rest, b->nu, 6, 1);
    for (int k = 0; k < b->nu; k++) a[k] += m->tau[b->iu + k];
    forward(s->U, a, b->nu, 1);
    back(s->U, a, b->nu, 1);
    product(t, s->A, a, 6, b->nu, 1);
    add(s->w, t, 6, 1);
  }
}

typedef void method(const Model *m, Node *nodes, double (*g)[3], double *udot);

/* A step of Stoermer's method of order six with Adams velocities (EQUATIONS C.5), hinges only: one evaluation. */
static void stormer(Model *m, method *f, Node *nodes, double (*g)[3], double h, double *history, double *d) {
  static const double sigma[6] = {317.0 / 240, -133.0 / 120, 187.0 / 120, -23.0 / 20, 109.0 / 240, -3.0 / 40};
  static const double adams[6] = {4277.0 / 1440, -2641.0 / 480, 4991.0 / 720, -3649.0 / 720, 959.0 / 480, -95.0 / 288};
  const size_t n = (size_t)m->nu;
  memmove(history + n, history, 5 * n * sizeof *history);
  f(m, nodes, g, history);
  for (size_t i = 0; i < n; i++) {
    double s = 0, a = 0;
    for (size_t j = 0; j < 6; j++) {
      s += sigma[j] * history[j * n + i];
      a += adams[j] * history[j * n + i];
    }
    d[i] += h * s;
    m->q[i] += h * d[i];
    m->u[i] += h * a;
  }
}

static int only_hinges(const Model *m) {
  for (int i = 0; i < m->n; i++)
    if (m->body[i].kind != 'r') return 0;
  return 1;
}

int main(int argc, char **argv) {
  if (argc != 2 && argc != 3) return 2;
  Model m = read_model(argv[1]);
  const size_t n = (size_t)m.nu;
  Node *nodes = malloc((size_t)m.n * sizeof *nodes);
  double(*g)[3] = malloc((size_t)m.n * sizeof *g), *udot = malloc(n * sizeof *udot), ns;
  if (argc == 3) { /* steps: no time passes to speak of */
    double *history = calloc(6 * n, sizeof *history), *d = calloc(n, sizeof *d);
    if (!only_hinges(&m)) return 0;
    TIME(ns, stormer(&m, block_ldl, nodes, g, 1e-12, history, d));
    printf("%s,%d,published block L'DL stormer step,%.1f,\n", m.name, m.n, ns / m.n);
    TIME(ns, stormer(&m, full_sweep, nodes, g, 1e-12, history, d));
    printf("%s,%d,published sweep in full stormer step,%.1f,\n", m.name, m.n, ns / m.n);
    return 0;
  }
  TIME(ns, block_ldl(&m, nodes, g, udot));
  report(&m, "published block L'DL", ns, udot);
  TIME(ns, full_sweep(&m, nodes, g, udot));
  report(&m, "published sweep in full", ns, udot);
  return 0;
}
