/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Why a program is not the same from run to run: by its system calls where executions were watched,
 * by what it writes, by its threads, and by the controls that its counts follow. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "studies/repeat/study.h"

/* ----------------------------------------------------------------------------------------------
 * The table of system calls: what each may bring in that is not the same in every execution. */

/* What is to be known of a call, by its name and file. */
struct call_kind {
    const char *names; /* with spaces; NULL: any */
    const char *file;  /* how its file begins; NULL: any */
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
    {"open openat openat2 access faccessat faccessat2 close", NULL, PARTING_FILES, USUAL},
    {"stat lstat fstat newfstatat fstatat64 stat64 lstat64 fstat64 statx statfs "
     "fstatfs",
     NULL, PARTING_FILES, WEAK},
    {"mmap mmap2 mremap brk shmat", NULL, PARTING_ADDRESSES, A_PLACE},
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
    {"clock_gettime clock_gettime64 gettimeofday time times getrusage getitimer "
     "timer_gettime timerfd_gettime",
     NULL, PARTING_TIME, SOURCE},
    {"getpid gettid getppid getpgid getpgrp getsid", NULL, PARTING_IDENTITY, SOURCE},
    {"set_tid_address clone clone3 fork vfork wait4 waitid", NULL, PARTING_IDENTITY, A_PLACE},
    {"futex sched_yield", NULL, PARTING_THREADS, A_PLACE},
    {"sysinfo sched_getaffinity getcpu", NULL, PARTING_MACHINE, SOURCE},
    {"poll ppoll select pselect6 epoll_wait epoll_pwait", NULL, PARTING_PARTIAL, USUAL},
    {"read pread64 readv preadv recvfrom recvmsg", NULL, PARTING_FILES, USUAL},
    /* Between names lies what lay in memory before. */
    {"getdents getdents64", NULL, PARTING_FILES, WEAK},
    {"readlink readlinkat getcwd write writev pwrite64 sendto sendmsg", NULL, PARTING_FILES, USUAL},
    {NULL, NULL, PARTING_FILES, WEAK},
};

static const struct call_kind *call_kind_of(const struct repeat_call *call)
{
    const struct call_kind *kind = kinds;
    while ((kind->names && !has_word(kind->names, call->name)) ||
           (kind->file && strncmp(kind->file, call->what, strlen(kind->file)) != 0))
        kind++;
    return kind;
}

static bool moves_bytes(const struct repeat_call *call)
{
    return has_word(
        "read pread64 readv preadv recvfrom recvmsg write writev pwrite64 sendto sendmsg",
        call->name);
}

/* Broken off by a signal, as the operating system's own codes say, or less than asked. A file gives
 * less at its end; pipes, sockets and terminals give what is there. */
static bool was_partial(const struct repeat_call *call)
{
    const int64_t result = call->result;
    const bool is_less = result > 0 && call->asked > 0 && (uint64_t)result < call->asked;
    return result == -EINTR || result == -EAGAIN || (result <= -512 && result >= -516) ||
           (is_less && (has_word("write pwrite64 sendto", call->name) || call->what[0] != '/'));
}

/* The C library asks for eight bytes for itself when it first allocates memory, and nothing
 * depends on them. */
static bool is_of_the_library(const struct repeat_call *call)
{
    return strcmp(call->name, "getrandom") == 0 && call->asked == 8;
}

/* Is it the same request? Numbers of pipes and sockets say nothing. */
static bool call_same(const struct repeat_call *one, const struct repeat_call *other)
{
    const size_t length = strcspn(one->what, "[");
    return strcmp(one->name, other->name) == 0 && one->asked == other->asked &&
           (strcmp(one->what, other->what) == 0 ||
            (one->what[0] != '/' && one->what[length] == '[' &&
             strncmp(one->what, other->what, length + 1) == 0));
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
        (was_partial(one) || was_partial(other)))
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

