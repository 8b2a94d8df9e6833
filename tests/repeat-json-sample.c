/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Prints a planted report on repetition as the command would with --json, for a test that holds it
 * against the schema: repeat-json-sample rich|suite|absent|empty|unknown|hostile */
#include "engine/claims.h"
#include "repeat-shown.h"

/* Names that people and machines gave. */
static void build_hostile(struct shown *shown)
{
    shown_build_rich(shown);
    shown->builder.file.programs[0].name = repeat_built_copy("\"\\\n\033[2J\x80");
    shown->builder.file.cells[0].event[0] = repeat_built_copy("\x80\"");
    shown->builder.file.cells[0].counts[0] = UINT64_MAX;
}

int main(int argc, char **argv)
{
    static const struct {
        const char *name;
        void (*build)(struct shown *);
    } samples[] = {
        {"rich", shown_build_rich},       {"suite", shown_build_suite},
        {"absent", shown_build_absent},   {"empty", shown_start},
        {"unknown", shown_build_unknown}, {"hostile", build_hostile},
    };
    for (size_t i = 0; argc == 2 && i < sizeof(samples) / sizeof(*samples); i++) {
        if (strcmp(argv[1], samples[i].name) != 0)
            continue;
        struct shown shown;
        struct failure failure = {0};
        samples[i].build(&shown);
        shown.run.file = shown.builder.file;
        struct envelope envelope = {.command = "repeat",
                                    .argc = argc,
                                    .argv = argv,
                                    .has_seed = true,
                                    .seed = 5,
                                    .facts = &shown.facts,
                                    .fingerprint = "0123456789abcdef",
                                    .results = repeat_results_json(&shown.run),
                                    .analysis = repeat_analysis_json(&shown.run),
                                    .skipped = skips_json(&shown.run.studying.skips),
                                    .findings =
                                        claims_json(shown.run.report.findings, REPEAT_FINDINGS)};
        int error = json_envelope_write(&envelope, stdout, &failure);
        shown_end(&shown);
        return error ? 1 : 0;
    }
    fprintf(stderr, "usage: %s rich|suite|absent|empty|unknown|hostile\n", argv[0]);
    return 2;
}
