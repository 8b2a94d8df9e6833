/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Delivers a command's result to standard output or -o FILE, and failures to standard error. */
#include "cli/deliver.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "machine/check.h"
#include "output/output.h"
#include "show/shell.h"
#include "show/utf8.h"
#include "show/wrap.h"

/* File-level, because whoever has something to say does not know in which command it runs. */
static struct text *diverted;

void deliver_divert(struct text *kept)
{
    diverted = kept;
}

void deliver_message(const char *command, const char *text)
{
    if (diverted) {
        text_clear(diverted);
        text_puts(diverted, text);
        return;
    }
    AUTO_TEXT struct text clean = {0};
    /* Newlines part sentences here; only foreign control characters are dangerous. */
    AUTO_TEXT struct text line = {0};
    for (; *text; text++) {
        if (*text != '\n') {
            text_putc(&line, *text);
            continue;
        }
        text_put_clean(&clean, text_string(&line));
        text_putc(&clean, '\n');
        text_clear(&line);
    }
    text_put_clean(&clean, text_string(&line));
    fprintf(stderr, "assay %s: %s\n", command, text_string(&clean));
}

int deliver_failure(const char *command, const struct failure *failure, int status)
{
    deliver_message(command, failure->text);
    return status;
}

int deliver_out_of_memory(const char *command)
{
    deliver_message(command, "out of memory");
    return EXIT_FAILED;
}

int deliver_status_of_name(int error)
{
    return error == -ENOENT || error == -EINVAL ? EXIT_USAGE
           : error == -ENODEV                   ? EXIT_LACKING
           : error == -EINTR                    ? EXIT_INTERRUPTED
                                                : EXIT_FAILED;
}

void deliver_put_via(const struct common_options *common, struct text *out)
{
    if (!common->via || strcmp(common->via, "local") == 0)
        return;
    text_puts(out, " --via ");
    text_put_shell(out, common->via);
}

void deliver_remark(const struct common_options *common, const char *format, ...)
{
    if (common->quiet)
        return;
    va_list arguments;
    va_start(arguments, format);
    char *remark = NULL;
    if (vasprintf(&remark, format, arguments) >= 0) {
        AUTO_TEXT struct text clean = {0};
        text_put_clean(&clean, remark);
        fprintf(stderr, "%s\n", text_string(&clean));
        free(remark);
    }
    va_end(arguments);
}

struct style deliver_style(const struct common_options *common)
{
    if (!common->output || strcmp(common->output, "-") == 0)
        return style_for(stdout);
    struct style plain = {.width = 80};
    return plain;
}

/* A reader that left early (head, less) ends the output, not in a message. */
static int close_output(const char *command, struct output *output, int error,
                        struct failure *failure, int status)
{
    if (error == 0)
        error = output_commit(output, failure);
    output_discard(output);
    if (error == 0)
        return status;
    if (error == -EPIPE)
        return EXIT_FAILED;
    return deliver_failure(command, failure, EXIT_FAILED);
}

int deliver_text(const char *command, const struct common_options *common, const struct text *text,
                 int status)
{
    struct output output;
    struct failure failure = {0};
    int error = output_open(&output, common->output, &failure);
    if (error < 0)
        return deliver_failure(command, &failure, EXIT_FAILED);
    if (text->failed)
        error = fail_with(&failure, -ENOMEM, "out of memory");
    else
        fwrite(text_string(text), 1, text->length, output.stream);
    return close_output(command, &output, error, &failure, status);
}

int deliver_json(const char *command, const struct common_options *common,
                 struct envelope *envelope, int status)
{
    envelope->command = command;
    envelope->argc = common->argc;
    envelope->argv = common->argv;
    struct output output;
    struct failure failure = {0};
    int error = output_open(&output, common->output, &failure);
    if (error < 0) {
        json_envelope_release(envelope);
        return deliver_failure(command, &failure, EXIT_FAILED);
    }
    error = json_envelope_write(envelope, output.stream, &failure);
    return close_output(command, &output, error, &failure, status);
}

void deliver_put_machine(const struct facts *facts, const struct style *style, struct text *out)
{
    AUTO_TEXT struct text machine = {0}, clean = {0};
    machine_sentence(facts, &machine);
    text_puts(&clean, "on ");
    text_put_clean(&clean, text_string(&machine));
    wrap(out, text_string(&clean), 0, 2, style->width);
}
