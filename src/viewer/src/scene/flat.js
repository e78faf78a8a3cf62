// Copyright (c) 2026 the delassus authors.
// SPDX-License-Identifier: MIT
// Planar shapes: outlines filled with a lighter inside, a darker rim, and a mark that shows the rotation.
import { BufferGeometry, Float32BufferAttribute, ShapeUtils, Vector2 } from "three";

const RIM = 0.66;

/** Collects coloured triangles. */
class Triangles {
  constructor() {
    this.position = [];
    this.colour = [];
  }

  add(points, z, shade) {
    for (const [x, y] of points) {
      this.position.push(x, y, z);
      this.colour.push(shade, shade, shade);
    }
  }

  quad(a, b, c, d, z, shade) {
    this.add([a, b, c, a, c, d], z, shade);
  }

  geometry() {
    const geometry = new BufferGeometry();
    geometry.setAttribute("position", new Float32BufferAttribute(this.position, 3));
    geometry.setAttribute("color", new Float32BufferAttribute(this.colour, 3));
    return geometry;
  }
}

function arc(cx, cy, r, from, to, n) {
  return Array.from({ length: n + 1 }, (_, i) => {
    const a = from + ((to - from) * i) / n;
    return [cx + r * Math.cos(a), cy + r * Math.sin(a)];
  });
}

/** The outline moved inwards by `depth`, corner by corner (mitred). */
function inset(outline, depth) {
  const n = outline.length;
  return outline.map((p, i) => {
    const a = outline[(i + n - 1) % n], b = outline[(i + 1) % n];
    const u = direction(a, p), v = direction(p, b);
    const bend = Math.max(0.35, 1 + u[0] * v[0] + u[1] * v[1]);
    return [p[0] - (depth * (u[1] + v[1])) / bend, p[1] + (depth * (u[0] + v[0])) / bend];
  });
}

function direction(a, b) {
  const x = b[0] - a[0], y = b[1] - a[1], size = Math.hypot(x, y) || 1;
  return [x / size, y / size];
}

function turned(outline) {
  const points = outline.map(([x, y]) => new Vector2(x, y));
  return ShapeUtils.area(points) < 0 ? outline.slice().reverse() : outline;
}

function filled(given, depth, mark) {
  const outline = turned(given);
  const inner = inset(outline, depth);
  const out = new Triangles();
  const points = outline.map(([x, y]) => new Vector2(x, y));
  for (const face of ShapeUtils.triangulateShape(points, [])) out.add(face.map((k) => outline[k]), 0, 1);
  for (let i = 0; i < outline.length; i++) {
    const j = (i + 1) % outline.length;
    out.quad(outline[i], outline[j], inner[j], inner[i], 0.002, RIM);
  }
  if (mark) out.quad(...mark, 0.002, RIM);
  return out.geometry();
}

export function disk() {
  return filled(arc(0, 0, 1, 0, 2 * Math.PI, 40).slice(0, -1), 0.09, [[0.4, -0.05], [0.95, -0.05], [0.95, 0.05], [0.4, 0.05]]);
}

export function capsule(radius, length) {
  const outline = [...arc(length / 2, 0, radius, -Math.PI / 2, Math.PI / 2, 16), ...arc(-length / 2, 0, radius, Math.PI / 2, 1.5 * Math.PI, 16)];
  return filled(outline, 0.12 * radius);
}

export function polygon(points) {
  const xs = points.map((p) => p[0]), ys = points.map((p) => p[1]);
  const size = Math.min(Math.max(...xs) - Math.min(...xs), Math.max(...ys) - Math.min(...ys));
  return filled(points, 0.05 * size);
}

export const box = ([w, h]) => polygon([[-w / 2, -h / 2], [w / 2, -h / 2], [w / 2, h / 2], [-w / 2, h / 2]]);

/** A line as a thin strip. */
export function segment([a, b], thickness) {
  const u = direction(a, b), x = (-u[1] * thickness) / 2, y = (u[0] * thickness) / 2;
  const out = new Triangles();
  out.quad([a[0] - x, a[1] - y], [b[0] - x, b[1] - y], [b[0] + x, b[1] + y], [a[0] + x, a[1] + y], 0, 1);
  return out.geometry();
}

/** The solid half plane normal . x < offset near `centre`, with its edge drawn darker. */
export function plane(normal, offset, centre, reach) {
  const [x, y] = normal, along = -y * centre[0] + x * centre[1];
  const at = (s, d) => [x * (offset + d) - y * (along + s), y * (offset + d) + x * (along + s)];
  const out = new Triangles();
  out.quad(at(reach, -reach), at(-reach, -reach), at(-reach, 0), at(reach, 0), -0.01, 1);
  out.quad(at(reach, -0.0012 * reach), at(-reach, -0.0012 * reach), at(-reach, 0), at(reach, 0), 0, 0.72);
  return out.geometry();
}

/** The rim of a drum and its lifters. */
export function drum(radius, lifters) {
  const out = new Triangles();
  const n = 128;
  const inside = arc(0, 0, radius, 0, 2 * Math.PI, n), outside = arc(0, 0, 1.035 * radius, 0, 2 * Math.PI, n);
  for (let i = 0; i < n; i++) out.quad(inside[i], outside[i], outside[i + 1], inside[i + 1], 0, 1);
  for (let i = 0; i < lifters.count; i++) {
    const a = (2 * Math.PI * i) / lifters.count, c = Math.cos(a), s = Math.sin(a), w = lifters.width / 2;
    const at = (r, t) => [c * r - s * t, s * r + c * t];
    out.quad(at(radius - lifters.height, -w), at(1.01 * radius, -w), at(1.01 * radius, w), at(radius - lifters.height, w), 0, 1);
  }
  return out.geometry();
}
