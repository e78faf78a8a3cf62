# delassus: developer targets. The build itself is `luarocks make`; the rockspec is the only list of sources.
LUA      ?= lua5.4
CC       ?= cc
SPEC     := rockspec/delassus-scm-1.rockspec
SOURCES  := $(shell sed -n 's/^ *"\(src\/[^"]*\.c\)".*/\1/p' $(SPEC))
LUA_FILES := $(shell find lua -name '*.lua' 2>/dev/null)
HEADERS  := $(shell find src -name '*.h' 2>/dev/null)
INLINES  := $(shell find src -name '*.inl' 2>/dev/null)
INCLUDES := -Isrc -I/usr/include/lua5.4
WARNINGS := -Wall -Wextra -Wshadow -Wconversion -Wstrict-prototypes -Wno-sign-conversion -Wno-psabi
TREE     := lua_modules
STAMP    := $(TREE)/.built
VIEWER   := lua/delassus/viewer.html
VERSION  := $(shell sed -n 's/.*DELASSUS_VERSION "\(.*\)".*/\1/p' src/delassus.h)
RELEASE  := rockspec/delassus-$(VERSION)-1.rockspec

.PHONY: all demo test dev so objects lint asan matrix golden golden-plain native arm64 mingw mutants fuzz memory soak coverage tsan valgrind avx512 browser vtk viewer manual rock bench clean
all: $(STAMP)

# --- the rock, as a user gets it --------------------------------------------------------------
$(STAMP): $(SOURCES) $(HEADERS) $(INLINES) $(LUA_FILES) $(SPEC)
	@.ci/install build
	@rm -f build/compiled
	@SOURCES="$(SOURCES)" MADE=build/compiled luarocks --lua-version=5.4 make --tree=$(TREE) $(SPEC) CC=.ci/cc
	@mkdir -p build && $(LUA) src/bind/embed.lua $(SPEC) build/embed.c
	@$(CC) -O2 -fPIC $(INCLUDES) -c -o build/embed.o build/embed.c
	@rm -f $(TREE)/lib/lua/5.4/delassus/core.a
	@ar rcs $(TREE)/lib/lua/5.4/delassus/core.a $(SOURCES:.c=.o) build/embed.o
	@rm -rf delassus && find src -name '*.o' -delete
	@if [ -e $(VIEWER) ]; then cp $(VIEWER) $(TREE)/share/lua/5.4/delassus/; fi
	@touch $@

test: $(STAMP) $(RELEASE)
	@.ci/install test
	$(if $(ARGS),busted $(ARGS),@.ci/specs default)

# --- a pile of logs is dropped (stack.html) and a drum of logs turned (drum.html, about a minute), with the replay
# --- where the viewer can be built
DEMO := stack.html drum.html
INSTALLED := LUA_PATH="$(TREE)/share/lua/5.4/?.lua;$(TREE)/share/lua/5.4/?/init.lua;;" LUA_CPATH="$(TREE)/lib/lua/5.4/?.so;;"
demo: $(DEMO)
	@for page in $(abspath $(DEMO)); do echo "open it in a browser: file://$$page"; done
$(DEMO): $(STAMP) $(wildcard $(VIEWER)) | demo-viewer
.PHONY: demo-viewer
demo-viewer:
	@if [ ! -e $(VIEWER) ] && ! $(MAKE) -s viewer; then \
	  echo "demo: the viewer could not be built, so the page has tables and charts but no replay; make viewer adds it"; fi
stack.html: examples/stack_of_logs.lua examples/data/logs.csv
	@$(INSTALLED) $(LUA) examples/stack_of_logs.lua examples/data/logs.csv $@
drum.html: examples/drum_of_logs.lua
	@$(INSTALLED) $(LUA) examples/drum_of_logs.lua $@

# --- the replay page, bundled by esbuild: beside the Lua sources and, where that is, in the rock ----------
VIEWER_SOURCES := $(shell find src/viewer -path '*/node_modules' -prune -o -type f -print)
viewer: $(VIEWER)
	@if [ -d $(TREE)/share/lua/5.4/delassus ]; then cp $(VIEWER) $(TREE)/share/lua/5.4/delassus/; fi
