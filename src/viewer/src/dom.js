// Copyright (c) 2026 the delassus authors.
// SPDX-License-Identifier: MIT

/** Makes an element: h("div", {class: "card", onclick: f}, child, "text", [more]). */
export function h(tag, attributes, ...children) {
  const element = document.createElement(tag);
  for (const [key, value] of Object.entries(attributes || {})) {
    if (key.startsWith("on")) element.addEventListener(key.slice(2), value);
    else if (value === true) element.setAttribute(key, "");
    else if (value !== false && value != null) element.setAttribute(key, value);
  }
  element.append(...children.flat().filter((c) => c != null));
  return element;
}

/** A number for a reader: four significant digits, thin spaces between thousands, no needless zeros. */
export function nice(value, digits = 4) {
  if (value == null || Number.isNaN(value)) return "\u2013";
  if (typeof value !== "number") return String(value);
  if (!Number.isFinite(value)) return value > 0 ? "\u221e" : "\u2212\u221e";
  const size = Math.abs(value);
  if (Number.isInteger(value) && size < 1e9) return group(String(value));
  if (size !== 0 && (size < 1e-3 || size >= 1e7)) return exponent(value.toExponential(digits - 1));
  return group(String(Number(value.toPrecision(Math.max(digits, size >= 1 ? Math.floor(Math.log10(size)) + 1 : 1)))));
}

function group(text) {
  const [whole, fraction] = text.replace("-", "\u2212").split(".");
  const spaced = /\d{5}/.test(whole) ? whole.replace(/(\d)(?=(\d{3})+$)/g, "$1\u2009") : whole;
  return fraction ? `${spaced}.${fraction}` : spaced;
}

const RAISED = { "-": "\u207b", 0: "\u2070", 1: "\u00b9", 2: "\u00b2", 3: "\u00b3", 4: "\u2074", 5: "\u2075",
  6: "\u2076", 7: "\u2077", 8: "\u2078", 9: "\u2079" };

function exponent(text) {
  const [mantissa, power] = text.split("e");
  const raised = [...power.replace("+", "")].map((c) => RAISED[c]).join("");
  return `${String(Number(mantissa)).replace("-", "\u2212")}\u00b710${raised}`;
}

/** A colour of the style sheet, for what is drawn on a canvas. */
export function token(name) {
  return getComputedStyle(document.documentElement).getPropertyValue(name).trim();
}
