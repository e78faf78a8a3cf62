-- Copyright (c) 2026 the delassus authors.
-- SPDX-License-Identifier: MIT
local paths = require "delassus.page_paths"

-- A scene of bodies whose positions are functions of the time, in the plane or (three numbers) in space.
local function scene(motions, planar)
  local out = { kind = "world", planar = planar, time = {}, bodies = {}, poses = {} }
  for k = 1, 101 do
    local t = (k - 1) / 100
    out.time[k] = t
    for i, motion in ipairs(motions) do
      out.bodies[i] = { name = "body " .. i }
      local p = { motion(t) }
      local pose = planar and { p[1], p[2], 0 } or { p[1], p[2], p[3], 1, 0, 0, 0 }
      table.move(pose, 1, #pose, #out.poses + 1, out.poses)
    end
  end
  return out
end

-- Width and height of the curves of a chart, pixels.
local function extents(svg)
  local out = {}
  for d in svg:gmatch('<path fill="none"[^>]- d="([^"]+)"') do
    local low, high = { math.huge, math.huge }, { -math.huge, -math.huge }
    for x, y in d:gmatch("[ML]([%d.-]+) ([%d.-]+)") do
      for c, v in ipairs{ tonumber(x), tonumber(y) } do low[c], high[c] = math.min(low[c], v), math.max(high[c], v) end
    end
    if high[1] > low[1] then out[#out + 1] = { high[1] - low[1], high[2] - low[2] } end
  end
  return out
end

local function circle(t) return 3 + 0.5 * math.cos(2 * math.pi * t), 0.5 * math.sin(2 * math.pi * t), t end

describe("paths of bodies as charts", function()
  it("are exact: a circle is as wide as high, a line at 3 in 4 has that slope", function()
    local charts, moving = paths.charts(scene({ circle, function(t) return 4 * t, 3 * t end, function() return 9, 9 end }, true))
    assert.equal(1, #charts)
    assert.equal(2, moving)
    local all = extents(charts[1])
    assert.equal(2, #all)
    assert.near(all[1][1], all[1][2], 0.3) -- curves are thinned within a column of pixels
    assert.near(0.75, all[2][2] / all[2][1], 1e-3)
    assert.near(4, all[2][1] / all[1][1], 0.02)
  end)

  it("are drawn from the front and from above in space", function()
    local charts = paths.charts(scene({ circle }, false))
    assert.equal(2, #charts)
    local front, above = extents(charts[1])[1], extents(charts[2])[1]
    assert.near(1, front[2] / front[1], 1e-2) -- rises by 1 m over a width of 1 m
    assert.near(1, above[2] / above[1], 1e-2)
    assert.matches(">z %(m%)<", charts[1])
    assert.matches(">y %(m%)<", charts[2])
  end)

  it("hold the eight longest, and say how many there are", function()
    local many = {}
    for i = 1, 20 do many[i] = function(t) return i * t, i end end
    local charts, moving = paths.charts(scene(many, true))
    assert.equal(20, moving)
    assert.equal(8, #extents(charts[1]))
    assert.truthy(charts[1]:find("body 20", 1, true))
    assert.is_nil(charts[1]:find("body 12<", 1, true))
    assert.same({ {}, 0 }, { paths.charts(scene({ function() return 1, 1 end }, true)) })
  end)

  it("are on the page without the viewer, and the terminal says so in one line, once", function()
    local script = os.tmpname()
    local file = assert(io.open(script, "w"))
    file:write(([[
      package.path, package.cpath = %q, %q
      local delassus = require "delassus"
      local world = delassus.world{ planar = true }
      world:disk{ name = "ball", radius = 0.1, position = { 0, 1 }, velocity = { 1, 0 } }
      world:run(0.2)
      assert(not world:show("/no/such/folder/page.html"))
      for _ = 1, 2 do assert(world:show(%q)) end]]):format(package.path, package.cpath, script .. ".html"))
    file:close()
    local pipe = assert(io.popen("DELASSUS_VIEWER=/no/viewer DELASSUS_BROWSER='' lua5.4 " .. script .. " 2>&1"))
    local told = pipe:read("a")
    assert.is_true(pipe:close(), told)
    local _, lines = told:gsub("the replay page is not built %(make viewer%): [^\n]* has paths, charts and tables\n", "")
    assert.equal(1, lines)
    assert.is_nil(told:find("/no/such/folder", 1, true), "of a page that was not written")
    local page = assert(io.open(script .. ".html"))
    assert.truthy(page:read("a"):find(">Paths<", 1, true))
    page:close()
    os.remove(script)
    os.remove(script .. ".html")
  end)
end)
