/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Why a program is not the same from run to run: by its system calls where executions were watched,
 * by what it writes, by its threads, and by the controls that its counts follow. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "studies/repeat/judge.h"

/* ----------------------------------------------------------------------------------------------
 * The table of system calls: what each may bring in that is not the same in every execution. */

/* What is to be known of a call, by its name and file. */
struct call_kind {
    const char *name; /* NULL: any */
    const char *file; /* how its file begins; NULL: any */
    enum repeat_parting cause;
    bool source; /* it brings something in by its nature: worth telling even where nothing came of
                    it */
    bool weak;   /* what it gives differs without anybody minding: times of access, inode numbers */
    bool place;  /* its result is an address or somebody's number: success is all that counts */
};

/* Flags in the order of struct call_kind. */
#define SOURCE  true, false, false
#define USUAL   false, false, false
#define WEAK    false, true, false
#define A_PLACE false, true, true

/* The first row that fits. Files come before names, since what is read says more. */
static const struct call_kind kinds[] = {
    {"open", NULL, PARTING_FILES, USUAL},
    {"openat", NULL, PARTING_FILES, USUAL},
    {"openat2", NULL, PARTING_FILES, USUAL},
    {"access", NULL, PARTING_FILES, USUAL},
    {"faccessat", NULL, PARTING_FILES, USUAL},
    {"faccessat2", NULL, PARTING_FILES, USUAL},
    {"close", NULL, PARTING_FILES, USUAL},
    {"stat", NULL, PARTING_FILES, WEAK},
    {"lstat", NULL, PARTING_FILES, WEAK},
    {"fstat", NULL, PARTING_FILES, WEAK},
    {"newfstatat", NULL, PARTING_FILES, WEAK},
    {"fstatat64", NULL, PARTING_FILES, WEAK},
    {"stat64", NULL, PARTING_FILES, WEAK},
    {"lstat64", NULL, PARTING_FILES, WEAK},
    {"fstat64", NULL, PARTING_FILES, WEAK},
    {"statx", NULL, PARTING_FILES, WEAK},
    {"statfs", NULL, PARTING_FILES, WEAK},
    {"fstatfs", NULL, PARTING_FILES, WEAK},
    {"mmap", NULL, PARTING_ADDRESSES, A_PLACE},
    {"mmap2", NULL, PARTING_ADDRESSES, A_PLACE},
    {"mremap", NULL, PARTING_ADDRESSES, A_PLACE},
    {"brk", NULL, PARTING_ADDRESSES, A_PLACE},
    {"shmat", NULL, PARTING_ADDRESSES, A_PLACE},
    {"getrandom", NULL, PARTING_RANDOM, SOURCE},
    {NULL, "/dev/urandom", PARTING_RANDOM, SOURCE},
    {NULL, "/dev/random", PARTING_RANDOM, SOURCE},
    {NULL, "/dev/hwrng", PARTING_RANDOM, SOURCE},
    {NULL, "/proc/sys/kernel/random", PARTING_RANDOM, SOURCE},
    {NULL, "/proc/uptime", PARTING_TIME, SOURCE},
    {NULL, "/proc/self/stat", PARTING_IDENTITY, SOURCE},
    {NULL, "/proc/self/", PARTING_FILES, USUAL},
    {NULL, "/proc/", PARTING_MACHINE, SOURCE},
    {NULL, "/sys/", PARTING_MACHINE, SOURCE},
    {"clock_gettime", NULL, PARTING_TIME, SOURCE},
    {"clock_gettime64", NULL, PARTING_TIME, SOURCE},
    {"gettimeofday", NULL, PARTING_TIME, SOURCE},
    {"time", NULL, PARTING_TIME, SOURCE},
    {"times", NULL, PARTING_TIME, SOURCE},
    {"getrusage", NULL, PARTING_TIME, SOURCE},
    {"getitimer", NULL, PARTING_TIME, SOURCE},
    {"timer_gettime", NULL, PARTING_TIME, SOURCE},
    {"timerfd_gettime", NULL, PARTING_TIME, SOURCE},
    {"getpid", NULL, PARTING_IDENTITY, SOURCE},
    {"gettid", NULL, PARTING_IDENTITY, SOURCE},
    {"getppid", NULL, PARTING_IDENTITY, SOURCE},
    {"getpgid", NULL, PARTING_IDENTITY, SOURCE},
    {"getpgrp", NULL, PARTING_IDENTITY, SOURCE},
    {"getsid", NULL, PARTING_IDENTITY, SOURCE},
    {"set_tid_address", NULL, PARTING_IDENTITY, A_PLACE},
    {"clone", NULL, PARTING_IDENTITY, A_PLACE},
    {"clone3", NULL, PARTING_IDENTITY, A_PLACE},
    {"fork", NULL, PARTING_IDENTITY, A_PLACE},
    {"vfork", NULL, PARTING_IDENTITY, A_PLACE},
    {"wait4", NULL, PARTING_IDENTITY, A_PLACE},
    {"waitid", NULL, PARTING_IDENTITY, A_PLACE},
    {"futex", NULL, PARTING_THREADS, A_PLACE},
    {"sched_yield", NULL, PARTING_THREADS, A_PLACE},
    {"sysinfo", NULL, PARTING_MACHINE, SOURCE},
    {"sched_getaffinity", NULL, PARTING_MACHINE, SOURCE},
    {"getcpu", NULL, PARTING_MACHINE, SOURCE},
    {"poll", NULL, PARTING_PARTIAL, USUAL},
    {"ppoll", NULL, PARTING_PARTIAL, USUAL},
    {"select", NULL, PARTING_PARTIAL, USUAL},
    {"pselect6", NULL, PARTING_PARTIAL, USUAL},
    {"epoll_wait", NULL, PARTING_PARTIAL, USUAL},
    {"epoll_pwait", NULL, PARTING_PARTIAL, USUAL},
    {"read", NULL, PARTING_FILES, USUAL},
    {"pread64", NULL, PARTING_FILES, USUAL},
    {"readv", NULL, PARTING_FILES, USUAL},
    {"preadv", NULL, PARTING_FILES, USUAL},
    {"recvfrom", NULL, PARTING_FILES, USUAL},
    {"recvmsg", NULL, PARTING_FILES, USUAL},
    /* Between names lies what lay in memory before. */
    {"getdents", NULL, PARTING_FILES, WEAK},
    {"getdents64", NULL, PARTING_FILES, WEAK},
    {"readlink", NULL, PARTING_FILES, USUAL},
    {"readlinkat", NULL, PARTING_FILES, USUAL},
    {"getcwd", NULL, PARTING_FILES, USUAL},
    {"write", NULL, PARTING_FILES, USUAL},
    {"writev", NULL, PARTING_FILES, USUAL},
    {"pwrite64", NULL, PARTING_FILES, USUAL},
    {"sendto", NULL, PARTING_FILES, USUAL},
    {"sendmsg", NULL, PARTING_FILES, USUAL},
    {NULL, NULL, PARTING_FILES, WEAK},
};

