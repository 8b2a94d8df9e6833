/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Is it the same plan? Asked when a run is resumed: the first thing that differs is named, so that
 * the user can put it right. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "machine/check.h"
#include "store/handle.h"

struct factor {
    const char *name;
    enum { FACTOR_TEXT, FACTOR_U32, FACTOR_U64, FACTOR_I32, FACTOR_BOOL, FACTOR_PATTERN } type;
    size_t offset;
};

static const struct factor factors[] = {
    {"path", FACTOR_TEXT, offsetof(struct cell, path)},
    {"pattern", FACTOR_PATTERN, offsetof(struct cell, pattern)},
    {"specimen", FACTOR_TEXT, offsetof(struct cell, specimen)},
    {"n", FACTOR_U64, offsetof(struct cell, n)},
    {"opt", FACTOR_TEXT, offsetof(struct cell, opt)},
    {"link", FACTOR_TEXT, offsetof(struct cell, link)},
    {"runs", FACTOR_U32, offsetof(struct cell, runs)},
    {"separate", FACTOR_BOOL, offsetof(struct cell, separate)},
    {"cpu", FACTOR_I32, offsetof(struct cell, cpu)},
    {"counters", FACTOR_U32, offsetof(struct cell, counters)},
};

static void factor_text(const struct factor *factor, const struct cell *cell, char *text,
                        size_t size)
{
    const void *member = (const char *)cell + factor->offset;
    switch (factor->type) {
    case FACTOR_TEXT:
        snprintf(text, size, "%s", *(char *const *)member ? *(char *const *)member : "none");
        break;
    case FACTOR_U32:
        snprintf(text, size, "%" PRIu32, *(const uint32_t *)member);
        break;
    case FACTOR_U64:
        snprintf(text, size, "%" PRIu64, *(const uint64_t *)member);
        break;
    case FACTOR_I32:
        snprintf(text, size, "%" PRId32, *(const int32_t *)member);
        break;
    case FACTOR_BOOL:
        snprintf(text, size, "%s", *(const bool *)member ? "yes" : "no");
        break;
    case FACTOR_PATTERN:
        snprintf(text, size, "%s", pattern_names[*(const enum pattern *)member]);
        break;
    }
}

struct comparison {
    const struct cell *cells;
    size_t count, seen;
    const char *path;
    struct failure *failure;
};

static int differs(const struct comparison *comparison, const char *what, const char *was,
                   const char *became)
{
    return fail_with(comparison->failure, -ESTALE,
                     "the store %s holds another plan: %s %s became %s. Resume with the options it "
                     "was started with, or start a new store.",
                     comparison->path, what, was, became);
}

/* Calls are too many to be told: it is said which one is another. */
static int compare_calls(const struct comparison *comparison, uint32_t cell, const char *was,
                         const char *now)
{
    for (size_t call = 1;; call++) {
        const int was_length = (int)strcspn(was, ","), now_length = (int)strcspn(now, ",");
        if (was_length != now_length || memcmp(was, now, (size_t)was_length) != 0) {
            char what[64], texts[2][96];
            snprintf(what, sizeof(what), "call %zu of the tour of cell %" PRIu32 ":", call, cell);
            snprintf(texts[0], sizeof(texts[0]), "%.*s", was_length, was);
            snprintf(texts[1], sizeof(texts[1]), "%.*s", now_length, now);
            return differs(comparison, what, was_length ? texts[0] : "none",
                           now_length ? texts[1] : "none");
        }
        if (!was[was_length] && !now[now_length])
            return 0;
        was += was_length + (was[was_length] == ',');
        now += now_length + (now[now_length] == ',');
    }
}