static struct sequence order(const struct repeat_cell *cell, size_t run)
{
    const size_t begin = cell->call_begins[run], count = cell->call_begins[run + 1] - begin;
    struct sequence sequence = {memory_new(count + 1, sizeof(*sequence.calls)), count};
    for (size_t i = 0; i < count; i++)
        sequence.calls[i] = &cell->calls[begin + i];
    qsort(sequence.calls, count, sizeof(*sequence.calls), by_task);
    return sequence;
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
        const struct call_difference difference = {one[i], i + 1, one_count, 1};
        enum repeat_parting cause;
        bool weak;
        if (!call_same(one[i], other[i])) {
            note_parting(one[i], other[i], i + 1, one_count, &nearest, walked);
            return;
        }
        if (!call_differs(one[i], other[i], &cause, &weak))
            continue;
        if (weak) {
            nearest.weak = difference;
            nearest.weak_cause = (int)cause;
            continue;
        }
        nearest.strong = nearest.last[cause] = difference;
        nearest.strong_cause = (int)cause;
        if (!walked->gave[cause].call)
            walked->gave[cause] = difference;
        else
            walked->gave[cause].times++;
    }
    if (one_count != other_count)
        note_parting(one_count > both ? one[both] : NULL, other_count > both ? other[both] : NULL,
                     both + 1, one_count, &nearest, walked);
}

static uint32_t count_tasks(const struct sequence *sequence)
{
    uint32_t tasks = 0;
    for (size_t i = 0; i < sequence->count; i++)
        tasks += i == 0 || sequence->calls[i]->task != sequence->calls[i - 1]->task;
    return tasks;
}

/* Runs of one cell that were watched. */
static struct calls_walked calls_walk(const struct repeat_cell *cell, size_t one, size_t other)
{
    struct calls_walked walked = {.blamed = -1};
    const struct sequence first = order(cell, one), second = order(cell, other);
    const uint32_t tasks = count_tasks(&first), others = count_tasks(&second);
    walked.tasks = tasks > others ? tasks : others;
    for (size_t i = 0, j = 0; i < first.count || j < second.count;) {
        uint32_t task = UINT32_MAX;
        if (i < first.count)
            task = first.calls[i]->task;
        if (j < second.count && second.calls[j]->task < task)
            task = second.calls[j]->task;
        const size_t count = length_of(&first, i, task), rival = length_of(&second, j, task);
        walk_task(first.calls + i, count, second.calls + j, rival, &walked);
        i += count;
        j += rival;
    }
    /* Do tasks take turns otherwise? */
    const bool alike = !walked.parted && walked.tasks > 1 && first.count == second.count;
    for (size_t i = 0; alike && i < first.count && !walked.order; i++)
        walked.order = cell->calls[cell->call_begins[one] + i].task !=
                       cell->calls[cell->call_begins[other] + i].task;
    memory_give_back(first.calls);
    memory_give_back(second.calls);
    return walked;
}

/* --- what is gathered of one program on one machine --- */

struct gathered {
    const struct repeat_case *file;
    const struct repeat_report *report;
    struct repeat_place at;
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
        *seen = (struct repeat_seen){.at = gathered->at, .cause = cause};
    gathered->seen[cause] = true;
    return seen;
}

static bool is_ours(const struct gathered *gathered, const struct repeat_cell *cell)
{
    return is_same_place(&cell->at, &gathered->at);
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
        const struct repeat_cell *cell = row->cell;
        if (!is_ours(gathered, cell) || cell->controls != controls || cell->sweep != SWEEP_NONE ||
            row->runs < 2 || !counts_instructions(cell, row->event))
            continue;
        enum varied *varied = strcmp(cell->source, "perf_event") == 0 ? &by_hardware : &by_source;
        if (*varied != VARIED_SO)
            *varied = row->distinct > 1 ? VARIED_SO : VARIED_NOT;
    }
    return by_source != VARIED_UNKNOWN ? by_source : by_hardware;
}

