/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * From candidates and catalogue to what the plan works with: specimens, and for each event that can
 * be judged its ways and CPUs. Whoever cannot be judged gets the reason here. */
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "cli/deliver.h"
#include "cli/factors.h"
#include "engine/options.h"
#include "cli/sources.h"
#include "cli/specimen-name.h"
#include "studies/validate/parts.h"
#include "study/mode.h"

static const char *const cpu_kinds[] = {"hardware", "cache", "pmu", "raw", "pfm", "papi"};

static bool is_of_cpu(const char *kind)
{
    for (size_t i = 0; i < sizeof(cpu_kinds) / sizeof(*cpu_kinds); i++)
        if (strcmp(cpu_kinds[i], kind) == 0)
            return true;
    return false;
}

/* Keeps a copy of the word as long as the plan lives; NULL: out of memory. */
static const char *keep_word(struct validating *validating, const char *word)
{
    struct string_list *words = &validating->words;
    for (size_t i = 0; i < words->count; i++)
        if (strcmp(words->items[i], word) == 0)
            return words->items[i];
    if (string_list_push(words, word, strlen(word)) < 0)
        return NULL;
    return words->items[words->count - 1];
}

/* --- specimens --- */

static int add_specimen(struct validating *validating, const struct catalogue_specimen *known,
                        const char *name)
{
    AUTO_FREE char *complete =
        geometry_complete_name(&validating->geometry, validating->catalogue, name);
    const char *kept = complete ? keep_word(validating, complete) : NULL;
    if (!kept)
        return -ENOMEM;
    validating->specimens[validating->study.specimen_count++] =
        (struct validate_specimen){known, kept};
    return 0;
}

static int add_asked(struct validating *validating, const char *name, struct failure *failure)
{
    const struct catalogue *catalogue = validating->catalogue;
    const struct catalogue_specimen *known = catalogue_specimen(catalogue, name);
    if (known)
        return specimen_name_check(known, name, failure) < 0
                   ? -EINVAL
                   : add_specimen(validating, known, name);
    for (size_t i = 0; i < catalogue->absence_count; i++)
        if (strcmp(catalogue->absences[i].kind, "specimen") == 0 &&
            strcmp(catalogue->absences[i].name, name) == 0)
            return fail_with(failure, -ENODEV, "the specimen %s cannot run here: %s", name,
                             catalogue->absences[i].reason);
    return fail_with(failure, -EINVAL,
                     "there is no specimen '%.100s': `assay events --specimens` lists them", name);
}

/* Does the specimen depend on caches? On an emulated machine, which has none, such code says
 * nothing and takes long. */
static bool needs_caches(const struct catalogue_specimen *specimen)
{
    static const char *const keys[] = {"l1d", "l1i", "l2", "llc", "dtlb", "itlb"};
    AUTO_FREE char *words = strdup(specimen->parameters);
    char *rest = NULL;
    for (char *word = words ? strtok_r(words, " ", &rest) : NULL; word;
         word = strtok_r(NULL, " ", &rest))
        for (size_t i = 0; i < sizeof(keys) / sizeof(*keys); i++)
            if (strcmp(word, keys[i]) == 0)
                return true;
    return false;
}

static int add_known(struct validating *validating, const struct catalogue_specimen *specimen)
{
    if (strcmp(specimen->name, "null") == 0)
        return 0;
    if (!facts_get(validating->facts, "emulated") || !needs_caches(specimen))
        return add_specimen(validating, specimen, specimen->name);
    AUTO_TEXT struct text what = {0};
    text_printf(&what, "specimen %s", specimen->name);
    return skips_add(&validating->skips, text_string(&what),
                     "an emulated machine has no caches for it to miss", 0);
}

static int find_specimens(struct validating *validating, struct failure *failure)
{
    const struct catalogue *catalogue = validating->catalogue;
    const struct string_list *asked = &validating->options->specimen;
    int error = 0;
    validating->specimens =
        calloc(catalogue->specimen_count + asked->count + 1, sizeof(*validating->specimens));
    if (!validating->specimens)
        return -ENOMEM;
    for (size_t i = 0; i < asked->count && error == 0; i++)
        error = add_asked(validating, asked->items[i], failure);
    for (size_t i = 0; i < catalogue->specimen_count && !asked->count && error == 0; i++)
        error = add_known(validating, &catalogue->specimens[i]);
    for (size_t i = 0; i < catalogue->absence_count && error == 0; i++) {
        const struct catalogue_absence *absence = &catalogue->absences[i];
        AUTO_TEXT struct text what = {0};
        text_printf(&what, "%s %s", absence->kind, absence->name);
        if (strcmp(absence->kind, "specimen") == 0)
            error =
                skips_add(&validating->skips, text_string(&what), absence->reason, absence->error);
    }
    validating->study.specimens = validating->specimens;
    return error;
}

