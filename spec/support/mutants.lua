-- Copyright (c) 2026 the delassus authors.
-- SPDX-License-Identifier: MIT

--- One-line mutants of the code (mutants_list.lua): each is put into a copy of the tree, built, and held against the
-- specs nearest to it. A mutant that passes them survives: a spec is missing, or the line is. As a program, in the root:
--     lua spec/support/mutants.lua [PATTERN]     `make mutants`; those whose file or text has the pattern
-- prints a line a mutant; exits 1 where less than 95 % fall.
local list = dofile "spec/support/mutants_list.lua"
local only = arg and arg[1]
local root = "build/mutants"
local LONGEST = 180 -- s a mutant's specs may take: one that makes an endless loop falls, too

local function run(command) return os.execute(("(%s) > %s/said 2>&1"):format(command, root)) end

local function read(path)
  local file = assert(io.open(path, "rb"))
  local text = file:read("a")
  file:close()
  return text
end

local function write(path, text)
  local file = assert(io.open(path, "wb"))
  file:write(text)
  file:close()
end

-- The text with `from`, which stands there once, replaced; nil where it does not.
local function mutated(text, from, to)
  local first, last = text:find(from, 1, true)
  if not first or text:find(from, last + 1, true) then return nil end
  return text:sub(1, first - 1) .. to .. text:sub(last + 1)
end

local function build() return run("make -s -C " .. root .. " dev") end

local function pass(specs)
  local names = specs:gsub("[^ ]+", "spec/%0_spec.lua")
  return run(("cd %s && timeout %d busted --run=dev --no-keep-going %s"):format(root, LONGEST, names))
end

assert(os.execute(("rm -rf %s && mkdir -p %s/build && cp -a src lua spec types rockspec Makefile .busted examples %s/ && " ..
  "cp -a build/dev %s/build/"):format(root, root, root, root)))
assert(build(), "the code as it is does not build: " .. root .. "/said")

-- What fails without a mutant tells nothing.
local known = {}
for _, m in ipairs(list) do
  for name in m[4]:gmatch "[^ ]+" do
    if not known[name] and (not only or m[1]:find(only, 1, true) or m[2]:find(only, 1, true)) then
      known[name] = true
      assert(pass(name), name .. " fails without a mutant: " .. root .. "/said")
    end
  end
end

local n, fallen = 0, 0
for _, m in ipairs(list) do
  local file, from, to, specs = table.unpack(m)
  if not only or file:find(only, 1, true) or from:find(only, 1, true) then
    n = n + 1
    local path = root .. "/" .. file
    local text = read(path)
    local mutant = mutated(text, from, to)
    local how = "survives"
    if mutant then write(path, mutant) end
    if not mutant then how = "is stale"
    elseif not build() then how = "does not build"
    elseif not pass(specs) then how = "falls" end
    fallen = fallen + (how == "falls" and 1 or 0)
    print(("%-9s %s: %s -> %s"):format(how, file, from, to))
    io.stdout:flush()
    write(path, text)
  end
end
print(("%d of %d fall"):format(fallen, n))
os.exit(fallen >= 0.95 * n, true)
