/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * assay doctor: what a machine offers, what stands in the way of accurate counts, how to change
 * it. The probe gathers facts, this judges them; so a recorded machine can be judged as well. */
#include "commands/doctor.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "engine/command.h"
#include "cli/deliver.h"
#include "cli/gate.h"
#include "cli/nearest.h"
#include "cli/reach.h"
#include "engine/run-store.h"
#include "output/output.h"

struct doctor_options {
    struct common_options common;
    const char *facts;
    const char *save;
    const char *fail_on;
};

static const struct option_spec specs[] = {
    {0, "facts", OPTION_STRING, "FILE", "judge the facts in FILE instead of a machine",
     offsetof(struct doctor_options, facts), NULL},
    {0, "save", OPTION_STRING, "FILE", "also write the facts to FILE, for --facts",
     offsetof(struct doctor_options, save), NULL},
    {0, "fail-on", OPTION_STRING, "STATUS",
     "exit with 4 when a check is warn or bad, or bad alone, or one that was named is absent",
     offsetof(struct doctor_options, fail_on), NULL},
    {0},
};

static int collect_from_file(const char *path, struct facts *facts, struct failure *failure)
{
    AUTO_FILE FILE *file = fopen(path, "re");
    if (!file)
        return fail_with(failure, -errno, "cannot open the facts %s: %s", path, strerror(errno));
    struct failure wrong = {0};
    int error = facts_read(facts, file, &wrong);
    if (error == 0 && facts->count == 0)
        error = fail_with(&wrong, -EBADMSG, "there is no fact in it");
    return error < 0 ? fail_with(failure, error,
                                 "%s is no file of facts: %.800s. `assay doctor --save FILE` "
                                 "writes one.",
                                 path, wrong.text)
                     : 0;
}

static int copy_facts(const struct facts *said, struct facts *facts, struct failure *failure)
{
    int error = 0;
    for (size_t i = 0; error == 0 && i < said->count; i++)
        error = facts_set(facts, said->list[i].key, said->list[i].value, said->list[i].error);
    return error < 0 ? fail_with(failure, error, "no memory for the machine's facts") : 0;
}

/* From the file of --facts, else from the machine of --via. An exit code. */
static int collect(const struct doctor_options *options, struct facts *facts)
{
    struct failure failure = {0};
    int error = 0;
    if (options->facts) {
        error = collect_from_file(options->facts, facts, &failure);
    } else {
        struct session *session = NULL;
        const struct catalogue *catalogue = NULL;
        int status = reach_machine("doctor", &options->common, &session, &catalogue);
        if (status != EXIT_DONE)
            return status;
        error = copy_facts(&catalogue->facts, facts, &failure);
        session_close(session);
    }
    return error < 0 ? deliver_failure("doctor", &failure, run_store_exit(error, true)) : EXIT_DONE;
}

static int save_facts(const char *path, const struct facts *facts, struct failure *failure)
{
    struct output output;
    int error = output_open(&output, path, failure);
    if (error < 0)
        return error;
    fputs("# facts of a machine, by assay " ASSAY_VERSION "\n", output.stream);
    error = facts_write(facts, output.stream);
    if (error < 0)
        fail_with(failure, error, "cannot write %s: %s", path, strerror(-error));
    else
        error = output_commit(&output, failure);
    output_discard(&output);
    return error;
}

/* A check that was named and found nothing to judge fails it, too. */
static void judge_gate(const struct doctor_options *options, const struct findings *findings,
                       bool named, struct gate *gate)
{
    for (size_t i = 0; i < findings->count; i++) {
        const enum check_status status = findings->list[i].advice.status;
        if (status == CHECK_BAD || (status == CHECK_WARN && strcmp(options->fail_on, "bad") != 0) ||
            (status == CHECK_ABSENT && named))
            gate_fail(gate, findings->list[i].check->name, check_status_names[status]);
    }
}

