// Copyright (c) 2026 the delassus authors.
// SPDX-License-Identifier: MIT
// A pile on a vertical line: logs lying across, pressed flat where they are compressed, contact forces beside them.
import { Box3, BoxGeometry, Color, Group, InstancedMesh, Matrix4, Mesh, MeshBasicMaterial, MeshStandardMaterial, Quaternion, SRGBColorSpace, Vector3 } from "three";
import { frameAt, quantile } from "../data.js";
import { token } from "../dom.js";
import { scale } from "../colour.js";
import { log } from "./solid.js";

const FLATTEST = 0.3; // of the radius: no bar is drawn flatter

/** 1, 2 or 5 times a power of ten, not above x. */
export function roundDown(x) {
  const power = 10 ** Math.floor(Math.log10(x));
  return power * [5, 2, 1].find((m) => m * power <= x * (1 + 1e-9));
}

/** Compression at the lower and upper side of every bar: force over the spring of that side. */
function squeeze(scene, i, k) {
  const s = scene.bars[i].stiffness;
  if (!scene.forces || !(s > 0)) return [0, 0];
  const at = (j) => (j < scene.contacts ? scene.forces[k * scene.contacts + j] / s : 0);
  return [at(i), at(i + 1)];
}

function biggestSqueeze(scene) {
  const all = [];
  const step = Math.max(1, Math.floor(scene.time.length / 300));
  for (let k = 0; k < scene.time.length; k += step) {
    for (let i = 0; i < scene.bars.length; i++) all.push(Math.max(...squeeze(scene, i, k)));
  }
  return quantile(all, 1);
}

