/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * W6: start, stop and read side by side in every variant that calls the operating system, and how
 * much each of the three depends on the variant. */
#include <stdio.h>
#include <string.h>

#include "judge/overhead/findings.h"

/* "Dearest", "least": by a hundredth at least. */
#define MORE 1.01
/* A call takes a page fault when most of its first calls do. */
#define MOST_FAULT 0.5

enum { START, STOP, READ, KINDS };
static const char *const kind_names[KINDS] = {"start", "stop", "read"};

/* A way to make the three calls. */
struct variant {
    const char *path, *link, *name;
};
static const struct variant variants[] = {
    {"perf-read", "lazy", "libc, lazy"},
    {"perf-read", "bind-now", "libc, bound at start"},
    {"perf-read", "static", "libc, static"},
    {"perf-syscall", "static", "inline"},
};
#define VARIANTS (sizeof(variants) / sizeof(variants[0]))
/* What else can only be read: counts for how much reading depends on the variant. */
static const char *const user_reads[] = {"perf-user.read", "perf-user-touched.read",
                                         "perf-user-cold.read"};
#define USER_READS (sizeof(user_reads) / sizeof(user_reads[0]))

static void name_calls(const struct variant *variant, char names[KINDS][TOUR_NAME])
{
    for (int kind = 0; kind < KINDS; kind++)
        snprintf(names[kind], TOUR_NAME, "%s.%s", variant->path, kind_names[kind]);
}

/* Warm after the same predecessors; cold as one process calls them: start, read, stop. */
static bool variant_costs(const struct overhead_facts *facts, const struct variant *variant,
                          enum temperature temperature, struct cost costs[KINDS])
{
    char names[KINDS][TOUR_NAME];
    name_calls(variant, names);
    const char *const calls[KINDS] = {names[START], names[STOP], names[READ]};
    if (temperature == TEMPERATURE_WARM)
        return warm_costs(facts, variant->link, calls, KINDS, costs);
    costs[START] = cold_cost(facts, variant->link, names[START], 1, NULL);
    costs[READ] = cold_cost(facts, variant->link, names[READ], 1, names[START]);
    costs[STOP] = cold_cost(facts, variant->link, names[STOP], 1, names[READ]);
    return cost_is_known(&costs[START]) && cost_is_known(&costs[READ]) &&
           cost_is_known(&costs[STOP]);
}

/* --- is start the dearest? --- */

struct dearest {
    struct ratio ratio; /* start over the dearer of the others */
    const struct variant *variant;
    enum temperature temperature;
    struct cost costs[KINDS];
    size_t asked;
    /* First calls that leave it open, or in which another call takes a page fault, do not unsettle
     * what the calls themselves show: which page of a library is touched first is chance. NULL:
     * there are none. */
    const struct variant *open_first, *faulted_first;
    struct cost faulted_costs[KINDS];
};

static void ask_variant(const struct overhead_facts *facts, const struct variant *variant,
                        enum temperature temperature, struct dearest *gravest)
{
    struct cost costs[KINDS];
    if (!variant_costs(facts, variant, temperature, costs))
        return;
    int other = costs[STOP].value > costs[READ].value ? STOP : READ;
    struct ratio ratio = ratio_at_least(facts, &costs[START], &costs[other], MORE);
    enum finding_verdict now = ratio.estimate.verdict, before = gravest->ratio.estimate.verdict;
    if (temperature == TEMPERATURE_COLD && gravest->asked && now != FINDING_HOLDS) {
        bool faulted = costs[other].faults >= costs[START].faults + MOST_FAULT;
        if (faulted && !gravest->faulted_first) {
            gravest->faulted_first = variant;
            memcpy(gravest->faulted_costs, costs, sizeof(costs));
        }
        if (!faulted && now == FINDING_INCONCLUSIVE)
            gravest->open_first = variant;
        if (faulted || now == FINDING_INCONCLUSIVE)
            return;
    }
    if (!gravest->asked || verdict_graver(now, before) ||
        (now == before && ratio.estimate.value < gravest->ratio.estimate.value)) {
        gravest->ratio = ratio;
        gravest->variant = variant;
        gravest->temperature = temperature;
        memcpy(gravest->costs, costs, sizeof(costs));
    }
    gravest->asked++;
}

