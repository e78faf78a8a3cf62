/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#include "bind/world_parts.h"

/* world:pair{ a, b, ... }: the laws of two materials or of two bodies. */

static const dls_option pair_ends[] = {
    {"a", NULL, 0, NULL, 0, 1}, {"b", NULL, 0, NULL, 0, 2}, {NULL, NULL, 0, NULL, 0, 0}};

int dls_world_pair_lua(lua_State *L) {
  static const char function[] = "world:pair";
  static const dls_at at[2] = {{function, "a", 0, 0}, {function, "b", 0, 0}};
  dls_world_box *box = dls_check_unlocked(L, 1, function);
  dls_world *w = box->world;
  dls_material_def def = dls_material_def_default();
  const dls_option_set sets[] = {{pair_ends, NULL}, {dls_material_rows, &def}};
  lua_settop(L, 2);
  dls_read_option_sets(L, 2, function, sets, 2);
  dls_pairing pairing = {0};
  dls_material both[2];
  int places[2];
  for (int i = 0; i < 2; i++) { /* both are looked at before the world learns of either */
    places[i] = dls_push_end(L, i ? "b" : "a", i + 1);
    const bool body = dls_class_test(L, places[i], &dls_material_class) == NULL;
    if (body && dls_class_test(L, places[i], &dls_body_class) == NULL)
      dls_bad(L, &at[i], "must be a material or a body", places[i]);
    if (i == 0) pairing.of_bodies = body;
    if (body != pairing.of_bodies) dls_raise(L, function, "needs two materials or two bodies");
    if (body) *(i ? &pairing.b : &pairing.a) = dls_take_body(L, places[i], 1, &at[i]);
  }
  if (pairing.of_bodies && pairing.a == pairing.b)
    dls_raise(L, function, "needs two different bodies: one does not touch itself");
  for (int i = 0; i < 2; i++) {
    int *number = i ? &pairing.b : &pairing.a;
    if (!pairing.of_bodies) *number = dls_know_material(L, 1, places[i]);
    both[i] = w->materials[pairing.of_bodies ? w->bodies[*number].material : *number];
  }
  pairing.material = dls_material_combine(&both[0], &both[1]);
  dls_material_apply(&def, &pairing.material);
  if (def.friction == def.friction || def.has_law)
    pairing.material.law = pairing.material.mixed = 0;
  if (def.has_law) {
    lua_getfield(L, 2, "friction");
    pairing.material.law = dls_keep_law(L, 1, lua_gettop(L));
    dls_hook_friction(box);
  }
  dls_check_status(L, dls_world_pair(w, &pairing), function);
  dls_tidy_world(L, 1);
  return 0;
}
