/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * One visit: a fresh process that runs one cell. Starts a harness, watches it, streams its samples.
 * While it runs the driver sleeps: it wakes for the end of the child, for the controller, for
 * output, and every tenth of a second to stream what a long visit has gathered; so that a short
 * visit is measured on a quiet machine. */
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/monotonic.h"
#include "probe/command/detail.h"
#include "probe/driver/session.h"

/* ----------------------------------------------------------------------------------------------
 * Details of commands on their way from the counting process to the controller: reads the file that
 * it left (probe/command/detail.h) and sends it on, each frame with the visit that it is of. */

/* An empty file for them; -1: the cell asks for none. Negative errno otherwise. */
static int details_open(const struct cell *cell, struct failure *failure)
{
    if (!cell->command.words || cell->command.detail == DETAIL_NONE)
        return -1;
    const int fd = descriptor_lift(memfd_create("assay-detail", MFD_CLOEXEC));
    return fd < 0 ? fail_with(failure, -errno, "no memory for details: %s", strerror(errno)) : fd;
}

/* Passes on what was written there. -EBADMSG with a text: that makes no sense, and nothing more of
 * it was sent; other negative errno: the controller is gone. *damaged tells the two apart. */
static int details_send(struct wire_writer *writer, struct planned_visit visit, int file,
                        bool *damaged, struct failure *failure)
{
    AUTO_FREE char *line = NULL;
    size_t size = 0;
    struct wire_frame frame;
    const int copy = dup(file);
    AUTO_FILE FILE *stream = copy < 0 ? NULL : fdopen(copy, "r");
    int more = stream && fseek(stream, 0, SEEK_SET) == 0 ? 1 : -1;
    if (more < 0)
        return *damaged = true, fail_with(failure, -EIO, "details cannot be read");
    while ((more = detail_next(stream, &line, &size, &frame, failure)) > 0) {
        wire_begin(writer, frame.type);
        wire_put_u64(writer, "cell", visit.cell);
        wire_put_u64(writer, "process", visit.process);
        for (size_t index = 0; index < frame.field_count; index++) {
            const struct wire_field *field = &frame.fields[index];
            wire_put_bytes(writer, field->key, field->value, field->length);
        }
        const int result = wire_end(writer);
        if (result < 0)
            return result;
    }
    *damaged = more < 0;
    return more;
}

/* --- The visit --- */

#define TICK_MS     100
#define ALIVE_MS    1000
#define PATIENCE_MS 20000
#define BATCH_RUNS  1024u
#define LAST_WORDS  400 /* bytes of standard error kept for the reason of a crash */

struct watch {
    struct session *session;
    struct planned_visit visit;
    struct known_cell *known;
    pid_t pid;
    uint32_t sent;          /* runs streamed so far */
    uint64_t sequence;      /* of the writer when it was last seen to move */
    int64_t spoken;         /* when that was, ms */
    char words[LAST_WORDS]; /* the end of its standard error */
    size_t word_count;
    uint32_t done; /* runs, when one was last seen to end */
    int64_t moved; /* when that was, ms */
    bool stuck;
    bool interrupted; /* the program was asked to end */
    int detail;       /* file for what the detail of a command asks for; -1: none */
};

static void fill_event(struct job_event *to, const struct event *event)
{
    to->attr = event->attr;
    snprintf(to->name, JOB_NAME, "%s", event->name);
    snprintf(to->target, JOB_NAME, "%s", event->target ? event->target : "");
    to->own = event->own;
    snprintf(to->counts, JOB_CLASS, "%s", event->counts ? event->counts : "");
}

