/* What the program says of a launch, as conditions over names whose origin ptx/origin.h tells. */
#ifndef LS_VERIFY_EXECUTE_FACTS_H
#define LS_VERIFY_EXECUTE_FACTS_H

#include "base/buf.h"
#include "lockstep/verify.h"
#include "ptx/origin.h"

/* The name means a parameter of the kernel, by its number. */
bool ls_fact_is_parameter(const ls_ptx_function *kernel, const ls_origin *name);
/* "NAME >= (NUMBER)" is stated about the counter of a loop around the launch. */
bool ls_fact_is_counter(const char *fact);
/* "NAME == NAME" is stated about values that callers of the host code pass, which are not in the file. */
bool ls_fact_is_given(const char *fact);
/* How long the name of a value of the host is that the text begins with; 0 where it begins with none. */
size_t ls_fact_name_length(const char *text);
/* Adds the condition with the parameters' own names. */
void ls_fact_show(const ls_ptx_function *kernel, const ls_verify_options *options, const char *fact,
                  ls_buf *out);

#endif
