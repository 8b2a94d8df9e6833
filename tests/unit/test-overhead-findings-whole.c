/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Findings about overhead from metered calls to verdicts, through all parts of the judge: a machine
 * that is as the paper says, one that is the opposite of it, one without counters of the CPU, and
 * one that is emulated. */
#include "case.h"
#include "overhead-findings.h"

/* What a machine is like. */
struct nature {
    bool user_reads;
    bool counts;            /* instructions instead of ticks */
    double user, start;     /* cost of a read in user code, and of start; stop 2000, read() 1000 */
    double cold;            /* of any first call besides */
    double binding;         /* of the first call of a libc function in a lazy program besides */
    double stop_binding;    /* of the first stop there */
    double fault;           /* of the first user read, where its page was not touched */
    double rise;            /* of the ninth read() and those behind it */
    double group, separate; /* of each further event */
    double power;           /* with which starting a group grows */
    double noise;           /* of processes */
};

static const struct nature like_paper = {.user_reads = true,
                                         .user = 100,
                                         .start = 2400,
                                         .cold = 300,
                                         .binding = 1500,
                                         .fault = 3000,
                                         .rise = 300,
                                         .group = 100,
                                         .separate = 1000,
                                         .power = 1,
                                         .noise = 0.01};
static const struct nature unlike_paper = {.user_reads = true,
                                           .user = 1500,
                                           .start = 1500,
                                           .cold = 300,
                                           .stop_binding = 2000,
                                           .group = 1200,
                                           .separate = 1000,
                                           .power = 2,
                                           .noise = 0.01};

static bool is(const char *one, const char *other)
{
    return strcmp(one, other) == 0;
}

static double first_cost(const struct nature *nature, const struct overhead_built_call *call,
                         bool user)
{
    bool binds = is(call->path, "perf-read") && is(call->link, "lazy");
    double cost = nature->cold;
    /* start binds what stop calls, too. */
    if (binds)
        cost += is(call->kind, "stop") ? nature->stop_binding : nature->binding;
    if (user && is(call->path, "perf-user-cold"))
        cost += nature->fault;
    return cost;
}

static double cost_of(const struct overhead_built_call *call, void *context)
{
    const struct nature *nature = context;
    if (is(call->path, "timer"))
        return is(call->kind, "gauge") ? 540 : 0;
    if (nature->counts && is(call->event, "instructions:u"))
        return 12;
    bool user = strncmp(call->path, "perf-user", strlen("perf-user")) == 0;
    double cost = is(call->kind, "start") ? nature->start : is(call->kind, "stop") ? 2000 : 1000;
    if (user)
        cost = nature->user;
    if (call->cold && call->position == 1)
        cost += first_cost(nature, call, user);
    else if (call->cold && call->position > 8 && !user)
        cost += nature->rise;
    double further = call->open - 1;
    double power = is(call->kind, "start") && !call->separate ? nature->power : 1;
    return cost + (call->separate ? nature->separate : nature->group) * pow(further, power);
}

static void build_tour(struct overhead_builder *builder, const struct nature *nature,
                       struct overhead_way way)
{
    struct nature copy = *nature;
    way.cost = cost_of;
    way.context = &copy;
    way.process_noise = nature->noise;
    way.run_noise = nature->noise;
    way.processes = way.cold ? 60 : 20;
    way.passes = way.cold ? 1 : 6;
    if (nature->counts) {
        way.meters[0] = "instructions:u";
        way.meters[1] = "instructions:k";
    }
    build_overhead_tour(builder, &way);
}

static void build_warm(struct overhead_builder *builder, const struct nature *nature,
                       const char *link)
{
    static const char *const calls[] = {
        "timer.nothing",  "timer.gauge",           "perf-read.start",   "perf-read.stop",
        "perf-read.read", "perf-syscall.start",    "perf-syscall.stop", "perf-syscall.read",
        "perf-user.read", "perf-user-touched.read"};
    char *circuit = overhead_built_circuit(calls, nature->user_reads ? 10 : 8);
    build_tour(builder, nature, (struct overhead_way){.calls = circuit, .link = link});
    memory_give_back(circuit);
}

