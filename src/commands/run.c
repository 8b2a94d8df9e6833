/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * assay run: everything that can be told of a machine, in one go: one store, one page, one screen.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/memory.h"
#include "base/monotonic.h"
#include "commands/help.h"
#include "commands/page.h"
#include "commands/run.h"
#include "engine/finish.h"
#include "engine/gather.h"
#include "engine/run-store.h"
#include "engine/told.h"
#include "output/field.h"
#include "output/output.h"
#include "store/store.h"

/* ----------------------------------------------------------------------------------------------
 * What a run shows: a summary of one screen with where everything is, or the same as data. */

#define LEFT_OUT_LINES 2
#define NEXT_LINES     2
#define MS_PER_MINUTE  60000u

static bool goes_on(const struct running *running)
{
    return !running->collected && running->place.folder;
}

/* --- for people --- */

static bool was_told(const struct skips *skips, size_t at)
{
    for (size_t i = 0; i < at; i++)
        if (strcmp(skips->list[i].reason, skips->list[at].reason) == 0)
            return true;
    return false;
}

/* Places stand as they are, in one line, so that they can be copied. */
static void put_place(const char *label, const char *before, const char *path, struct text *out)
{
    text_printf(out, "%-11s%s", label, before);
    text_put_shell(out, path);
}

static void put_via(const struct running *running, struct text *out)
{
    deliver_put_via(&(struct common_options){.via = running->via}, out);
}

static void put_next(const struct running *running, const struct style *style, struct text *out)
{
    if (goes_on(running) && running->was_interrupted) {
        put_place("go on", "assay run --resume --store ", running->place.store, out);
        put_via(running, out);
        text_putc(out, '\n');
    } else if (running->plan.quick) {
        AUTO_TEXT struct text words = {0};
        text_puts(&words, "`assay run");
        put_via(running, &words);
        text_printf(&words, "` sees more, in %" PRIu64 " min; `assay doctor",
                    run_usual_ms(false, running->plan.emulated) / MS_PER_MINUTE);
        put_via(running, &words);
        text_puts(&words, "` says what to mend");
        told_put_line("next", text_string(&words), NEXT_LINES, style, out);
    }
}

static const char *store_of(const struct running *running)
{
    return running->collected ? running->place.store : running->place.folder;
}

static void put_report(const void *run, const struct style *style, struct text *out)
{
    const struct running *running = run;
    deliver_put_machine(&running->facts, style, out);
    report_put_summary(&running->found, style, out);
    /* "caches, repeat: too little time; clocks: ..." */
    const struct skips *skips = &running->skips;
    AUTO_TEXT struct text words = {0};
    for (size_t i = 0; i < skips->count; i++) {
        if (was_told(skips, i))
            continue;
        text_printf(&words, "%s%s", words.length ? "; " : "", skips->list[i].what);
        for (size_t j = i + 1; j < skips->count; j++)
            if (strcmp(skips->list[j].reason, skips->list[i].reason) == 0)
                text_printf(&words, ", %s", skips->list[j].what);
        text_printf(&words, ": %s", skips->list[i].reason);
    }
    if (words.length)
        told_put_line("left out", text_string(&words), LEFT_OUT_LINES, style, out);

    put_next(running, style, out);
    if (running->is_found) {
        put_place("store", "", store_of(running), out);
        text_putc(out, '\n');
    }
    if (running->page_is_there) {
        put_place("report", "", running->report, out);
        text_putc(out, '\n');
    }
}

/* --- for programs --- */

GETTER(get_part, struct run_part, value_text(item->command->name))

GETTER(get_seconds, struct run_part, value_real((double)item->spent_ms / 1000))

static struct value get_part_store(const void *item, const void *context)
{
    const struct report *found = &((const struct running *)context)->found;
    const struct run_part *part = item;
    const struct report_section *section = report_section_of(found, part->command->name);
    return value_text(section ? section->store : NULL);
}

