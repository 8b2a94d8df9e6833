/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The sides of a comparison: which runs belong to each, what their machines say of themselves, and
 * what they are called. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "commands/compare/compare.h"
#include "store/store.h"

/* --- which runs --- */

/* The machine of a run; one whose store says none is taken for its own. */
static const char *machine_of(const struct reported *reported, size_t run)
{
    const char *fingerprint = reported->list[run].run->fingerprint;
    return fingerprint ? fingerprint : "";
}

struct pairing {
    size_t files[COMPARE_MOST_SIDES]; /* of each side */
    size_t runs[COMPARE_MOST_SIDES];  /* its first */
    size_t count;
};

static int side_of(struct comparing *comparing, struct pairing *pairing, size_t file, size_t run,
                   struct failure *failure)
{
    size_t side = 0;
    while (side < pairing->count &&
           (pairing->files[side] != file ||
            strcmp(machine_of(&comparing->reported, run),
                   machine_of(&comparing->reported, pairing->runs[side])) != 0))
        side++;
    if (side == COMPARE_MOST_SIDES)
        return fail_with(failure, -EINVAL, "at most %u sides can be compared", COMPARE_MOST_SIDES);
    if (side == pairing->count) {
        pairing->files[side] = file;
        pairing->runs[side] = run;
        pairing->count++;
    }
    comparing->side_of[run] = side;
    return 0;
}

static bool same_run(const struct listed_run *one, const struct listed_run *other)
{
    return one->started && other->started && strcmp(one->started, other->started) == 0 &&
           strcmp(one->command, other->command) == 0 && one->fingerprint && other->fingerprint &&
           strcmp(one->fingerprint, other->fingerprint) == 0 && one->argv && other->argv &&
           strcmp(one->argv, other->argv) == 0;
}

static void note_copies(struct comparing *comparing)
{
    const struct reported *reported = &comparing->reported;
    for (size_t i = 0; i < reported->count; i++)
        for (size_t j = 0; j < i; j++)
            if (comparing->side_of[i] != comparing->side_of[j] &&
                same_run(reported->list[i].run, reported->list[j].run))
                compare_note(comparing,
                             "%s and %s are the same run, which cannot differ from itself",
                             reported->list[j].run->name, reported->list[i].run->name);
}

static int pair_runs(struct comparing *comparing, struct pairing *pairing, struct failure *failure)
{
    struct reported *reported = &comparing->reported;
    size_t run = 0;
    comparing->side_of = calloc(reported->count + 1, sizeof(*comparing->side_of));
    if (!comparing->side_of)
        return fail_with(failure, -ENOMEM, "out of memory");
    for (size_t file = 0; file < reported->file_count; file++)
        for (size_t i = 0; i < reported->files[file].count; i++, run++) {
            int error = side_of(comparing, pairing, file, run, failure);
            if (error < 0)
                return error;
        }
    if (pairing->count < 2)
        return fail_with(failure, -EINVAL,
                         "there is one side only: name a second file, or a collection with runs of "
                         "several machines");
    return 0;
}

/* --- what they say of themselves --- */

