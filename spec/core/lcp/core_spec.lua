local host = require "support.lcp_host"

describe("the complementarity core", function()
  teardown(host.remove)

  it("is in agreement: every kernel gives the same bits on every path of this processor", function()
    assert.matches("^done 720, failed 0\n$", host.run("paths"))
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
