/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Every sentence that the judge of clocks can say, by its code. */
#include "studies/clocks/study.h"

#define SAY(code, name, words) [CLOCKS_##code] = {(name), (words)}
const struct reason_words clocks_words[CLOCKS_SAYINGS] = {
    /* what is wrong with a clock */
    SAY(MADE_BY_PROGRAM, "made-by-program", "its time is made by a program:"),
    SAY(RUNS_FAST, "runs-fast",
        "runs {ppm:%.4g} ppm faster than it claims ({low_ppm:%.4g} to {high_ppm:%.4g})[, at times "
        "{slowest:%.3g}, at others {fastest:%.3g}], over {span_s:%.3g} s by {against}"),
    SAY(RUNS_SLOW, "runs-slow",
        "runs {ppm:%.4g} ppm slower than it claims ({low_ppm:%.4g} to {high_ppm:%.4g})[, at times "
        "{slowest:%.3g}, at others {fastest:%.3g}], over {span_s:%.3g} s by {against}"),
    SAY(RUNS_TIMES, "runs-times",
        "runs {times:%.5g} times as fast as it claims[, at times {slowest:%.3g}, at others "
        "{fastest:%.3g}][, over {span_s:%.3g} s by {against}]"),
    SAY(RUNS_BY_WORK, "runs-by-work",
        "runs {running:%.4g} times as fast as it claims over computation, {asleep:%.4g} times over "
        "sleep"),
    SAY(STEPS_BACK, "steps-back",
        "steps backwards: {backward} of {readings} readings were below the one before, by up to "
        "{worst_ns:time}"),
    SAY(LACKS_TIME, "lacks-time",
        "steps backwards: {lacking} of {intervals} intervals lack time, the others none"),
    SAY(CPUS_DISAGREE, "cpus-disagree",
        "CPUs disagree[: CPU {cpu} and CPU {partner} by {apart_ns:time}]"),
    SAY(MOVED_WRONG, "moved-wrong",
        "wrong are {moved_wrong} of {moved} intervals that ended on another CPU, {stayed_wrong} of "
        "{stayed} others"),
    SAY(STOPS, "stops-during-sleep",
        "stops during sleep: right over computation, {asleep:%.3g} times as long over sleep"),
    SAY(WRAPS, "wraps", "begins anew after 2^{bits} ticks, every {period_ns:time}"),
    SAY(LACKS_PERIODS, "lacks-periods",
        "begins anew: intervals lack whole periods of a power of two"),
    SAY(COARSE, "coarse-steps",
        "moves in steps of {step_ns:time}, too coarse to tell 20 ms to 1 %"),
    SAY(COUNTS_OTHERS, "counts-other-threads",
        "counts other threads: {times:%.3g} times as much where several compute"),
    SAY(VARIES, "varies",
        "has no constant rate: between {low:%.4g} and {high:%.4g} over computation"),
    SAY(SCATTERED, "scatters",
        "scatters: {wrong} of {intervals} intervals are wrong, and nothing explains it"),
    SAY(AT_WORST, "at-worst",
        "at worst, over {workload} of {length_ns:time}[ by {threads} threads][ with {moves} "
        "changes of CPU][ {handed} over] it showed {ratio:%.6g} times what {reference} did"),
    SAY(MADE_ELSEWHERE, "made-elsewhere", ", which is made of another counter"),
    SAY(MAYBE_ALIKE, "maybe-alike", ", which is not known to be independent of it"),
    SAY(WITNESSES_DIFFER, "witnesses-differ",
        ", while by {other}, made of another counter as well, it is {ppm:%+.4g} ppm "
        "({low_ppm:%+.4g} to {high_ppm:%+.4g}): {other} or {against} is wrong"),
    /* what agrees with a wrong clock */
    SAY(DIFFERS, "differs-from-wrong",
        "differs from {clock}, which is wrong, as a right one would: nothing else could have shown "
        "a fault"),
    SAY(AGREES, "agrees-with-wrong", "agrees with {clock}[ to {ppm:%.2g} ppm], which"),
    SAY(OF_WRONG_COUNTER, "of-wrong-counter",
        "nothing here could tell its rate, and it is made of the counter of {clock}, which"),
    SAY(RATE_TAKEN, "rate-taken-from-wrong",
        "nobody claims its rate, and the one that it is held to is by {clock}, which"),
    SAY(NOT_PARTED, "not-parted-from-wrong",
        "cannot be told from {clock} by its readings[ (to {ppm:%.2g} ppm)], which"),
    /* what is right with it */
    SAY(CLAIMS_ONLY, "claims-only", "claims no more than {claim}"),
    SAY(COUNTS_ONLY, "counts-only",
        "counts {what} only: {running:%.4g} times as long as {reference} over computation[, "
        "{asleep:%.3g} times over sleep][, and of all threads together: {together:%.3g} times "
        "where several compute]"),
    SAY(COUNTS_ASLEEP, "counts-asleep", "counts {what} only: {asleep:%.3g} times over sleep"),
    SAY(ALL_DISTURBED, "all-disturbed",
        "whether it is right over computation could not be seen: in all {computed} others took the "
        "CPU"),
    SAY(DISTURBED, "disturbed", "in {disturbed} of {computed} computations others took the CPU"),
    SAY(USELESS_ACROSS, "useless-across-threads",
        "useless where another thread ends the interval, as each has its own"),
    SAY(RIGHT, "right",
        "no interval was off by more than its readings can tell, and its rate is right to "
        "{ppm:%.3g} ppm by {against}, which is made of another counter"),
    SAY(RIGHT_BY_REFERENCE, "right-by-reference",
        "no interval was off by more than its readings can tell, by a reference that is made of "
        "another counter"),
    SAY(TOO_FEW_KINDS, "not-all-watched",
        "no fault was seen, and what is made of another counter agrees, but no {lacking} was "
        "watched"),
    SAY(NOT_COMPARED, "not-compared", "it was not read around any interval beside a reference"),
    SAY(NOTHING_ELSE, "nothing-independent",
        "no fault was seen, but nothing here is made of another counter, so nothing could have "
        "shown one"),
    /* the reference */
    SAY(NO_REFERENCE, "no-reference",
        "none: no clock of the operating system stands around the intervals"),
    SAY(OTHER_COUNTER, "other-counter",
        "{clock}, made of {hardware}: another counter than the CPU's own, so agreement counts"),
    SAY(SAME_SOURCE, "same-clocksource",
        "{clock}, whose clocksource is {clocksource}: the counter that the clocks here are made "
        "of, so agreement proves nothing"),
    SAY(RATES_BESIDE, "rates-against", "rates are held against {against}[ and {also}] as well"),
    SAY(FIRST_REFUTED, "usual-one-refuted",
        "{clock}, which is right by the controller's clock (outside); {usual}, the usual one, is "
        "not"),
    SAY(COULD_TELL, "others-could-tell", "an RTC, PTP, an HPET or another machine could"),
    /* idle states */
    SAY(IDLE_MATTERS, "idle-matters",
        "Idle states matter to {clock}: over sleep it shows {ratio:%.4f} of the reference, "
        "{awake:%.4f} while CPUs are held awake."),
    SAY(IDLE_CHANGES_NONE, "idle-changes-none", "Idle states change no clock (to {ppm:%.2g} ppm)."),
    SAY(IDLE_LATER, "idle-ends-later", "Idle states make sleeps end later."),
    SAY(AWAKE_LATER, "awake-ends-later", "Sleeps end later while CPUs are held awake."),
    SAY(AWAKE_ALIKE, "awake-ends-alike", "Sleeps end no earlier without them."),
    SAY(IDLE_UNTOLD, "idle-untold",
        "What idle states do was not told apart: no sleep was watched with CPUs held awake[: "
        "{why}]."),
    /* advice */
    SAY(SHORT_REGIONS, "short-regions",
        "Short regions: {clock}. A reading takes {cost_ns:time} and tells {step_ns:time} apart: "
        "{percent_of_1us:2} % of a region of 1 µs, {percent_of_100us:2} % of 100 µs."),
    SAY(IN_ORDER, "in-order", "Where the order of instructions matters: {clock}, {cost_ns:time}."),
    SAY(WITHOUT_RATE, "without-rate", "Without knowing a rate: {clock}, {cost_ns:time}."),
    SAY(LONG_INTERVALS, "long-intervals", "Long intervals: {clock}[ ({cost_ns:time} a reading)]."),
    SAY(NEVER_FARTHER, "never-farther",
        "Over up to {length_ns:time} never more than {error_ns:time} from {reference}."),
    SAY(RATE_AGAINST, "rate-against",
        "Against {against}: {ppm:%+.1f} ppm ({low_ppm:%+.1f} to {high_ppm:%+.1f})."),
    SAY(ACROSS_CPUS, "across-cpus",
        "Across CPUs and threads: {clock}[, at a cost of {cost_ns:time}]. CPUs differ by less than "
        "{apart_ns:time} ({pairs} {pairs|pair|pairs} compared), and none was shown another's "
        "future."),
    SAY(FOR_CPU_TIME, "cpu-time",
        "CPU time: {clock}[, {cost_ns:time} a reading]. It stands still over sleep and waiting."),
    SAY(FALSIFIED, "falsified",
        "{falsified} {falsified|clock was|clocks were} falsified by {against}, which is made of "
        "another counter: {clock} runs {times:%.6g} times as fast as it claims."),
    SAY(WRONG_TOGETHER, "wrong-together",
        "{tied} more {tied|agrees|agree} with what is wrong, and cannot be trusted either."),
    SAY(NONE_TRUSTED, "none-trusted",
        "No clock of this machine is to be trusted for an interval: time from outside, by a clock "
        "of another machine."),
    SAY(NONE_CONFIRMED, "none-confirmed",
        "No clock was confirmed by one that is made of another counter, although there is one: "
        "watch longer, and all workloads."),
    SAY(NONE_FALSIFIABLE, "none-falsifiable",
        "No rate could be falsified here: ask from another machine (assay clocks --via ssh:HOST), "
        "whose clock then tells, or give this one an RTC or a PTP device."),
    SAY(HOST_TOOK, "host-took-time",
        "The host took {percent:2} % of the time, and intervals hold it: repeat them, and take the "
        "least or the median."),
    SAY(SLEEPS_LATE, "sleeps-end-late",
        "Do not take the length that a sleep was asked for as its length: it ends {median_ns:time} "
        "late, at most {most_ns:time} here. Read a clock before and after."),
    /* findings */
    SAY(EMULATED, "emulated",
        "the machine is emulated: a program makes its counter, and what that shows says nothing of "
        "a CPU's"),
    SAY(NO_COUNTER, "no-counter", "no counter of the CPU can be read here"),
    SAY(MACHINE_SAYS, "machine-says", "{why}"),
    SAY(SHOWS, "shows",
        "{clock} shows {ratio:%.6f} of {reference} over {intervals} {what} of [{shortest_ms:3} to "
        "]{longest_ms:3} ms"),
    SAY(SOME_OFF, "some-off",
        "{off} of them are off by more than their readings leave open, the worst shows "
        "{ratio:%.6f}"),
    SAY(RATE_UNCLAIMED, "rate-unclaimed",
        "nobody claims its rate: it is the one it had over computation"),
    SAY(PROVES_NOTHING, "proves-nothing", "that proves nothing:"),
    [CLOCKS_SAME_COUNTER] = {"same-counter",
                             "{reference} is made of the same counter as {clock}, so both are "
                             "wrong together",
                             REASON_IN_VAIN},
    SAY(CLOCK_ELSEWHERE, "clock-elsewhere",
        "a clock made elsewhere could tell: --via ssh: from another machine, or an RTC or PTP "
        "device"),
    SAY(FROM_OUTSIDE, "from-outside",
        "against {against}, which is made elsewhere, {clock} runs {ppm:%+.1f} ppm ({low_ppm:%+.1f} "
        "to {high_ppm:%+.1f}) beyond its claim over {span_s:%.0f} s, of which {percent:%.0f} % was "
        "{what}"),
    SAY(WHO_DID_IT, "cause-open", "whether {what} or something else did it cannot be told"),
    SAY(NOT_TIMED, "not-timed", "no {what} was timed by the CPU's counter and a reference"),
    SAY(LITTLE_SLEEP, "little-sleep", "too little to tell of sleep"),
    SAY(SPREAD, "spread", "the middle half of equal sleeps spreads by {percent:%.2g} %"),
    SAY(LOW_BUT_EVEN, "low-but-even", "it reads too low, but evenly"),
    SAY(TIMER_ALIKE, "timer-alike", "the timer that ends a sleep may count the same ticks"),
    SAY(NO_READINGS, "no-readings", "no readings of {clock} follow each other in one thread"),
    SAY(BELOW, "below-the-one-before",
        "{backward} of {readings} readings of {clock} are below the one before in the same thread, "
        "by up to {worst_ticks} ticks"),
    SAY(NONE_BELOW, "none-below",
        "none of {readings} readings of {clock} is below the one before in the same thread: at "
        "most one in {one_in} is"),
    SAY(NOT_RARE, "not-rare-enough", ", which is not rare enough to be called never"),
    SAY(WRAP_IS_NO_STEP, "wrap-is-no-step", "it begins anew at 2^{bits}, which is no step back"),
    SAY(TRIPS_BACK, "trips-back",
        "in {backward} of {trips} trips between CPUs a later reading is below an earlier one, by "
        "up to {worst_ticks} ticks (CPU {cpu} and {partner}: {offset_ticks:%+.0f})"),
    SAY(TRIPS_AGREE, "trips-agree",
        "in {trips} trips between {pairs} {pairs|pair|pairs} of CPUs no later reading is below an "
        "earlier one, so they are no more than {bound_ticks} ticks apart[ ({bound_ns:time})]"),
    SAY(ONE_CPU, "one-cpu", "only one CPU may be used here"),
    SAY(NO_TRIPS, "no-trips", "no two CPUs were compared"),
    SAY(NO_CHANGES, "no-changes", "no interval with several threads or a change of CPU was timed"),
    SAY(TRIPS_DECIDE, "trips-decide",
        "of these trips alone decide: the reference is made of the same counter and would go wrong "
        "with it"),
};
