/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A case of comparison grows. */
#include "engine/compared.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "stats/moments.h"
#include "wire/command.h"

static bool same(const char *left, const char *right)
{
    return strcmp(left ? left : "", right ? right : "") == 0;
}

static char *copy(const char *from)
{
    return memory_copy(from ? from : "");
}

void compare_add_sides(struct compare_case *file, size_t count)
{
    file->sides = memory_new(count, sizeof(*file->sides));
    file->side_count = count;
}

struct compare_fact *compare_add_fact(struct compare_case *file, const char *key, const char *title,
                                      enum fact_weight weight)
{
    struct compare_fact *fact = memory_add(file->facts, file->fact_count);
    *fact = (struct compare_fact){copy(key), copy(title), weight,
                                  memory_new(file->side_count, sizeof(*fact->values))};
    return fact;
}

struct compare_claim *compare_add_claim(struct compare_case *file, const char *study,
                                        const char *subject)
{
    for (size_t i = 0; i < file->claim_count; i++)
        if (same(file->claims[i].subject, subject) && same(file->claims[i].study, study))
            return &file->claims[i];
    struct compare_claim *claim = memory_add(file->claims, file->claim_count);
    *claim = (struct compare_claim){copy(study), copy(subject),
                                    memory_new(file->side_count, sizeof(*claim->sides))};
    return claim;
}

static bool same_quantity(const struct compare_quantity *one, const struct compare_quantity *other)
{
    return same(one->factors, other->factors) && same(one->event, other->event) &&
           same(one->subject, other->subject) && same(one->study, other->study) &&
           same(one->unit, other->unit);
}

struct compare_quantity *compare_add_quantity(struct compare_case *file,
                                              const struct compare_quantity *like)
{
    /* FNV-1a, word by word. */
    const char *const words[] = {like->study, like->event, like->subject, like->factors,
                                 like->unit};
    uint64_t hash = UINT64_C(0xcbf29ce484222325);
    for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++)
        for (const char *byte = words[i] ? words[i] : "";; byte++) {
            hash = (hash ^ (unsigned char)*byte) * UINT64_C(0x100000001b3);
            if (!*byte)
                break;
        }

    for (size_t i = 0; i < file->quantity_count; i++)
        if (file->quantities[i].hash == hash && same_quantity(&file->quantities[i], like))
            return &file->quantities[i];
    struct compare_quantity *quantity = memory_add(file->quantities, file->quantity_count);
    *quantity = (struct compare_quantity){
        .study = copy(like->study),
        .event = copy(like->event),
        .subject = copy(like->subject),
        .factors = copy(like->factors),
        .unit = copy(like->unit),
        .program = like->program,
        .timed = like->timed,
        .margin = like->margin,
        .sides = memory_new(file->side_count, sizeof(*quantity->sides)),
        .hash = hash,
    };
    return quantity;
}

void compare_add_value(struct compare_quantity *quantity, size_t side, double value)
{
    *memory_add(quantity->sides[side].list, quantity->sides[side].count) = value;
}

double compare_common_step(double one, double other)
{
    while (other > 0) {
        const double rest = fmod(one, other);
        one = other;
        other = rest;
    }
    return one;
}

void compare_say(struct compare_claim *claim, size_t side, const struct compare_word *word)
{
    struct compare_word *known = &claim->sides[side];
    if (known->word) {
        const bool other = !same(known->word, word->word);
        known->hits += word->hits;
        known->runs += word->runs;
        known->unsure = known->unsure || word->unsure || (other && !known->runs);
        return;
    }
    *known = *word;
    known->word = copy(word->word);
    known->detail = memory_copy(word->detail);
}

/* --- what is measured --- */

/* Parts of names by which events depend on time and on what else runs, and their units. */
static const struct {
    const char *part, *unit;
} timed_events[] = {
    {"clock/ticks", "ticks"},
    {"cycles", "cycles"},
    {"task-clock", "ns"},
    {"cpu-clock", "ns"},
    {RUN_NANOSECONDS, "ns"},
    {"context-switches", "events"},
    {"cgroup-switches", "events"},
    {"migrations", "events"},
    {"interrupts", "events"},
    {"tsc", "ticks"},
    {"aperf", "cycles"},
    {"mperf", "cycles"},
    {"irq", "events"},
    {"sched", "events"},
};

void compared_classify(const char *event, struct compare_quantity *quantity)
{
    quantity->unit = strstr(event, "instructions") ? "instructions" : "events";
    quantity->timed = false;
    quantity->margin = 0;
    for (size_t i = 0; i < sizeof(timed_events) / sizeof(*timed_events); i++)
        if (strstr(event, timed_events[i].part)) {
            quantity->unit = timed_events[i].unit;
            quantity->timed = true;
            quantity->margin = COMPARE_TIME_MARGIN;
            return;
        }
}

struct compare_quantity *compared_quantity(const struct compared *compared,
                                           const struct compare_quantity *like)
{
    struct compare_quantity own = *like;
    own.study = compared->study;
    return compare_add_quantity(compared->file, &own);
}

void compared_median(const struct compared *compared, struct compare_quantity *quantity,
                     double *values, size_t count)
{
    if (!count)
        return;
    sort_values(values, count);
    double *step = &quantity->sides[compared->side].step;
    for (size_t i = 1; i < count && strcmp(quantity->unit, "ticks") == 0; i++)
        *step = compare_common_step(*step, values[i] - values[i - 1]);
    compare_add_value(quantity, compared->side, quantile(values, count, .5));
}
