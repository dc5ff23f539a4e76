/* Contracts with their proofs, for those who tell what the proof covers as well. */
#ifndef LS_VERIFY_QUERY_CONTRACT_H
#define LS_VERIFY_QUERY_CONTRACT_H

#include "lockstep/verify.h"

/* As ls_verify_contract; the proof where the contract holds, in *proof, is the caller's. */
bool ls_prove_contract(const ls_ir_function *kernel, const ls_verify_options *options,
                       const ls_verify_result *result, char *out, size_t size, ls_verify_result **proof);

#endif
