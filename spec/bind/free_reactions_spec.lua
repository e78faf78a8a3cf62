-- What joints of mechanisms transmit that hang on nothing: the force on what hangs on a joint is the change of its momentum,
-- also where projections of positions have taken angular momentum and a turn of the whole gives it back (joints/moment.h).
local delassus = require "delassus"
local seeds = require "support.seeds"

describe("reactions of trees that hang on nothing", function()
  it("are the changes of momenta beyond each joint, 200 seeds", function()
    local worst = 0
    for seed = 1, seeds(200) do
      local random = delassus.random(seed)
      local planar, n = seed % 2 == 0, 3 + seed % 3
      local function at(x, y, z) return planar and { x, y } or { x, y, z } end
      local world <close> = delassus.world{ planar = planar, gravity = at(0, 0, 0), record = false,
        dt = seed % 3 == 0 and 1 / 60 or 1e-3, theta = seed % 5 == 0 and 1 or nil }
      local bodies, joints, above = {}, {}, {}
      for i = 1, n do
        bodies[i] = world:body{ mass = random:uniform(0.5, 2), inertia = planar and 0.1 or { 0.1, 0.12, 0.15 },
          position = at(i, random:uniform(-0.2, 0.2), random:uniform(-0.2, 0.2)) }
        if i > 1 then
          above[i] = random:integer(1, i - 1)
          local kind = planar and "revolute" or seed % 4 == 1 and "spherical" or "revolute"
          joints[i] = world:joint{ kind, bodies[above[i]], bodies[i], anchor = at(i - 0.5, 0, 0),
            axis = not planar and kind == "revolute" and { random:uniform(-1, 1), 0.3, 1 } or nil }
          if kind == "revolute" then joints[i].qd = random:uniform(-4, 4) end
        end
      end
      for step = 1, 20 do
        local before, change = {}, {}
        for i = 1, n do before[i] = bodies[i].momentum end
        world:step()
        for i = n, 2, -1 do
          change[i] = (bodies[i].momentum - before[i]) / world.dt + (change[i] or 0 * before[i])
          change[above[i]] = (change[above[i]] or 0 * before[i]) + change[i]
          local off = (joints[i]:reaction() - change[i]):norm() / (change[i]:norm() + 1)
          worst = math.max(worst, off)
          if off > 1e-9 then error(("seed %d, step %d, joint %d: %g"):format(seed, step, i, off)) end
        end
      end
    end
    assert.is_true(worst > 0)
  end)
end)