static void fill_job(struct job *job, const struct known_cell *known)
{
    if (known->counter) /* has the cell itself */
        return;
    const struct cell *cell = &known->cell;
    snprintf(job->path, sizeof(job->path), "%s", cell->path);
    snprintf(job->opt, sizeof(job->opt), "%s", cell->opt);
    snprintf(job->specimen, sizeof(job->specimen), "%s", cell->specimen);
    job->pattern = cell->pattern;
    job->separate = cell->separate;
    job->cpu = cell->cpu;
    job->n = cell->n;
    if (cell->watch.kind != WATCH_NONE) {
        /* What the harness is asked for besides what every job says; the names of its events are
         * clocks. */
        const struct cell_watch *watch = &cell->watch;
        for (uint32_t index = 0; index < cell->counters; index++) {
            job->events[index] = (struct job_event){0};
            snprintf(job->events[index].name, JOB_NAME, "%s", cell->events[index]);
        }
        job->watch.kind = (uint32_t)watch->kind;
        snprintf(job->watch.workload, sizeof(job->watch.workload), "%s",
                 watch->workload ? watch->workload : "");
        job->watch.length = watch->length;
        job->watch.threads = watch->threads;
        job->watch.moves = watch->moves;
        job->watch.handover = watch->handover;
        job->watch.awake = watch->awake;
        job->watch.partner = watch->partner;
        return;
    }
    for (uint32_t index = 0; index < cell->counters; index++)
        fill_event(&job->events[index], &known->events[index]);
    if (!cell->tour.calls)
        return;
    job->tour.open = cell->tour.open;
    job->tour.cold = cell->tour.cold;
    fill_event(&job->tour.counted, &known->counted);
}

static bool needs_folder(const struct known_cell *known)
{
    return known->needs_folder || known->counter || (known->source && known->source->needs_folder);
}

static int prepare(struct watch *watch, struct failure *failure)
{
    struct session *session = watch->session;
    const struct cell *cell = &watch->known->cell;
    int result = cell_resolve(watch->known, &session->view, &session->kit, &session->offers);
    if (result < 0) {
        *failure = watch->known->failure;
        return result;
    }
    result = workspace_tour(&session->workspace, cell->runs, cell->counters,
                            cell->tour.calls ? cell->tour.calls : "", failure);
    if (result < 0)
        return result;
    fill_job(session->workspace.job, watch->known);
    if (needs_folder(watch->known))
        result = workspace_folder(&session->workspace, failure);
    if (result == 0 && (watch->detail = details_open(cell, failure)) < -1)
        result = watch->detail;
    return result;
}

static int send_end(struct watch *watch, int error, const char *reason)
{
    struct wire_writer *writer = &watch->session->writer;
    int result =
        wire_say(writer, "end", "cell=%u process=%u state=%s error=%d reason=%s", watch->visit.cell,
                 watch->visit.process, error ? "failed" : "done", error, reason);
    return result < 0 ? result : wire_flush(writer);
}

/* Streams finished runs; only whole batches while the child still works. */
static int stream(struct watch *watch, bool ended)
{
    struct job *job = watch->session->workspace.job;
    uint32_t done = __atomic_load_n(&job->runs_done, __ATOMIC_ACQUIRE);
    uint32_t runs = watch->known->cell.runs, counters = watch->known->cell.counters;
    if (done > runs)
        done = runs;
    while (watch->sent < done && (ended || done - watch->sent >= BATCH_RUNS)) {
        uint32_t first = watch->sent;
        uint32_t count = done - first < BATCH_RUNS ? done - first : BATCH_RUNS;
        size_t row = (size_t)first * counters;
        struct batch batch = {
            .cell = watch->visit.cell,
            .process = watch->visit.process,
            .first_run = first,
            .runs = count,
            .counters = counters,
            .values = job_values(job) + row,
            .enabled = job_enabled(job) + row,
            .running = job_running(job) + row,
            .accounts = job_accounts(job) + first,
        };
        int result = batch_put(&watch->session->writer, &batch);
        if (result < 0)
            return result;
        watch->sent += count;
    }
    return 0;
}

/* pieces: at most so many. A program that writes faster than they are taken would keep the probe
 * from hearing that it is to stop. */
