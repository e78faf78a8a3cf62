/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#ifndef DLS_WORLD_WORLD_H
#define DLS_WORLD_WORLD_H

#include "core/model/body.h"
#include "core/model/records.h"

/* What a user calls a world: made, filled, stepped, asked, stored. Everything here may allocate;
** a step allocates only between attempts. Functions that fail leave the world as it was. Statuses:
** DLS_SINGULAR, a link without inertia where its joint moves (trees->fault) or a penalty joint
** apart from its bodies; DLS_STATE, joints apart in a strict world, or events that cannot be
** followed; DLS_UNSTABLE, penalties stiffer than the step allows; DLS_RANGE, a state that is not
** finite. */

typedef struct dls_world_def {
  int dim;            /* 2 or 3; default 3                                              */
  double gravity[3];  /* default (0, 0, -9.81), in the plane (0, -9.81)                 */
  bool has_gravity;   /* whether it was given                                           */
  double dt;          /* s, default 1e-3                                                */
  double theta;       /* default 0: chosen                                              */
  bool semi_implicit; /* EQUATIONS B.1 for free bodies, theta = 1; default false         */
  int impact;         /* dls_impact_law                                                     */
  int solver;         /* dls_solve_method                                               */
  double tolerance;   /* 0: 1e-10 for islands up to 200 rows, 1e-6 beyond               */
  int max_iterations; /* default 1000                                                   */
  int64_t seed;       /* default 1                                                      */
  bool event_driven;  /* the scheme; default false. Keeps events                          */
  bool log, strict;   /* default false                                                  */
  int factor;         /* dls_forest_method: of trees                                    */
  int friction_corners; /* 2 or 4, default 2: of the planar acceleration LCP            */
} dls_world_def;

dls_world_def dls_world_def_default(void);
dls_status dls_world_create(dls_world **out, const dls_alloc *alloc, const dls_world_def *def);
void dls_world_destroy(dls_world *world); /* NULL is accepted */

/* --- bodies, materials, things between bodies ------------------------------------------- */

typedef struct dls_body_def {
  int type;               /* dls_body_type                                              */
  const dls_shape *shape; /* or NULL                                                    */
  double density;         /* > 0 where given, else 0, kg/m^3                            */
  double mass;            /* >= 0 where given, else -1                                  */
  bool has_inertia, has_com; /* whether each is given */
  bool massless;          /* mass 0 is meant: a body inside a tree                      */
  double inertia[6];      /* Ixx Iyy Izz Ixy Ixz Iyz about the centre; plane: [0], kg m^2 */
  double com[3];          /* body frame, m                                              */
  double position[3];     /* of the body frame's origin                                 */
  double rotation[4];     /* quaternion; plane: [0] the angle                           */
  double velocity[3];     /* of the mass centre, m/s                                    */
  double angular[3];      /* world axes; plane: [0], rad/s                              */
  int material;           /* from dls_world_material_add; 0: default                    */
  uint32_t group, collides; /* bits: its own; of those it touches */
  bool sensor, moved;       /* touches without forces; has a motion */
} dls_body_def;

/* Why a body cannot be. */
typedef enum dls_body_fault {
  DLS_BODY_GOOD,
  DLS_BODY_NO_MASS,     /* dynamic, without mass, density or solid shape                 */
  DLS_BODY_NOT_SOLID,   /* dynamic, and its shape has no inside                          */
  DLS_BODY_WRONG_DIM,   /* its shape is not of this world's dimension                    */
  DLS_BODY_INDEFINITE,  /* an inertia that is not positive definite                      */
  DLS_BODY_LOPSIDED,    /* an inertia against the triangle inequality                    */
  DLS_BODY_BAD_INERTIA  /* a mass or inertia, or the inverse of one, beyond all numbers  */
} dls_body_fault;
/* What the last three ask for, in words. */
const char *dls_body_inertia_rule(dls_body_fault fault);

dls_body_def dls_body_def_default(int dim);
dls_body_fault dls_body_check(const dls_world *world, const dls_body_def *def);

