-- Copyright (c) 2026 the delassus authors.
-- SPDX-License-Identifier: MIT
local core = require "delassus.core"
local pack = require "delassus.pack"
local squeeze = require "delassus.scene_squeeze"

-- What squeeze did, undone: inflated by gzip (a wrapper with a wrong sum; gzip complains behind the bytes), then read by the
-- description in src/bind/squeeze.c.
local function inflated(bytes)
  local path = os.tmpname()
  local file = assert(io.open(path, "wb"))
  file:write("\31\139\8\0\0\0\0\0\0\255", bytes, ("\0"):rep(8))
  file:close()
  local pipe = assert(io.popen("gzip -dc < " .. path .. " 2>/dev/null"))
  local out = pipe:read("a")
  pipe:close()
  os.remove(path)
  return out
end

local PREDICT = { [0] = function() return 0 end, function(a) return a end, function(a, b) return 2 * a - b end,
  function(a, b, c) return 3 * a - 3 * b + c end }

local function unsqueezed(bytes, columns, steps, rows)
  local told, at, out = inflated(bytes), 1, {}
  for c = 1, columns do
    local predict, a, b, d = PREDICT[told:byte(at)], 0, 0, 0
    at = at + 1
    for k = 1, rows do
      local x, weight, byte = 0, 0
      repeat
        byte = told:byte(at)
        at, x, weight = at + 1, x | (byte & 127) << weight, weight + 7
      until byte < 128
      local now = 0
      if x > 0 then now = predict(a, b, d) + (x % 2 == 1 and (x - 1) // 2 or -(x // 2)) end
      out[(k - 1) * columns + c] = x == 0 and 0 / 0 or now * steps[(c - 1) % #steps + 1]
      a, b, d = now, a, b
    end
  end
  assert.equal(#told, at - 1)
  return out
end

local function unbase64(text)
  local out, digits = {}, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
  local value = {}
  for i = 1, 64 do value[digits:sub(i, i)] = i - 1 end
  for a, b, c, d in text:gmatch("(.)(.)(.)(.)") do
    local x = value[a] << 18 | value[b] << 12 | (value[c] or 0) << 6 | (value[d] or 0)
    out[#out + 1] = string.char(x >> 16, x >> 8 & 255, x & 255):sub(1, c == "=" and 1 or d == "=" and 2 or 3)
  end
  return table.concat(out)
end

describe("numbers squeezed for a page", function()
  it("come back within half a step, holes as holes: 400 random columns", function()
    local seed, rows, columns = 4711, 60, 400
    math.randomseed(seed)
    local steps, list = {}, {}
    for c = 1, columns do
      local kind, size = c % 3, 10 ^ math.random(-3, 5)
      steps[c] = 10 ^ (-4 * math.random())
      for k = 1, rows do
        local x = kind == 0 and (math.random() - 0.5) * size or kind == 1 and 0.01 * k * k - k + c or math.sin(0.1 * k + c)
        list[(k - 1) * columns + c] = math.random() < 0.05 and 0 / 0 or x
      end
    end
    local given = pack.unpack("f", pack.f32(list), 1, #list)
    local back = unsqueezed(core.squeeze(pack.f32(list), columns, steps), columns, steps, rows)
    for i = 1, #list do
      local where = ("seed %d, number %d"):format(seed, i)
      if given[i] ~= given[i] then assert.is_true(back[i] ~= back[i], where)
      else assert.is_true(math.abs(back[i] - given[i]) <= 0.5000001 * steps[(i - 1) % columns + 1], where) end
    end
  end)

  it("tell smooth motions by their changes: a parabola by almost nothing", function()
    local list = {}
    for k = 1, 20000 do list[k] = 1e-6 * (k - 9000) ^ 2 end
    assert.is_true(#core.squeeze(pack.f32(list), 1, { 1e-3 }) < 20000 / 4)
  end)

  it("keep poses to 1e-5 of the scene where there is room", function()
    local n, frames, poses = 60, 370, {}
    for k = 1, frames do
      for i = 1, n do
        local a = 0.02 * k + i
        table.move({ 3 * math.cos(a), i + math.sin(3 * a), a }, 1, 3, #poses + 1, poses)
      end
    end
    local scene = { planar = true, bodies = {}, poses = pack.f32(poses) }
    for i = 1, n do scene.bodies[i] = {} end
    local made = squeeze.poses(scene)
    local back = unsqueezed(unbase64(made.squeezed), made.columns, made.steps, frames)
    for i = 1, #poses do assert.near(poses[i], back[i], i % 3 == 0 and 1e-4 or 1e-5 * 60) end
  end)

  it("keep of many contacts those of every fourth frame, and of these the strongest", function()
    local frames, count, values, offsets = 220, 1500, {}, { 0 }
    for i = 1, count do table.move({ i, 2, 0, (i * 7) % count }, 1, 4, #values + 1, values) end
    for k = 1, frames do offsets[k + 1] = count * k end
    local contacts = squeeze.contacts({ offsets = offsets, values = pack.f32(values):rep(frames) }, true)
    assert.equal(4, contacts.every)
    assert.equal(frames // 4 + 1, #contacts.offsets)
    local kept, most = contacts.offsets[#contacts.offsets], 75000 * 4 // frames
    assert.equal(most * frames // 4, kept)
    local back = unsqueezed(unbase64(contacts.values.squeezed), 4, contacts.values.steps, kept)
    for i = 1, kept do
      assert.is_true(back[4 * i] >= count - most - 1)
      assert.near((math.floor(back[4 * i - 3] + 0.5) * 7) % count, back[4 * i], 0.5 * contacts.values.steps[4] + 1e-9)
    end
  end)

  it("leave short recordings as they are", function()
    assert.is_nil(squeeze.poses{ planar = true, bodies = { {} }, poses = pack.f32{ 1, 2, 3 } })
    assert.is_nil(squeeze.channel(pack.f32{ 1, 2, 3 }, 1))
    assert.is_nil(squeeze.poses{ planar = true, bodies = { {} }, poses = { 1, 2, 3 } })
  end)
end)
