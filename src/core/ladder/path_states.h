/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#ifndef DLS_LADDER_PATH_STATES_H
#define DLS_LADDER_PATH_STATES_H

#include "core/math/lanes.h"
#include "core/ladder/linear_contacts.h"
#include "core/graph/graph_lanes.h"

/* Contacts in states (open, sticking, sliding), each of a linear law, and the bodies' matrix K of
** body_graph.h for them: one factor, and the changes a b' of the states that have changed since
** (path.h). */

enum { DLS_PATH_CHANGES = 48 }; /* between two factors */

typedef enum dls_path_state {
  DLS_PATH_OPEN,
  DLS_PATH_STICK,
  DLS_PATH_SLIDE_UP,
  DLS_PATH_SLIDE_DOWN,
  DLS_PATH_PRESSED /* without friction; what is held never leaves it */
} dls_path_state;

typedef struct dls_path_contact {
  dls_path_state state; /* that K has                                    */
  dls_path_state found; /* that the impulses at hand tell          */
  double w[2];         /* its own W's diagonal, gamma in it       */
  double e[2];         /* E + gamma                               */
  double r[2];         /* path.h */
} dls_path_contact;

/* K <- K + a b', b . y = beta . J M^-1 y of one contact. */
typedef struct dls_path_change {
  int contact;        /* whose state changed */
  double beta[2], by; /* by = 1 / (1 + b . Z) */
} dls_path_change;

typedef struct dls_state_path {
  const dls_lanes *lanes;        /* of numbers */
  const dls_graph_lanes *wide;   /* of contacts and bodies */
  dls_linear_contacts of;        /* contacts and graph: y is the direction in impulses of bodies */
  dls_path_contact *own;    /* n                                                         */
  int n_groups;          /* of contacts side by side */
  /* n_groups: the contacts side by side: their states' numbers, and where they are */
  dls_path_group *group;
  double *Z; /* DLS_PATH_CHANGES x of.size */
  dls_path_change *change;  /* DLS_PATH_CHANGES                                              */
  double *meets;        /* DLS_PATH_CHANGES^2: b of a change times Z of one before it    */
  int n_changes;        /* since K was factored */
  double *kept;         /* 2 lanes: impulses at the largest t of this round, N s     */
  double pull;          /* E / |W|                                                   */
} dls_state_path;

/* Room for the contacts of an island. DLS_FULL: rows->need. */
dls_status dls_path_take(const dls_island *island, dls_state_path *P);

/* r, z, v of all contacts from the rows: z admissible, v what z fits exactly. */
void dls_path_fit_all(dls_rows *rows, const int *blocks, dls_state_path *P);

/* The direction for the states found and their r; `kept`: K is that of states that were. */
void dls_path_aim(dls_state_path *P, bool kept);

/* K of the states at hand, its factor, and the direction. */
void dls_path_factor(dls_state_path *P);

/* Contact k comes into a state next to its own: S <- S + alpha beta', and with it K, and y = K^-1
** J' S r. Its rolling friction opens with it, and slides when it no longer is open. */
void dls_path_enter(dls_state_path *P, int k, dls_path_state state);

/* The state of a contact that begins to press, by how it moves. */
dls_path_state dls_path_slide(const dls_state_path *P, int k);

/* What contacts that press ask for beyond what one motion has, where a round has come to its end:
** E (z - z_0), to their shifts, if it is nowhere more than `most`, m/s. Whether it was. */
bool dls_path_agree(dls_rows *rows, const dls_state_path *P, double most);

/* What contacts that share more than bodies read of each other, in their lanes for a search. */
void dls_path_share_lanes(dls_state_path *P);

/* z_t / z_n of a contact that slides, 0 without friction. */
double dls_path_share(const dls_contact_2 *c, dls_path_state state);

/* z and v from the lanes back to the contacts. */
void dls_path_read_lanes(const dls_state_path *P);

#endif
