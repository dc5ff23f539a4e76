/* The instruction forms that random kernels are made of. <a|b>: one of these; $r: a source register of the
 * class (inputs.h), $R: a destination, $@: the last destination again, $i: a small constant, $l: a lane,
 * $x: a byte, $s: a bit. Scratch: %m, %n (32 bits), %mq, %nq (64), %mh (16), %mf, %md (floats), %w0, %w1
 * (128), %c0 (predicate).
 * [%a] are 16 bytes of shared memory of the thread's own, [%b] another thread's, [%c] some that eight threads
 * share, [%g] the thread's own as a generic address, [%out] 48 bytes of global memory, [%l] 64 bytes of local
 * memory.
 *
 * Forms keep to what PTX defines:
 * - Sums and products have a rounding modifier: without one they may be fused.
 * - Divisors are not zero: the quotient is unspecified.
 * - The NaN that neg and abs give is unspecified, and which one of two f64 operations pass on is not said:
 *   such results are made one and the same NaN.
 * And to what ptxas gets right, even without optimising:
 * - The most negative integer is not negated: ptxas goes on as if the result were positive. It also takes
 *   (a - b) + b for a where the sum saturates: what is added to is read back from memory.
 * - Constant positions and lengths of bit fields are below 32: ptxas takes others modulo 32 at times.
 * - set, testp, video instructions and conversions to tf32 stand in braces, which keeps guards away: of what
 *   ptxas makes of them only a part is guarded.
 * - The old value of an atomic of 16 bits is cut to them. Bytes are stored from 32-bit registers: a 16-bit
 *   one that held an f16 is converted to an integer.
 * And to what its optimiser gets right. What it knows of a value it keeps when the bits are read as another
 * type; where it did so on a GPU the value goes through memory (VIA), where ptxas loses sight of it:
 * - cnot.b16 and set to f16 give a condition, which becomes 1.0 as well as 1 and 0x3c00.
 * - A byte that was sign-extended stays negative for cvt.sat of an unsigned number.
 * - A number that was rounded to an integer, or came from one, is not rounded again, though it was f16 and is
 *   now read as bf16.
 * - Shared atomics of two halves take the lower half of some operands twice; comparisons of two halves, one
 *   of whose results nobody reads, give the other one wrong.
 * - A predicate that vote gave to a whole warp is taken for that of other paths behind brx. */
#include "program.h"

#define ONE_F32          " testp.notanumber.f32 %c0, $@; selp.f32 $@, 0f7FFFFFFF, $@, %c0; }"
#define ONE_F64          " testp.notanumber.f64 %c0, $@; selp.f64 $@, 0d7FF8000000000000, $@, %c0; }"
#define ONE_F16          " setp.nan.f16 %c0, $@, $@; selp.b16 $@, 0x7fff, $@, %c0; }"
#define ONE_BF16         " setp.nan.bf16 %c0, $@, $@; selp.b16 $@, 0x7fff, $@, %c0; }"
#define VIA_16(from, to) "st.volatile.shared.b16 [%a], " from "; ld.volatile.shared.b16 " to ", [%a]; "
#define VIA_32(from, to) "st.volatile.shared.b32 [%a], " from "; ld.volatile.shared.b32 " to ", [%a]; "
#define VIA_64(from, to) "st.volatile.shared.b64 [%a], " from "; ld.volatile.shared.b64 " to ", [%a]; "
#define FLAG(from, to)   "selp.u32 %m, 1, 0, " from "; " VIA_32("%m", "%m") "setp.ne.u32 " to ", %m, 0; "
#define ANY(text)        {text, FORM_ANYWHERE}
#define ALL(text)        {text, FORM_TOGETHER}
/* All threads store, then go on with what is in shared memory. */
#define EXCHANGE(store, rest) ALL("{ bar.sync 0; " store " bar.sync 0; " rest " bar.sync 0; }")

const char exact_prologue[] =
    ".const .align 16 .b32 table[16] = {0x01234567, 0x89abcdef, 3, 0xfffffffe, 0x3f800000, 0xc0490fdb, 1, 7, "
    "0x80000000, 0x7fffffff, 0x12345678, 0xdeadbeef, 0x00ff00ff, 0x55aa55aa, 31, 0};\n"
    ".func (.param .b32 d) twist(.param .b32 a, .param .b64 b)\n{\n\t.reg .b32 %x<4>;\n\t.reg .b64 %y<3>;\n"
    "\tld.param.b32 %x0, [a];\n\tld.param.b64 %y0, [b];\n\tmov.b64 {%x1, %x2}, %y0;\n"
    "\tmad.lo.u32 %x3, %x0, %x1, %x2;\n\tst.param.b32 [d], %x3;\n\tret;\n}\n";

