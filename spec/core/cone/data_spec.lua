-- Copyright (c) 2026 the delassus authors.
-- SPDX-License-Identifier: MIT
local lcp = require "delassus.lcp"

local folder = "../shared/data/siconos/FrictionContact/"

--- Local problems of Siconos' tests (u = W r + q). Left out: *.hdf5, which nothing here reads.
local files = { "BoxesStack1-i100000-32.hdf5", "Capsules-i100-1090", "Capsules-i101-404", "Capsules-i122-1617",
  "Confeti-ex03-Fc3D-SBM", "Confeti-ex13-4contact-Fc3D-SBM", "FC2D_SliderCrankLagrangian00000",
  "FC2D_SliderCrankLagrangian00001", "FC3D_Example1", "FC3D_Example1_SBM", "FrictionContact3D_1c",
  "FrictionContact3D_RR_1c", "FrictionContactProblem00031", "FrictionContactProblem00071",
  "FrictionContactProblem00237", "FrictionContactProblem00374", "FrictionContactProblem00394",
  "FrictionContactProblem00727", "NESpheres_10_1", "NESpheres_30_1", "OneObject-i100000-316.hdf5",
  "OneObject-i100000-499.hdf5", "OneObject-i1028-138.hdf5", "Rover1039", "Rover1040", "Rover1041", "Rover11035",
  "Rover11211", "Rover3865", "Rover4144", "Rover4396", "Rover4493", "Rover4516", "Rover4609", "Rover4613",
  "Rover4622", "Rover9770", "fc2d_granularflowonwall_00667_00000",
  "fc2d_granularflowonwall_02020_00213" }

--- Problems in the global form (masses and Jacobians), which lcp.read condenses.
local global = { "GFC3D_Example0", "GFC3D_Example00", "GFC3D_Example00_badly_scaled", "GFC3D_Example0_SBM",
  "GFC3D_Example1", "GFC3D_OneContact", "GFC3D_TwoRods1", "GFC3D_TwoRods1-condensed",
  "gfc2d_granularflowonwall_00000_00117", "gfc2d_granularflowonwall_00069_00350" }

describe("lcp.cone on published contact problems", function()
  it("residual: at most 1e-8 on every problem of Siconos' test data", function()
    local there = io.open(folder .. files[1] .. ".dat")
    if not there then
      print("cone_data_spec: " .. folder .. " is not there, nothing was read")
      return
    end
    there:close()
    table.move(global, 1, #global, #files + 1, files)
    for _, name in ipairs(files) do
      local o = lcp.read(folder .. name .. ".dat")
      o.tolerance = 1e-8
      local r = lcp.cone(o)
      assert.is_true(r.converged, ("%s: %s"):format(name, r))
    end
  end)
end)
