/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What the judge of measurement error says (base/reason.h). */
#include "studies/error/study.h"

const struct reason_words error_words[ERROR_SAYS] = {
    /* --- what to do --- */
    [ADVICE_MACHINE] = {"machine", "On {machine}:"},
    [ADVICE_STEPPED] = {"stepped-only",
                        "No counter of {event} in user mode was read, but stepping shows exactly "
                        "what each path's own code would add to one: least {path}, {pattern}, with "
                        "{subtract}; subtract that."},
    [ADVICE_BUILDS] = {"differs-by-build", "It is {low} to {high} by -O level and link mode."},
    [ADVICE_NOTHING] = {"adds-nothing", "Count {event} with {path}, {pattern}: it adds nothing."},
    [ADVICE_SUBTRACT] =
        {"subtract", "Count {event} with {path}, {pattern}: it adds {subtract}; subtract that."},
    [ADVICE_SPREAD] = {"spread", "19 of 20 runs lie between {low} and {high}."},
    [ADVICE_COUNTERS] = {"few-counters",
                         "Count few events at once: each further counter adds about {each}."},
    [ADVICE_LAZY] = {"lazy-linking",
                     "In a program linked lazily the first call adds {first} more, because its "
                     "functions are looked up then: measure something once before, or link it "
                     "{link}."},
    [ADVICE_FIRST] = {"first-run",
                      "The first run of a process adds {first} more: measure something "
                      "once before, and throw it away."},
    [ADVICE_GROWS] = {"grows", "Long regions gain error: about {million} more for a million "
                               "iterations of a short loop[, mostly from {cause}]. Keep regions "
                               "short[, or count in {instead}]."},
    [ADVICE_CONSTANT] = {"does-not-grow",
                         "Long regions gain no error, up to {longest} iterations of a loop."},
    /* --- what analyses of variance rest on --- */
    [NOTE_NOTHING] = {"nothing-to-compare",
                      "There is nothing to compare: one combination of factors was measured."},
    [NOTE_SINGLE] = {"single-level", "Left out for want of a second level: {factors}."},
    [NOTE_NO_DF] = {"too-few-values", "Nothing can be tested: there are no more values than "
                                      "parameters. Measure more processes."},
    [NOTE_ALL_EQUAL] = {"all-equal", "Every process shows the same error, whatever the factors."},
    [NOTE_NO_VARIANCE] = {"no-variance", "Processes of a cell never differ: F is infinite, and the "
                                         "share of the variance says what matters."},
    [NOTE_NO_REPLICATES] = {"no-replicates",
                            "Every cell has one process: what the factors leave is "
                            "taken for noise."},
    [NOTE_CONSTANT] = {"constant-cells",
                       "In {constant:plain} of {cells:plain} cells processes never differ."},
    [NOTE_INTERACTIONS] = {"interactions-left-out",
                           "{interactions:plain} {interactions|interaction was|interactions were} "
                           "left out: the model would be too large."},
    [NOTE_CHOICES] = {"other-events",
                      "{cells:plain} cells with other events as further counters are not in it."},
    [NOTE_LAYOUT] = {"opened-separately",
                     "{cells:plain} cells with counters opened one by one are not in it."},
    [NOTE_ALIASED] = {"aliased", "{factor} cannot be told from the other factors."},
    [NOTE_LOST_DF] = {"lost-df", "{factor}: {lost:plain} of {all:plain} degrees of freedom are "
                                 "missing, as not every combination exists or was measured."},
    [NOTE_TOO_LARGE] = {"too-many-levels", "The factors have too many levels to be analysed "
                                           "together: at most {most:plain}."},
    /* --- what interrupts explain --- */
    [TICKS_NO_CELL] = {"not-counted", "no cell counts kernel-only instructions of the loop and "
                                      "interrupts along with them"},
    [TICKS_LONELY] = {"single-processes", "the kernel-only cells have one process each, whose runs "
                                          "cannot say how far processes differ"},
    [TICKS_ONE_N] = {"one-length",
                     "kernel-only instructions were counted along with interrupts for "
                     "one N only, so nothing is known of how many come with duration"},
    [TICKS_NONE] = {"no-interrupts",
                    "no run was interrupted: longer loops or more runs are needed"},
    [TICKS_ALIKE] = {"equal-interrupts", "every run was interrupted equally often, so nothing is "
                                         "known of what one interrupt adds"},
    [TICKS_FEW] = {"few-interrupts", "too few interrupts to say what one adds"},
    [TICKS_BOTH_ONE_N] = {"both-one-length",
                          "user+kernel instructions were counted for one N only"},
    [TICKS_BOTH_NONE] = {"both-not-counted", "no cell counts user+kernel instructions of the loop"},
    [TICKS_BOTH_LONELY] = {"both-single-processes",
                           "the user+kernel cells have one process each and too few N: nothing is "
                           "known of how far their slope may be off"},
    [TICKS_UNLIKE] = {"unlike", "counting interrupts adds instructions to each of them, and the "
                                "user+kernel cells were measured without"},
    /* --- findings: why nothing can decide --- */
    [FOUND_OTHER_WAYS] = {"other-ways",
                          "{event} was measured in single processes, or not in these ways"},
    [FOUND_REFUSED] = {"refused", "{event} cannot be opened[: {why}]"},
    [FOUND_FAILED] = {"failed", "{event} could not be measured[: {why}]"},
    [FOUND_NOT_MEASURED] = {"not-measured", "{event} was not measured"},
    [FOUND_MODE_UNTESTED] = {"mode-not-tested", "{mode} mode is not tested, as {why}"},
    [FOUND_PATH_FAILED] = {"path-failed", "{path} could not measure {event}: {why}"},
    [FOUND_PATH_ABSENT] = {"path-absent", "{path} is not there: {why}"},
    [FOUND_NO_PATH] = {"no-path", "no path was measured whose name begins with {path}"},
    [FOUND_NOT_TESTED] = {"not-tested", "not tested: {why}"},
    [FOUND_MACHINES] =
        {"machines", "of {machines:plain} machines {tell:plain} can tell, and {machine} decides"},
    /* --- Z1 to Z5 --- */
    [FOUND_FEW_WAYS] = {"few-ways",
                        "a spread over ways to measure takes two paths and two patterns "
                        "at least, and less than that was measured"},
    [FOUND_NO_INSTRUCTIONS] = {"no-instructions", "no error of an empty window was counted in "
                                                  "instructions: {why}"},
    [FOUND_SPREAD] = {"spread", "{mode}[, {stepped}]: from {least} to {most}, {factor}-fold over "
                                "{cells:plain} cells"},
    [FOUND_CELL] = {"cell", "{median} ({path}, {pattern}, {opt}, {link}[, {counters} counters])"},
    [FOUND_READS] = {"reads", "{pattern} in user+kernel mode: {call} by a system call ({path}), "
                              "{user} by {user_path}"},
    [FOUND_NO_USER_MODE] = {"no-user-mode", "user mode was not measured to compare"},
    [FOUND_USER_MODE] = {"user-mode", "user mode alone {median}, which is {comparison}"},
    [FOUND_NO_CALL] = {"no-system-call",
                       "no path that reads by a system call was measured beside it"},
    [FOUND_CALLS_SHOW] = {"calls-show-in-kernel-mode",
                          "what a system call costs shows in user+kernel mode only"},
    [FOUND_ONE_NUMBER] = {"one-number", "no path that reads its counters by one system call was "
                                        "measured with several numbers of them in read-read"},
    [FOUND_COUNTERS] = {"counters", "{mode}[, {stepped}]: {path} adds {first} with {from:plain} "
                                    "{from|counter|counters}, {last} with {to:plain}"},
    [FOUND_OWN_CODE] = {"own-code", "{path} adds {each} for each, in code of its own"},
    [FOUND_INTERFACES] = {"interfaces", "{mode}[, {stepped}]: {interfaces}"},
    [FOUND_INTERFACE] = {"interface", "{path} {pattern} {median}"},
    [FOUND_NEXT_INTERFACE] = {"next-interface", ", {path} {pattern} {median}"},
    [FOUND_ONE_PATTERN] = {"one-pattern", "no two paths, nor a path in two modes, were measured "
                                          "with two patterns in common"},
    [FOUND_SAME_PATTERN] = {"same-pattern", "one pattern is best in all of {pairs:plain} "
                                            "comparisons: {one}, {other}"},
    [FOUND_PATTERNS] = {"patterns-differ",
                        "best are {one} and {other}: one pattern for both costs {cost} more"},
    [FOUND_PATTERNS_OPEN] = {"patterns-open",
                             "best seem {one} and {other}, but their errors spread "
                             "over the difference"},
    [FOUND_BEST] = {"best", "{pattern} for {path} in {mode} mode ({median})"},
    [FOUND_STEPPED] = {"stepped", "stepped"},
    /* --- Z6 --- */
    [FOUND_FACTOR] = {"factor", "{factor} {verdict} ([{share}][{under}] % {of} {event}[ as "
                                "{effect}][, levels {range} apart])"},
    [FOUND_ONE_LEVEL] = {"one-level",
                         "no analysis of variance has several paths or patterns of instructions"},
    /* --- Z7 to Z9 --- */
    [FOUND_SLOPE] = {"slope", "{event} {path} {pattern} {slope:%.3g} ({low:%.3g} to {high:%.3g})"},
    [FOUND_ONE_LENGTH] = {"one-length",
                          "instructions:{mode} was not measured on loops of several lengths"},
    [FOUND_ONE_SLOPE] = {"one-slope", "{slope} decides; no other path was measured"},
    [FOUND_SLOPES] = {"slopes", "all {slopes:plain} slopes taken together; {comparison}: {least}, "
                                "{most}"},
    [FOUND_FURTHEST] = {"furthest", "{slope} decides, the furthest from 0 of {slopes:plain}, up to "
                                    "{longest} iterations"},
    [FOUND_KERNEL] = {"kernel-slopes",
                      "{slopes:plain} {slopes|slope|slopes} of kernel-only counts, "
                      "the steepest {steepest}"},
    [FOUND_BOTH] = {"both-slope", "user+kernel mode grows by {slope:%.3g} ({low:%.3g} to "
                                  "{high:%.3g}), which {comparison}"},
    [FOUND_BOTH_UNTESTED] = {"both-not-tested",
                             "whether user+kernel mode grows alike is not tested"},
    [FOUND_HIDDEN] = {"hidden", "its spread would hide a slope below {detectable:%.2g}"},
    [FOUND_INTERRUPTS] = {"interrupts", "interrupts explain {predicted:%.3g}: {each:%.0f} "
                                        "instructions each, which {comparison}"},
    /* --- Z10 --- */
    [FOUND_EMULATED] = {"emulated", "this machine is emulated: its times mean nothing"},
    [FOUND_NO_PLACES] = {"no-places", "no loop was timed at several places: neither cycles nor "
                                      "ticks could be counted there"},
    [FOUND_PLACES] = {"places", "{event} for each iteration from {least} to {most} over "
                                "{places:plain} places"},
    [FOUND_FEW_PLACES] = {"few-places", "too few to say that no place is slow"},
    [FOUND_NO_WINDOWS] = {"no-windows", "whether pattern or level alone explain it is not tested: "
                                        "the loop was not measured in several of both"},
    [FOUND_ALIKE_WINDOWS] = {"windows-alike",
                             "in the windows of the patterns and levels the loop differs by a "
                             "factor of {factor:%.2f} only ({event})"},
    [FOUND_WINDOWS] = {"windows", "in windows ({event}, a factor of {factor:%.2f}) pattern alone "
                                  "explains {pattern:%.0f} %, level alone {level:%.0f} %, both "
                                  "together {both:%.0f} % more"},
};