static int compare_tours(const struct comparison *comparison, const struct cell *was,
                         const struct cell *now)
{
    const struct cell_tour *before = &was->tour, *after = &now->tour;
    if (!before->calls && !after->calls)
        return 0;
    if (!before->calls || !after->calls)
        return differs(comparison, "a cell", before->calls ? "with a tour" : "without a tour",
                       after->calls ? "one with a tour" : "one without");
    if (strcmp(before->counted, after->counted) != 0)
        return differs(comparison, "the event counted by a tour:", before->counted, after->counted);
    if (before->open != after->open) {
        char counts[2][16];
        snprintf(counts[0], sizeof(counts[0]), "%" PRIu32, before->open);
        snprintf(counts[1], sizeof(counts[1]), "%" PRIu32, after->open);
        return differs(comparison, "open counters of a tour:", counts[0], counts[1]);
    }
    if (before->cold != after->cold)
        return differs(comparison, "a tour that was", before->cold ? "cold" : "warm",
                       after->cold ? "cold" : "warm");
    return compare_calls(comparison, was->id, before->calls, after->calls);
}

static const struct factor watch_factors[] = {
    {"workload of a watch:", FACTOR_TEXT, offsetof(struct cell, watch.workload)},
    {"length of a watch:", FACTOR_U64, offsetof(struct cell, watch.length)},
    {"threads of a watch:", FACTOR_U32, offsetof(struct cell, watch.threads)},
    {"moves of a watch:", FACTOR_U32, offsetof(struct cell, watch.moves)},
    {"handover of a watch:", FACTOR_BOOL, offsetof(struct cell, watch.handover)},
    {"awake CPUs during a watch:", FACTOR_BOOL, offsetof(struct cell, watch.awake)},
    {"partner of a watch:", FACTOR_I32, offsetof(struct cell, watch.partner)},
};

static const struct factor command_factors[] = {
    {"command", FACTOR_TEXT, offsetof(struct cell, command.words)},
    {"name of a command:", FACTOR_TEXT, offsetof(struct cell, command.name)},
    {"directory of a command:", FACTOR_TEXT, offsetof(struct cell, command.directory)},
    {"input of a command:", FACTOR_TEXT, offsetof(struct cell, command.input)},
    {"variables that a command keeps:", FACTOR_TEXT, offsetof(struct cell, command.keep)},
    {"step of a sweep:", FACTOR_U64, offsetof(struct cell, command.swept)},
    {"ms for a command:", FACTOR_U64, offsetof(struct cell, command.timeout)},
    {"output of a command shown:", FACTOR_BOOL, offsetof(struct cell, command.shown)},
};

static int compare_factors(const struct comparison *comparison, const struct factor *list,
                           size_t count, const struct cell *was, const struct cell *now)
{
    for (size_t i = 0; i < count; i++) {
        char before[256], after[256];
        factor_text(&list[i], was, before, sizeof(before));
        factor_text(&list[i], now, after, sizeof(after));
        if (strcmp(before, after) != 0)
            return differs(comparison, list[i].name, before, after);
    }
    return 0;
}

static int compare_watches(const struct comparison *comparison, const struct cell *was,
                           const struct cell *now)
{
    if (cell_same_watch(was, now))
        return 0;
    const char *before = watch_kind_names[was->watch.kind],
               *after = watch_kind_names[now->watch.kind];
    if (was->watch.kind != now->watch.kind)
        return differs(comparison, "kind of a watch:", *before ? before : "none",
                       *after ? after : "none");
    return compare_factors(comparison, watch_factors,
                           sizeof(watch_factors) / sizeof(watch_factors[0]), was, now);
}

/* Words can be longer than a sentence: the ends of long ones are left out, and may be what differs.
 */
static int compare_commands(const struct comparison *comparison, const struct cell *was,
                            const struct cell *now)
{
    const struct cell_command *before = &was->command, *after = &now->command;
    char settings[2][256];
    if (cell_same_command(was, now))
        return 0;
    if (!before->words || !after->words)
        return differs(comparison, "a cell", before->words ? "with a command" : "without a command",
                       after->words ? "one with a command" : "one without");
    int error = compare_factors(comparison, command_factors,
                                sizeof(command_factors) / sizeof(command_factors[0]), was, now);
    if (!error && before->controls != after->controls)
        error = differs(comparison, "setting of a command:",
                        setting_name(before->controls, settings[0], sizeof(settings[0])),
                        setting_name(after->controls, settings[1], sizeof(settings[1])));
    if (!error && before->sweep != after->sweep)
        error = differs(comparison,
                        "sweep of a command:", before->sweep ? sweep_names[before->sweep] : "none",
                        after->sweep ? sweep_names[after->sweep] : "none");
    if (!error && before->detail != after->detail)
        error = differs(comparison, "detail of a command:",
                        before->detail ? command_detail_names[before->detail] : "none",
                        after->detail ? command_detail_names[after->detail] : "none");
    return error ? error : differs(comparison, "the end of a long command:", "one", "another");
}