/* --- ways --- */

static enum pattern usual_pattern(const struct catalogue_path *path)
{
    static const enum pattern order[] = {PATTERN_AO, PATTERN_RR, PATTERN_AR, PATTERN_RO};
    for (size_t i = 0; i < sizeof(order) / sizeof(*order); i++)
        if (list_has(path->patterns, pattern_names[order[i]]))
            return order[i];
    return PATTERN_AO;
}

/* preferred where the list has it, else its first word. */
static const char *word_of(struct validating *validating, const char *list, const char *preferred)
{
    if (list_has(list, preferred))
        return keep_word(validating, preferred);
    AUTO_FREE char *first = strndup(list, strcspn(list, ","));
    return first ? keep_word(validating, first) : NULL;
}

/* Adds the path as a way, unless it is not here or cannot count for that source. */
static int add_way(struct validating *validating, struct validate_subject *subject,
                   const struct catalogue_path *path, const char *source)
{
    if (!path || !list_has(path->sources, source) || subject->way_count == VALIDATE_WAYS)
        return 0;
    for (size_t i = 0; i < subject->way_count; i++)
        if (strcmp(subject->ways[i].path, path->name) == 0)
            return 0;
    struct validate_way way = {.path = path->name,
                               .pattern = usual_pattern(path),
                               .opt = word_of(validating, path->opts, "O2"),
                               .link = word_of(validating, path->links, "static")};
    if (!way.opt || !way.link)
        return -ENOMEM;
    subject->ways[subject->way_count++] = way;
    return 0;
}

static int add_ways(struct validating *validating, struct validate_subject *subject,
                    const struct candidate *candidate)
{
    const struct catalogue *catalogue = validating->catalogue;
    const struct string_list *asked = &validating->options->path;
    const struct counted_event event = {candidate->name, candidate->kind, candidate->class};
    char source[SOURCE_NAME];
    int error = 0;
    source_of(&event, source);
    for (size_t i = 0; i < asked->count && error == 0; i++)
        error = add_way(validating, subject, catalogue_path(catalogue, asked->items[i]), source);
    if (asked->count || error < 0)
        return error;
    error = add_way(validating, subject, source_path(catalogue, source), source);
    if (error < 0 || strcmp(source, "perf_event") != 0)
        return error;
    error = add_way(validating, subject, catalogue_path(catalogue, "perf-syscall"), source);
    /* PAPI counts user code alone unless told otherwise, and has no breakpoints. */
    if (error == 0 && subject->user_code)
        error = add_way(validating, subject, catalogue_path(catalogue, "papi-low"), source);
    return error;
}

static int check_paths(struct validating *validating, struct failure *failure)
{
    const struct string_list *asked = &validating->options->path;
    for (size_t i = 0; i < asked->count; i++) {
        if (catalogue_path(validating->catalogue, asked->items[i]))
            continue;
        for (size_t j = 0; j < validating->catalogue->absence_count; j++) {
            const struct catalogue_absence *absence = &validating->catalogue->absences[j];
            if (strcmp(absence->kind, "path") == 0 && strcmp(absence->name, asked->items[i]) == 0)
                return fail_with(failure, -ENODEV, "the path %s is not to be had here: %s",
                                 asked->items[i], absence->reason);
        }
        return fail_with(failure, -EINVAL, "there is no path '%.60s'", asked->items[i]);
    }
    return 0;
}

/* --- CPUs --- */

/* The CPUs to measure on: that of --cpu; else, for an event of the CPU on a machine whose cores
 * differ ("cpu_core=0-7 cpu_atom=8-15"), one of each type, or the one whose PMU the event names. */
static void choose_cpus(const struct validating *validating, const struct candidate *candidate,
                        struct validate_subject *subject)
{
    const char *list = facts_get(validating->facts, "pmu.cpus");
    subject->cpus[0] = (int32_t)validating->options->cpu;
    subject->cpu_count = 1;
    if (subject->cpus[0] >= 0 || !list || !strchr(list, ' ') || !is_of_cpu(candidate->kind))
        return;
    size_t count = 0;
    for (const char *at = list; *at && count < VALIDATE_CORES;) {
        size_t word = strcspn(at, " "), name = strcspn(at, "= ");
        int cpu;
        if (name < word && isdigit((unsigned char)at[name + 1]) &&
            sscanf(at + name + 1, "%6d", &cpu) == 1) {
            if (strncmp(candidate->name, at, name) == 0 && candidate->name[name] == '/') {
                subject->cpus[0] = cpu;
                return;
            }
            subject->cpus[count++] = cpu;
        }
        at += word;
        at += strspn(at, " ");
    }
    subject->cpu_count = count ? count : 1;
}

/* --- events --- */

