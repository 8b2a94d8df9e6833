/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What `assay repeat` would execute: what executions cost, what is learnt from them, the order of
 * importance; and from a program, a source and a setting to a cell. */
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "engine/loading.h"
#include "studies/repeat/parts.h"

/* ----------------------------------------------------------------------------------------------
 * What an execution will take: before anything was seen by what is usual for its source, then by
 * what the program took when nothing slowed it down, by its instructions, and at last by what it
 * took with that source. */

#define MS_NS      UINT64_C(1000000)
#define UNKNOWN_NS (30 * MS_NS) /* an execution of which nothing is known */
/* What of an execution the operating system needs to start and end it, in which no instruction of
 * the program is stepped through; and the least that is left. */
#define SYSTEM_NS (1 * MS_NS)
#define LEAST_NS  (MS_NS / 10)

/* Roughly, on a machine of today: how many times longer an execution takes, what starting costs,
 * ns of a single step, and of a line that tells which instruction it was. */
static const struct expected {
    const char *name;
    double slower;
    uint64_t start_ns, each_ns, tell_ns;
    bool moves; /* the tool places memory itself */
} expectations[] = {
    {"perf_event", 1, 8 * MS_NS, 0, 0, false},    {"qemu", 15, 60 * MS_NS, 0, 0, true},
    {"valgrind", 50, 600 * MS_NS, 0, 6000, true}, {"step", 8000, 20 * MS_NS, 20000, 0, false},
    {"pin", 10, 500 * MS_NS, 0, 0, false},        {"dynamorio", 10, 100 * MS_NS, 0, 0, false},
};
static const struct expected unheard_of = {"", 50, 600 * MS_NS, 0, 0, false};
#define EMULATED_START 8u /* times as dear */

static const struct expected *expect(const char *name)
{
    for (size_t i = 0; i < sizeof(expectations) / sizeof(*expectations); i++)
        if (strcmp(expectations[i].name, name) == 0)
            return &expectations[i];
    return &unheard_of;
}

void repeat_source_expect(struct repeat_source *source, bool emulated)
{
    const struct expected *expected = expect(source->name);
    const uint64_t times = emulated ? EMULATED_START : 1;
    source->slower = expected->slower;
    source->start_ns = expected->start_ns * times;
    source->each_ns = expected->each_ns * times;
    source->tell_ns = expected->tell_ns * times;
}

static bool source_sees(const char *source, enum control control)
{
    const bool of_memory = control == CONTROL_ASLR || control == CONTROL_CPU ||
                           control == CONTROL_STACK || control == CONTROL_LAYOUT;
    return !of_memory || !expect(source)->moves;
}

static uint64_t capped(double ns)
{
    return ns < 0x1p62 ? (uint64_t)ns : UINT64_C(1) << 62;
}

/* Visits of this program with that source that were seen, without details; ns of one, 0: none. */
static uint64_t seen_price(const struct repeat_plan *plan, size_t program, size_t source)
{
    uint64_t ns = 0, visits = 0;
    for (size_t i = 0; i < plan->wishes->count; i++) {
        const struct repeat_aim *aim = &plan->aims[i];
        if (aim->program != program || aim->source != source || aim->detail != DETAIL_NONE)
            continue;
        ns += plan->wishes->list[i].ns;
        visits += plan->wishes->list[i].visits;
    }
    return visits ? ns / visits : 0;
}

/* ns of an execution that nothing slows down. */
static uint64_t plain_ns(const struct repeat_plan *plan, size_t program)
{
    const struct repeat_told *told = &plan->told[program];
    return told->ns_runs ? told->ns / told->ns_runs : UNKNOWN_NS;
}

static uint64_t instructions(const struct repeat_plan *plan, size_t program)
{
    const uint64_t told = plan->told[program].instructions;
    return told ? told : plan->programs[program].instructions;
}

/* ns of a step, by what steps took so far. */
static uint64_t step_ns(const struct repeat_plan *plan, size_t source)
{
    const struct repeat_source *of = &plan->sources[source];
    double ns = 0, steps = 0;
    for (size_t i = 0; i < plan->program_count; i++) {
        const uint64_t seen = seen_price(plan, i, source), count = instructions(plan, i);
        if (!seen || !count)
            continue;
        ns += (double)(seen > of->start_ns ? seen - of->start_ns : 0);
        steps += (double)count;
    }
    /* A few steps are over before the clock tells them from the start. */
    return steps > 1000 && ns > 0 ? (uint64_t)(ns / steps) + 1 : of->each_ns;
}

static const struct repeat_source *source_of(const struct repeat_plan *plan, size_t source)
{
    static const struct repeat_source plain = {.slower = 1, .start_ns = 8 * MS_NS};
    return source == REPEAT_PLAIN ? &plain : &plan->sources[source];
}

