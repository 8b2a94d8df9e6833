/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The rounds of `assay validate`, and its stores. Plan, measure, learn what it cost and what
 * surprises, plan again; everything that judging needs goes into the store before the first sample,
 * so that it can be judged again where the machine is not. And from a store to the case that the
 * judge gets: every cell becomes a point of the event that its first counter counts, with the truth
 * and the traits of its code and all runs. A second counter that counts interrupts becomes part of
 * the runs; others only keep the first company. Stores of commands that plan no validation have no
 * tables of events and truths: then what the cells say themselves is taken. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/monotonic.h"
#include "decode/decode.h"
#include "engine/finish.h"
#include "engine/gather.h"
#include "engine/loading.h"
#include "engine/run-store.h"
#include "engine/wishes.h"
#include "studies/validate/judge.h"
#include "studies/validate/parts.h"

/* ----------------------------------------------------------------------------------------------
 * From a store to the case. */

/* --- truths and opcodes, sorted by specimen so that a large plan finds its own fast --- */

/* More of one specimen than any catalogue has: such a store would only fill the memory. */
#define LINES_MOST 4096

const char *const validate_grade_names[] = {[TRUTH_NONE] = NULL,
                                            [TRUTH_PROVEN] = "proven",
                                            [TRUTH_BOUNDED] = "bounded",
                                            [TRUTH_MODEL] = "model"};

enum truth_grade grade_from_name(const char *name)
{
    for (enum truth_grade grade = TRUTH_PROVEN; name && grade <= TRUTH_MODEL; grade++)
        if (strcmp(name, validate_grade_names[grade]) == 0)
            return grade;
    return TRUTH_NONE;
}

/* --- loading --- */

struct loading {
    struct store *store;
    struct known *known;
    struct failure *failure;
};

static void add_line(struct known_lines *lines, const char *specimen, const char *name,
                     struct known_line line)
{
    line.specimen = memory_copy(specimen);
    line.name = memory_copy(name);
    line.place = lines->count;
    *memory_add(lines->list, lines->count) = line;
}

static int add_truth(void *context, const struct stored_truth *truth)
{
    struct loading *loading = context;
    enum truth_grade grade = grade_from_name(truth->grade);
    if (grade == TRUTH_NONE)
        return fail_with(loading->failure, -EBADMSG,
                         "the store %.300s is damaged, or was changed by another program: "
                         "specimen %.60s has a truth of grade '%.60s'; there are proven, bounded "
                         "and model. Take a copy you trust.",
                         store_path(loading->store), truth->specimen, truth->grade);
    add_line(&loading->known->truths, truth->specimen, truth->class,
             (struct known_line){.grade = grade,
                                 .base = truth->base,
                                 .each = truth->each,
                                 .high_base = truth->high_base,
                                 .high_each = truth->high_each});
    return 0;
}

static int add_opcode(void *context, const struct stored_opcode *opcode)
{
    struct loading *loading = context;
    if (*opcode->opcode) /* an empty one says only that the code was not decoded */
        add_line(&loading->known->opcodes, opcode->specimen, opcode->opcode,
                 (struct known_line){.grade = TRUTH_PROVEN,
                                     .base = opcode->base,
                                     .each = opcode->each,
                                     .high_base = opcode->base,
                                     .high_each = opcode->each});
    return 0;
}

static int compare_lines(const void *left, const void *right)
{
    const struct known_line *one = left, *other = right;
    int order = strcmp(one->specimen, other->specimen);
    return order ? order : (one->place > other->place) - (one->place < other->place);
}

int known_load(struct store *store, struct known *known, struct failure *failure)
{
    struct loading loading = {store, known, failure};
    int error = store_each_specimen_truth(store, add_truth, &loading, failure);
    if (error == 0)
        error = store_each_opcode(store, add_opcode, &loading, failure);
    for (int i = 0; i < 2 && error == 0; i++) {
        struct known_lines *lines = i ? &known->opcodes : &known->truths;
        if (lines->count)
            qsort(lines->list, lines->count, sizeof(*lines->list), compare_lines);
        for (size_t j = LINES_MOST; j < lines->count && error == 0; j++)
            if (strcmp(lines->list[j].specimen, lines->list[j - LINES_MOST].specimen) == 0)
                error = fail_with(failure, -EBADMSG,
                                  "the store %.300s is damaged, or was not written by assay: it "
                                  "knows more than %d counts of specimen %.60s. Take a copy you "
                                  "trust.",
                                  store_path(store), LINES_MOST, lines->list[j].specimen);
    }
    return error;
}

