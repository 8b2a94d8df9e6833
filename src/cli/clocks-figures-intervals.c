/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Every clock over every kind of interval: how far it goes with the reference, as digits. */
#include <math.h>
#include <string.h>

#include "cli/clocks-show.h"
#include "output/figure.h"

#define MOST_DIGITS 9.0 /* more than a ratio of readings can say */

/* A clock over one kind of interval, whatever its length. */
struct field {
    const struct clock_row *row; /* the first of them */
    double ratio;                /* the farthest from 1; of CPU time the farthest median */
    double low, high, naive;
    size_t runs, lengths;
};

static bool is_same_kind(const struct clock_row *a, const struct clock_row *b)
{
    return a->clock == b->clock && a->threads == b->threads && a->moves == b->moves &&
           a->handover == b->handover && a->awake == b->awake && a->workload && b->workload &&
           strcmp(a->workload, b->workload) == 0;
}

static double farther(double one, double other)
{
    return isnan(one) || fabs(other - 1) > fabs(one - 1) ? other : one;
}

/* Rows of one kind stand in a row; returns where the next kind begins. */
static size_t find_field(const struct clocks_run *run, size_t begin, struct field *field)
{
    const struct clock_row *rows = run->report.rows;
    const bool usual = rows[begin].clock < run->file.clock_count &&
                       run->file.clocks[rows[begin].clock].role == ROLE_CPU_TIME;
    size_t at = begin;
    *field =
        (struct field){.row = &rows[begin], .ratio = NAN, .low = NAN, .high = NAN, .naive = NAN};
    for (; at < run->report.row_count; at++) {
        const struct clock_row *row = &rows[at];
        if (at > begin && !is_same_kind(&rows[begin], row))
            break;
        if (!row->runs)
            continue;
        field->ratio = farther(field->ratio, usual ? row->ratio_median
                                                   : clocks_worse(row->ratio_min, row->ratio_max));
        field->naive = farther(field->naive, usual ? row->naive_median
                                                   : clocks_worse(row->naive_min, row->naive_max));
        field->low = fmin(field->low, row->ratio_min);
        field->high = fmax(field->high, row->ratio_max);
        field->runs += row->runs;
        field->lengths++;
    }
    return at;
}

static bool is_compared(const struct clocks_run *run, const struct field *field)
{
    return isfinite(field->ratio) && field->row->clock < run->file.clock_count &&
           field->row->clock != field->row->reference && clocks_is_judged(run, field->row->clock);
}

/* 1 %: 2 digits; a millionth: 6. To a tenth, for people who read it in a field. */
static double digits_of(double ratio)
{
    const double off = fabs(ratio - 1);
    return off > 0 ? round(10 * fmin(MOST_DIGITS, fmax(0, -log10(off)))) / 10 : MOST_DIGITS;
}

/* --- words --- */

struct overview {
    size_t fields, wall, wall_fine; /* fine: 1 % or better */
    struct field worst;             /* of a wall clock */
    bool idle;                      /* CPU time that stood still over some interval */
    bool independent;
};

static void look_at(const struct clocks_run *run, const struct field *field,
                    struct overview *overview)
{
    const enum clock_role role = run->file.clocks[field->row->clock].role;
    const double digits = digits_of(field->ratio);
    overview->fields++;
    overview->independent |= field->row->independent;
    if (role == ROLE_CPU_TIME && digits < 1)
        overview->idle = true;
    if (role != ROLE_WALL)
        return;
    overview->wall++;
    overview->wall_fine += digits >= 2;
    if (!overview->worst.row || digits < digits_of(overview->worst.ratio))
        overview->worst = *field;
}

static void put_worst(const struct clocks_run *run, const struct overview *overview,
                      struct text *out)
{
    char ratio[NUMBER_SIZE];
    clocks_ratio(overview->worst.ratio, ratio, sizeof(ratio));
    text_printf(out, " Clocks of real time are right to 1 %% or better in %zu of %zu fields",
                overview->wall_fine, overview->wall);
    text_printf(out, "; the farthest off is %s over ",
                clocks_name(&run->file, overview->worst.row->clock));
    clocks_put_interval(overview->worst.row, out);
    text_printf(out, ", %s times the reference.", ratio);
}

static void put_caption(const struct clocks_run *run, const struct overview *overview,
                        struct text *out)
{
    const char *reference = overview->fields && run->report.reference.clock >= 0
                                ? clocks_name(&run->file, (uint32_t)run->report.reference.clock)
                                : "the reference";
    text_printf(out,
                "To how many digits a clock and %s agree over an interval, at worst (CPU time: "
                "usually): 2 digits are 1 %%, 6 a millionth, 0 no agreement.",
                reference);
    if (overview->worst.row)
        put_worst(run, overview, out);
    if (overview->idle)
        text_puts(out, " CPU time stands still while its thread waits, as it claims to.");
    if (!overview->independent)
        text_puts(out, " As far as is known nothing that was read here is independent of the "
                       "reference: disagreement tells, agreement does not.");
}

/* --- rows --- */

static void add_field(json_t *figure, const struct clocks_run *run, const struct field *field)
{
    AUTO_TEXT struct text interval = {0};
    clocks_put_interval(field->row, &interval);
    FIGURE_ROW(figure, json_text(clocks_name(&run->file, field->row->clock)),
               json_text(field->row->workload), json_text(text_string(&interval)),
               figure_number(digits_of(field->ratio)), figure_number(field->ratio),
               figure_number(field->low), figure_number(field->high), figure_number(field->naive),
               json_count(field->runs), json_count(field->lengths));
}

json_t *clocks_intervals_figure(const struct clocks_run *run)
{
    static const struct figure_column columns[] = {
        {"clock", "clock", ROLE_Y, true},
        {"workload", "workload", ROLE_NONE, true},
        {"interval", "interval", ROLE_X, false},
        {"digits", "digits that agree", ROLE_VALUE, false},
        {"ratio", "ratio to the reference", ROLE_NONE, false},
        {"ratio_min", "lowest", ROLE_NONE, false},
        {"ratio_max", "highest", ROLE_NONE, false},
        {"naive", "in the paper's order of reading", ROLE_NONE, false},
        {"runs", "runs", ROLE_NONE, false},
        {"lengths", "lengths", ROLE_NONE, false},
        {0},
    };
    const size_t rows = run->report.row_count;
    struct overview overview = {0};
    struct field field;
    AUTO_TEXT struct text caption = {0};
    for (size_t at = 0; at < rows;) {
        at = find_field(run, at, &field);
        if (is_compared(run, &field))
            look_at(run, &field, &overview);
    }
    put_caption(run, &overview, &caption);
    json_t *figure = figure_new(&(struct figure_spec){
        .id = "clocks-intervals",
        .title = "Clocks against the reference, by what was timed",
        .caption = text_string(&caption),
        .kind = FIGURE_MATRIX,
        .x = {.label = "interval"},
        .y = {.label = "clock"},
        .columns = columns,
    });
    size_t added = 0;
    for (size_t at = 0; at < rows && added < FIGURE_MOST_ROWS;) {
        at = find_field(run, at, &field);
        if (!is_compared(run, &field))
            continue;
        add_field(figure, run, &field);
        added++;
    }
    clocks_note_reference(run, figure);
    return figure;
}
