/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Signals: the first asks the run to stop between two processes, the second to break off, and the
 * third does not ask. What a handler needs to know is the program's only mutable global state: it
 * has nothing else to go by. */
#include "cli/signals.h"

#include <signal.h>
#include <string.h>
#include <unistd.h>

#include "engine/command.h"
#include "show/progress.h"

volatile int interrupted;

static const char *volatile patience;
static volatile int first_number; /* 0: none came */

void signals_answer(const char *words)
{
    patience = words;
}

int signals_status(void)
{
    return first_number ? 128 + first_number : EXIT_INTERRUPTED;
}

static void on_signal(int number)
{
    int count = interrupted + 1;
    if (count == 1)
        first_number = number;
    interrupted = count;
    if (count == 1 && patience)
        progress_interject(patience);
    if (count < 3)
        return;
    /* The probe ends by itself when its input does. */
    progress_restore_terminal();
    _exit(EXIT_INTERRUPTED);
}

void signals_install(void)
{
    /* No SA_RESTART: a wait for the probe must end when the user asks for it. */
    struct sigaction action = {.sa_handler = on_signal};
    sigemptyset(&action.sa_mask);
    static const int numbers[] = {SIGINT, SIGTERM, SIGHUP};
    for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++) {
        struct sigaction before;
        /* Under nohup SIGHUP stays ignored. */
        if (sigaction(numbers[i], NULL, &before) == 0 && before.sa_handler == SIG_IGN)
            continue;
        sigaction(numbers[i], &action, NULL);
    }
    struct sigaction ignore = {.sa_handler = SIG_IGN};
    sigemptyset(&ignore.sa_mask);
    sigaction(SIGPIPE, &ignore, NULL);
}
