/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#ifndef DLS_WORLD_TALLY_H
#define DLS_WORLD_TALLY_H

#include "core/model/world.h"
#include "core/world/spread.h"

/* What happens to bodies over many steps: collisions, their force and energy, work at contacts.
**
** A collision is the onset of touch of two bodies with an approach speed v above `least` (by
** default what gravity gives in one step: a slower one cannot be told from rest) that had not
** touched each other for the time `merge`: a contact that chatters, which a shorter step resolves
** into more onsets, is one collision whatever the step, and so are several points of one pair (the
** hardest counts). With the effective mass along the normal, 1/m = n' W n, and the stiffness k of
** the two bodies' boundary springs in series,
**
**     energy = m v^2 / 2,      force = v sqrt(k m),
**
** the peak force of that collision between deformable bodies (EQUATIONS A.2, without gravity): it
** does not depend on the step.
**
** The work at a contact is what it dissipates, -p . (v before + v after)/2 with both velocities at
** the place where the impulse p acted, rolling and spinning resistance included; half of it falls
** on each of two moving bodies. Summed over rigid contacts this is friction + impact of the
** world's ledger. Of a compliant contact only the tangential part counts. Velocities before are
** those at the last dls_tally_add (or at creation): between two of them the world makes one step,
** and nobody changes velocities of dynamic bodies by hand. */
typedef struct dls_tally_body {
  int64_t collisions; /* onsets that the body took part in                      */
  double work;        /* J, dissipated at its contacts, its share               */
  double peak_force;  /* N, the largest of its collisions                       */
  double stiffness;   /* N/m, of its boundary spring; DLS_INF: rigid            */
  uint32_t generation; /* of its slot: who has that later is not counted        */
  bool known;         /* a body was there when the tally was made               */
} dls_tally_body;

typedef struct dls_tally {
  dls_alloc alloc;        /* where the array comes from                          */
  int n_bodies;           /* slots then; who came later is not counted           */
  dls_tally_body *bodies; /* n_bodies, by slots, which do not move               */
  int n_u;                /* numbers of a body's velocity: 3 in the plane, else 6 */
  double *u;              /* n_bodies x 3 (plane) or 6: velocities at the last add */
  double lead;            /* s, from the start of the step to where contacts are found */
  double least;           /* m/s, approach that counts as a collision            */
  double merge;           /* s, touches of a pair that are closer are one; default 0 */
  struct dls_touched {    /* when pairs touched last: open addressing             */
    uint64_t pair;        /* 1 + (a << 32 | b), slots; 0: free                    */
    double t;             /* s                                                    */
  } *touched;
  size_t room_touched, n_touched; /* a power of two, at most half full             */
  int64_t collisions;     /* onsets in all                                       */
  double work;            /* J, dissipated at contacts in all                    */
  int64_t steps;          /* steps added                                         */
  double penetration;     /* the worst dls_stats.penetration of the steps added  */
  double residual;        /* the worst dls_stats.residual of the steps added     */
  dls_spread force;       /* N   */
  dls_spread energy;      /* J   */
} dls_tally;

/* A tally over the bodies there are, all rigid. DLS_NOMEM leaves *out untouched. */
dls_status dls_tally_create(dls_tally **out, const dls_alloc *alloc, const dls_world *world);
void dls_tally_destroy(dls_tally *tally); /* NULL is accepted */

/* Adds the step just made. DLS_NOMEM adds nothing. */
dls_status dls_tally_add(dls_tally *tally, const dls_world *world);

/* Passes over what happened since the last add: it is not counted, but pairs that touch do so. */
dls_status dls_tally_skip(dls_tally *tally, const dls_world *world);

/* Effective mass of a contact along its normal, kg: 1 / (n' W n); 0 where nothing can move. */
double dls_contact_mass(const dls_world *world, const dls_contact *contact);

#endif
