---@meta
-- Copyright (c) 2026 the delassus authors.
-- SPDX-License-Identifier: MIT
-- Definitions for the Lua language server of every public name; add this folder to `workspace.library`.

---@alias delassus.Numbers number[]|delassus.Vec|delassus.Vector where a vector goes in
---@alias delassus.Rows number[][]|delassus.Matrix|delassus.Sparse where a matrix goes in
---@alias delassus.Rotation number|number[]|delassus.Vec|{axis: number[], angle: number}
---@alias delassus.LcpMethod "auto"|"energy"|"block"|"lemke"|"least-index"|"pgs"|"newton"|"enumerate"
---@alias delassus.ConeMethod "auto"|"nsgs"|"admm"|"newton"|"energy"|"block"|"lemke"
---@alias delassus.LcpStatus "solved"|"ray"|"limit"|"unsuitable"
---@alias delassus.PathEnd "reached"|"ray"|"mechanism"|"unsolved"|"limit"

---@class delassus.Vec
---@field w number real part of a quaternion
---@field x number first component, also v[1] (v[2] of a quaternion)
---@field y number second component
---@field z number third component
---@field [integer] number
---@operator add(delassus.Vec): delassus.Vec
---@operator sub(delassus.Vec): delassus.Vec
---@operator mul(number): delassus.Vec
---@operator div(number): delassus.Vec
---@operator unm: delassus.Vec
---@operator len: integer
local Vec = {}
---(v) the scalar product
function Vec:dot(v) end
---(v) the vector product; a number in the plane
function Vec:cross(v) end
---() the length
function Vec:norm() end
---() the numbers themselves
function Vec:unpack() end
---() a plain table of the numbers
function Vec:totable() end

---@class delassus.Vector
---@field [integer] number
---@operator add(delassus.Numbers): delassus.Vector
---@operator sub(delassus.Numbers): delassus.Vector
---@operator mul(number): delassus.Vector
---@operator div(number): delassus.Vector
---@operator unm: delassus.Vector
---@operator len: integer
local Vector = {}
---The scalar product.
function Vector:dot(v) end
---The vector product of 3 numbers; of 2 a number.
function Vector:cross(v) end
---The Euclidean length.
function Vector:norm() end
---The numbers themselves.
function Vector:unpack() end
---A plain table of the numbers.
function Vector:totable() end

---@class delassus.Matrix
---@field [integer] delassus.Vector a row
---@operator add(delassus.Rows): delassus.Matrix
---@operator sub(delassus.Rows): delassus.Matrix
---@operator mul(number): delassus.Matrix
---@operator mul(delassus.Numbers): delassus.Vector
---@operator div(number): delassus.Matrix
---@operator unm: delassus.Matrix
---@operator len: integer
local Matrix = {}
---Number of rows.
function Matrix:rows() end
---Number of columns.
function Matrix:cols() end
---The transposed matrix.
function Matrix:transpose() end
---A plain table of rows.
function Matrix:totable() end

---@class delassus.Sparse
---@field [integer] table a row
---@operator mul(delassus.Numbers): delassus.Vector
---@operator mul(number): delassus.Sparse
---@operator add(delassus.Sparse): delassus.Sparse
---@operator sub(delassus.Sparse): delassus.Sparse
---@operator div(number): delassus.Sparse
---@operator unm: delassus.Sparse
local Sparse = {}
---() number of rows
function Sparse:rows() end
---() number of columns
function Sparse:cols() end
---() a plain table of rows, zeros included
function Sparse:totable() end

---@class delassus.Random
local Random = {}
---() in [0, 1); (lo, hi) in [lo, hi)
function Random:uniform() end
---(mean, deviation) normally distributed; 0 and 1 where absent
function Random:normal(mean, deviation) end
---(lo, hi) a whole number from lo to hi
function Random:integer(lo, hi) end
---() 64 random bits as an integer
function Random:bits() end
---() a second generator in the same state
function Random:copy() end
---() the state as 16 characters
function Random:hash() end

---@class delassus.LcpOptions
---@field M delassus.Rows
---@field q delassus.Numbers
---@field method? delassus.LcpMethod default "auto"
---@field tolerance? number on the residual, 1e-10
---@field max_pivots? integer
---@field max_iterations? integer
---@field relaxation? number of "pgs", in (0, 2)
---@field start? delassus.Numbers a z to start from
---@field trace? boolean keeps every state, of "energy" and "least-index"
---@field check? boolean tests definiteness beforehand

---@class delassus.LcpSolverOptions
---@field method? delassus.LcpMethod
---@field tolerance? number
---@field max_pivots? integer
---@field max_iterations? integer
---@field relaxation? number
---@field trace? boolean
---@field check? boolean
---@field n? integer expected size

---@class delassus.LcpState
---@field pivot? integer
---@field partner? integer
---@field criterion? number
---@field energy number
---@field basis string[]
---@field q delassus.Vector
---@field tableau delassus.Matrix

---@class delassus.LcpSolution
---@field z delassus.Vector
---@field w delassus.Vector
---@field converged boolean
---@field status delassus.LcpStatus
---@field method string
---@field pivots integer
---@field iterations integer
---@field residual number
---@field natural number
---@field fallback boolean
---@field proven boolean status "ray" proves that there is no solution: M is copositive plus
---@field fault? {row: integer, value: number}
---@field trace? delassus.LcpState[]
---@field solutions? table[]
local LcpSolution = {}
---The paper's tables (needs `trace = true`).
---@return string
function LcpSolution:table() end

---@class delassus.LcpSolver
---@field z delassus.Vector vector: the answer (read only)
---@field w delassus.Vector vector: M z + q (read only)
---@field converged boolean residual <= tolerance (read only)
---@field status string 'solved', 'ray', 'limit' or 'unsuitable' (read only)
---@field method string the method that answered (read only)
---@field pivots integer of the last solve (read only)
---@field iterations integer of the last solve (read only)
---@field residual number max |min(d z, w)| / max |q| (read only)
---@field natural number max |min(z, w)| (read only)
---@field fallback boolean a finite rule took over (read only)
---@field proven boolean status 'ray' proves that there is no solution: M is copositive plus (read only)
---@field fault table? {row =, value =} where M is unsuitable (read only)
---@field n integer size of the last problem (read only)
---@field solves integer number of solves (read only)
---@field total_pivots integer pivots of all solves (read only)
local LcpSolver = {}
---(M, q), or (q) with the matrix of the last call; starts from the last z
function LcpSolver:solve(M, q) end
---() the states of the last solve, as lcp.solve's trace
function LcpSolver:trace() end
---() forgets matrix, start and counts
function LcpSolver:reset() end
---Gives the memory back; twice is fine, use after it raises.
function LcpSolver:close() end

