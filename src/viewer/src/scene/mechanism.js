// Copyright (c) 2026 the delassus authors.
// SPDX-License-Identifier: MIT
// Joints by kind, links of bodies without a shape, frames, mass centres and inertia: parts that move with one body.
// A part is { body (0: the ground), layer, key, make, matrix }, as in parts.js; parts of one key share a geometry.
import { Matrix4, Quaternion, Vector3 } from "three";
import * as symbols from "./symbols.js";
import { axisFrame, centreOf, isBare, isJoint, pointOf } from "./anchors.js";

const scaled = (x, y = x, z = x) => new Matrix4().makeScale(x, y, z);
const moved = (p, z = 0) => new Matrix4().makeTranslation(p.x, p.y, p.z + z);

/** Pose of a bar of unit length along x from p to q, r thick. */
function between(p, q, r) {
  const d = new Vector3().subVectors(q, p), length = d.length();
  const turn = new Quaternion().setFromUnitVectors(new Vector3(1, 0, 0), d.normalize());
  return new Matrix4().compose(new Vector3().addVectors(p, q).multiplyScalar(0.5), turn, new Vector3(length, r, r));
}

/** Points between which a bare body's bars go. */
function bars(points, centre) {
  if (points.length === 0) return [];
  if (points.length === 1) return points[0].distanceTo(centre) > 1e-9 ? [[points[0], centre]] : [];
  if (points.length <= 4) return points.slice(1).map((p, i) => [points[i], p]).concat(points.length > 2 ? [[points[points.length - 1], points[0]]] : []);
  return points.map((p) => [centre, p]);
}

function barePart(body, number, points, unit, planar) {
  const centre = centreOf(body), out = [], list = bars(points, centre);
  const layer = "body", r = 0.42 * unit;
  for (const [p, q] of list) {
    const length = p.distanceTo(q);
    if (planar) {
      const turn = new Matrix4().makeRotationZ(Math.atan2(q.y - p.y, q.x - p.x));
      out.push({ body: number, layer, key: `bar ${length} ${r}`, make: () => symbols.flatBar(length, 1.25 * r), matrix: moved(p).multiply(turn) });
    } else {
      out.push({ body: number, layer, key: "bar", make: symbols.bar, matrix: between(p, q, r) });
      for (const end of [p, q]) out.push({ body: number, layer, key: "joint ball", make: symbols.ball, matrix: moved(end).multiply(scaled(r)) });
    }
  }
  if (points.length <= 1) { // the mass at the free end, or alone
    out.push({ body: number, layer, key: planar ? "flat disk" : "joint ball", make: planar ? () => symbols.flatDisk() : symbols.ball,
      matrix: moved(centre).multiply(scaled(1.6 * unit)) });
  }
  return out;
}

const HEADS = { // symbols by kind, z along the axis: [geometry, scale] on a and on b
  revolute: ["hinge", symbols.hinge], universal: ["cross", symbols.cross], spherical: ["ball", symbols.ball], cylindrical: ["hinge", symbols.hinge],
  fixed: ["block", symbols.block], planar: ["plate", symbols.plate], chain: ["gem", symbols.gem], custom: ["gem", symbols.gem],
};

/** The rail of a sliding joint, from `low` to `high` along its axis, and its slider. */
function slidePart(c, unit, planar, travel, flatLift) {
  const [low, high] = c.limits || travel, from = low - 1.6 * unit, length = high - low + 3.2 * unit;
  const place = axisFrame(c, "a");
  const along = new Matrix4().makeTranslation(0, 0, from + length / 2);
  if (!planar) {
    return [{ body: c.a, layer: "joint", key: "rail", make: symbols.rail, matrix: place.clone().multiply(along).multiply(scaled(0.5 * unit, 0.5 * unit, length)) },
      { body: c.b, layer: "joint", key: "slider", make: symbols.slider, matrix: axisFrame(c, "b").multiply(scaled(unit)) }];
  }
  const line = (side, w, h, at, lift) => { // in the plane: x along the axis
    const p = pointOf(c, side), r = side === "a" ? c.frame_a.rotation || 0 : c.frame_b.rotation || 0;
    const turn = Math.atan2(c.axis[1], c.axis[0]) + r;
    return moved(p, lift).multiply(new Matrix4().makeRotationZ(turn)).multiply(new Matrix4().makeTranslation(at, 0, 0)).multiply(scaled(w, h, 1));
  };
  return [{ body: c.a, layer: "joint", key: "flat rail", make: () => symbols.flatBox(1, 1), matrix: line("a", length, 0.35 * unit, from + length / 2, flatLift) },
    { body: c.b, layer: "joint", key: "flat slider", make: () => symbols.flatBox(1, 1), matrix: line("b", 2.4 * unit, 1.3 * unit, 0, flatLift) }];
}

/** The arc that a limited hinge may turn through, on a, and its pointer, on b. */
function limitPart(c, unit, flatLift) {
  if (!c.limits || !/^(revolute|cylindrical)$/.test(c.kind) || c.limits[1] - c.limits[0] > 2 * Math.PI + 1e-9) return [];
  const [lo, hi] = c.limits, lift = new Matrix4().makeTranslation(0, 0, flatLift);
  const pointer = new Matrix4().makeScale(3 * unit, 0.22 * unit, 0.22 * unit);
  return [{ body: c.a, layer: "limit", key: `sector ${lo} ${hi}`, make: () => symbols.sector(lo, hi), matrix: axisFrame(c, "a").premultiply(lift).multiply(scaled(3 * unit)) },
    { body: c.b, layer: "joint", key: "pointer", make: () => symbols.bar().translate(0.5, 0, 0), matrix: axisFrame(c, "b").premultiply(lift).multiply(pointer) }];
}

