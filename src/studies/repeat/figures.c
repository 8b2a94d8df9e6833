/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The figures of `assay repeat`: what control brings, what the operating system adds, sweeps and
 * causes, sources and machines (the paper's Figures 1 to 5 and its Table 3). */
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "studies/repeat/parts.h"

static bool is_of_class(const struct repeat_row *row, const char *class)
{
    return strcmp(row->cell->class[row->event], class) == 0;
}

bool repeat_counts_repetitions(const struct repeat_row *row)
{
    return is_of_class(row, "instructions-raw");
}

/* Of a column with the machine: a picture for each where there are several. */
static enum figure_role machine_role(const struct repeating *run)
{
    return run->file.machine_count > 1 ? ROLE_FACET : ROLE_NONE;
}

/* ----------------------------------------------------------------------------------------------
 * Which control brings which part: each switched on alone, and each left out, program by program.
 */

/* A variance that grew tenfold would take all colour from the rest. Whole, for people who read it
 * in a field. */
static double drawn(double percent)
{
    return rint(fmin(100, fmax(-100, percent))) + 0.0;
}

/* Of each program and machine the effect that says most: a row for each of its controls. */
static json_t *controls_figure(const struct repeating *run, bool alone)
{
    static const struct figure_column columns[] = {{"row", "program", ROLE_Y},
                                                   {"control", "control", ROLE_X, true},
                                                   {"drawn", "% of the variance", ROLE_VALUE},
                                                   {"percent", "exactly, %"},
                                                   {"low", "low"},
                                                   {"high", "high"},
                                                   {"cv_percent", "variation then, %"},
                                                   {"shift", "moves the mean by"},
                                                   {"program", "program", ROLE_NONE, true},
                                                   {"machine", "machine", ROLE_NONE, true},
                                                   {"event", "event", ROLE_NONE, true},
                                                   {"source", "source", ROLE_NONE, true},
                                                   {0}};
    AUTO_TEXT struct text by = {0}; /* "aslr (perl), hash-seeds (perl)": what decides */
    AUTO_TEXT struct text caption = {0};
    const struct repeat_effect **list;
    const size_t count = repeat_leaders(run, false, &list);
    size_t added = 0;
    json_t *figure = figure_new(&(struct figure_spec){
        .id = alone ? "repeat-control-alone" : "repeat-control-without",
        .title =
            alone ? "What each control brings by itself" : "What comes back without each control",
        .kind = FIGURE_MATRIX,
        .x.label = "control",
        .y.label = "program",
        .columns = columns,
    });
    for (size_t i = 0; i < count; i++) {
        const struct repeat_cell *cell = list[i]->as_is->cell;
        const char *program = repeat_program_name(run, cell->at.program);
        for (int control = 0; control < CONTROL_COUNT; control++) {
            const struct control_part *part = &list[i]->parts[control];
            const struct control_setting *share = alone ? &part->only : &part->without;
            const double percent = 100 * share->part;
            AUTO_TEXT struct text where = {0};
            if (!isfinite(percent) || !isfinite(share->cv) || added == FIGURE_MOST_ROWS)
                continue;
            if (alone ? part->brings : part->is_needed)
                text_printf(&by, "%s%s (%s)", by.length ? ", " : "", control_names[control],
                            program);
            text_puts(&where, program);
            repeat_put_machine(run, cell->at.machine, &where);
            added++;
            FIGURE_ROW(figure, json_text(text_string(&where)), json_text(control_names[control]),
                       figure_number(drawn(percent)), figure_number(percent),
                       figure_number(100 * share->low), figure_number(100 * share->high),
                       figure_number(share->cv), figure_number(share->shifts ? share->shift : NAN),
                       json_text(program), json_text(repeat_machine_name(run, cell->at.machine)),
                       json_text(repeat_event_of(list[i]->as_is)), json_text(cell->source));
        }
    }
    text_puts(&caption,
              alone ? "How much of the as-is variance is gone with one control on and nothing "
                      "else: 100 % is all, 0 nothing, less than 0 means that it grew."
                    : "How much of the as-is variance comes back with all controls on but "
                      "one: 0 means that it is not needed.");
    if (by.length)
        text_printf(&caption, " %s: %s.",
                    alone ? "Alone they bring most of what can be had" : "Needed",
                    text_string(&by));
    else
        text_puts(&caption, " The runs at hand prove it of no single one.");
    figure_set_caption(figure, &caption);
    return figure;
}

/* ----------------------------------------------------------------------------------------------
 * What the operating system adds to counts, what is left when that is subtracted, and which of
 * several events of one class is the proper one. */

/* --- what faults and interrupts add --- */

static json_t *contributions_figure(const struct repeating *run)
{
    const struct figure_column columns[] = {{"event", "event", ROLE_GROUP, true},
                                            {"of", "for each", ROLE_GROUP},
                                            {"machine", "machine", machine_role(run), true},
                                            {"each", "events", ROLE_VALUE},
                                            {"low", "low", ROLE_LOW},
                                            {"high", "high", ROLE_HIGH},
                                            {"firm", "programs' own counts are", ROLE_SERIES},
                                            {"runs", "runs"},
                                            {"programs", "programs"},
                                            {"residual", "deviation that is left"},
                                            {0}};
    AUTO_TEXT struct text caption = {0};
    const struct repeat_contribution *list = run->report.contributions;
    const size_t count = run->report.contribution_count;
    size_t sure = 0;
    while (sure < count && !(list[sure].known && list[sure].firm && list[sure].low > 0))
        sure++;
    text_puts(&caption,
              "How many events one page fault or one interrupt adds to a count, estimated "
              "over all runs, with 95 %.");
    if (sure < count)
        text_printf(&caption, " Here %s grow by %.3g with each %s; in the paper by one.",
                    list[sure].event, list[sure].each, disturbance_names[list[sure].of]);
    else
        text_puts(&caption, " None is above 0 for certain here.");
    json_t *figure = figure_new(&(struct figure_spec){
        .id = "repeat-contributions",
        .title = "What the operating system adds",
        .caption = text_string(&caption),
        .kind = FIGURE_BARS,
        .x = {.label = "events for each fault or interrupt", .scale = SCALE_SYMLOG, .zero = true},
        .columns = columns,
    });
    size_t added = 0;
    for (size_t i = 0; i < count && added < FIGURE_MOST_ROWS; i++) {
        const struct repeat_contribution *at = &list[i];
        if (!at->known)
            continue;
        FIGURE_ROW(figure, json_text(at->event), json_text(disturbance_names[at->of]),
                   json_text(repeat_machine_name(run, at->machine)), figure_number(at->each),
                   figure_number(at->low), figure_number(at->high),
                   json_text(at->firm ? "known" : "not known"), json_count(at->runs),
                   json_count(at->programs), figure_number(at->residual));
        added++;
    }
    return figure;
}

/* --- the proper counter --- */

static json_t *ranking_figure(const struct repeating *run)
{
    static const struct figure_column columns[] = {
        {.key = "class", .filter = true},
        {.key = "place"},
        {.key = "event", .filter = true},
        {.key = "machine", .filter = true},
        {.key = "off_percent", .title = "off the truth, %"},
        {.key = "stdev_percent", .title = "standard deviation, %"},
        {.key = "programs"},
        {0}};
    const struct figure_spec spec = {
        .id = "repeat-ranking",
        .title = "Which of several events is the proper one",
        .caption = "Events that claim to count the same, by how near they come to the truth over "
                   "programs whose truth is known; the first of a class is the one to use here.",
        .kind = FIGURE_TABLE,
        .columns = columns,
        .fields = &repeat_rank_table,
    };
    json_t *figure = figure_new(&spec);
    for (size_t i = 0; i < run->report.rank_count && i < FIGURE_MOST_ROWS; i++)
        fields_figure_add(figure, &spec, &run->report.ranks[i], run);
    return figure;
}

/* ----------------------------------------------------------------------------------------------
 * The paper's Figures 1 to 3: how much programs vary before and after control, each by itself, and
 * all of one source together. */

/* --- each program --- */

/* With several runs of both settings: of all effects, or where they are too many of each program
 * the one that says most. */
static bool is_shown(const struct repeating *run, const struct repeat_effect *effect)
{
    const struct repeat_place *at = &effect->as_is->cell->at;
    return effect->as_is->runs > 1 && effect->controlled->runs > 1 &&
           isfinite(effect->as_is->cv_percent) && isfinite(effect->controlled->cv_percent) &&
           !repeat_counts_repetitions(effect->as_is) &&
           (run->report.effect_count <= FIGURE_MOST_ROWS ||
            effect == repeat_leading(run, at->machine, at->program));
}

#define PAPER_LEFT 0.002 /* % that the paper was left with: the axis reaches below it */

/* Identical counts have no place on a log axis: they stand at its end, a decade below all others.
 */
static double end_of_axis(const struct repeating *run)
{
    double least = PAPER_LEFT;
    for (size_t i = 0; i < run->report.effect_count; i++) {
        const struct repeat_effect *effect = &run->report.effects[i];
        if (!is_shown(run, effect))
            continue;
        if (effect->as_is->cv_percent > 0)
            least = fmin(least, effect->as_is->cv_percent);
        if (effect->controlled->cv_percent > 0)
            least = fmin(least, effect->controlled->cv_percent);
    }
    return pow(10, floor(log10(least)) - 1);
}

struct overall {
    size_t rows, identical;
    const struct repeat_row *worst_before, *worst_after;
};

static void put_worst(const struct repeating *run, const struct repeat_row *worst, struct text *out)
{
    if (worst->cv_percent > 0)
        text_printf(out, "by up to %s %% (%s, %s)", REPEAT_PERCENT(worst->cv_percent),
                    repeat_program_name(run, worst->cell->at.program), repeat_event_of(worst));
    else
        text_puts(out, "not at all");
}

/* Of instructions where any are shown, else of all. Returns whether anything varies. */
static bool put_variation_caption(const struct repeating *run, double end, struct text *out)
{
    struct overall all = {0}, instructions = {0};
    for (size_t i = 0; i < run->report.effect_count; i++) {
        const struct repeat_effect *effect = &run->report.effects[i];
        if (!is_shown(run, effect))
            continue;
        for (int pass = 0; pass < 1 + is_of_class(effect->as_is, "instructions"); pass++) {
            struct overall *of = pass ? &instructions : &all;
            of->rows++;
            of->identical += effect->controlled->distinct == 1;
            if (!of->worst_before || effect->as_is->cv_percent > of->worst_before->cv_percent)
                of->worst_before = effect->as_is;
            if (!of->worst_after || effect->controlled->cv_percent > of->worst_after->cv_percent)
                of->worst_after = effect->controlled;
        }
    }
    text_printf(out,
                "Coefficient of variation of what a program counts from run to run: as it is, and "
                "with all controls on. Identical counts stand at the left end, at %g %%.",
                end);
    const struct overall *told = instructions.rows ? &instructions : &all;
    if (!told->rows)
        return false;
    text_printf(out, " %s vary ", instructions.rows ? "Counts of instructions" : "Counts");
    put_worst(run, told->worst_before, out);
    text_puts(out, " as they are and ");
    put_worst(run, told->worst_after, out);
    text_printf(out, " when controlled; %zu of %zu are then identical in every run.",
                told->identical, told->rows);
    if (instructions.rows)
        text_puts(out, " In the paper it was 1.07 %, and less than 0.002 % in the end.");
    return all.worst_before->cv_percent > 0 || all.worst_after->cv_percent > 0;
}

static json_t *variation_figure(const struct repeating *run)
{
    const struct figure_column columns[] = {{"program", "program", ROLE_GROUP, true},
                                            {"event", "event", ROLE_GROUP, true},
                                            {"source", "source", ROLE_NONE, true},
                                            {"machine", "machine", machine_role(run), true},
                                            {"before", "as-is", ROLE_BEFORE},
                                            {"after", "controlled", ROLE_AFTER},
                                            {"as_is_percent", "as-is, exactly %"},
                                            {"controlled_percent", "controlled, exactly %"},
                                            {"mean", "mean as-is"},
                                            {"as_is_runs", "runs as-is"},
                                            {"controlled_runs", "runs controlled"},
                                            {"as_is_alike", "alike as-is"},
                                            {"controlled_alike", "alike controlled"},
                                            {"who", "by which control"},
                                            {0}};
    AUTO_TEXT struct text caption = {0};
    size_t added = 0;
    const double end = end_of_axis(run);
    const bool varies = put_variation_caption(run, end, &caption);
    json_t *figure = figure_new(&(struct figure_spec){
        .id = "repeat-variation",
        .title = "Variation before and after control",
        .caption = text_string(&caption),
        .paper = "Weaver and McKee 2008, Figures 1 and 2",
        .kind = varies ? FIGURE_DUMBBELLS : FIGURE_TABLE,
        .x = {.label = "coefficient of variation, %", .scale = SCALE_LOG},
        .columns = columns,
    });
    for (size_t i = 0; i < run->report.effect_count && added < FIGURE_MOST_ROWS; i++) {
        const struct repeat_effect *effect = &run->report.effects[i];
        if (!is_shown(run, effect))
            continue;
        const struct repeat_row *as_is = effect->as_is, *controlled = effect->controlled;
        FIGURE_ROW(figure, json_text(repeat_program_name(run, as_is->cell->at.program)),
                   json_text(repeat_event_of(as_is)), json_text(as_is->cell->source),
                   json_text(repeat_machine_name(run, as_is->cell->at.machine)),
                   figure_number(fmax(as_is->cv_percent, end)),
                   figure_number(fmax(controlled->cv_percent, end)),
                   figure_number(as_is->cv_percent), figure_number(controlled->cv_percent),
                   figure_number(as_is->mean), json_count(as_is->runs),
                   json_count(controlled->runs), json_count(repeat_alike(as_is)),
                   json_count(repeat_alike(controlled)), json_text(reasons_text(&effect->who)));
        added++;
    }
    if (run->report.effect_count > FIGURE_MOST_ROWS)
        figure_add_note(figure, "Of each program the event that says most.");
    return figure;
}

/* ----------------------------------------------------------------------------------------------
 * What changing one thing in steps does to counts: a line for every program and event; and why
 * programs are not the same from run to run. */

static bool is_point(const struct repeat_sweep *sweep, const struct repeat_row *row)
{
    return is_same_place(&row->cell->at, &sweep->at) && row->cell->sweep == sweep->sweep &&
           strcmp(row->cell->source, sweep->source) == 0 &&
           strcmp(repeat_event_of(row), sweep->event) == 0;
}

/* Is it drawn at all? The same with repetitions would hide it. */
static bool is_drawn(const struct repeat_sweep *sweep, enum command_sweep kind)
{
    return sweep->sweep == kind && isfinite(sweep->lowest) &&
           !strstr(sweep->event, "/instructions-raw/");
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
            if (sweep->matters != (bool)matters || !is_drawn(sweep, kind))
                continue;
            left += sweep->points > room;
            if (sweep->points > room)
                continue;
            room -= sweep->points;
            const char *program = repeat_program_name(run, sweep->at.program);
            const double from = sweep->lowest; /* differences are small beside the counts */
            for (const struct repeat_row *row = report->rows;
                 row < report->rows + report->row_count; row++)
                if (row->runs && is_point(sweep, row))
                    FIGURE_ROW(figure, json_text(memory_format("%s, %s", program, sweep->event)),
                               figure_number((double)row->cell->swept),
                               figure_number(row->usual - from),
                               figure_number((double)row->min - from),
                               figure_number((double)row->max - from), figure_number(row->usual),
                               json_count(row->runs), json_text(program), json_text(sweep->event),
                               json_text(sweep->source),
                               json_text(repeat_machine_name(run, sweep->at.machine)));
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

static json_t *sweep_figure(const struct repeating *run, enum command_sweep kind)
{
    const struct figure_column columns[] = {{"line", "program and event", ROLE_SERIES},
                                            {"swept", swept[kind].along, ROLE_X},
                                            {"beyond", "beyond the lowest", ROLE_Y},
                                            {"low", "low", ROLE_LOW},
                                            {"high", "high", ROLE_HIGH},
                                            {"count", "count"},
                                            {"runs", "runs"},
                                            {"program", "program", ROLE_NONE, true},
                                            {"event", "event", ROLE_NONE, true},
                                            {"source", "source", ROLE_NONE, true},
                                            {"machine", "machine", machine_role(run), true},
                                            {0}};
    const struct repeat_sweep *largest = NULL;
    AUTO_TEXT struct text caption = {0};
    double least = INFINITY, most = 0;
    size_t sweeps = 0, matter = 0;
    for (size_t i = 0; i < run->report.sweep_count; i++) {
        const struct repeat_sweep *sweep = &run->report.sweeps[i];
        const double reach = sweep->highest - sweep->lowest;
        if (!is_drawn(sweep, kind))
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

static json_t *causes_figure(const struct repeating *run)
{
    static const struct figure_column columns[] = {{.key = "program", .filter = true},
                                                   {.key = "machine", .filter = true},
                                                   {.key = "cause", .filter = true},
                                                   {.key = "parted", .title = "parted here"},
                                                   {.key = "times"},
                                                   {.key = "evidence"},
                                                   {0}};
    AUTO_TEXT struct text caption = {0};
    size_t parted = 0;
    for (size_t i = 0; i < run->report.seen_count; i++)
        parted += run->report.seen[i].parted;
    text_printf(&caption,
                "What may make a program another from run to run, as its system calls and threads "
                "show it: %zu, of which two executions really parted at %zu.",
                run->report.seen_count, parted);
    const struct figure_spec spec = {
        .id = "repeat-causes",
        .title = "Why programs are not the same from run to run",
        .caption = text_string(&caption),
        .kind = FIGURE_TABLE,
        .columns = columns,
        .fields = &repeat_seen_table,
    };
    json_t *figure = figure_new(&spec);
    for (size_t i = 0; i < run->report.seen_count && i < FIGURE_MOST_ROWS; i++)
        fields_figure_add(figure, &spec, &run->report.seen[i], run);
    return figure;
}

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
    size_t same = 0;
    for (size_t i = 0; i < run->report.alignment_count; i++) {
        const struct repeat_alignment *at = &run->report.alignments[i];
        same += at->same;
        if (!largest || fabs(at->difference) > fabs(largest->difference))
            largest = at;
    }
    text_puts(out, "Instructions of one and the same program by one source less those by another "
                   "(or less the truth), every repeated string instruction counted once.");
    if (!largest)
        return;
    text_printf(out, " %zu of %zu agree to the instruction", same, run->report.alignment_count);
    if (largest->difference != 0)
        text_printf(out, "; farthest apart are %s and %s on %s: %s", largest->source,
                    largest->against, repeat_program_name(run, largest->at.program),
                    REPEAT_DIFFERENCE(largest->difference));
    if (largest->difference != 0 && largest->reason_count &&
        largest->reasons[0].what != WHY_UNKNOWN)
        text_printf(out, ", mostly by %s", main_reason(largest));
    text_puts(out, ".");
}

static json_t *sources_figure(const struct repeating *run)
{
    const struct figure_column columns[] = {{"program", "program", ROLE_GROUP, true},
                                            {"source", "source", ROLE_GROUP, true},
                                            {"against", "against", ROLE_GROUP},
                                            {"machine", "machine", machine_role(run), true},
                                            {"difference", "difference", ROLE_VALUE},
                                            {"reason", "mostly by", ROLE_SERIES},
                                            {"raw", "as the source counts"},
                                            {"repetitions", "repetitions"},
                                            {"aligned", "each once"},
                                            {"reference", "the other"},
                                            {"unexplained", "not explained"},
                                            {"evidence", "evidence"},
                                            {0}};
    AUTO_TEXT struct text caption = {0};
    put_sources_caption(run, &caption);
    json_t *figure = figure_new(&(struct figure_spec){
        .id = "repeat-sources",
        .title = "Sources held against each other",
        .caption = text_string(&caption),
        .kind = FIGURE_BARS,
        .x = {.label = "instructions more than the other", .scale = SCALE_SYMLOG},
        .columns = columns,
    });
    for (size_t i = 0; i < run->report.alignment_count && i < FIGURE_MOST_ROWS; i++) {
        const struct repeat_alignment *at = &run->report.alignments[i];
        FIGURE_ROW(
            figure, json_text(repeat_program_name(run, at->at.program)), json_text(at->source),
            json_text(at->against), json_text(repeat_machine_name(run, at->at.machine)),
            figure_number(at->difference), json_text(main_reason(at)), figure_number(at->raw),
            figure_number(at->repetitions), figure_number(at->aligned),
            figure_number(at->reference), figure_number(at->unexplained),
            json_text(at->reason_count ? reasons_text(&at->reasons[0].evidence) : NULL));
    }
    return figure;
}

/* --- machines --- */

/* The controlled rows of what says most of a program on each machine, all of one event. */
struct machines {
    const struct repeat_row **rows;
    size_t count;
    double mean, farthest; /* from the mean */
};

static struct machines machines_of(const struct repeating *run, size_t program)
{
    struct machines of = {0};
    for (size_t machine = 0; machine < run->file.machine_count; machine++) {
        const struct repeat_effect *effect = repeat_leading(run, machine, program);
        const struct repeat_row *row = effect ? effect->controlled : NULL;
        if (!row || !row->runs || !isfinite(row->mean) ||
            (of.count && strcmp(repeat_event_of(row), repeat_event_of(of.rows[0])) != 0))
            continue;
        *memory_add(of.rows, of.count) = row;
        of.mean += row->mean;
    }
    of.mean /= of.count ? (double)of.count : 1;
    for (size_t i = 0; i < of.count; i++) {
        const double off = of.rows[i]->mean - of.mean;
        of.farthest = fabs(off) > fabs(of.farthest) ? off : of.farthest;
    }
    return of;
}

static json_t *machines_figure(const struct repeating *run)
{
    static const struct figure_column columns[] = {
        {"program", "program", ROLE_GROUP, true},
        {"event", "event", ROLE_NONE, true},
        {"machine", "machine", ROLE_SERIES, true},
        {"deviation", "from the mean of machines", ROLE_VALUE},
        {"percent", "%"},
        {"mean", "mean"},
        {"stdev", "standard deviation"},
        {"runs", "runs"},
        {"source", "source", ROLE_NONE, true},
        {0}};
    AUTO_TEXT struct text caption = {0};
    size_t compared = 0, same = 0, worst = 0, added = 0;
    double share = 0;
    for (size_t program = 0; program < run->file.program_count; program++) {
        const struct machines of = machines_of(run, program);
        if (of.count < 2)
            continue;
        compared++;
        same += of.farthest == 0;
        const double percent = of.mean > 0 ? 100 * fabs(of.farthest) / of.mean : 0;
        worst = percent > share ? program : worst;
        share = fmax(share, percent);
    }
    text_printf(&caption,
                "How far the controlled count of each machine is from the mean of all machines. "
                "%zu of %zu programs count the same on every machine",
                same, compared);
    if (share > 0)
        text_printf(&caption, "; farthest apart is %s, %s %% from the mean",
                    repeat_program_name(run, worst), REPEAT_PERCENT(share));
    text_puts(&caption, ".");
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
        const struct machines of = machines_of(run, program);
        for (size_t i = 0; i < of.count && of.count > 1 && added < FIGURE_MOST_ROWS; i++, added++) {
            const struct repeat_row *row = of.rows[i];
            const double off = row->mean - of.mean;
            FIGURE_ROW(figure, json_text(repeat_program_name(run, program)),
                       json_text(repeat_event_of(row)),
                       json_text(repeat_machine_name(run, row->cell->at.machine)),
                       figure_number(off), figure_number(of.mean > 0 ? 100 * off / of.mean : NAN),
                       figure_number(row->mean), figure_number(row->stdev), json_count(row->runs),
                       json_text(row->cell->source));
        }
    }
    return figure;
}

/* --- all of them --- */

json_t *repeat_figures(const void *shown)
{
    const struct repeating *run = shown;
    json_t *const all[] = {variation_figure(run),
                           machines_figure(run),
                           controls_figure(run, true),
                           controls_figure(run, false),
                           sweep_figure(run, SWEEP_ENVIRONMENT),
                           sweep_figure(run, SWEEP_STACK),
                           sweep_figure(run, SWEEP_ASLR),
                           causes_figure(run),
                           sources_figure(run),
                           contributions_figure(run),
                           ranking_figure(run)};
    json_t *figures = json_array();
    for (size_t i = 0; i < sizeof(all) / sizeof(*all); i++)
        figures_append(figures, all[i]);
    return figures;
}
