local lcp = require "delassus.lcp"
local delassus = require "delassus"

local function written(text, f)
  local name = os.tmpname()
  local file = assert(io.open(name, "wb"))
  file:write(text)
  file:close()
  local problem, message = lcp.read(name)
  os.remove(name)
  return f(problem, message)
end

local function rows(M)
  if type(M) == "table" then return M end
  return M:totable()
end

local function reads(text, expected)
  written(text, function(problem, message)
    assert.is_nil(message)
    assert.same(expected.M, problem.M and rows(problem.M))
    assert.same(expected.W, problem.W and rows(problem.W))
    assert.same(expected.q, problem.q)
    assert.same(expected.friction, problem.friction)
    assert.equal(expected.planar, problem.planar)
  end)
end

local function refuses(text, pattern)
  written(text, function(problem, message)
    assert.is_nil(problem)
    assert.matches(pattern, message)
  end)
end

local lead = "CSparse Version 3.1.9, May 4, 2016.  Copyright (c) Timothy A. Davis, 2006-2016\n"

describe("lcp.read", function()
  it("is exact: a dense complementarity problem, by columns, remarks after it", function()
    reads("2\n0\n2\n2\n2\t2\n1 3\n2 4\n-5 -6\n\nRemark 4.1.14\nof 2009\n",
      { M = { { 1, 2 }, { 3, 4 } }, q = { -5, -6 } })
    reads("1\r\n0\r\n1\r\n1\r\n1 1\r\n2e0\r\n-1\r\n# a remark 5\r\n", { M = { { 2 } }, q = { -1 } })
    reads("0 0 0 0 0 0", { M = {}, q = {} })
  end)

  it("is exact: the same by blocks, which add up where they are", function()
    reads([[
3
1
3
3
3
2
2
1 3
1 3
3
3
0 1 3
0 0 1
0
5
1
6
7
2
1 2
3 4
-1 -2 -3]], { M = { { 5, 0, 0 }, { 6, 1, 3 }, { 7, 2, 4 } }, q = { -1, -2, -3 } })
  end)

  it("is exact: a relay, bounds after q: z = 1 against its bound with w < 0, z = 1/4 between its bounds", function()
    written("2 0 2 2 2 2  2 0 0 2  -4 -0.5  -1 -1  1 1", function(problem)
      assert.same({ { "box", -1, 1 }, { "box", -1, 1 } }, problem.kinds)
      assert.same({ -4, -0.5 }, problem.q)
      local r = require "delassus.lcp".cone(problem)
      assert.near(1, r.impulse[1], 1e-12)
      assert.near(0.25, r.impulse[2], 1e-12)
      assert.near(-2, r.velocity[1], 1e-12)
    end)
  end)

  it("is exact: contacts in the plane and in space", function()
    reads("2 1 0 2 2 2 2  4 1 2 5  -1 -2  0.3\n1\n",
      { W = { { 4, 2 }, { 1, 5 } }, q = { -1, -2 }, friction = { 0.3 }, planar = true })
    reads("3 1\n\n0 3 3\n\n3 3  1 0 0 0 2 0 0 0 3  -1 0 0.5  0.1", { W = { { 1, 0, 0 }, { 0, 2, 0 }, { 0, 0, 3 } },
      q = { -1, 0, 0.5 }, friction = { 0.1 } })
  end)

  it("is exact: sparse matrices as CSparse prints them", function()
    local columns = "2-by-2, nzmax: 3 nnz: 3, 1-norm: 7\n    col 0 : locations 0 to 1\n      0 : 4\n      1 : 1\n" ..
      "    col 1 : locations 2 to 2\n      1 : 5\n"
    reads("2\n1\n2\n2\n2\n2\n" .. lead .. columns .. " -1 -2\n 0.3\n",
      { W = { { 4, 0 }, { 1, 5 } }, q = { -1, -2 }, friction = { 0.3 }, planar = true })
    local triplets = "triplet: 2-by-2, nzmax: 3 nnz: 3\n    0 0 : 4\n    1 1 : 2\n    1 1 : 3\n"
    reads("2\n1\n2\n2\n2\n1\n" .. lead .. triplets .. " -1 -2\n 0.3\n",
      { W = { { 4, 0 }, { 0, 5 } }, q = { -1, -2 }, friction = { 0.3 }, planar = true })
  end)

  it("is exact: contacts of a system with masses are condensed", function()
    -- M = [2 1 0; 1 2 0; 0 0 4], H = [1 0; 0 0; 0 1]: W = H' M^-1 H = diag(2/3, 1/4), q = H' M^-1 f + b
    reads("2 1  0 3 3 3 3  2 1 0 1 2 0 0 0 4   0 3 2 3 2  1 0 0 0 0 1   3 0 8   0.5 -1   0.2",
      { W = { { 2 / 3, 0 }, { 0, 0.25 } }, q = { 2.5, 1 }, friction = { 0.2 }, planar = true })
    reads("3 0 0 2 2 2 2 1 0 0 1  0 2 0 2 0  5 6", { W = {}, q = {}, friction = {} })
  end)

  it("answers nil and why for what it cannot read", function()
    local problem, message = lcp.read("/nowhere/at/all.dat")
    assert.is_nil(problem)
    assert.matches("/nowhere/at/all.dat", message)
    assert.is_nil((lcp.read("/")))
    refuses("", "expected the size or dimension, got the end of the file")
    refuses("\137HDF\r\n\26\n\0\0", "not a text file")
    refuses("2 0 2 2 2 2 1 2 3", "line 1: expected an entry of the matrix, got the end of the file")
    refuses("2\n0\n2\n2\n2 2\n1 2 x 4", "line 6: expected an entry of the matrix, got x")
    refuses("1 0 1 1 1 1 nan 1", "expected an entry of the matrix, got nan")
    refuses("1 0 1 1 1 1 1e999 1", "not a finite number")
    refuses("2 0 2 2 3 3 1 2 3 4 5 6 7 8 9 1 2", "sizes of the dense matrix do not agree")
    refuses("999999999999 0 999999999999 999999999999", "must be a whole number")
    refuses("1000000 0 1000000 1000000 1000000 1000000", "expected an entry")
    refuses("2.5 0 1", "must be a whole number")
    refuses("-1 0 1", "must be a whole number")
    refuses("5 1 0 3 3", "neither a complementarity nor a contact problem")
    refuses("1 0 1 1 1 1 2 -1 7", "numbers after q")
    refuses("1 0 1 1 1 1 2 -1 7 8 9", "numbers after q")
    refuses("1 0 1 1 1 1 2 -1 8 7", "no bounds, 8 > 7 in row 1")
    refuses("\137HDF\r\n\26\n\0\0", "an HDF5 file, not a text file: only Siconos' text formats are read")
    refuses("7 0 7 7 1", ".")
    refuses("2 1 0 2 2 2 2 1 0 0 1 -1 -2", "storage of a matrix must be a whole number")
    refuses("2\n1\n2\n2\n2\n2\nmatrix\n", "expected a matrix printed by CSparse")
    refuses("2\n1\n2\n2\n2\n2\n" .. lead .. "2-by-2, nzmax: 3 nnz: 3, 1-norm: 7\n  col 0 : locations\n 5 : 1\n",
      "outside")
    refuses("2\n1\n2\n2\n2\n2\n" .. lead .. "9-by-2, nzmax: 3 nnz: 3, 1-norm: 7\n", "do not agree")
    refuses("2 1  0 2 2 2 2  -1 0 0 1   0 2 2 2 2  1 0 0 1   0 0   0 0   0.2", "not positive definite")
    refuses("2 1 2 2 3 1 1 2 2 2 2", ".")
  end)

  it("blames the caller for a file that is no path", function()
    assert.has_error(function() lcp.read(5) end)
    assert.has_error(function() lcp.read() end)
  end)

  it("is not thrown off by any cut or change of a file", function()
    local text = "3\n1\n3\n3\n3\n2\n2\n1 3\n1 3\n3\n3\n0 1 3\n0 0 1\n0\n5\n1\n6\n7\n2\n1 2\n3 4\n-1 -2 -3"
    for cut = 0, #text - 1 do
      written(text:sub(1, cut), function(problem, message) assert(problem or type(message) == "string") end)
    end
    for seed = 1, 300 do
      local random = delassus.random(seed)
      local at = random:integer(1, #text)
      local char = ("0123456789 -.e\nx"):sub(random:integer(1, 16))
      local changed = text:sub(1, at - 1) .. char:sub(1, 1) .. text:sub(at + 1)
      written(changed, function(problem, message) assert(problem or type(message) == "string", "seed " .. seed) end)
    end
  end)

  local path = "../shared/data/siconos/FrictionContact/"
  local there = io.open(path .. "Rover9770.dat")
  if there then there:close() else print("lcp_read_spec: ../shared is not here, the files of Siconos are left out") end
  it("reads every text file of Siconos' contacts, where they are here", function()
    if not there then return end
    local n_read, pipe = 0, assert(io.popen("ls " .. path))
    for name in pipe:lines() do
      local problem, message = lcp.read(path .. name)
      if name:match("%.hdf5$") then
        assert.matches("not a text file", message)
      else
        assert(problem, message)
        n_read = n_read + 1
        local dimension = problem.planar and 2 or 3
        assert.equal(#problem.q, dimension * #problem.friction, name)
        local W = problem.W
        assert.equal(#problem.q, type(W) == "table" and #W or W:rows(), name)
      end
    end
    pipe:close()
    assert.equal(49, n_read)
    local global, contacts = lcp.read(path .. "GFC3D_TwoRods1.dat"), lcp.read(path .. "GFC3D_TwoRods1-condensed.dat")
    local condensed, local_form = rows(global.W), rows(contacts.W) -- the same problem in both forms
    for i = 1, 9 do assert.near(contacts.q[i], global.q[i], 1e-10) end -- of at most 1.4
    local largest = 0
    for i = 1, 9 do for j = 1, 9 do largest = math.max(largest, math.abs(local_form[i][j])) end end
    for i = 1, 9 do
      for j = 1, 9 do assert.near(local_form[i][j], condensed[i][j], 1e-5 * largest) end -- seven digits in the file
    end
  end)
end)
