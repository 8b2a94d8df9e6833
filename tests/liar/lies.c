/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * One function a lie, in a table; several lies are told one after the other, in the order given. */
#include "lies.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What a lie works on: the count so far, as it will be shown, and what it was in truth. */
struct telling {
    const struct lie *lie;
    size_t index; /* of the lie */
    const struct span *span;
    struct lie_memory *memory;
    uint64_t *state, *stuck;
    double count;
    uint64_t *running;
};

struct lie_word {
    const char *name, *amount, *help;
    double standard; /* the amount where none is given; NAN: it must be */
    void (*tell)(struct telling *telling);
};

/* --- random numbers: splitmix64 --- */

static uint64_t draw(uint64_t *state)
{
    uint64_t mixed = *state += UINT64_C(0x9e3779b97f4a7c15);
    mixed = (mixed ^ mixed >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    mixed = (mixed ^ mixed >> 27) * UINT64_C(0x94d049bb133111eb);
    return mixed ^ mixed >> 31;
}

/* In (0, 1). */
static double draw_share(uint64_t *state)
{
    return ((double)(draw(state) >> 11) + 0.5) / 9007199254740992.0;
}

static double draw_normal(uint64_t *state)
{
    double radius = sqrt(-2 * log(draw_share(state)));
    return radius * cos(6.283185307179586 * draw_share(state));
}

/* --- the lies --- */

static void tell_offset(struct telling *telling)
{
    if (telling->lie->after > 0 && (double)telling->span->enabled <= telling->lie->after)
        return;
    if (telling->lie->everywhere || (double)telling->span->count > telling->lie->above)
        telling->count += telling->lie->amount;
}

static void tell_factor(struct telling *telling)
{
    telling->count *= telling->lie->amount;
}

static void tell_zeros(struct telling *telling)
{
    telling->count = 0;
}

/* Half of the lost runs lose all, the others a part. */
static void tell_lost(struct telling *telling)
{
    if (draw_share(telling->state) >= telling->lie->amount)
        return;
    double part = draw_share(telling->state);
    telling->count = part < 0.5 ? 0 : telling->count * (2 * part - 1);
}

static void tell_noise(struct telling *telling)
{
    double deviation =
        telling->lie->percent ? telling->count * telling->lie->amount / 100 : telling->lie->amount;
    telling->count += deviation * draw_normal(telling->state);
}

static void tell_fault(struct telling *telling)
{
    telling->count += telling->lie->amount * (double)telling->span->faults;
}

static void tell_leak(struct telling *telling)
{
    telling->count += telling->lie->amount * (double)telling->span->calls;
}

/* The PMU ignores that the operating system is to be left out. */
static void tell_unfiltered(struct telling *telling)
{
    telling->count += (double)telling->span->kernel;
}

static void tell_switch(struct telling *telling)
{
    telling->count -= telling->lie->amount * (double)telling->span->switches;
}

static void tell_rare(struct telling *telling)
{
    if (telling->span->count > 0 && draw_share(telling->state) < telling->lie->amount)
        telling->count += telling->lie->more;
}

static void tell_branches(struct telling *telling)
{
    telling->count = (double)telling->span->branches;
}

static void tell_wrap(struct telling *telling)
{
    telling->count = fmod(telling->count, exp2(telling->lie->amount));
}

/* The counter claims to have had the PMU half of the time, but counted all of it. */
static void tell_scale(struct telling *telling)
{
    if (draw_share(telling->state) < telling->lie->amount)
        *telling->running /= 2;
}

/* It really counted half of the time, and that half was not like the other. */
static void tell_multiplex(struct telling *telling)
{
    *telling->running /= 2;
    telling->count *= 0.5 * (1 + telling->lie->amount * draw_normal(telling->state));
}

static void tell_threshold(struct telling *telling)
{
    if (telling->count < telling->lie->amount)
        telling->count = 0;
}

static void tell_opcode(struct telling *telling)
{
    telling->count += (telling->lie->amount - 1) * (double)telling->span->opcodes[telling->index];
}

/* The first of all that is not 0: nothing is counted where a process only tries to start and stop.
 */
static void tell_stuck(struct telling *telling)
{
    if (!*telling->stuck && telling->count > 0)
        *telling->stuck = (uint64_t)telling->count;
    telling->count = (double)*telling->stuck;
}

static void tell_saturate(struct telling *telling)
{
    telling->count = fmin(telling->count, telling->lie->amount);
}

static void tell_late(struct telling *telling)
{
    uint64_t now = telling->count > 0 ? (uint64_t)telling->count : 0;
    if (telling->memory->has_previous)
        telling->count = (double)telling->memory->previous;
    telling->memory->has_previous = true;
    telling->memory->previous = now;
}

static const struct lie_word words[] = {
    {"offset", "K", "K too many in every window that is not empty", NAN, tell_offset},
    {"factor", "F", "F times the count", NAN, tell_factor},
    {"zeros", "", "always 0", 0, tell_zeros},
    {"lost", "SHARE", "that share of the runs loses all, or a part", NAN, tell_lost},
    {"noise", "SD", "normal noise of SD counts, or with % of the count", NAN, tell_noise},
    {"fault", "K", "K too many for each page fault", 1, tell_fault},
    {"leak", "K", "K too many for each system call (stepped tasks)", NAN, tell_leak},
    {"unfiltered", "", "what --kernel says, with :u as well (stepped tasks)", 0, tell_unfiltered},
    {"switch", "K", "K too few for each read that waits (stepped tasks)", NAN, tell_switch},
    {"rare", "SHARE:K", "that share of the runs that count is K off", NAN, tell_rare},
    {"branches", "", "branches instead of what it should count (stepped tasks)", 0, tell_branches},
    {"wrap", "BITS", "what no longer fits into BITS bits is gone", 32, tell_wrap},
    {"scale", "SHARE", "that share of the runs claims half the time, with all the count", 1,
     tell_scale},
    {"multiplex", "SD", "half the time, half the count, and off by a share of SD", NAN,
     tell_multiplex},
    {"threshold", "N", "0 instead of less than N", NAN, tell_threshold},
    {"opcode", "NAME:TIMES", "every NAME counts TIMES (stepped tasks)", NAN, tell_opcode},
    {"stuck", "", "every run, of any process, shows what the first one counted", 0, tell_stuck},
    {"saturate", "MAX", "at most MAX", NAN, tell_saturate},
    {"late", "", "every run shows what the one before it counted", 0, tell_late},
};
#define WORDS (sizeof(words) / sizeof(words[0]))

uint64_t lies_tell(struct lies *lies, struct lie_memory *memory, const struct span *span,
                   uint64_t *running)
{
    struct telling telling = {
        .span = span,
        .memory = memory,
        .state = &lies->state,
        .stuck = &lies->stuck,
        .count = (double)span->count,
        .running = running,
    };
    if (!lies->count)
        return span->count;
    for (telling.index = 0; telling.index < lies->count; telling.index++) {
        telling.lie = &lies->list[telling.index];
        telling.lie->word->tell(&telling);
    }
    return telling.count > 0 ? (uint64_t)llround(telling.count) : 0;
}

/* --- from words to lies --- */

static int complain(char *why, size_t size, const char *specification, const char *what)
{
    snprintf(why, size, "--lie %s: %s", specification, what);
    return -EINVAL;
}

/* "AMOUNT", "AMOUNT%"; the whole text. */
static bool read_amount(const char *text, struct lie *lie)
{
    char *rest;
    errno = 0;
    lie->amount = strtod(text, &rest);
    lie->percent = *rest == '%';
    return rest != text && !errno && isfinite(lie->amount) && !rest[lie->percent ? 1 : 0];
}

/* The whole text. */
static bool read_number(const char *text, double *number)
{
    char *rest;
    *number = strtod(text, &rest);
    return rest != text && !*rest && isfinite(*number);
}

/* "everywhere", "above=COUNT" or "after=MS", behind the amount. */
static bool read_option(const char *text, struct lie *lie)
{
    if (strcmp(text, "everywhere") == 0)
        return lie->everywhere = true;
    if (strncmp(text, "above=", 6) == 0)
        return read_number(text + 6, &lie->above);
    if (strncmp(text, "after=", 6) != 0 || !read_number(text + 6, &lie->after))
        return false;
    lie->after *= 1e6;
    return lie->after > 0;
}

static bool read_rest(struct lie *lie, char *amount, char *option)
{
    if (lie->word->tell == tell_opcode) {
        lie->opcode = amount ? opcode_find(amount) : NULL;
        return lie->opcode && option && read_amount(option, lie);
    }
    if (lie->word->tell == tell_rare)
        return amount && option && read_amount(amount, lie) && read_number(option, &lie->more);
    if (option && (lie->word->tell != tell_offset || !read_option(option, lie)))
        return false;
    if (amount)
        return *lie->word->amount && read_amount(amount, lie);
    lie->amount = lie->word->standard;
    return !isnan(lie->amount);
}

int lies_add(struct lies *lies, const char *specification, char *why, size_t size)
{
    char text[128];
    struct lie lie = {0};
    if (lies->count == LIES_MOST || strlen(specification) >= sizeof(text))
        return complain(why, size, specification, "too long, or too many lies");
    strcpy(text, specification);
    char *amount = strchr(text, '='), *option = strchr(text, ':');
    if (amount && option && option < amount)
        amount = NULL;
    if (amount)
        *amount++ = '\0';
    if (option)
        *option++ = '\0';
    for (size_t i = 0; i < WORDS && !lie.word; i++)
        lie.word = strcmp(words[i].name, text) == 0 ? &words[i] : NULL;
    if (!lie.word)
        return complain(why, size, specification, "not a lie I know; see --help");
    if (!read_rest(&lie, amount, option))
        return complain(why, size, specification, "malformed; see --help");
    lies->list[lies->count++] = lie;
    return 0;
}

void lies_help(char *text, size_t size)
{
    char names[256];
    size_t used = 0;
    for (size_t i = 0; i < WORDS && used < size; i++)
        used += (size_t)snprintf(text + used, size - used, "  %s%s%-*s  %s\n", words[i].name,
                                 *words[i].amount ? "=" : " ", (int)(20 - strlen(words[i].name)),
                                 words[i].amount, words[i].help);
    opcode_list(names, sizeof(names));
    if (used < size)
        snprintf(text + used, size - used,
                 "offset takes :everywhere, :above=COUNT for which windows count as empty, or\n"
                 ":after=MS for which windows are too short to be told of.\n"
                 "Opcodes: %s\n",
                 names);
}

/* --- spans --- */

void span_add(struct span *sum, const struct span *more)
{
    sum->count += more->count;
    sum->faults += more->faults;
    sum->calls += more->calls;
    sum->branches += more->branches;
    sum->switches += more->switches;
    sum->kernel += more->kernel;
    sum->enabled += more->enabled;
    sum->running += more->running;
    for (size_t i = 0; i < LIES_MOST; i++)
        sum->opcodes[i] += more->opcodes[i];
}

struct span span_difference(const struct span *later, const struct span *earlier)
{
    struct span result = *later;
    result.count -= earlier->count;
    result.faults -= earlier->faults;
    result.calls -= earlier->calls;
    result.branches -= earlier->branches;
    result.switches -= earlier->switches;
    result.kernel -= earlier->kernel;
    result.enabled -= earlier->enabled;
    result.running -= earlier->running;
    for (size_t i = 0; i < LIES_MOST; i++)
        result.opcodes[i] -= earlier->opcodes[i];
    return result;
}
