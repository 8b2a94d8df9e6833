/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What `assay repeat` found, as tables: rows of counts, and what all of them say together. */
#include <math.h>

#include "base/memory.h"
#include "studies/repeat/parts.h"

/* A function that reads a value `of` an item. */
#define READ(function, type, ...)                                                                  \
    static struct value function(const void *item, const void *context)                            \
    {                                                                                              \
        const struct type *of = item;                                                              \
        const struct repeating *run = context;                                                     \
        (void)of, (void)run;                                                                       \
        return __VA_ARGS__;                                                                        \
    }

static const char few[] = "there are fewer than two runs, or the mean is 0";

/* ----------------------------------------------------------------------------------------------
 * Whose it is. */

READ(place_program, repeat_place, value_text(repeat_program_name(run, of->program)))
READ(place_machine, repeat_place, value_text(repeat_machine_name(run, of->machine)))

static const struct field place_fields[] = {
    {"program", GET(FIELD_TEXT, place_program), "name of the program", .column = true},
    {"machine", GET(FIELD_TEXT, place_machine), "machine that executed it"},
};
static const struct fields place_table = FIELDS("repeat.place", "whose it is", place_fields);

/* ----------------------------------------------------------------------------------------------
 * The rows: one event of one program under one setting, with every count behind the figures. */

READ(cell_setting, repeat_cell, value_text(memory_copy(REPEAT_SETTING(of->controls))))
READ(cell_sweep, repeat_cell, value_text(of->sweep ? sweep_names[of->sweep] : NULL))

static const struct field cell_fields[] = {
    {NULL, SPLICED_AT(struct repeat_cell, at, &place_table)},
    {"source", AT(struct repeat_cell, source),
     "counting method: perf_event, step, qemu or valgrind", .column = true},
    {"setting", GET(FIELD_TEXT, cell_setting),
     "controls that were on: as-is, controlled, only-NAME, without-NAME or a list", .column = true},
    {"sweep", GET(FIELD_TEXT, cell_sweep), "parameter that was swept", .names = sweep_names + 1,
     .name_count = SWEEP_COUNT - 1, .nullable = true},
    {"swept", AT(struct repeat_cell, swept),
     "point of the sweep: bytes, or the number of the draw"},
    {"failed", AT(struct repeat_cell, failed), "executions that could not be counted"},
};
static const struct fields cell_table =
    FIELDS("repeat.cell", "a program under one setting, by one source", cell_fields);

PART(row_cell, struct repeat_row, item->cell)

READ(row_event, repeat_row, value_text(repeat_event_of(of)))
READ(row_class, repeat_row,
     value_text(*of->cell->class[of->event] ? of->cell->class[of->event] : NULL))

static struct value row_count(const void *item, const void *context, size_t index)
{
    (void)context;
    const struct repeat_row *row = item;
    const struct repeat_cell *cell = row->cell;
    return index < cell->runs ? value_count(cell->counts[index * cell->events + row->event])
                              : value_absent(NULL);
}

READ(row_min, repeat_row, of->runs ? value_count(of->min) : value_absent(NULL))
READ(row_max, repeat_row, of->runs ? value_count(of->max) : value_absent(NULL))

READ(row_identical, repeat_row, value_count(repeat_alike(of)))

PART(row_adjusted, struct repeat_row, item->is_adjusted ? item : NULL)

#define UNKNOWN_LENGTH .absent = "neither a truth nor a source says what it should be"
static const struct field adjusted_fields[] = {
    {"mean", AT(struct repeat_row, adjusted_mean), "mean adjusted count", .absent = few},
    {"stdev", AT(struct repeat_row, adjusted_stdev), "standard deviation of the adjusted counts",
     .absent = few},
    {"cv_percent", AT(struct repeat_row, adjusted_cv_percent),
     "standard deviation over mean, adjusted", UNIT_PERCENT, few},
    {"residual", AT(struct repeat_row, residual),
     "adjusted mean minus the expected count, or minus the count of an exact source",
     UNKNOWN_LENGTH},
    {"residual_low", AT(struct repeat_row, residual_low), "lower end of its 95 % interval",
     UNKNOWN_LENGTH},
    {"residual_high", AT(struct repeat_row, residual_high), "upper end of its 95 % interval",
     UNKNOWN_LENGTH},
};
static const struct fields adjusted_table =
    FIELDS("repeat.adjusted", "counts less what page faults and interrupts add", adjusted_fields);

