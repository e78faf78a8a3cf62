-- Copyright (c) 2026 the delassus authors.
-- SPDX-License-Identifier: MIT

--- Complementarity problems, stacks, structures, systems with their options: one text for help and for the manual.
-- See `delassus.entries` for the form.
-- @module delassus.entries_solve
return [[
lcp.solve{ M =, q = } -> LcpSolution
Finds z with w = M z + q, w >= 0, z >= 0, w . z = 0. Help has the topic "lcp". Source: Cottle, Pang, Stone, The Linear
Complementarity Problem; Kolesnikov 2013 (energy).
  M! | n x n | rows, matrix or sparse
  q! | n |
  method = "auto" | | "energy", "block", "lemke", "least-index", "pgs", "newton", "enumerate"
  tolerance = 1e-10 | relative | on the residual
  max_pivots = by size | | bound of methods that pivot
  max_iterations = by method | | bound of "pgs" and "newton"
  relaxation = by method | 0 to 2 | of "pgs"
  start = nil | n | a z to start from
  trace = false | | true keeps every state: s.trace, s:table(); of "energy" and "least-index", "auto" takes the first where it can
  check = false | | true tests definiteness in full beforehand

lcp.solver{ ... } -> LcpSolver
A solver that keeps workspace, factor and start: solver:solve(M, q), then solver:solve(q).
  method = "auto" | | as of lcp.solve
  n = nil | | expected size
  tolerance = 1e-10 | relative | on the residual
  max_pivots = by size | |
  max_iterations = by method | |
  relaxation = by method | 0 to 2 |
  trace = false | |
  check = false | |

lcp.parametric{ M =, q =, d = } -> LcpPath
w = M z + q + p d from p = 0 on: every change of the active set. Source: `docs/design/lcp.md`.
  M! | n x n |
  q! | n |
  d! | n | what grows
  to = 1 | | last p; may be math.huge
  tolerance = 1e-9 | relative |
  margin = nil | n | added to q in ratio tests
  contacts = nil | | rows are n, x+, x- of so many contacts
  max_pivots = by size | |

lcp.cone{ W =, q = } -> ConeSolution
Impulses p in Coulomb's cones with v = W p + q obeying the exact law.
Rows (n, t1, t2) a contact. Source: `docs/design/cone.md`.
  W! | m x m | kg^-1
  q! | m | m/s
  start = nil | m | impulses to start from
  + lcp.cone_solver

lcp.cone_solver{ ... } -> ConeSolver
A solver that keeps its workspace: solver:solve(W, q), then solver:solve(q).
  friction! | | a number, or one a contact
  planar = false | | rows (n, t) a contact
  kinds = all "cone" | | list of "cone", "unilateral", "bilateral", {"box", lo, hi}, {"rolling", spin =, roll =}
  compliance = 0 | m/(N s) | a number, or one a row
  shift = 0 | m/s | on the normals; a number, or one a row
  length = 1 | m | makes rows in rad/s m/s
  scale = 0 | m/s | least divisor of the residual
  method = "auto" | | "nsgs", "admm", "newton", "energy", "block", "lemke"
  unique = false | | true: the least-norm impulses
  tolerance = 1e-10 | relative | on the residual
  max_iterations = by method | |

lcp.read(file) -> options, or nil and a message
A problem in Siconos' text formats, ready for lcp.solve or lcp.cone.

stack{ bodies = } -> Stack
Deformable bodies on a vertical line between floor and ceiling: logs dropped on each other. Source: Kolesnikov 2013.
  bodies! | | list from the floor up, see "stack body"
  floor = 0 | m | height
  ceiling = nil | m | none: open above
  gravity = 9.81 | m/s^2 | downwards
  dt = 1e-5 | s |
  damping = "lagged" | | "always", "none"
  log = false | | true keeps events

stack body
  mass! | kg |
  stiffness! | N/m | of a boundary spring
  damping = 0 | N s/m |
  position! | m | height of the centre
  velocity = 0 | m/s | upwards
  radius = 0 | m | from the centre to the boundary

stack.model{ ... } -> StackModel
The same step for any body with massless boundary nodes. Source: Kolesnikov 2013.
  r! | n x n, N/m | stiffness
  m! | n x n, kg | mass
  lambda! | n x n, N s/m | damping
  C! | n x k | nodes in the gaps
  D0! | k, m | gaps at rest
  massless! | | list of nodes without mass
  forces = 0 | n, N |
  displacements = 0 | n, m |
  velocities = 0 | n, m/s |
  dt = 1e-5 | s |

stack.log{ diameter = } -> table
Mass, stiffness and radius of a log of spruce.
  diameter! | m |
  length = 1 | m |
  density = 850 | kg/m^3 |

stack.pile{ logs = } -> list of bodies
A pile of measured logs, ready to fall.
  logs! | | list of { diameter =, length =, density = }
  gap = 0.01 | m | between them
  height = 0.5 | m | of the lowest over the floor
  damping = 112 | N s/m a kg |

stack:record{ time = } -> recording
Runs and keeps samples: recording:report{ title = }:save("stack.html").
  time! | s |
  every = 1e-3 | s | between samples
  bars = as their radii | | list of { radius =, length =, stiffness = } for the replay

structure{ ... } -> Structure
A plane structure with unilateral frictional contacts under a growing load.
Source: Popov and Lovtsov 2023; `docs/design/structures.md`.
  assumption = "plane strain" | | or "plane stress", of quads
  thickness = 1 | m | of quads
  factor = "own" | | or "cholmod", where that rock is installed

structure:frame{ a, b, E =, A =, I = } -> element
  a! | place 1 | node
  b! | place 2 | node
  E! | Pa |
  A! | m^2 |
  I! | m^4 |
  expansion = 0 | 1/K |

structure:bar{ a, b, E =, A = } -> element
  a! | place 1 | node
  b! | place 2 | node
  E! | Pa |
  A! | m^2 |
  expansion = 0 | 1/K |

structure:quad{ n1, n2, n3, n4, E =, nu = } -> element
  n1! | place 1 | node; counter-clockwise, clockwise ones are turned
  n2! | place 2 | node
  n3! | place 3 | node
  n4! | place 4 | node
  E! | Pa |
  nu! | | Poisson's ratio
  formulation = "incompatible" | | "bilinear", "bbar"
  expansion = 0 | 1/K |

structure:grid{ size =, cells =, E =, nu = } -> nodes[j][i]
  corner = {0, 0} | m | lower left
  size! | m | {x, y}
  cells! | | {x, y}
  E! | Pa |
  nu! | |
  formulation = "incompatible" | | as of quads
  expansion = 0 | 1/K |

structure:contact{ a, b, normal = } -> contact
Node b against node a, against the segment { n1, n2 } as a, or against the ground (on = b).
  a = nil | place 1 | node or { n1, n2 }
  b = nil | place 2 | node
  on = nil | | node that meets the rigid ground, in place of a and b
  normal = {0, 1} with on | | from a to b; required with a and b
  gap = 0 | m | < 0: a press fit
  friction = 0 | |

structure:follow{ ... } -> StructurePath
The path of states under the growing load, every change of a contact.
  to = 1 | | last p; may be math.huge
  tightening = 0 | N | the paper's artificial pressing
  tolerance = 1e-9 | relative |
  max_pivots = by size | |
  factor = the structure's | | "own", "cholmod"

structure:solve{ ... } -> StructureState
One state at the load p, without tightening.
  p = 1 | |
  tolerance = 1e-9 | relative |
  factor = the structure's | | "own", "cholmod"

path:plot{ ... } -> SVG
The load-displacement path.
  node = the loaded one | |
  displacement = the loaded one | | "x", "y", "rotation"
  title = nil | |
  width = 640 | px |
  height = 400 | px |
  file = nil | | written there instead

state:plot{ ... } -> SVG
The structure, deformed, with its contacts and forces.
  scale = by size | | of the displacements drawn
  forces = true | |
  title = nil | |
  width = 640 | px |
  file = nil | | written there instead

delassus.system{ q =, u =, mass =, forces = } -> System
A mechanism by its equations, M du/dt = h + W lambda, dq/dt = u, with contacts given by gap functions.
Source: Pfeiffer and Glocker 1996; `docs/design/systems.md`.
  q! | n | coordinates now
  u! | n | velocities now
  mass! | n x n | matrix or function(q, t)
  forces! | n | list or function(q, u, t)
  contacts = none | | list, see "system contact"
  dt = 1e-3 | s | longest output step
  time = 0 | s |
  scheme = "event-driven" | | or "time-stepping"
  impact = "newton" | | "poisson", "sequential"
  friction_corners = 2 | | decomposition of friction
  gap_tolerance = 1e-5 | m | a starting gap below minus this raises
  inconsistent = "impact" | | or "raise": where no accelerations exist
  rtol = 1e-10 | relative | of the smooth motion
  atol = 1e-13 | | of the smooth motion
  theta = 1/2 | | of time stepping
  log = true | | keeps events

system contact
  gap! | m | function(q, t)
  normal! | n | function(q, t): gradient of the gap
  tangent = nil | n | function(q, t); none: without friction
  tangent2 = nil | n | a second one, in space
  normal_bias = nil | | function(q, u, t); by differences where absent
  tangent_bias = nil | |
  tangent2_bias = nil | |
  normal_speed = nil | | function(q, t): explicit share of the gap's rate; by differences where absent
  tangent_speed = nil | |
  tangent2_speed = nil | |
  friction = 0 | | a number, { static =, kinetic =, decay = } or a function of the slip speed
  restitution = 0 | 0 to 1 |
  tangential_restitution = 0 | 0 to 1 |
  size = 1 | m | what the gap is measured by: in time stepping it is closed up to 1e-9 of it

system:record{ ... } -> recording
Samples from now on, beside other recordings: recording:save("run.html"), ".csv", ".json" or ".rec".
  every = each output step | s |
  file = nil | | a .rec: samples are written there as they come; recording:close() closes it
  stream = nil | | anything with a `write` method, likewise
  keep = all of them | s | the latest
  names = nil | | of the coordinates
  title = "A system" | |
  potential = nil | J | function(q, t): the page then has the sum of energies

system:show{ ... } -> path
The page of the recording that runs, or of what the system kept: coordinates, phase portraits, gaps, contacts, events, energy.
  path = a temporary file | |
  names = nil | | of the coordinates
  title = "A system" | |
  potential = nil | J | function(q, t)
]]
