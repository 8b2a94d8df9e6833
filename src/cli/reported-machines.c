/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The machines of a report: what each said of itself when it was measured, and what the doctor says
 * of that. */
#include <stdlib.h>
#include <string.h>

#include "commands/doctor.h"
#include "commands/reported.h"
#include "output/json.h"
#include "store/store.h"

/* Keys of a machine beyond those of every envelope: label, sentence, facts, absent, doctor. */
#define OWN_KEYS 5

void reported_machine_label(size_t number, char label[8])
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

static const char *fingerprint_of(const struct reported *reported, size_t run)
{
    const char *fingerprint = reported->list[run].run->fingerprint;
    return fingerprint ? fingerprint : "";
}

/* The first run of the same machine. */
static size_t first_of(const struct reported *reported, size_t run)
{
    size_t first = 0;
    while (strcmp(fingerprint_of(reported, first), fingerprint_of(reported, run)) != 0)
        first++;
    return first;
}

size_t reported_machine_of(const struct reported *reported, size_t run)
{
    size_t number = 0, first = first_of(reported, run);
    for (size_t i = 0; i < first; i++)
        number += first_of(reported, i) == i;
    return number;
}

/* A store that cannot be read any more has none: its section says why. */
static void read_facts(const struct listed_run *run, struct facts *facts)
{
    struct failure unread = {0};
    struct store *store = NULL;
    if (store_open(&store, run->name, false, &unread) == 0)
        (void)store_facts(store, facts, &unread);
    store_close(store);
}

static json_t *doctor_json(const struct facts *facts)
{
    struct findings findings = {0};
    json_t *list = findings_judge(facts, 0, NULL, &findings) < 0 ? NULL : findings_json(&findings);
    free(findings.list);
    return list;
}

json_t *reported_machine_json(const struct listed_run *run, size_t number)
{
    AUTO_FACTS struct facts facts = {0};
    AUTO_TEXT struct text sentence = {0};
    char label[8];
    reported_machine_label(number, label);
    read_facts(run, &facts);
    machine_sentence(&facts, &sentence);
    json_t *machine = json_machine(&facts, run->fingerprint);
    size_t keys = json_object_size(machine) + OWN_KEYS;
    json_t *told = facts_json(&facts);
    json_object_set_new(machine, "label", json_string(label));
    json_object_set_new(machine, "sentence", json_text(text_string(&sentence)));
    json_object_update(machine, told);
    json_object_set_new(machine, "doctor", doctor_json(&facts));
    json_decref(told);
    if (json_object_size(machine) == keys)
        return machine;
    json_decref(machine);
    return NULL;
}

json_t *reported_machines_json(const struct reported *reported)
{
    json_t *machines = json_array();
    size_t wanted = 0;
    for (size_t i = 0; i < reported->count; i++)
        if (first_of(reported, i) == i)
            json_array_append_new(machines, reported_machine_json(reported->list[i].run, wanted++));
    if (json_array_size(machines) == wanted)
        return machines;
    json_decref(machines);
    return NULL;
}
