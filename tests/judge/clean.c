/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Simulated machines that count right. */
#include "clean.h"
#include "base/memory.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const struct countable countables[] = {
    {"instructions:u", "hardware", "instructions", 1e6, 0, 400, true},
    {"branches:u", "hardware", "branches", 1e6, 0, 60, true},
    {"loads:u", "hardware", "loads", 1e6, 0, 100, true},
    {"fp-arith:u", "hardware", "fp-instructions", 1e6, 0, 0, true},
    {"page-faults", "software", "page-faults", 1e4, 0, 0, false},
    {"raw_syscalls:sys_enter", "tracepoint", "syscalls", 1e5, 1, 1, false},
    {"syscalls:sys_enter_getppid", "tracepoint", "getppid-calls", 1e5, 0, 0, false},
};
const size_t countable_count = sizeof(countables) / sizeof(countables[0]);

#define NANOSECONDS_A_TICK 4e6

const struct countable *countable_find(const char *event)
{
    for (size_t i = 0; i < countable_count; i++)
        if (strcmp(countables[i].event, event) == 0)
            return &countables[i];
    return NULL;
}

char *copy_of(const char *text)
{
    return memory_copy(text);
}

void machine_want(struct machine *machine, const char *specimen)
{
    size_t i = 0;
    while (machine->wanted[i])
        i++;
    if (i + 1 < sizeof(machine->wanted) / sizeof(machine->wanted[0]))
        machine->wanted[i] = specimen;
}

static void want(struct machine *machine, const char *const *names, size_t count)
{
    for (size_t i = 0; i < count; i++)
        machine_want(machine, names[i]);
}

void machine_draw(struct random *random, const struct countable *countable, enum noise_kind noise,
                  struct machine *machine)
{
    *machine = (struct machine){
        .countable = countable,
        .processes = 3 + (uint32_t)random_below(random, 4),
        .runs = 6 + (uint32_t)random_below(random, 11),
        .own_faults = (uint32_t)random_below(random, 2),
        .counts_interrupts = random_below(random, 2) == 0,
        .virtualized = random_below(random, 2) == 0,
        .specimens = 8 + random_below(random, 5),
    };
    if (strcmp(countable->class, "fp-instructions") == 0)
        want(machine, (const char *const[]){"fadd-double", "fmul-single", "fsqrt-double", "x87"},
             4);
    if (strcmp(countable->class, "loads") == 0)
        want(machine, (const char *const[]){"loads", "chase"}, 2);
    if (!countable->is_hardware && noise != NOISE_TICKS)
        noise = NOISE_NONE;
    double low = countable->overhead_low, high = countable->overhead_high;
    /* Noise in counts, not in shares, is that of reading: it goes along with an overhead. */
    if (countable->is_hardware && noise != NOISE_NONE && noise != NOISE_PROPORTIONAL) {
        low = 30;
        high = 400;
    }
    machine->overhead = (uint64_t)random_between(random, low, high + 0.999);
    noise_draw(random, noise, (double)machine->overhead, &machine->noise);
    if (!countable->is_hardware)
        machine->noise =
            (struct noise){.kind = noise, .disturbed = machine->noise.disturbed, .disturbed_by = 3};
}

/* What is being built. */
struct building {
    struct random *random;
    const struct machine *machine;
    struct evidence *evidence;
    const char *core;
};

static void add_traits(struct point *point, const struct frozen_specimen *specimen)
{
    for (size_t i = 0; i < specimen->class_count; i++) {
        const struct law *law = &specimen->classes[i];
        if (law->grade == TRUTH_BOUNDED) /* limits are no number */
            continue;
        struct trait *trait = memory_add(point->traits, point->trait_count);
        trait->kind = TRAIT_CLASS;
        trait->name = copy_of(law->name);
        trait->count = law_low(law, point->n);
        trait->proven = law->grade == TRUTH_PROVEN;
    }
    for (size_t i = 0; i < specimen->opcode_count; i++) {
        struct trait *trait = memory_add(point->traits, point->trait_count);
        trait->kind = TRAIT_OPCODE;
        trait->name = copy_of(specimen->opcodes[i].name);
        trait->count = law_low(&specimen->opcodes[i], point->n);
        trait->proven = true;
    }
}

