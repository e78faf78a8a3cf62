# delassus: developer targets. The build itself is `luarocks make`; the rockspec is the only list of sources.
LUA      ?= lua5.4
CC       ?= cc
SPEC     := rockspec/delassus-scm-1.rockspec
SOURCES  := $(shell sed -n 's/^ *"\(src\/[^"]*\.c\)".*/\1/p' $(SPEC))
LUA_FILES := $(shell find lua -name '*.lua' 2>/dev/null)
HEADERS  := $(shell find src -name '*.h' 2>/dev/null)
INCLUDES := -Isrc -I/usr/include/lua5.4
WARNINGS := -Wall -Wextra -Wshadow -Wconversion -Wstrict-prototypes -Wno-sign-conversion -Wno-psabi
TREE     := lua_modules
STAMP    := $(TREE)/.built

.PHONY: all demo test dev lint asan matrix browser viewer bench clean
all: $(STAMP)

# --- the rock, as a user gets it --------------------------------------------------------------
$(STAMP): $(SOURCES) $(HEADERS) $(LUA_FILES) $(SPEC)
	@.ci/install build
	luarocks --lua-version=5.4 make --tree=$(TREE) $(SPEC)
	@touch $@

test: $(STAMP)
	@.ci/install test
	busted $(ARGS)

# --- a quick incremental build for work on the sources: build/<name>/delassus/core.so -----------
# make dev                    build/dev, gcc -O2 with warnings; then `busted --run=dev`
# make so NAME=x CC=clang CFLAGS=-O0
NAME   ?= dev
CFLAGS ?= -O2 -g
DIR    := build/$(NAME)
OBJECTS := $(SOURCES:%.c=$(DIR)/%.o)
dev: so
so: $(DIR)/delassus/core.so
$(DIR)/delassus/core.so: $(OBJECTS)
	@mkdir -p $(@D)
	$(CC) -shared $(LDFLAGS) -o $@ $(OBJECTS) -lm
$(DIR)/%.o: %.c
	@mkdir -p $(@D)
	$(CC) -std=gnu11 $(CFLAGS) $(WARNINGS) -fPIC $(INCLUDES) -MMD -MP -c -o $@ $<
-include $(OBJECTS:.o=.d)

clean:
	rm -rf build $(TREE)/lib $(TREE)/share $(STAMP)
