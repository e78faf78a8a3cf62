-- Ten pins of a chain on their guide, coupled by their links, each with friction: one complementarity problem.
-- Every pin may be apart, stick, or slip either way (and more on the edges): some 5^10 states, one answer.
-- Lemke's method finds it; Coulomb's law is checked here from mass matrix, forces and accelerations alone.
-- Leaves chain_pins.svg: tangential over normal force, pin by pin.
-- Ends with: 10 pins: 3 stick, 4 slip, 3 apart; the laws hold to 1e-12: true
local delassus = require "delassus"

local n, mu = 10, 0.4
local q, u, M, h, contacts = {}, {}, {}, {}, {}
for i = 1, 2 * n do -- along the guide, then away from it, pin by pin
  q[i], u[i], M[i] = 0, 0, {}
  for j = 1, 2 * n do M[i][j] = i == j and 0.05 or (math.abs(i - j) == 2 and 0.018 or 0) end
end
for i = 1, n do
  h[2 * i - 1] = 6 * math.sin(1.7 * i) -- what the links pull
  h[2 * i] = -8 + 16 * math.max(0, math.sin(0.9 * i + 1.2)) -- what presses them down, or lifts
  local normal, tangent = {}, {}
  for j = 1, 2 * n do normal[j], tangent[j] = j == 2 * i and 1 or 0, j == 2 * i - 1 and 1 or 0 end
  contacts[i] = { gap = function(x) return x[2 * i] end, normal = normal, tangent = tangent, friction = mu }
end
local s = delassus.system { q = q, u = u, mass = M, forces = h, contacts = contacts }

local udot, worst, count = s:accelerations(), 0, { stick = 0, slip = 0, apart = 0 }
local pins, share = {}, {}
for i = 1, n do
  local N, T, state = s.contacts[i].normal_force, s.contacts[i].tangential_force, s.contacts[i].state
  local a_n, a_t = udot[2 * i], udot[2 * i - 1]
  for k, force in ipairs { T, N } do -- M udot = h + forces
    local row = 2 * i - 2 + k
    local off = -h[row] - force
    for j = 1, 2 * n do off = off + M[row][j] * udot[j] end
    worst = math.max(worst, math.abs(off))
  end
  worst = math.max(worst, -N, -a_n, math.min(math.abs(N), math.abs(a_n)), math.abs(T) - mu * N)
  if math.abs(a_t) > 1e-9 then worst = math.max(worst, math.abs(T + mu * N * (a_t > 0 and 1 or -1))) end
  count[state] = count[state] + 1
  pins[i], share[i] = i, N > 0 and T / (mu * N) or 0
  print(("pin %2d  %-5s  N = %8.4f  T = %8.4f"):format(i, state, N, T))
end
assert(delassus.plot { x = pins, y = share, title = "Pins of a chain", x_label = "pin", y_label = "T / (mu N)",
  style = "bars", y_range = { -1.2, 1.2 }, file = "chain_pins.svg" })
print(("%d pins: %d stick, %d slip, %d apart; the laws hold to 1e-12: %s"):format(n, count.stick, count.slip, count.apart,
  tostring(worst < 1e-12)))
