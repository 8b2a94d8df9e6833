/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The result of `assay validate`: verdicts, and below them where ladders ended, how much was
 * disturbed, which of several events of a class is best, the paper's findings, and what to do. */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "engine/claims.h"
#include "engine/finish.h"
#include "engine/loading.h"
#include "output/table.h"
#include "studies/validate/judge.h"
#include "studies/validate/parts.h"

/* ----------------------------------------------------------------------------------------------
 * NAME and NAME:u as one, NAME[:u], where the result of `assay validate` says the same of both. */

static bool is_user(const char *name)
{
    const char *mode = event_mode(name);
    return mode && strcmp(mode, "u") == 0;
}

/* The same event with :u instead of no mode, or without where this one has :u; NULL: none. */
static const struct judgement *twin_of(const struct judgements *judgements,
                                       const struct judgement *judgement)
{
    const char *name = judgement->evidence->event;
    if (event_mode(name) && !is_user(name))
        return NULL;
    for (size_t i = 0; i < judgements->count; i++) {
        const char *other = judgements->list[i].evidence->event;
        bool fits = event_mode(name) ? !event_mode(other) : is_user(other);
        if (fits && event_same_base(name, other))
            return &judgements->list[i];
    }
    return NULL;
}

/* "page-faults[:u]", for both names. */
static void put_folded(const char *plain, struct text *out)
{
    size_t length = strlen(plain);
    text_put_clean(out, plain);
    text_puts(out, length && plain[length - 1] == '/' ? "[u]" : "[:u]");
}

/* ----------------------------------------------------------------------------------------------
 * Events of which `assay validate` measured nothing, told below the table: each reason once, with
 * the events that it concerns. */

#define NAMES_SHOWN 6u /* of a list that --all has in full */

/* Was nothing measured? Such events are told of below the table, by the reason. */
static bool is_grouped(const struct judgement *judgement)
{
    return judgement->verdict == VERDICT_UNSUPPORTED ||
           (judgement->verdict == VERDICT_UNJUDGED && !judgement->row_count);
}

/* The reason without what differs from event to event: the name of the class. */
static void put_reason(const struct judgement *judgement, struct text *out)
{
    struct reasons of_all = {0};
    if (reasons_find(&judgement->why, &validate_words[WHY_NO_SPECIMEN]))
        SAY(&of_all, NO_SPECIMEN, "what they count");
    else
        of_all = judgement->why;
    text_put_clean(out, reasons_text(&of_all));
}

static bool same_group(const struct judgement *leader, const struct judgement *judgement)
{
    AUTO_TEXT struct text left = {0};
    AUTO_TEXT struct text right = {0};
    put_reason(leader, &left);
    put_reason(judgement, &right);
    /* Other interfaces put words of their own before a reason that is the same. */
    return leader->verdict == judgement->verdict && leader->cause == judgement->cause &&
           left.length && right.length >= left.length &&
           strcmp(text_string(&right) + right.length - left.length, text_string(&left)) == 0;
}

/* "unsupported, virtualized: cycles:u, instructions:u and 148 more (hardware, cache, PAPI)" and the
 * reason. NAME[:u] stands where NAME did. */
