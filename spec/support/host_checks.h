/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#ifndef HOST_CHECKS_H
#define HOST_CHECKS_H

/* What the hosts of the C interface's specs share. */
#include "delassus.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int n_failed;

#define CHECK(what)                                                        \
  do {                                                                     \
    if (!(what)) {                                                         \
      n_failed++;                                                          \
      printf("%s:%d: %s\n", __FILE__, __LINE__, #what);                    \
    }                                                                      \
  } while (0)

/* The status, and that the world's words hold a part of a sentence. */
#define REFUSED(world, call, status, words)                                          \
  do {                                                                               \
    CHECK((call) == (status));                                                       \
    if (!strstr(delassus_world_error(world), words)) {                               \
      n_failed++;                                                                    \
      printf("%s:%d: said '%s'\n", __FILE__, __LINE__, delassus_world_error(world)); \
    }                                                                                \
  } while (0)

static inline int told(void) {
  if (n_failed == 0) printf("ok\n");
  return n_failed > 0;
}

static inline delassus_world *world_of(bool planar) {
  delassus_world_def def = delassus_world_def_default();
  delassus_world *world = NULL;
  def.planar = planar;
  CHECK(delassus_world_create(&def, &world) == DELASSUS_OK);
  return world;
}

static inline delassus_body_id floor_of(delassus_world *world, double friction) {
  delassus_body_def def = delassus_body_def_default();
  delassus_body_id body = {0, 0};
  def.type = DELASSUS_STATIC;
  def.shape.kind = DELASSUS_PLANE;
  def.material.friction = friction;
  CHECK(delassus_body_create(world, &def, &body) == DELASSUS_OK);
  return body;
}

static inline delassus_body_def ball_of(double radius, double x, double y, double z) {
  delassus_body_def def = delassus_body_def_default();
  def.shape.kind = DELASSUS_SPHERE;
  def.shape.radius = radius;
  def.position[0] = x, def.position[1] = y, def.position[2] = z;
  return def;
}

#endif
