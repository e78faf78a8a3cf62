-- The contact patch test: two blocks 2 x 1 on a smooth rigid plane under a pressure of 1, E = 1000, nu = 0.3, plane strain.
-- Meshes that match node by node pass the pressure on exactly: sigma_yy = -1, the top sinks by 2 (1 - nu^2) / 1000.
-- Where meshes do not match, nodes of the upper block press on segments of the lower one: the sum of the forces is exact, the
-- stress is not (a node against a segment is no mortar); the error stays beside the interface, and its mean falls with the mesh.
-- Ends with: matching 0.0000, not matching 0.0323 0.0164 0.0078
local structure = require "delassus.structure"

local E, nu = 1000, 0.3

local function press(low, high, rows)
  local st = structure { assumption = "plane strain" }
  local lower = st:grid { corner = { 0, 0 }, size = { 2, 1 }, cells = { low, rows }, E = E, nu = nu }
  local upper = st:grid { corner = { 0, 1 }, size = { 2, 1 }, cells = { high, rows }, E = E, nu = nu }
  for i = 1, low + 1 do st:contact { on = lower[1][i], normal = { 0, 1 } } end
  for i = 1, high + 1 do
    local b = upper[1][i]
    if low == high then
      st:contact { lower[rows + 1][i], b, normal = { 0, 1 } }
    else
      local k = math.min(math.floor(b.position.x / 2 * low + 1e-9) + 1, low)
      st:contact { { lower[rows + 1][k], lower[rows + 1][k + 1] }, b, normal = { 0, 1 } }
    end
    st:load(upper[rows + 1][i], { 0, -2 / high * ((i == 1 or i == high + 1) and 0.5 or 1) }, "growing")
  end
  st:fix(lower[1][1], "x")
  st:fix(upper[1][1], "x")
  local state, mean, force = st:solve {}, 0, 0
  for _, quad in ipairs(st.elements) do mean = mean + math.abs(state:stress(quad)[2] + 1) / st.n_elements end
  for i = low + 2, #state.contacts do force = force + state.contacts[i].normal_force end
  local _, uy = state:displacement(upper[rows + 1][1])
  print(("%2d on %2d cells: force %.12g, top %.8f, mean error of sigma_yy %.4f"):format(high, low, force, uy, mean))
  return mean
end

local same = press(4, 4, 2)
local list = {}
for k, n in ipairs { 4, 8, 16 } do list[k] = ("%.4f"):format(press(n + n // 4, n, n // 2)) end
print(("matching %.4f, not matching %s"):format(same, table.concat(list, " ")))
