/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Every sentence of the judge of `assay validate` (base/reason.h): what it says of ladders, of
 * events, of causes (docs/causes.md) and of findings. */
#include "studies/validate/judge.h"

#define OF_MODEL   "; a model proves nothing."
#define INTERVAL   " [[{low:4}, {high:4}]]"
#define INTERVAL_3 " [[{low:%.3g}, {high:%.3g}]]"
#define INTERVAL_4 " [[{low:%.4g}, {high:%.4g}]]"
#define ALIKE      "[; cannot be told apart here from {alike}]."
#define ADDS       "{lacks|Lacks|Adds} {size:4} for each {per}" INTERVAL
#define ON_INTERRUPT                                                                               \
    "Adds {size:%.4g} for each interrupt" INTERVAL_4                                               \
    ", as runs of the same code show ({runs} runs with more or fewer than usual)"
#define ON_FAULT                                                                                   \
    "Adds {size:%.4g} for each page fault" INTERVAL_4                                              \
    ", as {runs} runs show that had more or fewer than usual"
#define CONSTANT  "{lacks|Lacks|Adds} {size} in every run [[{low}, {high}]]"
#define EXCEPTION "{test}: {off} ({event}), which "

const struct reason_words validate_words[WHY_COUNT] = {
    /* --- one ladder --- */
    [WHY_OUTSIDE_LIMITS] = {"outside-limits", "Reads [{bound} ]{count} at N = {n}, outside its "
                                              "limits of {low} to {high}."},
    [WHY_FACTOR_ONCE] = {"factor-at-one-n", "Reads {factor:%.3f} of the truth at N = {n}."},
    [WHY_FACTOR] = {"factor", "Reads {factor:%.3f} of the truth at every N from {from} to {to}."},
    [WHY_RIGHT_UP_TO] = {"right-up-to", "Right up to N = {right}, off above it: reads {count} of "
                                        "{predicted} at N = {n}."},
    [WHY_RIGHT_FROM] = {"right-from", "Right from N = {right}, off below it: reads {count} of "
                                      "{predicted} at N = {n}."},
    [WHY_STUCK] = {"stuck", "Stuck: reads {count} whatever was done."},
    [WHY_EXCESS] = {"excess", "Counts {count} at N = {n} where there is nothing to count."},
    [WHY_OFFSET] = {"offset", "Is off by {offset:signed} at every N."},
    [WHY_ONE_POINT] = {"one-point", "Reads {count} where {predicted} was predicted."},
    [WHY_SCATTERED] = {"scattered", "Errors range from {low:signed} to {high:signed}; no constant "
                                    "offset or factor describes them."},
    [WHY_NO_COUNTER] = {"no-counter",
                        "The counter never got time on the PMU: {runs} runs with running time 0."},
    [WHY_FAILED] = {"failed", "Could not be measured: {why}"},
    [WHY_NO_TURN] = {"no-turn", "Was not measured: the run ended before its turn came."},
    [WHY_NO_PREDICTION] = {"no-prediction", "This code predicts nothing for the event."},
    [WHY_ONE_RUN] = {"one-run", "Reads {count} at N = {n} where {predicted} was predicted, in a "
                                "single run: more are needed to tell noise from a bias."},
    [WHY_SPREAD] = {"spread", "At N = {n} counts range from {low} to {high} where {predicted} was "
                              "predicted: too much to judge from {runs} runs."},
    [WHY_NULL_SPREAD] = {"null-spread", "What is counted without any code ranges from {low} to "
                                        "{high}: too much for the counts here."},
    [WHY_EXACT_LADDER] = {"exact-ladder",
                          "Every quiet run equals the truth, N from {from} to {to}."},
    [WHY_WITHIN_LIMITS] = {"within-limits", "Lies within the limits that can be stated, N from "
                                            "{from} to {to}; no more can be said."},
    [WHY_EQUALS_MODEL] = {"equals-model",
                          "Equals what the model says, N from {from} to {to}" OF_MODEL},
    [WHY_WITHIN] = {"within", "Within {percent:2} % of the truth, N from {from} to {to}."},
    [WHY_WITHIN_HALF] = {"within-half", "Within half a count of the truth, N from {from} to {to}."},
    [WHY_EXACT_IN_PART] = {"exact-in-part",
                           "Every quiet run equals the truth at some N from {from} to {to}; all "
                           "counts are small against the overhead."},
    [WHY_WITHIN_MODEL] = {"within-model",
                          "Within {percent:2} % of what the model says, N from {from} to {to}."},
    [WHY_OFF_MODEL] = {"off-model", "Reads {ratio} of what the model says" OF_MODEL},
    [WHY_WEAK_LIMITS] = {"weak-limits", "Lies within the limits that can be stated, but these "
                                        "allow for zero as well."},
    [WHY_NEARLY_ZERO] = {"nearly-zero", "Predicts zero; a few were counted, too few to matter."},
    [WHY_ZERO] = {"zero", "Predicts zero, and zero was read."},
    [WHY_TOO_SMALL] = {"too-small", "Counts are too small against the overhead of {overhead} to be "
                                    "judged; a larger N is needed."},
    [WHY_DEAD_LADDER] = {"dead-ladder",
                         "Reads 0 in all of {points} points although there was something "
                         "to count."},
    /* --- one event --- */
    [WHY_REFUSED] = {"refused", "{why}"},
    [WHY_DISTURBED_RIGHT] = {"disturbed-right", "{percent:%.1f} % of the runs were disturbed, and "
                                                "count right all the same."},
    [WHY_DISTURBED_WRONG] = {"disturbed-wrong",
                             "{percent:%.1f} % of the runs were disturbed; {wrong} of these "
                             "{disturbed} count something else (by up to {error:signed})."},
    [WHY_OF_SPECIMEN] = {"of-specimen", "{specimen}[ (one of {deviating} that deviate)]: {note}"},
    [WHY_ADDS] = {"adds", "{path} adds {overhead} to every count[ ({low} to {high})]."},
    [WHY_TAKES_AWAY] = {"takes-away", "{path} takes {overhead} away from every count."},
    [WHY_UNKNOWN_CLASS] = {"unknown-class", "What it counts is not known, so that no specimen can "
                                            "be held against it."},
    [WHY_NO_SPECIMEN] = {"no-specimen", "No specimen here predicts {class}."},
    [WHY_NONE_PREDICTS] = {"none-predicts", "No specimen that was measured predicts {class}."},
    [WHY_NOT_JUDGED] = {"not-judged", "{why}."},
    [WHY_READS_ZERO] = {"reads-zero",
                        "Read 0 in all of {runs} runs over {specimens} specimen{specimens||s}: "
                        "nothing shows that it counts at all."},
    [WHY_EXACT] = {"exact", "Every quiet run equals the truth, at {points||each of }{points} "
                            "point{points||s}."},
    [WHY_DEAD] = {"dead", "Reads 0 in every run of {points} points where counts were certain."},
    [WHY_FIRST_RUN] = {"first-run",
                       "The first run of a process differs from the others, in most "
                       "of {processes} processes (by {percent:%+.1f} % of the truth)."},
    [WHY_PROCESSES] = {"processes", "Whole processes differ from one another."},
    [WHY_NO_NULL] = {"no-null", "No null cell was measured: whatever the interface adds is still "
                                "in the counts."},
    [WHY_DRIFTS] = {"drifts", "Runs of a process count {up|more|less} each time, in most of "
                              "{processes} processes: the counter drifts or is not set back."},
    [WHY_UNSCHEDULED] = {"unscheduled",
                         "{percent:%.1f} % of the runs got no counter and say nothing."},
    [WHY_ACCOUNT] = {"account", "Each run is held against the system's own account of it "
                                "(getrusage), not against N."},
    [WHY_REACH] = {"reach", "Right in windows of up to {longest:time}[, across {held}]."},
    [WHY_STRAYED] = {"strayed", "{strays} of {runs} undisturbed runs {strays|was|were} off, by up "
                                "to {error:signed} ({specimen}, N = {n}), and nothing says why."},
    [WHY_AGAINST_MODEL] = {"against-model",
                           "{specimen}[ (one of {others})] reads {ratio} of what a model says, too "
                           "far off for the model alone to be wrong."},
    [WHY_WIDE_LIMITS] = {"wide-limits", "Lies within {low} to {high} at N = {n}: limits too wide "
                                        "to show that it counts right."},
    [WHY_UNDIAGNOSED] = {"undiagnosed", "The run ended before code was measured that would show "
                                        "the cause[: {missing}]; a larger --budget finds it."},
    /* --- what events say of one another --- */
    [WHY_PATTERNS] = {"patterns", "Counts right by {right}, not by {wrong}."},
    [WHY_COUNTERS] = {"counters", "Counts right with {right} counter{right||s} open at once, not "
                                  "with {wrong}."},
    [WHY_CORES] = {"cores", "Counts right on cores of type {right}, not on those of type {wrong}."},
    [WHY_PATHS] = {"paths", "Paths disagree: {path} counts {count} and {other_path} {other_count} "
                            "of {specimen} at N = {n}."},
    [WHY_SUM] = {"sum", "Reads {count} where {part} and {other_part} add up to {sum} ({specimen}, "
                        "N = {n})."},
    [WHY_OTHER_MODE] = {"other-mode", "Zero in {mode}: all that it counts happens outside and is "
                                      "filtered out; use {event}."},
    [WHY_MODE_REFUSED] = {"mode-refused",
                          "{event} is refused for lack of permission, so that nothing tells "
                          "whether the mode filters it all out or nothing is counted: see as root, "
                          "or with CAP_PERFMON."},
    [WHY_NO_FILTER] = {"no-filter", "The mode filters nothing: {event} counts the same."},
    [WHY_NO_FILTER_IN_KERNEL] = {"no-filter-in-kernel",
                                 "The mode filters nothing: {event} counts the same, though a "
                                 "tracepoint lies in the kernel."},
    [WHY_HYPERVISOR] = {"hypervisor", "A hypervisor is between this machine and the CPU's "
                                      "counters: it lets the event be opened, but does not "
                                      "count."},
    [WHY_FILTER_OF_PMU] = {"filter-of-pmu",
                           "This PMU counts the operating system although the mode excludes it: "
                           "{event}[ counts {leak:4} for each system call]. No window here shows "
                           "that this event is better."},
    /* --- causes --- */
    [WHY_LONG_WINDOWS] = {"long-windows", "Right in windows of up to {right:time}, off by "
                                          "{error:signed} in those of {wrong:time} ({specimen}, N "
                                          "= {n})."},
    [WHY_UNFILTERED] = {"unfiltered", "Counts {count:4} for each system call, and as much without "
                                      "the mode: what the operating system executes is counted "
                                      "although it is excluded."},
    [WHY_POINT_OFF] = {"point-off", "{specimen} is off by {size:4}" INTERVAL
                                    " at N = {n}, more than noise makes."},
    [WHY_OTHER_CLASS] = {"other-class",
                         "Counts [{times:%g} times ]{class}[ (cannot be told apart here from "
                         "{alike})] instead of {own}: at all {points:plain} points, "
                         "{telling:plain} of which tell both apart.[ A factor of {factor:%.4g} "
                         "fits as well.]"},
    [WHY_LOST] = {"lost", "{percent:%.3g} % of the runs" INTERVAL_3
                          " lost counts ({lost:plain} of {runs:plain}, {nothing:plain} read "
                          "nothing); the others are {exact|exact|within 5 %}."},
    [WHY_EXTRAPOLATED] = {"extrapolated",
                          "What multiplexed runs report is right as it is ({right:plain} of "
                          "{runs:plain}); extrapolating by the time on the counter spoils it by "
                          "{percent:%.3g} %" INTERVAL_3 "."},
    [WHY_MULTIPLEXED] = {"multiplexed",
                         "Only multiplexed runs are wrong: {wrong:plain} of {runs:plain}, by "
                         "{percent:%.3g} %" INTERVAL_3
                         " on average; of the others {right:plain} of {others:plain} are right."},
    [WHY_WRAPS] = {"wraps", "Errors are multiples of 2^{bits}: the count wraps there "
                            "({wrapped:plain} of {runs:plain} runs)."},
    [WHY_CEILING] = {"ceiling", "Counts stop at {ceiling} and are right below: truths from {low} "
                                "to {high} all read it."},
    [WHY_FIRST_MISSING] = {"first-missing",
                           "The first {missing} counts of every run are missing, and all of those "
                           "that have no more ({points:plain} and {empty:plain} points)."},
    [WHY_THRESHOLD] = {"threshold", "Reads 0 up to a truth of {zero} and counts from {counted} on "
                                    "({zeros:plain} and {right:plain} points)."},
    [WHY_TICKS] = {"ticks", "Adds {size:%g} at {rate:%.3g} interrupts a second" INTERVAL_3
                            ": errors are multiples of it that come at random, the more the "
                            "longer a run lasts."},
    [WHY_INTERRUPTS] = {"interrupts", ON_INTERRUPT "."},
    [WHY_INTERRUPT_HANDLER] = {"interrupt-handler", ON_INTERRUPT ": the handler is counted."},
    [WHY_STRAY_FAULTS] = {"stray-faults", ON_FAULT "."},
    [WHY_FAULT_HANDLER] = {"fault-handler", ON_FAULT ": the handler is counted."},
    [WHY_EACH] = {"each", ADDS ALIKE},
    [WHY_EACH_IN_KERNEL] = {"each-in-kernel",
                            ADDS ": what the operating system executes is counted although it is "
                                 "excluded" ALIKE},
    [WHY_EACH_BORDER] = {"each-border",
                         ADDS ": how this CPU counts the border between both modes" ALIKE},
    [WHY_EACH_TICK] = {"each-tick", ADDS ", as often as ticks come" ALIKE},
    [WHY_EACH_HANDLER] = {"each-handler", ADDS ": the handler is counted although the operating "
                                               "system is excluded" ALIKE},
    [WHY_EACH_CLASS] = {"each-class",
                        "{lacks|Lacks|Adds} {size:4} for each of its {per}" INTERVAL ALIKE},
    [WHY_OPCODE] = {"opcode", "Counts {per} as {counted:%.4g} instead of 1 each "
                              "({lacks|lacks|adds} {size:%.4g}" INTERVAL_4 ")" ALIKE},
    [WHY_CONSTANT] = {"constant", CONSTANT ALIKE},
    [WHY_CONSTANT_BEYOND] = {"constant-beyond", CONSTANT ", beyond the overhead of the null" ALIKE},
    [WHY_SCALED] = {"scaled",
                    "Counts by a factor of {factor:%.4f} [[{low:%.4f}, {high:%.4f}]]" ALIKE},
    /* --- findings --- */
    [WHY_READING] = {"reading", "{off:+2} %[ [[{low:+2}, {high:+2}]]]"},
    [WHY_SINGLE_READING] = {"single-reading", "{off:+2} %, a single run"},
    [WHY_ENDS] = {"ends", "{event} on {specimen} through {path} adds {overhead}: {small} at N = "
                          "{n}, {large} at N = {large_n}"},
    [WHY_NO_ENDS] = {"no-ends", "no event that was measured here counts anything in an empty "
                                "window and has counts both small and large beside that"},
    [WHY_ZERO_UP_TO] = {"zero-up-to",
                        "{event} on {specimen} reads 0 up to N between {low} and {high}"},
    [WHY_COUNTS_FROM] = {"counts-from",
                         "{event} on {specimen} counts from {n} on and reads 0 at no N"},
    [WHY_NO_CLEAR_THRESHOLD] = {"no-clear-threshold",
                                "small counts scatter, or lie too far apart to tell the threshold"},
    [WHY_NOT_ABOUT_100] = {"not-about-100", "that is not about 100"},
    [WHY_ALWAYS_ZERO] = {"always-zero", "{event} reads 0 whatever is done: no threshold shows"},
    [WHY_EMULATED] = {"emulated", "this machine is emulated: it has no predictor, no caches and no "
                                  "cycles of its own that could be counted"},
    [WHY_DECIDES] = {"decides", "{event} on {specimen} at N = {n} through {path} decides, the "
                                "furthest off of {points:plain} points"},
    [WHY_HOLDS_LIMIT] = {"holds-limit", "its interval holds the limit of 1 %"},
    [WHY_TOO_WIDE] = {"too-wide", "its spread would hide a deviation of 1 %"},
    [WHY_DEAD_EVENT] = {"dead-event", "the event is dead: it reads 0 whatever is done"},
    [WHY_EXCEPTION_KEEPS] = {"exception-keeps", EXCEPTION "keeps to 1 %"},
    [WHY_EXCEPTION_BREAKS] = {"exception-breaks", EXCEPTION "breaks it"},
    [WHY_EXCEPTION_OPEN] = {"exception-open", EXCEPTION "decides nothing"},
    [WHY_NOT_TESTED] = {"not-tested", "not tested, {excuse}"},
    [WHY_OF_TEST] = {"of-test", "{test}: {excuse}"},
    [WHY_CANNOT_OPEN] = {"cannot-open", "{event} cannot be opened[: {why}]", REASON_REFUSED},
    [WHY_NEVER_SCHEDULED] = {"never-scheduled", "{event} opens, but never got a counter"},
    [WHY_CANNOT_COUNT] = {"cannot-count", "{event} cannot count this: {note}"},
    [WHY_NOT_FORETOLD] = {"not-foretold", "nothing is predicted for {event} on {specimen}"},
    [WHY_NOT_MEASURABLE] = {"not-measurable", "{event} could not be measured on {specimen}: {why}"},
    [WHY_COUNTS_TOO_SMALL] = {"counts-too-small",
                              "{event} has no quiet runs with a count that is large enough: at "
                              "most {most} was predicted, and it takes {least} and a hundred times "
                              "the overhead"},
    [WHY_COUNTS_TOO_LARGE] = {"counts-too-large", "{event} was not measured with counts small "
                                                  "enough, or counts none"},
    [WHY_NOT_MEASURED_ON] = {"not-measured-on", "{event} was not measured on {specimens}"},
    [WHY_NO_EVENT] = {"no-event", "no event that counts {classes} was measured", REASON_NO_EVENT},
    [WHY_ONLY_SOURCES] = {"only-sources",
                          "no event that counts {classes} was measured, only "
                          "sources, which say nothing of this machine's counters",
                          REASON_NO_EVENT},
};
