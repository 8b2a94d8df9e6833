/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What the parts of a page share: the stream, and putting text on it that may be hostile. */
#pragma once

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "base/text.h"
#include "output/json.h"

struct page {
    FILE *stream;
    const json_t *report;
    bool several;      /* machines: sections say which is theirs */
    struct text clean; /* scratch */
};

/* --- text; only markup is taken as it is --- */

/* Markup with members of the object between: {key} as text, {#key} as a name, {.key} as a chip. */
void page_form(struct page *page, const json_t *object, const char *form);
/* Markup. */
void page_put(struct page *page, const char *markup);
/* Anything, as text or inside of double quotes: the reader sees every character, and neither
 * browser nor reader obeys one. */
void page_text(struct page *page, const char *string);
/* A number with separators, a text, or nothing. */
void page_value(struct page *page, const json_t *value);
/* A name made of a-z, A-Z, 0-9, - and _, for ids and classes. */
void page_name(struct page *page, const char *string);

/* --- parts --- */

/* What comes first: what can be trusted, what came out, what of the papers holds. */
void page_summary(struct page *page);
/* Findings as a table; section NULL: those of all sections, with links to them. */
void page_scorecard(struct page *page, const json_t *section);
/* The heading of a section, as contents and summary name it. */
void page_section_title(struct page *page, const json_t *section);

/* ----------------------------------------------------------------------------------------------
 * The style of pages (web/page.css) and the script that draws their figures (web/src, bundled), as
 * bytes that can stand in <style> and <script>. A NUL follows them, which the sizes leave out. */

extern const unsigned char page_style[];
extern const size_t page_style_size;
extern const unsigned char page_script[];
extern const size_t page_script_size; /* 0: built without (-Dreport=disabled, or without Node) */
