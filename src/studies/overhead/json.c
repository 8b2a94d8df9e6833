/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What `assay overhead` measured, as JSON (docs/json): a row a cell, and what the rows say
 * together. */
#include <math.h>

#include "engine/claims.h"
#include "studies/overhead/parts.h"

/* --- what the rows and the analysis share --- */

/* "emulated", and which machine where there are several. */
static void overhead_put_machine_json(json_t *object, const struct overhead_case *file,
                                      uint32_t machine)
{
    if (machine >= file->machine_count)
        return;
    if (file->machine_count > 1)
        json_object_set_new(object, "machine", json_text(file->machines[machine].fingerprint));
    json_object_set_new(object, "emulated", json_boolean(file->machines[machine].emulated));
}

/* "unit", "mode" (null where it has none) and "meter"; NULL: ns of whole commands. */
static void overhead_put_meter_json(json_t *object, const struct overhead_meter *meter)
{
    const char *mode = meter && meter->mode && *meter->mode ? meter->mode : NULL;
    JSON_PUT(object, {"unit", json_text(meter ? meter_unit_names[meter->unit] : "ns")},
             {"mode", json_text(mode)}, {"meter", json_text(meter ? meter->event : NULL)});
}

/* "path" and "operation". */
static void overhead_put_operation_json(json_t *object, const struct overhead_case *file,
                                        uint32_t operation)
{
    bool known = operation < file->operation_count;
    JSON_PUT(object, {"path", json_text(known ? file->operations[operation].path : "?")},
             {"operation", json_text(known ? file->operations[operation].kind : "?")});
}

/* --- rows --- */

static json_t *levels_json(const struct overhead_row *row)
{
    json_t *list = json_array();
    for (size_t i = 0; i < row->level_count && i < OVERHEAD_MOST_LEVELS; i++) {
        const struct overhead_level *level = &row->levels[i];
        json_t *object = json_object();
        JSON_PUT_REALS(object, {"median", level->median, NULL}, {"q1", level->q1, NULL},
                       {"q3", level->q3, NULL}, {"share", level->share, NULL});
        json_object_set_new(object, "processes", json_count(level->processes));
        json_array_append_new(list, object);
    }
    return list;
}

static const char *levels_by(enum level_kind kind)
{
    static const char *const words[] = {[LEVELS_BY_PROCESS] = "process",
                                        [LEVELS_BY_CALL] = "call",
                                        [LEVELS_BY_PREDECESSOR] = "predecessor"};
    return words[kind];
}

static json_t *row_json(const struct overhead_case *file, const struct overhead_row *row)
{
    static const char none[] = "no call of an undisturbed pass";
    /* Figures of no runs are none, whatever the memory held. */
    double missing = row->runs ? 0 : NAN;
    json_t *object = json_object();
    /* The factors that make a cell what it is. */
    bool cold = row->temperature == TEMPERATURE_COLD;
    overhead_put_operation_json(object, file, row->operation);
    JSON_PUT(object, {"variant", json_text(row->variant)}, {"link", json_text(row->link)},
             {"counted", json_text(row->counted)}, {"events", json_count(row->events)},
             {"layout", json_text(row->separate ? "separate" : "group")},
             {"reads", json_count(row->reads)},
             {"temperature", json_text(temperature_names[row->temperature])},
             {"position", cold ? json_count(row->position) : json_null()});
    bool known = !row->all_predecessors && row->predecessor >= 0 &&
                 (size_t)row->predecessor < file->operation_count;
    JSON_PUT(object,
             {"predecessor", json_text(known ? file->operations[row->predecessor].name : NULL)},
             {"predecessor_times", known ? json_count(row->predecessor_times) : json_null()},
             {"all_predecessors", json_boolean(row->all_predecessors)});
    overhead_put_meter_json(object, row->meter);
    overhead_put_machine_json(object, file, row->machine);
    JSON_PUT(object, {"processes", json_count(row->processes)}, {"runs", json_count(row->runs)},
             {"disturbed", json_count(row->disturbed)});
    JSON_PUT_REALS(object, {"disturbed_median", row->disturbed_median, "no pass was disturbed"},
                   {"min", row->min + missing, none}, {"q1", row->q1 + missing, none},
                   {"median", row->median + missing, none}, {"q3", row->q3 + missing, none},
                   {"p99", row->p99 + missing, none}, {"max", row->max + missing, none},
                   {"low", row->low + missing, none}, {"high", row->high + missing, none});
    JSON_PUT(object, {"levels", levels_json(row)},
             {"levels_by", json_text(levels_by(row->levels_kind))},
             {"outliers", json_count(row->outliers)},
             {"outliers_faulted", json_count(row->outliers_faulted)},
             {"outliers_switched", json_count(row->outliers_switched)});
    if (row->temperature == TEMPERATURE_COLD)
        json_object_set_new(object, "faults", json_count(row->faults));
    else
        json_absent(object, "faults", "the account of a warm tour is taken once a pass");
    return object;
}

