/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Hands over what a study found. */
#include "cli/finish.h"

#include "cli/deliver.h"

static int show_json(const struct finish *finish, int status)
{
    struct envelope envelope = {.has_seed = true,
                                .seed = finish->seed,
                                .facts = finish->facts,
                                .fingerprint = finish->fingerprint,
                                .results = finish->results(finish->run),
                                .analysis = finish->analysis(finish->run),
                                .skipped = skips_json(finish->skips),
                                .findings = finish->findings(finish->run)};
    return deliver_json(finish->command, finish->common, &envelope, status);
}

int finish_show(const struct finish *finish, int status)
{
    if (status == EXIT_DONE && finish->nothing)
        status = EXIT_LACKING;
    if (finish->common->json)
        return show_json(finish, status);
    struct style style = deliver_style(finish->common);
    AUTO_TEXT struct text out = {0};
    finish->put_report(finish->run, &style, &out);
    return deliver_text(finish->command, finish->common, &out, status);
}

int finish_judged(const char *command, int error, const struct failure *failure)
{
    if (error == 0)
        return EXIT_DONE;
    return failure->code ? deliver_failure(command, failure, EXIT_FAILED)
                         : deliver_out_of_memory(command);
}

int finish_study(int status, bool stored, void *study, int (*judge)(void *study),
                 int (*show)(void *study, int status))
{
    if (status != EXIT_DONE && (status != EXIT_INTERRUPTED || !stored))
        return status;
    int judged = judge(study);
    return judged == EXIT_DONE ? show(study, status) : judged;
}
