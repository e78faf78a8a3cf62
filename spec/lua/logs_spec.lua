local logs = require "delassus.logs"

describe("delassus.logs", function()
  it("reads diameter, length and density in the units that the header states", function()
    local list = assert(logs.parse("# measured\ndiameter (cm),length (m),density (kg/m3)\n20,2.4,850\n\n"
      .. "18.5 , 2.38,\t900\n"))
    assert.equal(2, #list)
    assert.near(0.2, list[1].diameter, 1e-15)
    assert.same({ 2.4, 850 }, { list[1].length, list[1].density })
    assert.near(0.185, list[2].diameter, 1e-15)
    list = assert(logs.parse("Id;Length [mm];Diameter [mm];Density [t/m3]\nA1;2400;185,5;0,85\r\n"))
    assert.near(0.1855, list[1].diameter, 1e-15)
    assert.near(2.4, list[1].length, 1e-15)
    assert.near(850, list[1].density, 1e-12)
    list = assert(logs.parse("\239\187\191diameter (in)\tlength (ft)\n8\t10\n"))
    assert.near(0.2032, list[1].diameter, 1e-15)
    assert.near(3.048, list[1].length, 1e-15)
  end)

  it("takes columns in any order, leaves others alone, and fills in a density", function()
    local list = assert(logs.parse('length (m),species,"diameter (m)"\n3,"spruce, fresh",0.25\n', { density = 700 }))
    assert.same({ { length = 3, diameter = 0.25, density = 700 } }, list)
    assert.equal(850, logs.parse("diameter (m),length (m)\n0.2,1\n")[1].density)
    assert.same({ { diameter = 0.2, length = 1.5, density = 800 } }, logs.parse("diameter,length,density\n0.2,1.5,800\n"))
  end)

  it("answers nil and the line for what it cannot read", function()
    for _, row in ipairs {
      { "", "logs:1: there is no line with the names of the columns" },
      { "# only\n# comments\n", "there is no line with the names of the columns" },
      { "diameter (cm),length (m)\n", "there are no logs below the names of the columns" },
      { "diameter (cm)\n20\n", "logs:1: there is no column 'length %(m%)'" },
      { "20,2.4\n", "logs:1: there is no column 'diameter %(cm%)'" },
      { "diameter,length\n20,2\n", "logs:2: 'diameter' of 20 m = 20 m: a log has 0.01 to 4 %(is the unit right" },
      { "diameter (cm),length (furlong)\n", "column 'length' is in 'furlong': expected one of cm, ft, in, m, mm" },
      { "diameter (cm),diameter (m),length (m)\n", "logs:1: two columns are called 'diameter'" },
      { "diameter (cm),length (m)\n20,2\n\nx,2\n", "logs:4: 'diameter' must be a number > 0, got 'x'" },
      { "diameter (cm),length (m)\n20,\n", "logs:2: 'length' is missing" },
      { "diameter (cm),length (m)\n20\n", "logs:2: 'length' is missing" },
      { "diameter (cm),length (m)\n-20,2\n", "'diameter' must be a number > 0, got '%-20'" },
      { "diameter (cm),length (m)\nnan,2\n", "'diameter' must be a number > 0, got 'nan'" },
      { "diameter (cm),length (m)\n0x10,2\n", "'diameter' must be a number > 0, got '0x10'" },
      { "diameter (cm),length (m)\n1e999,2\n", "'diameter' must be a number > 0, got '1e999'" },
      { "diameter (m),length (m)\n20,2\n", "logs:2: 'diameter' of 20 m = 20 m: a log has 0.01 to 4 %(is the unit" },
      { "diameter (cm),length (m),density (t/m3)\n20,2,850\n", "'density' of 850 t/m3 = 850000 kg/m3: a log has 100" },
    } do
      local list, message = logs.parse(row[1])
      assert.is_nil(list)
      assert.matches(row[2], message)
    end
    local list, message = logs.read("no/such/file.csv")
    assert.is_nil(list)
    assert.matches("no/such/file.csv: No such file", message)
    list, message = logs.read("spec")
    assert.is_nil(list)
    assert.matches("spec: Is a directory", message)
  end)

  it("reads the logs that come with the examples: 60, as their comment says", function()
    local list, mean = assert(logs.read("examples/data/logs.csv")), 0
    assert.equal(60, #list)
    for _, log in ipairs(list) do mean = mean + log.diameter / 60 end
    assert.near(0.2, mean, 4 * 0.04 / math.sqrt(60)) -- four standard errors
  end)

  it("raises for the caller's own mistakes", function()
    assert.error_matches(function() logs.read() end, "logs.read: expected a file name, got nil")
    assert.error_matches(function() logs.parse("x", { densty = 1 }) end, "did you mean 'density'")
    assert.error_matches(function() logs.parse("x", { density = -1 }) end, "'density' must be > 0, got %-1")
  end)
end)
