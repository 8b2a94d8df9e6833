/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The claims of the paper on microbenchmarks as data, and their way through the rules: judgements
 * in, findings out (docs/findings.md). */
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"
#include "stats/interval.h"
#include "studies/validate/judge.h"

/* ----------------------------------------------------------------------------------------------
 * What a claim is. Claims are data at the end of this file. */

/* Which events on which specimens test a claim. Lists are separated by spaces. */
struct tested_by {
    const char *what; /* for people: "rounding"; NULL ends a table */
    const char *classes, *specimens;
};

enum foretold {
    FORETOLD_TRUTH,     /* what the specimen's truth says; anything within limits is right */
    FORETOLD_LOOP_ENDS, /* the paper's own: one misprediction for each loop that ends, N + 1 */
};

#define TESTED_BY_MOST 4
/* What is known of a claim beside its words: its `own`. */
struct tested {
    /* Is it about predictors, caches or time, which an emulator has not? */
    bool physical;
    enum foretold foretold;
    /* Counts below this are left out: starting up (a predictor learns, a cache fills) costs some
     * tens of events, and one count must not weigh more than 1 %. */
    double least;
    struct tested_by tests[TESTED_BY_MOST];
    bool needs_first; /* without the first of the tests the rest decides nothing */
    bool first_only;  /* tests are alternatives: the first that can be made decides */
    struct tested_by exceptions[TESTED_BY_MOST]; /* told beside the verdict, not part of it */
};

/* What rules get. */
struct validate_facts {
    const struct case_file *file;
    const struct judgements *judgements;
};

/* ----------------------------------------------------------------------------------------------
 * One judged point as evidence for a claim: how far its counts are from what was foretold, and how
 * sure that is. Shared by the rules of findings. */

/* The claims speak of deviations of this size. */
#define WITHIN_PERCENT 1.0

/* One point as evidence for or against a claim, in percent of what was foretold. */
struct reading {
    const struct judged_point *point;
    struct estimate off; /* the deviation */
};

/* The count that a point is measured by. */
static double reading_foretold(const struct judged_point *point, enum foretold foretold)
{
    const struct truth *truth = &point->point->truth;
    if (foretold == FORETOLD_LOOP_ENDS)
        return (double)point->point->n + 1;
    return (double)(truth->low > 0 ? truth->low : truth->high);
}

/* Puts `foretold` against the point's counts; reported: before the overhead is subtracted. False
 * where the point says nothing. */
static bool reading_take(const struct judged_point *point, enum foretold foretold, bool reported,
                         struct reading *reading)
{
    const struct truth *truth = &point->point->truth;
    double count = reading_foretold(point, foretold), truth_low = (double)truth->low;
    size_t quiet = point->runs - point->disturbed;
    if (truth->grade == TRUTH_NONE || count <= 0 || quiet == 0)
        return false;
    double df = quiet > 1 ? (double)quiet - 1 : 1, edge = t_quantile(0.975, df);
    double estimate = point->mean - count, low = point->low, high = point->high;
    if (foretold == FORETOLD_TRUTH) {
        /* From the limits, within which anything is right. */
        double truth_high = (double)truth->high;
        estimate = point->mean < truth_low    ? point->mean - truth_low
                   : point->mean > truth_high ? point->mean - truth_high
                                              : 0;
    } else {
        double half = quiet > 1 ? edge * point->stdev / sqrt((double)quiet) : HUGE_VAL;
        low = estimate - half;
        high = estimate + half;
    }
    double added = reported ? (double)point->overhead : 0;
    *reading = (struct reading){
        .point = point,
        .off = estimate_within(100 * (estimate + added) / count, 100 * (low + added) / count,
                               100 * (high + added) / count, WITHIN_PERCENT)};
    /* Would lie outside a 95 % interval of this width in four of five samples. */
    reading->off.detectable =
        (reading->off.high - reading->off.low) / 2 * (edge + t_quantile(0.8, df)) / edge;
    return true;
}

