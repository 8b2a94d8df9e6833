/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Source valgrind: runs the harness under Valgrind's tools. They count whole programs and know no
 * window, so the window is called once and twice: the difference is one pass, with what calling it
 * costs, and the same difference of the specimen `null` is that cost. Valgrind is deterministic, so
 * both are exact. Only the tools that the asked classes need are run. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/monotonic.h"
#include "probe/driver/workspace.h"
#include "probe/sources/program.h"
#include "probe/sources/valgrind.h"
#include "traced-code.h"

/* --- what it needs --- */

static int valgrind_usable(const char *kit, char *reason, size_t size)
{
    (void)kit;
    AUTO_FREE char *program = program_find("valgrind");
    if (program_emulated()) {
        snprintf(reason, size,
                 "programs are emulated here, and Valgrind runs those of the machine "
                 "itself; source qemu counts");
        return -EOPNOTSUPP;
    }
    if (program)
        return programs_die(reason, size) ? -EPERM : 0;
    snprintf(reason, size,
             "there is no valgrind on this machine: install it, for example with "
             "`apt-get install valgrind`");
    return -ENOENT;
}

/* --- which tools --- */

typedef uint64_t counts_of_tools[TOOL_COUNT][VALGRIND_COLUMN_COUNT];

struct plan {
    const struct source_visit *visit;
    const char *program;
    const struct specimen *specimen;
    struct specimen_parameters parameters;
    uint32_t classes;       /* asked for, as bits of valgrind_classes */
    bool tools[TOOL_COUNT]; /* to be run */
    bool traced;            /* counts alone would mislead: order comes from a trace */
    bool nothing_repeats;   /* in the specimen, and lackey is run: it counts instructions, too */
    struct image image;     /* of the harness */
};

static bool may_flush(const struct specimen *specimen)
{
    return specimen->text_begin &&
           traced_flushes((const uint8_t *)specimen->text_begin,
                          (size_t)(specimen->text_end - specimen->text_begin));
}

/* Surely without instructions that Valgrind splits into several? */
static bool is_plain(const struct specimen *specimen)
{
    if (specimen->form != SPECIMEN_CALLED)
        return true;
    return specimen->text_begin &&
           traced_plain((const uint8_t *)specimen->text_begin,
                        (size_t)(specimen->text_end - specimen->text_begin));
}

static enum valgrind_tool tool_for(const struct plan *plan, const struct valgrind_class *class)
{
    if (class->tool == TOOL_BBV && plan->nothing_repeats)
        return TOOL_LACKEY;
    return plan->traced && class->order ? TOOL_TRACE : class->tool;
}

static int plan_make(struct plan *plan, const struct source_visit *visit, const char *program)
{
    struct failure failure = {0};
    plan->visit = visit;
    plan->program = program;
    int result = specimen_parse(visit->job->specimen, &plan->specimen, &plan->parameters, &failure);
    if (result == 0)
        result = image_open(&plan->image, visit->harness, &failure);
    if (result < 0)
        return source_fail(visit, result, "%s", failure.text);
    plan->traced = !is_plain(plan->specimen);
    for (uint32_t index = 0; index < visit->job->counters; index++) {
        const struct valgrind_class *class = valgrind_class_find(source_class(visit, index));
        if (!class)
            return source_fail(visit, -ENOENT, "Valgrind cannot count %s",
                               source_class(visit, index));
        if (class->caches && may_flush(plan->specimen))
            return source_fail(visit, -ENOTSUP,
                               "the code of %s flushes caches, which cachegrind does not simulate",
                               plan->specimen->name);
        plan->classes |= 1u << (class - valgrind_classes);
        plan->tools[tool_for(plan, class)] = true;
    }
    plan->nothing_repeats = plan->tools[TOOL_LACKEY] && !plan->traced;
    if (plan->nothing_repeats)
        plan->tools[TOOL_BBV] = false;
    return 0;
}

/* What a tool counted of a class. */
static uint64_t count_of(const struct plan *plan, const struct valgrind_class *class,
                         counts_of_tools counts)
{
    enum valgrind_tool tool = tool_for(plan, class);
    if (class->tool == TOOL_BBV && tool == TOOL_LACKEY)
        return counts[tool][VALGRIND_INSTRUCTIONS_RAW];
    return valgrind_class_count(class, counts[tool]);
}

/* --- counting --- */