static int deliver(const struct doctor_options *options, const struct facts *facts,
                   const struct findings *findings, bool named)
{
    struct gate gate = {.asked = options->fail_on};
    if (gate.asked)
        judge_gate(options, findings, named, &gate);
    int status = gate_close(&gate, "doctor", EXIT_DONE);
    if (options->common.json) {
        char fingerprint[17];
        machine_fingerprint(facts, fingerprint);
        struct envelope envelope = {.facts = facts,
                                    .fingerprint = fingerprint,
                                    .results = findings_json(findings),
                                    .analysis = facts_json(facts),
                                    .gate = gate_json(&gate)};
        gate_release(&gate);
        return deliver_json("doctor", &options->common, &envelope, status);
    }
    gate_release(&gate);
    AUTO_TEXT struct text report = {0};
    struct style style = style_for(stdout);
    style.colour = style.colour && !options->common.output;
    findings_show(findings, facts, &style, &report);
    return deliver_text("doctor", &options->common, &report, status);
}

static int check_options(const struct doctor_options *options, int count, char **names)
{
    struct failure failure = {0};
    if (options->fail_on && strcmp(options->fail_on, "warn") != 0 &&
        strcmp(options->fail_on, "bad") != 0)
        fail_with(&failure, -EINVAL, "--fail-on takes warn or bad, not '%.100s'", options->fail_on);
    else if (options->facts && options->common.via && strcmp(options->common.via, "local") != 0)
        fail_with(&failure, -EINVAL, "--facts judges a file and --via a machine: give one of them");
    for (int i = 0; i < count && !failure.code; i++) {
        if (check_find(names[i]))
            continue;
        struct nearest nearest = {.word = names[i]};
        AUTO_TEXT struct text known = {0};
        for (const struct check *const *check = check_registry; *check; check++) {
            nearest_offer(&nearest, (*check)->name);
            text_printf(&known, "%s%s", known.length ? ", " : "", (*check)->name);
        }
        fail_with(&failure, -EINVAL, "no check is called '%.100s'%s%s%s; there are %s", names[i],
                  nearest.best ? ": did you mean '" : "", nearest.best ? nearest.best : "",
                  nearest.best ? "'?" : "", text_string(&known));
    }
    return failure.code ? deliver_failure("doctor", &failure, EXIT_USAGE) : EXIT_DONE;
}

static int run(void *parsed, int argument_count, char **arguments)
{
    const struct doctor_options *options = parsed;
    int status = check_options(options, argument_count, arguments);
    if (status != EXIT_DONE)
        return status;
    AUTO_FACTS struct facts facts = {0};
    status = collect(options, &facts);
    if (status != EXIT_DONE)
        return status;
    struct failure failure = {0};
    if (options->save && save_facts(options->save, &facts, &failure) < 0)
        return deliver_failure("doctor", &failure, EXIT_FAILED);
    struct findings findings = {0};
    int error = findings_judge(&facts, argument_count, arguments, &findings);
    if (error < 0) {
        fail_with(&failure, error, "no memory to judge the machine");
        status = deliver_failure("doctor", &failure, EXIT_FAILED);
    } else {
        status = deliver(options, &facts, &findings, argument_count > 0);
    }
    free(findings.list);
    return status;
}

const struct command command_doctor = {
    .name = "doctor",
    .group = GROUP_MACHINE,
    .summary = "what stands in the way of accurate counts, and how to change it",
    .synopsis = "[options] [CHECK...]",
    .description =
        "Looks at everything on the machine that bears on the accuracy of counts: whether there "
        "is a PMU and who keeps it, what the kernel permits, what runs below and beside, how "
        "clocks and frequencies behave. Every check gives what it found, why that matters, and the "
        "command that changes it. Names of checks as arguments restrict it to those.\n\n"
        "Advice is no failure: the exit status is 0 however bad things are, unless --fail-on asks "
        "otherwise. The facts behind the advice can be kept with --save and judged again with "
        "--facts, on any machine; docs/facts.md says what each means.",
    .examples = "# what should I change before I measure?\n"
                "assay doctor\n"
                "# two checks, for a script\n"
                "assay doctor --json --fail-on bad perf-syscall pmu\n"
                "# keep what this machine said, and judge it elsewhere\n"
                "assay doctor --save machine.facts\n"
                "assay doctor --facts machine.facts\n",
    .options = specs,
    .options_size = sizeof(struct doctor_options),
    .run = run,
};
