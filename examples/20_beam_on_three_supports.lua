-- Popov and Lovtsov's example 1: a beam of two spans on three supports that cannot pull, EI = EA = 1, spans of 2, friction 0.6,
-- a growing force in the middle of the second span, tightened by 1. Every tableau is printed as the paper prints it (with -R, and
-- -0.6 1.2 -0.6 in two rows of its table 2, which are misprinted there): the row that leaves is marked by a star.
-- The first support lifts off at p = 32/3; from there on the scheme does not change, and each unit of load gives 1/2.
-- Ends with: lifts off at p = 10.667; per unit p: opening 0.5, forces 0.5 and 0.5
local structure = require "delassus.structure"

local st = structure {}
local n = {}
for i, x in ipairs { 0, 2, 3, 4 } do n[i] = st:node { x, 0 } end
for i = 1, 3 do st:frame { n[i], n[i + 1], E = 1, A = 1, I = 1 } end
for _, i in ipairs { 1, 2, 4 } do st:contact { on = n[i], normal = { 0, 1 }, friction = 0.6 } end
st:load(n[3], { 0, -1 }, "growing")

local path = st:follow { to = math.huge, tightening = 1 }
print(path:table())
print(path:report())

local rate = path:rate() -- what the tightening has no part in
print(rate:table())
print(("lifts off at p = %.5g; per unit p: opening %g, forces %g and %g"):format(path.events[1].p,
  rate.contacts[1].opening, rate.contacts[2].normal_force, rate.contacts[3].normal_force))
