/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: MIT
 *
 * Calipers: which of them a thread has, by which path they count, opening and closing them, and
 * what they say about their events. */
#define ASSAY_NO_INLINE
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "lib/calipers.h"
#include "lib/clock.h"
#include "lib/in-place.h"
#include "lib/ticks.h"
#include "lib/user-access.h"
#include "lib/user-read.h"

/* ----------------------------------------------------------------------------------------------
 * Which calipers a thread has opened and selected, and what becomes of them when it ends or
 * forks.
 *
 * A thread that ends closes what it left open. In a child of fork, calipers of the thread that
 * forked stay usable and count nothing: their descriptors still count the parent, and the pages of
 * user reads are not mapped there. Those of other threads are memory that nobody can reach. A child
 * by vfork shares the parent's memory: what it does to calipers it does to the parent's. */

/* Where regions of threads go that have selected nothing: read in no way, one frame for all. */
static struct assay_frame nothing;
static struct assay_here nowhere = {.frame = &nothing, .last = &nothing};

__thread struct assay_here *assay_here = &nowhere;

/* What the thread opened, the latest first, and its number, which no other thread and no child of
 * fork ever gets again. */
static __thread struct assay_calipers *opened;
static __thread long self;

static pthread_once_t once = PTHREAD_ONCE_INIT;
static pthread_key_t key;
static int key_error = EAGAIN; /* 0: there is a key */

struct assay_calipers *calipers_here(void)
{
    struct assay_here *here = assay_here;
    return here == &nowhere ? NULL : (struct assay_calipers *)(void *)here;
}

struct assay_calipers *here_opened(void)
{
    return opened;
}

static void thread_ended(void *unused)
{
    (void)unused;
    while (opened)
        assay_calipers_close(opened);
}

/* Nothing but assignments: the child of a program with threads may call little else. */
static void forked(void)
{
    for (struct assay_calipers *calipers = opened; calipers; calipers = calipers->next) {
        if (calipers->here.ways & ASSAY_WAY_TRAP && calipers->here.depth)
            trap_leave();
        calipers->forked = true;
        calipers->here.ways = 0;
        for (size_t i = 0; i <= ASSAY_CALIPERS_MOST; i++)
            calipers->here.pages[i] = NULL;
    }
    process_forked();
}

static void prepare(void)
{
    key_error = pthread_key_create(&key, thread_ended);
    if (!key_error && pthread_atfork(NULL, NULL, forked) != 0) {
        pthread_key_delete(key);
        key_error = ENOMEM;
    }
}

/* Where the library itself is unloaded (as a part of something that is; libassay.so never is), no
 * thread may find its way back here: calipers that are still open are lost. */
static __attribute__((destructor)) void unloaded(void)
{
    process_ended();
    if (!key_error)
        pthread_key_delete(key);
    key_error = EAGAIN;
}

int here_attach(struct assay_calipers *calipers)
{
    static long threads;
    pthread_once(&once, prepare);
    if (key_error || pthread_setspecific(key, &opened) != 0)
        return set_fail(key_error ? -key_error : -ENOMEM,
                        "the end of a thread cannot be noticed: the process has no thread-specific "
                        "key or no memory left");
    if (regions_prepare(calipers) < 0)
        return set_fail(-ENOMEM, "out of memory");
    if (!self)
        self = __atomic_add_fetch(&threads, 1, __ATOMIC_RELAXED);
    calipers->owner = self;
    calipers->next = opened;
    opened = calipers;
    return 0;
}

/* The calling thread, or nobody yet. */
static bool here_owns(const struct assay_calipers *calipers)
{
    return calipers->owner == self || !calipers->owner;
}

static void here_detach(struct assay_calipers *calipers)
{
    if (calipers_here() == calipers)
        assay_here = &nowhere;
    for (struct assay_calipers **at = &opened; *at; at = &(*at)->next) {
        if (*at == calipers) {
            *at = calipers->next;
            return;
        }
    }
}

