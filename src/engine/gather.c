/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Runs visits, watches over the store, and says how to go on. */
#include <errno.h>
#include <inttypes.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#include "base/cleanup.h"
#include "base/memory.h"
#include "base/monotonic.h"
#include "engine/finish.h"
#include "engine/gather.h"
#include "engine/options.h"
#include "engine/run-store.h"
#include "output/json.h"
#include "output/output.h"

/* ----------------------------------------------------------------------------------------------
 * The command line as a store records it, and what it says of the machine that was reached. */

char *gather_argv(const struct common_options *common)
{
    json_t *list = json_array();
    for (int i = 0; i < common->argc; i++)
        json_array_append_new(list, json_text(common->argv[i]));
    char *text = json_dumps(list, JSON_COMPACT);
    json_decref(list);
    return text;
}

/* What stood behind --via in a command line that gather_argv made. */
static char *via_of(const char *argv)
{
    json_t *list = json_loads(argv, 0, NULL);
    const char *via = "local";
    for (size_t i = 0; i < json_array_size(list); i++) {
        const char *word = json_string_value(json_array_get(list, i));
        const char *next = json_string_value(json_array_get(list, i + 1));
        if (word && strcmp(word, "--via") == 0 && next)
            via = next;
        else if (word && strncmp(word, "--via=", 6) == 0)
            via = word + 6;
    }
    char *copy = memory_copy(via);
    json_decref(list);
    return copy;
}

int gather_check_via(const struct common_options *common, const struct catalogue *catalogue,
                     const char *path, const struct store_info *info, struct failure *failure)
{
    const char *now = common->via;
    const char *then = via_of(info->argv);
    if (strcmp(info->fingerprint, catalogue->fingerprint) == 0 || strcmp(then, now) == 0)
        return 0;
    AUTO_TEXT struct text words = {0};
    text_put_shell(&words, then);
    return fail_with(failure, -ESTALE,
                     "the store %.300s was measured with --via %.300s, and --via %.100s is another "
                     "machine: resume it with the former, or start a new store",
                     path, text_string(&words), now);
}

uint64_t gather_seed(const struct seed *seed)
{
    uint32_t drawn = 0;
    if (seed->given)
        return seed->value;
    return getrandom(&drawn, sizeof(drawn), 0) == sizeof(drawn) ? drawn : 1;
}

/* ----------------------------------------------------------------------------------------------
 * Opens the session of a command, and knows which exit code each failure to do so deserves. */

#define HELLO_PATIENCE_MS 10000

static int exit_code_of(int error)
{
    switch (error) {
    case -EINTR:
        return EXIT_INTERRUPTED;
    case -EINVAL: /* --via names no transport */
        return EXIT_USAGE;
    case -ENODEV: /* the transport is known, and nothing is there */
        return EXIT_LACKING;
    default:
        return EXIT_FAILED;
    }
}

int reach_machine(const char *command, const struct common_options *common,
                  struct session **session, const struct catalogue **catalogue)
{
    struct failure failure = {0};
    int error = session_open(session, common->via, HELLO_PATIENCE_MS, &interrupted, &failure);
    if (error < 0)
        return deliver_failure(command, &failure, exit_code_of(error));
    if (catalogue)
        *catalogue = session_catalogue(*session);
    return EXIT_DONE;
}

/* ----------------------------------------------------------------------------------------------
 * Runs visits, watches over the store, and says how to go on. */

/* Visits of a plan that go into the store at once. It takes some ms, in which nobody asks for
 * signals or the time. */
#define PIECE 1024u

struct receiving {
    const struct gathering *gathering;
    struct progress progress;
    int64_t deadline; /* monotonic ms; 0: none */
    size_t stored;    /* of the gathering's rest */
    bool began;       /* a visit was asked for */
    /* Of the visit under way. */
    uint64_t began_ns, inside_ns, runs;
};

static void time_batch(struct receiving *receiving, const struct batch *batch)
{
    receiving->runs += batch->runs;
    for (uint32_t run = 0; run < batch->runs; run++)
        receiving->inside_ns += batch->enabled[(size_t)run * batch->counters];
}

