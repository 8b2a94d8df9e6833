/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: MIT
 *
 * What stands between the slashes of pmu/…/: fields from the PMU's format files, whole words
 * (config=…), raw codes, and the PMU's own aliases, applied from left to right. */
#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "events/form.h"
#include "events/suggest.h"

#define TERMS_MAX 1024 /* bytes in an alias file or between the slashes */

struct term {
    const char *name;
    const char *value; /* NULL: none was written */
};

struct term_context {
    const struct event_view *view;
    const char *pmu;
    struct event *event;
    bool inside_alias; /* an alias cannot name another one */
    struct failure *failure;
};

/* Words perf understands between the slashes that mean something else than an event. */
static const struct {
    const char *name, *reason;
} refused[] = {
    {"period", "it makes samples, and assay counts"},
    {"freq", "it makes samples, and assay counts"},
    {"call-graph", "it makes samples, and assay counts"},
    {"stack-size", "it makes samples, and assay counts"},
    {"branch_type", "it makes samples, and assay counts"},
    {"aux-output", "it makes samples, and assay counts"},
    {"time", "it makes samples, and assay counts"},
    {"name", "the event keeps the name you write"},
    {"metric-id", "it belongs to perf's metrics"},
    {"percore", "it is perf's way of summing CPUs; assay counts one thread"},
    {"inherit", "whether children count is the caller's choice, not the event's"},
    {"no-inherit", "whether children count is the caller's choice, not the event's"},
};

static int refuse_perf_word(const struct term_context *context, const char *name)
{
    for (size_t i = 0; i < sizeof(refused) / sizeof(refused[0]); i++) {
        if (strcmp(name, refused[i].name) == 0)
            return fail_with(context->failure, -EINVAL, "term \"%s\" is not taken: %s", name,
                             refused[i].reason);
    }
    return 0;
}

static int consider_file(void *suggestions, const char *name)
{
    if (pmu_is_alias(name))
        suggest_consider(suggestions, name);
    return 0;
}

static int unknown_term(const struct term_context *context, const char *name)
{
    char folder[PATH_MAX];
    struct suggestions suggestions = {.wanted = name};
    snprintf(folder, sizeof(folder), PMU_FOLDER "/%s/events", context->pmu);
    view_each_entry(context->view, folder, consider_file, &suggestions);
    snprintf(folder, sizeof(folder), PMU_FOLDER "/%s/format", context->pmu);
    view_each_entry(context->view, folder, consider_file, &suggestions);
    char sentence[512];
    suggest_sentence(&suggestions, sentence, sizeof(sentence));
    return fail_with(context->failure, -ENOENT,
                     "PMU %s has neither a field nor an event called \"%s\"%s%s", context->pmu,
                     name, sentence,
                     sentence[0] ? "" : ": see its format and events folders in sysfs");
}

/* Sets a field to the term's value; a field without a value is a flag and becomes 1. */
static int set_field(const struct term_context *context, const struct pmu_field *field,
                     const struct term *term)
{
    uint64_t value = 1;
    if (term->value && strcmp(term->value, "?") == 0)
        return fail_with(context->failure, -EINVAL,
                         "this event of PMU %s leaves \"%s\" open: write it as a list of fields "
                         "and give the number",
                         context->pmu, term->name);
    if (term->value && !event_parse_number(term->value, &value))
        return fail_with(context->failure, -EINVAL,
                         "\"%s=%s\": the value must be a 64-bit number, decimal or 0x hexadecimal",
                         term->name, term->value);
    int error = pmu_field_set(field, value, &context->event->attr);
    if (error == -ERANGE)
        return fail_with(context->failure, -EINVAL,
                         "%s=0x%" PRIx64 " does not fit: the field has %d bits on PMU %s",
                         term->name, value, __builtin_popcountll(field->mask), context->pmu);
    if (error == -ENOTSUP)
        return fail_with(context->failure, -EINVAL,
                         "\"%s\" lies in config3, which the headers of this build do not know: "
                         "build on Linux headers 6.3 or later",
                         term->name);
    return error;
}

/* config, config1 …: a whole word as one field. */
static bool whole_word(const char *name, struct pmu_field *field)
{
    static const char *const words[] = {"config", "config1", "config2", "config3"};
    for (unsigned i = 0; i < 4; i++) {
        if (strcmp(name, words[i]) == 0) {
            *field = (struct pmu_field){i, ~0ull};
            return true;
        }
    }
    return false;
}

