/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The study of caches over simulated machines of known geometry: what it is sure of must be right,
 * and whatever else it says must be null with a reason. The rates are printed and held to. */
#include <errno.h>
#include <stdio.h>

#include "base/memory.h"
#include "cache-model.h"
#include "case.h"

#define KIB        UINT64_C(1024)
#define MIB        (1024 * KIB)
#define MOST       (8 * MIB)
#define SEEDS      4u
#define SAME_PAGES 2u /* seeds of noise for each way in which pages lie */

/* A model and what must come of it. */
struct example {
    const char *name;
    /* Of 100 answers at least so many must be right (the rest null): sizes, lines, ways of the
     * first two levels, -1: this level is not there; and the reach of the first TLB. */
    int sizes[2], lines[2], ways[2], tlb;
    struct model model;
};

#define QUIET      .noise = 0.02, .preempted = 0.02, .beside = 0.02
#define LOUD       .noise = 0.15, .preempted = 0.2, .beside = 0.3
#define SMALL_TLBS .entries = {64, 512}, .walk = {7, 30}
#define LEVEL(size, count, how, is_physical, latency)                                              \
    {                                                                                              \
        .bytes = (size), .ways = (count), .replacement = (how), .physical = (is_physical),         \
        .ticks = (latency)                                                                         \
    }

/* What most examples have. */
#define FIRST_LEVEL  LEVEL(32 * KIB, 8, LEAST_RECENT, false, 4)
#define SECOND_LEVEL LEVEL(512 * KIB, 8, LEAST_RECENT, true, 14)
#define USUAL        .line = 64, SMALL_TLBS, QUIET

/* clang-format off */
static const struct example examples[] = {
    {"three levels, least recently used", {100, 100}, {100, 90}, {100, 90}, 100,
     {.levels = {FIRST_LEVEL, SECOND_LEVEL, LEVEL(3 * MIB, 12, LEAST_RECENT, true, 45)},
      .memory = 250, USUAL}},
    {"48 KiB and 1.25 MiB, 12 and 20 ways", {100, 100}, {100, 90}, {100, 90}, 100,
     {.levels = {LEVEL(48 * KIB, 12, LEAST_RECENT, false, 5),
                 LEVEL(1280 * KIB, 20, LEAST_RECENT, true, 15)},
      .memory = 200, USUAL}},
    {"random replacement", {90, 90}, {90, 0}, {50, 0}, 90,
     {.levels = {LEVEL(32 * KIB, 8, AT_RANDOM, false, 4),
                 LEVEL(512 * KIB, 16, AT_RANDOM, true, 14)},
      .memory = 200, USUAL}},
    {"pages lie anywhere", {100, 0}, {100, 0}, {100, 0}, 100,
     {.levels = {FIRST_LEVEL, SECOND_LEVEL}, .memory = 200, .scattered = true, .splintered = true,
      USUAL}},
    {"pages lie anywhere, but huge ones are whole", {100, 100}, {100, 0}, {100, 90}, 100,
     {.levels = {FIRST_LEVEL, SECOND_LEVEL}, .memory = 200, .scattered = true, USUAL}},
    {"pages lie anywhere, many ways", {100, 0}, {100, 0}, {0, 0}, 100,
     {.levels = {LEVEL(64 * KIB, 4, LEAST_RECENT, false, 4),
                 LEVEL(1 * MIB, 16, LEAST_RECENT, true, 18)},
      .memory = 300, .scattered = true, .splintered = true, USUAL}},
    {"others hold a third of the second level", {100, 90}, {100, 0}, {100, 0}, 100,
     {.levels = {FIRST_LEVEL,
      {.bytes = 1536 * KIB, .ways = 12, .physical = true, .taken = 4, .ticks = 40}}, .memory = 250,
      USUAL}},
    {"exclusive levels", {100, 0}, {90, 0}, {0, 0}, 100,
     {.levels = {LEVEL(64 * KIB, 8, LEAST_RECENT, true, 4),
                 LEVEL(512 * KIB, 16, LEAST_RECENT, true, 14)},
      .memory = 200, .exclusive = true, USUAL}},
    {"prefetching hides most of what misses cost", {0, 0}, {0, 0}, {0, 0}, 90,
     {.levels = {FIRST_LEVEL, LEVEL(1 * MIB, 8, LEAST_RECENT, true, 14)}, .memory = 120,
      .hidden = 0.9, USUAL}},
    {"a TLB ends where a cache does", {100, 100}, {100, 0}, {100, 90}, 100,
     {.levels = {FIRST_LEVEL, SECOND_LEVEL}, .memory = 200, .line = 64, .entries = {128, 512},
      .walk = {9, 40}, QUIET}},
    {"a TLB smaller than the first level", {100, 100}, {100, 0}, {100, 90}, 100,
     {.levels = {LEVEL(64 * KIB, 4, LEAST_RECENT, false, 4),
                 LEVEL(1 * MIB, 16, LEAST_RECENT, true, 14)},
      .memory = 200, .line = 64, .entries = {32, 512}, .walk = {6, 25}, QUIET}},
    {"lines of 128 bytes", {90, 0}, {90, 0}, {0, 0}, 90,
     {.levels = {LEVEL(64 * KIB, 4, LEAST_RECENT, false, 4),
                 LEVEL(1 * MIB, 8, LEAST_RECENT, true, 16)},
      .memory = 200, .line = 128, SMALL_TLBS, QUIET}},
    {"one level", {100, -1}, {100, -1}, {100, -1}, 100,
     {.levels = {LEVEL(16 * KIB, 4, LEAST_RECENT, false, 3)}, .memory = 100, USUAL}},
    {"a loud machine", {80, 60}, {60, 0}, {50, 0}, 60,
     {.levels = {FIRST_LEVEL, SECOND_LEVEL, LEVEL(3 * MIB, 12, LEAST_RECENT, true, 45)},
      .memory = 250, .line = 64, SMALL_TLBS, LOUD}},
};
/* clang-format on */

