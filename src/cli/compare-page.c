/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A comparison as a page: the report of all its files, with one section in the place of their own.
 */
#include <errno.h>

#include "commands/compare/compare.h"
#include "output/output.h"
#include "output/page.h"

#define PAGE_WIDTH 100

/* The title says what was compared; the summary begins with what came of it. */
static json_t *lead_of(const struct comparing *comparing)
{
    json_t *lead = compare_headline(comparing);
    json_t *facts = json_incref(json_array_get(lead, 1));
    json_array_remove(lead, 1);
    json_array_remove(lead, 0);
    json_array_append_new(lead, facts);
    return lead;
}

/* made: when the page was. */
static json_t *section_json(const struct comparing *comparing, json_t *made)
{
    const struct style style = {.width = PAGE_WIDTH};
    AUTO_TEXT struct text words = {0};
    compare_put_report(comparing, &style, &words);
    json_t *section = json_object();
    json_object_set_new(section, "id", json_string("compare-1"));
    json_object_set_new(section, "command", json_string("compare"));
    json_object_set_new(section, "title", json_string("What differs"));
    json_object_set_new(section, "machine", json_null()); /* of all of them */
    json_object_set_new(section, "lead", lead_of(comparing));
    json_object_set(section, "started", made);
    json_object_set(section, "finished", made);
    json_object_set_new(section, "reproduce", json_null());
    json_object_set_new(section, "store", json_null());
    json_object_set_new(section, "status", json_integer(0));
    json_object_set_new(section, "reason", json_null());
    json_object_set_new(section, "seed", json_null());
    json_object_set_new(section, "results", json_array());
    json_object_set_new(section, "analysis", json_object());
    json_object_set_new(section, "findings", compare_findings_json(comparing));
    json_object_set_new(section, "skipped", compare_skipped_json(comparing));
    json_object_set_new(section, "figures", compare_figures(comparing));
    json_object_set_new(section, "words", json_text(text_string(&words)));
    return section;
}

/* One a side, under its letter, although two of them may be one machine. */
static json_t *machines_json(const struct comparing *comparing)
{
    json_t *machines = json_array();
    for (size_t side = 0; side < comparing->file.side_count; side++) {
        size_t run = 0;
        while (comparing->side_of[run] != side)
            run++;
        json_array_append_new(machines,
                              reported_machine_json(comparing->reported.list[run].run, side));
    }
    return machines;
}

static json_t *report_json(const struct comparing *comparing)
{
    AUTO_TEXT struct text title = {0};
    text_puts(&title, "Comparison of ");
    compare_put_sides(comparing, &title);
    json_t *report = reported_json(&comparing->reported, text_string(&title));
    json_t *sections = json_array();
    json_array_append_new(sections, section_json(comparing, json_object_get(report, "made")));
    json_object_set_new(report, "sections", sections);
    json_object_set_new(report, "machines", machines_json(comparing));
    json_object_set(report, "notes", comparing->notes);
    reported_put_how(report, comparing->options->common.argc, comparing->options->common.argv);
    return report;
}

int compare_write_page(const struct comparing *comparing, struct failure *failure)
{
    struct output output;
    json_t *report = report_json(comparing);
    if (!report)
        return fail_with(failure, -ENOMEM, "out of memory");
    int error = output_open(&output, comparing->options->html, failure);
    if (error == 0) {
        error = page_write(report, output.stream, failure);
        if (error == 0)
            error = output_commit(&output, failure);
        output_discard(&output);
    }
    json_decref(report);
    return error;
}
