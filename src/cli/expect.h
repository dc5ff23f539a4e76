/* Kernel files that carry their expectation in their first comment lines (docs/expect.md): reading that
 * header, and turning GPUVerify's flags into Lockstep's. */
#ifndef LS_CLI_EXPECT_H
#define LS_CLI_EXPECT_H

#include "cli/cli.h"

/* What was expected, and the first four of what can be answered. By exit status 0…3. */
typedef enum {
    LS_ANSWER_PASS,
    LS_ANSWER_FOUND,
    LS_ANSWER_ERROR,
    LS_ANSWER_UNKNOWN,
    LS_ANSWER_TIMEOUT,
    LS_ANSWER_CRASH,
    LS_ANSWER_NONE, /* the file asks for a subcommand that does not exist */
    LS_ANSWER_COUNT
} ls_answer;

const char *ls_answer_name(ls_answer answer);

typedef struct {
    ls_answer expected;
    const char *subcommand; /* of a "//lockstep:" line; NULL: none */
    ls_list flags;          /* one word each, as written */
    ls_list patterns;       /* regular expressions that the output must match */
    const char *untrusted;  /* the first flag that a stranger's file may not ask for, or NULL */
    bool own;               /* has a "//lockstep:" line: patterns are meant for this program's output */
} ls_expectation;

/* False where the text does not start with an expectation. */
bool ls_expectation_read(ls_arena *arena, const char *text, size_t length, ls_expectation *out);

/* Words separated by blanks; quotes keep blanks together. */
void ls_expectation_words(ls_arena *arena, const char *line, ls_list *out);

/* One kernel of a file with a "//:" comment: how it is run and what is reported (expect_cases.c). */
typedef struct {
    const char *kernel; /* the first of them */
    ls_list options;
    ls_list findings;    /* "RULE LINE LINE"; none: nothing is to be found */
    const char *verdict; /* of `verify`, for each of the kernels; NULL: it is run, and the findings count */
    ls_list kernels;
    const char *mistake; /* of the comment; or NULL */
} ls_case;

/* How many cases the text (which ends with 0) has, and they. */
uint32_t ls_cases_read(ls_arena *arena, const char *text, ls_case **out);
/* How the output of a run of `file` differs from what is expected; NULL: it does not. */
const char *ls_case_differs(ls_arena *arena, ls_case *c, const char *output, const char *file);

/* Adds to `arguments` what the flags mean for a subcommand, and to `ignored` the names of those that mean
 * nothing to it. */
void ls_expectation_flags(ls_arena *arena, ls_expectation *expectation, const ls_command *command,
                          ls_list *arguments, ls_list *ignored);

/* Whether a POSIX extended regular expression (in which \d and (?: are taken as well) matches anywhere in
 * text, line by line. False with *error set where it is not a regular expression. */
bool ls_pattern_matches(const char *pattern, const char *text, bool *error);

#endif
