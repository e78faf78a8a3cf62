local host = require "support.lcp_host"

describe("the complementarity core", function()
  teardown(host.remove)

  it("is in agreement: every kernel gives the same bits on every path of this processor, and at a width of eight",
    function() assert.matches("^done 720, failed 0\n$", host.run("paths")) end)

  it("holds the wide paths and no fused multiplication, as its code says", function()
    local core = assert(package.searchpath("delassus.core", package.cpath))
    local n_lines, n_fused, n_wide = 0, 0, 0
    local pipe = io.popen("uname -m; objdump -d --no-show-raw-insn " .. core .. " 2>/dev/null")
    local machine = pipe:read("l")
    for line in pipe:lines() do
      n_lines = n_lines + 1
      if line:find("vfn?m%a+%d%d%d[ps]d") then n_fused = n_fused + 1 end
      if line:find("%%zmm") then n_wide = n_wide + 1 end
    end
    pipe:close()
    if machine ~= "x86_64" or n_lines == 0 then
      print("core_spec: no objdump, or another processor: the code is not looked at")
      return
    end
    assert.equal(0, n_fused)
    assert.is_true(n_wide > 500)
  end)

  it("is in agreement: tableau and factor form take the same pivots on 10,000 problems, n = 2..40", function()
    assert.matches("^done 10000, failed 0\n$", host.run("pivots 10000"))
  end)

  it("has a residual of 1e-10 at most on 1,000 singular piles, by energy and by block", function()
    assert.matches("^done 1000, failed 0\n$", host.run("piles 1000"))
  end)

  it("is in agreement: block and energy on 300 problems, n = 1..120", function()
    assert.matches("^done 300, failed 0\n$", host.run("block 300"))
  end)

  it("has a small residual on every family by every form", function()
    assert.matches("^done 193, failed 0\n$", host.run("families"))
  end)
end)
