-- Elements of structures against closed forms; supports, springs, prescribed displacements, temperature.
local near = require "spec.support.near"
local structure = require "delassus.structure"

--- A line of frames from (0, 0) to (length, 0).
local function beam(n, length, options)
  local st, nodes = structure {}, {}
  for i = 0, n do nodes[i] = st:node { length * i / n, 0 } end
  for i = 1, n do
    st:frame { nodes[i - 1], nodes[i], E = options.E, A = options.A, I = options.I, expansion = options.expansion }
  end
  return st, nodes
end

--- A block of quads whose inner nodes stand askew.
local function askew(assumption, form)
  local st, n = structure { assumption = assumption }, 4
  local at, nodes, quads = {}, {}, {}
  for j = 0, n do
    for i = 0, n do
      local inner = i > 0 and i < n and j > 0 and j < n
      local k = j * (n + 1) + i
      at[k] = { (i + (inner and 0.3 * math.sin(5 * k) or 0)) / n, (j + (inner and 0.3 * math.cos(3 * k) or 0)) / n }
      nodes[k] = st:node(at[k])
    end
  end
  for j = 0, n - 1 do
    for i = 0, n - 1 do
      local k = j * (n + 1) + i
      quads[#quads + 1] = st:quad { nodes[k], nodes[k + 1], nodes[k + n + 2], nodes[k + n + 1], E = 1000, nu = 0.3,
        formulation = form, expansion = 1e-3 }
    end
  end
  return st, nodes, quads, at
end