static const struct field part_fields[] = {
    {"part", GET(FIELD_TEXT, get_part), "the study", .column = true},
    {"status", AT(struct run_part, state), "how it ended", NAMED(part_state_names), .column = true},
    {"seconds", GET(FIELD_REAL, get_seconds), "that it took", UNIT_S, .column = true},
    {"reason", AT(struct run_part, reason), "why there is nothing of it, or not all",
     .nullable = true, .column = true},
    {"store", GET(FIELD_TEXT, get_part_store), "where it is", .nullable = true},
};
static const struct fields part_table = FIELDS("run", "a part of a run", part_fields);
static const struct field run_results = {"results",
                                         LIST(struct running, plan.parts, plan.count, &part_table)};

GETTER(get_store, struct running, value_text(item->is_found ? store_of(item) : NULL))

static const struct field analysis_fields[] = {
    {"", SPLICED_AT(struct running, found, &report_summary_table)},
    {"store", GET(FIELD_TEXT, get_store), "of all parts, or the folder of theirs",
     .nullable = true},
    {"report", AT(struct running, report), "the page",
     .known = KNOWN(struct running, page_is_there), .nullable = true},
    {"complete", AT(struct running, collected), "the store holds all that was measured"},
};
static const struct fields run_analysis =
    FIELDS("run.analysis", "what to know of the machine, on one screen", analysis_fields);

/* Those of all sections. */
static struct finding *findings(const struct report *found, size_t *count)
{
    struct finding *list = NULL;
    *count = 0;
    for (size_t i = 0; i < found->section_count; i++)
        for (size_t j = 0; j < found->sections[i].finish->finding_count; j++)
            *memory_add(list, *count) = found->sections[i].finish->findings[j];
    return list;
}

/* ----------------------------------------------------------------------------------------------
 * The end of a run: its parts become one store, which is judged as a whole and shown as a page. Of
 * a run that was interrupted the parts stay as they are, so that it can be gone on with. */

struct part_files {
    char **list;
    size_t count;
};

static bool read_info(const char *path, struct store_info *info)
{
    struct store *store = NULL;
    bool read = store_open(&store, path, false, NULL) == 0 && store_info(store, info, NULL) == 0;
    store_close(store);
    return read;
}

/* --- one store --- */

static int collect(struct running *running, const struct part_files *files)
{
    struct failure failure = {0};
    int error = collection_write(running->place.store, (const char *const *)files->list,
                                 files->count, NULL, &failure);
    /* A run that was killed here has it already. */
    if (error == 0 || error == -EEXIST) {
        /* Only what was read back may take the place of its parts. */
        struct run_list runs = {0};
        error = run_list_read(running->place.store, &runs, &failure);
        if (error == 0 && runs.count != files->count)
            error = fail_with(&failure, -EIO, "%.500s holds %zu runs instead of %zu",
                              running->place.store, runs.count, files->count);
        for (size_t i = 0; i < runs.count && error == 0; i++) {
            /* Is the run in the collection what the part's store is? */
            const char *collected = runs.list[i].name;
            struct store_info before = {0}, after = {0};
            bool same = read_info(files->list[i], &before) && read_info(collected, &after) &&
                        strcmp(before.command, after.command) == 0 && before.seed == after.seed &&
                        before.cells == after.cells && before.visits == after.visits &&
                        before.visits_done == after.visits_done && before.samples == after.samples;
            store_info_release(&before);
            store_info_release(&after);
            error = same ? 0
                         : fail_with(&failure, -EIO, "%.400s does not hold what %.400s does",
                                     collected, files->list[i]);
        }

        run_list_release(&runs);
    }

    running->collected = error == 0;
    if (error == 0)
        return EXIT_DONE;
    AUTO_TEXT struct text message = {0};
    text_printf(&message, "%s. What was measured is safe in %s", failure.text,
                running->place.folder);
    deliver_message("run", text_string(&message));
    return EXIT_FAILED;
}

/* --- what it says --- */

