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

#include "base/cleanup.h"
#include "base/list.h"
#include "base/text.h"
#include "engine/loading.h"
#include "engine/predict.h"
#include "studies/error/plan.h"
#include "studies/validate/plan.h"

/* ----------------------------------------------------------------------------------------------
 * One machine measured more than once: cells with the same factors in several stores become one,
 * whose processes are those of all. */

static int compare_words(const struct error_cell *left, const struct error_cell *right)
{
    int order = strcmp(left->event, right->event);
    if (!order)
        order = strcmp(left->specimen, right->specimen);
    if (!order)
        order = strcmp(left->path, right->path);
    if (!order)
        order = strcmp(left->opt, right->opt);
    if (!order)
        order = strcmp(left->link, right->link);
    return order ? order : strcmp(left->others, right->others);
}

#define COMPARE(field) ((left->field > right->field) - (left->field < right->field))

/* By everything but the runs. */
static int compare_factors(const void *one, const void *other)
{
    const struct error_cell *left = one, *right = other;
    const int orders[] = {
        COMPARE(machine),  COMPARE(n),        COMPARE(part),      COMPARE(pattern),
        COMPARE(counters), COMPARE(separate), COMPARE(has_truth), COMPARE(truth),
    };
    for (size_t i = 0; i < sizeof(orders) / sizeof(orders[0]); i++)
        if (orders[i])
            return orders[i];
    return compare_words(left, right);
}

/* Appends to numbers of `count` the `added` others, where both are there. */
static bool append(void *numbers, size_t count, const void *others, size_t added)
{
    uint64_t **list = numbers;
    _Static_assert(sizeof(int64_t) == sizeof(double), "counts and times are moved the same way");
    if (!others || !added)
        return true;
    uint64_t *larger = reallocarray(*list, count + added, sizeof(*larger));
    if (!larger)
        return false;
    *list = larger;
    memcpy(larger + count, others, added * sizeof(*larger));
    return true;
}

static bool append_processes(struct error_cell *into, const struct error_cell *from)
{
    size_t *larger =
        reallocarray(into->begins, into->processes + from->processes + 1, sizeof(*larger));
    if (!larger)
        return false;
    into->begins = larger;
    for (size_t i = 0; i <= from->processes; i++)
        larger[into->processes + i] = into->runs + from->begins[i];
    return true;
}

/* False: out of memory, and the cell is as it was but for room. */
static bool join(struct error_cell *into, struct error_cell *from)
{
    if (!append(&into->values, into->runs, from->values, from->runs) ||
        !append(&into->enabled, into->runs, from->enabled, from->runs) ||
        !append(&into->running, into->runs, from->running, from->runs) ||
        !append(&into->interrupts, into->runs, from->interrupts, from->runs) ||
        !append_processes(into, from))
        return false;
    into->runs += from->runs;
    into->processes += from->processes;
    into->unscheduled += from->unscheduled;
    into->multiplexed += from->multiplexed;
    into->disturbed += from->disturbed;
    if (!into->failed) {
        into->error = from->error;
        into->reason = from->reason;
        from->reason = NULL;
    }
    into->failed += from->failed;
    return true;
}

/* Frees what was joined, by a case that holds nothing else. */
static void drop(struct error_cell *cell)
{
    struct error_case rest = {0};
    struct error_cell *place = error_case_add_cell(&rest);
    if (!place)
        return; /* nobody looks at it any more */
    *place = *cell;
    error_case_release(&rest);
}

static void keep_nothing(void *cell)
{
    (void)cell; /* the tree's entries are the case's cells */
}

/* Joins every cell from `first` on to an earlier one with the same factors, where there is one.
 * -ENOMEM; the case is whole then, too. */
