-- What a script can reach by its own mistakes and by the collector's order, beyond wrong options.
local delassus = require "delassus"
local lcp = require "delassus.lcp"

--- Calls f and answers its message, without the place.
local function message(f, ...)
  local ok, text = pcall(f, ...)
  assert.is_false(ok)
  return (text:gsub("^[^:]*:%d+: ", ""))
end

--- One object of each class, made anew.
local function objects()
  return { lcp.solver {}, lcp.cone_solver { friction = 1 }, lcp.parametric { M = { { 1 } }, q = { 1 }, d = { -1 } },
    delassus.vec { 1, 2 }, delassus.vector { 1 }, delassus.matrix { { 1 } }, delassus.sparse { rows = 1, cols = 1 },
    delassus.stack { bodies = { { mass = 1, stiffness = 1e5, position = 1 } } }, delassus.world {},
    delassus.sphere { radius = 1 }, delassus.material {}, delassus.random(1) }
end

describe("misuse", function()
  it("of methods and metamethods with other things than their objects never crashes", function()
    for k in ipairs(objects()) do
      for name, f in pairs(debug.getmetatable(objects()[k])) do
        if type(f) == "function" then
          for _, x in ipairs { {}, 1, "s", io.stdout, delassus.vec { 1, 2 }, delassus.world {} } do
            assert.is_boolean((pcall(f, x, x, x)), name)
            assert.is_boolean((pcall(f)), name)
          end
        end
      end
    end
  end)

  it("of ':' and '.' is told as that", function()
    local world <close> = delassus.world{}
    for _, name in ipairs{ "run", "step", "advance" } do
      assert.equal("world: expected a world, got 1 (a method is called with ':')", message(function() world[name](1) end))
    end
    assert.equal("delassus.world: expected a table of options, got the library (it is called with '.')",
      message(function() delassus:world{} end))
  end)

  it("of options where there are none is told", function()
    local world <close> = delassus.world{ planar = true }
    world:joint{ "revolute", world.ground, world:disk{ radius = 0.1 }, anchor = { 1, 0 } }
    for _, name in ipairs{ "linearize", "equilibrium" } do
      assert.equal("world:" .. name .. ": has no options", message(function() world[name](world, { tolerance = 1 }) end))
    end
  end)

  it("of an element of a list names it", function()
    local world <close> = delassus.world{ planar = true }
    local disk = world:disk{ radius = 0.1 }
    assert.equal("world:joint: 'motions'[1] must be a list of 2 numbers, got 3",
      message(function() world:joint{ "chain", world.ground, disk, motions = { { "slide", { 1, 0, 0 } } } } end))
  end)

  it("of a chain of motions that lead nowhere beyond each other is told when it is made", function()
    local world <close> = delassus.world{}
    local body = world:body{ mass = 1, inertia = { 1, 1, 1 } }
    local x, y, z = { 1, 0, 0 }, { 0, 1, 0 }, { 0, 0, 1 }
    local function chain(...) return message(world.joint, world, { "chain", world.ground, body, motions = { ... } }) end
    assert.equal("world:joint: 'motions'[2] depends on those before it", chain({ "slide", x }, { "slide", x }))
    assert.equal("world:joint: 'motions'[4] depends on those before it",
      chain({ "rotate", x }, { "rotate", y }, { "rotate", z }, { "rotate", x }))
    world:joint{ "chain", world.ground, body, motions = { { "rotate", z }, { "rotate", x }, { "rotate", z } } } -- where it stands
  end)

  it("of a shape after its end, as another finalizer may see it, raises", function()
    local shape = delassus.sphere { radius = 1 }
    debug.getmetatable(shape).__gc(shape)
    assert.equal("shape: it is gone: its state is being closed", message(function() return shape.radius end))
    assert.equal("world:body: 'shape' must be a shape, got delassus.shape",
      message(function() delassus.world {}:body { shape = shape, density = 1 } end))
  end)

  it("of the ground, rotations and things of other worlds is told what is wrong", function()
    local world <close> = delassus.world { record = false }
    local other <close> = delassus.world { record = false }
    local ball, alien = world:sphere { radius = 1 }, other:sphere { radius = 1 }
    local function refuses(told, act)
      local before = world:hash()
      assert.error_matches(act, told, 1, true)
      assert.equal(before, world:hash())
    end
    refuses("body: 'position' of the ground cannot be set", function() world.ground.position = { 1, 0, 0 } end)
    refuses("body: 'rotation' of the ground cannot be set", function() world.ground.rotation = { 1, 0, 0, 0 } end)
    refuses("body: 'rotation' takes axis = and angle =, not 'angel'", function()
      ball.rotation = { axis = { 0, 0, 1 }, angle = 1, angel = 2 }
    end)
    local corners = { { 0, 0, 0 }, { 1, 0, 0 }, { 0, 1, 0 }, { 0, 0, 1 } }
    local faces = { { 1, 3, 2 }, { 1, 2, 4 }, { 1, 4, 3 }, { 2, 3, 4 } }
    for _, kind in ipairs { "static", "kinematic", false } do
      refuses("world:mesh: 'density' needs a solid 'shape' (a mesh has no inside, and so no mass", function()
        world:mesh{ vertices = corners, faces = faces, density = 1, type = kind or nil }
      end)
    end
    refuses("world:mesh: a mesh has no mass: 'type' must be 'static' or 'kinematic'", function()
      world:mesh{ vertices = corners, faces = faces, density = 1, type = "dynamic" }
    end)
    refuses("world:plane: 'density' needs a solid 'shape' (a plane has", function()
      world:plane{ normal = { 0, 0, 1 }, density = 1 }
    end)
    refuses("world:remove: expected a body, joint, gear, spring or contact made by hand, got 5", function()
      world:remove(5)
    end)
    refuses("world:remove: must be a body of this world, got one of another world", function() world:remove(alien) end)
    refuses("world:joint: 'b' must be a body of this world, got one of another world", function()
      world:joint { "ball", ball, alien }
    end)
  end)

  it("of capitals is told the right name", function()
    assert.equal("lcp.solve: unknown option 'Q' (did you mean 'q'?)",
      message(function() lcp.solve { M = { { 1 } }, Q = { 1 } } end))
    assert.equal("lcp.solve: expected a table of options, got nothing", message(function() lcp.solve() end))
  end)

  it("of shapes of the wrong dimension, and of a callback without a kind, is told what is wanted", function()
    local world <close> = delassus.world { planar = true, record = false }
    assert.equal("world:box: 'size' must hold 2 numbers in a planar world",
      message(function() world:box { size = { 1, 1, 1 } } end))
    assert.equal("world:wall: 'normal' must hold 2 numbers in a planar world",
      message(function() world:wall { normal = { 0, 0, 1 } } end))
    local space <close> = delassus.world { record = false }
    assert.equal("world:box: 'size' must hold 3 numbers in a spatial world",
      message(function() space:box { size = { 1, 1 } } end))
    assert.matches("'kind' must be one of 'impact', .*, got nil$", message(function() world:on() end))
  end)

  it("of laws of a body with itself is told; a material may meet itself", function()
    local world <close> = delassus.world { planar = true, record = false }
    local body, wood = world:disk { radius = 1 }, delassus.material {}
    local hash = world:hash()
    assert.matches("world:pair: needs two different bodies", message(function() world:pair { body, body, friction = 1 } end))
    assert.equal(hash, world:hash())
    world:pair { wood, wood, friction = 1 }
  end)

  it("of counts of steps is told, but none at all is no mistake", function()
    local world <close> = delassus.world { planar = true, record = false }
    local hash = world:hash()
    world:step(0)
    assert.equal(hash, world:hash())
    for _, n in ipairs { -1, 1.5, "2", 0 / 0, true } do
      assert.matches("world:step: 'n' must be ", message(function() world:step(n) end))
    end
    assert.matches("world:step: 'n' must be >= 0, got %-1$", message(function() world:step(-1) end))
    assert.equal(hash, world:hash())
  end)

  it("of a spring that is gone is told; before, it tells what it is", function()
    local world = delassus.world { planar = true, record = false }
    local body = world:body { mass = 1, inertia = 1, com = { 0.5, 0 }, position = { 3, 0 } }
    local spring = world:spring { world.ground, body, stiffness = 5, anchor_b = { 1, 0 } }
    assert.equal(world.ground, spring.a)
    assert.equal(body, spring.b)
    assert.equal(delassus.vec { 1, 0 }, spring.anchor_b)
    assert.equal(delassus.vec { 0, 0 }, spring.anchor_a)
    assert.same({ 5, 0, 4 }, { spring.stiffness, spring.damping, spring.length })
    assert.equal("delassus.Spring (bodies 0 and 1, 5.0 N/m, length 4.0 m)", tostring(spring))
    world:remove(spring)
    assert.equal("delassus.Spring (removed)", tostring(spring))
    assert.equal("spring: attempt to use a removed spring", message(function() return spring.length end))
    world:close()
    assert.equal("spring: attempt to use a spring of a closed world", message(function() return spring.length end))
  end)

  it("of sparse entries whose sum leaves the range is refused, naming the row", function()
    assert.equal("sparse: row 2: the sum of repeated entries is not finite",
      message(function() delassus.sparse { rows = 2, cols = 1, { 2, 1, 1e308 }, { 2, 1, 1e308 } } end))
  end)
end)

