/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Finds the ports by their names. They appear some time after their driver was loaded. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/monotonic.h"
#include "base/text.h"
#include "probe/boot/boot.h"

#define PORTS   "/sys/class/virtio-ports"
#define WAIT_MS 5000 /* in the machine's time */
#define TICK_US 2000

static bool is_named(const char *port, const char *name)
{
    AUTO_TEXT struct text path = {0};
    text_printf(&path, "%s/%s/name", PORTS, port);
    AUTO_FILE FILE *file = fopen(text_string(&path), "re");
    char found[64];
    if (!file || !fgets(found, sizeof(found), file))
        return false;
    found[strcspn(found, "\n")] = '\0';
    return strcmp(found, name) == 0;
}

/* -ENOENT while it is not there. */
static int open_named(const char *name, int flags)
{
    AUTO_DIR DIR *ports = opendir(PORTS);
    const struct dirent *entry;
    while (ports && (entry = readdir(ports))) {
        AUTO_TEXT struct text device = {0};
        if (entry->d_name[0] == '.' || !is_named(entry->d_name, name))
            continue;
        text_printf(&device, "/dev/%s", entry->d_name);
        int fd = open(text_string(&device), flags | O_CLOEXEC);
        return fd < 0 ? -errno : fd;
    }
    return -ENOENT;
}

static int open_port(int *fd, const char *name, int flags, struct failure *failure)
{
    if (!name)
        return 0;
    const int64_t deadline = monotonic_ms() + WAIT_MS;
    while ((*fd = open_named(name, flags)) == -ENOENT && monotonic_ms() < deadline)
        usleep(TICK_US);
    if (*fd >= 0)
        return 0;
    int error = *fd;
    *fd = -1;
    return fail_with(failure, error, "the machine has no port %s: %s", name, strerror(-error));
}

int boot_ports_open(struct boot_ports *ports, const struct boot_plan *plan, struct failure *failure)
{
    int status = open_port(&ports->errors, plan->errors, O_WRONLY, failure);
    if (status == 0)
        status = open_port(&ports->status, plan->status, O_WRONLY, failure);
    if (status == 0)
        status = open_port(&ports->in, plan->in, O_RDONLY, failure);
    if (status == 0)
        status = open_port(&ports->out, plan->out, O_WRONLY, failure);
    return status;
}
