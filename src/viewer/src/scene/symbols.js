// Copyright (c) 2026 the delassus authors.
// SPDX-License-Identifier: MIT
// Geometries of the symbols of a mechanism, of unit size: pins, balls, sliders, rails, arcs of limits, frames.
import { BoxGeometry, BufferGeometry, CylinderGeometry, Float32BufferAttribute, OctahedronGeometry, SphereGeometry, TorusGeometry } from "three";
import { mergeGeometries } from "three/examples/jsm/utils/BufferGeometryUtils.js";

/** Every vertex in one shade, so that materials with vertex colours take the instance's colour. */
function plain(geometry, shade = 1) {
  const n = geometry.getAttribute("position").count;
  geometry.setAttribute("color", new Float32BufferAttribute(new Float32Array(3 * n).fill(shade), 3));
  return geometry;
}

const alongZ = (g) => g.rotateX(Math.PI / 2);
const merged = (list) => plain(mergeGeometries(list.map((g) => (g.index ? g.toNonIndexed() : g)).map((g) => { g.deleteAttribute("uv"); return g; })));

/** A hinge about z: a pin with two heads. */
export const hinge = () => merged([
  alongZ(new CylinderGeometry(0.55, 0.55, 2, 20)), alongZ(new CylinderGeometry(0.85, 0.85, 0.3, 20)).translate(0, 0, 1),
  alongZ(new CylinderGeometry(0.85, 0.85, 0.3, 20)).translate(0, 0, -1)]);
export const ball = () => plain(new SphereGeometry(1, 20, 14));
/** A universal joint: a cross of two pins, about z and x. */
export const cross = () => merged([
  alongZ(new CylinderGeometry(0.35, 0.35, 2.4, 16)), new CylinderGeometry(0.35, 0.35, 2.4, 16).rotateZ(Math.PI / 2)]);
export const slider = () => plain(new BoxGeometry(1.3, 1.3, 1.8));
/** A rail along z of length 1. */
export const rail = () => plain(new BoxGeometry(1, 1, 1));
export const block = () => plain(new BoxGeometry(1.2, 1.2, 1.2));
export const plate = () => plain(new BoxGeometry(2.6, 2.6, 0.25));
export const gem = () => plain(new OctahedronGeometry(1));
export const bar = () => plain(new CylinderGeometry(1, 1, 1, 16).rotateZ(-Math.PI / 2));
export const ring = () => plain(new TorusGeometry(1, 0.3, 10, 24));
export const arrow = () => merged([
  new CylinderGeometry(0.035, 0.035, 0.8, 10).rotateZ(-Math.PI / 2).translate(0.4, 0, 0), new CylinderGeometry(0, 0.11, 0.22, 14).rotateZ(-Math.PI / 2).translate(0.89, 0, 0)]);

/** A sector of a ring about z, from angle lo to hi (rad) counted from x; radius 1. */
export function sector(lo, hi) {
  const n = Math.max(2, Math.ceil(Math.abs(hi - lo) / 0.09)), position = [];
  const at = (i, r) => [r * Math.cos(lo + ((hi - lo) * i) / n), r * Math.sin(lo + ((hi - lo) * i) / n), 0];
  for (let i = 0; i < n; i++) position.push(...at(i, 0.62), ...at(i, 1), ...at(i + 1, 1), ...at(i, 0.62), ...at(i + 1, 1), ...at(i + 1, 0.62));
  const geometry = new BufferGeometry();
  geometry.setAttribute("position", new Float32BufferAttribute(position, 3));
  geometry.computeVertexNormals();
  return plain(geometry);
}

// --- in the plane: flat, z = 0 ------------------------------------------------------------------------------------

function flat(triangles, shades) {
  const geometry = new BufferGeometry();
  geometry.setAttribute("position", new Float32BufferAttribute(triangles.flatMap(([x, y]) => [x, y, 0]), 3));
  geometry.setAttribute("color", new Float32BufferAttribute(triangles.flatMap((_, i) => [0, 0, 0].fill(shades ? shades[i] : 1)), 3));
  return geometry;
}

function fan(outline, centre = [0, 0]) {
  return outline.flatMap((p, i) => [centre, p, outline[(i + 1) % outline.length]]);
}
const circle = (r, n = 32) => Array.from({ length: n }, (_, i) => [r * Math.cos((2 * Math.PI * i) / n), r * Math.sin((2 * Math.PI * i) / n)]);

export const flatDisk = (r = 1) => flat(fan(circle(r)));
export const flatBox = (w, h) => flat([[-w / 2, -h / 2], [w / 2, -h / 2], [w / 2, h / 2], [-w / 2, -h / 2], [w / 2, h / 2], [-w / 2, h / 2]]);
/** A support: its tip at the origin, its foot below, on hatched ground. */
export function flatSupport() {
  const hatch = [-1.4, -0.7, 0, 0.7, 1.4].flatMap((x) => [[x - 0.55, -2.35], [x - 0.4, -2.35], [x + 0.1, -1.7], [x - 0.55, -2.35], [x + 0.1, -1.7], [x - 0.05, -1.7]]);
  return flat([[0, 0], [-1.05, -1.6], [1.05, -1.6], ...[[-1.7, -1.75], [1.7, -1.75], [1.7, -1.6], [-1.7, -1.75], [1.7, -1.6], [-1.7, -1.6]], ...hatch]);
}
/** A bar from (0, 0) to (length, 0) with round ends of radius r. */
export function flatBar(length, r) {
  const n = 14, end = (cx, from) => Array.from({ length: n + 1 }, (_, i) => [cx + r * Math.cos(from + (Math.PI * i) / n), r * Math.sin(from + (Math.PI * i) / n)]);
  return flat(fan([...end(length, -Math.PI / 2), ...end(0, Math.PI / 2)], [length / 2, 0]));
}
/** Mass centre: a disk whose quarters are light and dark by turns. */
export function centreMark() {
  const triangles = [], shades = [];
  for (let k = 0; k < 4; k++) {
    for (let i = 0; i < 8; i++) {
      const a = (Math.PI / 2) * (k + i / 8), b = (Math.PI / 2) * (k + (i + 1) / 8);
      triangles.push([0, 0], [Math.cos(a), Math.sin(a)], [Math.cos(b), Math.sin(b)]);
      shades.push(...[0, 0, 0].fill(k % 2 ? 1 : 0.08));
    }
  }
  return flat(triangles, shades);
}
/** The same in space: a ball of eight such parts. */
export function centreBall() {
  const geometry = new SphereGeometry(1, 24, 16).toNonIndexed(), p = geometry.getAttribute("position");
  const colour = new Float32Array(3 * p.count);
  for (let f = 0; f < p.count; f += 3) {
    let x = 0, y = 0, z = 0;
    for (let i = f; i < f + 3; i++) { x += p.getX(i); y += p.getY(i); z += p.getZ(i); }
    colour.fill(x * y * z > 0 ? 1 : 0.08, 3 * f, 3 * f + 9);
  }
  geometry.setAttribute("color", new Float32BufferAttribute(colour, 3));
  return geometry;
}
