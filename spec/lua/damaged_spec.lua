-- Copyright (c) 2026 the delassus authors.
-- SPDX-License-Identifier: MIT
-- Files that a disk was too small for, that were cut, or whose bits changed: an error in words or a shorter replay.
local delassus = require "delassus"
local plot = require "delassus.plot"
local record = require "delassus.record"

local function read(path)
  local file = assert(io.open(path, "rb"))
  local text = file:read("a")
  file:close()
  return text
end

local function with_text(ending, text, action)
  local path = os.tmpname()
  os.remove(path)
  path = path .. ending
  local file = assert(io.open(path, "wb"))
  file:write(text)
  file:close()
  local answer = table.pack(action(path))
  os.remove(path)
  return table.unpack(answer, 1, answer.n)
end

local function planar_recording(file, n)
  local rec = assert(record{ title = "t", planar = true, contacts = true, file = file, bodies = { { name = "a",
    shape = { kind = "disk", radius = 1 } } }, channels = { { name = "c" } }, series = { { name = "s" } } })
  local ok, problem = true, nil
  for k = 1, n do
    ok, problem = rec:frame{ time = k, poses = { k, 0, 0 }, channels = { c = { k } }, series = { s = k }, contacts = {} }
  end
  return rec, ok, problem
end

describe("a full disk", function()
  local folder
  setup(function()
    folder = os.tmpname()
    os.remove(folder)
    assert(os.execute("mkdir " .. folder))
  end)
  teardown(function() os.execute("rm -r " .. folder) end)

  --- A file of this ending to which nothing can be written.
  local function full(ending)
    local path = folder .. "/full." .. ending
    assert(os.execute(("ln -sf /dev/full %s"):format(path)))
    return path
  end

  it("is told by all that writes files", function()
    local rec = planar_recording(nil, 300)
    local system = delassus.system{ q = { 1 }, u = { 0 }, mass = { { 1 } }, forces = { 0 } }
    local writers = {
      rec = function(path) return rec:save(path) end, csv = function(path) return rec:save(path) end,
      json = function(path) return rec:save(path) end, html = function(path) return rec:save(path) end,
      svg = function(path) return plot.write(path, ("x"):rep(1e5)) end,
    }
    for ending, write in pairs(writers) do
      local ok, message = write(full(ending))
      assert.is_nil(ok, ending)
      assert.matches("full." .. ending .. ": .*[Nn]o space", message)
    end
    local recording = system:record{}
    system:run(1)
    for _, ending in ipairs{ "csv", "html" } do
      local ok, message = recording:save(full(ending))
      assert.is_nil(ok)
      assert.matches("[Nn]o space", message)
    end
  end)

  it("is told as a run is recorded, which goes on with its frames kept", function()
    local rec, ok, problem = planar_recording("/dev/full", 1000)
    assert.is_nil(ok)
    assert.matches("[Nn]o space", problem)
    assert.equal(1000, #rec:times())
    assert.is_nil((rec:close()))
    local world <close> = delassus.world{ planar = true }
    world:disk{ radius = 1 }
    local taken = world:record{ file = "/dev/full" }
    world:run(2)
    local closed, message = taken:close()
    assert.is_nil(closed)
    assert.matches("[Nn]o space", message)
    assert.near(2, world.time, 1e-9)
  end)
end)

describe("a recording with a changed byte", function()
  local text = with_text(".rec", "", function(path)
    planar_recording(path, 8):close()
    return read(path)
  end)

  it("is refused in words, or a shorter replay: a bit of every byte, 3 seeds", function()
    local shorter = 0
    for seed = 1, 3 do
      local random = delassus.random(seed)
      for at = 1, #text do
        local bit = 1 << random:integer(0, 7)
        local changed = text:sub(1, at - 1) .. string.char(text:byte(at) ~ bit) .. text:sub(at + 1)
        local rec, message = with_text(".rec", changed, record.read)
        local what = ("seed %d, byte %d, bit %d"):format(seed, at, bit)
        if rec then
          for k, t in ipairs(rec:times()) do assert.equal(k, t, what) end
          assert.is_true(rec.torn ~= nil and #rec.frames < 8, what)
          shorter = shorter + 1
        else
          assert.is_string(message, what)
        end
      end
    end
    assert.is_true(shorter > #text)
  end)

  it("of format 1 is read as before", function()
    local _, old = read("spec/fuzz/corpus/recordings/plane_1"):match "^(.)(.*)$"
    local rec = assert(with_text(".rec", old, record.read))
    assert.same({ 1, 2, 3 }, rec:times())
    assert.is_nil(rec.torn)
  end)

  it("whose sums were made anew is told, too", function()
    local pack = require "delassus.pack"
    local function with_head(head)
      local body = "delassus.rec 2\nHEAD" .. ("<I4I4"):pack(#head, pack.checksum("HEAD" .. head)) .. head
      return with_text(".rec", body, record.read)
    end
    for head, told in pairs{
      ["null"] = "head is damaged", ["[]"] = "head is damaged", ['{"channels":[1],"series":[]}'] = "is damaged",
      ['{"channels":[{"name":3}],"series":[]}'] = "'name' must be a string",
      ['{"channels":[],"series":[{"nam":"a"}]}'] = "unknown option 'nam'",
    } do
      local rec, message = with_head(head)
      assert.is_nil(rec, head)
      assert.matches(told, message, 1, true)
    end
    assert.is_table((with_head('{"channels":[],"series":[]}')))
  end)
end)

describe("a model's file", function()
  for _, name in ipairs{ "arm.urdf", "arm.lua" } do
    it("cut at any byte is a world or told in words: " .. name, function()
      local text, worlds = read("spec/support/" .. name), 0
      for n = 0, #text, name == "arm.lua" and 3 or 1 do
        local world, message = with_text(name:match "%..*", text:sub(1, n), require "delassus.load")
        if world then worlds = worlds + 1 else assert.is_string(message, "cut at " .. n) end
      end
      assert.is_true(worlds >= 1)
    end)
  end
end)

describe("a snapshot", function()
  it("cut at any byte, or with a changed bit in any, is refused, and the world stays", function()
    local world = require "support.world_scene".build()
    world:step(3)
    local bytes, hash = world:snapshot(), world:hash()
    local random = delassus.random(1)
    for at = 1, #bytes, 7 do
      local place = at + random:integer(0, math.min(6, #bytes - at))
      local other = string.char(bytes:byte(place) ~ (1 << random:integer(0, 7)))
      local changed = bytes:sub(1, place - 1) .. other .. bytes:sub(place + 1)
      assert.is_false((pcall(world.restore, world, changed)), "byte " .. place)
      assert.is_false((pcall(world.restore, world, bytes:sub(1, place - 1))), "cut at " .. place)
    end
    assert.equal(hash, world:hash())
  end)
end)
