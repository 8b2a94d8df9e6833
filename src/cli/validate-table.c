/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The verdicts of `assay validate` for a person: a line for each event, with --all for each
 * specimen, and below it what the line does not tell. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "studies/validate/parts.h"
#include "show/number.h"
#include "show/utf8.h"
#include "show/wrap.h"

enum tone validate_tone(enum verdict verdict)
{
    static const enum tone tones[VERDICT_COUNT] = {
        [VERDICT_UNSUPPORTED] = TONE_DIM, [VERDICT_UNSCHEDULED] = TONE_WARN,
        [VERDICT_UNJUDGED] = TONE_DIM,    [VERDICT_DEAD] = TONE_BAD,
        [VERDICT_NOISY] = TONE_WARN,      [VERDICT_EXACT] = TONE_GOOD,
        [VERDICT_ACCURATE] = TONE_GOOD,   [VERDICT_BIASED] = TONE_BAD};
    return tones[verdict];
}

/* --- which N, and how many runs --- */

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

/* Code that must read zero has a ladder of its own: it says nothing of how far the event was
 * tried. */
static struct span span_of(const struct judgement *judgement)
{
    struct span telling = {0}, all = {0};
    for (size_t i = 0; i < judgement->row_count; i++) {
        widen(&all, &judgement->rows[i]);
        if (judgement->rows[i].verdict != VERDICT_UNJUDGED)
            widen(&telling, &judgement->rows[i]);
    }
    if (!telling.any)
        return all;
    telling.runs = all.runs;
    return telling;
}

/* N that both reached, runs of both. */
static struct span common_span(struct span left, struct span right)
{
    if (right.low > left.low)
        left.low = right.low;
    if (right.high < left.high)
        left.high = right.high;
    left.runs += right.runs;
    return left;
}

/* --- the table --- */

static const struct column columns[] = {{.title = "event"},
                                        {.title = "verdict"},
                                        {.title = "cause"},
                                        {.title = "overhead", .right = true},
                                        {.title = "N", .right = true},
                                        {.title = "runs", .right = true},
                                        {.title = "", .wraps = true, .below = true}};
#define COLUMNS (sizeof(columns) / sizeof(*columns))

/* What one line of the table says. */
struct line {
    const char *name;
    enum verdict verdict;
    enum cause cause;
    const struct judged_point *first; /* NULL: nothing was measured */
    struct span span;
    const char *note;
};

struct sheet {
    struct table table;
    bool narrow;          /* no room for a column of causes: they begin the note */
    bool folded, starred; /* is there a NAME[:u], a NAME[:u]*? */
};

static void add_span(struct table *table, const struct span *span)
{
    char low[NUMBER_SIZE], high[NUMBER_SIZE], runs[NUMBER_SIZE];
    number_count(span->low, low, sizeof(low));
    number_count(span->high, high, sizeof(high));
    number_count(span->runs, runs, sizeof(runs));
    if (!span->any)
        table_add(table, TONE_PLAIN, "");
    else if (span->low == span->high)
        table_add(table, TONE_PLAIN, low);
    else
        table_addf(table, TONE_PLAIN, "%s-%s", low, high);
    table_add(table, TONE_PLAIN, span->any ? runs : "");
}

static void add_line(struct sheet *sheet, const struct line *line)
{
    struct table *table = &sheet->table;
    const char *cause = line->cause == CAUSE_NONE ? "" : cause_names[line->cause];
    char overhead[NUMBER_SIZE] = "-";
    AUTO_TEXT struct text note = {0};
    if (line->first && line->first->has_overhead)
        number_signed(line->first->overhead, overhead, sizeof(overhead));
    if (sheet->narrow && *cause)
        text_printf(&note, "%s%s", cause, *line->note ? ": " : "");
    text_puts(&note, line->note);
    table_add(table, TONE_PLAIN, line->name);
    table_add(table, validate_tone(line->verdict), verdict_names[line->verdict]);
    table_add(table, TONE_PLAIN, sheet->narrow ? "" : cause);
    table_add(table, TONE_PLAIN, overhead);
    add_span(table, &line->span);
    table_add(table, TONE_DIM, text_string(&note));
}

static const struct judged_point *first_point(const struct judged_row *row)
{
    return row->point_count ? &row->points[0] : NULL;
}

/* --- a line for each event --- */

/* What is to be said beyond what the line says. */
static const char *rest_of(const struct judgement *judgement)
{
    const char *rest = judgement->note + judgement->usual;
    return rest + strspn(rest, " ");
}

/* The one remark on an exact event whose mode filters nothing; the table says it with a star. */
static bool is_unfiltered(const struct judgement *judgement)
{
    return judgement->cause == CAUSE_MODE_NOT_APPLICABLE && judgement->verdict == VERDICT_EXACT &&
           judgement->usual && !strstr(rest_of(judgement), ". ");
}