static const struct call_kind *call_kind_of(const struct repeat_call *call)
{
    const struct call_kind *kind = kinds;
    while ((kind->name && strcmp(kind->name, call->name) != 0) ||
           (kind->file && strncmp(kind->file, call->what, strlen(kind->file)) != 0))
        kind++;
    return kind;
}

static bool is_named(const struct repeat_call *call, const char *const *names)
{
    for (; *names; names++)
        if (strcmp(*names, call->name) == 0)
            return true;
    return false;
}

static bool moves_bytes(const struct repeat_call *call)
{
    static const char *const names[] = {"read",     "pread64", "readv",   "preadv",
                                        "recvfrom", "recvmsg", "write",   "writev",
                                        "pwrite64", "sendto",  "sendmsg", NULL};
    return is_named(call, names);
}

/* The operating system's own codes for a call that a signal broke off. */
static bool was_interrupted(int64_t result)
{
    return result == -EINTR || result == -EAGAIN || (result <= -512 && result >= -516);
}

/* A file gives less at its end; pipes, sockets and terminals give what is there. */
static bool was_partial(const struct repeat_call *call)
{
    static const char *const writes[] = {"write", "pwrite64", "sendto", NULL};
    const bool is_less =
        call->result > 0 && call->asked > 0 && (uint64_t)call->result < call->asked;
    return was_interrupted(call->result) ||
           (is_less && (is_named(call, writes) || call->what[0] != '/'));
}

