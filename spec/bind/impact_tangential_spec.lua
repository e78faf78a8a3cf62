local delassus = require "delassus"

describe("tangential restitution of Poisson's law, several contacts at once", function()
  --- E.3: to the expansion's friction e_T e_N of the compression's is added, and the sum cut to mu of the expansion's normal
  --- impulse; none of it where that would add energy. Compression and expansion from the same impacts without e_N, without e_T.
  it("is exact: 200 random bodies with one to three contacts, and never gains energy", function()
    local with, struck = 0, 0
    for seed = 1, 200 do
      local r = delassus.random(seed)
      local m, J = r:uniform(0.5, 2), r:uniform(0.05, 0.5)
      local mass, rows = { { m, 0, 0 }, { 0, m, 0 }, { 0, 0, J } }, {}
      for i = 1, r:integer(1, 3) do
        local a, x, y = r:uniform(0, 2 * math.pi), r:uniform(-0.5, 0.5), r:uniform(-0.5, 0.5)
        local n = { math.cos(a), math.sin(a) }
        rows[i] = { N = { n[1], n[2], x * n[2] - y * n[1] }, T = { n[2], -n[1], -x * n[1] - y * n[2] },
          mu = r:uniform(0, 0.8), e = r:uniform(0, 1), et = r:uniform(0, 1) }
      end
      local u = { r:uniform(-1, 1), r:uniform(-1, 1), r:uniform(-2, 2) }
      local function impact(e_n, e_t)
        local contacts = {}
        for i, c in ipairs(rows) do
          contacts[i] = { gap = function(q) return c.N[1] * q[1] + c.N[2] * q[2] + c.N[3] * q[3] end, normal = c.N,
            tangent = c.T, friction = c.mu, restitution = e_n * c.e, tangential_restitution = e_t * c.et }
        end
        local s = delassus.system{ q = { 0, 0, 0 }, u = u, mass = mass, forces = { 0, 0, 0 }, impact = "poisson",
          contacts = contacts }
        return s, s:impact()
      end
      local _, C_N, C_T = impact(0, 0)
      local plain, P_N, P_T = impact(1, 0)
      local s = impact(1, 1)
      local v = { u[1], u[2], u[3] }
      for i, c in ipairs(rows) do
        local bound = c.mu * math.max(0, P_N[i] - C_N[i])
        local t = P_T[i] - C_T[i] + c.e * c.et * C_T[i]
        t = C_T[i] + math.max(-bound, math.min(bound, t))
        for k = 1, 3 do v[k] = v[k] + (c.N[k] * P_N[i] + c.T[k] * t) / mass[k][k] end
        struck = struck + (P_N[i] > 0 and 1 or 0)
      end
      local function kinetic(x) return (m * x[1] ^ 2 + m * x[2] ^ 2 + J * x[3] ^ 2) / 2 end
      local gains = kinetic(v) > kinetic(u) * (1 + 1e-13)
      with = with + (gains and 0 or 1)
      for k = 1, 3 do assert.near(gains and plain.u[k] or v[k], s.u[k], 1e-13, "seed " .. seed) end
      assert.is_true(kinetic(s.u) <= kinetic(u) * (1 + 1e-13), "seed " .. seed)
    end
    assert.is_true(with > 150 and struck > 200)
  end)
end)
