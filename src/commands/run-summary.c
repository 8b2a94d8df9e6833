/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The summary as data: from every part's results and analysis the few things that one acts upon. */
#include "cli/run-summary.h"

#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "output/json.h"

static const char *text_of(const json_t *object, const char *key)
{
    return json_string_value(json_object_get(object, key));
}

static bool is_text(const json_t *object, const char *key, const char *value)
{
    const char *text = text_of(object, key);
    return text && strcmp(text, value) == 0;
}

/* The first section of a command; NULL: there is none. */
static const json_t *section_of(const json_t *report, const char *command)
{
    const json_t *section;
    size_t i;
    json_array_foreach(json_object_get(report, "sections"), i, section)
    {
        if (is_text(section, "command", command))
            return section;
    }
    return NULL;
}

static void count_up(json_t *object, const char *key)
{
    json_int_t before = json_integer_value(json_object_get(object, key));
    if (key)
        json_object_set_new(object, key, json_integer(before + 1));
}

/* Some members as they are. */
static json_t *picked(const json_t *from, const char *const *keys)
{
    json_t *object = json_object();
    for (; *keys; keys++) {
        json_t *value = json_object_get(from, *keys);
        if (value)
            json_object_set(object, *keys, value);
    }
    return object;
}

/* --- doctor --- */

static json_t *doctor(const json_t *report)
{
    const json_t *machine = json_array_get(json_object_get(report, "machines"), 0);
    const json_t *checks = json_object_get(machine, "doctor"), *check;
    static const char *const keys[] = {"check", "fix", NULL};
    json_t *statuses = json_object(), *first = NULL;
    size_t i;
    if (!json_is_array(checks)) {
        json_decref(statuses);
        return json_null();
    }
    json_array_foreach(checks, i, check)
    {
        const char *fix = text_of(check, "fix");
        count_up(statuses, text_of(check, "status"));
        bool amiss = is_text(check, "status", "bad") || is_text(check, "status", "warn");
        if (!first && amiss && fix && *fix)
            first = picked(check, keys);
    }
    json_t *object = json_object();
    json_object_set_new(object, "statuses", statuses);
    json_object_set_new(object, "first", first ? first : json_null());
    return object;
}

/* --- trust --- */

static bool has_member(const json_t *list, const char *name, size_t length)
{
    const json_t *member;
    size_t i;
    json_array_foreach(list, i, member)
    {
        const char *text = json_string_value(member);
        if (text && strncmp(text, name, length) == 0 && !text[length])
            return true;
    }
    return false;
}

/* NAME and NAME:u of one verdict are NAME[:u]. */
static json_t *folded(const json_t *names)
{
    json_t *list = json_array();
    const json_t *name;
    size_t i;
    json_array_foreach(names, i, name)
    {
        const char *text = json_string_value(name);
        size_t length = strlen(text);
        bool user = length > 2 && strcmp(text + length - 2, ":u") == 0;
        if (user && has_member(names, text, length - 2))
            continue;
        AUTO_TEXT struct text both = {0};
        text_printf(&both, "%s:u", text);
        bool folds = has_member(names, text_string(&both), both.length);
        text_clear(&both);
        text_printf(&both, "%s%s", text, folds ? "[:u]" : "");
        json_array_append_new(list, json_text(text_string(&both)));
    }
    return list;
}

static json_t *trust(const json_t *report)
{
    const json_t *section = section_of(report, "validate"), *event;
    const json_t *events = json_object_get(json_object_get(section, "analysis"), "events");
    if (!json_is_array(events))
        return json_null();
    json_t *object = json_object(), *verdicts = json_object(), *names = json_object();
    size_t i;
    json_array_foreach(events, i, event)
    {
        const char *verdict = text_of(event, "verdict"), *name = text_of(event, "event");
        if (!verdict || !name)
            continue;
        count_up(verdicts, verdict);
        if (!json_object_get(names, verdict))
            json_object_set_new(names, verdict, json_array());
        json_array_append_new(json_object_get(names, verdict), json_text(name));
    }
    const char *verdict;
    json_t *list;
    json_object_foreach(names, verdict, list)
    {
        json_object_set_new(names, verdict, folded(list));
    }
    json_object_set_new(object, "events", json_integer((json_int_t)json_array_size(events)));
    json_object_set_new(object, "verdicts", verdicts);
    json_object_set_new(object, "names", names);
    return object;
}

/* --- paths, calls --- */

/* Of each event the path and pattern that adds least. */
static json_t *paths(const json_t *report)
{
    static const char *const keys[] = {"mode",     "event",   "path", "pattern",
                                       "subtract", "stepped", NULL};
    const json_t *section = section_of(report, "error"), *best;
    const json_t *all = json_object_get(json_object_get(section, "analysis"), "best");
    if (!json_is_array(all))
        return json_null();
    json_t *list = json_array();
    size_t i;
    json_array_foreach(all, i, best)
    {
        if (json_is_true(json_object_get(best, "overall")))
            json_array_append_new(list, picked(best, keys));
    }
    return list;
}

