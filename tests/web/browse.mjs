// SPDX-FileCopyrightText: 2026 the assay authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Opens a page in a browser as readers do, and tells what it saw as JSON: node browse.mjs BROWSER PAGE FOLDER NAME [light]
// With "light" it looks once and does not touch anything.
// Pictures of what was seen are left in FOLDER. Judging is left to the test.
import { createRequire } from "node:module";
import { mkdirSync } from "node:fs";
import path from "node:path";
import { pathToFileURL } from "node:url";

const { chromium } = createRequire(path.join(process.cwd(), "browse.mjs"))("playwright-core"); // NODE_PATH says where it is
const [browserPath, file, folder, name, only] = process.argv.slice(2);
const address = pathToFileURL(path.resolve(file)).href;
const ARGUMENTS = ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking", "--disable-component-update", "--disable-sync"];

const seen = { requests: [], console: [], dialogs: [], errors: [], views: {} };

async function open(browser, options) {
  const context = await browser.newContext({ locale: "en-GB", ...options });
  const page = await context.newPage();
  page.on("request", (request) => request.url() !== address && seen.requests.push(request.url()));
  page.on("console", (message) => seen.console.push(`${message.type()}: ${message.text()}`));
  page.on("pageerror", (error) => seen.errors.push(String(error)));
  page.on("dialog", (dialog) => {
    seen.dialogs.push(dialog.message());
    dialog.dismiss();
  });
  await page.addInitScript(() => {
    window.tasks = [];
    new PerformanceObserver((list) => window.tasks.push(...list.getEntries().map(({ duration }) => duration))).observe({ type: "longtask", buffered: true });
    window.slices = 0;
    let drawn = 0;
    const count = () => {
      const now = document.querySelectorAll("div.plot[data-drawn]").length;
      if (now !== drawn) window.slices++;
      drawn = now;
      setTimeout(count);
    };
    setTimeout(count);
    new MutationObserver(() => {
      if (document.documentElement?.dataset.ready && !window.readyAt) window.readyAt = performance.now();
      if (document.querySelector("div.plot[data-drawn]") && !window.firstAt) window.firstAt = performance.now();
    }).observe(document, { attributes: true, subtree: true, attributeFilter: ["data-ready", "data-drawn"] });
  });
  await page.goto(address);
  await page.waitForFunction(() => document.documentElement.dataset.ready === "yes", null, { timeout: 120000 });
  return page;
}

