-- Copyright (c) 2026 the delassus authors.
-- SPDX-License-Identifier: MIT

-- The C interface without Lua (src/delassus.h): the same bits as the same scene through Lua, and what the header
-- promises of statuses, ids, callbacks, snapshots and arrays.
local delassus = require "delassus"
local host = require "support.c_host"

--- The scene of spec/support/plain_host.c.
local function scene(planar)
  local world <close> = delassus.world{ planar = planar, record = false }
  world:floor{ friction = 0.3 }
  for i = 0, 19 do
    local radius = 0.1 + 0.005 * i
    local shape = planar and delassus.disk{ radius = radius } or delassus.sphere{ radius = radius }
    local turned = false
    if i % 4 == 1 then
      shape, turned = delassus.box{ size = planar and { 0.3, 0.2 } or { 0.3, 0.2, 0.25 } }, true
    elseif i % 4 == 2 then
      shape = delassus.capsule{ radius = radius, length = 0.3 }
    elseif i % 4 == 3 and not planar then
      shape = delassus.ellipsoid{ radii = { radius, 0.1, 0.08 } }
    end
    local x, y, z = 0.05 * (i % 3), 0.03 * (i % 2), 0.2 + 0.35 * i
    world:body{ shape = shape, density = 850, position = planar and { x, z } or { x, y, z },
      rotation = turned and (planar and 0.5 or { 0.3, 0.3 + 0.2, 0.3 + 0.2 * 2, 0.3 + 0.2 * 3 }) or nil,
      velocity = planar and { 0.1 * i, 0 } or { 0.1 * i, 0, 0 },
      angular_velocity = planar and 1 or { 0, 0, 1 },
      friction = i % 2 == 1 and 0.3 or 0.5, restitution = 0.4 }
  end
  world:step(200)
  return world:hash()
end

describe("the C interface", function()
  teardown(host.remove)

  it("gives the same bits as the same scene through Lua, in space and in the plane", function()
    assert.equal(scene(false) .. "\n" .. scene(true) .. "\n", host.run("plain_host", "scene"))
  end)

  it("keeps its promises: statuses and words, stale ids, callbacks, a failing allocator, snapshots, arrays, contacts",
    function() assert.equal("ok\n", host.run("plain_host")) end)

  it("takes or refuses every odd number in every field of every definition, by the field's name", function()
    assert.equal("ok\n", host.run("fields_host"))
  end)

  it("is C11 and C++, without a warning and without any other header", function()
    local file = os.tmpname()
    local main = "#include <delassus.h>\n#include <delassus.h>\n" ..
      "int main(void) { delassus_world_def def = delassus_world_def_default(); delassus_world *world = 0;" ..
      " return delassus_world_create(&def, &world) != DELASSUS_OK; }\n"
    for _, compiler in ipairs { "cc -std=c11 -x c", "c++ -std=c++11 -x c++", "c++ -std=c++20 -x c++" } do
      local pipe = assert(io.popen(("printf '%%s' '%s' | %s -pedantic -Wall -Wextra -Werror -Isrc -c -o %s - 2>&1")
        :format(main, compiler, file)))
      assert.equal("", pipe:read("a"))
      pipe:close()
    end
    os.remove(file)
  end)
end)
