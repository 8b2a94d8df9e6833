/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * W2: the first call of a lazily linked program, which looks its function up, against the first
 * call of a static one and against an inline system call. */
#include <math.h>

#include "judge/overhead/findings.h"

/* A large extra: a fifth of the other's first call at least. */
#define LARGE 1.2
/* A call takes a page fault when most of its first calls do. */
#define MOST_FAULT 0.5

struct first_calls {
    const char *name;                        /* for people */
    struct cost lazy, fixed, inlined, bound; /* fixed: static; bound: at start */
    struct cost other;                       /* the cheaper of static and inline */
    bool other_is_inline;
};

static bool cheaper(const struct cost *one, const struct cost *other)
{
    return cost_is_known(one) && (!cost_is_known(other) || one->value < other->value);
}

static const char *name_of(bool is_inline)
{
    return is_inline ? "an inline system call" : "static linking";
}

/* read() decides, as in the paper; start, and later calls, are told beside. */
static struct first_calls first_calls_of(const struct overhead_facts *facts, const char *libc,
                                         const char *direct, const char *name)
{
    struct first_calls first = {.name = name,
                                .lazy = cold_cost(facts, "lazy", libc, 1, NULL),
                                .fixed = cold_cost(facts, "static", libc, 1, NULL),
                                .bound = cold_cost(facts, "bind-now", libc, 1, NULL),
                                .inlined = cold_cost(facts, "lazy", direct, 1, NULL)};
    if (!cost_is_known(&first.inlined))
        first.inlined = cold_cost(facts, NULL, direct, 1, NULL);
    first.other_is_inline = cheaper(&first.inlined, &first.fixed);
    first.other = first.other_is_inline ? first.inlined : first.fixed;
    return first;
}

static bool can_tell(const struct first_calls *first)
{
    return cost_is_known(&first->lazy) && cost_is_known(&first->other);
}

/* What was not the cheaper of the two; and what of the extra binding at start saves, too: the
 * lookup itself. The rest is the library's code, touched for the first time. */
static void tell_others(const struct first_calls *first, struct finding *finding)
{
    const struct cost *rest = first->other_is_inline ? &first->fixed : &first->inlined;
    char words[WORDS_SIZE], lookup[WORDS_SIZE];
    if (cost_is_known(rest))
        finding_clause(finding, "with %s %s", name_of(!first->other_is_inline),
                       cost_words(rest->value, words));
    if (cost_is_known(&first->bound))
        finding_clause(finding, "with binding at start %s, so looking the function up costs %s%s",
                       cost_words(first->bound.value, words),
                       cost_words(fmax(first->lazy.value - first->bound.value, 0), lookup),
                       first->bound.faults >= MOST_FAULT
                           ? " and a page fault in the library makes the rest"
                           : "");
}

static void tell_second(const struct overhead_facts *facts, const char *operation,
                        struct finding *finding)
{
    const char *const calls[] = {operation};
    char second_words[WORDS_SIZE], warm_words[WORDS_SIZE];
    struct cost second = cold_cost(facts, "lazy", operation, 2, operation), warm;
    if (!cost_is_known(&second))
        return;
    if (warm_costs(facts, "lazy", calls, 1, &warm))
        finding_clause(finding, "the second lazy call costs %s, calls long after %s",
                       cost_words(second.value, second_words), cost_words(warm.value, warm_words));
    else
        finding_clause(finding, "the second lazy call costs %s",
                       cost_words(second.value, second_words));
}

static void tell_start(const struct overhead_facts *facts, const struct first_calls *start,
                       struct finding *finding)
{
    char extra[WORDS_SIZE], lazy[WORDS_SIZE], other[WORDS_SIZE];
    if (!can_tell(start))
        return;
    struct ratio ratio = ratio_at_least(facts, &start->lazy, &start->other, LARGE);
    finding_clause(finding, "the first start: %s against %s, %s times",
                   cost_words(start->lazy.value, lazy), cost_words(start->other.value, other),
                   ratio_words(ratio.estimate.value, extra));
}

static void tell_why_not(const struct overhead_facts *facts, const struct first_calls *read,
                         struct finding *finding)
{
    if (cost_is_known(&read->lazy))
        finding_clause(finding, "first calls of a static program, or by an inline system call, "
                                "were not measured beside those of a lazily linked one");
    else if (facts->has_unit)
        finding_clause(finding, "no first call of a lazily linked program was measured");
    if (!cost_is_known(&read->lazy))
        tell_absent(facts, "perf-read.read", finding);
}

void rule_lazy_linking(const struct overhead_facts *facts, struct finding *finding)
{
    struct first_calls read =
        first_calls_of(facts, "perf-read.read", "perf-syscall.read", "read()");
    struct first_calls start =
        first_calls_of(facts, "perf-read.start", "perf-syscall.start", "start");
    bool by_read = can_tell(&read);
    const struct first_calls *decides = by_read ? &read : &start;
    if (!can_tell(decides)) {
        tell_why_not(facts, &read, finding);
        return;
    }
    char lazy[WORDS_SIZE], other[WORDS_SIZE], extra[WORDS_SIZE];
    struct ratio ratio = ratio_at_least(facts, &decides->lazy, &decides->other, LARGE);
    estimate_report(&ratio.estimate, finding);
    finding_clause(
        finding, "the first %s of a lazily linked program costs %s %s, with %s %s: %s more",
        decides->name, cost_words(decides->lazy.value, lazy), meter_unit_names[facts->unit],
        name_of(decides->other_is_inline), cost_words(decides->other.value, other),
        cost_words(decides->lazy.value - decides->other.value, extra));
    tell_open(facts, &ratio, finding);
    tell_others(decides, finding);
    tell_second(facts, by_read ? "perf-read.read" : "perf-read.start", finding);
    if (by_read)
        tell_start(facts, &start, finding);
}
