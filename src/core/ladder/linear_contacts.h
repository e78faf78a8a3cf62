/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#ifndef DLS_LADDER_LINEAR_CONTACTS_H
#define DLS_LADDER_LINEAR_CONTACTS_H

#include "core/graph/body_graph.h"
#include "core/graph/graph_lanes.h"
#include "core/ladder/supported.h"
#include "core/math/lanes.h"

/* An island of planar contacts, each with a linear law for a step of impulses and velocities,
**
**     dz = -g - S (J M^-1 y),    dv = J M^-1 y,    y = the bodies' impulses:    (1 + sum J' S M^-1 J) y = -sum J' g,
**
** the graph of their bodies (body_graph.h), and the best impulses so far. The rolling friction of a
** contact is a contact of its own behind all others: it bounds a turning row's impulse by that of
** the same normal row, along which the contact alone pushes. A row of bounded impulse (dry
** friction, a motor) is friction, 1, of a normal impulse that stays what it is: the bound.
**
** Contacts that share more than bodies (supported.h) read T w beside J M^-1 y; w, their own
** impulses, are unknowns behind those of the bodies, which get J' w of them. */
typedef struct dls_contact_2 {
  double mu, norm[2];    /* friction, or the arm of rolling, m; |W| in the units of each row */
  double gamma[2];       /* compliances, 1/kg */
  bool held;             /* an equation: whatever its sign its impulse acts */
  bool bounded;          /* a row of bounded impulse, which is its second */
  int block;             /* whose it is, of rows->block */
  int n, row[2];         /* its rows: normal, tangent or rolling */
  int from;              /* the first of them that its impulse acts along: 1 of rolling friction
                         ** and of rows of bounded impulse, else 0 */
  int turn;              /* the contact of its rolling friction, of such a one its own; -1: none */
  double z[2], v[2];     /* impulses; velocities with shifts: N s, m/s          */
  double dz[2], dv[2];   /* a step: N s, m/s                                    */
  double S[4], g[2];     /* of its law's equation, above */
  const double *J[2], *MJ[2]; /* of its rows; zeros where none is, and J[0] of rolling; 2 nu */
  int a, b;              /* places in the graph, -1: does not move              */
  double *ab, *ba;       /* their blocks in the factor, NULL where one is out   */
  const double *T;       /* m x m, of all rows that share more than bodies; NULL: its own do not */
  int m, beyond;         /* those rows; where in y their impulses w begin                */
  int own[2];            /* its rows among them, -1: none                                */
} dls_contact_2;

typedef struct dls_linear_contacts {
  dls_body_graph graph;   /* of the bodies */
  int n, n_blocks;        /* contacts; of these without the ones of rolling               */
  dls_contact_2 *contact; /* n                                                            */
  int size;               /* numbers of y: of the bodies, w, up to whole lanes          */
  double *y;              /* size + DLS_GRAPH_ROW, the last of what does not move       */
  double *best;           /* 3 n_blocks: admissible impulses of least residual            */
  dls_supported *supported; /* &shared, or NULL: nothing is shared beyond bodies */
  dls_supported shared;     /* T and the system of its rows */
  double *read;             /* scratch: T w */
  const dls_island *island; /* the problem */
} dls_linear_contacts;

/* zeros in place of a row that is not there */
extern const double dls_no_row_2[6];

/* Whether all blocks are contacts, soft equations, or rows of bounded impulse. */
bool dls_all_planar_contacts(const dls_rows *rows, const int *blocks, int n);

/* DLS_FULL: rows->need. */
dls_status dls_linear_contacts_take(const dls_island *island, dls_linear_contacts *C);

/* Velocities of the bodies, and what supports add in the rows' shifts, from the impulses at hand;
** shifts as they were. */
void dls_linear_contacts_follow(dls_rows *rows, const int *blocks, const dls_linear_contacts *C);
void dls_linear_contacts_end(dls_rows *rows, const int *blocks, const dls_linear_contacts *C);

/* Row i of contact k is asked for so much more, m/s, for good. */
void dls_linear_contacts_ask(dls_rows *rows, const dls_linear_contacts *C, int k, int i,
                             double more);

/* K, with all contacts' S in it, to its factor; y <- K^-1 y. */
void dls_linear_contacts_factor(dls_linear_contacts *C);
void dls_linear_contacts_solve(const dls_linear_contacts *C, double *y);

/* Multiplications of a factor. */
double dls_linear_contacts_cost(const dls_linear_contacts *C);

/* Impulses and velocities as the rows have them. */
void dls_linear_contacts_read(const dls_rows *rows, dls_linear_contacts *C);

/* Impulses to the rows. */
void dls_linear_contacts_write(dls_rows *rows, const dls_linear_contacts *C);

/* K += J' S M^-1 J, y -= J' g of one. */
void dls_linear_contacts_add(const dls_contact_2 *c, dls_body_graph *graph, double *y);

/* y += J' x of one. */
void dls_linear_contacts_push(const dls_contact_2 *c, const double x[2], double *y);

/* T w of one's row i. */
static inline double dls_linear_contacts_shared(const dls_contact_2 *c, int i, const double *y) {
  if (!c->T || c->own[i] < 0) return 0;
  return dls_lanes_best()->dot(c->m, c->T + c->own[i] * c->m, y + c->beyond);
}

/* v = J M^-1 y + T w of one. */
static inline void dls_linear_contacts_image(const dls_contact_2 *c, const double *y, double v[2]) {
  for (int i = 0; i < 2; i++) v[i] = dls_linear_contacts_shared(c, i, y);
  for (int i = 0; i < (c->mu > 0 ? 2 : 1); i++) {
    if (c->a >= 0) v[i] += dls_dot_u(3, c->MJ[i], y + (size_t)c->a * DLS_GRAPH_ROW);
    if (c->b >= 0) v[i] += dls_dot_u(3, c->MJ[i] + 3, y + (size_t)c->b * DLS_GRAPH_ROW);
  }
}

/* The admissible impulses nearest to those at hand go to the rows, velocities follow; *found: their
** residual, m/s. The best are kept, whose residual is the answer; best: that of those kept
** before. */
double dls_linear_contacts_judge(dls_rows *rows, const int *blocks, dls_linear_contacts *C,
                                 double best, double *found);

/* The best impulses to the rows, velocities follow. */
void dls_linear_contacts_give(dls_rows *rows, const int *blocks, const dls_linear_contacts *C);

#endif
