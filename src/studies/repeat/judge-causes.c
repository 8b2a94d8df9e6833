/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Why a program is not the same from run to run: by its system calls where executions were watched,
 * by what it writes, by its threads, and by the controls that its counts follow. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "judge/repeat/calls.h"
#include "judge/repeat/instructions.h"
#include "judge/repeat/kept.h"

/* What was gathered of one program on one machine. */
struct gathered {
    const struct repeat_case *file;
    const struct repeat_report *report;
    size_t machine, program;
    struct repeat_seen causes[PARTING_COUNT];
    bool seen[PARTING_COUNT];
    bool watched;    /* at least two executions of one setting */
    bool calls_part; /* … and they did not do the same */
    /* It gave something else under some setting, and the calls stayed the same: then it is not what
     * parts them under another. */
    bool harmless[PARTING_COUNT];
};

static struct repeat_seen *cause_of(struct gathered *gathered, enum repeat_parting cause)
{
    struct repeat_seen *seen = &gathered->causes[cause];
    if (!gathered->seen[cause])
        *seen = (struct repeat_seen){
            .machine = gathered->machine, .program = gathered->program, .cause = cause};
    gathered->seen[cause] = true;
    return seen;
}

static bool is_ours(const struct gathered *gathered, const struct repeat_cell *cell)
{
    return cell->machine == gathered->machine && cell->program == gathered->program;
}

/* --- what calls may bring in --- */

static void gather_sources(struct gathered *gathered, const struct repeat_cell *cell)
{
    for (size_t i = cell->call_begins[0]; i < cell->call_begins[1]; i++) {
        const struct repeat_call *call = &cell->calls[i];
        const int cause = call_source(call);
        if (cause < 0)
            continue;
        struct repeat_seen *seen = cause_of(gathered, (enum repeat_parting)cause);
        if (!seen->times++)
            snprintf(seen->evidence, sizeof(seen->evidence),
                     "%.40s%s%.120s is called, first at %llu", call->name,
                     call->what[0] ? " of " : "", call->what,
                     (unsigned long long)call->position + 1);
    }
}

/* --- where two executions part --- */

/* Does the program count its instructions otherwise from run to run under these controls? */
enum varied { VARIED_UNKNOWN, VARIED_NOT, VARIED_SO };

/* Sources count nothing but the program; the hardware is asked where none did. */
static enum varied has_varied(const struct gathered *gathered, uint32_t controls)
{
    enum varied by_source = VARIED_UNKNOWN, by_hardware = VARIED_UNKNOWN;
    for (size_t i = 0; i < gathered->report->row_count; i++) {
        const struct repeat_row *row = &gathered->report->rows[i];
        const struct repeat_cell *cell = &gathered->file->cells[row->cell];
        if (!is_ours(gathered, cell) || cell->controls != controls || cell->sweep != SWEEP_NONE ||
            row->runs < 2 || !counts_instructions(cell, row->event))
            continue;
        enum varied *varied = strcmp(cell->source, "perf_event") == 0 ? &by_hardware : &by_source;
        if (*varied != VARIED_SO)
            *varied = row->distinct > 1 ? VARIED_SO : VARIED_NOT;
    }
    return by_source != VARIED_UNKNOWN ? by_source : by_hardware;
}

static const char *given_words(enum repeat_parting cause)
{
    switch (cause) {
    case PARTING_TIME:
        return "another time";
    case PARTING_IDENTITY:
        return "another number";
    case PARTING_RANDOM:
        return "other bytes";
    case PARTING_PARTIAL:
        return "another amount";
    default:
        return "something else";
    }
}

static int tell_gave(const struct call_difference *gave, enum repeat_parting cause,
                     struct repeat_seen *seen)
{
    return snprintf(seen->evidence, sizeof(seen->evidence),
                    "%.40s%s%.100s gave %s at call %zu of %zu", gave->call->name,
                    gave->call->what[0] ? " of " : "", gave->call->what, given_words(cause),
                    gave->at, gave->of);
}

static const char *name_of(const struct repeat_call *call)
{
    return call ? call->name : "an end";
}

/* The nearest cause that is not harmless; what is nearest of all where it is among the weak. */
static void choose(const struct gathered *gathered, struct calls_walked *walked)
{
    if (walked->blamed < 0 || walked->blamed == PARTING_THREADS ||
        !walked->last[walked->blamed].call || !gathered->harmless[walked->blamed])
        return;
    walked->blamed = -1;
    walked->blame = (struct call_difference){0};
    for (int i = 0; i < PARTING_COUNT; i++)
        if (walked->last[i].call && !gathered->harmless[i] &&
            walked->last[i].at > walked->blame.at) {
            walked->blamed = i;
            walked->blame = walked->last[i];
        }
}