/* --- asking --- */

/* How the name without parameters compares with a line's specimen. */
static int compare_specimen(const char *name, size_t length, const char *specimen)
{
    int order = strncmp(name, specimen, length);
    return order ? order : -(specimen[length] != '\0');
}

/* The lines of that specimen, named with or without parameters: from the first to before the end.
 */
static size_t lines_of(const struct known_lines *lines, const char *specimen, size_t *end)
{
    size_t length = strcspn(specimen, "/"), low = 0, high = lines->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (compare_specimen(specimen, length, lines->list[middle].specimen) > 0)
            low = middle + 1;
        else
            high = middle;
    }
    *end = low;
    while (*end < lines->count &&
           compare_specimen(specimen, length, lines->list[*end].specimen) == 0)
        ++*end;
    return low;
}

/* None where it leaves 64 bits. */
static struct truth truth_at(const struct known_line *line, uint64_t n)
{
    struct truth truth = {.grade = line->grade};
    int64_t low, high;
    if (__builtin_mul_overflow(line->each, n, &low) ||
        __builtin_add_overflow(line->base, low, &truth.low))
        return (struct truth){0};
    truth.high = truth.low;
    if (line->grade == TRUTH_BOUNDED &&
        (__builtin_mul_overflow(line->high_each, n, &high) ||
         __builtin_add_overflow(line->high_base, high, &truth.high) || truth.high < truth.low))
        return (struct truth){0};
    return truth;
}

struct truth known_truth(const struct known *known, const char *specimen, const char *class,
                         uint64_t n)
{
    size_t end, first = lines_of(&known->truths, specimen, &end);
    for (size_t i = first; i < end; i++)
        if (strcmp(known->truths.list[i].name, class) == 0)
            return truth_at(&known->truths.list[i], n);
    return (struct truth){0};
}

/* Everything that is a number becomes a trait of the point. */
static void add_traits(const struct known_lines *lines, enum trait_kind kind, struct point *point)
{
    size_t end, first = lines_of(lines, point->specimen, &end);
    for (size_t i = first; i < end; i++) {
        struct truth truth = truth_at(&lines->list[i], point->n);
        if (truth.grade != TRUTH_NONE && truth.low == truth.high) /* limits are no number */
            *memory_add(point->traits, point->trait_count) = (struct trait){
                kind, memory_copy(lines->list[i].name), truth.low, truth.grade == TRUTH_PROVEN};
    }
}

/* --- the case --- */

struct load {
    struct store *store;
    struct case_file *file;
    struct failure *failure;
    struct known known;
    struct facts facts;
    size_t found; /* the event that was found last: the next is the same, or close behind it */
    struct point_place {
        size_t event, point;
    } * points; /* by cell */
    size_t point_count;
};

/* --- events --- */

static struct evidence *add_event(struct load *load, const struct stored_event *event)
{
    struct evidence *evidence = memory_add(load->file->events, load->file->event_count);
    evidence->event = memory_copy(event->name);
    evidence->kind = memory_copy(event->kind);
    evidence->class = memory_copy(event->class);
    evidence->reason = memory_copy(event->reason);
    evidence->error = event->error;
    return evidence;
}

static int take_event(void *context, const struct stored_event *event)
{
    add_event(context, event);
    return 0;
}

/* --- points --- */

static void fill_point(const struct load *load, const struct evidence *evidence,
                       const struct stored_cell *stored, struct point *point)
{
    const struct cell *cell = &stored->cell;
    const struct stored_counter *counter = &stored->counters[0];
    char core[64];
    core_type(&load->facts, cell->cpu, core, sizeof(core));
    point->specimen = memory_copy(cell->specimen);
    point->path = memory_copy(cell->path);
    point->opt = memory_copy(cell->opt);
    point->link = memory_copy(cell->link);
    point->core = memory_copy(core);
    point->failure_reason =
        memory_copy(stored->failed && !stored->reason ? strerror(stored->error) : stored->reason);
    point->n = cell->n;
    point->pattern = cell->pattern;
    point->counters = cell->counters;
    point->cpu = cell->cpu;
    point->is_null = plan_is_overhead_cell(cell);
    point->faults = stored->has_faults ? stored->faults : -1;
    point->switches = stored->has_switches ? stored->switches : -1;
    point->has_interrupts = cell->counters > 1 && event_counts_interrupts(cell->events[1]);
    point->has_unfiltered = cell->counters > 1 && !event_mode(cell->events[1]) &&
                            event_same_base(cell->events[0], cell->events[1]);
    point->failed = stored->failed;
    add_traits(&load->known.truths, TRAIT_CLASS, point);
    add_traits(&load->known.opcodes, TRAIT_OPCODE, point);
    /* What the operating system executes on behalf of a specimen nobody predicts. */
    if (event_counts_beyond_specimen(evidence->kind, evidence->event))
        return;
    if (evidence->class)
        point->truth = known_truth(&load->known, cell->specimen, evidence->class, cell->n);
    /* Where the store has no table of truths; limits are not kept there. */
    enum truth_grade grade = grade_from_name(counter->grade);
    if (point->truth.grade == TRUTH_NONE && counter->has_truth &&
        (grade == TRUTH_PROVEN || grade == TRUTH_MODEL))
        point->truth = (struct truth){grade, counter->truth, counter->truth};
}

