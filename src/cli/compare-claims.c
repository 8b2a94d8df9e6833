/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What commands say of what they judged, as words that can be held against each other: from the
 * envelopes of runs that were judged again, and from the doctor's view of each machine. */
#include <errno.h>
#include <math.h>
#include <string.h>

#include "base/text.h"
#include "commands/compare/compare.h"
#include "machine/check.h"
#include "study/compare.h"

/* Words that might as well have come out otherwise, and words that say nothing. */
static const char *const unsure_words[] = {"noisy", "inconclusive", "not falsifiable here"};
static const char *const empty_words[] = {"unjudged", "not testable here"};

struct taking {
    struct comparing *comparing;
    const char *study;
    size_t side;
};

static bool is_among(const char *word, const char *const *words, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (strcmp(word, words[i]) == 0)
            return true;
    return false;
}
#define AMONG(word, words) is_among(word, words, sizeof(words) / sizeof(*(words)))

static int take(const struct taking *taking, const char *subject, const struct compare_word *word)
{
    if (!word->word || AMONG(word->word, empty_words))
        return 0;
    struct compare_claim *claim =
        compare_add_claim(&taking->comparing->file, taking->study, subject);
    return claim ? compare_say(claim, taking->side, word) : -ENOMEM;
}

static const char *text_of(const json_t *row, const char *key)
{
    return json_string_value(json_object_get(row, key));
}

/* One stray run in thousands makes the one of the other. */
static const char *near_word(const char *word)
{
    if (strcmp(word, "exact") == 0)
        return "accurate";
    return strcmp(word, "accurate") == 0 ? "exact" : NULL;
}

/* A list of objects, each with a name and a word. */
static int take_words(const struct taking *taking, const json_t *rows, const char *name,
                      const char *word, const char *detail)
{
    size_t i;
    json_t *row;
    json_array_foreach(rows, i, row)
    {
        const char *named = text_of(row, name), *said = text_of(row, word),
                   *why = text_of(row, detail);
        /* That access was refused is said of a user or a sandbox, not of the machine. */
        if (!named || !said || (why && strcmp(why, "permission") == 0))
            continue;
        const struct compare_word claim = {
            .word = (char *)said,
            /* What is not known of a cause contradicts nothing. */
            .detail = (char *)(why && strcmp(why, "unknown") == 0 ? NULL : why),
            .near = near_word(said),
            .unsure = AMONG(said, unsure_words)};
        if (take(taking, named, &claim) < 0)
            return -ENOMEM;
    }
    return 0;
}

static int take_validate(const struct taking *taking, const json_t *envelope)
{
    const json_t *analysis = json_object_get(envelope, "analysis");
    return take_words(taking, json_object_get(analysis, "events"), "event", "verdict", "cause");
}

static int take_clocks(const struct taking *taking, const json_t *envelope)
{
    const json_t *clocks = json_object_get(json_object_get(envelope, "analysis"), "clocks");
    struct compare_side *side = &taking->comparing->file.sides[taking->side];
    size_t i;
    json_t *row;
    json_array_foreach(clocks, i, row)
    {
        static const char *const counters[] = {"tsc", "cntvct", "rdtime"};
        const char *name = text_of(row, "clock");
        const json_t *tick = json_object_get(row, "ns_per_tick");
        if (name && AMONG(name, counters) && json_is_number(tick))
            side->tick_ns = json_number_value(tick);
    }
    return take_words(taking, clocks, "clock", "trust", "fault");
}

/* What a cache was measured to have; sure where nearly all halves of the processes agree. */
static int take_size(const struct taking *taking, const json_t *row, const char *subject,
                     const char *key, const char *confidence)
{
    const json_t *value = json_object_get(row, key), *share = json_object_get(row, confidence);
    if (!json_is_integer(value))
        return 0;
    AUTO_TEXT struct text words = {0}, what = {0};
    text_printf(&words, "%lld", (long long)json_integer_value(value));
    text_printf(&what, "%s, %s", subject, key);
    const struct compare_word word = {.word = words.bytes,
                                      .unsure = !share || !json_is_number(share) ||
                                                json_number_value(share) < .95};
    return words.failed || what.failed ? -ENOMEM : take(taking, text_string(&what), &word);
}

static int take_caches(const struct taking *taking, const json_t *envelope)
{
    static const char *const figures[][2] = {{"measured_bytes", "confidence"},
                                             {"line_bytes", "line_confidence"},
                                             {"ways", "ways_confidence"}};
    size_t i;
    json_t *row;
    json_array_foreach(json_object_get(envelope, "results"), i, row)
    {
        AUTO_TEXT struct text subject = {0};
        const char *type = text_of(row, "type");
        text_printf(&subject, "level %lld %s",
                    (long long)json_integer_value(json_object_get(row, "level")), type ? type : "");
        for (size_t j = 0; j < sizeof(figures) / sizeof(*figures); j++)
            if (take_size(taking, row, text_string(&subject), figures[j][0], figures[j][1]) < 0)
                return -ENOMEM;
    }
    return 0;
}

