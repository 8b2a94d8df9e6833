/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * One visit of a touring harness, from the names of its calls to what the meters ran on in each. */
#include "probe/tour/caller.h"

#include <errno.h>
#include <link.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "lib/user-access.h"
#include "lib/user-read.h"
#include "probe/harness/job.h"

/* --- What calls are called --- */

const char *const call_kind_names[CALL_KINDS] = {
    [CALL_START] = "start",     [CALL_STOP] = "stop",       [CALL_READ] = "read",
    [CALL_ACCUM] = "accum",     [CALL_BEGIN] = "begin",     [CALL_END] = "end",
    [CALL_COMMAND] = "command", [CALL_NOTHING] = "nothing", [CALL_GAUGE] = "gauge",
};

const char *const call_effect_names[] = {
    [EFFECT_KEEPS] = "keeps", [EFFECT_STARTS] = "starts", [EFFECT_STOPS] = "stops"};

const char *const call_when_names[] = {
    [WHEN_ANY] = "any", [WHEN_RUNNING] = "running", [WHEN_STOPPED] = "stopped"};

/* ----------------------------------------------------------------------------------------------
 * The calls of a tour, found in this harness: which function each is, which instruments they need,
 * and in which state each of those begins. They are walked through once, without making any. */

#define INSTRUMENTS_MOST 16

struct itinerary_instrument {
    const struct caller *opener; /* the first of its callers that the tour calls */
    bool running;                /* when the tour begins */
};

struct itinerary {
    size_t length;
    struct span *spans;            /* [length] */
    const struct caller **callers; /* [length] */
    enum call_kind *kinds;         /* [length] */
    struct itinerary_instrument instruments[INSTRUMENTS_MOST];
    size_t instrument_count;
};

static const struct caller *find_caller(const char *name, size_t length)
{
    for (size_t index = 0; caller_registry[index]; index++)
        if (strlen(caller_registry[index]->path) == length &&
            memcmp(caller_registry[index]->path, name, length) == 0)
            return caller_registry[index];
    return NULL;
}

static int find_call(struct itinerary *itinerary, struct job *job, size_t index,
                     const struct tour_call *call)
{
    const char *dot = strrchr(call->operation, '.');
    const struct caller *caller =
        dot ? find_caller(call->operation, (size_t)(dot - call->operation)) : NULL;
    for (int kind = 0; caller && kind < CALL_KINDS; kind++)
        if (strcmp(call_kind_names[kind], dot + 1) == 0 && caller->calls[kind].function) {
            itinerary->callers[index] = caller;
            itinerary->kinds[index] = (enum call_kind)kind;
            itinerary->spans[index] = (struct span){caller->calls[kind].function, call->times};
            return 0;
        }
    return job_fail(job, -ENOENT, "this harness has no operation %s", call->operation);
}

static int find_calls(struct itinerary *itinerary, struct job *job)
{
    AUTO_FREE struct tour_call *calls = NULL;
    struct failure failure = {0};
    size_t count = 0;
    int result = tour_parse(job_calls(job), &calls, &count, &failure);
    if (result < 0)
        return job_fail(job, result, "%s", failure.text);
    itinerary->spans = calloc(count, sizeof(*itinerary->spans));
    itinerary->callers = calloc(count, sizeof(struct caller *));
    itinerary->kinds = calloc(count, sizeof(*itinerary->kinds));
    if (!itinerary->spans || !itinerary->callers || !itinerary->kinds)
        return job_fail(job, -ENOMEM, "no memory for a tour of %zu calls", count);
    itinerary->length = count;
    for (size_t index = 0; index < count && result == 0; index++)
        result = find_call(itinerary, job, index, &calls[index]);
    return result;
}

static int instrument_of(struct itinerary *itinerary, const struct caller *caller)
{
    size_t index = 0;
    while (index < itinerary->instrument_count &&
           strcmp(itinerary->instruments[index].opener->instrument, caller->instrument) != 0)
        index++;
    if (index == INSTRUMENTS_MOST)
        return -E2BIG;
    if (index == itinerary->instrument_count)
        itinerary->instruments[itinerary->instrument_count++].opener = caller;
    return (int)index;
}

enum known_state { STATE_UNKNOWN, STATE_RUNNING, STATE_STOPPED };

