/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Running a plan: cells and visits go out, samples come in, both at the same time. Every frame must
 * fit the plan: the right visit, the right runs, nothing twice and nothing missing. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/cleanup.h"
#include "base/memory.h"
#include "base/monotonic.h"
#include "engine/peer.h"

/* ----------------------------------------------------------------------------------------------
 * A look at the other machine's clocks, stamped with ours: when the question went out, and when
 * the answer was in. What lies between bounds how far the two can be told apart, so nothing is
 * done there that could be done before or after. */

#define NS_IN_S UINT64_C(1000000000)

static uint64_t now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC_RAW, &now);
    return (uint64_t)now.tv_sec * NS_IN_S + (uint64_t)now.tv_nsec;
}

/* Sends what still waits, so that the question goes out at once and by a write of its own. */
static int send_earlier(struct session *session, struct failure *failure)
{
    int status = peer_begin(session, failure);
    while (status == 0 && session->writer.pending.length) {
        if (peer_stopped(session))
            return peer_lost(session, failure, -EINTR, "interrupted");
        status = peer_receive(session, failure);
        if (status == 1)
            return peer_lost(session, failure, -EBADMSG,
                             "the probe sent a frame '%.40s' that nobody asked for",
                             session->frame.type);
    }
    return status;
}

static int put_question(struct session *session, const char *const *clocks, size_t count,
                        struct failure *failure)
{
    AUTO_TEXT struct text names = {0};
    struct external_clock plain;
    if (count < 1 || count > CELL_MAX_COUNTERS)
        return fail_with(failure, -EINVAL, "a look is at 1 to %d clocks, not at %zu",
                         CELL_MAX_COUNTERS, count);
    for (size_t i = 0; i < count; i++) {
        int status = external_clock_parse(clocks[i], &plain, failure);
        if (status < 0)
            return status;
        if (status == 1)
            return fail_with(failure, -EINVAL,
                             "the clock '%s' is not the probe's own: only a process made for it "
                             "reads that, never the probe itself",
                             plain.name);
        text_printf(&names, "%s%s", i ? "," : "", clocks[i]);
    }
    return peer_ask(session, "look", "clocks", text_string(&names), failure);
}

/* The question waits in the writer; the next thing is its write, the last one the read of the end
 * of its answer. */
static int exchange(struct session *session, uint64_t *sent, uint64_t *received,
                    struct failure *failure)
{
    session->reader.now = now_ns;
    session->reader.read_at = 0;
    *sent = now_ns();
    int status = peer_answer(session, failure);
    *received = session->reader.read_at;
    session->reader.now = NULL;
    if (status == 1 && *received < *sent) /* it was here already */
        return peer_lost(session, failure, -EBADMSG,
                         "the probe answered 'look' before it was asked");
    return status;
}

int session_look(struct session *session, const char *const *clocks, size_t count,
                 uint64_t *readings, uint64_t *sent, uint64_t *received, struct failure *failure)
{
    int status = send_earlier(session, failure);
    if (status == 0)
        status = put_question(session, clocks, count, failure);
    if (status == 0)
        status = exchange(session, sent, received, failure);
    if (status < 0)
        return status;
    if (strcmp(session->frame.type, "refused") == 0)
        return peer_refused(session, failure);
    if (strcmp(session->frame.type, "looked") != 0)
        return peer_lost(session, failure, -EBADMSG,
                         "the probe answered 'look' with a frame '%.40s'", session->frame.type);
    if (wire_get_column(&session->frame, "readings", readings, count) < 0)
        return peer_lost(session, failure, -EBADMSG,
                         "the probe's look at %zu clocks does not have as many readings", count);
    return 0;
}

/* ----------------------------------------------------------------------------------------------
 * Details of an execution as they arrive: what was executed (frames `ran`), and its system calls
 * (frames `call`). */

static int take_bytes(struct session *session, struct sent_ran *ran, struct failure *failure)
{
    const struct wire_field *bytes = wire_field(&session->frame, "bytes");
    if (!bytes || !bytes->length || bytes->length > DETAIL_MOST_STRETCH)
        return peer_lost(session, failure, -EBADMSG,
                         "'bytes' in the probe's frame 'ran' must be 1 to %u", DETAIL_MOST_STRETCH);
    ran->bytes = (const uint8_t *)bytes->value;
    ran->length = bytes->length;
    return 0;
}