/* A region that a child was forked in is the parent's: it keeps the child from nothing. */
int assay_calipers_select(struct assay_calipers *calipers)
{
    struct assay_calipers *now = calipers_here();
    if (now && now->here.depth && !now->forked)
        return set_fail(-EBUSY, "other calipers cannot be selected within a region");
    if (calipers && !here_owns(calipers))
        return set_fail(-EPERM, "calipers belong to the thread that opened them");
    assay_here = calipers ? &calipers->here : &nowhere;
    return 0;
}

/* ----------------------------------------------------------------------------------------------
 * Calipers whose counters the caller's own code reads, from the pages that the operating system
 * maps for them: opening these, what their words come to, and how a disturbance shows. */

_Static_assert(offsetof(struct perf_event_mmap_page, time_enabled) == 24, "time_enabled");
_Static_assert(offsetof(struct perf_event_mmap_page, time_running) == 32, "time_running");

typedef const volatile struct perf_event_mmap_page user_page;

static user_page *page_of(const struct assay_calipers *calipers, size_t index)
{
    return calipers->here.pages[index];
}

static int request(struct event *event, struct failure *failure)
{
    return user_access_request("", event->name, &event->attr, failure);
}

/* One event tells for all whether the instruction traps. */
static int try_first(const struct assay_set *set)
{
    for (size_t i = 0; i < set->count; i++) {
        const struct event *event = &set->members[i].event;
        if (set->descriptors[i] >= 0)
            return user_access_try("", event->name, &event->attr, set_failure());
    }
    return set_fail(-EOPNOTSUPP, "user code can only read counters of the CPU, and %s",
                    assay_set_reason(set, 0));
}

/* Before the events count: see user_sum. */
static int map_pages(struct assay_calipers *calipers)
{
    const struct assay_set *set = calipers->set;
    size_t mapped = 0;
    for (size_t i = 0; i < set->count; i++) {
        user_page *page;
        if (set->descriptors[i] < 0)
            continue;
        int error = user_access_map("", set->members[i].event.name, set->descriptors[i],
                                    USER_MAP_TOUCHED, &page, set_failure());
        if (error < 0)
            return error;
        calipers->here.pages[mapped++] = page;
    }
    return 0;
}

/* Some pages promise a read only while their events count. */
static int check_pages(const struct assay_calipers *calipers)
{
    const struct assay_set *set = calipers->set;
    size_t mapped = 0;
    int error = 0;
    for (size_t i = 0; i < set->count && !error; i++)
        if (set->descriptors[i] >= 0)
            error = user_access_check("", set->members[i].event.name, 0,
                                      page_of(calipers, mapped++), set_failure());
    return error;
}

static void calipers_user_close(struct assay_calipers *calipers)
{
    calipers->here.ways &= ~(uint32_t)ASSAY_WAY_USER;
    for (size_t i = 0; i < ASSAY_CALIPERS_MOST; i++) {
        user_access_unmap(page_of(calipers, i));
        calipers->here.pages[i] = NULL;
    }
}

/* Opens names that a set takes; -EINVAL, -ENOENT: they are none. Another failure says in
 * set_failure() why they cannot be read so, and leaves nothing open. */
static int calipers_user_open(struct assay_calipers *calipers, const char *const *names,
                              size_t count)
{
    if (!IN_PLACE_USER)
        return set_fail(
            -EOPNOTSUPP,
            "assay does not know this ISA's instruction that reads a counter in user code");
    int error = set_open(&calipers->set, names, count, 0, request);
    if (error < 0)
        return error;
    error = try_first(calipers->set);
    if (!error)
        error = map_pages(calipers);
    if (!error)
        error = assay_set_enable(calipers->set);
    if (!error)
        error = check_pages(calipers);
    if (error < 0) {
        calipers_user_close(calipers);
        assay_set_close(calipers->set);
        calipers->set = NULL;
        return error == -EINVAL || error == -ENOENT ? -EOPNOTSUPP : error;
    }
    calipers->here.ways |= ASSAY_WAY_USER;
    calipers->path = ASSAY_PATH_USER;
    return 0;
}

