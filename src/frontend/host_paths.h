/* How control flow of host code decides the values of a launch: what the branches of an if leave behind, what
 * a loop counts, and what holds where a launch stands. */
#ifndef LS_FRONTEND_HOST_PATHS_H
#define LS_FRONTEND_HOST_PATHS_H

#include "frontend/host_values.h"

/* A name for what a phi merges, described by facts; NULL where nothing is known of it. */
const char *ls_host_merged(ls_host_values *h, LLVMValueRef phi);
/* The same of its lower or upper half, where a size of a launch is passed in one value with another. */
const char *ls_host_merged_half(ls_host_values *h, LLVMValueRef phi, bool upper);
/* The condition that decides which of two values the phi is: the first one where it holds, or the second one
 * if it is `turned`. NULL: there is none. */
LLVMValueRef ls_host_merged_by(const ls_llvm *llvm, LLVMValueRef phi, bool *turned);
/* Facts about a value that has its name already, where it is one that branches or a loop leave. */
void ls_host_arrival(ls_host_values *h, LLVMValueRef value);
/* A name for (int)ceil(n / constant), described by a fact; NULL where it is something else. */
const char *ls_host_rounded(ls_host_values *h, LLVMValueRef conversion);
/* Every way to the second instruction leads through the first; false where that is not certain. */
bool ls_host_is_before(const ls_llvm *llvm, LLVMValueRef first, LLVMValueRef second);
/* From the first instruction there may be a way to the second that does not lead through `by`, through which
 * every way from the function's start to the second leads. */
bool ls_host_may_follow(const ls_llvm *llvm, LLVMValueRef first, LLVMValueRef second, LLVMValueRef by);
/* Finds how branches turned out on every way to the instruction. */
void ls_host_find_known(ls_host_values *h, LLVMValueRef instruction);
/* Adds those of their conditions that are about values with names. */
void ls_host_path(ls_host_values *h);

#endif
