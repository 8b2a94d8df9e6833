/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Has every run judged again, and makes a report of them. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/memory.h"
#include "commands/help.h"
#include "commands/reported.h"
#include "engine/claims.h"
#include "engine/run-store.h"
#include "engine/told.h"
#include "output/field.h"
#include "output/output.h"
#include "store/store.h"

/* ----------------------------------------------------------------------------------------------
 * The machines of a report. */

void report_label(size_t number, char label[8])
{
    char letters[8];
    size_t count = 0;
    do {
        letters[count++] = (char)('A' + number % 26);
        number /= 26;
    } while (number-- && count < sizeof(letters) - 1);
    for (size_t i = 0; i < count; i++)
        label[i] = letters[count - 1 - i];
    label[count] = 0;
}

const char *reported_fingerprint(const struct reported *reported, size_t run)
{
    const char *fingerprint = reported->list[run].run->fingerprint;
    return fingerprint ? fingerprint : "";
}

/* The first run of the same machine. */
static size_t first_of(const struct reported *reported, size_t run)
{
    size_t first = 0;
    while (strcmp(reported_fingerprint(reported, first), reported_fingerprint(reported, run)) != 0)
        first++;
    return first;
}

/* Which of its machines a run is of, counted from 0. */
static size_t machine_number(const struct reported *reported, size_t run)
{
    size_t number = 0, first = first_of(reported, run);
    for (size_t i = 0; i < first; i++)
        number += first_of(reported, i) == i;
    return number;
}

struct report_machine report_machine_of(const struct listed_run *run, size_t number)
{
    struct report_machine machine = {.fingerprint = run->fingerprint};
    AUTO_TEXT struct text sentence = {0};
    /* A store that cannot be read any more has none: its section says why. */
    struct failure unread = {0};
    struct store *store = NULL;
    if (store_open(&store, run->name, false, &unread) == 0)
        (void)store_facts(store, &machine.facts, &unread);
    store_close(store);
    report_label(number, machine.label);
    opinions_judge(&machine.facts, 0, NULL, &machine.opinions);
    machine_sentence(&machine.facts, &sentence);
    machine.sentence = memory_copy(text_string(&sentence));
    return machine;
}

PART(machine_part, struct report_machine, machine_of_facts(&item->facts, item->fingerprint))

static const struct field machine_fields[] = {
    {"", SPLICED_BY(machine_part, &machine_table)},
    {"label", AT(struct report_machine, label), "A, B … as sections name it", .schema = "^[A-Z]+$"},
    {"sentence", AT(struct report_machine, sentence), "what it is, for people"},
    {"", SPLICED_AT(struct report_machine, facts, &facts_table)},
    {"doctor", LIST(struct report_machine, opinions.list, opinions.count, &opinion_table),
     "what `assay doctor` says of these facts"},
};
static const struct fields report_machine_table =
    FIELDS("report.machine", "a machine of a report", machine_fields);

/* ----------------------------------------------------------------------------------------------
 * Its sections, each what one run found. */

/* What the study says of it, with all that it knows still there. */
static void take_finish(const struct finish *finish, const struct study_told *told,
                        struct report_section *section)
{
    const struct style style = {.width = REPORT_WIDTH};
    struct text words = {0};
    if (told && told->lead)
        told->lead(finish->run, &section->lead);
    if (told && told->trusted.verdicts)
        section->verdict_count = told->trusted.verdicts(finish->run, &section->verdicts);
    section->figures = finish->figures ? finish->figures(finish->run) : NULL;
    finish->put_report(finish->run, &style, &words);
    section->words = memory_text(&words);
}

static struct report_section section_of(const struct reported *reported, size_t index)
{
    const struct reported_run *judged = &reported->list[index];
    const struct listed_run *run = judged->run;
    const struct study_told *told = told_of(command_find(run->command));
    const struct finish *finish = &judged->retold.finish;
    struct report_section section = {.command = run->command,
                                     .title = told && told->title ? told->title : run->command,
                                     .started = run->started,
                                     .finished = run->finished,
                                     .ended = run->finished ? NULL : run->ended,
                                     .store = run->name,
                                     .status = judged->status,
                                     .reason = judged->reason,
                                     .finish = finish};
    report_label(machine_number(reported, index), section.machine);
    /* "validate-2": the second run of that command in this report. */
    struct text id = {0}, reproduce = {0};
    size_t number = 1;
    for (size_t i = 0; i < index; i++)
        number += strcmp(reported->list[i].run->command, run->command) == 0;
    for (const char *at = run->command; *at; at++) {
        bool plain = (*at >= 'a' && *at <= 'z') || (*at >= '0' && *at <= '9');
        text_putc(&id, plain ? *at : '-');
    }
    text_printf(&id, "-%zu", number);
    section.id = memory_text(&id);
    const bool seeded = finish->run && !finish->unseeded;
    reproduce_put(run->argv, seeded ? memory_format("%" PRIu64, finish->seed) : NULL, &reproduce);
    section.reproduce = memory_text(&reproduce);
    if (finish->run)
        take_finish(finish, told, &section);
    return section;
}

