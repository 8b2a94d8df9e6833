/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Reads what Valgrind's tools write. What is not exactly as expected is refused: who wrote it is
 * not known then. */
#include "probe/command/detail.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "decode.h"
#include "probe/sources/program.h"

/* --- exp-bbv's summaries in Valgrind's log, one a thread; and what else stands there --- */

/* --- the summaries --- */

#define THREAD "# Thread "

/* Every line begins with the process: "==1234== ". */
static bool take_mark(struct stretch *span)
{
    uint64_t process;
    return take(span, "==") && take_number(span, &process) && take(span, "== ");
}

static bool take_marked(struct stretch *span, const char *words, uint64_t *number, const char *rest)
{
    return take_mark(span) && take(span, words) && take_number(span, number) && take(span, rest);
}

static int refuse(struct failure *failure, const char *what)
{
    return fail_with(failure, -EBADMSG,
                     "what Valgrind's exp-bbv wrote cannot be read: %s. Another version of "
                     "Valgrind? The sources qemu and step count, too",
                     what);
}

static bool add(uint64_t *sum, uint64_t number)
{
    return !__builtin_add_overflow(*sum, number, sum);
}

static bool begins_thread(struct stretch span)
{
    return take_mark(&span) && take(&span, THREAD);
}

int valgrind_counts_read(const char *text, size_t length, struct valgrind_counts *counts,
                         struct failure *failure)
{
    struct stretch span = {text, text + length};
    int result = 0;
    *counts = (struct valgrind_counts){0};
    while (result == 0 && span.at < span.end) {
        if (begins_thread(span)) {
            uint64_t thread, intervals, size, total, reps, unique, fldcw;
            if (!take_marked(&span, THREAD, &thread, "\n") ||
                !take_marked(&span, "#   Total intervals: ", &intervals, " (Interval Size ") ||
                !take_number(&span, &size) || !take(&span, ")\n") ||
                !take_marked(&span, "#   Total instructions: ", &total, "\n") ||
                !take_marked(&span, "#   Total reps: ", &reps, "\n") ||
                !take_marked(&span, "#   Unique reps: ", &unique, "\n") ||
                !take_marked(&span, "#   Total fldcw instructions: ", &fldcw, "\n"))
                result = refuse(failure, "a thread's summary is damaged");
            else if (unique > reps || unique > total || !add(&counts->instructions, total) ||
                     !add(&counts->repetitions, reps - unique))
                result = refuse(failure, "its counts contradict each other");
            else
                counts->threads++;
            continue;
        }
        const char *end = memchr(span.at, '\n', (size_t)(span.end - span.at));
        span.at = end ? end + 1 : span.end;
    }
    return result;
}

/* --- system calls: "SYSCALL[1234,1](435) … --> [pre-fail] Failure(0x26)" on one line or two --- */

bool valgrind_calls_take(struct valgrind_calls *calls, const char *line)
{
    const char *number = strncmp(line, "SYSCALL[", 8) == 0 ? strstr(line, "](") : NULL;
    if (!number && strncmp(line, " --> [", 6) != 0)
        return false;
    if (number)
        calls->last = strtoll(number + 2, NULL, 10);
    calls->starved |= strstr(line, "Failure(0xc)") != NULL;
    /* The call by which a library makes its thread where clone3 was refused. */
    const bool clones = strstr(line, "sys_clone ") && strstr(line, " Success(");
    for (size_t index = 0; index < calls->count && clones; index++)
        if (calls->refused[index] == CALL_CLONE3)
            calls->refused[index] = calls->refused[--calls->count];
    bool known = !strstr(line, "[pre-fail] Failure(0x26)");
    for (size_t index = 0; index < calls->count; index++)
        known |= calls->refused[index] == calls->last;
    if (!known && calls->count < TRACED_REFUSED)
        calls->refused[calls->count++] = calls->last;
    return true;
}

/* --- what else stands in the log --- */