static void put_group(const struct validating *run, const struct judgement *leader,
                      const struct style *style, struct text *out)
{
    const struct judgements *judgements = &run->judgements;
    AUTO_TEXT struct text words = {0};
    AUTO_TEXT struct text kinds = {0};
    AUTO_TEXT struct text reason = {0};
    bool whole = run->studying.given->all || leader->verdict == VERDICT_UNJUDGED, several = false;
    size_t shown = 0, left = 0; /* names; events that are not named */
    const char *of_all = NULL;  /* their class, unless they have several */
    text_puts(&words, verdict_names[leader->verdict]);
    if (leader->cause)
        text_printf(&words, ", %s", cause_names[leader->cause]);
    text_puts(&words, ": ");
    for (size_t i = 0; i < judgements->count; i++) {
        const struct judgement *judgement = &judgements->list[i];
        const struct evidence *evidence = judgement->evidence;
        if (!is_grouped(judgement) || !same_group(leader, judgement))
            continue;
        const char *class = evidence->class ? evidence->class : "";
        const char *kind = strcmp(evidence->kind, "papi") == 0 ? "PAPI" : evidence->kind;
        several |= of_all && strcmp(of_all, class) != 0;
        of_all = class;
        if (!strstr(text_string(&kinds), kind)) {
            text_puts(&kinds, kinds.length ? ", " : "");
            text_put_clean(&kinds, kind);
        }
        const struct judgement *twin = twin_of(judgements, judgement);
        bool folded = twin && is_grouped(twin) && same_group(leader, twin);
        if (folded && is_user(evidence->event))
            continue;
        if (shown == NAMES_SHOWN && !whole) {
            left += folded ? 2 : 1;
            continue;
        }
        text_puts(&words, shown++ ? ", " : "");
        if (folded)
            put_folded(evidence->event, &words);
        else
            text_put_clean(&words, evidence->event);
    }
    if (left)
        text_printf(&words, " and %zu more (%s)", left, text_string(&kinds));
    if (several)
        put_reason(leader, &reason);
    else
        text_put_clean(&reason, reasons_text(&leader->why));
    wrap(out, text_string(&words), 0, 2, style->width);
    text_puts(out, "    ");
    wrap(out, text_string(&reason), 4, 4, style->width);
}

static void put_unsupported(const struct validating *run, const struct style *style,
                            struct text *out)
{
    const struct judgement *list = run->judgements.list;
    const char *before = out->length ? "\n" : "";
    for (size_t i = 0; i < run->judgements.count; i++) {
        bool leads = is_grouped(&list[i]);
        for (size_t j = 0; j < i && leads; j++)
            leads = !is_grouped(&list[j]) || !same_group(&list[j], &list[i]);
        if (!leads)
            continue;
        text_puts(out, before);
        before = "";
        put_group(run, &list[i], style, out);
    }
    AUTO_TEXT struct text words = {0};
    for (size_t i = 0; i < run->earlier_count; i++) {
        const struct validate_earlier *earlier = &run->earlier[i];
        text_puts(&words, words.length ? ", " : "Found here before, and still valid: ");
        text_put_clean(&words, earlier->event);
        text_printf(&words, " %s (%s)", earlier->verdict, earlier->validated);
    }
    if (words.length)
        wrap(out, text_string(&words), 0, 2, style->width);
}

/* ----------------------------------------------------------------------------------------------
 * The verdicts of `assay validate` for a person: a line for each event, with --all for each
 * specimen, and below it what the line does not tell. */

static const enum tone tones[VERDICT_COUNT] = {
    [VERDICT_UNSUPPORTED] = TONE_DIM, [VERDICT_UNSCHEDULED] = TONE_WARN,
    [VERDICT_UNJUDGED] = TONE_DIM,    [VERDICT_DEAD] = TONE_BAD,
    [VERDICT_NOISY] = TONE_WARN,      [VERDICT_EXACT] = TONE_GOOD,
    [VERDICT_ACCURATE] = TONE_GOOD,   [VERDICT_BIASED] = TONE_BAD};

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

/* --- the table --- */

static const struct column columns[] = {{.title = "event"},
                                        {.title = "verdict"},
                                        {.title = "cause"},
                                        {.title = "overhead", .right = true},
                                        {.title = "N", .right = true},
                                        {.title = "up to", .right = true},
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
    uint64_t longest_ns; /* 0: nothing is said of it */
    const char *note;
};

struct sheet {
    struct table table;
    bool narrow;          /* no room for a column of causes: they begin the note */
    bool folded, starred; /* is there a NAME[:u], a NAME[:u]*? */
    bool limited;         /* is there a longest window? */
};