static void tell_gave(const struct call_difference *gave, enum repeat_parting cause,
                      struct repeat_seen *seen)
{
    static const char *const words[PARTING_COUNT] = {[PARTING_TIME] = "another time",
                                                     [PARTING_IDENTITY] = "another number",
                                                     [PARTING_RANDOM] = "other bytes",
                                                     [PARTING_PARTIAL] = "another amount"};
    seen->evidence = (struct reasons){0};
    SAY(&seen->evidence, SAYS_GAVE, gave->call->name, gave->call->what,
        words[cause] ? words[cause] : "something else", gave->at, gave->of);
}

static const char *name_of(const struct repeat_call *call)
{
    return call ? call->name : "an end";
}

static void blame(struct gathered *gathered, struct calls_walked *walked)
{
    /* The nearest cause that is not harmless; what is nearest of all where it is among the weak. */
    if (walked->blamed >= 0 && walked->blamed != PARTING_THREADS &&
        walked->last[walked->blamed].call && gathered->harmless[walked->blamed]) {
        walked->blamed = -1;
        walked->blame = (struct call_difference){0};
        for (int i = 0; i < PARTING_COUNT; i++)
            if (walked->last[i].call && !gathered->harmless[i] &&
                walked->last[i].at > walked->blame.at) {
                walked->blamed = i;
                walked->blame = walked->last[i];
            }
    }
    enum repeat_parting cause =
        walked->blamed >= 0 ? (enum repeat_parting)walked->blamed : PARTING_MACHINE;
    if (walked->blamed < 0 && walked->tasks > 1)
        cause = PARTING_THREADS;
    struct repeat_seen *seen = cause_of(gathered, cause);
    if (seen->parted)
        return;
    seen->parted = true;
    seen->times += !seen->times;
    seen->evidence = (struct reasons){0};
    if (walked->blame.call && cause != PARTING_THREADS)
        tell_gave(&walked->blame, cause, seen);
    else if (cause == PARTING_THREADS)
        SAY(&seen->evidence, SAYS_OPEN_ORDER, walked->tasks);
    else
        SAY(&seen->evidence, SAYS_NO_CALL);
    SAY(&seen->evidence, walked->task ? SAYS_PART_LATER : SAYS_PART, walked->at, walked->of,
        name_of(walked->one), name_of(walked->other));
}

/* Something else was given, and the calls stayed the same: if counts differ, then by that. Time and
 * numbers are different in every run of every program, and so are blamed only where nothing else
 * was given. */
static void gather_given(struct gathered *gathered, const struct repeat_cell *cell,
                         const struct calls_walked *walked, enum varied varied)
{
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
        tell_gave(gave, cause, seen);
        if (varied == VARIED_NOT)
            SAY(&seen->evidence, SAYS_COUNTS_SAME, REPEAT_SETTING(cell->controls));
    }
}

static void gather_watched(struct gathered *gathered, const struct repeat_cell *cell)
{
    if (!cell->call_begins || !cell->runs)
        return;
    /* What calls may bring in: partial input or output is seen by the result alone. */
    for (size_t i = cell->call_begins[0]; i < cell->call_begins[1]; i++) {
        const struct repeat_call *call = &cell->calls[i];
        const struct call_kind *kind = call_kind_of(call);
        if (kind->source ? is_of_the_library(call) : !(moves_bytes(call) && was_partial(call)))
            continue;
        struct repeat_seen *seen = cause_of(gathered, kind->source ? kind->cause : PARTING_PARTIAL);
        if (!seen->times++)
            SAY(&seen->evidence, SAYS_CALLED, call->name, call->what, call->position + 1);
    }
    const enum varied varied = has_varied(gathered, cell->controls);
    for (size_t run = 1; run < cell->runs; run++) {
        struct calls_walked walked = calls_walk(cell, 0, run);
        gathered->watched = true;
        gathered->calls_part |= walked.parted;
        if (walked.parted)
            blame(gathered, &walked);
        gather_given(gathered, cell, &walked, varied);
        if (walked.tasks < 2)
            continue;
        struct repeat_seen *seen = cause_of(gathered, PARTING_THREADS);
        if (seen->parted)
            continue;
        seen->times = walked.tasks;
        seen->parted = walked.order;
        seen->evidence = (struct reasons){0};
        SAY(&seen->evidence, walked.order ? SAYS_OTHER_ORDER : SAYS_SAME_ORDER, walked.tasks);
    }
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
        others += !wrote_alike(run, first);
    }
    if (tasks > 1 && !gathered->seen[PARTING_THREADS]) {
        struct repeat_seen *seen = cause_of(gathered, PARTING_THREADS);
        seen->times = tasks;
        SAY(&seen->evidence, SAYS_TASKS, tasks);
    }
    if (!others)
        return;
    struct repeat_seen *seen = cause_of(gathered, PARTING_OUTPUT);
    if (!seen->parted)
        SAY(&seen->evidence, SAYS_WROTE, others, cell->runs, cell->source,
            REPEAT_SETTING(cell->controls));
    seen->parted = true;
    seen->times += others;
}

