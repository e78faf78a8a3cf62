-- Copyright (c) 2026 the delassus authors.
-- SPDX-License-Identifier: MIT

--- Contact problems with friction: ours against Siconos numerics on identical files, in turn, every answer judged by
-- the residual of lcp.cone. Prints CSV: problem, contacts, solver, tolerance asked, milliseconds, iterations, residual.
--
--     lua5.4 bench/cone.lua [--peer=PROGRAM] [--tolerance=1e-6] [--file=FILE ...] [--drum=650] [--courses=60]
--         [--seed=1] [--most=100000]
--
-- PROGRAM is bench/peers/siconos_cone.c compiled; without it only ours runs. Milliseconds are processor time of the
-- solve alone, for ours of the second of two solves by a fresh lcp.cone_solver each; "warm" is the second of two solves
-- by one, gravity a degree to the side. --drum=0, --courses=0 leave those problems out, --most caps the peer's
-- iterations; files of drums settled by a simulation are written by bench/cone_world.lua.
package.path = (arg[0]:match("^(.*)/[^/]*$") or ".") .. "/?.lua;" .. package.path
local delassus = require "delassus"
local lcp = require "delassus.lcp"
local bricks = require "cone_bricks"
local pile = require "cone_pile"

local options = { tolerance = 1e-6, drum = 650, courses = 60, seed = 1, most = 100000, files = {} }
for _, word in ipairs(arg) do
  local name, value = word:match("^%-%-(%w+)=(.*)$")
  if name == "file" then table.insert(options.files, value)
  elseif name == "peer" then options.peer = value
  elseif name then options[name] = tonumber(value) end
end

local function report(name, contacts, solver, tolerance, seconds, iterations, residual)
  print(("%s,%d,%s,%g,%.4g,%s,%.3g"):format(name, contacts, solver, tolerance, 1e3 * seconds, iterations, residual))
end

--- The residual of given impulses: a solve that may not move them.
local function residual_of(problem, impulse)
  local o = { W = problem.W, q = problem.q, friction = problem.friction, planar = problem.planar, start = impulse,
    tolerance = 1e300, method = "nsgs", max_iterations = 1 }
  return lcp.cone(o).residual
end

local function ours(problem, method, tolerance)
  local seconds, solver
  for _ = 1, 2 do
    solver = lcp.cone_solver{ friction = problem.friction, planar = problem.planar, method = method,
      tolerance = tolerance }
    local start = os.clock()
    solver:solve(problem.W, problem.q)
    seconds = os.clock() - start
  end
  report(problem.name, problem.contacts, "delassus " .. method, tolerance, seconds,
    solver.iterations, solver.residual)
end

local function warm(problem, tolerance)
  local solver = lcp.cone_solver{ friction = problem.friction, planar = problem.planar, tolerance = tolerance }
  solver:solve(problem.W, problem.q)
  local start = os.clock()
  solver:solve(problem.next)
  report(problem.name, problem.contacts, "delassus auto, warm", tolerance, os.clock() - start, solver.iterations,
    solver.residual)
end

--- The peer with its own tolerance lowered until our residual of its answer is below the one asked, or it fails.
local function peer(problem, solver, tolerance)
  local ask = tolerance * 10
  for _ = 1, 8 do
    local pipe = io.popen(("timeout 60 %s %s %s %g %d 2>/dev/null"):format(options.peer, problem.file, solver,
      ask, options.most))
    local seconds, iterations = pipe:read("n", "n", "n")
    local impulse = {}
    for line in pipe:lines("n") do impulse[#impulse + 1] = line end
    pipe:close()
    if not seconds or #impulse ~= #problem.q then
      print(("%s,%d,siconos %s,%g,failed,,"):format(problem.name, problem.contacts, solver, ask))
      return
    end
    local residual = residual_of(problem, impulse)
    report(problem.name, problem.contacts, "siconos " .. solver, ask, seconds, iterations, residual)
    if residual <= tolerance or iterations >= options.most then return end
    ask = ask * math.max(0.01, math.min(0.5, tolerance / residual))
  end
end

local problems, made = {}, {}
local function add(p, tilted)
  p.next = tilted.q
  p.W, p.file = delassus.sparse(p.entries), os.tmpname() .. ".dat"
  made[#made + 1] = p.file
  pile.write(p, p.file)
  problems[#problems + 1] = p
end
if options.drum > 0 then
  for _, spatial in ipairs{ false, true } do
    local o = { disks = options.drum, spatial = spatial, seed = options.seed }
    local p = pile.problem(o)
    o.tilt = math.rad(1)
    add(p, pile.problem(o))
  end
end
if options.courses > 0 then
  local o = { courses = options.courses, width = 3, seed = options.seed }
  local p = bricks.problem(o)
  o.tilt = math.rad(1)
  add(p, bricks.problem(o))
end
for _, file in ipairs(options.files) do
  local read = lcp.read(file)
  local n = #read.q // (read.planar and 2 or 3)
  problems[#problems + 1] = { W = read.W, q = read.q, friction = read.friction, planar = read.planar, contacts = n,
    file = file, name = file:match("[^/]+$") }
end

io.stdout:setvbuf("line")
print("problem,contacts,solver,tolerance,ms,iterations,residual")
for _, problem in ipairs(problems) do
  ours(problem, "auto", options.tolerance)
  if problem.next then warm(problem, options.tolerance) end
  if options.peer then
    for _, solver in ipairs(problem.planar and { "nsgs" } or { "nsgs", "admm" }) do
      peer(problem, solver, options.tolerance)
    end
  end
end
for _, file in ipairs(made) do os.remove(file) end
