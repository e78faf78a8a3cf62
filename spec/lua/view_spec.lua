-- Copyright (c) 2026 the delassus authors.
-- SPDX-License-Identifier: MIT

-- The live view, by a raw client: what is let in, what garbage does, and that what a page does to the world is accounted for.
local core = require "delassus.core"
local delassus = require "delassus"
local json = require "delassus.json"
local pack = require "delassus.pack"

if not require "delassus.view_server".luv() then
  describe("the live view", function() pending("needs luv (apt install lua-luv)") end)
  return
end
local clients = require "support.view_client"
local uv = require "delassus.view_server".luv()
local seeds = require "support.seeds"

--- f(...), and what it wrote to the terminal.
local function heard(f, ...)
  local real, said = io.stderr, {}
  io.stderr = { write = function(_, ...) for _, text in ipairs { ... } do said[#said + 1] = text end end } -- luacheck: ignore
  local results = table.pack(pcall(f, ...))
  io.stderr = real -- luacheck: ignore
  assert(results[1], results[2])
  return table.concat(said), table.unpack(results, 2, results.n)
end

local function opened(world, options)
  options = options or {}
  options.open, options.paused = false, true
  local view
  heard(function() view = world:view(options) end) -- where the page is not built it says so
  return view
end

local function scene()
  local world = delassus.world { record = false, gravity = { 0, 0, -9.81 } }
  world:floor {}
  local box = world:box { name = "box", size = { 0.4, 0.4, 0.4 }, position = { 0, 0, 0.2 }, density = 200 }
  return world, box
end

describe("the live view lets in", function()
  local world = scene()
  local view
  setup(function() view = opened(world) end)
  teardown(function() view:close() end)

  local function status(request)
    local client = clients.connect(view)
    local said = client:request((request:gsub("PORT", client.port):gsub("TOKEN", client.token)))
    client:close()
    return tonumber(said:match("^HTTP/1.1 (%d+)")), said
  end

  it("who has the token, on the right host", function()
    local code, said = status "GET /?token=TOKEN HTTP/1.1\r\nHost: 127.0.0.1:PORT\r\n\r\n"
    assert.equal(200, code)
    assert.matches("<!DOCTYPE html>", said, 1, true)
    assert.matches("Content%-Security%-Policy: default%-src 'none'", said)
    assert.equal(200, (status "GET /?token=TOKEN HTTP/1.1\r\nHost: localhost:PORT\r\n\r\n"))
  end)

  it("nobody else, and to nothing else", function()
    for request, want in pairs {
      ["GET / HTTP/1.1\r\nHost: 127.0.0.1:PORT\r\n\r\n"] = 403,
      ["GET /?token= HTTP/1.1\r\nHost: 127.0.0.1:PORT\r\n\r\n"] = 403,
      ["GET /?token=TOKENx HTTP/1.1\r\nHost: 127.0.0.1:PORT\r\n\r\n"] = 403,
      ["GET /?token=00000000000000000000000000000000 HTTP/1.1\r\nHost: 127.0.0.1:PORT\r\n\r\n"] = 403,
      ["GET /?token=TOKEN HTTP/1.1\r\nHost: example.com\r\n\r\n"] = 403,
      ["GET /?token=TOKEN HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n"] = 403,
      ["GET /?token=TOKEN HTTP/1.1\r\n\r\n"] = 403,
      ["GET /?token=TOKEN HTTP/1.1\r\nHost: 127.0.0.1:PORT\r\nHost: 127.0.0.1:PORT\r\n\r\n"] = 400,
      ["GET /?token=TOKEN HTTP/1.1\r\nHost: 127.0.0.1:PORT\r\nOrigin: http://example.com\r\n\r\n"] = 403,
      ["POST /?token=TOKEN HTTP/1.1\r\nHost: 127.0.0.1:PORT\r\n\r\n"] = 405,
      ["GET /etc/passwd?token=TOKEN HTTP/1.1\r\nHost: 127.0.0.1:PORT\r\n\r\n"] = 404,
      ["GET /../x?token=TOKEN HTTP/1.1\r\nHost: 127.0.0.1:PORT\r\n\r\n"] = 404,
      ["GET /live?token=TOKEN HTTP/1.1\r\nHost: 127.0.0.1:PORT\r\n\r\n"] = 426,
      ["GET /live HTTP/1.1\r\nHost: 127.0.0.1:PORT\r\n\r\n"] = 403,
      ["GET /?token=TOKEN HTTP/1.0\r\nHost: 127.0.0.1:PORT\r\n\r\n"] = 400,
      ["hello\r\n\r\n"] = 400, ["\r\n\r\n"] = 400,
      ["GET /?x=" .. ("y"):rep(9000) .. " HTTP/1.1\r\n"] = 431,
    } do
      local code, said = status(request)
      assert.equal(want, code, request:sub(1, 200))
      assert.falsy(said:find("<!DOCTYPE", 1, true))
    end
  end)

  it("no page of another origin, and no wrong token, to the socket", function()
    for _, more in ipairs { "Origin: http://example.com\r\n", "Origin: null\r\n", "Origin: https://127.0.0.1:80\r\n" } do
      local client = clients.connect(view)
      assert.is_false(client:greet(nil, more))
      assert.matches("^HTTP/1.1 403", client.heard)
      client:close()
    end
    local wrong = clients.connect(view)
    assert.is_false(wrong:greet(("0"):rep(32)))
    assert.matches("^HTTP/1.1 403", wrong.heard)
    wrong:close()
    local right = clients.connect(view)
    assert.is_true(right:greet(nil, "Origin: http://127.0.0.1:" .. right.port .. "\r\n"))
    right:close()
  end)

  it("compares tokens whole", function()
    local same = require "delassus.view_server".same
    assert.is_true(same("abc", "abc"))
    for _, other in ipairs { "", "ab", "abd", "abcd", "bbc" } do assert.is_false(same(other, "abc")) end
  end)

  it("no garbage: 200 requests of random bytes leave it and the world as they were", function()
    local hash = world:hash()
    for seed = 1, seeds(200) do
      local random, bytes = delassus.random(seed), {}
      for k = 1, random:integer(1, 400) do bytes[k] = string.char(random:integer(0, 255)) end
      local client = clients.connect(view)
      client:send((seed % 2 == 0 and "GET /live?token=" .. client.token .. " HTTP/1.1\r\nHost: 127.0.0.1:" .. client.port
        .. "\r\n" or "") .. table.concat(bytes) .. "\r\n\r\n")
      client:wait(function() return client.ended end)
      assert.matches("^HTTP/1.1 4%d%d", client.heard, 1, false, "seed " .. seed)
      client:close()
    end
    assert.equal(hash, world:hash())
    assert.equal(200, (status "GET /?token=TOKEN HTTP/1.1\r\nHost: 127.0.0.1:PORT\r\n\r\n"))
  end)
end)

describe("the live view's page", function()
  local world, box, view, page
  before_each(function()
    world, box = scene()
    view = opened(world)
    page = clients.connect(view)
    assert.is_true(page:greet())
    assert.is_true(page:hear(function() return page.scene and page.state and #page.frames > 0 end))
  end)
  after_each(function()
    view:close()
    page:close()
  end)

  it("has the scene, the frame and where things stand", function()
    assert.equal("box", page.scene.scene.bodies[2].name)
    assert.is_false(page.state.playing)
    assert.equal(1, view.pages)
    local frame = page:frame()
    assert.same({ page.scene.serial, 2, 0 }, { frame.serial, frame.bodies, frame.time })
    assert.near(0.2, pack.unpack("f", frame.bytes, 29, 14)[10], 1e-6)
  end)

  it("steps, and frames follow", function()
    assert.is_true(page:ask({ ask = "step" }, function() return page:frame().time == world.dt end))
    view:step(10)
    assert.is_true(page:hear(function() return math.abs(page:frame().time - 11 * world.dt) < 1e-12 end))
    assert.near(11 * world.dt, world.time, 1e-12)
    assert.is_true(page:frame().contacts > 0) -- it stands on the floor: their forces are in the frame
    assert.near(9.81 * box.mass, (function()
      local list, sum = pack.unpack("f", page:frame().bytes, 29 + 4 * 14, 6 * page:frame().contacts), 0
      for k = 6, #list, 6 do sum = sum + math.abs(list[k]) end
      return sum
    end)(), 1e-4 * 9.81 * box.mass)
  end)

  it("plays and stops, and runs for a time given", function()
    assert.is_true(page:ask({ ask = "play" }, function() return page.state.playing and world.time > 0 end))
    assert.is_true(page:ask({ ask = "speed", speed = 0.5 }, function() return page.state.speed == 0.5 end))
    assert.is_true(page:ask({ ask = "pause" }, function() return not page.state.playing end))
    local time = world.time
    view:poll()
    assert.equal(time, world.time)
    view:play(100)
    assert.equal("time", view:run(0.25))
    assert.near(time + 0.25, world.time, 1e-9)
  end)

  it("pulls a body by a spring that the ledger knows, and lets go of it", function()
    local function springs() return #core.connections(world) end
    local message = { ask = "grab", serial = page.scene.serial, body = 2, point = { 0.2, 0.2, 0.2 } }
    assert.is_true(page:ask(message, function() return springs() == 3 end))
    page:ask { ask = "drag", to = { 1, 0.5, 1.5 } }
    for k = 1, 20 do
      view:step(100)
      assert.is_true(page:wait(function() return world.time > (100 * k - 0.5) * world.dt end))
    end
    local corner = delassus.vec { 1, 0.5, 1.5 }
    local R = require "delassus.rotation".apply(box.rotation, { 0.2, 0.2, 0.2 })
    local off = (box.position + delassus.vec(R) - corner):norm()
    assert.near(9.81 / (6 * math.pi) ^ 2, off, 0.02) -- it hangs below the mouse by m g/k, swinging out
    local ledger = world:ledger()
    assert.is_true(ledger.springs > 5) -- J: it was lifted
    assert.is_true(math.abs(ledger.error) < 1e-9 * ledger.turnover, ledger.error / ledger.turnover)
    assert.equal(1, page.scene.serial) -- the hand's springs are not in the picture
    assert.is_true(page:ask({ ask = "release" }, function() return springs() == 0 end))
    view:step(50)
    page:hear(function() return world.time > 2049 * world.dt end)
    ledger = world:ledger()
    assert.is_true(math.abs(ledger.error) < 1e-9 * ledger.turnover)
  end)

  it("lets go of what it held when it is closed, and of what is removed", function()
    local before = #core.connections(world)
    local message = { ask = "grab", serial = page.scene.serial, body = 2, point = { 0, 0, 0 } }
    assert.is_true(page:ask(message, function() return #core.connections(world) > before end))
    page:close()
    assert.is_true(page:wait(function() return #core.connections(world) == before end))
    assert.equal(0, view.pages)
    local other = clients.connect(view)
    assert.is_true(other:greet() and other:hear(function() return other.scene end))
    message.serial = other.scene.serial
    assert.is_true(other:ask(message, function() return #core.connections(world) > before end))
    world:remove(box)
    view:step()
    assert.is_true(other:hear(function() return other.scene.serial > message.serial and world.time > 0 end))
    assert.is_nil(view.problem)
    other:close()
  end)

  it("does not hold what cannot move, nor what was another scene", function()
    local before = #core.connections(world)
    for _, wrong in ipairs { { serial = 1, body = 1 }, { serial = 1, body = 77 }, { serial = 1, body = -1 },
      { serial = 9, body = 2 } } do
      wrong.ask, wrong.point = "grab", { 0, 0, 0 }
      page:ask(wrong)
      page:ask({ ask = "pause" })
    end
    view:poll()
    assert.equal(before, #core.connections(world))
    assert.is_nil(page.code)
  end)

  it("gets the reactions of joints: at rest they carry what hangs on them", function()
    local last = world.ground
    for i = 1, 2 do
      local link = world:body { mass = i, inertia = { 1, 1, 1 }, position = { 3, 0, 4 - i } }
      world:joint { "revolute", last, link, anchor = { 3, 0, 4.5 - i }, axis = { 0, 1, 0 },
        formulation = i == 1 and "rigid" or nil }
      last = link
    end
    world:spring { world.ground, last, stiffness = 1 } -- no joint, and without force as yet
    assert.is_true(page:hear(function() return page.scene.serial == 2 and page:frame().serial == 2 end))
    local function reaction() return pack.unpack("f", page:frame().bytes, 29 + 4 * (7 * 4 + 6 * page:frame().contacts), 12) end
    assert.equal(2, page:frame().joints)
    assert.is_true(reaction()[1] ~= reaction()[1]) -- before the first step
    assert.is_true(page:ask({ ask = "step" }, function() return page:frame().time > 0 end))
    local pull = reaction()
    for i, want in ipairs { 0, 0, 3 * 9.81, 0, 0, 0, 0, 0, 2 * 9.81, 0, 0, 0 } do assert.near(want, pull[i], 1e-4) end
  end)

  it("may ask before it has seen anything", function()
    local other = opened(delassus.world { record = false })
    other.world:sphere { radius = 0.1 }
    local early = clients.connect(other)
    early:send(("GET /live?token=%s HTTP/1.1\r\nHost: localhost:%s\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n"
      .. "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n"):format(early.token, early.port)
      .. clients.masked(0x81, json.encode { ask = "grab", serial = 0, body = 1, point = { 0, 0, 0 } })
      .. clients.masked(0x81, json.encode { ask = "drag", to = { 0, 0, 0 } }) .. clients.masked(0x81, '{"ask":"release"}')
      .. clients.masked(0x81, '{"ask":"step"}'))
    assert.is_true(early:wait(function() return other.world.time > 0 end))
    assert.equal(1, other.pages)
    other:close()
    early:close()
  end)

  it("is told of new bodies and connections", function()
    local other = world:sphere { radius = 0.1, position = { 1, 1, 1 } }
    assert.is_true(page:hear(function() return page.scene.serial == 2 and page:frame().serial == 2 end))
    assert.equal(3, #page.scene.scene.bodies)
    world:spring { box, other, stiffness = 10 }
    assert.is_true(page:hear(function() return page.scene.serial == 3 end))
    assert.equal("spring", page.scene.scene.connections[1].kind)
  end)

  it("sets sliders, within their ends", function()
    local got
    view:slider { name = "wind", unit = "m/s", min = -1, max = 5, value = 2, set = function(v) got = v end }
    view:slider { box.material, "friction", 0, 1 }
    assert.is_true(page:hear(function() return page.sliders and #page.sliders.list == 2 end))
    assert.same({ "wind", "friction" }, { page.sliders.list[1].name, page.sliders.list[2].name })
    assert.same({ 2, 0.5 }, { page.sliders.list[1].value, page.sliders.list[2].value })
    assert.is_true(page:ask({ ask = "slider", index = 1, value = 3.5 }, function() return page.state.sliders[1] == 3.5 end))
    assert.equal(3.5, got)
    assert.is_true(page:ask({ ask = "slider", index = 1, value = 99 }, function() return page.state.sliders[1] == 5 end))
    assert.equal(5, got)
    page:ask({ ask = "slider", index = 2, value = 0.125 }, function() return page.state.sliders[2] == 0.125 end)
    assert.equal(0.125, box.material.friction)
    assert.equal(0.125, world.bodies[1].material.friction) -- the floor had the same material
  end)

  it("shows errors of sliders and steps, at the terminal too, and the world stays whole", function()
    view:slider { name = "bad", min = 0, max = 1, set = function() error "no such knob" end }
    local said = heard(function()
      assert.is_true(page:ask({ ask = "slider", index = 1, value = 0.5 }, function()
        return page.state.problem and page.state.problem:find("no such knob", 1, true)
      end))
    end)
    assert.matches("view: .*no such knob", said)
    assert.equal(0, page.state.sliders[1])
    local count = 0
    local handle = world:on("step", function()
      count = count + 1
      if count == 3 then error "third step" end
    end)
    said = heard(function()
      view:play(100)
      assert.is_true(page:hear(function() return (page.state.problem or ""):find("third step", 1, true) end))
    end)
    assert.matches("third step", said)
    assert.is_false(view.playing)
    handle:off()
    assert.is_true(page:ask({ ask = "step" }, function() return not page.state.problem end))
    view:step(5)
    view:poll()
    assert.near(world.stats.steps * world.dt, world.time, 1e-12)
  end)

  it("is left where it sends what is no message, and the others are not", function()
    local hash = world:hash()
    for _, text in ipairs { "", "{", "[]", "5", "null", '{"ask":5}', '{"ask":"__index"}', '{"ask":"close"}', '{"ask":"speed"}',
      '{"ask":"speed","speed":0}', '{"ask":"speed","speed":1e999}', '{"ask":"slider","index":1,"value":1}',
      '{"ask":"slider","index":"x","value":1}', '{"ask":"grab","body":2}', '{"ask":"grab","body":2,"point":[1,2]}',
      '{"ask":"grab","body":2,"point":[1,2,1e300],"serial":1}', '{"ask":"drag","to":[null,1,2]}', '{"ask":"drag","to":"abc"}',
      ("["):rep(2000), '"' .. ("x"):rep(4000) .. '"' } do
      local bad = clients.connect(view)
      assert.is_true(bad:greet())
      assert.is_true(bad:ask(text, function() return bad.code end), text:sub(1, 60))
      assert.equal(1008, bad.code)
      bad:close()
    end
    local big = clients.connect(view)
    assert.is_true(big:greet() and big:ask(("x"):rep(70000), function() return big.code end))
    assert.equal(1009, big.code)
    big:close()
    assert.is_nil(page.code)
    assert.is_true(page:wait(function() return view.pages == 1 end))
    assert.equal(hash, world:hash())
    assert.is_true(page:ask({ ask = "step" }, function() return page:frame().time > 0 end))
  end)

  it("takes 200 random messages and frames without harm", function()
    local kinds = { "play", "pause", "step", "speed", "slider", "grab", "drag", "release", "x" }
    local steps = world.stats.steps
    local said = heard(function()
      for seed = 1, seeds(200) do
        local random = delassus.random(seed)
        local function any()
          local list = { random:integer(-3, 3), random:uniform(-1e12, 1e12), "x", { 1, 2, 3 }, { 1 }, true, { x = 1 }, 2,
            { 0.1, 0.1, 0.1 } }
          return list[random:integer(1, #list)]
        end
        local bad = clients.connect(view)
        assert.is_true(bad:greet(), "seed " .. seed)
        local bytes = {}
        for k = 1, random:integer(1, 80) do bytes[k] = string.char(random:integer(0, 255)) end
        for _ = 1, 4 do
          bad:send(clients.masked(0x81, json.encode { ask = kinds[random:integer(1, #kinds)], index = any(), value = any(),
            speed = any(), body = any(), point = any(), to = any(), serial = view._serial }))
        end
        bad:send(table.concat(bytes))
        bad:wait(function() return #bad.heard > 0 end)
        bad:close()
      end
    end)
    assert.equal("", said)
    view:pause()
    assert.is_true(page:wait(function() return view.pages == 1 end))
    view:poll()
    assert.is_true(world.stats.steps >= steps and world.stats.residual < 1e-6)
    assert.equal(0, #core.connections(world)) -- nobody holds anything
    local ledger = world:ledger()
    assert.is_true(math.abs(ledger.error) <= 1e-8 * math.max(1, ledger.turnover))
  end)

  it("gets what it can take: frames are left out for a page that does not read, and it is left in the end", function()
    local slow = clients.connect(view)
    assert.is_true(slow:greet())
    assert.is_true(page:wait(function() return view.pages == 2 end))
    slow.stream:read_stop()
    local server, client = view._server, view._pages[2]
    local sent = 0
    while sent < 100 and server:send(client, 2, ("x"):rep(1 << 20)) do
      sent = sent + 1
      view:poll()
    end
    assert.is_true(sent > 8 and sent < 40)
    assert.equal(2, view.pages)
    view:slider { name = "x", min = 0, max = 1, set = print } -- a text: it would miss it
    assert.is_true(page:wait(function() return view.pages == 1 end))
    assert.is_true(page:hear(function() return #page.sliders.list == 1 end))
    slow:close()
  end)

  it("is one of two: both see, one pulls, the other stops", function()
    local other = clients.connect(view)
    assert.is_true(other:greet() and other:hear(function() return other.scene and #other.frames > 0 end))
    assert.equal(2, view.pages)
    local message = { ask = "grab", serial = 1, body = 2, point = { 0, 0, 0 } }
    page:ask(message, function() return #core.connections(world) == 3 end)
    other:ask(message, function() return #core.connections(world) == 6 end)
    assert.equal(6, #core.connections(world))
    page:ask({ ask = "step" }, function() return world.time > 0 end)
    assert.is_true(other:hear(function() return other:frame().time == world.time end))
    assert.is_true(page:hear(function() return page:frame().time == world.time end))
    other:close()
    assert.is_true(page:wait(function() return view.pages == 1 end))
    assert.equal(3, #core.connections(world))
  end)

  it("ends the run where it is closed, and hears goodbye where the view is", function()
    page:ask({ ask = "play" })
    page:close()
    assert.equal("closed", view:run())
    local other = clients.connect(view)
    assert.is_true(other:greet())
    view:close()
    for _ = 1, 50 do
      uv.run "nowait"
      other:read()
      if other.code then break end
      core.wait_input(-1, uv.backend_fd(), 0.01)
    end
    assert.same({ 1001, "the view was closed" }, { other.code, other.reason })
    view:poll() -- and twice is fine
    view:close()
    assert.matches("closed", tostring(view))
    for _, name in ipairs{ "play", "pause", "step", "open" } do
      assert.error_matches(function() view[name](view) end, "view: attempt to use a closed view")
    end
    assert.error_matches(function() view:slider{ world, "dt", 1e-3, 1e-2 } end, "view: attempt to use a closed view")
    assert.same({ "closed", "closed" }, { view:run(), view:run(1) })
  end)

  it("is told where the world is closed", function()
    local said = heard(function()
      world:close()
      view:poll()
    end)
    assert.equal("view: the world was closed\n", said)
    assert.matches("closed", tostring(view))
  end)
end)

describe("a hand", function()
  local hands = require "delassus.view_hand"

  local function chain(planar, formulation)
    local world = delassus.world { planar = planar, record = false }
    local last = world.ground
    for i = 1, 3 do
      local at, anchor = { 0.3 * i - 0.15, 0, 0 }, { 0.3 * (i - 1), 0, 0 }
      if planar then at[3], anchor[3] = nil, nil end
      local inertia = planar and 0.01 or { 0.01, 0.01, 0.01 }
      local link = world:body { mass = i, inertia = inertia, position = at }
      world:joint { "revolute", last, link, anchor = anchor, axis = not planar and { 0, 1, 0 } or nil, formulation = formulation }
      last = link
    end
    return world, last
  end

  for _, case in ipairs { { true, "reduced", 200 }, { true, "rigid", 20 }, { false, "reduced", 200 }, { false, "rigid", 20 } } do
    local name = (case[1] and "plane, " or "space, ") .. case[2]
    it("closes the ledger to round-off while it moves and lets go: " .. name, function()
      for seed = 1, case[3] do
        local world, last = chain(case[1], case[2])
        local random = delassus.random(seed)
        local n = case[1] and 2 or 3
        local function place() local p = {} for i = 1, n do p[i] = random:uniform(-1, 1) end return p end
        local point = place()
        for i = 1, n do point[i] = 0.15 * point[i] end
        local hand = hands.hold(world, last, point, random:uniform(1, 10))
        for _ = 1, 3 do
          hand:move(place())
          for _ = 1, 15 do
            hand:follow(world.dt)
            world:step(1)
          end
        end
        hand:release()
        world:step(15)
        local ledger = world:ledger()
        assert.is_true(math.abs(ledger.error) < 1e-12 * ledger.turnover, "seed " .. seed)
        assert.equal(3, #core.connections(world))
      end
    end)
  end

  it("carries all that joints hold together, and pulls the same in every direction", function()
    local world, last = chain(false, "reduced")
    local hand = hands.hold(world, last, { 0, 0, 0 }, 2)
    assert.near(6 * (4 * math.pi) ^ 2, hand.springs[1].stiffness, 1e-9)
    local single = delassus.world { record = false, gravity = { 0, 0, 0 }, dt = 1e-3 }
    local ball = single:sphere { radius = 0.1, density = 1000 }
    local held = hands.hold(single, ball, { 0, 0, 0 }, 2)
    local w, n = 4 * math.pi, { 0.3, -0.4, 0.5 }
    held.at = { 0.3, -0.4, 0.5 }
    held:move(n)
    held:follow(0)
    single:step(100)
    local t = single.time
    local exact = 1 - (1 + w * t) * math.exp(-w * t) -- critically damped, from rest
    for i = 1, 3 do assert.near(exact * n[i], ball.position[i], 2e-4 * math.abs(n[i]) + 1e-4) end
  end)
end)

describe("world:view", function()
  it("refuses what it cannot do, and opens nothing then", function()
    local world = delassus.world { record = false }
    for message, options in pairs {
      ["unknown option 'slider' (did you mean 'sliders'?)"] = { slider = {} },
      ["'speed' must be 0.001 to 100, got 0"] = { speed = 0 }, ["'grip' must be 0.001 to 1000, got 0"] = { grip = 0 },
      ["'port' must be 0 to 65535, got 70000"] = { port = 70000 }, ["'port' must be a whole number, got 1.5"] = { port = 1.5 },
      ["'paused' must be true or false, got 5"] = { paused = 5 }, ["'sliders' must be a list, got 5"] = { sliders = 5 },
      ["'set' must be a function, got nil"] = { open = false, sliders = { { name = "x", min = 0, max = 1 } } },
      ["'min' must be below 'max', got 1 and 0"] = { open = false, sliders = { { world, "dt", 1, 0 } } },
      ["'gravity' is no number"] = { open = false, sliders = { { world, "gravity", 0, 1 } } },
      ["'min' must be a number, got nil"] = { open = false, sliders = { { world, "dt" } } },
    } do
      assert.error_matches(function() world:view(options) end, message, 1, true)
    end
    local view = opened(world, { sliders = { { world, "dt", 1e-4, 1e-2 } } })
    assert.equal(view, world:view { open = false })
    local good = { name = "x", min = 0, max = 1, set = print }
    for message, options in pairs {
      ["'speed' must be 0.001 to 100, got 0"] = { speed = 0 }, ["'title' must be a string, got 3"] = { title = 3 },
      ["'grip' must be 0.001 to 1000, got 0"] = { grip = 0 }, ["'port' must be a whole number, got 1.5"] = { port = 1.5 },
      ["'min' must be a number, got nil"] = { sliders = { good, { world, "dt" } } },
    } do
      options.open = false
      assert.error_matches(function() world:view(options) end, message, 1, true)
      assert.equal(1, #rawget(view, "_sliders"), message) -- all of them, or none
    end
    local port = tonumber(view.address:match(":(%d+)/"))
    local other = delassus.world { record = false }
    assert.error_matches(function() other:view { open = false, port = port } end, "EADDRINUSE", 1, true)
    assert.error_matches(function() view:step(0) end, "'n' must be a whole number, 1 to 100", 1, true)
    assert.error_matches(function() view:run(-1) end, "'seconds' must be >= 0", 1, true)
    assert.error_matches(function() view:play(0) end, "'speed' must be 0.001 to 100", 1, true)
    view:close()
    local again <close> = opened(world)
    assert.not_equal(view, again)
  end)

  it("says in one line which rock it lacks", function()
    local registry, search = debug.getregistry(), package.searchers
    local kept = registry["delassus.luv"]
    package.loaded.luv, registry["delassus.luv"], package.searchers = nil, nil, {}
    local ok, message = pcall(function() delassus.world { record = false }:view {} end)
    package.loaded.luv, registry["delassus.luv"], package.searchers = kept, kept, search
    assert.is_false(ok)
    assert.matches("world:view: needs the rock 'luv': luarocks --lua-version=5.4 install luv (Debian, Ubuntu: "
      .. "apt install lua-luv)", message, 1, true)
  end)

  it("raises an error of a step in run where no page is there to show it", function()
    local world = scene()
    world:on("step", function() error "in a step" end)
    local view <close> = opened(world)
    local said = heard(function() assert.error_matches(function() view:run(1) end, "in a step", 1, true) end)
    assert.matches("in a step", said)
  end)
end)
