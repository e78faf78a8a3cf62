-- Lemke's path in the load on small contact problems: every state against all solutions by enumeration (EQUATIONS D.2, D.3).
local json = require "spec.support.json"
local lcp = require "delassus.lcp"

--- The state of a path at a load is among the solutions of LCP(R, q + p r) by enumeration, judged by x and z themselves.
local function compare(case, label)
  local path = lcp.parametric{ M = case.R, q = case.qc, d = case.rv, contacts = case.m, to = math.huge }
  assert.is_not_equal("unsolved", path.status, label)
  for _, row in ipairs(case.at_p) do
    local q = {}
    for i = 1, #case.qc do q[i] = case.qc[i] + row.p * case.rv[i] end
    local all = lcp.solve{ M = case.R, q = q, method = "enumerate" }.solutions
    assert.equal(#row.all_solutions_z, #all, label)
    if #all == 0 then
      assert.is_nil(path:at(row.p), label)
    else
      local z = path:at(row.p)
      local size, near = 0, math.huge
      for _, solution in ipairs(row.all_solutions_z) do
        local off = 0
        for i = 1, #q do off, size = math.max(off, math.abs(z[i] - solution[i])), math.max(size, math.abs(solution[i])) end
        near = math.min(near, off)
      end
      assert.is_true(near <= 1e-6 * math.max(size, 1), label .. ": off by " .. near) -- the margin is 1e-7 of q
    end
  end
end

describe("the load path of small frictional contact problems", function()
  it("goes through the solution by enumeration, one contact that slips from the start of the load", function()
    -- K = [2 -0.3; -0.3 1], f = 0.2, pulled along +t: with all links closed x_t = 0.9 p reaches f x_n at p = 0.2 / 0.88
    local K11, K12, K22, f = 2, -0.3, 1, 0.2
    compare({ m = 1,
      R = { { K11, K12, -K12 }, { K12 + f * K11, K22 + f * K12, -K22 - f * K12 },
        { -K12 + f * K11, -K22 + f * K12, K22 - f * K12 } },
      qc = { 1, f, f }, rv = { 0.1, 0.9 + f * 0.1, -0.9 + f * 0.1 },
      at_p = { { p = 0.1, all_solutions_z = { { 0, 0, 0 } } } } }, "by hand")
  end)

  it("goes through every solution of the reference problems", function()
    local cases = json.file("../shared/cases/papers/d_small_enumeration.json")
    if not cases then
      pending("no ../shared here")
      return
    end
    for k, case in ipairs(cases) do compare(case, "problem " .. k) end
  end)
end)
