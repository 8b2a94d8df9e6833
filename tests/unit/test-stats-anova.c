/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Analysis of variance: one way against NIST's certified values, several ways against R 4.2.2, and
 * what becomes of designs that cannot be tested. */
#include <errno.h>
#include <math.h>
#include <stdbool.h>

#include "../stats/nist-anova.h"
#include "case.h"
#include "stats-digits.h"
#include "stats/anova.h"
#include "stats/random.h"

#define LENGTH(array) (sizeof(array) / sizeof *(array))

enum { A = 1, B = 2, C = 4 };

struct certified {
    const char *name;
    size_t between_df;
    uint64_t within_df;
    double between_sum, within_sum, f, r_squared, stdev;
    double digits; /* what must be right */
};

static struct anova *open_ways(size_t factors, const uint32_t *levels)
{
    struct anova *anova;
    assert_int_equal(anova_open(factors, levels, &anova), 0);
    return anova;
}

/* Declares `table` and `rows`: what the terms explain. */
#define SOLVE(anova, table, rows, ...)                                                             \
    struct anova_table table;                                                                      \
    struct anova_row rows[LENGTH(((const uint32_t[]){__VA_ARGS__}))];                              \
    assert_int_equal(                                                                              \
        anova_solve(anova, (const uint32_t[]){__VA_ARGS__}, LENGTH(rows), &(table), rows), 0)

static void check_one_way(const struct anova *anova, const struct certified *certified)
{
    SOLVE(anova, table, rows, A);
    const struct anova_row row = rows[0];
    assert_int_equal(table.state, ANOVA_TESTED);
    assert_int_equal(row.df, certified->between_df);
    assert_int_equal(table.residual_df, certified->within_df);
    check_digits(certified->name, row.sum_sq, certified->between_sum, certified->digits);
    check_digits(certified->name, table.residual_sum, certified->within_sum, certified->digits);
    check_digits(certified->name, row.f, certified->f, certified->digits);
    check_digits(certified->name, table.r_squared, certified->r_squared, certified->digits);
    check_digits(certified->name, row.eta_squared, certified->r_squared, certified->digits);
    check_digits(certified->name, sqrt(table.residual_sum / (double)table.residual_df),
                 certified->stdev, certified->digits);
}

TEST(measured_instruments)
{
    const uint32_t five = 5, two = 2;
    AUTO_ANOVA struct anova *sirstv = open_ways(1, &five);
    for (uint32_t i = 0; i < 5; i++)
        for (size_t j = 0; j < 5; j++)
            assert_int_equal(anova_add(sirstv, &i, nist_sirstv[i][j]), 0);
    check_one_way(sirstv, &(struct certified){"SiRstv", 4, 20, 5.11462616000000E-02,
                                              2.16636560000000E-01, 1.18046237440255E+00,
                                              1.90999039051129E-01, 1.04076068334656E-01, 13});
    /* Deviations of 1e-5 on 107.9: a double holds each to 9 digits; 48 such errors even out. */
    AUTO_ANOVA struct anova *silver = open_ways(1, &two);
    for (uint32_t i = 0; i < 2; i++)
        for (size_t j = 0; j < 24; j++)
            assert_int_equal(anova_add(silver, &i, nist_atmwtag[i][j]), 0);
    check_one_way(silver, &(struct certified){"AtmWtAg", 1, 46, 3.63834187500000E-09,
                                              1.04951729166667E-08, 1.59467335677930E+01,
                                              2.57426544538321E-01, 1.51048314446410E-05, 10});
}

/* Simon and Lesage: treatment and replicate each add 0.2 (the first), 0.1 (even) or 0.3 (odd) to
 * an offset. Tenths are added as whole numbers, so that each value is the double nearest to what
 * NIST prints. */
static double tenths(uint32_t number)
{
    return number == 1 ? 2 : number % 2 ? 3 : 1;
}

static void check_simon_lesage(const char *name, double offset, uint32_t replicates, double digits)
{
    const uint32_t nine = 9;
    AUTO_ANOVA struct anova *anova = open_ways(1, &nine);
    for (uint32_t treatment = 0; treatment < 9; treatment++)
        for (uint32_t replicate = 1; replicate <= replicates; replicate++)
            assert_int_equal(
                anova_add(anova, &treatment,
                          (offset * 10 + tenths(treatment + 1) + tenths(replicate)) / 10),
                0);
    double between = 0.08 * replicates, within = 9 * 0.01 * (replicates - 1);
    check_one_way(anova,
                  &(struct certified){name, 8, UINT64_C(9) * (replicates - 1), between, within,
                                      replicates, between / (between + within), 0.1, digits});
}