/* --- cells and their runs --- */

static int take_cell(void *context, const struct stored_cell *stored, size_t *place)
{
    struct load *load = context;
    const struct case_file *file = load->file;
    struct evidence *evidence = NULL;
    for (size_t i = 0; i < file->event_count && !evidence; i++) {
        const size_t at = (load->found + i) % file->event_count;
        if (strcmp(file->events[at].event, stored->cell.events[0]) == 0)
            evidence = &file->events[at];
    }
    /* The table of events need not know it. */
    const struct stored_event event = {
        .name = stored->cell.events[0], .kind = "", .class = stored->counters[0].class};
    evidence = evidence ? evidence : add_event(load, &event);
    load->found = (size_t)(evidence - file->events);
    *place = load->point_count;
    *memory_add(load->points, load->point_count) =
        (struct point_place){load->found, evidence->point_count};
    fill_point(load, evidence, stored, evidence_add_point(evidence));
    return 0;
}

static int take_run(void *context, const struct read_run *read)
{
    const struct load *load = context;
    const struct point_place *at = &load->points[read->place];
    struct point *point = &load->file->events[at->event].points[at->point];
    const uint64_t beside = point->has_interrupts || point->has_unfiltered ? read->values[1] : 0;
    *memory_add(point->runs, point->run_count) =
        (struct evidence_run){.value = read->values[0],
                              .enabled = read->enabled[0],
                              .running = read->running[0],
                              .account = read->account,
                              .process = read->process,
                              .interrupts = !point->has_interrupts ? 0
                                            : beside < UINT32_MAX  ? (uint32_t)beside
                                                                   : UINT32_MAX,
                              .unfiltered = point->has_unfiltered ? beside : 0};
    return 0;
}

/* --- the whole --- */

int validate_load(struct store *store, struct case_file *file, struct failure *failure)
{
    struct load load = {.store = store, .file = file, .failure = failure};
    struct reader reader = {.store = store,
                            .failure = failure,
                            .context = &load,
                            .cell = take_cell,
                            .run = take_run,
                            .by_cell = true};
    *file = (struct case_file){0};
    int error = store_facts(store, &load.facts, failure);
    const char *hypervisor = facts_get(&load.facts, "hypervisor");
    file->emulated = facts_get(&load.facts, "emulated") != NULL;
    file->virtualized = hypervisor && strcmp(hypervisor, "none") != 0;
    if (error == 0)
        error = known_load(store, &load.known, failure);
    if (error == 0)
        error = store_each_event(store, take_event, &load, failure);
    if (error == 0)
        error = reader_read(&reader);
    facts_free(&load.facts);
    return error;
}

/* ----------------------------------------------------------------------------------------------
 * What the store gets: events at the beginning, and with each cell what is predicted of it. */

int validate_put(void *kept, struct failure *failure)
{
    const struct validating *run = kept;
    return tried_put(&run->candidates, run->studying.store, failure);
}

static int put_predictions(const struct validating *run, const struct cell *cell,
                           struct failure *failure)
{
    const struct studying *studying = &run->studying;
    int error = 0;
    for (uint32_t i = 0; i < cell->counters && error == 0; i++) {
        const struct tried_event *known = tried_find(&run->candidates, cell->events[i]);
        if (!known)
            continue;
        const struct counted_event event = {known->name, known->kind, known->class};
        error = run_store_put_truth(studying->store, studying->catalogue, cell, i, &event, failure);
    }
    return error < 0 ? error
                     : run_store_put_account(studying->store, studying->catalogue, cell, failure);
}

/* The specimen's code is asked for and decoded here: with its opcodes the judge can blame the one
 * that a counter counts wrongly. */
