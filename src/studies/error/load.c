/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * From a store to the case of measurement error: first all cells with their factors, then all runs,
 * then what disturbed them. The null cells tell what the operating system's account shows of each
 * way of measuring by itself. */
#include <errno.h>
#include <search.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"
#include "engine/loading.h"
#include "engine/predict.h"
#include "engine/skips.h"
#include "studies/error/plan.h"
#include "studies/validate/plan.h"

/* ----------------------------------------------------------------------------------------------
 * One machine measured more than once: cells with the same factors in several stores become one,
 * whose processes are those of all. */

/* By everything but the runs. */
static int compare_factors(const void *one, const void *other)
{
    const struct error_cell *left = one, *right = other;
    return FIRST_OF(ORDER(left->machine, right->machine), ORDER(left->n, right->n),
                    ORDER(left->part, right->part), ORDER(left->pattern, right->pattern),
                    ORDER(left->counters, right->counters), ORDER(left->separate, right->separate),
                    ORDER(left->has_truth, right->has_truth), ORDER(left->truth, right->truth),
                    strcmp(left->event, right->event), strcmp(left->specimen, right->specimen),
                    strcmp(left->path, right->path), strcmp(left->opt, right->opt),
                    strcmp(left->link, right->link), strcmp(left->others, right->others));
}

/* Appends to numbers of `count` the `added` others, where both are there. */
static void append(void *numbers, size_t count, void *others, size_t added)
{
    uint64_t **list = numbers;
    _Static_assert(sizeof(int64_t) == sizeof(double), "counts and times are moved the same way");
    if (!others || !added)
        return;
    *list = memory_resize(*list, count + added, sizeof(**list));
    memcpy(*list + count, others, added * sizeof(**list));
    memory_give_back(others);
}

static void join(struct error_cell *into, const struct error_cell *from)
{
    append(&into->values, into->runs, from->values, from->runs);
    append(&into->enabled, into->runs, from->enabled, from->runs);
    append(&into->running, into->runs, from->running, from->runs);
    append(&into->interrupts, into->runs, from->interrupts, from->runs);
    into->begins =
        memory_resize(into->begins, into->processes + from->processes + 1, sizeof(*into->begins));
    for (size_t i = 0; i <= from->processes; i++)
        into->begins[into->processes + i] = into->runs + from->begins[i];
    into->runs += from->runs;
    into->processes += from->processes;
    into->unscheduled += from->unscheduled;
    into->multiplexed += from->multiplexed;
    into->disturbed += from->disturbed;
    if (!into->failed) {
        into->error = from->error;
        into->reason = from->reason;
    }
    into->failed += from->failed;
}

static void keep_nothing(void *entry)
{
    (void)entry; /* it goes with its scope */
}

/* Into a tree; what it finds there already stays. */
static void *enter(void *entry, void **tree, int (*compare)(const void *, const void *))
{
    void **found = tsearch(entry, tree, compare);
    if (!found)
        memory_end();
    return *found;
}

/* Joins every cell from `first` on to an earlier one with the same factors, where there is one. */
static void merge_cells(struct error_case *file, size_t first)
{
    void *earlier = NULL;
    size_t kept = first;
    for (size_t i = 0; i < first; i++)
        enter(&file->cells[i], &earlier, compare_factors);
    for (size_t i = first; i < file->cell_count; i++) {
        struct error_cell *cell = &file->cells[i];
        struct error_cell *const *found = tfind(cell, &earlier, compare_factors);
        if (found)
            join(*found, cell);
        else
            file->cells[kept++] = *cell;
    }
    file->cell_count = kept;
    tdestroy(earlier, keep_nothing);
}

/* ----------------------------------------------------------------------------------------------
 * What the operating system's own account shows of the runs of a cell, and which of them it shows
 * disturbed. */

/* Further than this no count and no truth may be off: differences of errors still fit. */
#define ERROR_FURTHEST (INT64_C(1) << 60)

enum { FAULTS, SWITCHES, ACCOUNTED };
struct error_account {
    uint64_t of[ACCOUNTED];
};
/* Of all runs of a cell; most show nothing and are only counted. */
struct error_accounts {
    struct error_account *list; /* of those that show something */
    size_t count;
    size_t runs; /* all */
};

