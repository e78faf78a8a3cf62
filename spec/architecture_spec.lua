-- The diagram of layers in src/README.md, as a test: every #include is read.

-- What each folder of src may include beside itself.
local base_up = {
  ["core/base"] = {},
  ["core/math"] = { "core/base" },
  ["core/lcp"] = { "core/base", "core/math" },
  ["core/cone"] = { "core/base", "core/math", "core/lcp" },
  ["core/forest"] = { "core/base", "core/math" },
  ["core/ode"] = { "core/base", "core/math", "core/forest" },
  ["core/collide"] = { "core/base", "core/math" },
  ["core/rows"] = { "core/base", "core/math", "core/lcp", "core/cone", "core/forest", "core/collide" },
  ["core/graph"] = { "core/base", "core/math", "core/forest", "core/rows" },
  ["core/sweeps"] = { "core/base", "core/math", "core/rows" },
  ["core/ladder"] = { "core/base", "core/math", "core/lcp", "core/cone", "core/forest", "core/rows", "core/graph",
    "core/sweeps" },
  ["core/model"] = { "core/base", "core/math", "core/forest", "core/collide", "core/rows" },
  ["core/disks"] = { "core/base", "core/math", "core/forest", "core/collide", "core/rows", "core/sweeps", "core/model" },
  ["core/joints"] = { "core/base", "core/math", "core/lcp", "core/cone", "core/forest", "core/collide", "core/rows",
    "core/ladder",
    "core/model" },
  ["core/ways"] = { "core/base", "core/math", "core/collide", "core/model" },
  ["core/step"] = { "core/base", "core/math", "core/forest", "core/collide", "core/rows", "core/model", "core/disks",
    "core/joints", "core/ways" },
  ["core/contacts"] = { "core/base", "core/math", "core/forest", "core/collide", "core/rows", "core/model", "core/disks",
    "core/joints", "core/ways", "core/step" },
  ["core/scheme"] = { "core/base", "core/math", "core/lcp", "core/cone", "core/forest", "core/ode", "core/collide",
    "core/rows", "core/ladder", "core/model", "core/disks", "core/joints", "core/ways", "core/step", "core/contacts" },
  ["core/accelerations"] = { "core/base", "core/math", "core/lcp", "core/cone", "core/forest", "core/ode",
    "core/collide", "core/rows", "core/model", "core/joints", "core/step", "core/contacts" },
  ["core/events"] = { "core/base", "core/math", "core/lcp", "core/cone", "core/ode", "core/model", "core/scheme" },
  ["core/event_world"] = { "core/base", "core/math", "core/lcp", "core/cone", "core/forest", "core/ode",
    "core/collide", "core/rows", "core/model", "core/joints", "core/step", "core/contacts", "core/accelerations",
    "core/events" },
  ["core/elastic"] = { "core/base", "core/math", "core/lcp" },
  ["core/structure"] = { "core/base", "core/math", "core/lcp" },
  ["core/world"] = { "core/base", "core/math", "core/lcp", "core/cone", "core/forest", "core/ode", "core/collide",
    "core/rows", "core/model", "core/joints", "core/scheme", "core/accelerations", "core/events", "core/event_world" },
  host = { "core/base", "core/math", "core/lcp", "core/cone", "core/forest", "core/ode", "core/collide", "core/rows",
    "core/model", "core/joints", "core/accelerations", "core/scheme", "core/events", "core/event_world",
    "core/world" }, -- the C interface
  bind = { "host", "core/base", "core/math", "core/lcp", "core/cone", "core/forest", "core/ode", "core/collide", "core/rows",
    "core/model", "core/joints", "core/scheme", "core/accelerations", "core/elastic", "core/events", "core/event_world",
    "core/structure", "core/world" },
}

local libc = { math = true, stdbool = true, stddef = true, stdint = true, string = true, limits = true,
  float = true, assert = true }

