-- Cost of one forward-dynamics evaluation with all kinematics, nanoseconds a body, against N, ours and others':
--   lua5.4 bench/tree.lua [largest N, default 1000] [peers, default yes] [system, e.g. ball30; default all]
-- Columns: system, bodies, method, ns a body (the best of several batches), accuracy. Accuracy is the residual of
-- M udot + bias = tau by inverse dynamics relative to the largest |udot| for ours, and the difference of accelerations
-- from ours for the peers (MuJoCo, KDL, DART, Simbody from Debian; RBDL and Pinocchio where the environment's RBDL and
-- PINOCCHIO name checkouts of their sources; "published": both eliminations of EQUATIONS C as printed), with WRONG beside
-- it above 1e-6. "factor + side" is M^-1 f with the factor, "each of 16 sides" what one of many
-- right sides of a stored factor costs, "stormer step" a step of order six with one evaluation.
package.path = "bench/?.lua;" .. package.path
local models = require "tree_models"

local largest, with_peers, only = tonumber(arg and arg[1]) or 1000, not (arg and arg[2] == "no"), arg and arg[3]

local function time_sides(forest, model)
  local sides = {}
  for k = 1, 16 do
    sides[k] = {}
    for i = 1, #model.u do sides[k][i] = math.sin(i + k) end
  end
  local one = models.time(function(n) for _ = 1, n do forest:solve(sides[1]) end end)
  return one, models.time(function(n) forest:solve(sides, n) end) / 16
end

local peers, missing = {}, {}
if with_peers then peers, missing = models.peers() end
for _, line in ipairs(missing) do print(line) end
print("system,bodies,method,ns_per_body,accuracy")
local cases = { { "humanoid", 25 }, { "tree", 511 } }
for _, kind in ipairs { "ball", "rev" } do
  for _, n in ipairs { 1, 2, 7, 30, 100, 1000, 10000 } do
    if n <= largest then cases[#cases + 1] = { kind, n } end
  end
end
for _, case in ipairs(cases) do
  if only and only ~= case[1] .. case[2] then goto next end
  local forest, model = models.sample(case[1], case[2])
  local bodies = #model.links
  local function say(method, ns, accuracy)
    print(("%s,%d,%s,%.1f,%s"):format(case[1], bodies, method, ns, accuracy and ("%.1e"):format(accuracy) or ""))
  end
  for _, method in ipairs { "fast", "ldl", "sweep" } do
    local ns = models.time(function(n) forest:evaluate(method, n) end) / bodies
    say(method, ns, models.residual(forest, method, model.tau))
  end
  if bodies <= 100 then
    local ns, path = models.time_batch(forest, model)
    say(("batch of 64 (%s)"):format(path), ns / 64 / bodies, models.residual(forest, "fast", model.tau))
  end
  local first, each = time_sides(forest, model)
  say("factor + side", first / bodies)
  say("each of 16 sides", each / bodies)
  say("stormer step", models.time_stormer(forest, model) / bodies)
  if #peers > 0 then
    local path = models.write(forest, model)
    io.stdout:flush()
    for _, program in ipairs(peers) do
      if program:find("published") then os.execute(("%s %s stormer"):format(program, path)) end
      if not os.execute(("%s %s 2>/dev/null"):format(program, path)) then
        print(("# %s failed on %s %d"):format(program, case[1], bodies))
      end
    end
    os.remove(path)
  end
  ::next::
end