static int put_opcodes(const struct validating *run, const char *specimen, struct failure *failure)
{
    /* Code that no decoder here understands has none, and the store says so. */
    const struct stored_opcode none = {.specimen = specimen, .opcode = ""};
    const char *isa = run->studying.catalogue->isa;
    struct store *store = run->studying.store;
    struct sent_code sent;
    struct failure refused = {0};
    int error = session_code(run->studying.session, specimen, &sent, &refused);
    if (error == -ENOTSUP || error == -ENOENT || error == -EINVAL)
        return store_put_opcode(store, &none, failure);
    if (error < 0) {
        *failure = refused;
        return error;
    }
    AUTO_MEMORY struct linear *trips = memory_new(sent.trip_count, sizeof(*trips));
    for (size_t i = 0; i < sent.trip_count; i++)
        trips[i] = (struct linear){sent.trips[i].base, sent.trips[i].each};
    const struct specimen_code code = {
        .code = {isa, sent.address, sent.bytes, sent.length},
        .call = {isa, sent.call_address, sent.call, sent.call_length},
        .trips = {trips, sent.trip_count, sent.min_n},
    };
    struct opcodes opcodes = {0};
    if (opcodes_count(&code, &opcodes, NULL, &refused) < 0) {
        error = store_put_opcode(store, &none, failure);
        opcodes.count = 0;
    }
    for (size_t i = 0; i < opcodes.count && error == 0; i++) {
        const struct stored_opcode opcode = {.specimen = specimen,
                                             .opcode = opcodes.list[i].name,
                                             .base = opcodes.list[i].count.base,
                                             .each = opcodes.list[i].count.each};
        error = store_put_opcode(store, &opcode, failure);
    }
    opcodes_release(&opcodes);
    sent_code_release(&sent);
    return error;
}

static bool counts_user_code(const struct validate_plan *plan, size_t at)
{
    const struct validate_subject *subject = validate_subject_at(plan, at);
    return subject && subject->user_code;
}

/* The store has what goes with that cell's specimen. */
static void note_stored(const struct validate_plan *plan, size_t at)
{
    struct validate_specimen *specimen = &plan->specimens[plan->about[at].specimen];
    specimen->stored = true;
    specimen->decoded |= counts_user_code(plan, at);
}

static int put_cell(void *context, const struct cell *cell, struct failure *failure)
{
    const struct validating *run = context;
    const struct validate_plan *plan = &run->plan;
    const size_t at = cell->id - 1, place = plan->about[at].specimen;
    int error = put_predictions(run, cell, failure);
    if (error < 0 || place == VALIDATE_NO_SPECIMEN)
        return error;
    struct validate_specimen *specimen = &plan->specimens[place];
    if (!specimen->stored)
        error = run_store_put_specimen(run->studying.store, specimen->known, failure);
    if (error == 0 && !specimen->decoded && counts_user_code(plan, at))
        error = put_opcodes(run, specimen->known->name, failure);
    note_stored(plan, at);
    return error;
}

/* --- an unfinished run: its cells, and what they cost --- */

struct stored_costs {
    struct validate_plan *plan;
    uint64_t runs, inside_ns; /* of the visit under way */
};

static int cost_cell(void *context, const struct stored_cell *stored, size_t *place)
{
    (void)context;
    *place = stored->cell.id - 1;
    return 0;
}

static int cost_run(void *context, const struct read_run *read)
{
    struct stored_costs *costs = context;
    costs->runs++;
    costs->inside_ns += read->enabled[0];
    return 0;
}

static int cost_visit(void *context, size_t place, uint32_t process)
{
    struct stored_costs *costs = context;
    (void)process;
    validate_learn_stored(costs->plan, place, costs->inside_ns, costs->runs);
    costs->runs = costs->inside_ns = 0;
    return 0;
}

int validate_go_on(void *kept, struct failure *failure)
{
    struct validating *run = kept;
    struct stored_costs costs = {.plan = &run->plan};
    struct reader reader = {.store = run->studying.store,
                            .failure = failure,
                            .context = &costs,
                            .cell = cost_cell,
                            .run = cost_run,
                            .end = cost_visit};
    int error = study_adopt(&run->studying, failure);
    if (error < 0)
        return error;
    validate_adopt(&run->plan);
    for (size_t i = 0; i < run->plan.count; i++)
        if (run->plan.about[i].specimen != VALIDATE_NO_SPECIMEN)
            note_stored(&run->plan, i);
    return reader_read(&reader);
}

/* ----------------------------------------------------------------------------------------------
 * The rounds. */

