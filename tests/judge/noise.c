/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Noise of simulated machines. */
#include "noise.h"

#include <math.h>

const char *const noise_names[NOISE_KINDS] = {
    [NOISE_NONE] = "none",         [NOISE_PROPORTIONAL] = "proportional",
    [NOISE_ADDITIVE] = "additive", [NOISE_HEAVY] = "heavy tails",
    [NOISE_BIMODAL] = "bimodal",   [NOISE_TICKS] = "ticks",
};

double random_unit(struct random *random)
{
    return ((double)(random_next(random) >> 11) + 0.5) * 0x1p-53;
}

double random_between(struct random *random, double low, double high)
{
    return low + (high - low) * random_unit(random);
}

double random_log_between(struct random *random, double low, double high)
{
    return exp(random_between(random, log(low), log(high)));
}

double random_normal(struct random *random)
{
    double radius = sqrt(-2 * log(random_unit(random)));
    return radius * cos(2 * M_PI * random_unit(random));
}

uint32_t random_poisson(struct random *random, double mean)
{
    if (mean > 50) {
        double drawn = mean + sqrt(mean) * random_normal(random);
        return drawn < 0 ? 0 : (uint32_t)drawn;
    }
    double limit = exp(-mean);
    double product = random_unit(random);
    uint32_t count = 0;
    while (product > limit) {
        product *= random_unit(random);
        count++;
    }
    return count;
}

uint64_t random_round(struct random *random, double value)
{
    double whole = floor(value);
    if (value > whole && random_unit(random) < value - whole)
        whole++;
    return whole < 0 ? 0 : (uint64_t)whole;
}

static double student_3(struct random *random)
{
    double squares = 0;
    for (int i = 0; i < 3; i++) {
        double normal = random_normal(random);
        squares += normal * normal;
    }
    return random_normal(random) / sqrt(squares / 3);
}

void noise_draw(struct random *random, enum noise_kind kind, double overhead, struct noise *noise)
{
    *noise = (struct noise){.kind = kind};
    double some = overhead * random_log_between(random, 0.02, 0.3);
    switch (kind) {
    case NOISE_PROPORTIONAL:
        noise->relative = random_log_between(random, 1e-5, 3e-3);
        break;
    case NOISE_ADDITIVE:
        noise->additive = some;
        noise->relative = random_log_between(random, 1e-7, 1e-5);
        break;
    case NOISE_HEAVY:
        noise->additive = some / 2;
        noise->relative = random_log_between(random, 1e-6, 1e-3);
        break;
    case NOISE_BIMODAL:
        noise->step = 1 + floor(some);
        noise->additive = random_unit(random) < 0.5 ? 0 : some / 10;
        break;
    case NOISE_TICKS:
        noise->additive = random_unit(random) < 0.5 ? 0 : some / 10;
        noise->disturbed = random_between(random, 0.02, 0.08);
        noise->disturbed_by = 3000;
        break;
    default:
        break;
    }
    if (noise->disturbed == 0 && random_unit(random) < 0.5) {
        noise->disturbed = random_between(random, 0, 0.02);
        noise->disturbed_by = 20;
    }
}

double noise_of_run(struct random *random, const struct noise *noise, double count,
                    int second_state)
{
    double scale = noise->additive + noise->relative * count;
    double spread = 0;
    if (scale > 0)
        spread = scale * (noise->kind == NOISE_HEAVY ? student_3(random) : random_normal(random));
    return spread + (second_state ? noise->step : 0);
}

double noise_stdev(const struct noise *noise, double count)
{
    double scale = noise->additive + noise->relative * count;
    double variance = scale * scale * (noise->kind == NOISE_HEAVY ? 3 : 1);
    double rounding = 1.0 / 12;
    return sqrt(variance + noise->step * noise->step / 4 + rounding);
}