$(VIEWER): $(VIEWER_SOURCES)
	@.ci/install viewer
	cd src/viewer && npm ci --include=dev --ignore-scripts --no-audit --no-fund
	node src/viewer/build.mjs $@

# The rocks that travel, with the page in them: build/rock/*.src.rock (needs a C compiler) and the one of this machine; then the latter
# is installed in an empty tree, without Node.js, and shows a replay.
rock: $(VIEWER)
	@.ci/install build
	@.ci/rock build/rock

# The manual: pages of docs, reference, pictures of the examples, as one page with search.
manual: so
	@mkdir -p build/manual/examples
	@for f in examples/[0-9]*.lua; do (cd build/manual/examples && LUA_PATH="$(CURDIR)/lua/?.lua;$(CURDIR)/lua/?/init.lua;;" \
	  LUA_CPATH="$(CURDIR)/$(DIR)/?.so;;" $(LUA) $(CURDIR)/$$f >/dev/null) || exit 1; done
	@LUA_PATH="lua/?.lua;lua/?/init.lua;;" LUA_CPATH="$(DIR)/?.so;;" $(LUA) docs/make.lua build/manual/manual.html
	@echo "open it in a browser: file://$(CURDIR)/build/manual/manual.html"

# The page in a headless browser: no error, it moves, and its charts follow its data. `make browser PAGES=drum.html` looks at yours, too.
browser: $(STAMP) viewer
	@.ci/install build test browser viewer
	node spec/browser/check.mjs $(PAGES)

# Recordings saved as .pvd, read back by VTK: Debian's python3-vtk9, 52 MB.
vtk: $(STAMP)
	@.ci/install build test vtk
	DELASSUS_VTK=required busted spec/lua/vtk_spec.lua

# --- a quick incremental build for work on the sources: build/<name>/delassus/core.so -----------
# make dev                    build/dev, gcc -O2 with warnings; then `busted --run=dev`
# make so NAME=x CC=clang CFLAGS=-O0
NAME   ?= dev
CFLAGS ?= -O2 -g
DIR    := build/$(NAME)
OBJECTS := $(SOURCES:%.c=$(DIR)/%.o)
dev: so $(RELEASE)
objects: $(OBJECTS)
# That of the sources with the version of delassus.h (docs/release.md).
$(RELEASE): $(SPEC) src/delassus.h rockspec/release.lua
	@$(LUA) rockspec/release.lua >/dev/null
so: $(DIR)/delassus/core.so $(DIR)/delassus/core.a
# The same objects as an archive: programs in C see the inside of the library only there.
$(DIR)/delassus/core.a: $(OBJECTS) $(DIR)/embed.o
	@mkdir -p $(@D) && rm -f $@
	ar rcsT $@ $^
# The Lua files as a C file: luaopen_delassus without a search path.
$(DIR)/embed.c: src/bind/embed.lua $(SPEC) $(LUA_FILES)
	@mkdir -p $(@D)
	$(LUA) src/bind/embed.lua $(SPEC) $@
$(DIR)/embed.o: $(DIR)/embed.c src/delassus.h
	$(CC) $(CFLAGS) $(WARNINGS) -fPIC $(INCLUDES) -c -o $@ $<
$(DIR)/delassus/core.so: $(OBJECTS)
	@mkdir -p $(@D)
	$(CC) -shared $(LDFLAGS) -o $@ $(OBJECTS) -lm
$(DIR)/%.o: %.c
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) $(WARNINGS) -fPIC $(INCLUDES) -MMD -MP -c -o $@ $<
-include $(OBJECTS:.o=.d)

