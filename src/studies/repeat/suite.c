/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Reads suites. inih takes lines apart; what it would cut off or pass over is refused here, with
 * the line, so that nothing is run that nobody wrote. */
#include <errno.h>
#include <fcntl.h>
#include <ini.h>
#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/memory.h"
#include "base/text.h"
#include "base/words.h"
#include "lab/tool.h"
#include "stats/random.h"
#include "studies/repeat/suite.h"

/* ----------------------------------------------------------------------------------------------
 * Makes the inputs of workloads. What is made follows from kind, size and seed alone, so that the
 * same program does the same work on every machine; nothing is fetched from anywhere. */

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
    while (out->length < size) {
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
    while (out->length < size)
        text_printf(out, "%" PRIu64 "\n", random_below(random, 1000000000));
}

static void make_bytes(struct text *out, uint64_t size, struct random *random)
{
    while (out->length < size) {
        const uint64_t drawn = random_next(random);
        for (int i = 0; i < 8; i++) /* in this order on every machine */
            text_putc(out, (char)(unsigned char)(drawn >> 8 * i));
    }
}

/* Rows of a table: number, name, place, amount, day. */
static void make_table(struct text *out, uint64_t size, struct random *random)
{
    for (uint64_t row = 1; out->length < size; row++) {
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
    for (uint64_t row = 1; row == 1 || out->length < size; row++) {
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
    for (; !count || out->length < size; count++) {
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
        for (unsigned x = 0; x < 4 * height; x++) {
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

/* what: "the input". */
static int read_plain_file(const char *path, const char *what, size_t most, struct text *out,
                           struct failure *failure)
{
    AUTO_CLOSE int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    struct stat about;
    char buffer[65536];
    ssize_t got = -1;
    if (fd >= 0 && fstat(fd, &about) == 0) {
        if (!S_ISREG(about.st_mode) || (uint64_t)about.st_size > most)
            return fail_with(failure, -EINVAL, "%s %.300s is no ordinary file of at most %zu bytes",
                             what, path, most);
        while ((got = read(fd, buffer, sizeof(buffer))) > 0 && out->length <= most)
            text_append(out, buffer, (size_t)got);
    }
    return got < 0 ? fail_with(failure, -errno, "%s %.300s cannot be read: %s", what, path,
                               strerror(errno))
                   : 0;
}

int made_input_bytes(const struct made_input *input, const char *folder, struct text *bytes,
                     struct failure *failure)
{
    struct random random;
    random_seed(&random, input->seed);
    if (!input->kind)
        return read_plain_file(memory_format("%s/%s", folder, input->file), "the input",
                               BROUGHT_MOST_BYTES, bytes, failure);
    for (size_t i = 0; i < KINDS; i++)
        if (strcmp(kinds[i].kind, input->kind) == 0)
            kinds[i].make(bytes, input->size, &random);
    return 0;
}

/* ----------------------------------------------------------------------------------------------
 * What suites need where they run: inputs are brought to the machine under test, and programs are
 * looked for there. */

/* Does the text mention {brought}/NAME, and not only a name that begins so? */
static bool mentions(const char *text, const char *name)
{
    const size_t length = strlen(name);
    for (const char *at = text; (at = strstr(at, PLACE_BROUGHT "/"));) {
        at += strlen(PLACE_BROUGHT "/");
        const char behind[2] = {strncmp(at, name, length) == 0 ? at[length] : 'x', '\0'};
        if (!behind[0] || !brought_name_is_plain(behind))
            return true;
    }
    return false;
}

int suite_bring(const struct suite *suite, struct session *session, struct failure *failure)
{
    char *folder = memory_copy(suite->path), *slash = strrchr(folder, '/');
    int error = 0;
    if (slash)
        slash[slash == folder] = '\0';
    for (size_t i = 0; i < suite->input_count && !error; i++) {
        const struct made_input *input = &suite->inputs[i];
        AUTO_TEXT struct text bytes = {0};
        bool wanted = false;
        for (size_t j = 0; j < suite->count && !wanted; j++)
            wanted = mentions(suite->list[j].command, input->name) ||
                     mentions(suite->list[j].input, input->name);
        if (!wanted)
            continue;
        error = made_input_bytes(input, slash ? folder : ".", &bytes, failure);
        if (!error)
            error = session_bring(session, input->name, text_string(&bytes), bytes.length, false,
                                  failure);
    }
    return error;
}

int suite_lacks(const struct workload *workload, struct session *session, struct failure *failure)
{
    char *needs = memory_copy(workload->needs), *rest = NULL;
    for (const char *word = strtok_r(needs, " ", &rest); word; word = strtok_r(NULL, " ", &rest)) {
        struct failure why = {0};
        int error = strstr(word, PLACE_BROUGHT) ? 0 : session_find(session, word, &why);
        if (error == -ENOENT)
            return fail_with(failure, -ENOENT,
                             "%s is not installed on the machine under test%s%s%s", word,
                             *workload->package ? ": the package " : "", workload->package,
                             *workload->package ? " of Debian brings it (--install, on the machine "
                                                  "that assay runs on)"
                                                : "");
        if (error)
            return fail_with(failure, error, "%s", why.text);
    }
    return 0;
}

/* ----------------------------------------------------------------------------------------------
 * --install: the packages of workloads, on this machine, by apt-get. Only what a program is missing
 * from is installed, and it is said before. */

static bool is_here(const char *word)
{
    if (strchr(word, '/'))
        return access(word, F_OK) == 0;
    AUTO_FREE char *path = tool_path(word);
    return path != NULL;
}

static bool lacks(const struct workload *workload)
{
    char *needs = memory_copy(workload->needs), *rest = NULL;
    for (const char *word = strtok_r(needs, " ", &rest); word; word = strtok_r(NULL, " ", &rest))
        if (!strstr(word, PLACE_BROUGHT) && !is_here(word))
            return true;
    return false;
}

static bool has(const char *const *words, size_t count, const char *word)
{
    for (size_t i = 0; i < count; i++)
        if (strcmp(words[i], word) == 0)
            return true;
    return false;
}

static bool pass_line(void *context, const char *line)
{
    void (*const *say)(const char *) = context;
    if (*say)
        (*say)(line);
    return *say != NULL;
}

int suite_install(const struct suite *suite, const volatile int *stop, void (*say)(const char *),
                  struct failure *failure)
{
    enum { FIXED = 4 };
    const char **argv = memory_new(suite->count + FIXED + 1, sizeof(*argv));
    AUTO_TEXT struct text names = {0};
    size_t count = FIXED;
    const char *const fixed[FIXED] = {"apt-get", "install", "--yes", "--no-install-recommends"};
    memcpy(argv, fixed, sizeof(fixed));
    for (size_t i = 0; i < suite->count; i++) {
        const char *package = suite->list[i].package;
        if (!*package || !lacks(&suite->list[i]) || has(argv + FIXED, count - FIXED, package))
            continue;
        argv[count++] = package;
        text_printf(&names, " %s", package);
    }
    if (count == FIXED)
        return 0;
    if (!is_here("apt-get"))
        return fail_with(failure, -ENOENT,
                         "there is no apt-get here: install%.300s in the way of this system (the "
                         "names are Debian's)",
                         text_string(&names));
    if (geteuid() != 0)
        return fail_with(failure, -EPERM,
                         "packages can only be installed by root: run apt-get install%.300s as "
                         "root, or run this once as root",
                         text_string(&names));
    AUTO_TEXT struct text line = {0};
    text_printf(&line, "installing%s", text_string(&names));
    if (say)
        say(text_string(&line));
    AUTO_TEXT struct text said = {0};
    const struct tool tool = {.argv = argv, .stop = stop, .line = pass_line, .context = &say};
    int status = tool_run(&tool, &said, failure);
    if (status <= 0)
        return status;
    char complaint[256];
    tool_complaint(&said, complaint, sizeof(complaint));
    return fail_with(failure, -EIO, "apt-get could not install%s: it ended with status %d%s%s",
                     text_string(&names), status, *complaint ? ": " : "", complaint);
}

/* --- reading: what inih takes apart --- */

#define MOST_BYTES     (1 << 20)
#define MOST_WORKLOADS 256u
#define MOST_SECTION   48 /* what inih keeps of a section's name, and of a key's */
#define INPUT          "input "

struct reading {
    struct suite *suite;
    struct failure *failure; /* of the first thing that is wrong */
    int error;
    const char *rest; /* of the file */
    int line;
    /* where values of the section go: one of the two */
    char section[MOST_SECTION + 2];
    bool begun;
    size_t workload, input; /* indexes; SIZE_MAX: not of this section */
};

static int complain(struct reading *reading, const char *what, const char *value)
{
    if (!reading->error)
        reading->error = fail_with(reading->failure, -EINVAL, "%.300s, line %d: %s%s%.80s%s",
                                   reading->suite->path, reading->line, what, *value ? " '" : "",
                                   value, *value ? "'" : "");
    return 0; /* as inih wants it */
}

/* --- lines, for inih --- */

/* As fgets. Lines that inih would cut are told here, and handed on empty. */
static char *next_line(char *line, int size, void *stream)
{
    struct reading *reading = stream;
    if (!*reading->rest)
        return NULL;
    const size_t length = strcspn(reading->rest, "\n");
    const char *start = reading->rest;
    const char *text = start + strspn(start, " \t");
    const char *close = *text == '[' ? memchr(text, ']', length - (size_t)(text - start)) : NULL;
    reading->rest += length + (start[length] == '\n');
    reading->line++;
    line[0] = '\0';
    reading->begun &= *text != '['; /* the same name again would be told as twice */
    if (length + 2 > (size_t)size)
        complain(reading, "the line is too long: go on with white space at the start of the next",
                 "");
    else if (*text == '[' && (!close || close - text > MOST_SECTION))
        complain(reading, "the name of this section is too long, or has no end", "");
    else {
        memcpy(line, start, length);
        line[length] = '\0';
    }
    strcat(line, "\n");
    return line;
}

/* --- sections --- */

static int begin_section(struct reading *reading, const char *section)
{
    struct suite *suite = reading->suite;
    if (reading->begun && strcmp(section, reading->section) == 0)
        return 1;
    reading->begun = true;
    snprintf(reading->section, sizeof(reading->section), "%s", section);
    if (!*section)
        return complain(reading, "this stands before the first section", "");
    const bool input = strncmp(section, INPUT, strlen(INPUT)) == 0;
    const char *name = input ? section + strlen(INPUT) : section;
    const char *what = input ? "input" : "workload";
    const size_t count = input ? suite->input_count : suite->count;
    if (!brought_name_is_plain(name))
        return complain(
            reading, memory_format("%s %s cannot have the name", input ? "an" : "a", what), name);
    for (size_t i = 0; i < count; i++)
        if (strcmp(input ? suite->inputs[i].name : suite->list[i].name, name) == 0)
            return complain(reading, memory_format("there is another %s of the name", what), name);
    if (count >= (input ? BROUGHT_MOST_FILES : MOST_WORKLOADS))
        return complain(reading, memory_format("there are too many %ss", what), "");
    reading->input = input ? count : SIZE_MAX;
    reading->workload = input ? SIZE_MAX : count;
    if (input)
        memory_add(suite->inputs, suite->input_count)->name = memory_copy(name);
    else
        memory_add(suite->list, suite->count)->name = memory_copy(name);
    return 1;
}

/* --- values --- */

/* A value that goes on in the next line comes again, and is joined by a space. */
static int put_text(char **text, const char *value)
{
    *text = memory_format("%s%s%s", *text ? *text : "", *text ? " " : "", value);
    return 1;
}

/* "300", "64k", "4M" */
static int put_number(struct reading *reading, uint64_t *number, uint64_t most, const char *value)
{
    char *end;
    errno = 0;
    const unsigned long long given = strtoull(value, &end, 10);
    const unsigned shift = *end == 'k' ? 10 : *end == 'M' ? 20 : 0;
    if (*value < '0' || *value > '9' || errno || end[shift ? 1 : 0] || given > most >> shift)
        return complain(reading, "this must be a number that is not too large, but is", value);
    *number = (uint64_t)given << shift;
    return 1;
}

static int put_workload(struct reading *reading, const char *key, const char *value)
{
    struct workload *workload = &reading->suite->list[reading->workload];
    const struct {
        const char *key;
        char **text;
    } texts[] = {
        {"command", &workload->command},
        {"package", &workload->package},
        {"needs", &workload->needs},
        {"input", &workload->input},
    };
    /* What it is like, for people. */
    static const char *const remarks[] = {"about", "threaded", "io"};
    for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++)
        if (strcmp(texts[i].key, key) == 0)
            return put_text(texts[i].text, value);
    for (size_t i = 0; i < sizeof(remarks) / sizeof(*remarks); i++)
        if (strcmp(remarks[i], key) == 0)
            return 1;
    return complain(reading, "a workload has nothing of the name", key);
}

static int put_input(struct reading *reading, const char *key, const char *value)
{
    struct made_input *input = &reading->suite->inputs[reading->input];
    if (strcmp(key, "make") == 0)
        return made_input_known(value) && !input->kind
                   ? put_text(&input->kind, value)
                   : complain(reading, "there is no way to make", value);
    if (strcmp(key, "file") == 0)
        return brought_name_is_plain(value) && !input->file
                   ? put_text(&input->file, value)
                   : complain(reading, "this is no name of a file beside the suite:", value);
    if (strcmp(key, "size") == 0)
        return put_number(reading, &input->size, BROUGHT_MOST_BYTES / 2, value);
    if (strcmp(key, "seed") == 0)
        return put_number(reading, &input->seed, UINT32_MAX, value);
    return complain(reading, "an input has nothing of the name", key);
}

static int put_value(void *context, const char *section, const char *key, const char *value)
{
    struct reading *reading = context;
    if (reading->error || !begin_section(reading, section))
        return 0;
    return reading->input != SIZE_MAX ? put_input(reading, key, value)
                                      : put_workload(reading, key, value);
}

/* --- what is there when all was read --- */

static int check_input(const struct suite *suite, struct made_input *input, struct failure *failure)
{
    if (!input->kind == !input->file)
        return fail_with(failure, -EINVAL,
                         "%.300s: the input '%s' must either be made (make = …) or be a file "
                         "(file = …)",
                         suite->path, input->name);
    if (input->kind && !input->size)
        return fail_with(failure, -EINVAL, "%.300s: the input '%s' has no size", suite->path,
                         input->name);
    return 0;
}

static int check_workload(const struct suite *suite, struct workload *workload,
                          struct failure *failure)
{
    AUTO_WORDS char **words = NULL;
    struct failure why = {0};
    int count = workload->command ? words_split(workload->command, &words, &why) : 0;
    if (count <= 0 || !*words[0] || strlen(workload->command) > COMMAND_MOST_BYTES)
        return fail_with(failure, -EINVAL, "%.300s: the workload '%s' has no command%s%s",
                         suite->path, workload->name, count < 0 ? ": " : "",
                         count < 0 ? why.text : "");
    char **texts[] = {&workload->package, &workload->input};
    for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++)
        if (!*texts[i])
            *texts[i] = memory_copy("");
    if (!workload->needs)
        workload->needs = memory_copy(words[0]);
    if (workload->package[strspn(workload->package, "abcdefghijklmnopqrstuvwxyz0123456789.+-")] ||
        workload->package[0] == '-')
        return fail_with(failure, -EINVAL,
                         "%.300s: the workload '%s' names a package '%.80s', which can be none",
                         suite->path, workload->name, workload->package);
    return 0;
}

/* --- the file --- */

/* The suites that come with assay: beside the build, where it is installed. */
static char *find_installed(const char *name)
{
    char folder[PATH_MAX];
    ssize_t length = readlink("/proc/self/exe", folder, sizeof(folder) - 1);
    folder[length > 0 ? length : 0] = '\0';
    char *slash = strrchr(folder, '/');
    for (int place = 0; slash && place < 2; place++) {
        *slash = '\0';
        char *path =
            memory_format("%s%s/workloads/%s.ini", folder, place ? "/../share/assay" : "", name);
        if (access(path, R_OK) == 0)
            return path;
    }
    return memory_format(ASSAY_DATA "/workloads/%s.ini", name);
}

int suite_read(const char *name, struct suite *suite, struct failure *failure)
{
    AUTO_TEXT struct text content = {0};
    struct reading reading = {
        .suite = suite, .failure = failure, .workload = SIZE_MAX, .input = SIZE_MAX};
    const bool ours = strcmp(name, "open") == 0 && access(name, F_OK) < 0;
    *suite = (struct suite){.path = ours ? find_installed(name) : memory_copy(name)};
    int error = read_plain_file(suite->path, "the suite", MOST_BYTES, &content, failure);
    if (!error && strlen(text_string(&content)) != content.length)
        error = fail_with(failure, -EINVAL, "the suite %.300s is no text", suite->path);
    if (error)
        return error;
    reading.rest = text_string(&content);
    int parsed = ini_parse_stream(next_line, &reading, put_value, &reading);
    if (reading.error)
        return reading.error;
    if (parsed)
        return fail_with(failure, -EINVAL,
                         "%.300s, line %d: neither a section nor a key with its value", suite->path,
                         parsed);
    if (!suite->count)
        return fail_with(failure, -EINVAL, "%.300s holds no workload", suite->path);
    for (size_t i = 0; i < suite->input_count && !error; i++)
        error = check_input(suite, &suite->inputs[i], failure);
    for (size_t i = 0; i < suite->count && !error; i++)
        error = check_workload(suite, &suite->list[i], failure);
    return error;
}
