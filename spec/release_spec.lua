-- Copyright (c) 2026 the delassus authors.
-- SPDX-License-Identifier: MIT

-- What a release rests on: one version, a rockspec that differs in it alone, and a check list whose commands are there.
local function read(path)
  local file = assert(io.open(path, "rb"), path)
  local text = file:read("a")
  file:close()
  return text
end

local function rockspec(text)
  local environment = {}
  assert(load(text, "rockspec", "t", environment))()
  return environment
end

describe("a release", function()
  local version = read("src/delassus.h"):match('#define DELASSUS_VERSION "(%d+%.%d+%.%d+)"')

  it("has one version, in C and in Lua", function()
    assert.equal("delassus " .. version, require("delassus")._VERSION)
  end)

  it("has a rockspec made from that of the sources, with its version and tag", function()
    local path = ("rockspec/delassus-%s-1.rockspec"):format(version)
    local folder = os.tmpname()
    os.remove(folder)
    assert(os.execute("mkdir -p " .. folder .. " && lua5.4 rockspec/release.lua " .. folder .. " >/dev/null"))
    local made = read(("%s/delassus-%s-1.rockspec"):format(folder, version))
    os.execute("rm -rf " .. folder)
    assert.equal(made, read(path), path .. " is stale: make " .. path)
    local old, new = rockspec(read("rockspec/delassus-scm-1.rockspec")), rockspec(made)
    assert.equal(version .. "-1", new.version)
    assert.equal("v" .. version, new.source.tag)
    new.version, new.source.tag = old.version, nil
    assert.same(old, new)
  end)

  it("has no rockspec of another version", function()
    local names = {}
    for name in assert(io.popen("ls rockspec/*.rockspec")):lines() do names[#names + 1] = name end
    assert.same({ ("rockspec/delassus-%s-1.rockspec"):format(version), "rockspec/delassus-scm-1.rockspec" }, names)
  end)

  it("has a section of the change log, or one that waits", function()
    local log = read("CHANGELOG.md")
    assert.is_truthy(log:find("\n## Unreleased\n", 1, true) or log:find("\n## " .. version .. " - %d%d%d%d%-%d%d%-%d%d\n"))
  end)

  it("is made with targets that there are: check list, workflows, trust", function()
    local makefile, n = "\n" .. read("Makefile"), 0
    for _, path in ipairs { "docs/release.md", ".github/workflows/ci.yml", "docs/trust.md", ".ci/run", "CONTRIBUTING.md" } do
      for target, after in read(path):gmatch "[`\n:] *make (%l[%l%d]*)([^%l%d])" do
        if after ~= "/" then
          n = n + 1
          assert.is_truthy(makefile:find("\n" .. target .. "[%l%d ]*:"), path .. ": make " .. target)
        end
      end
    end
    assert.is_true(n > 40)
  end)
end)