local function lines_of(command)
  local pipe = assert(io.popen(command))
  local list = {}
  for line in pipe:lines() do list[#list + 1] = line end
  pipe:close()
  return list
end

--- What is wrong with `path` including `target` (with angle brackets or quotes), or nil.
local function complaint(path, quote, target)
  local folder = path:match("^src/(core/[^/]+)/") or path:match("^src/(bind)/") or path:match("^src/(host)/")
  if not folder then return nil end
  if quote == "<" then
    local name = target:match("^(.*)%.h$")
    if folder == "bind" or libc[name] then return nil end
    if path == "src/host/status.c" and (name == "stdio" or name == "stdarg") then return nil end -- words of mistakes
    if path == "src/core/base/alloc.c" and name == "stdlib" then return nil end -- malloc behind the hook
    if path:match("^src/core/math/lanes_") and target:match("intrin") then return nil end
    local wide = path:match("avx2%.c$") or path:match("_avx512%.c$") or path:match("_avx512_four%.c$") -- one path each
    wide = wide or path == "src/core/sweeps/lanes3_plain.c" -- vector roots of SSE2
    if wide and target == "immintrin.h" then return nil end
    return path .. " includes <" .. target .. ">"
  end
  local of = target:match("^(core/[^/]+)/") or target:match("^(bind)/") or target:match("^(host)/")
  if of == folder or (target == "delassus.h" and (folder == "host" or folder == "bind")) then return nil end
  for _, allowed in ipairs(base_up[folder] or {}) do
    if of == allowed then return nil end
  end
  return ("%s includes %s: %s is not to the left of %s"):format(path, target, tostring(of), folder)
end

local function sources()
  local list = {}
  for _, path in ipairs(lines_of("find src/core src/host src/bind -type f | LC_ALL=C sort")) do
    list[#list + 1] = path
  end
  return list
end

local function read(path)
  local file = assert(io.open(path))
  local text = file:read("a")
  file:close()
  return text
end

--- Declarations in `text` of what is static and may change.
local function changing(text)
  local list = {}
  text = text:gsub("/%*.-%*/", ""):gsub('"[^"\n]*"', '""'):gsub("\n[ \t]*#[^\n]*", "\n")
  for what, sign in text:gmatch("%f[%w_]static%f[^%w_]%s*([^;={(]*)([;={(])") do
    local object = sign ~= "(" and not what:match "%f[%w_]inline%f[^%w_]"
    if object and not what:match "%f[%w_]const%f[^%w_][^*]*$" then list[#list + 1] = what end
  end
  return list
end

describe("the folders of src", function()
  it("include only layers to their left", function()
    local wrong = {}
    for _, path in ipairs(sources()) do
      for quote, target in read(path):gmatch('#%s*include%s*([<"])([^>"]+)[>"]') do
        wrong[#wrong + 1] = complaint(path, quote, target)
      end
    end
    assert.same({}, wrong)
  end)

  it("would be caught if lcp included world", function()
    assert.matches("not to the left", complaint("src/core/lcp/x.c", '"', "core/world/world.h"))
    assert.matches("lua.h", complaint("src/core/lcp/x.c", "<", "lua.h"))
    assert.matches("lua.h", complaint("src/host/x.c", "<", "lua.h"))
    assert.matches("not to the left", complaint("src/core/world/x.c", '"', "host/host.h"))
    assert.is_not_nil(complaint("src/core/world/x.c", '"', "delassus.h"))
    assert.is_nil(complaint("src/core/rows/x.c", '"', "core/lcp/lcp.h"))
  end)

  it("know of free disks by one door, core/disks/disks.h", function()
    local wrong = {}
    for _, path in ipairs(lines_of("find src/core src/host src/bind -type f | LC_ALL=C sort")) do
      for target in read(path):gmatch('#%s*include%s*"(core/disks/[^"]+)"') do
        if target ~= "core/disks/disks.h" and not path:match("^src/core/disks/") then
          wrong[#wrong + 1] = path .. " includes " .. target
        end
      end
    end
    assert.same({}, wrong)
  end)

  it("never print, end the process or read the surroundings in core", function()
    local wrong = {}
    for _, path in ipairs(sources()) do
      local text = read(path):gsub("/%*.-%*/", ""):gsub('"[^"\n]*"', '""')
      if path:match("^src/core/") then
        for _, word in ipairs { "printf", "exit", "abort", "getenv", "fopen", "malloc", "sin", "cos", "exp", "log",
          "pow", "atan2", "fma" } do
          if path ~= "src/core/base/alloc.c" and text:find("[^%w_]" .. word .. "%s*%(") then
            wrong[#wrong + 1] = path .. " calls " .. word
          end
        end
      end
    end
    assert.same({}, wrong)
  end)

  it("keep no static that may change in core and host, and in bind but what a signal's handler sets", function()
    local handlers = { ["src/bind/platform.c"] = 1, ["src/bind/terminal.c"] = 2 }
    local wrong = {}
    for _, path in ipairs(sources()) do
      local list = path:match "%.[ch]$" and changing(read(path)) or {}
      if #list > (handlers[path] or 0) then wrong[#wrong + 1] = path .. ": " .. table.concat(list, ", ") end
    end
    assert.same({}, wrong)
    assert.same({ "int n ", "const char *names[] ", "struct last " }, changing(
      "static int n = 1;\nstatic const char *names[] = {0}; static const char *const words[] = {0};\n" ..
      "static struct last { int x; } last; static const struct { int x; } all[] = {{1}};\n" ..
      "static int f(void); static inline int g(void) { static const double TWO = 2; return 2; }"))
  end)

  it("know of POSIX and of Windows in one file, src/bind/platform.c", function()
    local standard = {}
    local names = "assert ctype errno float immintrin limits math setjmp signal stdarg stdbool stddef stdint stdio stdlib " ..
      "string time lua lauxlib lualib"
    for name in names:gmatch "%a+" do standard[name .. ".h"] = true end
    local words = { "_POSIX_C_SOURCE", "_WIN32", "clock_gettime", "sigaction", "sigprocmask", "pselect", "isatty",
      "nanosleep", "strdup", "fork", "waitpid", "fcntl", "ftruncate", "_exit" }
    local wrong = {}
    for _, path in ipairs(lines_of("find src -name '*.[ch]' | LC_ALL=C sort")) do
      if path ~= "src/bind/platform.c" and path ~= "src/delassus.h" then
        local text = read(path)
        for name in text:gmatch "#%s*include%s*<([^>]+)>" do
          if not standard[name] then wrong[#wrong + 1] = path .. ": " .. name end
        end
        for _, word in ipairs(words) do
          if text:find("%f[%w_]" .. word .. "%f[^%w_]") then wrong[#wrong + 1] = path .. ": " .. word end
        end
      end
    end
    assert.same({}, wrong)
  end)

  it("know of the instruction sets that a build keeps to in one object, which make golden exchanges", function()
    local wrong = {}
    for _, path in ipairs(lines_of("find src -name '*.[ch]' | LC_ALL=C sort")) do
      if path ~= "src/core/base/isa.c" and read(path):find("DLS_ISA_MOST", 1, true) then wrong[#wrong + 1] = path end
    end
    assert.same({}, wrong)
  end)

  it("have at most 500 lines in the core", function()
    local wrong = {}
    for _, path in ipairs(lines_of("find src/core -name '*.[ch]' | LC_ALL=C sort")) do
      local _, n = read(path):gsub("\n", "")
      if n > 500 then wrong[#wrong + 1] = ("%s: %d"):format(path, n) end
    end
    assert.same({}, wrong)
  end)

  it("are in the rockspec, the only list of sources, file by file", function()
    local listed = {}
    for path in read("rockspec/delassus-scm-1.rockspec"):gmatch('"(src/[^"]+%.c)"') do listed[#listed + 1] = path end
    table.sort(listed)
    assert.same(lines_of("find src -name '*.c' -not -path 'src/viewer/*' | LC_ALL=C sort"), listed)
  end)

  -- One word, one meaning: words of which a better one was found, by the parts of names (comments and strings aside).
  it("use the words of today", function()
    local today = { web = "body_graph", weave = "build", knot = "block_graph", hub = "node", sleeper = "speculative",
      asleep = "speculative", sketch = "pending", traced = "known", notice = "event_mark", notices = "event_marks",
      tie = "user_contact", ties = "user_contacts", tied = "user", shaken = "impacting", mild = "fits_float",
      tame = "below_mu_limit", haste = "beta_max", blown = "restart_growth", loosen = "use_kinetic",
      press = "position contact" }
    local names = { dls_trace = "dls_warm_start", dls_brief = "dls_warm_columns", brief_next = "warm_next",
      dls_pile = "dls_position_stage" }
    local rooms, wrong = { "rows", "graph", "sweeps", "ladder", "model", "disks", "joints", "ways",
      "step", "contacts", "scheme", "accelerations", "world" }, {}
    for _, room in ipairs(rooms) do
      for _, path in ipairs(lines_of("find src/core/" .. room .. " -type f | LC_ALL=C sort")) do
        local told = {}
        for name in read(path):gsub("/%*.-%*/", ""):gsub('"[^"\n]*"', '""'):gmatch("[%a_][%w_]*") do
          local better = names[name]
          for part in name:lower():gmatch("[%a%d]+") do better = better or today[part] end
          if better and not told[name] then wrong[#wrong + 1] = ("%s: %s, today %s"):format(path, name, better) end
          told[name] = true
        end
      end
    end
    assert.same({}, wrong)
  end)

  -- src/README.md, "Notation": h is the length of a step, a number; q are coordinates, and a right side in lcp and what
  -- uses it.
  it("mean one thing by h and by q in headers", function()
    local without_q = { rows = true, graph = true, sweeps = true, ladder = true, cone = true }
    local function strange(room, text)
      local list = {}
      for declared in text:gsub("/%*.-%*/", ""):gmatch "%f[%w_]double%f[^%w_][^;(){}=]*" do
        for star, behind in declared:gmatch "([ *])h%f[^%w_](.?)" do
          if room == "collide" or star == "*" or behind == "[" then list[#list + 1] = "h" end
        end
        if without_q[room] and declared:match "[ *]q%f[^%w_]" then list[#list + 1] = "q" end
      end
      return table.concat(list)
    end
    local wrong = {}
    for _, path in ipairs(lines_of("find src/core -name '*.h' -not -name '*.inc.h' | LC_ALL=C sort")) do
      local letters = strange(path:match "^src/core/([^/]+)", read(path))
      if letters ~= "" then wrong[#wrong + 1] = path .. ": " .. letters end
    end
    assert.same({}, wrong)
    assert.equal("hh", strange("events", "struct a { double *h; }; void f(double h, double h[3]);"))
    assert.equal("hq", strange("collide", "double h, r;") .. strange("rows", "void f(const double *q);"))
    assert.equal("", strange("ode", "int f(const dls_ode *ode, double *q, double h);"))
  end)

  it("start every C file with its own header", function()
    local wrong = {}
    for _, path in ipairs(sources()) do
      local own = path:gsub("^src/", ""):gsub("%.c$", ".h")
      if path:match("%.c$") and io.open("src/" .. own) then
        if read(path):match('#include%s*"([^"]+)"') ~= own then wrong[#wrong + 1] = path end
      end
    end
    assert.same({}, wrong)
  end)

  it("are translation units: no .inl, no dimension of the preprocessor", function()
    local wrong = lines_of("find src/core src/host src/bind -name '*.inl'")
    for _, path in ipairs(sources()) do
      local text = read(path)
      if text:match("#%s*e?l?if%s[^\n]*%f[%w_]D%f[^%w_]") or text:match("DLS_D%f[%W]") then wrong[#wrong + 1] = path .. ": D" end
    end
    assert.same({}, wrong)
  end)

  it("are rooms of at most thirty sources, instruction sets and kinds of pairs not counted", function()
    local n, wrong = {}, {}
    for _, path in ipairs(sources()) do
      local room, name = path:match "^src/core/([%w_]+)/([%w_]+)%.c$"
      if room and room ~= "collide" and not (name:match "_avx%d+" or name:match "_plain$") then n[room] = (n[room] or 0) + 1 end
    end
    for room, sources_of in pairs(n) do
      if sources_of > 30 then wrong[#wrong + 1] = ("%s: %d"):format(room, sources_of) end
    end
    assert.same({}, wrong)
  end)

  it("include nothing of their own behind a declaration, but for bodies of kernels", function()
    local wrong = {}
    for _, path in ipairs(sources()) do
      local text = read(path):gsub("/%*.-%*/", "")
      local declared, goes_on = false, false
      for line in text:gmatch("[^\n]+") do
        if goes_on or line:match("^%s*#") then
          local target = line:match('^%s*#%s*include%s*"([^"]+)')
          if target and declared and path:match("%.[ch]$") and not target:match("%.inc%.h$") then
            wrong[#wrong + 1] = path .. " includes " .. target
          end
          goes_on = line:match("\\$") ~= nil
        elseif line:match("%S") then
          declared, goes_on = true, false
        end
      end
    end
    assert.same({}, wrong)
  end)

  it("call nothing in two rooms by one name: all of them are one file for hosts", function()
    local where, twice = {}, {}
    local function is(name, path)
      if where[name] and where[name] ~= path then twice[#twice + 1] = ("%s: %s and %s"):format(name, where[name], path) end
      where[name] = path
    end
    for _, path in ipairs(sources()) do
      if path:match "%.h$" and not path:match "%.inc%.h$" then
        local text = read(path):gsub("/%*.-%*/", "")
        for name in text:gmatch "}%s*(dls_[%w_]+);" do is(name, path) end -- types of records
        for declared in text:gmatch "\n%a[^\n;={}]-(dls_[%w_]+)%(" do is(declared, path) end
      end
    end
    assert.same({}, twice)
  end)

  it("have the text of every mutant once, and its specs are there", function()
    local wrong = {}
    for _, mutant in ipairs(require "support.mutants_list") do
      local text = io.open(mutant[1]) and read(mutant[1]) or ""
      local _, n = text:gsub(mutant[2]:gsub("%p", "%%%0"), "")
      if n ~= 1 then wrong[#wrong + 1] = mutant[1] .. ": " .. mutant[2] end
      for spec in mutant[4]:gmatch("%S+") do
        if not io.open("spec/" .. spec .. "_spec.lua") then wrong[#wrong + 1] = "no spec " .. spec end
      end
    end
    assert.same({}, wrong)
  end)

  it("say of every field of a structure what it is, beside it or above it", function()
    local wrong = {}
    for _, path in ipairs(lines_of("find src -name '*.[ch]' -not -path 'src/viewer/*' | LC_ALL=C sort")) do
      local inside, told, comment, n = {}, false, false, 0
      for line in read(path):gmatch("([^\n]*)\n") do
        n = n + 1
        local has = comment or line:find("/*", 1, true) or line:find("//", 1, true)
        local code = line:gsub("/%*.-%*/", "")
        if comment then
          local rest = code:match("%*/(.*)")
          comment, code = rest == nil, rest or ""
        end
        if code:find("/*", 1, true) then comment, code = true, code:match("^(.-)/%*") end
        code = code:gsub("//.*", ""):match("^%s*(.-)%s*$")
        if code == "" then
          told = has and true or false
        elseif code:match("^[%w_ ]*%f[%w_]struct%f[^%w_][^;()=]*{$") or code:match("^[%w_ ]*%f[%w_]union%f[^%w_][^;()]*{$") then
          inside[#inside + 1], told = "fields", has and true or false
        elseif code:match("{$") then
          inside[#inside + 1] = "code"
        elseif code:match("^}") then
          inside[#inside], told = nil, false
        elseif inside[#inside] == "fields" and code:match(";$") and not code:match("^#") and not (has or told) then
          wrong[#wrong + 1] = path .. ":" .. n .. ": " .. code
        end
      end
    end
    assert.same({}, wrong)
  end)

  it("name what each function may answer beyond base/status.h's rule: no solution, no state, no stability, no number", function()
    local statuses = require "support.statuses"
    local named, texts = { "SINGULAR", "STATE", "UNSTABLE", "RANGE" }, {}
    for _, path in ipairs(lines_of("find src/core -name '*.[ch]' | LC_ALL=C sort")) do texts[path] = read(path) end
    local wrong, declared = statuses.unnamed(texts, named)
    assert.same({}, wrong)
    assert.is_true(#declared > 400)
    local planted = statuses.unnamed({
      ["a.h"] = "#define DLS_A_H\n/* Head. */\n\n/* DLS_FULL */\ndls_status dls_a(int n);\n/* DLS_RANGE */\n" ..
        "dls_status dls_b(void);\n",
      ["a.c"] = "static dls_status of(int n) {\n  return n ? DLS_STATE : DLS_OK;\n}\n\ndls_status dls_a(int n) {\n" ..
        "  if (n == 1) return DLS_FULL;\n  return of(n);\n}\n\ndls_status dls_b(void) {\n  return DLS_RANGE;\n}\n",
    }, named)
    assert.same({ "a.h: dls_a: STATE" }, planted)
  end)

  it("keep no field that is written and never read", function()
    local used, written, all = {}, {}, {}
    for k, path in ipairs(lines_of("find src -name '*.[ch]' -not -path 'src/viewer/*' | LC_ALL=C sort")) do
      all[k] = read(path):gsub("/%*.-%*/", "")
    end
    all = table.concat(all, "\n")
    for name, at in all:gmatch "[%.>]([%a_][%w_]*)()" do
      local sets = all:match("^%s*=[^=]", at) or all:match("^%s*[%+%-]=", at) or all:match("^%+%+", at)
      if sets then written[name] = true else used[name] = true end
    end
    local wrong = {}
    for fields in all:gmatch "struct%s*[%w_]*%s*(%b{})" do
      for name in fields:gmatch "([%a_][%w_]*)%s*%f[%[,;][^%(%)={}\n]-;" do
        if written[name] and not used[name] then wrong[#wrong + 1] = name end
      end
    end
    assert.same({}, wrong)
  end)

  it("declare nothing that no source uses", function()
    local uses, declared = {}, {}
    for _, path in ipairs(lines_of("find src -name '*.[ch]' | LC_ALL=C sort")) do
      local header = path:match("%.h$") and not path:match("%.inc%.h$")
      local text = read(path):gsub("/%*.-%*/", "")
      for word in text:gmatch("%f[%w_]dls_[%w_]+") do uses[word] = (uses[word] or 0) + 1 end
      if header and path:match("^src/core/") then
        for word in ("\n" .. text):gmatch("\n%a[%w_ %*]-[ %*](dls_[%w_]+)%([^;{}]*%);") do declared[word] = path end
      end
    end
    local wrong = {}
    for word, path in pairs(declared) do -- once declared, once defined
      local compared = word:match("_lanes_at$") or word:match("^dls_lcp_energy_") -- by specs, path by path, form by form
      if uses[word] <= 2 and not compared then wrong[#wrong + 1] = path .. ": " .. word end
    end
    table.sort(wrong)
    assert.same({}, wrong)
  end)

  it("have a spec of their name, or are in spec/tested_by.lua", function()
    local by, wrong, there = require "tested_by", {}, {}
    local function is_file(path)
      local file = io.open(path)
      return file ~= nil and file:close()
    end
    local function has_spec(name) return is_file("spec/" .. name .. "_spec.lua") end
    for _, path in ipairs(lines_of("ls src/core/*/*.c src/bind/*.c src/host/*.c lua/delassus/*.lua")) do
      local key = path:gsub("^src/", ""):gsub("^lua/delassus/", "lua/"):gsub("%.%w+$", "")
      local name = key:match "[^/]+$"
      local kernels = name:match "_avx%d+" or name:match "_plain$" or name:match "^lanes3?_"
      if not kernels then
        there[key] = true
        local own, other = has_spec(key), by[key]
        if not own and not (other and (has_spec(other) or is_file("spec/" .. other))) then
          wrong[#wrong + 1] = key .. " has no spec"
        end
        if own and other then wrong[#wrong + 1] = key .. " has a spec of its own" end
      end
    end
    for key in pairs(by) do if not there[key] then wrong[#wrong + 1] = key .. " is no source" end end
    table.sort(wrong)
    assert.same({}, wrong)
  end)
end)
