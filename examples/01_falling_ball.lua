-- The README's first program, word for word: a ball falls a metre onto a floor and bounces.
-- Newton's law of impact with e = 0.8 each time: at t = 2 s the ball comes down on its third arc.
-- `run` answers with a report: how far, how many impacts, how good.
-- `show` writes the replay of the last seconds and opens it, or says where it is.
-- Height after two seconds by the closed form: 0.2669 m; the step of 1 ms is of first order in impacts.
local delassus = require "delassus"

local world = delassus.world{}
world:floor{ friction = 0.5, restitution = 0.8 }
local ball = world:sphere{ radius = 0.1, density = 850, position = {0, 0, 1}, restitution = 0.8 }
print(world:run(2))
print(ball.position.z)
world:show()
