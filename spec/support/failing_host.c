/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */

/* failing_host SCRIPT [SCENE [PAIRS]]: runs a Lua script once, and then what it defines, in a process
** of its own that goes on from the state in which the script left Lua. At every memory request of
** that one a further process begins, in which this request and the next one fail (two in a row, since
** Lua answers the first failure with an emergency collection and asks again), while the first waits
** for its end and goes on without a failure. Every one must end in success or in an error, and give
** back every byte. The global `phase` of the script, called with no arguments, is what is tested; the
** script itself runs with memory enough; SCENE is its global `scene`. Then PAIRS runs in which two
** requests fail, each with the next one, chosen by chance.
** `of_core(make, ...)` calls make, and from then on only what the core asks for on behalf of what
** make made counts as a request: not what Lua itself does, for tables that callbacks are handed. */
#define _POSIX_C_SOURCE 200809L
#include <lua.h>
#include <lauxlib.h>
#include <lualib.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* How a run ended: requests made, -1 where it is not as it should be; how many runs ended in an error. */
typedef struct ending {
  long requests;
  long failed;
} ending;

typedef struct meter {
  long requests;   /* of the phase under test              */
  long fail_at;    /* 0: never                             */
  long then_at;    /* a second one; 0: none                */
  int counting;    /* within the phase under test          */
  int each;        /* begin a process at each, to fail     */
  int wrong;       /* one of these was not as it should be */
  long failed;     /* how many of these ended in an error  */
  int report;      /* where this process writes its ending */
  size_t bytes;    /* lent at present                      */
  int core_only;   /* requests of Lua do not count         */
} meter;

/* Begins a process: 0 in it, 1 in the one that began it, once the other has ended, as *end says. */
static int begin(meter *m, ending *end) {
  int ends[2], status;
  end->requests = -1;
  if (pipe(ends) != 0) return 1;
  const pid_t child = fork();
  if (child == 0) {
    close(ends[0]);
    m->report = ends[1];
    return 0;
  }
  close(ends[1]);
  const int told = child > 0 && read(ends[0], end, sizeof *end) == (ssize_t)sizeof *end;
  close(ends[0]);
  if (child < 0 || waitpid(child, &status, 0) != child || status != 0 || !told) {
    fprintf(stderr, "requests %ld and %ld: the process ended with %d\n", m->requests, m->then_at, status);
    end->requests = -1;
  }
  return 1;
}

static int fails(meter *m) {
  m->requests++;
  if (m->each) {
    ending end;
    if (begin(m, &end)) {
      m->wrong |= end.requests < 0;
      m->failed += end.failed;
      return 0;
    }
    m->each = 0;
    m->failed = m->wrong = 0;
    m->fail_at = m->requests;
  }
  if (m->requests == m->fail_at || m->requests == m->fail_at + 1) return m->fail_at > 0;
  return m->then_at > 0 && (m->requests == m->then_at || m->requests == m->then_at + 1);
}

static void *lent(meter *m, int counts, void *ptr, size_t old_size, size_t new_size) {
  if (ptr == NULL) old_size = 0;
  if (new_size == 0) {
    free(ptr);
    m->bytes -= old_size;
    return NULL;
  }
  if (new_size > old_size && m->counting && counts && fails(m)) return NULL; /* Lua assumes that shrinking cannot fail */
  void *block = realloc(ptr, new_size);
  if (block != NULL) m->bytes += new_size - old_size;
  return block;
}

/* Of a state: the core keeps the function that was the state's when a thing was made. */
static void *counted(void *ud, void *ptr, size_t old_size, size_t new_size) {
  meter *m = (meter *)ud;
  return lent(m, !m->core_only, ptr, old_size, new_size);
}

/* Of what `of_core` makes. */
static void *counted_of_core(void *ud, void *ptr, size_t old_size, size_t new_size) {
  return lent((meter *)ud, 1, ptr, old_size, new_size);
}

static int of_core(lua_State *L) {
  void *ud;
  (void)lua_getallocf(L, &ud);
  ((meter *)ud)->core_only = 1;
  lua_setallocf(L, counted_of_core, ud);
  const int status = lua_pcall(L, lua_gettop(L) - 1, LUA_MULTRET, 0);
  lua_setallocf(L, counted, ud);
  return status == LUA_OK ? lua_gettop(L) : lua_error(L);
}

static int run(lua_State *L) {
  const char *script = (const char *)lua_touserdata(L, 1);
  luaL_openlibs(L);
  lua_register(L, "of_core", of_core);
  if (luaL_dofile(L, script) != LUA_OK) return lua_error(L);
  return 0;
}

static ending phase(lua_State *L, meter *m) {
  const ending wrong = {-1, 0};
  lua_getglobal(L, "phase");
  m->counting = 1;
  const int status = lua_pcall(L, 0, 0, 0);
  m->counting = 0;
  const ending end = {m->requests, m->failed + (status != LUA_OK)};
  if (status != LUA_OK) {
    const char *text = lua_tostring(L, -1);
    if (text == NULL || (strstr(text, "memory") == NULL)) {
      fprintf(stderr, "requests %ld and %ld: not a memory error: %s\n", m->fail_at, m->then_at, text ? text : "(no text)");
      return wrong;
    }
  }
  lua_settop(L, 0);
  lua_getglobal(L, "after");
  if (!lua_isnil(L, -1) && lua_pcall(L, 0, 0, 0) != LUA_OK) {
    fprintf(stderr, "requests %ld and %ld, afterwards: %s\n", m->fail_at, m->then_at, lua_tostring(L, -1));
    return wrong;
  }
  lua_close(L);
  if (m->bytes != 0) {
    fprintf(stderr, "requests %ld and %ld: %zu bytes lost\n", m->fail_at, m->then_at, m->bytes);
    return wrong;
  }
  return m->wrong ? wrong : end;
}

/* Runs the phase in a process of its own, where the requests k and `then` fail; where each is set, each in turn. */
static ending attempt(lua_State *L, meter *m, long k, long then, int each) {
  ending end;
  m->fail_at = k;
  m->then_at = then;
  m->each = each;
  if (begin(m, &end)) return end;
  end = phase(L, m);
  _exit(write(m->report, &end, sizeof end) != (ssize_t)sizeof end);
}

int main(int argc, char **argv) {
  if (argc < 2 || argc > 4) return 2;
  meter m = {0};
  lua_State *L = lua_newstate(counted, &m);
  if (L == NULL) return 1;
  lua_pushstring(L, argc > 2 ? argv[2] : "");
  lua_setglobal(L, "scene");
  lua_pushcfunction(L, run);
  lua_pushlightuserdata(L, argv[1]);
  if (lua_pcall(L, 1, 0, 0) != LUA_OK) {
    fprintf(stderr, "script: %s\n", lua_tostring(L, -1));
    return 1;
  }
  const ending each = attempt(L, &m, 0, 0, 1);
  if (each.requests < 0) return 1;
  const long n = each.requests, pairs = argc > 3 ? atol(argv[3]) : 0;
  long failed = each.failed;
  uint64_t random = 88172645463325252u;
  for (long i = 0; i < pairs && n > 1; i++) {
    random ^= random << 13, random ^= random >> 7, random ^= random << 17;
    const long first = 1 + (long)(random % (uint64_t)n), second = first + 2 + (long)((random >> 32) % 200);
    const ending two = attempt(L, &m, first, second, 0);
    if (two.requests < 0) return 1;
    failed += two.failed;
  }
  lua_close(L);
  printf("%ld requests, %ld of them ended in a clean error\n", n + pairs, failed);
  return failed > 0 ? 0 : 1;
}
