/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Hello: everything the controller may plan with. */
#include "probe/driver/catalogue.h"

#include <string.h>

#include "machine/check.h"
#include "probe/driver/commands.h"
#include "probe/driver/subjects.h"
#include "probe/sources/source.h"
#include "specimens/proof.h"

#define WHY_BYTES 512

static void send_hello(struct wire_writer *writer, const struct probe_kit *kit)
{
    wire_begin(writer, "hello");
    wire_put_u64(writer, "version", WIRE_VERSION);
    wire_put_string(writer, "assay", ASSAY_VERSION);
    wire_put_string(writer, "build", kit->build);
    wire_put_string(writer, "isa", PROBE_ISA);
    wire_end(writer);
}

static void send_facts(struct wire_writer *writer)
{
    struct machine_view view = {.root = ""};
    struct facts facts = {0};
    machine_collect(&view, &facts);
    for (size_t index = 0; index < facts.count; index++) {
        const struct fact *fact = &facts.list[index];
        wire_begin(writer, "fact");
        wire_put_string(writer, "key", fact->key);
        if (fact->value)
            wire_put_string(writer, "value", fact->value);
        else
            wire_put_i64(writer, "error", fact->error);
        wire_end(writer);
    }
    facts_free(&facts);
}

static bool specimen_is_absent(struct wire_writer *writer, const struct specimen *specimen)
{
    struct failure failure = {0};
    if (!specimen->available || specimen->available(&failure) == 0)
        return false;
    wire_begin(writer, "absent");
    wire_put_string(writer, "kind", "specimen");
    wire_put_string(writer, "name", specimen->name);
    wire_put_i64(writer, "error", -failure.code);
    wire_put_string(writer, "reason", failure.text);
    wire_end(writer);
    return true;
}

static void send_truth(struct wire_writer *writer, const struct specimen *specimen,
                       const struct truth *truth)
{
    char why[WHY_BYTES];
    enum truth_grade grade = proof_grade(specimen, truth, why, sizeof(why));
    wire_begin(writer, "truth");
    wire_put_string(writer, "specimen", specimen->name);
    wire_put_string(writer, "class", truth->class);
    wire_put_i64(writer, "base", truth->base);
    wire_put_i64(writer, "each", truth->each);
    wire_put_string(writer, "grade", truth_grade_names[grade]);
    if (grade == TRUTH_BOUNDED) {
        wire_put_i64(writer, "high_base", truth->high_base);
        wire_put_i64(writer, "high_each", truth->high_each);
    }
    wire_put_string(writer, "why", why);
    wire_put_string(writer, "sources", proof_sources(specimen->name, truth->class));
    wire_end(writer);
}

static void send_specimen(struct wire_writer *writer, const struct specimen *specimen)
{
    if (specimen_is_absent(writer, specimen))
        return;
    wire_begin(writer, "specimen");
    wire_put_string(writer, "name", specimen->name);
    wire_put_string(writer, "summary", specimen->summary);
    wire_put_string(writer, "stresses", specimen->stresses);
    wire_put_u64(writer, "min_n", specimen->min_n);
    wire_put_u64(writer, "max_n", specimen->max_n);
    wire_put_string(writer, "needs", specimen->needs ? specimen->needs : "");
    wire_put_string(writer, "parameters", specimen->parameters ? specimen->parameters : "");
    wire_end(writer);
    for (const struct truth *truth = specimen->truth; truth->class; truth++)
        send_truth(writer, specimen, truth);
}

void catalogue_add_word(struct text *list, const char *word)
{
    AUTO_TEXT struct text quoted = {0}, searched = {0};
    text_printf(&quoted, ",%s,", word);
    text_printf(&searched, ",%s,", text_string(list));
    if (strstr(text_string(&searched), text_string(&quoted)))
        return;
    text_printf(list, "%s%s", list->length ? "," : "", word);
}