TEST(simon_and_lesage_as_far_as_doubles_go)
{
    check_simon_lesage("SmLs01", 1, 21, 14.5);
    check_simon_lesage("SmLs02", 1, 201, 14.5);
    check_simon_lesage("SmLs03", 1, 2001, 14.5);
    /* Beside 1e6 a double holds 0.1 to 9.2 digits, and the errors even out a little … */
    check_simon_lesage("SmLs04", 1e6, 21, 9.8);
    check_simon_lesage("SmLs05", 1e6, 201, 9.8);
    check_simon_lesage("SmLs06", 1e6, 2001, 9.8);
    /* … beside 1e12 to 3.2: no arithmetic could know more of these values. */
    check_simon_lesage("SmLs07", 1e12, 21, 3.8);
    check_simon_lesage("SmLs08", 1e12, 201, 3.8);
    check_simon_lesage("SmLs09", 1e12, 2001, 3.8);
}

/* A row of the data frame d of the R program at the end of this file. */
static double frame_row(uint32_t row, uint32_t levels[3])
{
    levels[0] = (row * row + row / 5) % 3;
    levels[1] = (row * 5 + row / 7) % 4;
    levels[2] = row / 3 % 2;
    return 1000 + 3 * (double)levels[0] + (levels[1] == 2 ? 4.5 : 0) +
           (levels[0] == 1 && levels[2] == 1 ? 2.25 : 0) + (row * 7919 % 101) / 10.;
}

static void add_frame(struct anova *anova, bool with_gaps)
{
    for (uint32_t row = 0; row < 97; row++) {
        uint32_t levels[3];
        double value = frame_row(row, levels);
        if (with_gaps && ((levels[0] == 2 && levels[1] == 3) || (levels[0] == 0 && levels[1] == 1)))
            continue;
        assert_int_equal(anova_add(anova, levels, value), 0);
    }
}

struct expected {
    uint32_t term;
    size_t df;
    double sum_sq, f, p, eta_squared, partial_eta_squared, omega_squared;
};

static void check_rows(const struct anova *anova, const struct expected *expected, size_t count,
                       double residual_sum, uint64_t residual_df, double total_sum)
{
    uint32_t terms[8];
    struct anova_table table;
    struct anova_row rows[8];
    for (size_t i = 0; i < count; i++)
        terms[i] = expected[i].term;
    assert_int_equal(anova_solve(anova, terms, count, &table, rows), 0);
    assert_int_equal(table.residual_df, residual_df);
    check_digits("residual", table.residual_sum, residual_sum, 12);
    check_digits("total", table.total_sum, total_sum, 12);
    for (size_t i = 0; i < count; i++) {
        assert_int_equal(rows[i].term, expected[i].term);
        assert_int_equal(rows[i].df, expected[i].df);
        check_digits("sum", rows[i].sum_sq, expected[i].sum_sq, 12);
        check_digits("f", rows[i].f, expected[i].f, 12);
        check_digits("p", rows[i].p, expected[i].p, 11);
        check_digits("eta", rows[i].eta_squared, expected[i].eta_squared, 12);
        check_digits("partial", rows[i].partial_eta_squared, expected[i].partial_eta_squared, 12);
        check_digits("omega", rows[i].omega_squared, expected[i].omega_squared, 12);
    }
}

TEST(two_ways_unbalanced_are_those_of_r)
{
    static const uint32_t levels[] = {3, 4};
    static const struct expected expected[] = {
        {A, 2, 687.46191739842129, 38.408500037413077, 1.3085133504168538e-12, 0.35973078259662056,
         0.47471526501730371, 0.3487317704369966},
        {B, 3, 403.79565931040509, 15.040043385891801, 6.1694724295384624e-08, 0.21129567304986541,
         0.34675749327179645, 0.1963274061541154},
        {A | B, 6, 30.088733154703846, 0.56035254668920842, 0.76064250141770806,
         0.015744644541247362, 0.038049284690348399, 0},
    };
    AUTO_ANOVA struct anova *anova = open_ways(2, levels);
    add_frame(anova, false);
    check_rows(anova, expected, LENGTH(expected), 760.69441558438848, 85, 1911.0455670103099);
}

