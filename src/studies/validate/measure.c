/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The rounds of `assay validate`: plan, measure, learn what it cost and what surprises, plan again;
 * then the judgement. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/memory.h"
#include "base/monotonic.h"
#include "engine/finish.h"
#include "engine/gather.h"
#include "engine/loading.h"
#include "engine/options.h"
#include "engine/run-store.h"
#include "engine/wishes.h"
#include "output/output.h"
#include "studies/validate/parts.h"

/* ----------------------------------------------------------------------------------------------
 * Which events `assay validate` judges, and under which names: each is opened, and one that cannot
 * be is a candidate as well, so that nothing is missing silently. */

/* Under which names an event of a kind is judged. */
enum naming {
    NAMED_PLAIN,     /* as it is; where that is not permitted with :u */
    NAMED_USER,      /* with :u, where that is refused as it is */
    NAMED_BOTH_WAYS, /* as it is, and with :u, which it may not honour */
};
static const struct {
    const char *kind;
    enum naming naming;
} namings[] = {
    {"hardware", NAMED_USER},      {"cache", NAMED_USER},
    {"pmu", NAMED_USER},           {"raw", NAMED_USER},
    {"pfm", NAMED_USER},           {"papi", NAMED_USER},
    {"software", NAMED_BOTH_WAYS}, {"tracepoint", NAMED_BOTH_WAYS},
};

/* A copy with texts of its own. */
static void append(struct candidate **list, size_t *count, const struct candidate *like)
{
    bool has_class = like->class && *like->class;
    *memory_add(*list, *count) =
        (struct candidate){.name = memory_copy(like->name),
                           .kind = memory_copy(like->kind),
                           .class = has_class ? memory_copy(like->class) : NULL,
                           .reason = memory_copy(like->reason ? like->reason : ""),
                           .error = like->error};
}

static const struct candidate *candidate_of(const struct validating *validating, const char *name)
{
    for (size_t i = 0; i < validating->candidate_count; i++)
        if (strcmp(validating->candidates[i].name, name) == 0)
            return &validating->candidates[i];
    return NULL;
}

/* Copies what was tried, once. */
static int validate_add_candidate(struct validating *validating, const struct candidate *like)
{
    if (!candidate_of(validating, like->name))
        append(&validating->candidates, &validating->candidate_count, like);
    return 0;
}

/* What the machine said of an event; points to what the event points to. */
static struct candidate said_of(const struct listed_event *event)
{
    return (struct candidate){.name = (char *)event->name,
                              .kind = (char *)event->kind,
                              .class = (char *)event->class,
                              .reason = (char *)event->reason,
                              .error = event->openable ? 0
                                       : event->error  ? event->error
                                                       : EIO};
}

/* --- the machine's list --- */

struct listing {
    const char *except_kind; /* leave out events of this kind; NULL: none */
    struct candidate *list;  /* names as listed */
    size_t count;
};

static int keep(void *context, const struct listed_event *event)
{
    struct listing *listing = context;
    const struct candidate listed = said_of(event);
    if (!listing->except_kind || strcmp(event->kind, listing->except_kind) != 0)
        append(&listing->list, &listing->count, &listed);
    return 0;
}

/* --- names --- */

static bool is_forbidden(int error)
{
    return error == EACCES || error == EPERM;
}

/* Opens `name`; a name that the machine refuses to read is an event that cannot be opened. */
static int try_name(struct validating *validating, const char *name, const struct candidate *like,
                    struct candidate *tried, struct failure *failure)
{
    struct listed_event event;
    int error = session_try_event(validating->session, name, &event, failure);
    *tried = *like;
    tried->name = (char *)name;
    /* Is it the session that failed, rather than the name? */
    if (error == -EPIPE || error == -EPROTO || error == -EINTR || error == -ETIMEDOUT ||
        error == -EBADMSG)
        return error;
    struct candidate said =
        error < 0
            ? (struct candidate){.class = like->class, .error = -error, .reason = failure->text}
            : said_of(&event);
    tried->class = said.class;
    tried->error = said.error;
    tried->reason = said.reason;
    return 0;
}