export function barsScene(scene) {
  const n = scene.bars.length, floor = scene.floor || 0, frames = scene.time.length;
  const tallest = quantile(scene.heights, 1);
  const drawn = scene.bars.map((b) => (b.radius > 0 ? b.radius : Math.max(1e-3, tallest - floor) / (4 * n)));
  const mean = drawn.reduce((a, b) => a + b, 0) / n;
  const most = biggestSqueeze(scene);
  let exaggeration = scene.exaggeration || (most > 0 ? Math.max(1, roundDown((0.45 * mean) / most)) : 1);

  const lower = new Float64Array(n), upper = new Float64Array(n), centre = new Float64Array(n), force = new Float64Array(n + 1);
  /** From the floor up, gap by gap: gaps keep their size, the bars between them are flattened. */
  function layout(k, f) {
    const frame = (i, g) => scene.heights[Math.min(frames - 1, k + g) * n + i];
    let top = floor, below = floor;
    for (let i = 0; i < n; i++) {
      const a = squeeze(scene, i, k), b = squeeze(scene, i, Math.min(frames - 1, k + 1));
      const c = [a[0] + f * (b[0] - a[0]), a[1] + f * (b[1] - a[1])];
      const h = frame(i, 0) + f * (frame(i, 1) - frame(i, 0)), r = scene.bars[i].radius || 0;
      const gap = Math.max(0, h - r + c[0] - below);
      lower[i] = Math.max(FLATTEST * drawn[i], drawn[i] - exaggeration * c[0]);
      upper[i] = Math.max(FLATTEST * drawn[i], drawn[i] - exaggeration * c[1]);
      centre[i] = top + gap + lower[i];
      top = centre[i] + upper[i];
      below = h + r - c[1];
    }
    for (let j = 0; j < scene.contacts; j++) {
      const at = (g) => scene.forces[Math.min(frames - 1, k + g) * scene.contacts + j];
      force[j] = at(0) + f * (at(1) - at(0));
    }
  }

  const group = new Group(), box = new Box3();
  const length = Math.max(0.05 * (tallest - floor), ...scene.bars.map((b, i) => b.length || 6 * drawn[i]));
  const pile = new InstancedMesh(log(1), new MeshStandardMaterial({ vertexColors: true, roughness: 0.86 }), n);
  const base = new Mesh(new BoxGeometry(1.5 * length, 0.06 * length, 1.2 * length), new MeshStandardMaterial({ roughness: 1 }));
  base.position.y = floor - 0.03 * length;
  group.add(pile, base);
  let lid = null;
  if (scene.ceiling != null) {
    lid = base.clone();
    lid.position.y = scene.ceiling + 0.03 * length;
    group.add(lid);
  }
  const profile = scene.forces ? new InstancedMesh(new BoxGeometry(1, 1, 1), new MeshBasicMaterial(), n + 1) : null;
  if (profile) {
    profile.frustumCulled = false;
    group.add(profile);
  }
  pile.frustumCulled = false;
  let room = scene.ceiling != null ? scene.ceiling : floor;
  for (let k = 0; k < frames; k++) {
    layout(k, 0); // what has no thickness is drawn with one, above its height
    room = Math.max(room, centre[n - 1] + upper[n - 1]);
  }
  box.set(new Vector3(-1.3 * length, floor - 0.06 * length, -0.6 * length), new Vector3((profile ? 1.75 : 1.0) * length, room + mean, 0.6 * length));

  const positive = scene.forces ? Array.from(scene.forces).filter((x) => x > 0) : [];
  const range = [0, quantile(positive, 0.995) || 1];
  const matrix = new Matrix4(), at = new Vector3(), turn = new Quaternion(), size = new Vector3(), colour = new Color(), rgb = [0, 0, 0];
  const tint = (value) => {
    scale(value / range[1], rgb);
    return colour.setRGB(rgb[0], rgb[1], rgb[2], SRGBColorSpace);
  };

  function update(t) {
    layout(...frameAt(scene.time, t));
    for (let i = 0; i < n; i++) {
      at.set(0, centre[i] + (upper[i] - lower[i]) / 2, 0);
      const half = (upper[i] + lower[i]) / 2;
      size.set(scene.bars[i].length || length, half, (drawn[i] * drawn[i]) / Math.max(half, 0.6 * drawn[i]));
      pile.setMatrixAt(i, matrix.compose(at, turn, size));
      pile.setColorAt(i, tint(Math.max(force[i], force[i + 1])));
    }
    pile.instanceMatrix.needsUpdate = pile.instanceColor.needsUpdate = true;
    pile.boundingSphere = null;
    if (!profile) return;
    for (let j = 0; j < scene.contacts; j++) {
      const share = Math.min(1, force[j] / range[1]);
      const y = j < n ? centre[j] - lower[j] : centre[n - 1] + upper[n - 1];
      at.set((0.82 + 0.45 * share) * length, y, 0);
      const thick = share > 0 ? 0.5 * mean : 0; // no force has no end to be seen
      profile.setMatrixAt(j, matrix.compose(at, turn, size.set(0.9 * share * length, thick, thick)));
      profile.setColorAt(j, tint(force[j]));
    }
    profile.count = scene.contacts;
    profile.instanceMatrix.needsUpdate = profile.instanceColor.needsUpdate = true;
  }

  function tell(hit, t) {
    const [k] = frameAt(scene.time, t), i = hit.instanceId;
    if (hit.object !== pile) return null;
    const values = [["height", scene.heights[k * n + i], "m"]];
    if (scene.forces) values.push(["force below", scene.forces[k * scene.contacts + i], "N"]);
    if (i + 1 < scene.contacts) values.push(["force above", scene.forces[k * scene.contacts + i + 1], "N"]);
    return { name: scene.bars[i].name || `bar ${i + 1} from the floor`, values };
  }

  return {
    group, box, update, tell, meshes: [pile], forces: null, planar: false, up: [0, 1, 0], pile: true,
    channels: [], choose() {},
    key: () => scene.forces && { label: "contact force", unit: "N", range },
    exaggerations: most > 0 ? [...new Set([1, 10, 100, 1000, exaggeration])].filter((x) => x * most < 2 * mean || x === exaggeration).sort((a, b) => a - b) : [],
    exaggeration: () => exaggeration,
    exaggerate(x) { exaggeration = x; },
    ruler: { floor, top: room, x: -0.86 * length },
    repaint() {
      base.material.color.set(token("--ground"));
      if (lid) lid.material.color.set(token("--ground"));
    },
  };
}
