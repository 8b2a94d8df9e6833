/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: MIT
 *
 * Keeps what a judge says, and fills templates with it. */
#include "base/reason.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/number.h"

/* ----------------------------------------------------------------------------------------------
 * Keeping. */

static struct reason_value kept(const struct reason_value *value)
{
    struct reason_value copy = *value;
    if (copy.kind == REASON_TEXT)
        copy.text = memory_copy(value->text);
    if (copy.kind == REASON_REASONS && value->reasons) {
        struct reasons *inner = memory_new(1, sizeof(*inner));
        *inner = *value->reasons;
        copy.reasons = inner;
    }
    return copy;
}

/* Lists are never changed once others may share them: one more clause is a new list. */
static void add(struct reasons *reasons, const struct reason *reason)
{
    struct reason *list = memory_new(reasons->count + 1, sizeof(*list));
    if (reasons->count)
        memcpy(list, reasons->list, reasons->count * sizeof(*list));
    list[reasons->count] = *reason;
    reasons->list = list;
    reasons->count++;
}

void reasons_add(struct reasons *reasons, enum reason_joint joint, const struct reason_words *words,
                 const struct reason_value *values, size_t count)
{
    struct reason_value *list = memory_new(count + 1, sizeof(*list));
    for (size_t i = 0; i < count; i++)
        list[i] = kept(&values[i]);
    add(reasons, &(struct reason){words, joint, count, list});
}

void reasons_append(struct reasons *reasons, enum reason_joint joint, const struct reasons *more)
{
    for (size_t i = 0; i < more->count; i++) {
        struct reason reason = more->list[i];
        reason.joint = i ? reason.joint : joint;
        add(reasons, &reason);
    }
}

const struct reason *reasons_find(const struct reasons *reasons, const struct reason_words *words)
{
    for (size_t i = 0; i < reasons->count; i++)
        if (reasons->list[i].words == words)
            return &reasons->list[i];
    return NULL;
}

static bool is_equal(const struct reason_value *one, const struct reason_value *other)
{
    if (one->kind != other->kind)
        return false;
    switch (one->kind) {
    case REASON_NUMBER: /* NaN is what it is */
        return one->number == other->number || (isnan(one->number) && isnan(other->number));
    case REASON_COUNT:
        return one->count == other->count;
    case REASON_TEXT:
        return strcmp(one->text ? one->text : "", other->text ? other->text : "") == 0;
    case REASON_REASONS:
        return one->reasons && other->reasons ? reasons_equal(one->reasons, other->reasons)
                                              : one->reasons == other->reasons;
    case REASON_ABSENT:
        break;
    }
    return true;
}

bool reasons_equal(const struct reasons *one, const struct reasons *other)
{
    if (one->count != other->count)
        return false;
    for (size_t i = 0; i < one->count; i++) {
        const struct reason *left = &one->list[i], *right = &other->list[i];
        if (left->words != right->words || left->value_count != right->value_count)
            return false;
        for (size_t j = 0; j < left->value_count; j++)
            if (!is_equal(&left->values[j], &right->values[j]))
                return false;
    }
    return true;
}

/* ----------------------------------------------------------------------------------------------
 * Templates. */

/* What stands in braces: a name, and after its colon or bar how it is written. */
struct slot {
    const char *name, *form;
    size_t name_length, form_length;
};

/* At the opening brace; returns what follows the closing one. */
static const char *read_slot(const char *at, struct slot *slot)
{
    const size_t length = strcspn(++at, "}");
    slot->name = at;
    slot->name_length = strcspn(at, ":|}");
    slot->form = at + slot->name_length;
    slot->form_length = length - slot->name_length;
    return at + length + (at[length] == '}');
}

static bool is_same_name(const struct slot *one, const struct slot *other)
{
    return one->name_length == other->name_length &&
           strncmp(one->name, other->name, one->name_length) == 0;
}

/* The names of a template, each once, in order. */
static size_t read_names(const char *template, struct slot names[REASON_ARGUMENTS])
{
    size_t count = 0;
    for (const char *at = template; (at = strchr(at, '{'));) {
        struct slot slot;
        size_t same = 0;
        if (at[1] == '{') {
            at += 2;
            continue;
        }
        at = read_slot(at, &slot);
        while (same < count && !is_same_name(&names[same], &slot))
            same++;
        if (same == count && count < REASON_ARGUMENTS)
            names[count++] = slot;
    }
    return count;
}

bool reason_argument(const struct reason_words *words, size_t index, const char **name,
                     size_t *length)
{
    struct slot names[REASON_ARGUMENTS];
    if (index >= read_names(words->words, names))
        return false;
    *name = names[index].name;
    *length = names[index].name_length;
    return true;
}

static const struct reason_value *value_of(const struct reason *reason, const struct slot *slot)
{
    static const struct reason_value absent = {.kind = REASON_ABSENT};
    struct slot names[REASON_ARGUMENTS];
    const size_t count = read_names(reason->words->words, names);
    size_t index = 0;
    while (index < count && !is_same_name(&names[index], slot))
        index++;
    return index < reason->value_count ? &reason->values[index] : &absent;
}

