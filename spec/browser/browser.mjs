// Copyright (c) 2026 the delassus authors.
// SPDX-License-Identifier: MIT
// A headless Chromium, driven through its debugging pipe (no package is needed for that).
import { spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const FLAGS = [
  "--headless=new", "--no-sandbox", "--disable-quic", "--no-first-run", "--disable-background-networking", "--disable-component-update",
  "--disable-sync", "--hide-scrollbars", "--disable-extensions", "--mute-audio", "--window-size=1440,900", "--remote-debugging-pipe",
];
export const DRAWS = ["--use-gl=angle", "--use-angle=swiftshader", "--enable-unsafe-swiftshader"];
export const NO_WEBGL = ["--disable-gpu", "--disable-3d-apis"];

export class Browser {
  constructor(more) {
    this.folder = mkdtempSync(join(tmpdir(), "delassus-browser-"));
    const name = process.env.CHROMIUM || "chromium";
    this.process = spawn(name, [...FLAGS, ...more, `--user-data-dir=${this.folder}`], { stdio: ["ignore", "ignore", "ignore", "pipe", "pipe"] });
    this.gone = new Promise((resolve) => { this.process.on("exit", resolve); this.process.on("error", resolve); });
    this.process.stdio[3].on("error", () => {});
    this.waiting = new Map();
    this.listeners = new Set();
    this.count = 0;
    let rest = Buffer.alloc(0);
    this.process.stdio[4].on("data", (data) => {
      rest = Buffer.concat([rest, data]);
      for (let end = rest.indexOf(0); end >= 0; end = rest.indexOf(0)) {
        this.receive(JSON.parse(rest.subarray(0, end).toString()));
        rest = rest.subarray(end + 1);
      }
    });
  }

  receive(message) {
    const waiting = this.waiting.get(message.id);
    if (!waiting) {
      for (const listener of this.listeners) listener(message);
      return;
    }
    this.waiting.delete(message.id);
    if (message.error) waiting.reject(new Error(message.error.message));
    else waiting.resolve(message.result);
  }

  send(method, params = {}, sessionId = undefined) {
    const id = ++this.count;
    return new Promise((resolve, reject) => {
      this.waiting.set(id, { resolve, reject });
      this.process.stdio[3].write(`${JSON.stringify({ id, method, params, sessionId })}\0`);
      this.gone.then(() => reject(new Error("the browser ended")));
    });
  }

  async open(url) {
    const { targetId } = await this.send("Target.createTarget", { url: "about:blank" });
    const { sessionId } = await this.send("Target.attachToTarget", { targetId, flatten: true });
    const tab = new Tab(this, targetId, sessionId);
    await tab.start(url);
    return tab;
  }

  async close() {
    const slow = setTimeout(() => this.process.kill("SIGKILL"), 10000);
    this.send("Browser.close").catch(() => {}); // its children end before it does
    await this.gone;
    clearTimeout(slow);
    try {
      rmSync(this.folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 250 });
    } catch (error) {
      console.log(`left behind: ${this.folder} (${error.code})`);
    }
  }
}

export const sleep = (ms) => new Promise((resolve) => { setTimeout(resolve, ms); });

class Tab {
  constructor(browser, targetId, sessionId) {
    Object.assign(this, { browser, targetId, sessionId, problems: [], requests: [] });
    browser.listeners.add((message) => { if (message.sessionId === sessionId) this.hear(message); });
  }

  /** Errors of the console, exceptions, failed loads, and what is asked of the network. */
  hear({ method, params }) {
    if (method === "Runtime.exceptionThrown") {
      const { exception, text } = params.exceptionDetails;
      this.problems.push(`exception: ${(exception && exception.description) || text}`);
    } else if (method === "Runtime.consoleAPICalled" && (params.type === "error" || params.type === "warning" || params.type === "assert")) {
      this.problems.push(`console.${params.type}: ${params.args.map((a) => a.value || a.description).join(" ")}`);
    } else if (method === "Log.entryAdded" && params.entry.level === "error") {
      this.problems.push(`log: ${params.entry.text}`);
    } else if (method === "Network.requestWillBeSent" && !/^(file|data|blob):/.test(params.request.url)) {
      this.requests.push(params.request.url);
    }
  }

  send(method, params) {
    return this.browser.send(method, params, this.sessionId);
  }

  async start(url) {
    for (const domain of ["Runtime", "Log", "Network", "Page"]) await this.send(`${domain}.enable`);
    const { errorText } = await this.send("Page.navigate", { url });
    if (errorText) throw new Error(`${url}: ${errorText}`);
    while (!(await this.loaded())) await sleep(20);
    const filled = "!document.getElementById('app') || Boolean(document.querySelector('#app > :not(noscript)'))"; // long data takes its time
    for (let k = 0; k < 500 && !(await this.run(filled)); k++) await sleep(20);
    await this.settle();
  }

  /** True once the page, and no longer the empty one before it, is there. (The load event may still be that one's.) */
  async loaded() {
    try {
      return await this.run("location.href !== 'about:blank' && document.readyState === 'complete'");
    } catch (error) {
      if (/context|navigat/i.test(error.message)) return false; // asked while one page made way for the other
      throw error;
    }
  }

  /** Waits until the page has drawn a few frames. */
  settle() {
    return this.run("new Promise(done => { let n = 6; const next = () => (n-- ? requestAnimationFrame(next) : done(true)); next(); })");
  }

  async run(expression) {
    const { result, exceptionDetails } = await this.send("Runtime.evaluate", { expression, awaitPromise: true, returnByValue: true });
    if (exceptionDetails) throw new Error(`${expression}: ${exceptionDetails.exception.description}`);
    return result.value;
  }

  /** The picture of one element, as base64 of a PNG. */
  async picture(selector) {
    const clip = await this.run(`(() => { const r = document.querySelector(${JSON.stringify(selector)}).getBoundingClientRect();
      return { x: r.x, y: r.y, width: r.width, height: r.height, scale: 1 }; })()`);
    return (await this.send("Page.captureScreenshot", { format: "png", clip })).data;
  }

  async key(key, code = key) {
    const text = key === " " ? " " : undefined;
    await this.send("Input.dispatchKeyEvent", { type: "keyDown", key, code, text });
    await this.send("Input.dispatchKeyEvent", { type: "keyUp", key, code });
    await this.settle();
  }

  close() {
    return this.browser.send("Target.closeTarget", { targetId: this.targetId });
  }
}
