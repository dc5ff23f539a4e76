/* Launches of the same kernel one after the other: the first is checked, the others are queued with their
 * check, and what these find is told later, with the number of the launch. In the emulator. */
#include "harness.h"

static ls_detect_next queue_launch(harness *h, uint64_t number) {
    h->launch.number = number, h->launch.alone = true;
    return ls_detect_queue(h->device, h->ptx.text, h->ptx.length, h->file, &h->launch, NULL, h->diags);
}

/* The first launch, as a program's. */
static void check_first(harness *h, uint32_t races) {
    h->launch.keep = h->launch.leave_plain = true, h->launch.identity = 1, h->launch.number = 1;
    ls_detect_result *r = check_launch(h, NULL);
    assert_int_equal(r->finding_count, races);
    ls_detect_result_free(r);
}

typedef struct {
    uint32_t times, findings, line, other;
    uint64_t number;
} told;

static void tell(void *context, const ls_detect_launch *launch, const ls_detect_result *r) {
    told *t = context;
    t->times++;
    t->number = launch->number, t->findings = r->finding_count;
    if (r->finding_count) t->line = r->findings->place.line, t->other = ls_finding_other(r->findings)->line;
}

static told settle(harness *h) {
    told t = {0};
    ls_detect_settle(h->device, NULL, tell, &t, h->diags);
    return t;
}

static void set_word(harness *h, uint32_t buffer, uint32_t at, int value) {
    ls_detect_write(h->device, h->buffers[buffer].address + 4 * at, &value, 4);
}

/* Within blocks: the race shows in the fifth launch. */
static void in_blocks(void **state) {
    (void)state;
    harness h = open_harness("again.ptx", "sometimes", 4, 256);
    push_words(&h, 1024, 0, 0), push_words(&h, 2, 0, 0);
    check_first(&h, 0);
    assert_same_memory(&h);
    for (uint64_t number = 2; number < 5; number++) {
        reset_inputs(&h);
        assert_int_equal(queue_launch(&h, number), LS_DETECT_QUEUED);
        assert_same_memory(&h);
        assert_false(ls_detect_has_found(h.device));
    }
    set_word(&h, 1, 1, 1);
    assert_int_equal(queue_launch(&h, 5), LS_DETECT_QUEUED);
    assert_int_equal(queue_launch(&h, 6), LS_DETECT_QUEUED);
    assert_true(ls_detect_has_found(h.device));
    uint8_t before[4096], after[4096];
    ls_detect_read(h.device, before, h.buffers[0].address, sizeof before);
    told t = settle(&h);
    ls_detect_read(h.device, after, h.buffers[0].address, sizeof after);
    assert_memory_equal(before, after, sizeof before);
    assert_int_equal(t.times, 1);
    assert_int_equal(t.number, 5);
    assert_int_equal(t.findings, 1);
    assert_int_equal(t.line + t.other, 8 + 10);
    assert_false(ls_detect_has_found(h.device));
    assert_int_equal(queue_launch(&h, 7), LS_DETECT_KNOWN);
    close_harness(&h);
}

/* The launch's input is written over; but where its warps meet does not depend on it. */
static void in_place(void **state) {
    (void)state;
    harness h = open_harness("again.ptx", "sometimes_in_place", 4, 256);
    push_words(&h, 1024, 3, 1), push_words(&h, 2, 0, 0);
    check_first(&h, 0);
    reset_inputs(&h);
    assert_int_equal(queue_launch(&h, 2), LS_DETECT_QUEUED);
    assert_same_memory(&h);
    set_word(&h, 1, 1, 1);
    assert_int_equal(queue_launch(&h, 3), LS_DETECT_QUEUED);
    told t = settle(&h);
    assert_int_equal(t.times, 1);
    assert_int_equal(t.number, 3);
    assert_int_equal(t.findings, 1);
    assert_int_equal(t.line + t.other, 17 + 19);
    assert_int_equal(queue_launch(&h, 4), LS_DETECT_KNOWN);
    close_harness(&h);
}

static void shuffle_words(harness *h, uint32_t buffer, uint32_t factor) {
    uint32_t where[512];
    for (uint32_t i = 0; i < 512; i++) where[i] = (i * factor + 11) % 512;
    memcpy(h->inputs[buffer], where, sizeof where);
    ls_detect_write(h->device, h->buffers[buffer].address, where, sizeof where);
}