/* The C library asks for eight bytes for itself when it first allocates memory, and nothing
 * depends on them. */
static bool is_of_the_library(const struct repeat_call *call)
{
    return strcmp(call->name, "getrandom") == 0 && call->asked == 8;
}

/* What may come of it: partial input or output is seen by the result alone. -1: nothing. */
static int call_source(const struct repeat_call *call)
{
    const struct call_kind *kind = call_kind_of(call);
    if (kind->source)
        return is_of_the_library(call) ? -1 : (int)kind->cause;
    return moves_bytes(call) && was_partial(call) ? PARTING_PARTIAL : -1;
}

/* Numbers of pipes and sockets say nothing. */
static bool same_file(const char *one, const char *other)
{
    const size_t length = strcspn(one, "[");
    return strcmp(one, other) == 0 ||
           (one[0] != '/' && one[length] == '[' && strncmp(one, other, length + 1) == 0);
}

/* Is it the same request? */
static bool call_same(const struct repeat_call *one, const struct repeat_call *other)
{
    return strcmp(one->name, other->name) == 0 && one->asked == other->asked &&
           same_file(one->what, other->what);
}

/* Did the same request give something else? Then why: a cause, and whether that is weak. */
static bool call_differs(const struct repeat_call *one, const struct repeat_call *other,
                         enum repeat_parting *cause, bool *weak)
{
    const struct call_kind *kind = call_kind_of(one);
    const bool failed_alike = (one->result < 0) == (other->result < 0);
    *cause = kind->cause;
    *weak = kind->weak || is_of_the_library(one);
    if (kind->place && failed_alike && (one->result >= 0 || one->result == other->result))
        return false;
    if (one->result == other->result && one->sum == other->sum)
        return false;
    /* No request of its own fails by chance, unless it is broken off. */
    if (!failed_alike)
        *weak = false;
    if (one->result != other->result && moves_bytes(one) &&
        (was_interrupted(one->result) || was_interrupted(other->result) || was_partial(one) ||
         was_partial(other)))
        *cause = PARTING_PARTIAL;
    return true;
}

/* ----------------------------------------------------------------------------------------------
 * Walks two executions beside each other, task by task: as long as they ask for the same, what
 * they are given is compared; where they first ask for something else they have parted. */

/* Where two executions first got something else, by cause, and where they began to do something
 * else. */
struct call_difference {
    const struct repeat_call *call; /* of the first execution; NULL: none */
    size_t at, of;                  /* the how-manieth of its task's, from 1, and how many */
    uint64_t times;
};
struct calls_walked {
    struct call_difference gave[PARTING_COUNT]; /* weak ones are left out */
    bool parted;
    uint32_t task;
    size_t at, of;                         /* as above */
    const struct repeat_call *one, *other; /* what they did there; NULL: it had ended */
    int blamed;                            /* the cause nearest before that; -1: none */
    struct call_difference blame;
    struct call_difference
        last[PARTING_COUNT]; /* nearest before that, by cause, weak ones left out */
    bool order;              /* all tasks did the same, but in another order */
    uint32_t tasks;
};

/* The calls of one run, by task, each in its order. */
struct sequence {
    const struct repeat_call **calls;
    size_t count;
};

static int by_task(const void *left, const void *right)
{
    const struct repeat_call *one = *(const struct repeat_call *const *)left;
    const struct repeat_call *other = *(const struct repeat_call *const *)right;
    if (one->task != other->task)
        return one->task < other->task ? -1 : 1;
    /* They lie in one list, in order. */
    return (one > other) - (one < other);
}

