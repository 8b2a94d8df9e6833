/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Why a program is not the same from run to run, with what was seen; and why sources count it
 * differently, side by side. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "cli/repeat-show.h"

#define FEW_WORDS 120u /* bytes of evidence behind a reason, unless all is asked for */

/* --- from run to run --- */

static void put_seen(const struct repeat_run_of *run, const struct repeat_seen *seen,
                     const struct style *style, struct text *out)
{
    AUTO_TEXT struct text words = {0};
    if (run->file.program_count > 1 && run->options->all)
        text_printf(&words, "%s, ", repeat_program_name(run, seen->program));
    text_puts(&words, seen->cause < PARTING_COUNT ? repeat_parting_names[seen->cause] : "?");
    repeat_put_machine(run, seen->machine, &words);
    text_printf(&words, "%s: %s", seen->parted ? "" : " (may part runs)", seen->evidence);
    section_put_item(text_string(&words), style, out);
}

void repeat_put_causes(const struct repeat_run_of *run, const struct style *style, struct text *out)
{
    bool any = false;
    /* What parted runs before what only may. */
    for (int parted = 1; parted >= 0; parted--)
        for (size_t i = 0; i < run->report.seen_count; i++) {
            const struct repeat_seen *seen = &run->report.seen[i];
            if (!repeat_is_detailed(run, seen->program) || seen->parted != (parted == 1))
                continue;
            if (!any)
                section_put_heading("Why it is not the same from run to run", style, out);
            any = true;
            put_seen(run, seen, style, out);
        }
}

/* --- from source to source --- */

static void add_number(struct table *table, enum tone tone, double value)
{
    char text[NUMBER_SIZE];
    repeat_number(value, text, sizeof(text));
    table_add(table, tone, text);
}

/* "cpuid -312, vdso +40": the figures; the evidence is below. */
static void put_reasons(const struct repeat_alignment *alignment, struct text *out)
{
    bool unknown = false;
    for (size_t i = 0; i < alignment->reason_count; i++) {
        char number[NUMBER_SIZE];
        unknown |= strcmp(alignment->reasons[i].what, "unknown") == 0;
        repeat_difference(rint(alignment->reasons[i].instructions), number, sizeof(number));
        text_printf(out, "%s%s %s", i ? ", " : "", alignment->reasons[i].what, number);
    }
    if (!unknown && alignment->difference != 0 && isfinite(alignment->unexplained) &&
        alignment->unexplained != 0) {
        char number[NUMBER_SIZE];
        repeat_difference(rint(alignment->unexplained), number, sizeof(number));
        text_printf(out, "%sunexplained %s", alignment->reason_count ? ", " : "", number);
    }
}

static void add_alignment(struct table *table, const struct repeat_run_of *run,
                          const struct repeat_alignment *alignment, bool several)
{
    AUTO_TEXT struct text reasons = {0};
    AUTO_TEXT struct text source = {0};
    char difference[NUMBER_SIZE];
    text_puts(&source, alignment->source);
    repeat_put_machine(run, alignment->machine, &source);
    repeat_difference(alignment->difference, difference, sizeof(difference));
    table_add(table, TONE_PLAIN, several ? repeat_program_name(run, alignment->program) : "");
    table_add(table, TONE_PLAIN, text_string(&source));
    add_number(table, TONE_PLAIN, alignment->raw);
    add_number(table, TONE_PLAIN, alignment->repetitions);
    add_number(table, TONE_STRONG, alignment->aligned);
    table_add(table, TONE_PLAIN, alignment->against);
    table_add(table, alignment->same ? TONE_GOOD : TONE_PLAIN, difference);
    put_reasons(alignment, &reasons);
    table_add(table, TONE_PLAIN,
              reasons.length    ? text_string(&reasons)
              : alignment->same ? "the same to the instruction"
                                : "");
}

/* The functions that are behind a reason. */
static void put_evidence(const struct repeat_alignment *alignment, bool all,
                         const struct style *style, struct text *out)
{
    for (size_t i = 0; i < alignment->reason_count; i++) {
        const struct align_reason *reason = &alignment->reasons[i];
        AUTO_TEXT struct text words = {0};
        if (!reason->words[0])
            continue;
        text_printf(&words, "%s, %s: ", alignment->source, reason->what);
        size_t length = strlen(reason->words);
        if (all || length <= FEW_WORDS) {
            text_puts(&words, reason->words);
        } else {
            length = FEW_WORDS;
            while (length && reason->words[length] != ' ')
                length--;
            text_append(&words, reason->words, length);
            text_puts(&words, " ...");
        }
        section_put_item(text_string(&words), style, out);
    }
}

void repeat_put_sources(const struct repeat_run_of *run, const struct style *style,
                        struct text *out)
{
    static const struct column columns[] = {
        {"program", false, false, false},   {"source", false, false, false},
        {"raw", true, false, false},        {"repetitions", true, false, false},
        {"aligned", true, false, false},    {"against", false, false, false},
        {"difference", true, false, false}, {"", false, true, false},
    };
    struct table table = {.columns = columns, .column_count = sizeof(columns) / sizeof(*columns)};
    const bool several = run->file.program_count > 1 && run->options->all;
    AUTO_TEXT struct text evidence = {0};
    for (size_t i = 0; i < run->report.alignment_count; i++) {
        const struct repeat_alignment *alignment = &run->report.alignments[i];
        if (!repeat_is_detailed(run, alignment->program))
            continue;
        add_alignment(&table, run, alignment, several);
        put_evidence(alignment, run->options->all, style, &evidence);
    }
    if (table.count) {
        section_put_heading("Sources side by side, in instructions", style, out);
        table_put(&table, style, out);
        section_put_words("raw: as the source counts them; repetitions: of string instructions "
                          "(rep); aligned: each of these counted once",
                          style, out);
        text_puts(out, text_string(&evidence));
    }
    out->failed |= evidence.failed;
    table_free(&table);
}
