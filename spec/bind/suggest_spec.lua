-- What a message asks after a name that there is not: "did you mean ...?"
local delassus = require "delassus"
local core = require "delassus.core"

--- What is suggested for a name in a list of names, nil where nothing is.
local function meant(name, names)
  local _, text = pcall(core.unknown, "f", "option", name, names)
  assert.truthy(text:find(("unknown option '%s'"):format(name), 1, true), text)
  return text:match "did you mean '([^']*)'"
end

describe("suggestions", function()
  it("are the same name in other letters", function()
    assert.equal("angular_velocity", meant("angularVelocity", { "velocity", "angular_velocity" }))
    assert.equal("q", meant("Q", { "q", "a", "qd" }))
    assert.equal("gravity", meant("setGravity", { "gravity" }))
    assert.equal("box", meant("create_box", { "body", "box" }))
    assert.equal("box", meant("addBox", { "body", "box" }))
  end)

  it("are our words for those of others, where they are among the names", function()
    assert.equal("dt", meant("step", { "dt", "seed" }))
    assert.equal("friction", meant("mu", { "friction", "restitution" }))
    assert.equal("limits", meant("limit", { "limit_alpha", "limits" }))
    assert.equal("position", meant("x", { "position", "anchor" }))
    assert.is_nil(meant("mu", { "stiffness" }))
  end)

  it("are names that begin so, and the nearest by two letters", function()
    assert.equal("tolerance", meant("tol", { "dt", "tolerance" }))
    assert.equal("radius", meant("radios", { "radius", "ratio" }))
    assert.equal("length", meant("lenght", { "length" }))
    assert.is_nil(meant("colour", { "radius", "length" }))
    assert.is_nil(meant("ab", { "cd" }))
  end)

  it("do not depend on the order of names, nor on whether they are keys", function()
    local names, keys = {}, {}
    for c in ("bcdefgh"):gmatch "." do
      table.insert(names, 1, "a" .. c .. "x")
      keys["a" .. c .. "x"] = true
    end
    assert.equal("abx", meant("azx", names))
    assert.equal("abx", meant("azx", keys))
    table.sort(names)
    assert.equal("abx", meant("azx", names))
  end)

  it("bear names of any length", function()
    for n = 28, 200 do
      assert.is_nil(meant(("aB"):rep(n), { "x" }))
      assert.is_nil(meant(("a"):rep(n), { ("b"):rep(n) }))
    end
    assert.is_nil(meant("", { "x" }))
  end)

  it("are told by worlds, bodies and joints", function()
    local w = delassus.world {}
    local function text(f, ...) return (select(2, pcall(f, ...))) end
    assert.matches("unknown option 'timestep' %(did you mean 'dt'%?%)", text(delassus.world, { timestep = 1 }))
    local function box(o)
      o.size, o.density = o.size or { 1, 1, 1 }, 1
      return w:box(o)
    end
    assert.matches("'mu' %(did you mean 'friction'%?%)", text(box, { mu = 1 }))
    assert.matches("'fixed' %(did you mean 'type'%?%)", text(box, { fixed = true }))
    assert.matches("'half_extents' %(did you mean 'size'%?%)", text(box, { half_extents = 1 }))
    local b = box {}
    assert.matches("'omega' %(did you mean 'angular_velocity'%?%)", text(function() return b.omega end))
    assert.matches("'add_box' %(did you mean 'box'%?%)", text(function() return w.add_box end))
    assert.matches("'limit' %(did you mean 'limits'%?%)",
      text(w.joint, w, { "revolute", w.ground, b, axis = { 0, 1, 0 }, limit = { 0, 1 } }))
  end)

  it("have ours for every word of others among what worlds, bodies, shapes or joints take", function()
    local entries, known = require "delassus.entries", {}
    for _, entry in ipairs((entries.all())) do entries.names(entry, known) end
    local text = assert(io.open "src/bind/suggest.c"):read "a"
    local n = 0
    for word, ours in text:gmatch '{"([%w_]+)", "([%w_]+)"}' do
      n = n + 1
      assert.is_true(known[ours] or ours == "step", word .. " -> " .. ours)
    end
    assert.is_true(n > 60)
  end)
end)
