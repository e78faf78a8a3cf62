local lcp = require "delassus.lcp"
local problems = require "support.lcp_random"

local exact = { "lemke", "newton", "least-index", "energy", "block", "auto" }

--- Solves by one method; whatever it is, a converged answer must be one, by a judge that knows no solver.
local function solve(M, q, method, tolerance, what)
  local s = lcp.solve { M = M, q = q, method = method, tolerance = tolerance }
  local found = problems.residual(M, q, s.z)
  assert(s.converged == (s.status == "solved"), what)
  -- the same sum in another order: a few units in the last place of M z beside q
  if s.converged then assert.near(found, s.residual, 1e-12, what) end
  if s.converged then assert(s.residual <= tolerance, what) end
  return s
end

--- Is z one of the solutions? The tolerance allows for the condition of M.
local function known(solutions, z, tol)
  for _, other in ipairs(solutions) do
    if problems.apart(other, z) <= tol then return true end
  end
  return false
end

--- Which methods must succeed on a class, not only be right where they do.
local required = {
  ["symmetric positive definite"] = { "lemke", "newton", "least-index", "energy", "block", "auto", "pgs" },
  ["P, not symmetric"] = { "lemke", "newton", "least-index", "auto" },
  ["copositive-plus with a solution"] = { "lemke", "auto" },
  ["degenerate, small whole numbers"] = { "lemke", "newton", "least-index", "energy", "block", "auto", "pgs" },
  ["rank deficient"] = { "lemke", "energy", "auto" },
}

describe("lcp.solve", function()
  for _, class in ipairs(problems.classes) do
    it("agrees: every method with enumeration, " .. class.name, function()
      for seed = 1, 250 do
        local random = problems.random(seed)
        local n = random:integer(1, 8)
        local M, q = class.make(random, n)
        local what = ("%s, seed %d, n = %d"):format(class.name, seed, n)
        local all = solve(M, q, "enumerate", 1e-10, what .. ", enumerate")
        assert(all.converged and #all.solutions >= 1, what)
        if class.unique then assert(#all.solutions == 1, what) end
        local must = {}
        for _, method in ipairs(required[class.name]) do must[method] = true end
        for _, method in ipairs(exact) do
          local name = what .. ", " .. method
          local s = solve(M, q, method, 1e-10, name)
          if must[method] then assert(s.converged, name) end
          if s.converged and #all.solutions == 1 then assert(known(all.solutions, s.z, 1e-6), name) end
        end
        local s = solve(M, q, "pgs", 1e-6, what .. ", pgs")
        if must.pgs then assert(s.converged, what .. ", pgs") end
        if must.pgs then assert(known(all.solutions, s.z, 1e-3), what .. ", pgs") end
      end
    end)
  end

  it("agrees: every method with enumeration on 1,000 planar friction problems", function()
    local n_unique, n_lemke = 0, 0
    for seed = 1, 1000 do
      local random = problems.random(seed)
      local M, q = problems.friction(random, random:integer(1, 2))
      local what = "friction, seed " .. seed
      local all = solve(M, q, "enumerate", 1e-10, what .. ", enumerate")
      for _, method in ipairs { "lemke", "newton", "least-index", "energy", "auto" } do
        local name = what .. ", " .. method
        local s = solve(M, q, method, 1e-10, name)
        if method == "lemke" and s.converged then n_lemke = n_lemke + 1 end
        if method == "auto" then assert(s.converged == all.converged, name) end
        if s.converged then assert(#all.solutions > 0, name) end
        if s.converged and #all.solutions == 1 then
          -- an open contact leaves the same amount to both slips: the forces are what is unique
          local one, two = all.solutions[1], s.z
          local forces, others = {}, {}
          for i = 1, #q // 3 * 2 do forces[i], others[i] = one[i], two[i] end
          forces[#forces + 1], others[#others + 1] = 1, 1
          assert(problems.apart(forces, others) <= 1e-6, name)
        end
      end
      if #all.solutions == 1 then n_unique = n_unique + 1 end
    end
    assert(n_unique >= 700, n_unique) -- else nothing much was compared
    assert(n_lemke >= 900, n_lemke)
  end)
end)
