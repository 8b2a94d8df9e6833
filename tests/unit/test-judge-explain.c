/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Every cause is planted in counts that are right otherwise, without noise and with it, alone and
 * beside another: it must be found, with its size. */
#include "case.h"
#include "judging.h"

/* What a lying counter does; zeroes do nothing. */
struct lie {
    double factor; /* 0: 1 */
    double offset;
    double each_fault, each_call, each_interrupt;
    double each_second; /* at random: ticks of 1 */
    struct {
        const char *name;
        double each;
    } opcodes[3];
    const char *class; /* counted instead */
    double times;      /* so often; 0: once */
    const char *also;  /* counted along */
    int bits;          /* wraps there */
    double threshold, ceiling;
    double dead_zone;   /* so many are not counted */
    uint32_t lost;      /* percent of the runs read nothing */
    uint32_t halved;    /* percent of the runs read half */
    uint32_t missing;   /* percent of the runs lack one count or two */
    uint32_t on;        /* percent of the time that every other run has the counter … */
    bool already;       /* … and reports what was extrapolated before */
    double when_shared; /* factor on these */
    double each_call_noise;
    struct random random;
};

static double count_of(const struct point *point, enum trait_kind kind, const char *name)
{
    const struct trait *trait = name ? point_trait(point, kind, name) : NULL;
    return trait ? (double)trait->count : 0;
}

/* How often something comes in this time, if it comes at random. */
static double poisson(struct random *random, double mean)
{
    if (mean > 500)
        return round(mean + sqrt(mean) * built_normal(random));
    double limit = exp(-mean), product = built_uniform(random), count = 0;
    while (product > limit) {
        product *= built_uniform(random);
        count++;
    }
    return count;
}

static double added(const struct lie *lie, const struct point *point,
                    const struct evidence_run *run, struct random *random)
{
    double sum = lie->offset + lie->each_fault * (double)run->account.minor_faults +
                 lie->each_interrupt * run->interrupts;
    double calls = count_of(point, TRAIT_CLASS, "syscalls");
    sum +=
        round(calls * lie->each_call + sqrt(calls) * lie->each_call_noise * built_normal(random));
    for (size_t i = 0; i < 3; i++)
        sum += lie->opcodes[i].each * count_of(point, TRAIT_OPCODE, lie->opcodes[i].name);
    sum += count_of(point, TRAIT_CLASS, lie->also);
    if (lie->each_second > 0)
        sum += poisson(random, lie->each_second * (double)run->enabled / 1e9);
    return sum;
}

static double cut(struct lie *lie, double count)
{
    if (lie->threshold > 0 && count < lie->threshold)
        count = 0;
    if (lie->dead_zone > 0)
        count = fmax(count - lie->dead_zone, 0);
    if (lie->ceiling > 0)
        count = fmin(count, lie->ceiling);
    if (random_below(&lie->random, 100) < lie->lost)
        count = 0;
    if (random_below(&lie->random, 100) < lie->halved)
        count = floor(count / 2);
    if (random_below(&lie->random, 100) < lie->missing)
        count -= fmin(count, 1 + (double)random_below(&lie->random, 2));
    return count;
}

static uint64_t lying(const struct point *point, const struct evidence_run *run, size_t index,
                      void *context)
{
    struct lie *lie = context;
    struct evidence_run *changed = (struct evidence_run *)run;
    if (point->is_null)
        return run->value;
    double truth = (double)run->value;
    if (lie->class)
        truth += count_of(point, TRAIT_CLASS, lie->class) * (lie->times > 0 ? lie->times : 1) -
                 (double)point->truth.low;
    double count =
        round(truth * (lie->factor > 0 ? lie->factor : 1)) + added(lie, point, run, &lie->random);
    count = cut(lie, count);
    if (lie->on && index % 2) {
        changed->running = run->enabled * lie->on / 100;
        double share = (double)changed->running / (double)run->enabled;
        count *= lie->when_shared > 0 ? lie->when_shared : 1;
        count = lie->already ? count : round(count * share);
    }
    uint64_t value = (uint64_t)(int64_t)count;
    return lie->bits ? value & ((UINT64_C(1) << lie->bits) - 1) : value;
}

struct expected {
    enum cause cause;
    const char *per;
    double size;
    double room; /* beside the interval: a share of the size */
};

struct example {
    const char *name, *event, *class;
    struct lie lie;
    struct expected found[3];
    enum validate_why code; /* of a sentence; 0: any */
    const char *fits;
    struct built_way way;
    bool quiet_only; /* noise would drown it */
};

#define USER_INSTRUCTIONS .event = "instructions:u", .class = "instructions"
#define ALL_OF(...)                                                                                \
    {                                                                                              \
        __VA_ARGS__                                                                                \
    }
