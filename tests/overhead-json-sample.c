/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Prints a planted report on overhead as the command would with --json, for a test that holds it
 * against the schema: overhead-json-sample rich|machines|absent|empty */
#include "engine/claims.h"
#include "overhead-shown.h"

static void build_empty(struct shown *shown)
{
    shown_start(shown);
}

/* Every number that may be missing is. */
static void build_unknown(struct shown *shown)
{
    shown_build_rich(shown);
    struct overhead_report *report = &shown->run.report;
    report->rows[0].runs = 0;
    report->rows[0].disturbed_median = NAN;
    report->rows[0].level_count = 0;
    report->rows[1].temperature = TEMPERATURE_COLD;
    report->rows[1].position = 1;
    report->timers[0].known = report->gauges[0].known = false;
    report->timers[0].resolution = 0;
    report->cold[0].second = report->cold[0].outliers_explained = NAN;
    report->slopes[0].slope = report->slopes[0].low = INFINITY;
    report->peers[0].meter = NULL;
    report->peers[0].ratio = NAN;
    shown_add_machine_row(shown, 0, "read", "static", &shown_user, true, NAN);
    report->machines[0].has_ratio = false;
}

int main(int argc, char **argv)
{
    static const struct {
        const char *name;
        void (*build)(struct shown *);
    } samples[] = {
        {"rich", shown_build_rich},     {"machines", shown_build_machines},
        {"absent", shown_build_absent}, {"empty", build_empty},
        {"unknown", build_unknown},
    };
    for (size_t i = 0; argc == 2 && i < sizeof(samples) / sizeof(*samples); i++) {
        if (strcmp(argv[1], samples[i].name) != 0)
            continue;
        struct shown shown;
        struct failure failure = {0};
        samples[i].build(&shown);
        struct envelope envelope = {.command = "overhead",
                                    .argc = argc,
                                    .argv = argv,
                                    .has_seed = true,
                                    .seed = 5,
                                    .facts = &shown.facts,
                                    .fingerprint = "0123456789abcdef",
                                    .results = overhead_results_json(&shown.run),
                                    .analysis = overhead_analysis_json(&shown.run),
                                    .skipped = skips_json(&shown.run.studying.skips),
                                    .findings =
                                        claims_json(shown.run.report.findings, OVERHEAD_FINDINGS)};
        int error = json_envelope_write(&envelope, stdout, &failure);
        shown_end(&shown);
        return error ? 1 : 0;
    }
    fprintf(stderr, "usage: %s rich|machines|absent|empty|unknown\n", argv[0]);
    return 2;
}
