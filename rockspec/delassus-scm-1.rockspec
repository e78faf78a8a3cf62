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
        "src/core/math/lanes.c",
        "src/core/math/lanes_plain.c",
        "src/core/math/lanes_avx2.c",
        "src/core/math/lanes_avx512.c",
        "src/core/math/dense.c",
        "src/core/math/sparse.c",
        "src/core/math/sparse_ldl.c",
        "src/core/math/sparse_order.c",
        "src/core/lcp/lcp.c",
        "src/core/lcp/residual.c",
        "src/core/lcp/trace.c",
        "src/core/lcp/block.c",
        "src/core/lcp/block_factor.c",
        "src/core/lcp/energy.c",
        "src/core/lcp/energy_form.c",
        "src/core/lcp/extreme.c",
        "src/core/lcp/method.c",
        "src/core/lcp/auto.c",
        "src/core/lcp/scaling.c",
        "src/core/lcp/basic.c",
        "src/core/lcp/basis.c",
        "src/core/lcp/enumerate.c",
        "src/core/lcp/lemke.c",
        "src/bind/array.c",
        "src/bind/call.c",
        "src/bind/class.c",
        "src/core/math/elementary.c",
        "src/core/math/normal.c",
        "src/bind/lcp.c",
        "src/bind/lcp_solver.c",
        "src/bind/module.c",
        "src/bind/options.c",
        "src/bind/options_lua.c",
        "src/bind/raise.c",
        "src/bind/sparse.c",
        "src/bind/terminal.c",
        "src/bind/vec.c",
      },
    },
    ["delassus"] = "lua/delassus/init.lua",
    ["delassus.class"] = "lua/delassus/class.lua",
    ["delassus.cli"] = "lua/delassus/cli.lua",
    ["delassus.help"] = "lua/delassus/help.lua",
    ["delassus.lcp"] = "lua/delassus/lcp.lua",
    ["delassus.progress"] = "lua/delassus/progress.lua",
    ["delassus.prompt"] = "lua/delassus/prompt.lua",
  },
  install = { bin = { delassus = "bin/delassus" } },
}