/* Between blocks: with even factors elements are written twice. */
static void between_blocks(void **state) {
    (void)state;
    harness h = open_harness("grid.ptx", "permuted", 4, 128);
    push_words(&h, 512, 0, 0), push_words(&h, 512, 0, 0);
    shuffle_words(&h, 1, 37);
    check_first(&h, 0);
    reset_inputs(&h);
    assert_int_equal(queue_launch(&h, 2), LS_DETECT_QUEUED);
    assert_same_memory(&h);
    h.launch.alone = false; /* others may write beside it: nothing is copied or compared */
    reset_inputs(&h);
    assert_int_equal(ls_detect_queue(h.device, h.ptx.text, h.ptx.length, h.file, &h.launch, NULL, h.diags),
                     LS_DETECT_QUEUED);
    assert_same_memory(&h);
    shuffle_words(&h, 1, 4);
    assert_int_equal(queue_launch(&h, 3), LS_DETECT_QUEUED);
    told t = settle(&h);
    assert_int_equal(t.number, 3);
    assert_int_equal(t.findings, 1);
    assert_int_equal(t.line, 11);
    close_harness(&h);
}

/* Another buffer of the same size: nothing is analysed anew. */
static void other_buffers(void **state) {
    (void)state;
    harness h = open_harness("grid.ptx", "permuted", 4, 128);
    push_words(&h, 512, 0, 0), push_words(&h, 512, 0, 0);
    shuffle_words(&h, 1, 37);
    check_first(&h, 0);
    uint64_t second = ls_detect_alloc(h.device, 2048), first = h.buffers[0].address;
    memcpy(h.params, &second, 8);
    h.buffers[0].address = second;
    assert_int_equal(queue_launch(&h, 2), LS_DETECT_QUEUED);
    assert_same_memory(&h);
    h.buffers[0].size = 1024; /* another size is another launch */
    assert_int_equal(queue_launch(&h, 3), LS_DETECT_NEW);
    h.buffers[0].size = 2048;
    ls_detect_free(h.device, first);
    ls_detect_give_back(h.device);
    assert_int_equal(queue_launch(&h, 4), LS_DETECT_QUEUED);
    assert_same_memory(&h);
    close_harness(&h);
}

static void plain(void **state) {
    (void)state;
    harness h = open_harness("grid.ptx", "own", 4, 128);
    push_floats(&h, 512), push_floats(&h, 512);
    check_first(&h, 0);
    assert_int_equal(queue_launch(&h, 2), LS_DETECT_PLAIN);
    close_harness(&h);
}

static void known(void **state) {
    (void)state;
    harness h = open_harness("grid.ptx", "racy_blocks", 4, 128);
    push_words(&h, 128, 0, 0);
    check_first(&h, 1);
    assert_int_equal(queue_launch(&h, 2), LS_DETECT_KNOWN);
    close_harness(&h);
}

static ls_detect_result *first_check(harness *h) {
    seal(h);
    h->launch.keep = h->launch.leave_plain = true;
    return ls_detect_check(h->device, h->ptx.text, h->ptx.length, h->file, &h->launch, NULL, h->diags);
}

/* What is known to be race-free is known in the next process as well, for the same sizes and parameters. */
static void proofs_on_disk(void **state) {
    (void)state;
    char folder[] = "/tmp/lockstep-proofs-XXXXXX", command[100];
    assert_non_null(mkdtemp(folder));
    setenv("LOCKSTEP_CACHE", folder, 1);
    static const struct {
        uint32_t grid, words;
        bool known;
    } launches[] = {{4, 512, false},  {4, 512, true},  {2, 512, false},
                    {4, 1024, false}, {4, 1024, true}, {4, 512, true}};
    for (size_t i = 0; i < sizeof launches / sizeof *launches; i++) {
        harness h = open_harness("grid.ptx", "own", launches[i].grid, 128);
        push_floats(&h, launches[i].words), push_floats(&h, launches[i].words);
        ls_detect_result *r = first_check(&h);
        assert_true(r->left && r->status == LS_DETECT_CLEAN);
        assert_int_equal(r->from_disk, launches[i].known);
        assert_int_equal(
            ls_detect_queue(h.device, h.ptx.text, h.ptx.length, h.file, &h.launch, NULL, h.diags),
            LS_DETECT_PLAIN);
        ls_detect_result_free(r);
        close_harness(&h);
    }
    setenv("LOCKSTEP_CACHE", "off", 1);
    snprintf(command, sizeof command, "rm -r %s", folder);
    assert_int_equal(system(command), 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(in_blocks),      cmocka_unit_test(in_place), cmocka_unit_test(between_blocks),
        cmocka_unit_test(other_buffers),  cmocka_unit_test(plain),    cmocka_unit_test(known),
        cmocka_unit_test(proofs_on_disk),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
