/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Why a claim about overhead cannot be tested here, in words for people: the machine's own reason
 * for the operation that is missing. */
#include <stdio.h>
#include <string.h>

#include "engine/findings.h"
#include "judge/overhead/findings.h"

/* An absence may name the operation ("perf-user.read"), its path, or the path with more behind it.
 * The closest name wins. */
static size_t closeness(const char *what, const char *operation)
{
    size_t path = strcspn(operation, ".");
    if (strcmp(what, operation) == 0)
        return 3;
    if (strncmp(what, operation, path) != 0)
        return 0;
    return what[path] == '\0' ? 2 : what[path] == '.' || what[path] == ' ';
}

static const char *absence_of(const struct overhead_facts *facts, const char *operation)
{
    const struct overhead_absence *closest = NULL;
    size_t most = 0;
    for (size_t i = 0; i < facts->file->absence_count; i++) {
        const struct overhead_absence *absence = &facts->file->absences[i];
        size_t close = absence->what ? closeness(absence->what, operation) : 0;
        if (close > most) {
            most = close;
            closest = absence;
        }
    }
    return closest ? closest->reason : NULL;
}

static bool calls(const struct overhead_facts *facts, const struct overhead_tour *tour,
                  const char *operation)
{
    int index = overhead_operation_index(facts->file, operation);
    for (size_t i = 0; index >= 0 && i < tour->length; i++)
        if (tour->calls[i] == (uint32_t)index)
            return true;
    return false;
}

/* Why processes that should have called it failed. */
static const char *failure_of(const struct overhead_facts *facts, const char *operation)
{
    for (size_t i = 0; i < facts->file->tour_count; i++) {
        const struct overhead_tour *tour = &facts->file->tours[i];
        if (tour->machine == facts->machine && tour->failed && tour->reason &&
            calls(facts, tour, operation))
            return tour->reason;
    }
    return NULL;
}

/* The first sentence of a reason, up to a whole word; what follows is advice. */
static void put_sentence(const char *reason, char *words, size_t size)
{
    int length = reason_first_sentence(reason);
    int most = (int)size - 5;
    bool cut = length > most || reason[length];
    if (cut && strncmp(reason + length, ". ", 2) == 0)
        cut = false;
    if (length > most)
        length = most;
    while (cut && length > 0 && reason[length] != ' ')
        length--;
    while (length > 0 && (reason[length - 1] == '.' || reason[length - 1] == ' '))
        length--;
    snprintf(words, size, "%.*s%s", length, reason, cut ? " ..." : "");
}

void why_not_called(const struct overhead_facts *facts, const char *operation, char *why,
                    size_t size)
{
    char sentence[280];
    const char *reason = absence_of(facts, operation);
    const char *verb = "cannot be called here";
    if (!reason) {
        reason = failure_of(facts, operation);
        verb = "failed";
    }
    if (!reason) {
        snprintf(why, size, "%.60s was not measured", operation);
        return;
    }
    put_sentence(reason, sentence, sizeof(sentence));
    snprintf(why, size, "%.60s %s: %s", operation, verb,
             sentence[0] ? sentence : "no reason was given");
}

void tell_absent(const struct overhead_facts *facts, const char *operation, struct finding *finding)
{
    char why[WHY_SIZE];
    if (!facts->has_unit) {
        finding_clause(finding, "no call was metered in %s of this machine",
                       meter_unit_names[facts->unit]);
        return;
    }
    why_not_called(facts, operation, why, sizeof(why));
    finding_clause(finding, "%s", why);
}
