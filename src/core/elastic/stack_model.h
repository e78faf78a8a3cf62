/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#ifndef DLS_ELASTIC_STACK_MODEL_H
#define DLS_ELASTIC_STACK_MODEL_H

#include "core/base/hash.h"
#include "core/lcp/lcp.h"

/* Any elastic body, or several, with unilateral contacts between nodes, massive or massless:
**
**     m U'' + lambda U' + r U = F + C N,    D = D0 + C'U,    0 <= D _|_ N >= 0,
**
** by one implicit step, G = r + lambda/dt + m/dt^2:
**
**     A = C' G^-1 C                                      (24)-(31) of the paper: the blocks of
**     B = D0 + C'(U + G^-1 (F + m V/dt - r U))           massless and massive nodes eliminated
**     D = A N + B,   U <- U + G^-1 (F + m V/dt - r U + C N),   V = dU/dt.
**
** Eliminating the massless nodes first, as the paper does (r_bb^-1), gives the same A and B; with
** one Cholesky factor of G none of the terms it prints cancel. The damping is always in force.
** Source: G. N. Kolesnikov 2013, eqs (14)-(33); EQUATIONS A.2, errata 1, 2 and 5. */
typedef struct dls_model_def {
  int n, k;              /* nodes; contacts, >= 0                                          */
  const double *r;       /* n x n, symmetric, N/m, borrowed                                */
  const double *m;       /* n x n, symmetric, kg: zero rows for massless nodes, borrowed   */
  const double *lambda;  /* n x n, symmetric, N s/m, borrowed                              */
  const double *C;       /* n x k, D = D0 + C'U, borrowed                                  */
  const double *D0;      /* k, m: gaps for U = 0, borrowed                                 */
  const double *F;       /* n, N: forces on the nodes, borrowed                            */
  const double *U, *V;   /* n, m and m/s: at the start, borrowed                           */
  double dt;             /* s, > 0                                                         */
} dls_model_def;

typedef struct dls_model_count {
  int64_t steps, pivots, collisions, last_pivots; /* as in dls_stack_count                 */
  double residual, worst;                         /* of the last step; the largest, relative */
} dls_model_count;

typedef struct dls_model {
  int n, k;                      /* nodes, contacts                                        */
  double dt;                     /* s                                                      */
  size_t ld;                     /* row distance of R                                      */
  double *r, *m, *lambda, *C;    /* as given, owned: n x n each, C n x k                   */
  double *D0, *F;                /* as given, owned                                        */
  double *R;                     /* n x ld, the Cholesky factor of G                       */
  double *A;                     /* k x k                                                  */
  double *U, *V;                 /* n: state                                               */
  double *N, *D, *B, *peak;      /* k: forces, gaps, B of the last step; largest forces    */
  double *work;                  /* the step under way: 3 n + 3 k and padding              */
  dls_model_count count;         /* counters                                               */
  uint64_t identity;             /* hash of the definition                                 */
  dls_arena tmp;                 /* of the complementarity solve                           */
  dls_alloc alloc;               /* where all of this comes from                           */
  double *block;                 /* the one block behind the arrays                        */
  size_t n_block;                /* doubles in it                                          */
} dls_model;

/* Fills *model. DLS_SINGULAR: G is not positive definite, the node in fault->index; DLS_NOMEM. A
** failure leaves it all zero, which dls_model_destroy accepts. */
dls_status dls_model_create(dls_model *model, const dls_model_def *def, const dls_alloc *alloc,
                            dls_fault *fault);
void dls_model_destroy(dls_model *model);

/* One step, all or nothing. DLS_ARG: the numbers left the range of doubles; DLS_SINGULAR: no
** contact forces keep the gaps open. The residual is the larger of the complementarity's
** (lcp/residual.h) and of |m dV/dt + lambda V + r U - F - C N| over the sum of its terms. */
dls_status dls_model_step(dls_model *model);

/* State out and in, dls_model_state_doubles each (counters go along): to take steps back. */
size_t dls_model_state_doubles(const dls_model *model);
void dls_model_save(const dls_model *model, double *state, dls_model_count *count);
void dls_model_load(dls_model *model, const double *state, const dls_model_count *count);

uint64_t dls_model_hash(const dls_model *model);

#endif
