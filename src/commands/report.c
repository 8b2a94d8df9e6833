/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * assay report: stored runs as one page for people, or one object for programs. Measures nothing:
 * every run is judged again by its own command. */
#include <errno.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/cleanup.h"
#include "base/memory.h"
#include "commands/page.h"
#include "engine/command.h"
#include "engine/finish.h"
#include "engine/options.h"
#include "engine/run-store.h"
#include "output/field.h"
#include "output/output.h"
#include "output/table.h"

/* ----------------------------------------------------------------------------------------------
 * From the recorded words to those that give the same measurement elsewhere. */

/* Where a result went, and how it was told, is the recorder's business. */
static const char *const dropped[] = {"store", "output", "report", "resume", "json", "quiet", NULL};

/* The option that a word names; NULL: it is none. */
static const struct option_spec *option_of(const struct command *command, const char *word)
{
    const bool letter = word[0] == '-' && word[1] != '-';
    const char *name = word + (letter ? 1 : 2);
    const size_t length = word[0] == '-' && word[1] ? strcspn(name, "=") : 0;
    const struct option_spec *spec, *found = NULL;
    for (size_t i = 0; length && (spec = option_at(command, i)); i++)
        if (letter ? spec->letter == name[0]
                   /* A beginning will do where no option is called just that. */
                   : strncmp(spec->name, name, length) == 0 && (!spec->name[length] || !found))
            found = spec;
    return found;
}

/* Does the option's value stand in the next word? */
static bool value_follows(const struct option_spec *spec, const char *word)
{
    bool is_long = word[1] == '-';
    return (spec->type & OPTION_TYPES) != OPTION_FLAG && (is_long ? !strchr(word, '=') : !word[2]);
}

static bool is_dropped(const struct option_spec *spec)
{
    for (const char *const *name = dropped; *name; name++)
        if (strcmp(spec->name, *name) == 0)
            return true;
    return false;
}

static void put_word(struct text *out, const char *word)
{
    text_putc(out, ' ');
    text_put_shell(out, word);
}

void reproduce_put(const char *argv, const char *seed, struct text *out)
{
    json_t *list = json_loads(argv ? argv : "", 0, NULL);
    const char *name = json_string_value(json_array_get(list, 1));
    const struct command *command = name ? command_find(name) : NULL;
    if (command) {
        text_printf(out, "assay %s", command->name);
        bool open = true;    /* options may follow */
        bool wanted = false; /* the seed that was drawn */
        const struct option_spec *spec;
        for (size_t i = 0; seed && (spec = option_at(command, i)); i++)
            wanted |= (spec->type & OPTION_TYPES) == OPTION_SEED;
        AUTO_TEXT struct text rest = {0};
        for (size_t i = 2; i < json_array_size(list); i++) {
            const char *word = json_string_value(json_array_get(list, i));
            const char *next = json_string_value(json_array_get(list, i + 1));
            spec = word && open ? option_of(command, word) : NULL;
            if (!word)
                continue;
            bool takes_next = spec && value_follows(spec, word) && next;
            i += takes_next ? 1 : 0;
            if (spec && is_dropped(spec))
                continue;
            if (spec && (spec->type & OPTION_TYPES) == OPTION_SEED)
                wanted = false;
            if (!spec && (command->passes_on || strcmp(word, "--") == 0))
                open = false;
            struct text *to = open ? out : &rest;
            put_word(to, word);
            if (takes_next)
                put_word(to, next);
        }
        if (wanted)
            text_printf(out, " --seed %s", seed);
        text_puts(out, text_string(&rest));
    }
    json_decref(list);
}

/* --- the command --- */

struct report_options {
    struct common_options common;
    const char *title;
};

static const struct option_spec specs[] = {
    {0, "title", OPTION_STRING, "TEXT", "the title of the page; without it the machine's name",
     offsetof(struct report_options, title), NULL},
    {0},
};

static const struct option_hint hints[] = {
    {"from", "name the files themselves, as in `assay report FILE`"},
    {"store", "name the files themselves, as in `assay report FILE`"},
    {"via", "stores are files of this machine, wherever they were measured"},
    {0},
};

/* --- which runs --- */

static bool is_finished(const char *path)
{
    struct run_list runs;
    struct failure unread = {0};
    bool finished = run_list_read(path, &runs, &unread) == 0 && runs.count;
    for (size_t i = 0; i < runs.count; i++)
        finished = finished && runs.list[i].finished;
    run_list_release(&runs);
    return finished;
}

/* The newest store that is whole; where none is, the newest. */
static int choose_latest(char **chosen, struct failure *failure)
{
    AUTO_FREE char *newer = NULL;
    char *path = NULL;
    struct failure none = {0};
    int error = store_latest(NULL, NULL, chosen, failure);
    if (error == -ENOENT)
        return fail_with(failure, error,
                         "nothing was measured yet that could be reported. `assay run` measures "
                         "this machine; or name the stores of runs: assay report FILE");
    newer = error == 0 ? strdup(*chosen) : NULL;
    if (newer && is_finished(newer))
        return 0;
    while (newer && store_latest_before(NULL, NULL, newer, &path, &none) == 0) {
        free(newer);
        newer = path;
        if (!is_finished(path))
            continue;
        free(*chosen);
        *chosen = newer;
        newer = NULL;
    }
    return error;
}

/* --- where the page goes --- */

