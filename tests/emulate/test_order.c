/* Release and acquire, scopes, strong accesses and sizes: right programs are silent and wrong ones are found,
 * in every order of blocks and warps and with any number of workers, with the same finding each time. */
#include "litmus.h"

#include <stdlib.h>

typedef struct {
    const char *text;
    bool races;
} pattern;

static const pattern patterns[] = {
    /* a message between blocks */
    {"0.0: Wx Fg Sf | 1.0: Lf Fg Rx", false},
    {"0.0: Wx Sfr | 1.0: Lfa Rx", false},
    {"0.0: Wx Sfr | 1.0: Lf Fg Rx", false},
    {"0.0: Wx Fg Sf | 1.0: Lfa Rx", false},
    {"0.0: Wx Fgr Sf | 1.0: Lf Fga Rx", false},
    {"0.0: Wx Fg Vf | 1.0: Uf Fg Rx", false},
    {"0.0: Wx Fg Af | 1.0: Lf Fg Rx", false},
    {"0.0: Wx Afr | 1.0: Lfa Rx", false},
    {"0.0: Wx Afb | 1.0: Lfa Wx", false},
    {"0.0: Rx Fg Sf | 1.0: Lf Fg Wx", false},
    {"0.0: Wx Wy Fg Sf | 1.0: Lf Fg Rx Ry", false},
    {"0.0: Wx Fg Sf Sg | 1.0: Lg Fg Rx", false},
    {"0.0: Wx Fg Wy Sf | 1.0: Lf Fg Rx", false},
    /* no release, no acquire, or in the wrong place */
    {"0.0: Wx Sf | 1.0: Lf Fg Rx", true},
    {"0.0: Wx Fg Sf | 1.0: Lf Rx", true},
    {"0.0: Wx Sf | 1.0: Lf Rx", true},
    {"0.0: Fg Wx Sf | 1.0: Lf Fg Rx", true},
    {"0.0: Wx Fg Sf Wx | 1.0: Lf Fg Rx", true},
    {"0.0: Wx Sf Fg | 1.0: Lf Fg Rx", true},
    {"0.0: Sfr Wx | 1.0: Lfa Rx", true},
    {"0.0: Wx Fg Sf | 1.0: Fg Lf Rx", true},
    {"0.0: Wx Fg Sf | 1.0: Rx Lf Fg", true},
    {"0.0: Wx Sfr | 1.0: Lf Rx", true},
    {"0.0: Wx Sf | 1.0: Lfa Rx", true},
    {"0.0: Wx Fga Sf | 1.0: Lf Fg Rx", true},
    {"0.0: Wx Fg Sf | 1.0: Lf Fgr Rx", true},
    {"0.0: Wx Sfr Sg | 1.0: Lg Fg Rx", true},
    {"0.0: Wx Fg Vf | 1.0: Uf Rx", true},
    {"0.0: Wx Vf | 1.0: Uf Fg Rx", true},
    /* another flag than the one that was waited for */
    {"0.0: Wx Fg Sf | 0.32: Sg | 1.0: Lg Fg Rx", true},
    {"0.0: Wx Fg Sf | 2.0: Lf Sg | 1.0: Lg Fg Rx", true},
    /* handed on */
    {"0.0: Wx Fg Sf | 2.0: Lf Fg Sg | 1.0: Lg Fg Rx", false},
    {"0.0: Wx Sfr | 2.0: Lfa Sgr | 1.0: Lga Rx", false},
    {"0.0: Wx Afr | 2.0: Lf Af | 1.0: Lfa2 Rx", false},
    {"0.0: Wx Afr | 2.0: Lf Sf Ag | 1.0: Lg Lfa Rx", true},
    {"0.0: Wx Fg Af | 1.0: Wy Fg Af | 2.0: Lf2 Fg Rx Ry", false},
    {"0.0: Wx Fg Af | 1.0: Wy Af | 2.0: Lf2 Fg Rx Ry", true},
    /* too narrow */
    {"0.0: Wx Fc Sf | 1.0: Lf Fg Rx", true},
    {"0.0: Wx Fg Sf | 1.0: Lf Fc Rx", true},
    {"0.0: Wx Sfrc | 1.0: Lfa Rx", true},
    {"0.0: Wx Sfr | 1.0: Lfac Rx", true},
    {"0.0: Wx Fg Sfc | 1.0: Lf Fg Rx", true},
    {"0.0: Afc | 1.0: Afc", true},
    {"0.0: Afc | 1.0: Af", true},
    {"0.0: Sfc | 1.0: Pfc", true},
    /* wide enough within the block */
    {"0.0: Wx Fc Sf | 0.32: Lf Fc Rx", false},
    {"0.0: Wx Fc Sfc | 0.32: Lfc Fc Rx", false},
    {"0.0: Wx Sfrc | 0.32: Lfac Rx", false},
    {"0.0: Wx Fc Sf | 0.1: Lf Fc Rx", false},
    {"0.0: Afc | 0.32: Afc | 0.1: Af", false},
    {"0.0: Wx Fg Sf | 1.0: Lf Fg Sgrc | 1.32: Lgac Rx", false},
    {"0.0: Wx Fg Sf | 1.0: Lf Sgrc | 1.32: Lgac Rx", true},
    /* threads of one block that are not synchronised with the one that releases */
    {"0.1: Wx | 0.0: Fg Sf | 1.0: Lf Fg Rx", true},
    {"0.32: Wx B | 0.0: B Fg Sf | 1.0: Lf Fg Rx", false},
    {"0.1: Wx Y | 0.0: Y Fg Sf | 1.0: Lf Fg Rx", false},
    {"0.32: Wx Fg B | 0.0: B Sf | 1.0: Lf Fg Rx", false},
    {"0.32: Wx B | 0.0: B Sf | 1.0: Lf Fg Rx", true},
    {"0.32: Fg Wx B | 0.0: B Sf | 1.0: Lf Fg Rx", true},
    {"0.32: B Wx | 0.0: B Fg Sf | 1.0: Lf Fg Rx", true},
    {"0.0: Wx Fg Sf | 1.0: Lf Fg | 1.1: Rx", true},
    {"0.0: Wx Fg Sf | 1.0: Lf Fg B | 1.32: B Rx", false},
    {"0.0: Wx Fg Sf | 1.0: Lf B | 1.32: B Rx", false},
    {"0.0: Wx Fg Sf | 1.0: Lf Fg Y | 1.1: Y Rx", false},
    {"0.0: Wx Fg Sf | 1.0: B Lf Fg | 1.32: B Rx", true},
    /* strong accesses do not race with each other, but with weak ones */
    {"0.0: Sf | 1.0: Sf", false},
    {"0.0: Sf | 1.0: Pf", false},
    {"0.0: Vf | 1.0: Af", false},
    {"0.0: Sf | 1.0: Af | 0.32: Pf", false},
    {"0.0: Wf | 1.0: Pf", true},
    {"0.0: Sf | 1.0: Rf", true},
    {"0.0: Af | 1.0: Wf", true},
    {"0.0: Af | 0.1: Rf", true},
    {"0.0: Rf | 1.0: Pf", false},
    /* sizes */
    {"0.0: Af | 1.0: Afd", true},
    {"0.0: Afd | 1.0: Afd", false},
    {"0.0: Sfd | 1.0: Pf", true},
    {"0.0: Afd | 0.1: Af", true},
};

