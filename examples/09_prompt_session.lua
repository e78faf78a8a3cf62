-- A session at the prompt: lines as they are typed, and what the prompt answers. A mistake names what was meant and leaves
-- all as it was; `help` knows calls, options and topics, misspelt ones too. The lines go through the prompt in a process of
-- its own, as `delassus < session.txt` has them.
-- A ball that falls by h and keeps the share e of its speed comes back to e^2 h: 0.25 m of 1 m.
-- Leaves session.txt, and prompt_session.svg by a line of the session.
-- Ends with: 9 lines, the ball comes back to 0.250 m of 0.250 m, the session survived 2 mistakes: true
local session = [[
world = delassus.world{ gravity = {0, 0, -9.81} }
world:floor{ restitution = 0.5 }; ball = world:sphere{ radius = 0.1, position = {0, 0, 1.1}, restitution = 0.5 }
time, height = {}, {}
report = world:run(1, function() time[#time + 1], height[#height + 1] = world.time, ball.position.z - 0.1 end)
world:stpe(10)
help "restituion"
delassus.world{ dt = -1 }
delassus.plot{ x = time, y = { {"height (m)", height} }, x_label = "time (s)", title = "Typed", file = "prompt_session.svg" }
math.max(table.unpack(height, 460))
]]
local file = assert(io.open("session.txt", "w"))
file:write(session)
file:close()

local lua = arg[-1] or "lua5.4"
local pipe = assert(io.popen(lua .. " -e 'require \"delassus.cli\".main{}' < session.txt 2>&1"))
local answers = {}
for line in pipe:lines() do answers[#answers + 1] = line end
pipe:close()

print(session)
print(table.concat(answers, "\n"))
local lines, mistakes = 0, 0
for _ in session:gmatch("\n") do lines = lines + 1 end
for _, answer in ipairs(answers) do
  if answer:find("did you mean 'step'", 1, true) or answer:find("'dt' must be > 0", 1, true) then mistakes = mistakes + 1 end
end
local back = tonumber(answers[#answers])
print(("%d lines, the ball comes back to %.3f m of %.3f m, the session survived %d mistakes: %s"):format(lines, back,
  0.5 ^ 2 * 1, mistakes, math.abs(back - 0.25) < 2e-3))
