/* What may help where a program could not be linked. */
#ifndef LS_CLI_LINK_ADVICE_H
#define LS_CLI_LINK_ADVICE_H

#include <stdbool.h>

/* Notes on standard error, by what the linker has said; `running`: the program was built to be run at once
 * (`lockstep run FILE --`), whose options are given in another way than a compiler's. */
void ls_link_advise(const char *said, bool running);

#endif