static int error_merge_cells(struct error_case *file, size_t first)
{
    void *earlier = NULL;
    size_t kept = first;
    int result = 0;
    for (size_t i = 0; i < first && result == 0; i++)
        if (!tsearch(&file->cells[i], &earlier, compare_factors))
            result = -ENOMEM;
    for (size_t i = first; i < file->cell_count; i++) {
        struct error_cell *cell = &file->cells[i];
        struct error_cell *const *found =
            result == 0 ? tfind(cell, &earlier, compare_factors) : NULL;
        if (found && !join(*found, cell))
            result = -ENOMEM;
        if (found && result == 0)
            drop(cell);
        else
            file->cells[kept++] = *cell;
    }
    file->cell_count = kept;
    tdestroy(earlier, keep_nothing);
    return result;
}

/* ----------------------------------------------------------------------------------------------
 * What the operating system's own account shows of the runs of a cell, and which of them it shows
 * disturbed. */

/* Further than this no count and no truth may be off: differences of errors still fit. */
#define ERROR_FURTHEST (INT64_C(1) << 60)

struct error_account {
    uint64_t faults, switches;
};
/* Of all runs of a cell; most show nothing and are only counted. */
struct error_accounts {
    struct error_account *list; /* of those that show something */
    size_t count, room;
    size_t runs; /* all */
};

/* -ENOMEM */
static int error_accounts_add(struct error_accounts *accounts, const struct account *account)
{
    struct error_account shown = {account->minor_faults + account->major_faults,
                                  account->voluntary + account->involuntary};
    accounts->runs++;
    if (!shown.faults && !shown.switches)
        return 0;
    if (accounts->count == accounts->room) {
        size_t room = accounts->room ? accounts->room * 2 : 16;
        struct error_account *larger = reallocarray(accounts->list, room, sizeof(*larger));
        if (!larger)
            return -ENOMEM;
        accounts->list = larger;
        accounts->room = room;
    }
    accounts->list[accounts->count++] = shown;
    return 0;
}

static void error_accounts_free(struct error_accounts *accounts)
{
    free(accounts->list);
    *accounts = (struct error_accounts){0};
}

static uint64_t faults_of(const struct error_account *account)
{
    return account->faults;
}

static uint64_t switches_of(const struct error_account *account)
{
    return account->switches;
}

static int by_value(const void *left, const void *right)
{
    uint64_t first = *(const uint64_t *)left, second = *(const uint64_t *)right;
    return (first > second) - (first < second);
}

/* The smallest that at least half of the runs do not exceed. */
static int64_t median(const struct error_accounts *accounts, uint64_t *scratch,
                      uint64_t (*of)(const struct error_account *))
{
    size_t above = 0, rank = (accounts->runs + 1) / 2;
    for (size_t i = 0; i < accounts->count; i++)
        if (of(&accounts->list[i]))
            scratch[above++] = of(&accounts->list[i]);
    size_t zeroes = accounts->runs - above;
    if (rank <= zeroes)
        return 0;
    qsort(scratch, above, sizeof(*scratch), by_value);
    uint64_t value = scratch[rank - zeroes - 1];
    return value < (uint64_t)ERROR_FURTHEST ? (int64_t)value : ERROR_FURTHEST;
}

static void at_least(struct maybe *expected, int64_t usual)
{
    if (!expected->known || expected->value < usual)
        *expected = (struct maybe){true, usual};
}

/* Expects at least what most of the runs show. -ENOMEM */
static int error_accounts_usual(const struct error_accounts *accounts, struct maybe *faults,
                                struct maybe *switches)
{
    AUTO_FREE uint64_t *scratch = calloc(accounts->count + 1, sizeof(*scratch));
    if (!scratch)
        return -ENOMEM;
    at_least(faults, median(accounts, scratch, faults_of));
    at_least(switches, median(accounts, scratch, switches_of));
    return 0;
}

static bool beyond(uint64_t seen, struct maybe expected)
{
    return expected.known && (expected.value < 0 || seen > (uint64_t)expected.value);
}

/* How many runs show more than is expected. */
static size_t error_accounts_beyond(const struct error_accounts *accounts, struct maybe faults,
                                    struct maybe switches)
{
    size_t disturbed = 0;
    bool always = beyond(0, faults) || beyond(0, switches);
    for (size_t i = 0; i < accounts->count; i++)
        disturbed += beyond(accounts->list[i].faults, faults) ||
                     beyond(accounts->list[i].switches, switches);
    return always ? accounts->runs : disturbed;
}