static void add_account(struct error_accounts *accounts, const struct account *account)
{
    const struct error_account shown = {
        {account->minor_faults + account->major_faults, account->voluntary + account->involuntary}};
    accounts->runs++;
    if (shown.of[FAULTS] || shown.of[SWITCHES])
        *memory_add(accounts->list, accounts->count) = shown;
}

static int by_value(const void *left, const void *right)
{
    return ORDER(*(const uint64_t *)left, *(const uint64_t *)right);
}

/* The smallest that at least half of the runs do not exceed. */
static int64_t median(const struct error_accounts *accounts, int what)
{
    AUTO_MEMORY uint64_t *values = memory_new(accounts->count, sizeof(*values));
    size_t above = 0, rank = (accounts->runs + 1) / 2;
    for (size_t i = 0; i < accounts->count; i++)
        if (accounts->list[i].of[what])
            values[above++] = accounts->list[i].of[what];
    size_t zeroes = accounts->runs - above;
    if (rank <= zeroes)
        return 0;
    qsort(values, above, sizeof(*values), by_value);
    uint64_t value = values[rank - zeroes - 1];
    return value < (uint64_t)ERROR_FURTHEST ? (int64_t)value : ERROR_FURTHEST;
}

static bool beyond(uint64_t seen, struct maybe expected)
{
    return expected.known && (expected.value < 0 || seen > (uint64_t)expected.value);
}

/* ----------------------------------------------------------------------------------------------
 * From a stored cell to the factors of a cell of the case: what its event's name says, what is
 * known of its truth, where its specimen was placed. */

/* The runs of one process among all of its cell. */
struct stretch {
    uint32_t process;
    size_t begin, runs;
};

/* What a cell of the case needs while it is loaded. */
struct error_origin {
    uint32_t interrupts;         /* the counter that counts them; 0: none */
    int32_t cpu;                 /* pinned to */
    struct maybe may[ACCOUNTED]; /* what the account of a run may show */
    bool is_null;
    bool timed;                /* its part needs times and company */
    struct stretch *stretches; /* of each process of the cell, in the order of the visits */
    struct error_accounts accounts;
};

/* Offsets in a page; none is as large. */
#define OFFSET_MOST 65536

static int64_t error_clamp(uint64_t value)
{
    int64_t count = (int64_t)value; /* differences over a window wrap below zero */
    if (count > ERROR_FURTHEST)
        return ERROR_FURTHEST;
    return count < -ERROR_FURTHEST ? -ERROR_FURTHEST : count;
}

static bool is_source(const char *kind, const char *event)
{
    return strcmp(kind, "source") == 0 || (!*kind && strncmp(event, "step/", 5) == 0);
}

/* --- event --- */

static char *base_of(const char *event, const char *kind)
{
    const char *mode = event_mode(event);
    size_t length = strlen(event);
    if (is_source(kind, event)) {
        const char *slash = strchr(event, '/');
        const char *from = slash ? slash + 1 : event;
        return memory_format("%.*s", (int)strcspn(from, "/"), from);
    }
    if (mode) /* a slash before it belongs to the name, a colon does not */
        length = (size_t)(mode - event) - (mode[-1] == ':');
    return memory_format("%.*s", (int)length, event);
}

static enum count_mode mode_of(const char *event, const char *kind)
{
    const char *mode = event_mode(event);
    bool user = mode && strchr(mode, 'u'), kernel = mode && strpbrk(mode, "kh");
    if (is_source(kind, event)) /* what executes code sees its user mode alone; clocks see all */
        return strncmp(event, "clock/", 6) == 0 ? COUNT_ANY : COUNT_USER;
    if (user || kernel)
        return user && kernel ? COUNT_BOTH : user ? COUNT_USER : COUNT_KERNEL;
    /* The time-stamp counter is behind a PMU of its own, which knows no modes. */
    bool of_processor = event_counts_beyond_specimen(kind, event) && strncmp(event, "msr/", 4) != 0;
    return of_processor ? COUNT_BOTH : COUNT_ANY;
}

/* "" when all further ones are the first again. */
static char *others_of(const struct cell *cell)
{
    struct text others = {0};
    bool same = true;
    for (uint32_t i = 1; i < cell->counters; i++)
        same = same && strcmp(cell->events[i], cell->events[0]) == 0;
    for (uint32_t i = 1; i < cell->counters && !same; i++)
        text_printf(&others, "%s%s", i > 1 ? "," : "", cell->events[i]);
    return memory_text(&others);
}

