/* Ranges of terms, as numbers with and without a sign, from those of their operands (solve/ranges.h). */
#include "solve/ranges.h"

void ls_range_any(ls_term *t) {
    t->ulo = 0, t->uhi = ls_mask(t->width);
    t->slo = ls_signed(UINT64_C(1) << (t->width - 1), t->width);
    t->shi = (int64_t)(ls_mask(t->width) >> 1);
}

void ls_range_tighten(ls_term *t) {
    int64_t smax = (int64_t)(ls_mask(t->width) >> 1);
    if (t->slo >= 0) {
        if ((uint64_t)t->slo > t->ulo) t->ulo = (uint64_t)t->slo;
        if ((uint64_t)t->shi < t->uhi) t->uhi = (uint64_t)t->shi;
    }
    if (t->uhi <= (uint64_t)smax) {
        if ((int64_t)t->ulo > t->slo) t->slo = (int64_t)t->ulo;
        if ((int64_t)t->uhi < t->shi) t->shi = (int64_t)t->uhi;
    }
    if (t->shi < 0) { /* all negative: the unsigned ones are at the top */
        uint64_t lo = (uint64_t)t->slo & ls_mask(t->width), hi = (uint64_t)t->shi & ls_mask(t->width);
        if (lo > t->ulo) t->ulo = lo;
        if (hi < t->uhi) t->uhi = hi;
    }
}

void ls_range_signed(ls_term *t, ls_wide lo, ls_wide hi) {
    if (lo > t->slo) t->slo = (int64_t)lo;
    if (hi < t->shi) t->shi = (int64_t)hi;
}

void ls_range_unsigned(ls_term *t, ls_wide lo, ls_wide hi) {
    if (lo > (ls_wide)t->ulo) t->ulo = (uint64_t)lo;
    if (hi < (ls_wide)t->uhi) t->uhi = (uint64_t)hi;
}

bool ls_fits_signed(ls_wide lo, ls_wide hi, uint32_t width) {
    ls_wide top = (ls_wide)(ls_mask(width) >> 1);
    return lo >= -top - 1 && hi <= top;
}

bool ls_fits_unsigned(ls_wide lo, ls_wide hi, uint32_t width) {
    return lo >= 0 && hi <= (ls_wide)ls_mask(width);
}

void ls_sum_range(const ls_term *t, bool args_signed, ls_wide *lo, ls_wide *hi) {
    *lo = *hi = ls_signed(t->value, t->width);
    for (uint32_t i = 0; i < t->count; i++) {
        ls_wide c = ls_signed(t->coefs[i], t->width);
        ls_wide alo = args_signed ? (ls_wide)t->args[i]->slo : (ls_wide)t->args[i]->ulo;
        ls_wide ahi = args_signed ? (ls_wide)t->args[i]->shi : (ls_wide)t->args[i]->uhi;
        ls_wide x = c * alo, y = c * ahi;
        if (__builtin_add_overflow(*lo, x < y ? x : y, lo) ||
            __builtin_add_overflow(*hi, x < y ? y : x, hi)) {
            *hi = (ls_wide)1 << 100; /* anything: no width has room for these */
            *lo = -*hi;
            return;
        }
    }
}

static bool small(ls_wide v) {
    return v > -((ls_wide)1 << 62) && v < ((ls_wide)1 << 62);
}

bool ls_product_range(const ls_term *t, bool args_signed, ls_wide *lo, ls_wide *hi) {
    *lo = *hi = 1;
    for (uint32_t i = 0; i < t->count; i++) {
        ls_wide alo = args_signed ? (ls_wide)t->args[i]->slo : (ls_wide)t->args[i]->ulo;
        ls_wide ahi = args_signed ? (ls_wide)t->args[i]->shi : (ls_wide)t->args[i]->uhi;
        if (!small(*lo) || !small(*hi) || !small(alo) || !small(ahi)) return false;
        ls_wide p[4] = {*lo * alo, *lo * ahi, *hi * alo, *hi * ahi};
        *lo = *hi = p[0];
        for (int k = 1; k < 4; k++) {
            if (p[k] < *lo) *lo = p[k];
            if (p[k] > *hi) *hi = p[k];
        }
    }
    return true;
}

static void arithmetic_range(ls_term *t) {
    for (int is_signed = 0; is_signed < 2; is_signed++) {
        ls_wide lo, hi;
        if (t->op == LS_T_LIN)
            ls_sum_range(t, is_signed, &lo, &hi);
        else if (!ls_product_range(t, is_signed, &lo, &hi))
            continue;
        if (ls_fits_signed(lo, hi, t->width)) ls_range_signed(t, lo, hi);
        if (ls_fits_unsigned(lo, hi, t->width)) ls_range_unsigned(t, lo, hi);
    }
}

