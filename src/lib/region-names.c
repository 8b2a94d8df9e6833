/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: MIT
 *
 * The names of regions. A place for a name is taken in a pool, filled by who took it, and published
 * by one exchange in the row of numbers: whoever is interrupted in between, by a thread or by a
 * handler of the same thread, keeps nobody waiting. */
#define ASSAY_NO_INLINE
#include "lib/region-names.h"

#include <stdio.h>
#include <string.h>

#include "base/printable.h"

#define KEPT  120 /* bytes of a name; longer ones are told apart by length and hash */
#define SPARE 64  /* places for threads that name something at the same moment */

struct region_name {
    uint32_t taken;
    uint64_t hash;
    size_t length; /* of the whole name */
    char bytes[KEPT];
};

static struct region_name pool[ASSAY_REGIONS_MOST + SPARE];
static struct region_name *numbered[ASSAY_REGIONS_MOST]; /* without gaps: the first NULL ends it */
static uint32_t further;                                 /* not 0: some name found no number */

static void describe(struct region_name *described, const char *name)
{
    uint64_t hash = 14695981039346656037u; /* FNV-1a */
    size_t length = strlen(name);
    for (size_t i = 0; i < length; i++)
        hash = (hash ^ (unsigned char)name[i]) * 1099511628211u;
    described->hash = hash;
    described->length = length;
    memcpy(described->bytes, name, length < KEPT ? length : KEPT);
}

static bool same(const struct region_name *one, const struct region_name *other)
{
    size_t kept = one->length < KEPT ? one->length : KEPT;
    return one->hash == other->hash && one->length == other->length &&
           memcmp(one->bytes, other->bytes, kept) == 0;
}

static struct region_name *at(uint32_t index)
{
    return __atomic_load_n(&numbered[index], __ATOMIC_ACQUIRE);
}

/* The number under which it is published; 0: none. */
static uint32_t find(const struct region_name *wanted)
{
    for (uint32_t i = 0; i < ASSAY_REGIONS_MOST; i++) {
        const struct region_name *name = at(i);
        if (!name)
            return 0;
        if (same(name, wanted))
            return i + 1;
    }
    return 0;
}

static struct region_name *take_place(void)
{
    for (size_t i = 0; i < sizeof(pool) / sizeof(pool[0]); i++) {
        uint32_t none = 0;
        if (__atomic_load_n(&pool[i].taken, __ATOMIC_RELAXED) == 0 &&
            __atomic_compare_exchange_n(&pool[i].taken, &none, 1, false, __ATOMIC_ACQUIRE,
                                        __ATOMIC_RELAXED))
            return &pool[i];
    }
    return NULL;
}

/* Behind the last name, unless somebody else publishes the same meanwhile. */
static uint32_t publish(struct region_name *name)
{
    for (uint32_t i = 0; i < ASSAY_REGIONS_MOST; i++) {
        struct region_name *there = NULL;
        if (__atomic_compare_exchange_n(&numbered[i], &there, name, false, __ATOMIC_ACQ_REL,
                                        __ATOMIC_ACQUIRE))
            return i + 1;
        if (same(there, name)) {
            __atomic_store_n(&name->taken, 0, __ATOMIC_RELEASE);
            return i + 1;
        }
    }
    __atomic_store_n(&name->taken, 0, __ATOMIC_RELEASE);
    return 0;
}

uint32_t region_number(const char *name)
{
    struct region_name wanted;
    describe(&wanted, name ? name : "(no name)");
    uint32_t number = find(&wanted);
    if (number)
        return number;
    struct region_name *place = at(ASSAY_REGIONS_MOST - 1) ? NULL : take_place();
    if (place) {
        place->hash = wanted.hash;
        place->length = wanted.length;
        memcpy(place->bytes, wanted.bytes, wanted.length < KEPT ? wanted.length : KEPT);
        number = publish(place);
    }
    if (!number)
        __atomic_store_n(&further, 1, __ATOMIC_RELAXED);
    return number ? number : REGION_FURTHER;
}

uint32_t region_number_of(const char *name)
{
    struct region_name wanted;
    describe(&wanted, name);
    uint32_t number = find(&wanted);
    if (number)
        return number;
    return __atomic_load_n(&further, __ATOMIC_RELAXED) ? REGION_FURTHER : 0;
}

bool region_is_own(uint32_t number)
{
    const struct region_name *name = number <= ASSAY_REGIONS_MOST ? at(number - 1) : NULL;
    return name && name->length == 0;
}

/* Cuts off at a whole character, and says so. */
static void shorten(char *text, size_t most)
{
    while (most && ((unsigned char)text[most] & 0xc0) == 0x80)
        most--;
    memcpy(text + most, "...", sizeof("..."));
}

void region_shown(uint32_t number, char *text)
{
    const struct region_name *name = number <= ASSAY_REGIONS_MOST ? at(number - 1) : NULL;
    if (!name) {
        snprintf(text, REGION_SHOWN, "(all names behind the first %d)", ASSAY_REGIONS_MOST);
        return;
    }
    char whole[KEPT + 1];
    size_t length = printable_copy(whole, sizeof(whole), name->bytes,
                                   name->length < KEPT ? name->length : KEPT);
    for (size_t i = 0; i < length; i++)
        whole[i] = whole[i] == '\n' ? ' ' : whole[i];
    if (length >= REGION_SHOWN || name->length > KEPT)
        shorten(whole, length < REGION_SHOWN - 4 ? length : REGION_SHOWN - 4);
    snprintf(text, REGION_SHOWN, "%.63s", length ? whole : "(nothing to see)");
}
