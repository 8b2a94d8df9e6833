/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What to do on this machine: for each event and mode the way that errs least, what to subtract,
 * and when more is added: by further counters, in the first run, over long regions. */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "judge/note.h"
#include "studies/error/study.h"

/* Less than this for each iteration nobody will see in a count. */
#define NO_GROWTH 1e-5
/* Nor what is less than a count and less than this share of what is subtracted anyway. */
#define WORTH_TELLING 0.02
/* What the first run adds differs more between processes: a tenth. */
#define FIRST_WORTH_TELLING 0.1

/* Nothing was counted, but what the code of a path would add to a counter is known: what differs
 * then is not the run, but how the code was compiled. */
static void advise_stepped(const struct error_best *best, char text[NOTE_SIZE])
{
    char subtract[FIGURE_SIZE], low[FIGURE_SIZE], high[FIGURE_SIZE];
    note_add(text,
             "No counter of %.60s in user mode was read, but stepping shows exactly what each "
             "path's own code would add to one: least %.40s, %s, with %s; subtract that.",
             best->base ? best->base : best->event, best->path, pattern_descriptions[best->pattern],
             figure_of((double)best->subtract, subtract));
    if (best->spread_high > best->spread_low)
        note_add(text, "It is %s to %s by -O level and link mode.",
                 figure_of(best->spread_low, low), figure_of(best->spread_high, high));
}

static void advise_best(const struct error_best *best, char text[NOTE_SIZE])
{
    char subtract[FIGURE_SIZE], low[FIGURE_SIZE], high[FIGURE_SIZE];
    bool spreads = best->spread_high > best->spread_low;
    if (best->subtract == 0 && !spreads)
        note_add(text, "Count %.80s with %.40s, %s: it adds nothing.", best->event, best->path,
                 pattern_descriptions[best->pattern]);
    else
        note_add(text, "Count %.80s with %.40s, %s: it adds %s; subtract that.", best->event,
                 best->path, pattern_descriptions[best->pattern],
                 figure_of((double)best->subtract, subtract));
    if (spreads)
        note_add(text, "19 of 20 runs lie between %s and %s.", figure_of(best->spread_low, low),
                 figure_of(best->spread_high, high));
}

static bool same_way(const struct error_best *best, const char *event, const char *path,
                     enum pattern pattern)
{
    return best->pattern == pattern && strcmp(best->event, event) == 0 &&
           strcmp(best->path, path) == 0;
}

static void advise_counters(const struct error_report *report, const struct error_best *best,
                            char text[NOTE_SIZE])
{
    for (size_t i = 0; i < report->by_counters_count; i++) {
        const struct error_by_counters *by = &report->by_counters[i];
        if (by->machine != best->machine || !same_way(best, by->event, by->path, by->pattern) ||
            by->separate || by->points < 2 || !(by->low > 0) ||
            by->slope < fmax(1, WORTH_TELLING * fabs(by->medians[0])))
            continue;
        char each[FIGURE_SIZE];
        note_add(text, "Count few events at once: each further counter adds about %s.",
                 figure_of(round(by->slope), each));
        return;
    }
}

/* What the first run of a process adds beyond the others, by how the program is linked. */
struct first_calls {
    bool has_lazy, has_other;
    int64_t lazy, other; /* the largest, and the smallest of another kind of linking */
    const char *link;    /* that other */
};

static bool is_worth_telling(int64_t more, int64_t later)
{
    return more >= 1 && (double)more >= FIRST_WORTH_TELLING * fabs((double)later);
}

static struct first_calls look_at_first(const struct error_report *report,
                                        const struct error_best *best)
{
    struct first_calls first = {0};
    for (size_t i = 0; i < report->row_count; i++) {
        const struct error_row *row = &report->rows[i];
        const struct error_cell *cell = row->cell;
        if ((cell->part != PART_NULL && cell->part != PART_STEPPED) || cell->counters != 1 ||
            cell->machine != best->machine ||
            !same_way(best, cell->event, cell->path, cell->pattern) ||
            cell->runs <= cell->processes)
            continue;
        int64_t more = row->first.median - row->later.median;
        more = is_worth_telling(more, row->later.median) ? more : 0;
        if (cell->link && strcmp(cell->link, "lazy") == 0) {
            first.lazy = first.has_lazy && first.lazy > more ? first.lazy : more;
            first.has_lazy = true;
        } else if (!first.has_other || more < first.other) {
            first.other = more;
            first.link = cell->link;
            first.has_other = true;
        }
    }
    return first;
}