# --- for host applications in C and C++: src/delassus.h, docs/design/hosts.md ----------------------------------
# make static                 build/dev/libdelassus.a: core, C interface, binding and Lua files; the same as one file, build/dev/one/delassus.c
# make install PREFIX=/opt/x  that, delassus.h and delassus.pc (cc host.c $(pkg-config --cflags --libs delassus))
# make hosts                  builds and runs examples/host, with the library and with the one file
.PHONY: static install hosts one tsan
PREFIX  ?= /usr/local
ONE := $(DIR)/one
static: $(DIR)/libdelassus.a $(ONE)/delassus.c $(ONE)/delassus.h
# What the objects share among themselves is hidden from shared objects, but not from a program's other objects: in the archive its names
# begin with delassus_, too (delassus_dls_...), where there is objcopy.
OBJCOPY ?= objcopy
own_names = if command -v $(OBJCOPY) >/dev/null; then \
	  nm -g --defined-only $(1) | awk '$$3 ~ /^dls_/ { print $$3, "delassus_" $$3 }' | sort -u > $(1).names && \
	  $(OBJCOPY) --redefine-syms=$(1).names $(1) && rm -f $(1).names; fi
$(DIR)/libdelassus.a: $(OBJECTS) $(DIR)/embed.o
	@rm -f $@
	ar rcs $@ $^
	@$(call own_names,$@)
$(ONE)/delassus.c: src/bind/amalgamate.lua $(SPEC) $(SOURCES) $(HEADERS) $(DIR)/embed.c
	@mkdir -p $(@D)
	$(LUA) src/bind/amalgamate.lua $(SPEC) $(DIR)/embed.c $@
$(ONE)/delassus.h: src/delassus.h
	@mkdir -p $(@D) && cp $< $@
LIBRARY ?= $(DIR)/libdelassus.a
install: $(LIBRARY)
	install -d $(DESTDIR)$(PREFIX)/include $(DESTDIR)$(PREFIX)/lib/pkgconfig
	install -m 644 src/delassus.h $(DESTDIR)$(PREFIX)/include/
	install -m 644 $(LIBRARY) $(DESTDIR)$(PREFIX)/lib/libdelassus.a
	@$(call own_names,$(DESTDIR)$(PREFIX)/lib/libdelassus.a)
	@{ echo "prefix=$(PREFIX)"; echo 'libdir=$${prefix}/lib'; echo 'includedir=$${prefix}/include'; echo; \
	  echo "Name: delassus"; echo "Description: Nonsmooth multibody dynamics: contacts, Coulomb friction, impacts"; \
	  echo "Version: $(VERSION)"; echo 'Cflags: -I$${includedir}'; echo 'Libs: -L$${libdir} -ldelassus -lm'; \
	} > $(DESTDIR)$(PREFIX)/lib/pkgconfig/delassus.pc
