local host = require "support.lcp_host"

describe("factorisations", function()
  teardown(host.remove)

  it("have a residual of round-off: Cholesky, also pivoted, LU, sparse LDL' on 400 random matrices, n = 1..200", function()
    assert.matches("^done 400, failed 0\n$", host.run("math 400"))
  end)
end)
