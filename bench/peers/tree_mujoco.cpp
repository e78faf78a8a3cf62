// Copyright (c) 2026 the delassus authors.
// SPDX-License-Identifier: MIT

// tree_mujoco MODEL: mj_forward without contacts and constraints (mass matrix from composite bodies, sparse L'L).
#include <mujoco/mujoco.h>

#include <cstdio>
#include <string>
#include <unistd.h>

#include "tree_model.h"

static std::string numbers(const double *x, int n) {
  std::string s;
  char text[32];
  for (int i = 0; i < n; i++) {
    std::snprintf(text, sizeof text, "%.17g ", x[i]);
    s += text;
  }
  return s;
}

static void quaternion(const double *R, double *q) { mju_mat2Quat(q, R); }

static void add(const Model &m, int i, std::string *xml) {
  const Body &b = m.body[i];
  static const char *axes[3] = {"1 0 0", "0 1 0", "0 0 1"};
  double q[4];
  quaternion(b.R, q);
  *xml += "<body pos='" + numbers(b.p, 3) + "' quat='" + numbers(q, 4) + "'>";
  *xml += b.kind == 'r' ? std::string("<joint type='hinge' axis='") + axes[b.axis] + "'/>"
                        : b.kind == 'b' ? "<joint type='ball'/>" : "<freejoint/>";
  *xml += "<inertial pos='" + numbers(b.com, 3) + "' mass='" + numbers(&b.m, 1) + "' fullinertia='" + numbers(b.I, 6) +
          "'/>";
  for (int k = i + 1; k < m.n; k++)
    if (m.body[k].parent == i) add(m, k, xml);
  *xml += "</body>";
}

// Bodies in MuJoCo's order: depth first.
static void order(const Model &m, int i, int *list, int *n) {
  list[(*n)++] = i;
  for (int k = i + 1; k < m.n; k++)
    if (m.body[k].parent == i) order(m, k, list, n);
}

static std::string mj_name() { return std::string("MuJoCo ") + mj_versionString(); }

int main(int argc, char **argv) {
  if (argc != 2) return 2;
  const Model m = read_model(argv[1]);
  int depth = 0;
  std::string depths(m.n, 0);
  for (int i = 0; i < m.n; i++) {
    depths[i] = (char)(m.body[i].parent < 0 ? 1 : depths[m.body[i].parent] + 1);
    if (depths[i] > depth) depth = depths[i];
    if (depth > 80) return std::printf("# %s: deeper than MuJoCo's reader goes\n", m.name), 0;
  }
  std::string xml = "<mujoco><compiler angle='radian' coordinate='local'/><option gravity='" + numbers(m.g, 3) +
                    "'><flag contact='disable' constraint='disable' limit='disable' equality='disable' "
                    "sensor='disable'/></option><worldbody>";
  for (int i = 0; i < m.n; i++)
    if (m.body[i].parent < 0) add(m, i, &xml);
  xml += "</worldbody></mujoco>";
  char path[] = "/tmp/tree_mujoco_XXXXXX.xml", error[500] = "";
  const int fd = mkstemps(path, 4);
  if (fd < 0 || write(fd, xml.data(), xml.size()) != (ssize_t)xml.size()) return 2;
  close(fd);
  mjModel *model = mj_loadXML(path, nullptr, error, sizeof error);
  unlink(path);
  if (!model) return std::printf("# MuJoCo: %s\n", error), 0;
  mjData *data = mj_makeData(model);
  int *list = (int *)malloc((size_t)m.n * sizeof(int)), n = 0, iq = 0, iu = 0;
  for (int i = 0; i < m.n; i++)
    if (m.body[i].parent < 0) order(m, i, list, &n);
  for (int k = 0; k < n; k++) {
    const Body &b = m.body[list[k]];
    for (int i = 0; i < b.nq; i++) data->qpos[iq++] = m.q[b.iq + i];
    for (int i = 0; i < b.nu; i++) {
      data->qvel[iu] = m.u[b.iu + i];
      data->qfrc_applied[iu++] = m.tau[b.iu + i];
    }
  }
  double ns, *udot = (double *)malloc((size_t)m.nu * sizeof(double));
  TIME(ns, mj_forward(model, data));
  for (int k = 0, at = 0; k < n; k++) {
    const Body &b = m.body[list[k]];
    for (int i = 0; i < b.nu; i++) udot[b.iu + i] = data->qacc[at++];
  }
  report(&m, mj_name().c_str(), ns, udot);
  return 0;
}