struct rate {
    unsigned right, null, wrong;
};

static void count(struct rate *rate, const struct caches_value *value, uint64_t truth,
                  uint64_t other)
{
    if (!value->known) {
        assert_true(value->why.count);
        rate->null++;
    } else if (value->value == truth || (other && value->value == other)) {
        assert_true(value->confidence >= 0.8 && value->confidence <= 1);
        rate->right++;
    } else {
        rate->wrong++;
    }
}

/* A simulated machine, and what its rings cost undisturbed: each is simulated once. */
struct bench {
    const struct model *model;
    struct model_state state;
    struct caches_points known; /* one process each */
};

static double undisturbed(struct bench *bench, const struct caches_point *point)
{
    for (size_t i = 0; i < bench->known.count; i++) {
        const struct caches_point *known = &bench->known.list[i];
        if (known->shape == point->shape && known->huge == point->huge &&
            known->bytes == point->bytes && known->stride == point->stride &&
            known->pair == point->pair)
            return known->ticks[0];
    }
    double ticks = model_steps(&bench->state, point);
    caches_add(&bench->known, point, 1, ticks);
    return ticks;
}

/* One more process on every ring of the plan, as often as it asks. */
static void measure(struct bench *bench, const struct caches_points *plan, struct random *random,
                    uint64_t *process, struct caches_points *points)
{
    for (size_t i = 0; i < plan->count; i++) {
        const struct caches_point *ring = &plan->list[i];
        double ticks = undisturbed(bench, ring);
        for (size_t left = ring->count; left; left--) {
            bool beside = model_unit(random) < bench->model->beside;
            ++*process;
            for (uint32_t run = 0; run < caches_runs(ring); run++)
                caches_add(points, ring, *process, model_run(bench->model, ticks, beside, random));
        }
    }
}

/* Plans and measures until there is nothing more to learn. */
static void study(struct bench *bench, uint64_t seed, struct caches_points *points)
{
    uint64_t most = bench->model->levels[2].bytes ? 2 * MOST : MOST;
    const struct caches_limits limits = {MODEL_PAGE, true, most};
    struct random random;
    uint64_t process = 0;
    random_seed(&random, seed);
    for (unsigned stage = 0;; stage++) {
        struct caches_points plan;
        assert_true(stage < 100); /* it comes to an end */
        caches_plan(&limits, points, &plan);
        measure(bench, &plan, &random, &process, points);
        bool empty = plan.count == 0;
        memory_give_back(plan.list);
        if (empty)
            return;
    }
}

static void bench_free(struct bench *bench)
{
    if (!bench)
        return;
    model_close(&bench->state);
    free(bench);
}

/* What a level holds for us, and the second truth of exclusive ones. */
static uint64_t held(const struct model *model, size_t level, uint64_t *other)
{
    const struct model_level *this = &model->levels[level];
    *other = model->exclusive && level == 1 ? this->bytes + model->levels[0].bytes : 0;
    return this->bytes / this->ways * (this->ways - this->taken);
}

struct rates {
    struct rate sizes[2], lines[2], ways[2], tlb;
};

