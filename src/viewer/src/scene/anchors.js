// Copyright (c) 2026 the delassus authors.
// SPDX-License-Identifier: MIT
// Where a mechanism's connections hold its bodies: points and frames in the bodies, and how large symbols are drawn.
import { Matrix4, Quaternion, Vector3 } from "three";

const SPRINGS = new Set(["spring", "rope", "contact"]);
export const isJoint = (c) => !SPRINGS.has(c.kind);

const vector = (list) => new Vector3(list ? list[0] : 0, list ? list[1] : 0, (list && list[2]) || 0);
const turned = (r) => (Array.isArray(r) ? new Quaternion(r[1], r[2], r[3], r[0]) : new Quaternion().setFromAxisAngle(new Vector3(0, 0, 1), r || 0));

/** The pose { position, rotation } of a frame in its body, as a matrix. */
export function placeOf(frame) {
  return new Matrix4().compose(vector(frame && frame.position), turned(frame && frame.rotation), new Vector3(1, 1, 1));
}

/** The joint's frame on side "a" or "b" with z along its axis and x along its second direction. */
export function axisFrame(c, side) {
  const z = c.axis ? vector(c.axis).normalize() : new Vector3(0, 0, 1);
  let x = c.second ? vector(c.second) : new Vector3(1, 0, 0);
  x.addScaledVector(z, -x.dot(z));
  if (x.lengthSq() < 1e-12) x = new Vector3(Math.abs(z.x) < 0.9 ? 1 : 0, Math.abs(z.x) < 0.9 ? 0 : 1, 0).projectOnPlane(z);
  x.normalize();
  return placeOf(side === "a" ? c.frame_a : c.frame_b).multiply(new Matrix4().makeBasis(x, new Vector3().crossVectors(z, x), z));
}

/** Point of a connection on its body, side "a" or "b". */
export function pointOf(c, side) {
  return isJoint(c) ? new Vector3().setFromMatrixPosition(placeOf(side === "a" ? c.frame_a : c.frame_b)) : vector(side === "a" ? c.point_a : c.point_b);
}

/** Points of the connections on each body; entry 0 is the ground's. A free joint holds nothing. */
export function anchorsOf(scene) {
  const list = Array.from({ length: scene.bodies.length + 1 }, () => []);
  for (const c of scene.connections) {
    if (c.kind === "free") continue;
    for (const side of ["a", "b"]) {
      const p = pointOf(c, side);
      const held = list[c[side]];
      if (!held.some((q) => q.distanceTo(p) < 1e-9)) held.push(p);
    }
  }
  return list;
}

/** Size of symbols, m: a share of the scene, and of the typical link where that is shorter. */
export function symbolSize(scene, anchors, reach) {
  const spans = [];
  scene.bodies.forEach((body, i) => {
    const points = anchors[i + 1];
    for (let k = 1; k < points.length; k++) spans.push(points[k].distanceTo(points[0]));
    if (points.length === 1) spans.push(points[0].distanceTo(vector(body.com)));
  });
  const long = spans.filter((s) => s > 1e-9).sort((a, b) => a - b);
  const typical = long.length ? long[long.length >> 1] : reach;
  return Math.min(0.035 * reach, 0.12 * typical);
}

/** Whether a body is drawn by its connections and mass centre: it has no shape. */
export const isBare = (body) => !body.shape && !(body.visuals && body.visuals.length);

export const centreOf = (body) => vector(body.com);