static void time_visit(struct receiving *receiving, uint32_t cell)
{
    const struct gathering *gathering = receiving->gathering;
    uint64_t now = monotonic_ns();
    if (gathering->timed)
        gathering->timed(gathering->timed_context, cell, now - receiving->began_ns,
                         receiving->inside_ns, receiving->runs);
    receiving->began_ns = now;
    receiving->inside_ns = receiving->runs = 0;
}

static int receive_batch(void *context, const struct batch *batch, struct failure *failure)
{
    struct receiving *receiving = context;
    progress_samples(&receiving->progress, (uint64_t)batch->runs * batch->counters);
    time_batch(receiving, batch);
    return store_put_batch(receiving->gathering->store, batch, failure);
}

static int receive_ran(void *context, const struct sent_ran *ran, struct failure *failure)
{
    const struct gather_beside *beside = ((struct receiving *)context)->gathering->beside;
    return beside->ran(beside->context, ran, failure);
}

static int receive_call(void *context, const struct sent_call *call, struct failure *failure)
{
    const struct gather_beside *beside = ((struct receiving *)context)->gathering->beside;
    return beside->call(beside->context, call, failure);
}

/* What a failed process measured before it failed is not kept: a cell's processes are whole. */
static int receive_end(void *context, uint32_t cell, uint32_t process, enum visit_state state,
                       int error, const char *reason, struct failure *failure)
{
    struct receiving *receiving = context;
    struct store *store = receiving->gathering->store;
    const struct gather_beside *beside = receiving->gathering->beside;
    progress_step(&receiving->progress);
    time_visit(receiving, cell);
    int ending = beside && beside->ending
                     ? beside->ending(beside->context, cell, process, state, failure)
                     : 0;
    if (ending < 0)
        return ending;
    if (state == VISIT_FAILED) {
        int dropped = store_drop_visit(store, cell, process, failure);
        if (dropped < 0)
            return dropped;
    }
    return store_end_visit(store, cell, process, state, error, reason, failure);
}

static void receive_output(void *context, int stream, const char *bytes, size_t length)
{
    const struct receiving *receiving = context;
    const struct gather_beside *beside = receiving->gathering->beside;
    if (beside && beside->output) {
        beside->output(beside->context, stream, bytes, length);
        return;
    }
    AUTO_TEXT struct text line = {0};
    text_append(&line, bytes, length);
    deliver_remark(receiving->gathering->common, "probe: %s", text_string(&line));
}

/* "assay measure --resume --store FILE", ready to be pasted. */
static void put_resume_command(const struct gathering *gathering, struct text *out)
{
    const struct common_options *common = gathering->common;
    text_printf(out, "assay %s --resume --store ", gathering->command);
    text_put_shell(out, store_path(gathering->store));
    deliver_put_via(common, out);
}

static void say_how_to_resume(const struct gathering *gathering, size_t unstored, const char *what)
{
    struct store_info info = {0};
    struct failure ignored = {0};
    AUTO_TEXT struct text message = {0};
    /* Whoever keeps the result says how to go on with the whole. */
    if (gathering->common->retold)
        return;
    text_puts(&message, what);
    if (store_info(gathering->store, &info, &ignored) == 0)
        text_printf(&message, " after %" PRIu64 " of %" PRIu64 " processes", info.visits_done,
                    info.visits + unstored);
    store_info_release(&info);
    text_puts(&message, "; what was measured is kept");
    if (!gathering->once) {
        text_puts(&message, ". Go on with\n  ");
        put_resume_command(gathering, &message);
    }
    deliver_message(gathering->command, text_string(&message));
}

/* Shallow copies of those cells that are visited: others need not travel, and some that a store
 * holds are none of the probe's. */
