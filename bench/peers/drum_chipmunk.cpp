// Copyright (c) 2026 the delassus authors.
// SPDX-License-Identifier: MIT

// drum_chipmunk STATE WARM STEPS EVERY TRACE: turns the drum of bench/drum.lua in Chipmunk 7 (see drum_state.h). The
// shell is a kinematic ring of thick boxes, lifters are boxes; 10 iterations, the default; no sleep.
#include <chipmunk/chipmunk.h>

#include "drum_state.h"

static void add_box(cpSpace *space, cpBody *shell, const State &s, double x, double y, double middle, double angle) {
  const cpVect at = cpv(middle * std::cos(angle), middle * std::sin(angle));
  cpVect corners[4] = {cpv(-x, -y), cpv(x, -y), cpv(x, y), cpv(-x, y)};
  cpShape *box = cpSpaceAddShape(space, cpPolyShapeNew(shell, 4, corners, cpTransformRigid(at, angle), 0));
  cpShapeSetFriction(box, std::sqrt(s.friction)); // Chipmunk multiplies the two
  cpShapeSetElasticity(box, std::sqrt(s.restitution));
}

int main(int argc, char **argv) {
  if (argc != 6) return 2;
  State s;
  if (!read_state(argv[1], &s)) return 2;
  cpSpace *space = cpSpaceNew();
  cpSpaceSetGravity(space, cpv(0, -s.gravity));
  cpBody *shell = cpSpaceAddBody(space, cpBodyNewKinematic());
  cpBodySetAngle(shell, s.angle);
  const Plates p = plates_of(s);
  for (int i = 0; i < p.n; i++)
    add_box(space, shell, s, p.thick / 2, p.half, p.face + p.thick / 2, 2 * M_PI * i / p.n);
  for (int k = 0; k < s.lifters; k++)
    add_box(space, shell, s, s.height / 2, s.width / 2, s.radius - s.height / 2, 2 * M_PI * k / s.lifters);
  cpBodySetAngularVelocity(shell, s.omega);
  std::vector<cpBody *> bodies;
  for (const Disk &d : s.disks) {
    const double mass = s.density * M_PI * d.radius * d.radius;
    cpBody *body = cpSpaceAddBody(space, cpBodyNew(mass, cpMomentForCircle(mass, 0, d.radius, cpvzero)));
    cpBodySetPosition(body, cpv(d.x, d.y));
    cpBodySetAngle(body, d.angle);
    cpBodySetVelocity(body, cpv(d.vx, d.vy));
    cpBodySetAngularVelocity(body, d.w);
    cpShape *circle = cpSpaceAddShape(space, cpCircleShapeNew(body, d.radius, cpvzero));
    cpShapeSetFriction(circle, std::sqrt(s.friction));
    cpShapeSetElasticity(circle, std::sqrt(s.restitution));
    bodies.push_back(body);
  }
  return time_steps(
      "Chipmunk 7 (10 iterations)", "Debian's library keeps its assertions (no NDEBUG)", argv, s,
      [&] { cpSpaceStep(space, s.dt); },
      [&](State &now) {
        for (size_t i = 0; i < bodies.size(); i++) {
          now.disks[i].x = cpBodyGetPosition(bodies[i]).x;
          now.disks[i].y = cpBodyGetPosition(bodies[i]).y;
        }
        return (double)cpBodyGetAngle(shell);
      });
}