TEST(three_ways_with_all_interactions_are_those_of_r)
{
    static const uint32_t levels[] = {3, 4, 2};
    static const struct expected expected[] = {
        {A, 2, 541.50071961954666, 31.163568038122168, 1.6433719675287886e-10, 0.28335311777347344,
         0.46056643097160321, 0.27301946229133878},
        {B, 3, 369.60530386488392, 14.180615238254559, 2.2489625711437738e-07, 0.19340475718907332,
         0.36819427153505974, 0.17895252712490345},
        {C, 1, 21.491953356337149, 2.473739836072359, 0.12008662895410126, 0.011246175249478602,
         0.03277616613997502, 0.0066696296852759539},
        {A | B, 6, 41.490951258916652, 0.79593989793901765, 0.57614028448299304,
         0.021711126084673214, 0.061402766023334117, 0},
        {A | C, 2, 9.5304275204468922, 0.54847965238995366, 0.58019007243672505,
         0.0049870226461196029, 0.014804376793220768, 0},
        {B | C, 3, 73.777928914165273, 2.8306315198050771, 0.044238998639823147,
         0.038606054291832198, 0.10420538883439313, 0.024854388871987369},
        {A | B | C, 6, 18.352664906267933, 0.35206756628084362, 0.9064978127500154,
         0.0096034679774691743, 0.028123255892297187, 0},
    };
    AUTO_ANOVA struct anova *anova = open_ways(3, levels);
    add_frame(anova, false);
    check_rows(anova, expected, LENGTH(expected), 634.22699999997894, 73, 1911.0455670103099);
}

TEST(combinations_never_observed_cost_degrees_of_freedom_as_in_r)
{
    /* Levels that no observation has (4 of a, 5 … 8 of b) change nothing. */
    static const uint32_t levels[] = {4, 8};
    static const struct expected expected[] = {
        {A, 2, 475.43612891722967, 24.688819750894556, 6.8387563298882012e-09, 0.30025122161166429,
         0.4068100162803156, 0.28634859351603759},
        {B, 3, 365.86248606008576, 12.665862524335232, 9.7539197833629445e-07, 0.23105239947077211,
         0.34544019020223143, 0.21152404559129831},
        {A | B, 4, 29.17839940521435, 0.75759939108493746, 0.55629324164250082,
         0.018426975850659163, 0.040388931189404086, 0},
    };
    AUTO_ANOVA struct anova *anova = open_ways(2, levels);
    add_frame(anova, true);
    check_rows(anova, expected, LENGTH(expected), 693.2571428571473, 72, 1583.4610975609755);
    SOLVE(anova, table, rows, A, B, A | B);
    assert_int_equal(table.cells, 10);
    assert_int_equal(table.empty_cells, 2);
    assert_int_equal(rows[0].lost_df, 0);
    assert_int_equal(rows[2].lost_df, 2);
}

TEST(factors_that_always_go_together_share_what_they_explain)
{
    static const uint32_t levels[] = {3, 3};
    AUTO_ANOVA struct anova *anova = open_ways(2, levels);
    for (uint32_t i = 0; i < 30; i++)
        anova_add(anova, (const uint32_t[]){i % 3, i % 3}, i % 3 * 10. + i % 5);
    SOLVE(anova, table, rows, A, B);
    for (size_t i = 0; i < 2; i++) {
        assert_true(rows[i].df == 0 && rows[i].lost_df == 2);
        assert_true(rows[i].sum_sq == 0 && rows[i].f == 0 && rows[i].p == 1);
    }
    assert_true(table.r_squared > 0.9);
}