/* An instrument that is only read runs from the beginning. */
static int walk(struct itinerary *itinerary, struct job *job)
{
    enum known_state states[INSTRUMENTS_MOST] = {STATE_UNKNOWN};
    for (size_t index = 0; index < INSTRUMENTS_MOST; index++)
        itinerary->instruments[index].running = true;
    for (size_t index = 0; index < itinerary->length; index++) {
        int instrument = instrument_of(itinerary, itinerary->callers[index]);
        if (instrument < 0)
            return job_fail(job, instrument, "a tour has at most %d instruments", INSTRUMENTS_MOST);
        enum known_state *state = &states[instrument];
        bool *running = &itinerary->instruments[instrument].running;
        static const enum known_state wants[] = {
            [WHEN_RUNNING] = STATE_RUNNING, [WHEN_STOPPED] = STATE_STOPPED};
        const struct caller *caller = itinerary->callers[index];
        const struct call_entry *entry = &caller->calls[itinerary->kinds[index]];
        if (entry->when != WHEN_ANY && *state == STATE_UNKNOWN) {
            *state = wants[entry->when];
            *running = entry->when == WHEN_RUNNING;
        }
        if (entry->when != WHEN_ANY && *state != wants[entry->when])
            return job_fail(
                job, -EINVAL,
                "call %zu of the tour, %s.%s, makes no sense where it stands: %s is %s then",
                index + 1, caller->path, call_kind_names[itinerary->kinds[index]],
                caller->instrument, *state == STATE_RUNNING ? "running" : "stopped");
        if (entry->effect != EFFECT_KEEPS)
            *state = entry->effect == EFFECT_STARTS ? STATE_RUNNING : STATE_STOPPED;
    }
    bool again = !job->tour.cold || job->runs > itinerary->length;
    for (size_t index = 0; index < itinerary->instrument_count && again; index++) {
        const struct itinerary_instrument *instrument = &itinerary->instruments[index];
        if (states[index] != STATE_UNKNOWN &&
            (states[index] == STATE_RUNNING) != instrument->running)
            return job_fail(job, -EINVAL,
                            "the tour begins with %s %s but leaves it %s: its next pass would be "
                            "another one",
                            instrument->opener->instrument,
                            instrument->running ? "running" : "stopped",
                            instrument->running ? "stopped" : "running");
    }
    return 0;
}

/* Is the call the first one of its caller? To do something for every caller of the tour once. */
static bool itinerary_first_of_caller(const struct itinerary *itinerary, size_t call)
{
    for (size_t before = 0; before < call; before++)
        if (itinerary->callers[before] == itinerary->callers[call])
            return false;
    return true;
}

static int check_company(const struct itinerary *itinerary, struct job *job)
{
    const char *page = NULL;
    size_t others = 0;
    for (size_t index = 0; index < itinerary->instrument_count; index++)
        others += strcmp(itinerary->instruments[index].opener->instrument, "timer") != 0;
    for (size_t index = 0; index < itinerary->length; index++) {
        const struct caller *caller = itinerary->callers[index];
        if (caller->alone && others > 1)
            return job_fail(job, -EINVAL,
                            "%s switches what is not its own: a tour with it has no other "
                            "instrument",
                            caller->path);
        if (!caller->page[0] || !job->tour.cold)
            continue;
        if (page && strcmp(page, caller->page) != 0)
            return job_fail(
                job, -EINVAL,
                "a cold tour reads pages in one state, but this one both %s and %s ones", page,
                caller->page);
        page = caller->page;
    }
    return 0;
}

/* ----------------------------------------------------------------------------------------------
 * Opening counters for metering. A child that shares this process's memory and descriptors opens
 * them: what a call switches for the whole task (prctl) is what the task itself has opened, and its
 * meters must go on. */

#define CHILD_STACK 16384

struct opening {
    struct perf_event_attr attr;
    long task;
    long descriptor;
};

static int open_in_child(void *argument)
{
    struct opening *opening = argument;
    opening->descriptor = assay_syscall5(SYS_perf_event_open, (long)&opening->attr, opening->task,
                                         -1, -1, PERF_FLAG_FD_CLOEXEC);
    return 0;
}

static long open_for_this_task(const struct perf_event_attr *attr)
{
    static _Alignas(64) char stack[CHILD_STACK];
    struct opening opening = {*attr, assay_syscall0(SYS_getpid), -ECHILD};
    int child = clone(open_in_child, stack + sizeof(stack), CLONE_VM | CLONE_FILES, &opening);
    if (child < 0)
        return -errno;
    while (assay_syscall4(SYS_wait4, child, 0, __WALL, 0) == -EINTR)
        ;
    return opening.descriptor;
}