static struct dearest ask_dearest(const struct overhead_facts *facts)
{
    struct dearest gravest = {.ratio = {.estimate = {.verdict = FINDING_UNTESTABLE}}};
    for (int temperature = 0; temperature < TEMPERATURES; temperature++)
        for (size_t i = 0; i < VARIANTS; i++)
            ask_variant(facts, &variants[i], (enum temperature)temperature, &gravest);
    return gravest;
}

static void tell_dearest(const struct overhead_facts *facts, const struct dearest *dearest,
                         struct finding *finding)
{
    char start[WORDS_SIZE], stop[WORDS_SIZE], read[WORDS_SIZE];
    finding_clause(finding, "start %s, stop %s, read %s %s (%s, %s)%s",
                   cost_words(dearest->costs[START].value, start),
                   cost_words(dearest->costs[STOP].value, stop),
                   cost_words(dearest->costs[READ].value, read), meter_unit_names[facts->unit],
                   dearest->variant->name,
                   dearest->temperature == TEMPERATURE_WARM ? "warm" : "first calls",
                   dearest->ratio.estimate.verdict == FINDING_FAILS ? ": start is not the dearest"
                   : dearest->asked > 1 ? ", where start stands out least"
                                        : "");
    if (dearest->faulted_first) {
        int other =
            dearest->faulted_costs[STOP].value > dearest->faulted_costs[READ].value ? STOP : READ;
        finding_clause(finding, "the first %s takes a page fault (%s) and costs %s, start %s",
                       kind_names[other], dearest->faulted_first->name,
                       cost_words(dearest->faulted_costs[other].value, read),
                       cost_words(dearest->faulted_costs[START].value, start));
    }
    if (dearest->open_first)
        finding_clause(finding, "first calls (%s) leave that open", dearest->open_first->name);
}

/* --- does stop depend least on the variant? --- */

/* The cheapest and the dearest variant of one call. */
struct reach {
    struct cost least, most;
    size_t count;
};

static void widen(struct reach *reach, const struct cost *cost)
{
    if (!cost_is_known(cost))
        return;
    if (!reach->count || cost->value < reach->least.value)
        reach->least = *cost;
    if (!reach->count || cost->value > reach->most.value)
        reach->most = *cost;
    reach->count++;
}

static void reach_of(const struct overhead_facts *facts, enum temperature temperature,
                     struct reach reaches[KINDS])
{
    struct cost costs[KINDS];
    for (size_t i = 0; i < VARIANTS; i++)
        if (variant_costs(facts, &variants[i], temperature, costs))
            for (int kind = 0; kind < KINDS; kind++)
                widen(&reaches[kind], &costs[kind]);
    for (size_t i = 0; i < USER_READS && reaches[READ].count; i++) {
        struct cost cost = {0};
        if (temperature == TEMPERATURE_COLD)
            cost = cold_cost(facts, "static", user_reads[i], 1, NULL);
        else
            warm_costs(facts, "static", &user_reads[i], 1, &cost);
        widen(&reaches[READ], &cost);
    }
}

/* How far apart variants are, as a factor, in the form of a cost: so that two can be compared. In
 * thousandths, because a cost below one is none. */
static struct cost factor_of(const struct overhead_facts *facts, const struct reach *reach)
{
    const double scale = 1000;
    struct ratio ratio = ratio_at_least(facts, &reach->most, &reach->least, MORE);
    size_t fewest = reach->most.processes < reach->least.processes ? reach->most.processes
                                                                   : reach->least.processes;
    const struct estimate *factor = &ratio.estimate;
    return (struct cost){.value = scale * factor->value,
                         .low = scale * factor->low,
                         .high = scale * factor->high,
                         .least = scale * factor->value,
                         .most = scale * factor->value,
                         .processes = fewest};
}