#define UNRUN .absent = "no run could be counted"
static const struct field row_fields[] = {
    {NULL, SPLICED_BY(row_cell, &cell_table)},
    {"event", GET(FIELD_TEXT, row_event), "event that was counted", .column = true},
    {"class", GET(FIELD_TEXT, row_class), "class of the event: what it claims to count",
     .nullable = true},
    {"runs", AT(struct repeat_row, runs), "executions that ended alike, which the figures are of",
     .column = true},
    {"apart", AT(struct repeat_row, apart),
     "executions left out: they ended or wrote otherwise than most, or had the counter for a part "
     "of the time"},
    {"counts", VALUES(FIELD_COUNT, row_count), "count of every execution, those left out included",
     UNIT_OF_EVENT},
    {"min", GET(FIELD_COUNT, row_min), "lowest count", UNIT_OF_EVENT, UNRUN},
    {"max", GET(FIELD_COUNT, row_max), "highest count", UNIT_OF_EVENT, UNRUN},
    {"mean", AT(struct repeat_row, mean), "mean count", UNIT_OF_EVENT, UNRUN, .column = true},
    {"stdev", AT(struct repeat_row, stdev), "standard deviation of the counts", UNIT_OF_EVENT, few,
     .column = true},
    {"cv_percent", AT(struct repeat_row, cv_percent), "standard deviation over mean", UNIT_PERCENT,
     few, "cv", .column = true},
    {"median", AT(struct repeat_row, usual), "median count", UNIT_OF_EVENT, UNRUN},
    {"distinct", AT(struct repeat_row, distinct),
     "number of different counts; 1: all runs are identical"},
    {"identical", GET(FIELD_COUNT, row_identical), "runs with the most frequent count",
     .column = true},
    {"adjusted", OBJECT_BY(row_adjusted, &adjusted_table),
     "the figures without what page faults and interrupts add",
     .absent = "what faults and interrupts add to it is not known"},
};
static const struct fields row_table =
    FIELDS("repeat.row", "one event of one program under one setting, by one source", row_fields);
const struct field repeat_results = {
    "results", LIST(struct repeating, report.rows, report.row_count, &row_table),
    "a row for every event, program, setting and source"};

/* ----------------------------------------------------------------------------------------------
 * What all rows say together: which control brings what … */

#define UNMEASURED .absent = "this setting was not measured"
static const struct field part_fields[] = {
    {"control", AT(struct control_part, control), "the control", NAMED(control_names)},
    {"only_cv_percent", AT(struct control_part, only.cv), "variation with this control alone on",
     UNIT_PERCENT, UNMEASURED},
    {"only_part", AT(struct control_part, only.part),
     "share of the as-is variance that this removes; 1 is all of it", UNIT_RATIO, UNMEASURED},
    {"only_low", AT(struct control_part, only.low), "lower end of its 95 % interval", UNIT_RATIO,
     UNMEASURED},
    {"only_high", AT(struct control_part, only.high), "upper end of its 95 % interval", UNIT_RATIO,
     UNMEASURED},
    {"only_shift", AT(struct control_part, only.shift), "shift of the mean that this causes",
     UNIT_OF_EVENT, UNMEASURED},
    {"only_shifts", AT(struct control_part, only.shifts), "true if the shift is beyond chance"},
    {"without_cv_percent", AT(struct control_part, without.cv),
     "variation with all controls on but this one", UNIT_PERCENT, UNMEASURED},
    {"without_part", AT(struct control_part, without.part),
     "share of the as-is variance that returns without it", UNIT_RATIO, UNMEASURED},
    {"without_low", AT(struct control_part, without.low), "lower end of its 95 % interval",
     UNIT_RATIO, UNMEASURED},
    {"without_high", AT(struct control_part, without.high), "upper end of its 95 % interval",
     UNIT_RATIO, UNMEASURED},
    {"without_shift", AT(struct control_part, without.shift), "shift of the mean without it",
     UNIT_OF_EVENT, UNMEASURED},
    {"without_shifts", AT(struct control_part, without.shifts),
     "true if that shift is beyond chance"},
    {"brings", AT(struct control_part, brings),
     "true if it alone does most of what all controls together do"},
    {"needed", AT(struct control_part, is_needed),
     "true if a good part of the variation returns without it"},
};
static const struct fields part_table =
    FIELDS("repeat.control", "what one control does to the variation", part_fields);

static const void *effect_part(const void *item, const void *context, size_t index)
{
    (void)context;
    return index < CONTROL_COUNT ? &((const struct repeat_effect *)item)->parts[index] : NULL;
}

READ(effect_as_is, repeat_effect, value_real(of->as_is->cv_percent))
READ(effect_controlled, repeat_effect, value_real(of->controlled->cv_percent))

