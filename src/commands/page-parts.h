/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What the parts of a page share: the stream, and putting text on it that may be hostile. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "base/text.h"
#include "commands/reported.h"

struct page {
    FILE *stream;
    const struct report *report;
    bool several;      /* machines: sections say which is theirs */
    struct text clean; /* scratch */
};

/* --- text; only markup is taken as it is --- */

/* Markup with words in it, in this order: {} as text, {#} as a name, {.} as a chip; NULL: "". */
void page_form(struct page *page, const char *form, const char *const *words);
#define PAGE(page, form, ...) page_form(page, form, (const char *const[]){__VA_ARGS__})
/* Markup. */
void page_put(struct page *page, const char *markup);
/* Anything, as text or inside of double quotes: the reader sees every character, and neither
 * browser nor reader obeys one. */
void page_text(struct page *page, const char *string);
/* A name made of a-z, A-Z, 0-9, - and _, for ids and classes. */
void page_name(struct page *page, const char *string);

/* --- parts --- */

/* What comes first: what can be trusted, what came out, what of the papers holds. */
void page_summary(struct page *page);
/* Findings as a table; section NULL: those of all sections, with links to them. */
void page_scorecard(struct page *page, const struct report_section *section);
/* The heading of a section, as contents and summary name it. */
void page_section_title(struct page *page, const struct report_section *section);

/* ----------------------------------------------------------------------------------------------
 * The style of pages (web/page.css) and the script that draws their figures (web/src, bundled), as
 * bytes that can stand in <style> and <script>. A NUL follows them, which the sizes leave out. */

extern const unsigned char page_style[];
extern const size_t page_style_size;
extern const unsigned char page_script[];
extern const size_t page_script_size; /* 0: built without (-Dreport=disabled, or without Node) */
