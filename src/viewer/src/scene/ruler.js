// Copyright (c) 2026 the delassus authors.
// SPDX-License-Identifier: MIT
// Heights beside a pile: lines in the scene, their numbers as text over it.
import { BufferGeometry, Float32BufferAttribute, LineBasicMaterial, LineSegments, Vector3 } from "three";
import { h, nice, token } from "../dom.js";

/** Steps of 1, 2 or 5 times a power of ten, about `count` of them. */
function ticks(low, high, count) {
  const raw = (high - low) / count, power = 10 ** Math.floor(Math.log10(raw));
  const step = power * [1, 2, 5, 10].find((m) => m * power >= raw * (1 - 1e-9));
  const list = [];
  for (let k = Math.ceil(low / step - 1e-9); k * step <= high * (1 + 1e-9); k++) list.push(k * step);
  return list;
}

export function ruler(view, { floor, top, x }, group) {
  if (!(top > floor)) return null;
  const list = ticks(floor, top, 6);
  const short = 0.06 * Math.abs(x);
  const points = [x, floor, 0, x, top, 0, ...list.flatMap((y) => [x - short, y, 0, x, y, 0])];
  const geometry = new BufferGeometry();
  geometry.setAttribute("position", new Float32BufferAttribute(points, 3));
  const lines = new LineSegments(geometry, new LineBasicMaterial());
  group.add(lines);
  const marks = list.map((y) => h("div", { class: "mark" }, `${nice(Number(y.toPrecision(12)))} m`));
  view.append(...marks);
  const at = new Vector3();
  return {
    repaint: () => lines.material.color.set(token("--muted")),
    place(camera, canvas) {
      const w = canvas.clientWidth, t = canvas.clientHeight;
      list.forEach((y, i) => {
        at.set(x - 1.6 * short, y, 0).project(camera);
        const px = ((at.x + 1) / 2) * w, py = ((1 - at.y) / 2) * t;
        marks[i].style.transform = `translate(calc(${px.toFixed(1)}px - 100%), calc(${py.toFixed(1)}px - 50%))`;
      });
    },
  };
}