READ(effect_event, repeat_effect, value_text(repeat_event_of(of->as_is)))

/* Of an effect, in all places that have these. */
static const struct field variation_fields[] = {
    {"event", GET(FIELD_TEXT, effect_event), "event that was counted", .nullable = true},
    {"as_is_cv_percent", GET(FIELD_REAL, effect_as_is),
     "standard deviation over mean, nothing controlled", UNIT_PERCENT, few},
    {"controlled_cv_percent", GET(FIELD_REAL, effect_controlled),
     "standard deviation over mean, all controls on", UNIT_PERCENT, few},
};
static const struct fields variation_table =
    FIELDS("repeat.variation", "before and after control", variation_fields);

PART(effect_cell, struct repeat_effect, item->as_is->cell)

static const struct field source_fields[] = {
    {NULL, SPLICED_AT(struct repeat_cell, at, &place_table)},
    {"source", AT(struct repeat_cell, source), "counting method"},
};
static const struct fields source_table = FIELDS("repeat.source", "whose it is", source_fields);

static struct value ratio_value(const struct repeat_effect *effect, double ratio)
{
    return isfinite(ratio) ? value_real(ratio)
                           : value_absent(isinf(effect->ratio) ? "controlled runs are identical"
                                                               : "neither setting varies");
}

READ(effect_ratio, repeat_effect, ratio_value(of, of->ratio))
READ(effect_ratio_low, repeat_effect, ratio_value(of, of->ratio_low))

READ(effect_ratio_high, repeat_effect, ratio_value(of, of->ratio_high))

static const struct field effect_fields[] = {
    {NULL, SPLICED_BY(effect_cell, &source_table)},
    {NULL, SPLICED(&variation_table)},
    {"ratio", GET(FIELD_REAL, effect_ratio), "standard deviation as-is over controlled", UNIT_RATIO,
     "controlled runs are identical, or neither setting varies"},
    {"ratio_low", GET(FIELD_REAL, effect_ratio_low), "lower end of its 95 % interval", UNIT_RATIO,
     "neither setting varies"},
    {"ratio_high", GET(FIELD_REAL, effect_ratio_high), "upper end of its 95 % interval", UNIT_RATIO,
     "controlled runs are identical, or neither setting varies"},
    {"who", AT(struct repeat_effect, who),
     "which control is the cause, and what variation is left"},
    {"controls", LIST_BY(effect_part, &part_table), "what each control does by itself"},
};
static const struct fields effect_table =
    FIELDS("repeat.effect", "a program as it is and controlled, by one event of one source",
           effect_fields);

/* ----------------------------------------------------------------------------------------------
 * … what counts depend on, why runs and sources differ … */

#define UNORDERED .absent = "draws of addresses have no order"
static const struct field sweep_fields[] = {
    {NULL, SPLICED_AT(struct repeat_sweep, at, &place_table)},
    {"source", AT(struct repeat_sweep, source), "counting method"},
    {"event", AT(struct repeat_sweep, event), "event that was counted"},
    {"sweep", AT(struct repeat_sweep, sweep), "parameter that was swept", NAMED(sweep_names)},
    {"points", AT(struct repeat_sweep, points), "number of values tried"},
    {"first", AT(struct repeat_sweep, first), "lowest value tried"},
    {"last", AT(struct repeat_sweep, last), "highest value tried"},
    {"lowest", AT(struct repeat_sweep, lowest), "lowest median of a point", UNIT_OF_EVENT, UNRUN},
    {"highest", AT(struct repeat_sweep, highest), "highest median of a point", UNIT_OF_EVENT,
     UNRUN},
    {"levels", AT(struct repeat_sweep, levels), "number of distinct medians"},
    {"slope", AT(struct repeat_sweep, slope), "counts per byte, of a straight line", UNORDERED},
    {"slope_low", AT(struct repeat_sweep, slope_low), "lower end of its 95 % interval", UNORDERED},
    {"slope_high", AT(struct repeat_sweep, slope_high), "upper end of its 95 % interval",
     UNORDERED},
    {"within", AT(struct repeat_sweep, within), "standard deviation of runs at one point",
     UNIT_OF_EVENT, "no point has two runs"},
    {"matters", AT(struct repeat_sweep, matters),
     "true if points differ by more than runs at one point do"},
    {"what", AT(struct repeat_sweep, what), "how counts depend on it"},
};
static const struct fields sweep_table = FIELDS(
    "repeat.sweep", "one thing changed in steps, while all else is controlled", sweep_fields);