/* A strong factor of 1e9 beside deviations of 1: differences of sums of squares would drown. */
TEST(a_strong_factor_does_not_drown_a_weak_one)
{
    static const uint32_t levels[] = {4, 2};
    AUTO_ANOVA struct anova *strong = open_ways(2, levels), *weak = open_ways(2, levels);
    for (uint32_t i = 0; i < 4000; i++) {
        const uint32_t at[] = {i % 4, i / 4 % 2};
        double value = at[1] * 0.25 + i * 7919 % 64 / 16.;
        anova_add(weak, at, value);
        anova_add(strong, at, value + at[0] * 1e9);
    }
    const uint32_t terms[] = {A, B, A | B};
    struct anova_table table[2];
    struct anova_row rows[2][3];
    assert_int_equal(anova_solve(strong, terms, 3, &table[0], rows[0]), 0);
    assert_int_equal(anova_solve(weak, terms, 3, &table[1], rows[1]), 0);
    assert_true(rows[1][1].p < 1e-3);
    check_digits("f", rows[0][1].f, rows[1][1].f, 8);
    check_digits("p", rows[0][1].p, rows[1][1].p, 7);
    check_digits("interaction", rows[0][2].p, rows[1][2].p, 7);
    check_digits("residual", table[0].residual_sum, table[1].residual_sum, 8);
}

TEST(without_variance_f_is_infinite_and_said)
{
    static const uint32_t levels[] = {3, 2};
    AUTO_ANOVA struct anova *anova = open_ways(2, levels);
    for (uint32_t i = 0; i < 60; i++)
        anova_add(anova, (const uint32_t[]){i % 3, i % 2}, 0.1 * (i % 3) + 1e6);
    SOLVE(anova, table, rows, A, B);
    assert_int_equal(table.state, ANOVA_NO_VARIANCE);
    assert_int_equal(table.replicated_cells, 6);
    assert_int_equal(table.constant_cells, 6);
    assert_true(table.residual_sum == 0 && table.r_squared == 1);
    assert_true(rows[0].f == INFINITY && rows[0].p == 0 && rows[0].eta_squared > 0.999);
    assert_true(rows[1].f == 0 && rows[1].p == 1 && rows[1].sum_sq == 0);
}

TEST(all_values_equal_have_no_effect)
{
    const uint32_t two = 2;
    AUTO_ANOVA struct anova *anova = open_ways(1, &two);
    for (uint32_t i = 0; i < 10; i++)
        anova_add(anova, (const uint32_t[]){i % 2}, 0.3);
    SOLVE(anova, table, rows, A);
    const struct anova_row row = rows[0];
    assert_int_equal(table.state, ANOVA_NO_VARIANCE);
    assert_true(row.f == 0 && row.p == 1 && row.eta_squared == 0 && table.r_squared == 0);
}

TEST(one_value_a_cell_leaves_nothing_to_test_with)
{
    const uint32_t three = 3;
    AUTO_ANOVA struct anova *anova = open_ways(1, &three);
    for (uint32_t i = 0; i < 3; i++)
        anova_add(anova, &i, i * i);
    SOLVE(anova, table, rows, A);
    const struct anova_row row = rows[0];
    assert_int_equal(table.state, ANOVA_NO_DF);
    assert_true(row.df == 2 && row.f == 0 && row.p == 1 && table.residual_df == 0);
}

TEST(one_observation_is_no_crash)
{
    const uint32_t one = 1, term = A;
    AUTO_ANOVA struct anova *anova = open_ways(1, &one);
    struct anova_table table;
    struct anova_row row;
    assert_int_equal(anova_solve(anova, &term, 1, &table, &row), -EINVAL);
    assert_int_equal(anova_add(anova, (const uint32_t[]){0}, 5), 0);
    assert_int_equal(anova_solve(anova, &term, 1, &table, &row), 0);
    assert_int_equal(table.state, ANOVA_NO_DF);
    assert_int_equal(row.df, 0);
}

TEST(what_cannot_be_is_refused)
{
    struct anova *none;
    static const uint32_t many[] = {UINT32_MAX, UINT32_MAX, UINT32_MAX}, empty[] = {2, 0};
    uint32_t levels[] = {2, 3};
    assert_int_equal(anova_open(0, levels, &none), -EINVAL);
    assert_int_equal(anova_open(ANOVA_MOST_FACTORS + 1, levels, &none), -EINVAL);
    assert_int_equal(anova_open(2, empty, &none), -EINVAL);
    assert_int_equal(anova_open(3, many, &none), -E2BIG);
    assert_null(none);
    AUTO_ANOVA struct anova *anova = open_ways(2, levels);
    assert_int_equal(anova_add(anova, (const uint32_t[]){2, 0}, 1), -EINVAL);
    assert_int_equal(anova_add(anova, (const uint32_t[]){0, 0}, NAN), -EINVAL);
    assert_int_equal(anova_add(anova, (const uint32_t[]){0, 0}, INFINITY), -EINVAL);
    assert_int_equal(anova_add(anova, (const uint32_t[]){0, 0}, 1), 0);
    assert_int_equal(anova_add(anova, (const uint32_t[]){1, 2}, 2), 0);
    struct anova_table table;
    struct anova_row rows[2];
    static const uint32_t no_term[] = {0}, no_factor[] = {4}, twice[] = {A, A};
    assert_int_equal(anova_solve(anova, no_term, 0, &table, rows), -EINVAL);
    assert_int_equal(anova_solve(anova, no_term, 1, &table, rows), -EINVAL);
    assert_int_equal(anova_solve(anova, no_factor, 1, &table, rows), -EINVAL);
    assert_int_equal(anova_solve(anova, twice, 2, &table, rows), -EINVAL);
    assert_int_equal(anova_solve(anova, (const uint32_t[]){A, B}, 2, &table, rows), 0);
    assert_int_equal(table.count, 2);
}

