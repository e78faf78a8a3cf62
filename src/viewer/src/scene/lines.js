// Copyright (c) 2026 the delassus authors.
// SPDX-License-Identifier: MIT
// What goes from one body to another, drawn anew each time as short bars: springs as coils (in the plane as zigzags),
// ropes straight where they are taut and hanging where they are slack.
import { DoubleSide, InstancedMesh, Matrix4, MeshBasicMaterial, MeshStandardMaterial, Quaternion, Vector3 } from "three";
import { bar, flatBox } from "./symbols.js";
import { pointOf } from "./anchors.js";
import { token } from "../dom.js";

const X = new Vector3(1, 0, 0), ROPE = 16, TURNS = 8;

/** A spring's line: [share along it, height on two axes across it] in turn. */
function coil(planar, fine) {
  const out = [[0, 0, 0], [0.1, 0, 0]], n = planar ? 2 * TURNS : TURNS * fine;
  for (let i = planar ? 0.5 : 0; i <= n - (planar ? 0.5 : 0); i++) {
    const a = (2 * Math.PI * TURNS * i) / n, s = 0.1 + (0.8 * i) / n;
    out.push(planar ? [s, Math.floor(i) % 2 ? -1 : 1, 0] : [s, Math.cos(a), Math.sin(a)]);
  }
  out.push([0.9, 0, 0], [1, 0, 0]);
  return out;
}

class Bars {
  constructor(planar, count, thick) {
    const material = planar ? new MeshBasicMaterial({ vertexColors: true, side: DoubleSide }) : new MeshStandardMaterial({ vertexColors: true, roughness: 0.5, metalness: 0.3 });
    this.mesh = new InstancedMesh(planar ? flatBox(1, 1) : bar(), material, count);
    this.mesh.frustumCulled = false;
    this.thick = thick;
    this.work = { d: new Vector3(), turn: new Quaternion(), middle: new Vector3(), size: new Vector3(), matrix: new Matrix4() };
  }

  /** The polyline through `points`. */
  line(points) {
    const { d, turn, middle, size, matrix } = this.work;
    for (let i = 0; i + 1 < points.length; i++) {
      const length = d.subVectors(points[i + 1], points[i]).length();
      if (!(length > 0)) continue;
      turn.setFromUnitVectors(X, d.divideScalar(length));
      middle.addVectors(points[i], points[i + 1]).multiplyScalar(0.5);
      this.mesh.setMatrixAt(this.mesh.count++, matrix.compose(middle, turn, size.set(length + 0.6 * this.thick, this.thick, this.thick)));
    }
  }
}

/** Springs and ropes of a scene; `matrixOf(body)` is a body's pose (0: the ground). */
export function lines(scene, unit, lift, up, matrixOf) {
  const planar = Boolean(scene.planar);
  const springs = scene.connections.filter((c) => c.kind === "spring"), ropes = scene.connections.filter((c) => c.kind === "rope");
  const turns = coil(planar, springs.length > 200 ? 6 : 12);
  const coils = springs.length ? new Bars(planar, springs.length * (turns.length - 1), 0.16 * unit) : null;
  const threads = ropes.length ? new Bars(planar, ropes.length * ROPE, 0.2 * unit) : null;
  const group = [coils, threads].filter(Boolean).map((b) => b.mesh);
  const p = new Vector3(), q = new Vector3(), x = new Vector3(), y = new Vector3(), z = new Vector3();
  const room = Array.from({ length: Math.max(turns.length, ROPE + 1) }, () => new Vector3());
  const here = (c, t) => !(t < c.from - 1e-9) && !(t >= c.till - 1e-9);
  /** Ends of a connection into p and q; their distance, NaN where a body is not there. */
  function span(c) {
    p.copy(pointOf(c, "a")).applyMatrix4(matrixOf(c.a));
    q.copy(pointOf(c, "b")).applyMatrix4(matrixOf(c.b));
    if (matrixOf(c.a).determinant() === 0 || matrixOf(c.b).determinant() === 0) return NaN;
    if (planar) p.z = q.z = lift;
    return x.subVectors(q, p).length();
  }
  function spring(c, t) {
    const length = here(c, t) ? span(c) : NaN, r = 0.75 * unit;
    if (!(length > 0)) return;
    x.divideScalar(length);
    if (planar) y.set(-x.y, x.x, 0);
    else y.set(0, Math.abs(x.z) < 0.9 ? 0 : 1, Math.abs(x.z) < 0.9 ? 1 : 0).projectOnPlane(x).normalize();
    z.crossVectors(x, y);
    turns.forEach(([s, a, b], i) => room[i].copy(p).addScaledVector(x, s * length).addScaledVector(y, a * r).addScaledVector(z, b * r));
    coils.line(room.slice(0, turns.length));
  }
  function rope(c, t) {
    const length = here(c, t) ? span(c) : NaN;
    if (!(length >= 0)) return;
    const sag = Math.sqrt(0.375 * Math.max(0, (c.length || 0) - length) * Math.max(length, 0.25 * (c.length || 0))); // of the parabola of its length
    for (let i = 0; i <= ROPE; i++) room[i].lerpVectors(p, q, i / ROPE).addScaledVector(up, (-4 * sag * i * (ROPE - i)) / ROPE ** 2);
    threads.line(room.slice(0, ROPE + 1));
  }
  return {
    group,
    count: { springs: springs.length, ropes: ropes.length },
    update(t) {
      for (const mesh of group) mesh.count = 0;
      for (const c of springs) spring(c, t);
      for (const c of ropes) rope(c, t);
      for (const mesh of group) mesh.instanceMatrix.needsUpdate = true;
    },
    repaint() {
      if (coils) coils.mesh.material.color.set(token("--spring"));
      if (threads) threads.mesh.material.color.set(token("--rope"));
    },
  };
}
