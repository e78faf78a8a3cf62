rockspec_format = "3.0"
package = "delassus"
version = "scm-1"
source = { url = "git+https://localhost/delassus.git" }
description = {
  summary = "Nonsmooth multibody dynamics: contacts, Coulomb friction, impacts, with a residual",
  detailed = [[
Mechanisms, structures and drums full of logs described in a Lua script: bodies, joints, unilateral
contacts with Coulomb friction and impacts. Stepping, complementarity solves and tree recursions run
in C; every answer carries its residual.]],
  license = "MIT",
}
dependencies = { "lua >= 5.4, < 5.5" }
test = { type = "command", command = "busted" }
build = {
  type = "builtin",
  modules = {
    ["delassus.core"] = {
      incdirs = { "src" },
      libraries = { "m" },
      sources = {
        "src/core/base/alloc.c",
        "src/core/base/arena.c",
        "src/core/base/hash.c",
        "src/core/base/random.c",
        "src/core/base/sort.c",
        "src/core/base/status.c",
        "src/core/math/cone.c",
        "src/core/lcp/cone.c",
        "src/core/lcp/cone_admm.c",
        "src/core/lcp/cone_auto.c",
        "src/core/lcp/cone_factor.c",
        "src/core/lcp/cone_local.c",
        "src/core/lcp/cone_newton.c",
        "src/core/lcp/cone_nsgs.c",
        "src/core/lcp/cone_system.c",
        "src/bind/array.c",
        "src/bind/call.c",
        "src/bind/class.c",
        "src/core/math/elementary.c",
        "src/core/math/normal.c",
        "src/bind/module.c",
        "src/bind/options.c",
        "src/bind/options_lua.c",
        "src/bind/raise.c",
        "src/bind/sparse.c",
        "src/bind/vec.c",
      },
    },
    ["delassus"] = "lua/delassus/init.lua",
    ["delassus.class"] = "lua/delassus/class.lua",
    ["delassus.help"] = "lua/delassus/help.lua",
  },
}