/* ----------------------------------------------------------------------------------------------
 * From a stored cell to the factors of a cell of the case: what its event's name says, what is
 * known of its truth, where its specimen was placed. */

/* What a cell of the case needs while it is loaded. */
struct error_origin {
    uint32_t id;                   /* in the store */
    uint32_t runs, counters;       /* as planned */
    uint32_t interrupts;           /* the counter that counts them; 0: none */
    int32_t cpu;                   /* pinned to */
    struct maybe faults, switches; /* what the account of a run may show */
    bool is_null;
    bool timed;               /* its part needs times and company */
    size_t room, begins_room; /* of the cell's arrays */
    uint32_t *processes;      /* [begins_room] in the order of the samples */
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
    const char *from = event;
    size_t length = strlen(event);
    if (is_source(kind, event)) {
        const char *slash = strchr(event, '/');
        from = slash ? slash + 1 : event;
        return strndup(from, strcspn(from, "/"));
    }
    if (mode) /* a slash before it belongs to the name, a colon does not */
        length = (size_t)(mode - event) - (mode[-1] == ':');
    return strndup(from, length);
}

/* The time-stamp counter is behind a PMU of its own, which knows no modes. */
static bool is_processor_event(const char *kind, const char *event)
{
    return event_counts_beyond_specimen(kind, event) && strncmp(event, "msr/", 4) != 0;
}

static enum count_mode mode_of(const char *event, const char *kind)
{
    const char *mode = event_mode(event);
    bool user = mode && strchr(mode, 'u'), kernel = mode && strpbrk(mode, "kh");
    if (is_source(kind, event)) /* what executes code sees its user mode alone; clocks see all */
        return strncmp(event, "clock/", 6) == 0 ? COUNT_ANY : COUNT_USER;
    if (user || kernel)
        return user && kernel ? COUNT_BOTH : user ? COUNT_USER : COUNT_KERNEL;
    return is_processor_event(kind, event) ? COUNT_BOTH : COUNT_ANY;
}

/* "" when all further ones are the first again. NULL: out of memory. */
static char *others_of(const struct cell *cell)
{
    struct text others = {0};
    bool same = true;
    text_puts(&others, "");
    for (uint32_t i = 1; i < cell->counters; i++)
        same = same && strcmp(cell->events[i], cell->events[0]) == 0;
    for (uint32_t i = 1; i < cell->counters && !same; i++)
        text_printf(&others, "%s%s", i > 1 ? "," : "", cell->events[i]);
    return text_take(&others);
}

