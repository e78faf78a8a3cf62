// Copyright (c) 2026 the delassus authors.
// SPDX-License-Identifier: MIT

// scene_chipmunk SCENE: a planar scene of bench/scenes.lua in Chipmunk 7; 10 iterations, the default, no sleep.
#include <chipmunk/chipmunk.h>

#include "scene_state.h"

static cpVect vec(const double *v) { return cpv(v[0], v[1]); }

static void finish(cpSpace *space, cpShape *shape, double friction, double restitution) {
  cpSpaceAddShape(space, shape);
  cpShapeSetFriction(shape, std::sqrt(friction)); // Chipmunk multiplies the two
  cpShapeSetElasticity(shape, std::sqrt(restitution));
}

int main(int argc, char **argv) {
  Scene s;
  if (argc != 2 || !read_scene(argv[1], &s) || !s.planar) return 2;
  cpSpace *space = cpSpaceNew();
  cpSpaceSetGravity(space, vec(s.g));
  cpBody *ground = cpSpaceGetStaticBody(space);
  for (const Plane &p : s.planes) {
    const cpVect n = vec(p.n), at = cpvmult(n, p.offset), along = cpvmult(cpvperp(n), 100);
    finish(space, cpSegmentShapeNew(ground, cpvsub(at, along), cpvadd(at, along), 0), p.friction, p.restitution);
  }
  std::vector<cpBody *> bodies;
  for (const Body &b : s.bodies) {
    const bool disk = b.kind == 's';
    const double mass = b.density * (disk ? M_PI * b.d[0] * b.d[0] : b.d[0] * b.d[1]);
    const double inertia = disk ? cpMomentForCircle(mass, 0, b.d[0], cpvzero) : cpMomentForBox(mass, b.d[0], b.d[1]);
    cpBody *body = cpSpaceAddBody(space, b.fixed ? cpBodyNewStatic() : cpBodyNew(mass, inertia));
    cpBodySetPosition(body, vec(b.p));
    cpBodySetAngle(body, b.q[3]); // the angle stands there in the plane
    finish(space, disk ? cpCircleShapeNew(body, b.d[0], cpvzero) : cpBoxShapeNew(body, b.d[0], b.d[1], 0), b.friction,
           b.restitution);
    if (!b.fixed) cpBodyApplyImpulseAtWorldPoint(body, vec(b.J), vec(b.at));
    bodies.push_back(body);
  }
  for (const Joint &j : s.joints) {
    cpBody *x = j.a < 0 ? ground : bodies[j.a], *y = j.b < 0 ? ground : bodies[j.b];
    cpConstraint *pin = cpSpaceAddConstraint(space, cpPivotJointNew(x, y, vec(j.at)));
    cpConstraintSetCollideBodies(pin, cpFalse);
    if (j.lo <= j.hi) cpSpaceAddConstraint(space, cpRotaryLimitJointNew(x, y, j.lo, j.hi));
  }
  return time_scene("Chipmunk 7", s, [&] { cpSpaceStep(space, s.dt); },
                    [&](int i) { return (double)cpBodyGetPosition(bodies[i]).y; });
}