uint64_t calipers_user_count(const struct assay_calipers *calipers, const struct assay_frame *frame,
                             size_t word)
{
    unsigned width = page_of(calipers, word / 2)->pmc_width;
    const uint64_t *begun = &frame->user[0][word], *ended = &frame->user[1][word];
    return user_sum(ended[0], ended[1], width) - user_sum(begun[0], begun[1], width);
}

/* The times by the system call, because those in a page are of its last update. A group and a
 * single event report them in the same place. */
void calipers_user_shared(const struct assay_calipers *calipers, struct assay_frame *frame)
{
    uint64_t report[GROUP_COUNTS + ASSAY_CALIPERS_MOST] = {0};
    long size = (long)calipers->set->reader.size;
    long got =
        assay_syscall3(SYS_read, calipers->set->reader.descriptor, (long)(uintptr_t)report, size);
    bool told = got == size && report[GROUP_ENABLED] > frame->enabled_ns;
    frame->enabled_ns = told ? report[GROUP_ENABLED] - frame->enabled_ns : 1;
    frame->running_ns = told ? report[GROUP_RUNNING] - frame->running_ns : 0;
    frame->noticed |= ASSAY_SAW_MULTIPLEXING;
    frame[-1].noticed |= ASSAY_SAW_DISTURBED; /* what stands here is within the region around */
}

/* --- Ticks in calipers: whether they can be read, and what tells how long a region took --- */

#define NO_INSTRUCTION "user code has no counter of time on this ISA that is known here"

/* A count of ticks is one wherever they can be read; time needs a counter that is dependable. */
static bool ticks_tell_time(void)
{
    struct clock_signs signs;
    char reason[256];
    clock_signs_of("", &signs);
    return clock_choice(&signs, reason, sizeof(reason)) == 0;
}

/* The last to be opened. */
static void calipers_ticks_open(struct assay_calipers *calipers)
{
    bool forbidden = ticks_forbidden(), readable = IN_PLACE_TICKS && !forbidden;
    for (size_t i = 0; i < calipers->count; i++) {
        struct caliper *event = &calipers->events[i];
        if (event->error || strcmp(event->name, TICKS_EVENT) != 0)
            continue;
        event->kind = readable ? CALIPER_TICKS : CALIPER_ABSENT;
        event->error = readable ? 0 : EOPNOTSUPP;
        event->reason = readable ? NULL : strdup(forbidden ? TICKS_FORBIDDEN : NO_INSTRUCTION);
        if (readable)
            calipers->here.ways |= ASSAY_WAY_TICKS;
    }
    struct caliper *time = &calipers->time;
    time->kind = CALIPER_ABSENT;
    time->nature = NATURE_CLOCK;
    if (calipers->flags & ASSAY_NO_TIME || calipers->path == ASSAY_PATH_TRAP)
        return;
    if (readable && ticks_tell_time()) {
        time->kind = CALIPER_TICKS;
        calipers->here.ways |= ASSAY_WAY_TICKS;
    } else if (calipers->path == ASSAY_PATH_READ) { /* the system call tells it */
        time->kind = CALIPER_CALL;
        time->step = 1;
    }
}

/* --- What disturbs a count, from what is counted --- */

static bool is_busy(const struct perf_event_attr *attr)
{
    return attr->type == PERF_TYPE_HARDWARE && !attr->exclude_user &&
           (attr->config == PERF_COUNT_HW_INSTRUCTIONS || attr->config == PERF_COUNT_HW_CPU_CYCLES);
}

/* Names that cannot be looked up without the operating system's files of tracing are of events that
 * the operating system counts. */