static int prepare_run(const struct plan *plan, enum valgrind_tool tool, struct valgrind_run *run)
{
    struct failure failure = {0};
    *run = (struct valgrind_run){
        .visit = plan->visit, .program = plan->program, .tool = tool, .image = &plan->image};
    if (tool != TOOL_CACHE && tool != TOOL_CACHE_L2 && tool != TOOL_TLB)
        return 0;
    int result = valgrind_geometry(tool, plan->specimen, plan->parameters, plan->classes,
                                   run->geometry, &failure);
    return result < 0 ? source_fail(plan->visit, result, "%s", failure.text) : 0;
}

/* What a pass with nothing in it costs, learnt once in a session. */
struct kept_pass {
    char key[256];
    uint64_t counts[VALGRIND_COLUMN_COUNT];
};
#define KEPT_MOST ((WORKSPACE_KEPT - sizeof(uint64_t)) / sizeof(struct kept_pass))
struct kept_passes {
    uint32_t count;
    struct kept_pass list[KEPT_MOST];
};
_Static_assert(sizeof(struct kept_passes) <= WORKSPACE_KEPT, "it must fit");

static bool recall(const struct kept_passes *kept, const char *key,
                   uint64_t counts[VALGRIND_COLUMN_COUNT])
{
    for (uint32_t index = 0; kept && index < kept->count && index < KEPT_MOST; index++)
        if (strcmp(kept->list[index].key, key) == 0) {
            memcpy(counts, kept->list[index].counts, sizeof(kept->list[index].counts));
            return true;
        }
    return false;
}

static void remember(struct kept_passes *kept, const char *key,
                     const uint64_t counts[VALGRIND_COLUMN_COUNT])
{
    if (!kept || kept->count >= KEPT_MOST)
        return;
    struct kept_pass *fresh = &kept->list[kept->count];
    snprintf(fresh->key, sizeof(fresh->key), "%s", key);
    memcpy(fresh->counts, counts, sizeof(fresh->counts));
    kept->count++; /* last: a process that is ended before leaves nothing */
}

/* What one more pass through the window adds. */
static int count_pass(const struct plan *plan, enum valgrind_tool tool, const char *specimen,
                      uint64_t n, uint64_t counts[VALGRIND_COLUMN_COUNT])
{
    struct valgrind_run run;
    uint64_t once[VALGRIND_COLUMN_COUNT] = {0};
    int result = prepare_run(plan, tool, &run);
    if (result < 0)
        return result;
    run.specimen = specimen;
    run.n = n;
    run.repeat = 1;
    result = valgrind_execute(&run, once);
    run.repeat = 2;
    if (result == 0)
        result = valgrind_execute(&run, counts);
    for (int column = 0; column < VALGRIND_COLUMN_COUNT; column++)
        counts[column] -= once[column];
    return result;
}

/* The same with nothing in the window. */
static int count_null(const struct plan *plan, enum valgrind_tool tool,
                      uint64_t counts[VALGRIND_COLUMN_COUNT])
{
    char key[sizeof(((struct kept_pass *)0)->key)];
    struct valgrind_run run;
    const struct job *job = plan->visit->job;
    int result = prepare_run(plan, tool, &run);
    if (result < 0)
        return result;
    int length =
        snprintf(key, sizeof(key), "%d %s %s %u %u %s %s %s", tool, job->path, job->opt,
                 job->pattern, job->separate, run.geometry[0], run.geometry[1], run.geometry[2]);
    bool fits = length > 0 && (size_t)length < sizeof(key);
    if (fits && recall(plan->visit->kept, key, counts))
        return 0;
    result = count_pass(plan, tool, "null", 1, counts);
    if (result == 0 && fits)
        remember(plan->visit->kept, key, counts);
    return result;
}

/* specimen NULL: nothing. */
static int count_tools(const struct plan *plan, const char *specimen, uint64_t n,
                       counts_of_tools counts)
{
    int result = 0;
    for (int tool = 0; tool < TOOL_COUNT && result == 0; tool++)
        if (plan->tools[tool])
            result = specimen
                         ? count_pass(plan, (enum valgrind_tool)tool, specimen, n, counts[tool])
                         : count_null(plan, (enum valgrind_tool)tool, counts[tool]);
    return result;
}