static int pass_output(struct watch *watch, int outlet, size_t pieces)
{
    char buffer[16384];
    ssize_t got;
    while (pieces-- &&
           (got = read(watch->session->outlets.ours[outlet], buffer, sizeof(buffer))) > 0) {
        struct wire_writer *writer = &watch->session->writer;
        wire_begin(writer, "output");
        wire_put_i64(writer, "stream", outlet == OUTLET_OUTPUT ? 1 : 2);
        wire_put_bytes(writer, "bytes", buffer, (size_t)got);
        int result = wire_end(writer);
        if (result < 0)
            return result;
        if (outlet == OUTLET_ERROR) {
            const size_t length = (size_t)got;
            if (length >= LAST_WORDS) {
                memcpy(watch->words, buffer + length - LAST_WORDS, LAST_WORDS);
                watch->word_count = LAST_WORDS;
                continue;
            }
            size_t kept =
                watch->word_count + length <= LAST_WORDS ? watch->word_count : LAST_WORDS - length;
            memmove(watch->words, watch->words + watch->word_count - kept, kept);
            memcpy(watch->words + kept, buffer, length);
            watch->word_count = kept + length;
        }
    }
    return 0;
}

static bool is_counted_outside(const struct watch *watch)
{
    return watch->known->source && watch->known->source->count;
}

/* Executing instruction by instruction is not disturbed by frames, and keeps an emulated machine so
 * busy that its second is many of the controller's. */
static int stay_alive(struct watch *watch)
{
    int64_t interval =
        (is_counted_outside(watch) || (watch->known->counter && watch->known->counter->classes))
            ? TICK_MS
            : ALIVE_MS;
    struct wire_writer *writer = &watch->session->writer;
    int64_t now = monotonic_ms();
    if (writer->sequence != watch->sequence) {
        watch->sequence = writer->sequence;
        watch->spoken = now;
    } else if (now - watch->spoken >= interval) {
        wire_begin(writer, "alive");
        int result = wire_end(writer);
        if (result < 0)
            return result;
    }
    return wire_flush(writer);
}

/* One waking. Returns 0 to go on, 1 when the child may have ended, negative errno to give up. */
static int wake(struct watch *watch)
{
    struct session *session = watch->session;
    enum { SIGNALS, INPUT, OUTPUT, ERRORS, ENDS };
    struct pollfd ends[ENDS] = {
        [SIGNALS] = {.fd = session->signals, .events = POLLIN},
        [INPUT] = {.fd = session->reader.fd, .events = POLLIN},
        [OUTPUT] = {.fd = session->outlets.ours[OUTLET_OUTPUT], .events = POLLIN},
        [ERRORS] = {.fd = session->outlets.ours[OUTLET_ERROR], .events = POLLIN},
    };
    int ready = poll(ends, ENDS, TICK_MS);
    if (ready < 0)
        return errno == EINTR ? 0 : -errno;
    int result = 0;
    if (ends[SIGNALS].revents && (result = session_signals(session)) < 0)
        return result;
    if (ends[INPUT].revents && (result = session_take(session)) < 0)
        return result;
    if (ends[OUTPUT].revents && (result = pass_output(watch, OUTLET_OUTPUT, 1)) < 0)
        return result;
    if (ends[ERRORS].revents && (result = pass_output(watch, OUTLET_ERROR, 1)) < 0)
        return result;
    if (ready == 0 && ((result = stream(watch, false)) < 0 || (result = stay_alive(watch)) < 0))
        return result;
    return ends[SIGNALS].revents ? 1 : 0;
}

/* So long may pass between two runs that end before the harness is given up. */
static int64_t watch_patience_ms(const struct cell_watch *watch)
{
    /* Busy machines take many times the length; readings of a row are no time. */
    return PATIENCE_MS + (watch->kind == WATCH_ROW ? 0 : (int64_t)(watch->length / 1000) * 10);
}

/* A clock that somebody brought along may never return, which no budget would end. */
static bool is_stuck(struct watch *watch)
{
    const struct job *job = watch->session->workspace.job;
    uint32_t done = __atomic_load_n(&job->runs_done, __ATOMIC_ACQUIRE);
    int64_t now = monotonic_ms();
    if (watch->known->cell.watch.kind == WATCH_NONE)
        return false;
    if (done != watch->done) {
        watch->done = done;
        watch->moved = now;
    }
    return now - watch->moved > watch_patience_ms(&watch->known->cell.watch);
}