static bool is_absent(const struct reason_value *value)
{
    switch (value->kind) {
    case REASON_NUMBER:
        return !isfinite(value->number);
    case REASON_TEXT:
        return !value->text || !*value->text;
    case REASON_REASONS:
        return !value->reasons || !value->reasons->count;
    case REASON_COUNT:
        return false;
    case REASON_ABSENT:
        break;
    }
    return true;
}

static bool has_form(const struct slot *slot, const char *form)
{
    return slot->form_length == strlen(form) && strncmp(slot->form, form, slot->form_length) == 0;
}

/* "|run|runs" */
static void put_plural(const struct slot *slot, bool one, struct text *out)
{
    const char *first = slot->form + 1;
    const size_t length = strcspn(first, "|}");
    if (one)
        text_append(out, first, length);
    else if (first[length] == '|')
        text_append(out, first + length + 1, slot->form_length - length - 2);
}

static void put_number(double number, const struct slot *slot, struct text *out)
{
    char text[NUMBER_SIZE], format[16];
    if (has_form(slot, ":time")) {
        text_puts(out, number_time(number, text, sizeof(text)));
    } else if (has_form(slot, ":bytes")) {
        text_puts(out, number_bytes((uint64_t)number, text, sizeof(text)));
    } else if (has_form(slot, ":signed")) {
        text_puts(out, signed_figure(number, text));
    } else if (has_form(slot, ":brief")) {
        text_puts(out, number_brief(number, text, sizeof(text)));
    } else if (slot->form_length == 2 && isdigit((unsigned char)slot->form[1])) {
        text_puts(out, figure_rounded(number, slot->form[1] - '0', text));
    } else if (slot->form_length == 3 && slot->form[1] == '+') {
        text_puts(out, number > 0 ? "+" : "");
        text_puts(out, figure_rounded(number, slot->form[2] - '0', text));
    } else if (slot->form_length > 1 && slot->form[1] == '%' &&
               slot->form_length < sizeof(format)) {
        /* Formats come from the tables of studies, never from outside. */
        snprintf(format, sizeof(format), "%.*s", (int)slot->form_length - 1, slot->form + 1);
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
        snprintf(text, sizeof(text), format, number);
#pragma GCC diagnostic pop
        text_puts(out, text);
    } else {
        text_puts(out, figure_of(number, text));
    }
}

static void put_value(const struct reason *reason, const struct slot *slot, struct text *out)
{
    const struct reason_value *value = value_of(reason, slot);
    char digits[NUMBER_SIZE];
    const bool counted = value->kind == REASON_COUNT;
    if (slot->form_length && slot->form[0] == '|')
        put_plural(slot, counted ? value->count == 1 : value->number == 1, out);
    else if (counted && !slot->form_length)
        text_puts(out, number_count(value->count, digits, sizeof(digits)));
    else if (counted && has_form(slot, ":plain"))
        text_printf(out, "%llu", (unsigned long long)value->count);
    else if (counted || value->kind == REASON_NUMBER)
        put_number(counted ? (double)value->count : value->number, slot, out);
    else if (value->kind == REASON_TEXT)
        text_puts(out, value->text ? value->text : "");
    else if (value->kind == REASON_REASONS && value->reasons)
        reasons_put(value->reasons, out);
}

/* Is every argument of the part at its opening bracket there? *end is behind the closing one. */
static bool is_whole(const struct reason *reason, const char *at, const char **end)
{
    bool whole = true;
    for (at++; *at && (*at != ']' || at[1] == ']');) {
        struct slot slot;
        if (*at != '{' || at[1] == '{') {
            at += at[1] == *at && strchr("{[]", *at) ? 2 : 1;
            continue;
        }
        at = read_slot(at, &slot);
        whole = whole && !is_absent(value_of(reason, &slot));
    }
    *end = at + (*at == ']');
    return whole;
}

void reason_put(const struct reason *reason, struct text *out)
{
    const char *at = reason->words->words;
    while (*at) {
        const size_t plain = strcspn(at, "{[]");
        text_append(out, at, plain);
        at += plain;
        const char *end;
        struct slot slot;
        if (!*at)
            break;
        if (at[1] == *at) {
            text_putc(out, *at);
            at += 2;
        } else if (*at == '{') {
            at = read_slot(at, &slot);
            put_value(reason, &slot, out);
        } else if (*at == '[' && !is_whole(reason, at, &end)) {
            at = end;
        } else {
            at++; /* a bracket about what is there */
        }
    }
}

void reasons_put(const struct reasons *reasons, struct text *out)
{
    static const char *const joints[] = {"; ", " ", "", ", "};
    for (size_t i = 0; i < reasons->count; i++) {
        text_puts(out, i ? joints[reasons->list[i].joint] : "");
        reason_put(&reasons->list[i], out);
    }
}

const char *reasons_text(const struct reasons *reasons)
{
    struct text text = {0};
    reasons_put(reasons, &text);
    return reasons->count ? memory_text(&text) : "";
}
