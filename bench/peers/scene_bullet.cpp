// Copyright (c) 2026 the delassus authors.
// SPDX-License-Identifier: MIT

// scene_bullet SCENE: a scene of bench/scenes.lua in space in Bullet, sequential impulses with split impulse, 10
// iterations, no sleep; single precision as Debian builds it.
#include <btBulletDynamicsCommon.h>

#include "scene_state.h"

static btVector3 vec(const double *v) { return btVector3((btScalar)v[0], (btScalar)v[1], (btScalar)v[2]); }

static btCollisionShape *shape_of(const Body &b, double *mass) {
  const double r = b.d[0], h = b.d[1];
  if (b.kind == 's') {
    *mass = b.density * 4 / 3 * M_PI * r * r * r;
    return new btSphereShape((btScalar)r);
  }
  if (b.kind == 'c') {
    *mass = b.density * M_PI * r * r * (h + 4 * r / 3);
    return new btCapsuleShapeX((btScalar)r, (btScalar)h);
  }
  if (b.kind == 'y') {
    *mass = b.density * M_PI * r * r * h;
    return new btCylinderShapeX(btVector3((btScalar)(h / 2), (btScalar)r, (btScalar)r));
  }
  *mass = b.density * b.d[0] * b.d[1] * b.d[2];
  btBoxShape *box = new btBoxShape(0.5f * vec(b.d));
  box->setMargin((btScalar)std::min(0.04, 0.1 * std::min(b.d[0], std::min(b.d[1], b.d[2]))));
  return box;
}

// A frame at the joint in a body, whose third axis (hinges turn about it) or first (cones open about it) is given.
static btTransform frame_in(const btRigidBody *body, const btVector3 &at, const btMatrix3x3 &axes) {
  const btTransform world(axes, at);
  return body->getWorldTransform().inverse() * world;
}

int main(int argc, char **argv) {
  Scene s;
  if (argc != 2 || !read_scene(argv[1], &s) || s.planar) return 2;
  btDefaultCollisionConfiguration configuration;
  btCollisionDispatcher dispatcher(&configuration);
  btDbvtBroadphase broadphase;
  btSequentialImpulseConstraintSolver solver;
  btDiscreteDynamicsWorld world(&dispatcher, &broadphase, &solver, &configuration);
  world.setGravity(vec(s.g));
  world.getSolverInfo().m_splitImpulse = 1;
  btRigidBody *ground = new btRigidBody(btRigidBody::btRigidBodyConstructionInfo(0, nullptr, new btEmptyShape()));
  for (const Plane &p : s.planes) {
    btCollisionShape *shape = new btStaticPlaneShape(vec(p.n), (btScalar)p.offset);
    btRigidBody *body = new btRigidBody(btRigidBody::btRigidBodyConstructionInfo(0, nullptr, shape));
    body->setFriction((btScalar)std::sqrt(p.friction)); // Bullet multiplies the two
    body->setRestitution((btScalar)std::sqrt(p.restitution));
    world.addRigidBody(body);
  }
  std::vector<btRigidBody *> bodies;
  for (const Body &b : s.bodies) {
    double mass;
    btCollisionShape *shape = shape_of(b, &mass);
    btVector3 inertia(0, 0, 0);
    if (b.fixed) mass = 0;
    else shape->calculateLocalInertia((btScalar)mass, inertia);
    btRigidBody *body = new btRigidBody(btRigidBody::btRigidBodyConstructionInfo((btScalar)mass, nullptr, shape, inertia));
    body->setWorldTransform(
        btTransform(btQuaternion((btScalar)b.q[1], (btScalar)b.q[2], (btScalar)b.q[3], (btScalar)b.q[0]), vec(b.p)));
    body->setFriction((btScalar)std::sqrt(b.friction)), body->setRestitution((btScalar)std::sqrt(b.restitution));
    body->setActivationState(DISABLE_DEACTIVATION);
    world.addRigidBody(body);
    body->updateInertiaTensor();
    if (!b.fixed) body->applyImpulse(vec(b.J), vec(b.at) - vec(b.p));
    bodies.push_back(body);
  }
  for (const Joint &j : s.joints) {
    btRigidBody *a = j.a < 0 ? ground : bodies[j.a], *b = j.b < 0 ? ground : bodies[j.b];
    const btVector3 at = vec(j.at);
    btTypedConstraint *joint;
    if (j.hinge) {
      btVector3 z = vec(j.axis), x, y;
      btPlaneSpace1(z, x, y);
      const btMatrix3x3 axes(x.x(), y.x(), z.x(), x.y(), y.y(), z.y(), x.z(), y.z(), z.z());
      btHingeConstraint *hinge = new btHingeConstraint(*a, *b, frame_in(a, at, axes), frame_in(b, at, axes));
      if (j.lo <= j.hi) hinge->setLimit((btScalar)-j.hi, (btScalar)-j.lo);
      joint = hinge;
    } else if (j.cone >= 0) {
      const btMatrix3x3 axes = b->getWorldTransform().getBasis(); // x is the capsule's axis
      btConeTwistConstraint *cone = new btConeTwistConstraint(*a, *b, frame_in(a, at, axes), frame_in(b, at, axes));
      cone->setLimit((btScalar)j.cone, (btScalar)j.cone, (btScalar)M_PI);
      joint = cone;
    } else {
      joint = new btPoint2PointConstraint(*a, *b, a->getWorldTransform().inverse() * at, b->getWorldTransform().inverse() * at);
    }
    world.addConstraint(joint, true);
  }
  return time_scene("Bullet 3.24", s, [&] { world.stepSimulation((btScalar)s.dt, 0); },
                    [&](int i) { return (double)bodies[i]->getWorldTransform().getOrigin().z(); });
}