/* Why nothing can judge an event that opens; "" when something can. */
static void put_reason(const struct validating *validating, const struct candidate *candidate,
                       struct text *out)
{
    if (!candidate->class) {
        text_puts(out, "what it counts is not known: it has no class");
        return;
    }
    if (validate_primary(&validating->study, candidate->class) == VALIDATE_NO_SPECIMEN) {
        text_printf(out, "no specimen here predicts %s", candidate->class);
        return;
    }
    if (is_of_cpu(candidate->kind) && strcmp(candidate->kind, "papi") != 0 &&
        !event_counts_user_only(candidate->name)) {
        text_puts(out, "it also counts what the operating system executes, which nobody predicts");
        if (!event_mode(candidate->name))
            text_printf(out, ": with :u it can be judged");
    }
}

static int set_reason(struct candidate *candidate, const char *reason)
{
    char *copy = strdup(reason);
    if (!copy)
        return -ENOMEM;
    free(candidate->reason);
    candidate->reason = copy;
    return 0;
}

/* A software event or tracepoint with :u, whose plain name opens as well: that one is judged in
 * full, and here the mode alone is in question. */
static bool is_brief(const struct validating *validating, const struct candidate *candidate)
{
    size_t length = strlen(candidate->name);
    if ((strcmp(candidate->kind, "software") != 0 && strcmp(candidate->kind, "tracepoint") != 0) ||
        !event_counts_user_only(candidate->name) || length < 2)
        return false;
    for (size_t i = 0; i < validating->candidate_count; i++) {
        const struct candidate *other = &validating->candidates[i];
        if (!other->error && strlen(other->name) == length - 2 &&
            strncmp(other->name, candidate->name, length - 2) == 0)
            return true;
    }
    return false;
}

static int add_subject(struct validating *validating, struct candidate *candidate)
{
    AUTO_TEXT struct text reason = {0};
    put_reason(validating, candidate, &reason);
    if (reason.length)
        return set_reason(candidate, text_string(&reason));
    const struct counted_event event = {candidate->name, candidate->kind, candidate->class};
    bool source = strcmp(candidate->kind, "source") == 0, cpu = is_of_cpu(candidate->kind);
    struct validate_subject subject = {.name = candidate->name,
                                       .class = candidate->class,
                                       .user_code = cpu || source,
                                       .interrupts = cpu,
                                       .brief = is_brief(validating, candidate)};
    char name[SOURCE_NAME];
    source_of(&event, name);
    if (source)
        subject.runs =
            (uint32_t)(validating->options->runs.given ? (validating->options->runs.value + 1) / 2
                                                       : source_runs(validating->catalogue, name));
    choose_cpus(validating, candidate, &subject);
    int error = add_ways(validating, &subject, candidate);
    if (error < 0)
        return error;
    if (!subject.way_count) {
        source_put_paths(validating->catalogue, name, &reason);
        return set_reason(candidate, text_string(&reason));
    }
    validating->subjects[validating->study.subject_count++] = subject;
    return 0;
}

/* An event that counts interrupts, to be counted along where they may be miscounted. */
static const char *find_interrupts(struct validating *validating)
{
    static const char *const names[] = {"irq_vectors:local_timer_entry", "irq:irq_handler_entry"};
    bool wanted = false;
    for (size_t i = 0; i < validating->study.subject_count; i++)
        wanted |= validating->subjects[i].interrupts;
    for (size_t i = 0; wanted && i < sizeof(names) / sizeof(*names); i++) {
        struct listed_event event;
        struct failure ignored = {0};
        if (session_try_event(validating->session, names[i], &event, &ignored) == 0 &&
            event.openable)
            return names[i];
    }
    return NULL;
}

static int prepare(struct validating *validating, struct failure *failure)
{
    int error = check_paths(validating, failure);
    if (error == 0)
        error = find_specimens(validating, failure);
    validating->subjects = calloc(validating->candidate_count + 1, sizeof(*validating->subjects));
    if (error == 0 && !validating->subjects)
        error = -ENOMEM;
    validating->study.subjects = validating->subjects;
    for (size_t i = 0; i < validating->candidate_count && error == 0; i++)
        if (!validating->candidates[i].error)
            error = add_subject(validating, &validating->candidates[i]);
    if (error == 0)
        validating->study.interrupts = find_interrupts(validating);
    validating->study.full = validating->options->full;
    if (validating->options->runs.given)
        validating->study.runs = (uint32_t)validating->options->runs.value;
    return error;
}

int validate_prepare(struct validating *validating)
{
    struct failure failure = {0};
    int error = prepare(validating, &failure);
    if (error == 0)
        return EXIT_DONE;
    if (!failure.text[0])
        return validate_out_of_memory();
    return validate_fail(&failure, error == -EINVAL   ? EXIT_USAGE
                                   : error == -ENODEV ? EXIT_LACKING
                                                      : EXIT_FAILED);
}
