/* A controller at 1 kHz: an arm of six links in space is held straight out against gravity.
** Torques go in and joint angles come out by array, one step of 1 ms each turn.
** Build: cc control.c $(pkg-config --cflags --libs delassus)        (or: make hosts)
** Prints: how far the links are from straight, in rad (a proportional controller sags: it has
** torque = stiffness times angle), the longest turn of 10,000, and what reading 100 poses costs. */
#define _POSIX_C_SOURCE 200809L
#include <delassus.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

enum { LINKS = 6, TURNS = 10000 };

static double now(void) { /* s */
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static delassus_status build(delassus_world *world) {
  delassus_body_id last = delassus_world_ground(world);
  for (int i = 0; i < LINKS; i++) {
    delassus_body_def link = delassus_body_def_default();
    delassus_joint_def hinge = delassus_joint_def_default();
    delassus_joint_id joint;
    link.shape.kind = DELASSUS_BOX;
    link.shape.size[0] = 0.3, link.shape.size[1] = link.shape.size[2] = 0.05;
    link.position[0] = 0.3 * i + 0.15;
    hinge.a = last;
    delassus_status status = delassus_body_create(world, &link, &hinge.b);
    hinge.has_anchor = true;
    hinge.anchor[0] = 0.3 * i;
    hinge.axis[i % 2 ? 2 : 1] = 1; /* about y, about z, ... */
    if (status == DELASSUS_OK) status = delassus_joint_create(world, &hinge, &joint);
    if (status != DELASSUS_OK) return status;
    last = hinge.b;
  }
  return DELASSUS_OK;
}

/* Least time to copy all poses of 100 bodies out of a world, us. */
static double poses_cost(void) {
  delassus_world_def def = delassus_world_def_default();
  delassus_world *world = NULL;
  delassus_body_def ball = delassus_body_def_default();
  double least = HUGE_VAL;
  static double copy[7 * 101];
  ball.shape.kind = DELASSUS_SPHERE;
  ball.shape.radius = 0.1;
  if (delassus_world_create(&def, &world) != DELASSUS_OK) return least;
  for (int i = 0; i < 100; i++) {
    delassus_body_id id;
    ball.position[0] = i;
    if (delassus_body_create(world, &ball, &id) != DELASSUS_OK) break;
  }
  for (int turn = 0; turn < 1000; turn++) {
    int n;
    const double start = now(), *poses = delassus_world_poses(world, &n);
    if (n == 101) memcpy(copy, poses, sizeof copy);
    if (n == 101 && copy[7 * 100] == 99) least = fmin(least, now() - start);
  }
  delassus_world_destroy(world);
  return 1e6 * least;
}

int main(void) {
  const double stiffness = 400, damping = 8; /* N m/rad, N m s/rad */
  delassus_world *world = NULL;
  delassus_world_def def = delassus_world_def_default();
  double q[LINKS], u[LINKS], torque[LINKS], worst = 0, longest = 0, poses = 0;
  if (delassus_world_create(&def, &world) != DELASSUS_OK) return 1;
  delassus_status status = build(world);
  for (int turn = 0; turn < TURNS && status == DELASSUS_OK; turn++) {
    const double start = now();
    status = delassus_world_joint_states(world, q, LINKS, u, LINKS);
    for (int i = 0; i < LINKS; i++) torque[i] = -stiffness * q[i] - damping * u[i];
    if (status == DELASSUS_OK) status = delassus_world_set_torques(world, torque, LINKS);
    if (status == DELASSUS_OK) status = delassus_world_step(world, 1);
    const double *pose = delassus_world_poses(world, NULL); /* for a camera, say */
    poses += pose[7 * LINKS + 2];
    if (now() - start > longest) longest = now() - start;
  }
  if (status != DELASSUS_OK) {
    fprintf(stderr, "%s\n", delassus_world_error(world));
    return 1;
  }
  for (int i = 0; i < LINKS; i++) worst = fmax(worst, fabs(q[i]));
  printf("%d turns of 1 ms: at most %.4f rad from straight, the last link %.1f mm low on average\n",
         TURNS, worst, -1e3 * poses / TURNS);
  fprintf(stderr, "longest turn %.0f us, 100 poses read in %.2f us\n", 1e6 * longest, poses_cost());
  delassus_world_destroy(world);
  return 0;
}