HOST_PROGRAMS := $(patsubst examples/host/%.c,$(DIR)/host/%,$(wildcard examples/host/*.c))
$(DIR)/host/%: examples/host/%.c src/delassus.h $(DIR)/libdelassus.a
	@mkdir -p $(@D)
	$(CC) -std=c11 $(CFLAGS) -Wall -Wextra -Werror $(INCLUDES) $(LDFLAGS) -o $@ $< $(DIR)/libdelassus.a -l$(LUA) -lm -pthread
hosts: $(HOST_PROGRAMS) one
	@! nm -g --defined-only $(DIR)/libdelassus.a | awk 'NF == 3 { print $$3 }' | grep -v '^delassus_\|^luaopen_delassus'
	@for host in $(HOST_PROGRAMS); do echo "$$host"; $$host || exit 1; done

# The one file, compiled by one call with Lua and by one without: hosts run with it, nothing but delassus_* and luaopen_* is
# exported, and as a Lua module it has the bits of the golden scenes.
one: $(ONE)/plain $(ONE)/script $(ONE)/delassus/core.so
	$(ONE)/plain
	$(ONE)/script
	@! nm -g --defined-only $(ONE)/delassus.o $(ONE)/without_lua.o | awk 'NF == 3 { print $$3 }' | grep -v '^delassus_\|^luaopen_delassus'
	@! nm -D --defined-only $(ONE)/delassus/core.so | grep -v ' delassus_\| luaopen_delassus'
	LUA_PATH="lua/?.lua;lua/?/init.lua" LUA_CPATH="$(ONE)/?.so" $(LUA) spec/golden/run.lua
$(ONE)/delassus.o: $(ONE)/delassus.c $(ONE)/delassus.h
	$(CC) -O2 -Wall -Werror -fPIC -c -o $@ $< $(filter -I/%,$(INCLUDES))
$(ONE)/without_lua.o: $(ONE)/delassus.c $(ONE)/delassus.h
	$(CC) -std=c11 -O0 -Wall -Werror -DDELASSUS_NO_LUA -c -o $@ $<
$(ONE)/plain: examples/host/plain.c $(ONE)/without_lua.o
	$(CC) -std=c11 -O2 -I$(ONE) -o $@ $^ -lm
$(ONE)/script: examples/host/script.c $(ONE)/delassus.o
	$(CC) -std=c11 -O2 -I$(ONE) $(INCLUDES) -o $@ $^ -l$(LUA) -lm -pthread
$(ONE)/delassus/core.so: $(ONE)/delassus.o
	@mkdir -p $(@D)
	$(CC) -shared -o $@ $< -lm

# Eight threads and a hundred states under the thread sanitizer.
tsan:
	$(MAKE) -s -j2 static NAME=tsan CFLAGS="-O1 -g -fsanitize=thread -Wno-maybe-uninitialized"
	$(CC) -std=c11 -O1 -g -fsanitize=thread $(INCLUDES) -o build/tsan/threads spec/support/thread_host.c \
	  build/tsan/libdelassus.a -l$(LUA) -lm -pthread
	build/tsan/threads

# --- checks ---------------------------------------------------------------------------------------
JOBS := $(shell nproc 2>/dev/null || echo 2)
# One build a compiler, warnings being errors: build/gcc-O2, clang-O2 (lint, matrix, golden; the rock has the objects of gcc-O2, .ci/cc).
checked = $(MAKE) -s -j2 so NAME=$(1)-O2 CC=$(1) CFLAGS="-O2 -Werror"
# Without optimisation, and in plain C, by the one file: a fifth of the time that its units take.
build/%-O0/delassus/core.so: $(ONE)/delassus.c $(ONE)/delassus.h
	@mkdir -p $(@D)
	$* -O0 -fPIC -shared $(filter -I/%,$(INCLUDES)) -o $@ $< -lm
build/plain-c/delassus/core.so: $(ONE)/delassus.c $(ONE)/delassus.h
	@mkdir -p $(@D)
	gcc -O0 -DDLS_PLAIN_C -fPIC -shared $(filter -I/%,$(INCLUDES)) -o $@ $< -lm
# Core and C interface in C11 without GNU's vectors and intrinsics, as other compilers need it (base/vector.h).
PLAIN_C := -std=c11 -pedantic-errors -DDLS_PLAIN_C
# Warnings are errors with both compilers, in the default mode of LuaRocks and in strict C11. What is uninitialised the
# compilers tell (-Wall); cppcheck's guesses about loops, and about functions that never return, are not heard.
IN_TURN := xargs -n 8 -P $(JOBS) # a command on the words read, eight at a time; as many at once as there are processors
lint:
	@.ci/install build lint
	luacheck -q .
	$(call checked,gcc)
	$(call checked,clang)
	@for f in $(filter %_plain.c,$(SOURCES)); do gcc -O2 -fPIC $(INCLUDES) -c -o /dev/null $$f 2>&1 | grep . && exit 1; done; true # as users build: no word
	@echo $(filter src/core/base/%,$(SOURCES)) | $(IN_TURN) gcc -std=c11 -pedantic -Wall -Wextra -Werror -Isrc -fsyntax-only
	@echo $(filter src/core/% src/host/%,$(SOURCES)) | $(IN_TURN) gcc $(PLAIN_C) '-D__attribute__(x)=' -Isrc -fsyntax-only
	@echo $(filter-out %.inc.h %/dim.h,$(HEADERS)) | $(IN_TURN) \
	  sh -c '! gcc -std=gnu11 $(WARNINGS) $(INCLUDES) -fsyntax-only -x c "$$@" 2>&1 | grep -v "pragma once" | grep -E "error|warning"' headers
	cppcheck -q -j2 --std=c11 --error-exitcode=1 --inline-suppr --enable=warning,portability \
	  --suppress=missingIncludeSystem --suppress=uninitvar --suppress=ctuuninitvar --suppress=nullPointerRedundantCheck -Isrc src/core src/host src/bind

# The whole suite on a build that watches memory and undefined behaviour. Line numbers are all of -g that reports read; null pointers that
# are read or written are told by their address (addresses formed from them: make fuzz).
SANITIZE := -fsanitize=address,undefined -fno-sanitize=null -fno-sanitize-recover=undefined
asan:
	@.ci/install build test asan
	$(MAKE) -s -j2 so NAME=asan CC=gcc CFLAGS="-O1 -g1 -fno-omit-frame-pointer -DDLS_POISON=0xff $(SANITIZE)" LDFLAGS="$(SANITIZE)"
	@export DELASSUS_FEW_SEEDS=1 PRELOAD=$$(gcc -print-file-name=libasan.so) ASAN_OPTIONS=detect_leaks=0:allocator_may_return_null=1; \
	$(if $(ARGS),LD_PRELOAD=$$PRELOAD busted --run=asan $(ARGS),.ci/specs asan)

# Same inputs, same bits: two compilers, two levels of optimisation, two processes each; one hash.
matrix:
	@.ci/install build matrix
	$(call checked,gcc)
	$(call checked,clang)
	$(MAKE) -s -j2 build/gcc-O0/delassus/core.so build/clang-O0/delassus/core.so
	@rm -rf build/bits && mkdir -p build/bits
	@for level in 0 2; do for cc in gcc clang; do for run in 1 2; do echo $$cc-O$$level $$run; done; done; done | xargs -L 1 -P $(JOBS) sh -c \
	  'LUA_PATH="lua/?.lua;lua/?/init.lua;spec/?.lua" LUA_CPATH="build/$$0/?.so" $(LUA) spec/support/bits.lua > build/bits/$$0.$$1'
	@for f in build/bits/*; do echo "$${f##*/}: $$(tr '\n' ' ' < $$f)"; cmp build/bits/gcc-O0.1 $$f || exit 1; done; echo "matrix: same bits everywhere"

# The last bits of spec/golden's scenes, on every path of instructions that the processor has, with two compilers; in plain C.
GOLDEN := plain-c $(foreach cc,gcc clang,$(addprefix $(cc)-O2/isa-,0 1 2))
golden_bits = printf '%s\n' $(1) | xargs -P $(JOBS) -n 1 sh -c 'said=$$(LUA_PATH="lua/?.lua;lua/?/init.lua" \
	  LUA_CPATH="build/$$0/?.so" $(LUA) spec/golden/run.lua 2>&1); status=$$?; echo "$$0: $$said"; exit $$status'
golden:
	@.ci/install build matrix
	$(MAKE) -s build/plain-c/delassus/core.so
	@for cc in gcc clang; do $(call checked,$$cc) || exit 1; \
	  for isa in 0 1 2; do $(call checked,$$cc) ISA=$$isa build/$$cc-O2/isa-$$isa/delassus/core.so || exit 1; done; done
	@$(call golden_bits,$(GOLDEN))
# A build that keeps to the instruction sets up to ISA: one object is another one (base/isa.h).
$(DIR)/isa-$(ISA)/delassus/core.so: $(OBJECTS)
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) $(WARNINGS) -fPIC $(INCLUDES) -DDLS_ISA_MOST=$(ISA) -c -o $(DIR)/isa-$(ISA)/isa.o src/core/base/isa.c
	$(CC) -shared $(LDFLAGS) -o $@ $(OBJECTS:$(DIR)/src/core/base/isa.o=$(DIR)/isa-$(ISA)/isa.o) -lm

