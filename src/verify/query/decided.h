/* Whether a launch in host code itself decides what a condition mentions. Then the condition is no contract
 * for those who call that code: where it does not hold, the launch is wrong. */
#ifndef LS_VERIFY_QUERY_DECIDED_H
#define LS_VERIFY_QUERY_DECIDED_H

#include "lockstep/verify.h"

bool ls_launch_decides(const ls_ir_function *kernel, const ls_verify_options *options, const char *condition);
/* The same, but for values that the launch is only computed from: that those are positive, as sizes are, is
 * left to who calls that code. */
bool ls_launch_says(const ls_ir_function *kernel, const ls_verify_options *options, const char *condition);
/* Those who call the host code give the parameter, and the file does not show them. */
bool ls_launch_is_given(const ls_ir_function *kernel, const ls_verify_options *options, uint32_t parameter);
/* … and nothing of the launch is computed from it; or it comes from memory that the host code is given. */
bool ls_launch_leaves(const ls_ir_function *kernel, const ls_verify_options *options, uint32_t parameter);
/* The same of a member of a structure, in a byte of the parameter; also where nothing is known of it. */
bool ls_launch_leaves_member(const ls_ir_function *kernel, const ls_verify_options *options,
                             uint32_t parameter, uint32_t at, uint32_t bits);

#endif
