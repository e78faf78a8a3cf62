/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#ifndef DLS_CONE_CONE_H
#define DLS_CONE_CONE_H

#include "core/base/stop.h"
#include "core/lcp/lcp.h"
#include "core/math/cone.h"

/* Complementarity on cones: given W (n x n, symmetric positive semidefinite up to round-off) and b
** (n), find impulses p and velocities v with
**
**     v = W p + b,        u = v + gamma p + s        (gamma, s: a number a row, usually zero)
**
** and, for every group of rows, its law:
**
**     bilateral    u = 0
**     unilateral   0 <= p  _|_  u >= 0
**     box          u = 0 with lo <= p <= hi;  p = lo where u > 0,  p = hi where u < 0
**     cone         p in K_mu,  y in K_mu*,  p . y = 0  with  y = u + mu |u_T| n       (De Saxce)
**                  which is Coulomb's law with Signorini's:  0 <= p_N _|_ u_N >= 0,
**                  |p_T| <= mu p_N,  and where u_T /= 0:  p_T = - mu p_N u_T / |u_T|
**     rolling      the same with arms: |p_S| <= a_S p_N, |p_R| <= a_R p_N and
**                  y = u + (mu |u_T| + a_S |u_S| + a_R |u_R|) n
**
** Residual (EQUATIONS of one step, 7), in m/s, by code that knows no method:
**
**     r_g = |p_g - P_g(p_g - rho_g y_g)| / rho_g,   rho_g = 1 / |W_gg| (Frobenius norm),
**
** P_g the projection on the group's own set; rows in rad/s enter multiplied by a length (and their
** impulses divided by it). For W_gg = 0 the compliance, then 1, stands in its place.
** report->residual = max r_g / max(scale, max |b|), b in rad/s times its length; that divisor is 1
** where it would be 0.
**
** The velocities of a solution are unique where W is positive semidefinite and mu small; the
** impulses are not where contacts are redundant: see opts->unique.
** Source: De Saxce & Feng 1998; Acary, Bremond & Huber, On solving contact problems with Coulomb
** friction, 2018. */

/* Kinds of groups. The number of rows and their parts stand in one table, dls_cone_laws. */
typedef enum dls_cone_kind {
  DLS_CONE_BILATERAL,      /* 1 row                                                     */
  DLS_CONE_UNILATERAL,     /* 1 row                                                     */
  DLS_CONE_BOX,            /* 1 row                                                     */
  DLS_CONE_SPATIAL,        /* 3 rows: normal, two tangents                              */
  DLS_CONE_PLANAR,         /* 2 rows: normal, tangent                                   */
  DLS_CONE_ROLLING,        /* 6 rows: normal, two tangents, spin, two of rolling        */
  DLS_CONE_ROLLING_PLANAR, /* 3 rows: normal, tangent, rolling                          */
  DLS_CONE_N_KINDS
} dls_cone_kind;

typedef struct dls_cone_law {
  const char *name;          /* as in the scripting interface                           */
  int n_rows;                /* rows of a group                                         */
  int n_parts;               /* parts beside the normal; 0 where the group has none     */
  int rows[DLS_CONE_PARTS];  /* rows of each part                                       */
} dls_cone_law;
extern const dls_cone_law dls_cone_laws[DLS_CONE_N_KINDS];

typedef struct dls_cone_group {
  dls_cone_kind kind;        /* law of the group                                        */
  int row;                   /* its first row; groups cover 0 .. n_rows - 1 in order    */
  double mu[DLS_CONE_PARTS]; /* friction number, then arms in the order of the parts:
                                spin, roll (m); unused ones 0. All >= 0 and finite      */
  double lo, hi;             /* box: bounds of p, lo <= hi, may be infinite; else unused */
} dls_cone_group;

/* What W holds, counted by dls_cone_measure. */
typedef struct dls_cone_size {
  size_t blocks; /* beside the diagonal, not zero */
  size_t values; /* numbers in them               */
  size_t diag;   /* numbers in the diagonal blocks */
} dls_cone_size;

typedef struct dls_cone_problem {
  int n_rows;                   /* >= 0                                                      */
  int n_groups;                 /* >= 0                                                      */
  const dls_cone_group *groups; /* n_groups, borrowed                                        */
  const double *W;              /* n_rows x n_rows, row-major, borrowed; NULL where S is given */
  const dls_sparse *S;          /* the same as a sparse matrix, borrowed; NULL where W is;
                                   its pattern is that of a symmetric matrix                 */
  const double *b;              /* n_rows, free velocities, borrowed                         */
  const double *compliance;     /* gamma, n_rows, >= 0, borrowed; NULL: zero                 */
  const double *shift;          /* s, n_rows, borrowed; NULL: zero                           */
  const double *length;         /* n_rows, > 0: 1 for rows in m/s, a radius of gyration for
                                   rows in rad/s, borrowed; NULL: 1                          */
  double scale;                 /* least divisor of the residual, such as h |g|; 0: none     */
  dls_stop *stop;               /* asked between sweeps and steps whether to go on, borrowed;
                                   NULL: nobody is. Stopped: the best impulses so far, limit */
  const dls_cone_size *size;    /* of this W, borrowed; NULL: counted whenever it is needed  */
} dls_cone_problem;

