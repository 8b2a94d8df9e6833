/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Pictures of sweeps and causes; and of who counts held against each other: sources, what
 * repetitions of string instructions make of them (the paper's Table 3), and machines (its Figures
 * 4 and 5). */
#include <math.h>
#include <string.h>

#include "studies/repeat/parts.h"

/* ----------------------------------------------------------------------------------------------
 * What changing one thing in steps does to counts: a line for every program and event; and why
 * programs are not the same from run to run. */

/* Differences within a sweep are small beside the counts themselves. */
static void add_point(json_t *figure, const struct repeating *run, const struct repeat_sweep *sweep,
                      const struct repeat_row *row)
{
    const double from = sweep->lowest;
    AUTO_TEXT struct text series = {0};
    text_printf(&series, "%s, %s", repeat_program_name(run, sweep->at.program), sweep->event);
    FIGURE_ROW(figure, json_text(text_string(&series)), figure_number((double)row->cell->swept),
               figure_number(row->usual - from), figure_number((double)row->min - from),
               figure_number((double)row->max - from), figure_number(row->usual),
               json_count(row->runs), json_text(repeat_program_name(run, sweep->at.program)),
               json_text(sweep->event), json_text(sweep->source),
               json_text(repeat_machine_name(run, sweep->at.machine)));
}

/* Is it drawn at all? The same with repetitions would hide it. */
static bool is_drawn(const struct repeating *run, const struct repeat_sweep *sweep,
                     enum command_sweep kind)
{
    if (sweep->sweep != kind || !isfinite(sweep->lowest))
        return false;
    for (size_t i = 0; i < run->report.row_count; i++)
        if (repeat_is_point(sweep, &run->report.rows[i]))
            return !repeat_counts_repetitions(&run->report.rows[i]);
    return false;
}

#define ALIKE 20.0 /* lines that reach so many times as far as others would flatten them */

/* Whole sweeps, those that matter first, as many as there is room for; returns how many had none.
 */
static size_t add_sweeps(json_t *figure, const struct repeating *run, enum command_sweep kind)
{
    const struct repeat_report *report = &run->report;
    size_t room = FIGURE_MOST_ROWS, left = 0;
    for (int matters = 1; matters >= 0; matters--)
        for (size_t i = 0; i < report->sweep_count; i++) {
            const struct repeat_sweep *sweep = &report->sweeps[i];
            size_t points = 0;
            if (sweep->matters != (bool)matters || !is_drawn(run, sweep, kind))
                continue;
            for (int pass = 0; pass < 2 && points <= room; pass++)
                for (size_t row = 0; row < report->row_count; row++) {
                    if (!report->rows[row].runs || !repeat_is_point(sweep, &report->rows[row]))
                        continue;
                    points += pass == 0;
                    if (pass)
                        add_point(figure, run, sweep, &report->rows[row]);
                }
            left += points > room;
            room -= points <= room ? points : 0;
        }
    return left;
}

static const struct {
    const char *id, *title, *what, *along;
    enum figure_kind kind;
} swept[SWEEP_COUNT] = {
    [SWEEP_ENVIRONMENT] = {"repeat-environment", "Does the size of the environment change counts",
                           "The same program with ever more bytes in one variable.",
                           "bytes more in the environment", FIGURE_LINES},
    [SWEEP_STACK] = {"repeat-stack", "Does the place of the stack change counts",
                     "The same program, arguments and environment, with a stack that begins lower.",
                     "bytes by which the stack begins lower", FIGURE_LINES},
    [SWEEP_ASLR] = {"repeat-addresses", "Do random addresses change counts",
                    "The same program at addresses drawn anew.", "draw of random addresses",
                    FIGURE_POINTS},
};