static int order(const struct repeat_cell *cell, size_t run, struct sequence *sequence)
{
    const size_t begin = cell->call_begins[run], end = cell->call_begins[run + 1];
    sequence->count = end - begin;
    sequence->calls = calloc(sequence->count + 1, sizeof(*sequence->calls));
    if (!sequence->calls)
        return -ENOMEM;
    for (size_t i = begin; i < end; i++)
        sequence->calls[i - begin] = &cell->calls[i];
    qsort(sequence->calls, sequence->count, sizeof(*sequence->calls), by_task);
    return 0;
}

/* The calls of this task: from begin on, so many. */
static size_t length_of(const struct sequence *sequence, size_t begin, uint32_t task)
{
    size_t end = begin;
    while (end < sequence->count && sequence->calls[end]->task == task)
        end++;
    return end - begin;
}

/* Differences that lie nearest before the place where a task parts. */
struct nearest {
    struct call_difference strong, weak;
    int strong_cause, weak_cause;
    struct call_difference last[PARTING_COUNT];
};

static void note_difference(const struct repeat_call *call, size_t at, size_t of,
                            enum repeat_parting cause, bool weak, struct nearest *nearest,
                            struct calls_walked *walked)
{
    const struct call_difference difference = {call, at, of, 1};
    if (weak) {
        nearest->weak = difference;
        nearest->weak_cause = (int)cause;
        return;
    }
    nearest->strong = difference;
    nearest->strong_cause = (int)cause;
    nearest->last[cause] = difference;
    if (!walked->gave[cause].call)
        walked->gave[cause] = difference;
    else
        walked->gave[cause].times++;
}

static bool is_of_threads(const struct repeat_call *call)
{
    return call && call_kind_of(call)->cause == PARTING_THREADS;
}

static void note_parting(const struct repeat_call *one, const struct repeat_call *other, size_t at,
                         size_t of, const struct nearest *nearest, struct calls_walked *walked)
{
    /* The task whose parting comes first in the whole execution is told. */
    const struct repeat_call *here = one ? one : other;
    const struct repeat_call *earlier = walked->one ? walked->one : walked->other;
    if (!here || (walked->parted && earlier->position <= here->position))
        return;
    walked->parted = true;
    walked->task = here->task;
    walked->at = at;
    walked->of = of;
    walked->one = one;
    walked->other = other;
    walked->blamed = nearest->strong.call ? nearest->strong_cause : nearest->weak_cause;
    walked->blame = nearest->strong.call ? nearest->strong : nearest->weak;
    memcpy(walked->last, nearest->last, sizeof(walked->last));
    if (walked->tasks > 1 && (is_of_threads(one) || is_of_threads(other)))
        walked->blamed = PARTING_THREADS;
}

static void walk_task(const struct repeat_call **one, size_t one_count,
                      const struct repeat_call **other, size_t other_count,
                      struct calls_walked *walked)
{
    struct nearest nearest = {.strong_cause = -1, .weak_cause = -1};
    const size_t both = one_count < other_count ? one_count : other_count;
    for (size_t i = 0; i < both; i++) {
        enum repeat_parting cause;
        bool weak;
        if (!call_same(one[i], other[i])) {
            note_parting(one[i], other[i], i + 1, one_count, &nearest, walked);
            return;
        }
        if (call_differs(one[i], other[i], &cause, &weak))
            note_difference(one[i], i + 1, one_count, cause, weak, &nearest, walked);
    }
    if (one_count != other_count)
        note_parting(one_count > both ? one[both] : NULL, other_count > both ? other[both] : NULL,
                     both + 1, one_count, &nearest, walked);
}

