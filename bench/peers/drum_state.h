// Copyright (c) 2026 the delassus authors.
// SPDX-License-Identifier: MIT
#ifndef DRUM_STATE_H
#define DRUM_STATE_H

// The state that bench/drum.lua writes: "radius lifters height width omega gravity friction restitution density dt n", then
// a line a disk: "radius x y angle vx vy w".
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>

struct Disk {
  double radius, x, y, angle, vx, vy, w;
};

struct State {
  double radius, height, width, omega, gravity, friction, restitution, density, dt;
  int lifters;
  std::vector<Disk> disks;
};

inline bool read_state(const char *path, State *s) {
  FILE *file = std::fopen(path, "r");
  int n = 0;
  if (!file || std::fscanf(file, "%lf %d %lf %lf %lf %lf %lf %lf %lf %lf %d", &s->radius, &s->lifters, &s->height, &s->width,
                           &s->omega, &s->gravity, &s->friction, &s->restitution, &s->density, &s->dt, &n) != 11)
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

// Overlap of disks among themselves and with the shell, relative to the smaller diameter: worst, and mean over contacts.
struct Quality {
  double worst = 0, sum = 0;
  long contacts = 0;

  void note(double overlap, double diameter) {
    if (overlap <= 0) return;
    worst = std::max(worst, overlap / diameter);
    sum += overlap / diameter;
    contacts++;
  }

  void look(const State &s) {
    const std::vector<Disk> &d = s.disks;
    std::vector<int> order(d.size());
    for (size_t i = 0; i < d.size(); i++) order[i] = (int)i;
    std::sort(order.begin(), order.end(), [&](int a, int b) { return d[a].x - d[a].radius < d[b].x - d[b].radius; });
    for (size_t i = 0; i < d.size(); i++) {
      const Disk &a = d[order[i]];
      note(std::hypot(a.x, a.y) + a.radius - s.radius, 2 * a.radius);
      for (size_t j = i + 1; j < d.size() && d[order[j]].x - d[order[j]].radius < a.x + a.radius; j++) {
        const Disk &b = d[order[j]];
        note(a.radius + b.radius - std::hypot(a.x - b.x, a.y - b.y), 2 * std::min(a.radius, b.radius));
      }
    }
  }
};

inline void print_result(const char *name, std::vector<double> ms, const Quality &q) {
  std::sort(ms.begin(), ms.end());
  std::printf("%s,%.4f,%.4f,,%.3g,%.3g\n", name, ms[ms.size() / 2], ms.front(), q.worst,
              q.contacts ? q.sum / (double)q.contacts : 0.0);
}

#endif