static uint64_t unseen_price(const struct repeat_plan *plan, size_t program, size_t source)
{
    const struct repeat_source *of = source_of(plan, source);
    const uint64_t count = instructions(plan, program);
    uint64_t plain_time = plain_ns(plan, program);
    if (of->each_ns)
        plain_time = plain_time > SYSTEM_NS + LEAST_NS ? plain_time - SYSTEM_NS : LEAST_NS;
    double ns = of->slower * (double)plain_time;
    if (of->each_ns && count)
        ns = (double)step_ns(plan, source) * (double)count;
    return capped(ns + (double)of->start_ns);
}

uint64_t repeat_plan_price(const struct repeat_plan *plan, size_t program, size_t source,
                           enum command_detail detail)
{
    const struct repeat_source *of = source_of(plan, source);
    /* System calls are watched without stepping. */
    if (detail == DETAIL_CALLS)
        return of->start_ns + 3 * plain_ns(plan, program);
    /* Telling which instructions they were is something else than counting them. Of those that
     * nobody has counted yet: one a ns. */
    if (detail == DETAIL_CODE && of->tell_ns) {
        const uint64_t count = instructions(plan, program);
        return capped((double)of->start_ns +
                      (double)of->tell_ns * (double)(count ? count : plain_ns(plan, program)));
    }
    uint64_t price = seen_price(plan, program, source);
    if (!price)
        price = unseen_price(plan, program, source);
    return detail == DETAIL_CODE ? price + price / 2 : price;
}

/* ----------------------------------------------------------------------------------------------
 * What a plan learns from executions: whether programs can be started, whether they end, how long
 * they take and how many instructions they have. */

/* instructions:u, qemu/instructions/ and their like. */
static bool tells_instructions(const char *event)
{
    const char *slash = strchr(event, '/'), *name = slash ? slash + 1 : event;
    const size_t length = strcspn(name, slash ? "/" : ":");
    return length == strlen("instructions") && strncmp(name, "instructions", length) == 0;
}

static int find_cell(void *context, const struct stored_cell *stored, size_t *place)
{
    const struct repeat_plan *plan = context;
    const size_t index = stored->cell.id - 1;
    if (index < plan->wishes->cell_count && plan->wishes->about[index].wish != NO_WISH)
        *place = index;
    return 0;
}

static int note_run(void *context, const struct read_run *run)
{
    const struct repeat_plan *plan = context;
    const size_t wish = plan->wishes->about[run->place].wish;
    struct repeat_aim *aim = &plan->aims[wish];
    struct repeat_told *told = &plan->told[aim->program];
    const bool first = wish == told->first;
    bool counted = false; /* of several events of instructions the first says it */
    for (uint32_t i = 0; i < run->counters; i++) {
        const char *event = plan->wishes->cells[run->place].events[i];
        const uint64_t value = run->values[i];
        if (strcmp(event, RUN_STATUS) == 0) {
            const bool endless = value >= STATUS_TIMEOUT;
            aim->runs++;
            aim->timed_out += endless;
            told->runs += first;
            told->endless += first && endless;
        } else if (strcmp(event, RUN_NANOSECONDS) == 0 && first) {
            told->ns += value;
            told->ns_runs++;
        } else if (tells_instructions(event) && !counted) {
            counted = true;
            told->instructions = value > told->instructions ? value : told->instructions;
        }
    }
    return 0;
}

static int read_executions(struct repeat_plan *plan, struct store *store, struct failure *failure)
{
    struct reader reader = {.store = store,
                            .failure = failure,
                            .context = plan,
                            .cell = find_cell,
                            .run = note_run,
                            .run_word = "execution",
                            .counter_word = "column"};
    for (size_t i = 0; i < plan->program_count; i++)
        plan->told[i] = (struct repeat_told){.first = plan->told[i].first};
    for (size_t i = 0; i < plan->wishes->count; i++)
        plan->aims[i].runs = plan->aims[i].timed_out = 0;
    return reader_read(&reader);
}

/* --- what follows --- */

static bool is_over(const struct repeat_plan *plan, size_t program)
{
    const struct repeat_told *told = &plan->told[program];
    return told->first != NO_WISH && (wishes_is_failing(plan->wishes, told->first) ||
                                      (told->runs && told->endless == told->runs));
}

/* Nothing more of programs that cannot be started or never end, nor of what waits for an execution
 * by the same source that did not end; where the user's does not, of nothing. */
static void give_up(struct repeat_plan *plan)
{
    const bool all = plan->program_count && plan->programs[0].user && is_over(plan, 0);
    for (size_t i = 0; i < plan->wishes->count; i++) {
        struct repeat_aim *aim = &plan->aims[i];
        struct wish *wish = &plan->wishes->list[i];
        const struct repeat_aim *before =
            wish->after == NO_WISH || wish->after == i ? NULL : &plan->aims[wish->after];
        const bool endless = aim->runs && aim->timed_out == aim->runs;
        const bool follows = before && before->dropped && before->program == aim->program &&
                             before->source == aim->source;
        if (aim->dropped || !(all || endless || is_over(plan, aim->program) || follows))
            continue;
        aim->dropped = true;
        wish->after = i; /* it waits for itself: nothing more is due */
        wish->processes = wish->least = 0;
    }
}