/* --- as data --- */

GETTER(get_seed, struct report_section,
       item->finish->run && !item->finish->unseeded ? value_count(item->finish->seed)
                                                    : value_absent(NULL))

GETTER(get_results, struct report_section,
       value_json(item->finish->run ? finish_results(item->finish) : json_array()))

GETTER(get_analysis, struct report_section,
       value_json(item->finish->run ? finish_analysis(item->finish) : json_object()))

GETTER(get_findings, struct report_section,
       value_json(claims_json(item->finish->findings, item->finish->finding_count)))

GETTER(get_skipped, struct report_section,
       value_json(item->finish->skips ? skips_json(item->finish->skips) : json_array()))

GETTER(get_figures, struct report_section,
       value_json(item->figures ? json_incref(item->figures) : json_array()))

static const struct field section_fields[] = {
    {"id", AT(struct report_section, id), "validate-2: the second run of that command here"},
    {"command", AT(struct report_section, command), "that measured it"},
    {"title", AT(struct report_section, title), "what it is about"},
    {"machine", AT(struct report_section, machine), "the label of its machine"},
    {"lead", TEXTS(struct report_section, lead.whole), "what came out, in at most four sentences"},
    {"started", AT(struct report_section, started), "when the run began", .nullable = true},
    {"finished", AT(struct report_section, finished), "when it ended; null: it was not finished",
     .nullable = true},
    {"ended", AT(struct report_section, ended),
     "budget: it is not finished because its time was over; interrupted: the execution of a "
     "command was",
     .nullable = true},
    {"reproduce", AT(struct report_section, reproduce),
     "the command line that measures it again, for a shell"},
    {"store", AT(struct report_section, store), "where it is"},
    {"status", AT(struct report_section, status), "exit status of judging it again"},
    {"reason", AT(struct report_section, reason), "why it could not be judged again; null: it was",
     .nullable = true},
    {"seed", GET(FIELD_COUNT, get_seed), "of its plan", .nullable = true},
    {"results", GET(FIELD_JSON, get_results),
     "as --json of the command has it; so are the next three", .schema = "array"},
    {"analysis", GET(FIELD_JSON, get_analysis), "as --json of the command has it",
     .schema = "object"},
    {"findings", MADE(FIELD_LIST, get_findings, &finding_table), "claims of papers"},
    {"skipped", MADE(FIELD_LIST, get_skipped, &skipped_table), "what was left out"},
    {"figures", MADE(FIELD_LIST, get_figures, &figure_table), "its figures (docs/figures.md)"},
    {"words", AT(struct report_section, words), "the report for people, 100 columns wide",
     .zero = true},
};
static const struct fields section_table =
    FIELDS("report.section", "one run, judged again", section_fields);

const struct report_section *report_section_of(const struct report *report, const char *command)
{
    for (size_t i = 0; i < report->section_count; i++)
        if (strcmp(report->sections[i].command, command) == 0)
            return &report->sections[i];
    return NULL;
}

/* --- the whole --- */

/* What it is short of for want of this run. */
static void note_run(const struct reported_run *judged, struct string_list *notes)
{
    const struct listed_run *run = judged->run;
    AUTO_TEXT struct text note = {0};
    if (judged->reason)
        text_printf(&note, "%s was left out: %s", run->command, judged->reason);
    else if (!run->finished && run->ended)
        text_printf(&note, "the run of %s in %s %s: what it has is shown", run->command, run->name,
                    strcmp(run->ended, "budget") == 0 ? "ended with its budget"
                                                      : "was interrupted");
    else if (!run->finished)
        text_printf(&note, "the run of %s in %s is not finished: what it has is shown",
                    run->command, run->name);
    if (note.length)
        told_add(notes, text_string(&note));
}