/* 0: none of the further counters. */
static uint32_t interrupts_counter(const struct cell *cell)
{
    for (uint32_t i = 1; i < cell->counters; i++)
        if (event_counts_interrupts(cell->events[i]))
            return i;
    return 0;
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

static bool copy_words(const struct stored_cell *stored, const struct stored_event *event,
                       struct error_cell *cell)
{
    const struct cell *planned = &stored->cell;
    const char *class = event->class ? event->class : stored->counters[0].class;
    const char *reason = !stored->failed  ? NULL
                         : stored->reason ? stored->reason
                                          : strerror(stored->error);
    cell->base = base_of(planned->events[0], event->kind);
    cell->others = others_of(planned);
    return cell->base && cell->others && copy_if_any(&cell->event, planned->events[0]) &&
           copy_if_any(&cell->kind, event->kind) && copy_if_any(&cell->class, class) &&
           copy_if_any(&cell->path, planned->path) && copy_if_any(&cell->opt, planned->opt) &&
           copy_if_any(&cell->link, planned->link) &&
           copy_if_any(&cell->specimen, planned->specimen) && copy_if_any(&cell->reason, reason);
}

/* event: as the store lists it, kind "" where it does not. -ENOMEM */
static int error_fill_factors(const struct stored_cell *stored, const struct stored_event *event,
                              const struct known *known, struct error_cell *cell,
                              struct error_origin *origin)
{
    const struct cell *planned = &stored->cell;
    if (!copy_words(stored, event, cell))
        return -ENOMEM;
    cell->mode = mode_of(cell->event, cell->kind);
    cell->pattern = planned->pattern;
    cell->counters = planned->counters;
    cell->separate = planned->separate;
    cell->offset = offset_of(planned->specimen);
    cell->n = planned->n;
    cell->failed = stored->failed;
    cell->error = stored->failed ? stored->error : 0;
    fill_truth(&stored->counters[0], known, cell);
    *origin = (struct error_origin){.id = planned->id,
                                    .runs = planned->runs,
                                    .counters = planned->counters,
                                    .interrupts = interrupts_counter(planned),
                                    .cpu = planned->cpu,
                                    .faults = {stored->has_faults, stored->faults},
                                    .switches = {stored->has_switches, stored->switches},
                                    .is_null = strcmp(planned->specimen, "null") == 0,
                                    .timed = cell->part == PART_DURATION ||
                                             cell->part == PART_PLACEMENT ||
                                             cell->part == PART_MULTIPLEX};
    return 0;
}

/* ----------------------------------------------------------------------------------------------
 * The runs of the cells of measurement error, from the samples of a store: values by process, and
 * what kept company with them. The store is read once, in its own order, and every sample goes to
 * the end of its cell; what is then out of order by process is put in order. */

/* All cells, and the run that is being read. */
struct taking {
    struct store *store;
    struct error_cell *cells;
    struct error_origin *origins;
    size_t count;
    struct failure *failure;
    size_t at;     /* the cell of the visit that is being read; count: no part of this study */
    uint32_t cell; /* its id */
    uint32_t process, run;
    bool began, counted; /* a run of the visit began; its first counter got time */
};

static int damaged(const struct taking *taking, const struct sample *sample, const char *what)
{
    return fail_with(taking->failure, -EBADMSG,
                     "the store %.300s is damaged: process %u of cell %u has %s (run %u, counter "
                     "%u). Take a copy you trust.",
                     store_path(taking->store), sample->process, sample->cell, what, sample->run,
                     sample->counter);
}

/* --- room --- */

static bool grow(void *list, size_t room, size_t size)
{
    void **at = list;
    void *larger = reallocarray(*at, room, size);
    if (larger)
        *at = larger;
    return larger != NULL;
}

static bool grow_runs(struct error_cell *cell, struct error_origin *origin, size_t room)
{
    if (!grow(&cell->values, room, sizeof(*cell->values)))
        return false;
    if (origin->timed && (!grow(&cell->enabled, room, sizeof(*cell->enabled)) ||
                          !grow(&cell->running, room, sizeof(*cell->running))))
        return false;
    if (origin->timed && origin->interrupts &&
        !grow(&cell->interrupts, room, sizeof(*cell->interrupts)))
        return false;
    origin->room = room;
    return true;
}

/* One more than processes: the end of the last. */
static bool grow_begins(struct error_cell *cell, struct error_origin *origin, size_t room)
{
    if (!grow(&cell->begins, room + 1, sizeof(*cell->begins)) ||
        !grow(&origin->processes, room + 1, sizeof(*origin->processes)))
        return false;
    origin->begins_room = room;
    return true;
}

/* --- samples --- */

/* Processes whose runs got no counter have no place in the cell. */
static bool open_process(struct error_cell *cell, struct error_origin *origin, uint32_t process)
{
    size_t last = cell->processes;
    if (last && origin->processes[last - 1] == process && cell->begins[last - 1] < cell->runs)
        return true;
    if (last == origin->begins_room && !grow_begins(cell, origin, last ? last * 2 : 32))
        return false;
    origin->processes[last] = process;
    cell->begins[last] = cell->runs;
    cell->processes++;
    return true;
}

static bool put_run(struct error_cell *cell, struct error_origin *origin,
                    const struct sample *sample, uint64_t value)
{
    if (cell->runs == origin->room && !grow_runs(cell, origin, cell->runs ? cell->runs * 2 : 256))
        return false;
    if (!open_process(cell, origin, sample->process))
        return false;
    cell->values[cell->runs] = error_clamp(value);
    if (origin->timed) {
        cell->enabled[cell->runs] = (double)sample->enabled;
        cell->running[cell->runs] = (double)sample->running;
    }
    if (cell->interrupts)
        cell->interrupts[cell->runs] = 0;
    cell->runs++;
    return true;
}

/* The first counter of a run. */
static int take_run(struct taking *taking, const struct sample *sample)
{
    struct error_cell *cell = &taking->cells[taking->at];
    struct error_origin *origin = &taking->origins[taking->at];
    struct reading reading = {sample->value, sample->enabled, sample->running, sample->account};
    uint64_t value;
    taking->began = true;
    taking->run = sample->run;
    if (error_accounts_add(&origin->accounts, &sample->account) < 0)
        return loading_no_memory(taking->failure);
    taking->counted = reading_value(&reading, &value);
    if (!taking->counted) {
        cell->unscheduled++;
        return 0;
    }
    cell->multiplexed += sample->running < sample->enabled;
    return put_run(cell, origin, sample, value) ? 0 : loading_no_memory(taking->failure);
}

static int compare_ids(const void *key, const void *entry)
{
    uint32_t wanted = *(const uint32_t *)key, id = ((const struct error_origin *)entry)->id;
    return (wanted > id) - (wanted < id);
}

static void find_cell(struct taking *taking, const struct sample *sample)
{
    const struct error_origin *found =
        bsearch(&sample->cell, taking->origins, taking->count, sizeof(*found), compare_ids);
    taking->at = found ? (size_t)(found - taking->origins) : taking->count;
    taking->cell = sample->cell;
    taking->process = sample->process;
    taking->began = false;
}

static int take_sample(void *context, const struct sample *sample)
{
    struct taking *taking = context;
    if (sample->cell != taking->cell || sample->process != taking->process)
        find_cell(taking, sample);
    if (taking->at == taking->count)
        return 0;
    const struct error_origin *origin = &taking->origins[taking->at];
    struct error_cell *cell = &taking->cells[taking->at];
    if (sample->run >= origin->runs)
        return damaged(taking, sample, "more runs than were planned");
    if (sample->counter >= origin->counters)
        return damaged(taking, sample, "a count of a counter that its cell does not have");
    if (sample->counter == 0)
        return take_run(taking, sample);
    if (!taking->began || sample->run != taking->run)
        return damaged(taking, sample, "a run without its first counter");
    if (sample->counter == origin->interrupts && taking->counted && cell->interrupts)
        cell->interrupts[cell->runs - 1] = (double)sample->value;
    return 0;
}

/* --- order --- */

/* The runs of one process among all of its cell. */
struct stretch {
    uint32_t process;
    size_t begin, runs;
};

static int compare_stretches(const void *left, const void *right)
{
    const struct stretch *one = left, *other = right;
    return (one->process > other->process) - (one->process < other->process);
}

/* Numbers of runs, counts or times, in the order of the stretches. */
static bool reorder(void *numbers, const struct stretch *stretches, size_t processes, size_t runs)
{
    uint64_t **list = numbers, *ordered, *end;
    _Static_assert(sizeof(int64_t) == sizeof(double), "both are moved the same way");
    if (!*list || !runs)
        return true;
    ordered = end = malloc(runs * sizeof(*ordered));
    if (!ordered)
        return false;
    for (size_t i = 0; i < processes; i++) {
        memcpy(end, *list + stretches[i].begin, stretches[i].runs * sizeof(*end));
        end += stretches[i].runs;
    }
    free(*list);
    *list = ordered;
    return true;
}

static bool sort_processes(struct error_cell *cell, struct error_origin *origin)
{
    AUTO_FREE struct stretch *stretches = calloc(cell->processes + 1, sizeof(*stretches));
    if (!stretches)
        return false;
    for (size_t i = 0; i < cell->processes; i++)
        stretches[i] = (struct stretch){origin->processes[i], cell->begins[i],
                                        cell->begins[i + 1] - cell->begins[i]};
    qsort(stretches, cell->processes, sizeof(*stretches), compare_stretches);
    if (!reorder(&cell->values, stretches, cell->processes, cell->runs) ||
        !reorder(&cell->enabled, stretches, cell->processes, cell->runs) ||
        !reorder(&cell->running, stretches, cell->processes, cell->runs) ||
        !reorder(&cell->interrupts, stretches, cell->processes, cell->runs))
        return false;
    origin->room = cell->runs;
    for (size_t i = 0; i < cell->processes; i++) {
        origin->processes[i] = stretches[i].process;
        cell->begins[i + 1] = cell->begins[i] + stretches[i].runs;
    }
    return true;
}

static bool is_sorted(const struct error_cell *cell, const struct error_origin *origin)
{
    for (size_t i = 1; i < cell->processes; i++)
        if (origin->processes[i] <= origin->processes[i - 1])
            return false;
    return true;
}

/* Puts the processes in order, and gives back what doubling took too much of. */
static int settle(struct taking *taking, size_t at)
{
    struct error_cell *cell = &taking->cells[at];
    struct error_origin *origin = &taking->origins[at];
    if (!grow_begins(cell, origin, cell->processes))
        return loading_no_memory(taking->failure);
    cell->begins[cell->processes] = cell->runs;
    if (!is_sorted(cell, origin) && !sort_processes(cell, origin))
        return loading_no_memory(taking->failure);
    if (!is_sorted(cell, origin))
        return fail_with(taking->failure, -EBADMSG,
                         "the store %.300s is damaged: two visits are the same process of cell %u. "
                         "Take a copy you trust.",
                         store_path(taking->store), origin->id);
    if (cell->runs && cell->runs < origin->room && !grow_runs(cell, origin, cell->runs))
        return loading_no_memory(taking->failure);
    return 0;
}

/* cells[i] comes from origins[i]; these are by id. */
static int error_take_runs(struct store *store, struct error_cell *cells,
                           struct error_origin *origins, size_t count, struct failure *failure)
{
    struct taking taking = {.store = store,
                            .cells = cells,
                            .origins = origins,
                            .count = count,
                            .failure = failure,
                            .at = count};
    int error = store_scan_samples(store, take_sample, &taking, failure);
    for (size_t i = 0; !error && i < count; i++)
        error = settle(&taking, i);
    return error;
}

/* ----------------------------------------------------------------------------------------------
 * From a store to the case of measurement error: first all cells with their factors, then all
 * runs, then what disturbed them. The null cells tell what the operating system's account shows of
 * each way of measuring by itself. */

/* An event as the store lists it. */
struct listed {
    char *name, *kind, *class;
};

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
    void *events; /* tree of struct listed */
    void *nulls;  /* tree of struct null_way */
    uint32_t machine;
    size_t first_cell; /* of this store in the case */
    struct error_origin *origins;
    size_t origin_count;
};