json_t *repeat_sweep_figure(const struct repeating *run, enum command_sweep kind)
{
    const struct figure_column columns[] = {
        {"line", "program and event", ROLE_SERIES, false},
        {"swept", swept[kind].along, ROLE_X, false},
        {"beyond", "beyond the lowest", ROLE_Y, false},
        {"low", "low", ROLE_LOW, false},
        {"high", "high", ROLE_HIGH, false},
        {"count", "count", ROLE_NONE, false},
        {"runs", "runs", ROLE_NONE, false},
        {"program", "program", ROLE_NONE, true},
        {"event", "event", ROLE_NONE, true},
        {"source", "source", ROLE_NONE, true},
        {"machine", "machine", repeat_machine_role(run), true},
        {0},
    };
    const struct repeat_sweep *largest = NULL;
    AUTO_TEXT struct text caption = {0};
    double least = INFINITY, most = 0;
    size_t sweeps = 0, matter = 0;
    for (size_t i = 0; i < run->report.sweep_count; i++) {
        const struct repeat_sweep *sweep = &run->report.sweeps[i];
        const double reach = sweep->highest - sweep->lowest;
        if (!is_drawn(run, sweep, kind))
            continue;
        least = reach > 0 ? fmin(least, reach) : least;
        most = reach > 0 ? fmax(most, reach) : most;
        sweeps++;
        matter += sweep->matters;
        if (sweep->matters && (!largest || reach > largest->highest - largest->lowest))
            largest = sweep;
    }
    text_printf(&caption,
                "%s Counts are shown beyond the lowest of their line, with all runs at a point "
                "between low and high. ",
                swept[kind].what);
    if (largest) {
        text_printf(&caption,
                    "In %zu of %zu lines points differ by more than runs at one point do; most in "
                    "%s, %s",
                    matter, sweeps, repeat_program_name(run, largest->at.program), largest->event);
        repeat_put_machine(run, largest->at.machine, &caption);
        text_printf(&caption, ": %s.", reasons_text(&largest->what));
    } else if (sweeps == 1) {
        text_puts(&caption, "Points differ by no more than runs at one point.");
    } else {
        text_printf(&caption,
                    "In none of %zu lines do points differ by more than runs at one point.",
                    sweeps);
    }
    json_t *figure = figure_new(&(struct figure_spec){
        .id = swept[kind].id,
        .title = swept[kind].title,
        .caption = text_string(&caption),
        .kind = swept[kind].kind,
        .x = {.label = swept[kind].along},
        .y = {"counts beyond the lowest", most > ALIKE * least ? SCALE_SYMLOG : SCALE_LINEAR, true},
        .columns = columns,
    });
    if (add_sweeps(figure, run, kind))
        figure_add_note(figure, "There are more lines than there is room for: those that matter "
                                "come first.");
    return figure;
}

/* --- causes --- */

json_t *repeat_causes_figure(const struct repeating *run)
{
    static const struct figure_column columns[] = {
        {"program", "program", ROLE_NONE, true},
        {"machine", "machine", ROLE_NONE, true},
        {"cause", "cause", ROLE_NONE, true},
        {"parted", "parted here", ROLE_NONE, false},
        {"times", "times", ROLE_NONE, false},
        {"evidence", "evidence", ROLE_NONE, false},
        {0},
    };
    AUTO_TEXT struct text caption = {0};
    size_t parted = 0;
    for (size_t i = 0; i < run->report.seen_count; i++)
        parted += run->report.seen[i].parted;
    text_printf(&caption,
                "What may make a program another from run to run, as its system calls and threads "
                "show it: %zu, of which two executions really parted at %zu.",
                run->report.seen_count, parted);
    json_t *figure = figure_new(&(struct figure_spec){
        .id = "repeat-causes",
        .title = "Why programs are not the same from run to run",
        .caption = text_string(&caption),
        .kind = FIGURE_TABLE,
        .columns = columns,
    });
    for (size_t i = 0; i < run->report.seen_count && i < FIGURE_MOST_ROWS; i++) {
        const struct repeat_seen *seen = &run->report.seen[i];
        FIGURE_ROW(figure, json_text(repeat_program_name(run, seen->at.program)),
                   json_text(repeat_machine_name(run, seen->at.machine)),
                   json_text(repeat_parting_names[seen->cause]),
                   json_text(seen->parted ? "yes" : "no"), json_count(seen->times),
                   json_text(reasons_text(&seen->evidence)));
    }
    return figure;
}

/* --- and who counts --- */

/* --- sources --- */

static const char *main_reason(const struct repeat_alignment *alignment)
{
    if (alignment->same)
        return "the same";
    return align_why_names[alignment->reason_count ? alignment->reasons[0].what : WHY_UNKNOWN];
}

static void put_sources_caption(const struct repeating *run, struct text *out)
{
    const struct repeat_alignment *largest = NULL;
    size_t known = 0, same = 0;
    for (size_t i = 0; i < run->report.alignment_count; i++) {
        const struct repeat_alignment *at = &run->report.alignments[i];
        if (!isfinite(at->difference))
            continue;
        known++;
        same += at->same;
        if (!largest || fabs(at->difference) > fabs(largest->difference))
            largest = at;
    }
    text_puts(out, "Instructions of one and the same program by one source less those by another "
                   "(or less the truth), every repeated string instruction counted once.");
    if (!largest)
        return;
    text_printf(out, " %zu of %zu agree to the instruction", same, known);
    if (largest->difference != 0)
        text_printf(out, "; farthest apart are %s and %s on %s: %s", largest->source,
                    largest->against, repeat_program_name(run, largest->at.program),
                    REPEAT_DIFFERENCE(largest->difference));
    if (largest->difference != 0 && largest->reason_count &&
        largest->reasons[0].what != WHY_UNKNOWN)
        text_printf(out, ", mostly by %s", main_reason(largest));
    text_puts(out, ".");
}