json_t *overhead_results_json(const void *kept)
{
    const struct overhead_run *run = kept;
    json_t *list = json_array();
    for (size_t i = 0; i < run->report.row_count; i++)
        json_array_append_new(list, row_json(&run->file, &run->report.rows[i]));
    return list;
}

/* ----------------------------------------------------------------------------------------------
 * What the cells of `assay overhead` say together, as JSON (docs/json). */

static json_t *timer_json(const struct overhead_run *run, const struct overhead_timer *timer)
{
    static const char none[] = "no call of nothing was metered: nothing is subtracted";
    double missing = timer->known ? 0 : NAN;
    json_t *object = json_object();
    overhead_put_meter_json(object, timer->meter);
    JSON_PUT_REALS(
        object, {"cost", timer->cost + missing, none}, {"low", timer->low + missing, none},
        {"high", timer->high + missing, none},
        {"resolution", timer->resolution > 0 ? timer->resolution : NAN, "no step was seen"});
    JSON_PUT(object, {"processes", json_count(timer->processes)},
             {"runs", json_count(timer->runs)});
    overhead_put_machine_json(object, &run->file, timer->machine);
    return object;
}

static json_t *gauge_json(const struct overhead_run *run, const struct overhead_gauge *gauge)
{
    static const char none[] = "the gauge was not called: no pass can be told to be disturbed";
    double missing = gauge->known ? 0 : NAN;
    json_t *object = json_object();
    overhead_put_meter_json(object, gauge->meter);
    JSON_PUT_REALS(object, {"usual", gauge->usual + missing, none},
                   {"limit", gauge->limit + missing, none},
                   {"share", gauge->share + missing, none});
    JSON_PUT(object, {"passes", json_count(gauge->passes)},
             {"why", json_text(gauge->why[0] ? gauge->why : NULL)});
    overhead_put_machine_json(object, &run->file, gauge->machine);
    return object;
}

/* The same call again and again in a fresh process. */
static json_t *in_a_row_json(const struct overhead_cold *cold)
{
    static const char none[] = "there is nothing to compare";
    json_t *object = json_object(), *medians = json_array();
    JSON_PUT(object, {"processes", json_count(cold->row_processes)},
             {"length", json_count(cold->row_length)});
    for (uint32_t i = 0; i < cold->row_length && i < OVERHEAD_MOST_POINTS; i++)
        json_array_append_new(medians,
                              isfinite(cold->row[i]) ? json_real(cold->row[i]) : json_null());
    json_object_set_new(object, "medians", medians);
    JSON_PUT_REALS(object, {"later", cold->later, none}, {"ratio", cold->later_ratio, none},
                   {"low", cold->later_low, none}, {"high", cold->later_high, none},
                   {"settled_ratio", cold->settled_ratio, none},
                   {"settled_low", cold->settled_low, none},
                   {"settled_high", cold->settled_high, none});
    JSON_PUT(object, {"declines", json_boolean(cold->declines)},
             {"goes_on", json_boolean(cold->goes_on)});
    return object;
}

