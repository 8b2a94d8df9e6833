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
    struct number number = {0};
    number_count(value, number.text, sizeof(number.text));
    return number;
}

static struct number difference(int64_t value)
{
    struct number number = {0};
    number_signed(value, number.text, sizeof(number.text));
    return number;
}

/* What one count of a class stands for, where it is no occurrence. */
static const char *unit_of(const char *class)
{
    static const struct {
        const char *class, *unit;
    } units[] = {{"task-clock", " ns"}, {"cpu-clock", " ns"}, {"ticks", " ticks"}};
    for (size_t i = 0; class && i < sizeof(units) / sizeof(units[0]); i++) {
        if (strcmp(class, units[i].class) == 0)
            return units[i].unit;
    }
    return "";
}

/* lead, "3 of 1,000 runs", tail */
static void put_share(struct text *out, const char *lead, size_t part, size_t whole,
                      const char *tail)
{
    text_printf(out, "%s%s of %s %s%s", lead, count(part).text, count(whole).text,
                whole == 1 ? "run" : "runs", tail);
}

void measure_counted(const struct summary *summary, const char *class, struct text *out)
{
    if (!summary->judged) {
        text_puts(out, summary->runs ? "nothing" : "no run ended");
    } else if (2 * summary->common_runs > summary->runs) {
        text_printf(out, "%s%s", count(summary->common).text, unit_of(class));
        put_share(out, " in ", summary->common_runs, summary->runs, "");
    } else {
        text_printf(out, "%s%s [%s \u2026 %s]", count(summary->values.median).text, unit_of(class),
                    count(summary->values.min).text, count(summary->values.max).text);
    }
}

static bool all_zero(const struct summary *summary)
{
    return summary->judged && summary->values.max == 0;
}

/* Runs without counter time said nothing, so nothing is claimed of them. */
static const char *every_run(const struct summary *summary)
{
    return summary->unscheduled ? "in every run that got a counter" : "in every run";
}

/* Zero although work was done. The samples alone cannot tell a filter from a dead counter, so the
 * mode is named as a suspect, with the way to find out. */
static void put_dead(const struct summary *summary, const char *event, struct text *out)
{
    text_printf(out, "0 %s although the specimen makes %s", every_run(summary),
                count((uint64_t)summary->expected.truth.value).text);
    if (event_mode(event))
        text_printf(out,
                    ": the mode :%s filters everything here, or nothing counts; count without it "
                    "to tell",
                    event_mode(event));
}

static void put_exact(const struct summary *summary, struct text *out)
{
    if (summary->expected.truth.value == 0)
        text_printf(out, "0 %s, as predicted; a counter that never counts would read the same",
                    every_run(summary));
    else
        text_printf(out, "exact %s", every_run(summary));
    if (summary->expected.overhead.known && summary->expected.overhead.value != 0)
        text_printf(out, ", although the null specimen shows an overhead of %s",
                    difference(summary->expected.overhead.value).text);
}

/* The same error in every run: is it the overhead? */
static void put_constant_error(const struct summary *summary, struct text *out)
{
    int64_t error = summary->error.value, rest;
    struct maybe overhead = summary->expected.overhead;
    text_printf(out, "error %s %s", difference(error).text, every_run(summary));
    if (!overhead.known)
        text_puts(out, "; without null cells it cannot be told from overhead");
    else if (overhead.value == error)
        text_printf(out, ": the overhead measured on the null specimen is %s",
                    count((uint64_t)overhead.value).text);
    else if (!__builtin_sub_overflow(error, overhead.value, &rest))
        text_printf(out, "; the overhead measured on the null specimen is %s, %s %s unexplained",
                    count((uint64_t)overhead.value).text, difference(rest).text,
                    rest == 1 || rest == -1 ? "stays" : "stay");
}

static void put_spread_error(const struct summary *summary, struct text *out)
{
    struct maybe overhead = summary->expected.overhead;
    int64_t low = summary->wrong_min.value, high = summary->wrong_max.value;
    if (summary->exact_runs)
        put_share(out, "exact in ", summary->exact_runs, summary->judged, ", else ");
    if (low == high)
        text_printf(out, "error %s", difference(low).text);
    else
        text_printf(out, "error from %s to %s", difference(low).text, difference(high).text);
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
        text_printf(out, "the same %s", every_run(summary));
    else
        text_printf(out, "spread %s between the lowest and the highest run",
                    count(summary->values.max - summary->values.min).text);
    if (summary->expected.overhead.known && summary->expected.overhead.value)
        text_printf(out, "; the null specimen alone reads %s",
                    count((uint64_t)summary->expected.overhead.value).text);
    text_printf(out, "; no truth to compare with: %s", why);
}