static int open_one(struct meter *meter, struct job *job, uint32_t index)
{
    const char *name = job->events[index].name;
    struct perf_event_attr attr = job->events[index].attr;
    struct failure failure = {0};
    attr.size = sizeof(attr);
    attr.disabled = 1;
    attr.pinned = 1;
    attr.read_format = 0;
    if (user_access_request("", name, &attr, &failure) < 0)
        return job_fail(job, failure.code, "%s cannot be a meter: %s", name, failure.text);
    long descriptor = open_for_this_task(&attr);
    if (descriptor < 0) {
        job->failed_event = (int32_t)index;
        return job_fail(job, (int)descriptor, "%s cannot be opened as a meter: %s", name,
                        strerror((int)-descriptor));
    }
    meter->descriptors[meter->count++] = (int)descriptor;
    if (user_access_map("", name, (int)descriptor, USER_MAP_TOUCHED, &meter->pages[index],
                        &failure) < 0)
        return job_fail(job, failure.code, "%s", failure.text);
    return 0;
}

static int fail_unscheduled(struct job *job, uint32_t index)
{
    return job_fail(
        job, -EBUSY,
        "the meter %s got no counter: other events hold what it needs. Meter with fewer "
        "counters at once, or count fewer events",
        job->events[index].name);
}

static int start_one(const struct meter *meter, struct job *job, uint32_t index)
{
    const char *name = job->events[index].name;
    struct failure failure = {0};
    long result =
        assay_syscall3(SYS_ioctl, meter->descriptors[index], (long)PERF_EVENT_IOC_ENABLE, 0);
    if (result < 0)
        return job_fail(job, (int)result, "the meter %s cannot be started: %s", name,
                        strerror((int)-result));
    if (user_access_check("", name, 0, meter->pages[index], &failure) < 0)
        return job_fail(job, failure.code, "%s cannot be a meter: %s", name, failure.text);
    /* NOLINTNEXTLINE(clang-analyzer-core.NullDereference): a page is mapped where none failed */
    return meter->pages[index]->index ? 0 : fail_unscheduled(job, index);
}

/* Opens the meters that the job's events name, and starts them. */
static int meter_open(struct meter *meter, struct job *job)
{
    static span_loop *const loops[] = {spans_one, spans_two, spans_three};
    *meter = (struct meter){.ticks = job->events[0].counts[0] != '\0'};
    if (meter->ticks) {
        meter->loop = spans_ticks;
        return 0;
    }
    if (job->counters > METERS_MOST)
        return job_fail(job, -E2BIG, "a tour has at most %d meters at once", METERS_MOST);
    meter->loop = loops[job->counters - 1];
    int result = user_trap_watch(job);
    for (uint32_t index = 0; index < job->counters && result == 0; index++)
        result = open_one(meter, job, index);
    for (uint32_t index = 0; index < job->counters && result == 0; index++)
        result = start_one(meter, job, index);
    return result;
}

static int settle_one(const struct meter *meter, struct job *job, uint64_t *values, size_t rows,
                      uint32_t index)
{
    unsigned width = meter->pages[index]->pmc_width;
    if (!meter->pages[index]->index)
        return fail_unscheduled(job, index);
    for (size_t row = 0; row < rows; row++) {
        uint64_t *value = &values[row * meter->count + index];
        if (*value == METER_UNREAD)
            return job_fail(job, -EOPNOTSUPP,
                            "the meter %s came to sit on a counter that no instruction reads",
                            job->events[index].name);
        *value = user_extend(*value, width); /* spans are short: the upper half went back */
    }
    return 0;
}

int meter_settle(const struct meter *meter, struct job *job, uint64_t *values, size_t rows)
{
    int result = 0;
    for (uint32_t index = 0; index < meter->count && result == 0; index++)
        result = settle_one(meter, job, values, rows, index);
    return result;
}

/* ----------------------------------------------------------------------------------------------
 * What a cold tour's process touches of itself beforehand: goes through the program's own segments,
 * page by page. */

#define STACK_TOUCHED 32768

struct range {
    uintptr_t start, end;
};

