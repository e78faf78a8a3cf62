/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#ifndef DLS_JOINTS_FIT_H
#define DLS_JOINTS_FIT_H

#include "core/joints/stage.h"

/* Projections of positions on what joints hold, reduced and rigid alike: to the point q with
**
**     S' ( M (aim (-) q) + J' pi ) = 0,    g = 0 or 0 <= pi _|_ gap >= 0,
**
** M, J and S there, which is the nearest to `aim`: by Gauss and Newton, so that rigid joints and
** trees arrive at the same point. Statuses: DLS_SINGULAR, a link without inertia where its joint
** moves. */

/* Bodies that drifted by themselves to q go to the nearest point that joints admit, by turns of
** Gauss and Newton; in the plane, from the second on, of Newton (curvature.h). factored: at the
** end the factor is that of q. S->bent: a loop did not close. */
dls_status dls_joints_fit(dls_joint_stage *S, double *q, bool factored);

/* --- its parts, for projections of joints and contacts together ------------------------------- */

/* Trees and bodies in them stand where the forest's coordinates say; inertias are those at q.
** afresh: so is the forest's factor. */
dls_status dls_joints_stand(dls_joint_stage *S, double *q, bool afresh);

/* The masses of bodies at q in rows: none of those in trees. */
void dls_joints_weigh(dls_joint_stage *S, const double *q);

/* The trees' factor alone, where they stand. */
dls_status dls_joints_factor(dls_joint_stage *S);

/* q becomes the aim. */
void dls_aim_here(dls_joint_stage *S, const double *q);

/* One turn: everything goes the way S->way that the rows o (at q, with gaps) leave it, or as
** much of it as its farthest body may go, by radii of gyration and radians; f: momenta of
** rotors along theirs, or NULL. *size: how far the farthest would have gone. */
dls_status dls_turn_along(dls_joint_stage *S, double *q, dls_overlap *o, int n, const double *f,
                          double most, double *size);
/* The same towards the aim; where it would be longer than `most` nothing moves. */
dls_status dls_turn_to_aim(dls_joint_stage *S, double *q, dls_overlap *o, int n, double most,
                           double *size);

/* Whether what joints hold is near a singular pose: the way by which their rows alone shut what
** is left of their gaps at q is some gaps long. (Touches that jam ask for turns that do not
** come nearer as well.) o is overwritten; nothing moves. */
dls_status dls_find_bent(dls_joint_stage *S, double *q, dls_overlap *o, bool *bent);

/* Whether a turn that went so far, the first one `first`, leaves round-off. */
bool dls_is_fitted(double size, double first);

/* Whether a turn that went so far leaves no more than S->left: of its way about half of the
** square (0.15 to 1.9), where rows are not near a singular pose. */
bool dls_turn_leaves_little(const dls_joint_stage *S, double size);

/* Whether a turn does not come nearer than the last one: near a singular pose. */
bool dls_turn_is_bent(double size, double last);

/* The farthest that a body goes in one turn there, by its radius of gyration, and rad. */
#define DLS_LONGEST_TURN 0.5

/* Gaps of joints become what they have beyond what counts as shut there; alike: the same share
** of each. (Where each is let be within that, one that depends on many others asks for what
** they do not let go.) Answers the largest, by what counts as shut. */
double dls_gaps_to_shut(dls_overlap *o, int n, bool alike);

/* The pose, of bodies and trees, to `to` and back (dls_joints_stand follows); numbers that it
** has, those of q first. */
size_t dls_stand_room(const dls_joint_stage *S);
void dls_keep_stand(const dls_joint_stage *S, const double *q, double *to);
void dls_take_stand(dls_joint_stage *S, const double *from, double *q);

/* Of a chain that is stretched straight the length of the loop bends by the squares of its
** turns; short waves have little inertia and long ones much, so that the shortest way in the
** metric of M goes to and fro between them. Where it does not arrive, every turn of a body gets
** the inertia that all bodies that joints hold have together (*all, kg) at its radius of
** gyration: what S->more is to be for that, from the arena (NULL: no room); */
double *dls_take_turning_inertia(dls_joint_stage *S, double *all);
/* and the same of bodies that stand by themselves, after dls_joints_stand. */
void dls_turn_heavily(dls_joint_stage *S, double all);

/* The way from the aim to q beside velocities u: the work of gravity, on the account of
** projections, and the moment (moment.h). */
void dls_charge_way(dls_joint_stage *S, const double *q, const double *u);

/* f: momenta of rotors, which are bodies of their own, along their ways x to where they would
** be. */
void dls_rotor_momenta(const dls_trees *t, const double *x, double *f);

#endif
