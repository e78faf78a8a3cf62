-- Copyright (c) 2026 the delassus authors.
-- SPDX-License-Identifier: MIT
-- Functions of a world's that are asked outside of steps (accelerations, linearize, integrate, the making of a joint, ...)
-- and do what they should not: closing, changing or stepping the world is refused, and the world is as it was.
local delassus = require "delassus"

local G = 9.81

--- A world whose every function calls act(where); rough: with contacts.
local function scene(act, rough)
  local world = delassus.world{ record = false }
  local cart = world:body{ name = "cart", type = "kinematic", position = { 0, 0, 2 },
    motion = function(t) return act("motion", world) or { 0.1 * t * t, 0, 2 } end }
  local arm = world:body{ name = "arm", mass = 1, inertia = { 0.1, 0.1, 0.1 }, position = { 0.5, 0, 2 } }
  world:joint{ "revolute", cart, arm, anchor = { 0, 0, 2 }, axis = { 0, 1, 0 } }
  local hand = world:body{ name = "hand", mass = 1, inertia = { 0.1, 0.1, 0.1 }, position = { 1, 0, 2 } }
  world:joint{ "chain", arm, hand, anchor = { 0.8, 0, 2 }, formulation = "rigid", motions = { { "rotate", { 0, 1, 0 },
    motion = function(t)
    if act("drive", world) then return 0, 0, 0 end
    return 0.1 * t, 0.1, 0
  end } } }
  world:field(function() return act("field", world) or { 0.1, 0, 0 } end)
  if rough then
    world:floor{ friction = 0.5 }
    world:box{ size = { 0.2, 0.2, 0.2 }, mass = 1, position = { 0, 3, 0.1 }, velocity = { 1, 0, 0 },
      friction = function() return act("friction", world) or 0.3 end }
    local free = world:body{ name = "free", mass = 1, inertia = { 0.1, 0.1, 0.1 }, position = { 0, -3, 0 } }
    local out, at = {}, select(2, world:index(free))
    for i = 1, #world:velocities() do out[i] = i == at + 2 and 1 or 0 end
    world:contact{ world.ground, free, gap = function() return act("gap", world) or 0 end,
      gradient = function() return act("gradient", world) or out end }
  end
  return world
end

local function zeros(world)
  local list = {}
  for i = 1, #world:velocities() do list[i] = 0 end
  return list
end

local askers = {
  accelerations = function(w) return w:accelerations() end,
  bias = function(w) return w:bias() end,
  inverse_dynamics = function(w) return w:inverse_dynamics(w.data or {}) end,
  mass_matrix = function(w) return w:mass_matrix() end,
  coordinates = function(w) return w:coordinates() end,
  mobility = function(w) return w:mobility() end,
  delassus = function(w) return w:delassus() end,
  linearize = function(w) return w:linearize() end,
  equilibrium = function(w) return w:equilibrium() end,
  integrate = function(w) return w:integrate{ method = "rk4", dt = 0.01, to = 0.05 } end,
  joint = function(w)
    local a = w:find("hand")
    return w:joint{ "revolute", a, w.ground, axis = { 0, 1, 0 }, formulation = "rigid", motion = function()
      return 0, 0, 0
    end }
  end,
}

local acts = {
  close = function(w) w:close() end,
  remove = function(w) w:remove(w:find("arm")) end,
  remove_joint = function(w) w:remove(w.joints[1]) end,
  step = function(w) w:step() end,
  add = function(w) w:sphere{ radius = 1 } end,
  move = function(w) w:find("hand").position = { 0, 0, 9 } end,
  ask = function(w) w:accelerations() end,
  integrate = function(w) w:integrate{ to = 1 } end,
  restore = function(w) w:restore(w:snapshot()) end,
}

