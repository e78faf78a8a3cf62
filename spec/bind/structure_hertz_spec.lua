-- CM-01, Hertz's line contact (NAFEMS' benchmark): a cylinder on a rigid plane, and on an elastic block.
local near = require "spec.support.near"
local structure = require "delassus.structure"

--- 0, h, 2 h, ... to 1.5 a, then wider by a quarter from cell to cell, to 40 a.
local function spaced(a, h)
  local x = { 0 }
  while x[#x] < 40 * a do
    x[#x + 1] = x[#x] + h
    if x[#x] > 1.5 * a then h = 1.25 * h end
  end
  return x
end

--- Half of a body, up (1) or down (-1) from the contact.
local function half_body(st, x, up, E)
  local nodes = {}
  for j = 1, #x do
    nodes[j] = {}
    for i = 1, #x do nodes[j][i] = st:node { x[i], up * x[j] } end
    st:fix(nodes[j][1], "x")
  end
  for j = 1, #x - 1 do
    for i = 1, #x - 1 do
      st:quad { nodes[j][i], nodes[j][i + 1], nodes[j + 1][i + 1], nodes[j + 1][i], E = E, nu = 0.3 }
    end
  end
  return nodes
end

--- Largest pressure, half width (between two numbers), force, for elements of a / n.
local function press(case, n)
  local E_star = 1 / (0.91 / case.E + (case.below and 0.91 / case.below or 0))
  local a = math.sqrt(4 * case.load * case.R / (math.pi * E_star))
  local h, st = a / n, structure { assumption = "plane strain" }
  local x = spaced(a, h)
  local upper, lower = half_body(st, x, 1, case.E), case.below and half_body(st, x, -1, case.below)
  for i = 1, #x do
    local gap = x[i] ^ 2 / (2 * case.R)
    if x[i] < 1.5 * a then
      if lower then st:contact { lower[1][i], upper[1][i], normal = { 0, 1 }, gap = gap }
      else st:contact { on = upper[1][i], gap = gap } end
    end
    local width = ((x[i + 1] or x[i]) - (x[i - 1] or x[i])) / 2
    st:load(upper[#x][i], { 0, -case.load / 2 * width / x[#x] }, "growing")
    if lower then st:fix(lower[#x][i], "y") end
  end
  local state, force, touching = st:solve {}, 0, 0
  assert.is_true(state.converged)
  for i, c in ipairs(state.contacts) do
    force = force + 2 * c.normal_force
    if c.normal_force > 0 then touching = i end
  end
  return state.contacts[1].normal_force / (h / 2), (touching - 1) * h, h, force
end

describe("Hertz's line contact, CM-01,", function()
  local cases = {
    ["on a rigid plane"] = { load = 1000, R = 10, E = 200000, a = 0.24069152638165262, p = 2644.961299377548 },
    ["on an elastic block"] = { load = 35000, R = 50, E = 210000, below = 70000, a = 6.2146278668664685,
      p = 3585.362230884501 },
  }
  for name, case in pairs(cases) do
    it(name .. " converges to the exact pressure and half width; the force is exact", function()
      local error = {}
      for k, n in ipairs { 4, 8, 16 } do
        local p, width, h, force = press(case, n)
        error[k] = math.abs(p / case.p - 1)
        near(case.a, width, h, "half width, to an element")
        near(case.load, force, 1e-9 * case.load, "force")
      end
      assert.is_true(error[1] < 0.03 and error[2] < error[1] and error[3] < error[2],
        ("%g %g %g"):format(error[1], error[2], error[3]))
    end)
  end
end)
