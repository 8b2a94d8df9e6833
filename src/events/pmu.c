/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: MIT
 *
 * Events of the PMUs that sysfs describes: pmu/term=…,alias/modifiers, and the core PMU's aliases
 * without the slashes. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "events/form.h"
#include "events/suggest.h"

int pmu_type(const struct event_view *view, const char *pmu, uint32_t *type)
{
    char text[32];
    uint64_t number;
    if (!event_is_component(pmu, strlen(pmu)) ||
        view_read_text(view, text, sizeof(text), PMU_FOLDER "/%s/type", pmu) < 0 ||
        !event_parse_number(text, &number) || number > UINT32_MAX)
        return -ENOENT;
    *type = (uint32_t)number;
    return 0;
}

/* Core PMUs say in `cpus` which CPUs they belong to (uncore ones use `cpumask`); x86's one PMU for
 * all cores is called cpu (s390: cpum_cf) and says nothing. */
bool pmu_is_core(const struct event_view *view, const char *pmu)
{
    return strcmp(pmu, "cpu") == 0 || strcmp(pmu, "cpum_cf") == 0 ||
           view_exists(view, PMU_FOLDER "/%s/cpus", pmu);
}

bool pmu_is_alias(const char *file)
{
    static const char *const companions[] = {".unit", ".scale", ".snapshot", ".per-pkg"};
    size_t length = strlen(file);
    for (size_t i = 0; i < sizeof(companions) / sizeof(companions[0]); i++) {
        size_t suffix = strlen(companions[i]);
        if (length > suffix && strcmp(file + length - suffix, companions[i]) == 0)
            return false;
    }
    return event_is_component(file, length);
}

struct pmu_gathering {
    const struct event_view *view;
    struct text list;
    struct suggestions suggestions;
};

static int gather_pmu(void *context, const char *name)
{
    struct pmu_gathering *gathering = context;
    text_printf(&gathering->list, "%s%s", gathering->list.length ? ", " : "", name);
    suggest_consider(&gathering->suggestions, name);
    return 0;
}

static int unknown_pmu(const struct event_view *view, const char *pmu, struct failure *failure)
{
    struct pmu_gathering gathering = {.view = view, .suggestions = {.wanted = pmu}};
    view_each_entry(view, PMU_FOLDER, gather_pmu, &gathering);
    for (const struct event_source *source = view->sources; source && source->name; source++)
        suggest_consider(&gathering.suggestions, source->name);
    char sentence[512];
    suggest_sentence(&gathering.suggestions, sentence, sizeof(sentence));
    fail_with(failure, -ENOENT, "this machine has no PMU \"%s\", only: %.300s%s%s", pmu,
              gathering.list.length ? text_string(&gathering.list) : "none", sentence,
              strcmp(pmu, "cpu") == 0 ? " (`assay doctor` says why there is no hardware PMU)" : "");
    text_free(&gathering.list);
    return -ENOENT;
}

static bool pmu_fits(const struct event_view *view, const char *name)
{
    (void)view;
    return strchr(name, '/') != NULL;
}

static int pmu_resolve(const struct event_view *view, const char *name, struct event *event,
                       struct failure *failure)
{
    char parts[EVENT_NAME_MAX + 1];
    strcpy(parts, name);
    char *terms = strchr(parts, '/');
    *terms++ = '\0';
    char *modifiers = strchr(terms, '/');
    if (!modifiers)
        return fail_with(failure, -EINVAL, "\"%s\" lacks its closing slash: write pmu/…/", name);
    *modifiers++ = '\0';
    if (!event_is_component(parts, strlen(parts)))
        return fail_with(failure, -EINVAL,
                         "\"%s\" does not begin with the name of a PMU: write pmu/term=value,…/",
                         name);
    uint32_t type;
    if (pmu_type(view, parts, &type) < 0)
        return unknown_pmu(view, parts, failure);
    event->kind = EVENT_PMU;
    event->attr.type = type;
    int error = pmu_apply_terms(view, parts, terms, event, failure);
    if (error < 0)
        return error;
    if (event->attr.type != type && strchr(terms, ','))
        return fail_with(failure, -EINVAL, "\"%s\": a generic event stands alone in its slashes",
                         name);
    if (!*modifiers)
        return 0;
    return event_apply_modifiers(modifiers + (*modifiers == ':'), name, &event->attr, failure);
}

const struct event_form event_form_pmu = {pmu_fits, pmu_resolve};

/* --- a core PMU's alias written bare: "mem-loads" for cpu/mem-loads/ --- */

struct alias_search {
    const struct event_view *view;
    char alias[256];
    char pmu[256]; /* "": none has it so far */
};

/* Of several core types the one that generic names and raw codes count on (x86: it has their
 * number), so that all bare names mean the same cores; else the first. */
static int find_alias(void *context, const char *pmu)
{
    struct alias_search *search = context;
    uint32_t type;
    if (!pmu_is_core(search->view, pmu) || strlen(pmu) >= sizeof(search->pmu) ||
        !view_exists(search->view, PMU_FOLDER "/%s/events/%s", pmu, search->alias))
        return 0;
    bool preferred = pmu_type(search->view, pmu, &type) == 0 && type == PERF_TYPE_RAW;
    if (preferred || !search->pmu[0])
        strcpy(search->pmu, pmu);
    return preferred;
}

static bool search_alias(const struct event_view *view, const char *name,
                         struct alias_search *search)
{
    size_t length = strcspn(name, ":");
    *search = (struct alias_search){.view = view};
    if (length >= sizeof(search->alias))
        return false;
    memcpy(search->alias, name, length);
    if (!pmu_is_alias(search->alias))
        return false;
    view_each_entry(view, PMU_FOLDER, find_alias, search);
    return search->pmu[0] != '\0';
}

static bool alias_fits(const struct event_view *view, const char *name)
{
    struct alias_search search;
    return search_alias(view, name, &search);
}

static int alias_resolve(const struct event_view *view, const char *name, struct event *event,
                         struct failure *failure)
{
    struct alias_search search;
    char full[2 * 256 + EVENT_NAME_MAX + 8];
    if (!search_alias(view, name, &search))
        return -ENOENT;
    snprintf(full, sizeof(full), "%s/%s/%s", search.pmu, search.alias, name + strcspn(name, ":"));
    if (strlen(full) > EVENT_NAME_MAX)
        return fail_with(failure, -EINVAL, "\"%s\" is too long", name);
    return pmu_resolve(view, full, event, failure);
}

const struct event_form event_form_alias = {alias_fits, alias_resolve};
