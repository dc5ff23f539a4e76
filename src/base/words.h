/* Words of a command line in text. */
#ifndef LS_BASE_WORDS_H
#define LS_BASE_WORDS_H

#include "base/arena.h"

/* The next word, quotes and backslashes read as the shell reads them, and *text moved behind it; NULL at the
 * end. */
const char *ls_word_next(ls_arena *arena, const char **text);

#endif