/* What waits for a source that turned out to be unable waits for the first execution instead. */
static void wait_for_others(struct repeat_plan *plan)
{
    for (size_t i = 0; i < plan->wishes->count; i++) {
        struct wish *wish = &plan->wishes->list[i];
        const struct repeat_aim *aim = &plan->aims[i];
        if (wish->after == NO_WISH || wish->after == i || aim->dropped || aim->held)
            continue;
        const struct repeat_aim *before = &plan->aims[wish->after];
        const bool able = !wishes_is_failing(plan->wishes, wish->after) && !before->dropped;
        if (!able && before->program == aim->program && before->source != aim->source)
            wish->after = plan->told[aim->program].first;
    }
}

/* Prices of what was seen are what it took, so that nothing is corrected twice. */
static void set_prices(struct repeat_plan *plan)
{
    for (size_t i = 0; i < plan->wishes->count; i++) {
        struct wish *wish = &plan->wishes->list[i];
        const struct repeat_aim *aim = &plan->aims[i];
        if (wish->visits) {
            wish->expected_ns = wish->ns / wish->visits;
            continue;
        }
        wish->expected_ns = repeat_plan_price(plan, aim->program, aim->source, aim->detail);
        /* A person who names nobody but a stepper wants it tried: before anybody counted
         * instructions its price is a guess, and it takes no longer than it may. */
        const uint64_t timeout = wish->cells[0].command.timeout * MS_NS;
        const uint64_t most = timeout - timeout / 10;
        if (plan->passes && aim->pass == REPEAT_FIRST && aim->source != REPEAT_PLAIN &&
            plan->sources[aim->source].each_ns && timeout && wish->expected_ns > most)
            wish->expected_ns = most;
    }
}

/* What is known of executions becomes what wishes cost, wait for, and which are given up. */
static void repeat_plan_follow(struct repeat_plan *plan)
{
    give_up(plan);
    wait_for_others(plan);
    set_prices(plan);
}

int repeat_plan_learn(struct repeat_plan *plan, struct store *store, struct failure *failure)
{
    int error = read_executions(plan, store, failure);
    if (error < 0)
        return error;
    /* A second process is planned only when looking is over. */
    bool looked = false;
    for (size_t i = 0; i < plan->wishes->count; i++)
        looked |= wishes_processes(plan->wishes, i) > 1;
    for (size_t i = 0; i < plan->wishes->count && looked && !plan->passes; i++) {
        if (plan->aims[i].held && !plan->aims[i].dropped)
            plan->wishes->list[i].after = plan->aims[i].after;
        plan->aims[i].held = false;
    }
    repeat_plan_follow(plan);
    return 0;
}

/* ----------------------------------------------------------------------------------------------
 * In which order a plan for one command opens its wishes: whatever a machine under load leaves of
 * the budget, the answer and the control behind it come first. */

static bool is_perf(const struct repeat_source *source)
{
    return strcmp(source->name, "perf_event") == 0;
}

struct wisher {
    const struct repeat_study *study;
    struct repeat_plan *plan;
    int error; /* the first failure; nothing is added after it */
    struct failure *failure;
};

/* The controls that most often do it. */
#define SUSPECTS (CONTROL_BIT(CONTROL_ASLR) | CONTROL_BIT(CONTROL_HASH_SEEDS))

/* The first that counts instructions and lets this control reach the program; CONTROL_COUNT: the
 * first of all. REPEAT_PLAIN: there is none. */
static size_t cheapest_that_sees(const struct repeat_study *study, enum control control)
{
    for (size_t i = 0; i < study->source_count; i++)
        if (study->sources[i].instructions && source_sees(study->sources[i].name, control))
            return i;
    return REPEAT_PLAIN;
}

static enum repeat_pass pass_of(const struct wisher *wisher, const struct repeat_aim *wished)
{
    const struct repeat_study *study = wisher->study;
    const bool cheapest = wished->source == cheapest_that_sees(study, CONTROL_COUNT);
    const bool perf = wished->source == REPEAT_PLAIN || (wished->source < study->source_count &&
                                                         is_perf(&study->sources[wished->source]));
    const bool setting = wished->stage == REPEAT_SETTINGS;
    if (wished->program >= study->program_count)
        return REPEAT_REST;
    /* Of a suite seven executions of some programs say more than one of each. */
    if (study->program_count > 1)
        return !setting   ? REPEAT_REST
               : perf     ? REPEAT_FIRST
               : cheapest ? REPEAT_SUSPECT
                          : REPEAT_REST;
    if (wished->stage == REPEAT_DETAILS)
        return REPEAT_DETAIL;
    if (!perf && !cheapest)
        return setting ? REPEAT_LOOK : REPEAT_REST;
    if (setting)
        return REPEAT_FIRST;
    if (wished->stage != REPEAT_SINGLES)
        return REPEAT_REST;
    const uint32_t on = wished->controls, off = study->controls & ~on;
    const bool suspect = !(on & ~SUSPECTS) || !(off & ~SUSPECTS);
    return cheapest && suspect ? REPEAT_SUSPECT : REPEAT_OTHERS;
}

