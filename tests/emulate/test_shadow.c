/* The race checker's memory: less than eight bytes for each word that is touched, whatever the size of the
 * accesses, unless neighbouring words are read, after they were written, by several instructions or warps;
 * and descriptors that are used again when many intervals have used them up. */
#define KERNEL_WORDS 65536
#include "kernels.h"

/* The body runs as so many blocks of 64 threads, with a word for each of them: what the checker has for every
 * word, with its descriptors; some words more for shared memory of no size, and where an instruction is
 * executed for the first time. */
static void assert_memory_of(const char *body, uint32_t blocks, uint64_t most) {
    enum { THREADS = 64 };
    const uint64_t words = (uint64_t)blocks * THREADS;
    char ptx[4096];
    snprintf(ptx, sizeof ptx, "%s", KERNEL("", "BODY"));
    char *at = strstr(ptx, "BODY"), rest[64];
    snprintf(rest, sizeof rest, "%s", at + 4);
    snprintf(at, sizeof ptx - (size_t)(at - ptx), "%s%s", body, rest);
    outcome o = run(ptx, blocks, THREADS);
    assert_int_equal(o.status, LS_EMU_DONE);
    assert_int_equal(o.races, 0);
    assert_in_range(o.shadow_bytes, 4 * words, most * words + 256);
}

static void assert_memory(const char *body, uint64_t most) {
    assert_memory_of(body, 16, most);
}

static void words_touched_once(void **state) {
    (void)state;
    assert_memory("st.global.u32 [%o], %t;\n", 5);
    assert_memory("ld.global.u32 %r0, [%o];\n", 5);
    assert_memory("cvt.u64.u32 %d0, %i;\nadd.u64 %d0, %d0, %base;\nst.global.u8 [%d0], %t;\n", 5);
    assert_memory("mul.wide.u32 %d0, %i, 2;\nadd.u64 %d0, %d0, %base;\nst.global.u16 [%d0], %t;\n", 5);
}

/* Who reads a word and then writes it is kept in the place of who has read it. */
static void words_changed_in_place(void **state) {
    (void)state;
    assert_memory("ld.global.u32 %r0, [%o];\nadd.u32 %r0, %r0, 1;\nst.global.u32 [%o], %r0;\n", 6);
    assert_memory("ld.global.u16 %r0, [%o];\nadd.u32 %r0, %r0, 1;\nst.global.u16 [%o], %r0;\n", 6);
    assert_memory("atom.global.add.u32 %r0, [%o], 1;\n", 5);
}

/* Who has read a word since it was written: one entry for eight words where lanes of one instruction have
 * read them, in whatever order. */
static void words_written_and_read(void **state) {
    (void)state;
    enum { BLOCKS = MOST / 64 };
    const uint64_t rows = __builtin_cpu_supports("avx2") ? 7 : 10;
    assert_memory_of("st.global.u32 [%o], %t;\nld.global.u32 %r0, [%o];\n", BLOCKS, rows);
    assert_memory_of("st.global.u32 [%o], %t;\nbar.sync 0;\nld.global.u32 %r0, [%o];\nbar.sync 0;\n"
                     "ld.global.u32 %r0, [%o];\n",
                     BLOCKS, rows + 1);
    assert_memory_of("mul.wide.u32 %d0, %i, 16;\nadd.u64 %d0, %d0, %base;\n" /* four words by each thread */
                     "st.global.v4.u32 [%d0], {%t, %t, %t, %t};\n"
                     "ld.global.v4.u32 {%r0, %r1, %r2, %r3}, [%d0];\n",
                     BLOCKS / 4, 4 * rows);
    assert_memory_of("st.global.u32 [%o], %t;\nbar.sync 0;\nxor.b32 %r0, %i, 31;\n" /* in the other order */
                     "mul.wide.u32 %d0, %r0, 4;\nadd.u64 %d0, %d0, %base;\nld.global.u32 %r0, [%d0];\n",
                     BLOCKS, rows);
    assert_memory_of("st.global.u32 [%o], %t;\nbar.sync 0;\nmul.lo.u32 %r0, %i, 5;\nand.b32 %r0, %r0, 31;\n"
                     "and.b32 %r1, %i, -32;\nor.b32 %r0, %r0, %r1;\n" /* mixed */
                     "mul.wide.u32 %d0, %r0, 4;\nadd.u64 %d0, %d0, %base;\nld.global.u32 %r0, [%d0];\n",
                     BLOCKS, rows);
}

/* The last thread of a block writes the word of thread 4, which has read it, as the readers of a row are
 * known one by one, whatever has become of the row in between. */
#define ROWS(BETWEEN, BEFORE)                                                                                \
    KERNEL("", "st.global.u32 [%o], %t;\nbar.sync 0;\nld.global.u32 %r0, [%o];\n" BETWEEN BEFORE             \
               "setp.ne.u32 %p0, %t, 63;\n@%p0 bra E;\nst.global.u32 [%o+-236], %t;\nE:\n")

