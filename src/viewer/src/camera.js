// Copyright (c) 2026 the delassus authors.
// SPDX-License-Identifier: MIT
// The camera: how it frames the model, perspective or orthographic, views along the axes, following a body.
import { OrthographicCamera, PerspectiveCamera, Vector3 } from "three";
import { OrbitControls } from "three/examples/jsm/controls/OrbitControls.js";

const PAD = { top: 52, bottom: 64, side: 24 }; // pixels left free for the tools, the colour key, and air
const FOV = 30;

export const VIEWS = { "three quarters": null, "from the front": [0, -1, 0.001], "from the right": [1, 0, 0.001], "from above": [0, -0.001, 1] };

function wayOf(model) {
  if (model.planar) return new Vector3(0, 0, 1);
  if (model.pile) return new Vector3(0.2, 0.2, 1);
  return model.hasDrum ? new Vector3(1, -0.5, 0.32) : new Vector3(0.5, -1, 0.42);
}

/** The cameras of a model on a canvas; `size()` -> [width, height] of the view in pixels. */
export function cameraOf(model, canvas, size) {
  const box = model.box.getSize(new Vector3()), centre = model.box.getCenter(new Vector3());
  let far = box.length() || 1;
  const flat = model.planar || model.pile;
  const round = new PerspectiveCamera(FOV, 1, far / 200, 60 * far), straight = new OrthographicCamera(-1, 1, 1, -1, -20 * far, 40 * far);
  for (const camera of [round, straight]) camera.up.fromArray(model.up);
  let camera = flat ? straight : round, way = wayOf(model).normalize(), distance = 4 * far;
  const controls = new OrbitControls(camera, canvas);
  controls.enableRotate = !model.planar;
  if (model.planar) controls.mouseButtons.LEFT = 2; // pan
  controls.zoomToCursor = true;

  /** The corners of the box about its middle, as the camera sees them. */
  function corners() {
    const back = camera.quaternion.clone().invert();
    return Array.from({ length: 8 }, (_, k) =>
      new Vector3(k & 1 ? 0.5 : -0.5, k & 2 ? 0.5 : -0.5, k & 4 ? 0.5 : -0.5).multiply(box).applyQuaternion(back));
  }
  const home = new Vector3(); // where the last fit has put the camera
  const moved = () => camera.zoom !== 1 || !controls.target.equals(centre) || camera.position.distanceTo(home) > 1e-6 * far;
  let spread = 1; // spread: metres a pixel of the straight camera at zoom 1
  /** Sets the lens for the view's shape. */
  function frame() {
    const [w, t] = size();
    const shift = flat ? ((PAD.top - PAD.bottom) / 2) * spread : 0;
    Object.assign(straight, { left: (-w / 2) * spread, right: (w / 2) * spread, top: (t / 2) * spread + shift, bottom: (-t / 2) * spread + shift });
    round.aspect = w / t;
    round.updateProjectionMatrix();
    straight.updateProjectionMatrix();
  }
  /** Looks at the whole model along `way`; the scene fills what the pads leave. */
  function fit() {
    const [w, t] = size();
    camera.position.copy(centre).addScaledVector(way, far);
    camera.lookAt(centre);
    camera.updateMatrixWorld();
    const free = { w: Math.max(60, w - 2 * PAD.side), t: Math.max(60, t - PAD.top - PAD.bottom) }, seen = corners();
    /** Metres a pixel that a corner needs. */
    const needs = (c) => Math.max((2 * Math.abs(c.x)) / free.w, (2 * Math.abs(c.y)) / free.t);
    spread = Math.max(...seen.map(needs)) || 1 / free.w;
    const tangent = Math.tan((FOV * Math.PI) / 360);
    distance = flat ? 4 * far : Math.max(...seen.map((c) => c.z + ((t / 2) * needs(c)) / tangent)) || far;
    camera.position.copy(centre).addScaledVector(way, distance);
    camera.zoom = 1;
    controls.target.copy(centre);
    frame();
    controls.update();
    home.copy(camera.position);
  }
  fit();
  let shape = size().join();
  return {
    get camera() { return camera; },
    controls,
    isRound: () => camera === round,
    canTurn: !flat,
    /** Metres a pixel at the target. */
    scale() {
      const [, t] = size();
      return camera === straight ? spread / straight.zoom : (2 * Math.tan((FOV * Math.PI) / 360) * round.position.distanceTo(controls.target)) / t;
    },
    resize(first) {
      const now = size().join();
      if (first || (now !== shape && !moved())) fit();
      shape = now;
      frame();
    },
    reset() {
      way = wayOf(model).normalize();
      fit();
    },
    look(name) {
      way = VIEWS[name] ? new Vector3(...VIEWS[name]).normalize() : wayOf(model).normalize();
      fit();
    },
    /** Perspective or orthographic, of the same part of the scene. */
    setRound(on) {
      const next = on ? round : straight;
      if (next === camera) return;
      const [, t] = size(), tangent = Math.tan((FOV * Math.PI) / 360), from = camera.position.clone().sub(controls.target);
      if (on) from.setLength(((t / 2) * spread) / straight.zoom / tangent);
      else { spread = (tangent * from.length()) / (t / 2); straight.zoom = 1; }
      next.position.copy(controls.target).add(from);
      camera = next;
      controls.object = next;
      frame();
      controls.update();
    },
    /** Another model in its place; the view stays. */
    take(next) {
      next.box.getSize(box);
      next.box.getCenter(centre);
      far = box.length() || 1;
      Object.assign(round, { near: far / 200, far: 60 * far });
      Object.assign(straight, { near: -20 * far, far: 40 * far });
      model = next;
      frame();
    },
    /** Moves with what is followed. */
    move(step) {
      controls.target.add(step);
      camera.position.add(step);
      controls.update();
    },
  };
}
