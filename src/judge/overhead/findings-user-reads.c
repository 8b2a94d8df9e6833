/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * W1, W3, W4: counters read in user code against plain code that calls the operating system: a
 * whole measurement, and single reads with the counter's page in each of its states. */
#include "judge/overhead/findings.h"

/* "Several times": more than twice. */
#define SEVERAL 2.0
/* "No better": not cheaper by a fifth or more. */
#define NO_BETTER 0.8
/* "Far below": less than half. */
#define FAR_BELOW 0.5
/* "Because of the page fault": most first reads take one. */
#define MOST_FAULT 0.5

#define READ      "perf-read.read"
#define USER_READ "perf-user.read"

/* As plain code is linked, first. */
static const char *const plain_links[] = {"lazy", "bind-now", "static"};
/* Where nothing is bound at the first call, first: what is asked there is the page. */
static const char *const bound_links[] = {"static", "bind-now", "lazy"};
#define LINKS (sizeof(plain_links) / sizeof(plain_links[0]))

/* --- W1 --- */

/* The same calls, each the first of its kind in a process: in the order start, read, stop. */
static struct cost first_region(const struct overhead_facts *facts, const char *link)
{
    struct cost start = cold_cost(facts, link, "perf-read.start", 1, NULL);
    struct cost read = cold_cost(facts, link, READ, 1, "perf-read.start");
    struct cost stop = cold_cost(facts, link, "perf-read.stop", 1, READ);
    return cost_plus(cost_plus(start, read), stop);
}

static void tell_first_region(const struct overhead_facts *facts, const char *link,
                              struct finding *finding)
{
    char words[WORDS_SIZE];
    struct cost first = first_region(facts, link);
    if (cost_is_known(&first))
        finding_clause(finding, "the first time in a process these three cost %s",
                       cost_words(first.value, words));
}

/* What plain code costs where nothing can be read in user code to compare it with. */
static void tell_plain_alone(const struct overhead_facts *facts, struct finding *finding)
{
    static const char *const calls[] = {"perf-read.start", "perf-read.stop", READ};
    struct cost costs[3];
    char words[WORDS_SIZE];
    for (size_t i = 0; i < LINKS; i++) {
        if (!warm_costs(facts, plain_links[i], calls, 3, costs))
            continue;
        struct cost region = cost_plus(cost_plus(costs[0], costs[1]), costs[2]);
        finding_clause(finding, "start, stop and read() cost %s %s together (%s program)",
                       cost_words(region.value, words), meter_unit_names[facts->unit],
                       plain_links[i]);
        return;
    }
}

static void judge_region(const struct overhead_facts *facts, const char *link,
                         const struct cost costs[4], struct finding *finding)
{
    char plain[WORDS_SIZE], user[WORDS_SIZE], alone[WORDS_SIZE];
    struct cost region = cost_plus(cost_plus(costs[0], costs[1]), costs[2]);
    struct cost two = cost_times(costs[3], 2);
    struct ratio ratio = ratio_at_least(facts, &region, &two, SEVERAL);
    struct ratio single = ratio_at_least(facts, &costs[2], &costs[3], SEVERAL);
    /* At least so much is enough to be several times, and not to be less. */
    if (facts->hides && ratio.estimate.verdict != FINDING_HOLDS)
        ratio.estimate.verdict = FINDING_INCONCLUSIVE;
    estimate_report(&ratio.estimate, finding);
    if (facts->hides)
        tell_hidden(finding);
    finding_clause(finding,
                   "start, stop and read() of a %s program cost %s %s, two reads in user code, "
                   "which tell as much, %s",
                   link, cost_words(region.value, plain), meter_unit_names[facts->unit],
                   cost_words(two.value, user));
    finding_clause(finding, "one read() costs %s times one read in user code",
                   ratio_words(single.estimate.value, alone));
    tell_open(facts, &ratio, finding);
    tell_first_region(facts, link, finding);
}

void rule_plain_code(const struct overhead_facts *facts, struct finding *finding)
{
    static const char *const calls[] = {"perf-read.start", "perf-read.stop", READ, USER_READ};
    struct cost costs[4];
    for (size_t i = 0; i < LINKS; i++)
        if (warm_costs(facts, plain_links[i], calls, 4, costs)) {
            judge_region(facts, plain_links[i], costs, finding);
            return;
        }
    /* A plan of reads only. */
    for (size_t i = 0; i < LINKS; i++)
        if (warm_costs(facts, plain_links[i], calls + 2, 2, costs)) {
            char plain[WORDS_SIZE], user[WORDS_SIZE];
            struct ratio ratio = ratio_at_least(facts, &costs[0], &costs[1], SEVERAL);
            estimate_report(&ratio.estimate, finding);
            finding_clause(finding,
                           "read() of a %s program costs %s %s, a read in user code %s; start and "
                           "stop were not measured beside them",
                           plain_links[i], cost_words(costs[0].value, plain),
                           meter_unit_names[facts->unit], cost_words(costs[1].value, user));
            tell_open(facts, &ratio, finding);
            return;
        }
    tell_absent(facts, USER_READ, finding);
    tell_plain_alone(facts, finding);
}