/* How many executions it may have for now. */
static void limit(struct repeat_plan *plan, size_t wish)
{
    struct wish *limited = &plan->wishes->list[wish];
    const struct repeat_aim *aim = &plan->aims[wish];
    const bool full =
        plan->pass == REPEAT_REST || (plan->pass >= REPEAT_FULL && aim->pass < REPEAT_FULL);
    if (aim->dropped)
        return;
    limited->at_once = plan->pass != REPEAT_REST;
    limited->least = aim->pass == REPEAT_LOOK && plan->pass != REPEAT_REST ? 1 : aim->least;
    limited->processes = full ? aim->processes : limited->least;
}

bool repeat_plan_further(struct repeat_plan *plan)
{
    if (!plan->passes || plan->pass == REPEAT_REST)
        return false;
    plan->pass++;
    for (size_t i = 0; i < plan->wishes->count; i++) {
        struct repeat_aim *aim = &plan->aims[i];
        const uint64_t timeout = plan->wishes->list[i].cells[0].command.timeout;
        /* Would it be ended before its end? */
        const bool outlasts =
            (aim->pass == REPEAT_LOOK || aim->pass == REPEAT_DETAIL) && timeout &&
            repeat_plan_price(plan, aim->program, aim->source, aim->detail) / MS_NS > timeout;
        if (aim->held && aim->pass <= plan->pass && !outlasts) {
            aim->held = false;
            if (!aim->dropped)
                plan->wishes->list[i].after = aim->after;
        }
        limit(plan, i);
    }
    repeat_plan_follow(plan);
    return true;
}

/* --- from a program, a source and a setting to a cell --- */

#define S_MS UINT64_C(1000)
/* ms that a subject may take: each is short, unless a tool keeps it from ending. */
#define LONGEST_MS       (UINT64_C(7) * 24 * 3600 * S_MS) /* that a cell may say */
#define SUBJECT_MS       (10 * S_MS)
#define QUICK_SUBJECT_MS (4 * S_MS)
#define TOOL_SHARE       4u /* of the time there is */
#define STEPPED_TIMES    3u
#define EMULATED_TIMES   6u
/* Bytes from one point of a sweep to the next. The first takes every remainder by 16 in turn, the
 * second (a stack begins at a multiple of 16) every one by 256; both stay below what a page holds.
 */
#define ENVIRONMENT_STEP 251u
#define STACK_STEP       240u

static const char *const columns[] = {RUN_STATUS,     RUN_OUTPUT_BYTES, RUN_OUTPUT_SUM,
                                      RUN_TASKS,      RUN_PROCESSES,    RUN_LEFT,
                                      RUN_INTERRUPTS, RUN_NANOSECONDS};
#define COLUMNS (sizeof(columns) / sizeof(*columns))

/* --- the time that it may take --- */

/* Whoever is slowed down may take longer; but no single execution by a tool takes most of the time
 * there is. */
static uint64_t timeout_of(const struct repeat_study *study, const struct repeat_wanted *program,
                           const struct repeat_source *source)
{
    if (program->subject)
        return (study->quick ? QUICK_SUBJECT_MS : SUBJECT_MS) *
               (source && source->each_ns ? STEPPED_TIMES : 1) *
               (study->emulated ? EMULATED_TIMES : 1);
    if (!study->timeout || !source || source->slower <= 1)
        return study->timeout;
    const double slowed = (double)study->timeout * source->slower;
    const uint64_t most = study->longest ? study->longest / TOOL_SHARE + 1 : LONGEST_MS;
    return slowed < (double)most ? (uint64_t)slowed : most;
}

/* --- a cell --- */

