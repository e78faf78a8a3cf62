// Copyright (c) 2026 the delassus authors.
// SPDX-License-Identifier: MIT
#ifndef DRUM_STATE_H
#define DRUM_STATE_H

// The state that bench/drum_scene.lua writes: "radius lifters height width angle omega gravity friction restitution
// density dt n", then a line a disk: "radius x y angle vx vy w". What a peer answers: a trace of frames for
// bench/drum_overlap.lua, and one line "name,median ms,least ms,note".
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>

struct Disk {
  double radius, x, y, angle, vx, vy, w;
};

struct State {
  double radius, height, width, angle, omega, gravity, friction, restitution, density, dt;
  int lifters;
  std::vector<Disk> disks;
};

inline bool read_state(const char *path, State *s) {
  FILE *file = std::fopen(path, "r");
  int n = 0;
  if (!file || std::fscanf(file, "%lf %d %lf %lf %lf %lf %lf %lf %lf %lf %lf %d", &s->radius, &s->lifters, &s->height,
                           &s->width, &s->angle, &s->omega, &s->gravity, &s->friction, &s->restitution, &s->density,
                           &s->dt, &n) != 12)
    return false;
  for (int i = 0; i < n; i++) {
    Disk d;
    if (std::fscanf(file, "%lf %lf %lf %lf %lf %lf %lf", &d.radius, &d.x, &d.y, &d.angle, &d.vx, &d.vy, &d.w) != 7)
      return false;
    s->disks.push_back(d);
  }
  std::fclose(file);
  return true;
}

// The shell as thick plates: their number, and where their inner faces are. A face is 0.09 m wide, so that the polygon
// leaves the circle by 0.2 mm at most (5 m of radius); the faces lie half of that outside.
struct Plates {
  int n;
  double half, thick, face;
};

inline Plates plates_of(const State &s) {
  Plates p;
  p.n = 4 * (int)std::ceil(2 * M_PI * s.radius / 0.09 / 4);
  const double sagitta = s.radius * (1 - std::cos(M_PI / p.n));
  p.thick = 0.5;
  p.face = s.radius - sagitta / 2;
  p.half = (p.face + p.thick) * std::tan(M_PI / p.n);
  return p;
}

// Times steps: step() does one, look(s) copies positions into s and answers the shell's angle.
template <class Step, class Look>
int time_steps(const char *name, const char *note, char **argv, State &s, Step step, Look look) {
  const int warm = std::atoi(argv[2]), steps = std::atoi(argv[3]), every = std::atoi(argv[4]);
  FILE *trace = std::fopen(argv[5], "wb");
  if (!trace) return 2;
  for (int k = 0; k < warm; k++) step();
  std::vector<double> ms, frame;
  for (int k = 1; k <= steps; k++) {
    const auto start = std::chrono::steady_clock::now();
    step();
    ms.push_back(std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count());
    if (k % every != 0) continue;
    frame.assign(1, look(s));
    for (const Disk &d : s.disks) {
      frame.push_back(d.x);
      frame.push_back(d.y);
    }
    std::fwrite(frame.data(), sizeof(double), frame.size(), trace);
  }
  std::fclose(trace);
  std::sort(ms.begin(), ms.end());
  std::printf("%s,%.4f,%.4f,%s\n", name, ms[(ms.size() - 1) / 2], ms.front(), note);
  return 0;
}

#endif
