// Copyright (c) 2026 the delassus authors.
// SPDX-License-Identifier: MIT
// A shape as a list of parts { key, make, matrix, layer }: parts of one key share a geometry and are drawn at once.
import { Matrix4, Quaternion, Vector3 } from "three";
import * as flat from "./flat.js";
import * as solid from "./solid.js";

const ONE = new Vector3(1, 1, 1);

function part(key, make, scale = [1, 1, 1], position = [0, 0, 0], quaternion = new Quaternion(), layer = "body") {
  return { key, make, layer, matrix: new Matrix4().compose(new Vector3(...position), quaternion, new Vector3(...scale)) };
}

const about = (axis, angle) => new Quaternion().setFromAxisAngle(new Vector3(...axis), angle);
const own = (shape, make, layer) => [part(JSON.stringify(shape), make, undefined, undefined, undefined, layer)];
const lifters = (shape) => shape.lifters || { count: 0, height: 0, width: 0 };

const planar = {
  disk: (s) => [part("disk", flat.disk, [s.radius, s.radius, s.radius])],
  capsule: (s) => own(s, () => flat.capsule(s.radius, s.length)),
  box: (s) => own(s, () => flat.box(s.size)),
  polygon: (s) => own(s, () => flat.polygon(s.points)),
  segment: (s, room) => own(s, () => flat.segment(s.points, 0.006 * room.reach)),
  plane: (s, room) => own(s, () => flat.plane(s.normal, s.offset || 0, room.centre, 6 * room.reach), "ground"),
  drum: (s) => own(s, () => flat.drum(s.radius, lifters(s)), "shell"),
};

const spatial = {
  sphere: (s) => [part("sphere", solid.sphere, [s.radius, s.radius, s.radius])],
  ellipsoid: (s) => [part("ellipsoid", solid.ellipsoid, s.radii)],
  cylinder: (s) => [part("log", () => solid.log(1), [s.length, s.radius, s.radius])],
  cone(s) {
    const ratio = s.radius2 / s.radius1;
    return [part(`log ${ratio}`, () => solid.log(ratio), [s.length, s.radius1, s.radius1])];
  },
  capsule(s) {
    const r = s.radius, half = s.length / 2;
    return [
      part("bark", () => solid.log(1, false), [s.length, r, r]),
      part("cap", solid.cap, [r, r, r], [half, 0, 0]),
      part("cap", solid.cap, [r, r, r], [-half, 0, 0], about([0, 0, 1], Math.PI)),
    ];
  },
  box: (s) => [part("box", solid.box, s.size)],
  convex: (s) => own(s, () => solid.convex(s.points)),
  mesh: (s) => own(s, () => solid.mesh(s.vertices, s.faces)),
  plane(s, room) {
    const normal = new Vector3(...s.normal).normalize();
    const centre = new Vector3(...room.centre);
    centre.addScaledVector(normal, (s.offset || 0) - centre.dot(normal));
    const turn = new Quaternion().setFromUnitVectors(new Vector3(0, 0, 1), normal);
    return [part("ground", () => solid.ground(2.6 * room.reach), undefined, centre.toArray(), turn, "floor")];
  },
  drum(s) {
    const l = lifters(s), r = s.radius, list = [
      part(`shell ${r} ${s.length}`, () => solid.shell(r, s.length), undefined, undefined, undefined, "shell"),
      part(`rim ${r}`, () => solid.rim(r), undefined, [s.length / 2, 0, 0], undefined, "rim"),
      part(`rim ${r}`, () => solid.rim(r), undefined, [-s.length / 2, 0, 0], undefined, "rim"),
    ];
    for (let i = 0; i < l.count; i++) {
      const a = (2 * Math.PI * i) / l.count, at = r - l.height / 2;
      list.push(part("lifter", solid.box, [s.length, l.height, l.width], [0, at * Math.cos(a), at * Math.sin(a)], about([1, 0, 0], a), "lifter"));
    }
    return list;
  },
};

function placement(item, isPlanar) {
  const p = item.position || [0, 0, 0], r = item.rotation;
  const turn = isPlanar ? about([0, 0, 1], r || 0) : r ? new Quaternion(r[1], r[2], r[3], r[0]) : new Quaternion();
  return new Matrix4().compose(new Vector3(p[0], p[1], p[2] || 0), turn, ONE);
}

/** The parts of a shape in its body's frame; `room` is { centre, reach } of the scene, for what has no end. */
export function parts(shape, isPlanar, room) {
  if (!shape) return [];
  if (shape.kind === "compound") {
    return shape.parts.flatMap((item) => {
      const place = placement(item, isPlanar);
      return parts(item.shape, isPlanar, room).map((p) => ({ ...p, matrix: place.clone().multiply(p.matrix) }));
    });
  }
  const make = (isPlanar ? planar : spatial)[shape.kind];
  return make ? make(shape, room) : [];
}

/** Half the size of a shape's box about its body's origin, whichever way it is turned; null for what has no end. */
export function extent(shape, isPlanar) {
  if (!shape || shape.kind === "plane") return null;
  if (shape.kind === "drum") {
    const r = 1.035 * shape.radius;
    return isPlanar ? [r, r, 0] : [shape.length / 2, r, r];
  }
  const r = reach(shape);
  return [r, r, isPlanar ? 0 : r];
}

function reach(shape) {
  const far = (points) => Math.max(0, ...points.map((p) => Math.hypot(...p)));
  switch (shape.kind) {
    case "plane": return 0;
    case "capsule": return shape.radius + shape.length / 2;
    case "cylinder": return Math.hypot(shape.radius, shape.length / 2);
    case "cone": return Math.hypot(Math.max(shape.radius1, shape.radius2), shape.length / 2);
    case "ellipsoid": return Math.max(...shape.radii);
    case "box": return Math.hypot(...shape.size) / 2;
    case "polygon": case "segment": case "convex": return far(shape.points);
    case "mesh": return far(shape.vertices);
    case "compound": return Math.max(0, ...shape.parts.map((p) => Math.hypot(...(p.position || [0])) + reach(p.shape)));
    default: return shape.radius || 0;
  }
}
