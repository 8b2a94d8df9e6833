/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What reports, runs and comparisons say of what was counted. */
#include <math.h>

#include "engine/told.h"
#include "output/figure.h"
#include "studies/measure/study.h"

/* What was to be counted decides which result matters most: the one that is farthest off. */
static bool is_farther(const json_t *row, const json_t *worst)
{
    return json_is_number(json_object_get(row, "error")) &&
           (!worst || fabs(told_number(row, "error")) > fabs(told_number(worst, "error")));
}

static void lead(const json_t *results, const json_t *analysis, json_t *lead)
{
    (void)analysis;
    AUTO_TEXT struct text sentence = {0};
    size_t i, exact = 0, compared = 0;
    const json_t *worst = NULL;
    json_t *row;
    json_array_foreach(results, i, row)
    {
        const bool known = json_is_number(json_object_get(row, "error"));
        compared += known;
        exact += known && told_number(row, "error_min") == 0 && told_number(row, "error_max") == 0;
        worst = is_farther(row, worst) ? row : worst;
    }
    if (!worst)
        worst = json_array_get(results, 0);
    if (!worst)
        return;
    if (compared > 1)
        text_printf(&sentence, "Of %zu cells that can be held against a truth %zu %s exact%s",
                    compared, exact, exact == 1 ? "is" : "are",
                    exact < compared ? "; farthest off: " : ".");
    if (compared <= 1 || exact < compared) {
        /* "1,000 page-faults:u on pages through perf-read, start-stop, where 1,000 are right." */
        figure_put_number(&sentence, told_number(worst, "median"));
        text_printf(&sentence, " %s on %s, N ", json_word(worst, "event"),
                    json_word(worst, "specimen"));
        figure_put_number(&sentence, told_number(worst, "n"));
        text_printf(&sentence, ", through %s, %s", json_word(worst, "path"), json_pattern(worst));
        if (json_is_number(json_object_get(worst, "truth"))) {
            text_puts(&sentence, "; right is ");
            figure_put_number(&sentence, told_number(worst, "truth"));
        }
        text_putc(&sentence, '.');
    }

    told_say(lead, &sentence);
}

const struct study_told measure_told = {.title = "What was counted", .lead = lead};
