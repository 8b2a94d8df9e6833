/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A case of comparison grows and is released. */
#include "commands/compare/judge.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* One more, zeroed; NULL: out of memory. */
static void *grow(void *list, size_t *count, size_t size)
{
    char **items = list;
    /* Doubled whenever the count is a power of two. */
    if ((*count & (*count - 1)) == 0) {
        char *grown = realloc(*items, (*count ? *count * 2 : 1) * size);
        if (!grown)
            return NULL;
        *items = grown;
    }
    char *item = *items + *count * size;
    memset(item, 0, size);
    ++*count;
    return item;
}

static bool same(const char *left, const char *right)
{
    return strcmp(left ? left : "", right ? right : "") == 0;
}

static bool copy(char **to, const char *from)
{
    *to = strdup(from ? from : "");
    return *to != NULL;
}

int compare_add_sides(struct compare_case *file, size_t count)
{
    file->sides = calloc(count, sizeof(*file->sides));
    if (!file->sides)
        return -ENOMEM;
    file->side_count = count;
    return 0;
}

struct compare_fact *compare_add_fact(struct compare_case *file, const char *key, const char *title,
                                      enum fact_weight weight)
{
    struct compare_fact *fact = grow(&file->facts, &file->fact_count, sizeof(*fact));
    if (!fact)
        return NULL;
    fact->weight = weight;
    fact->values = calloc(file->side_count, sizeof(*fact->values));
    return copy(&fact->key, key) && copy(&fact->title, title) && fact->values ? fact : NULL;
}

struct compare_claim *compare_add_claim(struct compare_case *file, const char *study,
                                        const char *subject)
{
    for (size_t i = 0; i < file->claim_count; i++)
        if (same(file->claims[i].subject, subject) && same(file->claims[i].study, study))
            return &file->claims[i];
    struct compare_claim *claim = grow(&file->claims, &file->claim_count, sizeof(*claim));
    if (!claim)
        return NULL;
    claim->sides = calloc(file->side_count, sizeof(*claim->sides));
    return copy(&claim->study, study) && copy(&claim->subject, subject) && claim->sides ? claim
                                                                                        : NULL;
}

/* FNV-1a, word by word. */
static uint64_t hash_of(const struct compare_quantity *quantity)
{
    const char *const words[] = {quantity->study, quantity->event, quantity->subject,
                                 quantity->factors, quantity->unit};
    uint64_t hash = UINT64_C(0xcbf29ce484222325);
    for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++)
        for (const char *byte = words[i] ? words[i] : "";; byte++) {
            hash = (hash ^ (unsigned char)*byte) * UINT64_C(0x100000001b3);
            if (!*byte)
                break;
        }
    return hash;
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
    const uint64_t hash = hash_of(like);
    for (size_t i = 0; i < file->quantity_count; i++)
        if (file->quantities[i].hash == hash && same_quantity(&file->quantities[i], like))
            return &file->quantities[i];
    struct compare_quantity *quantity =
        grow(&file->quantities, &file->quantity_count, sizeof(*quantity));
    if (!quantity)
        return NULL;
    quantity->hash = hash;
    quantity->timed = like->timed;
    quantity->margin = like->margin;
    quantity->program = like->program;
    quantity->sides = calloc(file->side_count, sizeof(*quantity->sides));
    const bool copied =
        copy(&quantity->study, like->study) && copy(&quantity->event, like->event) &&
        copy(&quantity->subject, like->subject) && copy(&quantity->factors, like->factors) &&
        copy(&quantity->unit, like->unit);
    return copied && quantity->sides ? quantity : NULL;
}

int compare_add_value(struct compare_quantity *quantity, size_t side, double value)
{
    struct compare_values *values = &quantity->sides[side];
    double *added = grow(&values->list, &values->count, sizeof(*added));
    if (!added)
        return -ENOMEM;
    *added = value;
    return 0;
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

int compare_say(struct compare_claim *claim, size_t side, const struct compare_word *word)
{
    struct compare_word *known = &claim->sides[side];
    if (known->word) {
        const bool other = !same(known->word, word->word);
        known->hits += word->hits;
        known->runs += word->runs;
        known->unsure = known->unsure || word->unsure || (other && !known->runs);
        return 0;
    }
    *known = *word;
    known->detail = NULL;
    if (!copy(&known->word, word->word))
        return -ENOMEM;
    return word->detail && !copy(&known->detail, word->detail) ? -ENOMEM : 0;
}

static void release_claims(struct compare_case *file)
{
    for (size_t i = 0; i < file->claim_count; i++) {
        struct compare_claim *claim = &file->claims[i];
        for (size_t side = 0; claim->sides && side < file->side_count; side++) {
            free(claim->sides[side].word);
            free(claim->sides[side].detail);
        }
        free(claim->sides);
        free(claim->study);
        free(claim->subject);
    }
    free(file->claims);
}

static void release_quantities(struct compare_case *file)
{
    for (size_t i = 0; i < file->quantity_count; i++) {
        struct compare_quantity *quantity = &file->quantities[i];
        for (size_t side = 0; quantity->sides && side < file->side_count; side++)
            free(quantity->sides[side].list);
        free(quantity->sides);
        free(quantity->study);
        free(quantity->event);
        free(quantity->subject);
        free(quantity->factors);
        free(quantity->unit);
    }
    free(file->quantities);
}

static void release_facts(struct compare_case *file)
{
    for (size_t i = 0; i < file->fact_count; i++) {
        struct compare_fact *fact = &file->facts[i];
        for (size_t side = 0; fact->values && side < file->side_count; side++)
            free(fact->values[side]);
        free(fact->values);
        free(fact->key);
        free(fact->title);
    }
    free(file->facts);
}

void compare_case_release(struct compare_case *file)
{
    release_claims(file);
    release_quantities(file);
    release_facts(file);
    for (size_t i = 0; i < file->side_count; i++) {
        free(file->sides[i].label);
        free(file->sides[i].fingerprint);
        free(file->sides[i].counter);
    }
    free(file->sides);
    *file = (struct compare_case){0};
}
