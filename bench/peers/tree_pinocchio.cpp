// Copyright (c) 2026 the delassus authors.
// SPDX-License-Identifier: MIT

// tree_pinocchio MODEL: Pinocchio's articulated-body algorithm in both conventions, kinematics included. Up to 600
// speeds: its workspace holds four cubes of so many (of derivatives that are not asked for), 7 GB of them.
#include <pinocchio/algorithm/aba.hpp>
#include <pinocchio/multibody/data.hpp>
#include <pinocchio/multibody/model.hpp>

#include "tree_model.h"

namespace pin = pinocchio;

#ifdef __clang__
#define COMPILER "clang"
#else
#define COMPILER "gcc"
#endif

static Eigen::Vector3d vec(const double *x) { return Eigen::Vector3d(x[0], x[1], x[2]); }
static Eigen::Matrix3d turn(const double *q) { return Eigen::Quaterniond(q[0], q[1], q[2], q[3]).toRotationMatrix(); }

static pin::SE3 frame_of(const Body &b) {
  return pin::SE3(Eigen::Map<const Eigen::Matrix<double, 3, 3, Eigen::RowMajor>>(b.R), vec(b.p));
}

static pin::Inertia inertia_of(const Body &b) {
  Eigen::Matrix3d I;
  I << b.I[0], b.I[3], b.I[4], b.I[3], b.I[1], b.I[5], b.I[4], b.I[5], b.I[2];
  return pin::Inertia(b.m, vec(b.com), I);
}

static pin::Model::JointModel joint_of(const Body &b) {
  if (b.kind == 'b') return pin::JointModelSpherical();
  if (b.kind == 'f') return pin::JointModelFreeFlyer();
  if (b.axis == 0) return pin::JointModelRX();
  if (b.axis == 1) return pin::JointModelRY();
  return pin::JointModelRZ();
}

int main(int argc, char **argv) {
  if (argc != 2) return 2;
  const Model m = read_model(argv[1]);
  if (m.nu > 600) return std::printf("# %s %d: too large for Pinocchio's workspace\n", m.name, m.n), 0;
  pin::Model model;
  model.gravity.linear(vec(m.g));
  std::vector<pin::JointIndex> id;
  for (int i = 0; i < m.n; i++) {
    const Body &b = m.body[i];
    const pin::JointIndex parent = b.parent < 0 ? 0 : id[(size_t)b.parent];
    id.push_back(model.addJoint(parent, joint_of(b), frame_of(b), "joint" + std::to_string(i)));
    model.appendBodyToJoint(id.back(), inertia_of(b), pin::SE3::Identity());
  }
  pin::Data data(model);
  Eigen::VectorXd q(model.nq), u(model.nv), tau(model.nv);
  for (int i = 0; i < m.n; i++) {
    const Body &b = m.body[i];
    const int iq = model.idx_qs[id[(size_t)i]], iu = model.idx_vs[id[(size_t)i]];
    const double *at = m.q + b.iq;
    for (int k = 0; k < b.nu; k++) u[iu + k] = m.u[b.iu + k], tau[iu + k] = m.tau[b.iu + k];
    if (b.kind == 'r') q[iq] = at[0];
    if (b.kind == 'b') q.segment<4>(iq) << at[1], at[2], at[3], at[0];
    if (b.kind == 'f') { // a body's own twist, linear part first
      q.segment<7>(iq) << at[0], at[1], at[2], at[4], at[5], at[6], at[3];
      const Eigen::Matrix3d back = turn(at + 3).transpose();
      u.segment<3>(iu) = back * vec(m.u + b.iu);
      tau.segment<3>(iu) = back * vec(m.tau + b.iu);
    }
  }
  static const pin::Convention conventions[2] = {pin::Convention::LOCAL, pin::Convention::WORLD};
  static const char *names[2] = {"Pinocchio " VERSION " local (" COMPILER ")", "Pinocchio " VERSION " world (" COMPILER ")"};
  for (int c = 0; c < 2; c++) {
    double ns;
    TIME(ns, pin::aba(model, data, q, u, tau, conventions[c]));
    std::vector<double> udot((size_t)m.nu);
    for (int i = 0; i < m.n; i++) {
      const Body &b = m.body[i];
      const int iu = model.idx_vs[id[(size_t)i]];
      Eigen::VectorXd x = data.ddq.segment(iu, b.nu);
      if (b.kind == 'f') {
        const Eigen::Vector3d v = u.segment<3>(iu), w = u.segment<3>(iu + 3), a = x.head<3>();
        x.head<3>() = turn(m.q + b.iq + 3) * (a + w.cross(v));
      }
      for (int k = 0; k < b.nu; k++) udot[(size_t)(b.iu + k)] = x[k];
    }
    report(&m, names[c], ns, udot.data());
  }
  return 0;
}