static const struct {
    const char *key, *title;
    enum fact_weight weight;
    bool labels;       /* tells sides apart in a word or two */
    const char *usual; /* where nothing is told; NULL: nobody knows */
} fact_rows[] = {
    {"isa", "instruction set", WEIGHT_CODE, true, NULL},
    {"kit", "build of the harnesses", WEIGHT_CODE, false, NULL},
    {"emulated", "emulated", WEIGHT_MACHINE, false, "no"},
    {"cpu.model_name", "CPU", WEIGHT_MACHINE, true, NULL},
    {"cpu.family", "CPU family", WEIGHT_MACHINE, false, NULL},
    {"cpu.model", "CPU model", WEIGHT_MACHINE, false, NULL},
    {"cpu.stepping", "CPU stepping", WEIGHT_MACHINE, false, NULL},
    {"cpu.microcode", "microcode", WEIGHT_MACHINE, true, NULL},
    {"hypervisor", "hypervisor", WEIGHT_MACHINE, true, NULL},
    {"hypervisor.monitor", "monitor", WEIGHT_MACHINE, false, NULL},
    {"kernel.release", "kernel", WEIGHT_MACHINE, true, NULL},
    {"kernel.version", "build of the kernel", WEIGHT_MACHINE, false, NULL},
    {"cpu.count", "CPUs", WEIGHT_MACHINE, false, NULL},
    {"os.name", "operating system", WEIGHT_MACHINE, false, NULL},
    {"container", "container", WEIGHT_MACHINE, false, NULL},
    {"pmu.core", "PMUs", WEIGHT_MACHINE, false, NULL},
    {"memory.page_bytes", "page size", WEIGHT_MACHINE, false, NULL},
    {"perf.paranoid", "perf_event_paranoid", WEIGHT_SETTING, true, NULL},
    {"pmu.rdpmc", "rdpmc", WEIGHT_SETTING, true, NULL},
    {"perf.user_access", "perf_user_access", WEIGHT_SETTING, true, NULL},
    {"kernel.nmi_watchdog", "nmi_watchdog", WEIGHT_SETTING, true, NULL},
    {"kernel.randomize_va_space", "randomize_va_space", WEIGHT_SETTING, true, NULL},
    {"process.personality", "personality", WEIGHT_SETTING, true, NULL},
    {"process.euid", "user id", WEIGHT_SETTING, true, NULL},
    {"process.seccomp", "seccomp", WEIGHT_SETTING, false, NULL},
    {"cpu.allowed", "CPUs it may use", WEIGHT_SETTING, true, NULL},
    {"cpu.isolated", "isolated CPUs", WEIGHT_SETTING, false, NULL},
    {"freq.governor", "governor", WEIGHT_SETTING, true, NULL},
    {"freq.no_turbo", "no_turbo", WEIGHT_SETTING, true, NULL},
    {"freq.boost", "boost", WEIGHT_SETTING, true, NULL},
    {"smt.active", "SMT", WEIGHT_SETTING, true, NULL},
    {"idle.driver", "idle driver", WEIGHT_SETTING, false, NULL},
    {"clock.current", "clocksource", WEIGHT_SETTING, true, NULL},
    {"memory.huge_pages", "huge pages", WEIGHT_SETTING, true, NULL},
    {"version", "version of assay", WEIGHT_SETTING, false, NULL},
};

#define KIT_SHOWN 16u /* digits that tell builds apart */

/* Of the first run of a side; kit and version are the store's. */
static int read_facts(const struct listed_run *run, struct facts *facts, struct failure *failure)
{
    struct store *store = NULL;
    struct store_info info = {0};
    int error = store_open(&store, run->name, false, failure);
    if (error == 0)
        error = store_facts(store, facts, failure);
    if (error == 0)
        error = store_info(store, &info, failure);
    if (error == 0 && info.kit && strlen(info.kit) > KIT_SHOWN)
        info.kit[KIT_SHOWN] = 0;
    if (error == 0 && (facts_set(facts, "kit", info.kit, info.kit ? 0 : ENODATA) < 0 ||
                       facts_set(facts, "version", info.version, info.version ? 0 : ENODATA) < 0))
        error = fail_with(failure, -ENOMEM, "out of memory");
    store_info_release(&info);
    store_close(store);
    return error;
}

static bool copy(char **to, const char *from)
{
    *to = from ? strdup(from) : NULL;
    return !from || *to;
}

/* Two sides have the same ticks where CPU, hypervisor and emulation are the same. */
static int fill_side(struct compare_side *side, const struct facts *facts, const char *fingerprint)
{
    static const char *const keys[] = {"isa",          "cpu.vendor",     "cpu.family", "cpu.model",
                                       "cpu.stepping", "cpu.model_name", "hypervisor", "emulated"};
    AUTO_TEXT struct text counter = {0};
    for (size_t i = 0; i < sizeof(keys) / sizeof(*keys); i++) {
        const char *value = facts_get(facts, keys[i]);
        text_printf(&counter, "%s;", value ? value : "");
    }
    side->emulated = facts_get(facts, "emulated") != NULL;
    const char *hypervisor = facts_get(facts, "hypervisor");
    side->shared = hypervisor && strcmp(hypervisor, "none") != 0;
    side->counter = text_take(&counter);
    return copy(&side->fingerprint, fingerprint) && side->counter ? 0 : -ENOMEM;
}

static int fill_sides(struct comparing *comparing, const struct pairing *pairing,
                      struct failure *failure)
{
    for (size_t i = 0; i < pairing->count; i++) {
        const struct listed_run *run = comparing->reported.list[pairing->runs[i]].run;
        int error = read_facts(run, &comparing->facts[i], failure);
        if (error < 0)
            return error;
        comparing->paths[i] = comparing->named[pairing->files[i]];
        if (fill_side(&comparing->file.sides[i], &comparing->facts[i],
                      run->fingerprint ? run->fingerprint : "") < 0)
            return fail_with(failure, -ENOMEM, "out of memory");
    }
    return 0;
}

