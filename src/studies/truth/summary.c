/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What reports, runs and comparisons say of what a command executes. */
#include "engine/told.h"
#include "output/figure.h"
#include "studies/truth/study.h"

static void lead(const json_t *results, const json_t *analysis, json_t *lead)
{
    (void)analysis;
    AUTO_TEXT struct text sentence = {0};
    const json_t *row = json_array_get(results, 0);
    const json_t *executed = json_object_get(json_object_get(row, "classes"), "instructions");
    if (!row)
        return;
    text_printf(&sentence, "%s executes ", json_word(row, "program"));
    if (json_is_number(executed))
        figure_put_number(&sentence, json_number_value(executed));
    else
        text_puts(&sentence, "an unknown number of");
    text_printf(&sentence, " instructions, by %s.", json_word(row, "source"));
    told_say(lead, &sentence);
}

const struct study_told truth_told = {
    .title = "What a command executes",
    .lead = lead,
    .compared = {.instead = "assay truth counts a single execution; count the program with assay "
                            "repeat on each side and compare these stores"},
};
