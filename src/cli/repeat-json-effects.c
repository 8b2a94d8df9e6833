/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What control brings, and what was executed, for programs (docs/json). */
#include <math.h>

#include "cli/repeat-show.h"

/* --- which control brings what --- */

static json_t *part_json(const struct control_part *part, enum control control)
{
    static const char unmeasured[] = "this setting was not measured";
    json_t *object = json_object();
    json_object_set_new(object, "control", json_text(control_names[control]));
    JSON_PUT_REALS(
        object, {"only_cv_percent", part->only_cv, unmeasured},
        {"only_part", part->only_part, unmeasured}, {"only_low", part->only_low, unmeasured},
        {"only_high", part->only_high, unmeasured}, {"only_shift", part->only_shift, unmeasured});
    json_object_set_new(object, "only_shifts", json_boolean(part->only_shifts));
    JSON_PUT_REALS(object, {"without_cv_percent", part->without_cv, unmeasured},
                   {"without_part", part->without_part, unmeasured},
                   {"without_low", part->without_low, unmeasured},
                   {"without_high", part->without_high, unmeasured},
                   {"without_shift", part->without_shift, unmeasured});
    json_object_set_new(object, "without_shifts", json_boolean(part->without_shifts));
    json_object_set_new(object, "brings", json_boolean(part->brings));
    json_object_set_new(object, "needed", json_boolean(part->is_needed));
    return object;
}

static void put_cv(json_t *object, const char *key, const struct repeat_row *row)
{
    json_put_real(object, key, row && row->runs ? row->cv_percent : NAN,
                  "there are fewer than two runs, or the mean is 0");
}

static const char *no_ratio(double ratio)
{
    return isinf(ratio) ? "controlled runs are identical" : "neither setting varies";
}

json_t *repeat_effect_json(const struct repeat_run_of *run, const struct repeat_effect *effect)
{
    const struct repeat_row *as_is = repeat_row_at(run, effect->as_is);
    const struct repeat_row *controlled = repeat_row_at(run, effect->controlled);
    const struct repeat_cell *cell = repeat_cell_of(run, as_is);
    json_t *object = json_object(), *parts = json_array();
    json_object_set_new(object, "program",
                        json_text(repeat_program_name(run, cell ? cell->program : SIZE_MAX)));
    json_object_set_new(object, "machine",
                        json_text(repeat_machine_name(run, cell ? cell->machine : SIZE_MAX)));
    json_object_set_new(object, "source", json_text(cell ? cell->source : "?"));
    json_object_set_new(object, "event", json_text(repeat_event_of(run, as_is)));
    put_cv(object, "as_is_cv_percent", as_is);
    put_cv(object, "controlled_cv_percent", controlled);
    json_put_real(object, "ratio", effect->ratio, no_ratio(effect->ratio));
    json_put_real(object, "ratio_low", effect->ratio_low, no_ratio(effect->ratio));
    json_put_real(object, "ratio_high", effect->ratio_high, no_ratio(effect->ratio));
    json_object_set_new(object, "who", json_text(effect->who));
    for (int control = 0; control < CONTROL_COUNT; control++)
        json_array_append_new(parts, part_json(&effect->parts[control], (enum control)control));
    json_object_set_new(object, "controls", parts);
    return object;
}

/* --- programs --- */

static const struct repeat_row *effect_row(const struct repeat_run_of *run, size_t program,
                                           bool controlled)
{
    for (size_t machine = 0; machine < run->file.machine_count; machine++) {
        const struct repeat_effect *effect = repeat_leading(run, machine, program);
        if (effect)
            return repeat_row_at(run, controlled ? effect->controlled : effect->as_is);
    }
    return NULL;
}

json_t *repeat_program_json(const struct repeat_run_of *run, size_t program)
{
    const struct repeat_program *known = &run->file.programs[program];
    const struct repeat_row *as_is = effect_row(run, program, false);
    const struct repeat_row *controlled = effect_row(run, program, true);
    json_t *object = json_object();
    json_object_set_new(object, "program", json_text(repeat_program_name(run, program)));
    json_object_set_new(object, "words", json_text(known->words));
    json_object_set_new(object, "subject", json_boolean(known->subject));
    json_object_set_new(object, "own", json_boolean(repeat_is_own(run, program)));
    if (known->has_truth)
        json_object_set_new(object, "truth", json_difference(known->truth));
    else
        json_absent(object, "truth", "nothing predicts how many instructions it executes");
    json_object_set_new(object, "event", json_text(as_is ? repeat_event_of(run, as_is) : NULL));
    put_cv(object, "as_is_cv_percent", as_is);
    put_cv(object, "controlled_cv_percent", controlled);
    return object;
}