int compare_take_facts(struct comparing *comparing, struct failure *failure)
{
    struct compare_case *file = &comparing->file;
    for (size_t i = 0; i < sizeof(fact_rows) / sizeof(*fact_rows); i++) {
        struct compare_fact *fact =
            compare_add_fact(file, fact_rows[i].key, fact_rows[i].title, fact_rows[i].weight);
        bool copied = fact != NULL;
        for (size_t side = 0; copied && side < file->side_count; side++) {
            const char *value = facts_get(&comparing->facts[side], fact_rows[i].key);
            copied = copy(&fact->values[side], value ? value : fact_rows[i].usual);
        }
        if (!copied)
            return fail_with(failure, -ENOMEM, "out of memory");
    }
    return 0;
}

/* --- what they are called --- */

#define LABEL_FACTS 2u /* as many of them at most */

static bool tells_apart(const struct comparing *comparing, const char *key)
{
    const char *first = facts_get(&comparing->facts[0], key);
    for (size_t i = 1; i < comparing->file.side_count; i++) {
        const char *other = facts_get(&comparing->facts[i], key);
        if (strcmp(first ? first : "", other ? other : "") != 0)
            return true;
    }
    return false;
}

static void put_differing(const struct comparing *comparing, size_t side, struct text *label)
{
    size_t used = 0;
    for (size_t i = 0; i < sizeof(fact_rows) / sizeof(*fact_rows) && used < LABEL_FACTS; i++) {
        const char *value = facts_get(&comparing->facts[side], fact_rows[i].key);
        if (!fact_rows[i].labels || !tells_apart(comparing, fact_rows[i].key))
            continue;
        text_puts(label, used++ ? ", " : "");
        if (fact_rows[i].weight == WEIGHT_SETTING)
            text_printf(label, "%s %s", fact_rows[i].title, value ? value : "unknown");
        else
            text_puts(label, value ? value : "unknown");
    }
}

/* The file's name without its folder and ending. */
static void put_file(const char *path, struct text *label)
{
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
    const char *ending = strstr(name, ".sqlite");
    text_append(label, name, ending ? (size_t)(ending - name) : strlen(name));
    if (ending)
        text_puts(label, ending + strlen(".sqlite"));
}

static bool is_taken(const struct compare_case *file, size_t side, const char *label)
{
    for (size_t i = 0; i < side; i++)
        if (strcmp(file->sides[i].label, label) == 0)
            return true;
    return false;
}

static int name_side(struct comparing *comparing, size_t side)
{
    const struct string_list *given = &comparing->options->label;
    AUTO_TEXT struct text label = {0};
    char letter[8];
    if (side < given->count)
        text_puts(&label, given->items[side]);
    else
        put_differing(comparing, side, &label);
    if (!label.length)
        put_file(comparing->paths[side], &label);
    compare_letter(side, letter);
    if (is_taken(&comparing->file, side, text_string(&label)))
        text_printf(&label, " (%s)", letter);
    comparing->file.sides[side].label = text_take(&label);
    return comparing->file.sides[side].label ? 0 : -ENOMEM;
}

int compare_take_sides(struct comparing *comparing, struct failure *failure)
{
    struct pairing pairing = {.count = 0};
    int error = pair_runs(comparing, &pairing, failure);
    if (error < 0)
        return error;
    if (comparing->options->label.count > pairing.count)
        return fail_with(failure, -EINVAL, "--label was given %zu times for %zu sides",
                         comparing->options->label.count, pairing.count);
    comparing->facts = calloc(pairing.count, sizeof(*comparing->facts));
    comparing->paths = calloc(pairing.count, sizeof(*comparing->paths));
    if (!comparing->facts || !comparing->paths ||
        compare_add_sides(&comparing->file, pairing.count) < 0)
        return fail_with(failure, -ENOMEM, "out of memory");
    error = fill_sides(comparing, &pairing, failure);
    for (size_t i = 0; i < pairing.count && error == 0; i++)
        if (name_side(comparing, i) < 0)
            error = fail_with(failure, -ENOMEM, "out of memory");
    note_copies(comparing);
    return error;
}
