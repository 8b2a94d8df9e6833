/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The paper's Figure 1 as a table: of many programs how much each varies before and after control,
 * a line each; and what the same program counts on several machines. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "cli/repeat-show.h"

/* --- before and after --- */

struct overall {
    size_t programs, identical;
    size_t before, after; /* programs that were executed more than once as-is, and controlled */
    double worst_before, worst_after;
    size_t worst_before_of, worst_after_of; /* programs */
};

static void add_to(struct overall *overall, size_t program, const struct repeat_row *as_is,
                   const struct repeat_row *controlled)
{
    overall->programs++;
    overall->before += as_is->runs > 1;
    overall->after += controlled && controlled->runs > 1;
    overall->identical += controlled && controlled->runs > 1 && controlled->distinct == 1;
    if (isfinite(as_is->cv_percent) && as_is->cv_percent >= overall->worst_before) {
        overall->worst_before = as_is->cv_percent;
        overall->worst_before_of = program;
    }
    if (controlled && isfinite(controlled->cv_percent) &&
        controlled->cv_percent >= overall->worst_after) {
        overall->worst_after = controlled->cv_percent;
        overall->worst_after_of = program;
    }
}

static struct overall survey(const struct repeat_run_of *run)
{
    struct overall overall = {0};
    for (size_t program = 0; program < run->file.program_count; program++)
        for (size_t machine = 0; machine < run->file.machine_count; machine++) {
            const struct repeat_effect *effect = repeat_leading(run, machine, program);
            const struct repeat_row *as_is = effect ? repeat_row_at(run, effect->as_is) : NULL;
            if (as_is && repeat_is_own(run, program))
                add_to(&overall, program, as_is, repeat_row_at(run, effect->controlled));
        }
    return overall;
}

/* "hash-seeds, aslr": the controls that did it. */
static void add_who(struct table *table, const struct repeat_effect *effect)
{
    AUTO_TEXT struct text names = {0};
    for (int control = 0; control < CONTROL_COUNT; control++)
        if (effect->parts[control].brings || effect->parts[control].is_needed)
            text_printf(&names, "%s%s", names.length ? ", " : "", control_names[control]);
    table_add(table, TONE_PLAIN, text_string(&names));
}

static void add_setting(struct table *table, const struct repeat_run_of *run,
                        const struct repeat_row *row)
{
    char percent[NUMBER_SIZE] = "";
    if (row)
        repeat_percent(row->cv_percent, percent, sizeof(percent));
    table_add(table, TONE_STRONG, row ? percent : "-");
    if (row)
        table_addf(table, row->distinct == 1 ? TONE_GOOD : TONE_PLAIN, "%zu of %zu",
                   repeat_alike(run, row), row->runs);
    else
        table_add(table, TONE_DIM, "-");
}

/* Which columns there is room for, and need of. */
struct layout {
    bool events, mean;
};

static void add_line(struct table *table, const struct layout *layout,
                     const struct repeat_run_of *run, size_t machine, size_t program)
{
    const struct repeat_effect *effect = repeat_leading(run, machine, program);
    const struct repeat_row *as_is = effect ? repeat_row_at(run, effect->as_is) : NULL;
    const struct repeat_row *controlled = effect ? repeat_row_at(run, effect->controlled) : NULL;
    char mean[NUMBER_SIZE];
    if (!as_is)
        return;
    repeat_number(rint(as_is->mean), mean, sizeof(mean));
    table_add(table, TONE_PLAIN, repeat_program_name(run, program));
    table_add(table, TONE_PLAIN,
              run->file.machine_count > 1 ? repeat_machine_name(run, machine) : "");
    table_add(table, TONE_PLAIN, layout->events ? repeat_event_of(run, as_is) : "");
    table_add(table, TONE_PLAIN, layout->mean ? mean : "");
    add_setting(table, run, as_is);
    add_setting(table, run, controlled);
    add_who(table, effect);
}

/* "14 programs: as-is up to 1.1 % (perl), controlled up to 0.0003 % (xz); 11 identical in every
 * controlled run." */
static void put_overall(const struct overall *overall, const struct repeat_run_of *run,
                        const struct style *style, struct text *out)
{
    char before[NUMBER_SIZE], after[NUMBER_SIZE];
    AUTO_TEXT struct text words = {0};
    repeat_percent(overall->worst_before, before, sizeof(before));
    repeat_percent(overall->worst_after, after, sizeof(after));
    text_printf(&words, "%zu programs: ", overall->programs);
    if (overall->before)
        text_printf(&words, "as-is they vary by up to %s %% (%s), controlled ", before,
                    repeat_program_name(run, overall->worst_before_of));
    else
        text_puts(&words, "as-is none was executed twice, controlled ");
    if (!overall->after)
        text_puts(&words, "none was executed twice");
    else if (overall->worst_after > 0)
        text_printf(&words, "by up to %s %% (%s)", after,
                    repeat_program_name(run, overall->worst_after_of));
    else
        text_puts(&words, "not at all");
    if (overall->after)
        text_printf(&words, "; %zu of %zu identical in every controlled run", overall->identical,
                    overall->after);
    if (overall->after && overall->after < overall->programs)
        text_printf(&words, "; %zu executed once only", overall->programs - overall->after);
    text_puts(&words, ".");
    section_put_words(text_string(&words), style, out);
}