static int compare_cell(void *context, const struct stored_cell *stored)
{
    struct comparison *comparison = context;
    if (comparison->seen >= comparison->count)
        return comparison->seen++, 0;
    const struct cell *was = &stored->cell, *now = &comparison->cells[comparison->seen++];
    char cell_was[16], cell_now[16];
    snprintf(cell_was, sizeof(cell_was), "%" PRIu32, was->id);
    snprintf(cell_now, sizeof(cell_now), "%" PRIu32, now->id);
    if (was->id != now->id)
        return differs(comparison, "cell", cell_was, cell_now);
    for (uint32_t i = 0; i < was->counters && i < now->counters; i++)
        if (strcmp(was->events[i], now->events[i]) != 0)
            return differs(comparison, "event", was->events[i], now->events[i]);
    int error =
        compare_factors(comparison, factors, sizeof(factors) / sizeof(factors[0]), was, now);
    if (!error)
        error = compare_tours(comparison, was, now);
    if (!error)
        error = compare_watches(comparison, was, now);
    return error ? error : compare_commands(comparison, was, now);
}

/* Names what differs, as far as the store's facts tell; else only that something does. */
static int fail_other_machine(struct store *store, const struct store_info *info,
                              const struct store_run *run, struct failure *failure)
{
    AUTO_FACTS struct facts then = {0};
    char difference[400];
    int error = store_facts(store, &then, failure);
    if (error)
        return error;
    if (!machine_difference(&then, run->facts, difference, sizeof(difference)))
        snprintf(difference, sizeof(difference), "fingerprint %s became %s", info->fingerprint,
                 run->fingerprint);
    return fail_with(failure, -ESTALE,
                     "the store %.300s was started on another machine, or on this one before an "
                     "update: %s. Its samples and new ones do not belong together: start a new "
                     "store.",
                     store->path, difference);
}

static int compare_run(struct store *store, struct comparison *comparison,
                       const struct store_info *info, const struct store_run *run)
{
    if (strcmp(info->command, run->command) != 0)
        return differs(comparison, "command", info->command, run->command);
    if (strcmp(info->fingerprint, run->fingerprint) != 0)
        return fail_other_machine(store, info, run, comparison->failure);
    if (info->kit && run->kit && strcmp(info->kit, run->kit) != 0)
        return fail_with(comparison->failure, -ESTALE,
                         "the store %s was started with another build of the probe's kit: %s "
                         "became %s. Counts depend on the code around the window, so its samples "
                         "and new ones do not belong together: start a new store.",
                         comparison->path, info->kit, run->kit);
    if (info->seed != run->seed) {
        char was[32], now[32];
        snprintf(was, sizeof(was), "%" PRIu64, info->seed);
        snprintf(now, sizeof(now), "%" PRIu64, run->seed);
        return differs(comparison, "seed", was, now);
    }
    return 0;
}

int store_same_plan(struct store *store, const struct store_run *run, const struct cell *cells,
                    size_t cell_count, struct failure *failure)
{
    struct comparison comparison = {cells, cell_count, 0, store->path, failure};
    struct store_info info;
    int error = store_info(store, &info, failure);
    if (error)
        return error;
    error = compare_run(store, &comparison, &info, run);
    store_info_release(&info);
    if (!error)
        error = store_each_cell(store, compare_cell, &comparison, failure);
    if (!error && comparison.seen != cell_count) {
        char was[32], now[32];
        snprintf(was, sizeof(was), "%zu", comparison.seen);
        snprintf(now, sizeof(now), "%zu", cell_count);
        error = differs(&comparison, "number of cells", was, now);
    }
    return error;
}