/** The side of a joint that the ground holds, if any. */
const grounded = (c) => (c.a === 0 ? "a" : c.b === 0 ? "b" : null);

function jointPart(c, unit, planar, travel, flatLift) {
  if (c.kind === "free") return [];
  const out = limitPart(c, unit, planar ? flatLift : 0), held = grounded(c);
  if (c.kind === "prismatic") return out.concat(slidePart(c, unit, planar, travel, flatLift));
  if (c.kind === "cylindrical") out.push(slidePart(c, unit, false, travel, flatLift)[0]);
  if (planar) {
    const p = pointOf(c, "b"), square = c.kind === "fixed";
    if (held) out.push({ body: 0, layer: "support", key: "support", make: symbols.flatSupport, matrix: moved(pointOf(c, held), 0.5 * flatLift).multiply(scaled(unit)) });
    out.push({ body: c.b, layer: "joint", key: square ? "flat block" : "flat pin", make: square ? () => symbols.flatBox(1.6, 1.6) : () => symbols.flatDisk(0.8),
      matrix: moved(p, flatLift).multiply(scaled(unit)) });
    if (!square) out.push({ body: c.b, layer: "pin", key: "flat hole", make: () => symbols.flatDisk(0.4), matrix: moved(p, 1.02 * flatLift).multiply(scaled(unit)) });
    return out;
  }
  const [key, make] = HEADS[c.kind] || HEADS.chain;
  out.push({ body: c.b, layer: "joint", key, make, matrix: axisFrame(c, "b").multiply(scaled(0.9 * unit)) });
  if (held) out.push({ body: 0, layer: "support", key: "plate", make: symbols.plate, matrix: axisFrame(c, held).multiply(scaled(0.8 * unit)) });
  return out;
}

/** The plane of a contact made by hand, on a, and its point, on b. */
function contactPart(c, unit, planar, flatLift) {
  const normal = new Vector3(c.normal[0], c.normal[1], c.normal[2] || 0).normalize();
  const turn = new Matrix4().makeRotationFromQuaternion(new Quaternion().setFromUnitVectors(planar ? new Vector3(0, 1, 0) : new Vector3(0, 0, 1), normal));
  const lift = planar ? flatLift : 0;
  const face = planar ? ["flat face", () => symbols.flatBox(8, 0.3)] : ["plate", symbols.plate];
  return [{ body: c.a, layer: "contact", key: face[0], make: face[1], matrix: moved(pointOf(c, "a"), lift).multiply(turn).multiply(scaled(unit)) },
    { body: c.b, layer: "contact", key: planar ? "flat point" : "ball", make: planar ? () => symbols.flatDisk(0.5) : symbols.ball, matrix: moved(pointOf(c, "b"), lift).multiply(scaled(planar ? unit : 0.5 * unit)) }];
}

/** Axes of body frames; mass centres; ellipsoids of inertia: drawn on request. */
function detailParts(body, number, unit, planar, flatLift) {
  const lift = planar ? flatLift : 0, long = 3.2 * unit, out = [];
  const axes = [["axis-x", new Matrix4()], ["axis-y", new Matrix4().makeRotationZ(Math.PI / 2)], ["axis-z", new Matrix4().makeRotationY(-Math.PI / 2)]];
  for (const [layer, turn] of planar ? axes.slice(0, 2) : axes) {
    out.push({ body: number, layer, key: "arrow", make: symbols.arrow, matrix: moved(new Vector3(), lift).multiply(turn).multiply(scaled(long)) });
  }
  if (!(body.mass > 0)) return out;
  const centre = moved(centreOf(body), 1.1 * lift);
  out.push({ body: number, layer: "com", key: planar ? "centre mark" : "centre ball", make: planar ? symbols.centreMark : symbols.centreBall, matrix: centre.clone().multiply(scaled(0.8 * unit)) });
  const I = Array.isArray(body.inertia) ? body.inertia : null;
  if (I && !planar) { // the homogeneous ellipsoid of the same moments about the body's axes
    const semi = [0, 1, 2].map((k) => Math.sqrt(Math.max(0, (2.5 / body.mass) * (I[(k + 1) % 3] + I[(k + 2) % 3] - I[k]))));
    out.push({ body: number, layer: "inertia", key: "ball", make: symbols.ball, matrix: centre.clone().multiply(scaled(...semi.map((s) => Math.max(s, 0.05 * unit)))) });
  } else if (planar && body.inertia > 0) { // the ring of the same inertia: radius of gyration
    out.push({ body: number, layer: "inertia", key: "ring", make: symbols.ring, matrix: centre.clone().multiply(scaled(Math.sqrt(body.inertia / body.mass), Math.sqrt(body.inertia / body.mass), 0.01 * unit)) });
  }
  return out;
}

/** All parts of the mechanism. `travel(c)`: the range of a sliding joint in the recording; `lift`: height of symbols over flat bodies. */
export function mechanismParts(scene, anchors, unit, lift, travel) {
  const planar = Boolean(scene.planar), out = [];
  scene.bodies.forEach((body, i) => {
    if (isBare(body) && !(body.type === "static" && anchors[i + 1].length <= 1)) out.push(...barePart(body, i + 1, anchors[i + 1], unit, planar));
    if (body.type !== "static") out.push(...detailParts(body, i + 1, unit, planar, lift));
  });
  for (const c of scene.connections) {
    const made = isJoint(c) ? jointPart(c, unit, planar, travel(c), lift) : c.kind === "contact" ? contactPart(c, unit, planar, lift) : [];
    out.push(...made.map((p) => ({ ...p, connection: c })));
  }
  return out;
}
