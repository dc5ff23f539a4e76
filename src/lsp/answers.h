/* Reports as what an editor shows: diagnostics, hints in the line, hovers, code actions. The reports are
 * those of `lockstep … --format json` (docs/json.md) for the text as it is. */
#ifndef LS_LSP_ANSWERS_H
#define LS_LSP_ANSWERS_H

#include "lsp/document.h"

/* What is known of a text. Reports that are not there are NULL. */
typedef struct {
    const char *uri;
    const char *path;   /* that the reports call it by */
    const char *folder; /* that relative paths in them start from */
    const ls_buf *text;
    const json_t *costs, *proofs, *fixes;
} ls_answers;

json_t *ls_answer_diagnostics(const ls_answers *a);
/* Of the lines from first to last (from 0). */
json_t *ls_answer_hints(const ls_answers *a, json_int_t first, json_int_t last);
json_t *ls_answer_actions(const ls_answers *a, json_int_t first, json_int_t last);
json_t *ls_answer_hover(const ls_answers *a, json_int_t line);
/* Whether something was found for which a change of the text might be found. */
bool ls_answer_wants_fixes(const ls_answers *a);

#endif