/* A counter of the CPU: with :u, and where that cannot be had as it is. */
static int add_user(struct validating *validating, const struct candidate *listed, const char *user,
                    struct failure *failure)
{
    struct candidate tried;
    int error = listed->error;
    /* What is not there at all is not there in whatever mode. Anything else may be about the mode
     * that was asked for: some PMUs count user code alone. */
    if (error == ENOENT || error == ENODEV || error == ENXIO || error == ENOSYS) {
        tried = *listed;
        tried.name = (char *)user;
        return validate_add_candidate(validating, &tried);
    }
    error = try_name(validating, user, listed, &tried, failure);
    if (error < 0)
        return error;
    if (!tried.error || listed->error)
        return validate_add_candidate(validating, &tried);
    error = skips_add(&validating->skips, user, tried.reason, tried.error);
    return error < 0 ? error : validate_add_candidate(validating, listed);
}

/* In every name that it is judged under. */
static int add_named(struct validating *validating, const struct candidate *listed,
                     struct failure *failure)
{
    AUTO_FREE char *user = event_in_user_mode(listed->name);
    enum naming naming = NAMED_PLAIN;
    for (size_t i = 0; i < sizeof(namings) / sizeof(*namings); i++)
        if (strcmp(namings[i].kind, listed->kind) == 0)
            naming = namings[i].naming;
    if (!user)
        return -ENOMEM;
    bool as_it_is = event_mode(listed->name) || strcmp(listed->kind, "source") == 0;
    if (!as_it_is && naming == NAMED_USER)
        return add_user(validating, listed, user, failure);
    validate_add_candidate(validating, listed);
    bool opens_both = naming == NAMED_BOTH_WAYS && !listed->error;
    if (as_it_is || (!opens_both && !is_forbidden(listed->error)))
        return 0;
    struct candidate tried;
    int error = try_name(validating, user, listed, &tried, failure);
    if (error == 0 && (opens_both || !tried.error)) /* else said of the plain name already */
        validate_add_candidate(validating, &tried);
    return error;
}

/* Everything that matches, in every name that it is judged under. */
static int add_listed(struct validating *validating, const char *glob, const char *except_kind,
                      struct failure *failure)
{
    struct listing listing = {.except_kind = except_kind};
    struct progress progress = {0};
    int error = session_list_events(validating->session, glob, keep, &listing, failure);
    progress_begin(&progress, "events", listing.count, validating->options->common.quiet);
    for (size_t i = 0; i < listing.count && error == 0; i++) {
        error = add_named(validating, &listing.list[i], failure);
        progress_step(&progress);
    }
    progress_end(&progress);
    return error;
}

/* --- what was asked for --- */

static int add_source(struct validating *validating, const char *name, struct failure *failure)
{
    const struct catalogue *catalogue = validating->catalogue;
    if (catalogue_source(catalogue, name)) {
        AUTO_TEXT struct text glob = {0};
        text_printf(&glob, "%s/*", name);
        return add_listed(validating, text_string(&glob), NULL, failure);
    }
    const char *reason = absence_of(catalogue, "source", name);
    if (reason)
        return fail_with(failure, -ENODEV, "the source %s cannot count here: %s", name, reason);
    AUTO_TEXT struct text known = {0};
    for (size_t i = 0; i < catalogue->source_count; i++)
        text_printf(&known, "%s%s", i ? ", " : "", catalogue->sources[i].name);
    return fail_with(failure, -EINVAL, "there is no source '%.60s', only %s", name,
                     text_string(&known));
}

static int add_argument(struct validating *validating, const char *name, struct failure *failure)
{
    struct listed_event event;
    size_t before = validating->candidate_count;
    int error;
    if (strpbrk(name, "*?[")) {
        error = add_listed(validating, name, NULL, failure);
        if (error == 0 && validating->candidate_count == before)
            error = fail_with(failure, -ENODEV, "no event here matches '%.200s'", name);
        return error;
    }
    error = session_try_event(validating->session, name, &event, failure);
    if (error == -EACCES || error == -EPERM) {
        struct candidate refused = {.name = (char *)name,
                                    .kind = (char *)"unknown",
                                    .reason = failure->text,
                                    .error = -error};
        return validate_add_candidate(validating, &refused);
    }
    if (error < 0)
        return error;
    const struct candidate like = said_of(&event);
    return validate_add_candidate(validating, &like);
}