/* Has its interval no end? So it is with a single run. */
static bool reading_is_open(const struct reading *reading)
{
    return !isfinite(reading->off.low) || !isfinite(reading->off.high);
}

/* Is `one` the graver deviation? A single run says nothing where there are points of more; among
 * equals the one whose interval reaches furthest weighs more. */
static bool reading_graver(const struct reading *one, const struct reading *other)
{
    if (reading_is_open(one) != reading_is_open(other))
        return reading_is_open(other);
    if (one->off.verdict != other->off.verdict)
        return verdict_graver(one->off.verdict, other->off.verdict);
    return fmax(fabs(one->off.low), fabs(one->off.high)) >
           fmax(fabs(other->off.low), fabs(other->off.high));
}

/* "+0.31 % [+0.12, +0.5]"; "+0.31 %" where nothing varies. */
static struct reasons reading_words(const struct reading *reading)
{
    const struct estimate *off = &reading->off;
    struct reasons words = {0};
    if (reading_is_open(reading))
        BECAUSE(&words, SINGLE_READING, off->value);
    else if (off->high - off->low < 1e-9)
        BECAUSE(&words, READING, off->value);
    else
        BECAUSE(&words, READING, off->value, off->low, off->high);
    return words;
}

/* ----------------------------------------------------------------------------------------------
 * Which events may speak for or against a claim, and why none can: shared by the rules of
 * findings. */

/* Is `word` among those of a list separated by spaces? A specimen counts by its name alone. */
static bool claim_lists(const char *list, const char *word)
{
    size_t length = strcspn(word, "/");
    while (*list) {
        size_t each = strcspn(list, " ");
        if (each == length && memcmp(list, word, length) == 0)
            return true;
        list += each + (list[each] == ' ');
    }
    return false;
}

static bool counts_class(const struct evidence *evidence, const char *classes, bool by_source)
{
    bool is_source = evidence->kind && strcmp(evidence->kind, "source") == 0;
    return evidence->class && is_source == by_source && claim_lists(classes, evidence->class);
}

/* "a, b or c" for a list separated by spaces. */
static const char *choice_of(const char *list)
{
    struct text words = {0};
    for (size_t each; *list; list += each + (list[each] == ' ')) {
        each = strcspn(list, " ");
        text_printf(&words, "%s%.*s",
                    !words.length ? ""
                    : list[each]  ? ", "
                                  : " or ",
                    (int)each, list);
    }
    return memory_text(&words);
}

/* May this event say something of the machine, does it count one of the classes, and did it count
 * at all here? A source counts what it executes itself: that says nothing of this machine's
 * counters. Otherwise `why` says why not, unless it is another event. */
static bool speaks(const struct judgement *judgement, const char *classes, struct reasons *why)
{
    const struct evidence *evidence = judgement->evidence;
    const char *reason =
        evidence->reason && *evidence->reason ? evidence->reason : "no reason was given";
    if (!counts_class(evidence, classes, false))
        return false;
    if (evidence->error)
        BECAUSE(why, CANNOT_OPEN, evidence->event, reason);
    else if (judgement->verdict == VERDICT_UNSCHEDULED)
        BECAUSE(why, NEVER_SCHEDULED, evidence->event);
    else if (judgement->verdict == VERDICT_DEAD &&
             (judgement->cause == CAUSE_MODE_NOT_APPLICABLE || judgement->cause == CAUSE_CORE_TYPE))
        BECAUSE(why, CANNOT_COUNT, evidence->event, &judgement->why);
    else
        return true;
    return false;
}

static bool may_speak(const struct judgement *judgement, const char *classes)
{
    struct reasons ignored = {0};
    return speaks(judgement, classes, &ignored);
}