static int write_row(const struct plan *plan, uint32_t run, counts_of_tools counts,
                     counts_of_tools null)
{
    const struct source_visit *visit = plan->visit;
    for (uint32_t index = 0; index < visit->job->counters; index++) {
        const struct valgrind_class *class = valgrind_class_find(source_class(visit, index));
        enum valgrind_tool tool = tool_for(plan, class);
        if (class->bytes && tool == TOOL_TRACE &&
            counts[tool][VALGRIND_UNREADABLE] != null[tool][VALGRIND_UNREADABLE])
            return source_fail(visit, -ENOTSUP,
                               "%s executes code that was made at run time: Valgrind's trace does "
                               "not show which of it are branches",
                               visit->job->specimen);
        int64_t count = (int64_t)(count_of(plan, class, counts) - count_of(plan, class, null));
        if (count < 0)
            return source_fail(visit, -EIO,
                               "a second pass through the window with %s made %" PRId64
                               " fewer %s than one with nothing in it: Valgrind's caches and "
                               "predictors were warmer then. Choose a larger N",
                               visit->job->specimen, -count, class->name);
        source_put(visit, run, index, (uint64_t)count);
    }
    return 0;
}

/* lackey counts every way out of a block as a branch, cachegrind real ones only: where they differ,
 * what was taken is looked up in a trace. */
static bool branches_agree(const struct plan *plan, counts_of_tools counts, counts_of_tools null)
{
    if (!plan->tools[TOOL_LACKEY] || !plan->tools[TOOL_CACHE])
        return true;
    return counts[TOOL_LACKEY][VALGRIND_CONDITIONAL] - null[TOOL_LACKEY][VALGRIND_CONDITIONAL] ==
           counts[TOOL_CACHE][VALGRIND_CONDITIONAL] - null[TOOL_CACHE][VALGRIND_CONDITIONAL];
}

static bool asks_taken(const struct plan *plan)
{
    for (unsigned index = 0; valgrind_classes[index].name; index++)
        if ((plan->classes >> index & 1) &&
            strncmp(valgrind_classes[index].name, "cond-branches-", 14) == 0)
            return true;
    return false;
}

static int count_row(struct plan *plan, uint32_t run, counts_of_tools null)
{
    const struct source_visit *visit = plan->visit;
    counts_of_tools counts = {{0}};
    int result = count_tools(plan, visit->job->specimen, visit->job->n, counts);
    if (result < 0)
        return result;
    if (!plan->traced && asks_taken(plan) && !branches_agree(plan, counts, null)) {
        plan->traced = true;
        result = count_null(plan, TOOL_TRACE, null[TOOL_TRACE]);
        plan->tools[TOOL_TRACE] = true;
        if (result == 0)
            result = count_pass(plan, TOOL_TRACE, visit->job->specimen, visit->job->n,
                                counts[TOOL_TRACE]);
    }
    return result < 0 ? result : write_row(plan, run, counts, null);
}

static int count_all(struct plan *plan)
{
    counts_of_tools null = {{0}};
    /* Both accounts of branches, so that they can be compared. */
    if (!plan->traced && asks_taken(plan))
        plan->tools[TOOL_CACHE] = true;
    int result = count_tools(plan, NULL, 0, null);
    for (uint32_t run = 0; run < plan->visit->job->runs && result == 0; run++) {
        uint64_t begun = monotonic_ns();
        result = count_row(plan, run, null);
        if (result == 0)
            source_row_done(plan->visit, run, monotonic_ns() - begun);
    }
    return result;
}

static int valgrind_count(const struct source_visit *visit)
{
    struct plan plan = {0};
    AUTO_FREE char *program = program_find("valgrind");
    if (!program)
        return source_fail(visit, -ENOENT, "valgrind is gone");
    int result = plan_make(&plan, visit, program);
    if (result == 0)
        result = count_all(&plan);
    image_close(&plan.image);
    return result;
}

static const char *const classes[] = {"instructions",
                                      "instructions-raw",
                                      "loads",
                                      "stores",
                                      "cond-branches",
                                      "cond-branches-taken",
                                      "cond-branches-not-taken",
                                      "indirect-branches",
                                      "branch-misses",
                                      "l1d-misses",
                                      "l1d-load-misses",
                                      "l1i-load-misses",
                                      "llc-load-misses",
                                      "l2-misses",
                                      "dtlb-misses",
                                      "dtlb-load-misses",
                                      "itlb-load-misses",
                                      NULL};

const struct source source_valgrind = {
    .name = "valgrind",
    .summary =
        "Valgrind's tools run the harness: exact counts, and simulated caches and predictors",
    .classes = classes,
    .runs = 1,
    .needs_folder = true,
    .keeps = 1,
    .usable = valgrind_usable,
    .count = valgrind_count,
};
