/* Accesses: from lane vectors and costs to classes, reasons and suggestions. */
#ifndef LS_ANALYZE_ACCESS_H
#define LS_ANALYZE_ACCESS_H

#include "analyze/cost.h"

/* One access as one warp sees it. */
typedef struct {
    ls_lanes address;
    ls_active active;
    ls_access_cost cost;
} ls_view;

/* Fills pattern, stride, reason, suggestion and flagged from the view that costs most (classify.c). */
void ls_classify(analysis *a, const ls_view *view, ls_access_result *result);
/* Why the address is what it is: identifiers and what they are multiplied by, in arena (reason.c). */
const char *ls_access_reason(analysis *a, const ls_access_result *result, const ls_view *view);
/* What the source calls a parameter, where that is known, else "parameter 3"; in arena (reason.c). */
const char *ls_parameter_name(analysis *a, uint32_t object, uint32_t offset);
/* Suggestions against bank conflicts that a second look, in all of these warps, has confirmed (suggest.c). */
void ls_suggest_shared(analysis *a, ls_warp *const *warps, uint32_t warp_count);
/* An access by an asynchronous unit: a bulk or tensor copy, an mbarrier. False where it is none (copies.c).
 */
bool ls_fill_unit(analysis *a, ls_warp *warp, ls_access_result *result);
/* The address of an mbarrier at which a copy's unit counts bytes, which costs nothing that is counted. */
bool ls_is_counter(const ls_ir_access *access);
/* Products of matrix units (copies.c). */
void ls_fill_products(analysis *a);
/* Which branches diverge by their lanes, where their shape does not say (branches.c). */
void ls_fill_branch_lanes(analysis *a, ls_warp *warp);
/* A loop variable that the access's address or condition depends on and that runs through known numbers; how
 * many they are, 0 where there is none (iterations.c). */
uint32_t ls_loop_numbers(analysis *a, const ls_ir_access *access, const ls_ir_value **variable,
                         int64_t *numbers, uint32_t most);

#endif
