/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: MIT
 *
 * Reasons as data. A judge says a code with its numbers and names; a table of the study (words.c)
 * has the sentence for it; JSON has both. Nobody reads a sentence to learn something.
 *
 * A template is plain text with arguments by name, in the order in which the judge gives them:
 *
 *     {clock}          a text as it is; a number as figure_of, a count with commas
 *     {step:time}      nanoseconds in the fitting unit            {share:2} two digits (ROUNDED)
 *     {off:signed}     always with a sign                         {size:bytes} KiB or MiB
 *     {off:+2}         two digits, with a sign
 *     {ratio:%.3g}     as printf writes a double                  {n:plain} a count without commas
 *     {runs|run|runs}  a word for 1, another for any other number, which is not printed itself
 *     [ of {clock}]    left out where an argument in it is absent: a NULL or empty text, a number
 *                      that is not finite, reasons that say nothing
 *
 * A name that stands a second time is the same argument. `[[`, `]]` and `{{` are the signs
 * themselves. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/text.h"

#define REASON_ARGUMENTS 8u /* of one sentence at most */

struct reason_words {
    const char *code;  /* "coarse-steps": for programs; never changes its meaning */
    const char *words; /* the template */
    int tag;           /* what several studies say alike, for who groups reasons; 0: nothing */
};

enum reason_kind { REASON_ABSENT, REASON_NUMBER, REASON_COUNT, REASON_TEXT, REASON_REASONS };
struct reason_value {
    enum reason_kind kind;
    double number;
    uint64_t count;
    const char *text;
    const struct reasons *reasons; /* what is said within this sentence; copied */
};

/* How a clause follows the one before it. */
enum reason_joint {
    JOINT_CLAUSE,   /* "; " */
    JOINT_SENTENCE, /* " " */
    JOINT_NONE,
    JOINT_LIST, /* ", " */
};

struct reason {
    const struct reason_words *words;
    enum reason_joint joint;
    size_t value_count;
    const struct reason_value *values;
};

/* One or more clauses. Start from all zeros; may be copied like a number: what is added to a copy
 * does not reach the original. Memory is the scope's (base/memory.h). */
struct reasons {
    const struct reason *list;
    size_t count;
};

void reasons_add(struct reasons *reasons, enum reason_joint joint, const struct reason_words *words,
                 const struct reason_value *values, size_t count);
/* All clauses of another behind these. */
void reasons_append(struct reasons *reasons, enum reason_joint joint, const struct reasons *more);
/* Does any clause say this? NULL for none; the first that does. */
const struct reason *reasons_find(const struct reasons *reasons, const struct reason_words *words);
/* The first that has this tag, reasons that are arguments included; NULL: none has. */
const struct reason *reasons_tagged(const struct reasons *reasons, int tag);
/* The same without this argument of those that have the tag: what is said elsewhere already. */
struct reasons reasons_without(const struct reasons *reasons, int tag, size_t argument);
/* The same codes with the same arguments? */
bool reasons_equal(const struct reasons *one, const struct reasons *other);

/* Appends the sentence. */
void reasons_put(const struct reasons *reasons, struct text *out);
/* One clause of it alone. */
void reason_put(const struct reason *reason, struct text *out);
/* The sentence, of the scope's memory; "" where there is none. */
const char *reasons_text(const struct reasons *reasons);

/* The name of the argument with this index in the template: "clock"; false: there is none. */
bool reason_argument(const struct reason_words *words, size_t index, const char **name,
                     size_t *length);

static inline struct reason_value reason_number(double number)
{
    return (struct reason_value){.kind = REASON_NUMBER, .number = number};
}
static inline struct reason_value reason_count(uint64_t count)
{
    return (struct reason_value){.kind = REASON_COUNT, .count = count};
}
static inline struct reason_value reason_integer(int64_t number)
{
    return number < 0 ? reason_number((double)number) : reason_count((uint64_t)number);
}
static inline struct reason_value reason_text(const char *text)
{
    return (struct reason_value){.kind = REASON_TEXT, .text = text};
}
static inline struct reason_value reason_reasons(const struct reasons *reasons)
{
    return (struct reason_value){.kind = REASON_REASONS, .reasons = reasons};
}

