-- The multifrontal factor, through structures: residuals of equilibrium, which are computed from K alone.
local near = require "spec.support.near"
local numbers = require "spec.support.random"
local structure = require "delassus.structure"

describe("the multifrontal factor", function()
  it("has a residual of round-off: 200 random trusses on springs, connected or not", function()
    for seed = 1, 200 do
      local random, st = numbers(seed), structure {}
      local n = 2 + seed % 60
      local nodes = {}
      for i = 1, n do
        nodes[i] = st:node { 10 * random(), 10 * random() }
        st:spring(nodes[i], "x", 10 ^ (2 * random()))
        st:spring(nodes[i], "y", 10 ^ (2 * random()))
        st:load(nodes[i], { random(), random() }, "growing")
      end
      for _ = 1, (seed % 4) * n do
        local i, j = math.floor((random() + 1) / 2 * n) + 1, math.floor((random() + 1) / 2 * n) + 1
        if i ~= j then st:bar { nodes[i], nodes[j], E = 10 ^ (2 * random()), A = 1 } end
      end
      local state = st:solve {}
      assert.is_true(state.residual < 1e-14, "seed " .. seed)
      local x, y = 0, 0 -- springs against loads
      for _, node in ipairs(nodes) do
        local fx, fy = state:reaction(node)
        x, y = x + fx, y + fy
      end
      local random_again, fx, fy = numbers(seed), 0, 0
      for _ = 1, n do
        for _ = 1, 4 do random_again() end
        fx, fy = fx + random_again(), fy + random_again()
      end
      near(-fx, x, 1e-10, "sum of the springs along x, seed " .. seed)
      near(-fy, y, 1e-10, "sum of the springs along y, seed " .. seed)
    end
  end)

  it("has a residual of round-off on meshes, and agrees with the exact stretch of a block", function()
    for _, cells in ipairs { { 1, 1 }, { 7, 3 }, { 40, 40 }, { 200, 5 }, { 3, 150 } } do
      local st = structure { assumption = "plane stress" }
      local g = st:grid { corner = { 0, 0 }, size = { 2, 1 }, cells = cells, E = 100, nu = 0.25 }
      for j = 1, cells[2] + 1 do
        st:fix(g[j][1], "x")
        st:load(g[j][cells[1] + 1], { 3 / cells[2] * ((j == 1 or j == cells[2] + 1) and 0.5 or 1), 0 })
      end
      st:fix(g[1][1], "y")
      local state = st:solve {}
      assert.is_true(state.residual < 1e-14)
      local x, y = state:displacement(g[cells[2] + 1][cells[1] + 1])
      near(3 / 100 * 2, x, 1e-11, "x")
      near(-0.25 * 3 / 100, y, 1e-11, "y")
    end
  end)
end)