static int find(struct validating *validating, struct failure *failure)
{
    const struct string_list *sources = &validating->options->source;
    const struct catalogue *catalogue = validating->catalogue;
    bool has_papi = false;
    int error = 0;
    for (size_t i = 0; i < sources->count && error == 0; i++)
        error = add_source(validating, sources->items[i], failure);
    for (int i = 0; i < validating->argument_count && error == 0; i++)
        error = add_argument(validating, validating->arguments[i], failure);
    if (error < 0 || sources->count || validating->argument_count)
        return error;
    for (size_t i = 0; i < catalogue->path_count; i++)
        has_papi |= strncmp(catalogue->paths[i].name, "papi-", 5) == 0;
    error = add_listed(validating, NULL, "source", failure);
    return error == 0 && has_papi ? add_listed(validating, "PAPI_*", NULL, failure) : error;
}

int validate_find_candidates(struct validating *validating)
{
    struct failure failure = {0};
    int error = find(validating, &failure);
    if (error == 0)
        return EXIT_DONE;
    if (!failure.text[0])
        return validate_out_of_memory();
    return validate_fail(&failure, deliver_status_of_name(error));
}

/* ----------------------------------------------------------------------------------------------
 * `assay validate --resume`: from an unfinished store to what the run would go on with, had it not
 * been ended: its options, its events, its cells and what they cost. */

/* --- how it began --- */

/* Events, sources, paths, specimens, runs and CPU are those that the run began with; the time it
 * may take as well, unless another is given. */
static void go_on_like(struct validating *validating, bool named)
{
    const struct validate_options *begun = &validating->begun;
    struct validate_options *resumed = &validating->resumed;
    *resumed = *validating->options;
    resumed->source = begun->source;
    resumed->path = begun->path;
    resumed->specimen = begun->specimen;
    resumed->runs = begun->runs;
    resumed->cpu = begun->cpu;
    resumed->full |= begun->full;
    if (!resumed->budget && !validating->options->full)
        resumed->budget = begun->budget;
    validating->options = resumed;
    validating->few = named || begun->source.count;
}

/* --- its store --- */

/* Whose store it is. */
static struct run_store validate_run_of(const struct validating *validating)
{
    return (struct run_store){.command = "validate",
                              .common = &validating->options->common,
                              .catalogue = validating->catalogue,
                              .path = validating->options->store,
                              .seed = validating->seed};
}

/* Says why the store cannot be had. */
static int validate_refuse(const struct validating *validating, int error, struct failure *failure)
{
    const struct validate_options *options = validating->options;
    return run_store_refuse("validate", error, options->resume || options->from, failure);
}

/* --- its events and cells --- */

static int take_event(void *context, const struct stored_event *event)
{
    const struct candidate like = {.name = (char *)event->name,
                                   .kind = (char *)event->kind,
                                   .class = (char *)event->class,
                                   .reason = (char *)event->reason,
                                   .error = event->error};
    return validate_add_candidate(context, &like);
}

static int reopen(struct validating *validating, struct failure *failure)
{
    const struct run_store run = validate_run_of(validating);
    struct store_info info = {0};
    struct string_list events = {0};
    int error = run_store_reopen(&run, &validating->store, &info, failure);
    if (error == 0) {
        validating->seed = info.seed;
        error = run_store_recall(&command_validate, store_path(validating->store), info.argv,
                                 &validating->begun, &events, failure);
    }
    if (error == 0)
        go_on_like(validating, events.count != 0);
    string_list_free(&events);
    store_info_release(&info);
    if (error == 0)
        error = store_each_event(validating->store, take_event, validating, failure);
    if (error == 0 && !validating->candidate_count)
        error = fail_with(failure, -EINVAL,
                          "%.300s was ended before it knew its events, so there is nothing to go "
                          "on with: remove it, and begin again without --resume",
                          store_path(validating->store));
    return error;
}

static int copy_cell(void *context, const struct stored_cell *stored)
{
    struct validating *validating = context;
    const struct cell copy = plan_copy(&stored->cell);
    return validate_adopt(&validating->study, &validating->plan, &copy, stored->processes);
}

struct stored_time {
    uint64_t runs, inside_ns;
};

