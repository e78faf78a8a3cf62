-- Copyright (c) 2026 the delassus authors.
-- SPDX-License-Identifier: MIT

--- Calls on worlds and what is in them, with their options: one text for help and for the manual.
-- See `delassus.entries` for the form.
-- @module delassus.entries_world
return [[
delassus.world{ ... } -> World
A world of bodies, in space or in the plane (x-y, rotation about +z). Source: `docs/design/step.md`.
  gravity = {0, 0, -9.81} | m/s^2 | in the plane {0, -9.81}
  dt = 1e-3 | s | length of a step
  planar = false | | true: a world in the plane, three coordinates a body
  scheme = "time-stepping" | | "event-driven" (every stop, slip and impact by its own time), "semi-implicit"
  theta = nil | 1/2 to 1 | weight of the end of the step; default 1/2, or 1 where contacts are compliant
  impact = "newton" | | "newton", "poisson", or "sequential" (pairs in turn)
  solver = "auto" | | "nsgs", "admm", "newton", "lemke" (plane), "energy", "block", "pgs", or a solver made by lcp
  friction_corners = 2 | 2 or 4 | decomposition of friction in accelerations() of planar worlds
  factor = "auto" | | of trees: "ldl", "sweep", "dense"; the same numbers
  tolerance = nil | relative | residual wanted; default 1e-10 for islands of up to 200 rows, 1e-6 beyond
  max_iterations = 1000 | sweeps | bounds the work of a step, from 1000 on that of solvers alone
  seed = 1 | | of the world's own random numbers
  record = 10 | s | kept for world:show(); false: nothing
  log = false | | true keeps every event in world.events
  strict = false | | true: a step that misses the tolerance raises
  profile = false | | true: stats.time tells seconds by phase

delassus.material{ ... } -> Material
Laws of a contact. Two materials of equal value keep it; unequal ones combine as told here. Default density of bodies: 1000.
  friction = 0.5 | | a number, { static =, kinetic =, decay = }, or a function of the slip speed (m/s); two: geometric mean
  restitution = 0 | 0 to 1 | Newton's coefficient; two: the smaller
  stiffness = math.huge | N/m | of the boundary spring; finite: a compliant contact; two: springs in series, equal or not
  damping = 0 | N s/m | of a compliant contact without restitution; two: dampers in series, a rigid partner's does not count
  rolling_friction = 0 | m | arm of the rolling moment; two: the larger
  spinning_friction = 0 | m | arm of the moment about the normal; two: the larger
  tangential_restitution = 0 | 0 to 1 | two: the smaller

friction law
  static! | | coefficient at rest
  kinetic! | | coefficient of fast slip
  decay = nil | s/m | mu = kinetic + (static - kinetic) exp(-decay v); absent: kinetic as soon as it slips

world:body{ ... } -> Body
A body. Its mass comes from shape and density, or from mass (and inertia). Options of a material may stand here, too.
  name = nil | | for world:find and messages
  type = "dynamic" | | "dynamic", "kinematic" (moves as told), "static"
  shape = nil | Shape | what touches others; none: a body without contacts
  density = 1000 | kg/m^3 | in the plane kg/m^2 (a slice of 1 m); not together with mass
  mass = nil | kg | in place of density; the shape's inertia is scaled
  inertia = nil | kg m^2 | about the mass centre, body axes: {Ixx, Iyy, Izz [, Ixy, Ixz, Iyz]}; in the plane a number
  com = {0, 0, 0} | m | mass centre in the body frame; default that of the shape
  position = {0, 0, 0} | m | origin of the body frame
  rotation = {1, 0, 0, 0} | | quaternion {w, x, y, z} or { axis =, angle = }; in the plane an angle (rad)
  velocity = {0, 0, 0} | m/s | of the mass centre, world axes
  angular_velocity = {0, 0, 0} | rad/s | world axes; in the plane a number
  material = nil | Material | in place of the material's options
  group = nil | | name of a group, for filters; at most 31 groups
  collides = true | | true, false, a group's name or a list of them: which groups it may touch
  sensor = false | | true: found in contacts, touched by nothing
  data = nil | | anything of yours
  motion = nil | function(t) | of a kinematic body -> position, rotation [, velocity, angular_velocity, both accelerations]
  + delassus.material

world:sphere{ ... } -> Body
Also capsule, cylinder, cone, ellipsoid, box, disk, polygon, convex, segment, plane, mesh: a body with that shape. Takes the
options of delassus.sphere and so on, of world:body without shape, and of delassus.material in one table. Planes, segments
and meshes are static unless told otherwise.

world:floor{ ... } -> Body
The solid half space below a level plane (y in the plane, z in space). A static body with options of body and material.
  offset = 0 | m | height of the floor
  + world:body without shape

world:wall{ ... } -> Body
A static half space, solid where normal . x < offset.
  normal! | | points out of the solid; made unit
  offset = 0 | m | along the normal
  + world:body without shape

world:drum{ ... } -> Body
A kinematic drum about its x axis (plane: about its centre) that turns; bodies stay inside. Options of delassus.drum, body
and material.
  rpm = 0 | 1/min | speed of turning
  + delassus.drum
  + world:body without shape

world:joint{ kind, a, b, ... } -> Joint
Joins b to a (world.ground hangs it from the ground). The zero of its coordinates is the pose in which it is made. Help has
the topic "joint".
  kind! | place 1 | "spherical" ("ball"), "revolute", "universal", "prismatic", "cylindrical" or one of the topic "joint"
  a! | place 2 | Body
  b! | place 3 | Body
  anchor = origin of b | m | world coordinates
  axis = nil | | world axes; required by kinds with an axis, but in the plane and with frames
  axis2 = nil | | second axis of "universal", second direction of others
  frame_a = nil | | { position =, rotation = } in body a, in place of anchor and axes
  frame_b = nil | | the same in body b; the zero is where both coincide
  motions = nil | | of "chain": list of { "rotate" or "slide", axis, motion = function(t) return s, ds, dds end }
  subspace = nil | 6 x n | of "custom": screws in the joint's frame, angular rows first
  limits = nil | rad or m | {lo, hi}; "universal" two of them; "spherical" { cone =, twist = {lo, hi} }
  motor = nil | | { speed =, max_torque = } or { position =, stiffness =, damping =, max_torque = } (max_force where it slides)
  motion = nil | function(t) | drives a joint of one degree: -> s [, ds, dds]; joint.torque is what that needs
  stiffness = 0 | N m/rad, N/m | spring to the zero pose
  damping = 0 | N m s/rad, N s/m | any value at any dt
  friction = 0 | N m, N | constant dry friction
  inertia = 0 | kg m^2, kg | of a rotor, reduced joints
  torque = 0 | N m, N | applied; a table for several degrees
  formulation = nil | | "reduced", "rigid", "penalty"; default "reduced" where b (or else a) has no parent yet, else "rigid"
  gains = "auto" | | of "penalty": "auto", "published", "sound"
  alpha = nil | 1/s^2 | penalty stiffness a unit of effective mass, in place of gains
  beta = nil | 1/s | penalty damping a unit of effective mass
  alpha_rotation = nil | m^2/s^2 | the same for rotations
  beta_rotation = nil | m^2/s | the same for rotations
  limit_law = "general" | | of "penalty": "general" or "published" (the paper's sine law)
  limit_alpha = nil | 1/s^2 | stiffness of penalty limits
  limit_beta = nil | 1/s | damping of penalty limits
  name = nil | | for messages
  data = nil | | anything of yours

spherical limits
  cone = nil | rad | half angle that the second frame's axis may lean
  twist = nil | rad | {lo, hi} about it

motor
  speed = nil | rad/s, m/s | a motor that keeps a speed
  position = nil | rad, m | a motor that holds a position, with stiffness and damping
  stiffness = nil | N m/rad, N/m | of a motor with position
  damping = 0 | N m s/rad, N s/m | of a motor with position
  max_torque = math.huge | N m | bound of a turning motor
  max_force = math.huge | N | bound of a sliding one

world:gear{ joint1, joint2, ratio = } -> Gear
q2 - q2(0) = ratio (q1 - q1(0)) + offset, from where it is made; two joints of one degree.
  joint1! | place 1 | Joint that drives
  joint2! | place 2 | Joint that is driven
  ratio! | | turns of the second a turn of the first
  offset = 0 | rad, m | added at once

world:spring{ a, b, stiffness = } -> Spring
A spring and damper between two points; taken implicitly, any stiffness and damping at any dt.
  a! | place 1 | Body
  b! | place 2 | Body
  anchor_a = {0, 0, 0} | m | in the frame of a
  anchor_b = {0, 0, 0} | m | in the frame of b
  stiffness = nil | N/m | required, but of a damper alone
  damping = 0 | N s/m |
  length = distance now | m | without force

world:contact{ a, b, ... } -> Contact
A unilateral contact by hand: a point against a plane (point_a, point_b, normal), a rope, or a gap function. Without friction
unless told; a rope takes none. See also: help"gap".
  a! | place 1 | Body
  b! | place 2 | Body
  point_a = {0, 0, 0} | m | in the frame of a: on the plane
  point_b = {0, 0, 0} | m | in the frame of b
  normal = nil | | of the plane, in the frame of a; from a to b
  rope = nil | m | the two points are at most so far apart
  gap = nil | function(q, t) | m; q as world:coordinates() lists them
  gradient = nil | function(q, t) | with gap; by world:velocities(): bodies' own, of reduced joints between them or to the ground
  + delassus.material

world:pair{ a, b, ... }
Laws for two materials or bodies, in place of the combined ones.
  a! | place 1 | Material or Body
  b! | place 2 | Material or Body
  + delassus.material

world:integrate{ to = , ... } -> table
A mechanism without contacts to the time `to` by an integrator of higher order: steps, rejected, evaluations, defect, error.
Source: `docs/design/joints.md`.
  to! | s | absolute time of the world
  method = "stormer" | | "stormer", "rk4", "dopri5", "semi-implicit"
  order = 6 | | of "stormer"
  reading = "adams" | | of "stormer": "adams", "kappa", "pece"
  dt = 1e-3 | s | "dopri5": first step, chosen where absent
  rtol = 1e-9 | relative | of "dopri5"
  atol = 1e-12 | | of "dopri5"
  each = nil | function(world) | called after every step

world:accelerations{ contacts = } -> Vector
udot, with the contacts, limits and rigid joints of now; world:coordinates() tells the order. None, and several, raise in
words of their own; where one was found and others were not sought (many contacts that stick), a second result says so.
  contacts = true | | false: without contacts

world:record{ ... } -> Recorder
Records from now on; rec:save("run.html").
  every = 1/60 | s | between frames
  file = nil | | frames are written there as they come
  stream = nil | | anything with a write method, in place of file
  keep = all | s | kept in memory
  contacts = true | | false: without contact forces
  title = "A world" | |
  speed = nil | | of the replay at first

world:view{ ... } -> View
The live view: the replay's page on the running world, on 127.0.0.1: play, step, slow motion, bodies pulled with the mouse,
sliders. At the prompt the world goes on meanwhile; in a script view:run(). Needs the rock luv. A world has one view.
  sliders = {} | | list of what view:slider takes
  title = "A world" | |
  speed = 1 | | times real time
  paused = false | | true: it waits for play; else it runs once a page is there
  open = true | | false: no browser is opened, no address printed
  port = 0 | | 0: any that is free
  grip = 3 | Hz | frequency of a pulled body on the spring of the mouse

view:slider{ target, "property", min, max }
A slider in the page; the second form, with `name` and `set`, calls a function. Of a material: for the bodies that have it now.
  name = the property | | required where there is none
  min! | | or the third value
  max! | | or the fourth
  value = that of the property, else min | | at first
  set = nil | function(value) | in place of a property
  unit = "" | |

body:apply{ ... }
A force that lasts until it is changed; body:apply{} ends it.
  force = 0 | N | world axes
  torque = 0 | N m | world axes; in the plane a number
  at = mass centre | m | world point where the force acts

body:impulse{ ... }
Changes the velocity now.
  impulse = 0 | N s | world axes
  angular_impulse = 0 | N m s | world axes; in the plane a number
  at = mass centre | m | world point
]]
