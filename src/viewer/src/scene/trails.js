// Copyright (c) 2026 the delassus authors.
// SPDX-License-Identifier: MIT
// Trails: the ways of the bodies' mass centres up to now, as lines.
import { BufferGeometry, Float32BufferAttribute, Group, Line, LineBasicMaterial, Quaternion, Vector3 } from "three";
import { centreOf } from "./anchors.js";
import { lineColour } from "../colour.js";

const MOST = 60; // bodies with a trail

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
      const geometry = new BufferGeometry().setAttribute("position", new Float32BufferAttribute(position, 3));
      const line = new Line(geometry, new LineBasicMaterial({ color: lineColour(list.length) }));
      line.frustumCulled = false;
      line.userData.first = first;
      list.push(line);
      group.add(line);
    }
  }
  return {
    group,
    update(k) {
      if (!group.visible) return;
      if (!made) make();
      for (const line of list) line.geometry.setDrawRange(0, Math.max(0, k + 1 - line.userData.first));
    },
  };
}
