/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A report as one HTML file that needs nothing beside it. All text in it may come from machines and
 * is escaped. Without the script that draws (built with -Dreport=disabled or without Node) the
 * figures are tables.
 *
 * What the script finds: <script type="application/json" id="assay-figures"> with one object,
 * {"SECTION/ID": figure, …} in the order of the page, and for each of them
 *   <figure class="figure" id="SECTION/ID" data-kind="boxes"><h4>…</h4><p class="paper">…</p>
 *   <div class="plot" data-figure="SECTION/ID"></div><figcaption>…</figcaption>
 *   <details class="data"><summary>…</summary><div class="scroll"><table>…
 * inside <section class="study" id="SECTION" data-command="validate">. */
#pragma once

#include <stdbool.h>
#include <stdio.h>

#include "base/failure.h"
#include "commands/reported.h"

int page_write(const struct report *report, FILE *stream, struct failure *failure);
/* The whole of it as that file, or none; NULL and "-": standard output. */
int page_save(const struct report *report, const char *path, struct failure *failure);

/* Does the file begin as pages do? Whoever overwrites one asks. */
bool page_is_report(const char *path);

/* The style of pages (web/page.css) and the script that draws their figures (web/src, bundled), as
 * bytes that can stand in <style> and <script>. A NUL follows them, which the sizes leave out. */
extern const unsigned char page_style[];
extern const size_t page_style_size;
extern const unsigned char page_script[];
extern const size_t page_script_size; /* 0: built without (-Dreport=disabled, or without Node) */