/* --- the machine --- */

static struct error_machine *find_machine(struct load *load, const char *fingerprint)
{
    for (size_t i = 0; i < load->file->machine_count; i++)
        if (strcmp(load->file->machines[i].fingerprint, fingerprint) == 0)
            return &load->file->machines[i];
    return NULL;
}

static int add_machine(struct load *load, const struct facts *facts, const char *fingerprint)
{
    struct error_machine *machine = error_case_add_machine(load->file);
    char *words = loading_machine_name(facts);
    if (!machine || !words || !copy_if_any(&machine->fingerprint, fingerprint)) {
        free(words);
        if (machine) /* the last one, without a name nobody may look at it */
            load->file->machine_count--;
        return loading_no_memory(load->failure);
    }
    machine->name = words;
    machine->emulated = facts_get(facts, "emulated") != NULL;
    return 0;
}

static const char other_windows[] =
    "their windows are different code, and what one adds does not hold for the other";

static int take_machine(struct load *load)
{
    AUTO_FACTS struct facts facts = {0};
    struct store_info info = {0};
    int error = store_facts(load->store, &facts, load->failure);
    if (!error)
        error = store_info(load->store, &info, load->failure);
    if (!error && !find_machine(load, info.fingerprint))
        error = add_machine(load, &facts, info.fingerprint);
    if (!error)
        error = loading_same_kit(load->store, info.kit, &find_machine(load, info.fingerprint)->kit,
                                 other_windows, load->failure);
    if (!error)
        load->machine = (uint32_t)(find_machine(load, info.fingerprint) - load->file->machines);
    store_info_release(&info);
    return error;
}

