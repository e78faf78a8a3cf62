/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#include "host/host.h"

#include "core/joints/trees.h"
#include "core/math/vec.h"

DLS_OUTSIDE
#include <stdarg.h>
#include <stdio.h>
DLS_INSIDE

/* Statuses, and the words of what was wrong. */

const char *delassus_status_text(delassus_status status) {
  static const char *const texts[] = {
#define X(name, text) text,
      DELASSUS_STATUS_LIST(X)
#undef X
  };
  const unsigned i = (unsigned)status;
  return i < sizeof texts / sizeof *texts ? texts[i] : "unknown status";
}

delassus_status dls_host_fail(delassus_world *host, delassus_status status, const char *function,
                              const char *fmt, ...) {
  const int n = snprintf(host->error, sizeof host->error, "%s: ", function);
  if (n < 0 || (size_t)n >= sizeof host->error) return status;
  va_list list;
  va_start(list, fmt);
  (void)vsnprintf(host->error + n, sizeof host->error - (size_t)n, fmt, list);
  va_end(list);
  return status;
}

bool dls_host_given(delassus_world *host, const char *function, const char *field,
                    const void *pointer) {
  if (host && !pointer)
    (void)dls_host_fail(host, DELASSUS_BAD_ARGUMENT, function, "'%s' must not be NULL", field);
  return host && pointer;
}

/* A step or a compilation of the trees found a direction without inertia. */
static delassus_status singular(delassus_world *host, const char *function) {
  const dls_world *w = host->world;
  int body = w->fault;
  if (body < 0 && w->trees) body = w->trees->fault.index;
  if (body < 0)
    return dls_host_fail(host, DELASSUS_SINGULAR, function, "a direction has no inertia");
  return dls_host_fail(host, DELASSUS_SINGULAR, function,
                       "body %d, or what it carries, has a direction without inertia",
                       w->bodies[body].slot);
}

static delassus_status unsolved(delassus_world *host, const char *function) {
  const dls_world *w = host->world;
  if (w->apart_joint >= 0)
    return dls_host_fail(host, DELASSUS_UNSOLVED, function,
                         "joint %d cannot hold, it is apart by %g, and 'strict' is set",
                         w->joints[w->apart_joint].slot, w->apart);
  return dls_host_fail(host, DELASSUS_UNSOLVED, function,
                       "the residual %g missed the tolerance, and 'strict' is set",
                       w->fault_value);
}

static delassus_status out_of_range(delassus_world *host, const char *function) {
  const dls_world *w = host->world;
  if (w->fault < 0)
    return dls_host_fail(host, DELASSUS_OUT_OF_RANGE, function,
                         "the energies went beyond the range of numbers");
  return dls_host_fail(host, DELASSUS_OUT_OF_RANGE, function,
                       "body %d went beyond the range of numbers", w->bodies[w->fault].slot);
}

/* A callback did not answer DELASSUS_OK, or with what cannot be worked with. */
static delassus_status stopped(delassus_world *host, const char *function) {
  const char *why = host->stopped;
  host->stopped = NULL;
  return dls_host_fail(host, DELASSUS_STOPPED, function, "stopped by a callback%s%s",
                       why ? ": " : "", why ? why : "");
}

delassus_status dls_host_report(delassus_world *host, dls_status status, const char *function) {
  switch (status) {
    case DLS_OK: return DELASSUS_OK;
    case DLS_STATE: return unsolved(host, function);
    case DLS_RANGE: return out_of_range(host, function);
    case DLS_SINGULAR: return singular(host, function);
    case DLS_STOPPED: return stopped(host, function);
    case DLS_UNSTABLE:
      return dls_host_fail(host, DELASSUS_UNSTABLE, function,
                           "'dt' is too long for penalty joint %d (stability %g, the limit is 4)",
                           host->world->joints[host->world->fault].slot, host->world->fault_value);
    case DLS_ARG:
      return dls_host_fail(host, DELASSUS_BAD_ARGUMENT, function,
                           "a number is out of the range in which it can be worked with");
    default: return dls_host_fail(host, DELASSUS_NO_MEMORY, function, "out of memory");
  }
}

delassus_status dls_host_unlocked(delassus_world *host, const char *function) {
  if (!host->world->stepping) return DELASSUS_OK;
  return dls_host_fail(host, DELASSUS_LOCKED, function, "not possible while the world steps");
}

delassus_status dls_host_own(delassus_world *host, const char *function) {
  if (!host->borrowed) return DELASSUS_OK;
  return dls_host_fail(host, DELASSUS_NOT_OURS, function,
                       "the world is a script's: its steps call functions of the script alone");
}

bool dls_host_is_scripted(const delassus_world *host) {
  const dls_hooks *h = &host->world->hooks;
  return host->borrowed && (h->field || h->motion || h->drive || h->friction || h->gap || h->event);
}

bool dls_host_finite(const double *x, int n) {
  for (int i = 0; i < n; i++)
    if (!dls_is_finite(x[i])) return false;
  return true;
}

bool dls_host_rotation(const double rotation[4], double unit[4]) {
  memcpy(unit, rotation, 4 * sizeof *unit);
  return dls_host_finite(rotation, 4) && dls_make_unit(unit, 4);
}

delassus_status dls_host_vector(delassus_world *host, const char *function, const char *field,
                                const double x[3]) {
  if (!dls_host_finite(x, 3))
    return dls_host_fail(host, DELASSUS_BAD_ARGUMENT, function,
                         "'%s' must be finite, got %g %g %g", field, x[0], x[1], x[2]);
  if (host->world->dim == 2 && x[2] != 0)
    return dls_host_fail(host, DELASSUS_BAD_ARGUMENT, function,
                         "the third number of '%s' must be 0 in a planar world, got %g", field,
                         x[2]);
  return DELASSUS_OK;
}

const char *delassus_world_error(const delassus_world *world) { return world ? world->error : ""; }
