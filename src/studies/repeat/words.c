/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Every sentence that the judge of repetition says, with its code for programs. */
#include "studies/repeat/study.h"

#define INTERVAL "{percent:2} % [[{low:2}, {high:2}]]"

const struct reason_words repeat_words[REPEAT_WORDS] = {
    /* --- how much something varies, within other sentences --- */
    [SAYS_IDENTICAL] = {"identical", "identical in {runs} of {runs} runs"},
    [SAYS_VARIES_BY] = {"varies-by", "{percent:2} %[ of the {of} mean]"},
    [SAYS_UNKNOWN] = {"unknown", "unknown"},
    /* --- which control did it --- */
    [SAYS_TIMED_OUT] = {"timed-out", "most runs did not end in their time: what was counted until "
                                     "then says nothing"},
    [SAYS_FEW_RUNS] = {"few-runs", "too few runs that ended alike: {as_is} as-is, {controlled} "
                                   "controlled"},
    [SAYS_FROM_TO] = {"varies-less", "from {as_is} as-is to {controlled} controlled"},
    [SAYS_UNDECIDED] = {"cause-undecided", "which control does it cannot be told from these runs"},
    [SAYS_NOT_SINGLY] = {"not-one-at-a-time", "controls were not switched one at a time"},
    [SAYS_NEEDED] = {"needed-together", "{controls} are needed together"},
    [SAYS_ALONE_MOST] = {"alone-most", "{control} alone brings most"},
    [SAYS_NONE_ALONE] = {"none-alone", "none of them alone brings most of it"},
    [SAYS_EACH_ENOUGH] = {"each-sufficient", "{controls}: each alone is enough"},
    [SAYS_DID_IT] = {"caused-by", "{controls} did it"},
    [SAYS_NEEDED_ONLY] = {"needed-not-sufficient",
                          "{control} is needed, but alone does not bring most of it"},
    [SAYS_WITH_IT] = {"with-it-alone", "with it alone {variation}"},
    [SAYS_WITHOUT_IT] = {"without-it", "with all but it {variation}"},
    [SAYS_AS_WELL] = {"also-sufficient", "{controls} alone takes away most as well"},
    [SAYS_MOVES] = {"moves-level", "{control} only moves the level, by {by:signed}"},
    [SAYS_FEWER] = {"counts-fewer", "controlled it counts {by} fewer"},
    [SAYS_MORE] = {"counts-more", "controlled it counts {by} more"},
    [SAYS_REST] = {"remaining-variation", "{variation} varies whatever is controlled"},
    [SAYS_FOLLOWS] = {"remaining-follows",
                      "{share:%.0f} % of that follows {of} ({each:%.3g} for each)"},
    [SAYS_HAS_TASKS] = {"several-tasks", "it has several threads or processes"},
    [SAYS_OUTPUT_TOO] = {"output-differs", "what it writes differs as well"},
    [SAYS_ALWAYS_SAME] = {"always-identical", "identical from the beginning: {as_is} of {as_is} "
                                              "runs as-is, {controlled} of {controlled} "
                                              "controlled"},
    [SAYS_WORSE] = {"varies-more", "varies more when controlled: as-is {as_is}, controlled "
                                   "{controlled}"},
    [SAYS_NO_CONTROL] = {"no-effect", "no control brings anything that {runs} runs could show: "
                                      "as-is {as_is}, controlled {controlled}"},
    /* --- sweeps --- */
    [SAYS_ONE_POINT] = {"one-point", "only one of the {points} was counted: nothing to compare"},
    [SAYS_UNREPEATED] = {"unrepeated", "nothing was repeated at one point: what the {count} "
                                       "{points} do cannot be told from chance"},
    [SAYS_SAME_COUNT] = {"constant", "the same count at all {count} {points}"},
    [SAYS_NO_MORE] = {"within-noise",
                      "{count} {points} differ by no more than runs at one of them do "
                      "(standard deviation {within:3})"},
    [SAYS_DRAWS] = {"draws-spread", "{count} draws of addresses spread over {range} counts"
                                    "[ ({percent:2} %)], {levels} levels; without them the "
                                    "standard deviation is {within:3}"},
    [SAYS_PERIOD] = {"periodic",
                     "counts change by up to {range}[ ({percent:2} %)] and repeat every "
                     "{period:plain} bytes, {levels} levels"},
    [SAYS_LINE] = {"linear", "counts change by {slope:4} for each byte [[{low:4}, {high:4}]]; by "
                             "{range} in all[ ({percent:2} %)]"},
    [SAYS_LEVELS] = {"aperiodic", "counts change by up to {range}[ ({percent:2} %)] in {levels} "
                                  "levels over {bytes:plain} bytes, without a period"},
    /* --- why two runs part --- */
    [SAYS_GAVE] = {"different-result", "{call}[ of {file}] gave {given} at call {at} of {calls}"},
    [SAYS_PART] = {"diverges", "two runs part at call {at} of {calls}: {one}, {other}"},
    [SAYS_PART_LATER] = {"diverges-in-task",
                         "two runs part at call {at} of {calls} of a later task: "
                         "{one}, {other}"},
    [SAYS_OPEN_ORDER] = {"open-order", "{tasks} tasks whose order is not fixed"},
    [SAYS_NO_CALL] = {"cause-not-a-call",
                      "no call gave anything else before that matters: what decides is "
                      "not among its calls"},
    [SAYS_COUNTS_SAME] = {"counts-identical", "{setting} counts are identical all the same"},
    [SAYS_CALLED] = {"asks", "{call}[ of {file}] is called, first at {at}"},
    [SAYS_OTHER_ORDER] = {"other-order", "{tasks} tasks, which took turns in another order"},
    [SAYS_SAME_ORDER] = {"same-order", "{tasks} tasks, in the same order"},
    [SAYS_TASKS] = {"task-count", "{tasks} threads and processes"},
    [SAYS_WROTE] = {"different-output",
                    "{others} of {runs} runs by {source} ({setting}) wrote something "
                    "else than the first"},
    [SAYS_ADDRESSES] = {"addresses", "counts follow address randomisation: {why}"},
    [SAYS_ADDRESSES_CALLS] = {"addresses-calls", "counts follow address randomisation, and its "
                                                 "calls do not stay the same: {why}"},
    [SAYS_ADDRESSES_SAME] = {"addresses-alone", "counts follow address randomisation, while its "
                                                "calls stay the same: {why}"},
    /* --- why sources differ --- */
    [SAYS_FUNCTION] = {"function", "{function} {more:%+.0f}"},
    [SAYS_FUNCTIONS] = {"more-functions", "and {functions} more functions"},
    [SAYS_REPEATED] = {"string-repetitions", "the difference is what string instructions repeat"},
    [SAYS_UNRECORDED] = {"unrecorded", "what was executed was not recorded for both"},
    [SAYS_UNACCOUNTED] = {"unaccounted", "{more:%+.0f} that functions do not account for"},
    [SAYS_SYSTEM] = {"faults-and-interrupts", "page faults and interrupts, by what each adds here"},
    /* --- why what faults and interrupts add is not known --- */
    [SAYS_UNTOLD] = {"interrupts-unknown", "no run tells its interrupts: it was not pinned to a "
                                           "CPU, or /proc/interrupts cannot be read there"},
    [SAYS_FEW_DIFFER] = {"too-few-differ", "of {runs} runs too few differ in it, and no program of "
                                           "known length was counted that does"},
    [SAYS_NO_COUNTER] = {"no-counter", "no counter of the CPU counted instructions"},
    [SAYS_ABSENT] = {"counter-absent", "{why}"},
    /* --- findings: M1 --- */
    [SAYS_ONLY_TASKS] = {"only-tasks", "only programs with several threads or processes were "
                                       "counted"},
    [SAYS_ONLY_KIT] = {"only-kit", "only programs of the kit were counted, which are made to vary"},
    [SAYS_NO_PAIR] = {"no-pair", "no program's instructions were counted in two runs at least that "
                                 "ended alike, both as-is and controlled"},
    [SAYS_MOST_LEFT] = {"most-controlled", "of {programs} {programs|program|programs} {program} "
                                           "varies most when controlled, " INTERVAL " by {source}"},
    [SAYS_MOST_AS_IS] = {"most-as-is", "as-is {program}, " INTERVAL},
    [SAYS_TASKS_OUT] = {"tasks-left-out", "{programs} with several threads or processes left out"},
    [SAYS_PLACES] = {"places-memory", "{source} places memory itself, so address randomisation "
                                      "hardly reaches the program there"},
    [SAYS_TOO_LITTLE] = {"too-little-variation", "as-is too little varies for anything to fall"},
    /* --- M3, M4 --- */
    [SAYS_CHANGES] = {"changes-counts",
                      "{program} by {source}: {what} changes counts by " INTERVAL ", {runs} runs"},
    [SAYS_MAY_CHANGE] = {"may-change-counts",
                         "{program} by {source}: {what} changes counts, if at all, "
                         "by " INTERVAL ", {runs} runs"},
    [SAYS_NONE_DEPENDS] = {"none-depends", "none of {programs} programs follows it, but none is "
                                           "known to depend on it"},
    [SAYS_NO_RANDOM] = {"not-randomised", "no program was counted with and without random "
                                          "addresses, by the hardware or by stepping"},
    [SAYS_NO_SIZES] = {"no-sizes", "no program was counted with environments of several sizes, by "
                                   "the hardware or by stepping, and none by a tool follows them"},
    /* --- M11 --- */
    [SAYS_ONE_MACHINE] = {"one-machine", "one machine was counted; stores of others can be added"},
    [SAYS_SAME_MACHINE] = {"same-machine", "it is the same machine, measured more than once"},
    [SAYS_FOREIGN] = {"other-isa", "machines of different instruction sets run different binaries"},
    [SAYS_UNLIKE] = {"different-outcome",
                     "what was counted on two machines did not end alike there, or wrote "
                     "something else"},
    [SAYS_MADE_TO_VARY] = {"made-to-vary", "what was counted on two machines has several threads "
                                           "or processes, or is a program of the kit that is made "
                                           "to vary"},
    [SAYS_NOT_ON_TWO] = {"not-on-two", "no program's instructions were counted, controlled alike, "
                                       "on two of the machines by the hardware or by stepping"},
    [SAYS_FARTHEST] = {"farthest", "{program} by {source} differs most between {machine} and "
                                   "{other}: " INTERVAL},
    [SAYS_PAIRS] = {"pairs-equal", "{equal} of {compared} comparisons of {programs} "
                                   "{programs|program|programs} equal in every run"},
    [SAYS_EMULATED] = {"emulated-machines", "emulated machines are among them"},
    [SAYS_LEFT_OUT] = {"pairs-left-out",
                       "{compared} {compared|comparison|comparisons} left out, which "
                       "did not end alike or wrote something else"},
    [SAYS_BY_NAME] = {"same-file-unproven",
                      "that both executed the same file is known by its name alone"},
    [SAYS_NOTHING_SHOWS] = {"nothing-shows", "no program that shows it was counted"},
    /* --- M2, M6, M7 --- */
    [SAYS_NEEDS_COUNTER] = {"needs-counter", "a counter of the CPU is needed: {why}"},
    [SAYS_NONE_COUNTED] = {"none-counted", "a counter of the CPU is needed, and none counted "
                                           "instructions"},
    [SAYS_NO_FLDCW] = {"no-fldcw", "no subject that executes fldcw was counted: only x86 has it"},
    [SAYS_OPCODES] = {"opcodes", "{event} counts {more:%.4g} instructions more for each of "
                                 "{opcodes} fldcw[ ({on})]"},
    [SAYS_GROWS] = {"grows", "{event} grows by {each:%.4g} for each {of} in {runs} runs of "
                             "{programs} {programs|program|programs}[ ({on})]"},
    [SAYS_OWN_DOING] = {"may-be-own-work",
                        "no program of known length was counted, so that it may be "
                        "what the program itself does more then"},
    /* --- M8 --- */
    [SAYS_REPETITIONS] = {"repetitions", "{tool} counts {count} instructions in {program} instead "
                                         "of {once}"},
    [SAYS_TOO_MANY] = {"too-many", "by {tool} up to {percent:3} % too many in {programs} other "
                                   "{programs|program|programs} ({program})"},
    [SAYS_NO_TOOL] = {"no-tool", "neither Valgrind nor QEMU counted, with and without repetitions, "
                                 "a real program or the subject that is made of them; only x86 has "
                                 "any"},
    [SAYS_NOT_EVERY_TOOL] = {"not-every-tool", "not every tool does"},
    [SAYS_NO_STRINGS] = {"no-strings", "no program with such instructions was counted"},
    /* --- M5 --- */
    [SAYS_NO_STACK] = {"no-stack", "no program was counted on the CPU with its stack in two "
                                   "places: a 32-bit one needs x86 and an operating system that "
                                   "executes it"},
    [SAYS_LAYOUT] = {"stack-layouts",
                     "{program} executes {below} instructions with its stack below 3 GB "
                     "and {usual} where this system puts it"},
    [SAYS_LOWER] = {"stack-moves-count",
                    "{program} between {least} and {most} as its stack begins lower"},
    [SAYS_WIDE_TOO] = {"64-bit-too", "{moved} of {programs} 64-bit programs move with it, too"},
    [SAYS_STACK_SAME] = {"stack-same", "{programs} programs count the same wherever their stack "
                                       "begins"},
    [SAYS_STACK_UNSURE] = {"stack-unsure", "{programs} programs count no differently, as far as "
                                           "can be seen, wherever their stack begins"},
    /* --- M9, M10 --- */
    [SAYS_TOOL_DIFFERS] = {"tool-differs", "{tool} executes {count} instructions of {program}, the "
                                           "CPU {cpu} ({percent:%+.3g} %)"},
    [SAYS_TOOL_AGREES] = {"tool-agrees", "{tool} executes as many of {program} as the CPU"},
    [SAYS_ENDLESS] = {"endless", "{program} never ends in {tool}"},
    [SAYS_NOT_WIDTH] = {"not-width", "but doubles take another path there as well: it is not the "
                                     "width"},
    [SAYS_NO_DOUBLES] = {"no-doubles", "no program that rounds to doubles was counted to compare "
                                       "with"},
    [SAYS_NO_ROUNDING] = {"no-rounding", "no tool and the CPU both executed a program that rounds "
                                         "in an x87 unit, which only x86 has"},
    [SAYS_NOT_ADDRESSES] = {"not-addresses", "but the plain loop differs as well: it is not the "
                                             "addresses"},
    [SAYS_NO_LOOP] = {"no-loop", "no plain loop was counted to compare with"},
    [SAYS_NO_HASH] = {"no-hash", "no tool and the CPU both executed the program that hashes "
                                 "addresses"},
};
