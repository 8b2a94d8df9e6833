/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Writes the page of the report on standard input, whoever made that up: as `assay report --json`
 * has it, but for the verdicts of events, which stand in the section as a page shows them. */
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "commands/page.h"
#include "engine/told.h"

static const char *word_of(const json_t *object, const char *key)
{
    return json_string_value(json_object_get(object, key));
}

static char *text_of(const json_t *object, const char *key)
{
    return memory_copy(json_word(object, key));
}

static double number_of(const json_t *object, const char *key)
{
    return json_number_value(json_object_get(object, key));
}

static struct string_list texts_of(const json_t *list)
{
    struct string_list texts = {0};
    size_t i;
    json_t *text;
    json_array_foreach(list, i, text)
    {
        if (json_is_string(text))
            told_add(&texts, json_string_value(text));
    }
    return texts;
}

static int index_of(const char *word, const char *const *names, int count)
{
    int index = 0;
    while (index < count - 1 && strcmp(names[index], word) != 0)
        index++;
    return index;
}

static struct report_machine machine_of(const json_t *object)
{
    struct report_machine machine = {.fingerprint = text_of(object, "fingerprint"),
                                     .sentence = text_of(object, "sentence")};
    snprintf(machine.label, sizeof(machine.label), "%s", json_word(object, "label"));
    const char *key;
    json_t *value;
    json_object_foreach(json_object_get(object, "facts"), key, value)
    {
        /* As the page gets them, not as they are checked on their way here. */
        *memory_add(machine.facts.list, machine.facts.count) =
            (struct fact){memory_copy(key), memory_copy(json_string_value(value)), 2};
    }
    size_t i;
    json_array_foreach(json_object_get(object, "doctor"), i, value)
    {
        struct check *check = memory_new(1, sizeof(*check));
        check->name = text_of(value, "check");
        struct opinion *opinion = memory_add(machine.opinions.list, machine.opinions.count);
        opinion->check = check;
        struct advice *advice = &opinion->advice;
        advice->status =
            (enum check_status)index_of(json_word(value, "status"), check_status_names, 4);
        snprintf(advice->value, sizeof(advice->value), "%s", json_word(value, "value"));
        snprintf(advice->why, sizeof(advice->why), "%s", json_word(value, "why"));
        snprintf(advice->fix, sizeof(advice->fix), "%s", json_word(value, "fix"));
    }
    return machine;
}

static struct finding finding_of(const json_t *object)
{
    struct finding finding = {.id = text_of(object, "id"),
                              .claim = text_of(object, "claim"),
                              .paper = text_of(object, "paper"),
                              .verdict = (enum finding_verdict)index_of(
                                  json_word(object, "verdict"), finding_verdict_names, 4),
                              .has_estimate = json_is_number(json_object_get(object, "estimate")),
                              .estimate = number_of(object, "estimate"),
                              .low = number_of(object, "low"),
                              .high = number_of(object, "high"),
                              .unit = text_of(object, "unit")};
    snprintf(finding.figure, sizeof(finding.figure), "%s", json_word(object, "figure"));
    static const struct reason_words sentence = {"sentence", "{text}"};
    REASON(&finding.why, CLAUSE, &sentence, json_word(object, "reason"));
    return finding;
}

static struct report_section section_of(const json_t *object)
{
    struct finish *finish = memory_new(1, sizeof(*finish));
    struct skips *skips = memory_new(1, sizeof(*skips));
    struct finding *findings = NULL;
    struct report_section section = {.id = text_of(object, "id"),
                                     .command = text_of(object, "command"),
                                     .title = text_of(object, "title"),
                                     .lead.whole = texts_of(json_object_get(object, "lead")),
                                     .started = text_of(object, "started"),
                                     .finished = word_of(object, "finished"),
                                     .ended = word_of(object, "ended"),
                                     .reproduce = word_of(object, "reproduce"),
                                     .reason = word_of(object, "reason"),
                                     .finish = finish,
                                     .figures = json_incref(json_object_get(object, "figures")),
                                     .words = text_of(object, "words")};
    section.lead.first = section.lead.whole;
    snprintf(section.machine, sizeof(section.machine), "%s", json_word(object, "machine"));
    size_t i;
    json_t *row;
    json_array_foreach(json_object_get(object, "findings"), i, row)
    {
        *memory_add(findings, finish->finding_count) = finding_of(row);
    }
    finish->findings = findings;
    finish->skips = skips;
    json_array_foreach(json_object_get(object, "skipped"), i, row)
    {
        *memory_add(skips->list, skips->count) =
            (struct skip){.what = text_of(row, "what"), .reason = text_of(row, "reason")};
    }
    json_array_foreach(json_object_get(object, "verdicts"), i, row)
    {
        *memory_add(section.verdicts, section.verdict_count) =
            (struct study_verdict){.event = text_of(row, "event"),
                                   .verdict = text_of(row, "verdict"),
                                   .cause = word_of(row, "cause"),
                                   .note = text_of(row, "note"),
                                   .measured = json_is_true(json_object_get(row, "measured")),
                                   .path = word_of(row, "path"),
                                   .pattern = word_of(row, "pattern"),
                                   .adds = number_of(row, "adds")};
    }
    return section;
}

int main(void)
{
    struct failure failure = {0};
    json_error_t wrong;
    json_t *object = json_loadf(stdin, JSON_DISABLE_EOF_CHECK, &wrong), *part;
    if (!object) {
        fprintf(stderr, "page-sample: %s\n", wrong.text);
        return 2;
    }
    struct memory_scope scope;
    memory_scope_begin(&scope);
    struct report report = {.title = text_of(object, "title"),
                            .how = word_of(object, "how"),
                            .notes = texts_of(json_object_get(object, "notes"))};
    snprintf(report.made, sizeof(report.made), "%s", json_word(object, "made"));
    size_t i;
    json_array_foreach(json_object_get(object, "machines"), i, part)
    {
        *memory_add(report.machines, report.machine_count) = machine_of(part);
    }
    json_array_foreach(json_object_get(object, "sections"), i, part)
    {
        *memory_add(report.sections, report.section_count) = section_of(part);
    }
    int error = page_write(&report, stdout, &failure);
    if (error < 0)
        fprintf(stderr, "page-sample: %s\n", failure.text);
    for (i = 0; i < report.section_count; i++)
        json_decref(report.sections[i].figures);
    memory_scope_end(&scope);
    json_decref(object);
    return error < 0 || fflush(stdout) != 0;
}
