/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Prints a planted report on clocks as the command would with --json, for a test that holds it
 * against the schema: clocks-json-sample rich|all|absent|empty|unknown|hostile */
#include "clocks-shown.h"
#include "engine/claims.h"

static void build_all(struct shown *shown)
{
    shown_build_rich(shown);
    shown->options.study.all = true;
}

static void build_unknown(struct shown *shown)
{
    shown_build_unknown(shown);
    shown->options.study.all = true;
}

/* Names that people and machines gave. */
static void build_hostile(struct shown *shown)
{
    shown_build_rich(shown);
    shown->run.file.clocks[0].name = memory_copy("\"\\\n\033[2J\x80");
    shown->run.file.clocks[0].external = true;
    shown->run.report.rows[0].workload = "\x80\"sleep";
}

int main(int argc, char **argv)
{
    static const struct {
        const char *name;
        void (*build)(struct shown *);
    } samples[] = {
        {"rich", shown_build_rich}, {"all", build_all},         {"absent", shown_build_absent},
        {"empty", shown_start},     {"unknown", build_unknown}, {"hostile", build_hostile},
    };
    for (size_t i = 0; argc == 2 && i < sizeof(samples) / sizeof(*samples); i++) {
        if (strcmp(argv[1], samples[i].name) != 0)
            continue;
        struct shown shown;
        struct failure failure = {0};
        samples[i].build(&shown);
        struct envelope envelope = {.command = "clocks",
                                    .argc = argc,
                                    .argv = argv,
                                    .has_seed = true,
                                    .seed = 5,
                                    .facts = &shown.facts,
                                    .fingerprint = "0123456789abcdef",
                                    .results = clocks_results_json(&shown.run),
                                    .analysis = clocks_analysis_json(&shown.run),
                                    .skipped = skips_json(&shown.run.studying.skips),
                                    .findings =
                                        claims_json(shown.run.report.findings, CLOCKS_FINDINGS)};
        int error = json_envelope_write(&envelope, stdout, &failure);
        shown_end(&shown);
        return error ? 1 : 0;
    }
    fprintf(stderr, "usage: %s rich|all|absent|empty|unknown|hostile\n", argv[0]);
    return 2;
}
