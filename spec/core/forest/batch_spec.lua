local core = require "delassus.core"
local trees = require "support.trees"

local function random_states(seed, n, n_u)
  local r, states = trees.random(seed + 500), {}
  for k = 1, n do states[k] = { u = r.list(n_u, 2), tau = r.list(n_u, 3) } end
  return states
end

-- The batches of n states of the forest that this processor can run, one a path.
local function batches(forest, n)
  local list = {}
  for path = 0, 2 do
    local ok, batch = pcall(forest.batch, forest, n, path)
    if ok then list[#list + 1] = batch end
  end
  return list
end

-- Coordinates of the model's joints, angles of hinges beyond 1e5 now and then.
local function random_coordinates(r, model)
  local q = {}
  local function add(list) table.move(list, 1, #list, #q + 1, q) end
  for _, link in ipairs(model.links) do
    if link.kind == "spherical" then add(r.unit(4))
    elseif link.kind == "free" then add(r.list(3, 1)) add(r.unit(4))
    elseif link.kind == "plane" then add(r.list(3, 1))
    end
    for _, motion in ipairs(link.motions or {}) do
      if not motion.drive then add{ r.number(motion[1] == "rotate" and r.count(20) == 1 and 1e6 or 3) } end
    end
  end
  return q
end

-- Links of one kind in a chain or a tree of any branching, every joint in its own frame.
local function uniform(r, kind, n, branches)
  local links = {}
  for i = 1, n do
    links[i] = { parent = branches and r.count(i) - 1 or i - 1, mass = 0.5 + math.random(), com = r.list(3, 0.3),
      inertia = { 0.3, 0.35, 0.4, 0.02, -0.03, 0.01 }, position = r.list(3, 1), rotation = r.rotation(),
      kind = kind ~= "revolute" and kind or nil, motions = kind == "revolute" and { { "rotate", r.unit(3) } } or nil }
  end
  local model = { links = links, gravity = { 0.3, -1.2, -9.81 } }
  return core.forest(model), model
end

-- Every state by itself and all at once on every path, to the bit.
local function compare(seed, forest, model, n)
  local r, states, want = trees.random(seed + 900), {}, {}
  for k = 1, n do
    states[k] = { q = random_coordinates(r, model), u = r.list(#forest.u, 2), tau = r.list(#forest.u, 3) }
    want[k] = forest:set(states[k]):accelerations()
  end
  for _, batch in ipairs(batches(forest, n)) do
    for k = 1, n do
      batch:set_coordinates(k, states[k].q)
      batch:set_velocities(k, states[k].u)
      batch:set_torques(k, states[k].tau)
    end
    for round = 1, 2 do
      local got = batch:accelerations()
      for k = 1, n do
        for i = 1, #forest.u do
          local off = got[k][i] - want[k][i]
          assert.is_true(off == 0, ("seed %d %s round %d state %d: %g"):format(seed, batch.path, round, k, off))
        end
      end
    end
  end
end

-- q (+) h u, link by link: angles and lengths add up, a quaternion is multiplied by that of the turn h omega.
local function advanced(model, q, h, u)
  local out, iu = { table.unpack(q) }, 0
  local iq = 0
  local function plain(n)
    for i = 1, n do out[iq + i] = q[iq + i] + h * u[iu + i] end
    iq, iu = iq + n, iu + n
  end
  local function turn()
    local x, y, z = h * u[iu + 1], h * u[iu + 2], h * u[iu + 3]
    local angle = math.sqrt(x * x + y * y + z * z)
    local c, s = math.cos(angle / 2), math.sin(angle / 2) / angle
    x, y, z = x * s, y * s, z * s
    local A, B, C, D = table.unpack(q, iq + 1, iq + 4)
    out[iq + 1], out[iq + 2] = A * c - B * x - C * y - D * z, A * x + B * c + C * z - D * y
    out[iq + 3], out[iq + 4] = A * y - B * z + C * c + D * x, A * z + B * y - C * x + D * c
    iq, iu = iq + 4, iu + 3
  end
  for _, link in ipairs(model.links) do
    if link.kind == "spherical" then turn()
    elseif link.kind == "free" then plain(3) turn()
    else plain(link.kind == "plane" and 3 or #(link.motions or {}))
    end
  end
  return out
end

describe("a batch of states", function()
  it("has the bits of single states on every path of instructions (agreement)", function()
    for seed = 1, 200 do
      local forest, _, state = trees.sample(seed, { wrench = false })
      local n, n_u = 1 + seed % 11, #forest.u
      local states, want = random_states(seed, n, n_u), {}
      local all = batches(forest, n)
      assert.is_true(#all >= 1)
      for k = 1, n do
        want[k] = forest:set({ u = states[k].u, tau = states[k].tau }):accelerations()
      end
      for _, batch in ipairs(all) do
        for k = 1, n do
          batch:set_coordinates(k, state.q)
          batch:set_velocities(k, states[k].u)
          batch:set_torques(k, states[k].tau)
        end
        local got = batch:accelerations()
        for k = 1, n do
          for i = 1, n_u do
            local off = got[k][i] - want[k][i]
            assert.is_true(off == 0, ("seed %d %s state %d: %g"):format(seed, batch.path, k, off))
          end
        end
      end
    end
  end)

  it("has them where every state has coordinates of its own, block after block (agreement)", function()
    for seed = 1, 200 do
      local forest, model = trees.sample(seed + 300, { wrench = false })
      compare(seed, forest, model, 1 + seed % 27)
    end
  end)

  it("has them on chains and trees of hinges and of balls (agreement)", function()
    for seed = 1, 200 do
      local r = trees.random(seed + 700)
      local forest, model = uniform(r, seed % 2 == 0 and "revolute" or "spherical", 1 + r.count(14), seed % 4 < 2)
      compare(seed, forest, model, 1 + seed % 19)
    end
  end)

  it("steps every state by the midpoint rule (agreement)", function()
    for seed = 1, 200 do
      local forest, model = trees.sample(seed + 100, { wrench = false, driven = false })
      local r, n, h = trees.random(seed + 600), 1 + seed % 11, 0.01
      local states, want_q, want_u = {}, {}, {}
      for k = 1, n do
        local q, u, tau = random_coordinates(r, model), r.list(#forest.u, 2), r.list(#forest.u, 3)
        local middle = advanced(model, q, h / 2, u)
        local mean, first = {}, forest:set({ q = middle, u = u, tau = tau }):accelerations()
        for i = 1, #first do mean[i] = u[i] + h / 2 * first[i] end
        local udot = forest:set({ q = middle, u = mean, tau = tau }):accelerations()
        states[k], want_u[k] = { q = q, u = u, tau = tau }, {}
        for i = 1, #udot do want_u[k][i] = u[i] + h * udot[i] end
        want_q[k] = advanced(model, middle, h / 2, want_u[k])
      end
      for _, batch in ipairs(batches(forest, n)) do
        batch.dt = h
        for k = 1, n do
          batch:set_coordinates(k, states[k].q)
          batch:set_velocities(k, states[k].u)
          batch:set_torques(k, states[k].tau)
        end
        batch:step()
        for k = 1, n do
          local size = 1 + trees.largest(want_u[k])
          local off_u = trees.distance(batch:velocities(k), want_u[k])
          local off_q = trees.distance(batch:coordinates(k), want_q[k])
          assert.is_true(off_u <= 1e-9 * size and off_q <= 1e-9 * size,
            ("seed %d %s state %d: %g %g of %g"):format(seed, batch.path, k, off_u, off_q, size))
        end
      end
    end
  end)

  it("steps with the order of the midpoint rule, energy kept (conserved)", function()
    local function drift(dt)
      local forest, _, state = trees.sample(7, { wrench = false, driven = false })
      forest:set { tau = forest:solve(forest.u) * 0 }
      local batch = forest:batch(2)
      for k = 1, 2 do
        batch:set_coordinates(k, state.q)
        batch:set_velocities(k, state.u)
      end
      local k0, p0 = forest:energy()
      batch.dt = dt
      batch:step(math.floor(0.1 / dt + 0.5))
      forest:set { q = batch:coordinates(2), u = batch:velocities(2) }
      local k1, p1 = forest:energy()
      return math.abs(k1 + p1 - k0 - p0)
    end
    local coarse, fine = drift(1e-3), drift(5e-4)
    assert.is_true(coarse / fine > 3.6, ("%g %g"):format(coarse, fine))
  end)

  it("refuses states that are not there", function()
    local forest = trees.sample(3)
    local batch = forest:batch(2)
    assert.has_error(function() batch:set_coordinates(3, forest.q) end)
    assert.has_error(function() batch:set_velocities(1, { 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13 }) end)
    assert.has_error(function() forest:batch(0) end)
  end)
end)