json_t *repeat_sources_figure(const struct repeating *run)
{
    const struct figure_column columns[] = {
        {"program", "program", ROLE_GROUP, true},
        {"source", "source", ROLE_GROUP, true},
        {"against", "against", ROLE_GROUP, false},
        {"machine", "machine", repeat_machine_role(run), true},
        {"difference", "difference", ROLE_VALUE, false},
        {"reason", "mostly by", ROLE_SERIES, false},
        {"raw", "as the source counts", ROLE_NONE, false},
        {"repetitions", "repetitions", ROLE_NONE, false},
        {"aligned", "each once", ROLE_NONE, false},
        {"reference", "the other", ROLE_NONE, false},
        {"unexplained", "not explained", ROLE_NONE, false},
        {"evidence", "evidence", ROLE_NONE, false},
        {0},
    };
    AUTO_TEXT struct text caption = {0};
    size_t added = 0;
    put_sources_caption(run, &caption);
    json_t *figure = figure_new(&(struct figure_spec){
        .id = "repeat-sources",
        .title = "Sources held against each other",
        .caption = text_string(&caption),
        .kind = FIGURE_BARS,
        .x = {.label = "instructions more than the other", .scale = SCALE_SYMLOG},
        .columns = columns,
    });
    for (size_t i = 0; i < run->report.alignment_count && added < FIGURE_MOST_ROWS; i++) {
        const struct repeat_alignment *at = &run->report.alignments[i];
        if (!isfinite(at->difference))
            continue;
        FIGURE_ROW(
            figure, json_text(repeat_program_name(run, at->at.program)), json_text(at->source),
            json_text(at->against), json_text(repeat_machine_name(run, at->at.machine)),
            figure_number(at->difference), json_text(main_reason(at)), figure_number(at->raw),
            figure_number(at->repetitions), figure_number(at->aligned),
            figure_number(at->reference), figure_number(at->unexplained),
            json_text(at->reason_count ? reasons_text(&at->reasons[0].evidence) : NULL));
        added++;
    }
    return figure;
}

/* --- repetitions --- */

/* By so many percent a count that takes every repetition for an instruction is too high; 0: there
 * are none, or it is held against a second source, which says the same again. */
static double excess_of(const struct repeating *run, size_t index)
{
    const struct repeat_alignment *at = &run->report.alignments[index];
    if (!(at->repetitions > 0) || !(at->aligned > 0))
        return 0;
    for (size_t i = 0; i < index; i++) {
        const struct repeat_alignment *before = &run->report.alignments[i];
        if (is_same_place(&before->at, &at->at) && strcmp(before->source, at->source) == 0)
            return 0;
    }
    return 100 * at->repetitions / at->aligned;
}

json_t *repeat_repetitions_figure(const struct repeating *run)
{
    const struct figure_column columns[] = {
        {"program", "program", ROLE_GROUP, true},
        {"source", "source", ROLE_GROUP, true},
        {"machine", "machine", repeat_machine_role(run), true},
        {"excess", "too high by, %", ROLE_VALUE, false},
        {"repetitions", "repetitions", ROLE_NONE, false},
        {"aligned", "each once", ROLE_NONE, false},
        {0},
    };
    AUTO_TEXT struct text caption = {0};
    size_t added = 0;
    text_puts(&caption, "By how much a count is too high that takes every repetition of a string "
                        "instruction for one instruction; the CPU counts it once.");
    /* Programs of the kit are made to show it, and have a sentence of their own. */
    for (int subjects = 0; subjects < 2; subjects++) {
        const struct repeat_alignment *most = NULL;
        double highest = 0;
        for (size_t i = 0; i < run->report.alignment_count; i++) {
            const size_t program = run->report.alignments[i].at.program;
            const bool subject =
                program < run->file.program_count && run->file.programs[program].subject;
            if (subject != (subjects == 1) || !(excess_of(run, i) > highest))
                continue;
            highest = excess_of(run, i);
            most = &run->report.alignments[i];
        }
        if (most)
            text_printf(&caption, " Most of %s: %s by %s, %s %%.",
                        subjects ? "those that are made to show it" : "the programs",
                        repeat_program_name(run, most->at.program), most->source,
                        REPEAT_PERCENT(highest));
    }
    text_puts(&caption, " In the paper it was up to 21.7 %.");
    json_t *figure = figure_new(&(struct figure_spec){
        .id = "repeat-repetitions",
        .title = "What repeated string instructions add",
        .caption = text_string(&caption),
        .paper = "Weaver and McKee 2008, Table 3",
        .kind = FIGURE_BARS,
        .x = {.label = "too high by, %", .scale = SCALE_SYMLOG, .zero = true},
        .columns = columns,
    });
    for (size_t i = 0; i < run->report.alignment_count && added < FIGURE_MOST_ROWS; i++) {
        const struct repeat_alignment *at = &run->report.alignments[i];
        const double excess = excess_of(run, i);
        if (!(excess > 0))
            continue;
        FIGURE_ROW(figure, json_text(repeat_program_name(run, at->at.program)),
                   json_text(at->source), json_text(repeat_machine_name(run, at->at.machine)),
                   figure_number(excess), figure_number(at->repetitions),
                   figure_number(at->aligned));
        added++;
    }
    return figure;
}

