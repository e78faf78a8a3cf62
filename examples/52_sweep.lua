-- A sweep: how far a box slides, for a grid of speeds and frictions; two processes make the runs.
-- Exactly s = v^2 / (2 mu g). The file makes it resume: called again, the sweep reads its rows and runs nothing.
-- On a cluster the same script, under mpirun, srun or in a Slurm array, makes its share of the runs.
-- Leaves sweep.svg: the way over the friction.
-- Ends with: 12 runs, off by less than 1e-3 of the way: true; again: 0 runs, the same rows: true
local delassus = require "delassus"
local sweep = require "delassus.sweep"

local made = os.tmpname() -- a line each time that run is called, by whichever process
local function run(p)
  local note <close> = assert(io.open(made, "a"))
  note:write("run\n")
  local world = delassus.world{ record = false, dt = 5e-4 }
  world:floor{ friction = p.friction }
  local box = world:box{ size = {0.2, 0.2, 0.1}, friction = p.friction, position = {0, 0, 0.05}, velocity = {p.speed, 0, 0} }
  world:run(1.6)
  return { way = box.position.x }
end

local function count() -- of the runs since the last time
  local n = 0
  for _ in io.lines(made) do n = n + 1 end
  assert(io.open(made, "w")):close()
  return n
end

local options = { grid = { speed = {1, 2, 3}, friction = {0.2, 0.3, 0.4, 0.6} }, run = run, workers = 2, file = os.tmpname() }
local rows = sweep(options)
local first = count()

local frictions, ways, worst = options.grid.friction, {}, 0
for i, v in ipairs(options.grid.speed) do ways[i] = { ("%d m/s"):format(v), {} } end
for _, row in ipairs(rows) do -- friction varies slowest
  table.insert(ways[row.speed][2], row.way)
  local exact = row.speed ^ 2 / (2 * row.friction * 9.81)
  worst = math.max(worst, math.abs(row.way - exact) / exact)
  print(("friction %.1f, %d m/s: %.4f m, exact %.4f"):format(row.friction, row.speed, row.way, exact))
end
assert(delassus.plot{ x = frictions, y = ways, x_label = "friction", y_label = "way (m)", title = "How far a box slides",
  file = "sweep.svg" })

local same, again = true, sweep(options)
for i, row in ipairs(again) do
  for name, value in pairs(row) do same = same and value == rows[i][name] end
end
print(("%d runs, off by less than 1e-3 of the way: %s; again: %d runs, the same rows: %s"):format(first, worst < 1e-3,
  count(), same))
os.remove(options.file)
os.remove(made)
