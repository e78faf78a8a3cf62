// Copyright (c) 2026 the delassus authors.
// SPDX-License-Identifier: MIT
// Bodies of a world: instanced parts, posed and coloured at a time.
import { BackSide, Box3, Color, DoubleSide, Group, InstancedMesh, Matrix4, MeshBasicMaterial, MeshStandardMaterial, Quaternion, SRGBColorSpace, Vector3 } from "three";
import { frameAt, quantile } from "../data.js";
import { token } from "../dom.js";
import { rangeOf, scale, wood } from "../colour.js";
import { extent, parts } from "./parts.js";
import { forceBars } from "./forces.js";

const GONE = new Matrix4().makeScale(0, 0, 0);
const AXIS_Z = new Vector3(0, 0, 1);

function materials(planar) {
  const lit = (more) => new MeshStandardMaterial({ vertexColors: true, roughness: 0.86, metalness: 0, ...more });
  const plain = () => new MeshBasicMaterial({ vertexColors: true, side: DoubleSide });
  if (planar) return { body: plain(), ground: plain(), shell: plain() };
  return { body: lit(), ground: lit({ side: DoubleSide, roughness: 1 }), shell: lit({ side: BackSide }), rim: lit({ side: DoubleSide }), lifter: lit(), floor: lit({ side: DoubleSide, roughness: 1, transparent: true, depthWrite: false }) };
}

/** The box of all moving bodies over the recording, wide as their shapes. */
function bounds(scene) {
  const box = new Box3(), n = scene.bodies.length, frames = scene.time.length;
  const half = scene.bodies.map((b) => extent(b.shape, scene.planar));
  const step = Math.max(1, Math.floor(frames / 40)), at = new Vector3(), size = new Vector3();
  for (let k = 0; k < frames; k += step) {
    for (let i = 0; i < n; i++) {
      const p = scene.stride * (k * n + i);
      if (!half[i] || !Number.isFinite(scene.poses[p])) continue;
      at.set(scene.poses[p], scene.poses[p + 1], scene.planar ? 0 : scene.poses[p + 2]);
      size.fromArray(half[i]);
      box.expandByPoint(at.clone().add(size)).expandByPoint(at.sub(size));
    }
  }
  if (box.isEmpty()) box.set(new Vector3(-1, -1, -1), new Vector3(1, 1, 1));
  return box;
}

export function worldScene(scene) {
  const n = scene.bodies.length, group = new Group(), box = bounds(scene);
  const room = { centre: box.getCenter(new Vector3()).toArray(), reach: box.getSize(new Vector3()).length() / 2 || 1 };
  const material = materials(scene.planar);
  const batches = new Map();
  scene.bodies.forEach((body, i) => {
    for (const p of parts(body.shape, scene.planar, room)) {
      const layer = p.layer === "body" && body.type === "static" ? "ground" : p.layer;
      const key = `${layer}:${p.key}`;
      if (!batches.has(key)) batches.set(key, { layer, make: p.make, list: [] });
      batches.get(key).list.push({ body: i, matrix: p.matrix });
    }
  });
  const meshes = [...batches.values()].map((batch) => {
    const mesh = new InstancedMesh(batch.make(), material[batch.layer] || material.body, batch.list.length);
    mesh.frustumCulled = false;
    mesh.userData = batch;
    if (scene.planar && batch.layer !== "body") mesh.renderOrder = -1;
    group.add(mesh);
    return mesh;
  });
  const forces = scene.contacts ? forceBars(scene, room.reach) : null;
  if (forces) group.add(forces.mesh);

  const matrices = Array.from({ length: n }, () => new Matrix4());
  const position = new Vector3(), next = new Vector3(), turn = new Quaternion(), other = new Quaternion(), one = new Vector3(1, 1, 1);
  function pose(i, k, f) {
    const q = scene.poses, a = scene.stride * (k * n + i), b = f > 0 ? a + scene.stride * n : a;
    if (Number.isNaN(q[a])) return matrices[i].copy(GONE);
    const g = Number.isNaN(q[b]) ? 0 : f;
    if (scene.planar) {
      const layer = scene.bodies[i].type === "dynamic" || !scene.bodies[i].type ? (i + 1) / (n + 1) : 0;
      position.set(q[a] + g * (q[b] - q[a]), q[a + 1] + g * (q[b + 1] - q[a + 1]), 0.3 * layer * room.reach);
      turn.setFromAxisAngle(AXIS_Z, q[a + 2] + g * (q[b + 2] - q[a + 2]));
    } else {
      position.fromArray(q, a).lerp(next.fromArray(q, b), g);
      turn.set(q[a + 4], q[a + 5], q[a + 6], q[a + 3]);
      if (g > 0) turn.slerp(other.set(q[b + 4], q[b + 5], q[b + 6], q[b + 3]), g);
    }
    return matrices[i].compose(position, turn, one);
  }

  const colour = new Color(), rgb = [0, 0, 0];
  let channel = scene.channels[0] || null, range = channel && rangeOf(channel, quantile);
  function paint(mesh, k) {
    const { list, layer } = mesh.userData;
    const ground = layer === "body" ? null : token(layer === "ground" || layer === "floor" ? "--ground" : "--solid");
    list.forEach((item, j) => {
      if (ground) colour.set(ground);
      else {
        if (channel) scale((channel.values[channel.moving ? k * n + item.body : item.body] - range[0]) / (range[1] - range[0]), rgb);
        else wood(item.body, rgb);
        colour.setRGB(rgb[0], rgb[1], rgb[2], SRGBColorSpace);
      }
      mesh.setColorAt(j, colour);
    });
    mesh.instanceColor.needsUpdate = true;
  }

  const work = new Matrix4();
  let painted = -1;
  function update(t) {
    const [k, f] = frameAt(scene.time, t);
    for (let i = 0; i < n; i++) pose(i, k, f);
    for (const mesh of meshes) {
      mesh.userData.list.forEach((item, j) => mesh.setMatrixAt(j, work.multiplyMatrices(matrices[item.body], item.matrix)));
      mesh.instanceMatrix.needsUpdate = true;
      mesh.boundingSphere = null;
      if (painted === -1 || (k !== painted && channel && channel.moving)) paint(mesh, k);
    }
    painted = k;
    if (forces) forces.update(k);
  }

  /** What lies under the pointer: the body's name and its values. */
  function tell(hit, t) {
    const item = hit.object.userData.list && hit.object.userData.list[hit.instanceId];
    if (!item || hit.object.userData.layer !== "body") return null;
    const [k] = frameAt(scene.time, t);
    const value = (c) => c.values[c.moving ? k * n + item.body : item.body];
    return { name: scene.bodies[item.body].name || `body ${item.body + 1}`,
      values: scene.channels.map((c) => [c.label || c.name, value(c), c.unit]) };
  }

  return {
    group, box, update, tell, meshes, forces,
    planar: Boolean(scene.planar), up: scene.planar ? [0, 1, 0] : [0, 0, 1],
    hasDrum: scene.bodies.some((b) => b.shape && b.shape.kind === "drum"),
    channels: scene.channels,
    key: () => channel && { label: channel.label || channel.name, unit: channel.unit, range },
    choose(c) {
      channel = c;
      range = c && rangeOf(c, quantile);
      painted = -1;
    },
    repaint() {
      painted = -1;
      if (forces) forces.repaint();
    },
  };
}