const exact_form exact_forms[] = {
    /* --- Integers --- */
    ANY("<add|sub>.<s16|u16> $H, $h, $h;"),
    ANY("<add|sub>.<s32|u32> $R, $r, $r;"),
    ANY("{ st.volatile.shared.b32 [%a], $r; ld.volatile.shared.b32 %m, [%a]; <add|sub>.sat.s32 $R, %m, $r; "
        "}"),
    ANY("<add|sub>.<s64|u64> $Q, $q, $q;"),
    ANY("add.<s16x2|u16x2> $R, $r, $r;"),
    ANY("mul.<lo|hi>.<s16|u16> $H, $h, $h;"),
    ANY("mul.<lo|hi>.<s32|u32> $R, $r, $r;"),
    ANY("mul.<lo|hi>.<s64|u64> $Q, $q, $q;"),
    ANY("mul.wide.<s16|u16> $R, $h, $h;"),
    ANY("mul.wide.<s32|u32> $Q, $r, $r;"),
    ANY("mad.<lo|hi>.<s16|u16> $H, $h, $h, $h;"),
    ANY("mad.<lo.s32|lo.u32|hi.s32|hi.u32|hi.sat.s32> $R, $r, $r, $r;"),
    ANY("mad.<lo|hi>.<s64|u64> $Q, $q, $q, $q;"),
    ANY("mad.wide.<s16|u16> $R, $h, $h, $r;"),
    ANY("mad.wide.<s32|u32> $Q, $r, $r, $q;"),
    ANY("mul24.<lo|hi>.<s32|u32> $R, $r, $r;"),
    ANY("mad24.<lo.s32|lo.u32|hi.s32|hi.u32|hi.sat.s32> $R, $r, $r, $r;"),
    ANY("sad.<s16|u16> $H, $h, $h, $h;"),
    ANY("sad.<s32|u32> $R, $r, $r, $r;"),
    ANY("sad.<s64|u64> $Q, $q, $q, $q;"),
    ANY("{ or.b16 %mh, $h, 1; <div|rem>.<s16|u16> $H, $h, %mh; }"),
    ANY("{ or.b32 %m, $r, 1; <div|rem>.<s32|u32> $R, $r, %m; }"),
    ANY("{ or.b64 %mq, $q, 1; <div|rem>.<s64|u64> $Q, $q, %mq; }"),
    ANY("{ or.b16 %mh, $h, 1; <abs|neg>.s16 $H, %mh; }"),
    ANY("{ or.b32 %m, $r, 1; <abs|neg>.s32 $R, %m; }"),
    ANY("{ or.b64 %mq, $q, 1; <abs|neg>.s64 $Q, %mq; }"),
    ANY("<min|max>.<s16|u16> $H, $h, $h;"),
    ANY("<min|max>.<s32|u32|relu.s32|s16x2|u16x2|relu.s16x2> $R, $r, $r;"),
    ANY("<min|max>.<s64|u64> $Q, $q, $q;"),
    ANY("<popc|clz>.b32 $R, $r;"),
    ANY("<popc|clz>.b64 $R, $q;"),
    ANY("bfind.<u32|s32|shiftamt.u32|shiftamt.s32> $R, $r;"),
    ANY("bfind.<u64|s64|shiftamt.u64|shiftamt.s64> $R, $q;"),
    ANY("brev.b32 $R, $r;"),
    ANY("brev.b64 $Q, $q;"),
    ANY("bfe.<u32|s32> $R, $r, <$s, $s|$r, $s|$s, $r|$r, $r>;"),
    ANY("bfe.<u64|s64> $Q, $q, <$s, $s|$r, $s|$s, $r|$r, $r>;"),
    ANY("bfi.b32 $R, $r, $r, <$s, $s|$r, $s|$s, $r|$r, $r>;"),
    ANY("bfi.b64 $Q, $q, $q, <$s, $s|$r, $s|$s, $r|$r, $r>;"),
    ANY("dp4a.<s32|u32>.<s32|u32> $R, $r, $r, $r;"),
    ANY("dp2a.<lo|hi>.<s32|u32>.<s32|u32> $R, $r, $r, $r;"),
    ANY("szext.<clamp|wrap>.<s32|u32> $R, $r, <$r|$i>;"),
    ANY("bmsk.<clamp|wrap>.b32 $R, <$r|$i>, $i;"),
    ANY("fns.b32 $R, $r, $l, <$i|-2|1>;"),
    ANY("<and|or|xor>.b16 $H, $h, $h;"),
    ANY("<and|or|xor>.b32 $R, $r, $r;"),
    ANY("<and|or|xor>.b64 $Q, $q, $q;"),
    ANY("not.b16 $H, $h;"),
    ANY("{ cnot.b16 %mh, $h; " VIA_16("%mh", "$H") "}"),
    ANY("<not|cnot>.b32 $R, $r;"),
    ANY("<not|cnot>.b64 $Q, $q;"),
    ANY("lop3.b32 $R, $r, $r, $r, $x;"),
    ANY("<shl.b16|shr.u16|shr.s16|shr.b16> $H, $h, <$r|$i>;"),
    ANY("<shl.b32|shr.u32|shr.s32|shr.b32> $R, $r, <$r|$i>;"),
    ANY("<shl.b64|shr.u64|shr.s64|shr.b64> $Q, $q, <$r|$i>;"),
    ANY("shf.<l|r>.<wrap|clamp>.b32 $R, $r, $r, <$r|$i>;"),
    ANY("prmt.b32<|.f4e|.b4e|.rc8|.ecl|.ecr|.rc16> $R, $r, $r, $r;"),
    ANY("{ add.cc.<u32|s32> $R, $r, $r; addc.cc.u32 $R, $r, $r; addc.s32 $R, $r, $r; }"),
    ANY("{ sub.cc.<u32|s32> $R, $r, $r; subc.cc.u32 $R, $r, $r; subc.u32 $R, $r, $r; }"),
    ANY("{ mad.<lo|hi>.cc.<u32|s32> $R, $r, $r, $r; madc.<lo|hi>.cc.u32 $R, $r, $r, $r; madc.hi.s32 $R, $r, "
        "$r, "
        "$r; }"),
    ANY("{ add.cc.u64 $Q, $q, $q; addc.cc.s64 $Q, $q, $q; addc.u64 $Q, $q, $q; }"),
    ANY("{ sub.cc.u64 $Q, $q, $q; subc.u64 $Q, $q, $q; }"),
    ANY("{ mad.lo.cc.u64 $Q, $q, $q, $q; madc.hi.u64 $Q, $q, $q, $q; }"),
    /* --- Video --- */
    ANY("{ <vadd|vsub|vabsdiff|vmin|vmax>.<s32|u32>.<s32|u32>.<s32|u32> $R, $r<|.b1|.h1>, $r<|.b2|.h0>; }"),
    ANY("{ <vadd|vsub|vabsdiff|vmin|vmax>.s32.s32.u32.<add|min|max> $R, $r.b3, $r.h1, $r; }"),
    ANY("{ <vshl|vshr>.<s32|u32>.u32.u32.<clamp|wrap> $R, $r, $r.b0; }"),
    ANY("{ vset.<s32|u32>.<s32|u32>.<lt|ge|ne> $R, $r, $r; }"),
    ANY("{ <vadd2|vsub2|vavrg2|vabsdiff2|vmin2|vmax2>.<s32|u32>.<s32|u32>.<s32|u32><|.sat|.add> $R, $r, $r, "
        "$r; }"),
    ANY("{ <vadd4|vsub4|vavrg4|vabsdiff4|vmin4|vmax4>.<s32|u32>.<s32|u32>.<s32|u32><|.sat|.add> $R, $r, $r, "
        "$r; }"),
    ANY("{ <vset2|vset4>.<s32|u32>.<s32|u32>.<eq|lt|ge> $R, $r, $r, $r; }"),
    /* --- f32, f64 --- */
    ANY("<add|sub|mul>.<rn|rz|rm|rp><|.ftz|.sat|.ftz.sat>.f32 $F, $f, $f;"),
    ANY("fma.<rn|rz|rm|rp><|.ftz|.sat|.ftz.sat>.f32 $F, $f, $f, $f;"),
    ANY("div.<rn|rz|rm|rp><|.ftz>.f32 $F, $f, $f;"),
    ANY("<sqrt|rcp>.<rn|rz|rm|rp><|.ftz>.f32 $F, $f;"),
    ANY("<min|max><|.ftz|.NaN|.ftz.NaN|.xorsign.abs|.ftz.NaN.xorsign.abs>.f32 $F, $f, $f;"),
    ANY("{ <neg|abs><|.ftz>.f32 $F, $f;" ONE_F32),
    ANY("copysign.f32 $F, $f, $f;"),
    ANY("{ <add|sub|mul>.<rn|rz|rm|rp>.f64 $D, $d, $d;" ONE_F64),
    ANY("{ fma.<rn|rz|rm|rp>.f64 $D, $d, $d, $d;" ONE_F64),
    ANY("{ div.<rn|rz|rm|rp>.f64 $D, $d, $d;" ONE_F64),
    ANY("{ <sqrt|rcp>.<rn|rz|rm|rp>.f64 $D, $d;" ONE_F64),
    ANY("{ <min|max>.f64 $D, $d, $d;" ONE_F64),
    ANY("{ <neg|abs>.f64 $D, $d;" ONE_F64),
    ANY("copysign.f64 $D, $d, $d;"),
    /* --- f16, bf16 --- */
    ANY("<add|sub|mul>.rn<|.ftz|.sat|.ftz.sat>.f16 $H, $h, $h;"),
    ANY("<add|sub|mul>.rn<|.ftz|.sat|.ftz.sat>.f16x2 $R, $r, $r;"),
    ANY("fma.rn<|.ftz|.sat|.ftz.sat|.relu|.ftz.relu>.f16 $H, $h, $h, $h;"),
    ANY("fma.rn<|.ftz|.sat|.ftz.sat|.relu|.ftz.relu>.f16x2 $R, $r, $r, $r;"),
    ANY("<add|sub|mul>.rn.bf16 $H, $h, $h;"),
    ANY("<add|sub|mul>.rn.bf16x2 $R, $r, $r;"),
    ANY("fma.rn<|.relu>.bf16 $H, $h, $h, $h;"),
    ANY("fma.rn<|.relu>.bf16x2 $R, $r, $r, $r;"),
    ANY("<min|max><|.ftz|.NaN|.xorsign.abs|.NaN.xorsign.abs>.f16 $H, $h, $h;"),
    ANY("<min|max><|.ftz|.NaN|.xorsign.abs|.NaN.xorsign.abs>.f16x2 $R, $r, $r;"),
    ANY("<min|max><|.NaN|.xorsign.abs|.NaN.xorsign.abs>.bf16 $H, $h, $h;"),
    ANY("<min|max><|.NaN|.xorsign.abs|.NaN.xorsign.abs>.bf16x2 $R, $r, $r;"),
    ANY("{ <neg|abs><|.ftz>.f16 $H, $h;" ONE_F16),
    ANY("{ <neg|abs>.bf16 $H, $h;" ONE_BF16),
    ANY("{ <neg|abs>.f16x2 %m, $r; fma.rn.f16x2 $R, %m, $r, $r; }"),
    ANY("{ <neg|abs>.bf16x2 %m, $r; fma.rn.bf16x2 $R, %m, $r, $r; }"),
    /* --- Comparisons and selections --- */
    ANY("setp.<eq|ne|lt|le|gt|ge>.<s16|u16> $P, $h, $h;"),
    ANY("setp.<eq|ne|lt|le|gt|ge>.<s32|u32> $P, $r, $r;"),
    ANY("setp.<lo|ls|hi|hs>.<u32> $P, $r, $r;"),
    ANY("setp.<eq|ne|lt|le|gt|ge>.<s64|u64> $P, $q, $q;"),
    ANY("setp.<eq|ne|lt|le|gt|ge|equ|neu|ltu|leu|gtu|geu|num|nan><|.ftz>.f32 $P, $f, $f;"),
    ANY("setp.<eq|ne|lt|le|gt|ge|equ|neu|ltu|leu|gtu|geu|num|nan>.f64 $P, $d, $d;"),
    ANY("setp.<eq|ne|lt|le|gt|ge|equ|neu|ltu|leu|gtu|geu|num|nan><|.ftz>.f16 $P, $h, $h;"),
    ANY("setp.<eq|ne|lt|le|gt|ge|equ|neu|ltu|leu|gtu|geu|num|nan>.bf16 $P, $h, $h;"),
    ANY("{ " VIA_32("$r", "%m") VIA_32("$r", "%n") "setp.<lt|eq|gtu>.<f16x2|bf16x2> %c0|%c1, %m, %n; " FLAG(
        "%c0", "$P") FLAG("%c1", "$P") "}"),
    ANY("setp.<lt|ne>.<and|or|xor>.s32 $P|$P, $r, $r, <$p|!$p>;"),
    ANY("setp.<lt|ne|geu>.<and|or|xor>.f32 $P, $f, $f, <$p|!$p>;"),
    ANY("{ set.<lt|ge|ne>.<u32.s32|s32.u32> $R, $r, $r; }"),
    ANY("{ set.<lt|geu|nan>.<and|or|xor>.u32.f64 $R, $d, $d, $p; }"),
    ANY("{ set.<lt|geu|nan>.f32.f32 $F, $f, $f; }"),
    ANY("{ set.<lt|ge>.f32.s32 $F, $r, $r; }"),
    ANY("{ set.<lt|ge>.u32.u64 $R, $q, $q; }"),
    ANY("{ set.<lt|geu>.<f16|u16|s16>.f16 %mh, $h, $h; " VIA_16("%mh", "$H") "}"),
    ANY("{ set.<lt|geu>.f16x2.f16x2 $R, $r, $r; }"),
    ANY("selp.<b16|u16|s16> $H, $h, $h, $p;"),
    ANY("selp.<b32|u32|s32> $R, $r, $r, $p;"),
    ANY("selp.<b64|u64|s64> $Q, $q, $q, $p;"),
    ANY("selp.f32 $F, $f, $f, $p;"),
    ANY("selp.f64 $D, $d, $d, $p;"),
    ANY("slct.<s32|u32|b32>.s32 $R, $r, $r, $r;"),
    ANY("slct<|.ftz>.<b32|s32>.f32 $R, $r, $r, $f;"),
    ANY("slct.<u64|s64>.<s32> $Q, $q, $q, $r;"),
    ANY("slct.u64.f32 $Q, $q, $q, $f;"),
    ANY("slct.b16.s32 $H, $h, $h, $r;"),
    ANY("<and|or|xor>.pred $P, $p, <$p|!$p>;"),
    ANY("not.pred $P, $p;"),
    ANY("{ testp.<finite|infinite|number|notanumber|normal|subnormal>.f32 $P, $f; }"),
    ANY("{ testp.<finite|infinite|number|notanumber|normal|subnormal>.f64 $P, $d; }"),
    /* --- Moves and conversions --- */
    ANY("mov.b32 $R, $f;"),
    ANY("mov.b32 $F, $r;"),
    ANY("mov.b64 $Q, $d;"),
    ANY("mov.b64 $D, $q;"),
    ANY("mov.b64 $Q, {$r, $r};"),
    ANY("mov.b64 {$R, $R}, $q;"),
    ANY("mov.b32 $R, {$h, $h};"),
    ANY("mov.b32 {$H, $H}, $r;"),
    ANY("mov.b64 $Q, {$h, $h, $h, $h};"),
    ANY("mov.b64 {$H, $H, $H, $H}, $q;"),
    ANY("cvt.<u16|s16>.<u32|s32> $H, $r;"),
    ANY("{ " VIA_32("$r", "%m") "cvt.sat.<u8|s8|u16|s16>.<u32|s32> $H, %m; }"),
    ANY("cvt.<u16|s16>.<u64|s64> $H, $q;"),
    ANY("{ " VIA_64("$q", "%mq") "cvt.sat.<u8|s8|u16|s16>.<u64|s64> $H, %mq; }"),
    ANY("cvt.<u32|s32>.<u16|s16|u8|s8> $R, $h;"),
    ANY("{ " VIA_16("$h", "%mh") "cvt.sat.u32.<s16|s8> $R, %mh; }"),
    ANY("cvt.<u8|s8|u16|s16>.<u32|s32> $R, $r;"),
    ANY("{ " VIA_32("$r", "%m") "cvt.sat.<u8|s8|u16|s16>.<u32|s32> $R, %m; }"),
    ANY("{ " VIA_32("$r", "%m") "cvt.sat.<u32.s32|s32.u32> $R, %m; }"),
    ANY("cvt.<u8|s8|u16|s16|u32|s32>.<u64|s64> $R, $q;"),
    ANY("{ " VIA_64("$q", "%mq") "cvt.sat.<u8|s8|u16|s16|u32|s32>.<u64|s64> $R, %mq; }"),
    ANY("cvt.<u64|s64>.<u32|s32|u8|s8> $Q, $r;"),
    ANY("{ " VIA_32("$r", "%m") "cvt.sat.u64.<s32|s8> $Q, %m; }"),
    ANY("cvt.<u64|s64>.<u16|s16> $Q, $h;"),
    ANY("{ " VIA_64("$q", "%mq") "cvt.sat.<u64.s64|s64.u64|u8.s64|s16.u64> $Q, %mq; }"),
    ANY("cvt.<rn|rz|rm|rp>.f32.<u8|s8|u16|s16|u32|s32> $F, $r;"),
    ANY("cvt.<rn|rz|rm|rp>.f32.<u64|s64> $F, $q;"),
    ANY("cvt.<rn|rz|rm|rp>.f64.<u8|s8|u16|s16|u32|s32> $D, $r;"),
    ANY("cvt.<rn|rz|rm|rp>.f64.<u64|s64> $D, $q;"),
    ANY("cvt.<rn|rz|rm|rp>.f16.<u8|s8|u16|s16|u32|s32> $H, $r;"),
    ANY("cvt.<rn|rz|rm|rp>.f16.<u64|s64> $H, $q;"),
    ANY("cvt.<rn|rz|rm|rp>.bf16.<u16|s16> $H, $h;"),
    ANY("cvt.<rn|rz|rm|rp>.bf16.<u32|s32> $H, $r;"),
    ANY("cvt.<rn|rz|rm|rp>.bf16.<u64|s64> $H, $q;"),
    ANY("{ " VIA_32("$f", "%mf") "cvt.<rni|rzi|rmi|rpi><|.ftz>.<u8|s8|u16|s16|u32|s32>.f32 $R, %mf; }"),
    ANY("{ " VIA_32("$f", "%mf") "cvt.<rni|rzi|rmi|rpi><|.ftz>.<u64|s64>.f32 $Q, %mf; }"),
    ANY("{ " VIA_64("$d", "%md") "cvt.<rni|rzi|rmi|rpi>.<u8|s8|u16|s16|u32|s32>.f64 $R, %md; }"),
    ANY("{ " VIA_64("$d", "%md") "cvt.<rni|rzi|rmi|rpi>.<u64|s64>.f64 $Q, %md; }"),
    ANY("{ " VIA_16("$h", "%mh") "cvt.<rni|rzi|rmi|rpi>.<u8|s8|u16|s16|u32|s32>.f16 $R, %mh; }"),
    ANY("{ " VIA_16("$h", "%mh") "cvt.<rni|rzi|rmi|rpi>.<u16|s16>.bf16 $H, %mh; }"),
    ANY("{ " VIA_16("$h", "%mh") "cvt.<rni|rzi|rmi|rpi>.<u32|s32>.bf16 $R, %mh; }"),
    ANY("{ " VIA_16("$h", "%mh") "cvt.<rni|rzi|rmi|rpi>.<u64|s64>.<f16|bf16> $Q, %mh; }"),
    ANY("{ " VIA_32("$f", "%mf") "cvt.<rni|rzi>.sat.<u8|s8|u16|s16|u32|s32>.f32 $R, %mf; }"),
    ANY("{ cvt<|.ftz|.sat>.f64.f32 $D, $f;" ONE_F64),
    ANY("cvt.<rn|rz|rm|rp><|.ftz|.sat|.ftz.sat>.f32.f64 $F, $d;"),
    ANY("cvt.<rn|rz><|.ftz|.sat|.relu>.f16.f32 $H, $f;"),
    ANY("cvt.<rm|rp>.f16.f32 $H, $f;"),
    ANY("cvt.<rn|rz|rm|rp>.f16.f64 $H, $d;"),
    ANY("cvt<|.ftz|.sat>.f32.f16 $F, $h;"),
    ANY("{ cvt.f64.f16 $D, $h;" ONE_F64),
    ANY("cvt.<rn|rz><|.relu>.bf16.f32 $H, $f;"),
    ANY("cvt.f32.bf16 $F, $h;"),
    ANY("cvt.<rn|rz|rm|rp>.<f16.bf16|bf16.f16> $H, $h;"),
    ANY("cvt.<rn|rz><|.relu>.f16x2.f32 $R, $f, $f;"),
    ANY("cvt.<rn|rz><|.relu>.bf16x2.f32 $R, $f, $f;"),
    ANY("{ cvt.<rna|rn|rz|rn.relu|rz.relu>.tf32.f32 $R, $f; }"),
    ANY("{ " VIA_32("$f", "%mf") "cvt.<rni|rzi|rmi|rpi><|.ftz|.sat|.ftz.sat>.f32.f32 $F, %mf; }"),
    ANY("cvt.<ftz|sat|ftz.sat>.f32.f32 $F, $f;"),
    ANY("{ " VIA_64("$d", "%md") "cvt.<rni|rzi|rmi|rpi><|.sat>.f64.f64 $D, %md;" ONE_F64),
    ANY("{ " VIA_16("$h", "%mh") "cvt.<rni|rzi|rmi|rpi><|.sat>.f16.f16 $H, %mh; }"),
    ANY("{ " VIA_16("$h", "%mh") "cvt.<rni|rzi|rmi|rpi>.bf16.bf16 $H, %mh; }"),
    ANY("cvt.rn.satfinite<|.relu>.<e4m3x2|e5m2x2>.f32 $H, $f, $f;"),
    ANY("cvt.rn.satfinite<|.relu>.<e4m3x2|e5m2x2>.f16x2 $H, $r;"),
    ANY("cvt.rn<|.relu>.f16x2.<e4m3x2|e5m2x2> $R, $h;"),
    ANY("cvt.pack.sat.<u8|s8|u4|s4|u2|s2>.s32.b32 $R, $r, $r, $r;"),
    ANY("cvt.pack.sat.<u16|s16>.s32 $R, $r, $r;"),
    /* --- Memory of the thread's own --- */
    ANY("{ st.<shared|volatile.shared>.b32 [%a], $r; ld.shared.<u8|s8|u16|s16|b32> $R, [%a]; }"),
    ANY("{ st.shared.v4.b32 [%a], {$r, $r, $r, $r}; ld.shared.v2.b64 {$Q, $Q}, [%a]; }"),
    ANY("{ st.shared.v2.b64 [%a], {$q, $q}; ld.shared.v4.<u16|s16> {$R, $R, $R, $R}, [%a+8]; }"),
    ANY("{ st.shared.v2.b64 [%a], {$q, $q}; ld.shared.v4.<u8|s8> {$R, $R, $R, $R}, [%a+4]; }"),
    ANY("{ cvt.u32.u16 %m, $h; cvt.u32.u16 %n, $h; st.shared.v2.<b16|b8> [%a], {%m, %n}; ld.shared.v2.u8 "
        "{%m, "
        "%n}, [%a]; cvt.u16.u32 $H, %m; cvt.u16.u32 $H, %n; }"),
    ANY("{ st.b64 [%g], $q; ld.<u32|s32|s8|u16> $Q, [%g+4]; }"),
    ANY("{ st.local.b64 [%l], $q; ld.local.<u8|s16|b32> $R, [%l+4]; }"),
    ANY("{ st.local.v4.f32 [%l+16], {$f, $f, $f, $f}; ld.local.v2.f64 {$D, $D}, [%l+16]; }"),
    ANY("{ st.global.v2.b32 [%out], {$r, $r}; ld.global.<s16|u8|b64> $Q, [%out]; }"),
    ANY("{ st.global<.wt|.cg|.relaxed.gpu> .b32 [%out], $r; "
        "ld<.volatile|.relaxed.sys|.acquire.gpu>.global.u32 $R, "
        "[%out]; }"),
    ANY("{ and.b32 %m, $r, 60; cvt.u64.u32 %mq, %m; mov.u64 %nq, table; add.u64 %mq, %mq, %nq; "
        "ld.const.<b32|s8|u16> $R, [%mq]; }"),
    ANY("{ .param .b32 pd; .param .b32 pa; .param .b64 pb; st.param.b32 [pa], $r; st.param.b64 [pb], $q; "
        "call (pd), "
        "twist, (pa, pb); ld.param.b32 $R, [pd]; }"),
    ANY("{ st.shared.b32 [%a], $r; "
        "atom.shared.<add.u32|add.s32|inc.u32|dec.u32|min.s32|max.s32|min.u32|max.u32|"
        "and.b32|or.b32|xor.b32|exch.b32> $R, [%a], $r; ld.shared.u32 $R, [%a]; }"),
    ANY("{ st.shared.b64 [%a], $q; "
        "atom.shared.<add.u64|min.s64|max.s64|min.u64|max.u64|and.b64|or.b64|xor.b64|"
        "exch.b64> $Q, [%a], $q; ld.shared.u64 $Q, [%a]; }"),
    ANY("{ st.global.b32 [%out], $r; "
        "atom.global.<add.u32|add.s32|inc.u32|dec.u32|min.s32|max.s32|min.u32|max.u32|"
        "and.b32|or.b32|xor.b32|exch.b32> $R, [%out], $r; ld.global.u32 $R, [%out]; }"),
    ANY("{ st.global.b64 [%out], $q; "
        "atom.global.<add.u64|min.s64|max.s64|min.u64|max.u64|and.b64|or.b64|xor.b64|"
        "exch.b64> $Q, [%out], $q; ld.global.u64 $Q, [%out]; }"),
    ANY("{ and.b32 %m, $r, 1; and.b32 %n, $r, 1; st.shared.b32 [%a], %m; atom.shared.cas.b32 $R, [%a], %n, "
        "$r; "
        "ld.shared.u32 $R, [%a]; }"),
    ANY("{ and.b64 %mq, $q, 1; and.b64 %nq, $q, 1; st.global.b64 [%out], %mq; atom.global.cas.b64 $Q, "
        "[%out], %nq, "
        "$q; ld.global.u64 $Q, [%out]; }"),
    ANY("{ and.b16 %mh, $h, 1; st.global.b16 [%out], %mh; atom.global.cas.b16 %mh, [%out], $h, $h; "
        "cvt.u32.u16 %m, "
        "%mh; cvt.u16.u32 $H, %m; ld.global.u16 $H, [%out]; }"),
    ANY("{ st.shared.f32 [%a], $f; atom.shared.add.f32 $F, [%a], $f; ld.shared.f32 $F, [%a]; }"),
    ANY("{ st.global.f32 [%out], $f; atom.global.add.f32 $F, [%out], $f; ld.global.f32 $F, [%out]; }"),
    ANY("{ st.global.b32 [%out], $r; atom.global.add.noftz.<f16x2|bf16x2> $R, [%out], $r; ld.global.b32 $R, "
        "[%out]; }"),
    ANY("{ " VIA_32("$r", "%m") "st.shared.b32 [%a], $r; atom.shared.add.noftz.<f16x2|bf16x2> $R, [%a], %m; "
                                "ld.shared.b32 $R, [%a]; }"),
    ANY("{ st.global.b16 [%out], $h; atom.global.add.noftz.<f16|bf16> %mh, [%out], $h; cvt.u32.u16 %m, %mh; "
        "cvt.u16.u32 $H, %m; ld.global.b16 $H, [%out]; }"),
    ANY("{ st.global.b32 [%out], $r; "
        "red.global.<add.u32|min.s32|max.u32|and.b32|or.b32|xor.b32|inc.u32|dec.u32> "
        "[%out], $r; ld.global.u32 $R, [%out]; }"),
    ANY("{ st.b32 [%g], $r; atom.<add.u32|min.s32|max.u32|exch.b32> $R, [%g], $r; ld.u32 $R, [%g]; }"),
    ANY("{ st.global.v2.f32 [%out], {$f, $f}; atom.global.add.v2.f32 {$F, $F}, [%out], {$f, $f}; "
        "ld.global.v2.f32 "
        "{$F, $F}, [%out]; }"),
    ANY("{ st.global.v4.b16 [%out], {$h, $h, $h, $h}; atom.global.<add|min|max>.noftz.v4.<f16|bf16> {$H, $H, "
        "$H, $H}, "
        "[%out], {$h, $h, $h, $h}; ld.global.v2.b16 {$H, $H}, [%out+4]; }"),
    ANY("{ st.global.v2.b32 [%out], {$r, $r}; red.global.<add|min|max>.noftz.v2.<f16x2|bf16x2> [%out], {$r, "
        "$r}; "
        "ld.global.v2.b32 {$R, $R}, [%out]; }"),
    ANY("{ mov.b128 %w0, {$q, $q}; st.<shared.b128 [%a]|global.b128 [%out]>, %w0; mov.b128 %w1, %w0; "
        "mov.b128 {$Q, "
        "$Q}, %w1; }"),
    ANY("{ st.shared.v2.b64 [%a], {$q, $q}; mov.b128 %w0, {$q, $q}; atom.shared.exch.b128 %w1, [%a], %w0; "
        "ld.shared.b128 %w0, [%a]; mov.b128 {$Q, $Q}, %w1; mov.b128 {$Q, $Q}, %w0; }"),
    ANY("{ and.b64 %mq, $q, 1; and.b64 %nq, $q, 1; st.global.v2.b64 [%out], {%mq, %nq}; and.b64 %mq, $q, 1; "
        "mov.b128 "
        "%w0, {%mq, %nq}; mov.b128 %w1, {$q, $q}; atom.global.cas.b128 %w0, [%out], %w0, %w1; "
        "ld.global.v2.b64 {$Q, "
        "$Q}, [%out]; mov.b128 {$Q, $Q}, %w0; }"),
    /* --- Together --- */
    ALL("shfl.sync.<up|down|bfly|idx>.b32 $R|$P, $r, <$l|$r>, <0|31|0x181f|0x100f|$l>, 0xffffffff;"),
    ALL("shfl.sync.<up|down|bfly|idx>.b32 $R, $r, $l, <0|31|0x1c1f>, 0xffffffff;"),
    ALL("vote.sync.ballot.b32 $R, <$p|!$p>, 0xffffffff;"),
    ALL("{ vote.sync.<all|any|uni>.pred %c0, <$p|!$p>, 0xffffffff; " FLAG("%c0", "$P") "}"),
    ALL("match.any.sync.b32 $R, $r, 0xffffffff;"),
    ALL("match.any.sync.b64 $R, $q, 0xffffffff;"),
    ALL("{ and.b32 %m, $r, 3; match.any.sync.b32 $R, %m, 0xffffffff; }"),
    ALL("{ and.b32 %m, $r, 3; setp.lt.u32 %c0, %m, 3; selp.u32 %m, 0, %m, %c0; match.all.sync.b32 $R|$P, %m, "
        "0xffffffff; }"),
    ALL("match.all.sync.<b64> $R|$P, $q, 0xffffffff;"),
    ALL("redux.sync.<add.u32|add.s32|min.u32|min.s32|max.u32|max.s32|and.b32|or.b32|xor.b32> $R, $r, "
        "0xffffffff;"),
    ALL("bar.red.popc.u32 $R, 0, <$p|!$p>;"),
    ALL("bar.red.<and|or>.pred $P, 0, <$p|!$p>;"),
    ALL("{ and.b32 %m, %t, 16; setp.ne.u32 %c0, %m, 0; @%c0 shfl.sync.<down|bfly|idx>.b32 $R, $r, <1|3|7>, "
        "0x100f, "
        "0xffff0000; }"),
    EXCHANGE("st.shared.b32 [%a], $r;", "ld.shared.<b32|s8|u16> $R, [%b];"),
    EXCHANGE("st.shared.b64 [%a], $q;", "ld.shared.<b64|s32|u8> $Q, [%b];"),
    EXCHANGE("st.shared.b16 [%a], $h;", "ld.shared.<s8|u8|u16> $R, [%b];"),
    EXCHANGE("st.shared.v4.b32 [%a], {$r, $r, $r, $r};", "ld.shared.v2.f64 {$D, $D}, [%b];"),
    EXCHANGE(
        "st.shared.b32 [%a], <0|7|-1>;",
        "red.shared.<add.u32|min.s32|max.s32|min.u32|max.u32|and.b32|or.b32|xor.b32> [%c], $r; bar.sync 0; "
        "ld.shared.b32 $R, [%c];"),
    EXCHANGE(
        "st.shared.b64 [%a], <0|7|-1>;",
        "red.shared.<add.u64|min.s64|max.s64|min.u64|max.u64|and.b64|or.b64|xor.b64> [%c], $q; bar.sync 0; "
        "ld.shared.b64 $Q, [%c];"),
    EXCHANGE("st.shared.b32 [%a], $r;",
             "red.shared.<inc|dec>.u32 [%c], 5; bar.sync 0; ld.shared.b32 $R, [%c];"),
    EXCHANGE("st.shared.b32 [%a], 0;", "@$p red.shared.add.u32 [%c], 3; bar.sync 0; ld.shared.b32 $R, [%c];"),
};

const size_t exact_form_count = sizeof exact_forms / sizeof *exact_forms;