static void walk_tasks(const struct sequence *one, const struct sequence *other,
                       struct calls_walked *walked)
{
    for (size_t i = 0, j = 0; i < one->count || j < other->count;) {
        uint32_t task = UINT32_MAX;
        if (i < one->count)
            task = one->calls[i]->task;
        if (j < other->count && other->calls[j]->task < task)
            task = other->calls[j]->task;
        const size_t one_count = length_of(one, i, task), other_count = length_of(other, j, task);
        walk_task(one->calls + i, one_count, other->calls + j, other_count, walked);
        i += one_count;
        j += other_count;
    }
}

static uint32_t count_tasks(const struct sequence *sequence)
{
    uint32_t tasks = 0;
    for (size_t i = 0; i < sequence->count; i++)
        tasks += i == 0 || sequence->calls[i]->task != sequence->calls[i - 1]->task;
    return tasks;
}

/* Do tasks take turns otherwise? */
static bool has_other_order(const struct repeat_cell *cell, size_t one, size_t other)
{
    const size_t first = cell->call_begins[one], second = cell->call_begins[other];
    const size_t count = cell->call_begins[one + 1] - first;
    if (count != cell->call_begins[other + 1] - second)
        return false;
    for (size_t i = 0; i < count; i++)
        if (cell->calls[first + i].task != cell->calls[second + i].task)
            return true;
    return false;
}

/* Runs of one cell that were watched. -ENOMEM. */
static int calls_walk(const struct repeat_cell *cell, size_t one, size_t other,
                      struct calls_walked *walked)
{
    struct sequence first = {0}, second = {0};
    memset(walked, 0, sizeof(*walked));
    walked->blamed = -1;
    int error = order(cell, one, &first);
    if (!error)
        error = order(cell, other, &second);
    if (!error) {
        const uint32_t tasks = count_tasks(&first), others = count_tasks(&second);
        walked->tasks = tasks > others ? tasks : others;
        walk_tasks(&first, &second, walked);
        walked->order = !walked->parted && walked->tasks > 1 && has_other_order(cell, one, other);
    }
    free(first.calls);
    free(second.calls);
    return error;
}

/* ----------------------------------------------------------------------------------------------
 * Why a program is not the same from run to run: by its system calls where executions were
 * watched, by what it writes, by its threads, and by the controls that its counts follow. */

/* What was gathered of one program on one machine. */
struct gathered {
    const struct repeat_case *file;
    const struct repeat_report *report;
    size_t machine, program;
    struct repeat_seen causes[PARTING_COUNT];
    bool seen[PARTING_COUNT];
    bool watched;    /* at least two executions of one setting */
    bool calls_part; /* … and they did not do the same */
    /* It gave something else under some setting, and the calls stayed the same: then it is not what
     * parts them under another. */
    bool harmless[PARTING_COUNT];
};

static struct repeat_seen *cause_of(struct gathered *gathered, enum repeat_parting cause)
{
    struct repeat_seen *seen = &gathered->causes[cause];
    if (!gathered->seen[cause])
        *seen = (struct repeat_seen){
            .machine = gathered->machine, .program = gathered->program, .cause = cause};
    gathered->seen[cause] = true;
    return seen;
}

static bool is_ours(const struct gathered *gathered, const struct repeat_cell *cell)
{
    return cell->machine == gathered->machine && cell->program == gathered->program;
}

/* --- what calls may bring in --- */

static void gather_sources(struct gathered *gathered, const struct repeat_cell *cell)
{
    for (size_t i = cell->call_begins[0]; i < cell->call_begins[1]; i++) {
        const struct repeat_call *call = &cell->calls[i];
        const int cause = call_source(call);
        if (cause < 0)
            continue;
        struct repeat_seen *seen = cause_of(gathered, (enum repeat_parting)cause);
        if (!seen->times++)
            snprintf(seen->evidence, sizeof(seen->evidence),
                     "%.40s%s%.120s is called, first at %llu", call->name,
                     call->what[0] ? " of " : "", call->what,
                     (unsigned long long)call->position + 1);
    }
}

/* --- where two executions part --- */

