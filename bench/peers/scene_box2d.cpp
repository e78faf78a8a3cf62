// Copyright (c) 2026 the delassus authors.
// SPDX-License-Identifier: MIT

// scene_box2d SCENE: a planar scene of bench/scenes.lua in Box2D 2.4; 8 velocity and 3 position iterations, no sleep.
#include <box2d/box2d.h>

#include "scene_state.h"

static b2Vec2 vec(const double *v) { return b2Vec2((float)v[0], (float)v[1]); }

int main(int argc, char **argv) {
  Scene s;
  if (argc != 2 || !read_scene(argv[1], &s) || !s.planar) return 2;
  b2World world(vec(s.g));
  world.SetAllowSleeping(false);
  b2BodyDef still;
  b2Body *ground = world.CreateBody(&still);
  for (const Plane &p : s.planes) {
    const b2Vec2 n = vec(p.n), along(-n.y, n.x), at = (float)p.offset * n;
    b2EdgeShape edge;
    edge.SetTwoSided(at - 100 * along, at + 100 * along);
    b2FixtureDef f;
    f.shape = &edge, f.friction = (float)p.friction, f.restitution = (float)p.restitution;
    ground->CreateFixture(&f);
  }
  std::vector<b2Body *> bodies;
  for (const Body &b : s.bodies) {
    b2BodyDef def;
    def.type = b.fixed ? b2_staticBody : b2_dynamicBody;
    def.position = vec(b.p), def.angle = (float)b.q[3]; // the angle stands there in the plane
    b2Body *body = world.CreateBody(&def);
    b2CircleShape circle;
    b2PolygonShape box;
    circle.m_radius = (float)b.d[0];
    box.SetAsBox((float)(b.d[0] / 2), (float)(b.d[1] / 2));
    b2FixtureDef f;
    if (b.kind == 's') f.shape = &circle;
    else f.shape = &box;
    f.density = (float)b.density, f.friction = (float)b.friction, f.restitution = (float)b.restitution;
    body->CreateFixture(&f);
    body->ApplyLinearImpulse(vec(b.J), vec(b.at), true);
    bodies.push_back(body);
  }
  for (const Joint &j : s.joints) {
    b2RevoluteJointDef def;
    def.Initialize(j.a < 0 ? ground : bodies[j.a], j.b < 0 ? ground : bodies[j.b], vec(j.at));
    if (j.lo <= j.hi) def.enableLimit = true, def.lowerAngle = (float)j.lo, def.upperAngle = (float)j.hi;
    world.CreateJoint(&def);
  }
  return time_scene("Box2D 2.4", s, [&] { world.Step((float)s.dt, 8, 3); },
                    [&](int i) { return (double)bodies[i]->GetPosition().y; });
}
