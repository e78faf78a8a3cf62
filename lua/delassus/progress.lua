--- Progress of long runs. Runs report; somebody may listen. Nobody listens by default.
-- @module delassus.progress
local core = require "delassus.core"

local M = {}

local listener = nil
local every = 0.1 -- s between two reports, so that a listener costs nothing

--- Sets who listens: `function(label, done, total)`, called at most ten times a second and once at the
-- end of a run (done == total); nil for nobody. Returns the one before.
-- @tparam[opt] function fn
function M.listen(fn)
  local before = listener
  listener = fn
  return before
end

--- Starts reporting a run.
-- @tparam string label what runs: "stack"
-- @tparam number total how far it goes, in any unit (seconds of simulated time)
-- @treturn function `report(done)`: tells how far it is; cheap when nobody listens
function M.start(label, total)
  local last = -math.huge
  return function(done)
    if not listener then return end
    local now = core.now()
    if done >= total or now - last >= every then
      last = now
      listener(label, done, total)
    end
  end
end

--- A listener that draws a bar on a stream.
-- @tparam file stream io.stderr
-- @treturn function
function M.bar(stream)
  local started, label_now = core.now(), nil
  return function(label, done, total)
    if label ~= label_now then started, label_now = core.now(), label end
    local share = total > 0 and math.min(done / total, 1) or 1
    local filled = math.floor(share * 30)
    local spent = core.now() - started
    local left = share > 0 and spent * (1 - share) / share or 0
    stream:write(("\r%s [%s%s] %3.0f %%  %5.1f s left "):format(
      label, ("#"):rep(filled), ("."):rep(30 - filled), 100 * share, left))
    if share >= 1 then
      stream:write(("\r%s [%s] done in %.1f s     \n"):format(label, ("#"):rep(30), spent))
      label_now = nil
    end
    stream:flush()
  end
end

return M
