/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Executable memory of a process, as the operating system lists it. */
#include "probe/command/maps.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/list.h"

/* start-end rwxp offset device inode   path */
int code_maps_parse(struct code_maps *maps, char *line)
{
    struct mapped mapped = {0};
    char rights[5] = "";
    int path = 0;
    if (sscanf(line, "%" SCNx64 "-%" SCNx64 " %4s %" SCNx64 " %*s %*s %n", &mapped.start,
               &mapped.end, rights, &mapped.offset, &path) != 4 ||
        strlen(rights) != 4 || rights[2] != 'x' || mapped.end <= mapped.start || path <= 0)
        return 0;
    line[strcspn(line, "\n")] = '\0';
    struct code_map *map = list_add(&maps->list, &maps->count, sizeof(*maps->list));
    char *object = strdup(line + path);
    if (!map || !object) {
        maps->count -= map != NULL;
        free(object);
        return -ENOMEM;
    }
    mapped.object = object;
    *map = (struct code_map){.mapped = mapped, .changing = rights[1] == 'w' || rights[3] == 's'};
    return 0;
}

int code_maps_read(struct code_maps *maps, pid_t task)
{
    char path[64];
    AUTO_FREE char *line = NULL;
    size_t size = 0;
    int result = 0;
    *maps = (struct code_maps){0};
    snprintf(path, sizeof(path), "/proc/%d/maps", (int)task);
    AUTO_FILE FILE *file = fopen(path, "re");
    if (!file)
        return -errno;
    while (result == 0 && getline(&line, &size, file) > 0)
        result = code_maps_parse(maps, line);
    if (result < 0)
        code_maps_free(maps);
    return result;
}

const struct code_map *code_maps_find(const struct code_maps *maps, uint64_t address)
{
    size_t low = 0, high = maps->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (maps->list[middle].mapped.end <= address)
            low = middle + 1;
        else
            high = middle;
    }
    return low < maps->count && maps->list[low].mapped.start <= address ? &maps->list[low] : NULL;
}

bool code_maps_touch(const struct code_maps *maps, uint64_t address, uint64_t length)
{
    uint64_t end = address + length < address ? UINT64_MAX : address + length;
    for (size_t index = 0; index < maps->count; index++)
        if (maps->list[index].mapped.start < end && maps->list[index].mapped.end > address)
            return true;
    return false;
}

/* Of memory without a file, the place in it means nothing. */
static bool same_code(const struct mapped *one, const struct mapped *other)
{
    return strcmp(one->object, other->object) == 0 &&
           (one->object[0] != '/' || one->start - one->offset == other->start - other->offset);
}

bool code_maps_replaced(const struct code_maps *before, const struct code_maps *now)
{
    for (size_t old = 0; old < before->count; old++)
        for (size_t index = 0; index < now->count; index++) {
            const struct mapped *one = &before->list[old].mapped, *other = &now->list[index].mapped;
            if (one->start < other->end && other->start < one->end && !same_code(one, other))
                return true;
        }
    return false;
}

void code_maps_free(struct code_maps *maps)
{
    for (size_t index = 0; index < maps->count; index++)
        free((void *)(uintptr_t)maps->list[index].mapped.object);
    free(maps->list);
    *maps = (struct code_maps){0};
}