static void fill(struct table *table, const struct layout *layout, const struct repeat_run_of *run)
{
    for (size_t program = 0; program < run->file.program_count; program++)
        for (size_t machine = 0; machine < run->file.machine_count; machine++)
            if (repeat_is_own(run, program))
                add_line(table, layout, run, machine, program);
}

/* The event that all lines are of; NULL: they are of several. */
static const char *common_event(const struct repeat_run_of *run)
{
    const char *common = NULL;
    for (size_t program = 0; program < run->file.program_count; program++)
        for (size_t machine = 0; machine < run->file.machine_count; machine++) {
            const struct repeat_effect *effect = repeat_leading(run, machine, program);
            if (!effect || !repeat_is_own(run, program))
                continue;
            const char *event = repeat_event_of(run, repeat_row_at(run, effect->as_is));
            if (common && strcmp(common, event) != 0)
                return NULL;
            common = event;
        }
    return common;
}

static void put_lines(const struct repeat_run_of *run, const struct style *style, struct text *out)
{
    static const struct column columns[] = {
        {"program", false, false, false},   {"machine", false, false, false},
        {"event", false, false, false},     {"mean", true, false, false},
        {"as-is %", true, false, false},    {"identical", true, false, false},
        {"ctrl %", true, false, false},     {"identical", true, false, false},
        {"by control", false, true, false},
    };
    const char *event = common_event(run);
    AUTO_TEXT struct text legend = {0};
    for (int mean = 1; mean >= 0; mean--) {
        struct table table = {.columns = columns,
                              .column_count = sizeof(columns) / sizeof(*columns)};
        const struct layout layout = {.events = !event, .mean = mean};
        fill(&table, &layout, run);
        bool fits = !mean || table_width(&table) <= style->width;
        if (fits)
            table_put(&table, style, out);
        table_free(&table);
        if (fits)
            break;
    }
    if (event)
        text_printf(&legend, "counted as %s; ", event);
    text_puts(&legend, "as-is %, ctrl %: coefficient of variation as it is and controlled; "
                       "identical: runs with the count that most have");
    section_put_words(text_string(&legend), style, out);
}

void repeat_put_suite(const struct repeat_run_of *run, const struct style *style, struct text *out)
{
    if (!repeat_is_suite(run))
        return;
    const struct overall overall = survey(run);
    if (!overall.programs) {
        section_put_words("Nothing could be counted.", style, out);
        return;
    }
    put_overall(&overall, run, style, out);
    text_putc(out, '\n');
    put_lines(run, style, out);
}

/* --- the same program on several machines --- */

static void add_machine_line(struct table *table, const struct repeat_run_of *run, size_t program,
                             size_t machine, double *first)
{
    const struct repeat_effect *effect = repeat_leading(run, machine, program);
    const struct repeat_row *row = effect ? repeat_row_at(run, effect->controlled) : NULL;
    char mean[NUMBER_SIZE], difference[NUMBER_SIZE] = "";
    if (!row || !row->runs)
        return;
    if (isfinite(*first))
        repeat_difference(row->mean - *first, difference, sizeof(difference));
    repeat_number(row->mean, mean, sizeof(mean));
    table_add(table, TONE_PLAIN, isfinite(*first) ? "" : repeat_program_name(run, program));
    table_add(table, TONE_PLAIN, repeat_machine_name(run, machine));
    table_add(table, TONE_PLAIN, repeat_event_of(run, row));
    table_add(table, TONE_STRONG, mean);
    table_addf(table, row->distinct == 1 ? TONE_GOOD : TONE_PLAIN, "%zu of %zu",
               repeat_alike(run, row), row->runs);
    table_add(table, TONE_PLAIN, difference);
    *first = isfinite(*first) ? *first : row->mean;
}

void repeat_put_machines(const struct repeat_run_of *run, const struct style *style,
                         struct text *out)
{
    static const struct column columns[] = {
        {"program", false, false, false},  {"machine", false, false, false},
        {"event", false, false, false},    {"controlled", true, false, false},
        {"identical", true, false, false}, {"difference", true, false, false},
    };
    struct table table = {.columns = columns, .column_count = sizeof(columns) / sizeof(*columns)};
    if (run->file.machine_count < 2)
        return;
    for (size_t program = 0; program < run->file.program_count; program++) {
        double first = NAN;
        for (size_t machine = 0; machine < run->file.machine_count; machine++)
            if (repeat_is_own(run, program) || run->options->all)
                add_machine_line(&table, run, program, machine, &first);
    }
    if (table.count) {
        section_put_heading("The same program on several machines, controlled", style, out);
        table_put(&table, style, out);
    }
    table_free(&table);
}
