// Copyright (c) 2026 the delassus authors.
// SPDX-License-Identifier: MIT
// Trails: the ways of the bodies' mass centres up to now, as lines.
import { BufferGeometry, Float32BufferAttribute, Group, Line, LineBasicMaterial, Quaternion, Vector3 } from "three";
import { centreOf } from "./anchors.js";
import { lineColour } from "../colour.js";

const MOST = 60; // bodies with a trail
const LONG = 1200; // points of one in a running world

export function trails(scene, lift) {
  const group = new Group(), n = scene.bodies.length, frames = scene.time.length, list = [];
  group.visible = false;
  let made = false;
  const at = new Vector3(), turn = new Quaternion();
  function point(i, k) {
    const q = scene.poses, a = scene.stride * (k * n + i), c = centreOf(scene.bodies[i]);
    if (scene.planar) {
      turn.setFromAxisAngle(at.set(0, 0, 1), q[a + 2]);
      return c.applyQuaternion(turn).add(at.set(q[a], q[a + 1], lift));
    }
    return c.applyQuaternion(turn.set(q[a + 4], q[a + 5], q[a + 6], q[a + 3])).add(at.fromArray(q, a));
  }
  const walked = []; // of a running world: the points of each line up to now
  let last = NaN;
  /** One more point a line; the oldest are forgotten. */
  function walk() {
    if (scene.time[0] < last) for (const points of walked) points.length = 0;
    if (scene.time[0] === last) return;
    last = scene.time[0];
    list.forEach((line, j) => {
      const i = line.userData.body, points = walked[j] || (walked[j] = []);
      if (Number.isNaN(scene.poses[scene.stride * i])) return;
      points.push(...point(i, 0).toArray());
      if (points.length > 3 * LONG) points.splice(0, points.length - 3 * LONG);
      const place = line.geometry.getAttribute("position");
      place.array.set(points);
      place.needsUpdate = true;
      line.geometry.setDrawRange(0, points.length / 3);
    });
  }
  function make() {
    made = true;
    for (let i = 0; i < n && list.length < MOST; i++) {
      if (scene.bodies[i].type === "static") continue;
      const position = [];
      let first = -1; // the first frame with the body
      for (let k = 0; k < frames; k++) {
        if (Number.isNaN(scene.poses[scene.stride * (k * n + i)])) continue;
        if (first < 0) first = k;
        position.push(...point(i, k).toArray());
      }
      while (scene.live && position.length < 3 * LONG) position.push(0);
      const geometry = new BufferGeometry().setAttribute("position", new Float32BufferAttribute(position, 3));
      const line = new Line(geometry, new LineBasicMaterial({ color: lineColour(list.length) }));
      line.frustumCulled = false;
      line.userData.first = first;
      line.userData.body = i;
      list.push(line);
      group.add(line);
    }
  }
  return {
    group,
    update(k) {
      if (!group.visible) return;
      if (!made) make();
      if (scene.live) return walk();
      for (const line of list) line.geometry.setDrawRange(0, Math.max(0, k + 1 - line.userData.first));
    },
  };
}