static void find(struct caliper *caliper)
{
    struct event_view view = {.root = "", .tracefs = -1};
    struct failure failure = {0};
    struct event event = {0};
    if (caliper->kind == CALIPER_TICKS) {
        caliper->nature = NATURE_CLOCK;
        return;
    }
    if (caliper->kind != CALIPER_COUNTER || caliper->word == WORD_TRAP ||
        event_resolve(&view, caliper->name, &event, &failure) < 0)
        return;
    if (event.attr.type == PERF_TYPE_SOFTWARE && (event.attr.config == PERF_COUNT_SW_CPU_CLOCK ||
                                                  event.attr.config == PERF_COUNT_SW_TASK_CLOCK))
        caliper->nature = NATURE_CLOCK;
    else if (event.kind == EVENT_HARDWARE || event.kind == EVENT_CACHE || event.kind == EVENT_RAW ||
             event.kind == EVENT_PMU || event.kind == EVENT_PFM)
        caliper->nature = NATURE_HARDWARE;
    caliper->sees_kernel = !event.attr.exclude_kernel;
    caliper->busy = is_busy(&event.attr);
    event_release(&event);
}

/* ----------------------------------------------------------------------------------------------
 * Opening and closing calipers: which path has its counts, and what they say about their events. */

/* What disturbs a region, counted along: the order of companion_words. Faults in user code: those
 * in system calls disturb nothing that is counted of user code, and counting them would need a
 * privilege. */
static const char *const companions[] = {"page-faults:u", "context-switches"};
#define COMPANIONS (sizeof(companions) / sizeof(companions[0]))

/* Instructions that a compiler may execute once for several names to have their address in a
 * register, and to keep that; calibrating has them never. On x86-64 the address is a part of one
 * instruction. */
#if defined(__x86_64__)
#define NAME_MOST 0
#else
#define NAME_MOST 3
#endif

/* The events that counters count, in the order of a set's members. */
struct counted {
    const char *names[ASSAY_CALIPERS_MOST + COMPANIONS];
    size_t places[ASSAY_CALIPERS_MOST]; /* in the calipers */
    size_t count;
};

/* Members of the set become events that are counted, from that word on, or that have a reason. */
static void take_members(struct assay_calipers *calipers, const struct counted *counted,
                         size_t word, size_t words_each)
{
    const struct assay_set *set = calipers->set;
    for (size_t i = 0; i < counted->count; i++) {
        struct caliper *event = &calipers->events[counted->places[i]];
        if (set->descriptors[i] >= 0) {
            event->kind = CALIPER_COUNTER;
            event->word = word;
            word += words_each;
        } else {
            event->error = set->members[i].error;
            event->reason = strdup(assay_set_reason(set, i));
        }
    }
}

/* Where the companions of a set are that begins with other members. */
static void take_companions(struct assay_calipers *calipers, const struct assay_set *set,
                            size_t before)
{
    size_t word = GROUP_COUNTS;
    for (size_t i = 0; i < before + COMPANIONS; i++) {
        if (set->descriptors[i] < 0)
            continue;
        if (i >= before)
            calipers->companion_words[i - before] = word;
        word++;
    }
}

static void read_by_call(struct assay_calipers *calipers, const struct assay_set *set)
{
    calipers->here.descriptor = set->reader.descriptor;
    calipers->here.size = set->reader.size;
    calipers->here.ways |= ASSAY_WAY_READ;
}

