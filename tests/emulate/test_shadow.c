/* The race checker's memory: at most eight bytes for each word that is touched, whatever the size and the
 * order of the accesses; more only where neither the writers nor the readers of neighbouring words belong
 * together, or where few words are touched for each instruction that a warp executes. And descriptors that
 * are used again when many intervals have used them up. */
#define KERNEL_WORDS 65536
#include "kernels.h"

/* The body runs as so many blocks of 64 threads, which touch so many quarters of a word each: what the
 * checker has for every word, with its descriptors, in hundredths of a byte; some words more for shared
 * memory of no size, and where an instruction is executed for the first time. */
enum { THREADS = 64, QUARTERS = 4 };
typedef struct {
    const char *name, *body;
    uint32_t quarters, most;
} memory_pattern;

static void assert_memory_of(const memory_pattern *p, uint32_t blocks) {
    const uint64_t words = (uint64_t)blocks * THREADS * p->quarters / QUARTERS;
    char ptx[4096];
    snprintf(ptx, sizeof ptx, "%s", KERNEL("", "BODY"));
    char *at = strstr(ptx, "BODY"), rest[64];
    snprintf(rest, sizeof rest, "%s", at + 4);
    snprintf(at, sizeof ptx - (size_t)(at - ptx), "%s%s", p->body, rest);
    outcome o = run(ptx, blocks, THREADS);
    print_message("%-50s %.2f bytes a word\n", p->name, (double)o.shadow_bytes / (double)words);
    assert_int_equal(o.status, LS_EMU_DONE);
    assert_int_equal(o.races, 0);
    assert_in_range(o.shadow_bytes, 4 * words, p->most * words / 100 + 256);
}

/* %d0: the element of so many bytes that has the thread's number in the block in %r0. */
#define ELEMENT(BYTES)                                                                                       \
    "and.b32 %r1, %i, -64;\nor.b32 %r0, %r0, %r1;\nmul.wide.u32 %d0, %r0, " BYTES ";\n"                      \
    "add.u64 %d0, %d0, %base;\n"
/* %r0: a number for each thread of the block; neighbours have others of both warps. */
#define MIXED       "mul.lo.u32 %r0, %t, 37;\nadd.u32 %r0, %r0, 11;\nand.b32 %r0, %r0, 63;\n"
#define MIXED_AGAIN "mul.lo.u32 %r0, %t, 5;\nadd.u32 %r0, %r0, 7;\nand.b32 %r0, %r0, 63;\n"
#define COLUMNS     "shr.u32 %r0, %t, 3;\nand.b32 %r2, %t, 7;\nmad.lo.u32 %r0, %r2, 8, %r0;\n"
#define OTHER_WARP  "xor.b32 %r0, %t, 32;\n"
#define WITHIN_WARP                                                                                          \
    "mul.lo.u32 %r0, %t, 5;\nand.b32 %r0, %r0, 31;\nand.b32 %r2, %t, 32;\nor.b32 %r0, %r0, %r2;\n"
#define MINE    "mov.u32 %r0, %t;\n"
#define WRITTEN "st.global.u32 [%o], %t;\nbar.sync 0;\n"
#define READ    "ld.global.u32 %r3, [%d0];\n"
#define BY_TWO                                                                                               \
    "and.b32 %r0, %t, 1;\nsetp.eq.u32 %p0, %r0, 0;\n"                                                        \
    "@%p0 ld.global.u32 %r0, [%o];\n@!%p0 ld.global.u32 %r0, [%o];\n"
#define FOUR "{%t, %t, %t, %t}"

static const memory_pattern once[] = {
    {"written", "st.global.u32 [%o], %t;\n", 4, 463},
    {"read", "ld.global.u32 %r0, [%o];\n", 4, 463},
    {"read and written", "ld.global.u32 %r0, [%o];\nadd.u32 %r0, %r0, 1;\nst.global.u32 [%o], %r0;\n", 4,
     525},
    {"changed by atomic operations", "atom.global.add.u32 %r0, [%o], 1;\n", 4, 463},
    {"written in any order", MIXED ELEMENT("4") "st.global.u32 [%d0], %t;\n", 4, 463},
    {"written as bytes", MINE ELEMENT("1") "st.global.u8 [%d0], %t;\n", 1, 650},
    {"written as halves", MINE ELEMENT("2") "st.global.u16 [%d0], %t;\n", 2, 525},
    {"halves read and written",
     MINE ELEMENT("2") "ld.global.u16 %r0, [%d0];\nadd.u32 %r0, %r0, 1;\nst.global.u16 [%d0], %r0;\n", 2,
     650},
    {"written as eight bytes", MINE ELEMENT("8") "st.global.u64 [%d0], %d0;\n", 8, 432},
};

