// Copyright (c) 2026 the delassus authors.
// SPDX-License-Identifier: MIT
#ifndef DRUM3_STATE_H
#define DRUM3_STATE_H

// The state that bench/drum3_state.lua writes, and what bench/drum3.lua wants to know of a run.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>

struct V3 {
  double x, y, z;
  V3 operator+(const V3 &b) const { return {x + b.x, y + b.y, z + b.z}; }
  V3 operator-(const V3 &b) const { return {x - b.x, y - b.y, z - b.z}; }
  V3 operator*(double s) const { return {x * s, y * s, z * s}; }
  double dot(const V3 &b) const { return x * b.x + y * b.y + z * b.z; }
};

struct Log {
  double radius, straight;
  V3 p;
  double q[4]; // w x y z
  V3 v, w;
  V3 axis() const { // x of the body
    return {1 - 2 * (q[2] * q[2] + q[3] * q[3]), 2 * (q[1] * q[2] + q[0] * q[3]), 2 * (q[1] * q[3] - q[0] * q[2])};
  }
  double mass(double density) const { return density * M_PI * radius * radius * (straight + 4.0 / 3 * radius); }
};

struct State {
  double radius, length, height, width, omega, gravity, friction, restitution, density;
  int lifters;
  std::vector<Log> logs;
};

inline bool read_state(const char *path, State *s) {
  FILE *file = std::fopen(path, "r");
  int n = 0;
  if (!file || std::fscanf(file, "%lf %lf %d %lf %lf %lf %lf %lf %lf %lf %d", &s->radius, &s->length, &s->lifters,
                           &s->height, &s->width, &s->omega, &s->gravity, &s->friction, &s->restitution, &s->density,
                           &n) != 11)
    return false;
  for (int i = 0; i < n; i++) {
    Log l;
    if (std::fscanf(file, "%lf %lf %lf %lf %lf %lf %lf %lf %lf %lf %lf %lf %lf %lf %lf", &l.radius, &l.straight, &l.p.x,
                    &l.p.y, &l.p.z, l.q, l.q + 1, l.q + 2, l.q + 3, &l.v.x, &l.v.y, &l.v.z, &l.w.x, &l.w.y, &l.w.z) != 15)
      return false;
    s->logs.push_back(l);
  }
  std::fclose(file);
  return true;
}

// Distance of two segments p + t a, |t| <= 1. Source: D. Eberly's and C. Ericson's clamping, by hand.
inline double segments(const V3 &p, const V3 &a, const V3 &q, const V3 &b) {
  const V3 r = p - q;
  const double aa = a.dot(a), bb = b.dot(b), ab = a.dot(b), ar = a.dot(r), br = b.dot(r);
  const double den = aa * bb - ab * ab;
  double s = den > 1e-12 * aa * bb ? std::clamp((ab * br - ar * bb) / den, -1.0, 1.0) : 0;
  double t = bb > 0 ? (ab * s + br) / bb : 0;
  t = std::clamp(t, -1.0, 1.0);
  s = aa > 0 ? std::clamp((ab * t - ar) / aa, -1.0, 1.0) : 0;
  const V3 d = r + a * s - b * t;
  return std::sqrt(d.dot(d));
}

// Overlap of logs among themselves, relative to the smaller diameter: worst, and mean over those that overlap.
struct Quality {
  double worst = 0, sum = 0;
  long n = 0;
  void look(const State &s) {
    std::vector<std::pair<double, int>> order;
    for (int i = 0; i < (int)s.logs.size(); i++) order.push_back({s.logs[i].p.z, i});
    std::sort(order.begin(), order.end());
    for (size_t i = 0; i < order.size(); i++) {
      const Log &a = s.logs[order[i].second];
      for (size_t k = i + 1; k < order.size() && order[k].first - order[i].first < 5; k++) {
        const Log &b = s.logs[order[k].second];
        const V3 d = a.p - b.p;
        const double reach = a.radius + b.radius + (a.straight + b.straight) / 2;
        if (d.dot(d) > reach * reach) continue;
        const double gap = segments(a.p, a.axis() * (a.straight / 2), b.p, b.axis() * (b.straight / 2)) - a.radius - b.radius;
        if (gap >= 0) continue;
        const double share = -gap / (2 * std::min(a.radius, b.radius));
        worst = std::max(worst, share);
        sum += share;
        n++;
      }
    }
  }
};

// Momentum along the vertical of all logs.
inline double momentum(const State &s) {
  double p = 0;
  for (const Log &l : s.logs) p += l.mass(s.density) * l.v.z;
  return p;
}

// Times steps: step() does one, look(s) copies positions and velocities into s; impulse() answers the sum of the vertical
// parts of the impulses that the shell is said to have given the logs in that step.
template <class Step, class Look, class Impulse>
void time_steps(const char *name, int steps, double dt, State &s, Step step, Look look, Impulse impulse) {
  std::vector<double> ms;
  Quality quality;
  double off = 0, weight = 0;
  for (const Log &l : s.logs) weight += l.mass(s.density) * s.gravity * dt;
  for (int k = 0; k < 10; k++) step(); // the state was made with coarser steps
  for (int k = 0; k < steps; k++) {
    look(s);
    const double before = momentum(s);
    const auto start = std::chrono::steady_clock::now();
    step();
    ms.push_back(std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count());
    look(s);
    quality.look(s);
    off = std::max(off, std::fabs(momentum(s) - before - impulse() + weight) / weight);
  }
  std::sort(ms.begin(), ms.end());
  std::printf("%s,%.3f,%.3f,,%.3g,%.3g,%.2g\n", name, ms[ms.size() / 2], ms[0], quality.worst,
              quality.n ? quality.sum / (double)quality.n : 0, off);
}

#endif