static outcome try(const char *kernel, ls_emu_schedule schedule, uint32_t workers, uint32_t seed) {
    ls_emu_options options = {
        .checks = LS_CHECK_RACE, .schedule = schedule, .seed = seed, .threads = workers, .timeout = 20};
    return run_with(kernel, 3, 64, options);
}

static void patterns_of_order(void **state) {
    (void)state;
    int wrong = 0;
    for (size_t k = 0; k < sizeof patterns / sizeof *patterns; k++) {
        litmus p = litmus_parse(patterns[k].text, false);
        char *kernel = litmus_kernel(&p);
        for (int schedule = LS_SCHEDULE_RR; schedule <= LS_SCHEDULE_RANDOM; schedule++) {
            outcome one = try(kernel, (ls_emu_schedule)schedule, 1, 7),
                    two = try(kernel, (ls_emu_schedule)schedule, 2, 7);
            if (one.status != LS_EMU_DONE || (one.races != 0) != patterns[k].races)
                wrong++, print_message("%s: schedule %d, %u races, status %d %s\n", patterns[k].text,
                                       schedule, one.races, (int)one.status, one.message);
            assert_int_equal(one.races, two.races);
            assert_int_equal(one.line, two.line);
            assert_int_equal(one.other_line, two.other_line);
        }
        free(kernel);
    }
    assert_int_equal(wrong, 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(patterns_of_order)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
