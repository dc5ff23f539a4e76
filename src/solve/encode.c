/* What both encodings do alike (encode.h). */
#include "solve/encode.h"

/* Of as many bits as the term has; bit-vectors are never negative. */
static uint64_t parse_number(const char *text, uint32_t width) {
    bool negative = *text == '-';
    uint64_t v = 0;
    for (const char *at = text + negative; *at >= '0' && *at <= '9'; at++) v = v * 10 + (uint64_t)(*at - '0');
    return (negative ? 0 - v : v) & ls_mask(width);
}

Z3_lbool ls_encoding_answer(const ls_encoding *query, const ls_term_list *leaves,
                            Z3_ast (*of)(void *encoder, const ls_term *leaf), void *encoder) {
    Z3_context z = query->solver->z3;
    Z3_lbool answer = Z3_solver_check(z, query->z3);
    if (Z3_get_error_code(z) != Z3_OK) return Z3_L_UNDEF;
    Z3_model model = answer == Z3_L_TRUE ? Z3_solver_get_model(z, query->z3) : NULL;
    if (!model) return answer;
    Z3_model_inc_ref(z, model);
    for (uint32_t i = 0; i < leaves->length; i++) {
        const ls_term *t = leaves->items[i];
        Z3_ast value;
        if (!Z3_model_eval(z, model, of(encoder, t), true, &value)) continue;
        uint64_t bits = 0;
        if (t->width == 1)
            bits = Z3_get_bool_value(z, value) == Z3_L_TRUE;
        else if (Z3_is_numeral_ast(z, value))
            bits = parse_number(Z3_get_numeral_string(z, value), t->width);
        bool is_new;
        *ls_intmap_at(query->model, t->id, &is_new) = bits;
    }
    Z3_model_dec_ref(z, model);
    return answer;
}
