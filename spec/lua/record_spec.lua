-- Copyright (c) 2026 the delassus authors.
-- SPDX-License-Identifier: MIT
local record = require "delassus.record"
local json = require "delassus.json"

-- Numbers with few binary digits: 4-byte floats hold them exactly.
local function eighths(i, salt)
  return (i * 37 + salt * 11) % 256 / 8 - 16
end

local function options(more)
  local o = { title = "three disks", planar = true, contacts = true,
    bodies = { { name = "floor", type = "static", shape = { kind = "plane", normal = { 0, 1 } } },
      { name = "a", shape = { kind = "disk", radius = 0.5 } }, { name = "b, c", shape = { kind = "box", size = { 1,
        2 } } } },
    channels = { { name = "force", unit = "N" }, { name = "hits" } },
    series = { { name = "power", unit = "W" }, { name = "gap" } } }
  for k, v in pairs(more or {}) do o[k] = v end
  return o
end

local function frame(k)
  local poses, force, hits, contacts = {}, {}, {}, {}
  for i = 1, 9 do poses[i] = eighths(k, i) end
  for i = 1, 3 do force[i], hits[i] = eighths(k, 20 + i), k + i end
  for i = 1, 4 * (k % 3) do contacts[i] = eighths(k, 30 + i) end
  return { time = 0.1 * k, poses = poses, channels = { force = force, hits = hits }, contacts = contacts,
    series = { power = math.sin(k), gap = k > 2 and k or nil } }
end

local function recorded(n, more)
  local rec = record(options(more))
  for k = 1, n do assert(rec:frame(frame(k))) end
  return rec
end

local function with_file(ending, action)
  local path = os.tmpname()
  os.remove(path)
  path = path .. ending
  action(path)
  os.remove(path)
end

local function read_all(path)
  local file <close> = assert(io.open(path, "rb"))
  return file:read("a")
end

local function write_all(path, text)
  local file <close> = assert(io.open(path, "wb"))
  file:write(text)
end

