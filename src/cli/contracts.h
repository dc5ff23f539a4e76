/* Contracts of kernels in a file (--contracts, docs/verify.md): read at the start, held against launches, and
 * written at the end with those that were found. */
#ifndef LS_CLI_CONTRACTS_H
#define LS_CLI_CONTRACTS_H

#include "lockstep/verify.h"

#include "base/arena.h"

typedef struct ls_contracts ls_contracts;

/* Reads the file; one that is not there has none. NULL with what is wrong in diags. To be freed with
 * ls_contracts_free. */
ls_contracts *ls_contracts_read(const char *path, ls_diags *diags);
void ls_contracts_free(ls_contracts *contracts);

/* The contract of a kernel, by its name in the PTX; NULL: there is none. */
const char *ls_contracts_find(ls_contracts *contracts, const char *kernel);
/* Keeps the contract that was found for a kernel. From any thread. */
void ls_contracts_keep(ls_contracts *contracts, const char *kernel, const char *condition);
/* Writes all of them, in the order of the kernels' names; false with the reason in diags. */
bool ls_contracts_write(ls_contracts *contracts, ls_diags *diags);

/* What a contract says of a launch (the options with their facts). */
typedef enum {
    LS_CONTRACT_USELESS, /* the kernel is not proved where it holds */
    LS_CONTRACT_MET,     /* it holds of the launch: *result is the proof */
    LS_CONTRACT_OPEN,    /* it may hold or not: *result is the proof for where it does */
    LS_CONTRACT_BROKEN   /* it does not hold of the launch */
} ls_contract_state;
ls_contract_state ls_contract_check(const ls_ir_function *kernel, const ls_verify_options *options,
                                    const char *condition, ls_verify_result **result);

#endif
