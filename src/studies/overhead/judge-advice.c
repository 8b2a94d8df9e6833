/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What to do on each machine, a sentence for each thing that certainly saves something there, with
 * the figures that say so. */
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"
#include "studies/overhead/judge.h"

/* Sentences for one machine. */
#define ADVICE_MOST 6
/* What is not certainly more than this factor dearer is not worth a sentence. */
#define WORTH 1.1
/* Of first calls, which are dearer anyway. */
#define FIRST_WORTH 1.2
/* Share of disturbed passes from which on it is told. */
#define MUCH_DISTURBED 0.2

/* Says nothing where there is nothing to advise. */
typedef void adviser(const struct overhead_facts *facts, struct reasons *advice);

static const char *const links[] = {"lazy", "bind-now", "static"};
#define LINKS (sizeof(links) / sizeof(links[0]))

static const char *unit_of(const struct overhead_facts *facts)
{
    return meter_unit_names[facts->unit];
}

static bool surely_dearer(const struct overhead_facts *facts, const struct cost *one,
                          const struct cost *other, double factor)
{
    return ratio_at_least(facts, one, other, factor).estimate.verdict == FINDING_HOLDS;
}

/* --- which way to read --- */

struct reader {
    const char *operation, *name;
};
static const struct reader readers[] = {
    {"perf-user.read", "in user code (perf-user)"},
    {"perf-syscall.read", "by inline system calls"},
    {"assay.read", "with libassay"},
    {"papi-low.read", "with PAPI_read"},
};
#define READERS (sizeof(readers) / sizeof(readers[0]))

/* The reader and read() after the same predecessors, in a program as most are. */
static bool beside_read(const struct overhead_facts *facts, const struct reader *reader,
                        struct cost costs[2])
{
    const char *const calls[] = {reader->operation, "perf-read.read"};
    for (size_t i = 0; i < LINKS; i++)
        if (warm_costs(facts, links[i], calls, 2, costs))
            return true;
    return false;
}

/* What is read by, beside read(). */
struct readings {
    const struct reader *best;           /* certainly cheaper than read(); NULL: none */
    struct cost least, call;             /* of the best, and of read() */
    const struct reader *alike[READERS]; /* neither cheaper nor dearer */
    size_t alike_count;
    bool unsure; /* one may be cheaper than read(): too few processes to tell */
    double papi; /* PAPI_read over read(), where that is certainly dearer; else 0 */
};

static void advise_reading(const struct overhead_facts *facts, struct reasons *advice)
{
    struct readings found = {0};
    for (size_t i = 0; i < READERS; i++) {
        struct cost costs[2];
        if (!beside_read(facts, &readers[i], costs))
            continue;
        bool cheaper = surely_dearer(facts, &costs[1], &costs[0], WORTH);
        bool dearer = surely_dearer(facts, &costs[0], &costs[1], WORTH);
        if (dearer && strcmp(readers[i].operation, "papi-low.read") == 0)
            found.papi = costs[0].value / costs[1].value;
        bool near =
            costs[0].value <= WORTH * costs[1].value && costs[1].value <= WORTH * costs[0].value;
        if (!cheaper && !dearer && near)
            found.alike[found.alike_count++] = &readers[i];
        found.unsure |= !cheaper && !near && costs[0].value < costs[1].value;
        if (cheaper && (!found.best || costs[0].value < found.least.value)) {
            found.best = &readers[i];
            found.least = costs[0];
            found.call = costs[1];
        } else if (!cost_is_known(&found.call)) {
            found.call = costs[1];
        }
    }
    if (!cost_is_known(&found.call) || (!found.best && found.unsure))
        return;
    double papi = found.papi > 0 ? found.papi : NAN;
    if (found.best) {
        TELL(advice, SAYS_READ_ANOTHER_WAY, found.best->name, rounded_cost(found.least.value),
             unit_of(facts), rounded_cost(found.call.value), papi);
        return;
    }
    AUTO_TEXT struct text alike = {0};
    for (size_t i = 0; i < found.alike_count; i++)
        text_printf(&alike, "%s%s", i + 1 == found.alike_count ? " or " : ", ",
                    found.alike[i]->name);
    TELL(advice, SAYS_READ_BY_CALL, text_string(&alike), rounded_cost(found.call.value),
         unit_of(facts), papi);
}

