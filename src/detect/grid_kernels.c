/* Comparing and merging private copies of global memory: the same loops as sweep.c, as kernels of their own
 * between launches (002, §4.3, §4.4). A thread takes 16 bytes at a time and goes through all copies.
 *   ls_copies   every copy = the originals
 *   ls_union    write-write check, union, copies for the second pass; or the merge in order
 *   ls_compare  read-write check; then every copy = the originals, for the next round
 *   ls_changed  which words of a copy differ from the originals */
#include "detect/grid_kernels.h"

#include "detect/instrument.h"

#include <stdio.h>

static void chunk(ls_buf *out, const char *format, const char *name) {
    char words[128];
    snprintf(words, sizeof words, "{%%%s0, %%%s1, %%%s2, %%%s3}", name, name, name, name);
    ls_buf_printf(out, format, words);
}

static void head(ls_buf *out, const char *name) {
    ls_buf_printf(
        out,
        ".visible .entry %s(.param .u64 old, .param .u64 union_, .param .u64 copies, .param .u64 stride,\n"
        "  .param .u64 count, .param .u64 bytes, .param .u64 report, .param .u64 ordered,\n"
        "  .param .u64 after, .param .u64 flag, .param .u64 number)\n{\n"
        "\t.reg .u64 %%old, %%un, %%copy, %%first, %%stride, %%bytes, %%k, %%step, %%report, %%l, %%r, "
        "%%order, %%after;\n"
        "\t.reg .u32 %%n, %%w, %%t, %%j, %%any, %%x, %%m, %%slot;\n\t.reg .pred %%p, %%q;\n",
        name);
    static const char *const names[] = {"o", "c", "u", "seen", "bad"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        for (int w = 0; w < 4; w++) ls_buf_printf(out, "\t.reg .u32 %%%s%d;\n", names[i], w);
    ls_buf_puts(out, "\tld.param.u64 %old, [old];\n\tld.param.u64 %un, [union_];\n"
                     "\tld.param.u64 %first, [copies];\n\tld.param.u64 %stride, [stride];\n"
                     "\tld.param.u32 %n, [count];\n\tld.param.u64 %bytes, [bytes];\n"
                     "\tld.param.u64 %report, [report];\n\tld.param.u64 %order, [ordered];\n"
                     "\tld.param.u64 %after, [after];\n"
                     "\tmov.u32 %t, %ctaid.x;\n\tmov.u32 %j, %ntid.x;\n\tmov.u32 %x, %tid.x;\n"
                     "\tmad.lo.u32 %t, %t, %j, %x;\n\tmul.wide.u32 %k, %t, 16;\n"
                     "\tmov.u32 %t, %nctaid.x;\n\tmul.lo.u32 %t, %t, %j;\n\tmul.wide.u32 %step, %t, 16;\n"
                     "CHUNK:\n\tsetp.ge.u64 %p, %k, %bytes;\n\t@%p bra END;\n"
                     "\tadd.u64 %l, %old, %k;\n");
    chunk(out, "\tld.global.v4.u32 %s, [%%l];\n", "o");
    ls_buf_puts(out, "\tadd.u64 %copy, %first, %k;\n\tmov.u32 %w, 0;\n");
}

static void tail(ls_buf *out) {
    ls_buf_puts(out, "NEXT:\n\tadd.u64 %k, %k, %step;\n\tbra CHUNK;\nEND:\n\tret;\n}\n");
}

static void next_copy(ls_buf *out, const char *label) {
    ls_buf_printf(out,
                  "\tadd.u64 %%copy, %%copy, %%stride;\n\tadd.u32 %%w, %%w, 1;\n"
                  "\tsetp.lt.u32 %%p, %%w, %%n;\n\t@%%p bra %s;\n",
                  label);
}

static void differs(ls_buf *out, const char *with) {
    ls_buf_printf(out, "\txor.b32 %%any, %%c0, %%%s0;\n", with);
    for (int i = 1; i < 4; i++)
        ls_buf_printf(out, "\txor.b32 %%x, %%c%d, %%%s%d;\n\tor.b32 %%any, %%any, %%x;\n", i, with, i);
    ls_buf_puts(out, "\tsetp.eq.u32 %p, %any, 0;\n");
}

static void mask(ls_buf *out, int word, const char *with) {
    ls_buf_printf(
        out,
        "\txor.b32 %%x, %%c%d, %%%s%d;\n\tand.b32 %%m, %%x, 0x7f7f7f7f;\n"
        "\tadd.u32 %%m, %%m, 0x7f7f7f7f;\n\tor.b32 %%m, %%m, %%x;\n\tprmt.b32 %%m, %%m, 0, 0xba98;\n",
        word, with, word);
}

static void report(ls_buf *out, race_kind kind) {
    for (int i = 0; i < 4; i++) {
        ls_buf_printf(
            out,
            "\tsetp.eq.u32 %%p, %%bad%d, 0;\n\t@%%p bra QUIET%d;\n\tpopc.b32 %%t, %%bad%d;\n"
            "\tshr.u32 %%t, %%t, 3;\n\tcvt.u64.u32 %%r, %%t;\n"
            "\tred.global.add.u64 [%%report+%d], %%r;\n\tatom.global.add.u32 %%slot, [%%report+%d], 1;\n"
            "\tsetp.ge.u32 %%p, %%slot, %d;\n\t@%%p bra QUIET%d;\n"
            "\tsetp.eq.u32 %%p, %%slot, 0;\n\tld.param.u64 %%l, [flag];\n\tld.param.u64 %%r, [number];\n"
            "\t@%%p st.global.u64 [%%l], %%r;\n"
            "\tmul.wide.u32 %%r, %%slot, %d;\n\tadd.u64 %%r, %%r, %%report;\n",
            i, i, i, REPORT_BYTES, REPORT_COUNT, REPORT_CAPACITY, i, REPORT_RECORD_BYTES);
        ls_buf_printf(out,
                      "\tmov.u32 %%t, %d;\n\tst.global.u32 [%%r+%d], %%t;\n\tmov.u32 %%t, 0;\n"
                      "\tst.global.u32 [%%r+%d], %%t;\n\tmov.u64 %%l, 0;\n\tst.global.u64 [%%r+%d], %%l;\n"
                      "\tst.global.u32 [%%r+%d], %%t;\n\tst.global.u32 [%%r+%d], %%bad%d;\n",
                      kind, REPORT_RECORDS, REPORT_RECORDS + 4, REPORT_RECORDS + 8, REPORT_RECORDS + 16,
                      REPORT_RECORDS + 20, i);
        ls_buf_printf(
            out,
            "\tadd.u64 %%l, %%k, %d;\n\tst.global.u64 [%%r+%d], %%l;\n\tst.global.u32 [%%r+%d], %%w;\n"
            "\tst.global.u32 [%%r+%d], %%t;\nQUIET%d:\n",
            4 * i, REPORT_RECORDS + 24, REPORT_RECORDS + 32, REPORT_RECORDS + 36, i);
    }
}

static void copies_kernel(ls_buf *out) {
    head(out, "ls_copies");
    ls_buf_puts(out, "ONE:\n");
    chunk(out, "\tst.global.v4.u32 [%%copy], %s;\n", "o");
    next_copy(out, "ONE");
    tail(out);
}

static void union_kernel(ls_buf *out) {
    head(out, "ls_union");
    for (int i = 0; i < 4; i++)
        ls_buf_printf(out, "\tmov.u32 %%u%d, %%o%d;\n\tmov.u32 %%seen%d, 0;\n", i, i, i);
    ls_buf_puts(out, "ONE:\n");
    chunk(out, "\tld.global.v4.u32 %s, [%%copy];\n", "c");
    differs(out, "o");
    ls_buf_puts(out, "\t@%p bra SAME;\n\tmov.u32 %any, 0;\n");
    ls_buf_printf(out, "\tsetp.ne.u64 %%q, %%order, %d;\n", UNION_EQUAL);
    for (int i = 0; i < 4; i++) {
        mask(out, i, "o");
        ls_buf_printf(out, /* words that both have written are equal: no race, unless that is asked for */
                      "\tand.b32 %%bad%d, %%m, %%seen%d;\n\tsetp.eq.and.u32 %%p, %%c%d, %%u%d, %%q;\n"
                      "\t@%%p mov.u32 %%bad%d, 0;\n",
                      i, i, i, i, i);
        ls_buf_printf(out,
                      "\tor.b32 %%any, %%any, %%bad%d;\n"
                      "\tor.b32 %%seen%d, %%seen%d, %%m;\n\tlop3.b32 %%u%d, %%m, %%c%d, %%u%d, 0xCA;\n",
                      i, i, i, i, i, i);
    }
    ls_buf_printf(out,
                  "\tsetp.eq.u64 %%p, %%order, %d;\n\t@%%p bra SAME;\n\tsetp.eq.u32 %%p, %%any, 0;\n"
                  "\t@%%p bra SAME;\n",
                  UNION_ORDERED);
    report(out, RACE_WRITE_WRITE);
    ls_buf_puts(out, "SAME:\n");
    next_copy(out, "ONE");
    ls_buf_puts(out, "\tadd.u64 %l, %un, %k;\n");
    chunk(out, "\tst.global.v4.u32 [%%l], %s;\n", "u");
    ls_buf_printf(out, "\tsetp.eq.u64 %%p, %%after, %d;\n\t@%%p bra NEXT;\n", AFTER_NOTHING);
    ls_buf_printf(out, "\tsetp.eq.u64 %%p, %%after, %d;\n", AFTER_ORIGINALS);
    for (int i = 0; i < 4; i++) ls_buf_printf(out, "\t@%%p mov.u32 %%u%d, %%o%d;\n", i, i);
    ls_buf_puts(out,
                "\tor.b32 %any, %seen0, %seen1;\n\tor.b32 %any, %any, %seen2;\n\tor.b32 %any, %any, %seen3;\n"
                "\tsetp.eq.u32 %p, %any, 0;\n\t@%p bra NEXT;\n"
                "\tadd.u64 %copy, %first, %k;\n\tmov.u32 %w, 0;\nINIT:\n");
    chunk(out, "\tld.global.v4.u32 %s, [%%copy];\n", "c");
    for (int i = 0; i < 4; i++) {
        mask(out, i, "o");
        ls_buf_printf(out, "\tlop3.b32 %%c%d, %%m, %%o%d, %%u%d, 0xCA;\n", i, i, i);
    }
    chunk(out, "\tst.global.v4.u32 [%%copy], %s;\n", "c");
    next_copy(out, "INIT");
    tail(out);
}

static void compare_kernel(ls_buf *out) {
    head(out, "ls_compare");
    ls_buf_puts(out, "\tadd.u64 %l, %un, %k;\n");
    chunk(out, "\tld.global.v4.u32 %s, [%%l];\n", "u");
    ls_buf_puts(out, "ONE:\n");
    chunk(out, "\tld.global.v4.u32 %s, [%%copy];\n", "c");
    differs(out, "u");
    ls_buf_puts(out, "\t@%p bra SAME;\n");
    for (int i = 0; i < 4; i++) {
        mask(out, i, "u");
        ls_buf_printf(out, "\tmov.u32 %%bad%d, %%m;\n", i);
    }
    report(out, RACE_READ_WRITE);
    ls_buf_puts(out, "SAME:\n");
    differs(out, "o"); /* unchanged chunks are the most: they need no store */
    ls_buf_puts(out, "\t@%p bra KEPT;\n");
    chunk(out, "\tst.global.v4.u32 [%%copy], %s;\n", "o");
    ls_buf_puts(out, "KEPT:\n");
    next_copy(out, "ONE");
    tail(out);
}

/* union_[k / 4] = whether the word differs between the originals and the first of the copies. */
static void changed_kernel(ls_buf *out) {
    head(out, "ls_changed");
    chunk(out, "\tld.global.v4.u32 %s, [%%copy];\n", "c");
    ls_buf_puts(out, "\tshr.u64 %l, %k, 2;\n\tadd.u64 %l, %l, %un;\n");
    for (int i = 0; i < 4; i++)
        ls_buf_printf(out,
                      "\tsetp.ne.u32 %%p, %%c%d, %%o%d;\n\tselp.u32 %%x, 1, 0, %%p;\n"
                      "\tst.global.u8 [%%l+%d], %%x;\n",
                      i, i, i);
    tail(out);
}

void dt_grid_kernels(ls_buf *out) {
    ls_buf_puts(out, ".version 7.0\n.target sm_70\n.address_size 64\n");
    copies_kernel(out);
    union_kernel(out);
    compare_kernel(out);
    changed_kernel(out);
}
