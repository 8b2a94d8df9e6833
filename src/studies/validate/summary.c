/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What reports, runs and comparisons say of events and their verdicts. */
#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "engine/told.h"
#include "output/field.h"
#include "studies/validate/parts.h"
#include "studies/validate/study.h"

static struct tally tally_of(const struct judgements *judgements)
{
    struct tally tally = {0};
    for (size_t i = 0; i < judgements->count; i++)
        tally_add(&tally, judgements->list[i].verdict);
    return tally;
}

static const struct judgement *first_that_is(const struct judgements *judgements,
                                             enum verdict verdict)
{
    const struct judgement *at = judgements->list;
    while (at->verdict != verdict)
        at++;
    return at;
}

/* A sentence behind a colon: "Zero in user mode" begins small, "PMU" does not. */
static void put_continued(const char *note, struct text *out)
{
    if (isupper((unsigned char)note[0]) && islower((unsigned char)note[1])) {
        text_putc(out, (char)tolower((unsigned char)note[0]));
        note++;
    }
    text_puts(out, note);
}

static void lead(const void *kept, struct lead *sentences)
{
    static const char *const told[VERDICT_COUNT] = {
        [VERDICT_EXACT] = "exact",         [VERDICT_ACCURATE] = "accurate",
        [VERDICT_BIASED] = "biased",       [VERDICT_NOISY] = "noisy",
        [VERDICT_DEAD] = "dead",           [VERDICT_UNSCHEDULED] = "without a counter",
        [VERDICT_UNJUDGED] = "not judged", [VERDICT_UNSUPPORTED] = "not supported"};
    static const unsigned order[] = {VERDICT_EXACT,    VERDICT_ACCURATE,   VERDICT_BIASED,
                                     VERDICT_NOISY,    VERDICT_DEAD,       VERDICT_UNSCHEDULED,
                                     VERDICT_UNJUDGED, VERDICT_UNSUPPORTED};
    static const enum verdict amiss[] = {VERDICT_BIASED, VERDICT_DEAD, VERDICT_NOISY,
                                         VERDICT_UNSUPPORTED};
    const struct judgements *judgements = &((const struct validating *)kept)->judgements;
    const struct tally tally = tally_of(judgements);
    AUTO_TEXT struct text sentence = {0};
    if (!judgements->count)
        return;
    text_printf(&sentence, "Of %zu %s: ", judgements->count,
                judgements->count == 1 ? "event" : "events");
    tally_put(&tally, told, order, VERDICT_COUNT, &sentence);
    text_putc(&sentence, '.');
    told_say(sentences, text_string(&sentence));
    for (size_t i = 0; i < sizeof(amiss) / sizeof(*amiss); i++) {
        if (!tally.of[amiss[i]])
            continue;
        const struct judgement *first = first_that_is(judgements, amiss[i]);
        text_clear(&sentence);
        text_printf(&sentence, "%s%s is %s: ", tally.of[amiss[i]] > 1 ? "For one, " : "",
                    first->evidence->event, verdict_names[amiss[i]]);
        put_continued(reasons_text(&first->why), &sentence);
        if (text_string(&sentence)[sentence.length - 1] != '.')
            text_putc(&sentence, '.');
        told_say(sentences, text_string(&sentence));
    }
}

static bool is_of(const struct judgements *judgements, enum verdict verdict, const char *name,
                  size_t length)
{
    for (size_t i = 0; i < judgements->count; i++) {
        const char *event = judgements->list[i].evidence->event;
        if (judgements->list[i].verdict == verdict && strncmp(event, name, length) == 0 &&
            !event[length])
            return true;
    }
    return false;
}

/* Of one verdict; NAME and NAME:u are NAME[:u]. */
static struct string_list names_of(const struct judgements *judgements, enum verdict verdict)
{
    struct string_list names = {0};
    for (size_t i = 0; i < judgements->count; i++) {
        const char *name = judgements->list[i].evidence->event;
        const size_t length = strlen(name);
        const bool user = length > 2 && strcmp(name + length - 2, ":u") == 0;
        if (judgements->list[i].verdict != verdict ||
            (user && is_of(judgements, verdict, name, length - 2)))
            continue;
        const char *both = memory_format("%s:u", name);
        const bool folds = is_of(judgements, verdict, both, length + 2);
        *memory_add(names.items, names.count) = memory_format("%s%s", name, folds ? "[:u]" : "");
    }
    return names;
}