/** What can be told of a page at rest. */
function describe() {
  const canvas = document.createElement("canvas").getContext("2d", { willReadFrequently: true });
  const known = new Map();
  const colour = (css) => {
    if (known.has(css)) return known.get(css);
    canvas.clearRect(0, 0, 1, 1);
    canvas.fillStyle = css;
    canvas.fillRect(0, 0, 1, 1);
    known.set(css, [...canvas.getImageData(0, 0, 1, 1).data]);
    return known.get(css);
  };
  const luminance = ([r, g, b]) => [r, g, b].map((v) => (v / 255 <= 0.04045 ? v / 255 / 12.92 : ((v / 255 + 0.055) / 1.055) ** 2.4)).reduce((sum, v, i) => sum + v * [0.2126, 0.7152, 0.0722][i], 0);
  const contrast = (one, two) => {
    const [dark, light] = [luminance(colour(one)), luminance(colour(two))].sort((a, b) => a - b);
    return Math.round(((light + 0.05) / (dark + 0.05)) * 100) / 100;
  };
  const ground = (element) => {
    for (let at = element; at; at = at.parentElement) {
      const css = getComputedStyle(at).backgroundColor;
      if (colour(css)[3] === 255) return css;
    }
    return "white";
  };
  const contrasts = {};
  const measure = (what, selector, property) => {
    for (const element of [...document.querySelectorAll(selector)].filter((found) => found.checkVisibility()).slice(0, 500)) {
      const value = contrast(getComputedStyle(element)[property], ground(element));
      contrasts[what] = Math.min(contrasts[what] ?? 99, value);
    }
  };
  measure("text", "body, p, figcaption, td, th, h1, h2, h4, summary, code, pre, li", "color");
  measure("chip", ".chip", "color");
  measure("axis", "div.plot svg [aria-label*='axis tick label'], div.plot svg g[aria-label='text']:not([fill='ink']) ", "fill");
  measure("control", "button:not(:disabled), select, output", "color");
  const rows = (plot) => plot.closest("figure").querySelectorAll("tbody tr").length;
  const plots = [...document.querySelectorAll("div.plot")];
  const ticks = (plot, side) => [...plot.querySelectorAll(`g[aria-label='${side}-axis tick label'] text`)].map((text) => text.textContent);
  const drawings = Object.fromEntries(
    plots.map((plot) => [plot.dataset.figure, { x: ticks(plot, "x"), y: ticks(plot, "y"), fills: [...plot.querySelectorAll("g[aria-label=rect] rect")].map((bar) => bar.getAttribute("fill")), bands: plot.querySelectorAll("g[aria-label=link] [stroke-width='9'], g[aria-label=link][stroke-width='9'] path").length }]),
  );
  const scrollers = [...document.querySelectorAll("figure .scroll")].filter((box) => box.scrollWidth > box.clientWidth + 1);
  return {
    drawings,
    unhinted: scrollers.filter((box) => !getComputedStyle(box).backgroundImage.includes("gradient")).length,
    assay: { figures: window.assay.figures, drawn: window.assay.drawn },
    plots: plots.map((plot) => ({ figure: plot.dataset.figure, drawn: plot.dataset.drawn, words: plot.textContent.slice(0, 100), svgs: plot.querySelectorAll("svg[role=img]").length, rows: rows(plot), label: plot.querySelector("svg[role=img]")?.getAttribute("aria-label") ?? null })),
    expected: document.querySelectorAll("figure.figure:not([data-kind=table])").length,
    overflow: document.documentElement.scrollWidth - document.documentElement.clientWidth,
    cutOff: plots.flatMap((plot) => [...plot.querySelectorAll("svg[role=img] text")].filter((text) => {
      const [box, around] = [text.getBoundingClientRect(), plot.closest("figure").getBoundingClientRect()];
      return box.width > 0 && (box.left < around.left - 1 || box.right > around.right + 1);
    }).map((text) => `${plot.dataset.figure}: ${text.textContent.slice(0, 60)}`)),
    touching: plots.filter((plot) => plot.closest("figure").dataset.kind !== "matrix").flatMap((plot) => [...plot.querySelectorAll("g[aria-label='x-axis tick label']")].flatMap((axis) => {
      const labels = [...axis.querySelectorAll("text:not([transform*=rotate])")].map((text) => [text.getBoundingClientRect(), text.textContent]).sort(([a], [b]) => a.left - b.left);
      return labels.filter(([box], at) => at && Math.abs(box.top - labels[at - 1][0].top) < 4 && box.left < labels[at - 1][0].right + 2).map(([, text]) => `${plot.dataset.figure}: ${text}`);
    })),
    contrasts,
    foreign: document.querySelectorAll("img, #broken, main script, iframe, object, embed").length,
    controls: [...document.querySelectorAll("button, select, nav.contents")].filter((element) => element.getClientRects().length).length,
    ready: Math.round(window.readyAt),
    first: Math.round(window.firstAt),
    slices: window.slices,
    longest: Math.round(Math.max(0, ...window.tasks)),
  };
}

/** Whether something becomes true before long, on a slow machine too. */
async function comes(page, condition) {
  return page.waitForFunction(condition, null, { timeout: 30000 }).then(
    () => true,
    () => false,
  );
}

async function shoot(page, view, full = true) {
  const target = path.join(folder, `${name}-${view}.png`);
  await page.screenshot({ path: target, fullPage: full });
}

/** Points at a picture until it says something. */
async function hover(page, plot) {
  const svg = plot.locator("svg[role=img]").first();
  await svg.evaluate((element) => element.scrollIntoView({ block: "center" }));
  const box = await svg.boundingBox();
  for (const down of [0.5, 0.4, 0.3, 0.7, 0.15, 0.85, 0.05])
    for (let across = 0.2; across < 1; across += 0.08) {
      await page.mouse.move(box.x + box.width * across, box.y + box.height * down);
      const words = await plot.locator("svg [aria-label=tip] text").allTextContents();
      if (words.join("").trim()) return (await plot.locator("svg [aria-label=tip] tspan").allTextContents()).join("\n");
    }
  return "";
}