static struct cell *visited_cells(const struct gathering *gathering, const struct visit *visits,
                                  size_t count, size_t *cell_count)
{
    struct cell *cells = memory_new(gathering->cell_count, sizeof(*cells));
    AUTO_MEMORY bool *visited = memory_new(gathering->cell_count + 1, sizeof(*visited));
    *cell_count = 0;
    /* Ids count from 1 in the order of the plan. */
    for (size_t i = 0; i < count; i++)
        if (visits[i].cell <= gathering->cell_count)
            visited[visits[i].cell] = true;
    for (size_t i = 0; i < gathering->cell_count; i++)
        if (gathering->cells[i].id <= gathering->cell_count && visited[gathering->cells[i].id])
            cells[(*cell_count)++] = gathering->cells[i];
    return cells;
}

static int run_visits(struct receiving *receiving, const struct visit *visits, size_t count,
                      struct failure *failure)
{
    const struct gathering *gathering = receiving->gathering;
    const struct gather_beside *beside = gathering->beside;
    const struct session_sink sink = {.context = receiving,
                                      .batch = receive_batch,
                                      .visit_end = receive_end,
                                      .ran = beside && beside->ran ? receive_ran : NULL,
                                      .call = beside && beside->call ? receive_call : NULL,
                                      .output = receive_output};
    const int64_t left = receiving->deadline ? receiving->deadline - monotonic_ms() : 0;
    size_t cell_count;
    AUTO_MEMORY struct cell *cells = visited_cells(gathering, visits, count, &cell_count);
    receiving->began = true;
    receiving->began_ns = monotonic_ns();
    /* 0 would be no limit; and the first visit is made however little there is. */
    return session_run(gathering->session, cells, cell_count, visits, count,
                       !receiving->deadline ? 0
                       : left < 1           ? 1
                                            : (uint64_t)left,
                       &sink, failure);
}

/* The next visits of the rest are put into the store, and made. */
static int run_piece(struct receiving *receiving, struct failure *failure)
{
    const struct gathering *gathering = receiving->gathering;
    const struct visit *piece = gathering->rest + receiving->stored;
    const size_t left = gathering->rest_count - receiving->stored;
    const size_t count = left < PIECE ? left : PIECE;
    if (interrupted)
        return fail_with(failure, -EINTR, "interrupted before the last %zu visits", left);
    if (receiving->began && receiving->deadline && monotonic_ms() >= receiving->deadline)
        return fail_with(failure, -ETIME, "the budget ran out before the last %zu visits", left);
    int error = store_put_plan(gathering->store, NULL, 0, piece, count, failure);
    if (error == 0)
        error = store_commit(gathering->store, failure);
    if (error < 0)
        return error;
    receiving->stored += count;
    return run_visits(receiving, piece, count, failure);
}

/* What the store lacks, and the rest of the plan. */
static int run_plan(struct receiving *receiving, const struct visit *visits, size_t count,
                    struct failure *failure)
{
    const struct gathering *gathering = receiving->gathering;
    progress_begin_part(&receiving->progress, "processes", count + gathering->rest_count,
                        gathering->common->quiet, gathering->part,
                        gathering->part ? gathering->budget : 0);
    AUTO_TEXT struct text answer = {0};
    text_printf(&answer,
                "assay %s: stopping when the process under way has ended, in %d seconds at the "
                "latest; Ctrl-C again stops at once\n",
                gathering->command, SESSION_STOP_MS / 1000);
    if (!gathering->common->quiet)
        signals_answer(text_string(&answer));
    if (gathering->budget && gathering->budget < INT64_MAX / 2)
        receiving->deadline = monotonic_ms() + (int64_t)gathering->budget;
    int error = count ? run_visits(receiving, visits, count, failure) : 0;
    while (error == 0 && receiving->stored < gathering->rest_count)
        error = run_piece(receiving, failure);
    signals_answer(NULL);
    progress_end(&receiving->progress);
    return error;
}

/* The samples are safe when this returns EXIT_DONE. */
static int settle(const struct gathering *gathering, bool complete)
{
    struct failure failure = {0};
    int error = complete && !gathering->more ? store_finish(gathering->store, &failure)
                                             : store_commit(gathering->store, &failure);
    if (error == -EBUSY && complete) {
        deliver_remark(gathering->common, "%s", failure.text);
        return EXIT_DONE;
    }
    return error < 0 ? deliver_failure(gathering->command, &failure, EXIT_FAILED) : EXIT_DONE;
}