static void blame(struct gathered *gathered, struct calls_walked *walked)
{
    choose(gathered, walked);
    enum repeat_parting cause =
        walked->blamed >= 0 ? (enum repeat_parting)walked->blamed : PARTING_MACHINE;
    if (walked->blamed < 0 && walked->tasks > 1)
        cause = PARTING_THREADS;
    struct repeat_seen *seen = cause_of(gathered, cause);
    int used = 0;
    if (seen->parted)
        return;
    seen->parted = true;
    seen->times += !seen->times;
    if (walked->blame.call && cause != PARTING_THREADS)
        used = tell_gave(&walked->blame, cause, seen);
    else if (cause == PARTING_THREADS)
        used = snprintf(seen->evidence, sizeof(seen->evidence), "%u tasks whose order is not fixed",
                        walked->tasks);
    else
        used = snprintf(seen->evidence, sizeof(seen->evidence),
                        "no call gave anything else before that matters: what decides is not among "
                        "its calls");
    if (used < 0 || (size_t)used >= sizeof(seen->evidence))
        return;
    snprintf(seen->evidence + used, sizeof(seen->evidence) - (size_t)used,
             "; two runs part at call %zu of %zu%s: %.40s, %.40s", walked->at, walked->of,
             walked->task ? " of a later task" : "", name_of(walked->one), name_of(walked->other));
}

/* Something else was given, and the calls stayed the same: if counts differ, then by that. Time and
 * numbers are different in every run of every program, and so are blamed only where nothing else
 * was given. */
static void gather_given(struct gathered *gathered, const struct repeat_cell *cell,
                         const struct calls_walked *walked, enum varied varied)
{
    char setting[128];
    setting_name(cell->controls, setting, sizeof(setting));
    bool telling = false;
    for (size_t i = 0; i < PARTING_COUNT; i++)
        telling |= walked->gave[i].call && i != PARTING_TIME && i != PARTING_IDENTITY;
    for (size_t i = 0; i < PARTING_COUNT; i++) {
        const struct call_difference *gave = &walked->gave[i];
        const enum repeat_parting cause = (enum repeat_parting)i;
        if (!gave->call)
            continue;
        struct repeat_seen *seen = cause_of(gathered, cause);
        if (seen->parted)
            continue;
        const bool usual = cause == PARTING_TIME || cause == PARTING_IDENTITY;
        seen->parted = varied == VARIED_SO && !walked->parted && !(usual && telling);
        seen->times += !seen->times;
        const int used = tell_gave(gave, cause, seen);
        if (used > 0 && (size_t)used < sizeof(seen->evidence) && varied == VARIED_NOT)
            snprintf(seen->evidence + used, sizeof(seen->evidence) - (size_t)used,
                     "; %s counts are identical all the same", setting);
    }
}

static void gather_order(struct gathered *gathered, const struct calls_walked *walked)
{
    if (walked->tasks < 2)
        return;
    struct repeat_seen *seen = cause_of(gathered, PARTING_THREADS);
    if (seen->parted)
        return;
    seen->times = walked->tasks;
    seen->parted = walked->order;
    snprintf(seen->evidence, sizeof(seen->evidence), "%u tasks, %s", walked->tasks,
             walked->order ? "which took turns in another order" : "in the same order");
}

/* What gave something else although the calls stayed the same. */
static int gather_harmless(struct gathered *gathered, const struct repeat_cell *cell)
{
    for (size_t run = 1; cell->call_begins && run < cell->runs; run++) {
        struct calls_walked walked;
        if (calls_walk(cell, 0, run, &walked) < 0)
            return -ENOMEM;
        for (size_t i = 0; i < PARTING_COUNT && !walked.parted; i++)
            gathered->harmless[i] |= walked.gave[i].call != NULL;
    }
    return 0;
}

static int gather_watched(struct gathered *gathered, const struct repeat_cell *cell)
{
    if (!cell->call_begins || !cell->runs)
        return 0;
    gather_sources(gathered, cell);
    const enum varied varied = has_varied(gathered, cell->controls);
    for (size_t run = 1; run < cell->runs; run++) {
        struct calls_walked walked;
        if (calls_walk(cell, 0, run, &walked) < 0)
            return -ENOMEM;
        gathered->watched = true;
        gathered->calls_part |= walked.parted;
        if (walked.parted)
            blame(gathered, &walked);
        gather_given(gathered, cell, &walked, varied);
        gather_order(gathered, &walked);
    }
    return 0;
}

/* --- what runs themselves show --- */

