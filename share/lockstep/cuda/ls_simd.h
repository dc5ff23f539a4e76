/* Arithmetic on two halves or four bytes of a word, each by itself. What PTX has one instruction for is that
 * instruction in ls_device.h; the rest is here, in plain integer arithmetic. */
#ifndef LS_SIMD_H
#define LS_SIMD_H
#pragma GCC system_header

/* NAME2 and NAME4 from what is done with one part: x and y, signed (s) or unsigned (u). */
#define LS_PART(NAME, S2, S4, VALUE2, VALUE4)                                                                \
    LS_BOTH unsigned ls_part_##NAME##2(S2 x, S2 y) { return (unsigned)(VALUE2) & 0xffffu; }                  \
    LS_BOTH unsigned ls_part_##NAME##4(S4 x, S4 y) { return (unsigned)(VALUE4) & 0xffu; }                    \
    LS_BOTH unsigned __v##NAME##2(unsigned a, unsigned b) {                                                  \
        return ls_part_##NAME##2((S2)a, (S2)b) | (ls_part_##NAME##2((S2)(a >> 16), (S2)(b >> 16)) << 16);    \
    }                                                                                                        \
    LS_BOTH unsigned ls_all_##NAME##4(unsigned a, unsigned b) {                                              \
        return ls_part_##NAME##4((S4)a, (S4)b) | (ls_part_##NAME##4((S4)(a >> 8), (S4)(b >> 8)) << 8) |      \
               (ls_part_##NAME##4((S4)(a >> 16), (S4)(b >> 16)) << 16) |                                     \
               (ls_part_##NAME##4((S4)(a >> 24), (S4)(b >> 24)) << 24);                                      \
    }
#define LS_FOUR(NAME) LS_BOTH unsigned __v##NAME##4(unsigned a, unsigned b) { return ls_all_##NAME##4(a, b); }
#define LS_SIGNED(NAME, VALUE) LS_PART(NAME, short, signed char, VALUE, VALUE)
#define LS_UNSIGNED(NAME, VALUE) LS_PART(NAME, unsigned short, unsigned char, VALUE, VALUE)
#define LS_WITHIN(VALUE, LOW, HIGH) ((VALUE) < (LOW) ? (LOW) : (VALUE) > (HIGH) ? (HIGH) : (VALUE))

LS_SIGNED(maxs, x > y ? x : y)
LS_SIGNED(mins, x < y ? x : y)
LS_UNSIGNED(maxu, x > y ? x : y)
LS_UNSIGNED(minu, x < y ? x : y)
LS_SIGNED(absdiffs, x > y ? x - y : y - x) LS_FOUR(absdiffs)
LS_PART(addss, short, signed char, LS_WITHIN(x + y, -32768, 32767), LS_WITHIN(x + y, -128, 127)) LS_FOUR(addss)
LS_PART(subss, short, signed char, LS_WITHIN(x - y, -32768, 32767), LS_WITHIN(x - y, -128, 127)) LS_FOUR(subss)
LS_PART(addus, unsigned short, unsigned char, LS_WITHIN(x + y, 0, 65535), LS_WITHIN(x + y, 0, 255)) LS_FOUR(addus)
LS_UNSIGNED(subus, x > y ? x - y : 0) LS_FOUR(subus)
LS_UNSIGNED(haddu, (x + y) >> 1) LS_FOUR(haddu)
LS_SIGNED(avgs, (x + y + (x + y >= 0)) >> 1) LS_FOUR(avgs)
LS_BOTH unsigned __vavgu2(unsigned a, unsigned b) { return (((a & 0xffffu) + (b & 0xffffu) + 1) >> 1) | ((((a >> 16) + (b >> 16) + 1) >> 1) << 16); }
LS_BOTH unsigned __vabsdiffu2(unsigned a, unsigned b) { return __vsubus2(a, b) | __vsubus2(b, a); }
#define LS_COMPARED(NAME, S2, S4, OP)                                                                        \
    LS_PART(cmp##NAME, S2, S4, x OP y ? ~0u : 0u, x OP y ? ~0u : 0u) LS_FOUR(cmp##NAME)                      \
    LS_PART(set##NAME, S2, S4, x OP y, x OP y) LS_FOUR(set##NAME)
LS_COMPARED(eq, unsigned short, unsigned char, ==)
LS_COMPARED(ne, unsigned short, unsigned char, !=)
LS_COMPARED(gts, short, signed char, >)
LS_COMPARED(ges, short, signed char, >=)
LS_COMPARED(lts, short, signed char, <)
LS_COMPARED(les, short, signed char, <=)
LS_COMPARED(gtu, unsigned short, unsigned char, >)
LS_COMPARED(geu, unsigned short, unsigned char, >=)
LS_COMPARED(ltu, unsigned short, unsigned char, <)
LS_COMPARED(leu, unsigned short, unsigned char, <=)
#undef LS_COMPARED
/* Of one word. */
LS_BOTH unsigned __vneg2(unsigned a) { return ((0u - a) & 0xffffu) | ((0u - (a & 0xffff0000u)) & 0xffff0000u); }
LS_BOTH unsigned __vneg4(unsigned a) { return ((~a & 0x7f7f7f7fu) + 0x01010101u) ^ (~a & 0x80808080u); }
LS_BOTH unsigned __vnegss2(unsigned a) { return __vsubss2(0, a); }
LS_BOTH unsigned __vnegss4(unsigned a) { return __vsubss4(0, a); }
LS_BOTH unsigned __vabs2(unsigned a) { unsigned m = __vcmplts2(a, 0); return (a & ~m) | (__vneg2(a) & m); }
LS_BOTH unsigned __vabs4(unsigned a) { unsigned m = __vcmplts4(a, 0); return (a & ~m) | (__vneg4(a) & m); }
LS_BOTH unsigned __vabsss2(unsigned a) { unsigned m = __vcmplts2(a, 0); return (a & ~m) | (__vnegss2(a) & m); }
LS_BOTH unsigned __vabsss4(unsigned a) { unsigned m = __vcmplts4(a, 0); return (a & ~m) | (__vnegss4(a) & m); }
LS_BOTH unsigned __vsadu2(unsigned a, unsigned b) { unsigned d = __vabsdiffu2(a, b); return (d & 0xffffu) + (d >> 16); }
LS_BOTH unsigned __vsads2(unsigned a, unsigned b) { unsigned d = __vabsdiffs2(a, b); return (d & 0xffffu) + (d >> 16); }
#undef LS_PART
#undef LS_FOUR
#undef LS_SIGNED
#undef LS_UNSIGNED
#undef LS_WITHIN
/* Of whole words: minimum and maximum of three, and after an addition. */
LS_BOTH int __vimax3_s32(int a, int b, int c) { int m = a > b ? a : b; return m > c ? m : c; }
LS_BOTH int __vimin3_s32(int a, int b, int c) { int m = a < b ? a : b; return m < c ? m : c; }
LS_BOTH unsigned __vimax3_u32(unsigned a, unsigned b, unsigned c) { unsigned m = a > b ? a : b; return m > c ? m : c; }
LS_BOTH unsigned __vimin3_u32(unsigned a, unsigned b, unsigned c) { unsigned m = a < b ? a : b; return m < c ? m : c; }
LS_BOTH unsigned __vimax3_s16x2(unsigned a, unsigned b, unsigned c) { return __vmaxs2(__vmaxs2(a, b), c); }
LS_BOTH unsigned __vimin3_s16x2(unsigned a, unsigned b, unsigned c) { return __vmins2(__vmins2(a, b), c); }
LS_BOTH unsigned __vimax3_u16x2(unsigned a, unsigned b, unsigned c) { return __vmaxu2(__vmaxu2(a, b), c); }
LS_BOTH unsigned __vimin3_u16x2(unsigned a, unsigned b, unsigned c) { return __vminu2(__vminu2(a, b), c); }
LS_BOTH int __viaddmax_s32(int a, int b, int c) { int s = (int)((unsigned)a + (unsigned)b); return s > c ? s : c; }
LS_BOTH int __viaddmin_s32(int a, int b, int c) { int s = (int)((unsigned)a + (unsigned)b); return s < c ? s : c; }
/* Two numbers at a time. */
#define LS_TWO(MODE)                                                                                         \
    LS_DEVICE float2 __fadd2_##MODE(float2 x, float2 y) {                                                    \
        return make_float2(__fadd_##MODE(x.x, y.x), __fadd_##MODE(x.y, y.y));                                \
    }                                                                                                        \
    LS_DEVICE float2 __fmul2_##MODE(float2 x, float2 y) {                                                    \
        return make_float2(__fmul_##MODE(x.x, y.x), __fmul_##MODE(x.y, y.y));                                \
    }                                                                                                        \
    LS_DEVICE float2 __ffma2_##MODE(float2 x, float2 y, float2 z) {                                          \
        return make_float2(__fmaf_##MODE(x.x, y.x, z.x), __fmaf_##MODE(x.y, y.y, z.y));                      \
    }
LS_TWO(rn)
LS_TWO(rz)
LS_TWO(ru)
LS_TWO(rd)
#undef LS_TWO
#endif
