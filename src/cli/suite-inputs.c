/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Makes the inputs of workloads. What is made follows from kind, size and seed alone, so that the
 * same program does the same work on every machine; nothing is fetched from anywhere. */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/text.h"
#include "studies/repeat/suite.h"
#include "stats/random.h"

#define VOCABULARY 4096u

/* A number below limit, small ones far more often: as words are used. */
static uint64_t often_small(struct random *random, uint64_t limit)
{
    return random_below(random, random_below(random, random_below(random, limit) + 1) + 1);
}

/* The word of this number: the same for every text. */
static void put_word(struct text *out, uint64_t number)
{
    static const char *const syllables[] = {"ka", "lo", "mi", "ne", "ru", "sa", "ti", "vo",
                                            "an", "er", "il", "os", "pe", "da", "fu", "gen"};
    do {
        text_puts(out, syllables[number % 16]);
        number /= 16;
    } while (number);
}

/* Sentences in lines, words as often as in a language. */
static void make_text(struct text *out, uint64_t size, struct random *random)
{
    while (out->length < size && !out->failed) {
        const uint64_t words = 6 + random_below(random, 10);
        for (uint64_t word = 0; word < words; word++) {
            if (word)
                text_puts(out, random_below(random, 12) ? " " : ", ");
            put_word(out, often_small(random, VOCABULARY));
        }
        text_puts(out, ".\n");
    }
}

static void make_numbers(struct text *out, uint64_t size, struct random *random)
{
    while (out->length < size && !out->failed)
        text_printf(out, "%" PRIu64 "\n", random_below(random, 1000000000));
}

static void make_bytes(struct text *out, uint64_t size, struct random *random)
{
    while (out->length < size && !out->failed) {
        const uint64_t drawn = random_next(random);
        unsigned char bytes[8];
        for (int i = 0; i < 8; i++) /* in this order on every machine */
            bytes[i] = (unsigned char)(drawn >> 8 * i);
        text_append(out, (const char *)bytes, sizeof(bytes));
    }
}

/* Rows of a table: number, name, place, amount, day. */
static void make_table(struct text *out, uint64_t size, struct random *random)
{
    for (uint64_t row = 1; out->length < size && !out->failed; row++) {
        text_printf(out, "%" PRIu64 ",", row);
        put_word(out, 256 + random_below(random, VOCABULARY));
        text_putc(out, ',');
        put_word(out, often_small(random, 64));
        text_printf(out, ",%" PRIu64 ".%02" PRIu64 ",%" PRIu64 "\n", often_small(random, 10000),
                    random_below(random, 100), 1 + random_below(random, 365));
    }
}

static void make_json(struct text *out, uint64_t size, struct random *random)
{
    text_puts(out, "[\n");
    for (uint64_t row = 1; (row == 1 || out->length < size) && !out->failed; row++) {
        text_printf(out, "%s{\"id\":%" PRIu64 ",\"name\":\"", row > 1 ? ",\n" : "", row);
        put_word(out, 256 + random_below(random, VOCABULARY));
        text_printf(out, "\",\"amount\":%" PRIu64 ",\"tags\":[", random_below(random, 100000));
        for (uint64_t tags = 1 + random_below(random, 4), tag = 0; tag < tags; tag++) {
            text_puts(out, tag ? ",\"" : "\"");
            put_word(out, often_small(random, 64));
            text_putc(out, '"');
        }
        text_puts(out, "]}");
    }
    text_puts(out, "\n]\n");
}

