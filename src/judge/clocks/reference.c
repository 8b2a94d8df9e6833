/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What clocks are compared with, and what that proves: agreement of two clocks that are made of the
 * same counter proves nothing about it. */
#include <stdio.h>
#include <string.h>

#include "studies/clocks/study.h"

/* Words that name one counter. Prefixes: "hyperv_clocksource_tsc_page" and its like. */
static const struct {
    const char *prefix, *family;
} families[] = {
    {"tsc", "tsc"},         {"kvm-clock", "tsc"},
    {"xen", "tsc"},         {"hyperv", "tsc"},
    {"cntvct", "cntvct"},   {"arch_sys_counter", "cntvct"},
    {"rdtime", "rdtime"},   {"riscv_clocksource", "rdtime"},
    {"hpet", "hpet"},       {"acpi_pm", "acpi_pm"},
    {"rtc", "rtc"},         {"ptp", "ptp"},
    {"outside", "outside"},
};

/* NULL: nobody knows what it is made of. */
static const char *family_of(const struct clocks_case *file, uint32_t clock)
{
    const char *hardware = file->clocks[clock].hardware;
    if (!hardware || file->clocks[clock].external)
        return NULL;
    for (size_t i = 0; i < sizeof(families) / sizeof(*families); i++)
        if (strncmp(hardware, families[i].prefix, strlen(families[i].prefix)) == 0)
            return families[i].family;
    return NULL;
}

/* A program that emulates a machine makes all of its counters from one time; what it passes on from
 * its host is the time of day. */
static bool made_by_program(const char *family)
{
    return strcmp(family, "outside") != 0 && strcmp(family, "rtc") != 0;
}

bool clocks_independent(const struct clocks_case *file, uint32_t one, uint32_t other)
{
    const char *family = family_of(file, one), *others = family_of(file, other);
    if (!family || !others || strcmp(family, others) == 0)
        return false;
    return !(file->emulated && made_by_program(family) && made_by_program(others));
}

bool clocks_one_family(const struct clocks_case *file, uint32_t one, uint32_t other)
{
    const char *family = family_of(file, one), *others = family_of(file, other);
    return family && others && strcmp(family, others) == 0;
}

/* Is it read around intervals? */
static bool stands_around_intervals(const struct clocks_case *file, uint32_t clock)
{
    for (size_t i = 0; i < file->watch_count; i++)
        if (file->watches[i].kind == WATCH_INTERVAL && watch_column(&file->watches[i], clock) >= 0)
            return true;
    return false;
}

/* The clock that all others are suspected to be: the CPU's own counter, or, where nobody may read
 * that, the operating system's. -1: none. */
static int suspect(const struct clocks_case *file)
{
    for (size_t i = 0; i < file->clock_count; i++)
        if (file->clocks[i].role == ROLE_WALL && !file->clocks[i].external &&
            strcmp(file->clocks[i].way, "instruction") == 0)
            return (int)i;
    int raw = clocks_index(file, "monotonic-raw");
    return raw >= 0 ? raw : clocks_index(file, "monotonic-raw-syscall");
}

static const char *const own_counters[] = {"hpet", "ptp"};
static const char *const of_the_system[] = {
    "monotonic-raw", "monotonic-raw-syscall", "monotonic", "monotonic-syscall", "boottime",
    "realtime",
};
#define LENGTH(list) (sizeof(list) / sizeof(*(list)))

/* The first of these that stands around intervals and is independent of `of`; -1 as `of`: any. */
static int first_of(const struct clocks_case *file, const char *const *names, size_t count, int of)
{
    for (size_t i = 0; i < count; i++) {
        int clock = clocks_index(file, names[i]);
        if (clock >= 0 && stands_around_intervals(file, (uint32_t)clock) &&
            (of < 0 || clocks_independent(file, (uint32_t)clock, (uint32_t)of)))
            return clock;
    }
    return -1;
}

static int choose(const struct clocks_case *file, bool *independent)
{
    int of = suspect(file);
    *independent = true;
    int clock = of < 0 ? -1 : first_of(file, of_the_system, LENGTH(of_the_system), of);
    if (clock < 0 && of >= 0)
        clock = first_of(file, own_counters, LENGTH(own_counters), of);
    if (clock >= 0)
        return clock;
    *independent = false;
    clock = first_of(file, of_the_system, LENGTH(of_the_system), -1);
    for (size_t i = 0; i < file->clock_count && clock < 0; i++)
        if (file->clocks[i].role == ROLE_WALL && !file->clocks[i].external && file->clocks[i].hz &&
            stands_around_intervals(file, (uint32_t)i))
            clock = (int)i;
    return clock;
}

static int clock_of_kind(const struct clocks_case *file, enum watch_kind kind)
{
    for (size_t i = 0; i < file->watch_count; i++)
        if (file->watches[i].kind == kind && file->watches[i].columns && file->watches[i].processes)
            return (int)file->watches[i].clocks[0];
    return -1;
}

/* The controller's clock tells nothing new where it is this machine's own. */
static int outside_clock(const struct clocks_case *file)
{
    int clock = clock_of_kind(file, WATCH_OUTSIDE);
    const char *family = clock < 0 ? NULL : family_of(file, (uint32_t)clock);
    return family && strcmp(family, "outside") == 0 ? clock : -1;
}

static void explain(const struct clocks_case *file, bool independent,
                    struct clocks_reference *reference)
{
    char *why = reference->why;
    size_t size = sizeof(reference->why);
    if (reference->clock < 0) {
        snprintf(why, size, "none: no clock of the operating system stands around the intervals");
        return;
    }
    const struct clock_known *clock = &file->clocks[reference->clock];
    const char *source = file->clocksource && *file->clocksource ? file->clocksource : "unknown";
    size_t used = 0;
    if (independent)
        used = (size_t)snprintf(
            why, size, "%s, made of %s: another counter than the CPU's own, so agreement counts",
            clock->name, clock->hardware);
    else
        used = (size_t)snprintf(why, size,
                                "%s, whose clocksource is %s: the counter that the clocks here are "
                                "made of, so agreement proves nothing",
                                clock->name, source);
    if (used >= size)
        return;
    if (reference->outside >= 0 || reference->rtc >= 0)
        snprintf(why + used, size - used, "; rates are held against %s%s%s as well",
                 reference->outside >= 0 ? "the controller's clock (outside)" : "",
                 reference->outside >= 0 && reference->rtc >= 0 ? " and " : "",
                 reference->rtc >= 0 ? file->clocks[reference->rtc].name : "");
    else if (!independent)
        snprintf(why + used, size - used, "; an RTC, PTP, an HPET or another machine could");
}

int clocks_find_reference(const struct clocks_case *file, struct clocks_report *report)
{
    bool independent = false;
    report->reference.clock = choose(file, &independent);
    report->reference.outside = outside_clock(file);
    report->reference.rtc = clock_of_kind(file, WATCH_EDGES);
    explain(file, independent, &report->reference);
    return 0;
}
