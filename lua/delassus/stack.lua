--- Kolesnikov's chain of deformable bodies: logs on a vertical line between a floor and perhaps a
-- ceiling, with unilateral contacts solved exactly in every step.
--
--    local stack = require "delassus.stack"
--    local s = stack{ bodies = {{ mass = 26.7, stiffness = 1e7, position = 1 }} }
--    print(s:run(0.5), s.peak_forces[1])
--
-- @module delassus.stack
require "delassus"
local check = require "delassus.check"
local class = require "delassus.class"
local core = require "delassus.core"

local model = require "delassus.stack_model"
local progress = require "delassus.progress"
local record = require "delassus.stack_record"

local report = {}
report.__index = report
report.__name = "delassus.StackReport"

function report:__tostring()
  return ("t = %.6g s: %d steps, %d collisions, %d pivots, peak force %.6g N, worst residual %.1e"):format(
    self.time, self.steps, self.collisions, self.pivots, self.peak_force, self.residual)
end

local function whole(function_name, n)
  if n == nil then return 1 end
  local count = math.type(n) == "integer" and n or (type(n) == "number" and math.tointeger(n))
  if not count or count < 0 then
    core.raise(function_name, ("expected a whole number of steps >= 0, got %s"):format(tostring(n)))
  end
  return count
end

--- Makes `n` steps, back in Lua every few hundredths of a second. Where one fails, the stack is put
-- back to where it was before the first. `tell(done)` hears how far it is.
local function advance(self, some, n, function_name, tell)
  local before, total = n > 1 and self:snapshot(), n
  while n > 0 do
    local done, failure = some(self, n)
    n = n - done
    if failure then
      if before then self:restore(before) end
      core.raise(function_name, failure)
    end
    if tell then tell(total - n) end
  end
end

--- Whole steps that cover `time` seconds.
local function steps_in(function_name, time, dt)
  if type(time) ~= "number" or time ~= time or time < 0 or time / dt > 2 ^ 52 then
    core.raise(function_name, ("expected a time >= 0 in s, got %s"):format(tostring(time)))
  end
  local n = time / dt
  local nearest = math.floor(n + 0.5)
  return math.tointeger(math.abs(n - nearest) <= 1e-9 * n and nearest or math.ceil(n))
end

--- Gives the class of that name its `step` and `run`; `some(self, n)` makes up to n steps and answers how many.
local function add_steps(name, noun, some)
  local methods = {}
  local step_name, run_name = noun .. ":step", noun .. ":run"

  --- `n` steps of `dt`; one where `n` is absent.
  -- @tparam[opt=1] integer n
  -- @raise where a number leaves its range; everything is then as before the call
  -- @usage s:step(100)
  function methods.step(self, n)
    advance(self, some, whole(step_name, n), step_name)
  end

  --- Steps until `time` seconds have gone by (rounded up to whole steps).
  -- @tparam number time s, >= 0
  -- @treturn table time, steps, collisions, pivots, peak_force, residual (the worst so far); prints well
  -- @usage print(s:run(0.05))
  function methods.run(self, time)
    local n = steps_in(run_name, time, self.dt)
    local steps, collisions, pivots = self.steps, self.collisions, self.pivots
    advance(self, some, n, run_name, progress.start(noun, n))
    local peak = 0
    for _, force in ipairs(self.peak_forces:totable()) do peak = math.max(peak, force) end
    return setmetatable({
      time = self.time,
      steps = self.steps - steps,
      collisions = self.collisions - collisions,
      pivots = self.pivots - pivots,
      peak_force = peak,
      residual = self.worst_residual,
    }, report)
  end

  class.extend(name, methods, {
    step = "(n) n steps; one where n is absent",
    run = "(seconds) whole steps for so long -> report",
  })
end

add_steps("delassus.Stack", "stack", core.stack_advance)
add_steps("delassus.StackModel", "model", core.stack_model_advance)

class.extend("delassus.Stack", { record = record.record },
  { record = "{ time =, every = } runs and keeps samples -> recording" })

local M = { model = model }

local LOG = { diameter = "!positive", length = "positive", density = "positive" }

local function body_of(name, log)
  core.check(name, log, LOG)
  local d = log.diameter
  return {
    mass = (log.density or 850) * (core.math.pi * d * d / 4) * (log.length or 1),
    stiffness = 1e7 * (d / 0.2),
    radius = d / 2,
  }
end

--- Spruce pulpwood (EQUATIONS A.2): mass of a log, and the stiffness with which crossed logs of
-- diameter `d` press into one another, S = 1e7 N/m * d / 0.2 m.
-- @tparam table log diameter (m), length (m, default 1), density (kg/m3, default 850)
-- @treturn table mass (kg), stiffness (N/m), radius (m): the start of a body
-- @usage local body = stack.log{ diameter = 0.2 }
function M.log(log)
  return body_of("stack.log", log)
end

--- Options of a stack of measured logs: stacked with gaps, lifted, ready to fall.
-- @tparam table options `logs` (list of {diameter, length, density}), `gap` between them (m, default 0.01), `height`
-- of the lowest over the floor (m, default 0.5), `damping` of each in N s/m per kg (default 112: 3000 on 26.7 kg)
-- @treturn table a list of bodies from the floor up, for stack{ bodies = ... }
-- @usage local s = stack{ bodies = stack.pile{ logs = logs } }
function M.pile(options)
  core.check("stack.pile", options, { logs = "!table", gap = "nonnegative", height = "nonnegative",
    damping = "nonnegative" })
  local bodies, top = {}, options.height or 0.5
  for i, log in ipairs(check.entries("stack.pile", "logs", options.logs)) do
    local body = body_of(("stack.pile: logs[%d]"):format(i), log)
    body.damping = (options.damping or 112) * body.mass
    body.position = top + body.radius
    top = top + 2 * body.radius + (options.gap or 0.01)
    bodies[i] = body
  end
  return bodies
end

return setmetatable(M, {
  __call = function(_, options)
    local s = core.stack(options)
    record.look(s, options.bodies)
    return s
  end,
})