int valgrind_log_check(const char *text, size_t length, struct failure *failure)
{
    static const struct {
        const char *words, *meaning;
        int code;
    } troubles[] = {
        {"unhandled instruction bytes",
         "does not know an instruction of this program, and told "
         "the program that it is illegal",
         -ENOTSUP},
        {"the 'impossible' happened", "failed while it ran this program", -EIO},
        {"out of memory", "had not enough memory to run this program", -ENOMEM},
        {"Unable to start up properly", "could not start this program", -ENOTSUP},
    };
    for (size_t index = 0; index < sizeof(troubles) / sizeof(*troubles); index++)
        if (memmem(text, length, troubles[index].words, strlen(troubles[index].words)))
            return fail_with(failure, troubles[index].code,
                             "Valgrind itself %s: that is not what the program does. The sources "
                             "qemu and step may count it",
                             troubles[index].meaning);
    return 0;
}

/* ----------------------------------------------------------------------------------------------
 * Lackey's trace, summed by instruction. A string instruction that a thread executes straight
 * after itself is the same execution, repeated. */

#define FIRST_CAPACITY 8192u
#define LONGEST        15u /* bytes of an instruction */

/* --- instructions by address --- */

static uint32_t *slot_of(const struct summed *summed, uint32_t *slots, size_t capacity,
                         uint64_t address)
{
    size_t place = (size_t)((address * 0x9e3779b97f4a7c15u) >> 20) & (capacity - 1);
    while (slots[place] && summed->list[slots[place] - 1].address != address)
        place = (place + 1) & (capacity - 1);
    return &slots[place];
}

static int make_room(struct summed *summed)
{
    if (2 * summed->count < summed->capacity)
        return 0;
    size_t capacity = summed->capacity ? 2 * summed->capacity : FIRST_CAPACITY;
    void *list = reallocarray(summed->list, capacity / 2, sizeof(*summed->list));
    if (!list)
        return -ENOMEM;
    summed->list = list;
    uint32_t *slots = calloc(capacity, sizeof(*slots));
    if (!slots)
        return -ENOMEM;
    for (uint32_t index = 0; index < summed->count; index++)
        *slot_of(summed, slots, capacity, summed->list[index].address) = index + 1;
    free(summed->slots);
    summed->slots = slots;
    summed->capacity = capacity;
    return 0;
}

/* 1 + the place of the instruction; 0: no memory. */
static uint32_t find(struct summed *summed, uint64_t address, size_t length)
{
    if (make_room(summed) < 0)
        return 0;
    uint32_t *slot = slot_of(summed, summed->slots, summed->capacity, address);
    const uint32_t known = *slot;
    if (known > 0) {
        summed->changed |= summed->list[known - 1].length != length;
        return known;
    }
    struct executed_instruction *fresh = &summed->list[summed->count++];
    *fresh = (struct executed_instruction){.address = address, .length = (uint8_t)length};
    if (!summed->look(summed->context, address, fresh->bytes, length))
        summed->unreadable = true;
    *slot = (uint32_t)summed->count;
    return *slot;
}

static int take_instruction(struct summed *summed, uint64_t address, size_t length)
{
    uint64_t *last = &summed->last[summed->thread];
    uint32_t place = find(summed, address, length);
    if (!place)
        return -ENOMEM;
    struct executed_instruction *one = &summed->list[place - 1];
    if (*last == place && decode_is_repeated(one->bytes, length))
        one->repetitions++;
    else
        one->executions++;
    *last = place;
    return ++summed->lines > SUMMED_MOST ? -E2BIG : 0;
}

/* --- lines --- */

/* Hexadecimal, or decimal, up to the given end. */
static bool read_number(const char **at, unsigned base, char end, uint64_t *number)
{
    const char *start = *at;
    *number = 0;
    for (; **at && **at != end; ++*at) {
        const char *digits = "0123456789abcdef", *digit = strchr(digits, **at);
        if (!digit || (size_t)(digit - digits) >= base || *number > (UINT64_MAX >> 4) - 16)
            return false;
        *number = *number * base + (uint64_t)(digit - digits);
    }
    return *at > start && **at == end;
}

