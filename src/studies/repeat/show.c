/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The report of `assay repeat`, for people: the answer first, then every event as it is and
 * controlled, which control did it, what the count depends on, why runs and sources differ, the
 * paper's findings, and what could not be measured. */
#include "cli/repeat-show.h"
#include "cli/unfinished.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "engine/claims.h"
#include "cli/omissions.h"
#include "show/utf8.h"
#include "show/wrap.h"

#define PAPERS_RUNS 7u

/* --- what could not be measured --- */

/* "perl by qemu/instructions/: why", of executions that could not be counted. */
static void add_failed(const struct repeat_run_of *run, struct omissions *omissions,
                       struct text *names)
{
    const size_t known = omissions->count;
    for (size_t i = 0; i < run->file.cell_count; i++) {
        const struct repeat_cell *cell = &run->file.cells[i];
        if (!cell->failed || !cell->reason)
            continue;
        text_clear(&names[i]);
        text_printf(&names[i], "%s by %s", repeat_program_name(run, cell->program), cell->source);
        omissions_add(omissions, known, text_string(&names[i]), cell->reason);
    }
}

void repeat_put_absences(const struct repeat_run_of *run, const struct style *style,
                         struct text *out)
{
    const struct repeat_case *file = &run->file;
    AUTO_TEXT struct text lines = {0};
    struct omissions omissions = {0};
    struct text *names = calloc(file->cell_count + 1, sizeof(*names));
    if (!names) {
        out->failed = true;
        return;
    }
    omissions_add_skips(&omissions, &run->skips);
    size_t skipped = omissions.count;
    for (size_t i = 0; i < file->absence_count; i++)
        omissions_add(&omissions, skipped, file->absences[i].what, file->absences[i].reason);
    add_failed(run, &omissions, names);
    /* Where nothing works, what to do about it is the answer. */
    omissions.brief = !run->options->all && run->report.row_count;
    omissions_put(&omissions, run->options->all, style, &lines);
    omissions_free(&omissions);
    for (size_t i = 0; i < file->cell_count; i++)
        text_free(&names[i]);
    free(names);
    out->failed |= lines.failed;
    if (lines.length) {
        section_put_heading("Could not be measured", style, out);
        text_puts(out, text_string(&lines));
    }
}

/* --- the end --- */

/* Fewer runs than the paper thinks enough. */
static size_t fewest_runs(const struct repeat_run_of *run)
{
    size_t fewest = SIZE_MAX;
    for (size_t i = 0; i < run->file.program_count; i++)
        for (size_t machine = 0; machine < run->file.machine_count; machine++) {
            const struct repeat_effect *effect = repeat_leading(run, machine, i);
            const struct repeat_row *row = effect ? repeat_row_at(run, effect->as_is) : NULL;
            if (row && repeat_is_own(run, i) && row->runs < fewest)
                fewest = row->runs;
        }
    return fewest;
}

static void put_remarks(const struct repeat_run_of *run, const struct style *style,
                        struct text *out)
{
    AUTO_TEXT struct text words = {0};
    const size_t fewest = fewest_runs(run);
    if (fewest < PAPERS_RUNS)
        text_printf(&words,
                    "With fewer than the %u runs of the paper (here %zu), rare values are likely "
                    "missed: --runs 12, or a larger --budget. ",
                    PAPERS_RUNS, fewest);
    if (!run->complete && run->stored)
        unfinished_put("repeat", run->stored, &run->options->common, &words);
    if (!run->options->all)
        text_puts(&words, repeat_is_suite(run)
                              ? "--all shows every program in detail, --json every count."
                              : "--all shows every setting, event and reason, --json every count.");
    if (!words.length)
        return;
    text_putc(out, '\n');
    wrap(out, text_string(&words), 0, 0, style->width);
}

static void put_origin(const struct repeat_run_of *run, struct text *out)
{
    char executions[NUMBER_SIZE];
    number_count(run->report.executions, executions, sizeof(executions));
    text_printf(out, "%s%s executions, seed %" PRIu64 ", %s%.1f s", run->options->all ? "\n" : "",
                executions, run->seed, run->options->from.count ? "judged again in " : "",
                run->seconds);
    if (run->stored) {
        text_puts(out, ", samples in ");
        text_put_clean(out, run->stored);
    }
    text_putc(out, '\n');
}

void repeat_put_report(const struct repeat_run_of *run, const struct style *style, struct text *out)
{
    static repeat_part *const parts[] = {
        repeat_put_summary, repeat_put_suite,    repeat_put_table,   repeat_put_controls,
        repeat_put_sweeps,  repeat_put_causes,   repeat_put_sources, repeat_put_system,
        repeat_put_ranking, repeat_put_machines,
    };
    const struct claims claims = {.list = run->report.findings,
                                  .count = REPEAT_FINDINGS,
                                  .paper = "trust",
                                  .terse = true,
                                  .brief = true,
                                  .curt = true,
                                  .all = run->options->all};
    for (size_t i = 0; i < sizeof(parts) / sizeof(*parts); i++)
        parts[i](run, style, out);
    claims_put(&claims, style, out);
    repeat_put_absences(run, style, out);
    put_remarks(run, style, out);
    put_origin(run, out);
}
