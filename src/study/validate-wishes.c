/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What would be worth knowing of one event, the most important first: the ladder of the specimen
 * that counts it best, code that must not move it, other specimens, other ways, other cores. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "studies/validate/plan.h"

#define LADDER_TOP   UINT64_C(1000000)
#define FIRST_RUNGS  UINT64_C(1000) /* the ladder up to here comes before everything else */
#define LONG_N       UINT64_C(1000000)
#define CLOSE_ENOUGH 10u /* bisection ends when two N differ by less than this part */

struct wishing {
    const struct validate_study *study;
    const struct validate_subject *subject;
    struct validate_wishes *wishes;
    size_t primary;
    int error;
};

static const struct catalogue_truth *truth_of(const struct validate_study *study, size_t specimen,
                                              const char *class)
{
    const struct catalogue_specimen *known = study->specimens[specimen].known;
    for (size_t i = 0; class && i < known->truth_count; i++)
        if (strcmp(known->truths[i].class, class) == 0)
            return &known->truths[i];
    return NULL;
}

/* Does more work mean more counts? */
static bool grows(const struct catalogue_truth *truth)
{
    return truth && (truth->each > 0 || (strcmp(truth->grade, "bounded") == 0 &&
                                         truth->high_each > 0 && truth->each >= 0));
}

/* Smaller is better. A lower limit of 0 can never be missed, so it comes last. */
static unsigned rank_of(const struct validate_study *study, size_t specimen,
                        const struct catalogue_truth *truth)
{
    unsigned grade = strcmp(truth->grade, "proven") == 0    ? 0
                     : strcmp(truth->grade, "bounded") == 0 ? 1
                                                            : 2;
    unsigned parameters = *study->specimens[specimen].known->parameters != 0;
    unsigned fixed = truth->each <= 0, odd = truth->base != 0 || truth->each != 1;
    return 32 * grade + 8 * fixed + 4 * parameters + odd;
}

size_t validate_primary(const struct validate_study *study, const char *class)
{
    size_t best = VALIDATE_NO_SPECIMEN;
    unsigned best_rank = 0;
    for (size_t i = 0; i < study->specimen_count; i++) {
        const struct catalogue_truth *truth = truth_of(study, i, class);
        if (!grows(truth))
            continue;
        unsigned rank = rank_of(study, i, truth);
        if (best == VALIDATE_NO_SPECIMEN || rank < best_rank) {
            best = i;
            best_rank = rank;
        }
    }
    return best;
}

static bool has_wish(const struct validate_wishes *wishes, const struct validate_wish *wish)
{
    for (size_t i = 0; i < wishes->count; i++) {
        const struct validate_wish *other = &wishes->list[i];
        if (other->specimen == wish->specimen && other->n == wish->n && other->way == wish->way &&
            other->cpu == wish->cpu && other->with_interrupts == wish->with_interrupts)
            return true;
    }
    return false;
}

static void add(struct wishing *wishing, struct validate_wish wish)
{
    const struct catalogue_specimen *known = wishing->study->specimens[wish.specimen].known;
    struct validate_wishes *wishes = wishing->wishes;
    if (wishing->error)
        return;
    if (wish.n < known->min_n)
        wish.n = known->min_n;
    if (wish.n > known->max_n)
        wish.n = known->max_n;
    if (has_wish(wishes, &wish))
        return;
    struct validate_wish *grown =
        realloc(wishes->list, (wishes->count + 1) * sizeof(*wishes->list));
    if (!grown) {
        wishing->error = -ENOMEM;
        return;
    }
    wishes->list = grown;
    grown[wishes->count++] = wish;
}

static void add_rungs(struct wishing *wishing, uint64_t from, uint64_t to)
{
    for (uint64_t n = 1; n <= to; n *= 10)
        if (n >= from)
            add(wishing,
                (struct validate_wish){.specimen = wishing->primary, .n = n, .ladder = true});
}

/* Between the N that reads 0 and the one that does not: powers of two apart at first, then three
 * points a round. */
