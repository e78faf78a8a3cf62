// Copyright (c) 2026 the delassus authors.
// SPDX-License-Identifier: MIT

// drum3_bullet STATE STEPS: the drum of bench/drum3.lua in Bullet, sequential impulses with split impulse, ten iterations.
// The shell is 64 boxes, its ends two, lifters one each, in one kinematic compound; single precision as Debian builds it.
#include <btBulletDynamicsCommon.h>

#include "drum3_state.h"

static btVector3 vec(const V3 &v) { return btVector3((btScalar)v.x, (btScalar)v.y, (btScalar)v.z); }

int main(int argc, char **argv) {
  State s;
  if (argc != 3 || !read_state(argv[1], &s)) return 2;
  const double dt = 1e-3;
  btDefaultCollisionConfiguration configuration;
  btCollisionDispatcher dispatcher(&configuration);
  btDbvtBroadphase broadphase;
  btSequentialImpulseConstraintSolver solver;
  btDiscreteDynamicsWorld world(&dispatcher, &broadphase, &solver, &configuration);
  world.setGravity(btVector3(0, 0, (btScalar)-s.gravity));
  world.getSolverInfo().m_splitImpulse = 1;
  world.getSolverInfo().m_restitutionVelocityThreshold = 0;

  btCompoundShape shell;
  const int plates = 64;
  const double thick = 0.5, face = s.radius * (1 + std::cos(M_PI / plates)) / 2;
  for (int k = 0; k < plates; k++) {
    const double angle = 2 * M_PI * k / plates, at = face + thick / 2;
    btTransform t(btQuaternion(btVector3(1, 0, 0), (btScalar)angle),
                  btVector3(0, (btScalar)(at * std::cos(angle)), (btScalar)(at * std::sin(angle))));
    shell.addChildShape(t, new btBoxShape(btVector3((btScalar)(s.length / 2 + thick), (btScalar)(thick / 2),
                                                    (btScalar)((face + thick) * std::tan(M_PI / plates)))));
  }
  for (int side = -1; side <= 1; side += 2)
    shell.addChildShape(btTransform(btQuaternion::getIdentity(), btVector3((btScalar)(side * (s.length + thick) / 2), 0, 0)),
                        new btBoxShape(btVector3((btScalar)(thick / 2), (btScalar)(s.radius + 1), (btScalar)(s.radius + 1))));
  for (int k = 0; k < s.lifters; k++) {
    const double angle = 2 * M_PI * k / s.lifters, at = s.radius - s.height / 2;
    btTransform t(btQuaternion(btVector3(1, 0, 0), (btScalar)angle),
                  btVector3(0, (btScalar)(at * std::cos(angle)), (btScalar)(at * std::sin(angle))));
    shell.addChildShape(t, new btBoxShape(btVector3((btScalar)(s.length / 2), (btScalar)(s.height / 2), (btScalar)(s.width / 2))));
  }
  btRigidBody drum(btRigidBody::btRigidBodyConstructionInfo(0, nullptr, &shell));
  drum.setCollisionFlags(drum.getCollisionFlags() | btCollisionObject::CF_KINEMATIC_OBJECT);
  drum.setActivationState(DISABLE_DEACTIVATION);
  const btScalar mu = (btScalar)std::sqrt(s.friction), e = (btScalar)std::sqrt(s.restitution); // Bullet multiplies
  drum.setFriction(mu), drum.setRestitution(e);
  drum.setAngularVelocity(btVector3((btScalar)s.omega, 0, 0));
  world.addRigidBody(&drum);
  std::vector<btRigidBody *> bodies;
  for (const Log &l : s.logs) {
    btCollisionShape *shape = new btCapsuleShapeX((btScalar)l.radius, (btScalar)l.straight);
    const double m = l.mass(s.density), r = l.radius, h = l.straight, c = s.density * M_PI * r * r * h, b = m - c;
    const double along = c * r * r / 2 + b * 0.4 * r * r;
    const double across = c * (h * h / 12 + r * r / 4) + b * (0.4 * r * r + h * h / 4 + 3.0 / 8 * h * r);
    btRigidBody *body = new btRigidBody(btRigidBody::btRigidBodyConstructionInfo(
        (btScalar)m, nullptr, shape, btVector3((btScalar)along, (btScalar)across, (btScalar)across)));
    body->setWorldTransform(
        btTransform(btQuaternion((btScalar)l.q[1], (btScalar)l.q[2], (btScalar)l.q[3], (btScalar)l.q[0]), vec(l.p)));
    body->setLinearVelocity(vec(l.v)), body->setAngularVelocity(vec(l.w));
    body->setFriction(mu), body->setRestitution(e), body->setActivationState(DISABLE_DEACTIVATION);
    world.addRigidBody(body);
    bodies.push_back(body);
  }
  double turned = 0;
  auto step = [&] {
    turned += s.omega * dt;
    drum.setWorldTransform(btTransform(btQuaternion(btVector3(1, 0, 0), (btScalar)turned)));
    drum.setAngularVelocity(btVector3((btScalar)s.omega, 0, 0));
    world.stepSimulation((btScalar)dt, 0);
  };
  auto look = [&](State &to) {
    for (size_t i = 0; i < bodies.size(); i++) {
      const btTransform &t = bodies[i]->getWorldTransform();
      const btVector3 &p = t.getOrigin(), &v = bodies[i]->getLinearVelocity();
      const btQuaternion q = t.getRotation();
      to.logs[i].p = {p.x(), p.y(), p.z()}, to.logs[i].v = {v.x(), v.y(), v.z()};
      to.logs[i].q[0] = q.w(), to.logs[i].q[1] = q.x(), to.logs[i].q[2] = q.y(), to.logs[i].q[3] = q.z();
    }
  };
  auto impulse = [&] {
    double sum = 0;
    for (int i = 0; i < dispatcher.getNumManifolds(); i++) {
      const btPersistentManifold *m = dispatcher.getManifoldByIndexInternal(i);
      const double side = m->getBody0() == &drum ? -1 : m->getBody1() == &drum ? 1 : 0;
      for (int k = 0; k < m->getNumContacts() && side != 0; k++) { // the normal points from body 1 to body 0
        const btManifoldPoint &c = m->getContactPoint(k);
        sum += side * (c.m_appliedImpulse * c.m_normalWorldOnB.z() + c.m_appliedImpulseLateral1 * c.m_lateralFrictionDir1.z() +
                       c.m_appliedImpulseLateral2 * c.m_lateralFrictionDir2.z());
      }
    }
    return sum;
  };
  time_steps("Bullet 3.24", std::atoi(argv[2]), dt, s, step, look, impulse);
  return 0;
}