static bool first_of_its_path(const struct offers *offers, size_t index)
{
    for (size_t before = 0; before < index; before++)
        if (strcmp(offers->list[before].path, offers->list[index].path) == 0)
            return false;
    return true;
}

static void send_path(struct wire_writer *writer, const struct probe_kit *kit,
                      const struct offers *offers, const struct offer *first)
{
    AUTO_TEXT struct text opts = {0}, links = {0};
    for (size_t index = 0; index < offers->count; index++)
        if (strcmp(offers->list[index].path, first->path) == 0) {
            catalogue_add_word(&opts, offers->list[index].opt);
            catalogue_add_word(&links, kit->harnesses[offers->list[index].harness].link);
        }
    wire_begin(writer, "path");
    wire_put_string(writer, "name", first->path);
    wire_put_string(writer, "patterns", first->patterns);
    wire_put_string(writer, "opts", text_string(&opts));
    wire_put_string(writer, "links", text_string(&links));
    wire_put_string(writer, "sources", first->sources);
    wire_put_string(writer, "note", first->note);
    wire_end(writer);
}

static void send_absence(struct wire_writer *writer, const char *kind, const char *name, int error,
                         const char *reason)
{
    wire_begin(writer, "absent");
    wire_put_string(writer, "kind", kind);
    wire_put_string(writer, "name", name);
    wire_put_i64(writer, "error", error);
    wire_put_string(writer, "reason", reason);
    wire_end(writer);
}

static void send_source(struct wire_writer *writer, const struct source *source)
{
    AUTO_TEXT struct text classes = {0};
    for (const char *const *class = source->classes; *class; class ++)
        catalogue_add_word(&classes, *class);
    wire_begin(writer, "source");
    wire_put_string(writer, "name", source->name);
    wire_put_string(writer, "summary", source->summary);
    wire_put_string(writer, "classes", text_string(&classes));
    wire_put_u64(writer, "runs", source->runs);
    wire_end(writer);
}

static void send_sources(struct wire_writer *writer, const struct sources *sources)
{
    for (size_t index = 0; index < sources->count; index++) {
        const struct event_source *source = &sources->list[index];
        if (source->error)
            send_absence(writer, "source", source->name, source->error, source->reason);
        else
            send_source(writer, source_registry[index]);
    }
}

/* An operation or a clock that one harness lacks and another has is not absent. */
static bool is_had_elsewhere(const struct offers *offers, const struct absence *absence)
{
    if (strcmp(absence->kind, "clock") == 0)
        return clocks_find(offers, absence->name) != NULL;
    for (size_t index = 0; index < offers->operation_count; index++)
        if (strcmp(absence->kind, "operation") == 0 &&
            operation_is(&offers->operations[index], absence->name))
            return true;
    return false;
}

static void send_absences(struct wire_writer *writer, const struct offers *offers)
{
    for (size_t index = 0; index < offers->absence_count; index++) {
        const struct absence *absence = &offers->absences[index];
        if (is_had_elsewhere(offers, absence))
            continue;
        send_absence(writer, absence->kind, absence->name, absence->error, absence->reason);
    }
}

int catalogue_send(struct wire_writer *writer, const struct probe_kit *kit,
                   const struct offers *offers, const struct sources *sources)
{
    send_hello(writer, kit);
    send_facts(writer);
    for (size_t index = 0; specimen_registry[index]; index++)
        send_specimen(writer, specimen_registry[index]);
    for (size_t index = 0; index < offers->count; index++)
        if (first_of_its_path(offers, index))
            send_path(writer, kit, offers, &offers->list[index]);
    send_sources(writer, sources);
    operations_send(writer, kit, offers);
    clocks_send(writer, offers);
    commands_send(writer, offers);
    subjects_send(writer, offers);
    send_absences(writer, offers);
    wire_begin(writer, "ready");
    int result = wire_end(writer);
    return result < 0 ? result : wire_flush(writer);
}