---@class delassus.LcpPathOptions
---@field M delassus.Rows
---@field q delassus.Numbers
---@field d delassus.Numbers
---@field to? number 1; may be math.huge
---@field tolerance? number 1e-9
---@field margin? delassus.Numbers
---@field contacts? integer rows are n, x+, x- of so many contacts
---@field max_pivots? integer

---@class delassus.LcpPath
---@field status delassus.PathEnd how the path ended (read only)
---@field events table[] list of { p =, leaving =, entering = } (read only)
---@field p_limit number largest p with a known state (read only)
---@field steps integer number of events (read only)
---@field pivots integer exchanges of the path and of its start (read only)
---@field residual number worst of the states, relative to its right side (read only)
---@field converged boolean ended as it should, with the residual in the tolerance (read only)
local LcpPath = {}
---(p) -> z, w of the first state reached at p, or nil
function LcpPath:at(p) end
---(p) -> list of { z =, w = } of all states met at p
function LcpPath:all(p) end
---(k) -> z, w, p at event k (0: the start), or nil
function LcpPath:step(k) end
---() -> dz/dp, dw/dp beyond the last state of a ray, or nil
function LcpPath:rate() end
---Gives the memory back; twice is fine, use after it raises.
function LcpPath:close() end

---@class delassus.ConeSolverOptions
---@field friction? number|delassus.Numbers a number, or one a contact; at most 1e6
---@field planar? boolean rows (n, t) in place of (n, t1, t2)
---@field kinds? table[] "cone", "unilateral", "bilateral", {"box", lo, hi}, {"rolling", spin =, roll =}
---@field compliance? number|delassus.Numbers m/(N s)
---@field shift? number|delassus.Numbers m/s
---@field length? number|delassus.Numbers m, for rows in rad/s
---@field scale? number m/s, least divisor of the residual
---@field method? delassus.ConeMethod
---@field unique? boolean least-norm impulses
---@field tolerance? number on the residual, 1e-10
---@field max_iterations? integer

---@class delassus.ConeOptions: delassus.ConeSolverOptions
---@field W delassus.Rows
---@field q delassus.Numbers
---@field start? delassus.Numbers impulses to start from

---@class delassus.ConeSolution
---@field impulse delassus.Vector
---@field velocity delassus.Vector
---@field converged boolean
---@field status delassus.LcpStatus
---@field method string
---@field iterations integer
---@field pivots integer
---@field residual number
---@field natural number
---@field fallback boolean
---@field worst? {group: integer, value: number}
---@field unique? boolean

---@class delassus.ConeSolver
---@field impulse delassus.Vector vector: p, N s (read only)
---@field velocity delassus.Vec vector: v = W p + q, m/s (read only)
---@field converged boolean residual <= tolerance (read only)
---@field status string 'solved', 'ray', 'limit' or 'unsuitable' (read only)
---@field method string the method that answered (read only)
---@field iterations integer of the last solve (read only)
---@field pivots integer of the last solve; 0 where the method has none (read only)
---@field residual number max |p - P(p - rho y)| / rho over max |q| (read only)
---@field natural number the same, not divided, m/s (read only)
---@field fallback boolean a safeguard had to help (read only)
---@field unique boolean the impulses are the least-norm ones (option unique) (read only)
---@field worst table? {group =, value =} of the largest residual (read only)
---@field n integer rows of the last problem (read only)
---@field solves integer number of solves (read only)
local ConeSolver = {}
---(W, q), or (q) with the matrix of the last call; starts from the last impulse
function ConeSolver:solve(W, q) end
---() forgets matrix, start and count
function ConeSolver:reset() end
---Gives the memory back; twice is fine, use after it raises.
function ConeSolver:close() end

---@class delassus.lcp
local lcp = {}
---@param options delassus.LcpOptions
---@return delassus.LcpSolution
function lcp.solve(options) end
---@param options? delassus.LcpSolverOptions
---@return delassus.LcpSolver
function lcp.solver(options) end
---@param options delassus.LcpPathOptions
---@return delassus.LcpPath
function lcp.parametric(options) end
---@param options delassus.ConeOptions
---@return delassus.ConeSolution
function lcp.cone(options) end
---@param options? delassus.ConeSolverOptions
---@return delassus.ConeSolver
function lcp.cone_solver(options) end
---@param file string one of Siconos' text files
---@return table? options, string? message
function lcp.read(file) end

---@class delassus.StackOptions
---@field bodies {mass: number, stiffness: number, damping: number?, position: number, velocity: number?, radius: number?}[]
---@field floor? number
---@field ceiling? number
---@field gravity? number 9.81
---@field dt? number 1e-5
---@field damping? "lagged"|"always"|"none"
---@field log? boolean keeps events

---@class delassus.Stack
---@field positions delassus.Vector heights of the centres, m (vector, from the floor up) (read only)
---@field displacements delassus.Vector the same, from where they started, m (read only)
---@field velocities delassus.Vector upward velocities of the centres, m/s (read only)
---@field forces delassus.Vector contact forces of the last step, N; the first is the floor's (read only)
---@field gaps delassus.Vector gaps after the last step, m (read only)
---@field peak_forces delassus.Vector largest force of each contact so far, N (read only)
---@field peak_times delassus.Vector when that was, s (read only)
---@field pivots integer pivots of the energy criterion in all (read only)
---@field last_pivots integer those of the last step: one a positive force (read only)
---@field collisions integer times a contact closed (read only)
---@field events table[] {t =, kind = "contact" | "separation", gap =, speed =}, ... (read only)
---@field A delassus.Matrix matrix of the last step's complementarity problem, m/N (read only)
---@field B delassus.Vector its right side, m (read only)
---@field time number s (read only)
---@field steps integer steps made (read only)
---@field residual number of the last step, relative, by code that knows no solver (read only)
---@field worst_residual number the largest so far (read only)
---@field dt number time step, s (read only)
---@field gravity number m/s^2, downwards (read only)
---@field floor number height of the floor, m (read only)
---@field ceiling number? height of the ceiling, m, or nil (read only)
---@field damping string "lagged", "always" or "none" (read only)
local Stack = {}
---() kinetic, potential, stored; damped, numerical so far, J
function Stack:energy() end
---() the whole state as 16 characters
function Stack:hash() end
---() the state as a string (without events)
function Stack:snapshot() end
---(snapshot) goes back to it
function Stack:restore(snapshot) end
---`n` steps; one where n is absent.
function Stack:step(n) end
---Steps until `time` seconds have gone by -> report.
function Stack:run(time) end
---A recorder of this stack.
function Stack:record(options) end
---Gives the memory back; twice is fine, use after it raises.
function Stack:close() end