static int report_on(struct running *running, const char *const *paths, size_t count)
{
    struct failure failure = {0};
    struct report *found = &running->found;
    int error = reported_load("run", paths, count, false, &running->reported, &failure);
    if (error == 0) {
        report_make(&running->reported, NULL, found);
        running->is_found = true;
        /* The page says how to measure all of it again, and what is not on it. */
        struct text how = {0};
        /* "assay run --quick --seed 17 --via lab:aarch64": what measures the same again. */
        const struct run_plan *plan = &running->plan;
        text_puts(&how, plan->quick ? "assay run --quick" : "assay run");
        if (plan->total_ms != run_usual_ms(plan->quick, plan->emulated))
            text_printf(&how, " --budget %" PRIu64 "ms", plan->total_ms);
        text_printf(&how, " --seed %" PRIu64, plan->seed);
        put_via(running, &how);

        found->how = memory_text(&how);
        for (size_t i = 0; i < running->skips.count; i++) {
            const struct skip *skip = &running->skips.list[i];
            /* A part with a beginning is on the page, which says so itself. */
            if (!report_section_of(found, skip->what))
                told_add(&found->notes,
                         memory_format("%s was left out: %s", skip->what, skip->reason));
        }
        error = page_save(found, running->report, &failure);
    }
    running->page_is_there = error == 0;
    return error < 0 ? deliver_failure("run", &failure, EXIT_FAILED) : EXIT_DONE;
}

/* One store of all parts, what they say together, and the page. EXIT_DONE, or EXIT_FAILED after
 * saying why; what there is can be shown in either case. */
static int run_collect(struct running *running)
{
    struct part_files files = {0};
    /* Whoever stopped measuring wants to see what there is; who asks again does not. */
    interrupted = 0;
    int status = EXIT_DONE;
    /* Stores of parts that ended, and of those that began to measure; what matters most comes
     * first, and so stands first on the page. */
    for (size_t rank = 0; rank < running->plan.count; rank++) {
        struct store_info info = {0};
        const size_t part = run_part_of_rank(rank);
        char *path = run_place_part(&running->place, part);
        if (read_info(path, &info) && (info.cells || running->plan.parts[part].state == PART_DONE))
            *memory_add(files.list, files.count) = path;
        store_info_release(&info);
    }

    if (files.count && !running->was_interrupted)
        status = collect(running, &files);
    int reported = EXIT_DONE;
    if (running->collected)
        reported = report_on(running, (const char *const[]){running->place.store}, 1);
    else if (files.count)
        reported = report_on(running, (const char *const *)files.list, files.count);
    if (running->collected || (!files.count && !running->was_interrupted))
        run_place_remove(&running->place);
    return status == EXIT_DONE ? reported : status;
}

/* ----------------------------------------------------------------------------------------------
 * Part after part, each a command of its own in this process. What one lacks, or fails with, is no
 * reason not to try the next. */

#define MOST_WORDS 12

/* What is in the store of a part that began before. */
enum begun { BEGUN_NOTHING, BEGUN_UNFINISHED, BEGUN_WHOLE };

/* A run that ended before its plan was stored left nothing to go on with. */
static enum begun look_at_begun(const char *path)
{
    struct store_info info = {0};
    enum begun begun = !read_info(path, &info) ? BEGUN_NOTHING
                       : info.finished         ? BEGUN_WHOLE
                       : info.cells            ? BEGUN_UNFINISHED
                                               : BEGUN_NOTHING;
    store_info_release(&info);
    return begun;
}

/* --- what becomes of a part --- */

static void settle(struct run_part *part, int status, const struct text *said,
                   const struct retold *retold)
{
    part->reason = NULL;
    if (status == EXIT_DONE) {
        part->state = PART_DONE;
        return;
    }
    /* What was interrupted can be gone on with. */
    if (status == EXIT_INTERRUPTED)
        return;
    part->state = status == EXIT_LACKING ? PART_LACKING : PART_FAILED;
    /* The first line of what a command said; else what it could not measure. */
    const char *text = text_string(said);
    const struct finish *finish = &retold->finish;
    if (!*text)
        text = retold->is_there && finish->skips->count ? finish->skips->list[0].reason : NULL;
    if (!text && retold->is_there && part->kind->lacks)
        text = part->kind->lacks(finish->run);
    part->reason = text ? memory_format("%.*s", (int)strcspn(text, "\n"), text) : NULL;
}