golden-plain: build/plain-c/delassus/core.so
	@$(call golden_bits,plain-c)

# The same bits where the compiler may use all that this processor has.
native: so
	@.ci/install build
	$(MAKE) -s -j2 so NAME=native CC=gcc CFLAGS="-O3 -march=native"
	@printf "native: "; LUA_PATH="lua/?.lua;lua/?/init.lua" LUA_CPATH="build/native/?.so" $(LUA) spec/golden/run.lua
	@export LUA_PATH="lua/?.lua;lua/?/init.lua;spec/?.lua"; \
	  LUA_CPATH="$(DIR)/?.so" $(LUA) spec/support/bits.lua > build/bits.here && LUA_CPATH="build/native/?.so" $(LUA) spec/support/bits.lua > build/bits.native && \
	  diff build/bits.here build/bits.native && echo "native: same bits"

# The same bits on another processor: golden scenes and all of spec/support/bits.lua, cross-built, under an emulator.
ARM64_LUA := build/arm64/lua/usr
arm64: so
	@.ci/install build arm64
	@.ci/arm64
	$(MAKE) -s -j2 build/arm64/host NAME=arm64 CC=aarch64-linux-gnu-gcc \
	  INCLUDES="-Isrc -I$(ARM64_LUA)/include/lua5.4 -I$(ARM64_LUA)/include/aarch64-linux-gnu"
	@export LUA_PATH="lua/?.lua;lua/?/init.lua;spec/?.lua" LUA_CPATH="$(DIR)/?.so"; \
	  $(LUA) spec/support/bits.lua > build/arm64/here && qemu-aarch64 build/arm64/host spec/support/bits.lua > build/arm64/there && \
	  diff build/arm64/here build/arm64/there && qemu-aarch64 build/arm64/host spec/golden/run.lua --without 10,000
	@echo "arm64: same bits"