---@class delassus.StructureNode
---@field index integer its number, in the order made (read only)
---@field position delassus.Vec where it is at rest, m (read only)

---@class delassus.StructureElement
---@field index integer its number, in the order made (read only)
---@field kind "bar"|"frame"|"quad" (read only)
---@field nodes delassus.StructureNode[] a quad's counter-clockwise (read only)

---@class delassus.StructureContact
---@field index integer its number, in the order made (read only)
---@field a delassus.StructureNode|delassus.StructureNode[]|nil node, the two nodes of a segment, or nil: the ground (read only)
---@field b delassus.StructureNode forces are those on it (read only)
---@field normal delassus.Vec from a to b; the tangent is it turned by -90 degrees (read only)
---@field gap number initial, m; < 0: interference (read only)
---@field friction number Coulomb's coefficient (read only)

---@class delassus.StructureContactState
---@field normal_force number N, >= 0, on b along the normal
---@field tangential_force number N, on b along the tangent
---@field opening number m, >= 0
---@field slip number m, of b along the tangent relative to a
---@field state "stick"|"slip"|"apart"
---@field contact delassus.StructureContact

---@alias delassus.StructureDisplacement "x"|"y"|"rotation"
---@alias delassus.StructureWhen "constant"|"growing"

---@class delassus.Structure
---@field assumption "plane strain"|"plane stress" of the quads (read only)
---@field thickness number of the quads, m (read only)
---@field nodes delassus.StructureNode[] (read only)
---@field elements delassus.StructureElement[] (read only)
---@field contacts delassus.StructureContact[] (read only)
---@field n_nodes integer (read only)
---@field n_elements integer (read only)
---@field cost {assembly: number, factorisation: number, condensation: number, unknowns: integer, entries: number}? seconds of the last follow or solve that made it anew (read only)
local Structure = {}
---@param position delassus.Numbers {x, y}, m
---@return delassus.StructureNode
function Structure:node(position) end
---@param options {[1]: delassus.StructureNode, [2]: delassus.StructureNode, E: number, A: number, I: number, expansion: number?}
---@return delassus.StructureElement
function Structure:frame(options) end
---@param options {[1]: delassus.StructureNode, [2]: delassus.StructureNode, E: number, A: number, expansion: number?}
---@return delassus.StructureElement
function Structure:bar(options) end
---@param options {[1]: delassus.StructureNode, [2]: delassus.StructureNode, [3]: delassus.StructureNode, [4]: delassus.StructureNode, E: number, nu: number, formulation: "incompatible"|"bilinear"|"bbar"|nil, expansion: number?}
---@return delassus.StructureElement
function Structure:quad(options) end
---nodes[j][i], row j from the corner upwards, i along x; its quads in nodes.quads[j][i].
---@param options {corner: delassus.Numbers?, size: delassus.Numbers, cells: integer[], E: number, nu: number, formulation: "incompatible"|"bilinear"|"bbar"|nil, expansion: number?}
---@return delassus.StructureNode[][]
function Structure:grid(options) end
---{ a, b, ... } of two nodes, { {n1, n2}, b, ... } of a segment and a node, { on = b, ... } of the rigid ground and a node.
---@param options table normal (from a to b), gap (0), friction (0)
---@return delassus.StructureContact
function Structure:contact(options) end
---@param node delassus.StructureNode
---@param ... delassus.StructureDisplacement
function Structure:fix(node, ...) end
---To the ground, N/m or N m/rad.
---@param node delassus.StructureNode
---@param displacement delassus.StructureDisplacement
---@param stiffness number
function Structure:spring(node, displacement, stiffness) end
---{fx, fy} or {fx, fy, moment}; loads add up.
---@param node delassus.StructureNode
---@param force delassus.Numbers N, N m
---@param when? delassus.StructureWhen
function Structure:load(node, force, when) end
---Prescribes a displacement, m or rad.
---@param node delassus.StructureNode
---@param displacement delassus.StructureDisplacement
---@param value number
---@param when? delassus.StructureWhen
function Structure:displace(node, displacement, value, when) end
---@param element delassus.StructureElement
---@param dT number K
---@param when? delassus.StructureWhen
function Structure:heat(element, dT, when) end
---@param options? {to: number?, tightening: number?, tolerance: number?, max_pivots: integer?, factor: "own"|"cholmod"|nil}
---@return delassus.StructurePath
function Structure:follow(options) end
---@param options? {p: number?, tolerance: number?, factor: "own"|"cholmod"|nil}
---@return delassus.StructureState
function Structure:solve(options) end
---Makes the slips of a state permanent.
---@param state delassus.StructureState
function Structure:commit(state) end
---R, q_c, r_v of w = R z + q_c + p r_v: rows x_n of all contacts, then x+, then x-.
---@return delassus.Matrix, delassus.Vector, delassus.Vector
function Structure:problem() end
function Structure:close() end

---@class delassus.StructurePath
---@field status delassus.PathEnd how it ended (read only)
---@field explanation string the same in words (read only)
---@field p_limit number largest p with a known state (read only)
---@field steps integer number of events (read only)
---@field events {p: number, contact: delassus.StructureContact, change: "separates"|"closes"|"slips"|"sticks", leaving: string, entering: string}[] (read only)
---@field pivots integer (read only)
---@field residual number worst of the states (read only)
---@field converged boolean (read only)
---@field tightening number the artificial weight in every row, N (read only)
---@field seconds number that the pivots took (read only)
local StructurePath = {}
---The first state reached at p, or nil.
---@param p number
---@return delassus.StructureState?
function StructurePath:at(p) end
---Every state met at p.
---@param p number
---@return delassus.StructureState[]
function StructurePath:all(p) end
---The state at event k, 0: the start.
---@param k integer
---@return delassus.StructureState?
function StructurePath:step(k) end
---The state per unit p beyond the last event of a ray, free of the tightening.
---@return delassus.StructureState?
function StructurePath:rate() end
---R, q_c with the tightening, r_v.
---@return delassus.Matrix, delassus.Vector, delassus.Vector
function StructurePath:problem() end
---The load-displacement path as SVG.
---@param options? {node: delassus.StructureNode?, displacement: delassus.StructureDisplacement?, title: string?, width: number?, height: number?, file: string?}
---@return string|boolean|nil, string?
function StructurePath:plot(options) end
---The paper's tables, ratios included.
---@return string
function StructurePath:table() end
---Every change of the contacts, one a line.
---@return string
function StructurePath:report() end
---A page with a slider for the load (.html), or the load-displacement path (.svg).
---@param file string
---@param title? string
---@return boolean?, string?
function StructurePath:save(file, title) end
function StructurePath:close() end

