// Copyright (c) 2026 the delassus authors.
// SPDX-License-Identifier: MIT

// tree_rbdl MODEL: RBDL's articulated-body algorithm, kinematics included.
#include <rbdl/rbdl.h>

#include "tree_model.h"

using namespace RigidBodyDynamics;
using namespace RigidBodyDynamics::Math;

#ifdef __clang__
#define COMPILER "clang"
#else
#define COMPILER "gcc"
#endif

static SpatialTransform frame_of(const ::Body &b) { // parent coordinates into the child's
  const double *R = b.R;
  return SpatialTransform(Matrix3d(R[0], R[3], R[6], R[1], R[4], R[7], R[2], R[5], R[8]), Vector3d(b.p[0], b.p[1], b.p[2]));
}

static RigidBodyDynamics::Body body_of(const ::Body &b) {
  const double *I = b.I;
  return RigidBodyDynamics::Body(b.m, Vector3d(b.com[0], b.com[1], b.com[2]),
                                 Matrix3d(I[0], I[3], I[4], I[3], I[1], I[5], I[4], I[5], I[2]));
}

int main(int argc, char **argv) {
  if (argc != 2) return 2;
  const ::Model m = read_model(argv[1]);
  static const JointType hinges[3] = {JointTypeRevoluteX, JointTypeRevoluteY, JointTypeRevoluteZ};
  RigidBodyDynamics::Model model;
  model.gravity = Vector3d(m.g[0], m.g[1], m.g[2]);
  std::vector<unsigned> id;
  for (int i = 0; i < m.n; i++) {
    const ::Body &b = m.body[i];
    const JointType type = b.kind == 'r' ? hinges[b.axis] : b.kind == 'b' ? JointTypeSpherical : JointTypeFloatingBase;
    id.push_back(model.AddBody(b.parent < 0 ? 0 : id[(size_t)b.parent], frame_of(b), Joint(type), body_of(b)));
  }
  // Our order of speeds is the one of RBDL: translation in the parent's axes, then angular velocity in the child's.
  VectorNd q = VectorNd::Zero(model.q_size), u(model.qdot_size), tau(model.qdot_size), udot = VectorNd::Zero(model.qdot_size);
  if ((int)model.qdot_size != m.nu) return 2;
  for (int i = 0; i < m.nu; i++) u[i] = m.u[i], tau[i] = m.tau[i];
  for (int i = 0; i < m.n; i++) {
    const ::Body &b = m.body[i];
    const double *at = m.q + b.iq;
    if (b.kind == 'r') {
      q[b.iu] = at[0];
      continue;
    }
    if (b.kind == 'f') {
      for (int k = 0; k < 3; k++) q[b.iu + k] = at[k];
      at += 3;
    }
    model.SetQuaternion(id[(size_t)i], Quaternion(at[1], at[2], at[3], at[0]), q);
  }
  double ns;
  TIME(ns, ForwardDynamics(model, q, u, tau, udot));
  report(&m, "RBDL " VERSION " (" COMPILER ")", ns, udot.data());
  return 0;
}
