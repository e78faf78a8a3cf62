// Copyright (c) 2026 the delassus authors.
// SPDX-License-Identifier: MIT

// A scene of bench/scenes.lua as a text file, a thing a line, and what times its steps. Shapes: s sphere or disk (radius),
// c capsule along x (radius, straight length), b box (sizes), y cylinder along x (radius, length).
#ifndef SCENE_STATE_H
#define SCENE_STATE_H

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <vector>

struct Body {
  char kind;
  int fixed;
  double d[3], density, p[3], q[4], friction, restitution; // q: w, x, y, z
  double J[3] = {0, 0, 0}, at[3] = {0, 0, 0};              // an impulse at the start
};
struct Plane {
  double n[3], offset, friction, restitution; // solid below n . x = offset
};
struct Joint {
  int hinge, a, b; // bodies; -1: ground
  double at[3], axis[3], lo, hi, cone; // lo > hi: none; cone < 0: none
};
struct Scene {
  int planar = 0, steps = 0;
  double dt = 0, g[3] = {0, 0, 0};
  std::vector<Body> bodies;
  std::vector<Plane> planes;
  std::vector<Joint> joints;
};

inline bool read_scene(const char *path, Scene *s) {
  FILE *f = std::fopen(path, "r");
  if (!f) return false;
  char what[16];
  bool good = true;
  while (good && std::fscanf(f, "%15s", what) == 1) {
    if (!std::strcmp(what, "world")) {
      good = std::fscanf(f, "%d %d %lf %lf %lf %lf", &s->planar, &s->steps, &s->dt, s->g, s->g + 1, s->g + 2) == 6;
    } else if (!std::strcmp(what, "body")) {
      Body b;
      good = std::fscanf(f, " %c %d %lf %lf %lf %lf %lf %lf %lf %lf %lf %lf %lf %lf %lf", &b.kind, &b.fixed, b.d, b.d + 1,
                         b.d + 2, &b.density, b.p, b.p + 1, b.p + 2, b.q, b.q + 1, b.q + 2, b.q + 3, &b.friction,
                         &b.restitution) == 15;
      s->bodies.push_back(b);
    } else if (!std::strcmp(what, "plane")) {
      Plane p;
      good = std::fscanf(f, "%lf %lf %lf %lf %lf %lf", p.n, p.n + 1, p.n + 2, &p.offset, &p.friction, &p.restitution) == 6;
      s->planes.push_back(p);
    } else if (!std::strcmp(what, "joint")) {
      Joint j;
      good = std::fscanf(f, "%d %d %d %lf %lf %lf %lf %lf %lf %lf %lf %lf", &j.hinge, &j.a, &j.b, j.at, j.at + 1, j.at + 2,
                         j.axis, j.axis + 1, j.axis + 2, &j.lo, &j.hi, &j.cone) == 12;
      s->joints.push_back(j);
    } else if (!std::strcmp(what, "impulse")) {
      int i;
      double x[6];
      good = std::fscanf(f, "%d %lf %lf %lf %lf %lf %lf", &i, x, x + 1, x + 2, x + 3, x + 4, x + 5) == 7 &&
             i < (int)s->bodies.size();
      for (int k = 0; good && k < 3; k++) s->bodies[i].J[k] = x[k], s->bodies[i].at[k] = x[3 + k];
    } else {
      good = false;
    }
  }
  std::fclose(f);
  return good && s->steps > 0;
}

// Prints name, mean, median, 99 % and worst milliseconds a step, and how far the fastest body has gone astray.
template <typename Step, typename Look> int time_scene(const char *name, const Scene &s, Step step, Look look) {
  std::vector<double> ms;
  double sum = 0;
  for (int k = 0; k < s.steps; k++) {
    const auto start = std::chrono::steady_clock::now();
    step();
    ms.push_back(std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count());
    sum += ms.back();
  }
  double low = 0; // the lowest centre, m: what fell through the floor shows
  for (size_t i = 0; i < s.bodies.size(); i++) low = std::min(low, look((int)i));
  std::sort(ms.begin(), ms.end());
  const size_t n = ms.size();
  std::printf("%s,%.5f,%.5f,%.5f,%.4f,%.3g\n", name, sum / (double)n, ms[(n - 1) / 2], ms[(99 * n + 99) / 100 - 1], ms[n - 1],
              low);
  return 0;
}

#endif
