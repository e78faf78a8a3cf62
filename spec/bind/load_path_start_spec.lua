-- Where a path in a load parameter begins: at a solution under the constant part alone, wherever there is one.
local lcp = require "delassus.lcp"
local near = require "spec.support.near"
local numbers = require "spec.support.random"
local structure = require "delassus.structure"

describe("a path in a load parameter", function()
  it("begins wherever enumeration finds a solution at p = 0, its states residual 1e-9 (400 seeds)", function()
    local begun, none = 0, 0
    for seed = 1, 400 do
      local random = numbers(seed)
      local n = 1 + math.floor((random() + 1) / 2 * 6)
      local M, q, d = {}, {}, {}
      for i = 1, n do
        M[i], q[i], d[i] = {}, random(), random()
        for j = 1, n do M[i][j] = random() end
      end
      local path = lcp.parametric { M = M, q = q, d = d, to = 1 }
      if #lcp.solve { M = M, q = q, method = "enumerate" }.solutions > 0 then
        assert.not_equal("unsolved", path.status, ("seed %d"):format(seed))
        local z = path:at(0)
        for i = 1, n do
          local w = q[i]
          for j = 1, n do w = w + M[i][j] * z[j] end
          near(0, math.min(w, z[i]), 1e-9, ("seed %d, row %d"):format(seed, i))
        end
        begun = begun + 1
      else
        assert.equal("unsolved", path.status, ("seed %d"):format(seed))
        none = none + 1
      end
    end
    assert.is_true(begun > 150 and none > 50, ("%d, %d"):format(begun, none))
  end)
end)

describe("tightening of a contact with friction of 1 and more", function()
  it("lets it open and slip, exact: its rows have t (1 + f), since with t an open one would have x+ + x- < 0", function()
    for _, f in ipairs { 0.5, 1, 1.5, 3 } do
      for _, t in ipairs { 0, 0.25 } do
        local st = structure {}
        local node = st:node { 0, 0 }
        st:spring(node, "x", 2)
        st:spring(node, "y", 4)
        st:contact { on = node, normal = { 0, 1 }, friction = f }
        st:load(node, { 0, -1 })
        st:load(node, { 0.25, 2 }, "growing")
        local path = st:follow { to = 2, tightening = t }
        assert.equal("ray", path.status, ("f %g, t %g: %s"):format(f, t, path.explanation))
        local opens
        for _, event in ipairs(path.events) do if event.change == "separates" then opens = event.p end end
        near((1 + t) / 2, opens, 1e-12, "opens")
        local state = path:at(2)
        assert.equal("apart", state.contacts[1].state)
        near((4 - 1 - t) / 4, state.contacts[1].opening, 1e-12, "opening")
        local rest = f < 1 and t or t * (1 + f) -- at most of x+ + x- = 2 (rest - f t)
        assert.is_true(math.abs(state.contacts[1].tangential_force) <= rest - f * t + 1e-12)
      end
    end
  end)
end)