static void put_line(const void *kept, const struct style *style, struct text *out)
{
    static const unsigned order[] = {VERDICT_EXACT,       VERDICT_ACCURATE,   VERDICT_BIASED,
                                     VERDICT_NOISY,       VERDICT_DEAD,       VERDICT_UNJUDGED,
                                     VERDICT_UNSCHEDULED, VERDICT_UNSUPPORTED};
    static const enum verdict named[] = {VERDICT_EXACT, VERDICT_BIASED, VERDICT_DEAD, VERDICT_NOISY,
                                         VERDICT_ACCURATE};
    const struct judgements *judgements = &((const struct validating *)kept)->judgements;
    const struct tally tally = tally_of(judgements);
    size_t lines = 4; /* verdicts with their names */
    AUTO_TEXT struct text words = {0};
    text_printf(&words, "%zu events: ", judgements->count);
    tally_put(&tally, verdict_names, order, sizeof(order) / sizeof(*order), &words);
    told_put_line("trust", text_string(&words), 1, style, out);
    for (size_t i = 0; i < sizeof(named) / sizeof(*named) && lines; i++) {
        if (!tally.of[named[i]])
            continue;
        const struct string_list names = names_of(judgements, named[i]);
        lines--;
        text_clear(&words);
        text_printf(&words, "%s: ", verdict_names[named[i]]);
        told_put_names(&names, style->width - TOLD_LABEL - words.length, &words);
        told_put_line("", text_string(&words), 1, style, out);
    }
}

static struct value get_tally(const void *item, const void *context)
{
    (void)context;
    const struct tally tally = tally_of(&((const struct validating *)item)->judgements);
    return value_json(tally_json(&tally, verdict_names));
}

static struct value get_names(const void *item, const void *context)
{
    (void)context;
    const struct judgements *judgements = &((const struct validating *)item)->judgements;
    const struct tally tally = tally_of(judgements);
    json_t *names = json_object();
    for (size_t i = 0; i < tally.kinds; i++) {
        const struct string_list list = names_of(judgements, (enum verdict)tally.came[i]);
        json_object_set_new(names, verdict_names[tally.came[i]], told_json(&list));
    }
    return value_json(names);
}

static const struct field line_fields[] = {
    {"events", AT(struct validating, judgements.count), "that were judged"},
    {"verdicts", GET(FIELD_JSON, get_tally), "how many have which", .schema = "object"},
    {"names", GET(FIELD_JSON, get_names), "of the events with each; NAME[:u]: both",
     .schema = "object"},
};
static const struct fields line_table =
    FIELDS("run.trust", "which events can be trusted", line_fields);
static const struct field line = {
    "trust", {.kind = FIELD_OBJECT, .of = &line_table}, "of `assay validate`", .nullable = true};

static void compare(const struct compared *compared, const void *kept)
{
    /* One stray run in thousands makes the one of the other. */
    static const char *const near[VERDICT_COUNT] = {
        [VERDICT_EXACT] = "accurate", [VERDICT_ACCURATE] = "exact"};
    const struct judgements *judgements = &((const struct validating *)kept)->judgements;
    for (size_t i = 0; i < judgements->count; i++) {
        const struct judgement *judgement = &judgements->list[i];
        /* That access was refused is said of a user or a sandbox, not of the machine. */
        if (judgement->verdict == VERDICT_UNJUDGED || judgement->cause == CAUSE_PERMISSION)
            continue;
        told_word(compared, judgement->evidence->event,
                  &(struct compare_word){.word = verdict_names[judgement->verdict],
                                         /* What is not known of a cause contradicts nothing. */
                                         .detail = judgement->cause == CAUSE_UNKNOWN
                                                       ? NULL
                                                       : cause_names[judgement->cause],
                                         .near = near[judgement->verdict],
                                         .unsure = judgement->verdict == VERDICT_NOISY});
    }
}

