// Copyright (c) 2026 the delassus authors.
// SPDX-License-Identifier: MIT

// drum3_ode STATE STEPS: the drum of bench/drum3.lua in ODE, dWorldQuickStep with its 20 sweeps, the shell as in
// drum3_bullet.cpp.
#include <ode/ode.h>

#include "drum3_state.h"

struct Run {
  dWorldID world;
  dSpaceID space, shell;
  dJointGroupID contacts;
  double friction, restitution;
  std::vector<dJointFeedback> feedback; // of contacts with the shell
  std::vector<int> side;                // 1 where the log is the first body
  size_t n;
};

static void near(void *data, dGeomID a, dGeomID b) {
  Run *run = (Run *)data;
  if (dGeomIsSpace(a) || dGeomIsSpace(b)) return dSpaceCollide2(a, b, data, near);
  dBodyID body_a = dGeomGetBody(a), body_b = dGeomGetBody(b);
  if (body_a == body_b) return;
  dContactGeom found[8];
  const int n = dCollide(a, b, 8, found, sizeof(dContactGeom));
  for (int i = 0; i < n; i++) {
    dContact contact = {};
    contact.geom = found[i];
    contact.surface.mode = dContactBounce | dContactApprox1;
    contact.surface.mu = run->friction;
    contact.surface.bounce = run->restitution;
    dJointID joint = dJointCreateContact(run->world, run->contacts, &contact);
    dJointAttach(joint, body_a, body_b);
    const bool first = body_b && dBodyIsKinematic(body_b), second = body_a && dBodyIsKinematic(body_a);
    if ((first || second) && run->n < run->feedback.size()) {
      run->side[run->n] = first;
      dJointSetFeedback(joint, &run->feedback[run->n++]);
    }
  }
}

int main(int argc, char **argv) {
  State s;
  if (argc != 3 || !read_state(argv[1], &s)) return 2;
  const double dt = 1e-3;
  dInitODE();
  Run run = {dWorldCreate(), dHashSpaceCreate(nullptr), nullptr, dJointGroupCreate(0), s.friction, s.restitution, {}, {}, 0};
  run.feedback.resize(100000), run.side.resize(100000);
  dWorldSetGravity(run.world, 0, 0, -s.gravity);
  dBodyID drum = dBodyCreate(run.world);
  dBodySetKinematic(drum);
  run.shell = dSimpleSpaceCreate(run.space);
  auto plate = [&](double x, double y, double z, double at_x, double out, double angle) {
    dGeomID g = dCreateBox(run.shell, x, y, z);
    dGeomSetBody(g, drum);
    dMatrix3 R;
    dRFromAxisAndAngle(R, 1, 0, 0, angle);
    dGeomSetOffsetPosition(g, at_x, out * std::cos(angle), out * std::sin(angle));
    dGeomSetOffsetRotation(g, R);
  };
  const int plates = 64;
  const double thick = 0.5, face = s.radius * (1 + std::cos(M_PI / plates)) / 2;
  for (int k = 0; k < plates; k++)
    plate(s.length + 2 * thick, thick, 2 * (face + thick) * std::tan(M_PI / plates), 0, face + thick / 2,
          2 * M_PI * k / plates);
  for (int k = 0; k < s.lifters; k++)
    plate(s.length, s.height, s.width, 0, s.radius - s.height / 2, 2 * M_PI * k / s.lifters);
  for (int side = -1; side <= 1; side += 2)
    plate(thick, 2 * s.radius + 2, 2 * s.radius + 2, side * (s.length + thick) / 2, 0, 0);
  dBodySetAngularVel(drum, s.omega, 0, 0);
  std::vector<dBodyID> bodies;
  dQuaternion across; // ODE's capsules lie along z: z of the geometry is x of the log
  dQFromAxisAndAngle(across, 0, 1, 0, M_PI / 2);
  for (const Log &l : s.logs) {
    dBodyID body = dBodyCreate(run.world);
    dMass m;
    dMassSetCapsule(&m, s.density, 1, l.radius, l.straight);
    dBodySetMass(body, &m);
    dGeomID g = dCreateCapsule(run.space, l.radius, l.straight);
    dGeomSetBody(g, body);
    dGeomSetOffsetQuaternion(g, across);
    dBodySetPosition(body, l.p.x, l.p.y, l.p.z);
    dBodySetQuaternion(body, l.q);
    dBodySetLinearVel(body, l.v.x, l.v.y, l.v.z);
    dBodySetAngularVel(body, l.w.x, l.w.y, l.w.z);
    bodies.push_back(body);
  }
  auto step = [&] {
    run.n = 0;
    dSpaceCollide(run.space, &run, near);
    dWorldQuickStep(run.world, dt);
    dJointGroupEmpty(run.contacts);
  };
  auto look = [&](State &to) {
    for (size_t i = 0; i < bodies.size(); i++) {
      const dReal *p = dBodyGetPosition(bodies[i]), *q = dBodyGetQuaternion(bodies[i]), *v = dBodyGetLinearVel(bodies[i]);
      to.logs[i].p = {p[0], p[1], p[2]}, to.logs[i].v = {v[0], v[1], v[2]};
      for (int k = 0; k < 4; k++) to.logs[i].q[k] = q[k];
    }
  };
  auto impulse = [&] {
    double sum = 0;
    for (size_t i = 0; i < run.n; i++) sum += (run.side[i] ? run.feedback[i].f1[2] : run.feedback[i].f2[2]) * dt;
    return sum;
  };
  time_steps("ODE 0.16", std::atoi(argv[2]), dt, s, step, look, impulse);
  return 0;
}
