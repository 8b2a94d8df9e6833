/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Figures of `assay validate` that have events and verdicts rather than counts. */
#include <math.h>
#include <string.h>

#include "cli/validate-figures.h"
#include "output/figure.h"

#define NAMES_MOST 12u

/* The best first, then what says nothing. */
static const enum verdict by_trust[VERDICT_COUNT] = {
    VERDICT_EXACT, VERDICT_ACCURATE, VERDICT_BIASED,      VERDICT_NOISY,
    VERDICT_DEAD,  VERDICT_UNJUDGED, VERDICT_UNSCHEDULED, VERDICT_UNSUPPORTED};

static const char *const meanings[VERDICT_COUNT] = {
    [VERDICT_UNSUPPORTED] = "cannot be opened here",
    [VERDICT_UNSCHEDULED] = "never got a counter",
    [VERDICT_UNJUDGED] = "nothing here predicts it, or its turn did not come",
    [VERDICT_DEAD] = "reads zero although the work was done",
    [VERDICT_NOISY] = "spread too wide to judge",
    [VERDICT_EXACT] = "every quiet run equals the truth",
    [VERDICT_ACCURATE] = "within 1 % of the truth",
    [VERDICT_BIASED] = "off by an offset or a factor"};

/* --- how many got which --- */

static size_t name_events(const struct judgements *judgements, enum verdict verdict,
                          struct text *names)
{
    size_t count = 0;
    for (size_t i = 0; i < judgements->count; i++)
        if (judgements->list[i].verdict == verdict && count++ < NAMES_MOST)
            text_printf(names, "%s%s", count > 1 ? ", " : "", judgements->list[i].evidence->event);
    if (count > NAMES_MOST)
        text_printf(names, " and %zu more", count - NAMES_MOST);
    return count;
}

json_t *validate_figure_verdicts(const struct judgements *judgements)
{
    static const struct figure_column columns[] = {{"verdict", "verdict", ROLE_GROUP, false},
                                                   {"events", "events", ROLE_VALUE, false},
                                                   {"meaning", "meaning", ROLE_NONE, false},
                                                   {"names", "which", ROLE_NONE, false},
                                                   {NULL, NULL, ROLE_NONE, false}};
    AUTO_TEXT struct text caption = {0};
    size_t good = 0, amiss = 0;
    for (size_t i = 0; i < judgements->count; i++) {
        enum verdict verdict = judgements->list[i].verdict;
        good += verdict == VERDICT_EXACT || verdict == VERDICT_ACCURATE;
        amiss += verdict == VERDICT_BIASED || verdict == VERDICT_NOISY || verdict == VERDICT_DEAD;
    }
    text_printf(&caption,
                "Of %zu events %zu can be believed here, %zu were caught counting something else, "
                "too little or nothing, and the other %zu could not be judged.",
                judgements->count, good, amiss, judgements->count - good - amiss);
    const struct figure_spec spec = {.id = "verdicts",
                                     .title = "How many events got which verdict",
                                     .caption = text_string(&caption),
                                     .kind = FIGURE_BARS,
                                     .x = {.label = "events", .zero = true},
                                     .columns = columns};
    json_t *figure = figure_new(&spec);
    for (size_t i = 0; i < VERDICT_COUNT; i++) {
        AUTO_TEXT struct text names = {0};
        size_t count = name_events(judgements, by_trust[i], &names);
        if (count)
            FIGURE_ROW(figure, json_text(verdict_names[by_trust[i]]), json_count(count),
                       json_text(meanings[by_trust[i]]), json_text(text_string(&names)));
    }
    return figure;
}

/* --- by specimen --- */

/* The first of the rows on this specimen: other paths and cores have rows of their own. */
static bool is_first(const struct judgement *judgement, size_t row)
{
    for (size_t i = 0; i < row; i++)
        if (strcmp(judgement->rows[i].specimen, judgement->rows[row].specimen) == 0)
            return false;
    return true;
}

/* At the largest N that could be compared; NAN: none. */
static double last_percent(const struct judged_row *row)
{
    for (size_t i = row->point_count; i-- > 0;)
        if (validate_is_comparable(&row->points[i]))
            return validate_percent(&row->points[i], row->points[i].mean);
    return NAN;
}

static size_t count_mixed(const struct judgements *judgements)
{
    size_t mixed = 0;
    for (size_t i = 0; i < judgements->count; i++) {
        const struct judgement *judgement = &judgements->list[i];
        bool differ = false;
        for (size_t j = 1; j < judgement->row_count; j++)
            differ |= judgement->rows[j].verdict != judgement->rows[0].verdict;
        mixed += differ;
    }
    return mixed;
}

