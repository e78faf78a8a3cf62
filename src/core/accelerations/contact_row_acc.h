/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#ifndef DLS_ACCELERATIONS_CONTACT_ROW_ACC_H
#define DLS_ACCELERATIONS_CONTACT_ROW_ACC_H

#include "core/joints/acc_row.h"
#include "core/step/step.h"

/* A contact at the world's coordinates and velocities as rows on accelerations, wherever it comes
** from (contacts_acc.h: shapes; user_contact_acc.h: by hand). With the rows' velocities v = J u
** (normal, tangents, turns), own = d/dt (J) u:
**
**   rigid       closed and not opening:  0 <= p_n _|_ J udot + own >= 0
**   compliant   its node at the other body's surface:  p_n = max(0, -k gap - c v_n), known at once
**   friction, rolling, spinning: a part that rests holds its acceleration within its bound, mu p_n or an
**               arm times p_n; one that moves resists with all of it, against the motion.
**
** S is the record of a step as far as this asks for it: poses, masses, touches (contacts_acc.c). */

/* Slower than this share of what a body is wide, in a second, is at rest. */
#define DLS_AT_REST 1e-9

typedef struct dls_encounter {
  int a, b;                  /* bodies                                           */
  double gap, size;          /* m; the scale of the gap                          */
  const dls_material *m;     /* laws                                             */
  const dls_contact *before; /* the same contact in the last step, NULL          */
  double J[DLS_NB(3)][2 * DLS_NU(3)]; /* nb rows of 2 nu: normal, tangents, turns */
  double v[DLS_NB(3)];       /* J u; the normal's with time's share, m/s, rad/s  */
  double own[DLS_NB(3)];     /* filled by the maker, for rigid normals and parts */
  double force;              /* compliant: of the normal, N                      */
} dls_encounter;

/* All rows of a frame n, t1, t2 at the arms r_a and r_b. */
void dls_frame_rows(int dim, double J[DLS_NB(3)][2 * DLS_NU(3)], const dls_vec3 axis[3],
                    dls_vec3 r_a, dls_vec3 r_b);

/* The frame about n nearest to another one: for differences. */
void dls_carry_frame(int dim, dls_vec3 n, const dls_vec3 from[3], dls_vec3 axis[3]);

/* v from J. */
void dls_encounter_see(const dls_step *S, dls_encounter *e);

/* The law of a time step holds velocities with the rows of q_c: with those of q' they are off by
** h/2 own. Whether it may have held this contact, */
bool dls_encounter_held(const dls_encounter *e);
/* and then: v without what it is off by where the contact rested, and stuck, as far as h own can be
** that. Asks for v, own. */
void dls_encounter_settle(const dls_step *S, dls_encounter *e);

/* Whether a contact acts; then e->force is known. Asks for v. */
bool dls_encounter_acts(const dls_step *S, dls_encounter *e);

/* The rows of a contact that acts: the normal with the parts that rest, then a row along each part
** that moves (BOX, whose force is -bound times that of the row `back` before it). *n counts on.
** DLS_STOPPED by a law of friction. */
dls_status dls_contact_acc_rows(dls_step *S, const dls_encounter *e, dls_acc_row *out, int *n);

/* The radius of gyration by which a contact's turns are comparable to m/s. */
double dls_contact_gyration(const dls_world *w, int a, int b);

/* --- differences along the bodies' velocities ------------------------------------------------- */

typedef union dls_kept_pose {
  dls_pose2 T2; /* plane */
  dls_pose3 T3; /* space */
} dls_kept_pose;

/* Where two bodies are after the time s at their velocities: coordinates into q, poses into those
** of S, whose own go to kept; and back. */
void dls_move_on(dls_step *S, const int body[2], double s, double q[2][DLS_NQ(3)],
                 dls_kept_pose kept[2]);
void dls_move_back(dls_step *S, const int body[2], const dls_kept_pose kept[2]);

/* The time to go for differences, s: the way is small against `size`, large against rounding; 0 at
** rest. */
double dls_difference_time(const dls_world *w, int a, int b, double size);

#endif
