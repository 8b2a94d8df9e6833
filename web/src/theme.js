// SPDX-FileCopyrightText: 2026 the assay authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Light or dark: as the system says, until the reader says otherwise. Nothing is remembered.
import { element } from "./elements.js";

export function addThemeButton(header) {
  const root = document.documentElement;
  const dark = () => (root.dataset.theme ? root.dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches);
  const button = element("button", { type: "button", class: "theme" });
  const name = () => (button.textContent = dark() ? "Light colours" : "Dark colours");
  button.addEventListener("click", () => {
    root.dataset.theme = dark() ? "light" : "dark";
    name();
  });
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", name);
  name();
  header.append(button);
}