struct dependence {
    struct ratio ratio; /* the smaller factor of start and read over that of stop */
    struct cost factors[KINDS];
    enum temperature temperature;
};

/* First calls where there are, as in the paper: that is where variants differ. */
static struct dependence ask_dependence(const struct overhead_facts *facts)
{
    struct dependence found = {.ratio = {.estimate = {.verdict = FINDING_UNTESTABLE}}};
    for (int i = TEMPERATURES - 1; i >= 0; i--) {
        struct reach reaches[KINDS] = {0};
        reach_of(facts, (enum temperature)i, reaches);
        if (reaches[STOP].count < 2)
            continue;
        for (int kind = 0; kind < KINDS; kind++)
            found.factors[kind] = factor_of(facts, &reaches[kind]);
        int next = found.factors[START].value < found.factors[READ].value ? START : READ;
        found.ratio = ratio_at_least(facts, &found.factors[next], &found.factors[STOP], MORE);
        found.temperature = (enum temperature)i;
        break;
    }
    return found;
}

static void tell_dependence(const struct dependence *dependence, struct finding *finding)
{
    char words[KINDS][WORDS_SIZE];
    for (int kind = 0; kind < KINDS; kind++)
        snprintf(words[kind], WORDS_SIZE, "%.2f", dependence->factors[kind].value / 1000);
    finding_clause(finding,
                   "between the cheapest and the dearest variant lies a factor of %s for start, %s "
                   "for stop, %s for read (%s)%s",
                   words[START], words[STOP], words[READ],
                   dependence->temperature == TEMPERATURE_WARM ? "warm" : "first calls",
                   dependence->ratio.estimate.verdict == FINDING_INCONCLUSIVE
                       ? ", too close to tell which is least"
                       : "");
}

/* PAPI stops and reads in one, so it is no variant of the same call; told where it differs. */
static void tell_papi(const struct overhead_facts *facts, struct finding *finding)
{
    static const char *const calls[KINDS] = {"papi-low.start", "papi-low.stop", "papi-low.read"};
    struct cost costs[KINDS];
    char start[WORDS_SIZE], stop[WORDS_SIZE];
    if (warm_costs(facts, "lazy", calls, KINDS, costs) && costs[STOP].low > costs[START].high)
        finding_clause(finding, "PAPI's stop, which also reads, costs more than its start: %s, %s",
                       cost_words(costs[STOP].value, stop), cost_words(costs[START].value, start));
}

void rule_kinds_of_calls(const struct overhead_facts *facts, struct finding *finding)
{
    struct dearest dearest = ask_dearest(facts);
    if (dearest.asked && facts->hides) {
        tell_hidden(finding);
        return;
    }
    if (!dearest.asked) {
        tell_absent(facts, "perf-read.start", finding);
        return;
    }
    struct dependence dependence = ask_dependence(facts);
    enum finding_verdict by_variant = dependence.ratio.estimate.verdict;
    bool variants_decide = verdict_graver(by_variant, dearest.ratio.estimate.verdict);
    struct ratio *decides = variants_decide ? &dependence.ratio : &dearest.ratio;
    estimate_report(&decides->estimate, finding);
    /* What decides comes first: at the end there may be no room. */
    if (variants_decide)
        tell_dependence(&dependence, finding);
    tell_dearest(facts, &dearest, finding);
    if (by_variant == FINDING_UNTESTABLE)
        finding_clause(finding, "with one variant only, the half about variants is not tested");
    else if (!variants_decide)
        tell_dependence(&dependence, finding);
    tell_open(facts, decides, finding);
    tell_papi(facts, finding);
}
