/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The figures of `assay validate`: what every event reports against what is true, and what became
 * of it. */
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "output/figure.h"
#include "studies/validate/parts.h"

/* Has it runs that can be held against one number? */
static bool is_comparable(const struct judged_point *point)
{
    const struct truth *truth = &point->point->truth;
    return point->runs > point->disturbed && !point->against_account &&
           truth->grade != TRUTH_NONE && truth->low == truth->high;
}

/* Of a count, from the point's truth; NAN where that is zero. */
static double percent_of(const struct judged_point *point, double count)
{
    const double truth = (double)point->point->truth.low;
    return truth != 0 ? 100 * (count - truth) / truth : NAN;
}

#define NAMES_MOST 12u

/* The best first, then what says nothing. */
static const struct {
    enum verdict verdict;
    const char *meaning;
} by_trust[VERDICT_COUNT] = {
    {VERDICT_EXACT, "every quiet run equals the truth"},
    {VERDICT_ACCURATE, "within 1 % of the truth"},
    {VERDICT_BIASED, "off by an offset or a factor"},
    {VERDICT_NOISY, "spread too wide to judge"},
    {VERDICT_DEAD, "reads zero although the work was done"},
    {VERDICT_UNJUDGED, "nothing here predicts it, or its turn did not come"},
    {VERDICT_UNSCHEDULED, "never got a counter"},
    {VERDICT_UNSUPPORTED, "cannot be opened here"},
};

/* --- how many got which --- */

static json_t *of_verdicts(const struct judgements *judgements)
{
    static const struct figure_column columns[] = {{"verdict", "verdict", ROLE_GROUP},
                                                   {"events", "events", ROLE_VALUE},
                                                   {"meaning", "meaning"},
                                                   {"names", "which"},
                                                   {0}};
    AUTO_TEXT struct text caption = {0};
    size_t good = 0, amiss = 0;
    const struct judgement *shortest = NULL, *longest = NULL;
    for (size_t i = 0; i < judgements->count; i++) {
        const struct judgement *judgement = &judgements->list[i];
        const enum verdict verdict = judgement->verdict;
        const uint64_t reach = judgement->limits.longest_ns;
        shortest =
            reach && (!shortest || reach < shortest->limits.longest_ns) ? judgement : shortest;
        longest = reach && (!longest || reach > longest->limits.longest_ns) ? judgement : longest;
        good += verdict_is_trusted(verdict);
        amiss += verdict_is_of_counts(verdict) && !verdict_is_trusted(verdict);
    }
    text_printf(&caption,
                "Of %zu events %zu can be believed here, %zu were caught counting something else, "
                "too little or nothing, and the other %zu could not be judged.",
                judgements->count, good, amiss, judgements->count - good - amiss);
    if (longest)
        text_printf(&caption, " They counted right in windows of up to %s (%s)",
                    TIME((double)shortest->limits.longest_ns), shortest->evidence->event);
    if (longest && longest != shortest)
        text_printf(&caption, " to %s (%s)", TIME((double)longest->limits.longest_ns),
                    longest->evidence->event);
    text_puts(&caption, longest ? "; of longer ones nothing is known." : "");
    const struct figure_spec spec = {.id = "verdicts",
                                     .title = "How many events got which verdict",
                                     .caption = text_string(&caption),
                                     .kind = FIGURE_BARS,
                                     .x = {.label = "events", .zero = true},
                                     .columns = columns};
    json_t *figure = figure_new(&spec);
    for (size_t i = 0; i < VERDICT_COUNT; i++) {
        AUTO_TEXT struct text names = {0};
        size_t count = 0;
        for (size_t j = 0; j < judgements->count; j++) {
            const uint64_t reach = judgements->list[j].limits.longest_ns;
            if (judgements->list[j].verdict != by_trust[i].verdict || count++ >= NAMES_MOST)
                continue;
            text_printf(&names, "%s%s", count > 1 ? ", " : "", judgements->list[j].evidence->event);
            if (reach)
                text_printf(&names, " (up to %s)", TIME((double)reach));
        }
        if (count > NAMES_MOST)
            text_printf(&names, " and %zu more", count - NAMES_MOST);
        if (count)
            FIGURE_ROW(figure, json_text(verdict_names[by_trust[i].verdict]), json_count(count),
                       json_text(by_trust[i].meaning), json_text(text_string(&names)));
    }
    return figure;
}

