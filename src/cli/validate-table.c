/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The verdicts of `assay validate` for a person: a line for each event, or with --all for each
 * specimen; events that cannot be opened are grouped by the reason. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "cli/validate.h"
#include "show/number.h"
#include "show/utf8.h"
#include "show/wrap.h"

#define NAMES_SHOWN 6u /* of a group of events with one reason */

enum tone validate_tone(enum verdict verdict)
{
    static const enum tone tones[VERDICT_COUNT] = {
        [VERDICT_UNSUPPORTED] = TONE_DIM, [VERDICT_UNSCHEDULED] = TONE_WARN,
        [VERDICT_UNJUDGED] = TONE_DIM,    [VERDICT_DEAD] = TONE_BAD,
        [VERDICT_NOISY] = TONE_WARN,      [VERDICT_EXACT] = TONE_GOOD,
        [VERDICT_ACCURATE] = TONE_GOOD,   [VERDICT_BIASED] = TONE_BAD};
    return tones[verdict];
}

/* --- what an event was judged against --- */

struct span {
    uint64_t low, high;
    size_t runs;
    bool any;
};

static void widen(struct span *span, const struct judged_row *row)
{
    for (size_t i = 0; i < row->point_count; i++) {
        uint64_t n = row->points[i].point->n;
        if (!row->points[i].runs)
            continue;
        if (!span->any || n < span->low)
            span->low = n;
        if (!span->any || n > span->high)
            span->high = n;
        span->any = true;
        span->runs += row->points[i].runs;
    }
}

static void put_span(const struct span *span, struct text *out)
{
    char low[NUMBER_SIZE], high[NUMBER_SIZE], runs[NUMBER_SIZE];
    number_count(span->low, low, sizeof(low));
    number_count(span->high, high, sizeof(high));
    number_count(span->runs, runs, sizeof(runs));
    if (span->low == span->high)
        text_printf(out, ", N %s, %s runs", low, runs);
    else
        text_printf(out, ", N %s-%s, %s runs", low, high, runs);
}

static bool seen_before(const struct judgement *judgement, size_t row)
{
    for (size_t i = 0; i < row; i++)
        if (strcmp(judgement->rows[i].specimen, judgement->rows[row].specimen) == 0)
            return true;
    return false;
}

/* "pages and 5 more, N 1-10,000, 700 runs" */
static void put_against(const struct judgement *judgement, struct text *out)
{
    struct span span = {0};
    size_t specimens = 0;
    const char *first = NULL;
    for (size_t i = 0; i < judgement->row_count; i++) {
        struct span own = {0};
        widen(&own, &judgement->rows[i]);
        if (own.any && !seen_before(judgement, i)) {
            specimens++;
            if (!first)
                first = judgement->rows[i].specimen;
        }
        widen(&span, &judgement->rows[i]);
    }
    if (!first)
        return;
    text_append(out, first, strcspn(first, "/"));
    if (specimens > 1)
        text_printf(out, " + %zu", specimens - 1);
    put_span(&span, out);
}

static void put_overhead(bool known, int64_t overhead, char *text, size_t size)
{
    if (known)
        number_signed(overhead, text, size);
    else
        snprintf(text, size, "-");
}

/* --- the table --- */

static const struct column columns[] = {{.title = "event"},
                                        {.title = "verdict"},
                                        {.title = "cause"},
                                        {.title = "overhead", .right = true},
                                        {.title = "against", .wraps = true}};
#define COLUMNS (sizeof(columns) / sizeof(*columns))

static void add_line(struct table *table, const char *name, enum verdict verdict, enum cause cause,
                     const char *overhead, const char *words)
{
    table_add(table, TONE_PLAIN, name);
    table_add(table, validate_tone(verdict), verdict_names[verdict]);
    table_add(table, TONE_PLAIN, cause == CAUSE_NONE ? "" : cause_names[cause]);
    table_add(table, TONE_PLAIN, overhead);
    table_add(table, TONE_DIM, words);
}

static void add_event(struct table *table, const struct judgement *judgement)
{
    char overhead[NUMBER_SIZE];
    AUTO_TEXT struct text words = {0};
    put_overhead(judgement->has_overhead, judgement->overhead, overhead, sizeof(overhead));
    put_against(judgement, &words);
    if (judgement->note[0])
        text_printf(&words, "%s%s", words.length ? ". " : "", judgement->note);
    add_line(table, judgement->evidence->event, judgement->verdict, judgement->cause, overhead,
             text_string(&words));
}

