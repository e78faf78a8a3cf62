/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#include "host/host.h"

#include "core/joints/penalties.h"

/* Worlds: made, stepped, asked as a whole. */

delassus_world_def delassus_world_def_default(void) {
  const dls_world_def core = dls_world_def_default();
  return (delassus_world_def){.gravity = {0, 0, -9.81}, .dt = core.dt,
                              .max_iterations = core.max_iterations, .seed = core.seed};
}

const char *delassus_world_def_error(const delassus_world_def *def) {
  if (!def) return "delassus_world_create: 'def' must not be NULL";
  if (!dls_host_finite(def->gravity, 3)) return "delassus_world_create: 'gravity' must be finite";
  if (!(def->dt > 0) || !dls_is_finite(def->dt))
    return "delassus_world_create: 'dt' must be finite and > 0";
  if (!(def->theta == 0 || (def->theta >= 0.5 && def->theta <= 1)))
    return "delassus_world_create: 'theta' must be 0 or between 0.5 and 1";
  if ((int)def->impact < 0 || (int)def->impact > DELASSUS_IMPACT_SEQUENTIAL)
    return "delassus_world_create: 'impact' must be one of delassus_impact";
  if ((int)def->solver < 0 || (int)def->solver > DELASSUS_SOLVER_PGS)
    return "delassus_world_create: 'solver' must be one of delassus_solver";
  if (def->solver == DELASSUS_SOLVER_LEMKE && !def->planar)
    return "delassus_world_create: 'solver' DELASSUS_SOLVER_LEMKE is for planar worlds";
  if (!(def->tolerance >= 0) || !dls_is_finite(def->tolerance))
    return "delassus_world_create: 'tolerance' must be finite and >= 0";
  if (def->max_iterations < 1) return "delassus_world_create: 'max_iterations' must be >= 1";
  if (def->planar && def->gravity[2] != 0 &&
      !(def->gravity[0] == 0 && def->gravity[1] == 0 && def->gravity[2] == -9.81))
    return "delassus_world_create: the third number of 'gravity' must be 0 in a planar world";
  return "";
}

delassus_world *dls_host_wrap(dls_world *world, const dls_alloc *alloc) {
  delassus_world *host = dls_new(alloc, 1, sizeof *host);
  if (!host) return NULL;
  host->alloc = *alloc;
  host->world = world;
  host->borrowed = true;
  return host;
}

void dls_host_unwrap(delassus_world *host) {
  if (!host) return;
  const dls_alloc alloc = host->alloc;
  for (int i = 0; i < host->joint_room; i++)
    dls_free(&alloc, host->drives[i], DLS_MAX_MOTIONS, sizeof **host->drives);
  dls_free(&alloc, host->drives, (size_t)host->joint_room, sizeof *host->drives);
  dls_free(&alloc, host->gaps, (size_t)host->gap_room, sizeof *host->gaps);
  dls_free(&alloc, host->bodies, (size_t)host->body_room, sizeof *host->bodies);
  dls_free(&alloc, host->poses, (size_t)host->row_room, sizeof *host->poses);
  dls_free(&alloc, host->velocities, (size_t)host->row_room, sizeof *host->velocities);
  dls_free(&alloc, host->contacts, (size_t)host->contact_room, sizeof *host->contacts);
  dls_free(&alloc, host, 1, sizeof *host);
}

dls_status dls_host_reserve(delassus_world *host, void **array, int *room, int slot, size_t size) {
  if (slot < *room) return DLS_OK;
  const int wanted = slot < 8 ? 16 : 2 * (slot + 1);
  const dls_status status = dls_grow(&host->alloc, array, (size_t)*room, (size_t)wanted, size);
  if (status != DLS_OK) return status;
  *room = wanted;
  return DLS_OK;
}

dls_host_drive *dls_host_drives(delassus_world *host, int joint) {
  if (dls_host_reserve(host, (void **)&host->drives, &host->joint_room, joint,
                       sizeof *host->drives) != DLS_OK)
    return NULL;
  if (!host->drives[joint])
    host->drives[joint] = dls_new(&host->alloc, DLS_MAX_MOTIONS, sizeof **host->drives);
  return host->drives[joint];
}

delassus_status delassus_world_create(const delassus_world_def *def, delassus_world **world) {
  if (!world) return DELASSUS_BAD_ARGUMENT;
  *world = NULL;
  if (delassus_world_def_error(def)[0] != 0) return DELASSUS_BAD_ARGUMENT;
  dls_world_def core = dls_world_def_default();
  core.dim = def->planar ? 2 : 3;
  if (!(def->planar && def->gravity[2] != 0)) { /* one left at its default is that of the core */
    memcpy(core.gravity, def->gravity, sizeof core.gravity);
    core.has_gravity = true;
  }
  core.dt = def->dt;
  core.theta = def->theta;
  core.impact = (int)def->impact;
  core.solver = (int)def->solver;
  core.tolerance = def->tolerance;
  core.max_iterations = def->max_iterations;
  core.seed = def->seed;
  core.strict = def->strict;
  dls_alloc alloc = dls_alloc_libc();
  if (def->alloc) alloc = (dls_alloc){def->alloc, def->alloc_user};
  delassus_world *host = dls_host_wrap(NULL, &alloc);
  if (!host) return DELASSUS_NO_MEMORY;
  host->borrowed = false;
  if (dls_world_create(&host->world, &alloc, &core) != DLS_OK) {
    dls_host_unwrap(host);
    return DELASSUS_NO_MEMORY;
  }
  host->world->hooks.ud = host;
  *world = host;
  return DELASSUS_OK;
}