/* What is possible is said in the table; here, whether it was kept to. */
static void put_limits(const struct summary *summary, struct text *out)
{
    struct maybe overhead = summary->expected.overhead;
    size_t outside = summary->below + summary->above;
    if (!outside)
        text_printf(out, "within the limits %s", every_run(summary));
    else
        put_share(out, "outside the limits in ", outside, summary->judged, "");
    if (summary->below)
        text_printf(out, ", lowest %s", count(summary->values.min).text);
    if (summary->above)
        text_printf(out, ", highest %s", count(summary->values.max).text);
    if (overhead.known && overhead.value)
        text_printf(out, "; the overhead measured on the null specimen is %s",
                    count((uint64_t)overhead.value).text);
}

/* "1.33 (it counted 75 % of the time)", or two of each where the runs differ. */
static void put_scaling(const struct summary *summary, struct text *out)
{
    double low = summary->scaling_min, high = summary->scaling_max;
    char from[NUMBER_SIZE], to[NUMBER_SIZE], least[NUMBER_SIZE], most[NUMBER_SIZE];
    number_significant(low, 3, from, sizeof(from));
    number_significant(high, 3, to, sizeof(to));
    number_significant(100 / high, 2, least, sizeof(least));
    number_significant(100 / low, 2, most, sizeof(most));
    bool one = strcmp(from, to) == 0;
    text_printf(out, "%s%s%s (counting %s%s%s %% of the time)", from, one ? "" : " to ",
                one ? "" : to, least, strcmp(least, most) == 0 ? "" : " to ",
                strcmp(least, most) == 0 ? "" : most);
}

static void put_states(const struct summary *summary, struct text *out)
{
    if (summary->unscheduled)
        put_share(out, "; no counter time in ", summary->unscheduled, summary->runs,
                  ", which say nothing");
    if (!summary->multiplexed)
        return;
    put_share(out, "; multiplexed in ", summary->multiplexed, summary->runs,
              ": more events than counters, so the counts are extrapolated by ");
    put_scaling(summary, out);
}

/* What a second account saw, and what is left when those runs are set apart. */
static void put_disturbance(const struct summary *summary, struct text *out)
{
    if (!summary->disturbed)
        return;
    put_share(out, "; ", summary->disturbed, summary->runs, " disturbed");
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
    else if (summary->limits.known)
        put_limits(summary, out);
    else
        put_without_truth(summary, why_no_truth, out);
    put_states(summary, out);
    put_disturbance(summary, out);
}

void copies_add(struct copies *copies, const struct summary *summary)
{
    bool none = copies->runs == copies->unscheduled;
    copies->counters++;
    copies->runs += summary->runs;
    copies->unscheduled += summary->unscheduled;
    if (!summary->judged)
        return;
    if (none || summary->values.min < copies->min)
        copies->min = summary->values.min;
    if (none || summary->values.max > copies->max)
        copies->max = summary->values.max;
}

void copies_sentence(const struct copies *copies, const struct summary *first, struct text *out)
{
    bool judged = copies->runs > copies->unscheduled;
    bool alike = judged && !copies->unscheduled && copies->min == first->values.min &&
                 copies->max == first->values.max;
    if (!copies->counters || !first->judged || alike)
        return;
    text_printf(out, "; its other %s%s%s ",
                copies->counters == 1 ? "counter" : count(copies->counters).text,
                copies->counters == 1 ? "" : " counters",
                judged ? " read" : " got no counter time");
    if (!judged)
        text_puts(out, "at all");
    else if (copies->min == copies->max)
        text_puts(out, count(copies->min).text);
    else
        text_printf(out, "%s to %s", count(copies->min).text, count(copies->max).text);
    if (judged && copies->unscheduled)
        put_share(out, ", and got no counter time in ", copies->unscheduled, copies->runs, "");
}