static void touch(struct range range, struct range sealed, int writable)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    for (uintptr_t address = range.start & ~(page - 1); address < range.end; address += page) {
        volatile char *byte = (volatile char *)address; /* NOLINT(performance-no-int-to-ptr) */
        char value = *byte;
        if (writable && !(address >= (sealed.start & ~(page - 1)) && address < sealed.end))
            *byte = value;
    }
}

static struct range range_of(const struct dl_phdr_info *program, const ElfW(Phdr) * header)
{
    uintptr_t start = (uintptr_t)(program->dlpi_addr + header->p_vaddr);
    return (struct range){start, start + header->p_memsz};
}

/* The first object is the program itself. What the loader sealed after relocation cannot be
 * written. */
static int touch_program(struct dl_phdr_info *program, size_t size, void *context)
{
    (void)size, (void)context;
    struct range sealed = {0, 0};
    for (size_t index = 0; index < program->dlpi_phnum; index++)
        if (program->dlpi_phdr[index].p_type == PT_GNU_RELRO)
            sealed = range_of(program, &program->dlpi_phdr[index]);
    for (size_t index = 0; index < program->dlpi_phnum; index++) {
        const ElfW(Phdr) *header = &program->dlpi_phdr[index];
        if (header->p_type == PT_LOAD && header->p_flags & PF_R)
            touch(range_of(program, header), sealed, (header->p_flags & PF_W) != 0);
    }
    return 1;
}

static void touch_stack(void)
{
    volatile char reserve[STACK_TOUCHED];
    for (size_t offset = 0; offset < sizeof(reserve); offset += 1024)
        reserve[offset] = 0;
}

void own_pages_touch(void)
{
    touch_stack();
    dl_iterate_phdr(touch_program, NULL);
}

/* ----------------------------------------------------------------------------------------------
 * The life of a tour: find the calls, open meters and instruments, bring everything into the state
 * it begins in, then the passes. A warm tour is made once before it is metered; before a cold one
 * nothing of a call was called, and no page that it needs touched, but as bytes of this program. */

struct tour {
    struct job *job;
    struct itinerary itinerary;
    struct meter meter;
    struct tour_state state;
    size_t opened; /* instruments */
};

static int get_ready(struct tour *tour)
{
    /* Rows are shared memory, which nobody else has written to yet. */
    char *rows = (char *)job_values(tour->job);
    memset(rows, 0,
           (size_t)((char *)tour->job + job_size(tour->job->runs, tour->job->counters) - rows));
    if (!tour->job->tour.cold) {
        populate_process();
        return 0;
    }
    own_pages_touch();
    const struct itinerary *itinerary = &tour->itinerary;
    int result = 0;
    for (size_t index = 0; index < itinerary->length && result == 0; index++)
        if (itinerary->callers[index]->prepare && itinerary_first_of_caller(itinerary, index))
            result = itinerary->callers[index]->prepare(&tour->state);
    return result;
}

/* The sentence of who knows why, behind which call it was. */
static int explain_call(struct tour *tour, size_t index)
{
    struct job *job = tour->job;
    const struct caller *caller = tour->itinerary.callers[index];
    long status = tour->state.status;
    char why[sizeof(job->reason)];
    int result = caller->check ? caller->check(&tour->state) : 0;
    if (result < 0)
        snprintf(why, sizeof(why), "%s", job->reason);
    else
        snprintf(why, sizeof(why), "it returned %ld", status);
    return job_fail(job, result < 0 ? result : -EIO, "call %zu of the tour, %s.%s, failed: %.400s",
                    index + 1, caller->path, call_kind_names[tour->itinerary.kinds[index]], why);
}

static int check_callers(struct tour *tour)
{
    const struct itinerary *itinerary = &tour->itinerary;
    int result = 0;
    tour->state.status = 0;
    for (size_t index = 0; index < itinerary->length && result == 0; index++)
        if (itinerary->callers[index]->check && itinerary_first_of_caller(itinerary, index))
            result = itinerary->callers[index]->check(&tour->state);
    return result;
}

/* `count` calls from `first` on, whose first run is `run`; the account is that run's. */
static int make_calls(struct tour *tour, size_t first, size_t count, uint32_t run)
{
    struct job *job = tour->job;
    size_t row = (size_t)run * job->counters;
    struct rusage before = {0}, after = {0};
    uint64_t began = elapsed_clock();
    account_take(&before);
    size_t left = tour->meter.loop(&tour->state, &tour->meter, &tour->itinerary.spans[first], count,
                                   job_values(job) + row);
    account_take(&after);
    uint64_t elapsed = elapsed_clock() - began;
    account_write(&job_accounts(job)[run], &before, &after);
    job_row_timed(job, run, elapsed);
    return left ? explain_call(tour, first + count - left) : 0;
}

