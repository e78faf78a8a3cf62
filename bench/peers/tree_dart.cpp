// Copyright (c) 2026 the delassus authors.
// SPDX-License-Identifier: MIT

// tree_dart MODEL: DART's articulated-body algorithm, kinematics included.
#include <dart/dynamics/BallJoint.hpp>
#include <dart/dynamics/BodyNode.hpp>
#include <dart/dynamics/FreeJoint.hpp>
#include <dart/dynamics/RevoluteJoint.hpp>
#include <dart/dynamics/Skeleton.hpp>

#include "tree_model.h"

using namespace dart::dynamics;

static Eigen::Map<const Eigen::Matrix<double, 3, 3, Eigen::RowMajor>> matrix(const double *R) {
  return Eigen::Map<const Eigen::Matrix<double, 3, 3, Eigen::RowMajor>>(R);
}
static Eigen::Matrix3d turn(const double *q) { return Eigen::Quaterniond(q[0], q[1], q[2], q[3]).toRotationMatrix(); }

template <class T> static typename T::Properties joint_named(const std::string &name) {
  typename T::Properties p;
  p.mName = "joint" + name;
  return p;
}

static BodyNode *add(const SkeletonPtr &skeleton, BodyNode *parent, const Body &b, int i) {
  const std::string name = std::to_string(i);
  const BodyNode::Properties body(BodyNode::AspectProperties("body" + name));
  Joint *joint;
  BodyNode *node;
  if (b.kind == 'r') {
    auto pair = skeleton->createJointAndBodyNodePair<RevoluteJoint>(
        parent, joint_named<RevoluteJoint>(name), body);
    pair.first->setAxis(Eigen::Vector3d::Unit(b.axis));
    joint = pair.first, node = pair.second;
  } else if (b.kind == 'b') {
    auto pair = skeleton->createJointAndBodyNodePair<BallJoint>(
        parent, joint_named<BallJoint>(name), body);
    joint = pair.first, node = pair.second;
  } else {
    auto pair = skeleton->createJointAndBodyNodePair<FreeJoint>(
        parent, joint_named<FreeJoint>(name), body);
    joint = pair.first, node = pair.second;
  }
  Eigen::Isometry3d at = Eigen::Isometry3d::Identity();
  at.linear() = matrix(b.R);
  at.translation() = Eigen::Vector3d(b.p[0], b.p[1], b.p[2]);
  joint->setTransformFromParentBodyNode(at);
  Inertia inertia;
  inertia.setMass(b.m);
  inertia.setLocalCOM(Eigen::Vector3d(b.com[0], b.com[1], b.com[2]));
  inertia.setMoment(b.I[0], b.I[1], b.I[2], b.I[3], b.I[4], b.I[5]);
  node->setInertia(inertia);
  return node;
}

int main(int argc, char **argv) {
  if (argc != 2) return 2;
  const Model m = read_model(argv[1]);
  if (m.n > 1000) return std::printf("# %s %d: DART takes half a minute and more to build it\n", m.name, m.n), 0;
  SkeletonPtr skeleton = Skeleton::create("tree");
  std::vector<BodyNode *> nodes;
  skeleton->setGravity(Eigen::Vector3d(m.g[0], m.g[1], m.g[2]));
  for (int i = 0; i < m.n; i++) {
    const Body &b = m.body[i];
    nodes.push_back(add(skeleton, b.parent < 0 ? nullptr : nodes[(size_t)b.parent], b, i));
  }
  Eigen::VectorXd q(m.nu), u(m.nu), tau(m.nu);
  for (int i = 0; i < m.n; i++) {
    const Body &b = m.body[i];
    const long at = (long)nodes[(size_t)i]->getParentJoint()->getIndexInSkeleton(0);
    Eigen::Map<const Eigen::VectorXd> speed(m.u + b.iu, b.nu), force(m.tau + b.iu, b.nu);
    u.segment(at, b.nu) = speed;
    tau.segment(at, b.nu) = force;
    if (b.kind == 'r') q[at] = m.q[b.iq];
    if (b.kind == 'b') q.segment<3>(at) = BallJoint::convertToPositions(turn(m.q + b.iq));
    if (b.kind == 'f') { // a body's own twist, angular part first
      Eigen::Isometry3d pose = Eigen::Isometry3d::Identity();
      pose.linear() = turn(m.q + b.iq + 3);
      pose.translation() = Eigen::Map<const Eigen::Vector3d>(m.q + b.iq);
      q.segment<6>(at) = FreeJoint::convertToPositions(pose);
      u.segment<3>(at) = speed.tail<3>(), u.segment<3>(at + 3) = pose.linear().transpose() * speed.head<3>();
      tau.segment<3>(at) = force.tail<3>(), tau.segment<3>(at + 3) = pose.linear().transpose() * force.head<3>();
    }
  }
  skeleton->setVelocities(u);
  skeleton->setForces(tau);
  double ns;
  TIME(ns, skeleton->setPositions(q); skeleton->setVelocities(u); skeleton->computeForwardDynamics());
  const Eigen::VectorXd got = skeleton->getAccelerations();
  std::vector<double> udot((size_t)m.nu);
  for (int i = 0; i < m.n; i++) {
    const Body &b = m.body[i];
    const long at = (long)nodes[(size_t)i]->getParentJoint()->getIndexInSkeleton(0);
    Eigen::VectorXd x = got.segment(at, b.nu);
    if (b.kind == 'f') {
      const Eigen::Vector3d w = u.segment<3>(at), v = u.segment<3>(at + 3), eps = x.head<3>();
      x.head<3>() = turn(m.q + b.iq + 3) * (x.tail<3>() + w.cross(v)).eval();
      x.tail<3>() = eps;
    }
    for (int k = 0; k < b.nu; k++) udot[(size_t)(b.iu + k)] = x[k];
  }
  report(&m, "DART " DART_VERSION, ns, udot.data());
  return 0;
}