static void words_touched_once(void **state) {
    (void)state;
    for (size_t k = 0; k < sizeof once / sizeof *once; k++)
        assert_memory_of(&once[k], 4 * MOST / THREADS / (once[k].quarters < 4 ? 4 : once[k].quarters));
}

/* Who has read a word since it was written: one entry for eight words says who has read them or, where these
 * are several, who has written them. */
static const memory_pattern twice[] = {
    {"read by the writers", WRITTEN "ld.global.u32 %r0, [%o];\n", 4, 632},
    {"read by the writers, two times",
     WRITTEN "ld.global.u32 %r0, [%o];\nbar.sync 0;\nld.global.u32 %r0, [%o];\n", 4, 694},
    {"read by another warp", WRITTEN OTHER_WARP ELEMENT("4") READ, 4, 632},
    {"read within warps in any order", WRITTEN WITHIN_WARP ELEMENT("4") READ, 4, 632},
    {"read in any order", WRITTEN MIXED ELEMENT("4") READ, 4, 632},
    {"read by columns", WRITTEN COLUMNS ELEMENT("4") READ, 4, 632},
    {"read by two instructions", WRITTEN BY_TWO, 4, 694},
    {"read by one instruction, and by two", WRITTEN "ld.global.u32 %r0, [%o];\n" BY_TWO, 4, 757},
    {"read by rows, and in any order",
     WRITTEN "ld.global.u32 %r0, [%o];\nbar.sync 0;\n" MIXED ELEMENT("4") READ, 4, 694},
    {"read in any order, and written again",
     WRITTEN MIXED ELEMENT("4") READ "bar.sync 0;\n" WRITTEN "ld.global.u32 %r0, [%o];\n", 4, 757},
    {"read by rows, written in any order",
     "ld.global.u32 %r0, [%o];\nbar.sync 0;\n" MIXED ELEMENT("4") "st.global.u32 [%d0], %t;\n", 4, 525},
    {"changed by atomics, read in any order",
     "red.global.add.u32 [%o], 1;\nbar.sync 0;\n" MIXED ELEMENT("4") READ, 4, 632},
    {"halves", MINE ELEMENT("2") "st.global.u16 [%d0], %t;\nbar.sync 0;\nld.global.u16 %r0, [%d0];\n", 2,
     757},
    {"halves, in any order",
     MINE ELEMENT("2") "st.global.u16 [%d0], %t;\nbar.sync 0;\n" MIXED ELEMENT(
         "2") "ld.global.u16 %r0, [%d0];\n",
     2, 757},
    {"halves written as words",
     "st.global.u32 [%o], %t;\nbar.sync 0;\nld.global.u32 %r0, [%o];\nbar.sync 0;\nld.global.u16 %r0, "
     "[%o];\n",
     4, 694},
    {"eight bytes, by another warp",
     MINE ELEMENT("8") "st.global.u64 [%d0], %d0;\nbar.sync 0;\n" OTHER_WARP ELEMENT(
         "8") "ld.global.u64 %d1, [%d0];\n",
     8, 570},
    {"eight bytes, in any order",
     MINE ELEMENT("8") "st.global.u64 [%d0], %d0;\nbar.sync 0;\n" MIXED ELEMENT(
         "8") "ld.global.u64 %d1, [%d0];\n",
     8, 570},
    {"sixteen bytes",
     MINE ELEMENT("16") "st.global.v4.u32 [%d0], " FOUR ";\nld.global.v4.u32 {%r0, %r1, %r2, %r3}, [%d0];\n",
     16, 538},
    {"sixteen bytes, in any order",
     MINE ELEMENT("16") "st.global.v4.u32 [%d0], " FOUR ";\nbar.sync 0;\n" MIXED ELEMENT(
         "16") "ld.global.v4.u32 {%r0, %r1, %r2, %r3}, [%d0];\n",
     16, 538},
};

static void words_written_and_read(void **state) {
    (void)state;
    for (size_t k = 0; k < sizeof twice / sizeof *twice; k++)
        assert_memory_of(&twice[k], 4 * MOST / THREADS / (twice[k].quarters < 4 ? 4 : twice[k].quarters));
}

/* Readers by rows behind several writers: eight of them are looked at together only with AVX2. */
static const memory_pattern gathered[] = {
    {"written by columns, read by rows",
     COLUMNS ELEMENT("4") "st.global.u32 [%d0], %t;\nbar.sync 0;\nld.global.u32 %r0, [%o];\n", 4, 632},
    {"written in any order, read by rows",
     MIXED ELEMENT("4") "st.global.u32 [%d0], %t;\nbar.sync 0;\nld.global.u32 %r0, [%o];\n", 4, 632},
};

