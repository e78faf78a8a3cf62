-- Copyright (c) 2026 the delassus authors.
-- SPDX-License-Identifier: MIT
-- A recording of every shape of space, saved as .pvd and read back by VTK: times, bodies, where they are and what they
-- enclose. Where VTK is not installed it is left out; `make vtk` installs it.
local delassus = require "delassus"

local PYTHON = "/usr/bin/python3"
local there = os.execute(PYTHON .. " -c 'import vtkmodules.vtkIOXML' 2>/dev/null")
local wanted = os.getenv "DELASSUS_VTK" == "required"

local cube = { {-.1, -.1, -.1}, {.1, -.1, -.1}, {.1, .1, -.1}, {-.1, .1, -.1}, {0, 0, .2} }
-- Shapes, and the share of their volume that facets may leave out.
local SHAPES = {
  { delassus.sphere{ radius = 0.1 }, 0.05 }, { delassus.capsule{ radius = 0.1, length = 0.3 }, 0.05 },
  { delassus.cylinder{ radius = 0.1, length = 0.3 }, 0.05 },
  { delassus.cone{ radius1 = 0.1, radius2 = 0.05, length = 0.3 }, 0.05 },
  { delassus.ellipsoid{ radii = {0.2, 0.1, 0.07} }, 0.05 }, { delassus.box{ size = {0.1, 0.2, 0.3} }, 1e-5 },
  { delassus.convex{ points = cube }, 1e-5 },
}

local function read(path)
  local pipe, frames = assert(io.popen(("%s spec/support/read_vtk.py '%s' 2>&1"):format(PYTHON, path))), {}
  for line in pipe:lines() do
    local kind, rest = line:match("^(%a+) (.*)$")
    local words = {}
    for word in (rest or ""):gmatch("%S+") do words[#words + 1] = tonumber(word) or word end
    if kind == "file" then frames[#frames + 1] = { time = words[1], cells = words[3], names = words[4], bodies = {} }
    elseif kind == "body" then frames[#frames].bodies[words[1]] = words
    else error("VTK says: " .. line) end
  end
  assert(pipe:close(), "VTK complains of " .. path)
  return frames
end

describe("a recording of every shape in space", function()
  local test = (there or wanted) and it or pending
  test("is what VTK reads in its .pvd and .vtp files", function()
    local folder = os.tmpname()
    os.remove(folder)
    assert(os.execute("mkdir " .. folder))
    finally(function() os.execute("rm -rf " .. folder) end)
    local world <close> = delassus.world{ record = false }
    for i, shape in ipairs(SHAPES) do
      world:body{ shape = shape[1], position = {i, 0, 1}, rotation = { axis = {1, i, 2}, angle = 0.7 * i },
        velocity = {0, i, 0}, angular_velocity = {0, 0, 1} }
    end
    local rec = world:record{ every = 0.05 }
    world:run(0.2)
    assert(rec:save(folder .. "/all.pvd"))
    local frames, times = read(folder .. "/all.pvd"), rec:times()
    assert.equal(#times, #frames)
    for k, frame in ipairs(frames) do
      assert.equal(times[k], frame.time)
      assert.matches("body", frame.names)
      local pose = rec:poses(k)
      for i, shape in ipairs(SHAPES) do
        local at = ("frame %d, body %d"):format(k, i)
        local body = assert(frame.bodies[i], at)
        local open, volume, x = body[2], body[3], { body[4], body[5], body[6] }
        local right = shape[1]:mass(1)
        assert.equal(0, open, at)
        local told = ("%s: %g of %g"):format(at, volume, right)
        assert.is_true(volume <= right * (1 + 1e-5) and volume >= right * (1 - shape[2]), told)
        local lo, hi = shape[1]:bounds{ position = { pose[7 * i - 6], pose[7 * i - 5], pose[7 * i - 4] },
          rotation = { pose[7 * i - 3], pose[7 * i - 2], pose[7 * i - 1], pose[7 * i] } }
        for c = 1, 3 do assert.near((lo[c] + hi[c]) / 2, x[c], 0.005, at) end
        assert.near(rec:channel("speed", k)[i], body[7], 1e-6 * body[7], at)
      end
    end
  end)
end)
