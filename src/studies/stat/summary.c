/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What reports, runs and comparisons say of the counts of a command. */
#include <string.h>

#include "engine/told.h"
#include "output/figure.h"
#include "studies/stat/study.h"

/* "ls: 1,234,000 ± 20 instructions:u." of the first that was counted. */
static void lead(const json_t *results, const json_t *analysis, json_t *lead)
{
    size_t i, counted = 0;
    json_t *event;
    json_array_foreach(results, i, event)
    {
        AUTO_TEXT struct text sentence = {0};
        if (!json_is_number(json_object_get(event, "corrected")))
            continue;
        if (!counted++)
            text_printf(&sentence, "%s: ", json_word(analysis, "program"));
        figure_put_number(&sentence, told_number(event, "corrected"));
        if (json_is_number(json_object_get(event, "uncertainty"))) {
            text_puts(&sentence, " ± ");
            figure_put_number(&sentence, told_number(event, "uncertainty"));
        }
        text_printf(&sentence, " %s%s.", json_word(event, "event"),
                    strcmp(json_word(event, "unit"), "ns") == 0 ? " (ns)" : "");
        told_say(lead, &sentence);
    }
    if (!counted)
        json_array_append_new(lead, json_string("Nothing could be counted."));
}

const struct study_told stat_told = {.title = "What a command counted", .lead = lead};
