/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: MIT
 *
 * The letters behind a name: which processor modes count, and how the counter is scheduled. perf's
 * letters mean what they mean there; those that only make sense for sampling are refused by name.
 */
#include <errno.h>
#include <string.h>

#include "events/form.h"

enum letter_role { MODE, GUEST, SCHEDULING, REFUSED };

static const struct letter {
    char letter;
    enum letter_role role;
    const char *refusal; /* why not, when refused */
} letters[] = {
    {'u', MODE, NULL},
    {'k', MODE, NULL},
    {'h', MODE, NULL},
    {'G', GUEST, NULL},
    {'H', GUEST, NULL},
    {'I', SCHEDULING, NULL},
    {'D', SCHEDULING, NULL},
    {'e', SCHEDULING, NULL},
    {'p', REFUSED, "precise levels place samples, and assay counts: leave it out"},
    {'P', REFUSED, "precise levels place samples, and assay counts: leave it out"},
    {'S', REFUSED, "reading a group in a sample needs sampling, and assay counts: leave it out"},
    {'W', REFUSED, "weak groups are broken up silently; ask for separate counters instead"},
    {'b', REFUSED, "counting with BPF is the perf tool's own work: leave it out"},
    {'R', REFUSED, "retiring-latency samples need sampling, and assay counts: leave it out"},
    {'X', REFUSED, "regrouping is the perf tool's own work: leave it out"},
};

static const struct letter *find_letter(char character)
{
    for (size_t i = 0; i < sizeof(letters) / sizeof(letters[0]); i++) {
        if (letters[i].letter == character)
            return &letters[i];
    }
    return NULL;
}

bool event_looks_like_modifiers(const char *text)
{
    if (!*text)
        return false;
    for (; *text; text++) {
        if (!find_letter(*text))
            return false;
    }
    return true;
}

/* Each letter known, allowed, and written once. */
static int check_letters(const char *modifiers, const char *whole, struct failure *failure)
{
    if (!*modifiers)
        return fail_with(failure, -EINVAL,
                         "\"%s\" ends where modifiers should follow: write :u, :k or :uk, or leave "
                         "the colon out",
                         whole);
    for (const char *at = modifiers; *at; at++) {
        const struct letter *letter = find_letter(*at);
        if (!letter)
            return fail_with(failure, -EINVAL,
                             "\"%c\" in \"%s\" is no modifier: u k h (modes), G H (guest, host), I "
                             "(not when idle), D (pinned), e (exclusive)",
                             *at, whole);
        if (letter->role == REFUSED)
            return fail_with(failure, -EINVAL, "modifier \"%c\" in \"%s\": %s", *at, whole,
                             letter->refusal);
        if (strchr(at + 1, *at))
            return fail_with(failure, -EINVAL, "modifier \"%c\" stands twice in \"%s\"", *at,
                             whole);
    }
    return 0;
}

/* Naming a mode excludes those not named. User and kernel together are everything, the hypervisor
 * included: that way ":uk" also opens on PMUs that refuse every filter. */
static void apply_modes(const char *modifiers, struct perf_event_attr *attr)
{
    bool user = strchr(modifiers, 'u'), kernel = strchr(modifiers, 'k'),
         hypervisor = strchr(modifiers, 'h');
    if (user || kernel || hypervisor) {
        attr->exclude_user = !user;
        attr->exclude_kernel = !kernel;
        attr->exclude_hv = !hypervisor && !(user && kernel);
    }
    bool guest = strchr(modifiers, 'G'), host = strchr(modifiers, 'H');
    attr->exclude_host = guest && !host;
    attr->exclude_guest = host && !guest;
}

int event_apply_modifiers(const char *modifiers, const char *whole, struct perf_event_attr *attr,
                          struct failure *failure)
{
    int error = check_letters(modifiers, whole, failure);
    if (error < 0)
        return error;
    apply_modes(modifiers, attr);
    attr->exclude_idle = strchr(modifiers, 'I') != NULL;
    attr->pinned = strchr(modifiers, 'D') != NULL;
    attr->exclusive = strchr(modifiers, 'e') != NULL;
    return 0;
}