/* --- events --- */

static int compare_listed(const void *left, const void *right)
{
    return strcmp(((const struct listed *)left)->name, ((const struct listed *)right)->name);
}

static void free_listed(void *entry)
{
    struct listed *listed = entry;
    free(listed->name);
    free(listed->kind);
    free(listed->class);
    free(listed);
}

static bool is_told(const struct error_case *file, const struct stored_event *event)
{
    for (size_t i = 0; i < file->absence_count; i++)
        if (strcmp(file->absences[i].what, event->name) == 0 &&
            file->absences[i].error == event->error)
            return true;
    return false;
}

static int add_absence(struct load *load, const struct stored_event *event)
{
    if (!event->error || is_told(load->file, event))
        return 0;
    struct error_absence *absence = error_case_add_absence(load->file);
    if (!absence || !copy_if_any(&absence->what, event->name) ||
        !copy_if_any(&absence->reason, event->reason ? event->reason : strerror(event->error)))
        return loading_no_memory(load->failure);
    absence->error = event->error;
    return 0;
}

static int take_event(void *context, const struct stored_event *event)
{
    struct load *load = context;
    struct listed *listed = calloc(1, sizeof(*listed));
    if (!listed || !copy_if_any(&listed->name, event->name) ||
        !copy_if_any(&listed->kind, event->kind) || !copy_if_any(&listed->class, event->class) ||
        !tsearch(listed, &load->events, compare_listed)) {
        if (listed)
            free_listed(listed);
        return loading_no_memory(load->failure);
    }
    return add_absence(load, event);
}

