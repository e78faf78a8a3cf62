/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#ifndef DLS_DISKS_DISKS_H
#define DLS_DISKS_DISKS_H

#include "core/base/arena.h"
#include "core/collide/gaps.h"
#include "core/model/contact_law.h"
#include "core/model/impact_law.h"
#include "core/model/records.h"

/* Disks about their mass centres in the plane, and the contacts of those among them that move
** freely, rigid, with Coulomb's friction: most of a drum. With d the vector from a to b,
**
**     n = d/|d|,   gap = |d| - r_a - r_b,
**
** and impulses act along n through both centres: a normal row turns nothing, and the contact's own
** W is diagonal. They have a path of their own through a step (docs/design/disks.md); this is its
** door: what the stages of a step call. The rows know them by the table of rows/special.h alone.
** Every path, however wide, has the bits of one disk, one contact after the other. */

/* What a body's contacts may be (world->columns.law): of whatever kind; of a rigid disk, whose
** touches are gaps alone; else the number of its material, and those with its like are disk
** contacts. */
enum { DLS_DISKS_LAW_ANY = -2, DLS_DISKS_LAW_RIGID = -1 };

/* A near pair that is looked at. */
typedef struct dls_chosen {
  int k;   /* pair of near                                                          */
  int old; /* the contact of the last step between its bodies with key 0; -1: none  */
  int law; /* of both disks                                                         */
} dls_chosen;

/* Where a disk contact comes from, until it is recorded. */
typedef struct dls_disk_source {
  int old;  /* the contact of the last step that it was, -1: none                        */
  int met;  /* pair of meets; -1: a contact of another kind, recorded as it was found    */
  int near; /* its pair in near, when all contacts are found                             */
  int age;  /* steps                                                                     */
  int mark; /* bits DLS_MARK_... and those of the room                                   */
} dls_disk_source;

/* Disk contacts one behind the other: blocks block .. block + n - 1, with two rows each. */
typedef struct dls_disk_run {
  int block, n; /* the first block; blocks */
  /* number of the first; that of the k-th behind it is greater by k, or, once speculative ones
  ** are forgotten, by the number of those among them that are contacts */
  int contact;
} dls_disk_run;

/* The record of a step's disks. In space there are none. */
typedef struct dls_disk_stage {
  dls_world *w;            /* whose step it is */
  double h, theta;         /* s                                                           */
  bool compliant;          /* some material is                                            */
  bool swift;              /* some pair of bodies is (ways/ways.h)                        */

  /* --- shared with the other stages */
  dls_rows *rows;          /* of the solve                                                */
  const dls_near *near;    /* pairs of bodies within reach of each other at q_c           */
  const double *u_c;       /* n_bodies x 3: before the step                               */
  const double *u_ahead;   /* n_bodies x 3: u_f with what joints do about it              */
  double *height;          /* a block: height of its contact, times g, m^2/s^2            */
  const dls_slip_bounds *slips; /* what slides                                            */
  const double *noise;     /* m/s: a speed below it is the solver's error                 */
  int *closing, *closing_near, *n_closing; /* *n_closing contacts that hold; pairs in near */
  int *n_onsets;           /* contacts that began with an approach                        */
  int *n_starts;           /* contacts whose warm starts are made                         */
  double *unexplained;     /* 2 n_bodies: change of momentum, less impulses of contacts, N s */
  dls_judgement *judged;

  /* --- its own */
  dls_spot2 *spot;         /* n_bodies: radius of a disk about its mass centre; else -infinity */
  dls_meets2 meets;        /* near pairs of disks                                         */
  dls_disk_source *source; /* a block                                                     */
  dls_disk_run *run;       /* n_runs: of blocks, ascending                                */
  int n_runs;
  int *speculative;        /* n_speculative: blocks of disk contacts that are, ascending  */
  int n_speculative;
  int forgotten;           /* of these, so far                                            */
  dls_ledger worked;       /* what disk contacts did, J: friction, impact, turnover          */
  double given;            /* J: what those added that did (step/step.h)                  */
  bool rebounds;           /* one that approached has restitution                         */
} dls_disk_stage;

/* --- room, columns ---------------------------------------------------------------------------- */

/* Room for so many bodies, near pairs, contacts and blocks, and the entries of the rows
** (rows/special.h). DLS_FULL. */
dls_status dls_disks_take(dls_disk_stage *D, int bodies, int pairs, int contacts, int blocks,
                          dls_arena *tmp);
size_t dls_disks_bytes(size_t bodies, size_t pairs, size_t contacts, size_t blocks);

/* Planar rows of so many blocks may hold disk contacts from now on: part of dls_disks_take(). */
dls_status dls_disks_lend(dls_rows *rows, int blocks, dls_arena *tmp);

/* world->columns of all bodies, where some body has changed since they were made. */
void dls_disks_know(dls_world *w);

/* --- motion of all bodies of the plane, as if they were disks that move freely ---------------- */

/* q + s u into q_c and u + h (gravity + M^-1 load) into u_free; whether all are finite. */
bool dls_disks_release(const dls_world *w, double s, double h, double *q_c, double *u_free);

/* q_c + s u into q_n, u into u_n. */
void dls_disks_drift(const dls_world *w, const double *q_c, const double *u, double s, double *q_n,
                     double *u_n);

