/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Collects what fails a gate, and says it. */
#include "cli/gate.h"

#include "base/text.h"
#include "engine/command.h"
#include "cli/deliver.h"
#include "output/json.h"

#define NAMES_SHOWN 12u /* the envelope has them all */

void gate_fail(struct gate *gate, const char *name, const char *why)
{
    json_t *failure = json_object();
    gate->count++;
    if (!gate->failed)
        gate->failed = json_array();
    json_object_set_new(failure, "name", json_text(name));
    json_object_set_new(failure, "why", json_text(why));
    json_array_append_new(gate->failed, failure);
}

static void say_failed(const struct gate *gate, const char *command)
{
    AUTO_TEXT struct text words = {0};
    text_puts(&words, "--fail-on: ");
    for (size_t i = 0; i < json_array_size(gate->failed) && i < NAMES_SHOWN; i++) {
        const json_t *failure = json_array_get(gate->failed, i);
        text_printf(&words, "%s%s (%s)", i ? ", " : "", json_word(failure, "name"),
                    json_word(failure, "why"));
    }
    if (gate->count > NAMES_SHOWN)
        text_printf(&words, " and %zu more (--json names them all)", gate->count - NAMES_SHOWN);
    deliver_message(command, text_string(&words));
}

int gate_close(const struct gate *gate, const char *command, int status)
{
    if (!gate || !gate->asked || (status != EXIT_LACKING && (status != EXIT_DONE || !gate->count)))
        return status;
    if (gate->count)
        say_failed(gate, command);
    return EXIT_VERDICT;
}

json_t *gate_json(const struct gate *gate)
{
    if (!gate || !gate->asked)
        return NULL;
    json_t *object = json_object();
    json_object_set_new(object, "failed", gate->failed ? json_incref(gate->failed) : json_array());
    return object;
}

void gate_release(struct gate *gate)
{
    json_decref(gate->failed);
    gate->failed = NULL;
}