/* --- specimen --- */

/* K of `placed/offset=K/`, -1 where that is not what it says. */
static int64_t offset_of(const char *specimen)
{
    static const char placed[] = "placed/", parameter[] = "offset=";
    if (strncmp(specimen, placed, sizeof(placed) - 1) != 0)
        return -1;
    const char *at = specimen + sizeof(placed) - 1;
    while (*at && strncmp(at, parameter, sizeof(parameter) - 1) != 0) {
        at += strcspn(at, ",");
        at += *at == ',';
    }
    if (!*at)
        return -1;
    at += sizeof(parameter) - 1;
    char *end;
    errno = 0;
    unsigned long long offset = strtoull(at, &end, 0);
    bool whole = *at >= '0' && *at <= '9' && !errno && (*end == '/' || *end == ',');
    return whole && offset < OFFSET_MOST ? (int64_t)offset : -1;
}

static void set_truth(struct error_cell *cell, int64_t truth)
{
    cell->has_truth = true;
    cell->truth = error_clamp((uint64_t)truth);
}

/* A number of the class at this N, not limits. */
static bool known_number(const struct known *known, const struct error_cell *cell,
                         const char *class, int64_t *count)
{
    if (!class)
        return false;
    struct truth truth = known_truth(known, cell->specimen, class, cell->n);
    *count = truth.low;
    return truth.grade != TRUTH_NONE && truth.grade != TRUTH_BOUNDED;
}

/* Code that never calls the operating system: whatever is counted there is error. */
static bool stays_in_user_mode(const struct known *known, const struct error_cell *cell)
{
    int64_t calls, faults;
    return known_number(known, cell, "syscalls", &calls) && calls == 0 &&
           known_number(known, cell, "page-faults", &faults) && faults == 0;
}

static void fill_truth(const struct stored_counter *counter, const struct known *known,
                       struct error_cell *cell)
{
    int64_t count;
    bool beyond = event_counts_beyond_specimen(cell->kind, cell->event);
    enum truth_grade grade = grade_from_name(counter->grade);
    bool is_null = strcmp(cell->specimen, "null") == 0;
    if (!is_null && counter->has_truth && grade != TRUTH_NONE && grade != TRUTH_BOUNDED)
        set_truth(cell, counter->truth);
    else if (is_null || (beyond && cell->mode == COUNT_KERNEL && stays_in_user_mode(known, cell)))
        set_truth(cell, 0);
    else if (beyond && !stays_in_user_mode(known, cell))
        return;
    else if (known_number(known, cell, cell->class, &count))
        set_truth(cell, count);
}

/* --- the cell --- */

/* event: as the store lists it, kind "" where it does not. */
static void fill_factors(const struct stored_cell *stored, const struct stored_event *event,
                         const struct known *known, struct error_cell *cell,
                         struct error_origin *origin)
{
    const struct cell *planned = &stored->cell;
    cell->event = memory_copy(planned->events[0]);
    cell->base = base_of(cell->event, event->kind);
    cell->kind = memory_copy(event->kind);
    cell->class = memory_copy(event->class ? event->class : stored->counters[0].class);
    cell->path = memory_copy(planned->path);
    cell->opt = memory_copy(planned->opt);
    cell->link = memory_copy(planned->link);
    cell->others = others_of(planned);
    cell->specimen = memory_copy(planned->specimen);
    if (stored->failed)
        cell->reason = memory_copy(stored->reason ? stored->reason : strerror(stored->error));
    cell->mode = mode_of(cell->event, cell->kind);
    cell->pattern = planned->pattern;
    cell->counters = planned->counters;
    cell->separate = planned->separate;
    cell->offset = offset_of(planned->specimen);
    cell->n = planned->n;
    cell->failed = stored->failed;
    cell->error = stored->failed ? stored->error : 0;
    fill_truth(&stored->counters[0], known, cell);
    *origin = (struct error_origin){
        .cpu = planned->cpu,
        .may = {{stored->has_faults, stored->faults}, {stored->has_switches, stored->switches}},
        .is_null = strcmp(planned->specimen, "null") == 0,
        .timed = cell->part == PART_DURATION || cell->part == PART_PLACEMENT ||
                 cell->part == PART_MULTIPLEX};
    for (uint32_t i = 1; i < planned->counters && !origin->interrupts; i++)
        if (event_counts_interrupts(planned->events[i]))
            origin->interrupts = i;
}