static int make_cell(const struct wisher *wisher, const struct repeat_aim *wished, uint32_t point,
                     struct cell *cell)
{
    static const uint64_t steps[SWEEP_COUNT] = {
        [SWEEP_ENVIRONMENT] = ENVIRONMENT_STEP, [SWEEP_STACK] = STACK_STEP};
    const struct repeat_study *study = wisher->study;
    const struct repeat_wanted *program = &wisher->plan->programs[wished->program];
    const struct repeat_source *source =
        wished->source == REPEAT_PLAIN ? NULL : &study->sources[wished->source];
    const bool pinned = wished->controls & CONTROL_BIT(CONTROL_CPU);
    const bool first =
        wished->controls == 0 && wished->detail == DETAIL_NONE && (!source || wished->source == 0);
    *cell = (struct cell){
        .path = memory_copy("command"),
        .pattern = PATTERN_RR,
        .specimen = memory_copy("null"),
        .opt = memory_copy("O2"),
        .link = memory_copy("static"),
        .runs = 1,
        .cpu = pinned ? study->cpu : -1,
        .command = {.controls = wished->controls,
                    .sweep = wished->sweep,
                    .swept = wished->sweep == SWEEP_ASLR ? point + 1 : point * steps[wished->sweep],
                    .timeout = timeout_of(study, program, source),
                    .detail = wished->detail,
                    .shown = study->shown && program->user && first,
                    .words = memory_copy(program->words),
                    .name = memory_copy(program->name),
                    .directory = memory_copy(program->directory),
                    .input = memory_copy(program->input),
                    .keep = memory_copy(study->keep)}};
    /* Who watches calls counts nothing that would slow it down. */
    if (wished->detail == DETAIL_CALLS)
        cell->events[cell->counters++] = memory_copy(source->calls);
    else
        for (size_t i = 0; source && i < source->count && i < CELL_MAX_COUNTERS - COLUMNS; i++)
            cell->events[cell->counters++] = memory_copy(source->events[i]);
    for (size_t i = 0; i < COLUMNS; i++)
        cell->events[cell->counters++] = memory_copy(columns[i]);
    return cell_check_command(cell, wisher->failure);
}

/* --- a wish --- */

static int add_wish(struct wisher *wisher, const struct repeat_aim *wished)
{
    struct repeat_plan *plan = wisher->plan;
    const struct wish wish = {
        .stage = (unsigned)wished->stage,
        .processes = wished->processes,
        .least = wished->least,
        .after = wished->after,
        .expected_ns = repeat_plan_price(plan, wished->program, wished->source, wished->detail)};
    const uint32_t points = wished->sweep == SWEEP_NONE ? 1 : wisher->study->sweep_points;
    struct cell cell;
    int error = make_cell(wisher, wished, 0, &cell);
    if (error == 0)
        wishes_add(plan->wishes, &wish, &cell);
    for (uint32_t point = 1; point < points && error == 0; point++) {
        struct wish *added = &plan->wishes->list[plan->wishes->count - 1];
        error = make_cell(wisher, wished, point, memory_add(added->cells, added->cell_count));
    }
    return error;
}

/* Whatever is no setting of what somebody asked for. */
static bool is_held(const struct wisher *wisher, const struct repeat_aim *wished)
{
    const bool subject = wisher->plan->programs[wished->program].subject;
    const bool first = wished->source == REPEAT_PLAIN || wished->source == 0;
    const bool setting = wished->controls == wisher->study->controls ||
                         (wished->controls == 0 && (first || !subject));
    const bool asked =
        wished->program < wisher->study->program_count || wisher->study->program_count == 0;
    return !setting || !asked || wished->sweep != SWEEP_NONE || wished->detail != DETAIL_NONE;
}

static size_t wish_for(struct wisher *wisher, const struct repeat_aim *wished)
{
    struct repeat_plan *plan = wisher->plan;
    if (wisher->error < 0 || !wished->processes)
        return NO_WISH;
    /* Of two controls, one alone is the other left out. */
    const size_t same = repeat_find_wish(plan, wished->program, wished->source, wished->controls,
                                         wished->sweep, wished->detail);
    if (same != NO_WISH)
        return same;
    struct repeat_aim *aim = memory_add(plan->aims, plan->aim_count);
    wisher->error = add_wish(wisher, wished);
    if (wisher->error < 0)
        return NO_WISH;
    const size_t wish = plan->wishes->count - 1;
    *aim = *wished;
    aim->held = is_held(wisher, wished);
    if (plan->passes) {
        aim->pass = pass_of(wisher, wished);
        aim->held = aim->pass > plan->pass;
        limit(plan, wish);
    }
    if (aim->held)
        plan->wishes->list[wish].after = wish;
    return wish;
}

size_t repeat_find_wish(const struct repeat_plan *plan, size_t program, size_t source,
                        uint32_t controls, enum command_sweep sweep, enum command_detail detail)
{
    for (size_t i = 0; i < plan->wishes->count; i++) {
        const struct repeat_aim *aim = &plan->aims[i];
        if (aim->program == program && aim->source == source && aim->controls == controls &&
            aim->sweep == sweep && aim->detail == detail)
            return i;
    }
    return NO_WISH;
}

/* --- the order of importance --- */

#define FEW_RUNS 3u /* that say something where a tool counts, whose counts hardly vary */

const char *const repeat_stage_names[REPEAT_STAGES] = {"as-is and controlled",
                                                       "one control at a time", "sweeps",
                                                       "what was executed", "programs of the kit"};

static uint32_t least_of(uint32_t runs, uint32_t least)
{
    return runs < least ? runs : least;
}

static bool shows(const struct catalogue_subject *subject, const char *finding)
{
    return has_word(subject->shows, finding);
}

static bool needs_counter(const struct catalogue_subject *subject)
{
    const char *at = subject->shows ? subject->shows : "";
    for (; *at; at += strcspn(at, " "), at += strspn(at, " "))
        if (at[0] != 'M' || !strchr("267", at[1]) || (at[2] && at[2] != ' '))
            return false;
    return subject->shows && *subject->shows;
}