void dls_host_end_loan(delassus_world *host, dls_host_loan *loan) {
  dls_host_loan **at = &host->loans;
  while (*at && *at != loan) at = &(*at)->next;
  if (!*at) return;
  *at = loan->next;
  *loan->open = false;
  *loan->world = NULL;
}

void dls_host_end_loans(delassus_world *host, const void *to) {
  for (dls_host_loan *loan = host->loans, *next; loan; loan = next) {
    next = loan->next;
    if (!to || loan->to == to) dls_host_end_loan(host, loan);
  }
}

void delassus_world_destroy(delassus_world *world) {
  if (!world || world->borrowed || world->world->stepping) return;
  dls_host_end_loans(world, NULL);
  dls_world_destroy(world->world);
  dls_host_unwrap(world);
}

/* --- stepping ------------------------------------------------------------------------------- */

/* Up to n steps; *done: how many. */
static delassus_status make_steps(delassus_world *host, const char *function, int64_t n,
                                  int64_t *done) {
  *done = 0;
  delassus_status status = dls_host_unlocked(host, function);
  if (status != DELASSUS_OK) return status;
  if (dls_host_is_scripted(host)) return dls_host_own(host, function);
  while (*done < n && status == DELASSUS_OK) {
    status = dls_host_report(host, dls_world_step(host->world), function);
    if (status == DELASSUS_OK) ++*done;
  }
  return status;
}

delassus_status delassus_world_step(delassus_world *world, int64_t n) {
  static const char function[] = "delassus_world_step";
  int64_t done;
  if (!world) return DELASSUS_BAD_ARGUMENT;
  if (n < 0)
    return dls_host_fail(world, DELASSUS_BAD_ARGUMENT, function, "'n' must be >= 0, got %lld",
                         (long long)n);
  return make_steps(world, function, n, &done);
}

delassus_status delassus_world_advance(delassus_world *world, double elapsed, int64_t max_steps,
                                       int64_t *done) {
  static const char function[] = "delassus_world_advance";
  static const double MOST = 9007199254740992.0, ROUND_OFF = 1e-9; /* steps */
  int64_t made = 0;
  if (!world) return DELASSUS_BAD_ARGUMENT;
  if (!(elapsed >= 0) || !dls_is_finite(elapsed))
    return dls_host_fail(world, DELASSUS_BAD_ARGUMENT, function,
                         "'elapsed' must be finite and >= 0, got %g", elapsed);
  if (max_steps < 0)
    return dls_host_fail(world, DELASSUS_BAD_ARGUMENT, function,
                         "'max_steps' must be >= 0, got %lld", (long long)max_steps);
  const double dt = world->world->dt, time = world->left + elapsed;
  const double fit = floor(time / dt + ROUND_OFF);
  if (!(fit < MOST))
    return dls_host_fail(world, DELASSUS_BAD_ARGUMENT, function,
                         "'elapsed' is too long for steps of %g s, got %g", dt, elapsed);
  const int64_t n = fit < (double)max_steps ? (int64_t)fit : max_steps;
  const delassus_status status = make_steps(world, function, n, &made);
  if (done) *done = made;
  if (status == DELASSUS_OK) world->left = dls_max(0, time - fit * dt);
  return status;
}

double delassus_world_left(const delassus_world *world) { return world ? world->left : 0; }
double delassus_world_time(const delassus_world *world) { return world ? world->world->time : 0; }
int64_t delassus_world_steps(const delassus_world *world) {
  return world ? world->world->steps : 0;
}
double delassus_world_dt(const delassus_world *world) { return world ? world->world->dt : 0; }
bool delassus_world_planar(const delassus_world *world) { return world && world->world->dim == 2; }

delassus_status delassus_world_set_dt(delassus_world *world, double dt) {
  static const char function[] = "delassus_world_set_dt";
  if (!world) return DELASSUS_BAD_ARGUMENT;
  if (!(dt > 0) || !dls_is_finite(dt))
    return dls_host_fail(world, DELASSUS_BAD_ARGUMENT, function,
                         "'dt' must be finite and > 0, got %g", dt);
  const delassus_status status = dls_host_unlocked(world, function);
  if (status == DELASSUS_OK) dls_world_set_dt(world->world, dt);
  return status;
}