describe("a quad", function()
  for _, assumption in ipairs { "plane strain", "plane stress" } do
    for _, form in ipairs { "incompatible", "bilinear", "bbar" } do
      it(("(%s, %s) passes the patch test of any linear displacement, exact"):format(form, assumption), function()
        local st, nodes, quads, at = askew(assumption, form)
        for k, x in pairs(at) do
          local edge = x[1] == 0 or x[1] == 1 or x[2] == 0 or x[2] == 1
          if edge then
            st:displace(nodes[k], "x", 1e-3 * (2 * x[1] - x[2]))
            st:displace(nodes[k], "y", 1e-3 * (0.5 * x[1] + 3 * x[2]), "growing")
          end
        end
        local state = st:solve {}
        for k, x in pairs(at) do
          local ux, uy = state:displacement(nodes[k])
          near(1e-3 * (2 * x[1] - x[2]), ux, 1e-15, "x")
          near(1e-3 * (0.5 * x[1] + 3 * x[2]), uy, 1e-15, "y")
        end
        local ex, ey, g, E, nu = 2e-3, 3e-3, -0.5e-3, 1000, 0.3
        local a = assumption == "plane stress" and E / (1 - nu ^ 2) or E * (1 - nu) / ((1 + nu) * (1 - 2 * nu))
        local b = assumption == "plane stress" and nu * a or a * nu / (1 - nu)
        for _, quad in ipairs(quads) do
          local s = state:stress(quad)
          near(a * ex + b * ey, s[1], 1e-11, "sxx")
          near(a * ey + b * ex, s[2], 1e-11, "syy")
          near(E / (2 * (1 + nu)) * g, s[3], 1e-11, "sxy")
        end
      end)

      it(("(%s, %s) grows free of stress when it is warmed, exact"):format(form, assumption), function()
        local st, nodes, quads, at = askew(assumption, form)
        st:fix(nodes[0], "x", "y")
        st:fix(nodes[4], "y")
        for _, quad in ipairs(quads) do st:heat(quad, 2, "growing") end
        local state = st:solve { p = 1.5 }
        local strain = 1e-3 * 3 * (assumption == "plane stress" and 1 or 1.3)
        for k, x in pairs(at) do
          local ux, uy = state:displacement(nodes[k])
          near(strain * x[1], ux, 1e-14, "x")
          near(strain * x[2], uy, 1e-14, "y")
        end
        for _, quad in ipairs(quads) do near(0, state:stress(quad):norm(), 1e-10, "stress") end
      end)
    end
  end

  --- Deflection of a cantilever of nx x 1 elements, plane stress, nu = 0, over that of Timoshenko's beam.
  local function bending(nx, form)
    local st = structure { assumption = "plane stress" }
    local g = st:grid { corner = { 0, 0 }, size = { 10, 1 }, cells = { nx, 1 }, E = 1e6, nu = 0, formulation = form }
    st:fix(g[1][1], "x", "y")
    st:fix(g[2][1], "x")
    for j = 1, 2 do st:load(g[j][nx + 1], { 0, -0.5 }) end
    local state = st:solve {}
    local _, uy = state:displacement(g[1][nx + 1])
    local fx, fy = state:reaction(g[1][1])
    near(1, fy, 1e-10, "shear at the support")
    near(10, fx, 1e-9, "moment at the support")
    return uy / -(1000 / (3 * 1e6 / 12) + 1.2 * 10 / (1e6 / 2))
  end

  it("does not lock in bending with incompatible modes, and converges with the square of its size", function()
    local error = {}
    for k, nx in ipairs { 10, 20, 40 } do error[k] = math.abs(bending(nx) - 1) end
    assert.is_true(error[1] < 0.004 and bending(10, "bilinear") < 0.7)
    for k = 2, 3 do assert.is_true(error[k] < 0.4 * error[k - 1]) end
  end)

  it("does not lock near nu = 1/2 with the mean dilatation or the modes; the plain one does", function()
    --- Deflection of a square in a smooth mould under a cosine of loads.
    local function deflection(form, n)
      local st = structure { assumption = "plane strain" }
      local g = st:grid { corner = { 0, 0 }, size = { 1, 1 }, cells = { n, n }, E = 1, nu = 0.499999,
        formulation = form }
      for i = 1, n + 1 do
        st:fix(g[1][i], "x", "y")
        st:fix(g[i][1], "x")
        st:fix(g[i][n + 1], "x")
        local share = (i == 1 or i == n + 1) and 0.5 or 1
        st:load(g[n + 1][i], { 0, -share * math.cos(math.pi * (i - 1) / n) / n })
      end
      local _, uy = st:solve({}):displacement(g[n + 1][1])
      return uy
    end
    for _, form in ipairs { "bbar", "incompatible" } do
      local u = { deflection(form, 4), deflection(form, 8), deflection(form, 16) }
      local ratio = (u[1] - u[2]) / (u[2] - u[3])
      assert.is_true(ratio > 3.5 and ratio < 6, form) -- second order
    end
    assert.is_true(math.abs(deflection("bilinear", 16)) < 0.01 * math.abs(deflection("bbar", 16)))
  end)

  it("is turned where its nodes go round clockwise, and refused by number where it is bad", function()
    local st = structure {}
    local n = {}
    for k, x in ipairs { { 0, 0 }, { 1, 0 }, { 1, 1 }, { 0, 1 }, { 0.3, 0.3 } } do n[k] = st:node(x) end
    local quad = st:quad { n[1], n[4], n[3], n[2], E = 1, nu = 0 }
    assert.equal(n[2], quad.nodes[2])
    assert.error_matches(function() st:quad { n[1], n[2], n[5], n[4], E = 1, nu = 0 } end,
      "structure:quad: quad 2 .*nodes 1, 2, 5, 4.*: the Jacobian at a Gauss point is .*, must be > 0")
    assert.error_matches(function() st:quad { n[1], n[2], n[3], n[4], E = 1, nu = 0.5 } end, "'nu' must be > %-1 and < 0.5")
    assert.equal(1, st.n_elements)
  end)
end)