static int check_place(const char *path, struct failure *failure)
{
    struct stat status;
    if (lstat(path, &status) < 0 || page_is_report(path))
        return 0;
    return fail_with(failure, -EEXIST,
                     "%.700s is there and is no page of assay: it is left alone. -o FILE names "
                     "another place, or this one if it may go.",
                     path);
}

/* --- the page --- */

static int write_page(const struct report *report, const char *path)
{
    struct failure failure = {0};
    int error = page_save(report, path, &failure);
    if (error < 0)
        return error == -EPIPE ? EXIT_FAILED : deliver_failure("report", &failure, EXIT_FAILED);
    if (strcmp(path, "-") != 0) {
        AUTO_TEXT struct text clean = {0};
        struct stat status = {0};
        char kilobytes[NUMBER_SIZE];
        const size_t sections = report->section_count;
        size_t figures = 0;
        for (size_t i = 0; i < sections; i++)
            figures += json_array_size(report->sections[i].figures);
        (void)stat(path, &status);
        number_count(((uint64_t)status.st_size + 1023) / 1024, kilobytes, sizeof(kilobytes));
        text_put_clean(&clean, path);
        printf("%s: %zu %s, %zu %s, %s KiB\n", text_string(&clean), sections,
               sections == 1 ? "run" : "runs", figures, figures == 1 ? "figure" : "figures",
               kilobytes);
    }

    return EXIT_DONE;
}

static int show_page(const struct report_options *options, const struct report *report,
                     const char *first)
{
    struct failure failure = {0};
    if (options->common.output)
        return write_page(report, options->common.output);
    /* FILE.html for FILE.sqlite, FILE-2.html for FILE.sqlite#2. */
    static const char suffix[] = ".sqlite";
    AUTO_TEXT struct text path = {0};
    const char *hash = strrchr(first, '#');
    bool numbered = hash && hash[1] && !hash[1 + strspn(hash + 1, "0123456789")];
    size_t length = numbered ? (size_t)(hash - first) : strlen(first), tail = sizeof(suffix) - 1;
    if (length > tail && strncmp(first + length - tail, suffix, tail) == 0)
        length -= tail;
    text_append(&path, first, length);
    if (numbered)
        text_printf(&path, "-%s", hash + 1);
    text_puts(&path, ".html");
    const char *place = memory_text(&path);

    if (check_place(place, &failure) < 0)
        return deliver_failure("report", &failure, EXIT_USAGE);
    return write_page(report, place);
}

static int show(const struct report_options *options, const struct reported *reported,
                const char *first)
{
    /* One that cannot be judged is a section with the reason, which was said, too. */
    const int status = reported_is_whole(reported) ? EXIT_DONE : EXIT_FAILED;
    struct report report = {0};
    report_make(reported, options->title, &report);
    report.how = report_how(options->common.argc, options->common.argv);
    int shown;
    if (options->common.json) {
        struct envelope envelope = {.analysis = fields_json(&report_table, &report, &report)};
        shown = deliver_json("report", &options->common, &envelope, EXIT_DONE);
    } else {
        shown = show_page(options, &report, first);
    }
    report_release(&report);
    return shown == EXIT_DONE ? status : shown;
}

static int run(void *parsed, int argument_count, char **arguments)
{
    const struct report_options *options = parsed;
    struct failure failure = {0};
    AUTO_FREE char *latest = NULL;
    struct reported reported = {0};
    int error = argument_count ? 0 : choose_latest(&latest, &failure);
    if (error < 0)
        return deliver_failure("report", &failure, EXIT_FAILED);
    const char *const *paths =
        argument_count ? (const char *const *)arguments : (const char *const *)&latest;
    error = reported_load("report", paths, argument_count ? (size_t)argument_count : 1, false,
                          &reported, &failure);
    int status = error < 0 ? deliver_failure("report", &failure, run_store_exit(error, true))
                           : show(options, &reported, paths[0]);
    reported_release(&reported);
    return status;
}

static const struct exit_meaning exits[] = {
    {EXIT_DONE, "done"},
    {EXIT_FAILED, "failed; also: a run is damaged, and the page shows the others"},
    EXIT_ROW_USAGE,
    {EXIT_INTERRUPTED, "interrupted"},
    {0, NULL},
};

const struct command command_report = {
    .name = "report",
    .group = GROUP_STORED,
    .summary = "stored runs as one page that opens anywhere",
    .synopsis = "[options] [FILE...]",
    .description =
        "Makes one HTML file of stored runs: what can be trusted, what holds of the papers' "
        "findings, every study with its figures, and how each run is made again. It needs nothing "
        "beside it and no network. Nothing is measured: each run is judged again from its samples, "
        "by the version that makes the report.\n\n"
        "FILEs are stores or collections of them (FILE#2 is one run of a collection), of one "
        "machine or several. Without any, the newest finished store is taken. The page appears "
        "beside the first of them, with the ending .html, unless -o says where. --json gives the "
        "object that the page is made of, with all results; docs/report.md describes it.\n\n"
        "A run that cannot be judged, because its store is damaged for example, is a section with "
        "the reason; the others are shown, and the exit status is 1.",
    .examples = "# the latest run as a page\n"
                "assay report\n"
                "# two machines side by side\n"
                "assay report here.sqlite there.sqlite -o both.html\n"
                "# the findings of all papers, for a script\n"
                "assay report --json run.sqlite | jq '.analysis.sections[].findings[]'\n",
    .options = specs,
    .hints = hints,
    .exits = exits,
    .stays_here = true,
    .options_size = sizeof(struct report_options),
    .run = run,
    .analysis = &report_table,
};
