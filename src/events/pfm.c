/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: MIT
 *
 * libpfm4's tables as a resolver: PMU::EVENT:UMASK:modes. Linked into the probe, not into
 * libassay, which needs libc only. */
#include <errno.h>
#include <fnmatch.h>
#include <stdio.h>

#include "events/event.h"

/* After linux/perf_event.h: libpfm's header would define the same things again. */
#include <perfmon/pfmlib_perf_event.h>

/* Finds the machine's PMUs once; libpfm remembers that itself. */
static bool ready(void)
{
    return pfm_initialize() == PFM_SUCCESS;
}

static int walk_umasks(const pfm_pmu_info_t *pmu, const pfm_event_info_t *event, const char *glob,
                       event_each *each, void *context)
{
    char name[512];
    int umasks = 0, stop = 0;
    for (int i = 0; i < event->nattrs && !stop; i++) {
        pfm_event_attr_info_t attribute = {.size = sizeof(attribute)};
        if (pfm_get_event_attr_info(event->idx, i, PFM_OS_PERF_EVENT, &attribute) != PFM_SUCCESS ||
            attribute.type != PFM_ATTR_UMASK)
            continue;
        umasks++;
        snprintf(name, sizeof(name), "%s::%s:%s", pmu->name, event->name, attribute.name);
        if (fnmatch(glob, name, FNM_CASEFOLD) == 0)
            stop = each(context, name, EVENT_PFM);
    }
    snprintf(name, sizeof(name), "%s::%s", pmu->name, event->name);
    if (!umasks && fnmatch(glob, name, FNM_CASEFOLD) == 0)
        stop = each(context, name, EVENT_PFM);
    return stop;
}

static int pfm_list(const char *glob, event_each *each, void *context)
{
    int number, stop = 0;
    if (!ready())
        return 0;
    pfm_for_all_pmus(number)
    {
        pfm_pmu_info_t pmu = {.size = sizeof(pmu)};
        if (pfm_get_pmu_info((pfm_pmu_t)number, &pmu) != PFM_SUCCESS || !pmu.is_present)
            continue;
        for (int i = pmu.first_event; i != -1 && !stop; i = pfm_get_event_next(i)) {
            pfm_event_info_t event = {.size = sizeof(event)};
            if (pfm_get_event_info(i, PFM_OS_PERF_EVENT, &event) == PFM_SUCCESS)
                stop = walk_umasks(&pmu, &event, glob, each, context);
        }
        if (stop)
            break;
    }
    return stop;
}

static int consider(void *context, const char *name, enum event_kind kind)
{
    (void)kind;
    suggest_consider(context, name);
    return 0;
}

static int pfm_resolve(const char *name, struct event *event, struct failure *failure)
{
    struct perf_event_attr attr = {.size = sizeof(attr)};
    pfm_perf_encode_arg_t encoding = {.attr = &attr, .size = sizeof(encoding)};
    if (!ready())
        return fail_with(failure, -ENOENT, "libpfm4 does not know this machine's CPU");
    int error = pfm_get_os_event_encoding(name, PFM_PLM0 | PFM_PLM3 | PFM_PLMH, PFM_OS_PERF_EVENT,
                                          &encoding);
    if (error == PFM_ERR_NOTFOUND || error == PFM_ERR_NOINIT || error == PFM_ERR_NOTSUPP) {
        char sentence[512];
        struct suggestions suggestions = {.wanted = name};
        pfm_list("*", consider, &suggestions);
        suggest_sentence(&suggestions, sentence, sizeof(sentence));
        return fail_with(failure, -ENOENT, "libpfm4 knows no event \"%s\" on this machine%s", name,
                         sentence);
    }
    if (error != PFM_SUCCESS)
        return fail_with(failure, -EINVAL, "libpfm4 does not accept \"%s\": %s", name,
                         pfm_strerror(error));
    event->kind = EVENT_PFM;
    event->attr = attr;
    event->attr.size = sizeof(event->attr);
    /* Without modes nothing is excluded, as everywhere in assay. */
    if (!attr.exclude_user && !attr.exclude_kernel) {
        event->attr.exclude_hv = 0;
        event->attr.exclude_guest = 0;
        event->attr.exclude_host = 0;
    }
    return 0;
}

const struct event_resolver event_resolver_libpfm4 = {"libpfm4", pfm_resolve, pfm_list};
