/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * assay doctor: what a machine offers, what stands in the way of accurate counts, how to change
 * it. The probe gathers facts, this judges them; so a recorded machine can be judged as well. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/memory.h"
#include "commands/doctor.h"
#include "engine/command.h"
#include "engine/finish.h"
#include "engine/gather.h"
#include "engine/options.h"
#include "engine/run-store.h"
#include "machine/facts.h"
#include "output/field.h"
#include "output/json.h"
#include "output/output.h"
#include "output/table.h"

/* ----------------------------------------------------------------------------------------------
 * What the checks say of a machine's facts, and both as JSON: for the doctor, and for reports of
 * machines that were measured. */

/* bad, warn, ok, absent; the registry's order within each. */
static const int urgency[] = {
    [CHECK_BAD] = 0, [CHECK_WARN] = 1, [CHECK_OK] = 2, [CHECK_ABSENT] = 3};

static bool asked_for(const struct check *check, int count, char **names)
{
    for (int i = 0; i < count; i++)
        if (strcmp(names[i], check->name) == 0)
            return true;
    return count == 0;
}

void opinions_judge(const struct facts *facts, int count, char **names, struct opinions *findings)
{
    size_t registered = 0;
    while (check_registry[registered])
        registered++;
    findings->list = memory_new(registered + 1, sizeof(*findings->list));
    struct advice *advices = memory_new(registered + 1, sizeof(*advices));
    for (size_t i = 0; i < registered; i++)
        check_judge(check_registry[i], facts, &advices[i]);
    for (int wanted = 0; wanted < 4; wanted++)
        for (size_t i = 0; i < registered; i++)
            if (urgency[advices[i].status] == wanted && asked_for(check_registry[i], count, names))
                findings->list[findings->count++] =
                    (struct opinion){.check = check_registry[i], .advice = advices[i]};
}

GETTER(get_check, struct opinion, value_text(item->check->name))

static const struct field opinion_fields[] = {
    {"check", GET(FIELD_TEXT, get_check), "what was looked at", .column = true},
    {"status", AT(struct opinion, advice.status), "how it stands", .names = check_status_names,
     .name_count = CHECK_ABSENT + 1, .column = true},
    {"value", AT(struct opinion, advice.value), "what was found", .zero = true, .column = true},
    {"why", AT(struct opinion, advice.why), "why it matters for the accuracy of counts",
     .zero = true},
    {"fix", AT(struct opinion, advice.fix), "the command that changes it", .zero = true,
     .column = true},
};
const struct fields opinion_table = FIELDS("doctor", "one check of the machine", opinion_fields);
static const struct field opinions_field = {"results",
                                            LIST(struct opinions, list, count, &opinion_table)};

/* Facts by their keys; of those that are absent the errno's name. */
static struct value facts_by_key(const struct facts *facts, bool absent)
{
    json_t *object = json_object();
    for (size_t i = 0; i < facts->count; i++) {
        const struct fact *fact = &facts->list[i];
        char name[16];
        if (!absent)
            json_object_set_new(object, fact->key, json_text(fact->value));
        else if (!fact->value)
            json_object_set_new(object, fact->key,
                                json_text(errno_name(fact->error, name, sizeof(name))));
    }
    return value_json(object);
}

static struct value get_facts(const void *item, const void *context)
{
    (void)context;
    return facts_by_key(item, false);
}

static struct value get_absent(const void *item, const void *context)
{
    (void)context;
    return facts_by_key(item, true);
}

static const struct field facts_fields[] = {
    {"facts", GET(FIELD_JSON, get_facts), "every fact behind the advice (docs/facts.md)",
     .schema = "object"},
    {"absent", GET(FIELD_JSON, get_absent), "why a fact is null: the errno's name",
     .schema = "object"},
};
const struct fields facts_table =
    FIELDS("doctor.facts", "what the machine says of itself", facts_fields);

/* ----------------------------------------------------------------------------------------------
 * The doctor's report for people. What is amiss comes first and in full, the rest in brief; the
 * last line says where to begin. */

#define INDENT 8u

static const enum tone tones[] = {[CHECK_OK] = TONE_GOOD,
                                  [CHECK_WARN] = TONE_WARN,
                                  [CHECK_BAD] = TONE_BAD,
                                  [CHECK_ABSENT] = TONE_DIM};

static bool amiss(const struct opinion *finding)
{
    return finding->advice.status == CHECK_BAD || finding->advice.status == CHECK_WARN;
}

/* "bad     " in its colour; text starts at column INDENT. */
static void put_status(enum check_status status, const struct style *style, struct text *out)
{
    const char *name = check_status_names[status];
    text_put_toned(out, style, tones[status], name);
    text_printf(out, "%*s", (int)(INDENT - strlen(name)), "");
}

static void put_in_full(const struct opinion *finding, const struct style *style, struct text *out)
{
    const struct advice *advice = &finding->advice;
    put_status(advice->status, style, out);
    text_put_toned(out, style, TONE_STRONG, finding->check->name);
    text_printf(out, ": %s\n%*s", advice->value, (int)INDENT, "");
    wrap(out, advice->why, INDENT, INDENT, style->width);
    /* Commands stand as they are, one a line, so that they can be copied. */
    const char *label = "fix: ";
    for (const char *line = advice->fix; *line; label = "     ") {
        size_t length = strcspn(line, "\n");
        text_printf(out, "%*s%s%.*s\n", (int)INDENT, "", label, (int)length, line);
        line += length + (line[length] == '\n');
    }

    text_putc(out, '\n');
}