/* --- reading twice, or starting and stopping --- */

static void advise_running(const struct overhead_facts *facts, struct reasons *advice)
{
    static const char *const calls[] = {"perf-read.start", "perf-read.stop", "perf-read.read"};
    struct cost costs[3];
    for (size_t i = 0; i < LINKS; i++) {
        if (!warm_costs(facts, links[i], calls, 3, costs))
            continue;
        struct cost region = cost_plus(cost_plus(costs[0], costs[1]), costs[2]);
        struct cost twice = cost_times(costs[2], 2);
        if (surely_dearer(facts, &region, &twice, WORTH))
            TELL(advice, SAYS_LET_THEM_RUN, rounded_cost(twice.value), unit_of(facts),
                 rounded_cost(region.value));
        return;
    }
}

/* --- times of regions --- */

/* An overhead measured around nothing is not what a region with calls inside has: one and the same
 * call costs more or less by what its process called before. */
static void advise_against_subtracting(const struct overhead_facts *facts, struct reasons *advice)
{
    double least = INFINITY, most = 0;
    for (size_t i = 0; unit_is_time(facts->unit) && i < facts->report->row_count; i++) {
        const struct overhead_row *row = &facts->report->rows[i];
        if (row->machine != facts->machine || row->meter->unit != facts->unit ||
            row->temperature != TEMPERATURE_WARM || row->all_predecessors || row->reads != 1 ||
            strcmp(facts->file->operations[row->operation].name, "perf-read.read") != 0 ||
            strcmp(row->link, links[0]) != 0 || !isfinite(row->low + row->high))
            continue;
        bool levels = row->level_count > 1;
        least = fmin(least, levels ? row->levels[0].median : row->high);
        most = fmax(most, levels ? row->levels[row->level_count - 1].median : row->low);
    }
    if (most > WORTH * least)
        TELL(advice, SAYS_DO_NOT_SUBTRACT, rounded_cost(least), rounded_cost(most), unit_of(facts));
}

/* --- first calls --- */

static void advise_first_calls(const struct overhead_facts *facts, struct reasons *advice)
{
    static const char *const calls[] = {"perf-read.read"};
    for (size_t i = 0; i < LINKS; i++) {
        struct cost first = cold_cost(facts, links[i], calls[0], 1, NULL), warm;
        if (!cost_is_known(&first) || !warm_costs(facts, links[i], calls, 1, &warm))
            continue;
        if (surely_dearer(facts, &first, &warm, FIRST_WORTH))
            TELL(advice, SAYS_CALL_ONCE, i == 0 ? "lazily linked" : links[i],
                 rounded_cost(first.value), unit_of(facts), rounded_cost(warm.value));
        return;
    }
}

/* --- the page of a counter --- */

static void advise_page(const struct overhead_facts *facts, struct reasons *advice)
{
    struct cost cold = cold_cost(facts, NULL, "perf-user-cold.read", 1, NULL);
    struct cost mapped = cold_cost(facts, NULL, "perf-user.read", 1, NULL);
    if (!cost_is_known(&cold) || !cost_is_known(&mapped))
        return;
    if (surely_dearer(facts, &cold, &mapped, FIRST_WORTH))
        TELL(advice, SAYS_MAP_THE_PAGE, rounded_cost(cold.value), unit_of(facts),
             rounded_cost(mapped.value));
    else if (cold.faults < 0.5 && !surely_dearer(facts, &cold, &mapped, 1))
        TELL(advice, SAYS_PAGE_IS_MAPPED);
}

/* --- several events --- */

