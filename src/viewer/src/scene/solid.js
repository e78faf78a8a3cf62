// Copyright (c) 2026 the delassus authors.
// SPDX-License-Identifier: MIT
// Spatial shapes. Logs lie along x; their ends are lighter and their sides slightly streaked, so that turning is seen.
import { BoxGeometry, BufferGeometry, CylinderGeometry, Float32BufferAttribute, RingGeometry, SphereGeometry, Vector3 } from "three";
import { ConvexGeometry } from "three/examples/jsm/geometries/ConvexGeometry.js";

/** Gives every vertex a shade computed from its position and normal. */
function shaded(geometry, shade) {
  const p = geometry.getAttribute("position"), n = geometry.getAttribute("normal");
  const colour = new Float32Array(3 * p.count);
  for (let i = 0; i < p.count; i++) {
    const s = shade(p.getX(i), p.getY(i), p.getZ(i), n.getX(i));
    colour.fill(s, 3 * i, 3 * i + 3);
  }
  geometry.setAttribute("color", new Float32BufferAttribute(colour, 3));
  return geometry;
}

const streak = (y, z) => {
  const a = Math.atan2(z, y);
  return 0.9 + 0.06 * Math.sin(3 * a) + 0.05 * Math.sin(7 * a + 1) + 0.04 * Math.sin(13 * a + 2);
};

/** Unit log along x: length 1, radius 1 at -x and `ratio` at +x. */
export function log(ratio = 1, capped = true) {
  const geometry = new CylinderGeometry(ratio, 1, 1, 28, 1, !capped);
  geometry.rotateZ(-Math.PI / 2);
  return shaded(geometry, (x, y, z, nx) => (Math.abs(nx) > 0.95 ? 1.18 : streak(y, z)));
}

export const sphere = () => shaded(new SphereGeometry(1, 36, 24), (x, y, z) => 0.02 + streak(y, z));

/** Unit ball with meridians about each axis, so that turning is seen. */
export const ellipsoid = () => shaded(new SphereGeometry(1, 48, 32), (x, y, z) => 0.02 + streak(y, z) - 0.12 * (x * y > 0));

/** Half a ball at the end of a capsule; its shade goes on from the log's streaks. */
export function cap() {
  const geometry = new SphereGeometry(1, 28, 10, 0, 2 * Math.PI, 0, Math.PI / 2);
  geometry.rotateZ(-Math.PI / 2);
  return shaded(geometry, (x, y, z) => streak(y, z) * (1 - x) + 1.1 * x);
}

export const box = () => shaded(new BoxGeometry(1, 1, 1), (x, y, z, nx) => (Math.abs(nx) > 0.9 ? 1.1 : 1));

export function convex(points) {
  return shaded(new ConvexGeometry(points.map((p) => new Vector3(...p))), () => 1);
}

/** Faces count vertices from 1, as Lua does. */
export function mesh(vertices, faces) {
  const position = faces.flatMap((face) => face.flatMap((k) => vertices[k - 1]));
  const geometry = new BufferGeometry();
  geometry.setAttribute("position", new Float32BufferAttribute(position, 3));
  geometry.computeVertexNormals();
  return shaded(geometry, () => 1);
}

/** The inside of a drum, axis x: seen from within, so that the near wall does not hide it. */
export function shell(radius, length) {
  const geometry = new CylinderGeometry(radius, radius, length, 72, 1, true);
  geometry.rotateZ(-Math.PI / 2);
  return shaded(geometry, (x, y, z) => 0.94 + 0.06 * Math.cos(9 * Math.atan2(z, y)));
}

/** The drum's rim at one end. */
export function rim(radius) {
  const n = 72, position = [];
  const at = (i, r) => [0, r * Math.cos((2 * Math.PI * i) / n), r * Math.sin((2 * Math.PI * i) / n)];
  for (let i = 0; i < n; i++) {
    const a = at(i, radius), b = at(i, 1.035 * radius), c = at(i + 1, 1.035 * radius), d = at(i + 1, radius);
    position.push(...a, ...b, ...c, ...a, ...c, ...d);
  }
  const geometry = new BufferGeometry();
  geometry.setAttribute("position", new Float32BufferAttribute(position, 3));
  geometry.computeVertexNormals();
  return shaded(geometry, () => 0.8);
}

/** A round floor that fades towards its edge (the fourth number of a colour is its opacity). */
export function ground(reach) {
  const geometry = new RingGeometry(0, reach, 64, 8), p = geometry.getAttribute("position");
  const colour = new Float32Array(4 * p.count).fill(1);
  for (let i = 0; i < p.count; i++) {
    const away = Math.hypot(p.getX(i), p.getY(i)) / reach;
    colour[4 * i + 3] = Math.min(1, Math.max(0, 1.25 * (1 - away))) ** 1.5;
  }
  geometry.setAttribute("color", new Float32BufferAttribute(colour, 4));
  return geometry;
}