/* Does a program count the same every time? */
static int take_repeat(const struct taking *taking, const json_t *envelope)
{
    size_t i;
    json_t *row;
    json_array_foreach(json_object_get(envelope, "results"), i, row)
    {
        const char *program = text_of(row, "program"), *event = text_of(row, "event"),
                   *setting = text_of(row, "setting");
        const json_int_t runs = json_integer_value(json_object_get(row, "runs")),
                         identical = json_integer_value(json_object_get(row, "identical"));
        if (!program || !event || !setting || runs < 2 || identical < 0 ||
            json_is_string(json_object_get(row, "sweep")))
            continue;
        AUTO_TEXT struct text subject = {0};
        text_printf(&subject, "%s, %s, %s", program, event, setting);
        const struct compare_word word = {.word =
                                              (char *)(identical == runs ? "identical" : "varies"),
                                          .hits = (size_t)identical,
                                          .runs = (size_t)runs};
        if (subject.failed || take(taking, text_string(&subject), &word) < 0)
            return -ENOMEM;
    }
    return 0;
}

static const struct {
    const char *command;
    int (*take)(const struct taking *taking, const json_t *envelope);
} takers[] = {
    {"validate", take_validate},
    {"clocks", take_clocks},
    {"caches", take_caches},
    {"repeat", take_repeat},
};

static double number_of(const json_t *row, const char *key)
{
    const json_t *value = json_object_get(row, key);
    return json_is_number(value) ? json_number_value(value) : (double)NAN;
}

/* Whether a claim holds may depend on what a budget held: only estimates that part are other. Those
 * of overhead are ratios of times, wherever a machine has times. */
static int take_findings(const struct taking *taking, const json_t *envelope)
{
    const bool timed = strcmp(taking->study, "overhead") == 0 &&
                       !taking->comparing->file.sides[taking->side].emulated;
    size_t i;
    json_t *row;
    json_array_foreach(json_object_get(envelope, "findings"), i, row)
    {
        AUTO_TEXT struct text subject = {0};
        const char *id = text_of(row, "id"), *verdict = text_of(row, "verdict");
        if (!id || !verdict || compare_is_of_several(id))
            continue;
        text_printf(&subject, "finding %s", id);
        const struct compare_word word = {.word = (char *)verdict,
                                          .unsure = AMONG(verdict, unsure_words),
                                          .estimated = true,
                                          .low = number_of(row, "low"),
                                          .high = number_of(row, "high"),
                                          .unit = text_of(row, "unit"),
                                          .margin = timed ? COMPARE_TIME_MARGIN : 0};
        if (subject.failed || take(taking, text_string(&subject), &word) < 0)
            return -ENOMEM;
    }
    return 0;
}

static int take_envelope(const struct taking *taking, const json_t *envelope)
{
    int error = 0;
    for (size_t i = 0; i < sizeof(takers) / sizeof(*takers) && error == 0; i++)
        if (strcmp(taking->study, takers[i].command) == 0)
            error = takers[i].take(taking, envelope);
    return error == 0 ? take_findings(taking, envelope) : error;
}

/* Load and stolen time are of the moment. */
static int take_doctor(struct comparing *comparing, size_t side)
{
    static const char *const momentary[] = {"load", "steal"};
    const struct taking taking = {comparing, "doctor", side};
    for (const struct check *const *check = check_registry; *check; check++) {
        struct advice advice = {0};
        check_judge(*check, &comparing->facts[side], &advice);
        const struct compare_word word = {.word = (char *)check_status_names[advice.status],
                                          .unsure = AMONG((*check)->name, momentary)};
        if (take(&taking, (*check)->name, &word) < 0)
            return -ENOMEM;
    }
    return 0;
}

int compare_take_claims(struct comparing *comparing, struct failure *failure)
{
    int error = 0;
    for (size_t i = 0; i < comparing->reported.count && error == 0; i++) {
        const struct reported_run *judged = &comparing->reported.list[i];
        const struct taking taking = {comparing, judged->run->command, comparing->side_of[i]};
        if (judged->retold.envelope)
            error = take_envelope(&taking, judged->retold.envelope);
    }
    for (size_t side = 0; side < comparing->file.side_count && error == 0; side++)
        error = take_doctor(comparing, side);
    return error < 0 ? fail_with(failure, error, "out of memory") : 0;
}
