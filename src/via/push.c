/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Hands the kit over a pipe. Two steps: a shell script takes assay-probe alone, into a new private
 * folder where programs may be run; that probe then takes the other files itself. Nothing is sent
 * ahead of the probe's answer, so it does not matter whether head(1) over there reads too much. */
#include "via/push.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "engine/via-parts.h"

#define KIT_MARK  "@assay-kit"
#define TAKING_MS 60000

struct via_patience push_patience(const struct via_patience *usual)
{
    return (struct via_patience){.timeout_ms =
                                     usual->timeout_ms < TAKING_MS ? TAKING_MS : usual->timeout_ms,
                                 .stop = usual->stop};
}

static int explain_send(int status, const char *name, struct failure *failure)
{
    const char *why = status == -EPIPE       ? "the other side stopped listening"
                      : status == -ETIMEDOUT ? "the other side does not take it"
                      : status == -EINTR     ? "interrupted"
                                             : strerror(-status);
    return fail_with(failure, status, "handing over %s failed: %s", name, why);
}

static int send_file(struct via_link *link, const struct kit_file *file,
                     const struct via_patience *patience, struct failure *failure)
{
    int status = child_send(link, file->bytes, file->length, patience);
    return status < 0 ? explain_send(status, file->name, failure) : 0;
}

static int send_others(struct via_link *link, const struct kit_files *files,
                       const struct via_patience *patience, struct failure *failure)
{
    AUTO_TEXT struct text header = {0};
    for (size_t i = 1; i < files->count; i++) {
        const struct kit_file *file = &files->list[i];
        text_clear(&header);
        text_printf(&header, "file %s %o %zu\n", file->name, file->mode, file->length);
        int status = child_send(link, text_string(&header), header.length, patience);
        if (status < 0)
            return explain_send(status, file->name, failure);
        status = send_file(link, file, patience, failure);
        if (status < 0)
            return status;
    }
    int status = child_send(link, "end\n", 4, patience);
    return status < 0 ? explain_send(status, "the end of the kit", failure) : 0;
}

/* The answer of the probe that was handed over; it and what came before it is taken off. */
static int await_answer(struct via_link *link, const struct via_patience *usual,
                        struct failure *failure)
{
    const struct via_patience patience = push_patience(usual);
    switch (child_await(link, KIT_MARK, &patience)) {
    case CHILD_SPOKE:
        break;
    case CHILD_ENDED:
        return fail_with(failure, -EPIPE, "the probe that was handed over does not run there");
    case CHILD_SILENT:
        return fail_with(failure, -ETIMEDOUT,
                         "the probe that was handed over did not answer within %d s",
                         patience.timeout_ms / 1000);
    case CHILD_STOPPED:
        return fail_with(failure, -EINTR, "interrupted");
    }
    text_clear(&link->early);
    return 0;
}

int push_kit(struct via_link *link, const struct kit_files *files,
             const struct via_patience *patience, struct failure *failure)
{
    int status = send_file(link, &files->list[0], patience, failure);
    if (status == 0)
        status = await_answer(link, patience, failure);
    if (status == 0)
        status = send_others(link, files, patience, failure);
    return status;
}