/* What the time did not hold is not planned any more: the part is whole as it is, and a store that
 * nobody will go on with must not say otherwise. */
static int close_part(const char *path, struct failure *failure)
{
    struct store *store = NULL;
    struct store_info info = {0};
    int error = store_open(&store, path, true, failure);
    if (error == 0)
        error = store_info(store, &info, failure);
    if (error == 0 && !info.finished)
        error = store_strike_pending(store, failure);
    if (error == 0 && !info.finished)
        error = store_finish(store, failure);
    store_info_release(&info);
    store_close(store);
    return error;
}

/* --- one part --- */

static int execute(struct running *running, size_t part, uint64_t budget_ms, const char *store,
                   bool resumed)
{
    struct run_part *state = &running->plan.parts[part];
    struct retold retold = {0};
    AUTO_TEXT struct text said = {0};
    const char *words[MOST_WORDS] = {run_part_at(part)->name};
    size_t count = 1;
    if (resumed) {
        words[count++] = "--resume";
    } else {
        words[count++] = "--seed";
        words[count++] = memory_format("%" PRIu64, running->plan.seed);
        if (run_is_quick(&running->plan, part, budget_ms))
            words[count++] = "--quick";
    }
    words[count++] = "--budget";
    words[count++] = memory_format("%" PRIu64 "ms", budget_ms);
    words[count++] = "--store";
    words[count++] = store;
    if (running->via) {
        words[count++] = "--via";
        words[count++] = running->via;
    }
    if (running->options->common.quiet)
        words[count++] = "--quiet";

    deliver_divert(&said);
    int status = retell(words, count, &retold);
    deliver_divert(NULL);
    struct failure failure = {0};
    if (status == EXIT_DONE && access(store, F_OK) == 0 && close_part(store, &failure) < 0) {
        text_clear(&said);
        text_puts(&said, failure.text);
        status = EXIT_FAILED;
    }
    settle(state, status, &said, &retold);
    retold_release(&retold);
    return status;
}

/* --- what is said meanwhile --- */

static void tell_end(const struct running *running, size_t part)
{
    const struct run_part *ended = &running->plan.parts[part];
    const char *state = ended->state == PART_BEGUN ? "interrupted" : part_state_names[ended->state];
    const char *colon = ended->reason ? ": " : "", *reason = ended->reason ? ended->reason : "";
    deliver_remark(&running->options->common, "%zu of %zu %s: %s after %.1f s%s%s", part + 1,
                   running->plan.count, ended->command->name, state, (double)ended->spent_ms / 1000,
                   colon, reason);
}

/* --- all --- */

static int keep_record(const struct running *running)
{
    struct failure failure = {0};
    return run_record_write(running, &failure) < 0 ? deliver_failure("run", &failure, EXIT_FAILED)
                                                   : EXIT_DONE;
}

/* Goes on where the store of the part has a beginning. */
static int measure_part(struct running *running, size_t part)
{
    struct run_part *state = &running->plan.parts[part];
    const char *store = run_place_part(&running->place, part);
    enum begun begun = state->state == PART_BEGUN ? look_at_begun(store) : BEGUN_NOTHING;
    if (begun == BEGUN_WHOLE) {
        state->state = PART_DONE;
        return keep_record(running);
    }
    if (begun == BEGUN_NOTHING)
        run_place_drop_part(&running->place, part);
    int64_t now = monotonic_ms();
    uint64_t left = running->ends > (uint64_t)now ? running->ends - (uint64_t)now : 0;
    uint64_t budget = run_share_ms(&running->plan, part, left);
    char words[64];
    snprintf(words, sizeof(words), "%zu of %zu %s", part + 1, running->plan.count,
             state->command->name);
    state->state = PART_BEGUN;
    int status = keep_record(running);
    if (status != EXIT_DONE)
        return status;
    if (!isatty(STDERR_FILENO))
        deliver_remark(&running->options->common, "%zu of %zu %s: about %" PRIu64 " s", part + 1,
                       running->plan.count, run_part_at(part)->name, (budget + 500) / 1000);

    progress_outer(words, running->ends);
    status = execute(running, part, budget, store, begun == BEGUN_UNFINISHED);
    progress_outer(NULL, 0);
    state->spent_ms += (uint64_t)(monotonic_ms() - now);
    tell_end(running, part);
    running->was_interrupted |= status == EXIT_INTERRUPTED;
    return keep_record(running);
}