/* "Intel Xeon, assayed", or how many machines there are. */
static char *title_of(const struct report *report)
{
    if (report->machine_count > 1)
        return memory_format("%zu machines, assayed", report->machine_count);
    const char *name =
        report->machine_count ? facts_get(&report->machines->facts, "cpu.model_name") : NULL;
    return memory_format("%s, assayed", name                    ? name
                                        : report->machine_count ? "a machine"
                                                                : "nothing");
}

void report_note_moment(struct report *report)
{
    time_t now = time(NULL);
    struct tm parts;
    if (gmtime_r(&now, &parts))
        strftime(report->made, sizeof(report->made), "%Y-%m-%dT%H:%M:%SZ", &parts);
}

void report_make(const struct reported *reported, const char *title, struct report *report)
{
    *report = (struct report){0};
    /* Machines in the order in which runs name them. */
    for (size_t i = 0; i < reported->count; i++) {
        if (first_of(reported, i) == i) {
            const size_t number = report->machine_count;
            *memory_add(report->machines, report->machine_count) =
                report_machine_of(reported->list[i].run, number);
        }
        *memory_add(report->sections, report->section_count) = section_of(reported, i);
        note_run(&reported->list[i], &report->notes);
    }
    report->title = title ? title : title_of(report);
    report_note_moment(report);
}

void report_release(struct report *report)
{
    for (size_t i = 0; i < report->machine_count; i++)
        facts_free(&report->machines[i].facts);
    for (size_t i = 0; i < report->section_count; i++)
        json_decref(report->sections[i].figures);
    *report = (struct report){0};
}

static struct value get_schema(const void *item, const void *context)
{
    (void)item;
    (void)context;
    return value_text("assay-report/1");
}

static struct value get_version(const void *item, const void *context)
{
    (void)item;
    (void)context;
    return value_text(ASSAY_VERSION);
}

static const struct field report_fields[] = {
    {"schema", GET(FIELD_TEXT, get_schema), "assay-report/1", .schema = "^assay-report/1$"},
    {"version", GET(FIELD_TEXT, get_version), "of the assay that made it"},
    {"title", AT(struct report, title), "of the page"},
    {"made", AT(struct report, made), "when"},
    {"how", AT(struct report, how), "the command line that made the report", .nullable = true},
    {"machines", LIST(struct report, machines, machine_count, &report_machine_table),
     "those that it is of"},
    {"sections", LIST(struct report, sections, section_count, &section_table), "its runs"},
    {"notes", TEXTS(struct report, notes), "what the whole is short of"},
};
const struct fields report_table =
    FIELDS("report", "the object that a page is made of; docs/report.md", report_fields);

char *report_how(int argc, char **argv)
{
    struct text words = {0};
    text_puts(&words, "assay");
    for (int i = 1; i < argc; i++) {
        text_putc(&words, ' ');
        text_put_shell(&words, argv[i]);
    }
    return memory_text(&words);
}

/* ----------------------------------------------------------------------------------------------
 * What it says on one screen: from every part the few things that one acts upon, as studies tell
 * them (struct study_line), between what the doctor says and what of the papers holds. */

/* The line of a study that stands behind this place; NULL: there are no more. */
static const struct study_line *next_line(unsigned *place, const struct command **of)
{
    const struct study_line *next = NULL;
    for (const struct command *const *at = command_registry; *at; at++) {
        const struct study_told *told = told_of(*at);
        if (told && told->line.field && told->line.place > *place &&
            (!next || told->line.place < next->place)) {
            next = &told->line;
            *of = *at;
        }
    }
    *place = next ? next->place : *place;
    return next;
}

/* --- the doctor before all lines, and findings behind them --- */

static struct tally doctor_tally(const struct opinions *opinions)
{
    struct tally tally = {0};
    for (size_t i = 0; i < opinions->count; i++)
        tally_add(&tally, opinions->list[i].advice.status);
    return tally;
}

/* What is amiss and can be mended, the worst first; NULL: nothing. */
static const struct opinion *first_to_mend(const struct opinions *opinions)
{
    for (size_t i = 0; i < opinions->count; i++) {
        const struct advice *advice = &opinions->list[i].advice;
        if ((advice->status == CHECK_BAD || advice->status == CHECK_WARN) && advice->fix[0])
            return &opinions->list[i];
    }
    return NULL;
}

GETTER(get_check, struct opinion, value_text(item->check->name))