static bool raw_code(const struct term *term, uint64_t *code)
{
    size_t digits = strspn(term->name + 1, "0123456789abcdefABCDEF");
    if (term->value || term->name[0] != 'r' || digits == 0 || digits > 16 || term->name[1 + digits])
        return false;
    *code = strtoull(term->name + 1, NULL, 16);
    return true;
}

static int apply_list(struct term_context *context, char *list);

/* 1 when the PMU has such an alias and it was applied, 0 when not, negative errno. */
static int apply_alias(struct term_context *context, const struct term *term)
{
    char terms[TERMS_MAX];
    if (term->value || context->inside_alias || !pmu_is_alias(term->name))
        return 0;
    int error = view_read_text(context->view, terms, sizeof(terms), PMU_FOLDER "/%s/events/%s",
                               context->pmu, term->name);
    if (error < 0)
        return error == -ENOENT || error == -ENOTDIR ? 0
               : error == -EACCES
                   ? fail_with(context->failure, -EACCES,
                               "the description of %s/%s/ in sysfs may not be read: run as root, "
                               "or write its fields yourself",
                               context->pmu, term->name)
                   : error;
    context->inside_alias = true;
    error = apply_list(context, terms);
    context->inside_alias = false;
    return error < 0 ? error : 1;
}

/* cpu_atom/instructions/: a generic event on one type of cores. The operating system takes the
 * PMU's number in the upper half of config. The one PMU of all cores goes without: before Linux
 * 5.13 a number there is an error. */
static int apply_generic(struct term_context *context, const struct term *term)
{
    struct generic_event found;
    uint32_t type;
    if (term->value || context->inside_alias || !pmu_is_core(context->view, context->pmu) ||
        !generic_find(term->name, strlen(term->name), &found) || found.type == PERF_TYPE_SOFTWARE)
        return 0;
    int error = pmu_type(context->view, context->pmu, &type);
    if (error < 0)
        return error;
    context->event->attr.type = found.type;
    context->event->attr.config = found.config;
    if (strcmp(context->pmu, "cpu") != 0)
        context->event->attr.config |= (uint64_t)type << 32;
    return 1;
}

static int apply_term(struct term_context *context, const struct term *term)
{
    struct pmu_field field;
    uint64_t code;
    if (whole_word(term->name, &field)) {
        if (!term->value)
            return fail_with(context->failure, -EINVAL, "\"%s\" needs a value: %s=0x…", term->name,
                             term->name);
        return set_field(context, &field, term);
    }
    int error = pmu_field_find(context->view, context->pmu, term->name, &field);
    if (error == 0)
        return set_field(context, &field, term);
    if (error != -ENOENT)
        return fail_with(context->failure, -EINVAL,
                         "the format of \"%s\" on PMU %s in sysfs cannot be understood", term->name,
                         context->pmu);
    error = apply_alias(context, term);
    if (error == 0)
        error = apply_generic(context, term);
    if (error)
        return error < 0 ? error : 0;
    if (raw_code(term, &code)) {
        context->event->attr.config |= code;
        return 0;
    }
    error = refuse_perf_word(context, term->name);
    return error < 0 ? error : unknown_term(context, term->name);
}

/* Splits the list in place at commas and '='. */
static int apply_list(struct term_context *context, char *list)
{
    for (char *next = list; next;) {
        char *name = next;
        next = strchr(name, ',');
        if (next)
            *next++ = '\0';
        char *value = strchr(name, '=');
        if (value)
            *value++ = '\0';
        if (!*name || (value && !*value))
            return fail_with(context->failure, -EINVAL,
                             "a term of PMU %s is empty: write pmu/name=value,…/", context->pmu);
        int error = apply_term(context, &(struct term){name, value});
        if (error < 0)
            return error;
    }
    return 0;
}

int pmu_apply_terms(const struct event_view *view, const char *pmu, const char *terms,
                    struct event *event, struct failure *failure)
{
    char list[TERMS_MAX];
    struct term_context context = {view, pmu, event, false, failure};
    if (strlen(terms) >= sizeof(list))
        return fail_with(failure, -EINVAL, "too many terms for PMU %s", pmu);
    strcpy(list, terms);
    return *list ? apply_list(&context, list) : 0;
}
