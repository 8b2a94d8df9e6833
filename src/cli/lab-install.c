/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * assay lab install: fetches a kernel, and shows how far it is. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/monotonic.h"
#include "cli/deliver.h"
#include "commands/lab.h"
#include "lab/emulator.h"
#include "lab/install.h"
#include "lab/settings.h"

#define DRAW_MS 100

struct meter {
    bool quiet, terminal;
    char step[160];
    int64_t drawn_ms;
};

/* On a terminal one line that is rewritten, elsewhere a line for each step. */
static void show(void *context, const char *step, double percent)
{
    struct meter *meter = context;
    if (meter->quiet)
        return;
    if (step) {
        snprintf(meter->step, sizeof(meter->step), "%s", step);
        if (!meter->terminal)
            fprintf(stderr, "%s\n", step);
    }
    const int64_t now = monotonic_ms();
    if (!meter->terminal || (!step && now - meter->drawn_ms < DRAW_MS))
        return;
    meter->drawn_ms = now;
    if (percent >= 0)
        fprintf(stderr, "\r\033[K%s: %.0f %%", meter->step, percent);
    else
        fprintf(stderr, "\r\033[K%s", meter->step);
    fflush(stderr);
}

static void clear_line(const struct meter *meter)
{
    if (!meter->quiet && meter->terminal)
        fputs("\r\033[K", stderr);
}

/* Of what may stand behind the ISA only the kernel can be installed. */
static int refuse_settings(const struct lab_options *options, const struct lab_settings *settings,
                           struct failure *failure)
{
    for (size_t i = 0; lab_keys[i].name; i++)
        if ((settings->given >> i & 1u) && strcmp(lab_keys[i].name, "kernel") != 0)
            return fail_with(failure, -EINVAL,
                             "%s= is for run and --via: install only takes a kernel",
                             lab_keys[i].name);
    if (options->kernel && *settings->kernel)
        return fail_with(failure, -EINVAL, "the kernel is given twice: %s and %.100s",
                         settings->kernel, options->kernel);
    return 0;
}

int lab_install_command(const struct lab_options *options, int word_count, char **words)
{
    struct failure failure = {0};
    struct lab_settings settings = {0};
    if (word_count > 1)
        fail_with(&failure, -EINVAL, "install takes one machine, and --kernel NAME");
    else if (lab_options_refuse(options, "install", LAB_KERNEL | LAB_AGAIN, &failure) == 0 &&
             lab_settings_parse(&settings, word_count ? words[0] : lab_isas[0], &failure) == 0)
        refuse_settings(options, &settings, &failure);
    if (failure.code)
        return deliver_failure("lab", &failure, EXIT_USAGE);
    struct meter meter = {.quiet = options->common.quiet, .terminal = isatty(STDERR_FILENO)};
    const char *kernel = options->kernel    ? options->kernel
                         : *settings.kernel ? settings.kernel
                                            : NULL;
    AUTO_FREE char *name = NULL;
    int error = lab_install(&(struct lab_installation){.isa = settings.isa,
                                                       .kernel = kernel,
                                                       .again = options->again,
                                                       .stop = &interrupted,
                                                       .progress = show,
                                                       .context = &meter},
                            &name, &failure);
    clear_line(&meter);
    if (error < 0)
        return deliver_failure("lab", &failure,
                               error == -EINTR    ? EXIT_INTERRUPTED
                               : error == -EINVAL ? EXIT_USAGE
                                                  : EXIT_FAILED);
    deliver_remark(&options->common, "the kernel %s is in the lab%s: --via lab:%s%s%s boots it%s",
                   name, error == LAB_INSTALL_THERE ? " already, in the version on offer" : "",
                   settings.isa, kernel ? ",kernel=" : "", kernel ? name : "",
                   error == LAB_INSTALL_THERE ? ", --again fetches it anew" : "");
    AUTO_FREE char *emulator = NULL;
    if (emulator_find(&emulator, settings.isa, &failure) < 0)
        deliver_remark(&options->common, "still missing: %s", failure.text);
    return EXIT_DONE;
}