/* Does the program count its instructions otherwise from run to run under these controls? */
enum varied { VARIED_UNKNOWN, VARIED_NOT, VARIED_SO };

/* Sources count nothing but the program; the hardware is asked where none did. */
static enum varied has_varied(const struct gathered *gathered, uint32_t controls)
{
    enum varied by_source = VARIED_UNKNOWN, by_hardware = VARIED_UNKNOWN;
    for (size_t i = 0; i < gathered->report->row_count; i++) {
        const struct repeat_row *row = &gathered->report->rows[i];
        const struct repeat_cell *cell = &gathered->file->cells[row->cell];
        if (!is_ours(gathered, cell) || cell->controls != controls || cell->sweep != SWEEP_NONE ||
            row->runs < 2 || !counts_instructions(cell, row->event))
            continue;
        enum varied *varied = strcmp(cell->source, "perf_event") == 0 ? &by_hardware : &by_source;
        if (*varied != VARIED_SO)
            *varied = row->distinct > 1 ? VARIED_SO : VARIED_NOT;
    }
    return by_source != VARIED_UNKNOWN ? by_source : by_hardware;
}

static const char *given_words(enum repeat_parting cause)
{
    switch (cause) {
    case PARTING_TIME:
        return "another time";
    case PARTING_IDENTITY:
        return "another number";
    case PARTING_RANDOM:
        return "other bytes";
    case PARTING_PARTIAL:
        return "another amount";
    default:
        return "something else";
    }
}

static int tell_gave(const struct call_difference *gave, enum repeat_parting cause,
                     struct repeat_seen *seen)
{
    return snprintf(seen->evidence, sizeof(seen->evidence),
                    "%.40s%s%.100s gave %s at call %zu of %zu", gave->call->name,
                    gave->call->what[0] ? " of " : "", gave->call->what, given_words(cause),
                    gave->at, gave->of);
}

static const char *name_of(const struct repeat_call *call)
{
    return call ? call->name : "an end";
}

/* The nearest cause that is not harmless; what is nearest of all where it is among the weak. */
static void choose(const struct gathered *gathered, struct calls_walked *walked)
{
    if (walked->blamed < 0 || walked->blamed == PARTING_THREADS ||
        !walked->last[walked->blamed].call || !gathered->harmless[walked->blamed])
        return;
    walked->blamed = -1;
    walked->blame = (struct call_difference){0};
    for (int i = 0; i < PARTING_COUNT; i++)
        if (walked->last[i].call && !gathered->harmless[i] &&
            walked->last[i].at > walked->blame.at) {
            walked->blamed = i;
            walked->blame = walked->last[i];
        }
}

static void blame(struct gathered *gathered, struct calls_walked *walked)
{
    choose(gathered, walked);
    enum repeat_parting cause =
        walked->blamed >= 0 ? (enum repeat_parting)walked->blamed : PARTING_MACHINE;
    if (walked->blamed < 0 && walked->tasks > 1)
        cause = PARTING_THREADS;
    struct repeat_seen *seen = cause_of(gathered, cause);
    int used = 0;
    if (seen->parted)
        return;
    seen->parted = true;
    seen->times += !seen->times;
    if (walked->blame.call && cause != PARTING_THREADS)
        used = tell_gave(&walked->blame, cause, seen);
    else if (cause == PARTING_THREADS)
        used = snprintf(seen->evidence, sizeof(seen->evidence), "%u tasks whose order is not fixed",
                        walked->tasks);
    else
        used = snprintf(seen->evidence, sizeof(seen->evidence),
                        "no call gave anything else before that matters: what decides is not among "
                        "its calls");
    if (used < 0 || (size_t)used >= sizeof(seen->evidence))
        return;
    snprintf(seen->evidence + used, sizeof(seen->evidence) - (size_t)used,
             "; two runs part at call %zu of %zu%s: %.40s, %.40s", walked->at, walked->of,
             walked->task ? " of a later task" : "", name_of(walked->one), name_of(walked->other));
}