static void judge(const struct example *example, const struct caches_points *points,
                  struct rates *rates)
{
    const struct model *model = &example->model;
    struct caches_claim claims[] = {{1, "data", model->levels[0].bytes, 64, 8},
                                    {2, "unified", model->levels[1].bytes, 64, 8}};
    size_t claim_count = model->levels[1].bytes ? 2 : 1;
    struct caches_situation situation = {
        .page = MODEL_PAGE, .claims = claims, .claim_count = claim_count, .seed = 1};
    struct caches_report report;
    caches_judge(points, &situation, &report);
    for (unsigned level = 0; level < claim_count; level++) {
        uint64_t other;
        uint64_t bytes = held(model, level, &other);
        const struct caches_row *row = row_of(&report, level + 1, claims[level].type);
        assert_non_null(row);
        count(&rates->sizes[level], &row->bytes, bytes, other);
        count(&rates->lines[level], &row->line, model->line, 0);
        count(&rates->ways[level], &row->ways,
              model->levels[level].ways - model->levels[level].taken, 0);
    }
    const struct caches_row *tlb = row_of(&report, 1, "tlb");
    assert_non_null(tlb);
    struct caches_value reach = tlb->bytes;
    uint64_t truth = (uint64_t)model->entries[0] * MODEL_PAGE;
    /* A TLB's reach is told to one step of the grid. */
    if (reach.known && fabs(log2((double)reach.value / (double)truth)) < 0.18)
        reach.value = truth;
    count(&rates->tlb, &reach, truth, 0);
}

static void expect(const char *name, const char *what, const struct rate *rate, int least)
{
    if (least < 0)
        return;
    print_message("# %-46s %-12s right %3u null %3u wrong %3u of %u\n", name, what, rate->right,
                  rate->null, rate->wrong, SEEDS);
    assert_int_equal(rate->wrong, 0);
    assert_true(rate->right * 100 >= (unsigned)least * SEEDS);
}

static void run_example(void **state)
{
    const struct example *example = *state;
    struct rates rates = {0};
    struct bench *bench = NULL;
    for (unsigned seed = 1; seed <= SEEDS; seed++) {
        bool anew =
            example->model.scattered && seed % SAME_PAGES == 1; /* pages lie elsewhere now */
        if (anew || !bench) {
            bench_free(bench);
            bench = calloc(1, sizeof(*bench));
            assert_non_null(bench);
            bench->model = &example->model;
            model_open(&bench->state, &example->model, 64 * MIB, seed);
        }
        struct caches_points points = {0};
        study(bench, seed, &points);
        judge(example, &points, &rates);
    }
    bench_free(bench);
    for (int level = 0; level < 2; level++) {
        char what[32];
        snprintf(what, sizeof(what), "size %d", level + 1);
        expect(example->name, what, &rates.sizes[level], example->sizes[level]);
        snprintf(what, sizeof(what), "line %d", level + 1);
        expect(example->name, what, &rates.lines[level], example->lines[level]);
        snprintf(what, sizeof(what), "ways %d", level + 1);
        expect(example->name, what, &rates.ways[level], example->ways[level]);
    }
    expect(example->name, "TLB reach", &rates.tlb, example->tlb);
}

/* A machine without caches, quiet or loud, and latencies that are nothing but noise. */
TEST(nothing_is_seen_where_nothing_is)
{
    const double noises[] = {0, 0.1, 3};
    unsigned sizes = 0, rows = 0;
    for (unsigned seed = 1; seed <= 3 * SEEDS; seed++) {
        struct model model = {
            .line = 64, .memory = 100, .noise = noises[seed % 3], .preempted = 0.1, .beside = 0.2};
        struct bench bench = {.model = &model};
        struct caches_points points = {0};
        model_open(&bench.state, &model, 64 * MIB, seed);
        study(&bench, seed, &points);
        struct caches_claim claims[] = {{1, "data", 32 * KIB, 64, 8}, {2, "unified", MIB, 64, 8}};
        struct caches_situation situation = {
            .page = MODEL_PAGE, .claims = claims, .claim_count = 2, .seed = seed};
        struct caches_report report;
        caches_judge(&points, &situation, &report);
        for (size_t i = 0; i < report.row_count; i++, rows++) {
            sizes += report.rows[i].bytes.known;
            assert_true(report.rows[i].bytes.known || report.rows[i].bytes.why.count);
        }
        bench.known = (struct caches_points){0};
        model_close(&bench.state);
    }
    print_message("# no caches: %u sizes in %u rows\n", sizes, rows);
    assert_int_equal(sizes, 0);
}

/* What one process saw nobody confirmed. */
TEST(one_process_gives_no_confidence)
{
    const struct model *model = &examples[0].model;
    struct bench bench = {.model = model};
    struct caches_points points = {0}, plan;
    const struct caches_limits limits = {MODEL_PAGE, true, MOST};
    struct random random;
    uint64_t process = 0;
    random_seed(&random, 1);
    model_open(&bench.state, model, 64 * MIB, 1);
    caches_plan(&limits, &points, &plan);
    measure(&bench, &plan, &random, &process, &points);
    struct caches_situation situation = {.page = MODEL_PAGE, .seed = 1};
    struct caches_report report;
    caches_judge(&points, &situation, &report);
    for (size_t i = 0; i < report.row_count; i++)
        assert_false(report.rows[i].bytes.known || report.rows[i].line.known);
    model_close(&bench.state);
}

EXAMPLES(every_example)
{
    for (size_t i = 0; i < sizeof(examples) / sizeof(*examples); i++)
        unit_example(examples[i].name, run_example, &examples[i]);
}