/* --- on a page --- */

/* What must not be trusted is what a reader has to see; then what was not measured. */
static const enum verdict worst_first[] = {
    VERDICT_DEAD,  VERDICT_NOISY,       VERDICT_BIASED,   VERDICT_ACCURATE,
    VERDICT_EXACT, VERDICT_UNSCHEDULED, VERDICT_UNJUDGED, VERDICT_UNSUPPORTED};

static bool has_overhead(const struct judged_row *row)
{
    return row->point_count && row->points[0].has_overhead;
}

static bool is_better(const struct judged_row *row, const struct judged_row *best)
{
    static const int goodness[VERDICT_COUNT] = {[VERDICT_DEAD] = 1,
                                                [VERDICT_NOISY] = 2,
                                                [VERDICT_BIASED] = 3,
                                                [VERDICT_ACCURATE] = 4,
                                                [VERDICT_EXACT] = 5};
    if (goodness[row->verdict] != goodness[best->verdict])
        return goodness[row->verdict] > goodness[best->verdict];
    return has_overhead(row) && (!has_overhead(best) || fabs((double)row->points[0].overhead) <
                                                            fabs((double)best->points[0].overhead));
}

/* With the way of counting this event that errs least. */
static struct study_verdict shown(const struct judgement *judgement)
{
    const struct judged_row *best = NULL;
    for (size_t i = 0; i < judgement->row_count; i++)
        if (judgement->rows[i].path && (!best || is_better(&judgement->rows[i], best)))
            best = &judgement->rows[i];
    const bool dead = judgement->verdict == VERDICT_DEAD;
    return (struct study_verdict){
        .event = judgement->evidence->event,
        .verdict = verdict_names[judgement->verdict],
        .cause = cause_names[judgement->cause],
        .note = reasons_text(&judgement->why),
        .measured = verdict_is_of_counts(judgement->verdict),
        .path = best && !dead ? best->path : NULL,
        .pattern = best && !dead ? pattern_descriptions[best->pattern] : NULL,
        .adds = best && has_overhead(best) ? (double)best->points[0].overhead : 0};
}

static size_t list_verdicts(const void *kept, struct study_verdict **list)
{
    const struct judgements *judgements = &((const struct validating *)kept)->judgements;
    size_t count = 0;
    *list = memory_new(judgements->count, sizeof(**list));
    for (size_t i = 0; i < VERDICT_COUNT; i++)
        for (size_t j = 0; j < judgements->count; j++)
            if (judgements->list[j].verdict == worst_first[i])
                (*list)[count++] = shown(&judgements->list[j]);
    return count;
}

/* --- for lists of events --- */

static const void *load_trust(const char *fingerprint, const struct common_options *common)
{
    struct latest_verdicts *latest = memory_new(1, sizeof(*latest));
    latest_verdicts_load(fingerprint, common, latest);
    return latest;
}

static bool say_trust(const void *loaded, const struct facts *machine, const char *event,
                      bool opens, struct study_trust *trust)
{
    struct known_trust known;
    bool is_known = trust_of(loaded, machine, event, opens, &known) == 0;
    *trust = (struct study_trust){
        .judged = is_known && strcmp(known.verdict, verdict_names[VERDICT_UNJUDGED]) != 0,
        .refused = is_known && strcmp(known.verdict, verdict_names[VERDICT_UNSUPPORTED]) == 0,
        .reads_zero = known.reads_zero,
        .age_s = known.age_s,
        .stale = known.stale};
    snprintf(trust->event, sizeof(trust->event), "%s", known.event);
    snprintf(trust->verdict, sizeof(trust->verdict), "%s", known.verdict);
    snprintf(trust->difference, sizeof(trust->difference), "%s", known.difference);
    return is_known;
}

const struct study_told validate_told = {
    .title = "Which events can be trusted",
    .lead = lead,
    .line = {&line, 1, put_line},
    .part = {.turn = 2, 24, 100, 140, 3, 20, .rank = 0},
    .compared = {.say = compare},
    .trusted = {load_trust, say_trust, list_verdicts},
};