static void say_what_is_resumed(const struct gathering *gathering, const struct store_info *info)
{
    const struct common_options *common = gathering->common;
    const char *path = store_path(gathering->store);
    if (common->retold)
        return;
    if (info->finished)
        deliver_remark(common, "%s is finished: these are its samples, nothing was measured now",
                       path);
    else
        deliver_remark(common, "resuming %s, %" PRIu64 " of %" PRIu64 " processes are done", path,
                       info->visits_done, info->visits + gathering->rest_count);
}

int gather(const struct gathering *gathering, bool *complete, struct failure *refusal)
{
    struct failure failure = {0};
    AUTO_FREE struct visit *visits = NULL;
    size_t count = 0;
    struct receiving receiving = {.gathering = gathering};
    struct store_info info = {0};
    int error = store_info(gathering->store, &info, refusal);
    bool finished = error == 0 && info.finished;
    if (error == 0 && gathering->resumed)
        say_what_is_resumed(gathering, &info);
    store_info_release(&info);
    if (error == 0)
        error = store_visits(gathering->store, true, &visits, &count, refusal);
    if (error < 0)
        return EXIT_FAILED;
    *complete = true;
    if (finished)
        return EXIT_DONE;
    error = gathering->resumed ? store_put_ended(gathering->store, NULL, &failure) : 0;
    if (error == 0 && count + gathering->rest_count)
        error = run_plan(&receiving, visits, count, &failure);
    const size_t unstored = gathering->rest_count - receiving.stored;
    if (error == -ETIME && gathering->cuts)
        error = store_strike_pending(gathering->store, &failure);
    if (error == -ETIME && store_put_ended(gathering->store, "budget", &failure) < 0)
        error = -EIO;
    *complete = error == 0;
    if (error == 0 || error == -ETIME) {
        int status = settle(gathering, *complete);
        if (status == EXIT_DONE && !*complete)
            say_how_to_resume(gathering, unstored, "the budget was used up");
        return status;
    }
    if (error != -EINTR)
        deliver_failure(gathering->command, &failure, EXIT_FAILED);
    struct failure unkept = {0};
    if (store_break_off(gathering->store, &unkept) < 0) {
        /* A store that failed before has said so already. */
        if (strcmp(unkept.text, failure.text) != 0)
            deliver_failure(gathering->command, &unkept, EXIT_FAILED);
    }
    if (!gathering->tells)
        say_how_to_resume(gathering, unstored, error == -EINTR ? "interrupted" : "broken off");
    return error == -EINTR ? EXIT_INTERRUPTED : EXIT_FAILED;
}

uint64_t gather_time_left(int64_t started, uint64_t budget, uint64_t reserve)
{
    uint64_t used = (uint64_t)(monotonic_ms() - started);
    uint64_t kept = budget / 10 < reserve ? budget / 10 : reserve;
    if (!budget)
        return UINT64_MAX;
    return used + kept < budget ? budget - kept - used : 0;
}

/* ----------------------------------------------------------------------------------------------
 * Runs one plan after the other. */

int planned_run(struct planned *planned, const struct cell *cells, size_t count, uint64_t budget,
                bool more)
{
    struct gathering *gathering = &planned->gathering;
    gathering->cells = cells;
    gathering->cell_count = count;
    gathering->budget = budget;
    gathering->more = more;
    int status = gather(gathering, planned->complete, &planned->failure);
    gathering->resumed = false;
    gathering->rest = NULL;
    gathering->rest_count = 0;
    return planned->failure.code ? deliver_failure(gathering->command, &planned->failure, status)
                                 : status;
}

int planned_failed(const struct planned *planned)
{
    return deliver_failure(planned->gathering.command, &planned->failure,
                           planned->failure.code == -EINTR ? EXIT_INTERRUPTED : EXIT_FAILED);
}

bool planned_may_go_on(const struct planned *planned, int status)
{
    return status == EXIT_DONE && *planned->complete;
}