/* Costs with the most events, in all modes together. */
static bool many_events(const struct overhead_facts *facts, const char *operation, bool separate,
                        double *cost, uint32_t *count)
{
    size_t halves = 0;
    *cost = 0;
    for (size_t i = 0; i < facts->report->slope_count; i++) {
        const struct overhead_slope *slope = &facts->report->slopes[i];
        if (slope->machine != facts->machine || slope->by_reads || slope->separate != separate ||
            slope->meter->unit != facts->unit || slope->operation >= facts->file->operation_count ||
            strcmp(facts->file->operations[slope->operation].name, operation) != 0 ||
            !(slope->low > 0))
            continue;
        bool half = overhead_has_one_mode(slope->meter);
        *count = slope->most_count;
        *cost = half ? *cost + slope->most : slope->most;
        if (!half)
            return true;
        halves++;
    }
    return halves == 2;
}

static void advise_group(const struct overhead_facts *facts, struct reasons *advice)
{
    double group, apart;
    uint32_t group_count, apart_count;
    if (many_events(facts, "perf-read.read", false, &group, &group_count) &&
        many_events(facts, "perf-read.read", true, &apart, &apart_count) &&
        group_count == apart_count && group * WORTH <= apart)
        TELL(advice, SAYS_OPEN_A_GROUP, group_count, rounded_cost(group), unit_of(facts),
             rounded_cost(apart));
}

/* --- libraries and whole commands --- */

static void advise_commands(const struct overhead_facts *facts, struct reasons *advice)
{
    for (size_t i = 0; i < facts->report->peer_count; i++) {
        const struct overhead_peer *peer = &facts->report->peers[i];
        if (peer->machine != facts->machine || strcmp(peer->path, "perf-stat") != 0 ||
            !(peer->low > 1))
            continue;
        /* 34,081,460 ticks is 34.1 million ticks. */
        bool by_clock = peer->meter->unit == METER_NS, large = by_clock || peer->bare >= 1e6;
        AUTO_TEXT struct text unit = {0};
        text_printf(&unit, "%s%s", large && !by_clock ? "million " : "",
                    by_clock ? "ms" : meter_unit_names[peer->meter->unit]);
        TELL(advice, SAYS_SHORT_COMMANDS,
             rounded_cost((peer->cost - peer->bare) * (large ? 1e-6 : 1)), text_string(&unit),
             rounded_cost(peer->bare * (large ? 1e-6 : 1)));
        return;
    }
}

static void advise_papi(const struct overhead_facts *facts, struct reasons *advice)
{
    for (size_t i = 0; i < facts->report->peer_count; i++) {
        const struct overhead_peer *peer = &facts->report->peers[i];
        if (peer->machine == facts->machine && strcmp(peer->path, "papi-low") == 0 &&
            strstr(peer->what, "start") && peer->low > WORTH && peer->meter->unit == facts->unit) {
            TELL(advice, SAYS_PAPI_REGION, peer->what, peer->ratio);
            return;
        }
    }
}

/* --- the core --- */

static void advise_disturbed(const struct overhead_facts *facts, struct reasons *advice)
{
    for (size_t i = 0; i < facts->report->gauge_count && !advice->count; i++) {
        const struct overhead_gauge *gauge = &facts->report->gauges[i];
        if (gauge->machine == facts->machine && gauge->known && gauge->share > MUCH_DISTURBED)
            TELL(advice, SAYS_TAKE_THE_MEDIAN, 100 * gauge->share);
    }
}

/* The most useful first: who has six of them needs no more. */
static adviser *const advisers[] = {advise_reading,     advise_running, advise_against_subtracting,
                                    advise_first_calls, advise_page,    advise_group,
                                    advise_commands,    advise_papi,    advise_disturbed};
#define ADVISERS (sizeof(advisers) / sizeof(advisers[0]))

void overhead_judge_advice(const struct overhead_case *file, struct overhead_report *report)
{
    report->advice = memory_new(file->machine_count * ADVICE_MOST + 1, sizeof(*report->advice));
    report->advice_count = 0;
    for (uint32_t machine = 0; machine < file->machine_count; machine++) {
        struct overhead_facts facts = overhead_facts_of(file, report, machine);
        const size_t before = report->advice_count;
        for (size_t i = 0; i < ADVISERS && report->advice_count - before < ADVICE_MOST; i++) {
            struct overhead_advice *advice = &report->advice[report->advice_count];
            advisers[i](&facts, &advice->text);
            advice->machine = machine;
            report->advice_count += advice->text.count > 0;
        }
    }
}
