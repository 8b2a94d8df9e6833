/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What an execution will take: before anything was seen by what is usual for its source, then by
 * what the program took when nothing slowed it down, by its instructions, and at last by what it
 * took with that source. */
#include <math.h>
#include <string.h>

#include "studies/repeat/plan.h"

#define MS_NS      UINT64_C(1000000)
#define UNKNOWN_NS (30 * MS_NS) /* an execution of which nothing is known */
/* What of an execution the operating system needs to start and end it, in which no instruction of
 * the program is stepped through; and the least that is left. */
#define SYSTEM_NS (1 * MS_NS)
#define LEAST_NS  (MS_NS / 10)

/* Roughly, on a machine of today: how many times longer an execution takes, what starting costs,
 * ns of a single step, and of a line that tells which instruction it was. */
static const struct expected {
    const char *name;
    double slower;
    uint64_t start_ns, each_ns, tell_ns;
    bool moves; /* the tool places memory itself */
} expectations[] = {
    {"perf_event", 1, 8 * MS_NS, 0, 0, false},    {"qemu", 15, 60 * MS_NS, 0, 0, true},
    {"valgrind", 50, 600 * MS_NS, 0, 6000, true}, {"step", 8000, 20 * MS_NS, 20000, 0, false},
    {"pin", 10, 500 * MS_NS, 0, 0, false},        {"dynamorio", 10, 100 * MS_NS, 0, 0, false},
};
static const struct expected unheard_of = {"", 50, 600 * MS_NS, 0, 0, false};
#define EMULATED_START 8u /* times as dear */

static const struct expected *expect(const char *name)
{
    for (size_t i = 0; i < sizeof(expectations) / sizeof(*expectations); i++)
        if (strcmp(expectations[i].name, name) == 0)
            return &expectations[i];
    return &unheard_of;
}

void repeat_source_expect(struct repeat_source *source, bool emulated)
{
    const struct expected *expected = expect(source->name);
    const uint64_t times = emulated ? EMULATED_START : 1;
    source->slower = expected->slower;
    source->start_ns = expected->start_ns * times;
    source->each_ns = expected->each_ns * times;
    source->tell_ns = expected->tell_ns * times;
}

bool repeat_source_sees(const char *source, enum control control)
{
    const bool of_memory = control == CONTROL_ASLR || control == CONTROL_CPU ||
                           control == CONTROL_STACK || control == CONTROL_LAYOUT;
    return !of_memory || !expect(source)->moves;
}

/* Visits of this program with that source that were seen, without details; ns of one, 0: none. */
static uint64_t seen_price(const struct repeat_plan *plan, size_t program, size_t source)
{
    uint64_t ns = 0, visits = 0;
    for (size_t i = 0; i < plan->wishes.count; i++) {
        const struct repeat_aim *aim = &plan->aims[i];
        if (aim->program != program || aim->source != source || aim->detail != DETAIL_NONE)
            continue;
        ns += plan->wishes.list[i].ns;
        visits += plan->wishes.list[i].visits;
    }
    return visits ? ns / visits : 0;
}

/* ns of an execution that nothing slows down. */
static uint64_t plain_ns(const struct repeat_plan *plan, size_t program)
{
    const struct repeat_told *told = plan->told ? &plan->told[program] : NULL;
    if (told && told->ns_runs)
        return told->ns / told->ns_runs;
    return plan->programs[program].expected_ns ? plan->programs[program].expected_ns : UNKNOWN_NS;
}

static uint64_t instructions(const struct repeat_plan *plan, size_t program)
{
    const struct repeat_told *told = plan->told ? &plan->told[program] : NULL;
    return told && told->instructions ? told->instructions : plan->programs[program].instructions;
}

/* ns of a step, by what steps took so far. */
static uint64_t step_ns(const struct repeat_plan *plan, size_t source)
{
    const struct repeat_source *of = &plan->sources[source];
    double ns = 0, steps = 0;
    for (size_t i = 0; plan->told && i < plan->program_count; i++) {
        const uint64_t seen = seen_price(plan, i, source), count = instructions(plan, i);
        if (!seen || !count)
            continue;
        ns += (double)(seen > of->start_ns ? seen - of->start_ns : 0);
        steps += (double)count;
    }
    /* A few steps are over before the clock tells them from the start. */
    return steps > 1000 && ns > 0 ? (uint64_t)(ns / steps) + 1 : of->each_ns;
}

static uint64_t unseen_price(const struct repeat_plan *plan, size_t program, size_t source)
{
    static const struct repeat_source plain = {.slower = 1, .start_ns = 8 * MS_NS};
    const struct repeat_source *of = source == REPEAT_PLAIN ? &plain : &plan->sources[source];
    const uint64_t count = instructions(plan, program);
    uint64_t plain_time = plain_ns(plan, program);
    if (of->each_ns)
        plain_time = plain_time > SYSTEM_NS + LEAST_NS ? plain_time - SYSTEM_NS : LEAST_NS;
    double ns = of->slower * (double)plain_time;
    if (of->each_ns && count)
        ns = (double)step_ns(plan, source) * (double)count;
    ns += (double)of->start_ns;
    return ns < 0x1p62 ? (uint64_t)ns : UINT64_C(1) << 62;
}

/* Where telling which instructions they were is something else than counting them. */
static uint64_t telling_price(const struct repeat_plan *plan, size_t program,
                              const struct repeat_source *source)
{
    const double each = (double)source->tell_ns, count = (double)instructions(plan, program);
    /* Of instructions that nobody has counted yet: one a ns. */
    const double ns =
        (double)source->start_ns + each * (count > 0 ? count : (double)plain_ns(plan, program));
    return ns < 0x1p62 ? (uint64_t)ns : UINT64_C(1) << 62;
}

uint64_t repeat_plan_price(const struct repeat_plan *plan, size_t program, size_t source,
                           enum command_detail detail)
{
    static const struct repeat_source plain = {.start_ns = 8 * MS_NS};
    const uint64_t start = (source == REPEAT_PLAIN ? &plain : &plan->sources[source])->start_ns;
    /* System calls are watched without stepping. */
    if (detail == DETAIL_CALLS)
        return start + 3 * plain_ns(plan, program);
    if (detail == DETAIL_CODE && source != REPEAT_PLAIN && plan->sources[source].tell_ns)
        return telling_price(plan, program, &plan->sources[source]);
    uint64_t price = seen_price(plan, program, source);
    if (!price)
        price = unseen_price(plan, program, source);
    return detail == DETAIL_CODE ? price + price / 2 : price;
}