/* Why an event that counts has nothing to say: its specimens were not measured, or not enough. */
static struct reasons why_no_points(const struct tested *claim, const struct tested_by *test,
                                    const struct evidence *evidence)
{
    double most = -1;
    const char *event = evidence->event;
    struct reasons why = {0}, little = {0};
    for (size_t i = 0; i < evidence->point_count; i++) {
        const struct point *point = &evidence->points[i];
        if (point->is_null || !claim_lists(test->specimens, point->specimen))
            continue;
        struct judged_point judged = {.point = point};
        double count = reading_foretold(&judged, claim->foretold);
        struct reasons of_point = {0};
        if (point->truth.grade == TRUTH_NONE)
            BECAUSE(&of_point, NOT_FORETOLD, event, point->specimen);
        else if (!point->run_count && point->failure_reason)
            BECAUSE(&of_point, NOT_MEASURABLE, event, point->specimen, point->failure_reason);
        else if (point->run_count && count > most)
            most = count;
        why = of_point.count ? of_point : why;
    }
    if (most >= 0 && claim->least > 0)
        BECAUSE(&little, COUNTS_TOO_SMALL, event, most, claim->least);
    else if (most >= 0)
        BECAUSE(&little, COUNTS_TOO_LARGE, event);
    else if (!why.count)
        BECAUSE(&why, NOT_MEASURED_ON, event, choice_of(test->specimens));
    return little.count ? little : why;
}

/* Why nothing was read in a test, as a clause about the event that came furthest. Excuses of tests
 * whose events came further weigh more. */
struct excuse {
    enum { EXCUSE_NOT_TRIED, EXCUSE_REFUSED, EXCUSE_NOT_ENOUGH } weight;
    struct reasons why; /* nothing: none is needed so far */
};

static struct excuse excuse_of(const struct tested *claim, const struct tested_by *test,
                               const struct judgements *judgements)
{
    struct excuse excuse = {0};
    bool sourced = false;
    for (size_t i = 0; i < judgements->count; i++) {
        const struct judgement *judgement = &judgements->list[i];
        struct reasons why = {0};
        sourced |= counts_class(judgement->evidence, test->classes, true);
        if (speaks(judgement, test->classes, &why))
            return (struct excuse){EXCUSE_NOT_ENOUGH,
                                   why_no_points(claim, test, judgement->evidence)};
        if (why.count && !excuse.why.count)
            excuse = (struct excuse){EXCUSE_REFUSED, why};
    }
    if (!excuse.why.count && sourced)
        BECAUSE(&excuse.why, ONLY_SOURCES, choice_of(test->classes));
    else if (!excuse.why.count)
        BECAUSE(&excuse.why, NO_EVENT, choice_of(test->classes));
    return excuse;
}

/* The weightiest; named: with what the test is of. */
static void excuse_add(struct excuse *weightiest, const struct tested *claim,
                       const struct tested_by *test, const struct judgements *judgements,
                       bool named)
{
    struct excuse excuse = excuse_of(claim, test, judgements);
    if (weightiest->why.count && excuse.weight <= weightiest->weight)
        return;
    weightiest->weight = excuse.weight;
    weightiest->why = excuse.why;
    if (!named)
        return;
    weightiest->why = (struct reasons){0};
    BECAUSE(&weightiest->why, OF_TEST, test->what, &excuse.why);
}

/* ----------------------------------------------------------------------------------------------
 * The rule of a finding about overhead: as reported, the smallest count of a ladder is off by more
 * than 1 % and the largest is not. Any event that counts something in an empty window tests it. */

/* The two ends of a ladder, as reported. */
struct ends {
    struct reading small, large;
    enum finding_verdict verdict;
};