/* Waits for the end of the child. A session that must end takes the child along. */
static int await(struct watch *watch, int *status)
{
    for (;;) {
        int result = wake(watch);
        if (result < 0) {
            if (watch->known->counter)
                command_end(watch->pid, status);
            else
                child_kill(watch->pid, status);
            return result;
        }
        if (result > 0 && child_ended(watch->pid, status))
            return 0;
        /* Who watches what a program writes, and asks for an end, means the program: its counts
         * until then are wanted. Tools that count by executing would be told instead of it. */
        const struct known_cell *known = watch->known;
        if (!(watch->interrupted || !watch->session->stop || !known->counter ||
              known->counter->classes || !known->cell.command.shown)) {
            watch->interrupted = true;
            kill(watch->pid, SIGINT);
        }
        if (is_stuck(watch)) {
            watch->stuck = true;
            child_kill(watch->pid, status);
            return 0;
        }
    }
}

/* What the visit came to: positive errno with the reason, or 0. */
static int judge(const struct watch *watch, int status, char *reason, size_t size)
{
    struct job *job = watch->session->workspace.job;
    uint32_t state = __atomic_load_n(&job->state, __ATOMIC_ACQUIRE);
    job->reason[sizeof(job->reason) - 1] = '\0';
    if (state == JOB_DONE && WIFEXITED(status) && WEXITSTATUS(status) == 0) {
        if (watch->known->counter) /* what to know of the counts */
            snprintf(reason, size, "%s", job->reason);
        return 0;
    }
    if (watch->stuck) {
        snprintf(reason, size,
                 "nothing was read for %lld s: does a clock that was brought along "
                 "not return?",
                 (long long)watch_patience_ms(&watch->known->cell.watch) / 1000);
        return ETIME;
    }
    if (state != JOB_FAILED || !WIFEXITED(status)) {
        /* The child died without an answer. */
        char name[32];
        const char *who = is_counted_outside(watch) || watch->known->counter
                              ? "the counting process"
                              : "the harness";
        size_t length = watch->word_count;
        while (length && (watch->words[length - 1] == '\n' || watch->words[length - 1] == '\0'))
            length--;
        if (WIFSIGNALED(status))
            snprintf(reason, size, "%s was killed by %s%s%.*s", who,
                     signal_name(WTERMSIG(status), name, sizeof(name)), length ? ": " : "",
                     (int)length, watch->words);
        else
            snprintf(reason, size, "%s ended with status %d before it was done%s%.*s", who,
                     WEXITSTATUS(status), length ? ": " : "", (int)length, watch->words);
        return EIO;
    }
    if (job->failed_event >= 0 && watch->known->cell.watch.kind == WATCH_NONE &&
        (uint32_t)job->failed_event < watch->known->cell.counters) {
        /* The child said which event it could not have. A library may have refused what perf would
         * open: then its own words stand. */
        const struct event *event = &watch->known->events[job->failed_event];
        int error = event_try(event);
        if (!error && watch->known->cell.counters == 1) {
            snprintf(reason, size, "%s", job->reason);
            return job->error > 0 ? job->error : EIO;
        }
        if (error) {
            event_open_reason(&watch->session->view, event, error, reason, size);
            return error;
        }
        error = job->error > 0 ? job->error : EIO;
        snprintf(reason, size,
                 "%s opens alone, but not as counter %d of %u: %s. Count fewer events at once",
                 event->name, job->failed_event + 1, watch->known->cell.counters, strerror(error));
        return error;
    }
    if (job->failed_event == JOB_COUNTED && watch->known->cell.tour.calls) {
        /* The event that the calls of a tour count. */
        const struct event *event = &watch->known->counted;
        int error = event_try(event);
        if (error)
            event_open_reason(&watch->session->view, event, error, reason, size);
        else
            snprintf(reason, size, "%s", job->reason);
        return error ? error : job->error > 0 ? job->error : EIO;
    }
    snprintf(reason, size, "%s", job->reason);
    return job->error > 0 ? job->error : EIO;
}

