/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Every cause is planted in counts that are right otherwise, without noise and with it, alone and
 * beside another: it must be found, with its size. And counts that are right but for noise have no
 * cause, whatever the noise looks like; the rates are printed and held to. */
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

static const struct example examples[] = {
    OF("an offset", INSTRUCTIONS, OF(.offset = 7), OF(OF(CAUSE_UNKNOWN, "run", 7, 0)),
       WHY_CONSTANT_BEYOND, .quiet_only = true),
    OF("a lacking offset", INSTRUCTIONS, OF(.offset = -2), OF(OF(CAUSE_UNKNOWN, "run", -2, 0)),
       WHY_CONSTANT_BEYOND, .quiet_only = true),
    OF("a factor", INSTRUCTIONS, OF(.factor = 1.02),
       OF(OF(CAUSE_UNKNOWN, "predicted count", 0.02, 1e-4)), WHY_SCALED),
    OF("half", INSTRUCTIONS, OF(.factor = 0.5),
       OF(OF(CAUSE_UNKNOWN, "predicted count", -0.5, 1e-4)), WHY_SCALED),
    OF("one a fault", INSTRUCTIONS, OF(.each_fault = 1),
       OF(OF(CAUSE_FAULT_OVERCOUNT, "page fault", 1, 0)), WHY_EACH),
    OF("a handler a fault", INSTRUCTIONS, OF(.each_fault = 640),
       OF(OF(CAUSE_KERNEL_LEAK, "page fault", 640, 0)), WHY_EACH_HANDLER),
    OF("system calls leak", INSTRUCTIONS, OF(.each_call = 173),
       OF(OF(CAUSE_KERNEL_LEAK, "system call", 173, 0)), WHY_EACH_IN_KERNEL),
    OF("system calls leak unevenly", INSTRUCTIONS, OF(.each_call = 60, .each_call_noise = 20),
       OF(OF(CAUSE_KERNEL_LEAK, "system call", 60, 0.01)), WHY_EACH_IN_KERNEL),
    OF("an edge", INSTRUCTIONS, OF(.each_call = 1), OF(OF(CAUSE_UNKNOWN, "system call", 1, 0)),
       WHY_EACH_BORDER),
    OF("an opcode twice", INSTRUCTIONS, OF(.opcodes = OF(OF("fldcw", 1))),
       OF(OF(CAUSE_OPCODE_OVERCOUNT, "fldcw", 1, 0)), WHY_OPCODE),
    OF("an opcode as three", INSTRUCTIONS, OF(.opcodes = OF(OF("lock add", 2))),
       OF(OF(CAUSE_OPCODE_OVERCOUNT, "lock add", 2, 0)), WHY_OPCODE),
    OF("an opcode not at all", INSTRUCTIONS, OF(.opcodes = OF(OF("nop", -1))),
       OF(OF(CAUSE_OPCODE_OVERCOUNT, "nop", -1, 0)), WHY_OPCODE),
    OF("two opcodes", INSTRUCTIONS, OF(.opcodes = OF(OF("fldcw", 1), OF("lock add", 2))),
       OF(OF(CAUSE_OPCODE_OVERCOUNT, "fldcw", 1, 0), OF(CAUSE_OPCODE_OVERCOUNT, "lock add", 2, 0))),
    OF("three opcodes", INSTRUCTIONS,
       OF(.opcodes = OF(OF("fldcw", 1), OF("lock add", 2), OF("movnti", 1))),
       OF(OF(CAUSE_OPCODE_OVERCOUNT, "fldcw", 1, 0), OF(CAUSE_OPCODE_OVERCOUNT, "lock add", 2, 0),
          OF(CAUSE_OPCODE_OVERCOUNT, "movnti", 1, 0))),
    OF("fused branches", INSTRUCTIONS, OF(.opcodes = OF(OF("jne", -1))),
       OF(OF(CAUSE_OPCODE_OVERCOUNT, "jne", -1, 0)), WHY_OPCODE),
    OF("an opcode and faults", INSTRUCTIONS, OF(.opcodes = OF(OF("fldcw", 1)), .each_fault = 1),
       OF(OF(CAUSE_OPCODE_OVERCOUNT, "fldcw", 1, 0),
          OF(CAUSE_FAULT_OVERCOUNT, "page fault", 1, 0))),
    OF("an opcode and an offset", INSTRUCTIONS, OF(.opcodes = OF(OF("lock add", 2)), .offset = 5),
       OF(OF(CAUSE_OPCODE_OVERCOUNT, "lock add", 2, 0), OF(CAUSE_UNKNOWN, "run", 5, 0)),
       .quiet_only = true),
    OF("a factor and a leak", INSTRUCTIONS, OF(.factor = 1.05, .each_call = 300),
       OF(OF(CAUSE_UNKNOWN, "predicted count", 0.05, 1e-3),
          OF(CAUSE_KERNEL_LEAK, "system call", 300, 1e-3))),
    OF("another class", "loads:u", "loads", OF(.class = "stores"),
       OF(OF(CAUSE_OTHER_DEFINITION, "stores", 1, 0)), WHY_OTHER_CLASS, .fits = "stores"),
    OF("another class twice", "loads:u", "loads", OF(.class = "cond-branches", .times = 2),
       OF(OF(CAUSE_OTHER_DEFINITION, "cond-branches", 2, 0)), WHY_OTHER_CLASS,
       .fits = "cond-branches"),
    OF("another class along", "loads:u", "loads", OF(.also = "stores"),
       OF(OF(CAUSE_OTHER_DEFINITION, "stores", 1, 0)), WHY_EACH_CLASS),
    OF("one an interrupt", INSTRUCTIONS, OF(.each_interrupt = 1),
       OF(OF(CAUSE_INTERRUPT_OVERCOUNT, "interrupt", 1, 0)), .way = OF(.ns_each = 1000),
       .quiet_only = true),
    OF("a handler an interrupt", INSTRUCTIONS, OF(.each_interrupt = 900),
       OF(OF(CAUSE_KERNEL_LEAK, "interrupt", 900, 0)), .way = OF(.ns_each = 1000),
       .quiet_only = true),
    OF("ticks", INSTRUCTIONS, OF(.each_second = 250),
       OF(OF(CAUSE_INTERRUPT_OVERCOUNT, "second", 250, 0.1)), .way = OF(.ns_each = 1000),
       .quiet_only = true),
    OF("few ticks", INSTRUCTIONS, OF(.each_second = 250),
       OF(OF(CAUSE_INTERRUPT_OVERCOUNT, "second", 250, 0.3)), .way = OF(.ns_each = 2),
       .quiet_only = true),
    OF("ticks and an opcode", INSTRUCTIONS, OF(.each_second = 250, .opcodes = OF(OF("fldcw", 1))),
       OF(OF(CAUSE_OPCODE_OVERCOUNT, "fldcw", 1, 1e-3)), .way = OF(.ns_each = 1000),
       .quiet_only = true),
    OF("a counter of 16 bits", INSTRUCTIONS, OF(.bits = 16), OF(OF(CAUSE_WRAP, "wrap", -65536, 0)),
       WHY_WRAPS),
    OF("a counter of 20 bits that goes below zero", INSTRUCTIONS, OF(.bits = 20, .offset = -12),
       OF(OF(CAUSE_WRAP, "wrap", -1048576, 0)), WHY_WRAPS, .quiet_only = true),
    OF("a counter of 22 bits", INSTRUCTIONS, OF(.bits = 22),
       OF(OF(CAUSE_WRAP, "wrap", -4194304, 0)), WHY_WRAPS),
    OF("a counter of 22 bits and an offset", INSTRUCTIONS, OF(.bits = 22, .offset = 9),
       OF(OF(CAUSE_WRAP, "wrap", -4194304, 0), OF(CAUSE_UNKNOWN, "run", 9, 0)), .quiet_only = true),
    OF("a threshold", INSTRUCTIONS, OF(.threshold = 300),
       OF(OF(CAUSE_THRESHOLD, "threshold", 301, 1)), WHY_THRESHOLD),
    OF("a dead zone", INSTRUCTIONS, OF(.dead_zone = 100),
       OF(OF(CAUSE_THRESHOLD, "threshold", 100, 1)), WHY_THRESHOLD, .quiet_only = true),
    OF("a ceiling", INSTRUCTIONS, OF(.ceiling = 65535),
       OF(OF(CAUSE_LOST_COUNTS, "ceiling", 65535, 0)), WHY_CEILING),
    OF("lost runs", INSTRUCTIONS, OF(.lost = 12), OF(OF(CAUSE_LOST_COUNTS, "run", 0.12, 0.2)),
       WHY_LOST),
    OF("mostly lost runs", INSTRUCTIONS, OF(.lost = 70), OF(OF(CAUSE_LOST_COUNTS, "run", 0.7, 0.1)),
       WHY_LOST),
    OF("halved runs", INSTRUCTIONS, OF(.halved = 5), OF(OF(CAUSE_LOST_COUNTS, "run", 0.05, 0.3)),
       WHY_LOST),
    OF("a few counts lost", INSTRUCTIONS, OF(.missing = 10),
       OF(OF(CAUSE_LOST_COUNTS, "run", 0.1, 0.3)), WHY_LOST, .quiet_only = true),
    OF("extrapolated already", INSTRUCTIONS, OF(.on = 40, .already = true),
       OF(OF(CAUSE_MULTIPLEXING, "multiplexed run", 1.5, 0.02)), WHY_EXTRAPOLATED),
    OF("extrapolated badly", INSTRUCTIONS, OF(.on = 50, .when_shared = 1.2),
       OF(OF(CAUSE_MULTIPLEXING, "multiplexed run", 0.2, 0.1)), WHY_MULTIPLEXED),
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
            const struct judgement *all =
                judge_lie(seed, example->event, example->class, &way, lying, &lie);
            missed += misses(example, all, noise) > 0;
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

/* --- noise alone --- */

#define SEEDS 120u

enum noise { NORMAL, ADDED, RARE, TAILS, STATES, BY_SPECIMEN };

static const struct noise_case {
    const char *name, *class;
    enum noise kind;
    double size; /* of the truth, or counts */
    struct built_way way;
} noises[] = {
    OF("normal, 0.1 %", "instructions", NORMAL, 0.001),
    OF("normal, 0.3 %, few runs", "instructions", NORMAL, 0.003, OF(.runs = 5)),
    OF("normal, 3 %", "loads", NORMAL, 0.03, OF(.processes = 5, .runs = 4)),
    OF("normal, 5 counts", "instructions", ADDED, 5),
    OF("rare events both ways", "instructions", RARE, 0.4),
    OF("heavy tails", "instructions", TAILS, 0.001),
    OF("heavy tails, few runs", "cond-branches", TAILS, 0.001, OF(.processes = 2, .runs = 3)),
    OF("two states of processes", "instructions", STATES, 0.002, OF(.processes = 2, .runs = 10)),
    OF("two states of many processes", "instructions", STATES, 0.002,
       OF(.processes = 8, .runs = 5)),
    OF("each specimen its own", "instructions", BY_SPECIMEN, 0.005, OF(.runs = 8)),
};

struct disturber {
    const struct noise_case *noise;
    struct random random;
    const struct evidence_run *last;
    double state; /* of the process */
};

static uint64_t disturb(const struct point *point, const struct evidence_run *run, size_t index,
                        void *context)
{
    struct disturber *disturber = context;
    struct random *random = &disturber->random;
    const double size = disturber->noise->size, part = size * (double)point->truth.low;
    double noise = 0;
    if (index == 0 || run->process != disturber->last->process)
        disturber->state = random_below(random, 2) ? 1 : -1;
    disturber->last = run;
    switch (disturber->noise->kind) {
    case NORMAL:
        noise = part * built_normal(random);
        break;
    case ADDED:
        noise = size * built_normal(random);
        break;
    case RARE:
        noise = poisson(random, size) - poisson(random, size);
        break;
    case TAILS: /* Cauchy's, which has no mean */
        noise = part * built_normal(random) / fabs(built_normal(random)) / 3;
        noise = fmax(noise, -(double)point->truth.low);
        break;
    case STATES:
        noise = part * (disturber->state + 0.1 * built_normal(random));
        break;
    case BY_SPECIMEN:
        noise = part * built_normal(random) / (double)(1 + strlen(point->specimen) % 7);
        break;
    }
    return run->value + (uint64_t)(int64_t)round(noise);
}

static bool is_accused(const struct noise_case *noise, uint64_t seed)
{
    struct disturber disturber = {.noise = noise};
    random_seed(&disturber.random, seed + 1000);
    struct built_way way = noise->way;
    way.most_n = seed % 2 ? 10000 : 0;
    way.stray_faults_percent = seed % 3 ? 0 : 3;
    const struct judgement *judgement =
        judge_lie(seed, "event:u", noise->class, &way, disturb, &disturber);
    if (judgement->explanation_count)
        print_error("%s, seed %u: %s\n", noise->name, (unsigned)seed,
                    reasons_text(&judgement->why));
    return judgement->explanation_count > 0;
}

TEST(noise_alone_has_no_cause)
{
    size_t alarms = 0, all = 0;
    for (size_t i = 0; i < sizeof(noises) / sizeof(*noises); i++)
        for (uint64_t seed = 0; seed < SEEDS; seed++, all++)
            alarms += is_accused(&noises[i], seed);
    print_message("# %zu of %zu clean cases accused\n", alarms, all);
    assert_true((double)alarms <= 0.001 * (double)all);
}