static void add_line(struct sheet *sheet, const struct line *line)
{
    struct table *table = &sheet->table;
    const char *cause = line->cause == CAUSE_NONE ? "" : cause_names[line->cause];
    const char *low = FIGURE((double)line->span.low), *runs = FIGURE((double)line->span.runs);
    char overhead[NUMBER_SIZE] = "-";
    AUTO_TEXT struct text note = {0};
    if (line->first && line->first->has_overhead)
        number_signed(line->first->overhead, overhead, sizeof(overhead));
    if (sheet->narrow && *cause)
        text_printf(&note, "%s%s", cause, *line->note ? ": " : "");
    text_puts(&note, line->note);
    table_add(table, TONE_PLAIN, line->name);
    table_add(table, tones[line->verdict], verdict_names[line->verdict]);
    table_add(table, TONE_PLAIN, sheet->narrow ? "" : cause);
    table_add(table, TONE_PLAIN, overhead);
    if (!line->span.any)
        table_add(table, TONE_PLAIN, "");
    else if (line->span.low == line->span.high)
        table_add(table, TONE_PLAIN, low);
    else
        table_addf(table, TONE_PLAIN, "%s-%s", low, FIGURE((double)line->span.high));
    table_add(table, TONE_PLAIN, line->longest_ns ? TIME((double)line->longest_ns) : "");
    sheet->limited |= line->longest_ns != 0;
    table_add(table, TONE_PLAIN, line->span.any ? runs : "");
    table_add(table, TONE_DIM, text_string(&note));
}

/* --- a line for each event --- */

/* What is to be said beyond what the line says. */
static struct reasons rest_of(const struct judgement *judgement)
{
    return (struct reasons){judgement->why.list + judgement->usual,
                            judgement->why.count - judgement->usual};
}

/* The one remark on an exact event whose mode filters nothing; the table says it with a star. */
static bool is_unfiltered(const struct judgement *judgement)
{
    return judgement->cause == CAUSE_MODE_NOT_APPLICABLE && judgement->verdict == VERDICT_EXACT &&
           judgement->usual && rest_of(judgement).count == 1;
}

/* Does one line say all of NAME and NAME:u? */
static bool is_foldable(const struct judgement *plain, const struct judgement *user)
{
    const struct reasons rest = rest_of(plain), other = rest_of(user);
    return plain->verdict == VERDICT_EXACT && user->verdict == VERDICT_EXACT && plain->usual &&
           plain->has_overhead == user->has_overhead && plain->overhead == user->overhead &&
           (is_unfiltered(user) || (plain->cause == user->cause && reasons_equal(&rest, &other)));
}

static void add_event(struct sheet *sheet, const struct judgement *judgement,
                      const struct judgement *user)
{
    AUTO_TEXT struct text name = {0};
    const struct reasons rest = rest_of(judgement);
    struct line line = {.verdict = judgement->verdict,
                        .cause = judgement->cause,
                        .first = judgement->row_count ? judgement->rows[0].points : NULL,
                        .span = span_of(judgement),
                        .longest_ns = judgement->limits.longest_ns,
                        .note = reasons_text(&rest)};
    if (user) {
        put_folded(judgement->evidence->event, &name);
        /* N that both reached, runs of both. */
        struct span other = span_of(user);
        line.span.low = other.low > line.span.low ? other.low : line.span.low;
        line.span.high = other.high < line.span.high ? other.high : line.span.high;
        line.span.runs += other.runs;
        if (user->limits.longest_ns < line.longest_ns)
            line.longest_ns = user->limits.longest_ns;
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
    struct line line = {.verdict = row->verdict, .cause = row->cause, .first = row->points};
    widen(&line.span, row);
    if (sheet->narrow && row->cause == judgement->cause)
        line.cause = CAUSE_NONE; /* the event's note has said it */
    text_printf(&name, "  %s", row->specimen);
    if (strcmp(row->path, judgement->rows[0].path) != 0)
        text_printf(&words, "Through %s. ", row->path);
    if (row->core && *row->core)
        text_printf(&words, "On %s. ", row->core);
    if (row->points[0].point->has_interrupts)
        text_puts(&words, "Interrupts counted along. ");
    if (row->points[0].point->has_unfiltered)
        text_puts(&words, "Beside the event without :u. ");
    if (row->verdict != VERDICT_EXACT)
        reasons_put(&row->why, &words);
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
                        .span = span_of(judgement),
                        .longest_ns = judgement->limits.longest_ns};
    if (judgement->row_count) {
        line.first = judgement->rows[0].points;
        text_printf(&words, "Through %s. ", judgement->rows[0].path);
    }
    reasons_put(&judgement->why, &words);
    line.note = text_string(&words);
    add_line(sheet, &line);
    for (size_t i = 0; i < judgement->row_count; i++)
        add_row(sheet, judgement, &judgement->rows[i]);
}