const struct reasons *follows_addresses(const struct repeat_report *report,
                                        const struct repeat_place *at, bool any_sweep)
{
    for (size_t i = 0; i < report->effect_count; i++) {
        const struct repeat_effect *effect = &report->effects[i];
        const struct control_part *part = &effect->parts[CONTROL_ASLR];
        if (is_same_place(&effect->as_is->cell->at, at) &&
            counts_instructions(effect->as_is->cell, effect->as_is->event) &&
            (part->brings || part->is_needed))
            return &effect->who;
    }
    for (size_t i = 0; i < report->sweep_count; i++) {
        const struct repeat_sweep *sweep = &report->sweeps[i];
        if (is_same_place(&sweep->at, at) && (any_sweep || sweep->sweep == SWEEP_ASLR) &&
            sweep->matters && names_instructions(sweep->source, sweep->event))
            return &sweep->what;
    }
    return NULL;
}

static void gather(struct gathered *gathered)
{
    const struct repeat_case *file = gathered->file;
    /* What gave something else although the calls stayed the same. */
    for (size_t i = 0; i < file->cell_count; i++) {
        const struct repeat_cell *cell = &file->cells[i];
        if (!is_ours(gathered, cell) || cell->detail != DETAIL_CALLS || !cell->call_begins)
            continue;
        for (size_t run = 1; run < cell->runs; run++) {
            const struct calls_walked walked = calls_walk(cell, 0, run);
            for (size_t cause = 0; cause < PARTING_COUNT && !walked.parted; cause++)
                gathered->harmless[cause] |= walked.gave[cause].call != NULL;
        }
    }
    for (size_t i = 0; i < file->cell_count; i++)
        if (is_ours(gathered, &file->cells[i]) && file->cells[i].detail == DETAIL_CALLS)
            gather_watched(gathered, &file->cells[i]);
    for (size_t i = 0; i < file->cell_count; i++)
        if (is_ours(gathered, &file->cells[i]))
            gather_runs(gathered, &file->cells[i]);
    const struct reasons *why = follows_addresses(gathered->report, &gathered->at, false);
    if (!why)
        return;
    struct repeat_seen *seen = cause_of(gathered, PARTING_ADDRESSES);
    seen->parted = gathered->watched && !gathered->calls_part;
    seen->times = 1;
    SAY(&seen->evidence,
        !gathered->watched     ? SAYS_ADDRESSES
        : gathered->calls_part ? SAYS_ADDRESSES_CALLS
                               : SAYS_ADDRESSES_SAME,
        why);
}

void repeat_find_causes(const struct repeat_case *file, struct repeat_report *report)
{
    for (size_t machine = 0; machine < file->machine_count; machine++)
        for (size_t program = 0; program < file->program_count; program++) {
            struct gathered gathered = {.file = file, .report = report, .at = {machine, program}};
            gather(&gathered);
            /* Those that parted stand first. */
            for (int parted = 1; parted >= 0; parted--)
                for (size_t i = 0; i < PARTING_COUNT; i++)
                    if (gathered.seen[i] && gathered.causes[i].parted == (parted != 0))
                        *memory_add(report->seen, report->seen_count) = gathered.causes[i];
        }
}