static void add_row(struct table *table, const struct judged_row *row)
{
    char overhead[NUMBER_SIZE];
    AUTO_TEXT struct text words = {0};
    AUTO_TEXT struct text name = {0};
    struct span span = {0};
    widen(&span, row);
    const struct judged_point *first = row->point_count ? &row->points[0] : NULL;
    put_overhead(first && first->has_overhead, first ? first->overhead : 0, overhead,
                 sizeof(overhead));
    text_printf(&name, "  %s", row->specimen);
    text_puts(&words, row->path);
    if (row->core && *row->core)
        text_printf(&words, " on %s", row->core);
    if (row->counters > 1)
        text_puts(&words, ", interrupts counted along");
    if (span.any)
        put_span(&span, &words);
    if (row->note[0])
        text_printf(&words, ". %s", row->note);
    add_line(table, text_string(&name), row->verdict, row->cause, overhead, text_string(&words));
}

/* Events of which nothing was measured are told of below the table, by the reason. */
static bool is_grouped(const struct validating *validating, const struct judgement *judgement)
{
    return !validating->options->all &&
           (judgement->verdict == VERDICT_UNSUPPORTED ||
            (judgement->verdict == VERDICT_UNJUDGED && !judgement->row_count));
}

void validate_put_table(const struct validating *validating, const struct style *style,
                        struct text *out)
{
    struct table table = {.columns = columns, .column_count = COLUMNS};
    for (size_t i = 0; i < validating->judgements.count; i++) {
        const struct judgement *judgement = &validating->judgements.list[i];
        if (is_grouped(validating, judgement))
            continue;
        add_event(&table, judgement);
        for (size_t j = 0; validating->options->all && j < judgement->row_count; j++)
            add_row(&table, &judgement->rows[j]);
    }
    if (table.count)
        table_put(&table, style, out);
    table_free(&table);
}

/* --- events that cannot be opened --- */

static bool same_group(const struct judgement *left, const struct judgement *right)
{
    return left->verdict == right->verdict && left->cause == right->cause &&
           strcmp(left->note, right->note) == 0;
}

/* "hardware and cache", from the kinds of a group; each once. */
static void put_kind(const char *kind, struct text *kinds)
{
    if (strstr(text_string(kinds), kind))
        return;
    text_puts(kinds, kinds->length ? " and " : "");
    text_put_clean(kinds, kind);
}

static void put_group(const struct validating *validating, size_t first, const struct style *style,
                      struct text *out)
{
    const struct judgements *judgements = &validating->judgements;
    const struct judgement *leader = &judgements->list[first];
    AUTO_TEXT struct text names = {0};
    AUTO_TEXT struct text kinds = {0};
    AUTO_TEXT struct text words = {0};
    size_t count = 0;
    for (size_t i = first; i < judgements->count; i++) {
        const struct judgement *judgement = &judgements->list[i];
        if (!is_grouped(validating, judgement) || !same_group(leader, judgement))
            continue;
        put_kind(judgement->evidence->kind, &kinds);
        if (count++ < NAMES_SHOWN) {
            text_puts(&names, count > 1 ? ", " : "");
            text_put_clean(&names, judgement->evidence->event);
        }
    }
    text_printf(&words, "%zu %s event%s: %s%s%s: ", count, text_string(&kinds),
                count == 1 ? "" : "s", verdict_names[leader->verdict], leader->cause ? ", " : "",
                leader->cause ? cause_names[leader->cause] : "");
    text_put_clean(&words, leader->note);
    text_printf(&words, " (%s%s)", text_string(&names), count > NAMES_SHOWN ? ", ..." : "");
    wrap(out, text_string(&words), 0, 2, style->width);
}

void validate_put_unsupported(const struct validating *validating, const struct style *style,
                              struct text *out)
{
    const struct judgements *judgements = &validating->judgements;
    const char *before = out->length ? "\n" : "";
    for (size_t i = 0; i < judgements->count; i++) {
        bool first = is_grouped(validating, &judgements->list[i]);
        for (size_t j = 0; j < i && first; j++)
            first = !is_grouped(validating, &judgements->list[j]) ||
                    !same_group(&judgements->list[j], &judgements->list[i]);
        if (!first)
            continue;
        text_puts(out, before);
        before = "";
        put_group(validating, i, style, out);
    }
}