/* Negative errno only when the session must end. */
static int pass_details(struct watch *watch, int *error, char *reason, size_t size)
{
    struct failure failure = {0};
    bool damaged = false;
    int result =
        details_send(&watch->session->writer, watch->visit, watch->detail, &damaged, &failure);
    if (!damaged)
        return result;
    *error = -result;
    snprintf(reason, size, "%s", failure.text);
    return 0;
}

/* The harness, or the process of a source that runs it. */
static pid_t start(struct watch *watch, struct failure *failure)
{
    struct session *session = watch->session;
    const struct source *source = watch->known->source;
    if (watch->known->counter) {
        /* Guard and counting process of a command. */
        struct command_visit visit = {
            .cell = &watch->known->cell,
            .events = watch->known->events,
            .job = session->workspace.job,
            .kit = session->kit.folder,
            .brought = session->brought.folder,
            .folder = session->workspace.folder,
            .outlets = {session->outlets.theirs[OUTLET_OUTPUT],
                        session->outlets.theirs[OUTLET_ERROR]},
            .lent = {-1, -1},
            .detail = watch->detail,
            .tunables = session->tunables,
        };
        if (visit.cell->command.shown && visit.cell->command.lent != LENT_NONE &&
            session->lent[0] >= 0)
            for (int index = 0; index < 2; index++)
                visit.lent[index] =
                    session->lent[visit.cell->command.lent == LENT_ERROR ? OUTLET_ERROR : index];
        descendants_adopt(); /* of a guard that is killed */
        return command_start(watch->known->counter, &visit, failure);
    }
    const char *file = session->kit.harnesses[watch->known->harness].file;
    if (!is_counted_outside(watch))
        return child_start(session->kit.folder, file, NULL, session->workspace.fd,
                           &session->outlets, failure);
    AUTO_FREE char *harness = NULL;
    if (asprintf(&harness, "%s/%s", session->kit.folder, file) < 0)
        return fail_with(failure, -ENOMEM, "out of memory");
    struct source_visit visit = {session->workspace.job, session->kit.folder, harness,
                                 workspace_kept(&session->workspace, source->keeps)};
    return counting_start(source, &visit, &session->outlets, failure);
}

/* From the start of the process to the end of the visit. */
static int make(struct watch *watch)
{
    struct failure failure = {0};
    int status = 0;
    if (prepare(watch, &failure) < 0)
        return send_end(watch, -failure.code, failure.text);
    watch->pid = start(watch, &failure);
    if (watch->pid < 0)
        return send_end(watch, -(int)watch->pid, failure.text);
    watch->session->under_way = watch->known;
    int result = await(watch, &status);
    watch->session->under_way = NULL;
    if (result < 0)
        return result;
    char reason[1024] = "";
    result = pass_output(watch, OUTLET_OUTPUT, SIZE_MAX);
    if (result == 0)
        result = pass_output(watch, OUTLET_ERROR, SIZE_MAX);
    if (result == 0)
        result = stream(watch, true);
    if (result < 0)
        return result;
    if (watch->known->counter)
        descendants_end(NULL); /* of a guard that was killed */
    if (needs_folder(watch->known))
        workspace_empty_folder(&watch->session->workspace);
    int error = judge(watch, status, reason, sizeof(reason));
    if (!error && watch->detail >= 0 &&
        (result = pass_details(watch, &error, reason, sizeof(reason))) < 0)
        return result;
    return send_end(watch, error, reason);
}

int visit_run(struct session *session, struct planned_visit visit)
{
    struct watch watch = {.session = session,
                          .visit = visit,
                          .known = cells_find(&session->cells, visit.cell),
                          .spoken = monotonic_ms(),
                          .moved = monotonic_ms(),
                          .detail = -1};
    struct wire_writer *writer = &watch.session->writer;
    int result =
        wire_say(writer, "begin", "cell=%u process=%u", watch.visit.cell, watch.visit.process);
    if (result < 0)
        return result;
    if (!watch.known)
        return send_end(&watch, ENOENT, "no cell with this id was defined");
    result = make(&watch);
    cleanup_close(&watch.detail);
    return result;
}