TEST(too_many_levels_are_refused_before_they_cost)
{
    const uint32_t levels = ANOVA_MOST_COLUMNS + 1, term = A;
    AUTO_ANOVA struct anova *anova = open_ways(1, &levels);
    for (uint32_t i = 0; i < levels; i++)
        assert_int_equal(anova_add(anova, &i, i), 0);
    struct anova_table table;
    struct anova_row row;
    assert_int_equal(anova_solve(anova, &term, 1, &table, &row), -E2BIG);
}

/* Seeded: in 400 tables of noise alone, an effect that is not there is seen at 5 % about 20 times;
 * 6 to 38 is what a binomial of that mean leaves in 99.98 %. A planted one is always seen. */
TEST(absent_effects_are_seen_as_often_as_stated_and_planted_ones_always)
{
    static const uint32_t levels[] = {4, 3};
    struct random random;
    random_seed(&random, 20261115);
    size_t false_alarms = 0, interactions = 0;
    for (size_t table_number = 0; table_number < 400; table_number++) {
        AUTO_ANOVA struct anova *anova = open_ways(2, levels);
        for (uint32_t i = 0; i < 120; i++) {
            const uint32_t at[] = {i % 4, (uint32_t)random_below(&random, 3)};
            double noise = 0;
            for (size_t j = 0; j < 12; j++)
                noise += (double)random_below(&random, 1 << 20) / (1 << 20);
            anova_add(anova, at, noise + (at[1] == 2 ? 1.5 : 0));
        }
        const uint32_t terms[] = {A, B, A | B};
        struct anova_table table;
        struct anova_row rows[3];
        assert_int_equal(anova_solve(anova, terms, 3, &table, rows), 0);
        false_alarms += rows[0].p < 0.05;
        interactions += rows[2].p < 0.05;
        assert_true(rows[1].p < 0.001);
    }
    assert_in_range(false_alarms, 6, 38);
    assert_in_range(interactions, 6, 38);
}

/* R:
 * i <- 0:96; a <- (i*i + i %/% 5) %% 3; b <- (i*5 + i %/% 7) %% 4; c <- (i %/% 3) %% 2
 * d <- data.frame(y = 1000 + 3*a + ifelse(b == 2, 4.5, 0) + ifelse(a == 1 & c == 1, 2.25, 0) +
 *                     ((i*7919) %% 101)/10, a = factor(a), b = factor(b), c = factor(c))
 * type2 <- function(d, full, without, term) {
 *     m <- lm(full, d); rss <- deviance(m); rdf <- df.residual(m); total <- sum((d$y -
 * mean(d$y))^2) s <- anova(lm(without, d), update(lm(without, d), paste(".~.+", term))) ss <- s[2,
 * "Sum of Sq"]; df <- s[2, "Df"]; f <- ss/df/(rss/rdf) c(df, ss, f, pf(f, df, rdf, lower = FALSE),
 * ss/total, ss/(ss + rss), max(0, (ss - df*rss/rdf)/(total + rss/rdf)))
 * }
 * For example the first row of three ways: type2(d, y ~ a*b*c, y ~ b*c, "a"); of one chosen
 * interaction: type2(d, y ~ a+b+c+a:c, y ~ b+c, "a"); of combinations never observed:
 * type2(subset(d, !(a == 2 & b == 3) & !(a == 0 & b == 1)), y ~ a*b, y ~ b, "a"). */
