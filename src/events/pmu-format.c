/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: MIT
 *
 * The bit fields that a PMU's format/ files describe: "config:0-7,32-35" is a field of twelve bits
 * in two stretches, filled from its lowest bit up. */
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "events/form.h"

/* Parses "config", "config1" … and the colon; returns what follows, or NULL. */
static const char *parse_word(const char *text, unsigned *word)
{
    static const char prefix[] = "config";
    if (strncmp(text, prefix, sizeof(prefix) - 1) != 0)
        return NULL;
    text += sizeof(prefix) - 1;
    *word = 0;
    if (*text >= '1' && *text <= '3')
        *word = (unsigned)(*text++ - '0');
    return *text == ':' ? text + 1 : NULL;
}

/* One bit number, 0 … 63; returns what follows, or NULL. */
static const char *parse_bit(const char *text, unsigned *bit)
{
    if (!isdigit((unsigned char)*text))
        return NULL;
    char *end;
    unsigned long number = strtoul(text, &end, 10);
    if (number > 63 || end - text > 2)
        return NULL;
    *bit = (unsigned)number;
    return end;
}

int pmu_field_parse(const char *text, struct pmu_field *field)
{
    *field = (struct pmu_field){0};
    text = parse_word(text, &field->word);
    while (text) {
        unsigned first = 0, last;
        text = parse_bit(text, &first);
        last = first;
        if (text && *text == '-')
            text = parse_bit(text + 1, &last);
        if (!text || last < first)
            return -EINVAL;
        field->mask |= (~0ull >> (63 - (last - first))) << first;
        if (*text == '\0')
            return 0;
        text = *text == ',' ? text + 1 : NULL;
    }
    return -EINVAL;
}

int pmu_field_set(const struct pmu_field *field, uint64_t value, struct perf_event_attr *attr)
{
    uint64_t bits = 0;
    for (unsigned bit = 0; bit < 64; bit++) {
        if (!(field->mask >> bit & 1))
            continue;
        bits |= (value & 1) << bit;
        value >>= 1;
    }
    if (value)
        return -ERANGE;
    switch (field->word) {
    case 0:
        attr->config = (attr->config & ~field->mask) | bits;
        return 0;
    case 1:
        attr->config1 = (attr->config1 & ~field->mask) | bits;
        return 0;
    case 2:
        attr->config2 = (attr->config2 & ~field->mask) | bits;
        return 0;
#ifdef PERF_ATTR_SIZE_VER8
    case 3:
        attr->config3 = (attr->config3 & ~field->mask) | bits;
        return 0;
#endif
    default:
        return -ENOTSUP; /* built with headers older than Linux 6.3 */
    }
}

int pmu_field_find(const struct event_view *view, const char *pmu, const char *term,
                   struct pmu_field *field)
{
    if (!event_is_component(term, strlen(term)))
        return -ENOENT;
    char text[256];
    if (view_read_text(view, text, sizeof(text), PMU_FOLDER "/%s/format/%s", pmu, term) < 0)
        return -ENOENT;
    return pmu_field_parse(text, field);
}
