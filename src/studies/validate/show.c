/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The result of `assay validate`: verdicts, and below them where ladders ended, how much was
 * disturbed, which of several events of a class is best, the paper's findings, and what to do. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "decode/count.h"
#include "engine/claims.h"
#include "engine/finish.h"
#include "engine/loading.h"
#include "output/table.h"
#include "studies/validate/parts.h"

/* ----------------------------------------------------------------------------------------------
 * NAME and NAME:u as one, NAME[:u], where the result of `assay validate` says the same of both. */

/* Length of the name without its mode. */
static size_t base_length(const char *name)
{
    const char *mode = event_mode(name);
    return mode ? (size_t)(mode - name) - (mode[-1] == ':') : strlen(name);
}

/* Do they differ in the mode alone? */
static bool validate_same_base(const char *left, const char *right)
{
    size_t length = base_length(left);
    return length == base_length(right) && strncmp(left, right, length) == 0;
}

static bool is_user(const char *name)
{
    const char *mode = event_mode(name);
    return mode && strcmp(mode, "u") == 0;
}

/* The same event with :u instead of no mode, or without where this one has :u; NULL: none. */
static const struct judgement *validate_twin(const struct judgements *judgements,
                                             const struct judgement *judgement)
{
    const char *name = judgement->evidence->event;
    if (event_mode(name) && !is_user(name))
        return NULL;
    for (size_t i = 0; i < judgements->count; i++) {
        const char *other = judgements->list[i].evidence->event;
        bool fits = event_mode(name) ? !event_mode(other) : is_user(other);
        if (fits && validate_same_base(name, other))
            return &judgements->list[i];
    }
    return NULL;
}

/* Its name ends with :u. */
static bool validate_is_user(const struct judgement *judgement)
{
    return is_user(judgement->evidence->event);
}

/* "page-faults[:u]", for both names. */
static void validate_put_folded(const char *plain, struct text *out)
{
    size_t length = strlen(plain);
    text_put_clean(out, plain);
    text_puts(out, length && plain[length - 1] == '/' ? "[u]" : "[:u]");
}

/* ----------------------------------------------------------------------------------------------
 * Events of which `assay validate` measured nothing, told below the table: each reason once, with
 * the events that it concerns. */

#define NAMES_SHOWN 6u /* of a group that cannot be opened; --all has them all */

/* Was nothing measured? Such events are told of below the table, by the reason. */
static bool validate_is_grouped(const struct judgement *judgement)
{
    return judgement->verdict == VERDICT_UNSUPPORTED ||
           (judgement->verdict == VERDICT_UNJUDGED && !judgement->row_count);
}

/* The reason without what differs from event to event: the name of the class. */
static void put_reason(const struct judgement *judgement, struct text *out)
{
    const char *note = judgement->note, *class = judgement->evidence->class;
    const char *named =
        class && *class && judgement->verdict == VERDICT_UNJUDGED ? strstr(note, class) : NULL;
    if (!named) {
        text_put_clean(out, note);
        return;
    }
    AUTO_TEXT struct text words = {0};
    text_append(&words, note, (size_t)(named - note));
    text_printf(&words, "what they count%s", named + strlen(class));
    text_put_clean(out, text_string(&words));
}

/* Other interfaces put words of their own before a reason that is the same. */
static bool ends_with(const char *text, const char *end)
{
    size_t length = strlen(text), tail = strlen(end);
    return tail && length >= tail && strcmp(text + length - tail, end) == 0;
}

static bool same_group(const struct judgement *leader, const struct judgement *judgement)
{
    AUTO_TEXT struct text left = {0};
    AUTO_TEXT struct text right = {0};
    put_reason(leader, &left);
    put_reason(judgement, &right);
    return leader->verdict == judgement->verdict && leader->cause == judgement->cause &&
           ends_with(text_string(&right), text_string(&left));
}

static bool is_leader(const struct judgements *judgements, size_t index)
{
    for (size_t i = 0; i < index; i++)
        if (validate_is_grouped(&judgements->list[i]) &&
            same_group(&judgements->list[i], &judgements->list[index]))
            return false;
    return validate_is_grouped(&judgements->list[index]);
}

struct group {
    const struct judgement *leader;
    struct text names, kinds;
    size_t shown, most; /* names, and how many are to be */
    size_t left;        /* events that are not named */
    const char *class;  /* of all of them; NULL: they have several */
    bool several;
};

