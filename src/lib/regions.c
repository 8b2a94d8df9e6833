/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: MIT
 *
 * Regions with a name: their names, and adding them up while the program runs. */
#define ASSAY_NO_INLINE
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "lib/calipers.h"

/* ----------------------------------------------------------------------------------------------
 * The names of regions. A place for a name is taken in a pool, filled by who took it, and published
 * by one exchange in the row of numbers: whoever is interrupted in between, by a thread or by a
 * handler of the same thread, keeps nobody waiting. */

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

static uint32_t region_number(const char *name)
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

/* 0: no region has ended under it. REGION_FURTHER: it is one of those that are added up together.
 */
static uint32_t region_number_of(const char *name)
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
    if (length >= REGION_SHOWN || name->length > KEPT) {
        /* Cuts off at a whole character, and says so. */
        size_t most = length < REGION_SHOWN - 4 ? length : REGION_SHOWN - 4;
        while (most && ((unsigned char)whole[most] & 0xc0) == 0x80)
            most--;
        memcpy(whole + most, "...", sizeof("..."));
    }
    snprintf(text, REGION_SHOWN, "%.63s", length ? whole : "(nothing to see)");
}

/* ----------------------------------------------------------------------------------------------
 * Regions with a name, added up while the program runs. This stands inside every region around: it
 * executes the same number of instructions every time but the first, takes no memory, and may be
 * interrupted by a handler that ends regions of the same calipers. */

static struct region_sums *sums_at(const struct regions *regions, uint32_t number)
{
    return (struct region_sums *)(void *)(regions->sums + (number - 1) * regions->stride);
}

/* Writes to every page, so that none is fetched from the kernel within a region. */
int regions_prepare(struct assay_calipers *calipers)
{
    struct regions *regions = calloc(1, sizeof(*regions));
    if (!regions)
        return -ENOMEM;
    /* Writes to every page of the names, but changes none. */
    for (size_t i = 0; i < sizeof(pool) / sizeof(pool[0]); i++)
        __atomic_fetch_or(&pool[i].taken, 0, __ATOMIC_RELAXED);
    for (uint32_t i = 0; i < ASSAY_REGIONS_MOST; i++) {
        struct region_name *none = NULL;
        __atomic_compare_exchange_n(&numbered[i], &none, NULL, false, __ATOMIC_RELAXED,
                                    __ATOMIC_RELAXED);
    }
    calipers->regions = regions;
    regions->stride = sizeof(struct region_sums) + calipers->count * sizeof(struct single_figures);
    regions->sums = calloc(REGION_FURTHER, regions->stride);
    if (!regions->sums)
        return -ENOMEM;
    for (uint32_t number = 1; number <= REGION_FURTHER; number++) {
        struct region_sums *sums = sums_at(regions, number);
        sums->all.counted = true;
        for (size_t i = 0; i < calipers->count; i++) {
            sums->single[i].least = __builtin_inf();
            sums->single[i].most = -__builtin_inf();
        }
    }
    return 0;
}

void regions_free(struct assay_calipers *calipers)
{
    if (calipers->regions)
        free(calipers->regions->sums);
    free(calipers->regions);
    calipers->regions = NULL;
}

const struct region_sums *regions_sums(const struct assay_calipers *calipers, uint32_t number)
{
    if (!calipers->regions || calipers->forked || !number || number > REGION_FURTHER)
        return NULL;
    const struct region_sums *sums = sums_at(calipers->regions, number);
    return sums->regions ? sums : NULL;
}

/* one where the condition holds, else the other: by bits, because a branch would make the number of
 * instructions depend on what was counted. */
static inline double choose(bool condition, double one, double other)
{
    uint64_t bits[2], mask = 0 - (uint64_t)condition;
    memcpy(&bits[0], &one, sizeof(one));
    memcpy(&bits[1], &other, sizeof(other));
    bits[0] = (bits[0] & mask) | (bits[1] & ~mask);
    memcpy(&one, &bits[0], sizeof(one));
    return one;
}

/* The counters were shared: what they did not see is guessed, region by region. Where the path does
 * not tell for how long, there is no guess. */
static __attribute__((noinline)) double guess(struct region_sums *sums, size_t index,
                                              const struct region_reading *reading)
{
    struct counter_report report = {reading->raw[index], reading->enabled_ns, reading->running_ns};
    enum assay_state state = reading->enabled_ns ? counter_state(&report) : ASSAY_MULTIPLEXED;
    if (state > sums->worst)
        sums->worst = state;
    double scaled = counter_scale(&report);
    if (!reading->enabled_ns)
        sums->single[index].guessed = __builtin_inf();
    else if (reading->running_ns)
        sums->single[index].guessed += scaled - (double)report.count;
    return scaled;
}

static inline void add_reading(struct region_reading *all, const struct region_reading *one,
                               size_t count)
{
    for (size_t i = 0; i < count; i++)
        all->raw[i] += one->raw[i];
    all->enabled_ns += one->enabled_ns;
    all->running_ns += one->running_ns;
    all->length_ns += one->length_ns;
    all->ticks += one->ticks;
    all->measuring += one->measuring;
    all->faults += one->faults;
    all->switches += one->switches;
    all->children += one->children;
    all->named += one->named;
}

