-- Copyright (c) 2026 the delassus authors.
-- SPDX-License-Identifier: MIT
local cjson = require "cjson"
local delassus = require "delassus"
local pack = require "delassus.pack"
local record = require "delassus.record"

local function read_all(path)
  local file <close> = assert(io.open(path, "rb"))
  return file:read("a")
end

-- Calls f with the path of what is saved with this ending.
local function saved(rec, ending, f)
  local path = os.tmpname()
  os.remove(path)
  assert(rec:save(path .. ending))
  f(path .. ending)
  os.execute("rm -r " .. path .. "*")
end

-- A ball, a tumbling box that leaves, and a floor.
local function recording()
  local world = delassus.world{ dt = 1e-3 }
  world:floor{ offset = -2 }
  world:sphere{ name = "ball", radius = 0.1, position = { 1, 0, 3 }, velocity = { 0, 2, 0 } }
  local box = world:box{ name = "a <box>", size = { 0.1, 0.2, 0.4 }, position = { 0, 0, 1 }, angular_velocity = { 9, 2, 3 } }
  local rec = world:record{ every = 1 / 50 }
  world:step(300)
  world:remove(box)
  world:step(100)
  rec:close()
  return rec
end

-- The document and a reader of accessors -> list of numbers.
local function glb(path)
  local text = read_all(path)
  local magic, version, size, json_size, kind = ("<c4I4I4I4c4"):unpack(text)
  assert.same({ "glTF", 2, #text, "JSON" }, { magic, version, size, kind })
  local doc = cjson.decode(text:sub(21, 20 + json_size))
  local bin_size, bin_kind = ("<I4c4"):unpack(text, 21 + json_size)
  assert.equal("BIN\0", bin_kind)
  assert.equal(#text, 28 + json_size + bin_size)
  local start = 29 + json_size
  return doc, function(index)
    local accessor = doc.accessors[index + 1]
    local view = doc.bufferViews[accessor.bufferView + 1]
    local width = ({ SCALAR = 1, VEC3 = 3, VEC4 = 4 })[accessor.type]
    local code = accessor.componentType == 5126 and "f" or "I4"
    return (pack.unpack(code, text, start + view.byteOffset, accessor.count * width)), accessor
  end
end

describe("a recording saved as .glb", function()
  it("holds every pose: positions, unit quaternions, and nothing where a body is gone", function()
    local rec = recording()
    saved(rec, ".glb", function(path)
      local doc, read = glb(path)
      local tracks = {}
      for _, channel in ipairs(doc.animations[1].channels) do
        local name = doc.nodes[channel.target.node + 1].name
        tracks[name] = tracks[name] or {}
        local sampler = doc.animations[1].samplers[channel.sampler + 1]
        tracks[name][channel.target.path] = read(sampler.output)
        local times, accessor = read(sampler.input)
        assert.same({ times[1], times[#times] }, { accessor.min[1], accessor.max[1] })
        for k, t in ipairs(rec:times()) do assert.near(t, times[k], 1e-6) end
      end
      assert.is_nil(tracks.floor)
      local bodies = { ball = 2, ["a <box>"] = 3 }
      for name, i in pairs(bodies) do
        local track = tracks[name]
        for k = 1, #rec:times() do
          local pose = rec:poses(k)
          local at, norm = 7 * (i - 1), 0
          local here = pose[at + 1] == pose[at + 1]
          if track.scale then assert.equal(here and 1 or 0, track.scale[3 * k]) end
          for c = 1, 3 do if here then assert.near(pose[at + c], track.translation[3 * k - 3 + c], 1e-6) end end
          local dot = 0
          for c = 1, 4 do
            local q = track.rotation[4 * k - 4 + c]
            norm = norm + q * q
            dot = dot + q * pose[at + (c == 4 and 4 or 4 + c)]
          end
          assert.near(1, norm, 1e-6)
          if here then assert.near(1, math.abs(dot), 1e-6) end
        end
      end
      assert.is_nil(tracks.ball.scale)
      assert.equal(0, tracks["a <box>"].scale[3 * #rec:times()])
      local root = doc.nodes[1]
      assert.same({ -math.sqrt(0.5), 0, 0, math.sqrt(0.5) }, root.rotation) -- z up becomes y up
    end)
  end)

  it("holds a mesh a body, its least and greatest coordinates those of the shape", function()
    saved(recording(), ".glb", function(path)
      local doc, read = glb(path)
      local box = doc.meshes[3].primitives[1]
      local positions, accessor = read(box.attributes.POSITION)
      for c, half in ipairs{ 0.05, 0.1, 0.2 } do
        assert.near(-half, accessor.min[c], 1e-8)
        assert.near(half, accessor.max[c], 1e-8)
      end
      assert.equal(#positions, #(read(box.attributes.NORMAL)))
      for _, index in ipairs((read(box.indices))) do assert.is_true(index < #positions // 3) end
    end)
  end)
end)

describe("a recording saved as .pvd", function()
  -- The numbers of the array `name` of a .vtp file.
  local function array(text, name)
    local kind, width, offset = text:match('<DataArray type="(%w+)" Name="' .. name:gsub("%p", "%%%0")
      .. '" NumberOfComponents="(%d)"[^>]- offset="(%d+)"')
    local start = text:find("<AppendedData encoding=\"raw\">_", 1, true) + #"<AppendedData encoding=\"raw\">_" + offset
    local size = ("<I4"):unpack(text, start)
    return (pack.unpack(kind == "Float32" and "f" or "i4", text, start + 4, size // 4)), tonumber(width)
  end

  it("has a file a frame, the bodies' surfaces where the bodies are, each cell with its body and speed", function()
    local rec = recording()
    saved(rec, ".pvd", function(path)
      local collection = read_all(path)
      local k = 0
      for time, file in collection:gmatch('<DataSet timestep="([^"]+)" part="0" file="([^"]+)"/>') do
        k = k + 1
        assert.equal(rec:times()[k], tonumber(time))
        local text = read_all(path:match("^(.*/)") .. file)
        local points = array(text, "Points")
        local faces, ends = array(text, "connectivity"), array(text, "offsets")
        local of_body, speed = array(text, "body"), array(text, "speed (m/s)")
        assert.equal(#points // 3, tonumber(text:match('NumberOfPoints="(%d+)"')))
        assert.equal(#ends, tonumber(text:match('NumberOfPolys="(%d+)"')))
        assert.equal(#faces, ends[#ends])
        assert.same({ #ends, #ends }, { #of_body, #speed })
        local pose, sum, count, seen = rec:poses(k), { 0, 0, 0 }, 0, {}
        for cell, body in ipairs(of_body) do
          seen[body] = true
          assert.near(rec:channel("speed", k)[body], speed[cell], 0)
          for i = ends[cell] - 2, ends[cell] do
            local p = { points[3 * faces[i] + 1], points[3 * faces[i] + 2], points[3 * faces[i] + 3] }
            if body == 2 then -- on the ball
              assert.near(0.1, math.sqrt((p[1] - pose[8]) ^ 2 + (p[2] - pose[9]) ^ 2 + (p[3] - pose[10]) ^ 2), 1e-6)
            elseif body == 3 then -- corners of the box: their mean is its centre
              for c = 1, 3 do sum[c] = sum[c] + p[c] end
              assert.near(math.sqrt(0.05 ^ 2 + 0.1 ^ 2 + 0.2 ^ 2),
                math.sqrt((p[1] - pose[15]) ^ 2 + (p[2] - pose[16]) ^ 2 + (p[3] - pose[17]) ^ 2), 1e-6)
              count = count + 1
            end
          end
        end
        local here = pose[15] == pose[15]
        assert.equal(here, seen[3] == true)
        for c = 1, here and 3 or 0 do assert.near(pose[14 + c], sum[c] / count, 0.15) end
      end
      assert.equal(#rec:times(), k)
    end)
  end)

  it("is read by expat where its numbers are left out", function()
    local lxp = require "lxp"
    saved(recording(), ".pvd", function(path)
      local folder = path:gsub("%.pvd$", "")
      local file = read_all(folder .. "/" .. folder:match("[^/]+$") .. "_00000.vtp")
      for _, text in ipairs{ read_all(path), (file:gsub("<AppendedData.*</AppendedData>", "")) } do
        local parser = lxp.new{}
        assert.truthy(parser:parse(text))
        assert.truthy(parser:parse())
        parser:close()
      end
    end)
  end)
end)

describe("a recording that is saved", function()
  it("is UTF-8 whatever the names are, and .rec keeps them", function()
    local name = "\xff a \xc3"
    local world = delassus.world{}
    world:sphere{ name = name, radius = 0.1 }
    local rec = world:record{ title = "\xfe" }
    for _, ending in ipairs{ ".json", ".csv", ".html" } do
      saved(rec, ending, function(path)
        local text = read_all(path)
        assert.truthy(utf8.len(text), ending)
        if ending ~= ".html" then assert.truthy(text:find("\u{FFFD} a \u{FFFD}", 1, true), ending) end
      end)
    end
    saved(rec, ".glb", function(path)
      local size, text = ("<I4"):unpack(read_all(path), 13), read_all(path)
      assert.truthy(utf8.len(text:sub(21, 20 + size)))
    end)
    saved(rec, ".rec", function(path) assert.equal(name, record.read(path).bodies[1].name) end)
    assert.truthy(delassus.plot{ x = { 1 }, y = { 1 }, title = "a\1b" }:find("a\u{FFFD}b", 1, true))
  end)

  it("says what is wrong: no frame, no folder", function()
    local rec = record{ bodies = { { name = "a" } } }
    assert.error_matches(function() rec:save("x.glb") end, "rec:save: there is no frame yet", 1, true)
    rec:frame{ time = 0, poses = { 0, 0, 0, 1, 0, 0, 0 } }
    for _, ending in ipairs{ ".glb", ".pvd" } do
      local ok, message = rec:save("/proc/no/such" .. ending)
      assert.is_nil(ok)
      assert.matches("/proc/no/such", message, 1, true)
    end
    local missing = os.tmpname()
    os.remove(missing)
    for _, ending in ipairs{ ".html", ".csv", ".json", ".rec", ".glb", ".pvd" } do
      local ok, message = rec:save(missing .. "/run" .. ending)
      assert.is_nil(ok)
      assert.matches(missing .. "/run", message, 1, true)
      assert.is_nil(io.open(missing)) -- and makes no folder
    end
  end)

  it("raises for names that it does not know, with the nearest known", function()
    local rec = record{ bodies = { { name = "a" } } }
    for name, near in pairs{ titel = "title", sve = "save", bodie = "bodies", last_tme = "last_time" } do
      local said = ("unknown property '%s' (did you mean '%s'?)"):format(name, near)
      assert.error_matches(function() return rec[name] end, said, 1, true)
    end
    for _, name in ipairs{ "title", "last_time", "torn", "keep", "speed" } do assert.is_nil(rec[name]) end
  end)

  it("is drawn bar by bar where bodies have no shape", function()
    local rec = record{ planar = true, bodies = { { name = "link", mass = 1, com = { 1, 0 } } },
      connections = { { kind = "revolute", a = 0, b = 1 }, { kind = "spring", a = 0, b = 1, point_b = { 2, 0 } } } }
    rec:frame{ time = 0, poses = { 0, 0, 0 } }
    rec:frame{ time = 1, poses = { 0, 1, 0.5 } }
    saved(rec, ".glb", function(path)
      local doc, read = glb(path)
      local _, accessor = read(doc.meshes[1].primitives[1].attributes.POSITION)
      assert.same({ 0, 2 }, { accessor.min[1], accessor.max[1] })
    end)
  end)
end)
