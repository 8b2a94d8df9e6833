/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A summary in words: what a colleague would say who looked at the samples. Every claim follows
 * from the numbers of the summary alone. */
#include "cli/measure-words.h"

#include <string.h>

#include "show/number.h"
#include "study/mode.h"

struct number {
    char text[NUMBER_SIZE];
};

static struct number count(uint64_t value)
{
    struct number number;
    number_count(value, number.text, sizeof(number.text));
    return number;
}

static struct number difference(int64_t value)
{
    struct number number;
    number_signed(value, number.text, sizeof(number.text));
    return number;
}

static const char *runs_word(size_t runs)
{
    return runs == 1 ? "run" : "runs";
}

void measure_counted(const struct summary *summary, struct text *out)
{
    if (!summary->judged)
        text_puts(out, summary->runs ? "nothing" : "no run ended");
    else if (2 * summary->common_runs > summary->runs)
        text_printf(out, "%s in %zu of %zu %s", count(summary->common).text, summary->common_runs,
                    summary->runs, runs_word(summary->runs));
    else
        text_printf(out, "%s [%s \u2026 %s]", count(summary->values.median).text,
                    count(summary->values.min).text, count(summary->values.max).text);
}

static bool all_zero(const struct summary *summary)
{
    return summary->judged && summary->values.max == 0;
}

/* Zero although work was done: say which zero it is. */
static void put_dead(const struct summary *summary, const char *event, struct text *out)
{
    text_printf(out, "0 in every run although the specimen makes %s",
                count((uint64_t)summary->expected.truth.value).text);
    if (event_mode(event))
        text_printf(out, ": the mode :%s filters everything here, count without it",
                    event_mode(event));
}

static void put_exact(const struct summary *summary, struct text *out)
{
    if (summary->expected.truth.value == 0)
        text_puts(out, "0 in every run, as predicted");
    else
        text_puts(out, "exact in every run");
    if (summary->expected.overhead.known && summary->expected.overhead.value != 0)
        text_printf(out, ", although the null specimen shows an overhead of %s",
                    difference(summary->expected.overhead.value).text);
}

/* The same error in every run: is it the overhead? */
static void put_constant_error(const struct summary *summary, struct text *out)
{
    int64_t error = summary->error.value, rest;
    struct maybe overhead = summary->expected.overhead;
    text_printf(out, "error %s in every run", difference(error).text);
    if (!overhead.known)
        text_puts(out, "; without null cells it cannot be told from overhead");
    else if (overhead.value == error)
        text_printf(out, ": the overhead measured on the null specimen is %s",
                    count((uint64_t)overhead.value).text);
    else if (!__builtin_sub_overflow(error, overhead.value, &rest))
        text_printf(out, "; the overhead measured on the null specimen is %s, %s stay unexplained",
                    count((uint64_t)overhead.value).text, difference(rest).text);
}

static void put_spread_error(const struct summary *summary, struct text *out)
{
    struct maybe overhead = summary->expected.overhead;
    if (summary->exact_runs)
        text_printf(out, "exact in %zu of %zu %s, else ", summary->exact_runs, summary->judged,
                    runs_word(summary->judged));
    text_printf(out, "error from %s to %s", difference(summary->error_min.value).text,
                difference(summary->error_max.value).text);
    if (!summary->exact_runs)
        text_printf(out, ", median %s", difference(summary->error.value).text);
    if (overhead.known && overhead.value)
        text_printf(out, "; the overhead measured on the null specimen is %s",
                    count((uint64_t)overhead.value).text);
}

static void put_judgement(const struct summary *summary, const char *event, struct text *out)
{
    bool known = summary->error.known && summary->error_min.known && summary->error_max.known;
    if (!known)
        text_puts(out, "the counts are too large to be compared with the truth");
    else if (all_zero(summary) && summary->expected.truth.value > 0)
        put_dead(summary, event, out);
    else if (summary->exact_runs == summary->judged)
        put_exact(summary, out);
    else if (summary->constant)
        put_constant_error(summary, out);
    else
        put_spread_error(summary, out);
}

static void put_without_truth(const struct summary *summary, const char *why, struct text *out)
{
    if (summary->constant)
        text_puts(out, "the same in every run");
    else
        text_printf(out, "spread %s between the lowest and the highest run",
                    count(summary->values.max - summary->values.min).text);
    if (summary->expected.overhead.known && summary->expected.overhead.value)
        text_printf(out, "; the null specimen alone reads %s",
                    count((uint64_t)summary->expected.overhead.value).text);
    text_printf(out, "; no truth to compare with: %s", why);
}

static void put_states(const struct summary *summary, struct text *out)
{
    if (summary->unscheduled)
        text_printf(out, "; no counter time in %zu of %zu %s, which say nothing",
                    summary->unscheduled, summary->runs, runs_word(summary->runs));
    if (summary->multiplexed)
        text_printf(out, "; multiplexed in %zu of %zu %s, whose counts are extrapolated",
                    summary->multiplexed, summary->runs, runs_word(summary->runs));
}

/* What a second account saw, and what is left when those runs are set apart. */
static void put_disturbance(const struct summary *summary, struct text *out)
{
    if (!summary->disturbed)
        return;
    text_printf(out,
                "; %zu of %zu %s disturbed (page faults or context switches beyond the "
                "specimen's own)",
                summary->disturbed, summary->runs, runs_word(summary->runs));
    if (summary->quiet_runs && !summary->constant && summary->quiet.min == summary->quiet.max)
        text_printf(out, ", the others all read %s", count(summary->quiet.min).text);
}

void measure_sentence(const struct summary *summary, const char *event, const char *why_no_truth,
                      struct text *out)
{
    if (!summary->runs) {
        text_puts(out, "nothing was measured");
        return;
    }
    if (!summary->judged) {
        text_puts(out, "opened, but never got a counter: the zeros mean nothing");
        return;
    }
    if (summary->expected.truth.known)
        put_judgement(summary, event, out);
    else
        put_without_truth(summary, why_no_truth, out);
    put_states(summary, out);
    put_disturbance(summary, out);
}