local function order(t)
  local names = {}
  for name in pairs(t) do names[#names + 1] = name end
  table.sort(names)
  return ipairs(names)
end

describe("a function of a world's that is asked outside of a step", function()
  for _, asker in order(askers) do
    it("cannot close, change or step the world: " .. asker, function()
      local places = { "motion", "drive", "field" }
      local met = 0
      local smooth = asker == "integrate" or asker == "linearize" or asker == "equilibrium"
      for pass = smooth and 2 or 1, 2 do -- smooth, then with contacts; what was caught is not, and the reverse
        local rough = pass == 2 and not smooth
        if rough then for _, p in ipairs{ "friction", "gap", "gradient" } do places[#places + 1] = p end end
        for _, place in ipairs(places) do
          for turn, name in order(acts) do
            for _, caught in ipairs{ turn % 2 == pass % 2 and not (asker == "equilibrium" and turn > 2) } do
              local asked, said
              local world <close> = scene(function(where, w)
                if where ~= place or not asked or said then return end
                said = "nothing"
                if caught then said = tostring(select(2, pcall(acts[name], w)))
                else
                  said = "raised"
                  acts[name](w)
                end
              end, rough)
              local list = zeros(world)
              if asker == "inverse_dynamics" then askers.inverse_dynamics = function(w) return w:inverse_dynamics(list) end end
              local hash = world:hash()
              asked = true
              local ok, message = pcall(askers[asker], world)
              asked = false
              if said then
                met = met + 1
                local what = ("%s, %s, %s: "):format(asker, place, name)
                if caught then
                  assert.is_true(ok, what .. tostring(message))
                  assert.truthy(said:find("not possible while", 1, true) or said:find("while its world", 1, true), what .. said)
                else
                  assert.is_false(ok, what)
                  assert.truthy(message:find("not possible while", 1, true) or message:find("while its world", 1, true),
                    what .. message)
                  assert.equal(hash, world:hash(), what)
                end
              end
              world:step() -- it goes on
              assert.is_true(world.time > 0)
            end
          end
        end
      end
      assert.is_true(met > 0 or asker == "joint", asker)
    end)
  end

  it("that raises, yields or collects garbage ends cleanly", function()
    for _, asker in order(askers) do
      for _, place in ipairs{ "motion", "drive", "field" } do
        local asked
        local token = {}
        local world <close> = scene(function(where)
          if asked == "raise" and where == place then error(token, 0) end
          if asked == "yield" and where == place then coroutine.yield() end
          if asked == "collect" and where == place then collectgarbage() end
        end)
        local list = zeros(world)
        if asker == "inverse_dynamics" then askers.inverse_dynamics = function(w) return w:inverse_dynamics(list) end end
        local hows = { "raise", "yield", asker ~= "equilibrium" and "collect" or nil } -- it asks thousands of times
        for _, how in ipairs(hows) do
          local hash = world:hash()
          asked = how
          local ok, message = pcall(askers[asker], world)
          asked = nil
          if how == "raise" and not ok then assert.equal(token, message) end
          if not ok then assert.equal(hash, world:hash(), asker) end
          assert.is_true(ok or how ~= "collect", tostring(message))
        end
        world:step()
      end
    end
  end)

  it("in the making of a driven joint cannot take its bodies away, and nothing is left behind", function()
    for _, formulation in ipairs{ "reduced", "rigid", "penalty" } do
      local world <close> = delassus.world{ record = false }
      local a = world:sphere{ radius = 0.1, density = 500 }
      for _, name in order(acts) do
        local hash, said = world:hash(), nil
        local ok = pcall(world.joint, world, { "revolute", world.ground, a, axis = { 0, 1, 0 }, formulation = formulation,
          motion = function() said = said or select(2, pcall(acts[name] == acts.remove and function(w) w:remove(a) end
            or acts[name], world))
            error("no", 0) end })
        assert.is_false(ok)
        assert.equal(hash, world:hash(), name)
        assert.equal(0, #world.joints)
        if name ~= "move" and name ~= "remove_joint" then assert.truthy(tostring(said):find("not possible while", 1, true),
          name .. tostring(said)) end
      end
      world:step()
      assert.near(-G * 1e-3, a.velocity.z, 1e-6)
    end
  end)
end)

describe("options that are asked through a metatable", function()
  local function closing(world, plain)
    return setmetatable(plain, { __index = function() world:close() end })
  end

  it("are read once, and inherited ones count", function()
    local world <close> = delassus.world{ record = false }
    local ball = world:sphere(setmetatable({ position = { 0, 0, 3 } }, { __index = { radius = 0.5, density = 1000,
      name = "heir" } }))
    assert.equal("heir", ball.name)
    assert.near(3, ball.position.z, 0)
  end)

  it("may not close what they are for", function()
    local function refused(make)
      local world = delassus.world{ record = false }
      local body = world:sphere{ radius = 0.1, density = 500 }
      local ok, message = pcall(make, world, body)
      assert.is_false(ok)
      assert.truthy(message:find("closed", 1, true), message)
      world:close()
    end
    refused(function(w) w:sphere(closing(w, { radius = 1 })) end)
    refused(function(w) w:body(closing(w, { mass = 1 })) end)
    refused(function(w, b) w:joint(closing(w, { "ball", w.ground, b })) end)
    refused(function(w, b) w:contact(closing(w, { w.ground, b, rope = 1 })) end)
    refused(function(w, b) w:spring(closing(w, { w.ground, b, stiffness = 1 })) end)
    refused(function(w) w:integrate(closing(w, { to = 1 })) end)
    refused(function(w) w:accelerations(closing(w, {})) end)
    refused(function(w, b) b:apply(closing(w, { force = { 1, 0, 0 } })) end)
    refused(function(w, b) b:impulse(closing(w, { impulse = { 1, 0, 0 } })) end)
    refused(function(w, b) w:pair(closing(w, { b, w.ground })) end)
    refused(function(w) w:floor(closing(w, {})) end)
    refused(function(w, b)
      local joint = w:joint{ "revolute", w.ground, b, axis = { 0, 0, 1 } }
      joint.motor = closing(w, { speed = 1 })
    end)
  end)
end)
