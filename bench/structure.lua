-- Structures of many unknowns: two elastic blocks, one on the other, pressed together and then pushed along, with
-- contact pairs between their meshes. Assembly, factorisation, condensation and pivots apart, and the residual.
--
--    lua5.4 bench/structure.lua [unknowns pairs]       -- without: 20,000 with 200 pairs, 200,000 with 500
--
-- Columns: unknowns, pairs, entries of the factor, seconds of assembly, factorisation, condensation, pivots, all of it
-- (building the description and the state at p = 1 included), events, residual, MB held by Lua, peak MB of the process.
local structure = require "delassus.structure"
local core = require "delassus.core"

--- Two blocks of `pairs` columns of elements each, as high as makes `unknowns` of them.
local function blocks(unknowns, pairs)
  local nx = pairs - 1
  local ny = math.max(1, math.floor(unknowns / (4 * pairs) + 0.5) - 1)
  local st = structure { assumption = "plane strain" }
  local width, height = 1, ny / nx
  local lower = st:grid { corner = { 0, 0 }, size = { width, height }, cells = { nx, ny }, E = 3e10, nu = 0.2 }
  local upper = st:grid { corner = { 0, height }, size = { width, height }, cells = { nx, ny }, E = 2e10, nu = 0.25 }
  for i = 1, nx + 1 do
    st:fix(lower[1][i], "x", "y")
    st:contact { lower[ny + 1][i], upper[1][i], normal = { 0, 1 }, friction = 0.3 }
    local share = (i == 1 or i == nx + 1) and 0.5 or 1
    st:load(upper[ny + 1][i], { 0, -1e6 * share / nx })
    st:load(upper[ny + 1][i], { 1.8e5 * share / nx, 1.2e6 * share / nx * (2 * (i - 1) / nx - 1) }, "growing")
  end
  return st, upper[ny + 1][nx + 1]
end

local function peak()
  local file = io.open "/proc/self/status"
  if not file then return 0 end
  local text = file:read "a"
  file:close()
  return (tonumber(text:match "VmHWM:%s*(%d+)") or 0) / 1024
end

local sizes = { { 20000, 200 }, { 200000, 500 } }
if arg[1] then sizes = { { tonumber(arg[1]), tonumber(arg[2]) } } end
print "unknowns,pairs,entries,assembly,factorisation,condensation,pivots,all,events,residual,lua_MB,peak_MB"
for _, size in ipairs(sizes) do
  local start = core.now()
  local st, corner = blocks(size[1], size[2])
  local path = st:follow { to = 1 }
  local state = path:at(1)
  local all, cost = core.now() - start, st.cost
  print(("%d,%d,%.0f,%.3f,%.3f,%.3f,%.3f,%.3f,%d,%.1e,%.0f,%.0f"):format(cost.unknowns, size[2], cost.entries,
    cost.assembly, cost.factorisation, cost.condensation, path.seconds, all, path.steps, state.residual,
    collectgarbage "count" / 1024, peak()))
  io.stderr:write(("  %s; corner moves %.6e m\n"):format(path.explanation, (state:displacement(corner))))
end