static uint64_t bits_above(uint64_t v) { /* smallest 2^k - 1 that is >= v */
    for (uint32_t s = 1; s < 64; s *= 2) v |= v >> s;
    return v;
}

static void bit_range(ls_term *t) {
    const ls_term *a = t->args[0], *b = t->args[1];
    uint64_t least = a->uhi < b->uhi ? a->uhi : b->uhi, most = bits_above(a->uhi | b->uhi);
    if (t->op == LS_T_AND) ls_range_unsigned(t, 0, least);
    if (t->op == LS_T_OR) ls_range_unsigned(t, a->ulo > b->ulo ? a->ulo : b->ulo, most);
    if (t->op == LS_T_XOR) ls_range_unsigned(t, 0, most);
}

static void divide_range(ls_term *t) {
    const ls_term *a = t->args[0], *b = t->args[1];
    if (t->op == LS_T_UDIV && b->ulo > 0) ls_range_unsigned(t, a->ulo / b->uhi, a->uhi / b->ulo);
    if (t->op == LS_T_UREM) ls_range_unsigned(t, 0, a->uhi);
    if (t->op == LS_T_UREM && b->ulo > 0 && b->uhi - 1 < t->uhi) t->uhi = b->uhi - 1;
    if (t->op == LS_T_SDIV && b->slo > 0 && a->slo > INT64_MIN)
        ls_range_signed(t, a->slo < 0 ? a->slo / b->slo : a->slo / b->shi,
                        a->shi < 0 ? a->shi / b->shi : a->shi / b->slo);
    if (t->op == LS_T_SREM && b->slo > 0) {
        ls_wide m = (ls_wide)b->shi - 1;
        ls_range_signed(t, a->slo >= 0 ? 0 : ((ls_wide)a->slo > -m ? (ls_wide)a->slo : -m),
                        a->shi <= 0 ? 0 : ((ls_wide)a->shi < m ? (ls_wide)a->shi : m));
    }
}

static void shift_range(ls_term *t) {
    const ls_term *a = t->args[0], *b = t->args[1];
    uint64_t least = b->ulo, most = b->uhi;
    if (t->op == LS_T_LSHR)
        ls_range_unsigned(t, most > 63 ? 0 : a->ulo >> most, least > 63 ? 0 : a->uhi >> least);
    if (t->op == LS_T_ASHR && a->slo >= 0)
        ls_range_signed(t, 0, least > 63 ? 0 : a->shi >> least);
    else if (t->op == LS_T_ASHR)
        ls_range_signed(t, a->slo, a->shi < 0 ? -1 : a->shi);
    if (t->op == LS_T_SHL && most < 63 && (ls_wide)a->uhi << most <= (ls_wide)ls_mask(t->width))
        ls_range_unsigned(t, (ls_wide)a->ulo << least, (ls_wide)a->uhi << most);
}

void ls_range_find(ls_term *t) {
    ls_range_any(t);
    const ls_term *a = t->count > 0 ? t->args[0] : NULL, *b = t->count > 1 ? t->args[1] : NULL;
    switch ((ls_term_op)t->op) {
    case LS_T_CONST:
        t->ulo = t->uhi = t->value;
        t->slo = t->shi = ls_signed(t->value, t->width);
        return;
    case LS_T_LIN:
    case LS_T_MUL: arithmetic_range(t); break;
    case LS_T_AND:
    case LS_T_OR:
    case LS_T_XOR: bit_range(t); break;
    case LS_T_UDIV:
    case LS_T_UREM:
    case LS_T_SDIV:
    case LS_T_SREM: divide_range(t); break;
    case LS_T_SHL:
    case LS_T_LSHR:
    case LS_T_ASHR: shift_range(t); break;
    case LS_T_ITE: {
        const ls_term *c = t->args[2];
        ls_range_unsigned(t, b->ulo < c->ulo ? b->ulo : c->ulo, b->uhi > c->uhi ? b->uhi : c->uhi);
        ls_range_signed(t, b->slo < c->slo ? b->slo : c->slo, b->shi > c->shi ? b->shi : c->shi);
        break;
    }
    case LS_T_ZEXT: ls_range_unsigned(t, a->ulo, a->uhi); break;
    case LS_T_SEXT: ls_range_signed(t, a->slo, a->shi); break;
    case LS_T_EXTRACT:
        if (t->value < 64 && a->uhi >> t->value <= ls_mask(t->width))
            ls_range_unsigned(t, a->ulo >> t->value, a->uhi >> t->value);
        if (t->value == 0 && ls_fits_signed(a->slo, a->shi, t->width)) ls_range_signed(t, a->slo, a->shi);
        break;
    default: break;
    }
    ls_range_tighten(t);
    ls_range_tighten(t);
}