/* Nanoseconds that the window is open. */
static double duration(const struct frozen_specimen *specimen, uint64_t n)
{
    return 1500 + 0.3 * specimen_class_at(specimen, "instructions", n) +
           800 * specimen_class_at(specimen, "page-faults", n) +
           250 * specimen_class_at(specimen, "syscalls", n);
}

static void draw_run(const struct building *building, const struct point *point, double count,
                     double nanoseconds, bool second_state, struct evidence_run *run)
{
    struct random *random = building->random;
    const struct machine *machine = building->machine;
    const struct noise *noise = &machine->noise;
    double value =
        (double)machine->overhead + count + noise_of_run(random, noise, count, second_state);
    run->account.minor_faults =
        (uint64_t)(point->faults > 0 ? point->faults : 0) + machine->own_faults;
    if (point->switches > 0)
        run->account.voluntary = (uint64_t)point->switches;
    run->enabled = (uint64_t)(nanoseconds * random_between(random, 0.95, 1.1));
    if (random_unit(random) < noise->disturbed) {
        double more = 1 + (double)random_below(random, (uint64_t)noise->disturbed_by);
        if (!machine->countable->is_hardware && random_below(random, 2) == 0) {
            run->account.minor_faults += (uint64_t)more;
            if (strcmp(machine->countable->class, "page-faults") == 0)
                value += more;
        } else {
            run->account.involuntary++;
            run->enabled += 50000;
            if (machine->countable->is_hardware)
                value += more;
        }
    }
    run->running = run->enabled;
    run->interrupts = random_poisson(random, (double)run->enabled / NANOSECONDS_A_TICK);
    run->value = random_round(random, value);
    if (machine->multiplexes && count > 1e5 && random_below(random, 2) == 0) {
        double share = random_between(random, 0.3, 0.9);
        run->running = (uint64_t)((double)run->enabled * share);
        share = (double)run->running / (double)run->enabled;
        run->value = random_round(random, value * share);
    }
}

static void draw_runs(const struct building *building, struct point *point, double count,
                      double nanoseconds)
{
    const struct machine *machine = building->machine;
    size_t total = (size_t)machine->processes * machine->runs;
    struct evidence_run *runs = point->runs = memory_new(total, sizeof(*runs));
    for (uint32_t process = 0; process < machine->processes; process++) {
        bool second_state = machine->noise.step > 0 && random_below(building->random, 2) == 0;
        for (uint32_t i = 0; i < machine->runs; i++) {
            struct evidence_run *run = &runs[process * machine->runs + i];
            run->process = process;
            draw_run(building, point, count, nanoseconds, second_state, run);
        }
    }
    point->run_count = total;
}

static void add_point(const struct building *building, const struct frozen_specimen *specimen,
                      uint64_t n)
{
    const char *class = building->machine->countable->class;
    const struct law *law = law_find(specimen->classes, specimen->class_count, class);
    struct point *point = evidence_add_point(building->evidence);
    point->specimen = copy_of(specimen->name);
    point->n = n;
    point->path = copy_of("perf-read");
    point->opt = copy_of("O2");
    point->link = copy_of("static");
    point->pattern = PATTERN_AO;
    point->counters = 1;
    point->core = copy_of(building->core);
    point->is_null = strcmp(specimen->name, "null") == 0;
    point->truth = (struct truth){law->grade, law_low(law, n), law_high(law, n)};
    point->faults = (int64_t)specimen_class_at(specimen, "page-faults", n);
    point->switches = (int64_t)specimen_class_at(specimen, "context-switches", n);
    point->has_interrupts = building->machine->counts_interrupts;
    add_traits(point, specimen);
    double between = law->grade == TRUTH_BOUNDED ? 0.5 : 0;
    double count =
        (double)point->truth.low + between * (double)(point->truth.high - point->truth.low);
    draw_runs(building, point, count, duration(specimen, n));
}

