/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What executions send beside counts: system calls and what was executed go into the store with
 * their visit, what the program writes to standard error. */
#include <errno.h>
#include <unistd.h>

#include "engine/gather.h"
#include "cli/repeat-run.h"

static int take_call(void *context, const struct sent_call *call, struct failure *failure)
{
    struct repeating *repeating = context;
    const struct stored_call stored = {.cell = call->cell,
                                       .process = call->process,
                                       .position = call->position,
                                       .task = call->task,
                                       .name = call->name,
                                       .what = call->what,
                                       .result = call->result,
                                       .asked = call->asked,
                                       .sum = call->sum};
    return store_put_call(repeating->store, &stored, failure);
}

static int take_ran(void *context, const struct sent_ran *ran, struct failure *failure)
{
    struct repeating *repeating = context;
    if (!repeating->executed && executed_new(&repeating->executed, repeating->catalogue->isa) < 0)
        return fail_with(failure, -ENOMEM, "out of memory");
    repeating->ran = true;
    return executed_add(repeating->executed, ran, failure);
}

/* What a visit that failed had executed says nothing: its sums are forgotten with it. */
static int end_visit(void *context, uint32_t cell, uint32_t process, enum visit_state state,
                     struct failure *failure)
{
    struct repeating *repeating = context;
    (void)cell, (void)process;
    repeating->showing = false;
    if (!repeating->ran)
        return 0;
    repeating->ran = false;
    if (state == VISIT_DONE)
        return executed_store(repeating->executed, repeating->store, false, false, failure);
    executed_free(repeating->executed);
    repeating->executed = NULL;
    return 0;
}

/* The report goes to standard output, so this does not. */
static void pass_on(void *context, int stream, const char *bytes, size_t length)
{
    const struct repeating *repeating = context;
    (void)stream;
    while (repeating->showing && repeating->run.options->show_output && length) {
        const ssize_t written = write(STDERR_FILENO, bytes, length);
        if (written < 0 && errno != EINTR)
            return;
        bytes += written > 0 ? written : 0;
        length -= written > 0 ? (size_t)written : 0;
    }
}

struct gather_beside repeat_beside(struct repeating *repeating)
{
    return (struct gather_beside){.context = repeating,
                                  .ran = take_ran,
                                  .call = take_call,
                                  .ending = end_visit,
                                  .output = pass_on};
}