static bool take_ends(const struct judged_row *row, struct ends *ends)
{
    *ends = (struct ends){0};
    double least = HUGE_VAL, most = 0;
    for (size_t i = 0; i < row->point_count; i++) {
        const struct judged_point *point = &row->points[i];
        struct reading reading;
        if (!point->has_overhead || !point->overhead || point->point->truth.grade != TRUTH_PROVEN ||
            point->against_account || !reading_take(point, FORETOLD_TRUTH, true, &reading) ||
            reading_is_open(&reading))
            continue;
        double count = reading_foretold(point, FORETOLD_TRUTH);
        if (count < least)
            ends->small = reading;
        if (count > most)
            ends->large = reading;
        least = fmin(least, count);
        most = fmax(most, count);
    }
    enum finding_verdict small = ends->small.off.verdict, large = ends->large.off.verdict;
    ends->verdict = small == FINDING_FAILS && large == FINDING_HOLDS   ? FINDING_HOLDS
                    : small == FINDING_HOLDS || large == FINDING_FAILS ? FINDING_FAILS
                                                                       : FINDING_INCONCLUSIVE;
    /* Large enough to hide it, small enough not to. */
    return ends->large.point && ends->small.point &&
           most >= 100 * fabs((double)ends->large.point->overhead) &&
           least < 100 * fabs((double)ends->small.point->overhead);
}

static size_t look_at(const struct judgements *judgements, bool otherwise, struct ends *best)
{
    size_t rows = 0;
    for (size_t i = 0; i < judgements->row_count; i++) {
        const struct judgement *judgement = judgements->rows[i]->judgement;
        const char *class = judgement->evidence->class;
        struct ends ends;
        /* Events that deviate for another cause say little of overhead: they are asked last. */
        bool deviates =
            judgement->cause != CAUSE_NONE && judgement->cause != CAUSE_INTERFACE_OVERHEAD;
        if (!class || deviates != otherwise || !may_speak(judgement, class) ||
            !take_ends(judgements->rows[i], &ends))
            continue;
        bool worse = ends.verdict != best->verdict
                         ? verdict_graver(ends.verdict, best->verdict)
                         : fabs(ends.small.off.value) > fabs(best->small.off.value);
        if (!rows++ || worse)
            *best = ends;
    }
    return rows;
}

/* What measuring adds shows in small counts and vanishes in large ones. */
static void rule_overhead(const struct claim *claim, const void *context, struct finding *finding)
{
    const struct judgements *judgements = ((const struct validate_facts *)context)->judgements;
    (void)claim;
    struct ends best = {0};
    if (!look_at(judgements, false, &best) && !look_at(judgements, true, &best)) {
        BECAUSE(&finding->why, NO_ENDS);
        return;
    }
    const struct reasons small = reading_words(&best.small), large = reading_words(&best.large);
    estimate_report(&best.small.off, finding);
    finding->verdict = best.verdict;
    BECAUSE(&finding->why, ENDS, best.small.point->row->judgement->evidence->event,
            best.small.point->row->specimen, best.small.point->row->path,
            best.small.point->overhead, &small, best.small.point->point->n, &large,
            best.large.point->point->n);
}

/* ----------------------------------------------------------------------------------------------
 * The rule of a finding about small counts that are reported as zero: the number up to which they
 * are, between the largest that reads 0 in every run and the smallest that is counted. One event
 * that does so is enough. */

/* "About 100". */
#define ABOUT_LOW  50.0
#define ABOUT_HIGH 200.0
/* Limits further apart than a ladder's step do not tell where the threshold is. */
#define STEP_MOST 10.0
/* Deviations that leave no doubt that something near the truth was counted. */
#define COUNTED_PERCENT 50.0

struct threshold {
    const struct judged_row *row;
    enum finding_verdict verdict;
    double zero;     /* largest count that reads 0; 0: none does */
    double counted;  /* smallest count above it that is counted */
    double smallest; /* that was measured */
};

