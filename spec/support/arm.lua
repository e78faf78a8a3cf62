-- Copyright (c) 2026 the delassus authors.
-- SPDX-License-Identifier: MIT
-- The arm of arm.urdf as an RBDL model: a double pendulum whose second axis is turned, and a slide.
local function body(mass, z, ixx, iyy, izz)
  return { mass = mass, com = { 0, 0, z }, inertia = { { ixx, 0, 0 }, { 0, iyy, 0 }, { 0, 0, izz } } }
end
return {
  gravity = { 0, 0, -9.81 },
  frames = {
    { name = "upper", parent = "ROOT", body = body(2, 0.5, 0.2, 0.2, 0.02), joint = { { 0, 1, 0, 0, 0, 0 } },
      joint_frame = { r = { 0, 0, 1 } } },
    { name = "fore", parent = "upper", body = body(1, 0.4, 0.1, 0.1, 0.01), joint = { { 1, 0, 0, 0, 0, 0 } },
      joint_frame = { r = { 0, 0, 1 }, E = { { 0, 1, 0 }, { -1, 0, 0 }, { 0, 0, 1 } } } },
    { name = "finger", parent = "fore", body = body(0.1, 0, 0.001, 0.001, 0.001), joint = { { 0, 0, 0, 0, 0, 1 } },
      joint_frame = { r = { 0, 0, 0.8 } } },
  },
}