/* --- all of it --- */

static void fill(struct sheet *sheet, const struct validating *run)
{
    const struct judgements *judgements = &run->judgements;
    for (size_t i = 0; i < judgements->count; i++) {
        const struct judgement *judgement = &judgements->list[i];
        if (is_grouped(judgement))
            continue;
        if (run->studying.given->all) {
            add_specimens(sheet, judgement);
            continue;
        }
        const struct judgement *twin = twin_of(judgements, judgement);
        bool user = is_user(judgement->evidence->event);
        bool folded = twin && (user ? is_foldable(twin, judgement) : is_foldable(judgement, twin));
        if (!folded || !user)
            add_event(sheet, judgement, folded ? twin : NULL);
    }
}

/* How far the verdicts reach. What the operating system counts knows no CPU that a thread could
 * leave. */
static void put_limits(const struct validating *run, const struct style *style, struct text *out)
{
    const struct judgements *judgements = &run->judgements;
    const char *cpus = facts_get(run->studying.facts, "cpu.count");
    const bool alone = cpus && strcmp(cpus, "1") == 0;
    AUTO_TEXT struct text words = {0};
    AUTO_TEXT struct text names = {0};
    size_t count = 0;
    text_puts(&words,
              "up to: the longest window that counted right; of longer ones nothing is known.");
    for (size_t i = 0; i < judgements->count; i++) {
        const struct judgement *judgement = &judgements->list[i];
        const struct judged_limits *limits = &judgement->limits;
        if (!verdict_is_trusted(judgement->verdict) || !kind_is_of_cpu(judgement->evidence->kind) ||
            (limits->switches && (limits->migrations || alone)) || count++ >= NAMES_SHOWN)
            continue;
        text_puts(&names, names.length ? ", " : "");
        text_put_clean(&names, judgement->evidence->event);
    }
    if (count)
        text_printf(&words, " Not measured across context switches%s: %s%s.",
                    alone ? "" : " and moves to another CPU", text_string(&names),
                    count > NAMES_SHOWN ? " and more" : "");
    wrap(out, text_string(&words), 0, 2, style->width);
}

static void put_table(const struct validating *run, const struct style *style, struct text *out)
{
    struct sheet sheet = {.table = {.columns = columns, .column_count = COLUMNS}};
    fill(&sheet, run);
    if (table_width(&sheet.table) > style->width) {
        table_free(&sheet.table);
        sheet.narrow = true;
        fill(&sheet, run);
    }
    if (sheet.table.count)
        table_put(&sheet.table, style, out);
    table_free(&sheet.table);
    if (sheet.limited)
        put_limits(run, style, out);
    if (sheet.folded)
        wrap(out, "[:u] with and without :u; N is what both reached, runs are those of both", 0, 2,
             style->width);
    if (sheet.starred)
        wrap(out,
             "* :u filters nothing: as much is counted as without it, though a tracepoint lies in "
             "the kernel (mode-not-applicable)",
             0, 2, style->width);
}

/* ----------------------------------------------------------------------------------------------
 * Ladders of `assay validate` that ended below their top, and what a further step would cost: how
 * many, the lowest and the highest end; each of them with --all. */

static void put_cap(const struct validate_cap *cap, struct text *out)
{
    text_put_clean(out, cap->event);
    text_printf(out, " at N = %s", FIGURE((double)cap->n));
    if (cap->hit_ns <= 0)
        return;
    text_printf(out, " (%s a hit of ", TIME(cap->hit_ns));
    text_append(out, cap->specimen, strcspn(cap->specimen, "/"));
    text_putc(out, ')');
}

