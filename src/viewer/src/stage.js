// Copyright (c) 2026 the delassus authors.
// SPDX-License-Identifier: MIT
// The scene's card: renderer, camera, light, the tools over the picture. Draws only when something changed.
import { AmbientLight, DirectionalLight, HemisphereLight, OrthographicCamera, PerspectiveCamera, Raycaster, Scene, Vector2, Vector3, WebGLRenderer } from "three";
import { OrbitControls } from "three/examples/jsm/controls/OrbitControls.js";
import { h, nice } from "./dom.js";
import { gradient } from "./colour.js";
import { worldScene } from "./scene/world.js";
import { barsScene } from "./scene/bars.js";
import { ruler } from "./scene/ruler.js";

function hasWebGL() {
  try {
    const context = document.createElement("canvas").getContext("webgl2");
    if (context && context.getExtension("WEBGL_lose_context")) context.getExtension("WEBGL_lose_context").loseContext();
    return Boolean(context);
  } catch {
    return false;
  }
}

const sorry = () => h("div", { class: "sorry" }, h("b", {}, "The replay needs WebGL"),
  h("p", {}, "This browser does not offer it: switch on hardware acceleration, or open the page in another browser. The charts and tables are complete without it."));

function light(scene, planar) {
  if (planar) return;
  const sun = new DirectionalLight(0xfff4e6, 2.1), fill = new DirectionalLight(0xdfe8ff, 0.5);
  sun.position.set(-0.5, 0.5, 1);
  if (scene.up.y) sun.position.set(-0.4, 1, 0.8);
  fill.position.set(0.8, -0.6, 0.2);
  const sky = new HemisphereLight(0xffffff, 0xb9ab98, 1.25);
  sky.position.copy(scene.up);
  scene.add(sun, fill, sky, new AmbientLight(0xffffff, 0.25));
}

const PAD = { top: 52, bottom: 64, side: 24 }; // pixels left free for the tools, the colour key, and air

/** Where the camera looks from, and how it frames the model's box on a view of w by t pixels. */
function cameraFor(model) {
  const size = model.box.getSize(new Vector3()), centre = model.box.getCenter(new Vector3()), far = size.length() || 1;
  const flat = model.planar || model.pile;
  const way = model.planar ? new Vector3(0, 0, 1) : model.pile ? new Vector3(0.2, 0.2, 1)
    : model.hasDrum ? new Vector3(1, -0.5, 0.32) : new Vector3(0.5, -1, 0.42);
  const camera = flat ? new OrthographicCamera(-1, 1, 1, -1, -20 * far, 40 * far) : new PerspectiveCamera(30, 1, far / 200, 60 * far);
  camera.up.fromArray(model.up);
  camera.position.copy(centre).addScaledVector(way.normalize(), flat ? 4 * far : far);
  camera.lookAt(centre);
  camera.updateMatrixWorld();
  // the box as the camera sees it: half width, half height, half depth
  const half = new Vector3(), corner = new Vector3();
  for (let k = 0; k < 8; k++) {
    corner.set(k & 1 ? 0.5 : -0.5, k & 2 ? 0.5 : -0.5, k & 4 ? 0.5 : -0.5).multiply(size).applyQuaternion(camera.quaternion.clone().invert());
    half.max(corner.set(Math.abs(corner.x), Math.abs(corner.y), Math.abs(corner.z)));
  }
  /** Sets the lens for the view's shape; the scene fills what the pads leave. */
  function frame(w, t) {
    const free = { w: Math.max(60, w - 2 * PAD.side), t: Math.max(60, t - PAD.top - PAD.bottom) };
    const scale = Math.max((2 * half.x) / free.w, (2 * half.y) / free.t); // metres a pixel
    const shift = ((PAD.top - PAD.bottom) / 2) * scale;
    if (flat) {
      Object.assign(camera, { left: (-w / 2) * scale, right: (w / 2) * scale, top: (t / 2) * scale + shift, bottom: (-t / 2) * scale + shift });
    } else camera.aspect = w / t;
    camera.updateProjectionMatrix();
    return ((t / 2) * scale) / Math.tan((camera.fov * Math.PI) / 360) + 0.35 * half.z; // a good distance in perspective
  }
  function place(w, t) {
    const distance = frame(w, t);
    if (!flat) camera.position.copy(centre).addScaledVector(way, distance);
  }
  return { camera, centre, frame, place };
}

function keyFor(model) {
  const key = model.key();
  if (!key) return null;
  return h("div", { class: "key" }, h("b", {}, key.label), key.unit ? ` (${key.unit})` : null, h("i", { style: `background:${gradient}` }),
    h("span", {}, h("span", {}, nice(key.range[0], 3)), h("span", {}, nice(key.range[1], 3))));
}

