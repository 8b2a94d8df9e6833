/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What a run shows: a summary of one screen with where everything is, or the same as data. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "cli/deliver.h"
#include "engine/finish.h"
#include "cli/run-summary.h"
#include "commands/run.h"
#include "show/shell.h"

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

/* "caches, repeat: too little time; clocks: ..." */
static void put_left_out(const struct running *running, const struct style *style, struct text *out)
{
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
        run_summary_put_line("left out", text_string(&words), LEFT_OUT_LINES, style, out);
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

void run_put_command(const struct running *running, struct text *out)
{
    const struct run_plan *plan = &running->plan;
    text_puts(out, plan->quick ? "assay run --quick" : "assay run");
    if (plan->total_ms != run_usual_ms(plan->quick, plan->emulated))
        text_printf(out, " --budget %" PRIu64 "ms", plan->total_ms);
    text_printf(out, " --seed %" PRIu64, plan->seed);
    put_via(running, out);
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
        run_summary_put_line("next", text_string(&words), NEXT_LINES, style, out);
    }
}

static void put_report(const void *run, const struct style *style, struct text *out)
{
    const struct running *running = run;
    json_t *summary = run_summary(running->sections);
    deliver_put_machine(&running->facts, style, out);
    run_summary_put(summary, style, out);
    json_decref(summary);
    put_left_out(running, style, out);
    put_next(running, style, out);
    if (running->sections) {
        put_place("store", "", running->collected ? running->place.store : running->place.folder,
                  out);
        text_putc(out, '\n');
    }
    if (running->page_is_there) {
        put_place("report", "", running->report, out);
        text_putc(out, '\n');
    }
}

/* --- for programs --- */

/* Where what a part measured is now; NULL: nowhere. */
static json_t *store_of_part(const struct running *running, size_t part)
{
    const char *command = part_kinds[part].command;
    const json_t *section;
    size_t i;
    json_array_foreach(json_object_get(running->sections, "sections"), i, section)
    {
        const char *of = json_string_value(json_object_get(section, "command"));
        if (of && strcmp(of, command) == 0)
            return json_incref(json_object_get(section, "store"));
    }
    return json_null();
}

static json_t *results(const void *run)
{
    const struct running *running = run;
    json_t *list = json_array();
    for (size_t i = 0; i < RUN_PARTS; i++) {
        const struct run_part *part = &running->plan.parts[i];
        json_t *object = json_object();
        json_object_set_new(object, "part", json_text(part->kind->command));
        json_object_set_new(object, "status", json_text(part_state_name(part->state)));
        json_object_set_new(object, "seconds", json_real((double)part->spent_ms / 1000));
        json_object_set_new(object, "reason", json_text(part->reason));
        json_object_set_new(object, "store", store_of_part(running, i));
        json_array_append_new(list, object);
    }
    return list;
}

static json_t *analysis(const void *run)
{
    const struct running *running = run;
    json_t *object = run_summary(running->sections);
    const char *store = running->collected ? running->place.store : running->place.folder;
    json_object_set_new(object, "store", running->sections ? json_text(store) : json_null());
    json_object_set_new(object, "report",
                        running->page_is_there ? json_text(running->report) : json_null());
    json_object_set_new(object, "complete", json_boolean(running->collected));
    return object;
}

static json_t *findings(const void *run)
{
    const struct running *running = run;
    const json_t *section;
    json_t *list = json_array();
    size_t i;
    json_array_foreach(json_object_get(running->sections, "sections"), i, section)
    {
        json_array_extend(list, json_object_get(section, "findings"));
    }
    return list;
}

int run_show(const struct running *running, int status)
{
    const struct finish finish = {.command = "run",
                                  .common = &running->options->common,
                                  .seed = running->plan.seed,
                                  .facts = &running->facts,
                                  .fingerprint = running->fingerprint,
                                  .skips = &running->skips,
                                  .nothing = finish_nothing(running->sections, true),
                                  .run = running,
                                  .put_report = put_report,
                                  .results = results,
                                  .analysis = analysis,
                                  .findings = findings};
    return finish_show(&finish, status);
}
