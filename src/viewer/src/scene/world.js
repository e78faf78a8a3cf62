// Copyright (c) 2026 the delassus authors.
// SPDX-License-Identifier: MIT
// Bodies of a world: instanced parts, posed and coloured at a time.
import { BackSide, Box3, BufferGeometry, Color, DoubleSide, Float32BufferAttribute, GreaterDepth, Group, InstancedMesh, LineBasicMaterial, LineSegments, Matrix4, MeshBasicMaterial, MeshStandardMaterial, Quaternion, SRGBColorSpace, Vector3 } from "three";
import { frameAt, quantile } from "../data.js";
import { token } from "../dom.js";
import { roundStep } from "../grid.js";
import { rangeOf, scale, wood } from "../colour.js";
import { extent, parts } from "./parts.js";
import { forceArrows } from "./forces.js";
import { reactionArrows } from "./reactions.js";
import { anchorsOf, centreOf, isJoint, axisFrame, symbolSize } from "./anchors.js";
import { mechanismParts } from "./mechanism.js";
import { lines } from "./lines.js";
import { trails } from "./trails.js";

const GONE = new Matrix4().makeScale(0, 0, 0);
const AXIS_Z = new Vector3(0, 0, 1);

const clear = (material, opacity) => Object.assign(material, { transparent: true, opacity, depthWrite: false });

function materials(planar) {
  const lit = (more) => new MeshStandardMaterial({ vertexColors: true, roughness: 0.86, metalness: 0, ...more });
  const plain = () => new MeshBasicMaterial({ vertexColors: true, side: DoubleSide });
  const ghost = new MeshBasicMaterial({ transparent: true, opacity: 0.3, depthWrite: false, depthFunc: GreaterDepth });
  if (planar) return { body: plain(), ground: plain(), shell: plain(), symbol: plain(), ghost, limit: clear(plain(), 0.4), inertia: clear(plain(), 0.5), collision: clear(plain(), 0.4) };
  return { symbol: lit({ roughness: 0.45, metalness: 0.25 }), ghost, limit: clear(lit({ side: DoubleSide }), 0.45), inertia: clear(lit(), 0.35), collision: clear(lit(), 0.35), com: new MeshBasicMaterial({ vertexColors: true }),
    body: lit(), ground: lit({ side: DoubleSide, roughness: 1 }), shell: lit({ side: BackSide }), rim: lit({ side: DoubleSide }), lifter: lit(), floor: lit({ side: DoubleSide, roughness: 1, transparent: true, depthWrite: false }) };
}

/** What a body is seen as: its visuals, else its shape. */
const seenAs = (body) => (body.visuals ? { kind: "compound", parts: body.visuals } : body.shape);

/** Where what is in the box would fall onto planes that are near: points of a running world's picture from the beginning. */
function feet(scene, box) {
  const centre = box.getCenter(new Vector3()), reach = box.getSize(new Vector3()).length();
  return scene.bodies.filter((b) => b.shape && b.shape.kind === "plane").flatMap(({ shape }) => {
    const normal = new Vector3(shape.normal[0], shape.normal[1], shape.normal[2] || 0).normalize();
    const height = centre.dot(normal) - (shape.offset || 0);
    return height > 0 && height < 4 * reach ? [centre.clone().addScaledVector(normal, -height)] : [];
  });
}

/** The box of all moving bodies over the recording, wide as their shapes or their joints, and of what hangs from the ground. */
function bounds(scene, anchors) {
  const box = new Box3(), n = scene.bodies.length, frames = scene.time.length;
  for (const p of anchors[0]) box.expandByPoint(p);
  const step = Math.max(1, Math.floor(frames / 40)), at = new Vector3(), size = new Vector3(), turn = new Quaternion(), q = scene.poses;
  const shapes = scene.bodies.map(seenAs);
  const half = shapes.map((shape) => (shape ? extent(shape, scene.planar) : null));
  const points = scene.bodies.map((b, i) => (shapes[i] ? [] : [...anchors[i + 1], centreOf(b)]));
  for (let k = 0; k < frames; k += step) {
    for (let i = 0; i < n; i++) {
      const p = scene.stride * (k * n + i);
      if (!Number.isFinite(q[p])) continue;
      at.set(q[p], q[p + 1], scene.planar ? 0 : q[p + 2]);
      if (half[i]) box.expandByPoint(size.fromArray(half[i]).add(at)).expandByPoint(size.fromArray(half[i]).negate().add(at));
      if (scene.planar) turn.setFromAxisAngle(AXIS_Z, q[p + 2]); else turn.set(q[p + 4], q[p + 5], q[p + 6], q[p + 3]);
      for (const point of points[i]) box.expandByPoint(size.copy(point).applyQuaternion(turn).add(at));
    }
  }
  if (scene.live && !box.isEmpty()) for (const p of feet(scene, box)) box.expandByPoint(p);
  if (box.isEmpty()) box.set(new Vector3(-1, -1, -1), new Vector3(1, 1, 1));
  const least = 0.02 * box.getSize(size).length() || 0.5;
  return box.expandByVector(new Vector3(least, least, scene.planar ? 0 : least));
}

