// SPDX-FileCopyrightText: 2026 the assay authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Opens pages in a browser as readers do: node browse.mjs BROWSER FOLDER, with a page a line on standard input, as JSON {file, name, look},
// and what was seen of it a line on standard output. One browser serves all pages, because starting one takes as long as looking.
// look is "once" (one view, nothing is touched), "report" (every view but a telephone's; one figure of each kind is pointed at), or "all".
// Pictures of what was seen are left in FOLDER. Judging is left to the test.
import { createRequire } from "node:module";
import path from "node:path";
import { createInterface } from "node:readline";
import { pathToFileURL } from "node:url";

const { chromium } = createRequire(path.join(process.cwd(), "browse.mjs"))("playwright-core"); // NODE_PATH says where it is
const [browserPath, folder] = process.argv.slice(2);
const ARGUMENTS = ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking", "--disable-component-update", "--disable-sync"];

async function open(browser, { address, seen }, options) {
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
      if (!document.documentElement?.dataset.ready) setTimeout(count);
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

/** What is in the window: a picture of a whole page takes longer than all the rest. */
async function record(page, { name, seen }, view) {
  seen.views[view] = await page.evaluate(describe);
  await page.screenshot({ path: path.join(folder, `${name}-${view}.png`) });
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

/** Of every figure, or of the first of each kind. */
async function tips(page, every) {
  const told = {}, kinds = new Set();
  for (const plot of await page.locator("div.plot[data-drawn=yes]").all()) {
    const kind = await plot.evaluate((element) => element.closest("figure").dataset.kind);
    if (every || !kinds.has(kind)) told[await plot.getAttribute("data-figure")] = await hover(page, plot);
    kinds.add(kind);
  }
  return told;
}

const fits = () => [...document.querySelectorAll("div.plot[data-drawn=yes] svg[role=img]")].every((svg) => svg.getAttribute("width") <= svg.closest("div.plot").clientWidth);

async function desktop(browser, job) {
  const { seen } = job;
  const page = await open(browser, job, { viewport: { width: 1280, height: 900 }, colorScheme: "light" });
  await record(page, job, "light");
  if (job.look !== "once") {
    seen.tips = await tips(page, job.look === "all");
    await page.screenshot({ path: path.join(folder, `${job.name}-tip.png`) });
    seen.filters = await filters(page);
  }
  if (job.look === "all") {
    seen.nothingLeft = await nothingLeft(page);
    seen.folding = await folding(page);
    const theme = () => page.evaluate(() => getComputedStyle(document.documentElement).backgroundColor);
    const before = await theme();
    await page.locator("button.theme").click();
    seen.toggled = { before, after: await theme() };
    await page.locator("button.theme").click();
    await page.setViewportSize({ width: 700, height: 900 });
    seen.resized = await comes(page, fits);
  }
  await page.context().close();
}

/** In the dark, then in a narrow window, then on paper, which is light: pictures are drawn anew each time. */
async function dark(browser, job) {
  const page = await open(browser, job, { viewport: { width: 1280, height: 900 }, colorScheme: "dark" });
  await record(page, job, "dark");
  if (job.look === "all") await page.pdf({ path: path.join(folder, `${job.name}.pdf`), format: "A4", printBackground: true });
  await page.setViewportSize({ width: 320, height: 640 });
  await comes(page, fits);
  await record(page, job, "narrow");
  await page.setViewportSize({ width: 718, height: 1046 }); // A4 between margins of 1 cm
  await page.emulateMedia({ media: "print" });
  await comes(page, () => !document.querySelector("button").checkVisibility());
  await record(page, job, "print");
  await page.context().close();
}

async function phone(browser, job) {
  const page = await open(browser, job, { viewport: { width: 360, height: 740 }, colorScheme: "light", isMobile: true, hasTouch: true, deviceScaleFactor: 2 });
  await record(page, job, "phone");
  await page.context().close();
}

async function see(browser, { file, name, look }) {
  const seen = { requests: [], console: [], dialogs: [], errors: [], views: {} };
  const job = { address: pathToFileURL(path.resolve(file)).href, name, look, seen };
  await desktop(browser, job);
  if (look !== "once") await dark(browser, job);
  if (look === "all") await phone(browser, job);
  return seen;
}

const browser = await chromium.launch({ executablePath: browserPath, args: ARGUMENTS, headless: true });
try {
  for await (const line of createInterface({ input: process.stdin })) console.log(JSON.stringify(await see(browser, JSON.parse(line))));
} finally {
  await browser.close();
}
