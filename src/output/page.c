/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Writes the page: its frame, and its parts one after the other. */
#include "output/page.h"

#include <errno.h>
#include <string.h>

#include "base/cleanup.h"
#include "show/page-assets.h"
#include "output/page-parts.h"

#define MARK "<meta name=\"generator\" content=\"assay "

/* Nothing but what is in the file, and nothing that leaves it. */
static const char beginning[] =
    "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n" MARK ASSAY_VERSION
    "\">\n<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src "
    "'unsafe-inline'; script-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action "
    "'none'\">\n<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
    "<meta name=\"color-scheme\" content=\"light dark\">\n";

bool page_is_report(const char *path)
{
    char begins[512];
    AUTO_FILE FILE *file = fopen(path, "re");
    if (!file)
        return false;
    size_t length = fread(begins, 1, sizeof(begins) - 1, file);
    begins[length] = 0;
    return strncmp(begins, "<!DOCTYPE html>", strlen("<!DOCTYPE html>")) == 0 &&
           strstr(begins, MARK);
}

static void put_head(struct page *page)
{
    page_put(page, beginning);
    page_element(page, "title", NULL, json_word(page->report, "title"));
    page_put(page, "<style>\n");
    fwrite(page_style, 1, page_style_size, page->stream);
    page_put(page, "</style>\n</head>\n<body>\n");
}

static void put_top(struct page *page)
{
    size_t i;
    json_t *machine;
    page_put(page, "<header class=\"top\">\n");
    page_element(page, "h1", NULL, json_word(page->report, "title"));
    json_array_foreach(json_object_get(page->report, "machines"), i, machine)
    {
        page_put(page, "<p class=\"machine-line\">");
        if (page->several) {
            page_text(page, json_word(machine, "label"));
            page_put(page, ": ");
        }
        page_text(page, json_word(machine, "sentence"));
        page_put(page, "</p>\n");
    }
    page_put(page, "<p class=\"made\">Made ");
    page_text(page, json_word(page->report, "made"));
    page_put(page, " by assay ");
    page_text(page, json_word(page->report, "version"));
    if (*json_word(page->report, "how")) {
        page_put(page, ": <code class=\"how\">");
        page_text(page, json_word(page->report, "how"));
        page_put(page, "</code>");
    }
    page_put(page, "</p>\n</header>\n");
}

static void put_contents(struct page *page)
{
    size_t i;
    json_t *part;
    page_put(page, "<nav class=\"contents\" aria-label=\"Contents\"><ul>\n<li><a "
                   "href=\"#summary\">Summary</a></li>\n");
    json_array_foreach(json_object_get(page->report, "sections"), i, part)
    {
        page_put(page, "<li><a href=\"#");
        page_name(page, json_word(part, "id"));
        page_put(page, "\">");
        page_section_title(page, part);
        page_put(page, "</a></li>\n");
    }
    json_array_foreach(json_object_get(page->report, "machines"), i, part)
    {
        page_put(page, "<li><a href=\"#machine-");
        page_name(page, json_word(part, "label"));
        page_put(page, page->several ? "\">Machine " : "\">The machine");
        page_text(page, page->several ? json_word(part, "label") : "");
        page_put(page, "</a></li>\n");
    }
    page_put(page, "</ul></nav>\n");
}

static void put_parts(struct page *page)
{
    size_t i;
    json_t *part;
    page_put(page, "<main>\n");
    page_summary(page);
    json_array_foreach(json_object_get(page->report, "sections"), i, part)
    {
        page_section(page, part);
    }
    json_array_foreach(json_object_get(page->report, "machines"), i, part)
    {
        page_machine(page, part);
    }
    page_put(page, "</main>\n");
}

static void put_script(struct page *page)
{
    page_put(page, "<script type=\"application/json\" id=\"assay-figures\">");
    page_figures_json(page);
    page_put(page, "</script>\n");
    if (page_script_size) {
        page_put(page, "<script>\n");
        fwrite(page_script, 1, page_script_size, page->stream);
        page_put(page, "</script>\n");
    }
}

int page_write(const json_t *report, FILE *stream, struct failure *failure)
{
    struct page page = {.stream = stream,
                        .report = report,
                        .several = json_array_size(json_object_get(report, "machines")) > 1};
    put_head(&page);
    put_top(&page);
    put_contents(&page);
    put_parts(&page);
    put_script(&page);
    page_put(&page, "</body>\n</html>\n");
    text_free(&page.clean);
    if (page.failed)
        return fail_with(failure, -ENOMEM, "out of memory while writing the page");
    if (ferror(stream))
        return fail_with(failure, -EIO, "the page could not be written: %s", strerror(errno));
    return 0;
}
