/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Reads exp-bbv's summaries in Valgrind's log, one a thread. One that is not exactly as expected is
 * refused: who wrote it is not known then. */
#include "probe/command/valgrind-counts.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>

/* --- the summaries --- */

#define THREAD "# Thread "

struct span {
    const char *at, *end;
};

static bool take(struct span *span, const char *words)
{
    size_t length = strlen(words);
    if ((size_t)(span->end - span->at) < length || memcmp(span->at, words, length) != 0)
        return false;
    span->at += length;
    return true;
}

static bool take_number(struct span *span, uint64_t *number)
{
    const char *start = span->at;
    *number = 0;
    for (; span->at < span->end && *span->at >= '0' && *span->at <= '9'; span->at++) {
        unsigned digit = (unsigned)(*span->at - '0');
        if (*number > (UINT64_MAX - digit) / 10)
            return false;
        *number = *number * 10 + digit;
    }
    return span->at > start;
}

/* Every line begins with the process: "==1234== ". */
static bool take_mark(struct span *span)
{
    uint64_t process;
    return take(span, "==") && take_number(span, &process) && take(span, "== ");
}

static bool take_line(struct span *span, const char *words, uint64_t *number, const char *rest)
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

static int take_thread(struct span *span, struct valgrind_counts *counts, struct failure *failure)
{
    uint64_t thread, intervals, size, total, reps, unique, fldcw;
    if (!take_line(span, THREAD, &thread, "\n") ||
        !take_line(span, "#   Total intervals: ", &intervals, " (Interval Size ") ||
        !take_number(span, &size) || !take(span, ")\n") ||
        !take_line(span, "#   Total instructions: ", &total, "\n") ||
        !take_line(span, "#   Total reps: ", &reps, "\n") ||
        !take_line(span, "#   Unique reps: ", &unique, "\n") ||
        !take_line(span, "#   Total fldcw instructions: ", &fldcw, "\n"))
        return refuse(failure, "a thread's summary is damaged");
    if (unique > reps || unique > total || !add(&counts->instructions, total) ||
        !add(&counts->repetitions, reps - unique))
        return refuse(failure, "its counts contradict each other");
    counts->threads++;
    return 0;
}

static bool begins_thread(struct span span)
{
    return take_mark(&span) && take(&span, THREAD);
}

int valgrind_counts_read(const char *text, size_t length, struct valgrind_counts *counts,
                         struct failure *failure)
{
    struct span span = {text, text + length};
    int result = 0;
    *counts = (struct valgrind_counts){0};
    while (result == 0 && span.at < span.end) {
        if (begins_thread(span)) {
            result = take_thread(&span, counts, failure);
            continue;
        }
        const char *end = memchr(span.at, '\n', (size_t)(span.end - span.at));
        span.at = end ? end + 1 : span.end;
    }
    return result;
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
        {"Unable to start up properly", "could not start this program", -ENOEXEC},
    };
    for (size_t index = 0; index < sizeof(troubles) / sizeof(*troubles); index++)
        if (memmem(text, length, troubles[index].words, strlen(troubles[index].words)))
            return fail_with(failure, troubles[index].code,
                             "Valgrind itself %s: that is not what the program does. The sources "
                             "qemu and step may count it",
                             troubles[index].meaning);
    return 0;
}