static int take_ran(struct session *session, struct sent_ran *ran, struct failure *failure)
{
    uint64_t instructions;
    int status;
    if ((status = peer_string(session, "object", &ran->object, failure)) < 0 ||
        (status = peer_string(session, "function", &ran->function, failure)) < 0 ||
        (status = peer_number(session, "address", UINT64_MAX, &ran->address, failure)) < 0 ||
        (status = take_bytes(session, ran, failure)) < 0 ||
        (status = peer_number(session, "instructions", ran->length, &instructions, failure)) < 0 ||
        (status = peer_number(session, "executions", UINT64_MAX, &ran->executions, failure)) < 0 ||
        (status = peer_number(session, "repetitions", UINT64_MAX, &ran->repetitions, failure)) < 0)
        return status;
    ran->instructions = (uint32_t)instructions;
    if (!ran->instructions || !ran->executions || (ran->repetitions && ran->instructions != 1))
        return peer_lost(session, failure, -EBADMSG,
                         "the probe says that %u instructions were executed %llu times, and one of "
                         "them repeated %llu times, which cannot be",
                         ran->instructions, (unsigned long long)ran->executions,
                         (unsigned long long)ran->repetitions);
    return 0;
}

/* The frame `ran` of the visit under way, whose turn was checked, to the sink. The sink's own
 * failures come back through *sink_failed. */
static int detail_take_ran(struct session *session, const struct visit *visit,
                           const struct session_sink *sink, bool *sink_failed,
                           struct failure *failure)
{
    struct sent_ran ran = {.cell = visit->cell, .process = visit->process};
    int status = take_ran(session, &ran, failure);
    if (status < 0 || !sink->ran)
        return status;
    status = sink->ran(sink->context, &ran, failure);
    *sink_failed = status < 0;
    return status;
}

static int take_call(struct session *session, uint64_t calls, struct sent_call *call,
                     struct failure *failure)
{
    uint64_t task;
    int status;
    if ((status = peer_number(session, "position", UINT64_MAX, &call->position, failure)) < 0 ||
        (status = peer_number(session, "task", UINT32_MAX, &task, failure)) < 0 ||
        (status = peer_string(session, "name", &call->name, failure)) < 0 ||
        (status = peer_number(session, "asked", UINT64_MAX, &call->asked, failure)) < 0 ||
        (status = peer_number(session, "sum", UINT64_MAX, &call->sum, failure)) < 0 ||
        (status = peer_string(session, "what", &call->what, failure)) < 0)
        return status;
    call->task = (uint32_t)task;
    if (wire_get_i64(&session->frame, "result", &call->result) < 0)
        return peer_lost(session, failure, -EBADMSG,
                         "'result' in the probe's frame 'call' is no number");
    if (call->position != calls || !*call->name)
        return peer_lost(
            session, failure, -EBADMSG,
            "the probe sent system call %llu ('%.40s') of a command where the next was "
            "%llu",
            (unsigned long long)call->position, call->name, (unsigned long long)calls);
    return 0;
}

/* The same of the frame `call`; calls: how many there were of the visit. */
static int detail_take_call(struct session *session, const struct visit *visit, uint64_t calls,
                            const struct session_sink *sink, bool *sink_failed,
                            struct failure *failure)
{
    struct sent_call call = {.cell = visit->cell, .process = visit->process};
    int status = take_call(session, calls, &call, failure);
    if (status < 0 || !sink->call)
        return status;
    status = sink->call(sink->context, &call, failure);
    *sink_failed = status < 0;
    return status;
}

#define MAX_ERRNO    4095
#define FRAME_VISITS 1024u       /* visits in one frame */
#define SENT_AHEAD   (64u << 10) /* bytes that may wait to be sent */

/* Which end of the run has been asked for. */
enum ending { RUN_ON, STOPPED_BY_FLAG, OUT_OF_BUDGET };

struct run {
    struct session *session;
    const struct session_sink *sink;
    struct failure *failure;
    const struct cell **by_id; /* all cells, sorted */
    const struct cell *cells;
    size_t cell_count;
    const struct visit *visits;
    size_t visit_count;
    /* sending */
    size_t cells_sent;
    size_t visits_sent;
    bool going;
    enum ending ending; /* `stop` was sent when not RUN_ON */
    int64_t asked;      /* when that was; monotonic ms */
    /* receiving */
    size_t ended;             /* visits that have ended; the next one is visits[ended] */
    const struct cell *begun; /* the cell under way; NULL between visits */
    uint32_t runs_seen;       /* of the visit under way */
    uint64_t details_seen;    /* of the visit under way: frames `ran` or `call` */
    bool finished;
};

static int compare_ids(const void *a, const void *b)
{
    const struct cell *const *first = a;
    const struct cell *const *second = b;
    return ((*first)->id > (*second)->id) - ((*first)->id < (*second)->id);
}