/* What overhead advises, as it says it. */
static json_t *calls(const json_t *report)
{
    const json_t *section = section_of(report, "overhead"), *advice;
    const json_t *all = json_object_get(json_object_get(section, "analysis"), "advice");
    if (!json_is_array(all))
        return json_null();
    json_t *list = json_array();
    size_t i;
    json_array_foreach(all, i, advice)
    {
        json_array_append_new(list, json_text(text_of(advice, "text")));
    }
    return list;
}

/* --- clocks --- */

static const json_t *clock_named(const json_t *all, const char *name, size_t length)
{
    const json_t *clock;
    size_t i;
    json_array_foreach(all, i, clock)
    {
        const char *text = text_of(clock, "clock");
        if (text && strlen(text) == length && strncmp(text, name, length) == 0)
            return clock;
    }
    return NULL;
}

/* "Short regions: tsc. A reading takes …" -> {"for": "short regions", "clock": "tsc"}; NULL: it is
 * about no clock. */
static json_t *chosen_clock(const json_t *all, const char *advice)
{
    const char *colon = advice ? strstr(advice, ": ") : NULL;
    size_t length = colon ? strcspn(colon + 2, " ,.;(") : 0;
    if (!colon || !clock_named(all, colon + 2, length))
        return NULL;
    json_t *object = json_object();
    json_object_set_new(object, "for", json_stringn(advice, (size_t)(colon - advice)));
    json_object_set_new(object, "clock", json_stringn(colon + 2, length));
    return object;
}

static json_t *clocks(const json_t *report)
{
    const json_t *analysis = json_object_get(section_of(report, "clocks"), "analysis");
    const json_t *all = json_object_get(analysis, "clocks"), *member;
    if (!json_is_array(all))
        return json_null();
    json_t *object = json_object(), *use = json_array(), *avoid = json_array();
    size_t i;
    json_array_foreach(json_object_get(analysis, "advice"), i, member)
    {
        json_t *chosen = chosen_clock(all, text_of(member, "text"));
        if (chosen)
            json_array_append_new(use, chosen);
    }
    json_array_foreach(all, i, member)
    {
        if (is_text(member, "trust", "not dependable"))
            json_array_append_new(avoid, json_text(text_of(member, "clock")));
    }
    json_object_set_new(object, "use", use);
    json_object_set_new(object, "avoid", avoid);
    return object;
}

/* --- caches, variation --- */

static json_t *caches(const json_t *report)
{
    static const char *const keys[] = {
        "level", "type", "claimed_bytes", "measured_bytes", "low_bytes", "high_bytes", NULL};
    const json_t *all = json_object_get(section_of(report, "caches"), "results"), *row;
    if (!json_is_array(all))
        return json_null();
    json_t *list = json_array();
    size_t i;
    json_array_foreach(all, i, row)
    {
        const char *type = text_of(row, "type");
        if (type && strncmp(type, "tlb", 3) != 0)
            json_array_append_new(list, picked(row, keys));
    }
    return list;
}

/* The count that varies most under a setting: of which program and event, and by how much. */
static void put_worst(json_t *object, const json_t *effects, const char *setting, const char *key)
{
    const json_t *effect, *worst = NULL;
    size_t i;
    json_array_foreach(effects, i, effect)
    {
        const json_t *percent = json_object_get(effect, key);
        if (json_is_number(percent) &&
            (!worst || json_number_value(percent) > json_number_value(json_object_get(worst, key))))
            worst = effect;
    }
    static const char *const keys[] = {"program", "event", NULL};
    json_t *most = worst ? picked(worst, keys) : json_null();
    if (worst)
        json_object_set(most, "cv_percent", json_object_get(worst, key));
    json_object_set_new(object, setting, most);
}

static json_t *variation(const json_t *report)
{
    const json_t *analysis = json_object_get(section_of(report, "repeat"), "analysis");
    const json_t *programs = json_object_get(analysis, "programs");
    if (!json_is_array(programs))
        return json_null();
    json_t *object = json_object();
    json_object_set_new(object, "programs", json_integer((json_int_t)json_array_size(programs)));
    const json_t *effects = json_object_get(analysis, "effects");
    put_worst(object, effects, "as_is", "as_is_cv_percent");
    put_worst(object, effects, "controlled", "controlled_cv_percent");
    return object;
}

/* --- findings --- */

static json_t *findings(const json_t *report)
{
    const json_t *section, *finding;
    json_t *object = json_object(), *verdicts = json_object();
    json_int_t total = 0;
    size_t i, j;
    json_array_foreach(json_object_get(report, "sections"), i, section)
    {
        json_array_foreach(json_object_get(section, "findings"), j, finding)
        {
            count_up(verdicts, text_of(finding, "verdict"));
            total++;
        }
    }
    json_object_set_new(object, "total", json_integer(total));
    json_object_set_new(object, "verdicts", verdicts);
    return object;
}

json_t *run_summary(const json_t *report)
{
    json_t *summary = json_object();
    json_object_set_new(summary, "doctor", doctor(report));
    json_object_set_new(summary, "trust", trust(report));
    json_object_set_new(summary, "paths", paths(report));
    json_object_set_new(summary, "calls", calls(report));
    json_object_set_new(summary, "clocks", clocks(report));
    json_object_set_new(summary, "caches", caches(report));
    json_object_set_new(summary, "variation", variation(report));
    json_object_set_new(summary, "findings", findings(report));
    return summary;
}
