// Copyright (c) 2026 the delassus authors.
// SPDX-License-Identifier: MIT
// The scene's card: renderer, camera, light, the tools over the picture. Draws only when something changed.
import { AmbientLight, DirectionalLight, HemisphereLight, PCFShadowMap, Scene, Vector3, WebGLRenderer } from "three";
import { h } from "./dom.js";
import { cameraOf } from "./camera.js";
import { flatGrid } from "./grid.js";
import { hand } from "./hand.js";
import { arrowKey, colourKey, tips, tools } from "./tools.js";
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

/** Lights the scene; answers the sun, whose shadows fall over the model's box. */
function light(scene, planar, box) {
  if (planar) return null;
  const sun = new DirectionalLight(0xfff4e6, 2.1), fill = new DirectionalLight(0xdfe8ff, 0.5);
  sun.position.set(-0.5, 0.5, 1);
  if (scene.up.y) sun.position.set(-0.4, 1, 0.8);
  fill.position.set(0.8, -0.6, 0.2);
  const sky = new HemisphereLight(0xffffff, 0xb9ab98, 1.25);
  sky.position.copy(scene.up);
  const reach = box.getSize(new Vector3()).length() / 2 || 1, centre = box.getCenter(new Vector3());
  sun.position.normalize().multiplyScalar(3 * reach).add(centre);
  sun.target.position.copy(centre);
  Object.assign(sun.shadow.camera, { left: -1.3 * reach, right: 1.3 * reach, top: 1.3 * reach, bottom: -1.3 * reach, near: 0.5 * reach, far: 8 * reach });
  sun.shadow.mapSize.set(2048, 2048);
  sun.shadow.normalBias = 0.004 * reach;
  scene.add(sun, sun.target, fill, sky, new AmbientLight(0xffffff, 0.25));
  return sun;
}

/** Gives back what a model's pictures hold of the graphics memory. */
function forget(group) {
  group.traverse((thing) => {
    if (thing.geometry) thing.geometry.dispose();
    for (const material of [thing.material].flat()) if (material) material.dispose();
    if (thing.isInstancedMesh) thing.dispose();
  });
}

/** Draws `data`; answers how another scene takes its place, with the choices that were made. `ask`: what the address asks for;
 *  `pull`: see hand.js, of a running world. */
function show(view, data, clock, look, ask, pull) {
  let model = data.kind === "bars" ? barsScene(data) : worldScene(data);
  const canvas = h("canvas", { tabindex: -1, "aria-label": "replay" });
  view.append(canvas);
  const renderer = new WebGLRenderer({ canvas, antialias: true, alpha: true });
  const scene = new Scene();
  scene.up = new Vector3(...model.up);
  const size = () => [view.clientWidth || 800, view.clientHeight || 600];
  const sight = cameraOf(model, canvas, size);
  const grid = model.planar ? flatGrid(view) : null, arrows = arrowKey(view);
  let key = null, bar = null, sun = null, waiting = false, followed = -1, place = null;
  const marks = model.ruler ? ruler(view, model.ruler, model.group) : null;
  const grip = pull ? hand(canvas, () => model, sight, changed, pull) : null;

  function draw() {
    waiting = false;
    model.update(clock.time);
    if (followed >= 0) {
      const now = model.placeOf(followed);
      if (now && place) sight.move(now.clone().sub(place));
      place = now || place;
    }
    if (grip) grip.place();
    renderer.render(scene, sight.camera);
    if (marks) marks.place(sight.camera, canvas);
    if (grid) grid.place(sight.camera, ...size());
    arrows(model.arrows || [], sight.scale());
  }
  function changed() {
    if (waiting) return;
    waiting = true;
    requestAnimationFrame(draw);
  }
  function recolour() {
    if (key) key.remove();
    key = colourKey(model);
    if (key) view.append(key);
    changed();
  }
  function repaint() {
    model.repaint();
    if (grip) grip.repaint();
    if (marks) marks.repaint();
    changed();
  }
  function follow(i) {
    followed = i;
    place = i >= 0 ? model.placeOf(i) : null;
  }
  function toggle(s, on) {
    if (s.name === "grid" && grid) grid.visible = on;
    if (s.name === "shadows") {
      renderer.shadowMap.enabled = sun.castShadow = on;
      renderer.shadowMap.type = PCFShadowMap;
      model.shade(on);
    }
    model.toggle(s, on);
    changed();
  }
  /** The model in the picture: light, tools, switches as `isOn` says. */
  function put(isOn) {
    scene.clear();
    scene.add(model.group);
    if (grip) scene.add(grip.group);
    sun = light(scene, model.planar, model.box);
    for (const s of model.switches || []) {
      const on = isOn(s);
      if (on !== s.on || s.name === "shadows") toggle(s, on);
    }
    if (bar) bar.remove();
    bar = tools(model, sight, { changed, recolour, follow, toggle, followed });
    view.append(bar);
    if (model.drawn) Object.assign(canvas.dataset, model.drawn());
    repaint();
    recolour();
  }
  function swap(next) {
    const old = model, chosen = old.chosen(), on = new Map(old.switches.map((s) => [s.name, s.on]));
    const bare = old.names.length === 0;
    model = worldScene(next);
    forget(old.group);
    if (chosen !== model.chosen()) model.choose(model.channels[chosen] || null);
    if (followed >= model.names.length) follow(-1);
    sight.take(model);
    if (bare) sight.reset();
    put((s) => (on.has(s.name) ? on.get(s.name) : s.on));
  }
  if (ask.get("view")) sight.look(ask.get("view"));
  look.listen(repaint);
  clock.listen(changed);
  sight.controls.addEventListener("change", changed);
  const named = (word) => (ask.get(word) || "").split(",");
  put((s) => named("show").includes(s.name) || (s.on && !named("hide").includes(s.name)));
  tips(view, canvas, () => model, sight, clock);
  let first = true;
  new ResizeObserver(() => {
    const w = view.clientWidth, t = view.clientHeight;
    if (!(w > 0 && t > 0)) return;
    renderer.setPixelRatio(Math.min(2, devicePixelRatio));
    renderer.setSize(w, t, false);
    sight.resize(first);
    first = false;
    draw();
  }).observe(view);
  /** The colour's range is another one. */
  function rerange() {
    if (model.chosen() < 0) return;
    model.choose(model.channels[model.chosen()]);
    recolour();
  }
  return { swap, rerange };
}

/** The card; charts and tables do without it where there is no WebGL. `card.drawn` is what `show` answers, once it is there. */
export function stage(data, clock, look, bar, ask, pull) {
  const view = h("div", { class: "view" });
  const card = h("section", { class: "card stage" }, view, bar);
  if (hasWebGL()) requestAnimationFrame(() => { card.drawn = show(view, data, clock, look, ask, pull); });
  else view.append(sorry());
  return card;
}