static struct value get_statuses(const void *item, const void *context)
{
    (void)context;
    const struct tally tally = doctor_tally(item);
    return value_json(tally_json(&tally, check_status_names));
}

static const void *mend_part(const void *item, const void *context)
{
    (void)context;
    return first_to_mend(item);
}

PART(doctor_part, struct report, item->machine_count ? &item->machines->opinions : NULL)

static const struct field mend_fields[] = {
    {"check", GET(FIELD_TEXT, get_check), "which check"},
    {"fix", AT(struct opinion, advice.fix), "the command that changes it"},
};
static const struct fields mend_table = FIELDS("run.first", "where to begin", mend_fields);
static const struct field doctor_fields[] = {
    {"statuses", GET(FIELD_JSON, get_statuses), "how many checks stand how", .schema = "object"},
    {"first", OBJECT_BY(mend_part, &mend_table), "the worst that can be mended", .nullable = true},
};
static const struct fields doctor_table =
    FIELDS("run.doctor", "what `assay doctor` says of the machine", doctor_fields);

static void put_doctor(const struct report *report, const struct style *style, struct text *out)
{
    static const unsigned order[] = {CHECK_BAD, CHECK_WARN, CHECK_OK, CHECK_ABSENT};
    if (!report->machine_count)
        return;
    const struct tally tally = doctor_tally(&report->machines->opinions);
    const struct opinion *first = first_to_mend(&report->machines->opinions);
    AUTO_TEXT struct text words = {0};
    tally_put(&tally, check_status_names, order, sizeof(order) / sizeof(*order), &words);
    if (first)
        text_printf(&words, "; begin with `assay doctor %s`", first->check->name);
    told_put_line("doctor", text_string(&words), 1, style, out);
}

static struct tally findings_tally(const struct report *report)
{
    struct tally tally = {0};
    for (size_t i = 0; i < report->section_count; i++) {
        const struct finish *finish = report->sections[i].finish;
        for (size_t j = 0; j < finish->finding_count; j++)
            if (finish->findings[j].id)
                tally_add(&tally, finish->findings[j].verdict);
    }
    return tally;
}

static void put_findings(const struct report *report, const struct style *style, struct text *out)
{
    static const struct {
        const char *one, *several;
    } told[] = {[FINDING_HOLDS] = {"holds here", "hold here"},
                [FINDING_FAILS] = {"does not", "do not"},
                [FINDING_INCONCLUSIVE] = {"open", "open"},
                [FINDING_UNTESTABLE] = {"not testable", "not testable"}};
    const struct tally tally = findings_tally(report);
    AUTO_TEXT struct text words = {0};
    if (!tally.all)
        return;
    text_printf(&words, "%zu claims of papers: ", tally.all);
    const char *comma = "";
    for (size_t i = 0; i < sizeof(told) / sizeof(told[0]); i++) {
        if (!tally.of[i])
            continue;
        text_printf(&words, "%s%zu %s", comma, tally.of[i],
                    tally.of[i] == 1 ? told[i].one : told[i].several);
        comma = ", ";
    }
    told_put_line("findings", text_string(&words), 1, style, out);
}

/* --- all of it --- */

/* What the study of the command keeps; NULL: the run has nothing of it. */
static const void *kept_of(const struct report *report, const struct command *command)
{
    const struct report_section *section = report_section_of(report, command->name);
    return section ? section->finish->run : NULL;
}

static const struct field *line_field(const void **item, size_t index)
{
    const struct study_line *line;
    const struct command *command;
    unsigned place = 0;
    while ((line = next_line(&place, &command)) && index)
        index--;
    if (!line)
        return NULL;
    *item = *item ? kept_of(*item, command) : NULL;
    return line->field;
}

static struct value get_total(const void *item, const void *context)
{
    (void)context;
    return value_count(findings_tally(item).all);
}

static struct value get_verdicts(const void *item, const void *context)
{
    (void)context;
    const struct tally tally = findings_tally(item);
    return value_json(tally_json(&tally, finding_verdict_names));
}

static const struct field tally_fields[] = {
    {"total", GET(FIELD_COUNT, get_total), "claims of papers"},
    {"verdicts", GET(FIELD_JSON, get_verdicts), "how many of them hold, and so on",
     .schema = "object"},
};
static const struct fields tally_table =
    FIELDS("run.findings", "what of the papers holds here", tally_fields);