/* One event without companions is read alone, which is a third cheaper than a group. */
static int open_read(struct assay_calipers *calipers, const struct counted *counted)
{
    size_t along = calipers->flags & ASSAY_WATCH ? COMPANIONS : 0;
    int error = assay_set_open(&calipers->set, counted->names, counted->count + along, 0);
    if (error < 0)
        return error;
    take_members(calipers, counted, calipers->set->grouped ? GROUP_COUNTS : SINGLE_COUNT, 1);
    bool any = false;
    for (size_t i = 0; i < counted->count; i++)
        any |= calipers->set->descriptors[i] >= 0;
    if (!any)
        return 0;
    if (along)
        take_companions(calipers, calipers->set, counted->count);
    else {
        /* Companions that are events anyway cost nothing more. */
        for (size_t i = 0; i < calipers->count; i++) {
            const struct caliper *event = &calipers->events[i];
            for (size_t k = 0; k < COMPANIONS && event->kind == CALIPER_COUNTER; k++)
                if (strcmp(event->name, companions[k]) == 0)
                    calipers->companion_words[k] = event->word;
        }
    }
    read_by_call(calipers, calipers->set);
    calipers->path = ASSAY_PATH_READ;
    return assay_set_enable(calipers->set);
}

/* The companions of user reads, by system calls around them, where there are any. */
static void open_watch(struct assay_calipers *calipers)
{
    if (assay_set_open(&calipers->watch, companions, COMPANIONS, 0) < 0 ||
        calipers->watch->reader.descriptor < 0 || assay_set_enable(calipers->watch) < 0)
        return;
    take_companions(calipers, calipers->watch, 0);
    read_by_call(calipers, calipers->watch);
}

static int open_user(struct assay_calipers *calipers, const struct counted *counted)
{
    int error = calipers_user_open(calipers, counted->names, counted->count);
    if (error < 0)
        return error;
    take_members(calipers, counted, 0, 2);
    if (calipers->flags & ASSAY_WATCH)
        open_watch(calipers);
    return 0;
}

/* By user reads where all events can be had so, else by system calls. */
static int open_counters(struct assay_calipers *calipers)
{
    struct counted counted;
    counted.count = 0;
    for (size_t i = 0; i < calipers->count; i++) {
        const struct caliper *event = &calipers->events[i];
        if (event->kind || event->error || strcmp(event->name, TICKS_EVENT) == 0)
            continue; /* settled, or not for counters */
        counted.places[counted.count] = i;
        counted.names[counted.count++] = calipers->events[i].name;
    }
    for (size_t i = 0; i < COMPANIONS; i++)
        counted.names[counted.count + i] = companions[i];
    if (!counted.count)
        return 0;
    int error = calipers->flags & ASSAY_READ
                    ? set_fail(-ECANCELED, "system calls were asked for (ASSAY_READ)")
                    : open_user(calipers, &counted);
    if (!error || error == -EINVAL || error == -ENOENT)
        return error;
    calipers->reason = strdup(assay_last_error());
    if (!(calipers->flags & ASSAY_USER))
        return open_read(calipers, &counted);
    for (size_t i = 0; i < counted.count; i++) {
        calipers->events[counted.places[i]].error = -error;
        calipers->events[counted.places[i]].reason = strdup(assay_last_error());
    }
    return 0;
}

