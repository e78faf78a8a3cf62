// Copyright (c) 2026 the delassus authors.
// SPDX-License-Identifier: MIT

// drum_box2d3 STATE WARM STEPS EVERY TRACE SETTING: turns the drum of bench/drum.lua in Box2D 3 (see drum_state.h). The
// shell is a kinematic ring of thick boxes, lifters are boxes; 4 substeps, one thread, no sleep, no CCD. SETTING is
// "default", or "stiff": contacts of 240 Hz instead of 30, points of contact found anew in every step instead of kept
// ("recycled"), restitution at every speed instead of above 1 m/s.
#include <box2d/box2d.h>

#include <cstring>

#include "drum_state.h"

static void add_box(b2BodyId shell, const State &s, double half_x, double half_y, double middle, double angle) {
  const b2Vec2 at = {(float)(middle * std::cos(angle)), (float)(middle * std::sin(angle))};
  const b2Polygon box = b2MakeOffsetBox((float)half_x, (float)half_y, at, b2MakeRot((float)angle));
  b2ShapeDef def = b2DefaultShapeDef();
  def.material.friction = (float)s.friction;
  def.material.restitution = (float)s.restitution;
  b2CreatePolygonShape(shell, &def, &box);
}

int main(int argc, char **argv) {
  if (argc != 7) return 2;
  State s;
  if (!read_state(argv[1], &s)) return 2;
  const bool stiff = std::strcmp(argv[6], "stiff") == 0;
  b2WorldDef world_def = b2DefaultWorldDef();
  world_def.gravity = {0, (float)-s.gravity};
  world_def.enableSleep = false;
  world_def.enableContinuous = false;
  world_def.workerCount = 1;
  if (stiff) {
    world_def.contactHertz = 240;
    world_def.restitutionThreshold = 0;
  }
  const b2WorldId world = b2CreateWorld(&world_def);
  b2BodyDef shell_def = b2DefaultBodyDef();
  shell_def.type = b2_kinematicBody;
  shell_def.rotation = b2MakeRot((float)s.angle);
  shell_def.angularVelocity = (float)s.omega;
  shell_def.enableContactRecycling = !stiff;
  const b2BodyId shell = b2CreateBody(world, &shell_def);
  const Plates p = plates_of(s);
  for (int i = 0; i < p.n; i++)
    add_box(shell, s, p.thick / 2, p.half, p.face + p.thick / 2, 2 * M_PI * i / p.n);
  for (int k = 0; k < s.lifters; k++)
    add_box(shell, s, s.height / 2, s.width / 2, s.radius - s.height / 2, 2 * M_PI * k / s.lifters);
  std::vector<b2BodyId> bodies;
  for (const Disk &disk : s.disks) {
    b2BodyDef def = b2DefaultBodyDef();
    def.type = b2_dynamicBody;
    def.position = {(float)disk.x, (float)disk.y};
    def.rotation = b2MakeRot((float)disk.angle);
    def.linearVelocity = {(float)disk.vx, (float)disk.vy};
    def.angularVelocity = (float)disk.w;
    def.enableContactRecycling = !stiff;
    const b2BodyId body = b2CreateBody(world, &def);
    const b2Circle circle = {{0, 0}, (float)disk.radius};
    b2ShapeDef f = b2DefaultShapeDef();
    f.density = (float)s.density;
    f.material.friction = (float)s.friction;
    f.material.restitution = (float)s.restitution;
    b2CreateCircleShape(body, &f, &circle);
    bodies.push_back(body);
  }
  return time_steps(
      stiff ? "Box2D 3 (4 substeps; 240 Hz; nothing recycled)" : "Box2D 3 (4 substeps; default)", "", argv, s,
      [&] { b2World_Step(world, (float)s.dt, 4); },
      [&](State &now) {
        for (size_t i = 0; i < bodies.size(); i++) {
          const b2Pos at = b2Body_GetPosition(bodies[i]);
          now.disks[i].x = at.x;
          now.disks[i].y = at.y;
        }
        return (double)b2Rot_GetAngle(b2Body_GetRotation(shell));
      });
}
