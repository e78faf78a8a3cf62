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
        "src/core/base/status.c",
        "src/core/math/lanes.c",
        "src/core/math/lanes_plain.c",
        "src/core/math/lanes_avx2.c",
        "src/core/math/lanes_avx512.c",
        "src/core/math/sparse.c",
        "src/core/lcp/lcp.c",
        "src/core/lcp/residual.c",
        "src/core/lcp/trace.c",
        "src/core/lcp/method.c",
        "src/core/lcp/auto.c",
        "src/core/lcp/scaling.c",
        "src/core/lcp/basic.c",
        "src/core/lcp/basis.c",
        "src/core/lcp/enumerate.c",
        "src/core/lcp/lemke.c",
        "src/bind/module.c",
      },
    },
    ["delassus"] = "lua/delassus/init.lua",
  },
}
