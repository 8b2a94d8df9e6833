/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Part after part, each a command of its own in this process. What one lacks, or fails with, is no
 * reason not to try the next. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/monotonic.h"
#include "cli/deliver.h"
#include "cli/invoke.h"
#include "cli/retold.h"
#include "commands/run.h"
#include "show/progress.h"
#include "store/store.h"

#define MOST_WORDS 12

/* What is in the store of a part that began before. */
enum begun { BEGUN_NOTHING, BEGUN_UNFINISHED, BEGUN_WHOLE };

/* A run that ended before its plan was stored left nothing to go on with. */
static enum begun look_at_begun(const char *path)
{
    struct store *store = NULL;
    struct store_info info = {0};
    enum begun begun = BEGUN_NOTHING;
    if (store_open(&store, path, false, NULL) == 0 && store_info(store, &info, NULL) == 0)
        begun = info.finished ? BEGUN_WHOLE : info.cells ? BEGUN_UNFINISHED : BEGUN_NOTHING;
    store_info_release(&info);
    store_close(store);
    return begun;
}

/* --- what becomes of a part --- */

/* The first line of what a command said; else what it could not measure. */
static char *reason_of(const struct text *said, const struct retold *retold)
{
    const char *text = text_string(said);
    const json_t *skipped = json_array_get(json_object_get(retold->envelope, "skipped"), 0);
    const json_t *result = json_array_get(json_object_get(retold->envelope, "results"), 0);
    if (!*text)
        text = json_string_value(json_object_get(skipped, "reason"));
    /* Caches say it of every level. */
    if (!text)
        text = json_string_value(json_object_get(result, "measured_bytes_reason"));
    return text ? strndup(text, strcspn(text, "\n")) : NULL;
}

static void settle(struct run_part *part, int status, const struct text *said,
                   const struct retold *retold)
{
    free(part->reason);
    part->reason = NULL;
    if (status == EXIT_DONE) {
        part->state = PART_DONE;
        return;
    }
    /* What was interrupted can be gone on with. */
    if (status == EXIT_INTERRUPTED)
        return;
    part->state = status == EXIT_LACKING ? PART_LACKING : PART_FAILED;
    part->reason = reason_of(said, retold);
}

/* What the time did not hold is not planned any more: the part is whole as it is, and a store that
 * nobody will go on with must not say otherwise. */
static int close_part(const char *path, struct failure *failure)
{
    struct store *store = NULL;
    struct store_info info = {0};
    int error = store_open(&store, path, true, failure);
    if (error == 0)
        error = store_info(store, &info, failure);
    if (error == 0 && !info.finished)
        error = store_strike_pending(store, failure);
    if (error == 0 && !info.finished)
        error = store_finish(store, failure);
    store_info_release(&info);
    store_close(store);
    return error;
}

/* --- one part --- */

struct words {
    const char *list[MOST_WORDS];
    size_t count;
    char budget[32], seed[32];
};

static void add(struct words *words, const char *word)
{
    words->list[words->count++] = word;
}

static void compose(const struct running *running, size_t part, uint64_t budget_ms,
                    const char *store, bool resumed, struct words *words)
{
    const struct run_plan *plan = &running->plan;
    add(words, part_kinds[part].command);
    snprintf(words->budget, sizeof(words->budget), "%" PRIu64 "ms", budget_ms);
    snprintf(words->seed, sizeof(words->seed), "%" PRIu64, plan->seed);
    if (resumed) {
        add(words, "--resume");
    } else {
        add(words, "--seed");
        add(words, words->seed);
        if (run_is_quick(plan, part, budget_ms))
            add(words, "--quick");
    }
    add(words, "--budget");
    add(words, words->budget);
    add(words, "--store");
    add(words, store);
    if (running->via) {
        add(words, "--via");
        add(words, running->via);
    }
    if (running->options->common.quiet)
        add(words, "--quiet");
}

static int execute(struct running *running, size_t part, uint64_t budget_ms, const char *store,
                   bool resumed)
{
    struct run_part *state = &running->plan.parts[part];
    struct words words = {0};
    struct retold retold = {0};
    AUTO_TEXT struct text said = {0};
    compose(running, part, budget_ms, store, resumed, &words);
    deliver_divert(&said);
    int status = retell(words.list, words.count, &retold);
    deliver_divert(NULL);
    struct failure failure = {0};
    if (status == EXIT_DONE && access(store, F_OK) == 0 && close_part(store, &failure) < 0) {
        text_clear(&said);
        text_puts(&said, failure.text);
        status = EXIT_FAILED;
    }
    settle(state, status, &said, &retold);
    retold_release(&retold);
    return status;
}

/* --- what is said meanwhile --- */

static void tell_begin(const struct running *running, size_t part, uint64_t budget_ms)
{
    if (!isatty(STDERR_FILENO))
        deliver_remark(&running->options->common, "%zu of %d %s: about %" PRIu64 " s", part + 1,
                       RUN_PARTS, part_kinds[part].command, (budget_ms + 500) / 1000);
}

static void tell_end(const struct running *running, size_t part)
{
    const struct run_part *ended = &running->plan.parts[part];
    const char *state = ended->state == PART_BEGUN ? "interrupted" : part_state_name(ended->state);
    const char *colon = ended->reason ? ": " : "", *reason = ended->reason ? ended->reason : "";
    deliver_remark(&running->options->common, "%zu of %d %s: %s after %.1f s%s%s", part + 1,
                   RUN_PARTS, ended->kind->command, state, (double)ended->spent_ms / 1000, colon,
                   reason);
}

/* --- all --- */

static int keep_record(const struct running *running)
{
    struct failure failure = {0};
    return run_record_write(running, &failure) < 0 ? deliver_failure("run", &failure, EXIT_FAILED)
                                                   : EXIT_DONE;
}

/* Goes on where the store of the part has a beginning. */
static int measure_part(struct running *running, size_t part)
{
    struct run_part *state = &running->plan.parts[part];
    AUTO_FREE char *store = run_place_part(&running->place, part);
    if (!store)
        return deliver_out_of_memory("run");
    enum begun begun = state->state == PART_BEGUN ? look_at_begun(store) : BEGUN_NOTHING;
    if (begun == BEGUN_WHOLE) {
        state->state = PART_DONE;
        return keep_record(running);
    }
    if (begun == BEGUN_NOTHING)
        run_place_drop_part(&running->place, part);
    int64_t now = monotonic_ms();
    uint64_t left = running->ends > (uint64_t)now ? running->ends - (uint64_t)now : 0;
    uint64_t budget = run_share_ms(&running->plan, part, left);
    char words[64];
    snprintf(words, sizeof(words), "%zu of %d %s", part + 1, RUN_PARTS, state->kind->command);
    state->state = PART_BEGUN;
    int status = keep_record(running);
    if (status != EXIT_DONE)
        return status;
    tell_begin(running, part, budget);
    progress_outer(words, running->ends);
    status = execute(running, part, budget, store, begun == BEGUN_UNFINISHED);
    progress_outer(NULL, 0);
    state->spent_ms += (uint64_t)(monotonic_ms() - now);
    tell_end(running, part);
    running->was_interrupted |= status == EXIT_INTERRUPTED;
    return keep_record(running);
}

int run_measure(struct running *running)
{
    int status = EXIT_DONE;
    for (size_t i = 0; i < RUN_PARTS && status == EXIT_DONE; i++) {
        enum part_state state = running->plan.parts[i].state;
        running->was_interrupted |= interrupted > 0;
        if ((state == PART_WAITING || state == PART_BEGUN) && !running->was_interrupted)
            status = measure_part(running, i);
    }
    return status;
}
