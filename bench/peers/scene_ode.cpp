// Copyright (c) 2026 the delassus authors.
// SPDX-License-Identifier: MIT

// scene_ode SCENE: a scene of bench/scenes.lua in space in ODE, dWorldQuickStep with its 20 sweeps, no sleep.
#include <ode/ode.h>

#include "scene_state.h"

struct Run {
  dWorldID world;
  dSpaceID space;
  dJointGroupID contacts;
};

static void near(void *data, dGeomID a, dGeomID b) {
  Run *run = (Run *)data;
  dBodyID body_a = dGeomGetBody(a), body_b = dGeomGetBody(b);
  if ((!body_a && !body_b) || (body_a && body_b && dAreConnectedExcluding(body_a, body_b, dJointTypeContact))) return;
  const Body *x = (const Body *)dGeomGetData(a), *y = (const Body *)dGeomGetData(b);
  dContactGeom found[8];
  const int n = dCollide(a, b, 8, found, sizeof(dContactGeom));
  for (int i = 0; i < n; i++) {
    dContact contact = {};
    contact.geom = found[i];
    contact.surface.mode = dContactBounce | dContactApprox1;
    contact.surface.mu = std::sqrt(x->friction * y->friction);
    contact.surface.bounce = std::min(x->restitution, y->restitution);
    dJointAttach(dJointCreateContact(run->world, run->contacts, &contact), body_a, body_b);
  }
}

int main(int argc, char **argv) {
  Scene s;
  if (argc != 2 || !read_scene(argv[1], &s) || s.planar) return 2;
  dInitODE();
  Run run = {dWorldCreate(), dHashSpaceCreate(nullptr), dJointGroupCreate(0)};
  dWorldSetGravity(run.world, s.g[0], s.g[1], s.g[2]);
  std::vector<Body> of_planes(s.planes.size());
  for (size_t i = 0; i < s.planes.size(); i++) {
    const Plane &p = s.planes[i];
    of_planes[i].friction = p.friction, of_planes[i].restitution = p.restitution;
    dGeomSetData(dCreatePlane(run.space, p.n[0], p.n[1], p.n[2], p.offset), &of_planes[i]);
  }
  std::vector<dBodyID> bodies;
  std::vector<dGeomID> geoms;
  dQuaternion across; // ODE's rods lie along z
  dQFromAxisAndAngle(across, 0, 1, 0, M_PI / 2);
  for (Body &b : s.bodies) {
    dBodyID body = dBodyCreate(run.world);
    dMass m;
    dGeomID g;
    if (b.kind == 's') dMassSetSphere(&m, b.density, b.d[0]), g = dCreateSphere(run.space, b.d[0]);
    else if (b.kind == 'c') dMassSetCapsule(&m, b.density, 1, b.d[0], b.d[1]), g = dCreateCapsule(run.space, b.d[0], b.d[1]);
    else if (b.kind == 'y') dMassSetCylinder(&m, b.density, 1, b.d[0], b.d[1]), g = dCreateCylinder(run.space, b.d[0], b.d[1]);
    else dMassSetBox(&m, b.density, b.d[0], b.d[1], b.d[2]), g = dCreateBox(run.space, b.d[0], b.d[1], b.d[2]);
    dBodySetMass(body, &m);
    if (b.fixed) dBodySetKinematic(body);
    dGeomSetBody(g, body);
    dGeomSetData(g, &b);
    if (b.kind == 'c' || b.kind == 'y') dGeomSetOffsetQuaternion(g, across);
    dBodySetPosition(body, b.p[0], b.p[1], b.p[2]);
    dQuaternion q = {b.q[0], b.q[1], b.q[2], b.q[3]};
    dBodySetQuaternion(body, q);
    if (b.J[0] != 0 || b.J[1] != 0 || b.J[2] != 0)
      dBodyAddForceAtPos(body, b.J[0] / s.dt, b.J[1] / s.dt, b.J[2] / s.dt, b.at[0], b.at[1], b.at[2]);
    bodies.push_back(body);
  }
  for (const Joint &j : s.joints) {
    dBodyID a = j.a < 0 ? nullptr : bodies[j.a], b = j.b < 0 ? nullptr : bodies[j.b];
    if (j.hinge) {
      dJointID hinge = dJointCreateHinge(run.world, nullptr);
      dJointAttach(hinge, a, b);
      dJointSetHingeAnchor(hinge, j.at[0], j.at[1], j.at[2]);
      dJointSetHingeAxis(hinge, j.axis[0], j.axis[1], j.axis[2]);
      if (j.lo <= j.hi) dJointSetHingeParam(hinge, dParamLoStop, -j.hi), dJointSetHingeParam(hinge, dParamHiStop, -j.lo);
    } else { // without cones: ODE has none
      dJointID ball = dJointCreateBall(run.world, nullptr);
      dJointAttach(ball, a, b);
      dJointSetBallAnchor(ball, j.at[0], j.at[1], j.at[2]);
    }
  }
  return time_scene("ODE 0.16", s,
                    [&] {
                      dSpaceCollide(run.space, &run, near);
                      dWorldQuickStep(run.world, s.dt);
                      dJointGroupEmpty(run.contacts);
                    },
                    [&](int i) { return (double)dBodyGetPosition(bodies[i])[2]; });
}
