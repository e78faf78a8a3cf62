-- Copyright (c) 2026 the delassus authors.
-- SPDX-License-Identifier: MIT
local plot = require "delassus.plot"
local svg = require "delassus.svg"

-- Reads a picture's scale from its own axes: where the text of each tick stands. Returns a map from values to pixels.
local function scale_of(text, along)
  local points = {}
  for x, y, rest,
    label in text:gmatch('<text x="([%d.-]+)" y="([%d.-]+)" text%-anchor="(%l+[^>]-)>([%d.e-]+)</text>') do
    local horizontal = rest:find("^middle") ~= nil
    if horizontal == (along == "x") and tonumber(label) then
      points[#points + 1] = { tonumber(label), tonumber(along == "x" and x or y) }
    end
  end
  local a, b = points[1], points[#points]
  return function(v) return a[2] + (v - a[1]) / (b[1] - a[1]) * (b[2] - a[2]) end, points
end

local function curve_points(text, colour)
  local d = text:match('stroke="' .. colour .. '".- d="([^"]+)"')
  local points = {}
  for x, y in d:gmatch("[ML]([%d.-]+) ([%d.-]+)") do points[#points + 1] = { tonumber(x), tonumber(y) } end
  return points
end

local FIRST, SECOND = "#c8643c", "#3f7fb5"
local PIXEL = 0.011 -- coordinates are written with two decimals

describe("plot", function()
  it("is exact: every point of a curve stands where the axes' own numbers say", function()
    local x, y = {}, {}
    for i = 1, 21 do x[i], y[i] = 0.1 * (i - 1), 1 - 4.905 * (0.1 * (i - 1)) ^ 2 end
    local text = plot{ x = x, y = { height = y } }
    local at_x, at_y = scale_of(text, "x"), scale_of(text, "y")
    local points = curve_points(text, FIRST)
    assert.equal(21, #points)
    for i, p in ipairs(points) do
      assert.near(at_x(x[i]), p[1], PIXEL)
      assert.near(at_y(y[i]), p[2], PIXEL)
    end
  end)

  it("keeps the highest and lowest of many points", function()
    local x, y = {}, {}
    for i = 1, 100000 do x[i], y[i] = i, i == 54321 and 7 or i == 54399 and -3 or 0 end
    local text = plot{ x = x, y = { peak = y } }
    local at_y, top, bottom = scale_of(text, "y"), math.huge, -math.huge
    for _, p in ipairs(curve_points(text, FIRST)) do top, bottom = math.min(top, p[2]), math.max(bottom, p[2]) end
    assert.near(at_y(7), top, PIXEL)
    assert.near(at_y(-3), bottom, PIXEL)
    assert.is_true(#text < 40000)
  end)

  it("breaks a curve at NaN", function()
    local text = plot{ x = { 1, 2, 3, 4, 5 }, y = { a = { 1, 2, 0 / 0, 2, 1 } } }
    local _, runs = text:match('stroke="' .. FIRST .. '".- d="([^"]+)"'):gsub("M", "")
    assert.equal(2, runs)
    assert.is_nil(text:find("nan", 1, true))
  end)

  it("names series in the order of numbers within names, and the same each time", function()
    local y = {}
    for i = 1, 12 do y["gap " .. i] = { i, i } end
    local text = plot{ x = { 0, 1 }, y = y }
    local found = {}
    for name in text:gmatch(">(gap %d+)<") do found[#found + 1] = name end
    assert.equal(12, #found)
    for i, name in ipairs(found) do assert.equal("gap " .. i, name) end
    assert.equal(text, plot{ x = { 0, 1 }, y = y })
  end)

  it("draws each series with its own colour", function()
    local text = plot{ x = { 0, 1 }, y = { a = { 0, 1 }, b = { 1, 0 } } }
    local a, b = curve_points(text, FIRST), curve_points(text, SECOND)
    assert.near(a[1][2], b[2][2], PIXEL)
    assert.near(a[2][2], b[1][2], PIXEL)
  end)

  it("is exact: a column of a histogram is as high as its number", function()
    local text = plot{ x = { 1, 2, 3 }, y = { n = { 4, 0, 8 } }, style = "bars" }
    local at_y, heights = scale_of(text, "y"), {}
    for height in text:match('<g fill="' .. FIRST .. '".-</g>'):gmatch('height="([%d.]+)"') do
      heights[#heights + 1] = tonumber(height)
    end
    assert.near(at_y(0) - at_y(4), heights[1], PIXEL)
    assert.near(0, heights[2], PIXEL)
    assert.near(at_y(0) - at_y(8), heights[3], PIXEL)
  end)

  it("has ticks on round numbers around the data, for spans from 1e-9 to 1e9", function()
    for power = -9, 9 do
      for _, m in ipairs{ 1, 1.7, 2.3, 4.9, 7.1 } do
        local low, high = -0.3 * m * 10.0 ^ power, m * 10.0 ^ power
        local ticks, step = svg.ticks(low, high, 5)
        local lead = step / 10.0 ^ math.floor(math.log(step, 10) + 1e-9)
        assert.is_true(math.abs(lead - 1) < 1e-6 or math.abs(lead - 2) < 1e-6 or math.abs(lead - 5) < 1e-6
          or math.abs(lead - 10) < 1e-6)
        assert.is_true(ticks[1] <= low + 1e-6 * step and ticks[#ticks] >= high - 1e-6 * step)
        assert.is_true(#ticks >= 3 and #ticks <= 9, #ticks)
      end
    end
  end)

  it("draws constants, single points and empty lists without a wrong number", function()
    for _, case in ipairs{ { { 1 }, { 5 } }, { { 1, 2 }, { 3, 3 } }, { {}, {} }, { { 0, 1 }, { 0 / 0, 0 / 0 } },
      { { 1, 2 }, { 0, math.huge } } } do
      for _, style in ipairs{ "line", "steps", "points", "bars" } do
        local text = plot{ x = case[1], y = { a = case[2] }, style = style }
        assert.is_nil(text:find("nan", 1, true))
        assert.is_nil(text:find("inf", 1, true))
      end
    end
  end)

  it("escapes what XML does not take", function()
    local text = plot{ x = { 0, 1 }, y = { ["a<b & c"] = { 0, 1 } }, title = '"x" < y' }
    assert.truthy(text:find("a&lt;b &amp; c", 1, true))
    assert.truthy(text:find("&quot;x&quot; &lt; y", 1, true))
  end)

  it("writes a file, and answers nil and a message where it cannot", function()
    local path = os.tmpname()
    assert.is_true(plot{ x = { 0, 1 }, y = { a = { 0, 1 } }, file = path })
    local file <close> = assert(io.open(path))
    assert.equal(plot{ x = { 0, 1 }, y = { a = { 0, 1 } } }, file:read("a"))
    os.remove(path)
    local ok, message = plot{ x = { 0, 1 }, y = { a = { 0, 1 } }, file = "/no/such/folder/a.svg" }
    assert.is_nil(ok)
    assert.matches("/no/such/folder/a.svg", message, 1, true)
  end)

  it("names a wrong option", function()
    local good = { x = { 0, 1 }, y = { a = { 0, 1 } } }
    local function wrong(change, message)
      local options = { x = good.x, y = good.y }
      for k, v in pairs(change) do options[k] = v end
      assert.error_matches(function() plot(options) end, message, 1, true)
    end
    wrong({ titel = "x" }, "delassus.plot: unknown option 'titel' (did you mean 'title'?)")
    wrong({ title = 5 }, "delassus.plot: 'title' must be a string, got 5")
    wrong({ x = "time" }, "'x' must be a list of numbers, got 'time'")
    wrong({ x = { 0, "a" } }, "'x[2]' must be a number, got 'a'")
    wrong({ y = { 1, 2 } }, "'y' must be a table of named lists")
    wrong({ y = {} }, "'y' must hold at least one series")
    wrong({ y = { a = { 1 } } }, "'y.a' must have as many numbers as 'x' (2), got 1")
    wrong({ style = "bar" }, "'style' must be one of 'line', 'steps', 'points', 'bars', got 'bar'")
    wrong({ width = 1e9 }, "'width' must be 120 to 20000")
    wrong({ height = 0 / 0 }, "'height' must be finite")
    wrong({ order = { "b" } }, "'order[1]' names no series of 'y': 'b'")
    assert.error_matches(function() plot() end, "delassus.plot: expected a table of options, got nil", 1, true)
    assert.error_matches(function() plot{} end, "'x' is required", 1, true)
  end)
end)