/* Something else was given, and the calls stayed the same: if counts differ, then by that. Time and
 * numbers are different in every run of every program, and so are blamed only where nothing else
 * was given. */
static void gather_given(struct gathered *gathered, const struct repeat_cell *cell,
                         const struct calls_walked *walked, enum varied varied)
{
    char setting[128];
    setting_name(cell->controls, setting, sizeof(setting));
    bool telling = false;
    for (size_t i = 0; i < PARTING_COUNT; i++)
        telling |= walked->gave[i].call && i != PARTING_TIME && i != PARTING_IDENTITY;
    for (size_t i = 0; i < PARTING_COUNT; i++) {
        const struct call_difference *gave = &walked->gave[i];
        const enum repeat_parting cause = (enum repeat_parting)i;
        if (!gave->call)
            continue;
        struct repeat_seen *seen = cause_of(gathered, cause);
        if (seen->parted)
            continue;
        const bool usual = cause == PARTING_TIME || cause == PARTING_IDENTITY;
        seen->parted = varied == VARIED_SO && !walked->parted && !(usual && telling);
        seen->times += !seen->times;
        const int used = tell_gave(gave, cause, seen);
        if (used > 0 && (size_t)used < sizeof(seen->evidence) && varied == VARIED_NOT)
            snprintf(seen->evidence + used, sizeof(seen->evidence) - (size_t)used,
                     "; %s counts are identical all the same", setting);
    }
}

static void gather_order(struct gathered *gathered, const struct calls_walked *walked)
{
    if (walked->tasks < 2)
        return;
    struct repeat_seen *seen = cause_of(gathered, PARTING_THREADS);
    if (seen->parted)
        return;
    seen->times = walked->tasks;
    seen->parted = walked->order;
    snprintf(seen->evidence, sizeof(seen->evidence), "%u tasks, %s", walked->tasks,
             walked->order ? "which took turns in another order" : "in the same order");
}

/* What gave something else although the calls stayed the same. */
static int gather_harmless(struct gathered *gathered, const struct repeat_cell *cell)
{
    for (size_t run = 1; cell->call_begins && run < cell->runs; run++) {
        struct calls_walked walked;
        if (calls_walk(cell, 0, run, &walked) < 0)
            return -ENOMEM;
        for (size_t i = 0; i < PARTING_COUNT && !walked.parted; i++)
            gathered->harmless[i] |= walked.gave[i].call != NULL;
    }
    return 0;
}

static int gather_watched(struct gathered *gathered, const struct repeat_cell *cell)
{
    if (!cell->call_begins || !cell->runs)
        return 0;
    gather_sources(gathered, cell);
    const enum varied varied = has_varied(gathered, cell->controls);
    for (size_t run = 1; run < cell->runs; run++) {
        struct calls_walked walked;
        if (calls_walk(cell, 0, run, &walked) < 0)
            return -ENOMEM;
        gathered->watched = true;
        gathered->calls_part |= walked.parted;
        if (walked.parted)
            blame(gathered, &walked);
        gather_given(gathered, cell, &walked, varied);
        gather_order(gathered, &walked);
    }
    return 0;
}

/* --- what runs themselves show --- */

static void gather_runs(struct gathered *gathered, const struct repeat_cell *cell)
{
    const uint64_t status = kept_status(cell);
    const struct repeat_run *first = NULL;
    uint64_t tasks = 0, others = 0;
    for (size_t i = 0; i < cell->runs; i++) {
        const struct repeat_run *run = &cell->list[i];
        tasks = run->tasks > tasks ? run->tasks : tasks;
        /* What was written when the time was over depends on the time alone. */
        if (run->status != status || status >= STATUS_TIMEOUT)
            continue;
        first = first ? first : run;
        others += run->output_sum != first->output_sum || run->output_bytes != first->output_bytes;
    }
    if (tasks > 1 && !gathered->seen[PARTING_THREADS]) {
        struct repeat_seen *seen = cause_of(gathered, PARTING_THREADS);
        seen->times = tasks;
        snprintf(seen->evidence, sizeof(seen->evidence), "%llu threads and processes",
                 (unsigned long long)tasks);
    }
    if (!others)
        return;
    struct repeat_seen *seen = cause_of(gathered, PARTING_OUTPUT);
    char setting[128];
    if (!seen->parted)
        snprintf(seen->evidence, sizeof(seen->evidence),
                 "%llu of %zu runs by %.15s (%s) wrote something else than the first",
                 (unsigned long long)others, cell->runs, cell->source,
                 setting_name(cell->controls, setting, sizeof(setting)));
    seen->parted = true;
    seen->times += others;
}

