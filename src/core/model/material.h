/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#ifndef DLS_MODEL_MATERIAL_H
#define DLS_MODEL_MATERIAL_H

#include "core/model/world.h"

/* The laws of a contact between two bodies. */
dls_material dls_world_material(const dls_world *world, int a, int b);
/* The number of the pairing of two bodies or materials, in either order; -1: none. */
int dls_pairing_find(const dls_world *world, bool of_bodies, int a, int b);
/* The last pairing gets its place in the table, for which there is room; all of them do, after some
** went or changed their two. */
void dls_pairing_add(dls_world *world);
void dls_pairings_list(dls_world *world);
/* The friction coefficient of two materials at a slip speed, m/s; may ask hooks.friction. */
dls_status dls_friction_at(dls_world *w, const dls_material *m, double speed, double *mu);
/* Whether a material, a pairing or a hand-made contact may be compliant: else none holds a
** compression. */
bool dls_world_is_compliant(const dls_world *world);
/* The theta of the next step. */
double dls_world_theta(const dls_world *world);

/* The damping ratio of a spring and dashpot, c = 2 zeta sqrt(k m), whose free impact, with a force
** that never pulls, has the restitution e in (0, 1]:
**     zeta = sin a <= 1:  e = exp(-(pi - 2 a) tan a)
**     zeta > 1:           e = exp(-(zeta/r) log((zeta + r)/(zeta - r))),  r = sqrt(zeta^2 - 1).
** Source: T. Schwager & T. Poeschel, Granular Matter 9 (2007). */
double dls_damping_ratio(double e);
/* Whether restitution stands for the damper of a compliant contact: c = 2 zeta(e) sqrt(k/w) with w
** = J M^-1 J' of the two bodies alone, as if no joint held them (EQUATIONS G.1.3: that of the free
** impact). A damping that is given, too, counts where there is no restitution. */
static inline bool dls_restitution_damps(const dls_material *m) { return m->restitution > 0; }

/* That damper, N s/m; 0 where nothing moves. Ratios are found once, as steps ask for them again. */
double dls_restitution_dashpot(dls_world *world, const dls_material *m, double w);

#endif