/* "ok      smt: off; aslr: off; ..." */
static void put_in_brief(const struct opinions *findings, enum check_status status,
                         const struct style *style, struct text *out)
{
    AUTO_TEXT struct text list = {0};
    for (size_t i = 0; i < findings->count; i++) {
        const struct opinion *finding = &findings->list[i];
        if (finding->advice.status == status)
            text_printf(&list, "%s%s: %s", list.length ? "; " : "", finding->check->name,
                        finding->advice.value);
    }
    if (list.length == 0)
        return;
    put_status(status, style, out);
    wrap(out, text_string(&list), INDENT, INDENT, style->width);
}

/* The report for people: the machine, what is amiss with why and fix, the rest in brief, and what
 * to do first. */
static void opinions_show(const struct opinions *findings, const struct facts *facts,
                          const struct style *style, struct text *out)
{
    AUTO_TEXT struct text sentence = {0};
    AUTO_TEXT struct text clean = {0};
    machine_sentence(facts, &sentence);
    text_put_clean(&clean, text_string(&sentence));
    wrap(out, text_string(&clean), 0, 0, style->width);
    text_putc(out, '\n');
    for (size_t i = 0; i < findings->count && amiss(&findings->list[i]); i++)
        put_in_full(&findings->list[i], style, out);
    size_t registered = 0;
    while (check_registry[registered])
        registered++;
    if (findings->count < registered) {
        /* What was asked for in particular is explained even where all is well. */
        for (size_t i = 0; i < findings->count; i++)
            if (!amiss(&findings->list[i]))
                put_in_full(&findings->list[i], style, out);
    } else {
        put_in_brief(findings, CHECK_OK, style, out);
        put_in_brief(findings, CHECK_ABSENT, style, out);
        text_putc(out, '\n');
    }
    const struct opinion *first = NULL, *hopeless = NULL;
    size_t count = 0;
    for (size_t i = 0; i < findings->count; i++) {
        const struct opinion *finding = &findings->list[i];
        if (!amiss(finding))
            continue;
        count++;
        if (!first && finding->advice.fix[0])
            first = finding;
        if (!first && !hopeless && finding->advice.status == CHECK_BAD)
            hopeless = finding;
    }
    AUTO_TEXT struct text line = {0};
    if (count == 0)
        text_puts(&line, "Nothing found that stands in the way of accurate counts.");
    else if (!first)
        text_puts(
            &line,
            "Nothing of this can be changed from here: keep it in mind when you read a count.");
    else if (hopeless)
        text_printf(&line,
                    "No setting here mends %s; of the rest, begin with %s:", hopeless->check->name,
                    first->check->name);
    else
        text_printf(&line, "Begin with %s:", first->check->name);
    if (first)
        text_printf(&line, " %.*s", (int)strcspn(first->advice.fix, "\n"), first->advice.fix);
    text_put_toned(out, style, TONE_STRONG, text_string(&line));
    text_putc(out, '\n');
}

/* --- the command --- */

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
     offsetof(struct doctor_options, fail_on), NULL, .words = ONE_OF("warn", "bad"), .only = true},
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
        for (size_t i = 0; i < catalogue->facts.count; i++) {
            const struct fact *fact = &catalogue->facts.list[i];
            facts_set(facts, fact->key, fact->value, fact->error);
        }
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

static int check_options(const struct doctor_options *options, int count, char **names)
{
    struct failure failure = {0};
    if (options->facts && options->common.via && strcmp(options->common.via, "local") != 0)
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
    struct opinions findings = {0};
    opinions_judge(&facts, argument_count, arguments, &findings);
    struct gate gate = {.asked = options->fail_on};
    if (gate.asked) {
        /* A check that was named and found nothing to judge fails it, too. */
        for (size_t i = 0; i < findings.count; i++) {
            const enum check_status found = findings.list[i].advice.status;
            if (found == CHECK_BAD ||
                (found == CHECK_WARN && strcmp(options->fail_on, "bad") != 0) ||
                (found == CHECK_ABSENT && (argument_count > 0)))
                gate_fail(&gate, findings.list[i].check->name, check_status_names[found]);
        }
    }

    status = gate_close(&gate, "doctor", EXIT_DONE);
    if (common_is_for_programs(&options->common)) {
        char fingerprint[17];
        machine_fingerprint(&facts, fingerprint);
        struct envelope envelope = {.facts = &facts,
                                    .fingerprint = fingerprint,
                                    .analysis = fields_json(&facts_table, &facts, NULL),
                                    .gate = gate_json(&gate)};
        return deliver_results("doctor", &options->common, &envelope, &opinions_field, NULL,
                               &findings, status);
    }
    AUTO_TEXT struct text report = {0};
    struct style style = style_for(stdout);
    style.colour = style.colour && !options->common.output;
    opinions_show(&findings, &facts, &style, &report);
    return deliver_text("doctor", &options->common, &report, status);
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
    .results = &opinions_field,
    .analysis = &facts_table,
};
