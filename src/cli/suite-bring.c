/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What suites need where they run: inputs are brought to the machine under test, and programs are
 * looked for there. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "studies/repeat/suite.h"

/* Does the text mention {brought}/NAME, and not only a name that begins so? */
static bool mentions(const char *text, const char *name)
{
    const size_t length = strlen(name);
    for (const char *at = text; (at = strstr(at, PLACE_BROUGHT "/"));) {
        at += strlen(PLACE_BROUGHT "/");
        const char behind[2] = {strncmp(at, name, length) == 0 ? at[length] : 'x', '\0'};
        if (!behind[0] || !brought_name_is_plain(behind))
            return true;
    }
    return false;
}

static bool is_wanted(const struct suite *suite, const struct made_input *input)
{
    for (size_t i = 0; i < suite->count; i++)
        if (mentions(suite->list[i].command, input->name) ||
            mentions(suite->list[i].input, input->name))
            return true;
    return false;
}

int suite_bring(const struct suite *suite, struct session *session, struct failure *failure)
{
    AUTO_FREE char *folder = strdup(suite->path);
    if (!folder)
        return fail_with(failure, -ENOMEM, "no memory for the inputs of a suite");
    char *slash = strrchr(folder, '/');
    if (slash)
        slash[slash == folder] = '\0';
    for (size_t i = 0; i < suite->input_count; i++) {
        const struct made_input *input = &suite->inputs[i];
        AUTO_FREE char *bytes = NULL;
        size_t length = 0;
        if (!is_wanted(suite, input))
            continue;
        int error = made_input_bytes(input, slash ? folder : ".", &bytes, &length, failure);
        if (!error)
            error = session_bring(session, input->name, bytes, length, false, failure);
        if (error)
            return error;
    }
    return 0;
}

int suite_lacks(const struct workload *workload, struct session *session, struct failure *failure)
{
    AUTO_FREE char *needs = strdup(workload->needs);
    char *rest = NULL;
    if (!needs)
        return fail_with(failure, -ENOMEM, "no memory for a suite");
    for (const char *word = strtok_r(needs, " ", &rest); word; word = strtok_r(NULL, " ", &rest)) {
        struct failure why = {0};
        int error = strstr(word, PLACE_BROUGHT) ? 0 : session_find(session, word, &why);
        if (error == -ENOENT)
            return fail_with(failure, -ENOENT,
                             "%s is not installed on the machine under test%s%s%s", word,
                             *workload->package ? ": the package " : "", workload->package,
                             *workload->package ? " of Debian brings it (--install, on the machine "
                                                  "that assay runs on)"
                                                : "");
        if (error)
            return fail_with(failure, error, "%s", why.text);
    }
    return 0;
}
