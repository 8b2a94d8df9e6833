/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Do we stand in a container? Marker files alone do not say (machines are made from container
 * images and keep them), so they count only where a namespace differs from the first one. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "machine/describe.h"

/* A file, a word it holds ("" any content), and whose it is. */
static const struct {
    const char *path, *word, *runtime;
} markers[] = {
    {"/run/.containerenv", "", "podman"},
    {"/.dockerenv", "", "docker"},
    {"/run/systemd/container", "systemd-nspawn", "systemd-nspawn"},
    {"/run/systemd/container", "lxc", "lxc"},
    {"/run/systemd/container", "", "unknown"},
    {"/proc/1/cgroup", "kubepods", "kubernetes"},
    {"/proc/1/cgroup", "docker", "docker"},
    {"/proc/1/cgroup", "libpod", "podman"},
    {"/proc/1/cgroup", "lxc", "lxc"},
    {"/proc/1/cgroup", "containerd", "containerd"},
};

/* The kernel gives the first namespace of each kind a fixed number (include/linux/proc_ns.h). */
static const struct {
    const char *key, *path, *first;
} namespaces[] = {
    {"process.pid_namespace", "/proc/self/ns/pid", "pid:[4026531836]"},
    {"process.cgroup_namespace", "/proc/self/ns/cgroup", "cgroup:[4026531835]"},
    {"process.user_namespace", "/proc/self/ns/user", "user:[4026531837]"},
};

static const char *find_marker(const struct machine_view *view, const char **path)
{
    AUTO_TEXT struct text content = {0};
    for (size_t i = 0; i < sizeof(markers) / sizeof(markers[0]); i++) {
        if (view_text(view, markers[i].path, &content) < 0)
            continue;
        if (strstr(text_string(&content), markers[i].word)) {
            *path = markers[i].path;
            return markers[i].runtime;
        }
    }
    return NULL;
}

/* "first" is the machine's own, "own" somebody made for us. */
static void describe_namespaces(const struct machine_view *view, struct facts *facts)
{
    for (size_t i = 0; i < sizeof(namespaces) / sizeof(namespaces[0]); i++) {
        char target[64];
        ssize_t length = readlink(namespaces[i].path, target, sizeof(target) - 1);
        int error = errno;
        target[length < 0 ? 0 : length] = '\0';
        const char *answer = strcmp(target, namespaces[i].first) == 0 ? "first" : "own";
        view_live(view, facts, namespaces[i].key, length < 0 ? NULL : answer, error);
    }
}

/* 1 when at least one namespace is not the first, 0 when all that are known are, else -1. */
static int in_own_namespace(const struct facts *facts)
{
    int own = -1;
    for (size_t i = 0; i < sizeof(namespaces) / sizeof(namespaces[0]); i++) {
        const char *answer = facts_get(facts, namespaces[i].key);
        if (answer && strcmp(answer, "own") == 0)
            return 1;
        if (answer)
            own = 0;
    }
    return own;
}

void describe_container(const struct machine_view *view, struct facts *facts)
{
    describe_namespaces(view, facts);
    const char *path = NULL;
    const char *runtime = find_marker(view, &path);
    if (runtime)
        facts_setf(facts, "container.marker", "%s (%s)", path, runtime);
    int own = in_own_namespace(facts);
    if (own == 0)
        facts_set(facts, "container", "none", 0);
    else if (runtime || own == 1)
        facts_set(facts, "container", runtime ? runtime : "unknown", 0);
    else
        facts_set(facts, "container", NULL, ENODATA);
}