---@class delassus.StructureState
---@field p number load parameter (read only)
---@field contacts delassus.StructureContactState[] (read only)
---@field residual number of the law and of equilibrium, the larger, relative (read only)
---@field converged boolean (read only)
---@field status "solved"|"limit"|"mechanism"|"none"|"unsolved" (read only)
---@field solutions integer? how many states there are at this load, where every basis was looked at (read only)
---@field explanation string the outcome in words (read only)
local StructureState = {}
---x, y, rotation; 0 where there is none.
---@param node delassus.StructureNode
---@return number, number, number
function StructureState:displacement(node) end
---fx, fy, moment of the node's supports and springs on the structure.
---@param node delassus.StructureNode
---@return number, number, number
function StructureState:reaction(node) end
---N of a bar; N, V1, M1, V2, M2 of a frame (N tension, M = E I v'', V = dM/ds).
---@param element delassus.StructureElement
---@return number, number?, number?, number?, number?
function StructureState:internal(element) end
---{sxx, syy, sxy} at a quad's middle, Pa, tension positive.
---@param element delassus.StructureElement
---@return delassus.Vec
function StructureState:stress(element) end
---A picture as SVG.
---@param options? {scale: number?, forces: boolean?, title: string?, width: number?, file: string?}
---@return string|boolean|nil, string?
function StructureState:plot(options) end
---The contacts, one a line.
---@return string
function StructureState:table() end
function StructureState:close() end

---@class delassus.SystemContact
---@field index integer its number (read only)
---@field gap number m (read only)
---@field velocity delassus.Vec normal, then tangential, m/s (read only)
---@field normal_force number N, >= 0 (read only)
---@field tangential_force number|delassus.Vec N along the tangent; a vec of two in space (read only)
---@field state "stick"|"slip"|"apart" (read only)

---@class delassus.System
---@field q delassus.Vector coordinates
---@field u delassus.Vector velocities dq/dt
---@field time number s
---@field dt number longest output step, s (read only)
---@field scheme string "event-driven" or "time-stepping" (read only)
---@field contacts delassus.SystemContact[] (read only)
---@field events table[] {t =, kind =, contact =, index =, mode =, slip =, ...}; impacts: velocity, normal_impulse, tangential_impulse (read only)
---@field stats table steps, rejected, evaluations, events, impacts, problems, inconsistent, curbed, residual, drift (m), dissipated, gained (J) (read only)
local System = {}
---(n) n output steps of dt; one where n is absent
function System:step(n) end
---(seconds) for so long -> report
function System:run(seconds) end
---{ every =, file =, names =, title =, potential = } keeps samples from now on -> recording
---@param options? {every: number?, names: string[]?, title: string?, potential: (fun(q: number[], t: number): number)?, file: string?, stream: table?, keep: number?}
function System:record(options) end
---(path or { names =, title =, potential = }) the recording, or what was kept, in the browser
---@param options? string|{path: string?, names: string[]?, title: string?, potential: (fun(q: number[], t: number): number)?}
---@return string|nil, string?
function System:show(options) end
---() -> du/dt; contacts then hold forces and states of now
function System:accelerations() end
---() resolves an impact of the closed contacts now -> normal and tangential impulses
function System:impact() end
---() -> { A =, C =, N =, T = }: all, closed, at rest normally, at rest tangentially
function System:sets() end
---() -> every solution on accelerations: { udot =, contacts = {...} }
function System:solutions() end
---() the state as a string
function System:snapshot() end
---(snapshot) goes back to it
function System:restore(snapshot) end
---() the whole state as 16 characters
function System:hash() end
---Gives the memory back; twice is fine, use after it raises.
function System:close() end

---@class delassus.StackModel
---@field displacements delassus.Vector of all nodes, m (read only)
---@field velocities delassus.Vector of all nodes, m/s (read only)
---@field forces delassus.Vector contact forces of the last step, N (read only)
---@field gaps delassus.Vector gaps after the last step, m (read only)
---@field peak_forces delassus.Vector largest force of each contact so far, N (read only)
---@field pivots integer pivots of the energy criterion in all (read only)
---@field last_pivots integer those of the last step (read only)
---@field collisions integer times a contact closed (read only)
---@field A delassus.Matrix C' (r + lambda/dt + m/dt^2)^-1 C, m/N (read only)
---@field B delassus.Vector right side of the last step, m (read only)
---@field time number s (read only)
---@field steps integer steps made (read only)
---@field residual number of the last step, relative (read only)
---@field worst_residual number the largest so far (read only)
---@field dt number time step, s (read only)
local StackModel = {}
---() the whole state as 16 characters
function StackModel:hash() end
---() the state as a string
function StackModel:snapshot() end
---(snapshot) goes back to it
function StackModel:restore(snapshot) end
---`n` steps; one where n is absent.
function StackModel:step(n) end
---Steps until `time` seconds have gone by -> report.
function StackModel:run(time) end
---Gives the memory back; twice is fine, use after it raises.
function StackModel:close() end

---@class delassus.stack
---@overload fun(options: delassus.StackOptions): delassus.Stack
local stack = {}
---The same step for any body with massless boundary nodes.
---@param options {r: delassus.Rows, m: delassus.Rows, lambda: delassus.Rows, C: delassus.Rows, D0: delassus.Numbers, massless: integer[], forces: delassus.Numbers, displacements: delassus.Numbers, velocities: delassus.Numbers, dt: number}
---@return delassus.StackModel
function stack.model(options) end
---Mass, stiffness and radius of a log of spruce.
---@param log {diameter: number, length: number?, density: number?}
function stack.log(log) end
---Bodies of a pile of measured logs.
---@param options {logs: table[], gap: number?, height: number?, damping: number?}
function stack.pile(options) end