/* Its place comes first: figures read it through this table. */
_Static_assert(offsetof(struct repeat_seen, at) == 0, "the place comes first");
static const struct field seen_fields[] = {
    {NULL, SPLICED_AT(struct repeat_seen, at, &place_table)},
    {"cause", AT(struct repeat_seen, cause), "cause of the difference",
     NAMED(repeat_parting_names)},
    {"parted", AT(struct repeat_seen, parted),
     "true if two executions diverged here because of it; false if it only may"},
    {"times", AT(struct repeat_seen, times), "number of times it was seen"},
    {"evidence", AT(struct repeat_seen, evidence), "what was seen"},
};
const struct fields repeat_seen_table =
    FIELDS("repeat.cause", "why a program is not the same from run to run", seen_fields);

static const struct field reason_fields[] = {
    {"what", AT(struct align_reason, what), "reason", NAMED(align_why_names)},
    {"instructions", AT(struct align_reason, instructions), "instructions of the difference",
     UNIT_INSTRUCTIONS, "it was not counted apart"},
    {"evidence", AT(struct align_reason, evidence), "functions that differ"},
};
static const struct fields reason_table =
    FIELDS("repeat.reason", "a part of the difference", reason_fields);

static const struct field alignment_fields[] = {
    {NULL, SPLICED_AT(struct repeat_alignment, at, &place_table)},
    {"source", AT(struct repeat_alignment, source), "counting method"},
    {"against", AT(struct repeat_alignment, against),
     "method it is compared with, or truth: the expected count"},
    {"raw", AT(struct repeat_alignment, raw), "instructions as the method counts them itself",
     UNIT_INSTRUCTIONS, "the source does not tell it"},
    {"repetitions", AT(struct repeat_alignment, repetitions),
     "repetitions of string instructions in that count", UNIT_INSTRUCTIONS,
     "the source does not tell them"},
    {"aligned", AT(struct repeat_alignment, aligned),
     "instructions, each repeated one counted once", UNIT_INSTRUCTIONS, UNRUN},
    {"reference", AT(struct repeat_alignment, reference),
     "aligned count of the other method, or the expected count", UNIT_INSTRUCTIONS, UNRUN},
    {"difference", AT(struct repeat_alignment, difference), "aligned minus reference",
     UNIT_INSTRUCTIONS, UNRUN},
    {"same", AT(struct repeat_alignment, same),
     "true if both agree to the instruction in every run"},
    {"reasons", LIST(struct repeat_alignment, reasons, reason_count, &reason_table),
     "why they differ, largest first"},
    {"unexplained", AT(struct repeat_alignment, unexplained),
     "instructions of the difference that no reason covers", UNIT_INSTRUCTIONS,
     "functions were not compared"},
};
static const struct fields alignment_table =
    FIELDS("repeat.alignment", "two sources that counted the same program", alignment_fields);

/* ----------------------------------------------------------------------------------------------
 * … what the operating system adds, and which event is the proper one. */

READ(contribution_machine, repeat_contribution, value_text(repeat_machine_name(run, of->machine)))

static struct value contributed(const struct repeat_contribution *of, double number)
{
    return of->known ? value_real(number)
                     : value_absent(of->why.count ? reasons_text(&of->why) : NULL);
}
READ(contribution_each, repeat_contribution, contributed(of, of->each))
READ(contribution_low, repeat_contribution, contributed(of, of->low))
READ(contribution_high, repeat_contribution, contributed(of, of->high))
READ(contribution_residual, repeat_contribution, contributed(of, of->residual))

#define UNKNOWN .absent = "too few runs differ in it"
static const struct field contribution_fields[] = {
    {"event", AT(struct repeat_contribution, event), "event that grows"},
    {"of", AT(struct repeat_contribution, of), "what adds to the event", NAMED(disturbance_names)},
    {"machine", GET(FIELD_TEXT, contribution_machine), "machine that was measured"},
    {"each", GET(FIELD_REAL, contribution_each), "events that one of them adds", UNIT_OF_EVENT,
     UNKNOWN},
    {"low", GET(FIELD_REAL, contribution_low), "lower end of its 95 % interval", UNIT_OF_EVENT,
     UNKNOWN},
    {"high", GET(FIELD_REAL, contribution_high), "upper end of its 95 % interval", UNIT_OF_EVENT,
     UNKNOWN},
    {"runs", AT(struct repeat_contribution, runs), "runs that the estimate is from"},
    {"programs", AT(struct repeat_contribution, programs), "programs that the estimate is from"},
    {"residual", GET(FIELD_REAL, contribution_residual), "residual standard deviation",
     UNIT_OF_EVENT, UNKNOWN},
    {"firm", AT(struct repeat_contribution, firm),
     "true if the programs' own counts are known, or known not to vary"},
};
static const struct fields contribution_table = FIELDS(
    "repeat.contribution", "what page faults and interrupts add to counts", contribution_fields);