static const struct cell *find_cell(const struct run *run, uint32_t id)
{
    struct cell wanted = {.id = id};
    const struct cell *key = &wanted;
    const struct cell **found =
        bsearch(&key, run->by_id, run->cell_count, sizeof(const struct cell *), compare_ids);
    return found ? *found : NULL;
}

/* The controller's own plan; a mistake here is ours, not the probe's. */
static int check_plan(struct run *run)
{
    run->by_id = memory_new(run->cell_count, sizeof(const struct cell *));
    for (size_t i = 0; i < run->cell_count; i++)
        run->by_id[i] = &run->cells[i];
    qsort(run->by_id, run->cell_count, sizeof(const struct cell *), compare_ids);
    for (size_t i = 1; i < run->cell_count; i++)
        if (run->by_id[i - 1]->id == run->by_id[i]->id)
            return fail_with(run->failure, -EINVAL, "the plan has two cells with the number %u",
                             run->by_id[i]->id);
    for (size_t i = 0; i < run->visit_count; i++)
        if (!find_cell(run, run->visits[i].cell))
            return fail_with(run->failure, -EINVAL,
                             "the plan visits cell %u, which it does not have",
                             run->visits[i].cell);
    return 0;
}

static void put_visits(struct run *run)
{
    AUTO_TEXT struct text list = {0};
    for (size_t i = 0; i < FRAME_VISITS && run->visits_sent < run->visit_count; i++) {
        const struct visit *visit = &run->visits[run->visits_sent++];
        text_printf(&list, "%s%u:%u", i ? "," : "", visit->cell, visit->process);
    }
    struct wire_writer *writer = &run->session->writer;
    wire_begin(writer, "visits");
    wire_put_string(writer, "list", text_string(&list));
    writer->pending.failed |= list.failed;
}

/* Puts the next frame of the plan together; false when there is none left. */
static bool put_next(struct run *run, int *status)
{
    struct wire_writer *writer = &run->session->writer;
    if (run->going || run->ending != RUN_ON)
        return false;
    if (run->cells_sent < run->cell_count) {
        *status = cell_put(writer, &run->cells[run->cells_sent++]);
        return true;
    }
    if (run->visits_sent < run->visit_count) {
        put_visits(run);
    } else {
        wire_begin(writer, "go");
        run->going = true;
    }
    *status = wire_end(writer);
    return true;
}

/* Keeps the sending buffer filled, but no more than that. */
static int send_ahead(struct run *run)
{
    int status = 0;
    while (status == 0 && run->session->writer.pending.length < SENT_AHEAD)
        if (!put_next(run, &status))
            break;
    if (status == 0 || status == -EPIPE) /* a peer that has gone is met by reading */
        return 0;
    return peer_lost(run->session, run->failure, status, "the plan could not be sent: %s",
                     strerror(-status));
}

static int send_stop(struct run *run, enum ending ending)
{
    run->ending = ending;
    run->asked = monotonic_ms();
    wire_begin(&run->session->writer, "stop");
    int status = wire_end(&run->session->writer);
    if (status == 0 || status == -EPIPE)
        return 0;
    return peer_lost(run->session, run->failure, status, "the probe could not be stopped: %s",
                     strerror(-status));
}

/* --- receiving --- */
static int mismatch(struct run *run, const char *what, uint32_t cell, uint32_t process)
{
    const struct visit *last = run->ended ? &run->visits[run->ended - 1] : NULL;
    if (!find_cell(run, cell))
        return peer_lost(run->session, run->failure, -EBADMSG,
                         "the probe sent '%s' of cell %u, which was never asked for", what, cell);
    if (last && !run->begun && last->cell == cell && last->process == process)
        return peer_lost(run->session, run->failure, -EBADMSG,
                         "the probe sent '%s' of cell %u, process %u after its end", what, cell,
                         process);
    return peer_lost(run->session, run->failure, -EBADMSG,
                     "the probe sent '%s' of cell %u, process %u when that was not its turn", what,
                     cell, process);
}

/* Is this the visit that is under way (begun) or next (not begun)? */
static bool is_due(const struct run *run, bool begun, uint64_t cell, uint64_t process)
{
    return run->going && run->ended < run->visit_count && (run->begun != NULL) == begun &&
           run->visits[run->ended].cell == cell && run->visits[run->ended].process == process;
}

/* Reads which visit the frame belongs to and checks that it is its turn. */
static int take_visit(struct run *run, const char *what, bool begun)
{
    uint64_t cell;
    uint64_t process;
    int status;
    if ((status = peer_number(run->session, "cell", UINT32_MAX, &cell, run->failure)) < 0 ||
        (status = peer_number(run->session, "process", UINT32_MAX, &process, run->failure)) < 0)
        return status;
    if (!is_due(run, begun, cell, process))
        return mismatch(run, what, (uint32_t)cell, (uint32_t)process);
    return 0;
}

