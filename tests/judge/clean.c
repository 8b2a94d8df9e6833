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
#define FEW_FROM           1e6 /* N of the ladder: beyond, windows last and are few */
#define LONGEST            1e9 /* where a ladder of long windows ends */

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

void machine_enter(struct random *random, struct machine *machine, enum world world)
{
    machine->world = world;
    if (world == WORLD_LONG && random_below(random, 2) == 0)
        machine->switches = random_log_between(random, 0.3, 20);
    if (world == WORLD_MOVES)
        want(machine, (const char *const[]){"ping-pong", "migrations"}, 2);
    machine->call_cycles = random_log_between(random, 150, 3000);
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

double window_ns(const struct frozen_specimen *specimen, uint64_t n)
{
    return 1500 + 0.3 * specimen_class_at(specimen, "instructions", n) +
           800 * specimen_class_at(specimen, "page-faults", n) +
           250 * specimen_class_at(specimen, "syscalls", n) +
           4000 * specimen_class_at(specimen, "context-switches", n);
}

/* What a run of a point counts and takes, and its process. */
struct drawing {
    double count, nanoseconds;
    uint64_t moves; /* to another CPU */
    bool second_state;
};

static void draw_run(struct random *random, const struct machine *machine,
                     const struct point *point, const struct drawing *drawing,
                     struct evidence_run *run)
{
    const double count = drawing->count;
    const struct noise *noise = &machine->noise;
    double value = (double)machine->overhead + count +
                   noise_of_run(random, noise, count, drawing->second_state);
    run->account.minor_faults =
        (uint64_t)(point->faults > 0 ? point->faults : 0) + machine->own_faults;
    if (point->switches > 0)
        run->account.voluntary = (uint64_t)point->switches;
    run->enabled = (uint64_t)(drawing->nanoseconds * random_between(random, 0.95, 1.1));
    /* To move to another CPU takes one switch or two. */
    for (uint64_t i = 0; i < drawing->moves; i++)
        run->account.involuntary += 1 + random_below(random, 2);
    run->account.involuntary +=
        random_poisson(random, machine->switches * (double)run->enabled / 1e9);
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

void point_draw_runs(struct random *random, const struct machine *machine,
                     const struct frozen_specimen *specimen, uint32_t processes, uint32_t each,
                     struct point *point)
{
    const size_t total = (size_t)processes * each;
    struct evidence_run *runs = point->runs = memory_new(total, sizeof(*runs));
    const double between = point->truth.grade == TRUTH_BOUNDED ? 0.5 : 0;
    struct drawing drawing = {
        .count =
            (double)point->truth.low + between * (double)(point->truth.high - point->truth.low),
        .nanoseconds = window_ns(specimen, point->n),
        .moves = (uint64_t)specimen_class_at(specimen, "cpu-migrations", point->n)};
    for (uint32_t process = 0; process < processes; process++) {
        drawing.second_state = machine->noise.step > 0 && random_below(random, 2) == 0;
        for (uint32_t i = 0; i < each; i++) {
            struct evidence_run *run = &runs[process * each + i];
            run->process = process;
            draw_run(random, machine, point, &drawing, run);
        }
    }
    point->run_count = total;
}

void point_describe(struct point *point, const struct frozen_specimen *specimen, uint64_t n,
                    const char *class)
{
    const struct law *law = law_find(specimen->classes, specimen->class_count, class);
    const struct law *switches =
        law_find(specimen->classes, specimen->class_count, "context-switches");
    point->specimen = copy_of(specimen->name);
    point->n = n;
    point->path = copy_of("perf-read");
    point->opt = copy_of("O2");
    point->link = copy_of("static");
    point->pattern = PATTERN_AO;
    point->counters = 1;
    point->core = copy_of("");
    point->is_null = strcmp(specimen->name, "null") == 0;
    point->faults = (int64_t)specimen_class_at(specimen, "page-faults", n);
    point->switches = !switches                          ? 0
                      : switches->grade == TRUTH_BOUNDED ? -1 /* limits are no count */
                                                         : law_low(switches, n);
    if (law)
        point->truth = (struct truth){law->grade, law_low(law, n), law_high(law, n)};
    add_traits(point, specimen);
}

static struct point *begin_point(const struct building *building,
                                 const struct frozen_specimen *specimen, uint64_t n)
{
    struct point *point = evidence_add_point(building->evidence);
    point_describe(point, specimen, n, building->evidence->class);
    point->core = copy_of(building->core);
    point->has_interrupts = building->machine->counts_interrupts;
    return point;
}

static void add_point(const struct building *building, const struct frozen_specimen *specimen,
                      uint64_t n)
{
    const struct machine *machine = building->machine;
    struct point *point = begin_point(building, specimen, n);
    if ((double)n > FEW_FROM)
        point_draw_runs(building->random, machine, specimen, 2,
                        2 + (uint32_t)random_below(building->random, 4), point);
    else
        point_draw_runs(building->random, machine, specimen, machine->processes, machine->runs,
                        point);
}

static double largest_n(const struct frozen_specimen *specimen, double top)
{
    if (specimen_class_at(specimen, "context-switches", 1) > 0)
        return fmin(top, 1e3);
    if (specimen_class_at(specimen, "page-faults", 1) > 0)
        return fmin(top, 1e4);
    if (specimen_class_at(specimen, "syscalls", 1) > 0)
        return fmin(top, 1e5);
    return top;
}

static void add_ladder(const struct building *building, const struct frozen_specimen *specimen,
                       bool is_long)
{
    double top = largest_n(specimen, building->machine->countable->top);
    for (uint64_t n = 1; (double)n <= top || (is_long && window_ns(specimen, n) <= LONGEST);
         n *= 10)
        add_point(building, specimen, n);
}

/* --- another event of the same PMU: few of its truths are known --- */

#define CYCLES_MATTER 30.0 /* that differ from run to run, however few there are */

void cycles_draw_runs(struct random *random, const struct machine *machine,
                      const struct frozen_specimen *specimen, uint32_t processes, uint32_t each,
                      struct point *point)
{
    const uint64_t n = point->n;
    const struct law *law = law_find(specimen->classes, specimen->class_count, "cycles");
    const double calls = specimen_class_at(specimen, "syscalls", n);
    const double faults = specimen_class_at(specimen, "page-faults", n);
    const double kernel = machine->call_cycles * (calls + 3 * faults);
    const double user =
        law ? 16.0 * (double)n : specimen_class_at(specimen, "instructions", n) / 3 + 8 * calls;
    point_draw_runs(random, machine, specimen, processes, each, point);
    for (size_t i = 0; i < point->run_count; i++) {
        struct evidence_run *run = &point->runs[i];
        const double own =
            250 + user * random_between(random, 1, 1.004) + CYCLES_MATTER * random_unit(random);
        const double all = own + 900 + kernel * random_between(random, 0.9, 1.2);
        run->value = (uint64_t)(machine->ignores_filter ? all : own);
        run->running = run->enabled;
        run->unfiltered = point->has_unfiltered ? (uint64_t)(all + 5 * random_unit(random)) : 0;
    }
}

/* beside: the event without its mode is counted as well, by a second counter. */
static void add_cycles_point(const struct building *building,
                             const struct frozen_specimen *specimen, uint64_t n, bool beside)
{
    const struct machine *machine = building->machine;
    struct point *point = begin_point(building, specimen, n);
    point->has_unfiltered = beside;
    point->counters = beside ? 2 : 1;
    point->has_interrupts &= !beside;
    cycles_draw_runs(building->random, machine, specimen, machine->processes, machine->runs, point);
}

static void add_cycles(struct random *random, const struct frozen_specimens *specimens,
                       const struct machine *machine, struct case_file *file)
{
    static const char *const steady[] = {"chain", "two-chains"};
    const struct frozen_specimen *getppid = specimens_find(specimens, "getppid");
    struct building building = {.random = random, .machine = machine, .core = ""};
    building.evidence = memory_add(file->events, file->event_count);
    building.evidence->event = copy_of("cycles:u");
    building.evidence->kind = copy_of("hardware");
    building.evidence->class = copy_of("cycles");
    add_cycles_point(&building, &specimens->list[0], 0, false);
    for (size_t i = 0; i < 2; i++)
        for (uint64_t n = 1; n <= 1000000; n *= 10)
            add_cycles_point(&building, specimens_find(specimens, steady[i]), n, false);
    if (machine->world != WORLD_CYCLES)
        return;
    add_cycles_point(&building, &specimens->list[0], 0, true);
    for (uint64_t n = 10; n <= 1000; n *= 100) {
        add_cycles_point(&building, getppid, n, false);
        add_cycles_point(&building, specimens_find(specimens, "pages"), n, false);
        add_cycles_point(&building, getppid, n, true);
    }
}

/* --- truths that prove nothing --- */

/* What nobody proved of a specimen may be off by as much as the model is. */
static void make_model(struct point *point, double factor)
{
    point->truth.grade = TRUTH_MODEL;
    point->truth.low = point->truth.high = llround((double)point->truth.low * factor);
}

static void make_models(struct random *random, const struct machine *machine,
                        struct evidence *evidence)
{
    /* The same factor for all points of a specimen, which stand together. */
    double factor = 1;
    const char *specimen = "", *bounded = "";
    bool is_model = false;
    for (size_t i = 0; i < evidence->point_count && !*bounded; i++)
        if (evidence->points[i].n == 1000 && evidence->points[i].truth.low > 2000)
            bounded = evidence->points[i].specimen;
    if (!*bounded) /* one that counts once for each N */
        bounded = evidence->points[evidence->point_count - 1].specimen;
    for (size_t i = 0; i < evidence->point_count; i++) {
        struct point *point = &evidence->points[i];
        if (strcmp(point->specimen, specimen) != 0) {
            specimen = point->specimen;
            factor = random_between(random, 0.7, 1.3);
            is_model = random_below(random, 3) == 0 && strcmp(specimen, "loop") != 0 &&
                       strcmp(specimen, "adds") != 0 && strcmp(specimen, "pages") != 0 &&
                       strcmp(specimen, "getppid") != 0;
        }
        if (point->is_null || point->truth.high == 0)
            continue;
        if (machine->world == WORLD_MODELS && strcmp(specimen, bounded) == 0) {
            point->truth.grade = TRUTH_BOUNDED;
            point->truth.low = point->truth.low / 2;
            point->truth.high = point->truth.high * 2 + 100;
        } else if (machine->world == WORLD_MODELS) {
            make_model(point, 1);
        } else if (is_model) {
            make_model(point, factor);
        }
    }
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
    bool any_long = false;
    for (size_t core = 0; core < (machine->two_core_types ? 2 : 1); core++) {
        building.core = machine->two_core_types ? cores[core] : "";
        add_point(&building, &specimens->list[0], 0);
        for (size_t i = 0; i < count; i++)
            if (law_find(chosen[i]->classes, chosen[i]->class_count, machine->countable->class)) {
                /* Of those that count what is asked the first. */
                bool is_long = machine->world == WORLD_LONG && !any_long &&
                               specimen_class_at(chosen[i], machine->countable->class, 1000) >= 900;
                add_ladder(&building, chosen[i], is_long);
                any_long |= is_long;
            }
    }
    if (machine->world == WORLD_MODELS || machine->world == WORLD_MODEL_ROWS)
        make_models(random, machine, building.evidence);
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
    if (machine->world == WORLD_CYCLES || machine->world == WORLD_CYCLES_ONLY)
        add_cycles(random, specimens, machine, file);
}
