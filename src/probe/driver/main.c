/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * assay-probe: the side of assay that touches the machine under test. Started by a transport, never
 * by hand, except for `facts`. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "machine/check.h"
#include "machine/view.h"
#include "probe/boot/boot.h"
#include "probe/driver/kit.h"
#include "probe/driver/session.h"
#include "probe/driver/workspace.h"

static const char usage[] =
    "usage: assay-probe serve [FD FD]     speak the protocol on standard input and output;\n"
    "                                     commands that are shown may write to these\n"
    "       assay-probe receive           take the rest of the kit first, remove it at the end\n"
    "       assay-probe receive PLACE push|replace  the same, but keep it at PLACE\n"
    "       assay-probe facts [--root DIR] print what this machine (or a recorded one) is\n"
    "       assay-probe boot              be the first process of an emulated machine\n"
    "       assay-probe --version\n";

static int report(const struct failure *failure)
{
    fprintf(stderr, "assay-probe: %s\n", failure->text);
    return 1;
}

/* Descriptors of whoever started us. Nothing that we execute finds them open, but the commands that
 * they are for. */
static bool take_lent(char **arguments, int lent[2])
{
    for (int index = 0; index < 2; index++) {
        char *end;
        const long number = strtol(arguments[index], &end, 10);
        if (*end || number <= STDERR_FILENO || number > INT_MAX ||
            fcntl((int)number, F_SETFD, FD_CLOEXEC) < 0)
            return false;
        lent[index] = (int)number;
    }
    return true;
}

static int serve(int count, char **arguments)
{
    struct failure failure = {0};
    int lent[2] = {-1, -1};
    char *folder;
    if ((count != 0 && count != 2) || (count && !take_lent(arguments, lent)))
        return fputs(usage, stderr), 2;
    if (kit_folder(&folder, &failure) < 0)
        return report(&failure);
    keep_hold(folder);
    return session_serve(STDIN_FILENO, STDOUT_FILENO, lent, folder) < 0;
}

static int receive(int count, char **arguments)
{
    struct failure failure = {0};
    char *folder;
    if (count != 0 && count != 2)
        return fputs(usage, stderr), 2;
    if (kit_folder(&folder, &failure) < 0)
        return report(&failure);
    char *own = strdup(folder);
    /* A signal while the kit still arrives must not leave the folder behind; from then on the
     * session takes signals itself. */
    signal(SIGPIPE, SIG_IGN);
    signal(SIGHUP, SIG_IGN);
    signal(SIGTERM, SIG_IGN);
    signal(SIGINT, SIG_IGN);
    int result = receive_kit(STDIN_FILENO, STDOUT_FILENO, folder, &failure);
    if (result < 0) {
        report(&failure);
        free(folder);
    } else {
        /* Serves from where the kit lies now; own is what has to be removed afterwards. */
        const char *place = count ? arguments[0] : NULL;
        keep_hold(folder);
        if (place && keep_kit(folder, place, strcmp(count ? arguments[1] : "", "replace") == 0)) {
            free(folder);
            free(own);
            own = NULL;
            folder = strdup(place);
        }
        result = folder ? session_serve(STDIN_FILENO, STDOUT_FILENO, (const int[]){-1, -1}, folder)
                        : -ENOMEM;
    }
    if (own)
        folder_remove(own);
    free(own);
    return result < 0;
}

static int facts(int count, char **arguments)
{
    struct failure failure = {0};
    struct facts found = {0}, live = {0};
    struct machine_view view = {.root = ""};
    if (count == 2 && strcmp(arguments[0], "--root") == 0) {
        if (view_open_recorded(&view, arguments[1], &live, &failure) < 0)
            return report(&failure);
    } else if (count != 0) {
        return fputs(usage, stderr), 2;
    }
    machine_collect(&view, &found);
    int result = facts_write(&found, stdout);
    facts_free(&found);
    facts_free(&live);
    return result < 0 || fflush(stdout) != 0;
}

static int boot(int count, char **arguments)
{
    (void)count, (void)arguments;
    return boot_machine();
}

static int version(int count, char **arguments)
{
    (void)count, (void)arguments;
    puts("assay-probe " ASSAY_VERSION " " PROBE_ISA);
    return 0;
}

int main(int argument_count, char **arguments)
{
    static const struct {
        const char *word;
        int (*run)(int count, char **arguments);
    } commands[] = {{"serve", serve},
                    {"receive", receive},
                    {"facts", facts},
                    {"boot", boot},
                    {"--version", version}};
    /* Descriptors 0 to 2 must be what they seem, or a pipe could land there. */
    for (int fd = 0; fd <= 2; fd++)
        if (fcntl(fd, F_GETFD) < 0 && errno == EBADF && open("/dev/null", O_RDWR) != fd)
            _exit(1);
    for (size_t index = 0; argument_count > 1 && index < sizeof(commands) / sizeof(*commands);
         index++)
        if (strcmp(arguments[1], commands[index].word) == 0)
            return commands[index].run(argument_count - 2, arguments + 2);
    fputs(usage, stderr);
    return 2;
}