/* ----------------------------------------------------------------------------------------------
 * What a cell of the study of measurement error is there for, by its factors alone. */

/* The name without parameters. */
static bool specimen_is(const struct cell *cell, const char *name)
{
    size_t length = strcspn(cell->specimen, "/");
    return strlen(name) == length && strncmp(cell->specimen, name, length) == 0;
}

static enum error_part part_of_loop(const struct stored_cell *stored, const char *kind)
{
    /* Code that does the same work may take another time, so nothing predicts it. */
    static const char *const times[] = {"cycles",     "ref-cycles", "bus-cycles",
                                        "task-clock", "cpu-clock",  "ticks"};
    const struct cell *cell = &stored->cell;
    const char *class = stored->counters[0].class;
    if (cell->counters == 1 && event_counts_interrupts(cell->events[0]))
        return PART_DURATION;
    for (uint32_t i = 1; i < cell->counters; i++)
        if (!event_counts_interrupts(cell->events[i]))
            return PART_MULTIPLEX;
    if (cell->counters > 1)
        return PART_DURATION;
    for (size_t i = 0; class && i < sizeof(times) / sizeof(times[0]); i++)
        if (strcmp(class, times[i]) == 0)
            return PART_PLACEMENT;
    /* In all modes an event of the CPU has no truth in the store, because nobody predicts what the
     * operating system executes; a loop that never calls it is an exception. */
    return stored->counters[0].has_truth ||
                   (class && event_counts_beyond_specimen(kind, cell->events[0]))
               ? PART_DURATION
               : PART_PLACEMENT;
}

/* By its factors alone. False: no part of this study. */
static bool part_of(const struct stored_cell *stored, const char *kind, enum error_part *part)
{
    static const struct {
        const char *specimen;
        enum error_part part;
    } specimens[] = {{"null", PART_NULL}, {"placed", PART_PLACEMENT}, {"phases", PART_MULTIPLEX}};
    const struct cell *cell = &stored->cell;
    if (strcmp(cell->path, "perf-stat") == 0)
        *part = PART_TOOL;
    else if (strncmp(cell->events[0], "step/", 5) == 0 && is_source(kind, cell->events[0]))
        *part = PART_STEPPED;
    else if (specimen_is(cell, "loop"))
        *part = part_of_loop(stored, kind);
    else {
        size_t i = 0;
        while (i < 3 && !specimen_is(cell, specimens[i].specimen))
            i++;
        if (i == 3)
            return false;
        *part = specimens[i].part;
    }
    return true;
}

/* --- the whole --- */

/* A null cell that was read, for the cells that are measured the same way. */
struct null_way {
    const struct error_cell *cell;
    const struct error_origin *origin;
};

struct load {
    struct store *store;
    struct error_case *file;
    struct failure *failure;
    struct known known;
    struct tried_events events; /* that the store lists */
    void *nulls;                /* tree of struct null_way */
    uint32_t machine;
    size_t first_cell; /* of this store in the case */
    struct error_origin *origins;
    size_t origin_count;
    bool begins; /* the process that is being read has no run yet */
};

/* --- the machine --- */

static int take_machine(struct load *load)
{
    struct error_case *file = load->file;
    AUTO_FACTS struct facts facts = {0};
    struct store_info info = {0};
    int error = store_facts(load->store, &facts, load->failure);
    if (!error)
        error = store_info(load->store, &info, load->failure);
    while (!error && load->machine < file->machine_count &&
           strcmp(file->machines[load->machine].fingerprint, info.fingerprint) != 0)
        load->machine++;
    if (!error && load->machine == file->machine_count) {
        struct error_machine *machine = memory_add(file->machines, file->machine_count);
        machine->name = loading_machine_name(&facts);
        machine->fingerprint = memory_copy(info.fingerprint);
        machine->emulated = facts_get(&facts, "emulated") != NULL;
    }
    if (!error)
        error = loading_same_kit(
            load->store, info.kit, &file->machines[load->machine].kit,
            "their windows are different code, and what one adds does not hold for the other",
            load->failure);
    store_info_release(&info);
    return error;
}