/* --- W3 --- */

/* read() of a process that has read before. */
static void tell_warm_read(const struct overhead_facts *facts, const char *link,
                           struct finding *finding)
{
    static const char *const calls[] = {READ};
    struct cost warm;
    char words[WORDS_SIZE];
    if (warm_costs(facts, link, calls, 1, &warm))
        finding_clause(finding, "a later read() costs %s", cost_words(warm.value, words));
}

/* The claim names its cause: without a fault it does not hold, whatever the costs are. */
static void judge_fault(const struct cost *cold, struct finding *finding)
{
    bool faults = cold->faults >= MOST_FAULT;
    if (finding->verdict == FINDING_HOLDS && !faults) {
        finding->verdict = FINDING_FAILS;
        finding_clause(finding, "so it is no better, but not for the reason given: no page fault "
                                "was seen");
    } else if (!faults) {
        finding_clause(finding, "no page fault was seen: this kernel maps the page at mmap() "
                                "already");
    } else if (finding->verdict == FINDING_FAILS) {
        finding_clause(finding, "it takes a page fault, and is cheaper nevertheless");
    } else {
        finding_clause(finding, "it takes a page fault");
    }
}

void rule_cold_page(const struct overhead_facts *facts, struct finding *finding)
{
    for (size_t i = 0; i < LINKS; i++) {
        struct cost cold = cold_cost(facts, bound_links[i], "perf-user-cold.read", 1, NULL);
        struct cost call = cold_cost(facts, bound_links[i], READ, 1, NULL);
        if (!cost_is_known(&cold) || !cost_is_known(&call))
            continue;
        char user[WORDS_SIZE], read[WORDS_SIZE];
        struct ratio ratio = ratio_at_least(facts, &cold, &call, NO_BETTER);
        estimate_report(&ratio.estimate, finding);
        finding_clause(finding,
                       "the first read in user code of a %s program, its page not touched, costs "
                       "%s %s, the first read() %s",
                       bound_links[i], cost_words(cold.value, user), meter_unit_names[facts->unit],
                       cost_words(call.value, read));
        judge_fault(&cold, finding);
        tell_open(facts, &ratio, finding);
        tell_warm_read(facts, bound_links[i], finding);
        return;
    }
    tell_absent(facts, "perf-user-cold.read", finding);
}

/* --- W4 --- */

/* One state of the page, in first calls or later ones. */
struct mapped {
    const char *state, *when;
    struct cost user, call;
    struct ratio ratio;
};

static bool mapped_cost(const struct overhead_facts *facts, const char *operation, bool first,
                        struct mapped *mapped)
{
    const char *const calls[] = {operation, READ};
    struct cost costs[2];
    for (size_t i = 0; i < LINKS; i++) {
        if (first) {
            costs[0] = cold_cost(facts, bound_links[i], operation, 1, NULL);
            costs[1] = cold_cost(facts, bound_links[i], READ, 1, NULL);
        } else if (!warm_costs(facts, bound_links[i], calls, 2, costs)) {
            continue;
        }
        if (!cost_is_known(&costs[0]) || !cost_is_known(&costs[1]))
            continue;
        mapped->user = costs[0];
        mapped->call = costs[1];
        mapped->ratio = ratio_below(facts, &costs[0], &costs[1], FAR_BELOW);
        return true;
    }
    return false;
}

static void tell_mapped(const struct overhead_facts *facts, const struct mapped *mapped,
                        bool with_unit, struct finding *finding)
{
    char user[WORDS_SIZE], call[WORDS_SIZE];
    finding_clause(finding, "page %s, %s: %s%s%s in user code, %s by read()", mapped->state,
                   mapped->when, cost_words(mapped->user.value, user), with_unit ? " " : "",
                   with_unit ? meter_unit_names[facts->unit] : "",
                   cost_words(mapped->call.value, call));
}

void rule_mapped_page(const struct overhead_facts *facts, struct finding *finding)
{
    static const char *const states[][2] = {{USER_READ, "populated"},
                                            {"perf-user-touched.read", "touched before"}};
    static const char *const times[] = {"first reads", "later reads"};
    struct mapped all[4];
    size_t count = 0, gravest = 0;
    for (int first = 1; first >= 0; first--)
        for (size_t i = 0; i < 2; i++) {
            struct mapped one = {.state = states[i][1], .when = times[!first]};
            if (!mapped_cost(facts, states[i][0], first != 0, &one))
                continue;
            all[count] = one;
            const struct estimate *now = &one.ratio.estimate;
            const struct estimate *before = &all[gravest].ratio.estimate;
            if (count == 0 || verdict_graver(now->verdict, before->verdict) ||
                (now->verdict == before->verdict && now->value > before->value))
                gravest = count;
            count++;
        }
    if (count == 0) {
        tell_absent(facts, USER_READ, finding);
        return;
    }
    estimate_report(&all[gravest].ratio.estimate, finding);
    tell_mapped(facts, &all[gravest], true, finding);
    tell_open(facts, &all[gravest].ratio, finding);
    for (size_t i = 0; i < count; i++)
        if (i != gravest)
            tell_mapped(facts, &all[i], false, finding);
}
