/* A host without Lua: twenty logs fall into a heap while frames come 60 times a second.
** Physics: rigid contacts with Coulomb friction; the world steps by 1 ms whatever a frame takes.
** Build: cc plain.c $(pkg-config --cflags --libs delassus)          (or: make hosts)
** Prints: frames, steps, contacts, and the energy that was lost: what the heap had above its place
** of rest, to within the residual. */
#include <delassus.h>
#include <stdio.h>

#define TRY(call)                                                                     \
  do {                                                                                \
    const delassus_status s = (call);                                                 \
    if (s != DELASSUS_OK) {                                                           \
      fprintf(stderr, "%s: %s\n", delassus_status_text(s), delassus_world_error(world)); \
      return 1;                                                                       \
    }                                                                                 \
  } while (0)

int main(void) {
  delassus_world *world = NULL;
  delassus_world_def def = delassus_world_def_default();
  TRY(delassus_world_create(&def, &world));

  delassus_body_def floor = delassus_body_def_default();
  delassus_body_id body;
  floor.type = DELASSUS_STATIC;
  floor.shape.kind = DELASSUS_PLANE;
  TRY(delassus_body_create(world, &floor, &body));

  delassus_body_def log = delassus_body_def_default();
  log.shape.kind = DELASSUS_CAPSULE;
  log.shape.radius = 0.1, log.shape.length = 0.8;
  log.density = 850;
  log.material.friction = 0.4;
  for (int i = 0; i < 20; i++) {
    log.position[1] = 0.22 * (i % 4) + 0.05 * (i / 4 % 2);
    log.position[2] = 0.2 + 0.25 * (i / 4);
    TRY(delassus_body_create(world, &log, &body));
  }
  const double before = delassus_world_energy(world).potential;

  int64_t steps = 0, done;
  for (int frame = 0; frame < 180; frame++) { /* a renderer would draw the poses of each */
    TRY(delassus_world_advance(world, 1.0 / 60, 20, &done));
    steps += done;
  }
  int n;
  const double *pose = delassus_world_poses(world, &n); /* x y z w x y z a body */
  const delassus_energy energy = delassus_world_energy(world);
  const delassus_stats stats = delassus_world_stats(world);
  printf("180 frames, %lld steps, %d contacts, the last log lies %.3f m high\n", (long long)steps,
         stats.contacts, pose[7 * (n - 1) + 2]);
  printf("lost %.0f J of %.0f J; residual below 1e-6: %s\n",
         before - energy.potential - energy.kinetic, before, stats.residual < 1e-6 ? "yes" : "no");
  delassus_world_destroy(world);
  return 0;
}