#define RESERVE_MS  1500u /* for judging at the end */
#define LEAST_MS    8u    /* a process: with less nothing is begun */
#define POINTS      8u    /* one point takes at most this part of the budget */
#define FIRST_LEARN 2u    /* rounds before the samples are looked at, and again after … */
#define MOST_LEARNT 5u    /* … each of the following, at most so often */

static uint64_t time_left(const struct validating *run)
{
    const struct studying *studying = &run->studying;
    return gather_time_left(studying->started - 2 * (int64_t)run->judging_ms, studying->budget,
                            RESERVE_MS);
}

/* Wishes for what the next round holds. An event for which the budget does not hold a single cell
 * leaves the run unfinished. */
static bool further(void *kept)
{
    struct validating *run = kept;
    struct studying *studying = &run->studying;
    const uint64_t budget = studying->budget, least = run->plan.count ? 1 : LEAST_MS;
    for (int share = SHARE_HALF; share < SHARE_COUNT && time_left(run) >= least; share++) {
        const uint64_t left = time_left(run);
        const struct validate_round round = {
            .budget_ns = left < UINT64_MAX / 1000000 ? left * 1000000 / 10 * 8 : UINT64_MAX,
            .point_ns = budget ? budget * 1000000 / POINTS : UINT64_MAX,
            .share = (enum validate_share)share};
        if (validate_next(&run->plan, &round))
            return true;
    }
    for (size_t i = 0; i < run->plan.subject_count && budget; i++)
        studying->complete &= validate_cells_of(&run->plan, i) != 0;
    return false;
}

/* Marks events of which more is worth knowing, by what the store holds so far. */
static int learn(struct validating *run, struct failure *failure)
{
    struct validate_plan *plan = &run->plan;
    struct case_file file;
    struct memory_scope scope;
    memory_scope_begin(&scope);
    int error = validate_load(run->studying.store, &file, failure);
    const struct judgements judgements = error == 0 ? judge_case(&file) : (struct judgements){0};
    validate_surprises(plan, &judgements);
    memory_scope_end(&scope);
    return error;
}

/* After each round. Surprises make further wishes; looking must not cost more than it brings. */
static int look(void *kept)
{
    struct validating *run = kept;
    struct failure failure = {0};
    if (!run->studying.complete || !run->plan.count || ++run->rounds < FIRST_LEARN ||
        run->learnt >= MOST_LEARNT || run->judging_ms > time_left(run) / 10)
        return EXIT_DONE;
    run->learnt++;
    int64_t began = monotonic_ms();
    int error = learn(run, &failure);
    run->judging_ms = (uint64_t)(monotonic_ms() - began);
    return error < 0 ? deliver_failure("validate", &failure, EXIT_FAILED) : EXIT_DONE;
}

/* By whole tens, and not by a hair: prices are guesses. */
static double enough(double seconds)
{
    return 10 * ceil(1.25 * seconds / 10);
}

bool validate_search(const struct validating *run, size_t index, struct validate_search *search)
{
    const double budget = (double)run->studying.budget / 1000;
    for (size_t i = 0; i < run->plan.subject_count && budget > 0; i++) {
        const struct validate_subject *subject = &run->plan.subjects[i];
        const uint64_t wanting = validate_wanting(&run->plan, i);
        for (size_t j = 0; wanting && j < run->judgements.count; j++) {
            const struct judgement *judgement = &run->judgements.list[j];
            if (judgement->cause != CAUSE_UNKNOWN ||
                strcmp(judgement->evidence->event, subject->name) != 0 || index-- > 0)
                continue;
            *search =
                (struct validate_search){subject->name, enough(budget + (double)wanting / 1e9)};
            return true;
        }
    }
    return false;
}

/* Looking at the machine, which opens every event, may take half of the budget and no more: else a
 * small one would measure nothing at all. */
int validate_measure(void *kept)
{
    struct validating *run = kept;
    struct studying *studying = &run->studying;
    const struct pacing pacing = {.all = "all points",
                                  .reserve = RESERVE_MS,
                                  .portions = 1,
                                  .keeps = true,
                                  .between = look,
                                  .further = further,
                                  .put = put_cell};
    const int64_t started = studying->started;
    run->prepared_ms = (uint64_t)(monotonic_ms() - started);
    if (run->prepared_ms > studying->budget / 2)
        studying->started += (int64_t)(run->prepared_ms - studying->budget / 2);
    int status = study_measure(studying, &pacing);
    studying->started = started;
    return status;
}
