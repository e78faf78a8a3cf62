/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#ifndef DLS_ACCELERATIONS_LAWS_H
#define DLS_ACCELERATIONS_LAWS_H

#include "core/joints/acc_row.h"

/* Forces x of rows on accelerations, v = W x + b, whose laws are not all equations. Rows that are
** held (v = 0) are eliminated; friction that slides or turns is known by its normal, x_i = -bound
** x_N; the forces of compliant normals are known. What is left are forces z of two kinds, with
** their accelerations a, made unit on the diagonal of W~:
**
**     W~ = W - W_B W_BB^+ W_B',     a = A z + c                  (A is not symmetric where something slides)
**
**     normal, limit:    0 <= z  _|_  a >= 0
**     disk of 1 or 2:   |z| <= r,   a /= 0:  z = -r a / |a|,      r = radius + mu z_N
**
** a disk being friction, spinning or rolling of a contact that rests (mu: its bound, radius 0, or
** the bound times a known normal force), dry friction of a joint or a motor (radius alone). Source:
** Glocker & Pfeiffer 1992; EQUATIONS E.2. */
typedef struct dls_acc_disk {
  int at, n;     /* its unknowns: at .. at + n - 1, n = 1 or 2 */
  int normal;    /* unknown that bounds it; -1: none           */
  double mu, radius; /* radius + mu x that unknown, N or N m */
} dls_acc_disk;

typedef struct dls_acc_laws {
  int n, m;            /* rows; unknowns                                         */
  int n_disks, n_held, n_sliders; /* bounded forces; bilateral rows; sliding contacts */
  bool symmetric;      /* no slider follows an unknown: A is                     */
  bool coupled;        /* some disk's bound follows an unknown                   */
  bool planar;         /* every disk has one number: an LCP                      */
  const double *W, *b; /* n x n, n: as given                                     */
  int *row, *disk_of;  /* m: row of the unknown; its disk, -1: a normal          */
  dls_acc_disk *disk;  /* n_disks                                                */
  double *scale;       /* m: x_row = x0_row + scale z                            */
  double *A, *c;       /* m x m, m                                               */
  int *held;           /* n_held                                                 */
  int *slider, *leads; /* n_sliders: row; the unknown it follows                 */
  double *bound;       /* n_sliders                                              */
  double *x0;          /* n: what is known                                       */
  /* W_BB with unit diagonal, pivoted */
  double *R, *unit, *y, *t; /* n_held x ld; ld each                              */
  int *perm, rank;
  size_t ld;
} dls_acc_laws;

/* joint: of each row, -1 a contact's. W, b are borrowed. DLS_FULL: tmp needs
** dls_acc_laws_bytes(n). */
dls_status dls_acc_laws_pose(int dim, int n, const dls_acc_row *row, const int *joint,
                             const double *W, const double *b, dls_arena *tmp, dls_acc_laws *laws);
size_t dls_acc_laws_bytes(int n);

/* The unknowns of forces x. */
void dls_acc_laws_take(const dls_acc_laws *laws, const double *x, double *z);
/* x (n) of z. */
void dls_acc_laws_forces(const dls_acc_laws *laws, const double *z, double *x);

/* Brings z into the sets of its laws; a (m), and the largest violation over the largest |c| (0:
** without divisor). Knows no solver. */
double dls_acc_laws_residual(const dls_acc_laws *laws, double *z, double *a);

/* Whether forces x and y (n) move bodies differently: (x - y)' W (x - y), the square of
** accelerations times M^1/2. */
bool dls_acc_laws_differ(const dls_acc_laws *laws, const double *x, const double *y);

/* How many solutions whose accelerations differ. */
typedef enum dls_acc_found {
  DLS_ACC_NONE,    /* there is none: all states were tried           */
  DLS_ACC_ONE,
  DLS_ACC_SEVERAL,
  DLS_ACC_UNKNOWN, /* none was found                                 */
  DLS_ACC_SOME     /* one was found, and not all states were tried   */
} dls_acc_found;

/* x (n): one solution. All are sought where there are few unknowns of the LCP, or few states in
** space; fewer where nothing slides, since there a solution exists and several are rare. Some are
** known to be the only one. start: forces that may be a solution already, NULL. Room: search and
** method. DLS_NOMEM, DLS_FULL. */
enum { DLS_ACC_ALL = 20, DLS_ACC_STARTS = 4000, DLS_ACC_STARTS_AT_REST = 128 };
dls_status dls_acc_laws_solve(dls_acc_room *room, const dls_acc_laws *laws, const double *start,
                              double *x, dls_acc_found *found);

/* What solvers share (laws_lcp.c, laws_newton.c). They may be asked for the same laws in turn; z:
** m. */
#define DLS_ACC_SOLVED 1e-9 /* residual of a solution */

/* A list of solutions that differ, at most two kept. */
typedef struct dls_acc_list {
  int n;             /* solutions */
  double *x, *other; /* laws->n each: the first; scratch */
} dls_acc_list;

/* Puts z to the list if it is a solution that differs from the first; scratch a: m. Answers whether
** it is a solution. */
bool dls_acc_list_add(const dls_acc_laws *laws, double *z, double *a, dls_acc_list *list);

/* By the LCP: all of its solutions where there are few unknowns, else one by Lemke's path, and all
** where that fails and enumeration may. *all: the list is complete. Room: method, all. DLS_NOMEM,
** DLS_FULL. */
dls_status dls_acc_by_lcp(dls_acc_room *room, const dls_acc_laws *laws, double *z, double *a,
                          dls_acc_list *list, bool *all);

/* z of the normals alone: all disks give nothing. Room: method. DLS_NOMEM, DLS_FULL. */
dls_status dls_acc_without_friction(dls_acc_room *room, const dls_acc_laws *laws, double *z);

/* Whether the solution z, a is known to be the only one. Of any other, z' and a', (z - z')' A (z -
** z') is the sum of (z - z') . (a - a') over the laws, which is not positive for a normal, for a
** disk of fixed radius, and for a disk that neither pushes nor moves in z: z' . a' = -r' |a'|.
** Where A is symmetric, and so semidefinite, a' = a then; else z' = z if its symmetric part is
** definite. R: m x ld, scratch. */
bool dls_acc_is_only_one(const dls_acc_laws *laws, const double *z, const double *a, double *R);

/* By Newton's steps: from one start; from every state of every law, if they are few. Room: method.
** DLS_NOMEM, DLS_FULL. */
dls_status dls_acc_by_newton(dls_acc_room *room, const dls_acc_laws *laws, const double *start,
                             double *z, double *a, dls_acc_list *list, bool *all);

#endif
