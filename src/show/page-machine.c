/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A machine: what it is, what stands in the way of accurate counts on it and how that is changed,
 * and every fact that it told. */
#include <string.h>

#include "output/page-parts.h"

static void put_check(struct page *page, const json_t *check)
{
    page_put(page, "<tr><td>");
    page_text(page, json_word(check, "check"));
    page_put(page, "</td><td>");
    page_chip(page, json_word(check, "status"));
    page_put(page, "</td><td>");
    page_text(page, json_word(check, "value"));
    page_put(page, "</td><td>");
    page_text(page, json_word(check, "why"));
    if (*json_word(check, "fix")) {
        page_put(page, "<pre class=\"fix\">\n");
        page_lines(page, json_word(check, "fix"));
        page_put(page, "</pre>");
    }
    page_put(page, "</td></tr>\n");
}

static void put_doctor(struct page *page, const json_t *machine)
{
    const json_t *checks = json_object_get(machine, "doctor");
    size_t i;
    json_t *check;
    if (!json_array_size(checks))
        return;
    page_put(page,
             "<h3>What stands in the way of accurate counts</h3>\n<div class=\"scroll\"><table "
             "class=\"doctor\">\n<thead><tr><th scope=\"col\">check</th><th "
             "scope=\"col\">status</th><th scope=\"col\">found</th><th scope=\"col\">why it "
             "matters, and what changes it</th></tr></thead>\n<tbody>\n");
    json_array_foreach(checks, i, check)
    {
        put_check(page, check);
    }
    page_put(page, "</tbody></table></div>\n");
}

static void put_facts(struct page *page, const json_t *machine)
{
    json_t *facts = json_object_get(machine, "facts");
    const json_t *absent = json_object_get(machine, "absent");
    const char *key;
    json_t *value;
    if (!json_object_size(facts))
        return;
    fprintf(page->stream,
            "<details class=\"facts\"><summary>%zu facts</summary><div "
            "class=\"scroll\"><table>\n<tbody>\n",
            json_object_size(facts));
    json_object_foreach(facts, key, value)
    {
        page_put(page, "<tr><th scope=\"row\">");
        page_text(page, key);
        page_put(page, "</th><td>");
        if (json_is_string(value)) {
            page_text(page, json_string_value(value));
        } else {
            page_put(page, "absent: ");
            page_text(page, json_word(absent, key));
        }
        page_put(page, "</td></tr>\n");
    }
    page_put(page, "</tbody></table></div></details>\n");
}

void page_machine(struct page *page, const json_t *machine)
{
    page_put(page, "<section class=\"machine\" id=\"machine-");
    page_name(page, json_word(machine, "label"));
    page_put(page, "\">\n<h2>");
    if (page->several) {
        page_put(page, "Machine ");
        page_text(page, json_word(machine, "label"));
    } else {
        page_put(page, "The machine");
    }
    page_put(page, "</h2>\n");
    page_element(page, "p", "sentence", json_word(machine, "sentence"));
    page_put(page, "<p class=\"fingerprint\">Fingerprint <code>");
    page_text(page, json_word(machine, "fingerprint"));
    page_put(page, "</code></p>\n");
    put_doctor(page, machine);
    put_facts(page, machine);
    page_put(page, "</section>\n");
}
