// Copyright (c) 2026 the delassus authors.
// SPDX-License-Identifier: MIT
// What the joints of a running world carry: forces on b at the anchor as arrows, in space moments too.
import { Vector3 } from "three";
import { isJoint, pointOf } from "./anchors.js";
import { forceArrows } from "./forces.js";

const NOISE = 1e-6; // of the largest force at the scene's reach: moments below are none

export function reactionArrows(scene, reach, matrixOf) {
  const joints = scene.connections.filter(isJoint), d = scene.planar ? 2 : 3, each = scene.planar ? 3 : 6;
  if (!joints.length) return null;
  const room = () => ({ offsets: new Uint32Array([0, joints.length]), values: new Float32Array(2 * d * joints.length), every: 1 });
  const force = room(), moment = room(), point = new Vector3();
  const arrows = [Object.assign(forceArrows(scene, reach, () => force, "--spring"), { name: "joint forces" })];
  if (!scene.planar) arrows.push(Object.assign(forceArrows(scene, reach, () => moment, "--limit", "N m"), { name: "joint moments" }));
  const of = (k, i) => (scene.reactions && scene.reactions.length === each * joints.length ? scene.reactions[each * k + i] || 0 : 0);
  return {
    arrows,
    update() {
      let most = 0;
      joints.forEach((c, k) => { for (let i = 0; i < d; i++) most = Math.max(most, Math.abs(of(k, i))); });
      const real = (x) => (Math.abs(x) > NOISE * most * reach ? x : 0);
      joints.forEach((c, k) => {
        const at = 2 * d * k;
        point.copy(pointOf(c, "b")).applyMatrix4(matrixOf(c.b));
        for (let i = 0; i < d; i++) {
          force.values[at + i] = moment.values[at + i] = point.getComponent(i);
          force.values[at + d + i] = of(k, i);
          moment.values[at + d + i] = scene.planar ? 0 : real(of(k, d + i));
        }
      });
      for (const one of arrows) if (one.mesh.visible) one.update(0);
    },
    /** Force and moment of a joint, for the reader. */
    tell(c) {
      const k = joints.indexOf(c);
      if (k < 0) return [];
      const size = (from, n) => Math.hypot(...Array.from({ length: n }, (_, i) => of(k, from + i)));
      return [["force", size(0, d), "N"], ["moment", size(d, each - d), "N m"]];
    },
  };
}