static double largest_n(const struct frozen_specimen *specimen, double top)
{
    if (specimen_class_at(specimen, "page-faults", 1) > 0)
        return fmin(top, 1e4);
    if (specimen_class_at(specimen, "syscalls", 1) > 0)
        return fmin(top, 1e5);
    return top;
}

static void add_ladder(const struct building *building, const struct frozen_specimen *specimen)
{
    double top = largest_n(specimen, building->machine->countable->top);
    for (uint64_t n = 1; (double)n <= top; n *= 10)
        add_point(building, specimen, n);
}

static bool is_among(const struct frozen_specimen *const *chosen, size_t count,
                     const struct frozen_specimen *specimen)
{
    for (size_t i = 0; i < count; i++)
        if (chosen[i] == specimen)
            return true;
    return false;
}

#define SPECIMENS_MOST 24

/* Those that every plan measures, because diagnosis takes them; those that are wanted; then any. */
static size_t choose_specimens(struct random *random, const struct frozen_specimens *specimens,
                               const struct machine *machine,
                               const struct frozen_specimen *chosen[SPECIMENS_MOST])
{
    static const char *const always[] = {"loop", "adds", "pages", "read-then-write", "getppid"};
    size_t count = 0;
    for (size_t i = 0; i < sizeof(always) / sizeof(always[0]); i++)
        chosen[count++] = specimens_find(specimens, always[i]);
    for (size_t i = 0; machine->wanted[i]; i++) {
        const struct frozen_specimen *wanted = specimens_find(specimens, machine->wanted[i]);
        if (wanted && !is_among(chosen, count, wanted))
            chosen[count++] = wanted;
    }
    while (count < machine->specimens && count < SPECIMENS_MOST) {
        const struct frozen_specimen *other =
            &specimens->list[1 + random_below(random, specimens->count - 1)];
        if (!is_among(chosen, count, other))
            chosen[count++] = other;
    }
    return count;
}

static void add_event(struct random *random, const struct frozen_specimens *specimens,
                      const struct machine *machine, const char *name, struct case_file *file,
                      const struct frozen_specimen *const *chosen, size_t count)
{
    static const char *const cores[] = {"cpu_core", "cpu_atom"};
    struct building building = {.random = random, .machine = machine};
    building.evidence = memory_add(file->events, file->event_count);
    building.evidence->event = copy_of(name);
    building.evidence->kind = copy_of(machine->countable->kind);
    building.evidence->class = copy_of(machine->countable->class);
    for (size_t core = 0; core < (machine->two_core_types ? 2 : 1); core++) {
        building.core = machine->two_core_types ? cores[core] : "";
        add_point(&building, &specimens->list[0], 0);
        for (size_t i = 0; i < count; i++)
            if (law_find(chosen[i]->classes, chosen[i]->class_count, machine->countable->class))
                add_ladder(&building, chosen[i]);
    }
}

void case_hide_interrupts(struct case_file *file)
{
    for (size_t i = 0; i < file->event_count; i++)
        for (size_t j = 0; j < file->events[i].point_count; j++) {
            struct point *point = &file->events[i].points[j];
            for (size_t k = 0; !point->has_interrupts && k < point->run_count; k++)
                point->runs[k].interrupts = 0;
        }
}

void clean_case(struct random *random, const struct frozen_specimens *specimens,
                const struct machine *machine, struct case_file *file)
{
    const struct frozen_specimen *chosen[SPECIMENS_MOST];
    size_t count = choose_specimens(random, specimens, machine, chosen);
    file->virtualized = machine->virtualized;
    char name[80];
    snprintf(name, sizeof(name), "%s%s", machine->countable->event,
             machine->has_twin && !strstr(machine->countable->event, ":u") ? ":u" : "");
    add_event(random, specimens, machine, name, file, chosen, count);
    if (machine->has_twin) {
        char *mode = strstr(name, ":u");
        if (mode && mode[2] == '\0')
            *mode = '\0';
        add_event(random, specimens, machine, name, file, chosen, count);
    }
}