/* "hardware, cache", from the kinds of a group; each once. */
static void add_kind(struct group *group, const char *kind)
{
    if (strcmp(kind, "papi") == 0)
        kind = "PAPI";
    if (strstr(text_string(&group->kinds), kind))
        return;
    text_puts(&group->kinds, group->kinds.length ? ", " : "");
    text_put_clean(&group->kinds, kind);
}

/* NAME[:u] stands where NAME did. */
static void add_name(struct group *group, const struct judgements *judgements,
                     const struct judgement *judgement)
{
    const struct judgement *twin = validate_twin(judgements, judgement);
    bool folded = twin && validate_is_grouped(twin) && same_group(group->leader, twin);
    if (folded && validate_is_user(judgement))
        return;
    if (group->shown == group->most) {
        group->left += folded ? 2 : 1;
        return;
    }
    text_puts(&group->names, group->shown++ ? ", " : "");
    if (folded)
        validate_put_folded(judgement->evidence->event, &group->names);
    else
        text_put_clean(&group->names, judgement->evidence->event);
}

static void gather(struct group *group, const struct judgements *judgements)
{
    for (size_t i = 0; i < judgements->count; i++) {
        const struct judgement *judgement = &judgements->list[i];
        if (!validate_is_grouped(judgement) || !same_group(group->leader, judgement))
            continue;
        const char *class = judgement->evidence->class ? judgement->evidence->class : "";
        group->several |= group->class && strcmp(group->class, class) != 0;
        group->class = class;
        add_kind(group, judgement->evidence->kind);
        add_name(group, judgements, judgement);
    }
}

/* "unsupported, virtualized: cycles:u, instructions:u and 148 more (hardware, cache, PAPI)" */
static void put_head(const struct group *group, struct text *out)
{
    text_puts(out, verdict_names[group->leader->verdict]);
    if (group->leader->cause)
        text_printf(out, ", %s", cause_names[group->leader->cause]);
    text_printf(out, ": %s", text_string(&group->names));
    if (group->left)
        text_printf(out, " and %zu more (%s)", group->left, text_string(&group->kinds));
}

static void put_group(const struct validating *validating, const struct judgement *leader,
                      const struct style *style, struct text *out)
{
    bool whole = validating->options->all || leader->verdict == VERDICT_UNJUDGED;
    struct group group = {.leader = leader, .most = whole ? SIZE_MAX : NAMES_SHOWN};
    AUTO_TEXT struct text words = {0};
    AUTO_TEXT struct text reason = {0};
    gather(&group, &validating->judgements);
    put_head(&group, &words);
    if (group.several)
        put_reason(leader, &reason);
    else
        text_put_clean(&reason, leader->note);
    wrap(out, text_string(&words), 0, 2, style->width);
    text_puts(out, "    ");
    wrap(out, text_string(&reason), 4, 4, style->width);
    text_free(&group.names);
    text_free(&group.kinds);
}

/* "Found here before, when it could be counted: page-faults exact (2026-11-16T15:52:55Z)." */
static void put_earlier(const struct validating *validating, const struct style *style,
                        struct text *out)
{
    AUTO_TEXT struct text words = {0};
    const char *name;
    json_t *entry;
    json_object_foreach(validating->earlier, name, entry)
    {
        text_puts(&words, words.length ? ", " : "Found here before, and still valid: ");
        text_put_clean(&words, name);
        text_printf(&words, " %s (%s)", json_word(entry, "verdict"), json_word(entry, "validated"));
    }
    if (words.length)
        wrap(out, text_string(&words), 0, 2, style->width);
}

static void validate_put_unsupported(const struct validating *validating, const struct style *style,
                                     struct text *out)
{
    const struct judgements *judgements = &validating->judgements;
    const char *before = out->length ? "\n" : "";
    for (size_t i = 0; i < judgements->count; i++) {
        if (!is_leader(judgements, i))
            continue;
        text_puts(out, before);
        before = "";
        put_group(validating, &judgements->list[i], style, out);
    }
    put_earlier(validating, style, out);
}

/* ----------------------------------------------------------------------------------------------
 * The verdicts of `assay validate` for a person: a line for each event, with --all for each
 * specimen, and below it what the line does not tell. */

static enum tone validate_tone(enum verdict verdict)
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

