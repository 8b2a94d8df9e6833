/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Where a run keeps its parts, which they are and how they share its time, and its record. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/memory.h"
#include "base/text.h"
#include "commands/run.h"
#include "output/json.h"
#include "output/output.h"
#include "store/store.h"

/* ----------------------------------------------------------------------------------------------
 * The folder of a run: made, found again, locked, removed. */

static const char folder_suffix[] = ".parts";
static const char named_suffix[] = "-run.sqlite.parts";
/* A run that begins in the same millisecond has the same name: the later one tries again. */

static void take_names(struct run_place *place, const char *store)
{
    place->store = memory_copy(store);
    place->folder = memory_format("%s%s", store, folder_suffix);
    place->lock = -1;
}

/* The lock ends with the process, whatever ends it. */
static int lock_folder(struct run_place *place, struct failure *failure)
{
    int fd = open(place->folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
    if (fd < 0)
        return fail_with(failure, -errno, "cannot open %.500s: %s", place->folder, strerror(errno));
    if (flock(fd, LOCK_EX | LOCK_NB) < 0) {
        int error = errno;
        close(fd);
        return error == EWOULDBLOCK
                   ? fail_with(failure, -EBUSY,
                               "another assay is working at %.500s: wait until it ends",
                               place->folder)
                   : fail_with(failure, -error, "cannot lock %.500s: %s", place->folder,
                               strerror(error));
    }
    place->lock = fd;
    return 0;
}

static int refuse_existing(const struct run_place *place, const char *what, struct failure *failure)
{
    return fail_with(failure, -EEXIST,
                     "%.400s is there already, and is left as it is: --resume goes on with a run "
                     "that did not end, another --store begins a new one",
                     what == NULL ? place->store : what);
}

static int make_at(void *context, const char *store, struct failure *failure)
{
    struct run_place *place = context;
    take_names(place, store);
    struct stat found;
    if (lstat(place->store, &found) == 0)
        return refuse_existing(place, NULL, failure);
    if (mkdir(place->folder, 0700) == 0)
        return lock_folder(place, failure);
    int error = errno;
    if (error == EEXIST)
        return refuse_existing(place, place->folder, failure);
    return fail_with(failure, -error,
                     "cannot make the folder %.400s, in which parts are kept until they are one "
                     "store: %s. Name a file in a folder that you may write to with --store",
                     place->folder, strerror(error));
}

int run_place_create(struct run_place *place, const char *store, const char *fingerprint,
                     struct failure *failure)
{
    if (!store)
        return store_make_default(fingerprint, "run", make_at, place, failure);
    if (!*store)
        return fail_with(failure, -EINVAL, "--store must name a file");
    return make_at(place, store, failure);
}

/* --- the latest one --- */

static int newer_first(const struct dirent **a, const struct dirent **b)
{
    return -strcmp((*a)->d_name, (*b)->d_name);
}

static int is_folder_of_run(const struct dirent *entry)
{
    size_t length = strlen(entry->d_name), tail = sizeof(named_suffix) - 1;
    return length > tail && strcmp(entry->d_name + length - tail, named_suffix) == 0;
}

/* -EAGAIN: it is not to be gone on with, the next may be. */
static int try_folder(struct run_place *place, const char *machine, const char *name,
                      struct failure *failure)
{
    AUTO_TEXT struct text store = {0};
    text_printf(&store, "%s/%.*s", machine, (int)(strlen(name) - sizeof(folder_suffix) + 1), name);
    take_names(place, text_string(&store));
    if (access(run_place_record(place), R_OK) < 0)
        return -EAGAIN;
    int error = lock_folder(place, failure);
    return error == -EBUSY ? -EAGAIN : error;
}

static int find_latest(struct run_place *place, const char *machine, struct failure *failure)
{
    struct dirent **entries = NULL;
    int count = scandir(machine, &entries, is_folder_of_run, newer_first), error = -EAGAIN;
    for (int i = 0; i < count; i++) {
        if (error == -EAGAIN)
            error = try_folder(place, machine, entries[i]->d_name, failure);
        free(entries[i]);
    }
    free(entries);
    if (error == -EAGAIN)
        return fail_with(failure, -ENOENT,
                         "there is no unfinished run of this machine in %.500s that nobody is "
                         "working at: --store names one elsewhere",
                         machine);
    return error;
}

int run_place_reopen(struct run_place *place, const char *store, const char *fingerprint,
                     struct failure *failure)
{
    struct stat found;
    if (!store) {
        AUTO_FREE char *named = NULL;
        int error = store_default_path(fingerprint, "run", &named, failure);
        if (error < 0)
            return error;
        *strrchr(named, '/') = '\0';
        return find_latest(place, named, failure);
    }
    take_names(place, store);
    if (lstat(place->folder, &found) < 0 && errno == ENOENT)
        return fail_with(failure, -ENOENT,
                         lstat(store, &found) == 0
                             ? "%.500s is a run that ended: nothing is left to go on with. `assay "
                               "report` shows it again"
                             : "there is no run that began to become %.500s",
                         store);
    return lock_folder(place, failure);
}

/* --- what is in it --- */

char *run_place_part(const struct run_place *place, size_t part)
{
    return memory_format("%s/%02zu-%s.sqlite", place->folder, part + 1, run_part_at(part)->name);
}

char *run_place_record(const struct run_place *place)
{
    return memory_format("%s/run.json", place->folder);
}

void run_place_drop_part(const struct run_place *place, size_t part)
{
    static const char *const beside[] = {"", "-wal", "-shm", "-journal"};
    for (size_t i = 0; i < sizeof(beside) / sizeof(beside[0]); i++)
        unlink(memory_format("%s%s", run_place_part(place, part), beside[i]));
}

void run_place_remove(struct run_place *place)
{
    for (size_t i = 0; run_part_at(i); i++)
        run_place_drop_part(place, i);
    unlink(run_place_record(place));
    rmdir(place->folder);
}

void run_place_release(struct run_place *place)
{
    if (place->folder && place->lock >= 0)
        close(place->lock);
    *place = (struct run_place){.lock = -1};
}

/* ----------------------------------------------------------------------------------------------
 * Parts and their shares. */

#define QUICK_MS          130000u
#define FULL_MS           660000u
#define EMULATED_QUICK_MS 300000u
#define EMULATED_FULL_MS  840000u

/* Of the whole, and not more than that: judging again took 1 s to 6 s wherever it was tried. */
#define RESERVE_PERCENT 9u
#define RESERVE_MOST_MS 20000u

/* Has one its turn before the other, or does it matter more? */
static bool is_before(const struct study_part *one, const struct study_part *other, bool by_rank)
{
    return by_rank ? one->rank < other->rank : one->turn < other->turn;
}

/* The study that so many others are before; of equal ones the first in the registry. */
static const struct command *part_behind(size_t others, bool by_rank)
{
    for (const struct command *const *at = command_registry; *at; at++) {
        const struct study_told *told = told_of(*at);
        size_t before = 0;
        for (const struct command *const *to = command_registry; *to && told; to++) {
            const struct study_told *other = told_of(*to);
            before += other && other->part.turn &&
                      (is_before(&other->part, &told->part, by_rank) ||
                       (to < at && !is_before(&told->part, &other->part, by_rank)));
        }
        if (told && told->part.turn && before == others)
            return *at;
    }
    return NULL;
}

const struct command *run_part_at(size_t part)
{
    return part_behind(part, false);
}

size_t run_part_of_rank(size_t place)
{
    const struct command *command = part_behind(place, true);
    size_t part = 0;
    while (run_part_at(part) != command)
        part++;
    return part;
}

const char *const part_state_names[PART_STATES] = {
    [PART_WAITING] = "waiting", [PART_BEGUN] = "begun",   [PART_DONE] = "done",
    [PART_LACKING] = "lacking", [PART_FAILED] = "failed", [PART_LEFT_OUT] = "left out",
};

bool part_state_read(const char *name, enum part_state *state)
{
    for (size_t i = 0; name && i < PART_STATES; i++)
        if (strcmp(name, part_state_names[i]) == 0) {
            *state = (enum part_state)i;
            return true;
        }
    return false;
}

uint64_t run_usual_ms(bool quick, bool emulated)
{
    if (emulated)
        return quick ? EMULATED_QUICK_MS : EMULATED_FULL_MS;
    return quick ? QUICK_MS : FULL_MS;
}

uint64_t run_reserve_ms(const struct run_plan *plan)
{
    uint64_t share = plan->total_ms * RESERVE_PERCENT / 100;
    return share < RESERVE_MOST_MS ? share : RESERVE_MOST_MS;
}

static uint64_t least_ms(const struct run_plan *plan, const struct study_part *kind)
{
    return (plan->emulated ? kind->emulated_least_s : kind->least_s) * UINT64_C(1000);
}

/* The first part is always tried: who asks for a second gets what a second holds. */
static bool is_held(const struct run_plan *plan, const struct study_part *kind)
{
    uint64_t needed = 0;
    for (size_t i = 0; i < plan->count; i++)
        if (plan->parts[i].kind->rank <= kind->rank)
            needed += least_ms(plan, plan->parts[i].kind);
    return kind->rank == 0 || needed + run_reserve_ms(plan) <= plan->total_ms;
}

static void leave_out(struct run_part *part, enum part_state state, const char *reason)
{
    part->state = state;
    part->reason = memory_copy(reason);
}

/* All of them, as yet unplanned. */
static void list_parts(struct run_plan *plan)
{
    const struct command *command;
    plan->parts = NULL;
    for (plan->count = 0; (command = run_part_at(plan->count));)
        *memory_add(plan->parts, plan->count) =
            (struct run_part){.command = command, .kind = &told_of(command)->part};
}

void run_plan_parts(struct run_plan *plan)
{
    list_parts(plan);
    for (size_t i = 0; i < plan->count; i++) {
        struct run_part *part = &plan->parts[i];
        /* Asking it would only cost a boot. */
        if (plan->emulated && !part->kind->emulated_s)
            leave_out(part, PART_LACKING, "times on an emulated machine say nothing of it");
        else if (!is_held(plan, part->kind))
            leave_out(part, PART_LEFT_OUT, "too little time: give a larger --budget");
    }
}

static unsigned weight(const struct run_plan *plan, const struct study_part *kind)
{
    if (plan->emulated)
        return kind->emulated_s;
    return plan->quick ? kind->quick_s : kind->full_s;
}

static bool waits(const struct run_part *part)
{
    return part->state == PART_WAITING || part->state == PART_BEGUN;
}

uint64_t run_share_ms(const struct run_plan *plan, size_t part, uint64_t left_ms)
{
    const struct study_part *kind = plan->parts[part].kind;
    uint64_t weights = 0, reserve = run_reserve_ms(plan), least = least_ms(plan, kind);
    for (size_t i = 0; i < plan->count; i++)
        if (i == part || waits(&plan->parts[i]))
            weights += weight(plan, plan->parts[i].kind);
    uint64_t measuring = left_ms > reserve ? left_ms - reserve : 0;
    uint64_t share = weights ? measuring * weight(plan, kind) / weights : measuring;
    return share > least ? share : least;
}

uint64_t run_left_ms(const struct run_plan *plan)
{
    uint64_t spent = 0;
    for (size_t i = 0; i < plan->count; i++)
        spent += plan->parts[i].spent_ms;
    return spent < plan->total_ms ? plan->total_ms - spent : 0;
}

bool run_is_quick(const struct run_plan *plan, size_t part, uint64_t budget_ms)
{
    uint64_t usual = plan->parts[part].kind->quick_flag * UINT64_C(1000);
    return budget_ms < (plan->emulated ? 2 * usual : usual);
}

/* ----------------------------------------------------------------------------------------------
 * The record of a run, kept beside its parts as JSON: what was asked for, and how far it came.
 * Written anew, whole, whenever a part begins or ends. */

#define RECORD_SCHEMA "assay-run/1"

static json_t *part_json(const struct run_part *part)
{
    return JSON_OBJECT({"part", json_text(part->command->name)},
                       {"state", json_text(part_state_names[part->state])},
                       {"spent_ms", json_integer((json_int_t)part->spent_ms)},
                       {"reason", json_text(part->reason)});
}

/* Who goes on with the run may stand in another folder. */
static json_t *place_json(const char *path)
{
    AUTO_FREE char *folder =
        path && path[0] != '/' && strcmp(path, "-") != 0 ? getcwd(NULL, 0) : NULL;
    AUTO_TEXT struct text whole = {0};
    if (!folder)
        return json_text(path);
    text_printf(&whole, "%s/%s", folder, path);
    return json_text(text_string(&whole));
}

int run_record_write(const struct running *running, struct failure *failure)
{
    const char *path = run_place_record(&running->place);
    struct output output = {0};
    const struct run_plan *plan = &running->plan;
    json_t *object = json_object(), *parts = json_array();
    for (size_t i = 0; i < plan->count; i++)
        json_array_append_new(parts, part_json(&plan->parts[i]));
    JSON_PUT(object, {"schema", json_string(RECORD_SCHEMA)},
             {"seed", json_integer((json_int_t)plan->seed)}, {"quick", json_boolean(plan->quick)},
             {"emulated", json_boolean(plan->emulated)},
             {"total_ms", json_integer((json_int_t)plan->total_ms)},
             {"via", json_text(running->via)}, {"report", place_json(running->report)},
             {"fingerprint", json_text(running->fingerprint)}, {"parts", parts});
    json_t *record = object;

    int error = output_open(&output, path, failure);
    if (error == 0 && json_dumpf(record, output.stream, JSON_INDENT(1)) < 0)
        error = fail_with(failure, -EIO, "cannot write %.500s", path);
    if (error == 0)
        error = output_commit(&output, failure);
    output_discard(&output);
    json_decref(record);
    return error;
}

static int read_part(const json_t *object, struct run_part *part)
{
    const char *name = json_string_value(json_object_get(object, "part"));
    const char *reason = json_string_value(json_object_get(object, "reason"));
    json_int_t spent = json_integer_value(json_object_get(object, "spent_ms"));
    if (!name || strcmp(name, part->command->name) != 0 || spent < 0 ||
        !part_state_read(json_string_value(json_object_get(object, "state")), &part->state))
        return -EBADMSG;
    part->spent_ms = (uint64_t)spent;
    part->reason = memory_copy(reason);
    return 0;
}

static char *copy_of(const json_t *record, const char *key)
{
    return memory_copy(json_string_value(json_object_get(record, key)));
}

static int read_record(const json_t *record, struct running *running)
{
    struct run_plan *plan = &running->plan;
    const char *schema = json_string_value(json_object_get(record, "schema"));
    const json_t *parts = json_object_get(record, "parts");
    json_int_t total = json_integer_value(json_object_get(record, "total_ms"));
    list_parts(plan);
    if (!schema || strcmp(schema, RECORD_SCHEMA) != 0 || json_array_size(parts) != plan->count ||
        total <= 0)
        return -EBADMSG;
    plan->seed = (uint64_t)json_integer_value(json_object_get(record, "seed"));
    plan->quick = json_is_true(json_object_get(record, "quick"));
    plan->emulated = json_is_true(json_object_get(record, "emulated"));
    plan->total_ms = (uint64_t)total;
    running->recorded_via = copy_of(record, "via");
    running->recorded_fingerprint = copy_of(record, "fingerprint");
    running->report = copy_of(record, "report");
    int error = 0;
    for (size_t i = 0; i < plan->count && error == 0; i++)
        error = read_part(json_array_get(parts, i), &plan->parts[i]);
    return error;
}

int run_record_read(struct running *running, struct failure *failure)
{
    const char *path = run_place_record(&running->place);
    json_t *record = json_load_file(path, 0, NULL);
    int error = record ? read_record(record, running) : -EBADMSG;
    json_decref(record);
    if (error < 0)
        return fail_with(
            failure, error,
            "%.500s is damaged, missing or of another version of assay: the run cannot "
            "be gone on with. Its stores beside it can be judged (`assay report`)",
            path);
    return 0;
}
