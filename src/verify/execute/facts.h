/* Names in what is known of a launch: $argI_W_N is the I-th of N parameters, an integer or pointer of W bits;
 * $3_width, or $3, a value of the host's code, $$3_width one of 64 bits. */
#ifndef LS_VERIFY_EXECUTE_FACTS_H
#define LS_VERIFY_EXECUTE_FACTS_H

#include "base/buf.h"
#include "lockstep/verify.h"

/* The number of the parameter that the name means, or UINT32_MAX where the kernel has none like that. */
uint32_t ls_fact_parameter(const ls_ptx_function *kernel, const char *name, uint32_t *width);
/* "NAME >= (NUMBER)" is said of what counts the rounds of a loop around the launch. */
bool ls_fact_is_counter(const char *fact);
/* "NAME == NAME" is said of what those give who call the host code, whom the file does not show. */
bool ls_fact_is_given(const char *fact);
/* How long the name of a value of the host is that the text begins with; 0 where it begins with none. */
size_t ls_fact_name_length(const char *text);
/* Adds the condition with the parameters' own names. */
void ls_fact_show(const ls_ptx_function *kernel, const ls_verify_options *options, const char *fact,
                  ls_buf *out);

#endif