#define EACH_SLOW                                                                                  \
    {                                                                                              \
        .ns_each = 1000                                                                            \
    }

static const struct example examples[] = {
    {.name = "an offset",
     USER_INSTRUCTIONS,
     .lie = {.offset = 7},
     .found = {{CAUSE_UNKNOWN, "run", 7, 0}},
     .code = WHY_CONSTANT_BEYOND,
     .quiet_only = true},
    {.name = "a lacking offset",
     USER_INSTRUCTIONS,
     .lie = {.offset = -2},
     .found = {{CAUSE_UNKNOWN, "run", -2, 0}},
     .code = WHY_CONSTANT_BEYOND,
     .quiet_only = true},
    {.name = "a factor",
     USER_INSTRUCTIONS,
     .lie = {.factor = 1.02},
     .found = {{CAUSE_UNKNOWN, "predicted count", 0.02, 1e-4}},
     .code = WHY_SCALED},
    {.name = "half",
     USER_INSTRUCTIONS,
     .lie = {.factor = 0.5},
     .found = {{CAUSE_UNKNOWN, "predicted count", -0.5, 1e-4}},
     .code = WHY_SCALED},
    {.name = "one a fault",
     USER_INSTRUCTIONS,
     .lie = {.each_fault = 1},
     .found = {{CAUSE_FAULT_OVERCOUNT, "page fault", 1, 0}},
     .code = WHY_EACH},
    {.name = "a handler a fault",
     USER_INSTRUCTIONS,
     .lie = {.each_fault = 640},
     .found = {{CAUSE_KERNEL_LEAK, "page fault", 640, 0}},
     .code = WHY_EACH_HANDLER},
    {.name = "system calls leak",
     USER_INSTRUCTIONS,
     .lie = {.each_call = 173},
     .found = {{CAUSE_KERNEL_LEAK, "system call", 173, 0}},
     .code = WHY_EACH_IN_KERNEL},
    {.name = "system calls leak unevenly",
     USER_INSTRUCTIONS,
     .lie = {.each_call = 60, .each_call_noise = 20},
     .found = {{CAUSE_KERNEL_LEAK, "system call", 60, 0.01}},
     .code = WHY_EACH_IN_KERNEL},
    {.name = "an edge",
     USER_INSTRUCTIONS,
     .lie = {.each_call = 1},
     .found = {{CAUSE_UNKNOWN, "system call", 1, 0}},
     .code = WHY_EACH_BORDER},
    {.name = "an opcode twice",
     USER_INSTRUCTIONS,
     .lie = {.opcodes = {{"fldcw", 1}}},
     .found = {{CAUSE_OPCODE_OVERCOUNT, "fldcw", 1, 0}},
     .code = WHY_OPCODE},
    {.name = "an opcode as three",
     USER_INSTRUCTIONS,
     .lie = {.opcodes = {{"lock add", 2}}},
     .found = {{CAUSE_OPCODE_OVERCOUNT, "lock add", 2, 0}},
     .code = WHY_OPCODE},
    {.name = "an opcode not at all",
     USER_INSTRUCTIONS,
     .lie = {.opcodes = {{"nop", -1}}},
     .found = {{CAUSE_OPCODE_OVERCOUNT, "nop", -1, 0}},
     .code = WHY_OPCODE},
    {.name = "two opcodes",
     USER_INSTRUCTIONS,
     .lie = {.opcodes = {{"fldcw", 1}, {"lock add", 2}}},
     .found = {{CAUSE_OPCODE_OVERCOUNT, "fldcw", 1, 0},
               {CAUSE_OPCODE_OVERCOUNT, "lock add", 2, 0}}},
    {.name = "three opcodes",
     USER_INSTRUCTIONS,
     .lie = {.opcodes = {{"fldcw", 1}, {"lock add", 2}, {"movnti", 1}}},
     .found = {{CAUSE_OPCODE_OVERCOUNT, "fldcw", 1, 0},
               {CAUSE_OPCODE_OVERCOUNT, "lock add", 2, 0},
               {CAUSE_OPCODE_OVERCOUNT, "movnti", 1, 0}}},
    {.name = "fused branches",
     USER_INSTRUCTIONS,
     .lie = {.opcodes = {{"jne", -1}}},
     .found = {{CAUSE_OPCODE_OVERCOUNT, "jne", -1, 0}},
     .code = WHY_OPCODE},
    {.name = "an opcode and faults",
     USER_INSTRUCTIONS,
     .lie = {.opcodes = {{"fldcw", 1}}, .each_fault = 1},
     .found = {{CAUSE_OPCODE_OVERCOUNT, "fldcw", 1, 0},
               {CAUSE_FAULT_OVERCOUNT, "page fault", 1, 0}}},
    {.name = "an opcode and an offset",
     USER_INSTRUCTIONS,
     .lie = {.opcodes = {{"lock add", 2}}, .offset = 5},
     .found = {{CAUSE_OPCODE_OVERCOUNT, "lock add", 2, 0}, {CAUSE_UNKNOWN, "run", 5, 0}},
     .quiet_only = true},
    {.name = "a factor and a leak",
     USER_INSTRUCTIONS,
     .lie = {.factor = 1.05, .each_call = 300},
     .found = {{CAUSE_UNKNOWN, "predicted count", 0.05, 1e-3},
               {CAUSE_KERNEL_LEAK, "system call", 300, 1e-3}}},
    {.name = "another class",
     .event = "loads:u",
     .class = "loads",
     .lie = {.class = "stores"},
     .found = {{CAUSE_OTHER_DEFINITION, "stores", 1, 0}},
     .code = WHY_OTHER_CLASS,
     .fits = "stores"},
    {.name = "another class twice",
     .event = "loads:u",
     .class = "loads",
     .lie = {.class = "cond-branches", .times = 2},
     .found = {{CAUSE_OTHER_DEFINITION, "cond-branches", 2, 0}},
     .code = WHY_OTHER_CLASS,
     .fits = "cond-branches"},
    {.name = "another class along",
     .event = "loads:u",
     .class = "loads",
     .lie = {.also = "stores"},
     .found = {{CAUSE_OTHER_DEFINITION, "stores", 1, 0}},
     .code = WHY_EACH_CLASS},
    {.name = "one an interrupt",
     USER_INSTRUCTIONS,
     .lie = {.each_interrupt = 1},
     .found = {{CAUSE_INTERRUPT_OVERCOUNT, "interrupt", 1, 0}},
     .way = EACH_SLOW,
     .quiet_only = true},
    {.name = "a handler an interrupt",
     USER_INSTRUCTIONS,
     .lie = {.each_interrupt = 900},
     .found = {{CAUSE_KERNEL_LEAK, "interrupt", 900, 0}},
     .way = EACH_SLOW,
     .quiet_only = true},
    {.name = "ticks",
     USER_INSTRUCTIONS,
     .lie = {.each_second = 250},
     .found = {{CAUSE_INTERRUPT_OVERCOUNT, "second", 250, 0.1}},
     .way = EACH_SLOW,
     .quiet_only = true},
    {.name = "few ticks",
     USER_INSTRUCTIONS,
     .lie = {.each_second = 250},
     .found = {{CAUSE_INTERRUPT_OVERCOUNT, "second", 250, 0.3}},
     .way = {.ns_each = 2},
     .quiet_only = true},
    {.name = "ticks and an opcode",
     USER_INSTRUCTIONS,
     .lie = {.each_second = 250, .opcodes = {{"fldcw", 1}}},
     .found = {{CAUSE_OPCODE_OVERCOUNT, "fldcw", 1, 1e-3}},
     .way = EACH_SLOW,
     .quiet_only = true},
    {.name = "a counter of 16 bits",
     USER_INSTRUCTIONS,
     .lie = {.bits = 16},
     .found = {{CAUSE_WRAP, "wrap", -65536, 0}},
     .code = WHY_WRAPS},
    {.name = "a counter of 20 bits that goes below zero",
     USER_INSTRUCTIONS,
     .lie = {.bits = 20, .offset = -12},
     .found = {{CAUSE_WRAP, "wrap", -1048576, 0}},
     .code = WHY_WRAPS,
     .quiet_only = true},
    {.name = "a counter of 22 bits",
     USER_INSTRUCTIONS,
     .lie = {.bits = 22},
     .found = {{CAUSE_WRAP, "wrap", -4194304, 0}},
     .code = WHY_WRAPS},
    {.name = "a counter of 22 bits and an offset",
     USER_INSTRUCTIONS,
     .lie = {.bits = 22, .offset = 9},
     .found = {{CAUSE_WRAP, "wrap", -4194304, 0}, {CAUSE_UNKNOWN, "run", 9, 0}},
     .quiet_only = true},
    {.name = "a threshold",
     USER_INSTRUCTIONS,
     .lie = {.threshold = 300},
     .found = {{CAUSE_THRESHOLD, "threshold", 301, 1}},
     .code = WHY_THRESHOLD},
    {.name = "a dead zone",
     USER_INSTRUCTIONS,
     .lie = {.dead_zone = 100},
     .found = {{CAUSE_THRESHOLD, "threshold", 100, 1}},
     .code = WHY_THRESHOLD,
     .quiet_only = true},
    {.name = "a ceiling",
     USER_INSTRUCTIONS,
     .lie = {.ceiling = 65535},
     .found = {{CAUSE_LOST_COUNTS, "ceiling", 65535, 0}},
     .code = WHY_CEILING},
    {.name = "lost runs",
     USER_INSTRUCTIONS,
     .lie = {.lost = 12},
     .found = {{CAUSE_LOST_COUNTS, "run", 0.12, 0.2}},
     .code = WHY_LOST},
    {.name = "mostly lost runs",
     USER_INSTRUCTIONS,
     .lie = {.lost = 70},
     .found = {{CAUSE_LOST_COUNTS, "run", 0.7, 0.1}},
     .code = WHY_LOST},
    {.name = "halved runs",
     USER_INSTRUCTIONS,
     .lie = {.halved = 5},
     .found = {{CAUSE_LOST_COUNTS, "run", 0.05, 0.3}},
     .code = WHY_LOST},
    {.name = "a few counts lost",
     USER_INSTRUCTIONS,
     .lie = {.missing = 10},
     .found = {{CAUSE_LOST_COUNTS, "run", 0.1, 0.3}},
     .code = WHY_LOST,
     .quiet_only = true},
    {.name = "extrapolated already",
     USER_INSTRUCTIONS,
     .lie = {.on = 40, .already = true},
     .found = {{CAUSE_MULTIPLEXING, "multiplexed run", 1.5, 0.02}},
     .code = WHY_EXTRAPOLATED},
    {.name = "extrapolated badly",
     USER_INSTRUCTIONS,
     .lie = {.on = 50, .when_shared = 1.2},
     .found = {{CAUSE_MULTIPLEXING, "multiplexed run", 0.2, 0.1}},
     .code = WHY_MULTIPLEXED},
};

