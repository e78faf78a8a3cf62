-- Copyright (c) 2026 the delassus authors.
-- SPDX-License-Identifier: MIT

-- Runs a script in a process of its own, whose browser is the given command; answers its exit status and output.
local function run(browser, script)
  local lua = arg and arg[-1] and arg[-1]:find("lua") and arg[-1] or "lua5.4"
  local file = os.tmpname()
  local text = ("package.path = %q package.cpath = %q\n"):format(package.path, package.cpath)
  text = text .. "local show = require 'delassus.show'\nlocal thing = { save = function(_, path) " .. [[
    local f = assert(io.open(path, "w")) f:write("page") f:close() return true end }]] .. "\n" .. script
  local out = assert(io.open(file, "w"))
  out:write(text)
  out:close()
  local pipe = assert(io.popen(("DELASSUS_BROWSER=%s %s %s 2>&1"):format(browser, lua, file)))
  local told = pipe:read("a")
  local ok = pipe:close()
  os.remove(file)
  return ok, told
end

describe("show", function()
  it("writes pages alone", function()
    local ok, why = pcall(require "delassus.show", { save = function() error "asked" end }, "picture.png")
    assert.is_false(ok)
    assert.matches("delassus.show: 'path' must end in .html, got 'picture.png'", why, 1, true)
    ok, why = pcall(require "delassus.show", { save = 3 })
    assert.is_false(ok)
    assert.matches("delassus.show: expected a recording or a report, got a table", why, 1, true)
  end)

  it("opens the page it wrote, in the browser named", function()
    local copy = os.tmpname()
    local ok, told = run(("'cp -t %s.d'"):format(copy), ([[os.execute("mkdir %s.d") show(thing, os.tmpname()
      .. ".a 'b.html")]]):format(copy))
    assert.is_true(ok, told)
    assert.equal("", told)
    local list = assert(io.popen("cat " .. copy .. ".d/*"))
    assert.equal("page", list:read("a"))
    list:close()
    os.execute("rm -r " .. copy .. " " .. copy .. ".d")
  end)

  it("says where the page is, where there is no browser or it fails", function()
    for _, browser in ipairs{ "''", "false" } do
      local ok, told = run(browser, "local path = show(thing) assert(os.remove(path)) print(path)")
      assert.is_true(ok, told)
      local said, path = told:match("^replay: (.-)\n(.-)\n$")
      assert.equal(path, said)
      assert.matches("%.html$", path)
    end
  end)

  it("answers nil and a message where the page cannot be written, and raises for what is no recording", function()
    local show = require "delassus.show"
    assert.same({ nil, "full" }, { show({ save = function() return nil, "full" end }, "x.html") })
    assert.error_matches(function() show(5) end, "delassus.show: expected a recording or a report, got 5", 1, true)
    assert.error_matches(function() show({ save = print }, 5) end, "'path' must be a string, got 5", 1, true)
  end)
end)
