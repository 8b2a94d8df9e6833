/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Doctor check: how deep do idle CPUs sleep, and how long do they take to wake?
 * Facts: idle.driver, idle.states ("POLL:0 C1:2 C6:133", latency in microseconds, enabled ones),
 * idle.deepest_us. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "machine/check.h"

#define STATES         "/sys/devices/system/cpu/cpu0/cpuidle"
#define SHALLOW_US     10 /* about what a context switch costs anyway */
#define SHALLOW_US_TXT "10"

/* One file of a state, as a word. */
static bool read_word(const struct machine_view *view, const char *state, const char *file,
                      struct text *word)
{
    AUTO_FREE char *path = NULL;
    if (asprintf(&path, STATES "/%s/%s", state, file) < 0) {
        path = NULL;
        return false;
    }
    if (view_text(view, path, word) < 0 || word->length == 0)
        return false;
    word->bytes[strcspn(word->bytes, "\n")] = '\0';
    return true;
}

static void collect(const struct machine_view *view, struct facts *facts)
{
    view_read(view, facts, "idle.driver", "/sys/devices/system/cpu/cpuidle/current_driver");
    AUTO_NAMES struct view_names names;
    int error = view_names(view, STATES, "state[0-9]*", &names);
    AUTO_TEXT struct text list = {0};
    AUTO_TEXT struct text word = {0};
    long deepest = -1;
    for (size_t i = 0; i < names.count; i++) {
        if (read_word(view, names.list[i], "disable", &word) && strcmp(word.bytes, "0") != 0)
            continue;
        long latency =
            read_word(view, names.list[i], "latency", &word) ? strtol(word.bytes, NULL, 10) : 0;
        if (read_word(view, names.list[i], "name", &word))
            text_printf(&list, "%s%s:%ld", list.length ? " " : "", word.bytes, latency);
        deepest = latency > deepest ? latency : deepest;
    }
    facts_set(facts, "idle.states", list.length ? text_string(&list) : NULL,
              error ? -error : ENOENT);
    if (deepest >= 0)
        facts_setf(facts, "idle.deepest_us", "%ld", deepest);
    else
        facts_set(facts, "idle.deepest_us", NULL, error ? -error : ENOENT);
}

static void judge(const struct facts *facts, struct advice *advice)
{
    const char *driver = facts_get(facts, "idle.driver");
    const char *states = facts_get(facts, "idle.states");
    long long deepest = facts_number(facts, "idle.deepest_us", -1);
    if (!driver) {
        advise(advice, CHECK_ABSENT, "no cpuidle");
        advise_why(advice, "The kernel does not choose idle states here.");
    } else if (strcmp(driver, "haltpoll") == 0) {
        advise(advice, CHECK_OK, "%s", driver);
        advise_why(advice,
                   "This guest may poll a while before it gives the CPU back; how deep the CPU "
                   "then sleeps is the host's choice and does not show.");
    } else if (strcmp(driver, "none") == 0 || deepest < 0) {
        advise(advice, CHECK_OK, "%s", driver);
        advise_why(advice, "The kernel uses no idle states deeper than a plain halt.");
    } else if (deepest <= SHALLOW_US) {
        advise(advice, CHECK_OK, "%s, at most %lld us to wake", driver, deepest);
        advise_why(advice, "Idle CPUs wake about as fast as a context switch takes (%s).", states);
    } else {
        advise(advice, CHECK_WARN, "%s, up to %lld us to wake", driver, deepest);
        advise_why(advice,
                   "A process that sleeps or waits finds its CPU up to %lld us away, with "
                   "caches flushed and the clock lowered (%s): times and cache misses of "
                   "short waits vary. Busy loops do not mind.",
                   deepest, states ? states : "states unknown");
        advise_fix(advice, "sudo cpupower idle-set --disable-by-latency " SHALLOW_US_TXT);
    }
}

const struct check check_idle_states = {
    .name = "idle-states",
    .title = "idle states",
    .collect = collect,
    .judge = judge,
};