static int add_sample(void *context, const struct sample *sample)
{
    struct stored_time *time = context;
    if (sample->counter == 0) {
        time->runs++;
        time->inside_ns += sample->enabled;
    }
    return 0;
}

/* Is the cell's event counted by a source? Its counter is enabled for as long as its process lives,
 * which says nothing of a run. */
static bool validate_is_of_source(const struct validating *validating, size_t cell)
{
    size_t subject = validating->plan.about[cell].subject;
    return subject < validating->study.subject_count && validating->subjects[subject].runs;
}

static int adopt_costs(struct validating *validating, struct failure *failure)
{
    int error = 0;
    for (size_t i = 0; i < validating->plan.count && error == 0; i++) {
        const struct cell *cell = &validating->plan.cells[i];
        struct stored_time time = {0};
        error = store_each_sample(validating->store, cell->id, add_sample, &time, failure);
        if (time.runs)
            validate_adopt_cost(&validating->plan, i,
                                (uint32_t)((time.runs + cell->runs - 1) / cell->runs), time.runs,
                                validate_is_of_source(validating, i) ? 0 : time.inside_ns);
    }
    return error;
}

/* The cells of the store that was reopened become the plan's. */
static int validate_adopt_plan(struct validating *validating, struct failure *failure)
{
    int error = store_each_cell(validating->store, copy_cell, validating, failure);
    if (error < 0)
        return error;
    const struct run_store run = validate_run_of(validating);
    error = run_store_same_plan(&run, validating->store, validating->plan.cells,
                                validating->plan.count, failure);
    return error < 0 ? error : adopt_costs(validating, failure);
}

int validate_reopen(struct validating *validating)
{
    struct failure failure = {0};
    int error = reopen(validating, &failure);
    return error == 0 ? EXIT_DONE : validate_refuse(validating, error, &failure);
}

/* ----------------------------------------------------------------------------------------------
 * The store behind `assay validate`: everything that judging needs goes into it before the first
 * sample, so that it can be judged again where the machine is not. */

/* --- what is known beforehand --- */

static int put_events(struct validating *validating, struct failure *failure)
{
    int error = 0;
    for (size_t i = 0; i < validating->candidate_count && error == 0; i++) {
        const struct candidate *candidate = &validating->candidates[i];
        const struct stored_event event = {.name = candidate->name,
                                           .kind = candidate->kind,
                                           .class = candidate->class,
                                           .error = candidate->error,
                                           .reason = candidate->reason};
        error = store_put_event(validating->store, &event, failure);
    }
    return error;
}

static bool counts_user_code(const struct validating *validating, size_t cell)
{
    size_t subject = validating->plan.about[cell].subject;
    return subject < validating->study.subject_count && validating->subjects[subject].user_code;
}

/* Was it measured before cell `before`; where asked, for an event of user code? */
static bool was_used(const struct validating *validating, size_t specimen, size_t before,
                     bool user_code)
{
    for (size_t i = 0; i < before; i++)
        if (validating->plan.about[i].specimen == specimen &&
            (!user_code || counts_user_code(validating, i)))
            return true;
    return false;
}

static int put_specimens(struct validating *validating, size_t first, struct failure *failure)
{
    int error = 0;
    for (size_t i = first; i < validating->plan.count && error == 0; i++) {
        size_t specimen = validating->plan.about[i].specimen;
        if (specimen == VALIDATE_NO_SPECIMEN)
            continue;
        const struct catalogue_specimen *known = validating->specimens[specimen].known;
        if (!was_used(validating, specimen, i, false))
            error = run_store_put_specimen(validating->store, known, failure);
        if (error == 0 && counts_user_code(validating, i) &&
            !was_used(validating, specimen, i, true))
            error = validate_put_opcodes(validating, known->name, failure);
    }
    return error;
}

static int put_predictions(struct validating *validating, const struct cell *cell,
                           struct failure *failure)
{
    int error = 0;
    for (uint32_t i = 0; i < cell->counters && error == 0; i++) {
        const struct candidate *known = candidate_of(validating, cell->events[i]);
        if (!known)
            continue;
        const struct counted_event event = {known->name, known->kind, known->class};
        error =
            run_store_put_truth(validating->store, validating->catalogue, cell, i, &event, failure);
    }
    return error < 0
               ? error
               : run_store_put_account(validating->store, validating->catalogue, cell, failure);
}