static int take_begin(struct run *run)
{
    int status = take_visit(run, "begin", false);
    if (status < 0)
        return status;
    run->begun = find_cell(run, run->visits[run->ended].cell);
    run->runs_seen = 0;
    run->details_seen = 0;
    return 0;
}

/* A sink that failed has said why; the session cannot go on without it. */
static int sink_failed(struct run *run, int status)
{
    run->session->over = true;
    return status;
}

static int take_samples(struct run *run)
{
    struct failure cause = {0};
    struct batch batch;
    struct session *session = run->session;
    int status = take_visit(run, "samples", true);
    if (status < 0)
        return status;
    status = batch_get(&session->frame, &batch, &session->storage, &cause);
    if (status < 0)
        return peer_lost(session, run->failure, status, "%s", cause.text);
    if (batch.counters != run->begun->counters)
        return peer_lost(session, run->failure, -EBADMSG,
                         "the probe sent %u counters for cell %u, which has %u", batch.counters,
                         batch.cell, run->begun->counters);
    if (batch.first_run != run->runs_seen || batch.runs > run->begun->runs - run->runs_seen)
        return peer_lost(session, run->failure, -EBADMSG,
                         "the probe sent runs %u to %u of cell %u, process %u, but %u of %u were "
                         "there already",
                         batch.first_run, batch.first_run + batch.runs - 1, batch.cell,
                         batch.process, run->runs_seen, run->begun->runs);
    run->runs_seen += batch.runs;
    if (!run->sink->batch)
        return 0;
    status = run->sink->batch(run->sink->context, &batch, run->failure);
    return status < 0 ? sink_failed(run, status) : 0;
}

/* A detail that the cell under way asked for. */
static int take_detail(struct run *run, const char *what, enum command_detail detail)
{
    int status = take_visit(run, what, true);
    if (status < 0)
        return status;
    const struct visit *visit = &run->visits[run->ended];
    if (!run->begun->command.words || run->begun->command.detail != detail)
        return peer_lost(run->session, run->failure, -EBADMSG,
                         "the probe sent '%s' of cell %u, which does not ask for that", what,
                         visit->cell);
    if (run->details_seen >= DETAIL_MOST_FRAMES)
        return peer_lost(run->session, run->failure, -E2BIG,
                         "the probe sent more than %u frames '%s' of cell %u, process %u",
                         DETAIL_MOST_FRAMES, what, visit->cell, visit->process);
    return 0;
}

static int run_take_ran(struct run *run)
{
    bool refused = false;
    int status = take_detail(run, "ran", DETAIL_CODE);
    if (status == 0)
        status = detail_take_ran(run->session, &run->visits[run->ended], run->sink, &refused,
                                 run->failure);
    run->details_seen++;
    return refused ? sink_failed(run, status) : status;
}

static int run_take_call(struct run *run)
{
    bool refused = false;
    int status = take_detail(run, "call", DETAIL_CALLS);
    if (status == 0)
        status = detail_take_call(run->session, &run->visits[run->ended], run->details_seen,
                                  run->sink, &refused, run->failure);
    run->details_seen++;
    return refused ? sink_failed(run, status) : status;
}

static int take_end(struct run *run)
{
    const char *state;
    const char *reason;
    uint64_t error;
    int status = take_visit(run, "end", true);
    if (status < 0 || (status = peer_string(run->session, "state", &state, run->failure)) < 0 ||
        (status = peer_number(run->session, "error", MAX_ERRNO, &error, run->failure)) < 0 ||
        (status = peer_string(run->session, "reason", &reason, run->failure)) < 0)
        return status;
    const struct visit *visit = &run->visits[run->ended];
    const bool done = strcmp(state, "done") == 0;
    if (!done && strcmp(state, "failed") != 0)
        return peer_lost(run->session, run->failure, -EBADMSG,
                         "the probe ended cell %u in the unknown state '%.40s'", visit->cell,
                         state);
    if (done && run->runs_seen != run->begun->runs)
        return peer_lost(run->session, run->failure, -EBADMSG,
                         "the probe called cell %u, process %u done, but sent %u of %u runs",
                         visit->cell, visit->process, run->runs_seen, run->begun->runs);
    run->begun = NULL;
    run->ended++;
    if (!run->sink->visit_end)
        return 0;
    status =
        run->sink->visit_end(run->sink->context, visit->cell, visit->process,
                             done ? VISIT_DONE : VISIT_FAILED, (int)error, reason, run->failure);
    return status < 0 ? sink_failed(run, status) : 0;
}

