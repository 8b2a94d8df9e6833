/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The rounds of `assay validate`: plan, measure, learn what it cost and what surprises, plan again.
 * Everything that judging needs goes into the store before the first sample, so that it can be
 * judged again where the machine is not. */
#include <errno.h>
#include <string.h>

#include "base/memory.h"
#include "base/monotonic.h"
#include "decode/decode.h"
#include "engine/finish.h"
#include "engine/gather.h"
#include "engine/loading.h"
#include "engine/run-store.h"
#include "studies/validate/parts.h"

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

static int take_cell(void *context, const struct stored_cell *stored, size_t *place)
{
    (void)context;
    *place = stored->cell.id - 1;
    return 0;
}

static int take_run(void *context, const struct read_run *read)
{
    struct stored_costs *costs = context;
    costs->runs++;
    costs->inside_ns += read->enabled[0];
    return 0;
}

static int end_visit(void *context, size_t place, uint32_t process)
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
                            .cell = take_cell,
                            .run = take_run,
                            .end = end_visit};
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

static void learn_event(const struct judgement *judgement, struct validate_subject *subject,
                        const char *primary)
{
    enum verdict verdict = judgement->verdict;
    enum cause cause = judgement->cause;
    bool amiss = verdict_is_of_counts(verdict) && cause != CAUSE_NONE &&
                 cause != CAUSE_INTERFACE_OVERHEAD && cause != CAUSE_MODE_NOT_APPLICABLE;
    subject->deviates = verdict == VERDICT_NOISY || verdict == VERDICT_BIASED || amiss;
    if (verdict == VERDICT_UNSCHEDULED)
        validate_next_core(subject);
    subject->zero_to = subject->counts_from = 0;
    const struct judged_row *row = NULL;
    for (size_t i = 0; i < judgement->row_count && !row; i++)
        if (strcmp(judgement->rows[i].specimen, primary) == 0 &&
            strcmp(judgement->rows[i].path, subject->ways[0].path) == 0)
            row = &judgement->rows[i];
    /* The largest N that reads zero although its truth is not, and the smallest above that counts.
     */
    for (size_t i = 0; row && i < row->point_count && !subject->counts_from; i++) {
        const struct judged_point *point = &row->points[i];
        if (!point->runs || point->point->truth.low <= 0)
            continue;
        if (point->is_zero)
            subject->zero_to = point->point->n;
        else if (subject->zero_to)
            subject->counts_from = point->point->n;
    }
    if (!subject->counts_from)
        subject->zero_to = 0;
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
    for (size_t i = 0; i < plan->subject_count; i++) {
        struct validate_subject *subject = &plan->subjects[i];
        size_t primary = validate_primary(plan, subject->class);
        for (size_t j = 0; j < judgements.count; j++)
            if (strcmp(judgements.list[j].evidence->event, subject->name) == 0)
                learn_event(&judgements.list[j], subject, plan->specimens[primary].name);
    }
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
