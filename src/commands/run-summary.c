/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The summary of a run: from every part the few things that one acts upon, as studies tell them
 * (struct study_line), between what the doctor says and what of the papers holds. */
#include "commands/run.h"
#include "engine/told.h"

/* The line of a study that stands behind this place; NULL: there are no more. */
static const struct study_line *next_line(unsigned *place, const struct command **of)
{
    const struct study_line *next = NULL;
    for (const struct command *const *at = command_registry; *at; at++) {
        const struct study_told *told = told_of(*at);
        if (told && told->line.key && told->line.place > *place &&
            (!next || told->line.place < next->place)) {
            next = &told->line;
            *of = *at;
        }
    }
    *place = next ? next->place : *place;
    return next;
}

/* ----------------------------------------------------------------------------------------------
 * The doctor before all lines, and findings behind them. */

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

static json_t *doctor_json(const struct report *report)
{
    if (!report->machine_count)
        return json_null();
    const struct opinions *opinions = &report->machines->opinions;
    const struct tally tally = doctor_tally(opinions);
    const struct opinion *first = first_to_mend(opinions);
    return JSON_OBJECT({"statuses", tally_json(&tally, check_status_names)},
                       {"first", first ? JSON_OBJECT({"check", json_text(first->check->name)},
                                                     {"fix", json_text(first->advice.fix)})
                                       : json_null()});
}

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

/* ----------------------------------------------------------------------------------------------
 * All of it. */

/* What the study of the command keeps; NULL: the run has nothing of it. */
static const void *kept_of(const struct report *report, const struct command *command)
{
    const struct report_section *section = report_section_of(report, command->name);
    return section ? section->finish->run : NULL;
}

json_t *run_summary_json(const struct report *report)
{
    json_t *summary = JSON_OBJECT({"doctor", doctor_json(report)});
    const struct study_line *line;
    const struct command *command;
    for (unsigned place = 0; (line = next_line(&place, &command));) {
        const void *kept = kept_of(report, command);
        json_object_set_new(summary, line->key, kept ? line->json(kept) : json_null());
    }
    const struct tally tally = findings_tally(report);
    return JSON_PUT(
        summary,
        {"findings", JSON_OBJECT({"total", json_count(tally.all)},
                                 {"verdicts", tally_json(&tally, finding_verdict_names)})});
}

void run_summary_put(const struct report *report, const struct style *style, struct text *out)
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