---@class delassus.Shape
---@field kind string "disk", "box", ... (read only)
---@field radius number m (read only)
---@field radius1 number of a cone at -x, m (read only)
---@field radius2 number of a cone at +x, m (read only)
---@field radii delassus.Vec semi-axes of an ellipsoid along x, y, z, m (read only)
---@field length number along x, m; of a capsule the straight part (read only)
---@field size delassus.Vec of a box, m (read only)
---@field normal delassus.Vec of a plane, unit (read only)
---@field offset number of a plane along its normal, m (read only)
---@field points delassus.Matrix corners of a polygon, segment or convex, m (read only)
---@field vertices delassus.Matrix of a mesh, m (read only)
---@field faces delassus.Matrix of a mesh or convex, places in its points (read only)
---@field lifters table? of a drum: count, height, width; nil without (read only)
---@field ends boolean whether a drum is closed by end walls (read only)
---@field children delassus.Shape[] shapes of a compound (read only)
---@field placements table[] position and rotation of each child of a compound (read only)
---@field planar boolean can stand in a planar world (read only)
---@field spatial boolean can stand in a spatial world (read only)
---@field solid boolean has mass: can be a dynamic body (read only)
local Shape = {}
---(density, planar) mass, centre, inertia about the centre
function Shape:mass(density, planar) end
---(pose) corners of the box around it
function Shape:bounds(pose) end
---(direction) its farthest point, in its own frame
function Shape:support(direction) end
---(pose, other, other_pose) gap, point_a, point_b, normal
function Shape:distance(pose, other, other_pose) end
---(pose, other, other_pose, margin) list of contact points
function Shape:contacts(pose, other, other_pose, margin) end
---(pose, from, to) fraction, point, normal; nil for a miss
function Shape:raycast(pose, from, to) end

---@class delassus.MaterialOptions
---@field friction? number|{static: number, kinetic: number, decay: number?}|fun(slip: number): number
---@field restitution? number
---@field stiffness? number N/m; two materials are springs in series, equal or not
---@field damping? number N s/m, of a compliant contact without restitution; dampers in series, a rigid partner's does not count
---@field rolling_friction? number m
---@field spinning_friction? number m
---@field tangential_restitution? number

---@class delassus.Material
---@field friction number|table|function coefficient, table { static, kinetic, decay } or function (read only)
---@field restitution number Newton's coefficient, 0 to 1 (read only)
---@field stiffness number N/m; math.huge: rigid (read only)
---@field damping number N s/m, of a compliant contact without restitution (read only)
---@field rolling_friction number arm, m (read only)
---@field spinning_friction number arm, m (read only)
---@field tangential_restitution number 0 to 1 (read only)
local Material = {}

---A row of a penalty joint: lambda = -(alpha G + beta Gdot), or what its limit's law makes of it. A row of a rigid joint:
---lambda is the mean over the last step; alpha and beta are not there.
---Custom and driven penalty joints and chains that are no other kind count all in metres, a radian as sqrt(alpha_rotation / alpha) of them.
---@class delassus.JointRow
---@field kind "T"|"R"|"LT"|"LR" translation or rotation, L: a limit
---@field G number violation, m or a sine; of a limit its coordinate
---@field Gdot number its rate
---@field Ji delassus.Vector Jacobian of body a: linear, angular, world axes
---@field Jj delassus.Vector Jacobian of body b
---@field lambda number N or N m
---@field alpha? number stiffness, N/m or N m
---@field beta? number damping, N s/m or N m s
---@field stability? number of the row alone (EQUATIONS B.3.9): stable below 4; stats.stability is that of all rows as they meet
---@field chi? number limits: how far beyond the bound
---@field lo? number limits of the general law
---@field hi? number
---@field bound? number limits of the published law

---@class delassus.JointOptions
---@field [1] "spherical"|"ball"|"revolute"|"universal"|"prismatic"|"cylindrical"|"planar"|"fixed"|"free"|"chain"|"custom"
---@field [2] delassus.Body
---@field [3] delassus.Body
---@field formulation? "reduced"|"penalty"|"rigid"
---@field anchor? delassus.Numbers world; default b's origin
---@field axis? delassus.Numbers world
---@field axis2? delassus.Numbers world
---@field frame_a? { position: delassus.Numbers?, rotation: delassus.Rotation? }
---@field frame_b? { position: delassus.Numbers?, rotation: delassus.Rotation? }
---@field motions? table[] chain: { "rotate" or "slide", axis, motion = }
---@field subspace? delassus.Matrix|number[][] custom: 6 x n
---@field limits? table {lo, hi}; universal two of them; spherical { cone =, twist = {lo, hi} }
---@field motor? { speed: number?, position: number?, stiffness: number?, damping: number?, max_torque: number?, max_force: number? }
---@field motion? fun(t: number): number, number?, number? value, rate, acceleration; what is not told is differenced
---@field stiffness? number to the zero pose; any, at any dt
---@field damping? number any, at any dt
---@field friction? number constant torque or force
---@field inertia? number of the rotor, reduced joints
---@field torque? number|delassus.Numbers
---@field gains? "auto"|"published"|"sound" penalty: as stiff as dt allows; the paper's; the paper's with inertias for rotations
---@field alpha? number penalty, per unit of effective mass: 1/s^2
---@field beta? number 1/s
---@field alpha_rotation? number m^2/s^2
---@field beta_rotation? number m^2/s
---@field limit_law? "general"|"published" penalty: only repels, turns counted; the paper's sine law
---@field limit_alpha? number penalty: of the limits, per unit of effective mass
---@field limit_beta? number
---@field name? string
---@field data? any

---@class delassus.Joint
---@field q number|delassus.Vec|delassus.Vector coordinates, rad or m; spherical: quaternion; driven: what its motion says (writable: reduced)
---@field qd number|delassus.Vec|delassus.Vector velocities, rad/s or m/s (writable: reduced)
---@field qdd number|delassus.Vec|delassus.Vector accelerations of world:accelerations(), or the change of qd over the last step by dt (read only)
---@field torque number|delassus.Vec|delassus.Vector applied torque or force, conjugate to the velocity; of a drive what it needs
---@field motor table? { speed = } or { position = }, or nil
---@field limits table? as they were given, or nil (read only)
---@field stiffness number of its spring, N m/rad or N/m (read only)
---@field damping number N m s/rad or N s/m (read only)
---@field friction number constant torque or force, N m or N (read only)
---@field rows delassus.JointRow[] of a penalty or rigid joint, now (read only)
---@field kind string its kind (read only)
---@field formulation string reduced, penalty or rigid (read only)
---@field a delassus.Body body (read only)
---@field b delassus.Body body (read only)
---@field index integer number in the world (read only)
---@field world delassus.World the world it is in (read only)
---@field name string? its name, or nil (read only)
---@field data any anything of yours
local Joint = {}
---() -> force, moment on b at the anchor fixed in b, world axes, N and N m
function Joint:reaction() end
---() -> how far it has come apart, in every formulation: distance between the two anchors along what it holds, m;
---angle of the rotation between its two frames in what it holds, rad
---@return number, number
function Joint:violation() end

---@class delassus.Gear
---@field joint1 delassus.Joint the joint that drives
---@field joint2 delassus.Joint the joint that is driven
---@field ratio number of q2 to q1
local Gear = {}
---() -> how far the joints are from their ratio, rad or m
---@return number
function Gear:violation() end

