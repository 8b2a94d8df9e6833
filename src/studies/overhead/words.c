/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What the judge of overhead says (base/reason.h), and what it advises. */
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"
#include "studies/overhead/study.h"

#define GROWTH(how)                                                                                \
    "{call} of {layout}[, {mode} code] " how ": {one} {unit} with one event, {most} with {events}"
#define PAPI_TOO "[; PAPI_read costs {papi:2} times as much as read()]."

const struct reason_words overhead_words[] = {
    /* --- is the core ours? --- */
    [SAYS_SHARED_CORE] = {"shared-core",
                          "the gauge is {times:%.2f} times as dear in {percent:%.0f} % of passes: "
                          "the core is shared or its clock slowed; what is left is little to judge "
                          "by"},
    [SAYS_BUSY_NEIGHBOUR] = {"busy-neighbour",
                             "the gauge is {times:%.2f} times as dear in {percent:%.2g} % of "
                             "passes: another hyperthread shares the core, or its clock slowed"},
    [SAYS_INTERRUPTED] = {"interrupted",
                          "page faults or lost CPU time in {percent:%.2g} % of passes"},
    [SAYS_ALL_ALIKE] = {"all-alike", "all passes alike: a core that is shared all the time would "
                                     "look the same"},
    [SAYS_COUNTS_ALONE] = {"counts-alone",
                           "a count does not tell whether somebody shares the core"},
    [SAYS_NO_GAUGE] = {"no-gauge", "no warm pass called the gauge"},
    /* --- why ticks are no instructions --- */
    [SAYS_TICK_UNMETERED] = {"tick-unmetered", "the gauge was not metered in ticks and in "
                                               "instructions in user mode"},
    [SAYS_TICK_NOT_WHOLE] =
        {"tick-not-whole", "the gauge executes {rate:%.4g} instructions a tick, which is no whole "
                           "number: the clock does not count them"},
    [SAYS_TICK_ABSURD] = {"tick-absurd", "spans in ticks are absurd"},
    /* --- what to do --- */
    [SAYS_READ_ANOTHER_WAY] = {"read-another-way",
                               "Read counters {how}: {cost} {unit} a read, {read} by "
                               "read()" PAPI_TOO},
    [SAYS_READ_BY_CALL] = {"read-by-call",
                           "Read counters by read()[{alike}]: about {read} {unit}, and nothing "
                           "measured here is cheaper" PAPI_TOO},
    [SAYS_LET_THEM_RUN] = {"let-them-run",
                           "Let counters run and read them before and after a region: two read() "
                           "cost {reads} {unit}, start, stop and read() {region}."},
    [SAYS_DO_NOT_SUBTRACT] = {"do-not-subtract",
                              "Do not subtract what read() costs from the time of a region: it "
                              "cost {least} to {most} {unit}, by what ran before. Read a clock "
                              "inside of both calls, as libassay does."},
    [SAYS_CALL_ONCE] = {"call-once",
                        "Make each call once before the region that matters: the first read() of "
                        "a {link} program costs {first} {unit}, later ones {later}."},
    [SAYS_MAP_THE_PAGE] = {"map-the-page",
                           "Map the page of a counter with MAP_POPULATE, or touch it: otherwise "
                           "its first read in user code costs {cold} {unit} instead of {mapped}."},
    [SAYS_PAGE_IS_MAPPED] = {"page-is-mapped",
                             "The page of a counter needs no MAP_POPULATE here: its first read in "
                             "user code takes no page fault."},
    [SAYS_OPEN_A_GROUP] = {"open-a-group",
                           "Open events that belong together as one group: reading {events} of "
                           "them costs {group} {unit}, one by one {separate}."},
    [SAYS_SHORT_COMMANDS] = {"short-commands",
                             "Do not judge short commands by perf stat: it adds {more} {unit} to "
                             "one that takes {command} {unit}."},
    [SAYS_PAPI_REGION] = {"papi-region", "A region measured by PAPI ({task}) costs {ratio:2} times "
                                         "the bare calls."},
    [SAYS_TAKE_THE_MEDIAN] = {"take-the-median",
                              "Repeat what you time here and take the median: in {percent:%.0f} % "
                              "of the passes something else slowed the core down."},
    /* --- findings: what they are about, and why they say nothing --- */
    [SAYS_WHICH_MACHINE] = {"which-machine",
                            "on {machine}[, Linux {os}], one of {machines} machines ({verdicts})"},
    [SAYS_EMULATED] = {"emulated", "in instructions of user and kernel code, as the machine is "
                                   "emulated and its times mean nothing"},
    [SAYS_UNTIMED] = {"untimed", "in instructions of user and kernel code, as no call was timed"},
    [SAYS_BY_CLOCK] = {"by-clock", "counted by its clock, {instructions} a tick"},
    [SAYS_NOTHING_MEASURED] = {"nothing-measured", "nothing was measured"},
    [SAYS_UNIT_UNMETERED] = {"unit-unmetered", "no call was metered in {unit} of this machine"},
    [SAYS_CALL_ABSENT] = {"call-absent", "{call} cannot be called here: {why}"},
    [SAYS_CALL_FAILED] = {"call-failed", "{call} failed: {why}"},
    [SAYS_CALL_UNMEASURED] = {"call-unmeasured", "{call} was not measured"},
    [SAYS_FEW_PROCESSES] = {"few-processes", "too few processes were measured to tell"},
    [SAYS_MODES_DISAGREE] = {"modes-disagree",
                             "one of these calls costs now {least}, now {most} {unit}, and its "
                             "levels disagree"},
    [SAYS_HIDDEN] = {"hidden",
                     "the counters that meter halt while the operating system switches others, "
                     "and miss part of start and stop: --meter " OVERHEAD_CLOCK " misses nothing"},
    /* --- W1 --- */
    [SAYS_PLAIN_REGION] = {"plain-region",
                           "start, stop and read() of a {link} program cost {region} {unit}, two "
                           "reads in user code, which tell as much, {reads}"},
    [SAYS_ONE_READ] = {"one-read", "one read() costs {ratio:2} times one read in user code"},
    [SAYS_FIRST_REGION] = {"first-region", "the first time in a process these three cost {first}"},
    [SAYS_READS_ALONE] = {"reads-alone",
                          "read() of a {link} program costs {read} {unit}, a read in user code "
                          "{user}"},
    [SAYS_NO_SWITCHES] = {"no-switches", "start and stop were not measured beside them"},
    [SAYS_REGION_ALONE] = {"region-alone",
                           "start, stop and read() cost {region} {unit} together ({link} program)"},
    /* --- W2 --- */
    [SAYS_LAZY_ALONE] = {"lazy-alone",
                         "first calls of a static program, or by an inline system call, were not "
                         "measured beside those of a lazily linked one"},
    [SAYS_NO_LAZY] = {"no-lazy", "no first call of a lazily linked program was measured"},
    [SAYS_LAZY_FIRST] = {"lazy-first",
                         "the first {call} of a lazily linked program costs {lazy} {unit}, with "
                         "{way} {other}: {more} more"},
    [SAYS_OTHER_FIRST] = {"other-first", "with {way} {cost}"},
    [SAYS_BOUND_FIRST] = {"bound-first", "with binding at start {cost}, so looking the function up "
                                         "costs {lookup}"},
    [SAYS_LIBRARY_FAULTS] = {"library-faults", "and a page fault in the library makes the rest"},
    [SAYS_SECOND_LAZY] = {"second-lazy", "the second lazy call costs {second}[, calls long after "
                                         "{later}]"},
    [SAYS_FIRST_START] = {"first-start",
                          "the first start: {lazy} against {other}, {ratio:2} times"},
    /* --- W3, W4 --- */
    [SAYS_UNTOUCHED] = {"untouched",
                        "the first read in user code of a {link} program, its page not touched, "
                        "costs {user} {unit}, the first read() {read}"},
    [SAYS_NOT_FOR_FAULTS] = {"not-for-faults", "so it is no better, but not for the reason given: "
                                               "no page fault was seen"},
    [SAYS_NO_FAULT] = {"no-fault", "no page fault was seen: this kernel maps the page at mmap() "
                                   "already"},
    [SAYS_CHEAP_FAULT] = {"cheap-fault", "it takes a page fault, and is cheaper nevertheless"},
    [SAYS_FAULT] = {"fault", "it takes a page fault"},
    [SAYS_LATER_READ] = {"later-read", "a later read() costs {cost}"},
    [SAYS_MAPPED] = {"mapped", "page {state}, {when}: {user}[ {unit}] in user code, {read} by "
                               "read()"},
    /* --- W5 --- */
    [SAYS_IN_A_ROW] = {"in-a-row",
                       "{how}: the first costs {first} {unit}, the second {second}, number {from} "
                       "to {to} {later} each"},
    [SAYS_RISES] = {"rises", "some of them are dearer again than earlier ones, {ratio:2} times"},
    [SAYS_SAVES_NOTHING] = {"saves-nothing", "so repeating it saves nothing"},
    [SAYS_FALLS] = {"falls", "so it does simply get cheaper, and stays so"},
    [SAYS_MAY_RISE] = {"may-rise",
                       "processes differ too much to tell whether it gets dearer again"},
    [SAYS_NO_CACHES] = {"no-caches", "this machine is emulated: it has no caches that repeated "
                                     "reads could fill, and its times mean nothing"},
    [SAYS_NO_TIMES] = {"no-times", "no call was timed, and counts of instructions do not show what "
                                   "caches do"},
    [SAYS_USER_UNTESTED] = {"user-untested", "the half about user code is not tested: {why}"},
    /* --- W6 --- */
    [SAYS_THREE_KINDS] = {"three-kinds",
                          "start {start}, stop {stop}, read {read} {unit} ({variant}, {when})"},
    [SAYS_START_NOT_DEAREST] = {"start-not-dearest", ": start is not the dearest"},
    [SAYS_STANDS_OUT_LEAST] = {"stands-out-least", ", where start stands out least"},
    [SAYS_FIRST_FAULTS] = {"first-faults",
                           "the first {call} takes a page fault ({variant}) and costs {cost}, "
                           "start {start}"},
    [SAYS_FIRST_OPEN] = {"first-open", "first calls ({variant}) leave that open"},
    [SAYS_VARIANTS] = {"variants",
                       "between the cheapest and the dearest variant lies a factor of "
                       "{start:%.2f} for start, {stop:%.2f} for stop, {read:%.2f} for read "
                       "({when})"},
    [SAYS_TOO_CLOSE] = {"too-close", ", too close to tell which is least"},
    [SAYS_ONE_VARIANT] = {"one-variant",
                          "with one variant only, the half about variants is not tested"},
    [SAYS_PAPI_STOP] = {"papi-stop", "PAPI's stop, which also reads, costs more than its start: "
                                     "{stop}, {start}"},
    /* --- W7 --- */
    [SAYS_NO_SWEEP] = {"no-sweep", "calls with several events were not measured"},
    [SAYS_NO_GROWTH] = {"no-growth", "no call costs certainly more with more events, so there is "
                                     "no growth to compare"},
    [SAYS_LINEAR] = {"linear", GROWTH("grows linearly")},
    [SAYS_FASTER] = {"faster", GROWTH("grows faster than linearly")},
    [SAYS_SLOWER] = {"slower", GROWTH("grows more slowly than linearly")},
    [SAYS_MAYBE_LINEAR] = {"maybe-linear", GROWTH("may grow linearly or not")},
    [SAYS_NOT_BOTH] = {"not-both", "a group and separate events were not both measured"},
    [SAYS_EACH_FURTHER] = {"each-further",
                           "each further event adds {group} to {call} of a group, {separate} of "
                           "separate ones"},
};

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