static void build_events(struct overhead_builder *builder, const struct nature *nature)
{
    static const char *const calls[] = {"timer.nothing", "timer.gauge", "perf-read.start",
                                        "perf-read.stop", "perf-read.read"};
    char *circuit = overhead_built_circuit(calls, 5);
    for (uint32_t open = 1; open <= 8; open *= 2)
        for (int separate = 0; separate < 2; separate++)
            build_tour(
                builder, nature,
                (struct overhead_way){.calls = circuit, .open = open, .separate = separate != 0});
    memory_give_back(circuit);
}

static void build_cold(struct overhead_builder *builder, const struct nature *nature,
                       const char *path, const char *link)
{
    char calls[2000], row[2000] = "timer.nothing,timer.nothing";
    snprintf(calls, sizeof(calls),
             "timer.nothing,timer.nothing,%s.start,%s.read,%s.stop,%s.start,%s.read,%s.stop", path,
             path, path, path, path, path);
    for (int i = 0; i < 32; i++)
        snprintf(row + strlen(row), sizeof(row) - strlen(row), ",%s.read", path);
    bool user = strncmp(path, "perf-user", strlen("perf-user")) == 0;
    struct overhead_way way = {.calls = row, .link = link, .cold = true};
    if (nature->fault > 0 && is(path, "perf-user-cold")) {
        way.fault_path = path;
        way.fault_cost = 1;
    }
    build_tour(builder, nature, way);
    way.calls = calls;
    if (!user)
        build_tour(builder, nature, way);
}

static void build_machine(struct overhead_builder *builder, const struct nature *nature)
{
    static const char *const links[] = {"static", "lazy", "bind-now"};
    static const char *const paths[] = {"perf-read", "perf-syscall", "perf-user",
                                        "perf-user-touched", "perf-user-cold"};
    for (size_t i = 0; i < 3; i++) {
        build_warm(builder, nature, links[i]);
        for (size_t j = 0; j < (nature->user_reads ? 5 : 2); j++)
            build_cold(builder, nature, paths[j], links[i]);
    }
    build_events(builder, nature);
    if (!nature->user_reads)
        build_overhead_absence(builder, "perf-user", 95, "this CPU has no counters.");
}

/* One letter for each of W1 to W7: it holds, fails, or says nothing. */
static void assert_verdicts(const struct nature *nature, const char *verdicts)
{
    struct overhead_report report;
    BUILDER(builder, 7);
    builder.file.machines[0].emulated = nature->counts;
    build_machine(&builder, nature);
    overhead_judge(&builder.file, &report);
    for (size_t i = 0; i < OVERHEAD_FINDINGS; i++) {
        const struct finding *finding = &report.findings[i];
        const char letters[] = {[FINDING_HOLDS] = 'h',
                                [FINDING_FAILS] = 'f',
                                [FINDING_INCONCLUSIVE] = '?',
                                [FINDING_UNTESTABLE] = '-'};
        if (letters[finding->verdict] != verdicts[i])
            fail_msg("%s is %c, not %c: %s", finding->id, letters[finding->verdict], verdicts[i],
                     reasons_text(&finding->why));
        assert_whole(&finding->why);
    }
    assert_true(report.advice_count > 0 && report.advice_count <= 6);
}

TEST(machines_like_and_unlike_the_papers_confirm_and_refute_every_claim)
{
    assert_verdicts(&like_paper, "hhhhhhh");
    assert_verdicts(&unlike_paper, "fffffff");
}

TEST(what_the_machine_lacks_is_not_testable)
{
    struct nature uncounted = like_paper, emulated = like_paper;
    uncounted.user_reads = false;
    assert_verdicts(&uncounted, "-h--hhh");
    emulated.counts = true; /* and is judged by what it executes */
    emulated.noise = 0;
    assert_verdicts(&emulated, "hhhh-hh");
}
