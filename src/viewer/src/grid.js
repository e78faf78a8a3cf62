// Copyright (c) 2026 the delassus authors.
// SPDX-License-Identifier: MIT
// Axes of a flat view, equal in both directions: lines at round numbers, their numbers along the edges (m), under the picture.
import { Vector3 } from "three";
import { h, nice, token } from "./dom.js";

/** A round step, 1, 2 or 5 times a power of ten, of which about `count` go into `span`. */
export function roundStep(span, count) {
  const raw = span / count, power = 10 ** Math.floor(Math.log10(raw));
  return power * [1, 2, 5, 10].find((m) => m * power >= raw * (1 - 1e-9));
}

export function flatGrid(view) {
  const canvas = h("canvas", { class: "grid", "aria-hidden": "true" });
  view.prepend(canvas);
  const corner = new Vector3();
  return {
    canvas,
    visible: true,
    place(camera, w, t) {
      const ratio = Math.min(2, devicePixelRatio), context = canvas.getContext("2d");
      if (canvas.width !== Math.round(w * ratio)) canvas.width = Math.round(w * ratio);
      if (canvas.height !== Math.round(t * ratio)) canvas.height = Math.round(t * ratio);
      context.setTransform(ratio, 0, 0, ratio, 0, 0);
      context.clearRect(0, 0, w, t);
      if (!this.visible) return;
      const [x0, y0] = corner.set(-1, -1, 0).unproject(camera).toArray(), [x1, y1] = corner.set(1, 1, 0).unproject(camera).toArray();
      const step = roundStep(x1 - x0, Math.max(3, w / 110)), digits = Math.max(0, -Math.floor(Math.log10(step) + 1e-9));
      context.strokeStyle = token("--grid");
      context.fillStyle = token("--muted");
      context.font = "11px system-ui, sans-serif";
      context.lineWidth = 1;
      context.beginPath();
      for (let i = Math.ceil(x0 / step); i * step <= x1; i++) {
        const px = Math.round(((i * step - x0) / (x1 - x0)) * w) + 0.5;
        context.moveTo(px, 0);
        context.lineTo(px, t);
        if (px > 230) context.fillText(`${nice(Number((i * step).toFixed(digits)))}${i === Math.floor(x1 / step) ? " m" : ""}`, px + 3, t - 6);
      }
      for (let i = Math.ceil(y0 / step); i * step <= y1; i++) {
        const py = Math.round(t - ((i * step - y0) / (y1 - y0)) * t) + 0.5;
        context.moveTo(0, py);
        context.lineTo(w, py);
        if (py > 60 && py < t - 76) context.fillText(nice(Number((i * step).toFixed(digits))), 6, py - 3);
      }
      context.stroke();
    },
  };
}
