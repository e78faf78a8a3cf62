-- Copyright (c) 2026 the delassus authors.
-- SPDX-License-Identifier: MIT

-- src/bind/amalgamate.lua on a library of two units and a host that wants the same names: built apart and as one file,
-- it says the same. The whole library as one file: make hosts.
local FILES = {
  LICENSE = "A license\n",
  ["src/delassus.h"] = [[
#ifndef DELASSUS_H
#define DELASSUS_H
#define DELASSUS_VERSION "9.8.7"
int delassus_one(void);
int delassus_two(void);
#endif
]],
  ["src/core/base/shared.h"] = [[
#ifndef DLS_SHARED_H
#define DLS_SHARED_H
#include <stddef.h>
#include <stdio.h>
#include <string.h>
typedef struct dls_thing {
  int gap, work; /* fields that units have functions and types of */
} dls_thing;
#define DLS_AT(type, field) ((int)(offsetof(type, field) / sizeof(int)))
typedef int dls_number_fn(int x);
int dls_twice(int x);
dls_number_fn dls_thrice;
extern const dls_thing dls_things[], dls_all;
#define X(name) extern const int dls_count_##name;
X(own)
#undef X
static inline int dls_once(int x) { return x; }
#endif
]],
  ["src/core/base/kernel.inc.h"] = [[
#define vec OF(vector)
#define ALIGNED(n) __attribute__((aligned(n)))
typedef NUMBER vec;
typedef NUMBER OF(wide) ALIGNED(16);
typedef struct OF(pack) {
  vec gap;
} OF(pack);
enum { OF(PARTS) = sizeof(vec) };
static vec OF(sum)(vec a, vec b) {
  const OF(wide) far = a;
  const OF(pack) p = {.gap = far + b};
  return p.gap;
}
#undef vec
#undef ALIGNED
]],
  ["src/core/base/one.c"] = [[
#include "core/base/shared.h"

#include "delassus.h"

#define NUMBER double
#define OF(name) name
#include "core/base/kernel.inc.h"
#undef NUMBER
#undef OF
#define NUMBER int
#define OF(name) name##32
#include "core/base/kernel.inc.h"

#define FIELD(name) {#name, DLS_AT(dls_thing, name)}
#define GETTER(name) \
  static int get_##name(const dls_thing *t) { return t->name; }
GETTER(gap)
GETTER(work)

enum { STATE = 3, LAST };
typedef struct work {
  int gap, (*call)(int gap);
  struct { int *work, list[STATE]; } in;
} work;
static int gap(int x) { return x + 1; } /* as the field is called */
static const struct { const char *name; int at; } fields[] = {FIELD(gap), FIELD(work)};
static int (*const table[2])(const dls_thing *) = {get_gap, get_work};
#ifdef NEVER
static int elsewhere(void) { return 0; }
#endif

int delassus_one(void) {
  work w = {.gap = 5, .call = gap};
  dls_thing t = {.gap = 7, .work = 9};
  w.in.work = &w.gap;
  printf("%s %d %s %d", fields[0].name, fields[0].at, fields[1].name, fields[1].at);
  printf(" %d %d %d %d", w.call(w.gap), *w.in.work, table[0](&t), table[1](&t));
  printf(" %g %d %d %d\n", sum(0.5, 0.25), sum32(1, 2), PARTS == PARTS32 * 2, LAST);
  return dls_twice(w.gap);
}

int dls_twice(int x) { return 2 * x; }
const dls_thing dls_things[] = {{1, 2}, {3, 4}};
const dls_thing dls_all = {5, 6};
const int dls_count_own = 7;
]],
  ["src/core/base/two.c"] = [[
#include "core/base/shared.h"

#include "delassus.h"

#define NUMBER long double
#define OF(name) name
#include "core/base/kernel.inc.h"
#define GETTER(name) \
  static int get_##name(void) { return (int)strlen(#name); }
GETTER(gap)

#define TWICE 2 /* a comment that goes on
                   over two lines */
enum { LAST = 11, STATE };
typedef double work;
static work gap = 2.5;
static int fields(void) { return get_gap(); }

int dls_thrice(int x) { return 3 * x; }

int delassus_two(void) {
  dls_thing t = {.gap = STATE, .work = (int)(TWICE * gap)};
  printf("%d %d %d ", dls_things[1].work, dls_all.gap, dls_thrice(dls_count_own));
  printf("%d %d %d %g %d\n", t.gap, t.work, fields(), (double)sum(1.5, 2), dls_once(LAST));
  return dls_twice(t.gap);
}
]],
  ["main.c"] = [[
#include "delassus.h"
#include <stdio.h>
int gap(void) { return 1; }
int dls_twice(int x) { return x; }
int dls_things, dls_all, dls_thrice, dls_count_own; /* a host's own */
int main(void) {
  const int one = delassus_one(), two = delassus_two();
  return printf("%d %d %d %d\n", one, two, gap(), dls_twice(4)) < 0;
}
]],
  ["apart.c"] = [[
#include "delassus.h"
#include <stdio.h>
int main(void) {
  const int one = delassus_one(), two = delassus_two();
  return printf("%d %d 1 4\n", one, two) < 0;
}
]],
  ["embed.c"] = "int luaopen_delassus(void);\nint luaopen_delassus(void) { return 0; }\n",
  rockspec = 'build = { modules = { ["x"] = { sources = { "src/core/base/two.c", "src/core/base/one.c" } } } }\n',
}

describe("the one file", function()
  local at = os.tmpname()
  os.remove(at)
  setup(function()
    assert(os.execute("mkdir -p " .. at .. "/src/core/base"))
    for name, text in pairs(FILES) do
      local file = assert(io.open(at .. "/" .. name, "w"))
      file:write(text)
      file:close()
    end
  end)
  teardown(function() os.execute("rm -rf " .. at) end)

  local function run(command)
    local pipe = assert(io.popen(("cd %s && { %s; } 2>&1"):format(at, command)))
    local said = pipe:read("a")
    pipe:close()
    return said
  end

  it("of units with the same names says what they say apart, and leaves a host its names", function()
    local here = assert(io.popen("pwd")):read("l")
    assert.equal("", run("lua5.4 " .. here .. "/src/bind/amalgamate.lua rockspec embed.c delassus.c"))
    local apart = run("cc -Wall -Werror -Isrc apart.c src/core/base/*.c -o apart && ./apart")
    assert.equal("gap 0 work 1 6 5 7 9 0.75 3 1 4\n4 5 21 12 5 3 3.5 11\n10 24 1 4\n", apart)
    for _, flags in ipairs { "", "-DDELASSUS_NO_LUA" } do
      assert.equal(apart, run("cc -Wall -Wextra -Werror -Isrc " .. flags .. " main.c delassus.c -o one && ./one"))
      assert.equal("", run("cc -Isrc " .. flags .. " -c delassus.c && nm -g --defined-only delassus.o | "
        .. "grep -v ' delassus_\\| luaopen_delassus'"))
    end
  end)

  it("has the version and the license in its head", function()
    local head = run("head -12 delassus.c")
    assert.matches("delassus 9.8.7 as one file", head)
    assert.matches("A license", head)
  end)
end)