delassus_status delassus_world_set_gravity(delassus_world *world, const double gravity[3]) {
  static const char function[] = "delassus_world_set_gravity";
  if (!dls_host_given(world, function, "gravity", gravity)) return DELASSUS_BAD_ARGUMENT;
  delassus_status status = dls_host_unlocked(world, function);
  if (status == DELASSUS_OK) status = dls_host_vector(world, function, "gravity", gravity);
  if (status == DELASSUS_OK) memcpy(world->world->gravity, gravity, 3 * sizeof *gravity);
  return status;
}

/* --- quantities ----------------------------------------------------------------------------- */

delassus_energy delassus_world_energy(const delassus_world *world) {
  double e[3];
  if (!world) return (delassus_energy){0, 0, 0};
  (void)dls_penalties_tune(world->world); /* the energy of springs whose stiffness dt decides */
  dls_world_energy(world->world, e);
  return (delassus_energy){e[0], e[1], e[2]};
}

_Static_assert(DELASSUS_GAVE_UP_SWIFT_PAIRS == 1 << DLS_WORK_WAYS &&
                   DELASSUS_GAVE_UP_IMPACTS == 1 << DLS_WORK_IMPACTS &&
                   DELASSUS_GAVE_UP_SOLVE == 1 << DLS_WORK_SOLVE &&
                   DELASSUS_GAVE_UP_JOINTS == 1 << DLS_WORK_JOINTS &&
                   DELASSUS_GAVE_UP_PROJECTION == 1 << DLS_WORK_PROJECTION,
               "the header's bits");

delassus_stats delassus_world_stats(const delassus_world *world) {
  if (!world) return (delassus_stats){0};
  const dls_world *w = world->world;
  const dls_stats *s = &w->stats;
  return (delassus_stats){.contacts = s->contacts, .unknowns = s->unknowns, .pivots = s->pivots,
                          .iterations = s->iterations, .islands = s->islands,
                          .residual = s->residual, .overlap = s->overlap,
                          .penetration = s->penetration, .cone_violation = s->cone_violation,
                          .momentum_error = s->momentum_error,
                          .energy_balance = s->energy_balance,
                          .impact_gain = s->impact_gain, .limited = s->limited,
                          .infeasible = s->infeasible, .unconverged = w->n_unconverged,
                          .impacts = w->impacts, .work = s->work, .given_up = s->given_up,
                          .curbed = s->curbed};
}

/* --- the whole state as bytes --------------------------------------------------------------- */

delassus_status delassus_world_snapshot(delassus_world *world, void *bytes, size_t room,
                                        size_t *size) {
  static const char function[] = "delassus_world_snapshot";
  if (!dls_host_given(world, function, "size", size)) return DELASSUS_BAD_ARGUMENT;
  const delassus_status status = dls_host_unlocked(world, function);
  if (status != DELASSUS_OK) return status;
  dls_world_move_up(world->world);
  const size_t bare = dls_world_snapshot_size(world->world);
  *size = bare + DLS_SEAL;
  if (!bytes) return DELASSUS_OK;
  if (room < *size)
    return dls_host_fail(world, DELASSUS_BAD_ARGUMENT, function,
                         "'room' must be at least %llu bytes, got %llu", (unsigned long long)*size,
                         (unsigned long long)room);
  dls_world_snapshot(world->world, bytes);
  dls_snapshot_seal(bytes, bare, (unsigned char *)bytes + bare);
  return DELASSUS_OK;
}

delassus_status delassus_world_restore(delassus_world *world, const void *bytes, size_t size) {
  static const char function[] = "delassus_world_restore";
  if (!dls_host_given(world, function, "bytes", bytes)) return DELASSUS_BAD_ARGUMENT;
  const delassus_status status = dls_host_unlocked(world, function);
  if (status != DELASSUS_OK) return status;
  if (!dls_snapshot_sealed(bytes, size))
    return dls_host_fail(world, DELASSUS_BAD_SNAPSHOT, function,
                         "the bytes are no snapshot of a world, or are damaged");
  dls_world_move_up(world->world);
  const dls_status done = dls_world_restore(world->world, bytes, size - DLS_SEAL);
  if (done == DLS_ARG)
    return dls_host_fail(world, DELASSUS_BAD_SNAPSHOT, function,
                         "the snapshot is of a world built differently, or damaged");
  return dls_host_report(world, done, function);
}

uint64_t delassus_world_hash(const delassus_world *world) {
  if (!world) return 0;
  dls_world_move_up(world->world);
  return dls_world_hash(world->world);
}

bool delassus_world_raycast(const delassus_world *world, const double from[3], const double to[3],
                            delassus_hit *hit) {
  if (!world || !from || !to || !dls_host_finite(from, 3) || !dls_host_finite(to, 3)) return false;
  dls_hit met;
  const int body = dls_world_raycast(world->world, from, to, &met);
  if (body < 0) return false;
  if (!hit) return true;
  hit->body = dls_host_id(world->world, body);
  hit->fraction = met.fraction;
  dls_v3_store(hit->point, met.point);
  dls_v3_store(hit->normal, met.normal);
  return true;
}
