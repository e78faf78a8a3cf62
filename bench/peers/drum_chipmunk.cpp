// Copyright (c) 2026 the delassus authors.
// SPDX-License-Identifier: MIT

// drum_chipmunk STATE STEPS: turns the drum of bench/drum.lua in Chipmunk 7 and prints what it took and how good it was.
// The shell is a ring of segments turning with the drum, lifters are boxes; 10 iterations, the default.
#include <chipmunk/chipmunk.h>

#include <chrono>

#include "drum_state.h"

int main(int argc, char **argv) {
  if (argc != 3) return 2;
  State s;
  if (!read_state(argv[1], &s)) return 2;
  const int steps = std::atoi(argv[2]);
  cpSpace *space = cpSpaceNew();
  cpSpaceSetGravity(space, cpv(0, -s.gravity));
  cpBody *shell = cpSpaceAddBody(space, cpBodyNewKinematic());
  const int n_edges = 360;
  for (int i = 0; i < n_edges; i++) {
    const double a = 2 * M_PI * i / n_edges, b = 2 * M_PI * (i + 1) / n_edges, thick = 0.2, r = s.radius + thick;
    cpShape *edge = cpSpaceAddShape(space, cpSegmentShapeNew(shell, cpv(r * std::cos(a), r * std::sin(a)),
                                                             cpv(r * std::cos(b), r * std::sin(b)), thick));
    cpShapeSetFriction(edge, std::sqrt(s.friction)); // Chipmunk multiplies the two
    cpShapeSetElasticity(edge, std::sqrt(s.restitution));
  }
  for (int k = 0; k < s.lifters; k++) {
    const double angle = 2 * M_PI * k / s.lifters, middle = s.radius - s.height / 2;
    const cpVect at = cpv(middle * std::cos(angle), middle * std::sin(angle));
    const double x = s.height / 2, y = s.width / 2;
    cpVect corners[4] = {cpv(-x, -y), cpv(x, -y), cpv(x, y), cpv(-x, y)};
    cpShape *box = cpSpaceAddShape(space, cpPolyShapeNew(shell, 4, corners, cpTransformRigid(at, angle), 0));
    cpShapeSetFriction(box, std::sqrt(s.friction));
    cpShapeSetElasticity(box, std::sqrt(s.restitution));
  }
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
  Quality quality;
  std::vector<double> ms;
  for (int k = 0; k < steps; k++) {
    const auto start = std::chrono::steady_clock::now();
    cpSpaceStep(space, s.dt);
    ms.push_back(std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count());
    if (k % 20 == 19) {
      for (size_t i = 0; i < bodies.size(); i++) {
        s.disks[i].x = cpBodyGetPosition(bodies[i]).x;
        s.disks[i].y = cpBodyGetPosition(bodies[i]).y;
      }
      quality.look(s);
    }
  }
  print_result("Chipmunk 7", ms, quality);
}
