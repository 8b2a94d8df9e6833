/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What reports, runs and comparisons say of counts from run to run. */
#include <math.h>
#include <string.h>

#include "engine/told.h"
#include "output/field.h"
#include "studies/repeat/parts.h"
#include "wire/command.h"

static const char *program_of(const struct repeating *run, const struct repeat_row *row)
{
    return repeat_program_name(run, row->cell->at.program);
}

/* Of the counts that were taken in a setting, one for each program and event: which varies most,
 * how many vary at all, and of how many programs they are. */
struct variation {
    const struct repeat_row *most; /* NULL: none was taken */
    size_t varied, programs;
};

static struct variation variation_of(const struct repeating *run, bool controlled)
{
    struct variation variation = {0};
    const char *last = "";
    for (size_t i = 0; i < run->report.effect_count; i++) {
        const struct repeat_effect *effect = &run->report.effects[i];
        const struct repeat_row *row = controlled ? effect->controlled : effect->as_is;
        if (!row || !row->runs || !isfinite(row->cv_percent))
            continue;
        const char *program = program_of(run, row);
        if (!variation.most || row->cv_percent > variation.most->cv_percent)
            variation.most = row;
        variation.varied += row->cv_percent > 0;
        variation.programs += strcmp(last, program) != 0;
        last = program;
    }
    return variation;
}

static void say_variation(const struct repeating *run, bool controlled, const char *how,
                          struct lead *sentences)
{
    AUTO_TEXT struct text sentence = {0};
    const struct variation variation = variation_of(run, controlled);
    if (!variation.most)
        return;
    const char *word = variation.programs == 1 ? "program" : "programs";
    char share[NUMBER_SIZE];
    number_brief(variation.most->cv_percent, share, sizeof(share));
    if (variation.varied)
        text_printf(&sentence,
                    "%s, counts of %zu %s vary by up to %s %% from run to run (%s of %s).", how,
                    variation.programs, word, share, repeat_event_of(variation.most),
                    program_of(run, variation.most));
    else
        text_printf(&sentence, "%s, every count of %zu %s is the same in every run.", how,
                    variation.programs, word);
    told_say(sentences, text_string(&sentence));
}

static void lead(const void *kept, struct lead *sentences)
{
    say_variation(kept, false, "Left as they are", sentences);
    say_variation(kept, true, "With everything held constant that can be", sentences);
}

static void put_most(const struct repeating *run, bool controlled, struct text *out)
{
    const struct repeat_row *most = variation_of(run, controlled).most;
    char number[NUMBER_SIZE];
    number_brief(most ? most->cv_percent : 0, number, sizeof(number));
    if (!most)
        text_puts(out, "not measured");
    else if (most->cv_percent > 0)
        text_printf(out, "up to %s %% apart (%s)", number, repeat_event_of(most));
    else
        text_puts(out, "the same");
}

static void put_line(const void *kept, const struct style *style, struct text *out)
{
    const struct repeating *run = kept;
    AUTO_TEXT struct text words = {0};
    text_printf(&words, "counts of %zu programs: as is ", run->file.program_count);
    put_most(run, false, &words);
    text_puts(&words, "; controlled ");
    put_most(run, true, &words);
    told_put_line("repeat", text_string(&words), 2, style, out);
}

PART(as_is_part, struct repeating, variation_of(item, false).most)
PART(controlled_part, struct repeating, variation_of(item, true).most)
GETTER(get_program, struct repeat_row, value_text(program_of(context, item)))
GETTER(get_event, struct repeat_row, value_text(repeat_event_of(item)))

static const struct field most_fields[] = {
    {"program", GET(FIELD_TEXT, get_program), "of which program"},
    {"event", GET(FIELD_TEXT, get_event), "and event", .nullable = true},
    {"cv_percent", AT(struct repeat_row, cv_percent), "its coefficient of variation", UNIT_PERCENT},
};
static const struct fields most_table =
    FIELDS("run.most", "the count that varies most from run to run", most_fields);
static const struct field line_fields[] = {
    {"programs", AT(struct repeating, file.program_count), "that were executed"},
    {"as_is", OBJECT_BY(as_is_part, &most_table), "left as they are", .nullable = true},
    {"controlled", OBJECT_BY(controlled_part, &most_table),
     "with everything held constant that can be", .nullable = true},
};
static const struct fields line_table =
    FIELDS("run.variation", "whether programs count the same every time", line_fields);
static const struct field line = {
    "variation", {.kind = FIELD_OBJECT, .of = &line_table}, "of `assay repeat`", .nullable = true};

/* Does a program count the same every time? */
static void compare(const struct compared *compared, const void *kept)
{
    const struct repeating *run = kept;
    for (size_t i = 0; i < run->report.row_count; i++) {
        const struct repeat_row *row = &run->report.rows[i];
        const struct repeat_cell *cell = row->cell;
        if (row->runs < 2 || (cell->sweep > SWEEP_NONE && cell->sweep < SWEEP_COUNT))
            continue;
        const size_t identical = repeat_alike(row);
        AUTO_TEXT struct text subject = {0};
        text_printf(&subject, "%s, %s, %s", repeat_program_name(run, cell->at.program),
                    repeat_event_of(row), REPEAT_SETTING(cell->controls));
        const struct compare_word word = {.word = identical == row->runs ? "identical" : "varies",
                                          .hits = identical,
                                          .runs = row->runs};
        told_word(compared, text_string(&subject), &word);
    }
}

const struct study_told repeat_told = {
    .title = "Whether a program counts the same every time",
    .lead = lead,
    .line = {&line, 6, put_line},
    .part = {.turn = 6, 24, 120, 230, 4, 30, .rank = 4, .quick_flag = 60},
    .compared = {.say = compare, .together = "M11"},
};