/* Walks up a ladder. False where it cannot show a threshold. */
static bool find_threshold(const struct judged_row *row, struct threshold *found)
{
    *found = (struct threshold){.row = row, .smallest = HUGE_VAL};
    bool unclear = false;
    for (size_t i = 0; i < row->point_count; i++) {
        const struct judged_point *point = &row->points[i];
        struct reading reading;
        if (!reading_take(point, FORETOLD_TRUTH, false, &reading))
            continue;
        double count = reading_foretold(point, FORETOLD_TRUTH);
        found->smallest = fmin(found->smallest, count);
        if (point->is_zero) {
            unclear = unclear || found->counted > 0; /* counted before, zero again */
            found->zero = fmax(found->zero, count);
        } else if (reading.off.low > -COUNTED_PERCENT && reading.off.high < COUNTED_PERCENT) {
            found->counted = found->counted > 0 ? found->counted : count;
        } else if (found->counted <= 0) {
            unclear = true;
        }
    }
    if (found->counted <= 0 || found->smallest > ABOUT_HIGH)
        return false;
    bool about = found->counted - 1 >= ABOUT_LOW && found->zero <= ABOUT_HIGH;
    bool far = found->zero <= 0 || found->counted > STEP_MOST * found->zero;
    if (unclear || (about && far))
        found->verdict = FINDING_INCONCLUSIVE;
    else
        found->verdict = about ? FINDING_HOLDS : FINDING_FAILS;
    return true;
}

/* Small counts are reported as zero. */
static void rule_threshold(const struct claim *asked, const void *context, struct finding *finding)
{
    const struct judgements *judgements = ((const struct validate_facts *)context)->judgements;
    const struct tested *claim = asked->own;
    struct threshold best = {0};
    struct excuse excuse = {0};
    const char *dead = NULL; /* an event that reads 0 throughout */
    for (const struct tested_by *test = claim->tests; test->what && !best.row; test++) {
        for (size_t i = 0; i < judgements->count && !dead; i++)
            if (judgements->list[i].verdict == VERDICT_DEAD &&
                may_speak(&judgements->list[i], test->classes))
                dead = judgements->list[i].evidence->event;
        for (size_t i = 0; i < judgements->row_count; i++) {
            const struct judged_row *row = judgements->rows[i];
            struct threshold found;
            if (!claim_lists(test->specimens, row->specimen) ||
                !may_speak(row->judgement, test->classes) || !find_threshold(row, &found))
                continue;
            /* One event that does so is enough. */
            if (!best.row || verdict_graver(best.verdict, found.verdict) ||
                (best.verdict == found.verdict && found.zero > best.zero))
                best = found;
        }
        excuse_add(&excuse, claim, test, judgements, false);
    }
    if (!best.row && dead)
        BECAUSE(&finding->why, ALWAYS_ZERO, dead);
    else if (!best.row)
        finding->why = excuse.why;
    if (!best.row)
        return;
    finding->verdict = best.verdict;
    finding->has_estimate = true;
    finding->low = best.zero;
    finding->high = best.counted - 1;
    finding->estimate = best.zero > 0 ? sqrt(finding->low * finding->high) : 0;
    finding->detectable = best.smallest;
    const char *event = best.row->judgement->evidence->event;
    if (best.zero > 0)
        BECAUSE(&finding->why, ZERO_UP_TO, event, best.row->specimen, best.zero, best.counted - 1);
    else
        BECAUSE(&finding->why, COUNTS_FROM, event, best.row->specimen, best.counted);
    if (best.verdict == FINDING_INCONCLUSIVE)
        BECAUSE(&finding->why, NO_CLEAR_THRESHOLD);
    else if (best.verdict == FINDING_FAILS && best.zero > 0)
        BECAUSE(&finding->why, NOT_ABOUT_100);
}

/* ----------------------------------------------------------------------------------------------
 * The rule of most findings: counts lie within 1 % of what was foretold, wherever that outweighs
 * the overhead. The gravest deviation decides, over all events, specimens and N. */

/* Over all points of a test. */
struct gravest {
    struct reading reading;
    size_t points;
};

static struct gravest within_look_at_test(const struct tested *claim, const struct tested_by *test,
                                          const struct judgements *judgements)
{
    struct gravest gravest = {0};
    for (size_t i = 0; i < judgements->row_count; i++) {
        const struct judged_row *row = judgements->rows[i];
        if (!claim_lists(test->specimens, row->specimen) ||
            !may_speak(row->judgement, test->classes))
            continue;
        for (size_t j = 0; j < row->point_count; j++) {
            const struct judged_point *point = &row->points[j];
            double count = reading_foretold(point, claim->foretold);
            struct reading reading;
            if (count < claim->least || count < 100 * fabs((double)point->overhead) ||
                !reading_take(point, claim->foretold, false, &reading))
                continue;
            if (!gravest.points++ || reading_graver(&reading, &gravest.reading))
                gravest.reading = reading;
        }
    }
    return gravest;
}