/* Any argument by its type. */
#define REASON_VALUE(x)                                                                            \
    _Generic((x), double                                                                           \
             : reason_number, float                                                                \
             : reason_number, bool                                                                 \
             : reason_count, unsigned char                                                         \
             : reason_count, unsigned short                                                        \
             : reason_count, unsigned                                                              \
             : reason_count, unsigned long                                                         \
             : reason_count, unsigned long long                                                    \
             : reason_count, int                                                                   \
             : reason_integer, long                                                                \
             : reason_integer, long long                                                           \
             : reason_integer, struct reasons *                                                    \
             : reason_reasons, const struct reasons *                                              \
             : reason_reasons, char *                                                              \
             : reason_text, const char *                                                           \
             : reason_text)(x)

/* REASON(&verdict->why, CLAUSE, &clocks_words[CLOCKS_COARSE], step_ns, name): up to eight
 * arguments. */
#ifdef __cppcheck__ /* does not know __VA_OPT__ */
#define REASON(reasons, joint, ...) reasons_add(reasons, JOINT_##joint, NULL, NULL, 0)
#else
#define REASON(reasons, joint, words, ...)                                                         \
    REASON_PICK(__VA_ARGS__ __VA_OPT__(, ) 8, 7, 6, 5, 4, 3, 2, 1, 0)                              \
    (reasons, joint, words __VA_OPT__(, ) __VA_ARGS__)
#define REASON_PICK(_1, _2, _3, _4, _5, _6, _7, _8, count, ...) REASON_##count
#define REASON_GIVE(reasons, joint, words, n, ...)                                                 \
    reasons_add(reasons, JOINT_##joint, words, (const struct reason_value[]){__VA_ARGS__}, n)
#define REASON_0(r, j, w)       reasons_add(r, JOINT_##j, w, NULL, 0)
#define REASON_1(r, j, w, a)    REASON_GIVE(r, j, w, 1, REASON_VALUE(a))
#define REASON_2(r, j, w, a, b) REASON_GIVE(r, j, w, 2, REASON_VALUE(a), REASON_VALUE(b))
#define REASON_3(r, j, w, a, b, c)                                                                 \
    REASON_GIVE(r, j, w, 3, REASON_VALUE(a), REASON_VALUE(b), REASON_VALUE(c))
#define REASON_4(r, j, w, a, b, c, d)                                                              \
    REASON_GIVE(r, j, w, 4, REASON_VALUE(a), REASON_VALUE(b), REASON_VALUE(c), REASON_VALUE(d))
#define REASON_5(r, j, w, a, b, c, d, e)                                                           \
    REASON_GIVE(r, j, w, 5, REASON_VALUE(a), REASON_VALUE(b), REASON_VALUE(c), REASON_VALUE(d),    \
                REASON_VALUE(e))
#define REASON_6(r, j, w, a, b, c, d, e, f)                                                        \
    REASON_GIVE(r, j, w, 6, REASON_VALUE(a), REASON_VALUE(b), REASON_VALUE(c), REASON_VALUE(d),    \
                REASON_VALUE(e), REASON_VALUE(f))
#define REASON_7(r, j, w, a, b, c, d, e, f, g)                                                     \
    REASON_GIVE(r, j, w, 7, REASON_VALUE(a), REASON_VALUE(b), REASON_VALUE(c), REASON_VALUE(d),    \
                REASON_VALUE(e), REASON_VALUE(f), REASON_VALUE(g))
#define REASON_8(r, j, w, a, b, c, d, e, f, g, h)                                                  \
    REASON_GIVE(r, j, w, 8, REASON_VALUE(a), REASON_VALUE(b), REASON_VALUE(c), REASON_VALUE(d),    \
                REASON_VALUE(e), REASON_VALUE(f), REASON_VALUE(g), REASON_VALUE(h))
#endif