build/arm64/host: $(OBJECTS) spec/support/script_host.c
	$(CC) -O2 -static $(INCLUDES) -o $@ spec/support/script_host.c $(OBJECTS) $(ARM64_LUA)/lib/aarch64-linux-gnu/liblua5.4.a -lm

# For Windows: core, C interface and platform.c cross-built by MinGW-w64, the binding looked through by it; hosts of the specs run
# under wine with the bits that they have here. (Lua itself is not built.) Narrow kernels alone: on Windows gcc puts vectors of 32 bytes
# on a stack that is aligned to 16 (its bug 54412), so that wide ones would end the program.
MINGW := x86_64-w64-mingw32-gcc
mingw: so
	@.ci/install build mingw
	@$(MAKE) -s -j2 build/mingw/libcore.a NAME=mingw CC=$(MINGW) CFLAGS="-O2 -Werror -DDLS_ISA_MOST=0" INCLUDES=-Isrc \
	  SOURCES="$(filter src/core/% src/host/% src/bind/platform.c,$(SOURCES))"
	@for f in $(filter src/bind/%,$(SOURCES)); do $(MINGW) -std=gnu11 $(WARNINGS) -Werror $(INCLUDES) -fsyntax-only $$f || exit 1; done
	@.ci/mingw $(MINGW) build/mingw/libcore.a $(DIR)/delassus/core.a
build/mingw/libcore.a: $(OBJECTS)
	@rm -f $@
	@ar rcs $@ $^

# One-line mutants of the code against the specs nearest to them: tells what survives (a quarter of an hour).
mutants: so
	$(LUA) spec/support/mutants.lua $(ONLY)

# The same on a processor with AVX-512, which Bochs emulates: half an hour or so, and not part of CI.
avx512: so
	@.ci/avx512