/* Every part that still waits. EXIT_DONE, EXIT_INTERRUPTED, or EXIT_FAILED after saying why. */
static int run_measure(struct running *running)
{
    int status = EXIT_DONE;
    for (size_t i = 0; i < running->plan.count && status == EXIT_DONE; i++) {
        enum part_state state = running->plan.parts[i].state;
        running->was_interrupted |= interrupted > 0;
        if ((state == PART_WAITING || state == PART_BEGUN) && !running->was_interrupted)
            status = measure_part(running, i);
    }
    return status;
}

/* ----------------------------------------------------------------------------------------------
 * assay run: everything that can be told of a machine, in one go: one store, one page, one screen.
 */

#define FIELD(name) offsetof(struct run_options, name)

static const struct option_spec specs[] = {
    {0, "quick", OPTION_FLAG, NULL, "a first look: about 2 minutes instead of 11", FIELD(quick),
     NULL},
    {0, "budget", OPTION_BUDGET, "TIME",
     "share TIME among the parts, the least important are left out where it does not hold all: "
     "60s, "
     "5m; unless given 11m, with --quick 130s, on an emulated machine 14m and 5m",
     FIELD(budget), NULL},
    {0, "report", OPTION_STRING, "FILE",
     "write the page to FILE; without it beside the store, with the ending .html", FIELD(report),
     NULL},
    {0, "seed", OPTION_SEED, "SEED", "draw all orders from SEED; drawn and reported unless given",
     FIELD(seed), NULL},
    OPTION_ROW_STORE(FIELD(store)),
    OPTION_ROW_RESUME(FIELD(resume)),
    {0},
};

/* --- the command line --- */

static int check_options(const struct run_options *options, int argument_count, char **arguments)
{
    struct failure failure = {0};
    if (argument_count)
        fail_with(&failure, -EINVAL,
                  "unexpected argument '%.200s': all parts are measured.\nTry `assay run --help`.",
                  arguments[0]);
    else if (options->resume && (options->quick || options->budget || options->seed.given))
        fail_with(&failure, -EINVAL,
                  "--resume goes on with what the run began with: leave out --quick, --budget and "
                  "--seed");
    if (failure.code)
        return deliver_failure("run", &failure, EXIT_USAGE);
    if (output_check(options->common.output, &failure) < 0 ||
        (options->report && output_check(options->report, &failure) < 0))
        return deliver_failure("run", &failure, EXIT_FAILED);
    return EXIT_DONE;
}

static int refuse(int error, bool named, const struct failure *failure)
{
    return deliver_failure("run", failure, run_store_exit(error, named));
}

/* --- the machine --- */

/* Parts reach it by themselves; here it is asked who it is. */
static int meet_machine(struct running *running)
{
    struct session *session = NULL;
    const struct catalogue *catalogue = NULL;
    struct common_options common = running->options->common;
    common.via = running->via;
    int status = reach_machine("run", &common, &session, &catalogue);
    if (status != EXIT_DONE)
        return status;
    memcpy(running->fingerprint, catalogue->fingerprint, sizeof(running->fingerprint));
    for (size_t i = 0; i < catalogue->facts.count; i++) {
        const struct fact *fact = &catalogue->facts.list[i];
        facts_set(&running->facts, fact->key, fact->value, fact->error);
    }
    session_close(session);
    return EXIT_DONE;
}

/* --- a new run, or one that is gone on with --- */

