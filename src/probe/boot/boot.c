/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The life of an emulated machine: make it habitable, run one command on the ports, say how that
 * ended, turn off. Whatever goes wrong is said and ends in turning off as well: the controller
 * sees the end at once, and reads why on the console. */
#include "probe/boot/boot.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/reboot.h>
#include <sys/wait.h>
#include <unistd.h>

/* As timeout(1) does. */
enum { STATUS_FAILED = 125, STATUS_NOT_RUN = 126, STATUS_NOT_FOUND = 127 };

static int status_of(int result)
{
    if (result == -ENOENT)
        return STATUS_NOT_FOUND;
    if (result < 0)
        return result == -ENOMEM ? STATUS_FAILED : STATUS_NOT_RUN;
    return WIFEXITED(result) ? WEXITSTATUS(result) : 128 + WTERMSIG(result);
}

/* Where the user looks: the port for errors, or the console. */
static void complain(const struct boot_ports *ports, const char *words)
{
    dprintf(ports->errors >= 0 ? ports->errors : STDERR_FILENO, "assay lab: %s\n", words);
}

/* The last word; it must be out before the machine is turned off. */
static void tell(const struct boot_ports *ports, int result, const struct failure *failure)
{
    if (failure->code)
        complain(ports, failure->text);
    else if (WIFSIGNALED(result))
        dprintf(STDERR_FILENO, "assay lab: the command was ended by signal %d (%s)%s\n",
                WTERMSIG(result), strsignal(WTERMSIG(result)),
                WTERMSIG(result) == SIGKILL ? ", perhaps for want of memory" : "");
    if (ports->status >= 0)
        dprintf(ports->status, "%d%s\n", status_of(result), result == -ENOENT ? " absent" : "");
}

static void live(void)
{
    static struct boot_plan plan;
    struct boot_ports ports = {-1, -1, -1, -1};
    struct failure failure = {0};
    int result = boot_plan_read(&plan, &failure);
    if (result == 0)
        result = boot_ports_open(&ports, &plan, &failure);
    if (result == 0 && ports.status >= 0)
        dprintf(ports.status, "started\n");
    if (result == 0)
        result = boot_run(&plan, &ports, &failure);
    kill(-1, SIGKILL);
    while (waitpid(-1, NULL, 0) > 0 || errno == EINTR)
        ;
    tell(&ports, result, &failure);
}

int boot_machine(void)
{
    if (getpid() != 1) {
        fputs("assay-probe: boot is for the first process of an emulated machine; use assay lab\n",
              stderr);
        return 2;
    }
    boot_mounts();
    boot_modules();
    live();
    sync();
    reboot(RB_POWER_OFF);
    for (;;) /* a first process that ends is a panic */
        pause();
}
