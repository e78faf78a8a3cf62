rockspec_format = "3.0"
package = "delassus-cholmod"
version = "scm-1"
source = { url = "git+https://localhost/delassus.git" }
description = {
  summary = "CHOLMOD as the factorisation of delassus.structure",
  detailed = [[
Optional: `factor = "cholmod"` in delassus.structure then uses SuiteSparse's CHOLMOD (libsuitesparse-dev on
Debian) in the place of delassus' own sparse factor; the answers agree to round-off.]],
  license = "MIT",
}
dependencies = { "lua >= 5.4, < 5.5" }
external_dependencies = { CHOLMOD = { header = "suitesparse/cholmod.h", library = "cholmod" } }
build = {
  type = "builtin",
  modules = {
    ["delassus.cholmod"] = {
      sources = { "cholmod.c" },
      incdirs = { "../../src", "$(CHOLMOD_INCDIR)/suitesparse" },
      libdirs = { "$(CHOLMOD_LIBDIR)" },
      libraries = { "cholmod" },
    },
  },
}