static void add(const struct assay_calipers *calipers, struct region_sums *sums,
                const struct assay_frame *frame)
{
    struct region_reading reading;
    reading_of(calipers, frame, &reading);
    unsigned noticed = reading.noticed | (unsigned)!calipers->calibrated * ASSAY_NOT_CALIBRATED |
                       (unsigned)reading.lost * ASSAY_NOT_MEASURED;
    sums->regions++;
    sums->noticed_regions += noticed != 0;
    sums->disturbed += (noticed & ASSAY_SAW_DISTURBED) != 0;
    sums->all.noticed |= noticed;
    if (!reading.counted || reading.lost) {
        sums->unread++;
        return;
    }
    add_reading(&sums->all, &reading, calipers->count);
    double share = 1 / (double)(int64_t)(sums->regions - sums->unread);
    for (size_t i = 0; i < calipers->count; i++) {
        struct single_figures *single = &sums->single[i];
        const struct caliper *event = &calipers->events[i];
        double raw = net_reading(event, reading.raw[i], &reading);
        if (reading.noticed & ASSAY_SAW_MULTIPLEXING && is_counter(event))
            raw = guess(sums, i, &reading);
        /* As correct.c corrects a count, but for the window, which is the same for all of them. */
        double value = raw -
                       (double)(int64_t)reading.children * event->null[ASSAY_NULL_PAIR].middle -
                       (double)(int64_t)reading.named * event->null[ASSAY_NULL_NAMED].middle;
        double from_mean = value - single->mean;
        single->mean += from_mean * share;
        single->squares += from_mean * (value - single->mean);
        single->least = choose(value < single->least, value, single->least);
        single->most = choose(value > single->most, value, single->most);
    }
}

/* Something adds already: is it what this signal handler interrupted? If not, a handler left it for
 * good by longjmp. Stacks grow down, and a handler's frames lie below those it interrupted, or on
 * the stack for signals. */
static bool is_under_way(uintptr_t busy, uintptr_t frame)
{
    stack_t stack;
    if (sigaltstack(NULL, &stack) == 0 && stack.ss_flags & SS_ONSTACK)
        return true;
    return frame < busy;
}

/* The first time: takes other instructions than later, which the regions around will have counted.
 */
static __attribute__((noinline)) uint32_t give_number(struct assay_calipers *calipers,
                                                      struct assay_region *region,
                                                      const struct assay_frame *frame)
{
    uint32_t number = region_number(region->name);
    __atomic_store_n(&region->number, number, __ATOMIC_RELAXED);
    for (struct assay_frame *around = &calipers->frames[1]; around < frame; around++)
        around->noticed |= ASSAY_SAW_DISTURBED | NOTICED_MET;
    return number;
}

void regions_add(struct assay_calipers *calipers, struct assay_region *region,
                 const struct assay_frame *frame)
{
    struct regions *regions = calipers->regions;
    if (!region || calipers->forked)
        return;
    uintptr_t stack = (uintptr_t)__builtin_frame_address(0);
    if (regions->busy && is_under_way(regions->busy, stack)) {
        regions->dropped++;
        return;
    }
    regions->busy = stack;
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    uint32_t number = __atomic_load_n(&region->number, __ATOMIC_RELAXED);
    if (number - 1 >= REGION_FURTHER)
        number = give_number(calipers, region, frame);
    add(calipers, sums_at(regions, number), frame);
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    regions->busy = 0;
}

int assay_total(const char *name, size_t index, struct assay_region_total *total)
{
    if (!name || !total)
        return set_fail(-EINVAL, "assay_total needs a name and a place for the total");
    *total = (struct assay_region_total){0};
    const struct assay_calipers *calipers = calipers_here();
    if (!calipers)
        return set_fail(-ENODEV, "this thread has selected no calipers");
    if (index >= calipers->count)
        return set_fail(-EINVAL, "the calipers have %zu events, none with the index %zu",
                        calipers->count, index);
    if (calipers->forked)
        return set_fail(-ENOENT, "nothing was counted since fork: open calipers in the child");
    uint32_t number = region_number_of(name);
    const struct region_sums *sums =
        number == REGION_FURTHER ? NULL : regions_sums(calipers, number);
    if (!sums) {
        if (number == REGION_FURTHER)
            return set_fail(-ENOENT,
                            "no region has ended as %s with these calipers, or it was added up "
                            "with all others behind the first %d names",
                            name, ASSAY_REGIONS_MOST);
        return set_fail(-ENOENT, "no region has ended as %s with the calipers of this thread",
                        name);
    }
    struct region_total found;
    region_total_of(calipers, sums, index, &found);
    *total = (struct assay_region_total){
        .regions = found.regions,
        .raw = found.raw,
        .corrected = found.corrected,
        .uncertainty = region_total_uncertainty(&found),
        .minimum = found.single.least,
        .maximum = found.single.most,
        .deviation = region_total_deviation(&found),
        .noticed_regions = found.noticed_regions,
        .noticed = found.noticed,
        .state = found.state,
    };
    return 0;
}
