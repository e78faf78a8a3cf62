-- The reference runs' chains (x from wall 1 to wall 2, contact n + 1 at wall 2) as stacks standing on wall 2.
local M = {}

--- Options of a stack for a case {M, S, Lam, gaps, F, U0, V0, dt, damping}; `changes` replace options.
function M.options(case, changes)
  local n, wall = #case.M, 0
  local bodies = {}
  for i = 1, n do
    wall = wall + case.gaps[i]
    bodies[n + 1 - i] = { mass = case.M[i], stiffness = case.S[i], damping = case.Lam[i],
      position = -(wall + case.U0[i]), velocity = -case.V0[i] }
  end
  local options = { bodies = bodies, floor = -(wall + case.gaps[n + 1]), ceiling = 0, gravity = case.F[1] / case.M[1],
    dt = case.dt, damping = case.damping }
  for name, value in pairs(changes or {}) do options[name] = value end
  return options
end

--- Values listed from the floor up as the case lists them: the other way round, and with the sign of x.
function M.turned(vector, sign)
  local list, n = {}, #vector
  for i = 1, n do list[i] = (sign or 1) * vector[n + 1 - i] end
  return list
end

--- A random stack, and its options: 1 to `most` unequal bodies, some contacts closed, touching or far.
function M.random(random, most)
  local bodies, top = {}, 0
  for i = 1, random:integer(1, most) do
    local radius = random:uniform(0.05, 0.15)
    local gap = ({ -0.1, 0, 0.001, 0.3 })[random:integer(1, 4)] * radius * random:uniform()
    top = top + gap
    bodies[i] = { mass = random:uniform(5, 50), stiffness = 10 ^ random:uniform(4, 8),
      damping = random:uniform(0, 3000), position = top + radius, velocity = random:normal(0, 3), radius = radius }
    top = top + 2 * radius
  end
  return { bodies = bodies, ceiling = random:uniform() < 0.5 and top + random:uniform(0, 0.02) or nil,
    gravity = random:uniform(-10, 10), dt = 10 ^ random:uniform(-5, -2.5),
    damping = ({ "lagged", "always", "none" })[random:integer(1, 3)] }
end

return M
