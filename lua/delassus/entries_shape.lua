-- Copyright (c) 2026 the delassus authors.
-- SPDX-License-Identifier: MIT

--- Shapes and small values with their options: one text for help and for the manual.
-- See `delassus.entries` for the form.
-- @module delassus.entries_shape
return [[
delassus.sphere{ radius = } -> Shape
In space.
  radius! | m |

delassus.disk{ radius = } -> Shape
In the plane.
  radius! | m |

delassus.capsule{ radius =, length = } -> Shape
A cylinder along x with half spheres; in the plane a rod with round ends.
  radius! | m |
  length! | m | of the straight part

delassus.cylinder{ radius =, length = } -> Shape
Along x, with flat ends. In space.
  radius! | m |
  length! | m |

delassus.cone{ radius1 =, radius2 =, length = } -> Shape
A tapered log along x. In space.
  radius1! | m | at -x
  radius2! | m | at +x
  length! | m |

delassus.ellipsoid{ radii = } -> Shape
Centred, its axes along x, y, z. In space.
  radii! | m | {x, y, z}: semi-axes, half of each axis from end to end

delassus.box{ size = } -> Shape
Edges along the axes, centred.
  size! | m | {x, y, z}; in the plane {x, y}

delassus.polygon{ points = } -> Shape
Convex, in the plane.
  points! | m | list of corners

delassus.convex{ points = } -> Shape
The convex hull of points, in space.
  points! | m | list of points

delassus.segment{ {x, y}, {x, y} } -> Shape
A thin wall in the plane, not for dynamic bodies.
  from! | m, place 1 |
  to! | m, place 2 |

delassus.plane{ normal =, offset = } -> Shape
Solid where normal . x < offset, with the normal made unit; not for dynamic bodies.
  normal! | | made unit
  offset = 0 | m | along the normal

delassus.drum{ radius =, length = } -> Shape
The inside of a drum about x (plane: about its centre). The scenario is require "delassus.drum".
  radius! | m | inner
  length = nil | m | along x, in space; none: endless, without end walls
  lifters = nil | | { count =, height =, width = } in m
  ends = true | | end walls where there is a length

delassus.mesh{ vertices =, faces = } -> Shape
A surface of triangles, counter-clockwise from outside; not for dynamic bodies.
  vertices! | m | list of points
  faces! | | list of {i, j, k}, places in vertices

delassus.compound{ { shape =, position =, rotation = }, ... } -> Shape
Several shapes in one frame; each part has
  shape! | Shape |
  position = {0, 0, 0} | m |
  rotation = {1, 0, 0, 0} | | as a body's

delassus.vec{ x, y, z } -> Vec
Two to four numbers, immutable: v.x, v[1], #v, v + w, 2 * v, v:dot(w), v:cross(w), v:norm(), v:unpack().

delassus.vector{ ... } -> Vector
Any number of numbers: the form of coordinates and of answers.

delassus.matrix{ {...}, ... } -> Matrix
Rows of equal length: A[i][j], A * x, A:rows(), A:cols(), A:transpose(), A:totable().

delassus.sparse{ rows =, cols =, {i, j, value}, ... } -> Sparse
Entries that are given twice add up.
  rows! | |
  cols! | |

delassus.random(seed) -> Random
The same numbers on every machine: uniform(lo, hi), normal(mean, deviation), integer(lo, hi), bits(), copy(), hash().

delassus.distance(a, pose_a, b, pose_b) -> gap, point_a, point_b, normal
Least gap of two placed shapes, m; a pose is { position =, rotation = }.

delassus.help(x) -> string
What x answers to; of a name ("world:joint", "friction") its options or its page.
]]