describe("what is empty or plain", function()
  it("is exact: a sparse problem without rows has the empty answer", function()
    local s = lcp.solve { M = delassus.sparse { rows = 0, cols = 0 }, q = {} }
    assert.is_true(s.converged)
    assert.equal(0, #s.z)
  end)

  it("is exact: plain tables of rows are added to matrices and taken from them", function()
    local A = delassus.matrix { { 1, 2 }, { 3, 4 } }
    assert.equal(delassus.matrix { { 2, 2 }, { 3, 5 } }, A + { { 1, 0 }, { 0, 1 } })
    assert.equal(delassus.matrix { { 0, -2 }, { -3, -3 } }, { { 1, 0 }, { 0, 1 } } - A)
  end)

  it("is exact: a start far off harms no method", function()
    local M, q = { { 4, -1, 0 }, { -1, 4, -1 }, { 0, -1, 4 } }, { -4, 3, -4 }
    for _, method in ipairs { "energy", "block", "lemke", "least-index", "pgs", "newton", "enumerate", "auto" } do
      local s = lcp.solve { M = M, q = q, method = method, start = { -1, 1e300, 1 } }
      assert.equal("solved", s.status, method)
      for i, z in ipairs { 1, 0, 1 } do assert.near(z, s.z[i], 1e-9, method) end -- ten times the tolerance
    end
  end)

  it("is exact: random entries in any order, repeated ones too, make the matrix of their sums, 200 times", function()
    for seed = 1, 200 do
      local random = delassus.random(seed)
      local rows, cols = random:integer(1, 9), random:integer(1, seed % 3 == 0 and 300 or 9)
      local entries, dense = { rows = rows, cols = cols }, {}
      for i = 1, rows do
        dense[i] = {}
        for j = 1, cols do dense[i][j] = 0 end
      end
      for k = 1, random:integer(0, 40) do
        local i, j, x = random:integer(1, rows), random:integer(1, cols), random:normal()
        entries[k], dense[i][j] = { i, j, x }, dense[i][j] + x
      end
      assert.same(dense, delassus.sparse(entries):totable(), "seed " .. seed)
    end
  end)

  it("is told by help, methods of solutions too", function()
    assert.truthy(delassus.help(lcp.solve { M = { { 1 } }, q = { 1 } }):find(":table()", 1, true))
  end)
end)

describe("misuse of filters", function()
  it("is told: names as keys, holes and what is no name", function()
    local world = delassus.world{ planar = true }
    local floor = world:floor{}
    for _, collides in ipairs{ { wood = true }, { a = 1 }, { [2] = "x" }, { "x", nil, "y" }, 3, print } do
      local hash = world:hash()
      assert.error_matches(function() world:disk{ radius = 1, collides = collides } end,
        "world:disk: 'collides' must be true, false, a group's name or a list of them, got")
      assert.error_matches(function() floor.collides = collides end, "body: 'collides' must be")
      assert.equal(hash, world:hash())
    end
    assert.error_matches(function() world:disk{ radius = 1, collides = { "x", 3 } } end,
      "'collides'%[2%] must be the name of a group, got 3")
  end)

  it("leaves no group behind: the world is the one in which it was not tried", function()
    local function made(tries)
      local world = delassus.world{ planar = true }
      for k = 1, tries do
        assert.has_error(function() world:body{ group = "none " .. k } end)
        assert.has_error(function() world:disk{ radius = 1, group = "nor " .. k, collides = 3 } end)
        assert.has_error(function() world:disk{ radius = 1, collides = { "nor this " .. k, 3 } } end)
      end
      world:disk{ radius = 1, group = "logs", collides = { "logs", "wall" } }
      return world:hash()
    end
    assert.equal(made(0), made(40))
  end)
end)

describe("misuse of world:pair, and of times", function()
  it("is told with what is wanted", function()
    local world = delassus.world{ planar = true }
    local floor = world:floor{}
    assert.error_matches(function() world:pair{ floor, 3 } end, "world:pair: 'b' must be a material or a body, got 3")
    assert.error_matches(function() world:run(1e300) end, "world:run: 'seconds' is too many steps of 0.001 s, got 1e%+300")
    assert.error_matches(function() world:advance(1e300) end, "world:advance: 'elapsed' is too many steps")
    assert.error_matches(function() world:record{ keep = -1 } end, "'keep' must be >= 0, got %-1")
    assert.error_matches(function() world:record{ speed = 0 } end, "'speed' must be > 0, got 0")
    assert.equal(10, (world:advance(0.0105)))
  end)
end)