static const struct field summary_fields[] = {
    {"doctor", OBJECT_BY(doctor_part, &doctor_table), "of the first machine", .nullable = true},
    {"findings", {.kind = FIELD_OBJECT, .of = &tally_table}, "of all studies"},
};
const struct fields report_summary_table = {
    "run.summary", "a study that is not there has null", summary_fields,
    sizeof(summary_fields) / sizeof(*summary_fields), line_field};

void report_put_summary(const struct report *report, const struct style *style, struct text *out)
{
    const struct study_line *line;
    const struct command *command;
    put_doctor(report, style, out);
    for (unsigned place = 0; (line = next_line(&place, &command));) {
        const void *kept = kept_of(report, command);
        if (kept)
            line->put(kept, style, out);
    }
    put_findings(report, style, out);
}

/* ----------------------------------------------------------------------------------------------
 * Runs judged again. */

static int read_lists(const char *const *paths, size_t count, struct reported *reported,
                      struct failure *failure)
{
    size_t runs = 0;
    int error = 0;
    reported->files = memory_new(count ? count : 1, sizeof(*reported->files));
    for (size_t i = 0; i < count && error == 0; i++) {
        error = run_list_read(paths[i], &reported->files[i], failure);
        reported->file_count++;
        runs += reported->files[i].count;
    }
    if (error < 0)
        return error;
    reported->list = memory_new(runs ? runs : 1, sizeof(*reported->list));
    return 0;
}

static bool judges_stores(const struct command *command)
{
    for (const struct option_spec *spec = command->options; spec && spec->name; spec++)
        if (strcmp(spec->name, "from") == 0)
            return true;
    return false;
}

static void judge_again(const char *teller, struct reported_run *judged)
{
    const struct command *command = command_find(judged->run->command);
    if (!command || !judges_stores(command)) {
        judged->status = EXIT_FAILED;
        judged->reason = memory_format("this version cannot judge stored runs of `assay %s`",
                                       judged->run->command);
        deliver_message(teller, judged->reason);
        return;
    }
    const char *const words[] = {command->name, "--from", judged->run->name, "--quiet"};
    AUTO_TEXT struct text said = {0};
    deliver_divert(&said);
    judged->status = retell(words, sizeof(words) / sizeof(*words), &judged->retold);
    deliver_divert(NULL);
    if (said.length)
        deliver_message(command->name, text_string(&said));
    if (!judged->retold.is_there) {
        /* What the command said of it. */
        judged->reason =
            said.length
                ? memory_copy(text_string(&said))
                : memory_format("`assay %s --from` could not judge this run again: exit status %d",
                                judged->run->command, judged->status);
    }
}

/* Of one that cannot be read nobody knows; why it cannot is said when it is judged. */
static bool is_copy(const char *teller, const char *name, struct distinct *before)
{
    struct failure ignored = {0};
    struct store *store = NULL;
    bool copy = store_open(&store, name, false, &ignored) == 0 &&
                distinct_take(before, teller, store, &ignored) == 0;
    store_close(store);
    return copy;
}

static int load_run(const char *teller, struct listed_run *run, struct reported *reported,
                    struct distinct *before, struct failure *failure)
{
    const size_t known = before ? before->count : 0;
    if (before && is_copy(teller, run->name, before))
        return 0;
    struct reported_run *judged = &reported->list[reported->count++];
    judged->run = run;
    judge_again(teller, judged);
    if (before && judged->reason)
        distinct_forget(before, known);
    return interrupted ? fail_with(failure, -EINTR, "interrupted") : 0;
}

int reported_load(const char *teller, const char *const *paths, size_t count, bool copies,
                  struct reported *reported, struct failure *failure)
{
    struct distinct before = {0};
    *reported = (struct reported){0};
    int error = read_lists(paths, count, reported, failure);
    for (size_t file = 0; file < reported->file_count && error == 0; file++) {
        struct run_list *runs = &reported->files[file];
        for (size_t i = 0; i < runs->count && error == 0; i++)
            error = load_run(teller, &runs->list[i], reported, copies ? NULL : &before, failure);
    }
    distinct_release(&before);
    return error;
}

bool reported_is_whole(const struct reported *reported)
{
    for (size_t i = 0; i < reported->count; i++)
        if (reported->list[i].reason)
            return false;
    return true;
}

void reported_release(struct reported *reported)
{
    for (size_t i = 0; i < reported->count; i++)
        retold_release(&reported->list[i].retold);
    for (size_t i = 0; i < reported->file_count; i++)
        run_list_release(&reported->files[i]);
    *reported = (struct reported){0};
}