/* What the store lists of the event under test; it need not know it. */
static struct stored_event event_of(const struct load *load, const struct cell *cell)
{
    struct listed wanted = {.name = cell->events[0]};
    struct listed *const *found = tfind(&wanted, &load->events, compare_listed);
    struct stored_event event = {.name = cell->events[0], .kind = ""};
    if (found) {
        event.kind = (*found)->kind;
        event.class = (*found)->class;
    }
    return event;
}

/* --- cells --- */

/* Class and truth may stand in the lists of the store alone. */
static void complete_counter(const struct load *load, const struct stored_event *event,
                             struct stored_cell *told)
{
    struct stored_counter *counter = &told->counters[0];
    if (!counter->class)
        counter->class = (char *)(uintptr_t)event->class;
    if (!counter->class || counter->has_truth)
        return;
    struct truth truth =
        known_truth(&load->known, told->cell.specimen, counter->class, told->cell.n);
    counter->has_truth = truth.grade != TRUTH_NONE; /* its value follows from factors */
}

static int take_cell(void *context, const struct stored_cell *stored)
{
    struct load *load = context;
    struct stored_event event = event_of(load, &stored->cell);
    struct stored_cell told = *stored;
    enum error_part part;
    complete_counter(load, &event, &told);
    if (!error_part_of(&told, event.kind, &part))
        return 0;
    struct error_cell *cell = error_case_add_cell(load->file);
    struct error_origin *origin =
        list_add(&load->origins, &load->origin_count, sizeof(*load->origins));
    if (!cell || !origin)
        return loading_no_memory(load->failure);
    cell->part = part;
    cell->machine = load->machine;
    if (error_fill_factors(&told, &event, &load->known, cell, origin) < 0)
        return loading_no_memory(load->failure);
    return 0;
}

/* --- runs --- */