/* Counts lie within 1 % of what was foretold. */
static void rule_within(const struct claim *asked, const void *context, struct finding *finding)
{
    const struct validate_facts *facts = context;
    const struct judgements *judgements = facts->judgements;
    const struct tested *claim = asked->own;
    struct gravest gravest = {0};
    struct excuse excuse = {0};
    if (claim->physical && facts->file->emulated) {
        BECAUSE(&finding->why, EMULATED);
        return;
    }
    for (const struct tested_by *test = claim->tests; test->what; test++) {
        struct gravest found = within_look_at_test(claim, test, judgements);
        if (!found.points)
            excuse_add(&excuse, claim, test, judgements, true);
        if (claim->needs_first && !found.points && test == claim->tests)
            break;
        if (found.points && (!gravest.points || reading_graver(&found.reading, &gravest.reading)))
            gravest.reading = found.reading;
        gravest.points += found.points;
        if (claim->first_only && gravest.points)
            break;
    }
    if (!gravest.points) {
        finding->why = excuse.why;
        return;
    }
    const struct reading *reading = &gravest.reading;
    const struct judged_row *row = reading->point->row;
    estimate_report(&reading->off, finding);
    /* Which event decided, and at which N. */
    BECAUSE(&finding->why, DECIDES, row->judgement->evidence->event, row->specimen,
            reading->point->point->n, row->path, gravest.points);
    if (reading->off.verdict == FINDING_INCONCLUSIVE) {
        if (isfinite(reading->off.detectable) && reading->off.detectable <= WITHIN_PERCENT)
            BECAUSE(&finding->why, HOLDS_LIMIT);
        else
            BECAUSE(&finding->why, TOO_WIDE);
    }
    if (row->judgement->verdict == VERDICT_DEAD)
        BECAUSE(&finding->why, DEAD_EVENT);
    for (const struct tested_by *test = claim->exceptions; test->what; test++) {
        struct gravest exception = within_look_at_test(claim, test, judgements);
        static const enum validate_why outcomes[] = {[FINDING_HOLDS] = WHY_EXCEPTION_KEEPS,
                                                     [FINDING_FAILS] = WHY_EXCEPTION_BREAKS,
                                                     [FINDING_INCONCLUSIVE] = WHY_EXCEPTION_OPEN};
        if (!exception.points)
            continue;
        const struct reasons off = reading_words(&exception.reading);
        REASON(&finding->why, CLAUSE, &validate_words[outcomes[exception.reading.off.verdict]],
               test->what, &off, exception.reading.point->row->judgement->evidence->event);
    }
    if (excuse.why.count && !claim->first_only)
        BECAUSE(&finding->why, NOT_TESTED, &excuse.why);
}

/* --- the claims --- */

#define SCALAR_CLASSES "fp-scalar-single fp-scalar-double fp-operations fp-adds fp-muls fp-divs"

