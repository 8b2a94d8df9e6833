/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What a person is told when the probe is lost: the cause, how the other side ended, what it said
 * last, and how to go on. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "session/chatter.h"
#include "engine/peer.h"

/* A peer that closed its output is about to end; one that hangs or babbles is not. */
static int patience_for(int code)
{
    return code == -EPIPE || code == -EPROTO ? 1000 : 0;
}

int peer_lost(struct session *session, struct failure *failure, int code, const char *format, ...)
{
    AUTO_TEXT struct text cause = {0};
    /* Sized so that all parts fit a struct failure, the advice at the end included. */
    char sentence[350];
    char words[220];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(sentence, sizeof(sentence), format, arguments);
    va_end(arguments);
    text_puts(&cause, sentence);
    if (!session->over) {
        session->over = true;
        int status = via_close(&session->link, patience_for(code));
        via_status_text(status, words, sizeof(words));
        if (code != -EINTR) /* then it was we who ended it */
            text_printf(&cause, "; it ended with %s", words);
    }
    chatter_quote(&session->chatter, words, sizeof(words));
    if (*words)
        text_printf(&cause, "; on its output stood: %s", words);
    via_last_words(&session->link, words, sizeof(words));
    if (*words)
        text_printf(&cause, "; its errors: %s", words);
    if (session->running)
        text_puts(&cause, ". What is stored is safe: the same command with --resume goes on");
    return fail_with(failure, code, "%s", text_string(&cause));
}