local function assert_same_frames(rec, n)
  assert.equal(n, #rec:times())
  for k = 1, n do
    local want = frame(k)
    assert.equal(want.time, rec:times()[k])
    assert.same(want.poses, rec:poses(k))
    assert.same(want.channels.force, rec:channel("force", k))
    assert.same(want.channels.hits, rec:channel("hits", k))
    assert.equal(want.series.power, rec:values("power")[k])
  end
end

describe("record", function()
  it("is exact: what was recorded is read back from a file", function()
    with_file(".rec", function(path)
      assert.is_true(recorded(20):save(path))
      local rec = assert(record.read(path))
      assert.is_nil(rec.torn)
      assert.equal("three disks", rec.title)
      assert.equal("b, c", rec.bodies[3].name)
      assert.same({ 1, 2 }, { table.unpack(rec.bodies[3].shape.size) })
      assert_same_frames(rec, 20)
      assert.is_true(rec:values("gap")[1] ~= rec:values("gap")[1]) -- not given: no value
      assert.equal(3, rec:values("gap")[3])
    end)
  end)

  it("writes the same file as it goes as it does at the end", function()
    with_file(".rec", function(path)
      local rec = recorded(7, { file = path })
      assert.is_true(rec:close())
      assert.is_true(rec:close())
      local streamed = read_all(path)
      assert.is_true(rec:save(path))
      assert.equal(streamed, read_all(path))
    end)
  end)

  it("writes to anything with a write method", function()
    local parts = {}
    local rec = recorded(3, { stream = { write = function(_, text) parts[#parts + 1] = text return true end } })
    with_file(".rec", function(path)
      rec:save(path)
      assert.equal(read_all(path), table.concat(parts))
    end)
  end)

  it("reads a file torn at any byte up to its last whole frame", function()
    with_file(".rec", function(path)
      recorded(3):save(path)
      local text, counts = read_all(path), {}
      for cut = 1, #text - 1 do
        write_all(path, text:sub(1, cut))
        local rec, message = record.read(path)
        if rec then
          local n = #rec:times()
          assert.is_true(n < 3)
          assert_same_frames(rec, n)
          counts[n] = true
        else
          assert.matches("not a recording of delassus", (message:gsub("the recording's head is damaged",
            "not a recording of delassus")))
        end
      end
      assert.same({ [0] = true, [1] = true, [2] = true }, counts)
    end)
  end)

  it("reads up to a damaged frame, and says how much follows", function()
    with_file(".rec", function(path)
      recorded(5):save(path)
      local text = read_all(path)
      local _, third = text:find("FRAM.-FRAM.-FRAM")
      write_all(path, text:sub(1, third + 20) .. string.char(text:byte(third + 21) ~ 64) .. text:sub(third + 22))
      local rec = assert(record.read(path))
      assert_same_frames(rec, 2)
      assert.equal(#text - third + 4, rec.torn)
    end)
  end)

  it("answers nil and a message for files that are no recordings, are newer, or are not there", function()
    with_file(".rec", function(path)
      write_all(path, "something else")
      assert.same({ nil, path .. ": not a recording of delassus" }, { record.read(path) })
      write_all(path, "delassus.rec 3\nHEAD")
      assert.matches("version 3 of the format, this one reads 1 and 2", (select(2, record.read(path))))
    end)
    assert.is_nil((record.read("/no/such/file.rec")))
    assert.is_nil((record(options{ file = "/no/such/folder/a.rec" })))
    assert.is_nil((recorded(1):save("/no/such/folder/a.rec")))
  end)

  it("tells when a stream cannot be written, and keeps the frames", function()
    local rec = record(options{ stream = { write = function() return nil, "disk full" end } })
    local ok, message = rec:frame(frame(1))
    assert.is_nil(ok)
    assert.equal("disk full", message)
    assert.equal(1, #rec:times())
  end)

  it("is exact: a table of one line a frame, by columns", function()
    with_file(".csv", function(path)
      recorded(4):save(path)
      local lines = {}
      for line in read_all(path):gmatch("[^\n]+") do lines[#lines + 1] = line end
      assert.equal(5, #lines)
      assert.equal('time (s),power (W),gap,floor.x (m),floor.y (m),floor.angle (rad),floor.force (N),floor.hits,a.x (m),a.y (m),'
        .. 'a.angle (rad),a.force (N),a.hits,"b, c.x (m)","b, c.y (m)","b, c.angle (rad)","b, c.force (N)","b, c.hits"', lines[1])
      for k = 1, 4 do
        local cells, want = {}, frame(k)
        for cell in (lines[k + 1] .. ","):gmatch("([^,]*),") do cells[#cells + 1] = cell end
        assert.equal(18, #cells)
        assert.equal(want.time, tonumber(cells[1]))
        assert.equal(want.series.power, tonumber(cells[2]))
        assert.equal(want.series.gap, tonumber(cells[3]))
        for i = 1, 3 do
          for j = 1, 3 do assert.equal(want.poses[3 * i - 3 + j], tonumber(cells[5 * i - 2 + j])) end
          assert.equal(want.channels.force[i], tonumber(cells[5 * i + 2]))
          assert.equal(want.channels.hits[i], tonumber(cells[5 * i + 3]))
        end
      end
    end)
  end)

  it("is exact: plain numbers for other programs, by cjson", function()
    with_file(".json", function(path)
      recorded(3):save(path)
      local data = require("cjson").decode(read_all(path))
      assert.equal("delassus.recording", data.format)
      for k = 1, 3 do
        assert.same(frame(k).poses, data.poses[k])
        assert.same(frame(k).channels.force, data.channels.force[k])
      end
    end)
  end)

  it("saves a replay: a page with a chart for every series", function()
    with_file(".html", function(path)
      recorded(3):save(path)
      assert.matches("^<!DOCTYPE html>", read_all(path))
      assert.same({ "Power", "Gap" }, { recorded(3):charts()[1].title, recorded(3):charts()[2].title })
    end)
  end)

  it("keeps the last seconds only, where asked", function()
    local rec = recorded(500, { keep = 2 })
    local times = rec:times()
    assert.is_true(#times >= 20 and #times <= 22, #times)
    assert.near(50 - 2, times[1], 0.1 + 1e-9)
    assert.equal(50, times[#times])
    assert.is_true(#rec.frames < 130)
  end)

  it("holds bodies added later as absent before", function()
    local rec = recorded(2)
    assert.equal(4, rec:add{ name = "late", shape = { kind = "disk", radius = 1 } })
    assert.error_matches(function() rec:frame(frame(3)) end, "'poses' must hold 12 numbers, got 9", 1, true)
    local given = frame(3)
    for i = 1, 3 do given.poses[9 + i] = i end
    given.channels.force[4], given.channels.hits[4] = 1, 2
    assert(rec:frame(given))
    local scene = rec:scene()
    local first = ("<f"):unpack(scene.poses, 4 * 9 + 1)
    assert.is_true(first ~= first)
    assert.equal(3, (("<f"):unpack(scene.poses, #scene.poses - 3)))
    with_file(".rec", function(path)
      rec:save(path)
      assert.equal(3, #assert(record.read(path)):times())
    end)
  end)

  it("names what is wrong in options and frames", function()
    local function wrong(message, action, ...) assert.error_matches(action, message, 1, true, ...) end
    wrong("delassus.record: unknown option 'planer' (did you mean 'planar'?)", function() record{ planer = true } end)
    wrong("bodies[1]: 'shape.kind' must be one of 'disk'", function() record{ planar = true,
      bodies = { { shape = { kind = "sphere", radius = 1 } } } } end)
    wrong("bodies[1]: 'shape.radius' must be a number, got nil",
      function() record{ bodies = { { shape = { kind = "sphere" } } } } end)
    wrong("bodies[1]: 'type' must be one of 'dynamic', 'kinematic', 'static', got 'fixed'",
      function() record{ bodies = { { type = "fixed" } } } end)
    wrong("channels[1]: 'name' must be a string, got nil", function() record{ channels = { {} } } end)
    wrong("channels[1]: 'range' must be a list of numbers, got 3",
      function() record{ channels = { { name = "a", range = 3 } } } end)
    wrong("channels[1]: 'range' must be {lo, hi}, got 1 numbers",
      function() record{ channels = { { name = "a", range = { 1 } } } } end)
    wrong("'connections' must be a list, got 3", function() record{ connections = 3 } end)
    wrong("'bodies' must be a list, got one with ['name']", function() record{ bodies = { name = "a" } } end)
    wrong("'bodies' must be a list, got one without [1]", function() record{ bodies = { nil, { name = "a" } } } end)
    for _, stream in ipairs{ "run.rec", 3, true, {}, { write = 3 }, print } do
      wrong("delassus.record: 'stream' must have a method 'write', got ", function() record{ stream = stream } end)
    end
    wrong("delassus.record: give 'file' or 'stream', not both", function() record{ stream = io.stderr, file = "a.rec" } end)
    for _, ending in ipairs{ "html", "glb", "pvd" } do
      wrong("rec:save: there is no frame yet", function() recorded(0):save("none." .. ending) end)
    end
    local rec = recorded(2)
    local function frame_with(change)
      local given = frame(3)
      for k, v in pairs(change) do given[k] = v end
      return function() rec:frame(given) end
    end
    wrong("rec:frame: 'time' must rise: 0.2 after 0.2", frame_with{ time = 0.2 })
    wrong("rec:frame: 'time' must be finite, got nan", function() rec:frame{ time = math.abs(0 / 0), poses = {} } end)
    wrong("rec:frame: unknown option 'pose' (did you mean 'poses'?)", frame_with{ pose = {} })
    wrong("rec:frame: 'poses' must hold 9 numbers, got 2", frame_with{ poses = { 1, 2 } })
    wrong("rec:frame: 'channels.force' must be a list of numbers, got nil", frame_with{ channels = {} })
    wrong("rec:frame: 'contacts' must hold 4 numbers a contact", frame_with{ contacts = { 1, 2, 3 } })
    wrong("rec:save: the ending must be .html, .json, .csv, .glb, .pvd or .rec, got 'a.png'", function() rec:save("a.png") end)
    assert_same_frames(rec, 2)
    assert.equal("delassus.Recorder (3 bodies, 2 frames, t = 0.2 s)", tostring(rec))
  end)
end)

describe("a recording in space", function()
  it("is exact: seven numbers a body come back", function()
    local rec = record{ bodies = { { name = "log", shape = { kind = "capsule", radius = 0.1, length = 1 } } } }
    rec:frame{ time = 0, poses = { 1, 2, 3, 0.5, 0.5, -0.5, 0.5 } }
    assert.same({ 1, 2, 3, 0.5, 0.5, -0.5, 0.5 }, rec:poses(1))
    assert.equal("world", json.decode(require("delassus.report"){ title = "x", scene = rec }:json()).scene.kind)
  end)
end)