static const struct explanation *find(const struct judgement *judgement,
                                      const struct expected *expected)
{
    for (size_t i = 0; i < judgement->explanation_count; i++)
        if (judgement->explanations[i].cause == expected->cause &&
            strstr(judgement->explanations[i].per, expected->per))
            return &judgement->explanations[i];
    return NULL;
}

static void print_found(const struct example *example, const struct judgement *judgement)
{
    print_error("%s: %s, %s: %s\n", example->name, verdict_names[judgement->verdict],
                cause_word(judgement->cause), reasons_text(&judgement->why));
    for (size_t i = 0; i < judgement->explanation_count; i++) {
        const struct explanation *one = &judgement->explanations[i];
        print_error("   %s per %s: %.9g [%.9g, %.9g] share %.3g\n", cause_word(one->cause),
                    one->per, one->size, one->low, one->high, one->share);
    }
}

/* 0: all found. Otherwise what is amiss is printed. */
static size_t misses(const struct example *example, const struct judgement *judgement, bool noisy)
{
    size_t missed = 0, wanted = 0;
    for (; wanted < 3 && example->found[wanted].per; wanted++) {
        const struct expected *expected = &example->found[wanted];
        const struct explanation *one = find(judgement, expected);
        double room = expected->room * fabs(expected->size) + 1e-9;
        missed += !one || one->low > expected->size + room || one->high < expected->size - room ||
                  fabs(one->size - expected->size) > 0.3 * fabs(expected->size) + room;
    }
    /* Noise changes the last digits of what is said. */
    missed += !noisy && example->code && !said(&judgement->why, example->code);
    missed +=
        strcmp(judgement->fits ? judgement->fits : "", example->fits ? example->fits : "") != 0;
    /* Nothing beside it: a ladder has room for one more shape, such as the dead zone's offset. */
    missed += judgement->explanation_count > wanted + 1;
    if (missed)
        print_found(example, judgement);
    return missed;
}

static void check(const struct built_way *noise, size_t seeds, double most_missed)
{
    size_t missed = 0, cases = 0;
    for (size_t i = 0; i < sizeof(examples) / sizeof(*examples); i++)
        for (size_t seed = 0; seed < seeds; seed++) {
            const struct example *example = &examples[i];
            if (noise && example->quiet_only)
                continue;
            struct lie lie = example->lie;
            random_seed(&lie.random, seed + 1);
            struct built_way way = noise ? *noise : example->way;
            way.ns_each = example->way.ns_each;
            struct judgements all =
                judge_lie(seed, example->event, example->class, &way, lying, &lie);
            missed += misses(example, &all.list[0], noise) > 0;
            cases++;
        }
    print_message("# %zu of %zu planted causes missed\n", missed, cases);
    assert_true((double)missed <= most_missed * (double)cases);
}

TEST(causes_are_found_without_noise)
{
    check(NULL, 3, 0);
}

TEST(causes_are_found_in_noise)
{
    check(&(struct built_way){.relative = 0.002}, 5, 0.06);
}
