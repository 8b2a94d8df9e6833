/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: MIT
 *
 * User probes: uprobe:PATH:SYMBOL[+OFFSET][:modifiers] counts how often code of a program or
 * library is reached, uretprobe: how often a function returns. A stripped file's code is named by
 * its file offset instead of a symbol: uprobe:PATH:0x1234. PATH:SYMBOL may be the word "target"
 * (target.c). */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/cleanup.h"
#include "events/elf-symbol.h"
#include "events/form.h"

static const char enter_prefix[] = "uprobe:", return_prefix[] = "uretprobe:";

struct uprobe_name {
    bool on_return;
    char text[EVENT_NAME_MAX + 1]; /* cut into the following */
    char *path, *symbol, *modifiers;
    uint64_t extra; /* bytes beyond the symbol */
    bool own;       /* the target of a specimen, and no path */
};

static bool uprobe_fits(const struct event_view *view, const char *name)
{
    (void)view;
    return strncmp(name, enter_prefix, sizeof(enter_prefix) - 1) == 0 ||
           strncmp(name, return_prefix, sizeof(return_prefix) - 1) == 0;
}

/* "target", alone or with modifiers. */
static bool take_target(struct uprobe_name *parts)
{
    size_t length = strcspn(parts->text, ":");
    parts->own = length == strlen(TARGET_WORD) && strncmp(parts->text, TARGET_WORD, length) == 0;
    if (parts->own && parts->text[length])
        parts->modifiers = parts->text + length + 1;
    return parts->own;
}

/* From the right, because a path may hold colons: modifiers (when a path and a symbol remain in
 * front of them), then the symbol. */
static int split_name(const char *name, struct uprobe_name *parts, struct failure *failure)
{
    parts->on_return = name[1] == 'r';
    strcpy(parts->text, strchr(name, ':') + 1);
    parts->path = parts->text;
    parts->modifiers = NULL;
    if (take_target(parts))
        return 0;
    char *last = strrchr(parts->path, ':');
    if (last && event_looks_like_modifiers(last + 1) &&
        memchr(parts->path, ':', (size_t)(last - parts->path))) {
        *last = '\0';
        parts->modifiers = last + 1;
        last = strrchr(parts->path, ':');
    }
    if (!last || last == parts->path || !last[1])
        return fail_with(failure, -EINVAL,
                         "\"%s\" is incomplete: write uprobe:/path/to/file:function[+offset]",
                         name);
    if (parts->path[0] != '/')
        return fail_with(failure, -EINVAL, "\"%s\": the file must be given by its full path", name);
    *last = '\0';
    parts->symbol = last + 1;
    parts->extra = 0;
    char *plus = strrchr(parts->symbol, '+');
    if (!plus)
        return 0;
    *plus = '\0';
    if (!parts->symbol[0] || !event_parse_number(plus + 1, &parts->extra))
        return fail_with(failure, -EINVAL, "\"%s\": what follows + must be a number of bytes",
                         name);
    return 0;
}

static int find_offset(const struct uprobe_name *parts, uint64_t *offset, struct failure *failure)
{
    if (parts->symbol[0] == '0' && event_parse_number(parts->symbol, offset))
        return 0;
    /* Looked at before it is opened: opening a device may already do something. */
    struct stat status;
    if (stat(parts->path, &status) == 0 && !S_ISREG(status.st_mode))
        return fail_with(failure, -EINVAL, "no uprobe in %s: it is not a regular file",
                         parts->path);
    AUTO_CLOSE int file = open(parts->path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    if (file < 0)
        return errno == EACCES ? fail_with(failure, -EACCES, "%s may not be read", parts->path)
                               : fail_with(failure, -ENOENT, "%s cannot be opened: %s", parts->path,
                                           strerror(errno));
    struct suggestions near = {.wanted = parts->symbol};
    struct failure inner = {0};
    int error = elf_symbol_offset(file, parts->symbol, offset, &near, &inner);
    if (error == 0)
        return 0;
    char sentence[512] = "";
    if (error == -ENOENT)
        suggest_sentence(&near, sentence, sizeof(sentence));
    return fail_with(failure, error, "no uprobe in %s: %s%s", parts->path, inner.text, sentence);
}

/* Which bit asks for the return is the PMU's to say. */
static int set_return(const struct event_view *view, struct perf_event_attr *attr,
                      struct failure *failure)
{
    struct pmu_field field;
    if (pmu_field_find(view, "uprobe", "retprobe", &field) < 0 ||
        pmu_field_set(&field, 1, attr) < 0)
        return fail_with(failure, -ENOENT,
                         "this operating system does not say how to ask for function returns "
                         "(sysfs: uprobe/format/retprobe)");
    return 0;
}

/* The place is filled in by who opens it. */
static int finish_own(const struct event_view *view, const char *name,
                      const struct uprobe_name *parts, struct event *event, struct failure *failure)
{
    int error = target_take(view, name, event, failure);
    return error < 0 || !parts->modifiers
               ? error
               : event_apply_modifiers(parts->modifiers, name, &event->attr, failure);
}

static int uprobe_resolve(const struct event_view *view, const char *name, struct event *event,
                          struct failure *failure)
{
    struct uprobe_name parts;
    uint64_t offset = 0;
    int error = split_name(name, &parts, failure);
    if (error < 0)
        return error;
    event->kind = EVENT_UPROBE;
    if (pmu_type(view, "uprobe", &event->attr.type) < 0)
        return fail_with(failure, -ENOENT,
                         "this operating system has no uprobes (no PMU of that name in sysfs): it "
                         "must be built with CONFIG_UPROBE_EVENTS");
    if (parts.on_return && (error = set_return(view, &event->attr, failure)) < 0)
        return error;
    if (parts.own)
        return finish_own(view, name, &parts, event, failure);
    error = find_offset(&parts, &offset, failure);
    if (error < 0)
        return error;
    if (__builtin_add_overflow(offset, parts.extra, &offset))
        return fail_with(failure, -EINVAL, "\"%s\": the offset is too large", name);
    event->attr.probe_offset = offset;
    event->target = strdup(parts.path);
    if (!event->target)
        return fail_with(failure, -ENOMEM, "out of memory");
    return parts.modifiers ? event_apply_modifiers(parts.modifiers, name, &event->attr, failure)
                           : 0;
}

const struct event_form event_form_uprobe = {uprobe_fits, uprobe_resolve};