/* --- addresses --- */

static const char *addresses_by_sweep(const struct gathered *gathered)
{
    for (size_t i = 0; i < gathered->report->sweep_count; i++) {
        const struct repeat_sweep *sweep = &gathered->report->sweeps[i];
        if (sweep->machine == gathered->machine && sweep->program == gathered->program &&
            sweep->sweep == SWEEP_ASLR && sweep->matters &&
            names_instructions(sweep->source, sweep->event))
            return sweep->what;
    }
    return NULL;
}

static const char *addresses_by_control(const struct gathered *gathered)
{
    for (size_t i = 0; i < gathered->report->effect_count; i++) {
        const struct repeat_effect *effect = &gathered->report->effects[i];
        const struct repeat_row *row = &gathered->report->rows[effect->as_is];
        const struct control_part *part = &effect->parts[CONTROL_ASLR];
        if (is_ours(gathered, &gathered->file->cells[row->cell]) &&
            counts_instructions(&gathered->file->cells[row->cell], row->event) &&
            (part->brings || part->is_needed))
            return effect->who;
    }
    return NULL;
}

static void gather_addresses(struct gathered *gathered)
{
    const char *why = addresses_by_control(gathered);
    if (!why)
        why = addresses_by_sweep(gathered);
    if (!why)
        return;
    struct repeat_seen *seen = cause_of(gathered, PARTING_ADDRESSES);
    seen->parted = gathered->watched && !gathered->calls_part;
    seen->times = 1;
    snprintf(seen->evidence, sizeof(seen->evidence),
             "counts follow address randomisation%s: %.180s",
             !gathered->watched     ? ""
             : gathered->calls_part ? ", and its calls do not stay the same"
                                    : ", while its calls stay the same",
             why);
}

static int gather(struct gathered *gathered)
{
    for (int pass = 0; pass < 2; pass++)
        for (size_t i = 0; i < gathered->file->cell_count; i++) {
            const struct repeat_cell *cell = &gathered->file->cells[i];
            if (is_ours(gathered, cell) && cell->detail == DETAIL_CALLS &&
                (pass ? gather_watched : gather_harmless)(gathered, cell) < 0)
                return -ENOMEM;
        }
    for (size_t i = 0; i < gathered->file->cell_count; i++)
        if (is_ours(gathered, &gathered->file->cells[i]))
            gather_runs(gathered, &gathered->file->cells[i]);
    gather_addresses(gathered);
    return 0;
}

int repeat_find_causes(const struct repeat_case *file, struct repeat_report *report)
{
    const size_t most = file->machine_count * file->program_count * PARTING_COUNT;
    report->seen = calloc(most + 1, sizeof(*report->seen));
    if (!report->seen)
        return -ENOMEM;
    for (size_t machine = 0; machine < file->machine_count; machine++)
        for (size_t program = 0; program < file->program_count; program++) {
            struct gathered gathered = {
                .file = file, .report = report, .machine = machine, .program = program};
            if (gather(&gathered) < 0)
                return -ENOMEM;
            /* Those that parted stand first. */
            for (int parted = 1; parted >= 0; parted--)
                for (size_t i = 0; i < PARTING_COUNT; i++)
                    if (gathered.seen[i] && gathered.causes[i].parted == (parted != 0))
                        report->seen[report->seen_count++] = gathered.causes[i];
        }
    return 0;
}