static int take_line(struct summed *summed)
{
    const char *line = summed->line, *turn;
    summed->line[summed->length] = '\0';
    if (strncmp(line, "I  ", 3) == 0) {
        /* "I  04001000,3" */
        const char *at = summed->line + 3;
        uint64_t address, length;
        bool whole = read_number(&at, 16, ',', &address);
        at += whole;
        if (!whole || !read_number(&at, 10, '\0', &length) || !length || length > LONGEST) {
            summed->damaged = true;
            return 0;
        }
        return take_instruction(summed, address, (size_t)length);
    }
    if (line[0] == ' ' && line[1] && strchr("LSM", line[1]) && line[2] == ' ')
        return 0;
    if (strncmp(line, "--", 2) == 0 && (turn = strstr(line, "SCHED["))) {
        /* "--1234--   SCHED[1]:  acquired lock (…)" */
        const char *at = turn;
        uint64_t thread;
        at += strlen("SCHED[");
        if (!read_number(&at, 10, ']', &thread) || thread >= SUMMED_THREADS)
            summed->damaged = true;
        else {
            at += strcspn(at, " ");
            at += strspn(at, " ");
            if (strncmp(at, "acquired lock", strlen("acquired lock")) == 0)
                summed->thread = (uint32_t)thread;
            bool enters = strncmp(at, "entering VG_", strlen("entering VG_")) == 0;
            bool leaves = strncmp(at, "exiting VG_", strlen("exiting VG_")) == 0;
            if (enters)
                summed->last[thread] = 0;
            if ((enters && !summed->runs[thread]) || (leaves && summed->runs[thread])) {
                summed->runs[thread] = enters;
                summed->running += enters ? 1u : UINT32_MAX;
            }
        }
    } else if (!valgrind_calls_take(&summed->calls, line)) {
        if (summed->said.length + summed->length < SUMMED_WORDS)
            text_printf(&summed->said, "%s\n", summed->line);
    }
    return 0;
}

int summed_feed(struct summed *summed, const char *bytes, size_t length)
{
    int result = 0;
    for (size_t index = 0; index < length && result == 0; index++) {
        if (bytes[index] == '\n') {
            result = take_line(summed);
            summed->length = 0;
        } else if (summed->length + 1 < SUMMED_LINE) {
            summed->line[summed->length++] = bytes[index];
        }
    }
    return result;
}

/* --- at the end --- */

bool summed_ended(const struct summed *summed)
{
    return summed->lines && !summed->running && !summed->length;
}

int summed_check(const struct summed *summed, struct failure *failure)
{
    if (summed->damaged || summed->said.failed)
        return fail_with(failure, -EBADMSG,
                         "the trace of Valgrind's tool lackey cannot be read: a line of it is "
                         "damaged. Another version of Valgrind? The sources qemu and step tell "
                         "what was executed, too");
    /* Where another program took its place, or it was killed, its memory went before its trace
     * was read: that is no doing of its own. */
    if (!summed_ended(summed))
        return 0;
    if (summed->changed)
        return fail_with(failure, -ENOTSUP,
                         "the program changes its code while it runs, or may, since it executes "
                         "memory that it can write, and Valgrind's trace does not show what was "
                         "there: the sources qemu and step tell what was executed");
    if (summed->unreadable)
        return fail_with(failure, -ENOTSUP,
                         "the program removed code before it could be read beside Valgrind's "
                         "trace: the sources qemu and step tell what was executed");
    return 0;
}

void summed_sum(const struct summed *summed, uint64_t *instructions, uint64_t *repetitions)
{
    *instructions = *repetitions = 0;
    for (size_t index = 0; index < summed->count; index++) {
        *instructions += summed->list[index].executions;
        *repetitions += summed->list[index].repetitions;
    }
}

void summed_free(struct summed *summed)
{
    free(summed->list);
    free(summed->slots);
    text_free(&summed->said);
    *summed = (struct summed){0};
}