/* --- by specimen --- */

static json_t *of_specimens(const struct judgements *judgements)
{
    static const struct figure_column columns[] = {{"specimen", "specimen", ROLE_X},
                                                   {"event", "event", ROLE_Y},
                                                   {"verdict", "verdict", ROLE_VALUE},
                                                   {"percent", "difference, %"},
                                                   {"cause", "cause"},
                                                   {"path", "path"},
                                                   {"truth", "grade of truth"},
                                                   {0}};
    AUTO_TEXT struct text caption = {0};
    size_t mixed = 0;
    for (size_t i = 0; i < judgements->count; i++) {
        const struct judgement *judgement = &judgements->list[i];
        bool differ = false;
        for (size_t j = 1; j < judgement->row_count; j++)
            differ |= judgement->rows[j].verdict != judgement->rows[0].verdict;
        mixed += differ;
    }
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
    for (size_t i = 0; i < judgements->row_count && figure_rows(figure) < FIGURE_MOST_ROWS; i++) {
        const struct judged_row *row = judgements->rows[i];
        const struct judgement *judgement = row->judgement;
        bool first = row->point_count; /* other paths and cores have rows of their own */
        for (const struct judged_row *before = judgement->rows; before < row; before++)
            first &= strcmp(before->specimen, row->specimen) != 0;
        if (!first)
            continue;
        double percent = NAN; /* at the largest N that could be compared */
        for (size_t k = 0; k < row->point_count; k++)
            if (is_comparable(&row->points[k]))
                percent = percent_of(&row->points[k], row->points[k].mean);
        FIGURE_ROW(figure, json_text(row->specimen), json_text(judgement->evidence->event),
                   json_text(verdict_names[row->verdict]), figure_number(percent),
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

/* All ladders of a way have one null cell: a path is told once. */
static json_t *of_overhead(const struct judgements *judgements)
{
    static const struct figure_column columns[] = {
        {"event", "event", ROLE_GROUP, true},
        {"path", "path", ROLE_SERIES, true},
        {"overhead", "counted around nothing, median", ROLE_VALUE},
        {"low", "lowest of nine tenths", ROLE_LOW},
        {"high", "highest", ROLE_HIGH},
        {0}};
    static const struct figure_spec spec = {
        .id = "overhead-by-event",
        .title = "What counting itself adds, by event",
        .kind = FIGURE_BARS,
        .x = {.label = "counts", .scale = SCALE_SYMLOG, .zero = true},
        .columns = columns};
    json_t *figure = figure_new(&spec);
    size_t none = 0, some = 0; /* that add nothing, and something */
    for (size_t i = 0; i < judgements->row_count; i++) {
        const struct judged_row *row = judgements->rows[i];
        const struct judged_point *null = null_of(row);
        bool told = !null;
        for (const struct judged_row *before = row->judgement->rows; before < row && !told;
             before++)
            told = strcmp(before->path, row->path) == 0 && null_of(before);
        if (told)
            continue;
        bool adds = null->overhead || null->overhead_low || null->overhead_high;
        none += !adds;
        some += adds;
        if (adds && some <= FIGURE_MOST_ROWS)
            FIGURE_ROW(figure, json_text(row->judgement->evidence->event), json_text(row->path),
                       json_difference(null->overhead), json_difference(null->overhead_low),
                       json_difference(null->overhead_high));
    }
    AUTO_TEXT struct text caption = {0};
    text_printf(&caption,
                "What a window with nothing in it counts, which is taken off every count. Of %zu "
                "events and paths %zu add%s something and %s shown, the others add nothing; "
                "whiskers hold the middle nine tenths of the runs.",
                some + none, some, some == 1 ? "s" : "", some == 1 ? "is" : "are");
    figure_set_caption(figure, &caption);
    return figure;
}

/* --- why --- */

static json_t *of_explanations(const struct judgements *judgements)
{
    static const struct figure_column columns[] = {{"event", "event", ROLE_NONE, true},
                                                   {"verdict", "verdict", ROLE_NONE, true},
                                                   {"cause", "cause", ROLE_NONE, true},
                                                   {"per", "each"},
                                                   {"size", "adds"},
                                                   {"low", "95 % from"},
                                                   {"high", "to"},
                                                   {"share", "of the error"},
                                                   {"note", "in words"},
                                                   {0}};
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
                       figure_number(why->share), json_text(reasons_text(&judgement->why)));
        }
    return figure;
}

#define FITS_MOST 12u /* more lines nobody tells apart */

/* --- reported against predicted --- */

struct against {
    json_t *figure;
    size_t rows, left_out, fits;
    size_t ladders, exact; /* that could be compared, and those on which every run was right */
    double least, most;    /* predictions */
};

static void add_point(struct against *against, const struct judged_point *point)
{
    const struct judged_row *row = point->row;
    const double truth = (double)point->point->truth.low;
    if (against->rows == FIGURE_MOST_ROWS) {
        against->left_out++;
        return;
    }
    against->rows++;
    against->least = fmin(against->least, truth);
    against->most = fmax(against->most, truth);
    FIGURE_ROW(against->figure, json_text(row->judgement->evidence->event), json_text(row->path),
               json_text(row->specimen), json_text(verdict_names[row->verdict]),
               json_count(point->point->n), json_difference(point->point->truth.low),
               figure_number(point->mean), figure_number(point->min), figure_number(point->max),
               figure_number(percent_of(point, point->mean)),
               json_count(point->runs - point->disturbed), json_count(point->exact),
               json_count(point->disturbed));
}

/* Its points, and the line of a ladder that leaves the identity: others would lie on it, or, where
 * nothing is counted, on the axis. */
static void add_ladder(struct against *against, const struct judged_row *row)
{
    double least = INFINITY, most = 0;
    bool compared = false;
    for (size_t i = 0; i < row->point_count; i++)
        if (is_comparable(&row->points[i])) {
            add_point(against, &row->points[i]);
            least = fmin(least, (double)row->points[i].point->truth.low);
            most = fmax(most, (double)row->points[i].point->truth.low);
            compared = true;
        }
    against->ladders += compared;
    against->exact += compared && row->verdict == VERDICT_EXACT;
    if (!row->fit.known || row->verdict == VERDICT_EXACT || row->verdict == VERDICT_DEAD ||
        most <= least || against->fits++ >= FITS_MOST)
        return;
    AUTO_TEXT struct text name = {0};
    text_printf(&name, "%s, %s, %s", row->judgement->evidence->event, row->specimen, row->path);
    figure_add_line(against->figure, text_string(&name), verdict_names[row->verdict],
                    row->fit.intercept, row->fit.slope, least, most);
}

static json_t *against_truth(const struct judgements *judgements)
{
    static const struct figure_column columns[] = {{"event", "event", ROLE_NONE, true},
                                                   {"path", "path", ROLE_NONE, true},
                                                   {"specimen", "specimen", ROLE_NONE, true},
                                                   {"verdict", "verdict", ROLE_SERIES, true},
                                                   {"n", "N"},
                                                   {"predicted", "predicted", ROLE_X},
                                                   {"reported", "reported, mean", ROLE_Y},
                                                   {"min", "lowest", ROLE_LOW},
                                                   {"max", "highest", ROLE_HIGH},
                                                   {"percent", "difference, %"},
                                                   {"runs", "quiet runs"},
                                                   {"exact", "exact runs"},
                                                   {"disturbed", "disturbed runs"},
                                                   {0}};
    static const struct figure_spec spec = {
        .id = "reported-against-predicted",
        .title = "Reported against predicted counts",
        .paper = "Aguilera et al. 2005, the comparison that Figure 1 asks for",
        .kind = FIGURE_POINTS,
        .x = {.label = "predicted count", .scale = SCALE_SYMLOG},
        .y = {.label = "reported count", .scale = SCALE_SYMLOG},
        .columns = columns};
    struct against against = {.figure = figure_new(&spec), .least = INFINITY};
    /* Errors first: where a figure cannot hold all rows, it is what is exact that is left out. */
    for (int exact_ones = 0; exact_ones < 2; exact_ones++)
        for (size_t i = 0; i < judgements->row_count; i++)
            if ((judgements->rows[i]->verdict == VERDICT_EXACT) == exact_ones)
                add_ladder(&against, judgements->rows[i]);
    AUTO_TEXT struct text caption = {0};
    text_printf(&caption,
                "Each point is an event, a specimen and an N: what code of known counts should "
                "give, and what was reported on average, less what counting itself adds. A counter "
                "that is right lies on the line. Of %zu ladders of N, on %zu every quiet run was "
                "exact.",
                against.ladders, against.exact);
    figure_set_caption(against.figure, &caption);
    if (against.rows)
        figure_add_line(against.figure, "as predicted", NULL, 0, 1, against.least, against.most);
    if (against.fits)
        figure_add_note(against.figure, "Lines beside it are fits of ladders that count, and are "
                                        "not exact.");
    AUTO_TEXT struct text note = {0};
    text_printf(&note, "%zu more points are not shown; those left out are exact ones first.",
                against.left_out);
    if (against.left_out)
        figure_add_note(against.figure, text_string(&note));
    return against.figure;
}

/* --- percent differences --- */

/* Does any point differ from its prediction? A ladder of zeros is no line to look at, nor is one
 * that counts nothing at all. */
static bool differs(const struct judged_row *row)
{
    if (row->verdict == VERDICT_DEAD)
        return false;
    for (size_t i = 0; i < row->point_count; i++)
        if (is_comparable(&row->points[i]) &&
            fabs(percent_of(&row->points[i], row->points[i].mean)) > 0)
            return true;
    return false;
}

static json_t *by_size(const struct judgements *judgements)
{
    static const struct figure_column columns[] = {{"ladder", "ladder", ROLE_SERIES},
                                                   {"event", "event", ROLE_NONE, true},
                                                   {"path", "path", ROLE_NONE, true},
                                                   {"specimen", "specimen", ROLE_NONE, true},
                                                   {"n", "N", ROLE_X},
                                                   {"percent", "difference, %", ROLE_Y},
                                                   {"low", "95 % from", ROLE_LOW},
                                                   {"high", "to", ROLE_HIGH},
                                                   {"predicted", "predicted"},
                                                   {"reported", "reported, mean"},
                                                   {"verdict", "verdict"},
                                                   {0}};
    static const struct figure_spec spec = {
        .id = "difference-by-n",
        .title = "Difference from the truth, by N",
        .paper = "Aguilera et al. 2005, percent differences for each granularity (section 2)",
        .kind = FIGURE_LINES,
        .x = {.label = "N", .scale = SCALE_LOG},
        .y = {.label = "difference, %", .scale = SCALE_SYMLOG},
        .columns = columns};
    json_t *figure = figure_new(&spec);
    size_t ladders = 0;
    for (size_t i = 0; i < judgements->row_count; i++) {
        const struct judged_row *row = judgements->rows[i];
        const char *event = row->judgement->evidence->event;
        const char *series = memory_format("%s \u00b7 %s", event, row->specimen);
        if (!differs(row))
            continue;
        ladders++;
        for (size_t j = 0; j < row->point_count && figure_rows(figure) < FIGURE_MOST_ROWS; j++) {
            const struct judged_point *point = &row->points[j];
            const double truth = (double)point->point->truth.low;
            if (is_comparable(point) && truth != 0)
                FIGURE_ROW(figure, json_text(series), json_text(event), json_text(row->path),
                           json_text(row->specimen), json_count(point->point->n),
                           figure_number(percent_of(point, point->mean)),
                           figure_number(100 * point->low / truth),
                           figure_number(100 * point->high / truth),
                           json_difference((int64_t)truth), figure_number(point->mean),
                           json_text(verdict_names[row->verdict]));
        }
    }
    AUTO_TEXT struct text caption = {0};
    text_printf(
        &caption,
        "How far counts are from the truth, by how much work was counted: an offset shrinks "
        "as N grows, a factor stays. Shown %s that %s not exact on average; events that "
        "read zero whatever is done are left out.",
        ladders == 1 ? "is the one ladder" : "are the ladders", ladders == 1 ? "is" : "are");
    figure_set_caption(figure, &caption);
    return figure;
}

json_t *validate_figures(const void *kept)
{
    const struct judgements *judgements = &((const struct validating *)kept)->judgements;
    json_t *figures = json_array();
    figures_append(figures, of_verdicts(judgements));
    figures_append(figures, against_truth(judgements));
    figures_append(figures, by_size(judgements));
    figures_append(figures, of_specimens(judgements));
    figures_append(figures, of_overhead(judgements));
    figures_append(figures, of_explanations(judgements));
    return figures;
}