typedef struct dls_cone_opts {
  double tolerance;    /* on report->residual; default 1e-10                                */
  int max_iterations;  /* sweeps or steps; 0: the method's own                              */
  /* "auto", "newton": multiplications at most, about; 0: no bound but their own */
  double work;
  const double *start; /* n_rows, impulses to start from, borrowed; NULL: zero              */
  /* "auto": the problem's own shift, which may change to one that redundant contacts agree on
  ** (cone/agree.h); NULL: it stays */
  double *agreed;
  bool unique;         /* least-norm impulses among those with the same velocities          */
} dls_cone_opts;

typedef struct dls_cone_report {
  dls_outcome outcome; /* DLS_SOLVED only if residual <= tolerance                          */
  int iterations;      /* sweeps of nsgs, steps of admm and newton, pivots, all counted     */
  double work;         /* of "auto" and "newton" where it is bounded: multiplications, about */
  double residual;     /* see above                                                         */
  double natural;      /* max r_g, not divided                                              */
  const char *method;  /* name of the method that answered, static                          */
  bool fallback;       /* another method or a safeguard had to help                         */
  bool unique;         /* p are the least-norm impulses (only where opts->unique)           */
  dls_fault fault;     /* group with the largest r_g and that value; -1 where n_groups = 0  */
} dls_cone_report;

dls_cone_opts dls_cone_opts_default(void);

/* What every method is.
**   p, v    n_rows each: the impulses and velocities reached, whatever the outcome; v = W p + b
**           computed from p. p lies in the sets of its laws.
**   tmp     needs the method's own bytes(p); left as found
**   report  always filled, by dls_cone_judge at the end: no method grades itself
** DLS_FULL workspace too small; DLS_ARG the problem is malformed (dls_cone_check), or of a class
** that the method does not take, report->fault says which group. */
typedef dls_status (*dls_cone_run)(const dls_cone_problem *problem, const dls_cone_opts *opts,
                                   dls_arena *tmp, double *p, double *v,
                                   dls_cone_report *report);
typedef size_t (*dls_cone_bytes)(const dls_cone_problem *problem);

typedef struct dls_cone_method {
  const char *name;     /* as in the scripting interface */
  dls_cone_run run;     /* solves                        */
  dls_cone_bytes bytes; /* workspace                     */
} dls_cone_method;

/* "auto", "nsgs", "newton", "admm", "lemke", "energy", "block"; ended by a row with name NULL. */
extern const dls_cone_method dls_cone_methods[];
const dls_cone_method *dls_cone_method_find(const char *name); /* NULL where unknown */

/* Runs a method; where it ends at its own limit (none was set by opts->max_iterations) "auto", then
** for small planar problems "lemke", go on from its impulses, and report->method says which one
** answered. DLS_STOPPED: problem->stop said so. At last seeks least-norm impulses where
** opts->unique asks for them. */
dls_status dls_cone_run_method(const dls_cone_method *method, const dls_cone_problem *problem,
                               const dls_cone_opts *opts, dls_arena *tmp, double *p, double *v,
                               dls_cone_report *report);
size_t dls_cone_run_bytes(const dls_cone_method *method, const dls_cone_problem *problem,
                          const dls_cone_opts *opts);

/* The same with method "auto": what worlds call. The workspace is for opts->unique = false. */
dls_status dls_cone_solve(const dls_cone_problem *problem, const dls_cone_opts *opts,
                          dls_arena *tmp, double *p, double *v, dls_cone_report *report);
size_t dls_cone_solve_bytes(const dls_cone_problem *problem);

/* Counts the blocks of W: one pass, of which a problem solved more than once, or in several ways,
** keeps the result. */
dls_cone_size dls_cone_measure(const dls_cone_problem *problem);

/* Sizes, kinds, bounds, coefficients and numbers of a problem; DLS_ARG with fault->index = the
** group (or the row, for numbers that are not finite). */
dls_status dls_cone_check(const dls_cone_problem *problem, dls_fault *fault);

/* v = W p + b. */
void dls_cone_image(const dls_cone_problem *problem, const double *p, double *v);

/* p <- the nearest impulses in the sets of the laws, group by group (rows measured by length). */
void dls_cone_admit(const dls_cone_problem *problem, double *p);

/* The residual above: fills v = W p + b, returns max r_g divided, *natural = max r_g, *worst = its
** group; infinity where p or v is not finite. natural, worst may be NULL. */
double dls_cone_residual(const dls_cone_problem *problem, const double *p, double *v,
                         double *natural, int *worst);

/* r_g of one group from its impulses and velocities v (both of the group's rows only). */
double dls_cone_group_residual(const dls_cone_problem *problem, int group, const double *p_g,
                               const double *v_g);

/* Fills v and the report from p; DLS_SOLVED where residual <= tolerance, else `otherwise`. */
void dls_cone_judge(const dls_cone_problem *problem, const dls_cone_opts *opts, const double *p,
                    double *v, dls_outcome otherwise, dls_cone_report *report);

#endif