static const struct claim claims[VALIDATE_FINDINGS] = {
    {"A1", "nested loops are mispredicted once where each loop ends, to within 1 %",
     "within 1 % on Pentium III, Itanium, Power3-II and R12K", "%", rule_within, false,
     &(const struct tested){
         .physical = true,
         .foretold = FORETOLD_LOOP_ENDS,
         .least = 10000,
         .tests = {{"mispredictions", "branch-misses cond-branch-misses", "nested"}}}},
    {"A2", "misses of the instruction caches come within 1 % of the lines that do not fit",
     "within 1 % on Pentium III, first and second level", "%", rule_within, false,
     &(const struct tested){.physical = true,
                            .least = 10000,
                            .tests = {{"first level", "l1i-load-misses", "l1i-blocks"},
                                      {"second level", "l2i-misses", "l2i-blocks"}}}},
    {"A3", "cycles of a row of register additions come within 1 % of one for each",
     "within 1 % on Pentium III and Power4", "%", rule_within, false,
     &(const struct tested){
         .physical = true, .least = 100000, .tests = {{"cycles", "cycles", "chain"}}}},
    {"A4",
     "floating-point instructions come within 1 % on most CPUs; rounding and "
     "single-precision multiplication break it on some",
     "within 1 % on Itanium, R12K; twice by rounding on Power3-II, Power4; 5 of 9 single "
     "multiplications on Pentium III",
     "%", rule_within, false,
     &(const struct tested){
         .least = 100,
         .tests = {{"arithmetic", "fp-instructions",
                    "fadd-single fadd-double fmul-double fdiv-single fdiv-double"},
                   {"arithmetic", SCALAR_CLASSES,
                    "fadd-single fadd-double fmul-double fdiv-single fdiv-double"}},
         .first_only = true,
         .exceptions =
             {{"rounding", "fp-instructions " SCALAR_CLASSES, "fround-single fround-double"},
              {"single-precision multiplication", "fp-instructions " SCALAR_CLASSES, "fmul-single"},
              {"x87", "fp-instructions " SCALAR_CLASSES, "x87"}}}},
    {"A5", "fewer than about 100 square roots are reported as 0 on some CPUs",
     "0 up to 100 on Power3-II, up to 86 on Power4", "square roots", rule_threshold, false,
     &(const struct tested){
         .tests = {{"square roots", "fp-sqrts", "fsqrt-single fsqrt-double"},
                   {"square roots",
                    "fp-instructions fp-scalar-single fp-scalar-double fp-operations",
                    "fsqrt-single fsqrt-double"}},
         .first_only = true}},
    {"A6", "completed instructions come within 1 % once no-ops that pad the code are counted",
     "under 1 % on Power3-II, Pentium III; Itanium 17 % over until no-ops counted, then "
     "about 0 %",
     "%", rule_within, false,
     &(const struct tested){
         .least = 100,
         .tests = {{"no-ops", "instructions", "nops"}, {"additions", "instructions", "adds"}},
         .needs_first = true}},
    {"A7", "loads and stores are counted as predicted",
     "no figure; studied to the end on Itanium, Power3-II and R12K", "%", rule_within, false,
     &(const struct tested){
         .least = 100,
         .tests = {{"loads", "loads", "loads copies"}, {"stores", "stores", "stores copies"}}}},
    {"A8", "misses of the first and second level's data cache follow from their geometry",
     "no figure; L1 on Itanium, Power3-II, Power4, R12K, L2 on Itanium, R12K", "%", rule_within,
     false,
     &(const struct tested){
         .physical = true,
         .least = 10000,
         .tests = {{"first level", "l1d-misses l1d-load-misses", "l1d-chase"},
                   {"second level", "l2-misses l2d-misses l2-load-misses", "l2-chase"}}}},
    {"A9", "TLB misses follow from the number of pages",
     "no figure; data TLB on Itanium, Power4, all TLBs on Power3-II, Power4", "%", rule_within,
     false,
     &(const struct tested){
         .physical = true,
         .least = 10000,
         .tests = {{"data", "dtlb-misses dtlb-load-misses tlb-misses", "dtlb-pages"},
                   {"code", "itlb-load-misses tlb-misses", "itlb-pages"}}}},
    {"A10", "small counts carry what measuring adds, and large counts hide it",
     "no figure; named as a reason why reported and predicted counts differ", "%", rule_overhead,
     false, NULL},
};

void validate_findings(const struct case_file *file, const struct judgements *judgements,
                       struct finding findings[VALIDATE_FINDINGS])
{
    struct validate_facts facts = {file, judgements};
    const struct claiming claiming = {.paper = "aguilera-microbenchmarks",
                                      .claims = claims,
                                      .count = VALIDATE_FINDINGS,
                                      .facts = &facts};
    findings_judge(&claiming, findings);
}