/* Every call has its own account in a cold tour, every pass in a warm one. */
static int make_pass(struct tour *tour, uint32_t run)
{
    size_t length = tour->itinerary.length;
    if (!tour->job->tour.cold)
        return make_calls(tour, 0, length, run);
    int result = 0;
    for (size_t index = 0; index < length && result == 0; index++)
        result = make_calls(tour, index, 1, run + (uint32_t)index);
    return result;
}

/* For who looks at this process from outside. */
static void hold(const struct job *job)
{
    if (job->hold == JOB_HOLD_STOP)
        assay_syscall2(SYS_kill, assay_syscall0(SYS_getpid), SIGSTOP);
}

/* Once without being metered, into rows that are written again. */
static int rehearse(struct tour *tour)
{
    int result = make_pass(tour, 0);
    return result < 0 ? result : check_callers(tour);
}

/* Nothing is called between two passes but what their accounts need. */
static int travel(struct tour *tour)
{
    struct job *job = tour->job;
    uint32_t length = (uint32_t)tour->itinerary.length;
    int result = job->tour.cold ? 0 : rehearse(tour);
    hold(job);
    for (uint32_t run = 0; run < job->runs && result == 0; run += length) {
        user_trap_run(run);
        result = make_pass(tour, run);
        if (result == 0)
            result = meter_settle(&tour->meter, job, job_values(job) + (size_t)run * job->counters,
                                  length);
        if (result == 0)
            __atomic_store_n(&job->runs_done, run + length, __ATOMIC_RELEASE);
    }
    hold(job);
    return result < 0 ? result : check_callers(tour);
}

int tour_run(struct job *job)
{
    static struct tour tour;
    struct itinerary *itinerary = &tour.itinerary;
    struct meter *meter = &tour.meter;
    tour = (struct tour){.job = job, .state.job = job};
    /* From the text behind the job. Refuses, with a sentence, calls that this harness does not
     * have, those that must stand alone beside others, such as make no sense where they stand (a
     * stop while the instrument is stopped), and tours that do not end as they began, where there
     * is a next pass. */
    int result = find_calls(itinerary, job);
    /* NOLINTNEXTLINE(clang-analyzer-core.DivideZero): a failure is never 0, and no tour is empty */
    if (result == 0 && job->runs % itinerary->length != 0)
        result = job_fail(job, -EINVAL, "%u runs are no whole passes of %zu calls", job->runs,
                          itinerary->length);
    if (result == 0)
        result = walk(itinerary, job);
    if (result == 0)
        result = check_company(itinerary, job);
    if (result == 0)
        result = job_pin(job);
    if (result == 0)
        result = meter_open(meter, job);
    if (result == 0) {
        for (size_t index = 0; index < itinerary->length; index++)
            tour.state.user_reads |= itinerary->callers[index]->page[0] != '\0';
        for (; tour.opened < itinerary->instrument_count && result == 0; tour.opened++) {
            const struct caller *opener = itinerary->instruments[tour.opened].opener;
            result = opener->open ? opener->open(&tour.state) : 0;
        }
    }
    if (result == 0)
        result = get_ready(&tour);
    if (result == 0) {
        for (size_t index = 0; index < itinerary->instrument_count && result == 0; index++) {
            const struct itinerary_instrument *instrument = &itinerary->instruments[index];
            if (instrument->opener->settle)
                result = instrument->opener->settle(&tour.state, instrument->running);
        }
    }
    if (result == 0)
        result = travel(&tour);
    for (size_t index = 0; index < tour.opened; index++) {
        const struct caller *opener = itinerary->instruments[index].opener;
        if (opener->close)
            opener->close(&tour.state);
    }
    for (uint32_t index = 0; index < meter->count; index++) {
        user_access_unmap(meter->pages[index]);
        assay_syscall1(SYS_close, meter->descriptors[index]);
    }
    *meter = (struct meter){0};
    free(itinerary->spans);
    free((void *)(uintptr_t)itinerary->callers);
    free(itinerary->kinds);
    *itinerary = (struct itinerary){0};
    return result;
}