# --- trust: what comes from outside (docs/trust.md) -------------------------------------------------
# Byte strings that grow by coverage against the API, model files, recordings, snapshots and complementarity problems, each on a build that watches
# memory and undefined behaviour; TIME is that of all targets together, s.
FUZZ_TARGETS := api models recordings snapshots lcp
TIME ?= 300
fuzz:
	@.ci/install build test fuzz
	$(MAKE) -s -j2 build/fuzz/host NAME=fuzz CC=clang CFLAGS="-O1 -g -fno-omit-frame-pointer -fsanitize=fuzzer-no-link,address,undefined -fno-sanitize-recover=undefined"
	@for t in $(or $(ONLY),$(FUZZ_TARGETS)); do mkdir -p build/fuzz/corpus/$$t build/fuzz/found spec/fuzz/corpus/$$t; \
	  FUZZ=$$t LUA_PATH="lua/?.lua;lua/?/init.lua;spec/?.lua;;" ASAN_OPTIONS=detect_leaks=0:allocator_may_return_null=1 build/fuzz/host \
	    -max_total_time=$$(($(TIME) / $(words $(or $(ONLY),$(FUZZ_TARGETS))))) -timeout=20 -rss_limit_mb=3000 -print_final_stats=1 -verbosity=0 \
	    -artifact_prefix=build/fuzz/found/$$t- build/fuzz/corpus/$$t spec/fuzz/corpus/$$t || exit 1; done
build/fuzz/host: $(OBJECTS) spec/fuzz/host.c
	clang -O1 -g -fsanitize=fuzzer,address,undefined $(INCLUDES) -Wl,-E -o $@ spec/fuzz/host.c $(OBJECTS) -llua5.4 -lm

# A drum in which everything comes and goes, again and again from the same start: memory, ledger and hash flat. What glibc's malloc
# takes from the system is what is in use where its thresholds stay (it raises them as blocks are freed, and keeps 1 MB more or less).
soak: so
	@MALLOC_MMAP_THRESHOLD_=32768 MALLOC_TRIM_THRESHOLD_=0 LUA_PATH="lua/?.lua;lua/?/init.lua;;" LUA_CPATH="$(DIR)/?.so;;" $(LUA) spec/support/soak.lua $(TIME)

# Lines and branches of the core that the suite goes through, in a table; ARGS are busted's.
coverage:
	@.ci/install build test
	$(MAKE) -s -j2 so NAME=coverage CC=gcc CFLAGS="-O1 --coverage" LDFLAGS=--coverage
	@find build/coverage -name '*.gcda' -delete
	busted --run=coverage --exclude-tags=slow $(ARGS) || true
	$(LUA) spec/support/coverage.lua

# Every request for memory made to fail in turn, and 200 pairs of them by chance: Lua's in sixty scenarios, libc's in twenty-two
# of a host in C.
memory: so static
	@.ci/install build
	@cc -O1 -I/usr/include/lua5.4 -o build/failing_host spec/support/failing_host.c -llua5.4
	@export LUA_PATH="lua/?.lua;lua/?/init.lua;spec/?.lua;;" LUA_CPATH="$(DIR)/?.so;;"; \
	  for s in $$($(LUA) spec/support/memory_scenes.lua); do printf "%s: " $$s; build/failing_host spec/support/memory_scenes.lua $$s 200 || exit 1; done
	@cc -O1 -Isrc -o build/failing_c_host spec/support/failing_c_host.c $(DIR)/libdelassus.a -Wl,--wrap=realloc,--wrap=free -l$(LUA) -lm
	build/failing_c_host 22 200

# The fuzzing corpus under valgrind: no invalid access, nothing read that was never written, nothing lost.
valgrind: so
	@.ci/install build test valgrind
	LUA_PATH="lua/?.lua;lua/?/init.lua;spec/?.lua;./spec/?.lua;;" LUA_CPATH="$(DIR)/?.so;;" \
	  valgrind -q --error-exitcode=1 --leak-check=full --errors-for-leak-kinds=definite $(LUA) spec/support/replay.lua

# Speed of the build that users get, against the peers that are installed; the residual beside it. CSV.
bench: $(STAMP)
	@for f in $(or $(BENCH),lcp cone tree penalty drum events structure scenes); do echo "# bench/$$f.lua"; \
	  LUA_PATH="$(TREE)/share/lua/5.4/?.lua;$(TREE)/share/lua/5.4/?/init.lua;./?.lua;;" LUA_CPATH="$(TREE)/lib/lua/5.4/?.so;;" \
	  $(LUA) bench/$$f.lua $(ARGS) || exit 1; done

clean:
	rm -rf build src/viewer/node_modules $(VIEWER) $(TREE)/lib $(TREE)/share $(STAMP)