READ(rank_machine, repeat_rank, value_text(repeat_machine_name(run, of->machine)))

static const struct field rank_fields[] = {
    {"class", AT(struct repeat_rank, class), "class of the event", .column = true},
    {"place", AT(struct repeat_rank, place), "rank within the class; 1 is best"},
    {"event", AT(struct repeat_rank, event), "the event", .column = true},
    {"machine", GET(FIELD_TEXT, rank_machine), "machine that was measured", .column = true},
    {"off_percent", AT(struct repeat_rank, off_percent), "mean deviation from the expected count",
     UNIT_PERCENT, UNRUN, .title = "off by", .column = true},
    {"stdev_percent", AT(struct repeat_rank, stdev_percent),
     "standard deviation relative to the expected count", UNIT_PERCENT, UNRUN, .title = "stdev",
     .column = true},
    {"programs", AT(struct repeat_rank, programs), "programs that all events of the class counted",
     .column = true},
};
const struct fields repeat_rank_table =
    FIELDS("repeat.rank", "an event among those of its class", rank_fields);
const struct field repeat_ranking = {
    "ranking", LIST(struct repeating, report.ranks, report.rank_count, &repeat_rank_table),
    "events of one class, nearest to the truth first"};

/* ----------------------------------------------------------------------------------------------
 * The programs, and all of it. */

static size_t index_of(const struct repeating *run, const void *program)
{
    return (size_t)((const struct repeat_program *)program - run->file.programs);
}

READ(program_name, repeat_program, value_text(repeat_program_name(run, index_of(run, of))))
READ(program_own, repeat_program, value_flag(repeat_is_own(run, index_of(run, of))))

/* What says most of it on the first machine. */
static const void *program_effect(const void *item, const void *context)
{
    const struct repeating *run = context;
    const struct repeat_effect *effect = NULL;
    for (size_t machine = 0; machine < run->file.machine_count && !effect; machine++)
        effect = repeat_leading(run, machine, index_of(run, item));
    return effect;
}

static const struct field program_fields[] = {
    {"program", GET(FIELD_TEXT, program_name), "name of the program"},
    {"words", AT(struct repeat_program, words), "command line"},
    {"subject", AT(struct repeat_program, subject), "true for test programs of the kit"},
    {"own", GET(FIELD_FLAG, program_own), "true for programs that were asked for"},
    {"truth", AT(struct repeat_program, truth), "expected number of instructions",
     UNIT_INSTRUCTIONS, "nothing predicts how many instructions it executes",
     .known = KNOWN(struct repeat_program, has_truth)},
    {NULL, SPLICED_BY(program_effect, &variation_table)},
};
static const struct fields program_table = FIELDS("repeat.program", "a program", program_fields);

READ(analysis_status, repeating,
     of->status >= 0 ? value_count((uint64_t)of->status) : value_absent(NULL))

#define LISTED(list, count, table) LIST(struct repeating, report.list, report.count, table)
static const struct field analysis_fields[] = {
    {"effects", LISTED(effects, effect_count, &effect_table),
     "variation before and after control, and which control is the cause"},
    {"sweeps", LISTED(sweeps, sweep_count, &sweep_table),
     "dependence of counts on swept parameters"},
    {"causes", LISTED(seen, seen_count, &repeat_seen_table), "why runs of a program differ"},
    {"alignment", LISTED(alignments, alignment_count, &alignment_table),
     "counting methods compared"},
    {"contributions", LISTED(contributions, contribution_count, &contribution_table),
     "what the operating system adds to counts"},
    {"ranking", LISTED(ranks, rank_count, &repeat_rank_table),
     "events of one class, nearest to the truth first"},
    {"programs", LIST(struct repeating, file.programs, file.program_count, &program_table),
     "programs that were executed"},
    {"executions", AT(struct repeating, report.executions), "executions that were counted"},
    {"seconds", AT(struct repeating, studying.seconds), "time that the command took", UNIT_S},
    {"complete", AT(struct repeating, studying.complete),
     "true if all that was planned was measured"},
    {"store", AT(struct repeating, studying.stored), "file that has the samples", .nullable = true},
    {"status", GET(FIELD_COUNT, analysis_status), "status with which the command ended",
     .absent = "no execution of the command ended"},
};
const struct fields repeat_analysis =
    FIELDS("repeat.analysis", "what all rows say together", analysis_fields);
