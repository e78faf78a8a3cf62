local delassus = require "delassus"
local lcp = require "delassus.lcp"

local M, q = { { 2, 1 }, { 1, 2 } }, { -5, -4 }

local function refused(options, message)
  for key, value in pairs { M = M, q = q } do
    if options[key] == nil then options[key] = value end
    if options[key] == "absent" then options[key] = nil end
  end
  assert.error_matches(function() lcp.solve(options) end, message)
end

describe("lcp.solve's options", function()
  it("name the function, the option and what was expected", function()
    refused({ M = "absent" }, "lcp.solve: 'M' is required")
    refused({ q = "absent" }, "lcp.solve: 'q' is required")
    refused({ M = { { 1, 2, 3 }, { 4, 5, 6 } } }, "lcp.solve: 'M' must be square, got 2 x 3")
    refused({ M = { { 1, 2 }, { 3 } } }, "lcp.solve: 'M'")
    refused({ M = "text" }, "lcp.solve: 'M'")
    refused({ M = { { 0 / 0, 1 }, { 1, 2 } } }, "lcp.solve: 'M'.*finite")
    refused({ M = { { math.huge, 1 }, { 1, 2 } } }, "lcp.solve: 'M'.*finite")
    refused({ q = { 1, 2, 3 } }, "lcp.solve: 'q' must hold 2 numbers")
    refused({ q = { 1, "x" } }, "lcp.solve: 'q'")
    refused({ q = { 1, -math.huge } }, "lcp.solve: 'q'.*finite")
    refused({ method = "simplex" }, "lcp.solve: 'method' must be one of 'auto', 'energy', 'block'")
    refused({ method = 3 }, "lcp.solve: 'method'")
    refused({ tolerance = -1 }, "lcp.solve: 'tolerance' must be > 0, got %-1")
    refused({ tolerance = 0 / 0 }, "lcp.solve: 'tolerance'")
    refused({ tolerance = "small" }, "lcp.solve: 'tolerance'")
    refused({ max_pivots = 0 }, "lcp.solve: 'max_pivots'")
    refused({ max_pivots = 1.5 }, "lcp.solve: 'max_pivots'")
    refused({ max_iterations = 2 ^ 60 }, "lcp.solve: 'max_iterations'")
    refused({ relaxation = 2 }, "lcp.solve: 'relaxation' must be in %(0, 2%)")
    refused({ start = { 1 } }, "lcp.solve: 'start' must hold 2 numbers, got 1")
    refused({ start = { 1, 0 / 0 } }, "lcp.solve: 'start'")
    refused({ trace = "yes" }, "lcp.solve: 'trace'")
    refused({ check = 1 }, "lcp.solve: 'check'")
    refused({ tolerence = 1 }, "unknown option 'tolerence' %(did you mean 'tolerance'%?%)")
    assert.error_matches(function() lcp.solve() end, "lcp.solve: expected a table")
  end)

  it("blame the caller's line", function()
    local _, message = pcall(function() lcp.solve { M = M, q = { 1 } } end)
    assert.matches("^spec/bind/lcp_spec.lua:%d+: lcp.solve: ", message)
  end)

  it("stop the pivots where told, without calling it an answer", function()
    local s = lcp.solve { M = { { 4, -1, 0 }, { -1, 4, -1 }, { 0, -1, 4 } }, q = { -1, -1, -1 }, method = "energy",
      max_pivots = 1 }
    assert.is_false(s.converged)
    assert.equal("limit", s.status)
    assert.equal(1, s.pivots)
  end)

  it("take vectors, matrices and plain tables alike", function()
    local s = lcp.solve { M = delassus.matrix(M), q = delassus.vector(q), start = delassus.vector { 0, 0 } }
    assert.near(2, s.z[1], 1e-14)
    assert.near(1, s.z[2], 1e-14)
  end)
end)

describe("lcp.solve's answer", function()
  it("is strict about names, and says what it is", function()
    local s = lcp.solve { M = M, q = q }
    assert.is_nil(s.trace)
    assert.is_nil(s.fault)
    assert.error_matches(function() return s.pivot end, "unknown property 'pivot' %(did you mean 'pivots'%?%)")
    assert.error_matches(function() s:table() end, "the states were not kept: solve with trace = true")
    assert.matches("^delassus.LcpSolution %(n = 2, solved by energy, residual", tostring(s))
  end)

  it("never claims an answer above the tolerance, whatever the matrix", function()
    local x = 12345
    local function random()
      x = (x * 48271) % 2147483647
      return x / 2147483647 - 0.5
    end
    for seed = 1, 400 do
      local n = 1 + seed % 6
      local A, b = {}, {}
      for i = 1, n do
        A[i], b[i] = {}, random()
        for j = 1, n do A[i][j] = random() end
      end
      if seed % 2 == 0 then -- symmetric, mostly indefinite
        for i = 1, n do
          for j = 1, i do A[i][j] = A[j][i] end
        end
      end
      for _, method in ipairs { "energy", "block", "auto" } do
        local s = lcp.solve { M = A, q = b, method = method }
        local worst, scale = 0, 0
        for i = 1, n do
          local w = b[i]
          for j = 1, n do w = w + A[i][j] * s.z[j] end
          worst = math.max(worst, math.abs(math.min(s.z[i], w)))
          scale = math.max(scale, math.abs(b[i]))
        end
        local good = worst < 1e-8 * scale
        assert.equal(s.status == "solved", s.converged)
        if s.converged then assert.is_true(good, ("seed %d, %s"):format(seed, method)) end
      end
    end
  end)
end)