/* --- events --- */

static int take_events(struct load *load)
{
    struct error_case *file = load->file;
    int error = tried_recall(&load->events, load->store, load->failure);
    for (size_t i = 0; i < load->events.count; i++) {
        const struct tried_event *event = &load->events.list[i];
        bool told = !event->error;
        for (size_t j = 0; j < file->absence_count && !told; j++)
            told = strcmp(file->absences[j].what, event->name) == 0 &&
                   file->absences[j].error == event->error;
        if (!told)
            *memory_add(file->absences, file->absence_count) = (struct error_absence){
                event->name, *event->reason ? event->reason : memory_copy(strerror(event->error)),
                event->error};
    }
    return error;
}

/* --- cells --- */

static int take_cell(void *context, const struct stored_cell *stored, size_t *place)
{
    struct load *load = context;
    struct stored_cell told = *stored;
    struct stored_counter *counter = &told.counters[0];
    /* What the store lists of the event under test; it need not know it. Class and truth may stand
     * in its lists alone. */
    const struct tried_event *listed = tried_find(&load->events, told.cell.events[0]);
    const struct stored_event event = {.name = told.cell.events[0],
                                       .kind = listed ? listed->kind : "",
                                       .class = listed ? listed->class : NULL};
    enum error_part part;
    if (!counter->class)
        counter->class = (char *)(uintptr_t)event.class;
    if (counter->class && !counter->has_truth) /* its value follows from factors */
        counter->has_truth =
            known_truth(&load->known, told.cell.specimen, counter->class, told.cell.n).grade !=
            TRUTH_NONE;
    if (!part_of(&told, event.kind, &part))
        return 0;
    struct error_cell *cell = error_case_add_cell(load->file);
    *place = load->origin_count;
    struct error_origin *origin = memory_add(load->origins, load->origin_count);
    cell->part = part;
    cell->machine = load->machine;
    fill_factors(&told, &event, &load->known, cell, origin);
    return 0;
}

/* --- runs --- */

static int begin_process(void *context, size_t place, uint32_t process)
{
    (void)place, (void)process;
    ((struct load *)context)->begins = true;
    return 0;
}

/* One more number behind those of the runs before. */
#define ADD(list, count, number)                                                                   \
    ((list) = memory_room((list), (count), sizeof(*(list))), (list)[count] = (number))

/* Processes whose runs got no counter have no place in the cell. */
static int take_run(void *context, const struct read_run *run)
{
    struct load *load = context;
    struct error_cell *cell = &load->file->cells[load->first_cell + run->place];
    struct error_origin *origin = &load->origins[run->place];
    const struct reading reading = {run->values[0], run->enabled[0], run->running[0], run->account};
    uint64_t value;
    add_account(&origin->accounts, &run->account);
    if (!reading_value(&reading, &value)) {
        cell->unscheduled++;
        return 0;
    }
    cell->multiplexed += reading.running < reading.enabled;
    if (load->begins)
        *memory_add(origin->stretches, cell->processes) =
            (struct stretch){run->process, cell->runs, 0};
    load->begins = false;
    origin->stretches[cell->processes - 1].runs++;
    ADD(cell->values, cell->runs, error_clamp(value));
    if (origin->timed) {
        ADD(cell->enabled, cell->runs, (double)reading.enabled);
        ADD(cell->running, cell->runs, (double)reading.running);
    }
    if (origin->timed && origin->interrupts)
        ADD(cell->interrupts, cell->runs, (double)run->values[origin->interrupts]);
    cell->runs++;
    return 0;
}

static int compare_stretches(const void *left, const void *right)
{
    return ORDER(((const struct stretch *)left)->process, ((const struct stretch *)right)->process);
}

/* Numbers of runs, counts or times, in the order of the stretches and no larger than they are. */
static void reorder(void *numbers, const struct stretch *stretches, const struct error_cell *cell)
{
    uint64_t **list = numbers, *ordered, *end;
    _Static_assert(sizeof(int64_t) == sizeof(double), "both are moved the same way");
    if (!*list)
        return;
    ordered = end = memory_new(cell->runs, sizeof(*ordered));
    for (size_t i = 0; i < cell->processes; i++) {
        memcpy(end, *list + stretches[i].begin, stretches[i].runs * sizeof(*end));
        end += stretches[i].runs;
    }
    memory_give_back(*list);
    *list = ordered;
}