const SYMBOLS = new Set(["joint", "pin", "limit", "support", "contact", "axis-x", "axis-y", "axis-z", "com", "inertia", "collision"]);
const AXES = { "axis-x": "#d0453a", "axis-y": "#4f9a3f", "axis-z": "#3f6fd0" };

/** Instanced meshes of the parts, one a layer and key; symbols show faintly through what hides them. */
function meshesOf(list, material, planar, group) {
  const batches = new Map();
  for (const p of list) {
    const key = `${p.layer}:${p.key}`;
    if (!batches.has(key)) batches.set(key, { layer: p.layer, make: p.make, list: [] });
    batches.get(key).list.push({ body: p.body - 1, matrix: p.matrix, connection: p.connection, colour: p.colour });
  }
  return [...batches.values()].map((batch) => {
    const symbol = SYMBOLS.has(batch.layer);
    const mesh = new InstancedMesh(batch.make(), material[batch.layer] || (symbol ? material.symbol : material.body), batch.list.length);
    mesh.frustumCulled = false;
    mesh.userData = batch;
    if (planar && !symbol && batch.layer !== "body") mesh.renderOrder = -1;
    group.add(mesh);
    if (symbol && !planar && batch.layer !== "inertia" && batch.layer !== "collision") {
      const ghost = new InstancedMesh(mesh.geometry, material.ghost, batch.list.length);
      ghost.instanceMatrix = mesh.instanceMatrix;
      ghost.frustumCulled = false;
      ghost.renderOrder = 6;
      mesh.userData.ghost = ghost;
      group.add(ghost);
    }
    return mesh;
  });
}

/** How far a sliding joint goes along its axis in the recording: [low, high], m. */
function travelOf(scene, poseAt) {
  const step = Math.max(1, Math.floor(scene.time.length / 60)), A = new Matrix4(), B = new Matrix4();
  return (c) => {
    let low = 0, high = 0;
    for (let k = 0; k < scene.time.length; k += step) {
      const a = axisFrame(c, "a").premultiply(c.a ? poseAt(c.a - 1, k, A) : A.identity());
      const b = new Vector3().setFromMatrixPosition(axisFrame(c, "b").premultiply(c.b ? poseAt(c.b - 1, k, B) : B.identity()));
      const s = b.applyMatrix4(a.invert()).z;
      if (Number.isFinite(s)) [low, high] = [Math.min(low, s), Math.max(high, s)];
    }
    return [low, high];
  };
}

/** A lattice of round steps at the height of the lowest body. */
function latticeOf(box, room) {
  const step = roundStep(2 * room.reach, 12), half = Math.ceil((1.5 * room.reach) / step), list = [];
  const x = Math.round(room.centre[0] / step), y = Math.round(room.centre[1] / step), z = box.min.z;
  for (let i = -half; i <= half; i++) {
    list.push((x + i) * step, (y - half) * step, z, (x + i) * step, (y + half) * step, z, (x - half) * step, (y + i) * step, z, (x + half) * step, (y + i) * step, z);
  }
  const geometry = new BufferGeometry().setAttribute("position", new Float32BufferAttribute(list, 3));
  const lattice = new LineSegments(geometry, new LineBasicMaterial({ transparent: true, opacity: 0.35 }));
  lattice.visible = false;
  return lattice;
}