/* run.sqlite -> run.html */
static int place_report(struct running *running)
{
    static const char ending[] = ".sqlite";
    const char *store = running->place.store;
    size_t length = strlen(store), tail = sizeof(ending) - 1;
    AUTO_TEXT struct text path = {0};
    struct failure failure = {0};
    if (length > tail && strcmp(store + length - tail, ending) == 0)
        length -= tail;
    if (running->options->report)
        text_puts(&path, running->options->report);
    else
        text_printf(&path, "%.*s.html", (int)length, store);
    running->report = memory_text(&path);
    if (!running->options->report && access(running->report, F_OK) == 0) {
        fail_with(&failure, -EEXIST,
                  "%.500s is there already, and is left as it is: name another file with --report",
                  running->report);
        return deliver_failure("run", &failure, EXIT_USAGE);
    }
    return EXIT_DONE;
}

static int begin(struct running *running)
{
    const struct run_options *options = running->options;
    struct run_plan *plan = &running->plan;
    struct failure failure = {0};
    int status = meet_machine(running);
    if (status != EXIT_DONE)
        return status;
    plan->quick = options->quick;
    plan->emulated = facts_get(&running->facts, "emulated");
    plan->total_ms = options->budget ? options->budget : run_usual_ms(plan->quick, plan->emulated);
    plan->seed = gather_seed(&options->seed);
    run_plan_parts(plan);
    int error = run_place_create(&running->place, options->store, running->fingerprint, &failure);
    if (error < 0)
        return refuse(error, false, &failure);
    status = place_report(running);
    if (status != EXIT_DONE)
        run_place_remove(&running->place);
    return status;
}

static int check_machine(const struct running *running, const char *recorded)
{
    struct failure failure = {0};
    if (!recorded || strcmp(recorded, running->fingerprint) == 0)
        return EXIT_DONE;
    fail_with(&failure, -ESTALE,
              "%.400s was begun on another machine (%.40s; this is %s): reach that one with --via",
              running->place.folder, recorded, running->fingerprint);
    return deliver_failure("run", &failure, EXIT_USAGE);
}

/* The page may have lost its place since the run began: that is said before hours are measured. */
static int check_place(const struct running *running)
{
    struct failure failure = {0}, told = {0};
    if (output_check(running->report, &failure) == 0)
        return EXIT_DONE;
    fail_with(&told, failure.code, "%.700s. Name another place with --report", failure.text);
    return deliver_failure("run", &told, EXIT_FAILED);
}

static int go_on(struct running *running)
{
    const struct run_options *options = running->options;
    struct failure failure = {0};
    int status = options->store ? EXIT_DONE : meet_machine(running);
    if (status != EXIT_DONE)
        return status;
    int error = run_place_reopen(&running->place, options->store, running->fingerprint, &failure);
    if (error == 0)
        error = run_record_read(running, &failure);
    if (error)
        return refuse(error, true, &failure);
    /* Its own way to the machine, unless another is given. */
    const char *given = running->options->common.via;
    if (running->recorded_via && (!given || strcmp(given, "local") == 0))
        running->via = running->recorded_via;

    if (options->store)
        status = meet_machine(running);
    if (status == EXIT_DONE)
        status = check_machine(running, running->recorded_fingerprint);
    if (status == EXIT_DONE && (options->report || !running->report))
        return place_report(running);
    return status == EXIT_DONE ? check_place(running) : status;
}

/* --- the way through --- */

static void note_missing(struct running *running)
{
    for (size_t i = 0; i < running->plan.count; i++) {
        const struct run_part *part = &running->plan.parts[i];
        const char *reason = part->state == PART_WAITING ? "interrupted before its turn"
                             : part->state == PART_BEGUN ? "interrupted: not all of it is there"
                             : part->reason              ? part->reason
                                                         : part_state_names[part->state];
        if (part->state != PART_DONE)
            skips_add(&running->skips, part->command->name, reason, 0);
    }
}