static int compare_ways(const void *left, const void *right)
{
    const struct null_way *one = left, *other = right;
    const struct error_cell *a = one->cell, *b = other->cell;
    int order = strcmp(a->event, b->event);
    if (!order)
        order = strcmp(a->path, b->path);
    if (!order)
        order = strcmp(a->opt, b->opt);
    if (!order)
        order = strcmp(a->link, b->link);
    if (!order)
        order = strcmp(a->others, b->others);
    if (!order)
        order = (a->pattern > b->pattern) - (a->pattern < b->pattern);
    if (!order)
        order = (a->counters > b->counters) - (a->counters < b->counters);
    if (!order)
        order = (int)a->separate - (int)b->separate;
    return order
               ? order
               : (one->origin->cpu > other->origin->cpu) - (one->origin->cpu < other->origin->cpu);
}

static int remember_null(struct load *load, const struct error_cell *cell,
                         const struct error_origin *origin)
{
    struct null_way *way = malloc(sizeof(*way));
    if (!way)
        return loading_no_memory(load->failure);
    *way = (struct null_way){cell, origin};
    struct null_way *const *found = tsearch(way, &load->nulls, compare_ways);
    if (!found || *found != way) /* another null cell of this way is there already */
        free(way);
    return found ? 0 : loading_no_memory(load->failure);
}

static void add_own(struct maybe *predicted, struct maybe own)
{
    if (own.known && __builtin_add_overflow(predicted->value, own.value, &predicted->value))
        *predicted = (struct maybe){0};
}

/* What the account of a run of this cell may show: what its specimen does and what its way does.
 * Where either is not known, what most of its runs show. */
static int expect_account(struct load *load, const struct error_cell *cell,
                          struct error_origin *origin)
{
    struct null_way wanted = {cell, origin};
    struct null_way *const *null = NULL;
    if (!origin->is_null && origin->faults.known && origin->switches.known)
        null = tfind(&wanted, &load->nulls, compare_ways);
    if (!null)
        return error_accounts_usual(&origin->accounts, &origin->faults, &origin->switches);
    add_own(&origin->faults, (*null)->origin->faults);
    add_own(&origin->switches, (*null)->origin->switches);
    return 0;
}

static int judge_account(struct load *load, size_t index)
{
    struct error_cell *cell = &load->file->cells[load->first_cell + index];
    struct error_origin *origin = &load->origins[index];
    if (!origin->accounts.runs)
        return 0;
    if (expect_account(load, cell, origin) < 0)
        return loading_no_memory(load->failure);
    cell->disturbed = error_accounts_beyond(&origin->accounts, origin->faults, origin->switches);
    return origin->is_null ? remember_null(load, cell, origin) : 0;
}

static int take_runs(struct load *load)
{
    int error = 0;
    if (load->origin_count)
        error = error_take_runs(load->store, &load->file->cells[load->first_cell], load->origins,
                                load->origin_count, load->failure);
    for (int nulls = 1; nulls >= 0; nulls--)
        for (size_t i = 0; !error && i < load->origin_count; i++)
            if (load->origins[i].is_null == nulls)
                error = judge_account(load, i);
    return error;
}

/* --- the whole --- */

static void free_origins(struct load *load)
{
    for (size_t i = 0; i < load->origin_count; i++) {
        free(load->origins[i].processes);
        error_accounts_free(&load->origins[i].accounts);
    }
    free(load->origins);
}

int error_load(struct store *store, struct error_case *file, struct failure *failure)
{
    struct load load = {
        .store = store, .file = file, .failure = failure, .first_cell = file->cell_count};
    int error = take_machine(&load);
    if (!error)
        error = known_load(store, &load.known, failure);
    if (!error)
        error = store_each_event(store, take_event, &load, failure);
    if (!error)
        error = store_each_cell(store, take_cell, &load, failure);
    if (!error)
        error = take_runs(&load);
    if (!error && error_merge_cells(file, load.first_cell) < 0)
        error = loading_no_memory(failure);
    tdestroy(load.events, free_listed);
    tdestroy(load.nulls, free);
    free_origins(&load);
    return error;
}