export function worldScene(scene) {
  const n = scene.bodies.length, group = new Group(), anchors = anchorsOf(scene), box = bounds(scene, anchors);
  const room = { centre: box.getCenter(new Vector3()).toArray(), reach: box.getSize(new Vector3()).length() / 2 || 1 };
  const unit = symbolSize(scene, anchors, room.reach), lift = 0.34 * room.reach;
  const material = materials(scene.planar), hidden = new Set(["axis-x", "axis-y", "axis-z", "com", "inertia", "grid", "collision"]);
  const position = new Vector3(), next = new Vector3(), turn = new Quaternion(), other = new Quaternion(), one = new Vector3(1, 1, 1);
  const still = new Matrix4();
  function poseAt(i, k, matrix, f = 0) {
    const q = scene.poses, a = scene.stride * (k * n + i), b = f > 0 ? a + scene.stride * n : a;
    if (Number.isNaN(q[a])) return matrix.copy(GONE);
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
    return matrix.compose(position, turn, one);
  }
  const list = scene.bodies.flatMap((body, i) => {
    const shape = parts(body.shape, scene.planar, room).map((p) => ({ ...p, body: i + 1, colour: body.colour,
      layer: p.layer !== "body" ? p.layer : body.visuals ? "collision" : body.type === "static" ? "ground" : "body" }));
    const visuals = (body.visuals || []).flatMap((v) => parts({ kind: "compound", parts: [v] }, scene.planar, room).map((p) => ({ ...p, body: i + 1, colour: v.colour || body.colour })));
    return shape.concat(visuals);
  });
  const meshes = meshesOf([...list, ...mechanismParts(scene, anchors, unit, lift, travelOf(scene, poseAt))], material, scene.planar, group);
  const matrices = Array.from({ length: n }, () => new Matrix4());
  const matrixOf = (body) => (body ? matrices[body - 1] : still);
  const up = new Vector3(0, scene.planar ? 1 : 0, scene.planar ? 0 : 1);
  const threads = lines(scene, unit, lift, up, matrixOf);
  for (const mesh of threads.group) group.add(mesh);
  const paths = trails(scene, lift);
  group.add(paths.group);
  const forces = scene.contacts && (scene.live || scene.contacts.values.length) ? forceArrows(scene, room.reach) : null;
  if (forces) group.add(forces.mesh);
  const loads = scene.live ? reactionArrows(scene, room.reach, matrixOf) : null;
  for (const arrows of loads ? loads.arrows : []) group.add(arrows.mesh);

  const allArrows = [forces, ...(loads ? loads.arrows : [])].filter(Boolean);
  const lattice = scene.planar ? null : latticeOf(box, room);
  if (lattice) group.add(lattice);
  const colour = new Color(), rgb = [0, 0, 0];
  const coloured = list.some((p) => p.colour); // then by body at first
  let channel = coloured ? null : scene.channels[0] || null, range = channel && rangeOf(channel, quantile);
  function paint(mesh, k) {
    const { list, layer } = mesh.userData;
    const ground = layer === "body" ? null : SYMBOLS.has(layer) ? AXES[layer] || (layer === "com" ? "#ffffff" : token(`--${layer === "inertia" || layer === "collision" ? "arrow" : layer}`))
      : token(layer === "ground" || layer === "floor" ? "--ground" : "--solid");
    list.forEach((item, j) => {
      if (ground) colour.set(ground);
      else {
        if (channel) scale((channel.values[channel.moving ? k * n + item.body : item.body] - range[0]) / (range[1] - range[0]), rgb);
        else if (item.colour) [rgb[0], rgb[1], rgb[2]] = item.colour;
        else wood(item.body, rgb);
        colour.setRGB(rgb[0], rgb[1], rgb[2], SRGBColorSpace);
      }
      mesh.setColorAt(j, colour);
    });
    mesh.instanceColor.needsUpdate = true;
  }

  const work = new Matrix4();
  let painted = -1;
  const isHere = (c, t) => !c || (!(t < c.from - 1e-9) && !(t >= c.till - 1e-9));
  function update(t) {
    const [k, f] = frameAt(scene.time, t);
    for (let i = 0; i < n; i++) poseAt(i, k, matrices[i], f);
    threads.update(t);
    paths.update(k);
    for (const mesh of meshes) {
      mesh.visible = !hidden.has(mesh.userData.layer);
      if (mesh.userData.ghost) mesh.userData.ghost.visible = mesh.visible;
      if (!mesh.visible) continue;
      mesh.userData.list.forEach((item, j) => mesh.setMatrixAt(j, isHere(item.connection, t) ? work.multiplyMatrices(matrixOf(item.body + 1), item.matrix) : GONE));
      mesh.instanceMatrix.needsUpdate = true;
      mesh.boundingSphere = null;
      if (painted === -1 || ((k !== painted || scene.live) && channel && (channel.moving || scene.live))) paint(mesh, k);
    }
    painted = k;
    if (forces) forces.update(k);
    if (loads) loads.update();
  }

  /** What lies under the pointer: the body's name and its values. */
  function tell(hit, t) {
    const item = hit.object.userData.list && hit.object.userData.list[hit.instanceId];
    if (!item || !hit.object.visible) return null;
    if (item.connection) return { name: item.connection.name || `${item.connection.kind}${isJoint(item.connection) ? " joint" : ""}`,
      values: loads ? loads.tell(item.connection) : [] };
    if (hit.object.userData.layer !== "body") return null;
    const [k] = frameAt(scene.time, t);
    const value = (c) => c.values[c.moving ? k * n + item.body : item.body];
    return { name: scene.bodies[item.body].name || `body ${item.body + 1}`,
      values: scene.channels.map((c) => [c.label || c.name, value(c), c.unit]) };
  }

  /** What can be switched on and off: name, layers, whether it is on. */
  const has = (layer) => meshes.some((mesh) => mesh.userData.layer === layer);
  const switches = [
    { name: "joints", layers: ["joint", "pin", "limit", "support", "contact"], on: true },
    { name: "frames", layers: ["axis-x", "axis-y", "axis-z"], on: false },
    { name: "mass centres", layers: ["com"], on: false },
    { name: "inertia", layers: ["inertia"], on: false },
    { name: "collision shapes", layers: ["collision"], on: false },
  ].filter((s) => s.layers.some(has));
  if (threads.group.length) switches.push({ name: "springs and ropes", layers: [], on: true, act: (on) => threads.group.forEach((mesh) => { mesh.visible = on; }) });
  if (forces) switches.push({ name: "contact forces", layers: [], on: false, act: (on) => { forces.mesh.visible = on; } });
  for (const arrows of loads ? loads.arrows : []) switches.push({ name: arrows.name, layers: [], on: false, act: (on) => { arrows.mesh.visible = on; } });
  switches.push({ name: "trails", layers: [], on: false, act: (on) => { paths.group.visible = on; } });
  if (scene.planar) switches.push({ name: "grid", layers: [], on: true });
  else switches.push({ name: "grid", layers: ["grid"], on: false }, { name: "shadows", layers: [], on: n <= 400 });
  function toggle(s, on) {
    s.on = on;
    if (s.act) s.act(on);
    for (const layer of s.layers) { if (on) hidden.delete(layer); else hidden.add(layer); }
    if (lattice) lattice.visible = !hidden.has("grid");
    painted = -1;
  }

  /** What of a moving body lies under the pointer: { body, point in it, at in the world }; null where something else is before it. */
  function hold(hits) {
    const hit = hits.find((x) => x.object.visible && x.object.userData.list && !SYMBOLS.has(x.object.userData.layer));
    const item = hit && hit.object.userData.list[hit.instanceId];
    if (!item || item.connection || item.body < 0) return null;
    const { type } = scene.bodies[item.body];
    if (type && type !== "dynamic") return null;
    return { body: item.body, point: hit.point.clone().applyMatrix4(matrices[item.body].clone().invert()), at: hit.point.clone() };
  }

  /** Where body i is now, null where it is not there. */
  const placeOf = (i) => (matrices[i].determinant() === 0 ? null : new Vector3().setFromMatrixPosition(matrices[i]));
  const names = scene.bodies.map((b, i) => b.name || `body ${i + 1}`), first = Math.min(1, scene.time.length - 1);
  const moves = (i) => scene.bodies[i].type !== "static" || scene.poses[scene.stride * i] !== scene.poses[scene.stride * (first * n + i)];
  function shade(on) {
    for (const mesh of meshes) {
      mesh.castShadow = on && (mesh.userData.layer === "body" || mesh.userData.layer === "joint");
      mesh.receiveShadow = on && (mesh.userData.layer === "body" || mesh.userData.layer === "floor" || mesh.userData.layer === "ground");
      mesh.material.needsUpdate = true;
    }
  }

  return {
    group, box, update, tell, hold, matrixOf: (i) => matrices[i], meshes, arrows: allArrows, switches, toggle, placeOf, names, moves, shade,
    drawn: () => ({ joints: scene.connections.filter(isJoint).length, ...threads.count }),
    planar: Boolean(scene.planar), up: scene.planar ? [0, 1, 0] : [0, 0, 1],
    hasDrum: scene.bodies.some((b) => b.shape && b.shape.kind === "drum"),
    channels: scene.channels, chosen: () => scene.channels.indexOf(channel),
    key: () => channel && { label: channel.label || channel.name, unit: channel.unit, range },
    choose(c) {
      channel = c;
      range = c && rangeOf(c, quantile);
      painted = -1;
    },
    repaint() {
      painted = -1;
      threads.repaint();
      if (lattice) lattice.material.color.set(token("--muted"));
      material.ghost.color.set(token("--joint"));
      for (const arrows of allArrows) arrows.repaint();
    },
  };
}
