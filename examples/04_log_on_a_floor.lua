-- One log falls a metre onto a floor: the peak force against the analytic one, at three time steps.
-- A mass M between springs S hits with v = sqrt(2 g h); the exact peak is M g + sqrt((M g)^2 + S M v^2).
-- The scheme is of first order: the error halves with the step, and is told beside the number.
-- The log is spruce, 20 cm thick and 1 m long: 26.70 kg, 1e7 N/m.
-- Ends with: exact 72645.0 N, dt = 1e-05 s: 72296.4 N, 0.48 % below
local stack = require "delassus.stack"

local log, g, h = stack.log { diameter = 0.2 }, 9.81, 1
local weight = log.mass * g
local exact = weight + math.sqrt(weight ^ 2 + log.stiffness * log.mass * 2 * g * h)

for _, dt in ipairs { 4e-5, 2e-5, 1e-5 } do
  local s = stack { dt = dt, damping = "none", gravity = g,
    bodies = { { mass = log.mass, stiffness = log.stiffness, radius = log.radius, position = h + log.radius } } }
  s:run(0.5)
  local peak = s.peak_forces[1]
  print(("exact %.1f N, dt = %.0e s: %.1f N, %.2f %% below"):format(exact, dt, peak, 100 * (1 - peak / exact)))
end
