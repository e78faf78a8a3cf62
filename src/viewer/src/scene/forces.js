// Copyright (c) 2026 the delassus authors.
// SPDX-License-Identifier: MIT
// Forces as arrows: of contacts, from the contact point along the force on b; of joints. Long as the force is large.
import { InstancedMesh, Matrix4, MeshBasicMaterial, Quaternion, Vector3 } from "three";
import { quantile } from "../data.js";
import { token } from "../dom.js";
import { arrow } from "./symbols.js";

const MOST = 500; // contacts of a running world
const LONGEST = 0.3; // of the scene's reach, at the 99th percentile of the forces

/** `list()`: { offsets, values, every }: in each frame points and vectors of what is drawn, contacts of the scene or others. */
export function forceArrows(scene, reach, list = () => scene.contacts, colour = "--arrow", unit = "N") {
  const d = scene.planar ? 2 : 3, stride = 2 * d;
  let { offsets, values } = list();
  let most = scene.live ? MOST : 1;
  for (let k = 0; k + 1 < offsets.length; k++) most = Math.max(most, offsets[k + 1] - offsets[k]);
  const sizes = new Float64Array(values.length / stride);
  const force = new Vector3(), point = new Vector3(), axis = new Vector3(1, 0, 0);
  function read(i) {
    point.set(values[i * stride], values[i * stride + 1], d === 3 ? values[i * stride + 2] : 0.7 * reach);
    force.set(values[i * stride + d], values[i * stride + d + 1], d === 3 ? values[i * stride + d + 2] : 0);
    return force.length();
  }
  for (let i = 0; i < sizes.length; i++) sizes[i] = read(i);
  let full = quantile(sizes, 0.99) || 1;
  /** Of a running world: the longest arrow follows the forces, at once where they grow, slowly where they fall. */
  function follow() {
    ({ offsets, values } = list());
    let top = 0;
    for (let i = 0; i < Math.min(MOST, offsets[1]); i++) top = Math.max(top, read(i));
    if (top > 0) full = top > full ? top : Math.max(top, 0.98 * full);
  }
  const material = new MeshBasicMaterial({ transparent: true, opacity: 0.85, depthTest: false });
  const mesh = new InstancedMesh(arrow(), material, most);
  mesh.frustumCulled = false;
  mesh.renderOrder = 10;
  mesh.visible = false;
  const turn = new Quaternion(), size = new Vector3(), matrix = new Matrix4();
  return {
    mesh, unit, colour,
    get perNewton() { return (LONGEST * reach) / full; }, // m a newton
    update(frame) {
      if (scene.live) follow();
      const k = Math.floor(frame / list().every);
      let j = 0;
      for (let i = offsets[k]; i < offsets[k + 1] && j < most; i++) {
        const f = read(i), share = Math.min(1.5, f / full);
        if (!(f > 0)) continue;
        turn.setFromUnitVectors(axis, force.divideScalar(f));
        const long = LONGEST * reach * share, wide = Math.max(0.05 * reach, 0.5 * long);
        size.set(long, wide, scene.planar ? 1e-3 * reach : wide);
        mesh.setMatrixAt(j++, matrix.compose(point, turn, size));
      }
      mesh.count = j;
      mesh.instanceMatrix.needsUpdate = true;
    },
    repaint: () => material.color.set(token(colour)),
  };
}