static json_t *cold_json(const struct overhead_run *run, const struct overhead_cold *cold)
{
    json_t *object = json_object();
    overhead_put_operation_json(object, &run->file, cold->operation);
    JSON_PUT(object, {"variant", json_text(cold->variant)}, {"link", json_text(cold->link)});
    overhead_put_meter_json(object, cold->meter);
    JSON_PUT(object, {"counted", json_text(cold->counted)}, {"events", json_count(cold->events)});
    bool known = cold->predecessor >= 0 && (size_t)cold->predecessor < run->file.operation_count;
    JSON_PUT(
        object,
        {"predecessor", json_text(known ? run->file.operations[cold->predecessor].name : NULL)},
        {"opening", json_boolean(cold->opening)}, {"processes", json_count(cold->processes)},
        {"runs", json_count(cold->runs)}, {"outlier_count", json_count(cold->outlier_count)});
    JSON_PUT_REALS(object, {"first", cold->first, NULL},
                   {"second", cold->second, "it was called once a process"},
                   {"warm", cold->warm, "it was not measured warm"},
                   {"extra", cold->extra, "there is nothing to compare the first call with"},
                   {"low", cold->low, NULL}, {"high", cold->high, NULL},
                   {"ratio", cold->ratio, NULL}, {"ratio_low", cold->ratio_low, NULL},
                   {"ratio_high", cold->ratio_high, NULL}, {"faulted", cold->faulted, NULL},
                   {"faults", cold->faults, NULL}, {"outliers", cold->outliers, NULL},
                   {"outliers_explained", cold->outliers_explained, "there are no outliers"});
    if (cold->row_length)
        json_object_set_new(object, "in_a_row", in_a_row_json(cold));
    else
        json_absent(object, "in_a_row", "it was not called again and again with nothing between");
    overhead_put_machine_json(object, &run->file, cold->machine);
    return object;
}

static json_t *sweep_json(const struct overhead_run *run, const struct overhead_slope *slope)
{
    static const char bent[] = "too few points, or no growth, to tell how the line bends";
    static const char apart[] =
        "the least count does not stand apart from a line through the others";
    json_t *object = json_object(), *points = json_array();
    overhead_put_operation_json(object, &run->file, slope->operation);
    JSON_PUT(object, {"variant", json_text(slope->variant)}, {"link", json_text(slope->link)});
    overhead_put_meter_json(object, slope->meter);
    JSON_PUT(object, {"by", json_text(slope->by_reads ? "reads" : "events")},
             {"layout", json_text(slope->separate ? "separate" : "group")},
             {"counted", json_text(slope->counted)});
    json_object_set_new(object, slope->by_reads ? "events" : "reads", json_count(slope->fixed));
    for (size_t i = 0; i < slope->points && i < OVERHEAD_MOST_POINTS; i++) {
        json_t *point = json_object();
        json_object_set_new(point, "count", json_count(slope->counts[i]));
        JSON_PUT_REALS(point, {"median", slope->medians[i], NULL});
        json_array_append_new(points, point);
    }
    JSON_PUT(object, {"points", points}, {"processes", json_count(slope->processes)},
             {"exact", json_boolean(slope->exact)}, {"paired", json_boolean(slope->paired)});
    JSON_PUT_REALS(object, {"base", slope->base, NULL}, {"slope", slope->slope, NULL},
                   {"low", slope->low, NULL}, {"high", slope->high, NULL},
                   {"exponent", slope->exponent, bent}, {"exponent_low", slope->exponent_low, bent},
                   {"exponent_high", slope->exponent_high, bent}, {"one", slope->one, NULL},
                   {"most", slope->most, NULL}, {"miss", slope->miss, NULL},
                   {"step", slope->step, apart}, {"rest_slope", slope->rest_slope, apart},
                   {"rest_low", slope->rest_low, apart}, {"rest_high", slope->rest_high, apart});
    JSON_PUT(object, {"most_count", json_count(slope->most_count)},
             {"straight", json_boolean(slope->straight)},
             {"first_apart", json_boolean(slope->first_apart)});
    overhead_put_machine_json(object, &run->file, slope->machine);
    return object;
}

/* --- machines --- */

static json_t *machine_row_json(const struct overhead_case *file,
                                const struct overhead_machine_row *row)
{
    static const char none[] = "no other machine has it";
    double missing = row->has_ratio ? 0 : NAN;
    json_t *object = json_object();
    JSON_PUT(object, {"path", json_text(row->path)}, {"variant", json_text(row->variant)},
             {"operation", json_text(row->kind)});
    overhead_put_meter_json(object, row->meter);
    if (row->total)
        JSON_PUT(object, {"mode", json_text("uk")}, {"meter", json_null()});
    JSON_PUT(object, {"processes", json_count(row->processes)},
             {"reference", json_text(row->has_ratio && row->reference < file->machine_count
                                         ? file->machines[row->reference].fingerprint
                                         : NULL)});
    JSON_PUT_REALS(object, {"median", row->median, NULL}, {"low", row->low, NULL},
                   {"high", row->high, NULL}, {"ratio", row->ratio + missing, none},
                   {"ratio_low", row->ratio_low + missing, none},
                   {"ratio_high", row->ratio_high + missing, none});
    JSON_PUT(object, {"differs", json_boolean(row->differs)},
             {"hidden", json_boolean(row->hidden)});
    JSON_PUT_REALS(object, {"seen", row->seen,
                            row->meter && row->meter->unit == METER_INSTRUCTIONS
                                ? "no other meter says that counters missed any"
                                : "it was not counted"});
    return object;
}