/* Cells that the plan got since `first` go into the store, with what is predicted of them. */
static int validate_store_cells(struct validating *validating, size_t first,
                                struct failure *failure)
{
    const struct validate_plan *plan = &validating->plan;
    size_t added = plan->count - first, visit_count = 0;
    AUTO_MEMORY uint32_t *processes = memory_new(added, sizeof(*processes));
    AUTO_MEMORY struct visit *visits = NULL;
    for (size_t i = 0; i < added; i++)
        processes[i] = plan->about[first + i].processes;
    /* Each round draws its order from a seed of its own. */
    plan_rounds(plan->cells + first, added, processes, validating->seed + first, &visits,
                &visit_count);
    int error =
        store_put_plan(validating->store, plan->cells + first, added, visits, visit_count, failure);
    for (size_t i = first; i < plan->count && error == 0; i++)
        error = put_predictions(validating, &plan->cells[i], failure);
    if (error == 0)
        error = put_specimens(validating, first, failure);
    return error < 0 ? error : store_commit(validating->store, failure);
}

static int create(struct validating *validating, struct failure *failure)
{
    const struct run_store run = validate_run_of(validating);
    int error = run_store_create(&run, &validating->store, failure);
    if (error == 0)
        error = put_events(validating, failure);
    return error < 0 ? error : store_commit(validating->store, failure);
}

int validate_open_store(struct validating *validating)
{
    struct failure failure = {0};
    int error = validating->options->resume ? validate_adopt_plan(validating, &failure)
                                            : create(validating, &failure);
    return error == 0 ? EXIT_DONE : validate_refuse(validating, error, &failure);
}

/* --- a finished one --- */

static int open_from(struct validating *validating, struct failure *failure)
{
    struct store_info info = {0};
    int error = run_store_open_from(validating->options->from, "validate", &validating->store,
                                    &info, failure);
    if (error == 0)
        error = store_facts(validating->store, &validating->stored_facts, failure);
    if (error == 0) {
        struct string_list events = {0};
        struct failure ignored = {0};
        validating->few = run_store_recall(&command_validate, validating->options->from, info.argv,
                                           &validating->begun, &events, &ignored) == 0 &&
                          (events.count || validating->begun.source.count);
        string_list_free(&events);
        validating->seed = info.seed;
        validating->complete = info.finished != NULL;
        snprintf(validating->fingerprint, sizeof(validating->fingerprint), "%s", info.fingerprint);
        validating->facts = &validating->stored_facts;
    }
    store_info_release(&info);
    return error;
}

int validate_open_from(struct validating *validating)
{
    struct failure failure = {0};
    int error = open_from(validating, &failure);
    return error == 0 ? EXIT_DONE : validate_refuse(validating, error, &failure);
}

/* --- the rounds --- */

#define RESERVE_MS  1500u /* for judging at the end */
#define POINTS      8u    /* one point takes at most this part of the budget */
#define FIRST_LEARN 2u    /* rounds before the samples are looked at, and again after … */
#define MOST_LEARNT 5u    /* … each of the following, at most so often */

struct rounds {
    struct validating *validating;
    struct gathering gathering;
    struct failure failure;
    unsigned done, learnt;
};

static void keep_time(void *context, uint32_t cell, uint64_t wall_ns, uint64_t inside_ns,
                      uint64_t runs)
{
    struct validating *validating = context;
    struct validate_plan *plan = &validating->plan;
    for (size_t i = 0; i < plan->count; i++) {
        /* Ids count from 1 in the order of the plan. */
        size_t at = (cell - 1 + i) % plan->count;
        if (plan->cells[at].id != cell)
            continue;
        plan->about[at].visits++;
        plan->about[at].wall_ns += wall_ns;
        if (!validate_is_of_source(validating, at))
            plan->about[at].inside_ns += inside_ns;
        plan->about[at].runs += runs;
        return;
    }
}

/* ms that are left for measuring; UINT64_MAX: no limit. Looking at the machine, which opens every
 * event, may take half of the budget and no more: else a small one would measure nothing at all. */