/* Functions for a compiler: loops, branches, arithmetic, calls of each other. */
static void make_source(struct text *out, uint64_t size, struct random *random)
{
    uint64_t count = 0;
    text_puts(out, "extern unsigned table[1024];\n");
    for (; (!count || out->length < size) && !out->failed; count++) {
        text_printf(out, "unsigned f%" PRIu64 "(unsigned a, unsigned b)\n{\n    unsigned s = 0;\n",
                    count);
        for (uint64_t line = 3 + random_below(random, 6); line; line--) {
            const uint64_t k = 1 + random_below(random, 1000), m = 1 + random_below(random, 31);
            switch (random_below(random, 4)) {
            case 0:
                text_printf(out,
                            "    for (unsigned i = 0; i < a %% %" PRIu64 "; i++)\n        s += "
                            "table[(i * %" PRIu64 " + b) & 1023];\n",
                            k, m);
                break;
            case 1:
                text_printf(out,
                            "    if ((a ^ b) > %" PRIu64 ")\n        s ^= a << %" PRIu64
                            ";\n    else\n        b += s;\n",
                            k, m);
                break;
            case 2:
                text_printf(out, "    a = a * %" PRIu64 " + (b >> %" PRIu64 ");\n", k, m);
                break;
            default:
                if (count)
                    text_printf(out, "    s += f%" PRIu64 "(b, a + %" PRIu64 ");\n",
                                random_below(random, count), k);
            }
        }
        text_puts(out, "    return s + a + b;\n}\n");
    }
}

/* A portable pixmap: a gradient with noise, four times as wide as high. */
static void make_pixels(struct text *out, uint64_t size, struct random *random)
{
    unsigned height = 8;
    while (12ull * height * height < size)
        height += 8;
    text_printf(out, "P6\n%u %u\n255\n", 4 * height, height);
    for (unsigned y = 0; y < height; y++)
        for (unsigned x = 0; x < 4 * height && !out->failed; x++) {
            const uint64_t drawn = random_next(random);
            const unsigned char pixel[3] = {(unsigned char)(x * 255 / (4 * height)),
                                            (unsigned char)(y * 255 / height),
                                            (unsigned char)((x ^ y) + (drawn & 31))};
            text_append(out, (const char *)pixel, sizeof(pixel));
        }
}

static const struct {
    const char *kind;
    void (*make)(struct text *out, uint64_t size, struct random *random);
} kinds[] = {
    {"text", make_text}, {"numbers", make_numbers}, {"bytes", make_bytes},   {"table", make_table},
    {"json", make_json}, {"source", make_source},   {"pixels", make_pixels},
};
enum { KINDS = sizeof(kinds) / sizeof(*kinds) };

bool made_input_known(const char *kind)
{
    for (size_t i = 0; i < KINDS; i++)
        if (strcmp(kinds[i].kind, kind) == 0)
            return true;
    return false;
}

static int read_beside(const struct made_input *input, const char *folder, struct text *out,
                       struct failure *failure)
{
    AUTO_TEXT struct text path = {0};
    text_printf(&path, "%s/%s", folder, input->file);
    AUTO_CLOSE int fd = open(text_string(&path), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    struct stat about;
    if (fd < 0 || fstat(fd, &about) < 0)
        return fail_with(failure, -errno, "the input %.300s cannot be read: %s", text_string(&path),
                         strerror(errno));
    if (!S_ISREG(about.st_mode) || (uint64_t)about.st_size > BROUGHT_MOST_BYTES)
        return fail_with(failure, -EINVAL,
                         "the input %.300s is no ordinary file of at most %u bytes",
                         text_string(&path), BROUGHT_MOST_BYTES);
    char buffer[65536];
    ssize_t got;
    while ((got = read(fd, buffer, sizeof(buffer))) > 0 && out->length <= BROUGHT_MOST_BYTES)
        text_append(out, buffer, (size_t)got);
    return got < 0 ? fail_with(failure, -errno, "the input %.300s cannot be read: %s",
                               text_string(&path), strerror(errno))
                   : 0;
}

int made_input_bytes(const struct made_input *input, const char *folder, char **bytes,
                     size_t *length, struct failure *failure)
{
    AUTO_TEXT struct text out = {0};
    struct random random;
    int error = 0;
    random_seed(&random, input->seed);
    if (!input->kind)
        error = read_beside(input, folder, &out, failure);
    for (size_t i = 0; input->kind && i < KINDS; i++)
        if (strcmp(kinds[i].kind, input->kind) == 0)
            kinds[i].make(&out, input->size, &random);
    if (error)
        return error;
    *length = out.length;
    *bytes = text_take(&out);
    return *bytes ? 0 : fail_with(failure, -ENOMEM, "no memory for the input '%s'", input->name);
}