/* Does one line say all of NAME and NAME:u? */
static bool is_foldable(const struct judgement *plain, const struct judgement *user)
{
    return plain->verdict == VERDICT_EXACT && user->verdict == VERDICT_EXACT && plain->usual &&
           plain->has_overhead == user->has_overhead && plain->overhead == user->overhead &&
           (is_unfiltered(user) ||
            (plain->cause == user->cause && strcmp(rest_of(plain), rest_of(user)) == 0));
}

static void add_event(struct sheet *sheet, const struct judgement *judgement,
                      const struct judgement *user)
{
    AUTO_TEXT struct text name = {0};
    struct line line = {.verdict = judgement->verdict,
                        .cause = judgement->cause,
                        .first = judgement->row_count ? first_point(&judgement->rows[0]) : NULL,
                        .span = span_of(judgement),
                        .note = rest_of(judgement)};
    if (user) {
        validate_put_folded(judgement->evidence->event, &name);
        line.span = common_span(line.span, span_of(user));
        sheet->folded = true;
        if (is_unfiltered(user)) {
            text_putc(&name, '*');
            sheet->starred = true;
        }
    } else {
        text_put_clean(&name, judgement->evidence->event);
    }
    line.name = text_string(&name);
    add_line(sheet, &line);
}

/* --- a line for each specimen --- */

static void add_row(struct sheet *sheet, const struct judgement *judgement,
                    const struct judged_row *row)
{
    AUTO_TEXT struct text words = {0};
    AUTO_TEXT struct text name = {0};
    struct line line = {.verdict = row->verdict, .cause = row->cause, .first = first_point(row)};
    widen(&line.span, row);
    if (sheet->narrow && row->cause == judgement->cause)
        line.cause = CAUSE_NONE; /* the event's note has said it */
    text_printf(&name, "  %s", row->specimen);
    if (strcmp(row->path, judgement->rows[0].path) != 0)
        text_printf(&words, "Through %s. ", row->path);
    if (row->core && *row->core)
        text_printf(&words, "On %s. ", row->core);
    if (row->counters > 1)
        text_puts(&words, "Interrupts counted along. ");
    if (row->verdict != VERDICT_EXACT)
        text_puts(&words, row->note);
    line.name = text_string(&name);
    line.note = text_string(&words);
    add_line(sheet, &line);
}

static void add_specimens(struct sheet *sheet, const struct judgement *judgement)
{
    AUTO_TEXT struct text words = {0};
    struct line line = {.name = judgement->evidence->event,
                        .verdict = judgement->verdict,
                        .cause = judgement->cause,
                        .span = span_of(judgement)};
    if (judgement->row_count) {
        line.first = first_point(&judgement->rows[0]);
        text_printf(&words, "Through %s. ", judgement->rows[0].path);
    }
    text_puts(&words, judgement->note);
    line.note = text_string(&words);
    add_line(sheet, &line);
    for (size_t i = 0; i < judgement->row_count; i++)
        add_row(sheet, judgement, &judgement->rows[i]);
}

/* --- all of it --- */

static void fill(struct sheet *sheet, const struct validating *validating)
{
    const struct judgements *judgements = &validating->judgements;
    for (size_t i = 0; i < judgements->count; i++) {
        const struct judgement *judgement = &judgements->list[i];
        if (validate_is_grouped(judgement))
            continue;
        if (validating->options->all) {
            add_specimens(sheet, judgement);
            continue;
        }
        const struct judgement *twin = validate_twin(judgements, judgement);
        bool user = validate_is_user(judgement);
        bool folded = twin && (user ? is_foldable(twin, judgement) : is_foldable(judgement, twin));
        if (!folded || !user)
            add_event(sheet, judgement, folded ? twin : NULL);
    }
}

void validate_put_table(const struct validating *validating, const struct style *style,
                        struct text *out)
{
    struct sheet sheet = {.table = {.columns = columns, .column_count = COLUMNS}};
    fill(&sheet, validating);
    if (table_width(&sheet.table) > style->width) {
        table_free(&sheet.table);
        sheet.narrow = true;
        fill(&sheet, validating);
    }
    if (sheet.table.count)
        table_put(&sheet.table, style, out);
    table_free(&sheet.table);
    if (sheet.folded)
        wrap(out, "[:u] with and without :u; N is what both reached, runs are those of both", 0, 2,
             style->width);
    if (sheet.starred)
        wrap(out,
             "* :u filters nothing: as much is counted as without it, though a tracepoint lies in "
             "the kernel (mode-not-applicable)",
             0, 2, style->width);
}
