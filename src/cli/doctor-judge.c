/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What the checks say of a machine's facts, and both as JSON: for the doctor, and for reports of
 * machines that were measured. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "commands/doctor.h"
#include "machine/errno-name.h"
#include "output/json.h"

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

int findings_judge(const struct facts *facts, int count, char **names, struct findings *findings)
{
    size_t registered = 0;
    while (check_registry[registered])
        registered++;
    findings->list = calloc(registered + 1, sizeof(*findings->list));
    struct advice *advices = calloc(registered + 1, sizeof(*advices));
    if (!findings->list || !advices) {
        free(advices);
        return -ENOMEM;
    }
    for (size_t i = 0; i < registered; i++)
        check_judge(check_registry[i], facts, &advices[i]);
    for (int wanted = 0; wanted < 4; wanted++)
        for (size_t i = 0; i < registered; i++)
            if (urgency[advices[i].status] == wanted && asked_for(check_registry[i], count, names))
                findings->list[findings->count++] =
                    (struct finding){.check = check_registry[i], .advice = advices[i]};
    free(advices);
    return 0;
}

json_t *findings_json(const struct findings *findings)
{
    json_t *results = json_array();
    for (size_t i = 0; i < findings->count; i++) {
        const struct advice *advice = &findings->list[i].advice;
        json_t *result = json_object();
        json_object_set_new(result, "check", json_text(findings->list[i].check->name));
        json_object_set_new(result, "status", json_text(check_status_names[advice->status]));
        json_object_set_new(result, "value", json_text(advice->value));
        json_object_set_new(result, "why", json_text(advice->why));
        json_object_set_new(result, "fix", json_text(advice->fix));
        json_array_append_new(results, result);
    }
    return results;
}

json_t *facts_json(const struct facts *facts)
{
    json_t *values = json_object();
    json_t *errors = json_object();
    for (size_t i = 0; i < facts->count; i++) {
        const struct fact *fact = &facts->list[i];
        char name[16];
        json_object_set_new(values, fact->key, json_text(fact->value));
        if (!fact->value)
            json_object_set_new(errors, fact->key,
                                json_text(errno_name(fact->error, name, sizeof(name))));
    }
    json_t *analysis = json_object();
    json_object_set_new(analysis, "facts", values);
    json_object_set_new(analysis, "absent", errors);
    return analysis;
}
