-- Small problems against enumeration: a contact under a physical pressing (x_n = 1), loads in any direction. For each load
-- all states of equilibrium are found by looking at every basis (lcp.solve, method "enumerate") and compared with the path's.
-- Friction small beside 1: always one state, and the path finds it. Friction 2 with coupled stiffness: up to three.
-- The complementarity problem itself is st:problem(): w = R z + q_c + p r_v, rows x_n, x+, x-.
-- Ends with: friction 0.4: 120 loads, 120 states, 0 missed; friction 2: 120 loads, 133 states, 0 missed
local lcp = require "delassus.lcp"
local structure = require "delassus.structure"

--- One node on two springs at right angles, {{1, c}, {c, 1}}, pressed by 1, loaded at an angle.
local function point(c, friction, angle)
  local st, s = structure {}, math.sqrt(2)
  local a, b, o = st:node { -1, -1 }, st:node { 1, -1 }, st:node { 0, 0 }
  st:bar { o, a, E = (1 + c) * s, A = 1 }
  st:bar { o, b, E = (1 - c) * s, A = 1 }
  st:fix(a, "x", "y")
  st:fix(b, "x", "y")
  st:contact { on = o, normal = { 0, 1 }, friction = friction }
  st:load(o, { 0, -1 })
  st:load(o, { math.cos(angle), math.sin(angle) }, "growing")
  return st
end

local function compare(friction)
  local loads, states, missed = 0, 0, 0
  for k = 0, 23 do
    local st = point(0.9, friction, 2 * math.pi * k / 24)
    local R, q, r = st:problem()
    local path = st:follow { to = math.huge }
    for _, p in ipairs { 0.25, 0.95, 1.3, 2, 5 } do
      local rhs, found = {}, {}
      for i = 1, 3 do rhs[i] = q[i] + p * r[i] end
      local all = lcp.solve { M = R, q = rhs, method = "enumerate" }.solutions
      for _, solution in ipairs(all) do found[#found + 1] = solution.z end
      loads, states = loads + 1, states + #found
      for _, state in ipairs(path:all(p)) do -- each of them is among those found
        local near = math.huge
        for _, z in ipairs(found) do
          near = math.min(near, math.abs(z[1] - state.contacts[1].opening) + math.abs(z[2] - z[3] - state.contacts[1].slip))
        end
        if near > 1e-6 then missed = missed + 1 end
      end
    end
  end
  return ("friction %g: %d loads, %d states, %d missed"):format(friction, loads, states, missed)
end

print(compare(0.4) .. "; " .. compare(2))