int assay_calipers_open(struct assay_calipers **result, const char *const *events, size_t count,
                        unsigned flags)
{
    const unsigned known = ASSAY_USER | ASSAY_READ | ASSAY_OR_TRAP | ASSAY_NO_TIME | ASSAY_WATCH;
    if (!result)
        return set_fail(-EINVAL, "assay_calipers_open needs a place for the calipers");
    *result = NULL;
    if (count > ASSAY_CALIPERS_MOST || (count && !events))
        return set_fail(-EINVAL, "calipers hold up to %d events, not %zu", ASSAY_CALIPERS_MOST,
                        count);
    if (flags & ~known)
        return set_fail(-EINVAL, "unknown flags 0x%x", flags & ~known);
    if (flags & ASSAY_USER && flags & ASSAY_READ)
        return set_fail(-EINVAL, "ASSAY_USER and ASSAY_READ exclude each other");
    struct assay_calipers *calipers = aligned_alloc(64, (sizeof(*calipers) + 63) / 64 * 64);
    if (!calipers)
        return set_fail(-ENOMEM, "out of memory");
    memset(calipers, 0, sizeof(*calipers));
    calipers->count = count;
    calipers->flags = flags;
    calipers->name_most = NAME_MOST;
    for (size_t i = 0; i < FRAMES; i++)
        calipers->frames[i].begun[GROUP_ENABLED] = 1; /* see ended.c */
    calipers->here.frame = &calipers->frames[0];
    calipers->here.last = &calipers->frames[FRAMES - 1];
    int error = 0;
    for (size_t i = 0; i < count && !error; i++) {
        calipers->events[i].name = events[i] ? strdup(events[i]) : NULL;
        if (!calipers->events[i].name)
            error = events[i] ? set_fail(-ENOMEM, "out of memory")
                              : set_fail(-EINVAL, "event %zu is NULL", i);
    }
    if (!error)
        error = calipers_trap_open(calipers);
    if (!error)
        error = open_counters(calipers);
    if (!error)
        calipers_ticks_open(calipers);
    if (!error) {
        /* The coarse clock moves with the timer's interrupt, so its step is how often that
         * comes. */
        struct timespec step;
        for (size_t i = 0; i < calipers->count; i++)
            find(&calipers->events[i]);
        if (clock_getres(CLOCK_MONOTONIC_COARSE, &step) == 0)
            calipers->timer_ns = (double)step.tv_sec * 1e9 + (double)step.tv_nsec;
    }
    if (!error)
        error = here_attach(calipers);
    if (!error)
        error = assay_calipers_select(calipers);
    if (error) {
        assay_calipers_close(calipers);
        return error;
    }
    *result = calipers;
    return 0;
}

void assay_calipers_close(struct assay_calipers *calipers)
{
    if (!calipers)
        return;
    if (!here_owns(calipers)) {
        set_fail(-EPERM, "calipers are closed by the thread that opened them");
        return;
    }
    calipers_trap_close(calipers);
    here_detach(calipers);
    regions_merge(calipers);
    nulls_free(calipers->nulls);
    calipers_user_close(calipers);
    assay_set_close(calipers->set);
    assay_set_close(calipers->watch);
    for (size_t i = 0; i < calipers->count; i++) {
        free(calipers->events[i].name);
        free(calipers->events[i].reason);
    }
    free(calipers->reason);
    free(calipers);
}

enum assay_path assay_calipers_path(const struct assay_calipers *calipers)
{
    return calipers->path;
}

const char *assay_path_name(enum assay_path path)
{
    static const char *const names[] = {
        [ASSAY_PATH_NONE] = "none",
        [ASSAY_PATH_USER] = "perf-user",
        [ASSAY_PATH_READ] = "perf-read",
        [ASSAY_PATH_TRAP] = "trap",
    };
    return (size_t)path < sizeof(names) / sizeof(names[0]) ? names[path] : "unknown";
}

size_t assay_calipers_size(const struct assay_calipers *calipers)
{
    return calipers->count;
}

const char *assay_calipers_event(const struct assay_calipers *calipers, size_t index)
{
    return index < calipers->count ? calipers->events[index].name : NULL;
}

int assay_calipers_error(const struct assay_calipers *calipers, size_t index)
{
    if (calipers->forked && index <= calipers->count)
        return ESRCH;
    return index < calipers->count    ? calipers->events[index].error
           : index == calipers->count ? 0
                                      : EINVAL;
}

const char *assay_calipers_reason(const struct assay_calipers *calipers, size_t index)
{
    if (index > calipers->count)
        return "there is no such event in the calipers";
    if (calipers->forked)
        return "these calipers were opened before fork and count the parent: open others in the "
               "child";
    const char *reason =
        index < calipers->count ? calipers->events[index].reason : calipers->reason;
    if (!reason && index < calipers->count)
        reason = calipers_trap_reason(calipers->trap_lost);
    return reason ? reason : "";
}
