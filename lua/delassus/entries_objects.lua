-- Copyright (c) 2026 the delassus authors.
-- SPDX-License-Identifier: MIT

--- What answers made in Lua hold: reports of runs, statistics, events, recordings, solutions; one text for help and for
-- the manual. See `delassus.entries` for the form.
-- @module delassus.entries_objects
local core = require "delassus.core"

local outcomes = '"' .. table.concat(core.outcomes, '", "') .. '"'

return [[
Run: what world:run answers
  .time | s | how long it ran
  .now | s | the world's time
  .steps | |
  .dt | s | of its steps; nil where `each` changed it
  .impacts | | onsets of contact with an approach
  .contacts | | of the last step
  .residual | relative | worst of the run
  .overlap | share of a body | worst that a step found
  .penetration | share of a body | worst that a step left
  .energy_balance | relative | of the run, beyond round-off
  .impact_gain | J | that impacts gave: restitution can, with friction or where contacts that open are struck shut
  .unconverged | | steps that missed the tolerance
  .started | | { overlap =, energy = } where bodies started in each other, else nil

stats: world.stats, of the last step
  .contacts | | that pressed or were about to
  .unknowns | | of the complementarity problems
  .islands | | groups of bodies solved by themselves
  .iterations | sweeps | work of all methods
  .pivots | | of methods that pivot
  .residual | relative | worst of the islands
  .limited | | true: max_iterations ended a solve
  .work | sweeps | of the whole step: at most 1 above a max_iterations below 1000
  .given_up | | what max_iterations left undone: swift pairs, impacts, solve, joints, projection; else false
  .overlap | share of a body | worst that the step found, before its projection
  .penetration | share of a body | worst that it left
  .cone_violation | relative | tangential force beyond the cone
  .momentum_error | relative | m dv against the impulses, and angular momentum that joints lose where they turn by radians a step
  .energy_balance | relative | what the ledger cannot explain, beyond round-off
  .correction | relative | energy given by the projection
  .impact_gain | relative | energy given by impacts, 0 where they took
  .curbed | | sequential impacts that would have added energy, and keep it
  .overdamped | | true: a compliant contact loses more by the step than its restitution allows
  .stability | | of penalty joints: stable below 4
  .infeasible | | true: rows that cannot hold together; the least violation is kept
  .impacts | | since the start
  .steps | | since the start
  .unconverged | | steps since the start that missed the tolerance
  .time | s | by phase, where profile = true; else nil

ledger: world:ledger(), J since the start
dK + dU + d(stored) = forces + springs + kinematic - friction - impact - damping + correction + scheme + error.
  .kinetic | J | change of the kinetic energy
  .potential | J | change of that in gravity
  .stored | J | change of that in compliant contacts and penalty joints
  .forces | J | work of apply, fields, torques, motors
  .springs | J | work of springs and their dampers
  .kinematic | J | work of kinematic bodies and prescribed motions
  .friction | J | taken by friction, rolling and spinning included
  .impact | J | taken by impacts
  .damping | J | taken by dampers of compliant contacts and penalty joints
  .correction | J | given by projections of positions
  .scheme | J | taken by the scheme's own dampers, negative
  .error | J | what is left
  .turnover | J | energy turned over, the measure of the balance

Event: of world.events and world:on
  .t | s | end of its step
  .kind | | "contact", "impact", "separation", "stick", "slip", "accumulation", "collapsed"
  .a | Body | nil where it was removed
  .b | Body |
  .contact | Contact | as it was
  .impulse | N s | normal
  .speed | m/s | normal, before the step
  .point | m |

Recorder: what world:record and delassus.record answer
  .title | |
  .planar | |
  .bodies | | list of { name =, type =, shape = }
  .last_time | s | of the last frame
  :frame | | ({ time =, poses =, ... }) takes one frame
  :add | | (body) one more body from now on
  :connect | | (connection) a joint, spring or rope to draw, from now on
  :disconnect | | (index, till) it is there no more
  :close | | () ends the stream and the following of a world
  :save | | (file) .html (replay), .json, .csv, .rec: true, or nil and a message
  :times | | () the times of the frames
  :values | | (name) of a series, one a frame
  :poses | | (k) of frame k
  :channel | | (name, k) of frame k
  :kept | | () the frames kept
  :forget | | () drops those kept
  :scene | | () for delassus.report
  :charts | | () of the series, for delassus.report

View: what world:view answers
  .address | | of the page, with its token
  .playing | | false: it stands still
  .speed | | times real time
  .pages | | how many are open
  .problem | | the error that stopped it, or nil
  .world | World |
  :run | | (seconds) steps in real time until the page is closed, or so long; "closed" or "time"
  :poll | | () one turn, for loops of your own
  :patience | s | () until poll is due
  :descriptor | | () file descriptor that wakes it
  :play | | (speed) goes on
  :pause | | () stands still
  :step | | (n) n steps, then still
  :slider | | { ... } one more slider
  :open | | () opens the page once more
  :close | | () the page says that it is over; the world stays

Report: what delassus.report answers
  :save | | (file) .html or .json: true, or nil and a message
  :html | | () the page as a string
  :json | | () its data as a string
  :data | | () its data as a table

drum object: what drum answers
  .diameter | m |
  .length | m |
  .rpm | 1/min | may be written
  .planar | |
  .seed | |
  .fill | | share reached by settle; false before
  .solid | | share of wood
  .time | s |
  .froude | | omega^2 R / g
  .regime | | one or two names, by Froude number
  .world | World |
  .shell | Body |
  .logs | | list of Body
  :settle | | () fills it and lets the logs come to rest
  :run | | ({ revolutions = } or { time = }) see help"drum:run"
  :report | | () what happened since settle
  :close | | () gives its memory back; twice is fine

drum report: what drum:report answers
  .time | s |
  .revolutions | |
  .logs | | how many
  .collisions | |
  .collisions_per_second | 1/s |
  .force | N | of collisions: mean, p50, p95, p99, max, count, histogram
  .energy | J | of collisions: the same
  .power | W | mean at the shell
  .torque | N m | mean
  .dissipated | J | at contacts
  .energy_balance | relative |
  .per_log | | list of { name =, collisions =, work =, peak_force =, debarked = }
  .debarking | | list of { t, degree } (by place and by name); calibrated, and its constants
  .damage | | share of collisions over the logs' strength, else nil
  .froude | |
  .regime | |
  .repose_angle | rad | of the bed's surface
  .worst_residual | relative |
  .worst_penetration | of a diameter |
  .unconverged | | steps that missed the tolerance
  :save | | (file) .html, .csv, .json: true, or nil and a message

StackReport: what stack:run answers
  .time | s | the stack's
  .steps | |
  .collisions | |
  .pivots | |
  .peak_force | N |
  .residual | relative | worst

StackRecording: what stack:record answers
  .t | s | of the samples
  .forces | N | a list a contact
  .gaps | m | a list a contact
  .energy | J | lists kinetic, potential, stored, damped, numerical
  :report | | ({ title = }) a page
  :table | | () peak forces and times as text
  :contacts | | () peak force and time of each contact
  :energies | | () what became of the energy

SystemRun: what system:run answers
  .time | s | how long
  .now | s | the system's time
  .events | |
  .impacts | | instants
  .dissipated | J | by impacts
  .gained | J | the most that one impact added
  .inconsistent | | times an impact stood in for missing accelerations
  .residual | relative | worst

SystemRecording: what system:record answers
  .t | s |
  .q | | a list a coordinate
  .u | | a list a velocity
  .names | | of the coordinates
  .title | |
  .every | s |
  .keep | s | so many at least are kept; nil: all
  .stop | | recording.stop() does what :close() does
  :close | | () ends it and closes its file; the samples stay: true, or nil and a message
  :save | | (file) .html, .csv, .json, .rec: true, or nil and a message
  :report | | () a page of coordinates and phase portraits
  :look | | (system) takes a sample now

LcpSolution: what lcp.solve answers
  .z | n |
  .w | n | M z + q
  .converged | | residual <= tolerance
  .status | | ]] .. outcomes .. "\n" .. [[
  .method | | that answered
  .pivots | |
  .iterations | |
  .residual | relative | max |min(d z, w)| / max |q|
  .natural | | max |min(z, w)|
  .fallback | | a finite rule took over
  .proven | | "ray" proves that there is no solution
  .fault | | { row =, value = } where M is unsuitable, else nil
  .trace | | states, where trace = true
  .solutions | | of "enumerate", else nil
  :table | | () the paper's tables, where trace = true

ConeSolution: what lcp.cone answers
  .impulse | m, N s |
  .velocity | m, m/s | W p + q
  .converged | | residual <= tolerance
  .status | | ]] .. outcomes .. "\n" .. [[
  .method | | that answered
  .iterations | |
  .pivots | |
  .residual | relative | worst of the groups, see docs/design/solvers.md
  .natural | m/s | the same, not divided
  .fallback | | a safeguard had to help
  .worst | | { group =, value = } of the largest residual
  .unique | | least-norm impulses, where asked for
]]