/* Where disks are at q_c and how far they may come in the step: spot, rim, and way, m. Whether a
** face of a disk's box is farther than limit from where it was built (lo x, y, hi x, y; built[0] =
** NULL: it was not). */
bool dls_disks_place(dls_disk_stage *D, const double *q_c, const double *const built[4],
                     double limit, dls_rim2 *rim, double *way);

/* --- contacts --------------------------------------------------------------------------------- */

/* Which of n near pairs are looked at, into out; their number, and DLS_FULL in *status where there
** is no room. Pairs of rigid disks that neither touch nor did in the last step are not. Without
** branches: what touches cannot be predicted. */
int dls_disks_choose(dls_disk_stage *D, int n, dls_chosen *out, dls_status *status);

/* Near pairs of free rigid disks of one material with Coulomb's friction, of[0 .. n - 1]: what the
** step does for any contact, written out; the record of the contact is written once, when all is
** known. Their blocks are noted as of pair k - left. *n_contacts: made so far, of most that there
** is room for. DLS_FULL: they do not suffice. */
dls_status dls_disks_add(dls_disk_stage *D, const dls_chosen *of, int n, int left, int *n_contacts,
                         int most);

/* Block k is of another contact. */
static inline void dls_disks_pass(dls_disk_stage *D, int k) {
  if (D->source) D->source[k].met = -1;
}

/* Whether block k is a disk contact. */
static inline bool dls_disks_has(const dls_disk_stage *D, int k) {
  return D->source && D->rows->block[k].source >= 0 && D->source[k].met >= 0;
}

/* Contacts have other numbers, those of their blocks: the runs anew. */
void dls_disks_renumber(dls_disk_stage *D);

/* Takes speculative contacts of the next run that do not press out of those that are recorded, once
** for each run in order; how many. */
int dls_disks_forget(dls_disk_stage *D, const dls_disk_run *run);

/* What the step does for the records, the ledger and the judgement of contacts, for a run. Records
** are made when someone reads them (model/records.h). */
void dls_disks_record(dls_disk_stage *D, const dls_disk_run *run);

/* Work of disk contact k, after the solve, added to *sum; whether it approached and has
** restitution. u_free: without contacts (scheme/impact_gain.h). */
bool dls_disks_charge(const dls_disk_stage *D, int k, const double *u_free, dls_impact_sum *sum);

/* --- positions -------------------------------------------------------------------------------- */

/* A touch in the plane that turns no body: a multiplier of d costs each body a shift along n.
** Single precision: lengths are in a unit of the caller's, about the size of the bodies. */
typedef struct dls_position_contact {
  float nx, ny;  /* from a to b, unit                                                            */
  float share;   /* of a shift that is a's: its M^-1 over that of both; 0 where it does not move */
  float gap;     /* < 0: overlap                                                                 */
  float by_size; /* 1 over what the gap is small or large against, 1/m                           */
  float start;   /* 1: the gap is to be zero; 0: at least zero                                   */
  int32_t a, b;  /* bodies                                                                       */
} dls_position_contact;

/* How pairs of disks are looked at. */
typedef struct dls_position_sight {
  double per_unit; /* 1 over the unit of lengths, 1/m                                            */
  double slack;    /* gaps up to this, by size (the smaller diameter), are contacts              */
  double open;     /* and those that hold, from this on: to be closed, by size                   */
} dls_position_sight;

/* What was found; the next ones are added. */
typedef struct dls_position_found {
  int n;         /* contacts                                          */
  int n_general; /* pairs that are none of disks                      */
  double worst;  /* overlap of disks, by size; never < 0              */
  double widest; /* gap of those that hold, by size; never < 0        */
} dls_position_found;

/* n pairs of spots, `other` of which is M^-1; the radius of what is no disk is -infinity. holds: of
** each pair, 0 or 1. Room in out for four more contacts than pairs, in general (numbers of pairs)
** for four more. */
void dls_disks_find_gaps(int n, const dls_near *pairs, const dls_spot2 *spots,
                         const unsigned char *holds, const dls_position_sight *by,
                         dls_position_contact *out, int *general, dls_position_found *found);

/* The worst overlap of such pairs, by size; never < 0. */
double dls_disks_worst(int n, const dls_near *pairs, const dls_spot2 *spots);

/* The smallest change of places in the M-norm with
**
**     0 <= pi  _|_  gap + J dq >= 0,   dq = M^-1 J' pi,
**
** by sweeps with momentum in lanes, until no gap is changed by more than `left` of its size, `most`
** sweeps at most. contact has room for n + 1; dq: dls_disks_numbers(), x and y of body i at 2 i and
** behind it, in the unit of the gaps; bodies with inv_mass = 0 do not move. *done: false where a
** body has too many contacts for colours, or numbers are out of all bounds; dq is then worthless.
** DLS_FULL where tmp has not dls_disks_position_bytes() left. */
dls_status dls_disks_move_apart(int n, dls_position_contact *contact, int n_bodies,
                                const double *inv_mass, double left, int most, dls_arena *tmp,
                                float *dq, bool *done);
size_t dls_disks_position_bytes(int n, int n_bodies);

/* How many numbers a shift of all bodies has: two a body, and some beyond. */
size_t dls_disks_numbers(int n_bodies);

#endif
