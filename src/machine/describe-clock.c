/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What is claimed of the counter of time, and what is done to it: flags of the CPU, by how much the
 * operating system steers its clocks, and whether programs may read ticks at all. `assay clocks`
 * sets what it measures beside them. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/timex.h>

#include "machine/describe.h"

#ifndef PR_GET_TSC
#define PR_GET_TSC     25
#define PR_TSC_ENABLE  1
#define PR_TSC_SIGSEGV 2
#endif

/* Which line of /proc/cpuinfo lists what a CPU of that ISA can do, what separates its words, and
 * which of them concern time. */
static const struct dialect {
    const char *isa, *line, *separators;
    const char *const *words;
} dialects[] = {
    {"x86_64", "flags", " ",
     (const char *const[]){"tsc", "constant_tsc", "nonstop_tsc", "nonstop_tsc_s3", "tsc_reliable",
                           "tsc_known_freq", "tsc_adjust", "tsc_scale", "art", "rdtscp", NULL}},
    {"aarch64", "Features", " ", (const char *const[]){"evtstrm", "ecv", NULL}},
    {"riscv64", "isa", "_", (const char *const[]){"zicntr", "sstc", "smcntrpmf", NULL}},
};
#define MOST_WORDS 16

static const struct dialect *find_dialect(const char *isa)
{
    for (size_t i = 0; isa && i < sizeof(dialects) / sizeof(*dialects); i++)
        if (strcmp(dialects[i].isa, isa) == 0)
            return &dialects[i];
    return NULL;
}

/* Counts each word of the dialect that the line lists. */
static void count_words(const struct dialect *dialect, char *list, unsigned counts[MOST_WORDS])
{
    bool seen[MOST_WORDS] = {false};
    char *save = NULL;
    for (char *flag = strtok_r(list, dialect->separators, &save); flag;
         flag = strtok_r(NULL, dialect->separators, &save))
        for (size_t i = 0; dialect->words[i]; i++)
            seen[i] = seen[i] || strcmp(flag, dialect->words[i]) == 0;
    for (size_t i = 0; dialect->words[i]; i++)
        counts[i] += seen[i];
}

/* What follows the colon, when the line is about that; else NULL. */
static char *after_colon(char *line, const char *word)
{
    size_t length = strlen(word);
    if (strncmp(line, word, length) != 0)
        return NULL;
    char *colon = line + length + strspn(line + length, " \t");
    return *colon == ':' ? colon + 1 + strspn(colon + 1, " \t") : NULL;
}

/* Only what every CPU has: a flag that one core lacks is no claim of the machine. */
static void describe_flags(const struct machine_view *view, struct facts *facts)
{
    AUTO_TEXT struct text cpuinfo = {0}, flags = {0};
    const struct dialect *dialect = find_dialect(facts_get(facts, "isa"));
    int error = dialect ? view_text(view, "/proc/cpuinfo", &cpuinfo) : -EOPNOTSUPP;
    unsigned counts[MOST_WORDS] = {0}, cpus = 0;
    char *save = NULL;
    for (char *line = error ? NULL : strtok_r(cpuinfo.bytes, "\n", &save); line;
         line = strtok_r(NULL, "\n", &save)) {
        char *list = after_colon(line, dialect->line);
        if (!list)
            continue;
        cpus++;
        count_words(dialect, list, counts);
    }
    for (size_t i = 0; cpus && dialect->words[i]; i++)
        if (counts[i] == cpus)
            text_printf(&flags, "%s%s", flags.length ? " " : "", dialect->words[i]);
    facts_set(facts, "clock.flags", cpus ? text_string(&flags) : NULL, error ? -error : ENODATA);
}

#define USUAL_TICK_US 10000 /* a hundredth of a second, whatever the kernel's own rate is */

/* The rate that was set, in ppm: the frequency, and what another length of the tick adds. Neither
 * the slewing of an offset nor a leap second is in it. */
static void describe_steering(const struct machine_view *view, struct facts *facts)
{
    struct timex state = {.modes = 0};
    char ppm[32] = "", tick[32] = "";
    int error = adjtimex(&state) < 0 ? errno : 0;
    if (!error) {
        double whole = (double)state.freq / 65536.0 +
                       ((double)state.tick - USUAL_TICK_US) * (1e6 / USUAL_TICK_US);
        snprintf(ppm, sizeof(ppm), "%.6g", whole);
        if (state.tick != USUAL_TICK_US)
            snprintf(tick, sizeof(tick), "%ld", (long)state.tick);
    }
    view_live(view, facts, "clock.steered_ppm", ppm[0] ? ppm : NULL, error);
    if (tick[0] && !view_recorded(view))
        facts_set(facts, "clock.tick_us", tick, 0);
}

/* "forbidden": reading the counter kills the process, and so do clocks of the vDSO, which read it.
 * Processes inherit that, so it is what our parents wished. */
static void describe_permission(const struct machine_view *view, struct facts *facts)
{
    int mode = 0;
    int error = prctl(PR_GET_TSC, &mode, 0, 0, 0) < 0 ? errno : 0;
    const char *answer = mode == PR_TSC_SIGSEGV ? "forbidden" : "allowed";
    view_live(view, facts, "clock.ticks", error ? NULL : answer, error);
}

void describe_clock(const struct machine_view *view, struct facts *facts)
{
    describe_flags(view, facts);
    describe_steering(view, facts);
    describe_permission(view, facts);
}