static json_t *machine_json(const struct overhead_run *run, uint32_t index)
{
    const struct overhead_machine *machine = &run->file.machines[index];
    json_t *object = json_object(), *rows = json_array();
    JSON_PUT(object, {"fingerprint", json_text(machine->fingerprint)},
             {"name", json_text(machine->name)}, {"cpu", json_text(machine->cpu)},
             {"os", json_text(machine->os)}, {"emulated", json_boolean(machine->emulated)});
    JSON_PUT_REALS(object, {"instructions_per_tick", machine->tick > 0 ? machine->tick : NAN,
                            !machine->emulated     ? "time is no count of instructions"
                            : machine->tick_why[0] ? machine->tick_why
                                                   : "its clock was not read"});
    for (size_t i = 0; i < run->report.machine_row_count; i++)
        if (run->report.machines[i].machine == index)
            json_array_append_new(rows, machine_row_json(&run->file, &run->report.machines[i]));
    json_object_set_new(object, "rows", rows);
    return object;
}

/* --- peers, advice --- */

static json_t *peer_json(const struct overhead_run *run, const struct overhead_peer *peer)
{
    json_t *object = json_object();
    JSON_PUT(object, {"path", json_text(peer->path)}, {"variant", json_text(peer->variant)},
             {"what", json_text(peer->what)}, {"bare_path", json_text(peer->bare_path)});
    overhead_put_meter_json(object, peer->meter);
    JSON_PUT(object, {"processes", json_count(peer->processes)},
             {"paired", json_boolean(peer->paired)});
    JSON_PUT_REALS(object, {"cost", peer->cost, NULL}, {"bare", peer->bare, NULL},
                   {"ratio", peer->ratio, NULL}, {"low", peer->low, NULL},
                   {"high", peer->high, NULL});
    overhead_put_machine_json(object, &run->file, peer->machine);
    return object;
}

static json_t *advice_json(const struct overhead_run *run, const struct overhead_advice *advice)
{
    json_t *object = json_object();
    json_object_set_new(object, "text", json_text(advice->text));
    overhead_put_machine_json(object, &run->file, advice->machine);
    return object;
}

#define LIST(object, key, make, run, list, count)                                                  \
    do {                                                                                           \
        json_t *members = json_array();                                                            \
        for (size_t i = 0; i < (count); i++)                                                       \
            json_array_append_new(members, make(run, &(list)[i]));                                 \
        json_object_set_new(object, key, members);                                                 \
    } while (0)

json_t *overhead_analysis_json(const void *kept)
{
    const struct overhead_run *run = kept;
    const struct overhead_report *report = &run->report;
    json_t *object = json_object(), *machines = json_array();
    JSON_PUT(object, {"calls", json_count(report->calls)},
             {"processes", json_count(report->processes)},
             {"seconds", json_real(run->studying.seconds)},
             {"complete", json_boolean(run->studying.complete)},
             {"store", json_text(run->studying.stored)});
    LIST(object, "timer", timer_json, run, report->timers, report->timer_count);
    LIST(object, "gauge", gauge_json, run, report->gauges, report->gauge_count);
    LIST(object, "cold", cold_json, run, report->cold, report->cold_count);
    LIST(object, "sweeps", sweep_json, run, report->slopes, report->slope_count);
    for (size_t i = 0; i < run->file.machine_count; i++)
        json_array_append_new(machines, machine_json(run, (uint32_t)i));
    json_object_set_new(object, "machines", machines);
    LIST(object, "peers", peer_json, run, report->peers, report->peer_count);
    LIST(object, "advice", advice_json, run, report->advice, report->advice_count);
    return object;
}
