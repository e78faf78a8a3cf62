-- Copyright (c) 2026 the delassus authors.
-- SPDX-License-Identifier: MIT
local lcp = require "delassus.lcp"
local delassus = require "delassus"
local nan, inf = 0 / 0, math.huge
local debug, error, pcall = debug, error, pcall -- busted looks globals up by calls, which a hook would see
local eye = { { 1, 0, 0 }, { 0, 1, 0 }, { 0, 0, 1 } }

local function refuses(options, message)
  local ok, text = pcall(lcp.cone, options)
  assert.is_false(ok)
  assert.truthy(tostring(text):find(message, 1, true), ("%q in %q"):format(message, tostring(text)))
end

describe("lcp.cone", function()
  it("names what is missing, unknown or of the wrong size", function()
    refuses({ q = { 1, 2, 3 }, friction = 1 }, "'W' is required")
    refuses({ W = eye, friction = 1 }, "'q' is required")
    refuses({ W = eye, q = { -1, 0, 0 } }, "'friction' is required")
    refuses({ W = eye, q = { -1, 0, 0 }, fricton = 1 }, "did you mean 'friction'")
    refuses({ W = eye, q = { -1, 0 }, friction = 1 }, "'q' must hold 3 numbers")
    refuses({ W = { { 1, 0 } }, q = { -1 }, friction = 1 }, "'W' must be square")
    refuses({ W = { { 1, 0 }, { 0, 1 } }, q = { -1, 0 }, friction = 1 }, "a multiple of 3 numbers")
    refuses({ W = eye, q = { -1, 0, 0 }, friction = { 1, 2 } }, "'friction' must be a number or a list of 1 numbers")
    refuses({ W = eye, q = { -1, 0, 0 }, friction = 1, start = { 0 } }, "'start' must hold 3 numbers")
    refuses({ W = eye, q = { -1, 0, 0 }, friction = 1, compliance = { 0 } }, "'compliance' must be a number or a list")
    refuses({ W = eye, q = { -1, 0, 0 }, friction = 1, shift = { 0, 0 } }, "'shift' must be a number or a list")
    refuses({ W = eye, q = { -1, 0, 0 }, kinds = { "unilateral" } }, "'kinds' make 1 rows, but 'q' holds 3 numbers")
  end)

  it("refuses numbers outside their range", function()
    refuses({ W = eye, q = { nan, 0, 0 }, friction = 1 }, "'q'[1] must be a finite number")
    refuses({ W = { { inf, 0, 0 }, eye[2], eye[3] }, q = { 0, 0, 0 }, friction = 1 }, "must be a finite number")
    refuses({ W = eye, q = { -1, 0, 0 }, friction = -1 }, "'friction' must be >= 0, got -1")
    refuses({ W = eye, q = { -1, 0, 0 }, friction = { -2 } }, "'friction'[1] must be >= 0")
    refuses({ W = eye, q = { -1, 0, 0 }, friction = nan }, "'friction' must be a finite number")
    refuses({ W = eye, q = { -1, 0, 0 }, friction = 1, compliance = -1 }, "'compliance' must be >= 0")
    refuses({ W = eye, q = { -1, 0, 0 }, friction = 1, length = { 1, 0, 1 } }, "'length'[2] must be > 0")
    refuses({ W = eye, q = { -1, 0, 0 }, friction = 1, tolerance = 0 }, "'tolerance' must be > 0")
    refuses({ W = eye, q = { -1, 0, 0 }, friction = 1, max_iterations = 0 }, "'max_iterations'")
    refuses({ W = eye, q = { -1, 0, 0 }, friction = 1, method = "magic" }, "'nsgs'")
    refuses({ W = eye, q = { -1, 0, 0 }, kinds = { "sphere" } }, "'kinds'[1] must be 'cone'")
    refuses({ W = eye, q = { -1, 0, 0 }, kinds = { { "box", 1, -1 }, "cone" } }, "lo <= hi")
    refuses({ W = eye, q = { -1, 0, 0 }, kinds = { kind = "cone" } }, "'kinds' must be a list of kinds, got a table")
    refuses({ W = eye, q = { -1, 0, 0 }, kinds = 3 }, "'kinds' must be a list of kinds")
  end)

  it("says which contact a planar method cannot take", function()
    for _, method in ipairs{ "lemke", "energy", "block" } do
      refuses({ W = eye, q = { -1, 0, 0 }, friction = 1, method = method }, "group 1 is a 'cone' of 3 rows")
    end
  end)

  it("takes friction as a number, one a contact or one a kind, and shift one a contact", function()
    local W = { { 1, 0, 0 }, { 0, 1, 0 }, { 0, 0, 1 } }
    for _, mu in ipairs{ 0.5, { 0.5 }, { 9, 0.5 } } do
      local r = lcp.cone{ W = W, q = { -1, -1, -3 }, planar = true, friction = mu, kinds = { "unilateral", "cone" },
        shift = { 0, -1 } }
      assert.same({ 1, 2, 1 }, { r.impulse[1], r.impulse[2], r.impulse[3] })
    end
  end)

  it("answers a strict table", function()
    local r = lcp.cone{ W = eye, q = { -1, 0, 0 }, friction = 1 }
    assert.equal("solved", r.status)
    assert.is_true(r.converged)
    assert.has_error(function() return r.impuls end)
    assert.is_nil(r.unique)
    assert.truthy(tostring(r):find("3 rows, solved by", 1, true))
  end)

  it("tells that it did not converge, and never that it did", function()
    local r = lcp.cone{ W = { { 1, 0.9 }, { 0.9, 1 } }, q = { -1, -1 }, kinds = { "unilateral", "unilateral" },
      method = "nsgs", max_iterations = 1, tolerance = 1e-15 }
    assert.is_false(r.converged)
    assert.equal("limit", r.status)
    assert.is_true(r.residual > 1e-15)
  end)
end)