static void advise_first(const struct error_report *report, const struct error_best *best,
                         char text[NOTE_SIZE])
{
    struct first_calls first = look_at_first(report, best);
    char more[FIGURE_SIZE];
    /* Only where another kind of linking spares most of it is lazy linking the cause. */
    if (first.has_lazy && first.has_other && first.lazy > 0 && 2 * first.other < first.lazy) {
        note_add(text,
                 "In a program linked lazily the first call adds %s more, because its functions "
                 "are looked up then: measure something once before, or link it %.20s.",
                 figure_of((double)first.lazy, more), first.link ? first.link : "otherwise");
        return;
    }
    int64_t any = first.has_other ? first.other : first.lazy;
    if (any > 0)
        note_add(text,
                 "The first run of a process adds %s more: measure something once before, and "
                 "throw it away.",
                 figure_of((double)any, more));
}

/* The slope of the same path, else of any: what happens during a region does not depend on it. */
static void advise_duration(const struct error_report *report, const struct error_best *best,
                            char text[NOTE_SIZE])
{
    const struct error_slope *found = NULL;
    for (size_t i = 0; i < report->slope_count; i++) {
        const struct error_slope *slope = &report->slopes[i];
        bool same = strcmp(slope->path, best->path) == 0;
        if (slope->machine == best->machine && strcmp(slope->event, best->event) == 0 &&
            slope->points > 1 && (!found || same)) {
            found = slope;
            if (same)
                break;
        }
    }
    if (!found || !isfinite(found->low) || !isfinite(found->high))
        return;
    char each[FIGURE_SIZE], longest[FIGURE_SIZE];
    if (found->low > 0 && found->high >= NO_GROWTH)
        note_add(
            text,
            "Long regions gain error: about %s more for a million iterations of a short loop%s. "
            "Keep regions short%s.",
            figure_of(round(found->slope * 1e6), each),
            best->mode != COUNT_USER && report->ticks.known && report->ticks.agrees
                ? ", mostly from interrupts"
                : "",
            best->mode == COUNT_BOTH ? ", or count in user mode" : "");
    else if (found->low >= -NO_GROWTH && found->high <= NO_GROWTH)
        note_add(text, "Long regions gain no error, up to %s iterations of a loop.",
                 figure_of((double)found->longest, longest));
}

/* Windows of no path that a user has, and what a stepper saw before it was aligned. */
static bool is_no_way(const struct error_best *best)
{
    return strcmp(best->path, "bare") == 0 || strcmp(best->path, "trap") == 0 ||
           (best->base && strcmp(best->base, "instructions-raw") == 0);
}

/* Where the CPU counts for itself, what was stepped of the same is told beside it, not again. */
static bool is_measured_too(const struct error_report *report, const struct error_best *best)
{
    if (!best->stepped || !best->base)
        return false;
    for (size_t i = 0; i < report->best_count; i++) {
        const struct error_best *other = &report->best[i];
        if (!other->stepped && other->overall && other->machine == best->machine &&
            other->mode == COUNT_USER && other->base && strcmp(other->base, best->base) == 0)
            return true;
    }
    return false;
}

static struct error_advice advice_of(const struct error_case *file,
                                     const struct error_report *report,
                                     const struct error_best *best)
{
    struct error_advice advice = {.mode = best->stepped ? COUNT_USER : best->mode,
                                  .event = best->event};
    if (file->machine_count > 1 && best->machine < file->machine_count)
        note_add(advice.text, "On %.80s:", file->machines[best->machine].name);
    if (best->stepped)
        advise_stepped(best, advice.text);
    else
        advise_best(best, advice.text);
    advise_counters(report, best, advice.text);
    advise_first(report, best, advice.text);
    advise_duration(report, best, advice.text);
    return advice;
}

int error_judge_advice(const struct error_case *file, struct error_report *report)
{
    report->advice = calloc(report->best_count + 1, sizeof(*report->advice));
    report->advice_count = 0;
    if (!report->advice)
        return -ENOMEM;
    for (size_t i = 0; i < report->best_count; i++) {
        const struct error_best *best = &report->best[i];
        if (best->overall && !is_no_way(best) && !is_measured_too(report, best))
            report->advice[report->advice_count++] = advice_of(file, report, best);
    }
    return 0;
}