---@class delassus.Spring
---@field a delassus.Body first body
---@field b delassus.Body second body
---@field anchor_a delassus.Vec in the frame of a, m
---@field anchor_b delassus.Vec in the frame of b, m
---@field stiffness number N/m
---@field damping number N s/m
---@field length number without force, m

---@class delassus.BodyOptions
---@field name? string
---@field type? "dynamic"|"kinematic"|"static"
---@field shape? delassus.Shape
---@field density? number
---@field mass? number
---@field inertia? number|number[]
---@field com? delassus.Numbers
---@field position? delassus.Numbers
---@field rotation? delassus.Rotation
---@field velocity? delassus.Numbers
---@field angular_velocity? number|delassus.Numbers
---@field material? delassus.Material
---@field group? any
---@field collides? any
---@field sensor? boolean
---@field data? any
---@field motion? fun(t: number): any

---@class delassus.Body
---@field position delassus.Vec origin of the body frame, m
---@field rotation delassus.Vec|number quaternion {w, x, y, z}, or the angle in the plane
---@field centre delassus.Vec mass centre, m (read only)
---@field velocity delassus.Vec of the mass centre, m/s
---@field angular_velocity delassus.Vec|number world axes, rad/s
---@field mass number kg; another one scales the inertia
---@field density number? kg/m^3 (plane: kg/m^2); sets the mass
---@field inertia delassus.Vector|number about the mass centre, body axes, kg m^2
---@field com delassus.Vec mass centre in the body frame, m; the frame and what is fixed in it stay
---@field type "dynamic"|"kinematic"|"static" not of a body with joints or a motion; static stands still
---@field index integer number in the world (read only)
---@field sensor boolean found in contacts, touched by nothing
---@field world delassus.World the world it is in (read only)
---@field name string? its name, or nil
---@field data any anything of yours
---@field shape delassus.Shape? its shape, or nil; the mass stays
---@field material delassus.Material? its material; nil: the default one
---@field group string? the group it belongs to, or nil
---@field collides boolean|string|string[]|nil the groups it may touch; nil, true: all
---@field motion? fun(t: number): any, any, any, any, any, any position, rotation, velocity, angular_velocity, acceleration, angular_acceleration of a kinematic body; rates that are not told are differenced; position is the origin's, velocity and acceleration the mass centre's
---@field energy number kinetic and potential, J (read only)
---@field momentum delassus.Vec linear, kg m/s (read only)
---@field joint delassus.Joint? the joint to its parent, or nil (read only)
local Body = {}
---(point) velocity of the body's material at a world point, m/s
function Body:velocity_at(point) end
---{ force =, torque =, at = } acts until changed, N and N m
function Body:apply(options) end
---{ impulse =, angular_impulse =, at = } changes the velocity now, N s
function Body:impulse(options) end
---() iterates the contacts of the last step that touch it
function Body:contacts() end
---(alpha) position, rotation between the last step (0) and now (1)
function Body:pose(alpha) end

---Of the last step. One stated by hand that did not act then: point, normal, gap and velocity as they are now, no force.
---@class delassus.Contact
---@field a delassus.Body first body (read only)
---@field b delassus.Body second body (read only)
---@field point delassus.Vec where the impulse acted, m (read only)
---@field normal delassus.Vec unit, from a to b (read only)
---@field gap number m; below 0: penetration (read only)
---@field normal_force number normal impulse over the last step's length, N (read only)
---@field force delassus.Vec on b, N (read only)
---@field impulse delassus.Vec on b over the step, friction and impact included, N s (read only)
---@field velocity delassus.Vec of b relative to a, after the step, m/s (read only)
---@field state string stick, slip or apart (read only)
---@field key any the same while the same features meet (read only)
---@field age integer steps since it was made (read only)
---@field friction number coefficient used; of a contact stated by hand to be written, too
---@field restitution number of the two materials; its own, to be written, where it is stated by hand
---@field stiffness number the same, N/m
---@field damping number the same, N s/m
---@field found boolean by shapes; false: stated by hand (read only)
---@field active boolean false switches a contact stated by hand off
local Contact = {}

---@class delassus.WorldOptions
---@field gravity? delassus.Numbers
---@field dt? number 1e-3
---@field planar? boolean
---@field scheme? "time-stepping"|"event-driven"|"semi-implicit"
---@field theta? number
---@field impact? "newton"|"poisson"|"sequential"
---@field solver? string
---@field factor? "auto"|"ldl"|"sweep"|"dense"
---@field tolerance? number
---@field max_iterations? integer
---@field friction_corners? 2|4
---@field seed? integer
---@field record? number|false
---@field log? boolean
---@field strict? boolean
---@field profile? boolean

---Kinds: "contact" begins to press, "impact" with an approach, "separation" presses no longer, "stick" and "slip";
---"accumulation": a rebound ended within its step or the next, the bounces after it are shorter than a step and over;
---"collapsed": the sequential law met impacts without end (64 a body), and resolved the rest at once with e = 0.
---@class delassus.Event
---@field t number end of its step, s
---@field kind "impact"|"contact"|"separation"|"stick"|"slip"|"step"|"accumulation"|"collapsed"
---@field a delassus.Body? nil where it was removed
---@field b delassus.Body?
---@field contact delassus.Contact? itself in its step and where made by hand; else the record that was kept
---@field impulse number normal, N s
---@field speed number normal, before the step, m/s
---@field point delassus.Vec m

---n states of one model at once, k from 1 to n.
---@class delassus.Batch
---@field dt number time step, s
---@field path string instructions in use (read only)
---@operator len: integer
local Batch = {}
---(k, q) of state k
function Batch:set_coordinates(k, q) end
---(k, u) of state k
function Batch:set_velocities(k, u) end
---(k, tau) of state k
function Batch:set_torques(k, tau) end
---(k) -> q
function Batch:coordinates(k) end
---(k) -> u
function Batch:velocities(k) end
---() a row of udot for each state
---@return delassus.Matrix
function Batch:accelerations() end
---(n) n evaluations of the accelerations
function Batch:evaluate(n) end
---(n) n steps of dt by the midpoint scheme
function Batch:step(n) end
---Gives the memory back; twice is fine, use after it raises.
function Batch:close() end