static void add_bisection(struct wishing *wishing)
{
    uint64_t low = wishing->subject->zero_to, high = wishing->subject->counts_from;
    if (!low || high <= low + low / CLOSE_ENOUGH)
        return;
    for (uint64_t n = low; n <= high / 2; n *= 2)
        add(wishing, (struct validate_wish){.specimen = wishing->primary, .n = n});
    for (uint64_t part = 1; high / 2 <= low && part <= 3; part++)
        add(wishing, (struct validate_wish){.specimen = wishing->primary,
                                            .n = low + (high - low) * part / 4});
}

/* Every other specimen whose count of the class grows; those whose memory has to be made ready
 * (they take parameters) come last. */
static void add_others(struct wishing *wishing, uint64_t n)
{
    const struct validate_study *study = wishing->study;
    for (int with_parameters = 0; with_parameters < 2; with_parameters++)
        for (size_t i = 0; i < study->specimen_count; i++)
            if (i != wishing->primary && grows(truth_of(study, i, wishing->subject->class)) &&
                (*study->specimens[i].known->parameters != 0) == with_parameters)
                add(wishing, (struct validate_wish){.specimen = i, .n = n});
}

static bool is_named(const struct validate_study *study, size_t specimen, const char *name)
{
    return strcmp(study->specimens[specimen].known->name, name) == 0;
}

/* Code that does much of something else and none of this: it must not be counted. */
static void add_still(struct wishing *wishing, const char *name, uint64_t n)
{
    const struct validate_study *study = wishing->study;
    for (size_t i = 0; i < study->specimen_count; i++) {
        const struct catalogue_truth *truth = truth_of(study, i, wishing->subject->class);
        if (is_named(study, i, name) && truth && !grows(truth))
            add(wishing, (struct validate_wish){.specimen = i, .n = n});
    }
}

static void add_other_ways(struct wishing *wishing)
{
    for (size_t way = 1; way < wishing->subject->way_count; way++)
        add(wishing, (struct validate_wish){.specimen = wishing->primary, .n = 100, .way = way});
    for (size_t cpu = 1; cpu < wishing->subject->cpu_count; cpu++) {
        add(wishing, (struct validate_wish){.specimen = wishing->primary, .n = 100, .cpu = cpu});
        add(wishing, (struct validate_wish){.specimen = wishing->primary, .n = 1000, .cpu = cpu});
    }
}

static void add_interrupts(struct wishing *wishing)
{
    if (!wishing->study->interrupts || !wishing->subject->interrupts)
        return;
    for (uint64_t n = LADDER_TOP / 100; n <= LONG_N; n *= 10)
        add(wishing,
            (struct validate_wish){.specimen = wishing->primary, .n = n, .with_interrupts = true});
}

static void add_diagnosis(struct wishing *wishing)
{
    if (!wishing->subject->user_code)
        return;
    add_still(wishing, "getppid", 10);
    add_still(wishing, "pages", 10);
    add_still(wishing, "getppid", 1000);
    add_still(wishing, "pages", 1000);
}

int validate_wish_list(const struct validate_study *study, const struct validate_subject *subject,
                       struct validate_wishes *wishes)
{
    struct wishing wishing = {.study = study, .subject = subject, .wishes = wishes};
    *wishes = (struct validate_wishes){0};
    wishing.primary = validate_primary(study, subject->class);
    if (wishing.primary == VALIDATE_NO_SPECIMEN)
        return 0;
    add_bisection(&wishing);
    add_rungs(&wishing, 1, FIRST_RUNGS);
    if (!subject->brief || subject->deviates) {
        add_still(&wishing, "loop", 10);
        add_others(&wishing, 10);
        add_diagnosis(&wishing);
        if (subject->deviates) {
            /* What only one specimen does is blamed from three points of it at least. */
            add_others(&wishing, 100);
            add_others(&wishing, 1000);
            add_interrupts(&wishing);
        }
        add_still(&wishing, "loop", 1000);
        add_other_ways(&wishing);
        add_rungs(&wishing, FIRST_RUNGS, LADDER_TOP / 10);
        add_others(&wishing, 1000);
        add_interrupts(&wishing);
        add_rungs(&wishing, LADDER_TOP, LADDER_TOP);
        if (subject->deviates || study->full)
            add_others(&wishing, 100000);
    }
    if (wishing.error) {
        free(wishes->list);
        *wishes = (struct validate_wishes){0};
    }
    return wishing.error;
}