/** Selects and buttons over the picture. */
function tools(model, changed, reset) {
  const bar = h("div", { class: "tools" });
  if (model.channels.length) {
    bar.append(h("select", { "aria-label": "colour", title: "Colour", onchange: (e) => {
      model.choose(model.channels[e.target.value] || null);
      e.target.blur();
      changed();
    } }, model.channels.map((c, i) => h("option", { value: i }, c.label || c.name)), h("option", { value: -1 }, "plain")));
  }
  if (model.exaggerations && model.exaggerations.length > 1) {
    bar.append(h("select", { "aria-label": "compression", title: "Compression, drawn larger", onchange: (e) => {
      model.exaggerate(Number(e.target.value));
      e.target.blur();
      changed();
    } }, model.exaggerations.map((x) => h("option", { value: x, selected: x === model.exaggeration() }, `compression ${nice(x)}\u00d7`))));
  }
  if (model.forces) {
    bar.append(h("button", { type: "button", class: "quiet", "aria-pressed": "false", onclick: (e) => {
      model.forces.mesh.visible = !model.forces.mesh.visible;
      e.target.setAttribute("aria-pressed", model.forces.mesh.visible);
      e.target.textContent = model.forces.mesh.visible ? "hide forces" : "show forces";
      changed();
    } }, "show forces"));
  }
  bar.append(h("span", { class: "gap" }), h("button", { type: "button", class: "quiet", onclick: reset }, "reset view"));
  return bar;
}

function tips(view, canvas, model, camera, clock) {
  const ray = new Raycaster(), at = new Vector2(), tip = h("div", { class: "tip", hidden: true });
  view.append(tip);
  canvas.addEventListener("pointerleave", () => { tip.hidden = true; });
  canvas.addEventListener("pointermove", (e) => {
    tip.hidden = true;
    if (e.buttons || e.pointerType === "touch") return;
    const r = canvas.getBoundingClientRect();
    at.set(((e.clientX - r.left) / r.width) * 2 - 1, 1 - ((e.clientY - r.top) / r.height) * 2);
    ray.setFromCamera(at, camera);
    const hit = ray.intersectObjects(model.meshes, false).find((x) => model.tell(x, clock.time));
    if (!hit) return;
    const told = model.tell(hit, clock.time);
    tip.textContent = [told.name, ...told.values.map(([k, v, u]) => `${k}  ${nice(v)}${u ? ` ${u}` : ""}`)].join("\n");
    tip.hidden = false;
    tip.style.left = `${Math.min(e.clientX - r.left + 14, r.width - tip.offsetWidth - 8)}px`;
    tip.style.top = `${Math.min(e.clientY - r.top + 14, r.height - tip.offsetHeight - 8)}px`;
  });
}

function show(view, data, clock, look) {
  const model = data.kind === "bars" ? barsScene(data) : worldScene(data);
  const canvas = h("canvas", { tabindex: -1, "aria-label": "replay" });
  view.append(canvas);
  const renderer = new WebGLRenderer({ canvas, antialias: true, alpha: true });
  const scene = new Scene();
  scene.up = new Vector3(...model.up);
  scene.add(model.group);
  light(scene, model.planar);
  const { camera, centre, frame, place } = cameraFor(model);
  place(view.clientWidth || 800, view.clientHeight || 600);
  const controls = new OrbitControls(camera, canvas);
  controls.target.copy(centre);
  controls.enableRotate = !model.planar;
  if (model.planar) controls.mouseButtons.LEFT = 2; // pan
  controls.zoomToCursor = true;
  controls.update();
  controls.saveState();

  let key = null, waiting = false;
  const marks = model.ruler ? ruler(view, model.ruler, model.group) : null;
  function draw() {
    waiting = false;
    model.update(clock.time);
    renderer.render(scene, camera);
    if (marks) marks.place(camera, canvas);
  }
  function changed() {
    if (waiting) return;
    waiting = true;
    requestAnimationFrame(draw);
  }
  function relabel() {
    if (key) key.remove();
    key = keyFor(model);
    if (key) view.append(key);
    changed();
  }
  function repaint() {
    model.repaint();
    if (marks) marks.repaint();
    changed();
  }
  look.listen(repaint);
  clock.listen(changed);
  controls.addEventListener("change", changed);
  view.append(tools(model, relabel, () => { controls.reset(); changed(); }));
  tips(view, canvas, model, camera, clock);
  new ResizeObserver(() => {
    const w = view.clientWidth, t = view.clientHeight;
    if (!(w > 0 && t > 0)) return;
    renderer.setPixelRatio(Math.min(2, devicePixelRatio));
    renderer.setSize(w, t, false);
    frame(w, t);
    draw();
  }).observe(view);
  repaint();
  relabel();
}

/** The card; charts and tables do without it where there is no WebGL. */
export function stage(data, clock, look, bar) {
  const view = h("div", { class: "view" });
  const card = h("section", { class: "card stage" }, view, bar);
  if (hasWebGL()) requestAnimationFrame(() => show(view, data, clock, look));
  else view.append(sorry());
  return card;
}