static void gather_runs(struct gathered *gathered, const struct repeat_cell *cell)
{
    const uint64_t status = kept_status(cell);
    const struct repeat_run *first = NULL;
    uint64_t tasks = 0, others = 0;
    for (size_t i = 0; i < cell->runs; i++) {
        const struct repeat_run *run = &cell->list[i];
        tasks = run->tasks > tasks ? run->tasks : tasks;
        /* What was written when the time was over depends on the time alone. */
        if (run->status != status || status >= STATUS_TIMEOUT)
            continue;
        first = first ? first : run;
        others += run->output_sum != first->output_sum || run->output_bytes != first->output_bytes;
    }
    if (tasks > 1 && !gathered->seen[PARTING_THREADS]) {
        struct repeat_seen *seen = cause_of(gathered, PARTING_THREADS);
        seen->times = tasks;
        snprintf(seen->evidence, sizeof(seen->evidence), "%llu threads and processes",
                 (unsigned long long)tasks);
    }
    if (!others)
        return;
    struct repeat_seen *seen = cause_of(gathered, PARTING_OUTPUT);
    char setting[128];
    if (!seen->parted)
        snprintf(seen->evidence, sizeof(seen->evidence),
                 "%llu of %zu runs by %.15s (%s) wrote something else than the first",
                 (unsigned long long)others, cell->runs, cell->source,
                 setting_name(cell->controls, setting, sizeof(setting)));
    seen->parted = true;
    seen->times += others;
}

/* --- addresses --- */

static const char *addresses_by_sweep(const struct gathered *gathered)
{
    for (size_t i = 0; i < gathered->report->sweep_count; i++) {
        const struct repeat_sweep *sweep = &gathered->report->sweeps[i];
        if (sweep->machine == gathered->machine && sweep->program == gathered->program &&
            sweep->sweep == SWEEP_ASLR && sweep->matters &&
            names_instructions(sweep->source, sweep->event))
            return sweep->what;
    }
    return NULL;
}

static const char *addresses_by_control(const struct gathered *gathered)
{
    for (size_t i = 0; i < gathered->report->effect_count; i++) {
        const struct repeat_effect *effect = &gathered->report->effects[i];
        const struct repeat_row *row = &gathered->report->rows[effect->as_is];
        const struct control_part *part = &effect->parts[CONTROL_ASLR];
        if (is_ours(gathered, &gathered->file->cells[row->cell]) &&
            counts_instructions(&gathered->file->cells[row->cell], row->event) &&
            (part->brings || part->is_needed))
            return effect->who;
    }
    return NULL;
}

static void gather_addresses(struct gathered *gathered)
{
    const char *why = addresses_by_control(gathered);
    if (!why)
        why = addresses_by_sweep(gathered);
    if (!why)
        return;
    struct repeat_seen *seen = cause_of(gathered, PARTING_ADDRESSES);
    seen->parted = gathered->watched && !gathered->calls_part;
    seen->times = 1;
    snprintf(seen->evidence, sizeof(seen->evidence),
             "counts follow address randomisation%s: %.180s",
             !gathered->watched     ? ""
             : gathered->calls_part ? ", and its calls do not stay the same"
                                    : ", while its calls stay the same",
             why);
}

static int gather(struct gathered *gathered)
{
    for (int pass = 0; pass < 2; pass++)
        for (size_t i = 0; i < gathered->file->cell_count; i++) {
            const struct repeat_cell *cell = &gathered->file->cells[i];
            if (is_ours(gathered, cell) && cell->detail == DETAIL_CALLS &&
                (pass ? gather_watched : gather_harmless)(gathered, cell) < 0)
                return -ENOMEM;
        }
    for (size_t i = 0; i < gathered->file->cell_count; i++)
        if (is_ours(gathered, &gathered->file->cells[i]))
            gather_runs(gathered, &gathered->file->cells[i]);
    gather_addresses(gathered);
    return 0;
}

int repeat_find_causes(const struct repeat_case *file, struct repeat_report *report)
{
    const size_t most = file->machine_count * file->program_count * PARTING_COUNT;
    report->seen = calloc(most + 1, sizeof(*report->seen));
    if (!report->seen)
        return -ENOMEM;
    for (size_t machine = 0; machine < file->machine_count; machine++)
        for (size_t program = 0; program < file->program_count; program++) {
            struct gathered gathered = {
                .file = file, .report = report, .machine = machine, .program = program};
            if (gather(&gathered) < 0)
                return -ENOMEM;
            /* Those that parted stand first. */
            for (int parted = 1; parted >= 0; parted--)
                for (size_t i = 0; i < PARTING_COUNT; i++)
                    if (gathered.seen[i] && gathered.causes[i].parted == (parted != 0))
                        report->seen[report->seen_count++] = gathered.causes[i];
        }
    return 0;
}