---@class delassus.World
---@field time number s (read only)
---@field dt number step, s
---@field gravity delassus.Vec m/s^2
---@field planar boolean true in the plane (read only)
---@field theta number 1/2 to 1; nil: 1/2, or 1 where contacts are compliant
---@field scheme string how it steps (read only)
---@field profile boolean stats.time tells seconds by phase
---@field friction_corners 2|4 of the planar acceleration LCP
---@field factor "auto"|"ldl"|"sweep"|"dense" of trees
---@field seed integer of the world's generator, which starts anew
---@field bodies delassus.Body[] list, in the order in which they were made (read only)
---@field joints delassus.Joint[] list (read only)
---@field ground delassus.Body the body that never moves (read only)
---@field stats table of the last step (read only)
---@field events delassus.Event[] kept where log = true (read only)
---@field log boolean keeps events
---@field strict boolean a step that misses the tolerance raises
---@field tolerance number? relative residual; nil: by size
---@field solver string|userdata name of the method; a solver userdata may be assigned
---@field impact "newton"|"poisson"|"sequential" impact law
---@field max_iterations integer sweeps of a step, of all methods together; a factorisation counts as the sweeps it costs; 1000, the default, guards the solve alone
local World = {}
---(n) n steps; one where n is absent
function World:step(n) end
---(name) the body of that name, or nil
function World:find(name) end
---(x) takes a body, a joint, a gear, a spring or a hand-made contact out
function World:remove(x) end
---{ shape =, density =, position =, ... } -> body
function World:body(options) end
---{ kind, a, b, anchor =, axis =, ... } -> joint
---@param options delassus.JointOptions
---@return delassus.Joint
function World:joint(options) end
---{ joint1, joint2, ratio =, offset = } -> gear: q2 - q2(0) = ratio (q1 - q1(0)) + offset
---@param options { [1]: delassus.Joint, [2]: delassus.Joint, ratio: number, offset: number? }
---@return delassus.Gear
function World:gear(options) end
---(into) position and rotation of every body, in the order of world.bodies: 7 numbers each (x y z w x y z), 3 in the plane (x y angle)
---@param into? delassus.Vector filled in place
---@return delassus.Vector
function World:poses(into) end
---(array) force at the mass centre (N) and torque (N m) on every body, in the order of world.bodies, world axes: 6 numbers each, 3 in the plane; they last until changed
---@param array number[]|delassus.Vector
function World:set_forces(array) end
---{ a, b, friction =, ... } laws of two materials or bodies
function World:pair(options) end
---{ a, b, ... } by hand: point_b against the plane of point_a and normal; or rope = length; or gap = function(q, t) with
---gradient = function(q, t), q as world:coordinates() lists them, the gradient by world:velocities() (the two bodies' own, and of reduced joints between them or to what stands still)
function World:contact(options) end
---{ a, b, stiffness =, damping =, length =, ... }
---@return delassus.Spring
function World:spring(options) end
---(fn) fn(body, t) -> force, torque on every dynamic body
function World:field(fn) end
---(kind, fn) fn(event) after each step -> handle with off()
function World:on(kind, fn) end
---() iterates the contacts of the last step
function World:contacts() end
---(from, to) -> body, point, normal, fraction; nil
function World:raycast(from, to) end
---() -> kinetic, potential, stored, J
function World:energy() end
---() -> linear, angular about the origin
function World:momentum() end
---() -> degrees of freedom, rank, redundant rows
function World:mobility() end
---() -> the energy ledger, term by term, J: dK + dU + d(stored) = forces + springs + kinematic - friction - impact - damping + correction
---+ scheme + error; friction (with rolling and spinning) never gives, kinematic is the work of kinematic bodies and prescribed motions
function World:ledger() end
---(into) q of the whole world, bodies in the order in which they were made
---@param into? delassus.Vector filled instead of a new one
---@return delassus.Vector
function World:coordinates(into) end
---(into) u of the whole world
---@param into? delassus.Vector
---@return delassus.Vector
function World:velocities(into) end
---(q) all coordinates at once
---@param q delassus.Numbers
function World:set_coordinates(q) end
---(u) all velocities at once
---@param u delassus.Numbers
function World:set_velocities(u) end
---(body) -> its first q, its first u
---@param body delassus.Body
---@return integer q, integer u
function World:index(body) end
---({ contacts = true }) -> udot, with the contacts (rigid and compliant, found and made by hand), limits and rigid joints of now;
---then words, where others may obey the laws too and were not sought
---@param options? { contacts: boolean? }
---@return delassus.Vector udot, string? note
function World:accelerations(options) end
---() M of M udot + bias = tau
---@return delassus.Matrix
function World:mass_matrix() end
---() gravity, velocity terms, springs, friction, applied forces
---@return delassus.Vector
function World:bias() end
---(udot) -> tau
---@param udot delassus.Numbers
---@return delassus.Vector
function World:inverse_dynamics(udot) end
---(body, point) 6 x n (planar 3 x n), angular rows first
---@return delassus.Matrix
function World:jacobian(body, point) end
---() W of the contacts, limits and rigid rows of now
---@return delassus.Matrix
function World:delassus() end
---() -> A, B: x' = A x + B tau for x = (change of q; of u)
---@return delassus.Matrix A, delassus.Matrix B
function World:linearize() end
---() goes to the pose at rest, loops closed; stable: in no direction that joints, and limits that press, admit does the energy
---fall (second-order test). Contacts have no part in it; contacts: something touches there, so that they would act
---@return { converged: boolean, stable: boolean, contacts: boolean, residual: number, iterations: integer, q: delassus.Vector }
function World:equilibrium() end
---{ method =, dt =, to =, each = } a world without contacts to the time `to`. error: "dopri5": the largest accepted, in its tolerances;
---fixed steps: the largest estimate of what a step is off by in u, relative to the largest velocity or change of it in a step (rk4 and
---semi-implicit: of all steps but the last); where it stays as large as the motion itself the call raises.
---@param options { method: "stormer"|"rk4"|"dopri5"|"semi-implicit"|nil, order: integer?, reading: string?, dt: number?, to: number, rtol: number?, atol: number?, each: fun(world: delassus.World)? }
---@return { steps: integer, rejected: integer, evaluations: integer, defect: number, error: number? }
function World:integrate(options) end
---() -> string
function World:snapshot() end
---(string) back to a snapshot
function World:restore(string) end
---() -> string of the whole state
function World:hash() end
---A body of this shape: its options and the body's in one table.
function World:sphere(options) end
---A body of this shape: its options and the body's in one table.
function World:capsule(options) end
---A body of this shape: its options and the body's in one table.
function World:cylinder(options) end
---A body of this shape: its options and the body's in one table.
function World:box(options) end
---A body of this shape: its options and the body's in one table.
function World:disk(options) end
---A body of this shape: its options and the body's in one table.
function World:polygon(options) end
---A body of this shape: its options and the body's in one table.
function World:convex(options) end
---A body of this shape: its options and the body's in one table.
function World:cone(options) end
---A body of this shape: its options and the body's in one table.
function World:ellipsoid(options) end
---A body of this shape: its options and the body's in one table.
function World:mesh(options) end
---A body of this shape: its options and the body's in one table.
function World:plane(options) end
---A body of this shape: its options and the body's in one table.
function World:segment(options) end
---A body of this shape: its options and the body's in one table.
function World:floor(options) end
---A body of this shape: its options and the body's in one table.
function World:wall(options) end
---A body of this shape: its options and the body's in one table.
function World:drum(options) end
---Runs for so many seconds; each(world) after every step -> report.
function World:run(seconds, each) end
---For hosts with frames: at most max_steps (default those of 0.25 s) -> steps done, remainder, time dropped.
function World:advance(elapsed, max_steps) end
---A recorder that follows the world.
---@return delassus.Recorder?, string?
function World:record(options) end
---The replay in a browser.
function World:show(path) end
---The live view: the page on the running world.
---@param options? {sliders: table[]?, title: string?, speed: number?, paused: boolean?, open: boolean?, port: integer?, grip: number?}
---@return delassus.View
function World:view(options) end
---Gives the memory back; twice is fine, use after it raises.
function World:close() end

---@class delassus.Recorder
local Recorder = {}
---By its ending: .html, .rec, .json, .csv (units in the header), .glb (animated glTF), .pvd (with .vtp files beside it).
---@return boolean|nil, string?
function Recorder:save(path) end
---Adds a joint, spring or rope between bodies by number (0: the ground) -> its number
---@param connection table kind =, a =, b =, frame_a =, frame_b =, axis =, limits = or point_a =, point_b =, length =
---@return integer
function Recorder:connect(connection) end
---Ends a connection at a time, s.
function Recorder:disconnect(index, till) end
---@return number[]
function Recorder:times() end
---@return number[]
function Recorder:values(name) end
function Recorder:close() end

---@class delassus.View
---@field address string of the page, with its token
---@field playing boolean
---@field speed number times real time
---@field pages integer how many are open
---@field problem string? the error that stopped it
---@field world delassus.World
local View = {}
---Steps in real time until the page is closed, or for `seconds` of the world's time.
---@param seconds? number
---@return "closed"|"time"
function View:run(seconds) end
---One turn, for loops of your own.
function View:poll() end
---Seconds until poll is due.
---@return number
function View:patience() end
---The file descriptor that wakes it.
---@return integer
function View:descriptor() end
---Goes on, in `speed` times real time.
---@param speed? number
function View:play(speed) end
---Stands still.
function View:pause() end
---n steps, then still.
---@param n? integer
function View:step(n) end
---One more slider: { target, "property", min, max }, or { name =, min =, max =, value =, set =, unit = }.
---@param options table
function View:slider(options) end
---Opens the page once more.
function View:open() end
---The page says that it is over; the world stays.
function View:close() end

---@class delassus
---@field version string
---@field lcp delassus.lcp
---@field stack delassus.stack
---@field math table the library's own sin, cos, ...: the same bits everywhere
---@field logs table
---@field plot fun(options: table): string|boolean|nil, string?
---@field report fun(options: table): table
---@field record fun(options: table): delassus.Recorder?, string?
---@field show fun(thing: any, path: string?): string?, string?
local delassus = {}
---@param numbers delassus.Numbers 2 to 4
---@return delassus.Vec
function delassus.vec(numbers) end
---@param numbers delassus.Numbers
---@return delassus.Vector
function delassus.vector(numbers) end
---@param rows delassus.Rows
---@return delassus.Matrix
function delassus.matrix(rows) end
---@param options table rows =, cols =, {i, j, value}, ...; repeated entries add up
---@return delassus.Sparse
function delassus.sparse(options) end
---@param seed integer
---@return delassus.Random
function delassus.random(seed) end
---@param options delassus.MaterialOptions
---@return delassus.Material
function delassus.material(options) end
---@param options? delassus.WorldOptions
---@return delassus.World
function delassus.world(options) end
---A mechanism given by its equations M du/dt = h + W lambda, with unilateral contacts.
---@param options {q: delassus.Numbers, u: delassus.Numbers, mass: delassus.Rows|function, forces: delassus.Numbers|function, contacts: table[]?, dt: number?, time: number?, scheme: "event-driven"|"time-stepping"|nil, impact: "newton"|"poisson"|"sequential"|nil, friction_corners: integer?, gap_tolerance: number?, inconsistent: "impact"|"raise"|nil, rtol: number?, atol: number?, theta: number?, log: boolean?}
---@return delassus.System
function delassus.system(options) end
---n states of one model at once: `set_coordinates(k, q)`, `set_velocities(k, u)`, `accelerations()`, `step(n)`.
---Smooth motion: shapes do not touch; a limit that would act raises. Reduced joints with springs, dampers and (accelerations)
---dry friction; no motors, gears, springs between points, fields, forces of body:apply or contacts made by hand.
---@param world delassus.World
---@param n integer
---@return delassus.Batch
function delassus.batch(world, n) end
---One run for every point of a grid: rows of parameters and results merged, in grid order; also `require "delassus.sweep"`.
---@param options {grid: table<string, (number|string|boolean)[]>, run: (fun(p: table<string, number|string|boolean>): table?), workers: integer?, file: string?, progress: boolean?}
---@return table<string, any>[]
function delassus.sweep(options) end
---A mechanism from a URDF file or an RBDL Lua model.
---@param file string
---@param options? { root?: "fixed"|"free" }
---@return delassus.World|nil world
---@return table|string index bodies and joints by name, what was ignored; or the message
function delassus.load(file, options) end
---What a value answers to.
---@return string
function delassus.help(x) end
---Gap of two placed shapes.
---@param a delassus.Shape
---@param b delassus.Shape
---@return number gap, delassus.Vec point_a, delassus.Vec point_b, delassus.Vec normal
function delassus.distance(a, pose_a, b, pose_b) end
---@return delassus.Shape
function delassus.disk(options) end
---@return delassus.Shape
function delassus.sphere(options) end
---@return delassus.Shape
function delassus.capsule(options) end
---@return delassus.Shape
function delassus.cylinder(options) end
---@return delassus.Shape
function delassus.cone(options) end
---@return delassus.Shape
function delassus.ellipsoid(options) end
---@return delassus.Shape
function delassus.box(options) end
---@return delassus.Shape
function delassus.polygon(options) end
---@return delassus.Shape
function delassus.convex(options) end
---@return delassus.Shape
function delassus.segment(options) end
---@return delassus.Shape
function delassus.plane(options) end
---@return delassus.Shape
function delassus.drum(options) end
---@return delassus.Shape
function delassus.mesh(options) end
---@return delassus.Shape
function delassus.compound(options) end

return delassus
