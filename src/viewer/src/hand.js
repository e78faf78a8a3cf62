// Copyright (c) 2026 the delassus authors.
// SPDX-License-Identifier: MIT
// The hand of a live page: takes hold of a body under the pointer and draws the line to where it pulls.
import { BufferGeometry, Float32BufferAttribute, Group, Line, LineBasicMaterial, Mesh, MeshBasicMaterial, Plane, Raycaster, SphereGeometry, Vector2, Vector3 } from "three";
import { token } from "./dom.js";

/** `ask`: { grab(body, point), drag(to), release() }, in numbers of the world. Answers what is drawn, and how. */
export function hand(canvas, modelNow, sight, changed, ask) {
  const ray = new Raycaster(), at = new Vector2(), plane = new Plane(), to = new Vector3(), from = new Vector3();
  const material = new LineBasicMaterial({ depthTest: false, transparent: true }), ball = new Mesh(new SphereGeometry(1, 16, 12), new MeshBasicMaterial({ depthTest: false, transparent: true }));
  const line = new Line(new BufferGeometry().setAttribute("position", new Float32BufferAttribute(new Float32Array(6), 3)), material);
  const group = new Group().add(line, ball);
  line.frustumCulled = false;
  line.renderOrder = ball.renderOrder = 12;
  group.visible = false;
  let held = null;
  const numbers = (v) => (modelNow().planar ? [v.x, v.y] : [v.x, v.y, v.z]);
  function aim(e) {
    const r = canvas.getBoundingClientRect();
    ray.setFromCamera(at.set(((e.clientX - r.left) / r.width) * 2 - 1, 1 - ((e.clientY - r.top) / r.height) * 2), sight.camera);
  }
  function under(e) {
    aim(e);
    return modelNow().hold(ray.intersectObjects(modelNow().meshes, false));
  }
  // before the camera's own listeners, which then do nothing
  canvas.addEventListener("pointerdown", (e) => {
    if (held || e.button !== 0 || e.ctrlKey || e.shiftKey || !e.isPrimary) return;
    held = under(e);
    if (!held) return;
    sight.controls.enabled = false;
    held.id = e.pointerId;
    canvas.setPointerCapture(e.pointerId);
    canvas.style.cursor = "grabbing";
    plane.setFromNormalAndCoplanarPoint(sight.camera.getWorldDirection(new Vector3()), held.at);
    to.copy(held.at);
    group.visible = true;
    ask.grab(held.body, numbers(held.point));
    changed();
  }, true);
  canvas.addEventListener("pointermove", (e) => {
    if (held && e.pointerId === held.id) {
      aim(e);
      if (!ray.ray.intersectPlane(plane, to)) return;
      ask.drag(numbers(to));
      changed();
    } else if (!e.buttons && e.pointerType !== "touch") canvas.style.cursor = under(e) ? "grab" : "";
  });
  function release(e) {
    if (!held || e.pointerId !== held.id) return;
    held = null;
    group.visible = false;
    sight.controls.enabled = true;
    canvas.style.cursor = "";
    ask.release();
    changed();
  }
  canvas.addEventListener("pointerup", release);
  canvas.addEventListener("pointercancel", release);
  return {
    group,
    /** Puts the line where the body is now. */
    place() {
      if (!held) return;
      from.copy(held.point).applyMatrix4(modelNow().matrixOf(held.body));
      if (modelNow().planar) from.z = to.z = held.at.z;
      line.geometry.getAttribute("position").array.set([...from.toArray(), ...to.toArray()]);
      line.geometry.getAttribute("position").needsUpdate = true;
      ball.position.copy(to);
      ball.scale.setScalar(4 * sight.scale());
    },
    repaint() {
      material.color.set(token("--accent"));
      ball.material.color.set(token("--accent"));
    },
  };
}