json_t *validate_figure_specimens(const struct judgements *judgements)
{
    static const struct figure_column columns[] = {{"specimen", "specimen", ROLE_X, false},
                                                   {"event", "event", ROLE_Y, false},
                                                   {"verdict", "verdict", ROLE_VALUE, false},
                                                   {"percent", "difference, %", ROLE_NONE, false},
                                                   {"cause", "cause", ROLE_NONE, false},
                                                   {"path", "path", ROLE_NONE, false},
                                                   {"truth", "grade of truth", ROLE_NONE, false},
                                                   {NULL, NULL, ROLE_NONE, false}};
    AUTO_TEXT struct text caption = {0};
    size_t mixed = count_mixed(judgements), rows = 0;
    text_puts(&caption, "What each event is worth on each code that predicts it; the difference is "
                        "that at the largest N. ");
    if (mixed)
        text_printf(&caption,
                    "%zu event%s got different verdicts on different code: what is counted depends "
                    "on what is executed.",
                    mixed, mixed == 1 ? "" : "s");
    else
        text_puts(&caption, "No event got different verdicts on different code.");
    const struct figure_spec spec = {.id = "verdicts-by-specimen",
                                     .title = "Verdicts by event and specimen",
                                     .caption = text_string(&caption),
                                     .paper = "Aguilera et al. 2005, Table 3",
                                     .kind = FIGURE_MATRIX,
                                     .x = {.label = "specimen"},
                                     .y = {.label = "event"},
                                     .columns = columns};
    json_t *figure = figure_new(&spec);
    for (size_t i = 0; i < judgements->count; i++)
        for (size_t j = 0; j < judgements->list[i].row_count && rows < VALIDATE_FIGURE_ROWS; j++) {
            const struct judged_row *row = &judgements->list[i].rows[j];
            if (!row->point_count || !is_first(&judgements->list[i], j))
                continue;
            rows++;
            FIGURE_ROW(figure, json_text(row->specimen),
                       json_text(judgements->list[i].evidence->event),
                       json_text(verdict_names[row->verdict]), figure_number(last_percent(row)),
                       json_text(cause_names[row->cause]), json_text(row->path),
                       json_text(validate_grade_names[row->grade]));
        }
    return figure;
}

/* --- what counting itself adds --- */

static const struct judged_point *null_of(const struct judged_row *row)
{
    for (size_t i = 0; i < row->point_count; i++)
        if (row->points[i].has_overhead)
            return &row->points[i];
    return NULL;
}

/* Was this path told for an earlier row of the event? All ladders of a way have one null cell. */
static bool path_was_told(const struct judgement *judgement, size_t row)
{
    for (size_t i = 0; i < row; i++)
        if (strcmp(judgement->rows[i].path, judgement->rows[row].path) == 0 &&
            null_of(&judgement->rows[i]))
            return true;
    return false;
}

/* `adds`: those that add something, or the others. Returns how many there are. */
static size_t add_overheads(json_t *figure, const struct judgements *judgements, bool adds)
{
    size_t rows = 0;
    for (size_t i = 0; i < judgements->count; i++)
        for (size_t j = 0; j < judgements->list[i].row_count; j++) {
            const struct judged_row *row = &judgements->list[i].rows[j];
            const struct judged_point *null = null_of(row);
            if (!null || path_was_told(&judgements->list[i], j))
                continue;
            bool any = null->overhead || null->overhead_low || null->overhead_high;
            rows += any == adds;
            if (figure && any == adds && rows <= VALIDATE_FIGURE_ROWS)
                FIGURE_ROW(figure, json_text(judgements->list[i].evidence->event),
                           json_text(row->path), json_difference(null->overhead),
                           json_difference(null->overhead_low),
                           json_difference(null->overhead_high));
        }
    return rows;
}

json_t *validate_figure_overhead(const struct judgements *judgements)
{
    static const struct figure_column columns[] = {
        {"event", "event", ROLE_GROUP, true},
        {"path", "path", ROLE_SERIES, true},
        {"overhead", "counted around nothing, median", ROLE_VALUE, false},
        {"low", "lowest of nine tenths", ROLE_LOW, false},
        {"high", "highest", ROLE_HIGH, false},
        {NULL, NULL, ROLE_NONE, false}};
    size_t some = add_overheads(NULL, judgements, true);
    size_t none = add_overheads(NULL, judgements, false);
    AUTO_TEXT struct text caption = {0};
    text_puts(&caption,
              "What a window with nothing in it counts, which is taken off every count. ");
    text_printf(&caption,
                "Of %zu events and paths %zu add%s something and %s shown, the others add nothing; "
                "whiskers hold the middle nine tenths of the runs.",
                some + none, some, some == 1 ? "s" : "", some == 1 ? "is" : "are");
    const struct figure_spec spec = {.id = "overhead-by-event",
                                     .title = "What counting itself adds, by event",
                                     .caption = text_string(&caption),
                                     .kind = FIGURE_BARS,
                                     .x = {.label = "counts", .scale = SCALE_SYMLOG, .zero = true},
                                     .columns = columns};
    json_t *figure = figure_new(&spec);
    add_overheads(figure, judgements, true);
    return figure;
}

/* --- why --- */

json_t *validate_figure_explanations(const struct judgements *judgements)
{
    static const struct figure_column columns[] = {
        {"event", "event", ROLE_NONE, true},    {"verdict", "verdict", ROLE_NONE, true},
        {"cause", "cause", ROLE_NONE, true},    {"per", "each", ROLE_NONE, false},
        {"size", "adds", ROLE_NONE, false},     {"low", "95 % from", ROLE_NONE, false},
        {"high", "to", ROLE_NONE, false},       {"share", "of the error", ROLE_NONE, false},
        {"note", "in words", ROLE_NONE, false}, {NULL, NULL, ROLE_NONE, false}};
    static const struct figure_spec spec = {
        .id = "explanations",
        .title = "What explains the errors",
        .caption = "What goes along with the error of an event over all code that was measured: "
                   "how much each occurrence adds, and how much of the squared error that takes "
                   "away (1 is all of it).",
        .paper = "Weaver and McKee 2008, section 4",
        .kind = FIGURE_TABLE,
        .columns = columns};
    json_t *figure = figure_new(&spec);
    for (size_t i = 0; i < judgements->count; i++)
        for (size_t j = 0; j < judgements->list[i].explanation_count; j++) {
            const struct judgement *judgement = &judgements->list[i];
            const struct explanation *why = &judgement->explanations[j];
            FIGURE_ROW(figure, json_text(judgement->evidence->event),
                       json_text(verdict_names[judgement->verdict]),
                       json_text(cause_names[why->cause]), json_text(why->per),
                       figure_number(why->size), figure_number(why->low), figure_number(why->high),
                       figure_number(why->share), json_text(judgement->note));
        }
    return figure;
}
