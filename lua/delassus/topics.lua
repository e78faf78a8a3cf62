-- Copyright (c) 2026 the delassus authors.
-- SPDX-License-Identifier: MIT

--- Topics: what delassus.help"friction" says, and the manual's page "In short". A paragraph each: its name (and other
-- names after it), then its lines.
-- @module delassus.topics
local core = require "delassus.core"

local joint_kinds = table.concat(core.joint_kinds, ", "):gsub("spherical", "%0 (ball)")
local outcomes = '"' .. table.concat(core.outcomes, '", "') .. '"'

return [[
units
SI throughout, or any consistent set: m, kg, s, N, Pa, J, rad. Names that carry their unit keep it: rpm.
Planar worlds: density in kg/m^2, forces of a slice of 1 m. Angles in radians, right-handed axes.

frames, rotation, axes
position and rotation place the body frame. Its origin is the mass centre unless com says otherwise.
rotation: unit quaternion {w, x, y, z}, body to world, or { axis =, angle = }; in the plane an angle about +z.
velocity is that of the mass centre (body.centre), angular_velocity in world axes. Gravity points along -z (plane: -y).
anchor and axes of joints are given in world coordinates, anchors of springs in the frames of their bodies.

body, mass
world:body{ shape =, density = } or { mass =, inertia = }; short: world:sphere{ radius =, density =, position = }.
type: "dynamic" (moved by forces), "kinematic" (moves as told), "static". Default density 1000 kg/m^3.
world.bodies, world:find(name), world:remove(body), body.data for anything of yours. See also: shape, material, frames.

shape, shapes
In space: sphere, capsule, cylinder, cone, ellipsoid, box, convex, plane, mesh, drum, compound. In the plane: disk, capsule,
box, polygon, segment, plane, drum, compound. Made by delassus.box{ size = } and shared between bodies, or with the body by
world:box{ size =, density = }. Cylinders, capsules, cones and drums lie along x.

material
delassus.material{ friction = 0.5, restitution = 0, stiffness = math.huge, damping = 0 }; these are the defaults.
Two materials: friction the geometric mean, restitution the smaller, rolling and spinning the larger; stiffness and damping
as springs and dampers in series. world:pair{ a, b, friction = } overrides for two materials or bodies.

contact, contacts
for c in world:contacts() do ... end reads the contacts of the last step: a, b, point, normal (from a to b), gap (< 0:
overlap), normal_force (N, >= 0), force and impulse (on b), velocity (of b relative to a), state ("stick", "slip", "apart").
world:contact{ a, b, ... } makes one by hand: a point against a plane, a rope, a gap function.
A contact is rigid unless its material has a finite stiffness. world:on("impact", f) tells of events.

rope, cam, gap
world:contact{ a, b, rope = 1.5, point_a = {..}, point_b = {..} }: the two points are at most so far apart.
world:contact{ a, b, gap = function(q, t) return .. end, gradient = function(q, t) return { .. } end }: any condition gap >= 0.
q is world:coordinates(), the gradient has one number a velocity (world:velocities()): of the two bodies, or of reduced joints
between them or to the ground, as of a cam and its follower: gap = q[2] - lift * sin(q[1]), gradient = { -lift * cos(q[1]), 1 }.
world:index(body) tells where a body's coordinates are; bodies and joints made later may move them.

friction
Coulomb's law with its exact cone: |tangential| <= friction * normal; it sticks where it can, else it slips against the
velocity. A number (default 0.5), { static =, kinetic =, decay = }, or a function of the slip speed.
rolling_friction and spinning_friction are arms in m (default 0). Two materials: the geometric mean.

impact, restitution
"newton": the normal velocity after is -e times that before, e = restitution (default 0; two materials: the smaller).
"poisson": e times the impulse of compression. "sequential": pair after pair (Newton's cradle). An option of the world.
Nothing passes through: a fast pair meets at its first touch within the step.

joint, joints
world:joint{ "revolute", a, b, anchor = {x, y, z}, axis = {0, 1, 0} }; a = world.ground hangs it from the ground.
Kinds: ]] .. joint_kinds .. [[.
Formulations: "reduced" (coordinates in a tree, no drift), "rigid" (multipliers; closes loops), "penalty" (springs).
joint.q, joint.qd; joint.torque is what you set; joint:reaction() -> force, moment on b (a motor's torque is in it);
joint:violation() -> how far apart: look at it where the formulation is "penalty" (gains, help"world:joint").
Options: help"world:joint". See also: motor, limits, loop.

motor
motor = { speed = 2, max_torque = 5 } keeps a speed; { position = 0.3, stiffness = 100, damping = 5 } holds a position.
joint.motor = {...} changes it while the world runs. motion = function(t) return s, ds, dds end drives a joint exactly;
rates that are not told are differenced.

limits
limits = {lo, hi} of a revolute (rad, turns counted) or prismatic joint (m), from the pose in which it is made. A limit is a
unilateral constraint: it pushes back and never pulls.

loop, loops, linkage, mechanism
A joint whose two bodies have parents already is "rigid" and closes a loop. joint:violation() tells what is open;
world.stats.infeasible says that a loop cannot close. world:mobility() -> degrees of freedom, rank, redundant rows.

spring, springs
world:spring{ a, b, anchor_a =, anchor_b =, stiffness =, damping =, length = }; joints have stiffness and damping, too.
Springs are implicit: any stiffness at any dt is stable. Ropes: world:contact{ a, b, rope = length }.

step, dt
world:step(n) makes n steps of world.dt (1e-3 s); world:run(seconds, each) returns a report (in whole steps; event-driven
it ends exactly there); world:advance(elapsed) is for hosts with frames.
Midpoint rule: second order where motion is smooth, first order in the time of an impact.

residual, tolerance
How far an answer is from the laws, computed from the problem by code that knows no solver; relative. world.stats.residual is
that of the last step, wanted below world.tolerance (default 1e-10 up to 200 rows, 1e-6 beyond). stats.unconverged counts
steps that missed it; world.strict = true makes one raise. What to do: more max_iterations, a smaller dt, solver = "newton".

solver, solvers
Of worlds: solver = "auto" (default) chooses; "nsgs" (sweeps; large beds at 1e-3), "newton" (few contacts, high accuracy),
"admm", "lemke" (plane; exact), "energy", "block", "pgs" (normal and friction in turn). They find the same answer.
Of complementarity problems: help"lcp".

lcp
w = M z + q, w >= 0, z >= 0, w . z = 0: lcp = require "delassus.lcp"; s = lcp.solve{ M =, q = }.
"auto" chooses; "energy" (symmetric psd, one pivot a step), "block" (the same, large), "lemke" (any M), "least-index" (P),
"newton" (P0, large), "pgs" (positive definite, low accuracy), "enumerate" (n <= 20, all solutions).
s.converged, s.status (]] .. outcomes .. [[), s.residual. lcp.parametric: q + p d; lcp.cone: Coulomb's law.

stats
world.stats of the last step: contacts, unknowns, pivots, iterations, residual; overlap (worst found) and penetration (worst
left), shares of a body's size; cone_violation, momentum_error, energy_balance, correction, impact_gain; infeasible;
stability (penalty joints, stable below 4); impacts, steps, unconverged since the start; time (seconds by phase, where
profile = true).

energy, ledger
world:energy() -> kinetic, potential, stored (J). world:ledger(): dK + dU + d(stored) = forces + springs + kinematic
- friction - impact - damping + correction + scheme + error. energy_balance is |error| beyond round-off over the turnover.

events, event
world:on("impact" | "contact" | "separation" | "stick" | "slip" | "step", fn) -> handle with :off(). With log = true
world.events keeps them: t, kind, a, b, contact, impulse, speed, point. A callback may read and apply forces, not step.

filter, group
group = "leg" names a body's group, collides = { "floor" } (or true, false, a name) which groups it may touch. Bodies that a
joint connects do not touch each other. sensor = true: found in contacts, touched by nothing.

planar, plane
delassus.world{ planar = true }: x-y plane, gravity {0, -9.81}, rotation about +z, vectors of two numbers, inertia a number.

coordinates
world:coordinates(), world:velocities(), set_coordinates(q), set_velocities(u): bodies in the order in which they were made.
Free body: position of the frame's origin, quaternion; its velocity, angular velocity in body axes. Plane: x, y, angle.
A body on a reduced joint has the joint's coordinates instead (none where its motion is given). world:index(body): its first.
M udot + bias = tau: world:mass_matrix(), world:bias(), world:accelerations(), world:inverse_dynamics(udot),
world:jacobian(body, point), world:delassus(), world:linearize(), world:equilibrium(), world:integrate{ to = }.

snapshot
s = world:snapshot(); world:restore(s) goes back to it, in another process too; world:hash() tells the whole state. The world
must be built by the same script. The run after restore is bit for bit the run that was.

determinism
Same inputs, same bits: across runs, processes, compilers, optimisation levels and instruction sets. delassus.random(seed)
and delassus.math give the same numbers everywhere.

show, replay, recording
world:show() opens the replay of the last seconds in a browser; rec = world:record{ every = 1/60 }, rec:save("run.html")
(or .json, .csv, .rec). delassus replay run.rec shows it again. world:view() is the same page on the running world.

view, live, slider, mouse
world:view{ sliders = { { joint.motor, "speed", -5, 5 } } } opens the page on the running world: play, step, slow motion, bodies
pulled with the mouse. The prompt goes on meanwhile; in a script view:run(). Needs the rock luv (apt install lua-luv).

plot
delassus.plot{ x = t, y = { {"height", z} }, title =, file = "fall.svg" }; equal = true, log = "xy", kind = "heat".

drum
drum = require "delassus.drum"; d = drum{ diameter = 4, rpm = 6, fill = 0.5 }; d:settle(); d:run{ revolutions = 3 };
d:report():save("drum.html"). delassus.drum{ radius = } is the shape alone. help"drum" lists the options.

sweep
sweep = require "delassus.sweep"; rows = sweep{ grid = { rpm = {4, 5, 6} }, run = function(p) return { power = ... } end,
workers = 2, file = "sweep.jsonl" }: a run for every point; with a file it goes on where it stopped.
delassus sweep script.lua does it for the options that the script returns.

stack
stack = require "delassus.stack": deformable bodies on a vertical line, dropped on each other; s:run(0.05), s.peak_forces.

structure
structure = require "delassus.structure": frames, bars and quads with unilateral frictional contacts under a growing load;
st:follow{ to = } tells every change of a contact, st:solve{ p = } one state.

system
delassus.system{ q =, u =, mass =, forces =, contacts = }: a mechanism by its equations, event-driven: every stop, slip and
impact by its own time. s:accelerations(), s:impact(), s:solutions() (Painleve).

prompt
delassus alone opens it: completion by Tab, history, Ctrl-C ends the line, Ctrl-D the session. Leave out `local` to keep a
value. What a line answers is printed, cut to 20 entries; print(x) shows x without that.
]]