static void rows_are_known_by_words(void **state) {
    (void)state;
    assert_true(run(ROWS("", ""), 4, 64).races > 0); /* thread 4 has read it */
    assert_int_equal(run(ROWS("", "bar.sync 0;\n"), 4, 64).races, 0);
    assert_true(run(ROWS("ld.global.u32 %r0, [%o];\n", ""), 4, 64).races > 0);
    assert_true(run(ROWS("setp.eq.u32 %p1, %t, 5;\n@%p1 ld.global.u32 %r0, [%o];\n", ""), 4, 64).races > 0);
    assert_true(run(ROWS("setp.eq.u32 %p1, %t, 5;\n@%p1 st.global.u32 [%o], %t;\n", ""), 4, 64).races > 0);
    assert_int_equal(run(ROWS("st.global.u32 [%o], %t;\n", "bar.sync 0;\n"), 4, 64).races, 0);
}

/* The words of each warp are read in the other order: the word of thread 4 by thread 27. Who writes it
 * without a barrier races with that one alone. */
#define TURNED(WRITER)                                                                                       \
    KERNEL("", "st.global.u32 [%o], %t;\nbar.sync 0;\nxor.b32 %r0, %i, 31;\nmul.wide.u32 %d0, %r0, 4;\n"     \
               "add.u64 %d0, %d0, %base;\nld.global.u32 %r0, [%d0];\nsetp.ne.u32 %p0, %t, " WRITER ";\n"     \
               "@%p0 bra E;\nst.global.u32 [%d0], %t;\nE:\n")
#define TURNED_OTHER                                                                                         \
    KERNEL("", "st.global.u32 [%o], %t;\nbar.sync 0;\nxor.b32 %r0, %i, 31;\nmul.wide.u32 %d0, %r0, 4;\n"     \
               "add.u64 %d0, %d0, %base;\nld.global.u32 %r0, [%d0];\nsetp.ne.u32 %p0, %t, 4;\n"              \
               "@%p0 bra E;\nst.global.u32 [%o], %t;\nE:\n")

static void lanes_of_rows_are_known_in_any_order(void **state) {
    (void)state;
    assert_int_equal(run(TURNED("27"), 4, 64).races, 0); /* its own read */
    assert_int_equal(run(TURNED("4"), 4, 64).races, 0);
    assert_true(run(TURNED_OTHER, 4, 64).races > 0); /* thread 27 has read it */
}

/* Each block reads all words, 64 of them between two barriers: most of it has no descriptors. */
static void words_read_by_all(void **state) {
    (void)state;
    assert_memory("mul.wide.u32 %d0, %t, 4;\nadd.u64 %d0, %d0, %base;\nmov.u32 %r0, 0;\n"
                  "L: ld.global.u32 %r1, [%d0];\nbar.sync 0;\nadd.u64 %d0, %d0, 256;\n"
                  "add.u32 %r0, %r0, 1;\nsetp.lt.u32 %p0, %r0, 16;\n@%p0 bra L;\n",
                  7);
}

/* Thread 0 of each block adds to the first word; that of block 0 does what READ says before it. */
#define ADDED(READ)                                                                                          \
    KERNEL("", "setp.ne.u32 %p0, %t, 0;\n@%p0 bra E;\nsetp.eq.u32 %p1, %i, 0;\n" READ                        \
               "atom.global.add.u32 %r2, [%base], 1;\nE:\n")

/* Who has read a word that nobody had written is still known when the word is written. */
static void readers_outlive_atomics(void **state) {
    (void)state;
    assert_int_equal(run(ADDED(""), 2, 64).races, 0);
    assert_int_equal(run(ADDED("@%p1 ld.global.u32 %r1, [%base];\n"), 2, 64).races, 1);
    assert_int_equal(run(ADDED("@%p1 ld.global.u8 %r1, [%base];\n"), 2, 64).races, 1);
}

/* A loop with barriers, 300,000 times; behind it threads of two warps write s[0] where RACE does. */
#define INTERVALS(RACE)                                                                                      \
    KERNEL(".shared .align 4 .b8 s[256];\n",                                                                 \
           "mov.u32 %r0, 0;\nmov.u64 %d0, s;\ncvt.u64.u32 %d1, %t;\nadd.u64 %d1, %d1, %d0;\n"                \
           "xor.b32 %r3, %t, 1;\ncvt.u64.u32 %d2, %r3;\nadd.u64 %d2, %d2, %d0;\n"                            \
           "st.shared.u8 [%d1], %r0;\nbar.sync 0;\n"                                                         \
           "L: ld.shared.u8 %r1, [%d2];\nbar.sync 0;\nst.shared.u8 [%d1], %r1;\nbar.sync 0;\n"               \
           "add.u32 %r0, %r0, 1;\nsetp.lt.u32 %p0, %r0, 300000;\n@%p0 bra L;\n" RACE                         \
           "st.global.u32 [%o], %r1;\n")

static void descriptors_are_used_again(void **state) {
    (void)state;
    outcome o = run(INTERVALS(""), 1, 64);
    assert_int_equal(o.status, LS_EMU_DONE);
    assert_int_equal(o.races + o.uninitialized, 0);
    assert_int_equal(run(INTERVALS("st.shared.u8 [s], %t;\n"), 1, 64).races, 1);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(words_touched_once),
        cmocka_unit_test(words_changed_in_place),
        cmocka_unit_test(words_written_and_read),
        cmocka_unit_test(rows_are_known_by_words),
        cmocka_unit_test(lanes_of_rows_are_known_in_any_order),
        cmocka_unit_test(words_read_by_all),
        cmocka_unit_test(readers_outlive_atomics),
        cmocka_unit_test(descriptors_are_used_again),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
