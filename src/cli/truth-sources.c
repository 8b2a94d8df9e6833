/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Who can count a command here by executing it: the fastest first, and why others cannot. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cli/absences.h"
#include "cli/command-status.h"
#include "cli/deliver.h"
#include "studies/truth/study.h"

/* By speed; what a catalogue has beyond these comes behind them. */
static const char *const by_speed[] = {"qemu", "valgrind", "step"};
#define SPEEDS (sizeof(by_speed) / sizeof(*by_speed))

static size_t speed_of(const char *source)
{
    size_t place = 0;
    while (place < SPEEDS && strcmp(by_speed[place], source) != 0)
        place++;
    return place;
}

/* Something that counts by executing has classes of its own. */
static bool counts_by_executing(const struct catalogue_counter *counter)
{
    return counter->classes && *counter->classes;
}

static int compare_speed(const void *left, const void *right)
{
    const struct catalogue_counter *const *one = left, *const *other = right;
    const size_t first = speed_of((*one)->source), second = speed_of((*other)->source);
    return (first > second) - (first < second);
}

static void put_names(const struct truth_run *run, struct text *out)
{
    for (size_t i = 0; i < run->candidate_count; i++)
        text_printf(out, "%s%s", i ? ", " : "", run->candidates[i]->source);
}

/* The one that was asked for; -EINVAL, -ENODEV say why it is none. */
static int choose_one(struct truth_run *run, struct failure *failure)
{
    const char *wanted = run->options->source;
    for (size_t i = 0; i < run->candidate_count; i++)
        if (strcmp(run->candidates[i]->source, wanted) == 0) {
            run->candidates[0] = run->candidates[i];
            run->candidate_count = 1;
            return 0;
        }
    const struct catalogue_absence *absence = absences_find(run->catalogue, "counter", wanted);
    if (absence)
        return fail_with(failure, -ENODEV, "%.100s cannot count commands here: %.600s", wanted,
                         absence->reason);
    AUTO_TEXT struct text names = {0};
    put_names(run, &names);
    return fail_with(failure, -EINVAL,
                     "--source %.100s: nothing here counts commands by executing them under that "
                     "name%s%.300s",
                     wanted, names.length ? "; there are " : "", text_string(&names));
}

static int skip_absent(struct truth_run *run)
{
    int error = 0;
    for (size_t i = 0; i < run->catalogue->absence_count && error == 0; i++) {
        const struct catalogue_absence *absence = &run->catalogue->absences[i];
        if (strcmp(absence->kind, "counter") == 0 && strcmp(absence->name, "perf_event") != 0)
            error = skips_add(&run->skips, absence->name, absence->reason, absence->error);
    }
    return error;
}

static int find(struct truth_run *run, struct failure *failure)
{
    const struct catalogue *catalogue = run->catalogue;
    run->candidates = calloc(catalogue->counter_count + 1, sizeof(*run->candidates));
    if (!run->candidates)
        return fail_with(failure, -ENOMEM, "out of memory");
    for (size_t i = 0; i < catalogue->counter_count; i++)
        if (counts_by_executing(&catalogue->counters[i]))
            run->candidates[run->candidate_count++] = &catalogue->counters[i];
    if (run->candidate_count)
        qsort(run->candidates, run->candidate_count, sizeof(*run->candidates), compare_speed);
    if (run->options->source)
        return choose_one(run, failure);
    if (skip_absent(run) < 0)
        return fail_with(failure, -ENOMEM, "out of memory");
    if (run->candidate_count)
        return 0;
    return fail_with(failure, -ENODEV, "nothing here can count a command by executing it%s%.700s",
                     run->skips.count ? ": " : "",
                     run->skips.count ? run->skips.list[0].reason : "");
}

int truth_find_sources(struct truth_run *run)
{
    struct failure failure = {0};
    return find(run, &failure) < 0 ? truth_fail(&failure) : EXIT_DONE;
}