/* Of two that ended at one N the dearer is the lower. */
static bool is_lower(const struct validate_cap *one, const struct validate_cap *other)
{
    return one->n != other->n ? one->n < other->n : one->hit_ns > other->hit_ns;
}

static void put_caps(const struct validating *run, const struct style *style, struct text *out)
{
    size_t count = 0;
    struct validate_cap lowest, highest;
    AUTO_TEXT struct text list = {0};
    AUTO_TEXT struct text words = {0};
    for (size_t i = 0; i < run->plan.subject_count; i++) {
        struct validate_cap cap;
        if (!validate_cap(&run->plan, i, &cap))
            continue;
        text_puts(&list, count ? "; " : "");
        put_cap(&cap, &list);
        if (!count || is_lower(&cap, &lowest))
            lowest = cap;
        if (!count || is_lower(&highest, &cap))
            highest = cap;
        count++;
    }
    if (!count)
        return;
    if (count > 2 && !run->studying.given->all) {
        text_printf(&words, "%zu ladders end early, where more would cost too much: from ", count);
        put_cap(&lowest, &words);
        text_puts(&words, " to ");
        put_cap(&highest, &words);
    } else
        text_printf(&words, "ladders that end early, where more would cost too much: %s",
                    text_string(&list));
    text_puts(&words, ". A larger --budget goes further, --full to the end.");
    text_putc(out, '\n');
    wrap(out, text_string(&words), 0, 2, style->width);
}

/* --- causes that the budget did not reach --- */

static void put_unsearched(const struct validating *run, const struct style *style,
                           struct text *out)
{
    AUTO_TEXT struct text words = {0};
    struct validate_search search;
    double most = 0;
    size_t count = 0;
    for (; validate_search(run, count, &search); count++) {
        if (count < NAMES_SHOWN) {
            text_puts(&words, count ? ", "
                                    : "The budget ended before everything was tried that "
                                      "could show the cause: ");
            text_put_clean(&words, search.event);
        }
        most = fmax(most, search.budget_s);
    }
    if (!count)
        return;
    text_printf(&words, "%s. --budget %.0fs holds it.", count > NAMES_SHOWN ? " and more" : "",
                most);
    text_putc(out, '\n');
    wrap(out, text_string(&words), 0, 2, style->width);
}

/* --- disturbed runs --- */

static void put_disturbed(const struct validating *run, const struct style *style, struct text *out)
{
    const size_t runs = run->judgements.runs, disturbed = run->judgements.disturbed;
    if (!runs)
        return;
    AUTO_TEXT struct text words = {0};
    text_printf(&words, "%s runs", FIGURE((double)runs));
    if (disturbed)
        text_printf(&words,
                    ", %s of them (%.2g %%) disturbed: the system's own account shows more page "
                    "faults or context switches than the code makes; judged apart",
                    FIGURE((double)disturbed), 100.0 * (double)disturbed / (double)runs);
    else
        text_puts(&words, ", none of them disturbed");
    text_putc(out, '\n');
    wrap(out, text_string(&words), 0, 2, style->width);
}

/* --- several events of a class --- */

/* "best for instructions: a or b, then c": of events, not only of modes of one. */
static void put_class(const struct judgements *judgements, const char *class,
                      const struct style *style, struct text *out)
{
    AUTO_TEXT struct text words = {0};
    text_printf(&words, "best for %s: ", class);
    unsigned last = 0; /* rank shown; equals are a choice */
    const char *first = NULL;
    bool several = false;
    for (unsigned rank = 1; rank <= judgements->count; rank++)
        for (size_t i = 0; i < judgements->count; i++) {
            const struct judgement *judgement = &judgements->list[i];
            const struct evidence *evidence = judgement->evidence;
            if (judgement->rank != rank || judgement->verdict <= VERDICT_DEAD || !evidence->class ||
                strcmp(evidence->class, class) != 0)
                continue;
            several |= first && !event_same_base(first, evidence->event);
            first = first ? first : evidence->event;
            text_puts(&words, !last ? "" : last == rank ? " or " : ", then ");
            text_put_clean(&words, evidence->event);
            last = rank;
        }
    if (several)
        wrap(out, text_string(&words), 0, 2, style->width);
}