static int take_output(struct run *run)
{
    uint64_t stream;
    int status = peer_number(run->session, "stream", 2, &stream, run->failure);
    if (status < 0)
        return status;
    const struct wire_field *bytes = wire_field(&run->session->frame, "bytes");
    if (!bytes || stream == 0)
        return peer_lost(run->session, run->failure, -EBADMSG,
                         "the probe sent an 'output' without stream or bytes");
    if (run->sink->output)
        run->sink->output(run->sink->context, (int)stream, bytes->value, bytes->length);
    return 0;
}

static int take_idle(struct run *run)
{
    if (!run->going || run->begun || run->ended != run->visit_count)
        return peer_lost(run->session, run->failure, -EBADMSG,
                         "the probe says it is done after %zu of %zu visits", run->ended,
                         run->visit_count);
    /* `stop` may have crossed this on the way; its answer is still to come. */
    run->finished = run->ending == RUN_ON;
    return 0;
}

static int take_stopped(struct run *run)
{
    if (run->ending == RUN_ON || run->begun)
        return peer_lost(run->session, run->failure, -EBADMSG,
                         "the probe stopped without being asked, or in the middle of a visit");
    run->finished = true;
    return 0;
}

static const struct {
    const char *type;
    int (*take)(struct run *run);
} frames[] = {
    {"samples", take_samples}, {"begin", take_begin},   {"end", take_end},
    {"output", take_output},   {"idle", take_idle},     {"stopped", take_stopped},
    {"ran", run_take_ran},     {"call", run_take_call},
};

static int take_frame(struct run *run)
{
    for (size_t i = 0; i < sizeof(frames) / sizeof(*frames); i++)
        if (strcmp(run->session->frame.type, frames[i].type) == 0)
            return frames[i].take(run);
    return peer_lost(run->session, run->failure, -EBADMSG,
                     "the probe sent a frame '%.40s', which has no place in a run",
                     run->session->frame.type);
}

/* Flags and clocks. deadline 0: none. */
static int look_up(struct run *run, int64_t deadline)
{
    const volatile int *stop = run->session->stop;
    if (stop && *stop > 1)
        return peer_lost(run->session, run->failure, -EINTR, "interrupted twice");
    if (run->ending == RUN_ON && stop && *stop)
        return send_stop(run, STOPPED_BY_FLAG);
    /* A spent budget asked already, and waits for the visit; who raises the flag does not. */
    if (run->ending == OUT_OF_BUDGET && stop && *stop) {
        run->ending = STOPPED_BY_FLAG;
        run->asked = monotonic_ms();
    }
    /* Who asks for an end does not wait for a visit of minutes; it stays pending. */
    if (run->ending == STOPPED_BY_FLAG && monotonic_ms() - run->asked >= SESSION_STOP_MS)
        return peer_lost(
            run->session, run->failure, -EINTR,
            "interrupted in the middle of a visit, after %d ms in which it did not end",
            SESSION_STOP_MS);
    if (run->ending == RUN_ON && deadline && monotonic_ms() >= deadline)
        return send_stop(run, OUT_OF_BUDGET);
    return 0;
}

int session_run(struct session *session, const struct cell *cells, size_t cell_count,
                const struct visit *visits, size_t visit_count, uint64_t budget_ms,
                const struct session_sink *sink, struct failure *failure)
{
    struct run run = {.session = session,
                      .sink = sink,
                      .failure = failure,
                      .cells = cells,
                      .cell_count = cell_count,
                      .visits = visits,
                      .visit_count = visit_count};
    session->running = true;
    const int64_t deadline =
        budget_ms && budget_ms < INT64_MAX / 2 ? monotonic_ms() + (int64_t)budget_ms : 0;
    int status = peer_begin(run.session, run.failure);
    if (status == 0)
        status = check_plan(&run);
    while (status == 0 && !run.finished) {
        if ((status = look_up(&run, deadline)) < 0 || (status = send_ahead(&run)) < 0)
            break;
        status = peer_receive(run.session, run.failure);
        if (status == 1)
            status = take_frame(&run);
    }
    session->running = false;
    memory_give_back(run.by_id);
    if (status < 0 || run.ended == visit_count)
        return status;
    if (run.ending == STOPPED_BY_FLAG)
        return fail_with(failure, -EINTR, "interrupted after %zu of %zu visits", run.ended,
                         visit_count);
    return fail_with(failure, -ETIME, "the budget ran out after %zu of %zu visits", run.ended,
                     visit_count);
}
