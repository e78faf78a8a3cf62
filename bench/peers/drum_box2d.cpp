// Copyright (c) 2026 the delassus authors.
// SPDX-License-Identifier: MIT

// drum_box2d STATE STEPS: turns the drum of bench/drum.lua in Box2D 2.4 and prints what it took and how good it was.
// The shell is a closed chain of edges turning with the drum, lifters are boxes; 8 velocity and 3 position iterations.
#include <box2d/box2d.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <vector>

#include "drum_state.h"

int main(int argc, char **argv) {
  if (argc != 3) return 2;
  State s;
  if (!read_state(argv[1], &s)) return 2;
  const int steps = std::atoi(argv[2]);
  b2World world(b2Vec2(0, (float)-s.gravity));
  b2BodyDef shell_def;
  shell_def.type = b2_kinematicBody;
  b2Body *shell = world.CreateBody(&shell_def);
  std::vector<b2Vec2> ring;
  const int n_edges = 360;
  for (int i = 0; i < n_edges; i++) // clockwise: a chain is solid on its right, seen along it
    ring.push_back(b2Vec2((float)(s.radius * std::cos(2 * M_PI * i / n_edges)),
                          (float)(s.radius * std::sin(2 * M_PI * i / n_edges))));
  b2ChainShape chain;
  chain.CreateLoop(ring.data(), n_edges);
  b2FixtureDef fixture;
  fixture.shape = &chain;
  fixture.friction = (float)s.friction;
  fixture.restitution = (float)s.restitution;
  shell->CreateFixture(&fixture);
  for (int k = 0; k < s.lifters; k++) {
    const double angle = 2 * M_PI * k / s.lifters, middle = s.radius - s.height / 2;
    b2PolygonShape box;
    box.SetAsBox((float)(s.height / 2), (float)(s.width / 2),
                 b2Vec2((float)(middle * std::cos(angle)), (float)(middle * std::sin(angle))), (float)angle);
    fixture.shape = &box;
    shell->CreateFixture(&fixture);
  }
  shell->SetAngularVelocity((float)s.omega);
  std::vector<b2Body *> bodies;
  for (const Disk &disk : s.disks) {
    b2BodyDef def;
    def.type = b2_dynamicBody;
    def.position.Set((float)disk.x, (float)disk.y);
    def.angle = (float)disk.angle;
    def.linearVelocity.Set((float)disk.vx, (float)disk.vy);
    def.angularVelocity = (float)disk.w;
    def.allowSleep = false;
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
  Quality quality;
  std::vector<double> ms;
  for (int k = 0; k < steps; k++) {
    const auto start = std::chrono::steady_clock::now();
    world.Step((float)s.dt, 8, 3);
    ms.push_back(std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count());
    if (k % 20 == 19) {
      for (size_t i = 0; i < bodies.size(); i++) {
        s.disks[i].x = bodies[i]->GetPosition().x;
        s.disks[i].y = bodies[i]->GetPosition().y;
      }
      quality.look(s);
    }
  }
  print_result("Box2D 2.4", ms, quality);
}
