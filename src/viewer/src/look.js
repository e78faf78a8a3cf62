// Copyright (c) 2026 the delassus authors.
// SPDX-License-Identifier: MIT
// What the address asks for, and light or dark.
import { h } from "./dom.js";

/** The options of the address: those of its query, and behind its hash. */
export function options() {
  const out = new URLSearchParams(location.search);
  for (const [key, value] of new URLSearchParams(location.hash.replace(/^#/, ""))) out.set(key, value);
  return out;
}

/** Light or dark, with the button that changes it. */
export function theme(choice) {
  const root = document.documentElement;
  const dark = matchMedia("(prefers-color-scheme: dark)");
  const listeners = [];
  const set = (name) => {
    root.dataset.theme = name;
    for (const listener of listeners) listener();
  };
  set(choice === "dark" || choice === "light" ? choice : dark.matches ? "dark" : "light");
  if (!choice) dark.addEventListener("change", () => set(dark.matches ? "dark" : "light"));
  const button = h("button", { type: "button", class: "quiet", title: "Light or dark",
    onclick: () => set(root.dataset.theme === "dark" ? "light" : "dark") }, "light / dark");
  return { button, listen: (f) => listeners.push(f) };
}
