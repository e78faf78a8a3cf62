// Copyright (c) 2026 the delassus authors.
// SPDX-License-Identifier: MIT

// drum_box2d STATE WARM STEPS EVERY TRACE: turns the drum of bench/drum.lua in Box2D 2.4 (see drum_state.h). The shell
// is a kinematic ring of thick boxes, lifters are boxes; 8 velocity and 3 position iterations; no sleep, no CCD.
#include <box2d/box2d.h>

#include "drum_state.h"

static void add_box(b2Body *shell, const State &s, double half_x, double half_y, double middle, double angle) {
  b2PolygonShape box;
  const b2Vec2 at((float)(middle * std::cos(angle)), (float)(middle * std::sin(angle)));
  box.SetAsBox((float)half_x, (float)half_y, at, (float)angle);
  b2FixtureDef fixture;
  fixture.shape = &box;
  fixture.friction = (float)s.friction;
  fixture.restitution = (float)s.restitution;
  fixture.restitutionThreshold = 0;
  shell->CreateFixture(&fixture);
}

int main(int argc, char **argv) {
  if (argc != 6) return 2;
  State s;
  if (!read_state(argv[1], &s)) return 2;
  b2World world(b2Vec2(0, (float)-s.gravity));
  world.SetContinuousPhysics(false);
  world.SetAllowSleeping(false);
  b2BodyDef shell_def;
  shell_def.type = b2_kinematicBody;
  shell_def.angle = (float)s.angle;
  b2Body *shell = world.CreateBody(&shell_def);
  const Plates p = plates_of(s);
  for (int i = 0; i < p.n; i++)
    add_box(shell, s, p.thick / 2, p.half, p.face + p.thick / 2, 2 * M_PI * i / p.n);
  for (int k = 0; k < s.lifters; k++)
    add_box(shell, s, s.height / 2, s.width / 2, s.radius - s.height / 2, 2 * M_PI * k / s.lifters);
  shell->SetAngularVelocity((float)s.omega);
  std::vector<b2Body *> bodies;
  for (const Disk &disk : s.disks) {
    b2BodyDef def;
    def.type = b2_dynamicBody;
    def.position.Set((float)disk.x, (float)disk.y);
    def.angle = (float)disk.angle;
    def.linearVelocity.Set((float)disk.vx, (float)disk.vy);
    def.angularVelocity = (float)disk.w;
    b2Body *body = world.CreateBody(&def);
    b2CircleShape circle;
    circle.m_radius = (float)disk.radius;
    b2FixtureDef f;
    f.shape = &circle;
    f.density = (float)s.density;
    f.friction = (float)s.friction;
    f.restitution = (float)s.restitution;
    f.restitutionThreshold = 0;
    body->CreateFixture(&f);
    bodies.push_back(body);
  }
  return time_steps(
      "Box2D 2.4 (8 and 3 iterations)", "", argv, s, [&] { world.Step((float)s.dt, 8, 3); },
      [&](State &now) {
        for (size_t i = 0; i < bodies.size(); i++) {
          now.disks[i].x = bodies[i]->GetPosition().x;
          now.disks[i].y = bodies[i]->GetPosition().y;
        }
        return (double)shell->GetAngle();
      });
}