async function filters(page) {
  const told = [];
  for (const bar of await page.locator("div.filters").all()) {
    const state = () => bar.evaluate((element) => {
      const tables = [...element.closest("section").querySelectorAll("figure.figure tbody")];
      return { count: element.querySelector("output").textContent, rows: tables.flatMap((body) => [...body.rows]).filter((row) => !row.hidden).length, drawn: element.closest("section").querySelectorAll("[data-drawn=yes]").length };
    });
    const select = bar.locator("select").first();
    const before = await state();
    const values = await select.locator("option").evaluateAll((options) => options.map((option) => option.value));
    await select.selectOption(values[1]);
    const chosen = await state();
    await bar.locator("button.reset").click();
    told.push({ key: await select.getAttribute("data-filter"), options: values.length, before, chosen, after: await state() });
  }
  return told;
}

/** Every choice of every chooser of a section made at once leaves nothing. */
async function nothingLeft(page) {
  for (const bar of await page.locator("div.filters").all()) {
    const selects = await bar.locator("select").all();
    for (const select of selects) await select.selectOption({ index: 1 });
    if (selects.length > 1) await selects[1].selectOption({ index: (await selects[1].locator("option").count()) - 1 });
    const empty = await comes(page, () => [...document.querySelectorAll("p.empty")].some((found) => found.textContent.includes("Nothing is left")));
    await bar.locator("button.reset").click();
    if (empty) return true;
  }
  return false;
}

async function folding(page) {
  const button = page.locator("button.fold").first();
  if (!(await button.count())) return null;
  const height = () => button.evaluate((element) => element.closest("div.plot").querySelector("svg[role=img]").getBoundingClientRect().height);
  const before = { words: await button.textContent(), height: await height() };
  await button.click();
  const after = { words: await button.textContent(), height: await height() };
  await button.click();
  return { before, after };
}

async function desktop(browser) {
  const page = await open(browser, { viewport: { width: 1280, height: 900 }, colorScheme: "light" });
  seen.views.light = await page.evaluate(describe);
  await shoot(page, "light", !only);
  if (only) return;
  seen.tips = {};
  for (const plot of await page.locator("div.plot[data-drawn=yes]").all()) seen.tips[await plot.getAttribute("data-figure")] = await hover(page, plot);
  await shoot(page, "tip", false);
  seen.filters = await filters(page);
  seen.nothingLeft = await nothingLeft(page);
  seen.folding = await folding(page);
  const theme = () => page.evaluate(() => getComputedStyle(document.documentElement).backgroundColor);
  const before = await theme();
  await page.locator("button.theme").click();
  seen.toggled = { before, after: await theme() };
  await page.locator("button.theme").click();
  await page.setViewportSize({ width: 700, height: 900 });
  const fits = () => [...document.querySelectorAll("div.plot[data-drawn=yes] svg[role=img]")].every((svg) => svg.getAttribute("width") <= svg.closest("div.plot").clientWidth);
  seen.resized = await comes(page, fits);
  await page.context().close();
}

async function paper(browser) {
  const page = await open(browser, { viewport: { width: 1280, height: 900 }, colorScheme: "dark" });
  const target = path.join(folder, `${name}.pdf`);
  await page.pdf({ path: target, format: "A4", printBackground: true });
  await page.setViewportSize({ width: 718, height: 1046 }); // A4 between margins of 1 cm
  await page.emulateMedia({ media: "print" });
  await comes(page, () => !document.querySelector("button").checkVisibility());
  seen.views.print = await page.evaluate(describe);
  await page.context().close();
}

mkdirSync(folder, { recursive: true });
const browser = await chromium.launch({ executablePath: browserPath, args: ARGUMENTS, headless: true });
seen.browser = browser.version();
try {
  await desktop(browser);
  const others = [
    ["dark", { viewport: { width: 1280, height: 900 }, colorScheme: "dark" }],
    ["phone", { viewport: { width: 360, height: 740 }, colorScheme: "light", isMobile: true, hasTouch: true, deviceScaleFactor: 2 }],
    ["narrow", { viewport: { width: 320, height: 640 }, colorScheme: "dark" }],
  ];
  for (const [view, options] of only ? [] : others) {
    const page = await open(browser, options);
    seen.views[view] = await page.evaluate(describe);
    await shoot(page, view);
    await page.context().close();
  }
  if (!only) await paper(browser);
} finally {
  await browser.close();
}
console.log(JSON.stringify(seen));