static bool has_failed_part(const struct running *running)
{
    for (size_t i = 0; i < running->plan.count; i++)
        if (running->plan.parts[i].state == PART_FAILED)
            return true;
    return false;
}

static int measure_and_show(struct running *running)
{
    uint64_t left = run_left_ms(&running->plan) / 1000;
    deliver_remark(&running->options->common,
                   "%s about %" PRIu64 " %s, seed %" PRIu64
                   "; Ctrl-C stops, and keeps what was measured",
                   running->options->resume ? "going on for" : "measuring for",
                   left < 180 ? left : left / 60, left < 180 ? "s" : "min", running->plan.seed);

    running->ends = (uint64_t)monotonic_ms() + run_left_ms(&running->plan);
    int status = run_measure(running);
    if (status != EXIT_DONE)
        return status;
    note_missing(running);
    int collected = run_collect(running);
    if (running->was_interrupted)
        status = EXIT_INTERRUPTED;
    else if (collected != EXIT_DONE || has_failed_part(running))
        status = EXIT_FAILED;
    /* The result: the summary, or the envelope. */
    size_t finding_count;
    const struct finding *all = findings(&running->found, &finding_count);
    const struct finish finish = {.command = "run",
                                  .common = &running->options->common,
                                  .seed = running->plan.seed,
                                  .facts = &running->facts,
                                  .fingerprint = running->fingerprint,
                                  .skips = &running->skips,
                                  .findings = all,
                                  .finding_count = finding_count,
                                  .nothing = finish_nothing(running->is_found, true),
                                  .tables = command_find("run"),
                                  .run = running,
                                  .put_report = put_report};
    return finish_show(&finish, status);
}

static int run(void *parsed, int argument_count, char **arguments)
{
    const struct run_options *options = parsed;
    struct running running = {
        .options = options, .via = options->common.via, .place = {.lock = -1}};
    int status = check_options(options, argument_count, arguments);
    if (status != EXIT_DONE)
        return status;
    status = options->resume ? go_on(&running) : begin(&running);
    if (status == EXIT_DONE)
        status = measure_and_show(&running);
    run_place_release(&running.place);
    facts_free(&running.facts);
    report_release(&running.found);
    reported_release(&running.reported);

    return status;
}

static void put_parts(struct text *out)
{
    const struct command *command;
    for (size_t i = 0; (command = run_part_at(i)); i++)
        text_printf(out, "%s%s", i ? ", " : "", command->name);
}

static const struct exit_meaning exits[] = {
    {EXIT_DONE, "done"},
    {EXIT_FAILED, "failed, or a part of it did: which is said"},
    EXIT_ROW_USAGE,
    {EXIT_LACKING, "nothing can be measured here, and the reasons were said"},
    {EXIT_INTERRUPTED, "interrupted; what was measured is kept, judged and shown"},
    {0, NULL},
};

const struct command command_run = {
    .name = "run",
    .group = GROUP_ALL,
    .summary = "everything in one go: one store, one page, and what to know on one screen",
    .synopsis = "[options]",
    .description =
        "Measures a machine with every study that it can bear, in this order: %s. What the machine "
        "lacks is named with its reason, and the "
        "rest goes on. At the end stand a summary of one screen, a page with all figures, and one "
        "store that holds every run.\n\n"
        "The time is shared among the parts; what one does not need, those behind it get. Each "
        "part "
        "is stored in STORE.parts while it is measured, so that whatever ends the run loses "
        "nothing: --resume goes on with it. Ctrl-C stops the part under way as it would alone, and "
        "shows what there is.",
    .put_listed = put_parts,
    .examples = "# what can be trusted on this machine, and what cannot?\n"
                "assay run\n"
                "# the same in two minutes\n"
                "assay run --quick\n"
                "# another machine, with the page where it can be seen\n"
                "assay run --via ssh:HOST --report host.html\n"
                "# go on with what was interrupted\n"
                "assay run --resume",
    .options = specs,
    .exits = exits,
    .options_size = sizeof(struct run_options),
    .run = run,
    .results = &run_results,
    .analysis = &run_analysis,
};