describe("lcp.cone_solver", function()
  it("keeps its matrix and starts from its last impulses", function()
    local solver <close> = lcp.cone_solver{ friction = 0.5, planar = true, method = "nsgs" }
    assert.is_nil(solver.impulse)
    assert.has_error(function() solver:solve{ 1, 2 } end)
    local W, q = { { 2, 0.5, 0.4, 0 }, { 0.5, 1, 0, 0.2 }, { 0.4, 0, 2, 0.3 }, { 0, 0.2, 0.3, 1 } }, { -1, 2, -1, 0.1 }
    solver:solve(W, q)
    local cold = solver.iterations
    assert.is_true(solver.converged)
    local once = lcp.cone{ W = W, q = q, friction = 0.5, planar = true, method = "nsgs" }
    for i = 1, 4 do assert.equal(once.impulse[i], solver.impulse[i]) end
    solver:solve(q)
    assert.is_true(solver.iterations < cold)
    assert.equal(2, solver.solves)
    solver:reset()
    assert.equal(0, solver.solves)
    assert.has_error(function() solver:solve(q) end)
    assert.truthy(tostring(solver):find("nothing solved yet", 1, true))
  end)

  it("grows and shrinks with its problems, dense or sparse", function()
    local solver <close> = lcp.cone_solver{ friction = { 0.3 } }
    solver:solve(eye, { -1, -1, 0 })
    assert.near(0.3, solver.impulse[2], 1e-12)
    solver:solve(delassus.sparse{ rows = 3, cols = 3, { 1, 1, 2 }, { 2, 2, 1 }, { 3, 3, 1 } }, { -1, -1, 0 })
    assert.near(0.15, solver.impulse[2], 1e-12)
    local many <close> = lcp.cone_solver{ kinds = { "unilateral" } }
    many:solve({ { 2 } }, { -1 })
    assert.near(0.5, many.impulse[1], 1e-15)
    assert.has_error(function() many:solve({ { 2, 0 }, { 0, 2 } }, { -1, 1 }) end)
  end)

  --- A contact that nothing can hold among many that press: no method ends it soon.
  local function hopeless()
    math.randomseed(2)
    local n, W, q = 260, {}, {}
    for i = 1, n do
      W[i], q[i] = {}, 2 * math.random() - 1
      for j = 1, n do W[i][j] = j < i and W[j][i] or (i > 2 and 2 * math.random() - 1 or 0) + (i == j and i > 2 and 40 or 0) end
    end
    q[1] = -1
    return W, q
  end

  --- Runs f with a hook that raises at the n-th call it sees.
  local function interrupted(n, f)
    local seen = 0
    debug.sethook(function()
      seen = seen + 1
      if seen == n then error("that is enough", 0) end
    end, "c")
    local ok, message = pcall(f)
    debug.sethook()
    return ok, message, seen - 1 -- less the call that takes the hook away
  end

  it("hears Ctrl-C: what a hook raises ends a long solve, and the solver lives on", function()
    local W, q = hopeless()
    local solver <close> = lcp.cone_solver{ friction = 0.4, planar = true }
    local ok, message, seen = interrupted(12, function() solver:solve(W, q) end)
    assert.is_false(ok)
    assert.equal("that is enough", message)
    assert.equal(12, seen) -- asked once and again within the solve, and not once more after it said no
    assert.is_nil(solver.impulse)
    solver:solve({ { 2, 0 }, { 0, 1 } }, { -1, 0 })
    assert.near(0.5, solver.impulse[1], 1e-15)
    ok, message = interrupted(12, function() lcp.cone{ W = W, q = q, friction = 0.4, planar = true } end)
    assert.is_false(ok)
    assert.equal("that is enough", message)
  end)

  it("refuses calls from a hook while it solves, and closes when the solve has ended", function()
    local W, q = hopeless()
    local solver, said = lcp.cone_solver{ friction = 0.4, planar = true, max_iterations = 3000, method = "nsgs" }, nil
    debug.sethook(function()
      if debug.getinfo(2, "S").what ~= "C" or said then return end
      local ok, message = pcall(solver.solve, solver, q)
      if not ok and message:find("it is solving", 1, true) then
        said = message
        solver:close()
      end
    end, "c")
    local ok, message = pcall(solver.solve, solver, W, q)
    debug.sethook()
    assert.is_false(ok)
    assert.truthy(said)
    assert.truthy(tostring(message):find("closed while it was solving", 1, true))
    assert.equal("delassus.ConeSolver (closed)", tostring(solver))
  end)

  it("closes twice, and then refuses", function()
    local solver = lcp.cone_solver{ friction = 0.3 }
    solver:close()
    solver:close()
    assert.has_error(function() solver:solve(eye, { 1, 1, 1 }) end)
    assert.equal("delassus.ConeSolver (closed)", tostring(solver))
  end)

  it("has no fault and no trace, as answers of lcp.solve may have", function()
    local r = lcp.cone{ W = { { 1, 0 }, { 0, 1 } }, q = { -1, 0 }, friction = 1, planar = true }
    assert.is_nil(r.fault)
    assert.is_nil(r.trace)
    assert.error_matches(function() return r.residul end, "unknown property 'residul' %(did you mean 'residual'%?%)")
  end)
end)
