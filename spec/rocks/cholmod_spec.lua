-- The optional rock rocks/cholmod: the same answers as our own factor, and who misses it is told its name.
local near = require "spec.support.near"
local structure = require "delassus.structure"
local structures = require "spec.support.structures"

local function exists(path)
  local file = io.open(path)
  if file then file:close() end
  return file ~= nil
end

describe("factor = 'cholmod'", function()
  local cpath = package.cpath

  it("names the rock where it is not installed", function()
    local st, found = structure {}, package.cpath
    package.cpath, package.loaded["delassus.cholmod"] = cpath, nil
    local installed = pcall(require, "delassus.cholmod")
    finally(function() package.cpath = found end)
    if installed then return print("the rock delassus-cholmod is installed here") end
    assert.error_matches(function() st:solve { factor = "cholmod" } end,
      "structure:solve: factor 'cholmod' needs the rock 'delassus%-cholmod', which is not installed")
    assert.error_matches(function() structure { factor = "mumps" } end, "'factor' must be one of 'own', 'cholmod'")
  end)

  local header = "/usr/include/suitesparse/cholmod.h"
  if not exists(header) then
    print("cholmod_spec: libsuitesparse-dev is not here, the rock is not built")
    return
  end

  local folder = os.tmpname()
  os.remove(folder)
  local built = os.execute(("mkdir -p %s/delassus && cc -O1 -shared -fPIC -Isrc -I/usr/include/lua5.4 "
    .. "-I/usr/include/suitesparse -o %s/delassus/cholmod.so rocks/cholmod/cholmod.c -lcholmod"):format(folder, folder))
  setup(function() package.cpath = folder .. "/?.so;" .. cpath end)
  teardown(function()
    package.cpath = cpath
    package.loaded["delassus.cholmod"] = nil
    os.execute("rm -rf " .. folder)
  end)

  it("agrees with our own factor to 1e-12, problem, path and state", function()
    assert.is_true(built)
    local st, wall = structures.wall(10, 10)
    local R, q, r = st:problem()
    local S, q2, r2 = st:problem { factor = "cholmod" }
    local most = R[1][1]
    for i = 1, #q do
      for j = 1, #q do near(R[i][j], S[i][j], 1e-12 * most, "R") end
      near(q[i], q2[i], 0, "q_c")
      near(r[i], r2[i], 1e-12, "r_v")
    end
    local own = st:follow { to = math.huge, tightening = 1 }
    local other = st:follow { to = math.huge, tightening = 1, factor = "cholmod" }
    assert.equal(own.steps, other.steps)
    local a, b = own:rate(), other:rate()
    near((a:displacement(wall[11])), (b:displacement(wall[11])), 1e-12 * (a:displacement(wall[11])), "top")
    for i, c in ipairs(a.contacts) do near(c.normal_force, b.contacts[i].normal_force, 1e-12 * 1000, "force") end
  end)

  it("says what can move", function()
    local st = structure { factor = "cholmod" }
    local a, b, c = st:node { 0, 0 }, st:node { 1, 0 }, st:node { 2, 0 }
    st:bar { a, b, E = 1, A = 1 }
    st:bar { b, c, E = 1, A = 1 }
    st:fix(a, "x", "y")
    st:fix(c, "y")
    assert.error_matches(function() st:solve {} end, "at node 2 nothing resists 'y'")
  end)
end)
