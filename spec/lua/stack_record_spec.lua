local json = require "delassus.json"
local progress = require "delassus.progress"
local stack = require "delassus.stack"

local function pile(n)
  local logs = {}
  for i = 1, n or 5 do logs[i] = { diameter = 0.15 + 0.02 * i, length = 1 } end
  return stack { bodies = stack.pile { logs = logs, height = 0.05, gap = 0.005, damping = 20 } }
end

describe("a recording of a stack", function()
  it("keeps what a stack that is only run does, at the times asked for", function()
    local s <close> = pile()
    local plain <close> = pile()
    local recording = s:record { time = 0.2005, every = 1e-3 }
    plain:run(0.2005)
    assert.equal(plain:hash(), s:hash())
    assert.equal(202, #recording.t)
    assert.near(0.2005, recording.t[202], 1e-12)
    assert.equal(s.forces[1], recording.forces[1][202])
    assert.equal(s.gaps[5], recording.gaps[5][202])
    local rows, balance = recording:energies()
    assert.equal(5, #rows)
    assert.is_true(balance < 1e-11) -- round-off of 2e4 steps
    local collisions = 0
    for j, row in ipairs(recording:contacts()) do
      assert.equal(s.peak_forces[j], row[2])
      collisions = collisions + row[4]
    end
    assert.equal(s.collisions, collisions)
  end)

  it("tells its progress, and a run does too", function()
    local s <close> = pile()
    local last = {}
    local before = progress.listen(function(label, done, total) last = { label, done, total } end)
    s:record { time = 0.01 }
    local recorded = last
    s:run(0.02)
    progress.listen(before)
    assert.same({ "stack", 1000, 1000 }, recorded)
    assert.same({ "stack", 2000, 2000 }, last)
  end)

  it("prints tables and makes a page", function()
    local s <close> = pile()
    local recording = s:record { time = 0.15 }
    assert.matches("floor +%d+%.%d +0%.%d+ +%d+\n2 on 1 ", recording:table())
    assert.matches("kinetic +0.000", recording:table())
    assert.equal("delassus.StackRecording (5 bodies, 151 samples, t = 0.15 s)", tostring(recording))
    local page = recording:report { title = "Five logs" }:html()
    assert.matches("Five logs", page)
    assert.matches("Gaps", page)
  end)

  it("draws the bodies by their own radii and stiffnesses, and all curves of a few contacts", function()
    local s <close> = stack { bodies = { { mass = 1, stiffness = 1e5, position = 1, radius = 0.1 },
      { mass = 1, stiffness = 2e5, position = 2 } } }
    local data = json.decode(s:record { time = 0.01 }:report { title = "Two" }:json())
    assert.same({ { radius = 0.1, stiffness = 1e5 }, { radius = 0, stiffness = 2e5 } }, data.scene.bars)
    assert.is_nil(data.charts[1].shown)
    local many <close> = pile(9)
    local page = many:record { time = 0.01 }:report { title = "Nine" }:json()
    assert.same({ "floor", "2 on 1", "5 on 4" }, json.decode(page).charts[1].shown)
    data = json.decode(s:record { time = 0.01, bars = { { radius = 1 }, { radius = 1 } } }:report { title = "Two" }:json())
    assert.same({ { radius = 1 }, { radius = 1 } }, data.scene.bars)
  end)

  it("refuses what makes no sense", function()
    local s <close> = pile()
    local before = s:hash()
    for _, row in ipairs {
      { function() s:record {} end, "stack:record: 'time' is required" },
      { function() s:record { time = -1 } end, "'time' must be > 0, got %-1" },
      { function() s:record { time = 0 / 0 } end, "'time' must be a finite number" },
      { function() s:record { time = 1, evry = 1 } end, "did you mean 'every'" },
      { function() s:record { time = 1, every = 0 } end, "'every' must be > 0, got 0" },
      { function() s:record(3) end, "stack:record: expected a table of options, got 3" },
      { function() stack.pile { logs = 3 } end, "stack.pile: 'logs' must be a table, got 3" },
      { function() stack.pile { logs = { { length = 2 } } } end, "stack.pile: logs%[1%]: 'diameter' is required" },
      { function() stack.pile { logs = { { diameter = 1 }, { diameter = 1, lenght = 2 } } } end,
        "stack.pile: logs%[2%]: unknown option 'lenght' %(did you mean 'length'%?%)" },
      { function() stack.pile { logs = { diameter = 0.2 } } end, "'logs' must be a list, got one with %['diameter'%]" },
      { function() stack.pile { logs = { { diameter = 0.2 }, nil, { diameter = 0.3 } } } end, "got one without %[2%]" },
      { function() stack.pile { logs = { 0.2 } } end, "stack.pile: logs%[1%]: expected a table of options, got 0.2" },
      { function() s:record { time = 1e300 } end, "stack:record: 'time' is too many steps of 1e%-05 s" },
      { function() s:record { time = 1, every = 1e300 } end, "stack:record: 'every' is too many steps of 1e%-05 s" },
      { function() stack.pile { logs = {}, gap = -1 } end, "'gap' must be >= 0, got %-1" },
    } do
      assert.error_matches(row[1], row[2])
    end
    assert.equal(before, s:hash())
  end)
end)
