/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Every sentence that the judge of overhead says (base/reason.h). */
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