/* Visits came as they were made: their processes are put in order. */
static void close_cell(struct error_cell *cell, struct stretch *stretches)
{
    cell->begins = memory_new(cell->processes + 1, sizeof(*cell->begins));
    if (cell->processes)
        qsort(stretches, cell->processes, sizeof(*stretches), compare_stretches);
    for (size_t i = 0; i < cell->processes; i++)
        cell->begins[i + 1] = cell->begins[i] + stretches[i].runs;
    reorder(&cell->values, stretches, cell);
    reorder(&cell->enabled, stretches, cell);
    reorder(&cell->running, stretches, cell);
    reorder(&cell->interrupts, stretches, cell);
    memory_give_back(stretches);
}

static int compare_ways(const void *one, const void *other)
{
    const struct null_way *a = one, *b = other;
    const struct error_cell *left = a->cell, *right = b->cell;
    return FIRST_OF(strcmp(left->event, right->event), strcmp(left->path, right->path),
                    strcmp(left->opt, right->opt), strcmp(left->link, right->link),
                    strcmp(left->others, right->others), ORDER(left->pattern, right->pattern),
                    ORDER(left->counters, right->counters), ORDER(left->separate, right->separate),
                    ORDER(a->origin->cpu, b->origin->cpu));
}

/* What the account of a run of this cell may show: what its specimen does and what its way does.
 * Where either is not known, what most of its runs show. Runs that show more were disturbed. */
static void judge_account(struct load *load, size_t index)
{
    struct error_cell *cell = &load->file->cells[load->first_cell + index];
    struct error_origin *origin = &load->origins[index];
    const struct error_accounts *accounts = &origin->accounts;
    struct maybe *may = origin->may;
    if (!accounts->runs)
        return;
    struct null_way *way = memory_new(1, sizeof(*way)), *const *null = NULL;
    *way = (struct null_way){cell, origin};
    if (!origin->is_null && may[FAULTS].known && may[SWITCHES].known)
        null = tfind(way, &load->nulls, compare_ways);
    for (int what = 0; what < ACCOUNTED; what++) {
        const struct maybe own = null ? (*null)->origin->may[what] : (struct maybe){0};
        const int64_t usual = null ? 0 : median(accounts, what);
        if (own.known && __builtin_add_overflow(may[what].value, own.value, &may[what].value))
            may[what] = (struct maybe){0};
        if (!null && (!may[what].known || may[what].value < usual))
            may[what] = (struct maybe){true, usual};
    }
    for (size_t i = 0; i < accounts->count; i++)
        cell->disturbed += beyond(accounts->list[i].of[FAULTS], may[FAULTS]) ||
                           beyond(accounts->list[i].of[SWITCHES], may[SWITCHES]);
    if (beyond(0, may[FAULTS]) || beyond(0, may[SWITCHES]))
        cell->disturbed = accounts->runs;
    if (origin->is_null)
        enter(way, &load->nulls, compare_ways);
}

int error_load(struct store *store, struct error_case *file, struct failure *failure)
{
    struct load load = {
        .store = store, .file = file, .failure = failure, .first_cell = file->cell_count};
    struct reader reader = {.store = store,
                            .failure = failure,
                            .context = &load,
                            .cell = take_cell,
                            .begin = begin_process,
                            .run = take_run};
    int error = take_machine(&load);
    if (!error)
        error = known_load(store, &load.known, failure);
    if (!error)
        error = take_events(&load);
    if (!error)
        error = reader_read(&reader);
    for (size_t i = 0; i < load.origin_count; i++)
        close_cell(&file->cells[load.first_cell + i], load.origins[i].stretches);
    /* The null cells first: they tell of the others what their way does. */
    for (int nulls = 1; nulls >= 0; nulls--)
        for (size_t i = 0; !error && i < load.origin_count; i++)
            if (load.origins[i].is_null == nulls)
                judge_account(&load, i);
    if (!error)
        merge_cells(file, load.first_cell);
    tdestroy(load.nulls, keep_nothing);
    for (size_t i = 0; i < load.origin_count; i++)
        memory_give_back(load.origins[i].accounts.list);
    return error;
}
