/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The last step of every command: hand over the result, or say why there is none. Each returns an
 * exit code. */
#pragma once

#include "base/failure.h"
#include "base/text.h"
#include "engine/command.h"
#include "machine/facts.h"
#include "output/json.h"
#include "output/table.h"

/* What the place the result goes to can show. */
struct style deliver_style(const struct common_options *common);
/* Writes text to -o FILE or standard output; returns status, or EXIT_FAILED when it cannot. */
int deliver_text(const char *command, const struct common_options *common, const struct text *text,
                 int status);
/* Fills in command and argv, writes the envelope and releases it. */
int deliver_json(const char *command, const struct common_options *common,
                 struct envelope *envelope, int status);
/* "assay COMMAND: text" on standard error, cleaned. */
void deliver_message(const char *command, const char *text);
/* Until the next call messages are kept in `kept` instead, the latest alone and as they are; NULL:
 * they are said again. For a command that tells itself what became of another. */
void deliver_divert(struct text *kept);
/* The same with a failure's text; returns status. */
int deliver_failure(const char *command, const struct failure *failure, int status);
int deliver_out_of_memory(const char *command);
/* The exit code of something that was asked for by name and cannot be had: a wrong name is wrong
 * usage, what this machine has not is lacking. */
int deliver_status_of_name(int error);
/* Appends the line that says which machine a report is from. */
void deliver_put_machine(const struct facts *facts, const struct style *style, struct text *out);
/* Appends " --via X" as it was given, for commands that a reader is told to type. */
void deliver_put_via(const struct common_options *common, struct text *out);
/* A remark on standard error unless --quiet. */
void deliver_remark(const struct common_options *common, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
