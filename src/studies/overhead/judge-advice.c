/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What to do on each machine, a sentence for each thing that certainly saves something there, with
 * the figures that say so. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "studies/overhead/judge.h"

/* Sentences for one machine. */
#define ADVICE_MOST 6
/* What is not certainly more than this factor dearer is not worth a sentence. */
#define WORTH 1.1
/* Of first calls, which are dearer anyway. */
#define FIRST_WORTH 1.2
/* Share of disturbed passes from which on it is told. */
#define MUCH_DISTURBED 0.2

typedef bool adviser(const struct overhead_facts *facts, char *text, size_t size);

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

/* " or with libassay", one behind the other. */
static void put_alike(const struct readings *found, char *words, size_t size)
{
    size_t used = 0;
    words[0] = '\0';
    for (size_t i = 0; i < found->alike_count && used < size; i++)
        used +=
            (size_t)snprintf(words + used, size - used, "%s%s",
                             i + 1 == found->alike_count ? " or " : ", ", found->alike[i]->name);
}

static bool advise_reading(const struct overhead_facts *facts, char *text, size_t size)
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
        return false;
    char alike[120], rest[80] = "";
    put_alike(&found, alike, sizeof(alike));
    if (found.papi > 0)
        snprintf(rest, sizeof(rest), "; PAPI_read costs %s times as much as read()",
                 RATIO(found.papi));
    if (found.best)
        snprintf(text, size, "Read counters %s: %s %s a read, %s by read()%s.", found.best->name,
                 COST(found.least.value), unit_of(facts), COST(found.call.value), rest);
    else
        snprintf(text, size,
                 "Read counters by read()%s: about %s %s, and nothing measured here is "
                 "cheaper%s.",
                 alike, COST(found.call.value), unit_of(facts), rest);
    return true;
}

/* --- reading twice, or starting and stopping --- */

static bool advise_running(const struct overhead_facts *facts, char *text, size_t size)
{
    static const char *const calls[] = {"perf-read.start", "perf-read.stop", "perf-read.read"};
    struct cost costs[3];
    for (size_t i = 0; i < LINKS; i++) {
        if (!warm_costs(facts, links[i], calls, 3, costs))
            continue;
        struct cost region = cost_plus(cost_plus(costs[0], costs[1]), costs[2]);
        struct cost twice = cost_times(costs[2], 2);
        if (!surely_dearer(facts, &region, &twice, WORTH))
            return false;
        snprintf(text, size,
                 "Let counters run and read them before and after a region: two read() cost %s %s, "
                 "start, stop and read() %s.",
                 COST(twice.value), unit_of(facts), COST(region.value));
        return true;
    }
    return false;
}

/* --- times of regions --- */

/* An overhead measured around nothing is not what a region with calls inside has: one and the same
 * call costs more or less by what its process called before. */
static bool advise_against_subtracting(const struct overhead_facts *facts, char *text, size_t size)
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
    if (most <= WORTH * least)
        return false;
    snprintf(text, size,
             "Do not subtract what read() costs from the time of a region: it cost %s to %s %s, by "
             "what ran before. Read a clock inside of both calls, as libassay does.",
             COST(least), COST(most), unit_of(facts));
    return true;
}

/* --- first calls --- */

static bool advise_first_calls(const struct overhead_facts *facts, char *text, size_t size)
{
    static const char *const calls[] = {"perf-read.read"};
    for (size_t i = 0; i < LINKS; i++) {
        struct cost first = cold_cost(facts, links[i], calls[0], 1, NULL), warm;
        if (!cost_is_known(&first) || !warm_costs(facts, links[i], calls, 1, &warm))
            continue;
        if (!surely_dearer(facts, &first, &warm, FIRST_WORTH))
            return false;
        snprintf(text, size,
                 "Make each call once before the region that matters: the first read() of a %s "
                 "program costs %s %s, later ones %s.",
                 strcmp(links[i], "lazy") == 0 ? "lazily linked" : links[i], COST(first.value),
                 unit_of(facts), COST(warm.value));
        return true;
    }
    return false;
}

/* --- the page of a counter --- */