/* --- machines --- */

/* The controlled row of what says most of a program on a machine, as long as it is of the event
 * that the first machine has. */
static const struct repeat_row *row_on(const struct repeating *run, size_t program, size_t machine,
                                       const char **event)
{
    const struct repeat_effect *effect = repeat_leading(run, machine, program);
    const struct repeat_row *row = effect ? effect->controlled : NULL;
    if (!row || !row->runs || !isfinite(row->mean))
        return NULL;
    const char *its = repeat_event_of(row);
    *event = *event ? *event : its;
    return strcmp(*event, its) == 0 ? row : NULL;
}

struct apart {
    double mean;
    size_t machines;
    double farthest; /* from the mean */
};

static struct apart look_at(const struct repeating *run, size_t program)
{
    struct apart apart = {0};
    const char *event = NULL;
    for (int second = 0; second < 2; second++)
        for (size_t machine = 0; machine < run->file.machine_count; machine++) {
            const struct repeat_row *row = row_on(run, program, machine, &event);
            if (row && !second) {
                apart.mean += row->mean;
                apart.machines++;
            } else if (row) {
                const double off = row->mean - apart.mean / (double)apart.machines;
                apart.farthest = fabs(off) > fabs(apart.farthest) ? off : apart.farthest;
            }
        }
    apart.mean /= apart.machines ? (double)apart.machines : 1;
    return apart;
}

static void put_machines_caption(const struct repeating *run, struct text *out)
{
    size_t compared = 0, same = 0, worst = 0;
    double share = 0;
    for (size_t program = 0; program < run->file.program_count; program++) {
        const struct apart apart = look_at(run, program);
        if (apart.machines < 2)
            continue;
        compared++;
        same += apart.farthest == 0;
        const double percent = apart.mean > 0 ? 100 * fabs(apart.farthest) / apart.mean : 0;
        worst = percent > share ? program : worst;
        share = fmax(share, percent);
    }
    text_printf(out,
                "How far the controlled count of each machine is from the mean of all machines. "
                "%zu of %zu programs count the same on every machine",
                same, compared);
    if (share > 0)
        text_printf(out, "; farthest apart is %s, %s %% from the mean",
                    repeat_program_name(run, worst), REPEAT_PERCENT(share));
    text_puts(out, ".");
}

json_t *repeat_machines_figure(const struct repeating *run)
{
    static const struct figure_column columns[] = {
        {"program", "program", ROLE_GROUP, true},
        {"event", "event", ROLE_NONE, true},
        {"machine", "machine", ROLE_SERIES, true},
        {"deviation", "from the mean of machines", ROLE_VALUE, false},
        {"percent", "%", ROLE_NONE, false},
        {"mean", "mean", ROLE_NONE, false},
        {"stdev", "standard deviation", ROLE_NONE, false},
        {"runs", "runs", ROLE_NONE, false},
        {"source", "source", ROLE_NONE, true},
        {0},
    };
    AUTO_TEXT struct text caption = {0};
    size_t added = 0;
    put_machines_caption(run, &caption);
    json_t *figure = figure_new(&(struct figure_spec){
        .id = "repeat-machines",
        .title = "The same program on several machines",
        .caption = text_string(&caption),
        .paper = "Weaver and McKee 2008, Figures 4 and 5",
        .kind = FIGURE_BARS,
        .x = {.label = "counts from the mean of all machines", .scale = SCALE_SYMLOG},
        .columns = columns,
    });
    for (size_t program = 0; program < run->file.program_count; program++) {
        const struct apart apart = look_at(run, program);
        const char *event = NULL;
        for (size_t machine = 0; apart.machines > 1 && machine < run->file.machine_count;
             machine++) {
            const struct repeat_row *row = row_on(run, program, machine, &event);
            if (!row || added++ >= FIGURE_MOST_ROWS)
                continue;
            const double off = row->mean - apart.mean;
            FIGURE_ROW(figure, json_text(repeat_program_name(run, program)), json_text(event),
                       json_text(repeat_machine_name(run, machine)), figure_number(off),
                       figure_number(apart.mean > 0 ? 100 * off / apart.mean : NAN),
                       figure_number(row->mean), figure_number(row->stdev), json_count(row->runs),
                       json_text(row->cell->source));
        }
    }
    return figure;
}
