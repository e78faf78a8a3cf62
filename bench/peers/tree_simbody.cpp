// Copyright (c) 2026 the delassus authors.
// SPDX-License-Identifier: MIT

// tree_simbody MODEL: Simbody's articulated-body algorithm, realized from positions to accelerations.
#include <simbody/Simbody.h>

#include "tree_model.h"

using namespace SimTK;

static Vec3 vec(const double *x) { return Vec3(x[0], x[1], x[2]); }
static Rotation turn(const double *q) { return Rotation(Quaternion(q[0], q[1], q[2], q[3])); }
static Rotation place(const double *R) {
  return Rotation(Mat33(R[0], R[1], R[2], R[3], R[4], R[5], R[6], R[7], R[8]), true);
}

int main(int argc, char **argv) {
  if (argc != 2) return 2;
  const Model m = read_model(argv[1]);
  MultibodySystem system;
  SimbodyMatterSubsystem matter(system);
  GeneralForceSubsystem forces(system);
  Force::UniformGravity(forces, matter, vec(m.g));
  Force::DiscreteForces applied(forces, matter);
  Array_<MobilizedBody> bodies;
  for (int i = 0; i < m.n; i++) {
    const ::Body &b = m.body[i];
    const Inertia centre(b.I[0], b.I[1], b.I[2], b.I[3], b.I[4], b.I[5]);
    const SimTK::Body::Rigid rigid(MassProperties(b.m, vec(b.com), centre.shiftFromMassCenter(vec(b.com), b.m)));
    MobilizedBody parent = b.parent < 0 ? MobilizedBody(matter.Ground()) : bodies[b.parent];
    const Transform at(place(b.R), vec(b.p));
    if (b.kind == 'r') { // a pin turns about z
      static const CoordinateAxis others[3] = {YAxis, ZAxis, XAxis};
      const Rotation z(UnitVec3(CoordinateAxis(b.axis)), ZAxis, UnitVec3(others[b.axis]), XAxis);
      bodies.push_back(MobilizedBody::Pin(parent, at * Transform(z), rigid, Transform(z)));
    } else if (b.kind == 'b') {
      bodies.push_back(MobilizedBody::Ball(parent, at, rigid, Transform()));
    } else {
      bodies.push_back(MobilizedBody::Free(parent, at, rigid, Transform()));
    }
  }
  State state = system.realizeTopology();
  system.realizeModel(state);
  Vector q(m.nq), u(m.nu), tau(m.nu);
  for (int i = 0; i < m.n; i++) { // angular velocities are wanted in the parent's axes
    const ::Body &b = m.body[i];
    const int iq = bodies[i].getFirstQIndex(state), iu = bodies[i].getFirstUIndex(state);
    const double *x = m.q + b.iq, *v = m.u + b.iu, *f = m.tau + b.iu;
    if (b.kind == 'r') {
      q[iq] = x[0], u[iu] = v[0], tau[iu] = f[0];
      continue;
    }
    const int lead = b.kind == 'f' ? 3 : 0;
    const Rotation R = turn(x + lead);
    const Vec3 w = R * vec(v + lead), t = R * vec(f + lead);
    for (int k = 0; k < 4; k++) q[iq + k] = x[lead + k];
    for (int k = 0; k < 3; k++) {
      u[iu + k] = w[k], tau[iu + k] = t[k];
      if (lead) q[iq + 4 + k] = x[k], u[iu + 3 + k] = v[k], tau[iu + 3 + k] = f[k];
    }
  }
  state.updU() = u;
  applied.setAllMobilityForces(state, tau);
  double ns;
  TIME(ns, state.updQ() = q; state.updU() = u; system.realize(state, Stage::Acceleration));
  const Vector &got = state.getUDot();
  double *udot = (double *)malloc((size_t)m.nu * sizeof(double));
  for (int i = 0; i < m.n; i++) {
    const ::Body &b = m.body[i];
    const int iu = bodies[i].getFirstUIndex(state), lead = b.kind == 'f' ? 3 : 0;
    if (b.kind == 'r') {
      udot[b.iu] = got[iu];
      continue;
    }
    const Vec3 eps = ~turn(m.q + b.iq + lead) * Vec3(got[iu], got[iu + 1], got[iu + 2]);
    for (int k = 0; k < 3; k++) {
      udot[b.iu + lead + k] = eps[k];
      if (lead) udot[b.iu + k] = got[iu + 3 + k];
    }
  }
  report(&m, "Simbody 3.7", ns, udot);
  return 0;
}