/* The wish for the program with all controls on by this source. */
static size_t find_controlled(const struct wisher *wisher, size_t program, size_t source)
{
    return repeat_find_wish(wisher->plan, program, source, wisher->study->controls, SWEEP_NONE,
                            DETAIL_NONE);
}

/* --- as-is and controlled --- */

/* Everything else of a program waits for its first execution, which tells whether it can be
 * started, whether it ends and how long it takes; and programs of the kit wait for the user's. */
static void wish_first(struct wisher *wisher, enum repeat_stage stage, size_t program)
{
    const struct repeat_study *study = wisher->study;
    struct repeat_plan *plan = wisher->plan;
    bool perf = study->source_count && is_perf(&study->sources[0]);
    bool later = !plan->programs[program].user && plan->programs[0].user;
    const struct repeat_aim wished = {.stage = stage,
                                      .program = program,
                                      .source = perf ? 0 : REPEAT_PLAIN,
                                      .processes = perf ? study->runs : 1,
                                      .least = perf ? least_of(study->runs, PAPER_RUNS) : 1,
                                      .after = later ? plan->told[0].first : NO_WISH};
    plan->told[program].first = wish_for(wisher, &wished);
}

static uint32_t least_by(const struct wisher *wisher, size_t program, size_t source)
{
    const struct repeat_study *study = wisher->study;
    const bool important = is_perf(&study->sources[source]) || wisher->plan->programs[program].user;
    return least_of(study->runs, important ? PAPER_RUNS : FEW_RUNS);
}

/* A source that cannot count the program says so once: as-is waits for controlled. */
static void wish_as_is(struct wisher *wisher, enum repeat_stage stage, size_t program,
                       size_t source)
{
    const struct repeat_study *study = wisher->study;
    const struct repeat_aim wished = {.stage = stage,
                                      .program = program,
                                      .source = source,
                                      .processes = study->runs,
                                      .least = least_by(wisher, program, source),
                                      .after = find_controlled(wisher, program, source)};
    if (!is_perf(&study->sources[source]) && study->controls && wished.after != NO_WISH)
        wish_for(wisher, &wished);
}

/* What subjects are as they are comes last: they are made to show what happens under control. */
static void wish_pair(struct wisher *wisher, enum repeat_stage stage, size_t program, size_t source)
{
    const struct repeat_study *study = wisher->study;
    const struct repeat_plan *plan = wisher->plan;
    const size_t cheapest = cheapest_that_sees(study, CONTROL_COUNT);
    struct repeat_aim wished = {.stage = stage,
                                .program = program,
                                .source = source,
                                .controls = study->controls,
                                .processes = study->runs,
                                .least = least_by(wisher, program, source),
                                .after = NO_WISH};
    /* What tells how many instructions there are to be stepped through: a cheaper source, else the
     * first execution. */
    if (study->sources[source].each_ns && cheapest < source &&
        !plan->programs[program].instructions)
        wished.after = find_controlled(wisher, program, cheapest);
    if (wished.after == NO_WISH)
        wished.after = plan->told[program].first;
    wish_for(wisher, &wished);
    if (!plan->programs[program].subject)
        wish_as_is(wisher, stage, program, source);
}

static void wish_settings(struct wisher *wisher, enum repeat_stage stage, size_t begin, size_t end)
{
    const struct repeat_study *study = wisher->study;
    for (size_t program = begin; program < end; program++)
        wish_first(wisher, stage, program);
    for (size_t source = 0; source < study->source_count; source++) {
        const bool perf = is_perf(&study->sources[source]);
        for (size_t program = begin; program < end && wisher->error == 0; program++) {
            const struct catalogue_subject *subject = wisher->plan->programs[program].subject;
            const bool unstepped = study->unstepped && study->sources[source].each_ns && !subject;
            if (!unstepped && !(subject && needs_counter(subject) && !perf) &&
                (!perf || study->controls))
                wish_pair(wisher, stage, program, source);
        }
    }
}

/* --- one control at a time --- */

/* What most often makes counts vary comes first: the budget may end anywhere. */
static const enum control by_importance[CONTROL_COUNT] = {
    CONTROL_ASLR,     CONTROL_HASH_SEEDS, CONTROL_ENVIRONMENT, CONTROL_STACK,  CONTROL_CPU,
    CONTROL_TUNABLES, CONTROL_STDIN,      CONTROL_ARGV0,       CONTROL_LAYOUT, CONTROL_DIRECTORY};

/* Without a directory of its own a program works where the probe is in either case. */
static bool can_differ(const struct repeat_wanted *program, enum control control)
{
    if (control == CONTROL_DIRECTORY)
        return program->directory != NULL;
    if (control == CONTROL_LAYOUT && program->subject)
        return program->subject->bits == 32;
    return true;
}