static uint64_t time_left(const struct validating *validating)
{
    uint64_t budget = validating->budget, prepared = validating->prepared_ms;
    uint64_t used = (uint64_t)(monotonic_ms() - validating->started);
    if (prepared > budget / 2)
        used -= prepared - budget / 2;
    uint64_t reserve = budget / 10 < RESERVE_MS ? budget / 10 : RESERVE_MS;
    if (reserve < 2 * validating->judging_ms)
        reserve = 2 * validating->judging_ms;
    if (!budget)
        return UINT64_MAX;
    return used + reserve < budget ? budget - reserve - used : 0;
}

/* Appends the next cells; false: nothing more is to be had, or it failed (failure says so). */
static bool plan_more(struct rounds *rounds)
{
    struct validating *validating = rounds->validating;
    size_t first = validating->plan.count;
    for (int share = SHARE_HALF; share < SHARE_COUNT; share++) {
        uint64_t left = time_left(validating);
        struct validate_round round = {
            .budget_ns = left < UINT64_MAX / 1000000 ? left * 1000000 / 10 * 8 : UINT64_MAX,
            .point_ns = validating->budget ? validating->budget * 1000000 / POINTS : UINT64_MAX,
            .share = (enum validate_share)share};
        if (!left)
            return false;
        int error = validate_next(&validating->study, &round, &validating->plan);
        if (error < 0) {
            fail_with(&rounds->failure, error, "out of memory");
            return false;
        }
        if (validating->plan.count > first)
            return validate_store_cells(validating, first, &rounds->failure) == 0;
    }
    return false;
}

static int run_planned(struct rounds *rounds, bool more)
{
    struct validating *validating = rounds->validating;
    uint64_t left = time_left(validating);
    rounds->gathering.cells = validating->plan.cells;
    rounds->gathering.cell_count = validating->plan.count;
    rounds->gathering.budget = left == UINT64_MAX ? 0 : left ? left : 1;
    rounds->gathering.more = more;
    int status = gather(&rounds->gathering, &validating->complete, &rounds->failure);
    rounds->gathering.resumed = false;
    return rounds->failure.code ? validate_fail(&rounds->failure, status) : status;
}

/* Surprises make further wishes. Looking must not cost more than it brings. */
static int look(struct rounds *rounds)
{
    struct validating *validating = rounds->validating;
    if (++rounds->done < FIRST_LEARN || rounds->learnt >= MOST_LEARNT ||
        validating->judging_ms > time_left(validating) / 10)
        return EXIT_DONE;
    rounds->learnt++;
    int64_t began = monotonic_ms();
    int error = validate_learn(validating, &rounds->failure);
    validating->judging_ms = (uint64_t)(monotonic_ms() - began);
    return error < 0 ? validate_fail(&rounds->failure, EXIT_FAILED) : EXIT_DONE;
}

int validate_measure(struct validating *validating)
{
    struct rounds rounds = {.validating = validating,
                            .gathering = {.command = "validate",
                                          .common = &validating->options->common,
                                          .session = validating->session,
                                          .store = validating->store,
                                          .resumed = validating->options->resume,
                                          .timed = keep_time,
                                          .timed_context = validating}};
    int status = EXIT_DONE;
    validating->prepared_ms = (uint64_t)(monotonic_ms() - validating->started);
    if (validating->options->resume)
        status = run_planned(&rounds, !run_store_is_finished(validating->store));
    if (status != EXIT_DONE || !validating->complete || run_store_is_finished(validating->store))
        return status;
    while (status == EXIT_DONE && validating->complete && plan_more(&rounds)) {
        status = run_planned(&rounds, true);
        if (status == EXIT_DONE && validating->complete)
            status = look(&rounds);
    }
    if (rounds.failure.code)
        return status != EXIT_DONE
                   ? status
                   : validate_fail(&rounds.failure,
                                   rounds.failure.code == -EINTR ? EXIT_INTERRUPTED : EXIT_FAILED);
    if (status != EXIT_DONE || !validating->complete)
        return status;
    /* Is there an event for which the budget did not hold a single cell? */
    for (size_t i = 0; i < validating->study.subject_count && validating->budget; i++)
        if (validate_last_of_subject(&validating->plan, i) == 0) {
            validating->complete = false;
            return EXIT_DONE;
        }
    /* Nothing more to measure: the store is finished. */
    return run_planned(&rounds, false);
}