static void validate_put_table(const struct validating *validating, const struct style *style,
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

/* ----------------------------------------------------------------------------------------------
 * Grades of truths in words. */

const char *const validate_grade_names[] = {[TRUTH_NONE] = NULL,
                                            [TRUTH_PROVEN] = "proven",
                                            [TRUTH_BOUNDED] = "bounded",
                                            [TRUTH_MODEL] = "model"};

/* ----------------------------------------------------------------------------------------------
 * Ladders of `assay validate` that ended below their top, and what a further step would cost: how
 * many, the lowest and the highest end; each of them with --all. */

static void put_time(double ns, struct text *out)
{
    const char *const units[] = {"ns", utf8_is_expected() ? "\u00b5s" : "us", "ms", "s"};
    char number[NUMBER_SIZE];
    size_t unit = 0;
    while (unit < 3 && ns >= 1000) {
        ns /= 1000;
        unit++;
    }
    number_significant(ns, 2, number, sizeof(number));
    text_printf(out, "%s %s", number, units[unit]);
}

static void put_cap(const struct validating *validating, const struct validate_cap *cap,
                    struct text *out)
{
    char n[NUMBER_SIZE];
    number_count(cap->n, n, sizeof(n));
    text_put_clean(out, validating->subjects[cap->subject].name);
    text_printf(out, " at N = %s", n);
    if (cap->hit_ns <= 0)
        return;
    text_puts(out, " (");
    put_time(cap->hit_ns, out);
    text_puts(out, " a hit of ");
    text_append(out, cap->specimen, strcspn(cap->specimen, "/"));
    text_putc(out, ')');
}

/* All that ended early; of two that ended at one N the dearer is the lower, the cheaper the
 * higher. */
struct caps {
    size_t count;
    struct validate_cap lowest, highest;
    struct text list;
};

static bool is_lower(const struct validate_cap *one, const struct validate_cap *other)
{
    return one->n != other->n ? one->n < other->n : one->hit_ns > other->hit_ns;
}

static void ladders_gather(const struct validating *validating, struct caps *caps)
{
    for (size_t i = 0; i < validating->study.subject_count; i++) {
        struct validate_cap cap;
        if (!validate_cap(&validating->study, &validating->plan, i, &cap))
            continue;
        cap.subject = i;
        text_puts(&caps->list, caps->count ? "; " : "");
        put_cap(validating, &cap, &caps->list);
        if (!caps->count || is_lower(&cap, &caps->lowest))
            caps->lowest = cap;
        if (!caps->count || is_lower(&caps->highest, &cap))
            caps->highest = cap;
        caps->count++;
    }
}

static void validate_put_caps(const struct validating *validating, const struct style *style,
                              struct text *out)
{
    struct caps caps = {0};
    AUTO_TEXT struct text words = {0};
    ladders_gather(validating, &caps);
    if (caps.count > 2 && !validating->options->all) {
        text_printf(&words, "%zu ladders end early, where more would cost too much: from ",
                    caps.count);
        put_cap(validating, &caps.lowest, &words);
        text_puts(&words, " to ");
        put_cap(validating, &caps.highest, &words);
    } else if (caps.count) {
        text_printf(&words, "ladders that end early, where more would cost too much: %s",
                    text_string(&caps.list));
    }
    text_free(&caps.list);
    if (!words.length)
        return;
    text_puts(&words, ". A larger --budget goes further, --full to the end.");
    text_putc(out, '\n');
    wrap(out, text_string(&words), 0, 2, style->width);
}

/* ----------------------------------------------------------------------------------------------
 * Puts the opcodes of a specimen into the store: its code is asked for and decoded here. With them
 * the judge can blame the one that a counter counts wrongly. */

static int put_list(struct store *store, const char *specimen, const struct opcodes *opcodes,
                    struct failure *failure)
{
    int error = 0;
    for (size_t i = 0; i < opcodes->count && error == 0; i++) {
        const struct stored_opcode opcode = {.specimen = specimen,
                                             .opcode = opcodes->list[i].name,
                                             .base = opcodes->list[i].count.base,
                                             .each = opcodes->list[i].count.each};
        error = store_put_opcode(store, &opcode, failure);
    }
    return error;
}

/* Code that no decoder here understands has none, and the store says so. */
static int put_none(struct store *store, const char *specimen, struct failure *failure)
{
    const struct stored_opcode none = {.specimen = specimen, .opcode = ""};
    return store_put_opcode(store, &none, failure);
}

static int put_decoded(struct validating *validating, const char *specimen,
                       const struct sent_code *sent, struct failure *failure)
{
    const char *isa = validating->catalogue->isa;
    struct failure ignored = {0};
    struct opcodes opcodes = {0};
    AUTO_FREE struct linear *trips = calloc(sent->trip_count + 1, sizeof(*trips));
    if (!trips)
        return fail_with(failure, -ENOMEM, "out of memory");
    for (size_t i = 0; i < sent->trip_count; i++)
        trips[i] = (struct linear){sent->trips[i].base, sent->trips[i].each};
    const struct specimen_code code = {
        .code = {isa, sent->address, sent->bytes, sent->length},
        .call = {isa, sent->call_address, sent->call, sent->call_length},
        .trips = {trips, sent->trip_count, sent->min_n},
    };
    if (opcodes_count(&code, &opcodes, NULL, &ignored) < 0)
        return put_none(validating->store, specimen, failure);
    int error = put_list(validating->store, specimen, &opcodes, failure);
    opcodes_release(&opcodes);
    return error;
}

int validate_put_opcodes(struct validating *validating, const char *specimen,
                         struct failure *failure)
{
    struct sent_code sent;
    struct failure refused = {0};
    int error = session_code(validating->session, specimen, &sent, &refused);
    if (error == -ENOTSUP || error == -ENOENT || error == -EINVAL)
        return put_none(validating->store, specimen, failure);
    if (error < 0) {
        *failure = refused;
        return error;
    }
    error = put_decoded(validating, specimen, &sent, failure);
    sent_code_release(&sent);
    return error;
}

/* ----------------------------------------------------------------------------------------------
 * The result of `assay validate`: verdicts, and below them where ladders ended, how much was
 * disturbed, which of several events of a class is best, the paper's findings, and what to do. */

#define SHOW_NAMES_SHOWN 6u /* of a list that --all has in full */

/* --- disturbed runs --- */

static size_t count_runs(const struct validating *validating)
{
    size_t runs = 0;
    for (size_t i = 0; i < validating->judgements.count; i++)
        runs += validating->judgements.list[i].runs;
    return runs;
}

static void put_disturbed(const struct validating *validating, const struct style *style,
                          struct text *out)
{
    size_t runs = count_runs(validating), disturbed = 0;
    for (size_t i = 0; i < validating->judgements.count; i++)
        disturbed += validating->judgements.list[i].disturbed;
    if (!runs)
        return;
    AUTO_TEXT struct text words = {0};
    char all[NUMBER_SIZE], some[NUMBER_SIZE];
    number_count(runs, all, sizeof(all));
    number_count(disturbed, some, sizeof(some));
    text_printf(&words, "%s runs", all);
    if (disturbed)
        text_printf(&words,
                    ", %s of them (%.2g %%) disturbed: the system's own account shows more page "
                    "faults or context switches than the code makes; judged apart",
                    some, 100.0 * (double)disturbed / (double)runs);
    else
        text_puts(&words, ", none of them disturbed");
    text_putc(out, '\n');
    wrap(out, text_string(&words), 0, 2, style->width);
}

/* --- several events of a class --- */

static const struct judgement *ranked(const struct judgements *judgements, const char *class,
                                      unsigned rank, size_t *at)
{
    for (; *at < judgements->count; (*at)++) {
        const struct judgement *judgement = &judgements->list[*at];
        if (judgement->rank == rank && judgement->verdict > VERDICT_DEAD &&
            judgement->evidence->class && strcmp(judgement->evidence->class, class) == 0)
            return judgement;
    }
    return NULL;
}

static void put_class(const struct judgements *judgements, const char *class,
                      const struct style *style, struct text *out)
{
    AUTO_TEXT struct text words = {0};
    text_printf(&words, "best for %s: ", class);
    unsigned last = 0; /* rank shown; equals are a choice */
    const char *first = NULL;
    bool several = false; /* events, not only modes of one */
    for (unsigned rank = 1; rank <= judgements->count; rank++) {
        size_t at = 0;
        const struct judgement *judgement;
        while ((judgement = ranked(judgements, class, rank, &at))) {
            const char *name = judgement->evidence->event;
            several |= first && !validate_same_base(first, name);
            first = first ? first : name;
            text_puts(&words, !last ? "" : last == rank ? " or " : ", then ");
            text_put_clean(&words, name);
            last = rank;
            at++;
        }
    }
    if (several)
        wrap(out, text_string(&words), 0, 2, style->width);
}

static void put_ranking(const struct validating *validating, const struct style *style,
                        struct text *out)
{
    const struct judgements *judgements = &validating->judgements;
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

static size_t count_verdict(const struct validating *validating, enum verdict verdict)
{
    size_t count = 0;
    for (size_t i = 0; i < validating->judgements.count; i++)
        count += validating->judgements.list[i].verdict == verdict;
    return count;
}

static bool is_wrong(const struct judgement *judgement)
{
    return judgement->verdict == VERDICT_DEAD || judgement->verdict == VERDICT_BIASED ||
           judgement->verdict == VERDICT_NOISY;
}

/* "Do not believe these events as named: a, b and 3 more." */
static void put_wrong(const struct validating *validating, struct text *out)
{
    size_t wrong = 0;
    for (size_t i = 0; i < validating->judgements.count; i++) {
        const struct judgement *judgement = &validating->judgements.list[i];
        if (!is_wrong(judgement) || (wrong++ >= SHOW_NAMES_SHOWN && !validating->options->all))
            continue;
        text_puts(out, wrong > 1 ? ", " : "Not to be believed as named: ");
        text_put_clean(out, judgement->evidence->event);
    }
    if (wrong > SHOW_NAMES_SHOWN && !validating->options->all)
        text_printf(out, " and %zu more", wrong - SHOW_NAMES_SHOWN);
    text_puts(out, wrong ? "; the table says why. " : "");
}

static void put_advice(const struct validating *validating, const struct style *style,
                       struct text *out)
{
    AUTO_TEXT struct text words = {0};
    if (!validating->complete)
        unfinished_put("validate", store_path(validating->store), &validating->options->common,
                       &words);
    put_wrong(validating, &words);
    if (!validating->options->all && count_runs(validating))
        text_puts(&words, "--all shows each specimen, --json every figure. ");
    if (count_verdict(validating, VERDICT_UNSUPPORTED))
        text_puts(&words, "`assay doctor` says what keeps events from being opened.");
    if (!words.length)
        return;
    text_putc(out, '\n');
    wrap(out, text_string(&words), 0, 0, style->width);
}

static void put_skips(const struct validating *validating, const struct style *style,
                      struct text *out)
{
    if (validating->options->all)
        skips_put(&validating->skips, style, out);
    else if (validating->skips.count) {
        AUTO_TEXT struct text words = {0};
        size_t count = validating->skips.count;
        text_puts(&words, "left out (--all says why): ");
        for (size_t i = 0; i < count && i < SHOW_NAMES_SHOWN; i++) {
            text_puts(&words, i ? ", " : "");
            text_put_clean(&words, validating->skips.list[i].what);
        }
        if (count > SHOW_NAMES_SHOWN)
            text_printf(&words, " and %zu more", count - SHOW_NAMES_SHOWN);
        wrap(out, text_string(&words), 0, 2, style->width);
    }
}

void validate_put_report(const struct validating *validating, const struct style *style,
                         struct text *out)
{
    validate_put_table(validating, style, out);
    validate_put_unsupported(validating, style, out);
    validate_put_caps(validating, style, out);
    put_disturbed(validating, style, out);
    put_ranking(validating, style, out);
    /* Where nothing was measured, what that was not held against is no news. */
    if (count_runs(validating) || validating->options->all) {
        put_skips(validating, style, out);
        const struct claims claims = {.list = validating->findings,
                                      .count = VALIDATE_FINDINGS,
                                      .paper = "microbenchmarks",
                                      .all = validating->options->all,
                                      .few = validating->few};
        claims_put(&claims, style, out);
    }
    put_advice(validating, style, out);
    text_putc(out, '\n');
    deliver_put_machine(validating->facts, style, out);
    text_printf(out, "seed %" PRIu64 ", %.1f s, samples in ", validating->seed,
                validating->seconds);
    text_put_clean(out, store_path(validating->store));
    text_putc(out, '\n');
}

void validate_put_nothing(const struct validating *validating, struct text *out)
{
    if (count_runs(validating))
        return;
    text_puts(out, "nothing was measured");
    if (validating->options->from || validating->complete)
        text_puts(out, "; the report says why");
    else
        text_printf(out,
                    ": the budget of %g s ended first, and looking at the machine alone took %g s. "
                    "--budget %" PRIu64 "s is enough for a first result",
                    (double)validating->budget / 1000, (double)validating->prepared_ms / 1000,
                    1 + (2 * validating->prepared_ms + 999) / 1000);
}