static void put_ranking(const struct validating *run, const struct style *style, struct text *out)
{
    const struct judgements *judgements = &run->judgements;
    for (size_t i = 0; i < judgements->count; i++) {
        const struct judgement *judgement = &judgements->list[i];
        bool first = judgement->rank && judgement->evidence->class;
        for (size_t j = 0; j < i && first; j++)
            first = !judgements->list[j].rank || !judgements->list[j].evidence->class ||
                    strcmp(judgements->list[j].evidence->class, judgement->evidence->class) != 0;
        if (first)
            put_class(judgements, judgement->evidence->class, style, out);
    }
}

/* --- what to do --- */

static void put_advice(const struct validating *run, const struct style *style, struct text *out)
{
    AUTO_TEXT struct text words = {0};
    bool refused = false;
    size_t wrong = 0;
    if (!run->studying.complete)
        unfinished_put("validate", run->studying.stored, &run->studying.given->common, &words);
    for (size_t i = 0; i < run->judgements.count; i++) {
        const struct judgement *judgement = &run->judgements.list[i];
        refused |= judgement->verdict == VERDICT_UNSUPPORTED;
        if (!verdict_is_of_counts(judgement->verdict) || verdict_is_trusted(judgement->verdict) ||
            (wrong++ >= NAMES_SHOWN && !run->studying.given->all))
            continue;
        text_puts(&words, wrong > 1 ? ", " : "Not to be believed as named: ");
        text_put_clean(&words, judgement->evidence->event);
    }
    if (wrong > NAMES_SHOWN && !run->studying.given->all)
        text_printf(&words, " and %zu more", wrong - NAMES_SHOWN);
    text_puts(&words, wrong ? "; the table says why. " : "");
    if (!run->studying.given->all && run->judgements.runs)
        text_puts(&words, "--all shows each specimen, --json every figure. ");
    if (refused)
        text_puts(&words, "`assay doctor` says what keeps events from being opened.");
    if (!words.length)
        return;
    text_putc(out, '\n');
    wrap(out, text_string(&words), 0, 0, style->width);
}

static void put_skips(const struct validating *run, const struct style *style, struct text *out)
{
    if (run->studying.given->all)
        skips_put(&run->studying.skips, style, out);
    else if (run->studying.skips.count) {
        AUTO_TEXT struct text words = {0};
        size_t count = run->studying.skips.count;
        text_puts(&words, "left out (--all says why): ");
        for (size_t i = 0; i < count && i < NAMES_SHOWN; i++) {
            text_puts(&words, i ? ", " : "");
            text_put_clean(&words, run->studying.skips.list[i].what);
        }
        if (count > NAMES_SHOWN)
            text_printf(&words, " and %zu more", count - NAMES_SHOWN);
        wrap(out, text_string(&words), 0, 2, style->width);
    }
}

void validate_put_report(const void *kept, const struct style *style, struct text *out)
{
    const struct validating *run = kept;
    put_table(run, style, out);
    put_unsupported(run, style, out);
    put_caps(run, style, out);
    put_unsearched(run, style, out);
    put_disturbed(run, style, out);
    put_ranking(run, style, out);
    /* Where nothing was measured, what that was not held against is no news. */
    if (run->judgements.runs || run->studying.given->all) {
        put_skips(run, style, out);
        const struct claims claims = {.list = run->findings,
                                      .count = VALIDATE_FINDINGS,
                                      .paper = "microbenchmarks",
                                      .all = run->studying.given->all,
                                      .few = run->few};
        claims_put(&claims, style, out);
    }
    put_advice(run, style, out);
    text_putc(out, '\n');
    deliver_put_machine(run->studying.facts, style, out);
    text_printf(out, "seed %" PRIu64 ", %.1f s, samples in ", run->studying.seed,
                run->studying.seconds);
    text_put_clean(out, run->studying.stored);
    text_putc(out, '\n');
}