/* DLS_ARG where dls_body_check finds a fault; the shape is held. */
dls_status dls_world_body_add(dls_world *world, const dls_body_def *def, int *index);
/* What is taken out leaves a gap until what stands behind it moves up: places change, slots do not
** (slots.h). */
void dls_world_body_remove(dls_world *world, int index);
/* Between steps: no gap is left. A step begins so; whoever asks for the world as a whole
** (snapshots, hashes, accelerations) does it before. */
void dls_world_move_up(dls_world *world);
bool dls_world_has_gaps(const dls_world *world);
dls_status dls_world_material_add(dls_world *world, const dls_material *material, int *index);
/* The material without a name (id 0) that has these numbers and this law; -1: none has. */
int dls_world_material_find(const dls_world *world, const dls_material *material);
/* Gives back the materials that no body and no pairing has, where there are many: after a change of
** the model. The numbers of the others stay. Answers whether it looked. */
bool dls_world_tidy_materials(dls_world *world);
/* Takes the place of an earlier one of the same two. */
dls_status dls_world_pair(dls_world *world, const dls_pairing *pairing);
dls_status dls_world_spring_add(dls_world *world, const dls_spring *spring, int *index);
void dls_world_spring_remove(dls_world *world, int index);
dls_status dls_world_user_contact_add(dls_world *world, const dls_user_contact *user, int *index);
/* The slot that the next one gets. */
int dls_world_user_contact_slot(const dls_world *world);
/* Its contact of the last step goes with it. */
void dls_world_user_contact_remove(dls_world *world, int index);

/* --- one body ------------------------------------------------------------------------------ */

/* Kinetic energy, J; pose, points, velocities and impulses: model/body.h. */
double dls_body_kinetic(const dls_world *world, int index);

/* Changes between steps; where they answer a fault nothing has changed. Another mass scales the
** inertia; another mass centre leaves the body frame where it is, with the velocities they had; a
** body that becomes static stands still; another shape leaves the mass. Contacts found by shapes
** are found anew where type, shape or filter changes. */
dls_body_fault dls_body_set_mass(dls_world *world, int index, double mass);
dls_body_fault dls_body_set_inertia(dls_world *world, int index, const double inertia[6]);
void dls_body_set_com(dls_world *world, int index, const double com[3]);
/* After it: anchors of springs and hand-made contacts, counted from the mass centre, stay where
** they are, too. */
void dls_body_hold_anchors(dls_world *world, int index, const double com_before[3]);
dls_body_fault dls_body_set_type(dls_world *world, int index, int type);
dls_body_fault dls_body_set_shape(dls_world *world, int index, const dls_shape *shape);
void dls_body_set_filter(dls_world *world, int index, uint32_t group, uint32_t collides,
                         bool sensor);
void dls_body_set_material(dls_world *world, int index, int material);

/* --- stepping -------------------------------------------------------------------------------- */

/* Another generator's start, another factor of the trees, another step from now on. */
void dls_world_set_seed(dls_world *world, int64_t seed);
void dls_world_set_factor(dls_world *world, int method);
void dls_world_set_dt(dls_world *world, double dt);

/* One step: whole, or the world is as it was. DLS_STOPPED by a hook, DLS_NOMEM. */
dls_status dls_world_step(dls_world *world);
/* The same; where steps go from event to event it ends at `to`, which lies ahead, at the latest. */
dls_status dls_world_step_to(dls_world *world, double to);
/* s: how long the last step was. */
double dls_world_last_span(const dls_world *world);

/* Kinetic, potential and stored energy, J. */
void dls_world_energy(const dls_world *world, double out[3]);
/* Of the stored energy that of springs, those of joints included. */
double dls_world_sprung(const dls_world *world);

/* Linear momentum and angular momentum about the origin. */
void dls_world_momentum(const dls_world *world, double linear[3], double angular[3]);

/* --- state as bytes --------------------------------------------------------------------------- */

/* Of a world without gaps. */
size_t dls_world_snapshot_size(const dls_world *world);
void dls_world_snapshot(const dls_world *world, void *out);

/* A snapshot that goes out into files and over wires ends with its own hash: DLS_SEAL bytes. */
enum { DLS_SEAL = 8 };
void dls_snapshot_seal(const void *bytes, size_t size, unsigned char out[DLS_SEAL]);
/* Whether the last DLS_SEAL of so many bytes are those of the others. */
bool dls_snapshot_sealed(const void *bytes, size_t size);

/* DLS_ARG: not a snapshot of a world built like this one; nothing has changed. */
dls_status dls_world_restore(dls_world *world, const void *bytes, size_t size);
uint64_t dls_world_hash(const dls_world *world);
uint64_t dls_world_structure(const dls_world *world); /* hash of the model */

/* The nearest body that the segment meets; -1 where none. */
int dls_world_raycast(const dls_world *world, const double from[3], const double to[3],
                      dls_hit *hit);

#endif
