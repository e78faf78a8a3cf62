/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#ifndef DLS_BIND_GEAR_H
#define DLS_BIND_GEAR_H

#include "bind/world.h"

typedef struct dls_gear_ref {
  dls_world_box *box; /* of user value 1 */
  int slot;           /* of the gear     */
  uint32_t generation; /* of its slot    */
} dls_gear_ref;

extern const dls_class dls_gear_class;

int dls_world_gear_lua(lua_State *L);

#endif