describe("a frame", function()
  it("is exact at its nodes: a cantilever with a force and a moment", function()
    local st, nodes = beam(3, 6, { E = 2, A = 3, I = 5 })
    st:fix(nodes[0], "x", "y", "rotation")
    st:load(nodes[3], { 4, -7, 2 })
    local state = st:solve {}
    local x, y, rotation = state:displacement(nodes[3])
    near(4 * 6 / 6, x, 1e-12, "x")
    near(-7 * 216 / 30 + 2 * 36 / 20, y, 1e-11, "y")
    near(-7 * 36 / 20 + 2 * 6 / 10, rotation, 1e-11, "rotation")
    local fx, fy, moment = state:reaction(nodes[0])
    near(-4, fx, 1e-11, "fx")
    near(7, fy, 1e-11, "fy")
    near(40, moment, 1e-10, "moment")
    local N, V1, M1, V2, M2 = state:internal(st.elements[2]) -- from 2 to 4
    near(4, N, 1e-11, "N")
    near(7, V1, 1e-10, "V")
    near(7, V2, 1e-10, "V")
    near(2 - 7 * 4, M1, 1e-10, "M at 2")
    near(2 - 7 * 2, M2, 1e-10, "M at 4")
  end)

  it("carries the same whatever its direction, agreement", function()
    for _, angle in ipairs { 0.3, 1.9, 4 } do
      local st, c, s = structure {}, math.cos(angle), math.sin(angle)
      local a, b = st:node { 1, 2 }, st:node { 1 + 3 * c, 2 + 3 * s }
      local element = st:frame { a, b, E = 2, A = 3, I = 5 }
      st:fix(a, "x", "y", "rotation")
      st:load(b, { 4 * c + 7 * s, 4 * s - 7 * c }) -- 4 along, -7 across
      local state = st:solve {}
      local x, y = state:displacement(b)
      near(4 * 3 / 6, x * c + y * s, 1e-12, "along")
      near(-7 * 27 / 30, y * c - x * s, 1e-12, "across")
      local N, _, M1 = state:internal(element)
      near(4, N, 1e-12, "N")
      near(-21, M1, 1e-11, "M")
    end
  end)

  it("that is warmed between walls is pressed, exact", function()
    local st, nodes = beam(2, 2, { E = 2, A = 3, I = 5, expansion = 1e-3 })
    st:fix(nodes[0], "x", "y", "rotation")
    st:displace(nodes[2], "x", -1e-3)
    st:fix(nodes[2], "y", "rotation")
    for _, element in ipairs(st.elements) do st:heat(element, 4) end
    local state = st:solve {}
    near(-6 * (4e-3 + 0.5e-3), (state:internal(st.elements[1])), 1e-14, "N")
    near(-6 * 4.5e-3, (state:reaction(nodes[2])), 1e-14, "reaction")
    near(-1e-3, (state:displacement(nodes[2])), 0, "prescribed")
  end)
end)

describe("a bar", function()
  it("between others makes a truss, exact", function()
    local st = structure {}
    local a, b, c = st:node { 0, 0 }, st:node { 4, 0 }, st:node { 4, 3 }
    local lower, slanted = st:bar { b, a, E = 10, A = 2 }, st:bar { a, c, E = 10, A = 2 }
    st:bar { b, c, E = 10, A = 2 }
    st:fix(a, "x", "y")
    st:fix(b, "y")
    st:load(c, { 3, 0 })
    local state = st:solve {}
    near(5 / 4 * 3, (state:internal(slanted)), 1e-13, "N")
    near(0, (state:internal(lower)), 1e-13, "N")
    local _, fy = state:reaction(b)
    near(9 / 4, fy, 1e-13, "reaction")
  end)
end)

describe("a spring", function()
  it("bears its share, in translation and rotation, exact", function()
    local st, nodes = beam(1, 2, { E = 1e3, A = 1, I = 1 })
    st:spring(nodes[0], "y", 10)
    st:spring(nodes[0], "rotation", 40)
    st:spring(nodes[0], "x", 5)
    st:load(nodes[1], { 1, 2 }, "growing")
    local state = st:solve { p = 3 }
    local x, y, rotation = state:displacement(nodes[0])
    near(3 / 5, x, 1e-11, "x")
    near(6 / 10, y, 1e-11, "y")
    near(12 / 40, rotation, 1e-11, "rotation")
    local fx, fy, moment = state:reaction(nodes[0])
    near(-3, fx, 1e-9, "fx") -- differences of displacements times 1e3
    near(-6, fy, 1e-9, "fy")
    near(-12, moment, 1e-9, "moment")
  end)
end)
