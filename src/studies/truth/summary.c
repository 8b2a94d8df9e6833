/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What reports, runs and comparisons say of what a command executes. */
#include "engine/told.h"
#include "output/figure.h"
#include "studies/truth/study.h"

static void lead(const void *kept, struct lead *sentences)
{
    const struct truth_run *run = kept;
    AUTO_TEXT struct text sentence = {0};
    if (!run->counter)
        return;
    text_printf(&sentence, "%s executes ", run->line);
    if (run->counted.lost)
        text_puts(&sentence, "an unknown number of");
    else
        figure_put_number(&sentence, (double)run->counted.instructions);
    text_printf(&sentence, " instructions, by %s%s%s.", run->counted.source,
                run->counted.other_path ? ", and other ones elsewhere: " : "",
                run->counted.other_path ? run->counted.other_path : "");
    told_say(sentences, text_string(&sentence));
}

const struct study_told truth_told = {
    .title = "What a command executes",
    .lead = lead,
    .compared = {.instead = "assay truth counts a single execution; count the program with assay "
                            "repeat on each side and compare these stores"},
};