static void wish_singles(struct wisher *wisher, enum repeat_stage stage, size_t program,
                         uint32_t controls, size_t source)
{
    const struct repeat_study *study = wisher->study;
    const uint32_t all = study->controls;
    struct repeat_aim wished = {.stage = stage,
                                .program = program,
                                .source = source,
                                .processes = study->runs,
                                .least = least_of(study->runs, PAPER_RUNS),
                                .after = find_controlled(wisher, program, source)};
    for (size_t i = 0; i < CONTROL_COUNT && wished.after != NO_WISH; i++) {
        const uint32_t bit = CONTROL_BIT(by_importance[i]);
        if (!(all & controls & bit) || all == bit ||
            !can_differ(&wisher->plan->programs[program], by_importance[i]))
            continue;
        wished.controls = bit;
        wish_for(wisher, &wished);
        wished.controls = all & ~bit;
        wish_for(wisher, &wished);
    }
}

/* By perf_event, by the cheapest that counts instructions, and what that does not see by the
 * cheapest that does. */
static void wish_all_singles(struct wisher *wisher, size_t program)
{
    const struct repeat_study *study = wisher->study;
    const size_t cheapest = cheapest_that_sees(study, CONTROL_COUNT);
    const size_t seeing = cheapest_that_sees(study, CONTROL_ASLR);
    uint32_t unseen = 0;
    if (study->source_count && is_perf(&study->sources[0]))
        wish_singles(wisher, REPEAT_SINGLES, program, CONTROLS_ALL, 0);
    if (cheapest != REPEAT_PLAIN && !is_perf(&study->sources[cheapest]))
        wish_singles(wisher, REPEAT_SINGLES, program, CONTROLS_ALL, cheapest);
    if (seeing == REPEAT_PLAIN || seeing == cheapest)
        return;
    for (int control = 0; control < CONTROL_COUNT; control++)
        if (!source_sees(study->sources[cheapest].name, (enum control)control))
            unseen |= CONTROL_BIT(control);
    wish_singles(wisher, REPEAT_SINGLES, program, unseen, seeing);
}

/* --- sweeps --- */

static void wish_sweep(struct wisher *wisher, enum repeat_stage stage, size_t program,
                       enum command_sweep sweep)
{
    static const enum control moved[SWEEP_COUNT] = {[SWEEP_ENVIRONMENT] = CONTROL_ENVIRONMENT,
                                                    [SWEEP_STACK] = CONTROL_STACK,
                                                    [SWEEP_ASLR] = CONTROL_ASLR};
    const struct repeat_study *study = wisher->study;
    const size_t seeing = cheapest_that_sees(study, moved[sweep]);
    const uint32_t each = study->quick ? 2 : 3;
    for (size_t source = 0; source < study->source_count; source++) {
        if (source != seeing && !is_perf(&study->sources[source]))
            continue;
        const struct repeat_aim wished = {.stage = stage,
                                          .program = program,
                                          .source = source,
                                          .controls = study->controls,
                                          .sweep = sweep,
                                          .processes = study->sweep_points * each,
                                          .least = study->sweep_points * 2,
                                          .after = find_controlled(wisher, program, source)};
        if (wished.after != NO_WISH)
            wish_for(wisher, &wished);
    }
}

/* --- details --- */

/* Under both settings: what parts executions as they are may be what the controls take away. */
static void wish_calls(struct wisher *wisher, enum repeat_stage stage, size_t program,
                       size_t source)
{
    struct repeat_aim wished = {.stage = stage,
                                .program = program,
                                .source = source,
                                .controls = wisher->study->controls,
                                .detail = DETAIL_CALLS,
                                .processes = 2,
                                .least = 2,
                                .after = wisher->plan->told[program].first};
    wished.after = wish_for(wisher, &wished);
    wished.controls = 0;
    if (wisher->study->controls)
        wish_for(wisher, &wished);
}

static void wish_details(struct wisher *wisher, enum repeat_stage stage, size_t program, bool calls)
{
    const struct repeat_study *study = wisher->study;
    for (size_t source = 0; source < study->source_count && calls; source++)
        if (study->sources[source].calls) {
            wish_calls(wisher, stage, program, source);
            break;
        }
    for (size_t source = 0; source < study->source_count; source++) {
        const struct repeat_aim wished = {.stage = stage,
                                          .program = program,
                                          .source = source,
                                          .controls = study->controls,
                                          .detail = DETAIL_CODE,
                                          .processes = 1,
                                          .least = 1,
                                          .after = find_controlled(wisher, program, source)};
        if (study->sources[source].code && wished.after != NO_WISH)
            wish_for(wisher, &wished);
    }
}

/* ----------------------------------------------------------------------------------------------
 * Programs of the kit as part of a plan: what each is executed with follows from the findings that
 * it shows. */

/* Does the CPU count instructions? */
static bool has_counter(const struct repeat_study *study)
{
    return study->source_count && is_perf(&study->sources[0]) && study->sources[0].instructions;
}

