/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What the cells of `assay overhead` say together, as JSON (docs/json). */
#include <math.h>

#include "cli/overhead-json.h"

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
    json_object_set_new(object, "processes", json_count(timer->processes));
    json_object_set_new(object, "runs", json_count(timer->runs));
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
    json_object_set_new(object, "passes", json_count(gauge->passes));
    json_object_set_new(object, "why", json_text(gauge->why[0] ? gauge->why : NULL));
    overhead_put_machine_json(object, &run->file, gauge->machine);
    return object;
}

static json_t *cold_json(const struct overhead_run *run, const struct overhead_cold *cold)
{
    json_t *object = json_object();
    overhead_put_operation_json(object, &run->file, cold->operation);
    json_object_set_new(object, "variant", json_text(cold->variant));
    json_object_set_new(object, "link", json_text(cold->link));
    overhead_put_meter_json(object, cold->meter);
    json_object_set_new(object, "processes", json_count(cold->processes));
    JSON_PUT_REALS(object, {"first", cold->first, NULL},
                   {"second", cold->second, "it was called once a process"},
                   {"warm", cold->warm, "it was not measured warm"},
                   {"extra", cold->extra, "there is nothing to compare the first call with"},
                   {"low", cold->low, NULL}, {"high", cold->high, NULL},
                   {"faulted", cold->faulted, NULL}, {"faults", cold->faults, NULL},
                   {"outliers", cold->outliers, NULL},
                   {"outliers_explained", cold->outliers_explained, "there are no outliers"});
    overhead_put_machine_json(object, &run->file, cold->machine);
    return object;
}

static json_t *sweep_json(const struct overhead_run *run, const struct overhead_slope *slope)
{
    static const char bent[] = "too few points, or no growth, to tell how the line bends";
    json_t *object = json_object();
    overhead_put_operation_json(object, &run->file, slope->operation);
    json_object_set_new(object, "variant", json_text(slope->variant));
    json_object_set_new(object, "link", json_text(slope->link));
    overhead_put_meter_json(object, slope->meter);
    json_object_set_new(object, "by", json_text(slope->by_reads ? "reads" : "events"));
    json_object_set_new(object, "layout", json_text(slope->separate ? "separate" : "group"));
    json_object_set_new(object, "points", json_count(slope->points));
    JSON_PUT_REALS(object, {"base", slope->base, NULL}, {"slope", slope->slope, NULL},
                   {"low", slope->low, NULL}, {"high", slope->high, NULL},
                   {"exponent", slope->exponent, bent}, {"exponent_low", slope->exponent_low, bent},
                   {"exponent_high", slope->exponent_high, bent}, {"one", slope->one, NULL},
                   {"most", slope->most, NULL});
    json_object_set_new(object, "most_count", json_count(slope->most_count));
    json_object_set_new(object, "straight", json_boolean(slope->straight));
    overhead_put_machine_json(object, &run->file, slope->machine);
    return object;
}

/* --- machines --- */

static json_t *machine_row_json(const struct overhead_machine_row *row)
{
    static const char none[] = "there is nothing of the first machine to compare it with";
    double missing = row->has_ratio ? 0 : NAN;
    json_t *object = json_object();
    json_object_set_new(object, "path", json_text(row->path));
    json_object_set_new(object, "variant", json_text(row->variant));
    json_object_set_new(object, "operation", json_text(row->kind));
    overhead_put_meter_json(object, row->meter);
    if (row->total) {
        json_object_set_new(object, "mode", json_text("uk"));
        json_object_set_new(object, "meter", json_null());
    }
    JSON_PUT_REALS(object, {"median", row->median, NULL}, {"ratio", row->ratio + missing, none},
                   {"ratio_low", row->ratio_low + missing, none},
                   {"ratio_high", row->ratio_high + missing, none});
    json_object_set_new(object, "differs", json_boolean(row->differs));
    return object;
}

static json_t *machine_json(const struct overhead_run *run, uint32_t index)
{
    const struct overhead_machine *machine = &run->file.machines[index];
    json_t *object = json_object(), *rows = json_array();
    json_object_set_new(object, "fingerprint", json_text(machine->fingerprint));
    json_object_set_new(object, "name", json_text(machine->name));
    json_object_set_new(object, "cpu", json_text(machine->cpu));
    json_object_set_new(object, "os", json_text(machine->os));
    json_object_set_new(object, "emulated", json_boolean(machine->emulated));
    for (size_t i = 0; i < run->report.machine_row_count; i++)
        if (run->report.machines[i].machine == index)
            json_array_append_new(rows, machine_row_json(&run->report.machines[i]));
    json_object_set_new(object, "rows", rows);
    return object;
}

/* --- peers, advice --- */

static json_t *peer_json(const struct overhead_run *run, const struct overhead_peer *peer)
{
    json_t *object = json_object();
    json_object_set_new(object, "path", json_text(peer->path));
    json_object_set_new(object, "variant", json_text(peer->variant));
    json_object_set_new(object, "what", json_text(peer->what));
    json_object_set_new(object, "bare_path", json_text(peer->bare_path));
    overhead_put_meter_json(object, peer->meter);
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

json_t *overhead_analysis_json(const struct overhead_run *run)
{
    const struct overhead_report *report = &run->report;
    json_t *object = json_object(), *machines = json_array();
    json_object_set_new(object, "calls", json_count(report->calls));
    json_object_set_new(object, "processes", json_count(report->processes));
    json_object_set_new(object, "seconds", json_real(run->seconds));
    json_object_set_new(object, "complete", json_boolean(run->complete));
    json_object_set_new(object, "store", json_text(run->stored));
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
