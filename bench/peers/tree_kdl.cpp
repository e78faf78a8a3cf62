// Copyright (c) 2026 the delassus authors.
// SPDX-License-Identifier: MIT

// tree_kdl MODEL: KDL's Vereshchagin sweep (O(n), with one row of constraint that acts on nothing) and its solver by
// recursive Newton-Euler and Cholesky (O(n^3)). Chains of hinges only.
#include <kdl/chain.hpp>
#include <kdl/chainfdsolver_recursive_newton_euler.hpp>
#include <kdl/chainhdsolver_vereshchagin.hpp>

#include <vector>

#include "tree_model.h"

static KDL::Vector vec(const double *x) { return KDL::Vector(x[0], x[1], x[2]); }
static KDL::Frame frame(const Body &b) {
  const double *R = b.R;
  return KDL::Frame(KDL::Rotation(R[0], R[1], R[2], R[3], R[4], R[5], R[6], R[7], R[8]), vec(b.p));
}

int main(int argc, char **argv) {
  if (argc != 2) return 2;
  const Model m = read_model(argv[1]);
  KDL::Chain chain;
  static const KDL::Joint::JointType axes[3] = {KDL::Joint::RotX, KDL::Joint::RotY, KDL::Joint::RotZ};
  for (int i = 0; i < m.n; i++)
    if (m.body[i].kind != 'r' || m.body[i].parent != i - 1) return 0;
  const KDL::Vector g = frame(m.body[0]).M.Inverse() * vec(m.g); // the chain starts in the first joint's frame
  for (int i = 0; i < m.n; i++) {
    const Body &b = m.body[i];
    // a segment ends where the next joint is, and its inertia counts from there
    const KDL::Frame tip = i + 1 < m.n ? frame(m.body[i + 1]) : KDL::Frame::Identity();
    const KDL::RotationalInertia I(b.I[0], b.I[1], b.I[2], b.I[3], b.I[4], b.I[5]);
    const KDL::RigidBodyInertia inertia = tip.Inverse() * KDL::RigidBodyInertia(b.m, vec(b.com), I);
    chain.addSegment(KDL::Segment(KDL::Joint(axes[b.axis]), tip, inertia));
  }
  const unsigned n = (unsigned)m.n, n_segments = chain.getNrOfSegments();
  KDL::JntArray q(n), u(n), udot(n), tau(n), beta(1), reaction(n);
  for (unsigned i = 0; i < n; i++) q(i) = m.q[i], u(i) = m.u[i], tau(i) = m.tau[i];
  const KDL::Wrenches none(n_segments, KDL::Wrench::Zero());
  KDL::Jacobian alpha(1);
  KDL::SetToZero(alpha);
  KDL::SetToZero(beta);
  double ns;
  KDL::ChainHdSolver_Vereshchagin sweep(chain, KDL::Twist(-g, KDL::Vector::Zero()), 1);
  TIME(ns, sweep.CartToJnt(q, u, udot, alpha, beta, none, tau, reaction));
  report(&m, "KDL Vereshchagin", ns, &udot.data(0));
  if (m.n > 100) return 0;
  KDL::ChainFdSolver_RNE cubic(chain, g);
  TIME(ns, cubic.CartToJnt(q, u, tau, none, udot));
  report(&m, "KDL Newton-Euler and Cholesky", ns, &udot.data(0));
  return 0;
}