static bool advise_page(const struct overhead_facts *facts, char *text, size_t size)
{
    struct cost cold = cold_cost(facts, NULL, "perf-user-cold.read", 1, NULL);
    struct cost mapped = cold_cost(facts, NULL, "perf-user.read", 1, NULL);
    if (!cost_is_known(&cold) || !cost_is_known(&mapped))
        return false;
    if (surely_dearer(facts, &cold, &mapped, FIRST_WORTH))
        snprintf(text, size,
                 "Map the page of a counter with MAP_POPULATE, or touch it: otherwise its first "
                 "read in user code costs %s %s instead of %s.",
                 COST(cold.value), unit_of(facts), COST(mapped.value));
    else if (cold.faults < 0.5 && !surely_dearer(facts, &cold, &mapped, 1))
        snprintf(text, size,
                 "The page of a counter needs no MAP_POPULATE here: its first read in user code "
                 "takes no page fault.");
    else
        return false;
    return true;
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

static bool advise_group(const struct overhead_facts *facts, char *text, size_t size)
{
    double group, apart;
    uint32_t group_count, apart_count;
    if (!many_events(facts, "perf-read.read", false, &group, &group_count) ||
        !many_events(facts, "perf-read.read", true, &apart, &apart_count) ||
        group_count != apart_count || group * WORTH > apart)
        return false;
    snprintf(text, size,
             "Open events that belong together as one group: reading %u of them costs %s %s, one "
             "by one %s.",
             group_count, COST(group), unit_of(facts), COST(apart));
    return true;
}

/* --- libraries and whole commands --- */

/* 34,081,460 ticks is 34.1 million ticks. */
static const char *put_large(double value, const char *unit, char text[WORDS_SIZE])
{
    if (value >= 1e6)
        snprintf(text, WORDS_SIZE, "%.1f million %.12s", value / 1e6, unit);
    else
        snprintf(text, WORDS_SIZE, "%.24s %.12s", COST(value), unit);
    return text;
}

static bool advise_commands(const struct overhead_facts *facts, char *text, size_t size)
{
    for (size_t i = 0; i < facts->report->peer_count; i++) {
        const struct overhead_peer *peer = &facts->report->peers[i];
        if (peer->machine != facts->machine || strcmp(peer->path, "perf-stat") != 0 ||
            !(peer->low > 1))
            continue;
        bool by_clock = !peer->meter || peer->meter->unit == METER_NS;
        const char *unit = by_clock ? "ms" : meter_unit_names[peer->meter->unit];
        double scale = by_clock ? 1e-6 : 1;
        char more[WORDS_SIZE], plain[WORDS_SIZE];
        snprintf(text, size,
                 "Do not judge short commands by perf stat: it adds %s to one that takes %s.",
                 put_large((peer->cost - peer->bare) * scale, unit, more),
                 put_large(peer->bare * scale, unit, plain));
        return true;
    }
    return false;
}

static bool advise_papi(const struct overhead_facts *facts, char *text, size_t size)
{
    for (size_t i = 0; i < facts->report->peer_count; i++) {
        const struct overhead_peer *peer = &facts->report->peers[i];
        if (peer->machine != facts->machine || strcmp(peer->path, "papi-low") != 0 ||
            !strstr(peer->what, "start") || !(peer->low > WORTH) ||
            (peer->meter && peer->meter->unit != facts->unit))
            continue;
        snprintf(text, size, "A region measured by PAPI (%.40s) costs %s times the bare calls.",
                 peer->what, RATIO(peer->ratio));
        return true;
    }
    return false;
}

/* --- the core --- */

static bool advise_disturbed(const struct overhead_facts *facts, char *text, size_t size)
{
    for (size_t i = 0; i < facts->report->gauge_count; i++) {
        const struct overhead_gauge *gauge = &facts->report->gauges[i];
        if (gauge->machine != facts->machine || !gauge->known || !(gauge->share > MUCH_DISTURBED))
            continue;
        snprintf(text, size,
                 "Repeat what you time here and take the median: in %.0f %% of the passes "
                 "something else slowed the core down.",
                 100 * gauge->share);
        return true;
    }
    return false;
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
        size_t sentences = 0;
        for (size_t i = 0; i < ADVISERS && sentences < ADVICE_MOST; i++) {
            struct overhead_advice *advice = &report->advice[report->advice_count];
            if (!advisers[i](&facts, advice->text, sizeof(advice->text)))
                continue;
            advice->machine = machine;
            report->advice_count++;
            sentences++;
        }
    }
}