static void words_gathered(void **state) {
    (void)state;
    if (!__builtin_cpu_supports("avx2")) skip();
    for (size_t k = 0; k < sizeof gathered / sizeof *gathered; k++)
        assert_memory_of(&gathered[k], MOST / THREADS);
}

/* More than eight bytes a word: neither writers nor readers of neighbouring words belong together; or twenty
 * bytes for each instruction that a warp executes are for eight words. */
static const memory_pattern dear[] = {
    {"written in any order, read in another",
     MIXED ELEMENT("4") "st.global.u32 [%d0], %t;\nbar.sync 0;\n" MIXED_AGAIN ELEMENT("4") READ, 4, 925},
    {"bytes, written and read",
     MINE ELEMENT("1") "st.global.u8 [%d0], %t;\nbar.sync 0;\nld.global.u8 %r0, [%d0];\n", 1, 1000},
};

static void words_that_need_more(void **state) {
    (void)state;
    for (size_t k = 0; k < sizeof dear / sizeof *dear; k++) assert_memory_of(&dear[k], MOST / THREADS);
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

/* Thread 27 reads the word of thread 4, others those of others, of both warps; then thread 40 writes the word
 * of thread 4, and does what THEN says before it. */
#define READ_BY_MANY(THEN)                                                                                   \
    KERNEL("", "st.global.u32 [%o], %t;\nbar.sync 0;\nmul.lo.u32 %r0, %t, 5;\nadd.u32 %r0, %r0, 61;\n"       \
               "and.b32 %r0, %r0, 63;\n" ELEMENT("4") READ THEN                                              \
           "setp.ne.u32 %p0, %t, 40;\n@%p0 bra E;\nst.global.u32 [%o+-144], %t;\nE:\n")

/* Where several have read eight words, their writers and readers are known one by one, too. */
static void turned_rows_are_known_by_words(void **state) {
    (void)state;
    outcome o = run(READ_BY_MANY(""), 4, 64);
    assert_true(o.races > 0);
    assert_int_equal(run(READ_BY_MANY("bar.sync 0;\n"), 4, 64).races, 0);
    /* a word of the row is read again, written, or changed by an atomic operation */
    assert_true(run(READ_BY_MANY("setp.eq.u32 %p1, %t, 5;\n@%p1 ld.global.u32 %r0, [%o];\n"), 4, 64).races >
                0);
    assert_true(
        run(READ_BY_MANY("bar.sync 0;\nsetp.eq.u32 %p1, %t, 4;\n@%p1 st.global.u32 [%o], %t;\n"), 4, 64)
            .races > 0);
    assert_true(
        run(READ_BY_MANY("bar.sync 0;\nsetp.eq.u32 %p1, %t, 4;\n@%p1 red.global.add.u32 [%o], 1;\n"), 4, 64)
            .races > 0);
    assert_int_equal(run(READ_BY_MANY("bar.sync 0;\nst.global.u32 [%o], %t;\nbar.sync 0;\n"), 4, 64).races,
                     0);
}

/* Who has written a word is known behind its readers: another block reads it without order. */
static void writers_outlive_readers(void **state) {
    (void)state;
#define OTHER_BLOCK(READ_BEFORE)                                                                             \
    KERNEL("", "setp.ge.u32 %p0, %i, 64;\n@%p0 bra R;\nst.global.u32 [%o], %t;\nbar.sync 0;\n" READ_BEFORE   \
               "bra E;\nR:\nld.global.u32 %r0, [%o+-256];\nE:\n")
    assert_true(run(OTHER_BLOCK(""), 2, 64).races > 0);
    assert_true(run(OTHER_BLOCK(MIXED ELEMENT("4") READ), 2, 64).races > 0);
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
    const memory_pattern all = {"read by all",
                                "mul.wide.u32 %d0, %t, 4;\nadd.u64 %d0, %d0, %base;\nmov.u32 %r0, 0;\n"
                                "L: ld.global.u32 %r1, [%d0];\nbar.sync 0;\nadd.u64 %d0, %d0, 256;\n"
                                "add.u32 %r0, %r0, 1;\nsetp.lt.u32 %p0, %r0, 16;\n@%p0 bra L;\n",
                                4, 700};
    assert_memory_of(&all, 16);
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
        cmocka_unit_test(words_written_and_read),
        cmocka_unit_test(words_gathered),
        cmocka_unit_test(words_that_need_more),
        cmocka_unit_test(turned_rows_are_known_by_words),
        cmocka_unit_test(writers_outlive_readers),
        cmocka_unit_test(rows_are_known_by_words),
        cmocka_unit_test(lanes_of_rows_are_known_in_any_order),
        cmocka_unit_test(words_read_by_all),
        cmocka_unit_test(readers_outlive_atomics),
        cmocka_unit_test(descriptors_are_used_again),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