static void add(struct repeat_plan *plan, const struct catalogue_subject *subject, uint64_t n)
{
    /* Instructions, where they are known beforehand. */
    int64_t more, all = 0;
    if (!subject->has_truth || n > INT64_MAX ||
        __builtin_mul_overflow(subject->each, (int64_t)n, &more) ||
        __builtin_add_overflow(more, subject->base, &all) || all < 0)
        all = 0;
    *memory_add(plan->programs, plan->program_count) =
        (struct repeat_wanted){.name = memory_format(SUBJECT_WORD "%s", subject->name),
                               .words = memory_format(SUBJECT_WORD "%s %" PRIu64, subject->name, n),
                               .subject = subject,
                               .instructions = (uint64_t)all};
}

static void add_subjects(struct wisher *wisher, const struct catalogue *catalogue)
{
    for (size_t i = 0; i < catalogue->subject_count; i++) {
        const struct catalogue_subject *subject = &catalogue->subjects[i];
        if (!subject->shows || !*subject->shows ||
            (needs_counter(subject) && !has_counter(wisher->study)))
            continue;
        add(wisher->plan, subject, subject->n);
        /* What faults and interrupts add is told apart from the program by executions of several
         * lengths, where a counter of the CPU counts. */
        for (uint64_t part = 2; part <= 4; part += 2)
            if (has_counter(wisher->study) && (shows(subject, "M6") || shows(subject, "M7")) &&
                subject->n / part)
                add(wisher->plan, subject, subject->n / part);
    }
}

/* Is it a further length of the subject before it? */
static bool is_further_length(const struct repeat_plan *plan, size_t program)
{
    return program && plan->programs[program - 1].subject == plan->programs[program].subject;
}

static void wish_what_it_shows(struct wisher *wisher, size_t program)
{
    const struct repeat_study *study = wisher->study;
    const struct catalogue_subject *subject = wisher->plan->programs[program].subject;
    uint32_t singles = 0;
    if (shows(subject, "M3"))
        singles |= CONTROL_BIT(CONTROL_ASLR);
    if (shows(subject, "M5"))
        singles |= CONTROL_BIT(CONTROL_LAYOUT);
    for (size_t source = 0; source < study->source_count && singles; source++)
        if (source_sees(study->sources[source].name, CONTROL_ASLR))
            wish_singles(wisher, REPEAT_SUBJECTS, program, singles, source);
    if (shows(subject, "M4"))
        wish_sweep(wisher, REPEAT_SUBJECTS, program, SWEEP_ENVIRONMENT);
    if (shows(subject, "M5"))
        wish_sweep(wisher, REPEAT_SUBJECTS, program, SWEEP_STACK);
    if (subject->libc || shows(subject, "M8") || shows(subject, "M9") || shows(subject, "M10"))
        wish_details(wisher, REPEAT_SUBJECTS, program, false);
}

static void wish_subjects(struct wisher *wisher, size_t begin)
{
    const size_t end = wisher->plan->program_count;
    wish_settings(wisher, REPEAT_SUBJECTS, begin, end);
    for (int as_is = 0; as_is < 2; as_is++)
        for (size_t program = begin; program < end && wisher->error == 0; program++) {
            if (is_further_length(wisher->plan, program))
                continue;
            if (!as_is)
                wish_what_it_shows(wisher, program);
            for (size_t source = 0; as_is && source < wisher->study->source_count; source++)
                wish_as_is(wisher, REPEAT_SUBJECTS, program, source);
        }
}

/* --- all of it --- */

int repeat_plan_make(const struct repeat_study *study, const struct catalogue *catalogue,
                     struct repeat_plan *plan, struct wishes *wishes, struct failure *failure)
{
    struct wisher wisher = {.study = study, .plan = plan, .failure = failure};
    *plan = (struct repeat_plan){.wishes = wishes,
                                 .sources = study->sources,
                                 .source_count = study->source_count,
                                 .passes = study->program_count > 0};
    for (size_t i = 0; i < study->program_count; i++)
        *memory_add(plan->programs, plan->program_count) = study->programs[i];
    if (study->subjects)
        add_subjects(&wisher, catalogue);
    plan->told = memory_new(plan->program_count + 1, sizeof(*plan->told));
    wish_settings(&wisher, REPEAT_SETTINGS, 0, study->program_count);
    for (size_t i = 0; i < study->program_count; i++)
        wish_all_singles(&wisher, i);
    for (size_t i = 0; i < study->program_count; i++)
        for (int sweep = SWEEP_NONE + 1; sweep < SWEEP_COUNT; sweep++)
            if (study->sweeps & (1u << sweep))
                wish_sweep(&wisher, REPEAT_SWEEPS, i, (enum command_sweep)sweep);
    for (size_t i = 0; i < study->program_count; i++)
        wish_details(&wisher, REPEAT_DETAILS, i, true);
    if (wisher.error == 0)
        wish_subjects(&wisher, study->program_count);
    return wisher.error;
}
