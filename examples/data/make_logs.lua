-- Draws the logs of logs.csv: lua5.4 examples/data/make_logs.lua > examples/data/logs.csv
-- The distribution is ours, chosen to look like spruce pulpwood; no mill measured these logs.
local delassus = require "delassus"
local random = delassus.random(2013)

local function between(lo, hi, mean, deviation)
  while true do
    local x = random:normal(mean, deviation)
    if x >= lo and x <= hi then return x end
  end
end

print [[
# 60 logs drawn by examples/data/make_logs.lua (delassus.random(2013)), not measured:
# diameter normal, mean 20 cm, deviation 4 cm, cut to 10 .. 32 cm; length normal, mean 2.40 m, deviation 0.03 m,
# cut to 2.30 .. 2.50 m; density normal, mean 850 kg/m3 (fresh spruce), deviation 45 kg/m3, cut to 700 .. 1000.
diameter (cm),length (m),density (kg/m3)]]
for _ = 1, 60 do
  print(("%.1f,%.2f,%.0f"):format(between(10, 32, 20, 4), between(2.3, 2.5, 2.4, 0.03), between(700, 1000, 850, 45)))
end
