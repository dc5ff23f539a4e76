/* OpenCL kernels are spoken of in OpenCL's words, in everything that is told of them: the engines mention
 * threads, blocks and shared memory, and this is where that becomes work-items, work-groups and local memory.
 * Whole words only, and none of source code: not in quotes, nor in names and options. */
#include "report/opencl.h"

#include "base/buf.h"

#include <ctype.h>
#include <string.h>

/* The longest that fits is taken. */
static const struct {
    const char *cuda, *opencl;
} words[] = {
    {"shared memory", "local memory"},
    {"shared variable", "local variable"},
    {"shared variables", "local variables"},
    {"local memory", "private memory"},
    {"local variable", "private variable"},
    {"local variables", "private variables"},
    {"a grid", "an NDRange"},
    {"grid", "NDRange"},
    {"grids", "NDRanges"},
    {"thread", "work-item"},
    {"threads", "work-items"},
    {"lane", "work-item"},
    {"lanes", "work-items"},
    {"thread block", "work-group"},
    {"thread blocks", "work-groups"},
    {"block", "work-group"},
    {"blocks", "work-groups"},
    {"warp", "sub-group"},
    {"warps", "sub-groups"},
};

/* What CUDA has as variables with an axis. */
static const struct {
    const char *cuda, *opencl;
} names[] = {{"threadIdx.", "get_local_id"},
             {"blockIdx.", "get_group_id"},
             {"blockDim.", "get_local_size"},
             {"gridDim.", "get_num_groups"}};

static bool is_of_name(char c) {
    return isalnum((unsigned char)c) || c == '_';
}

/* A word ends here: nothing follows that would make it a part of a name, a call or a file's name. */
static bool ends(const char *at) {
    return !is_of_name(*at) && *at != '(' && !(*at == '.' && is_of_name(at[1]));
}

/* The length of the phrase at the start of the text, in small letters or with a large one first; 0: another.
 */
static size_t match(const char *text, const char *phrase) {
    size_t length = strlen(phrase);
    if (tolower((unsigned char)*text) != *phrase || strncmp(text + 1, phrase + 1, length - 1) != 0) return 0;
    return ends(text + length) ? length : 0;
}

/* Behind a quotation that begins here, or the text itself. */
static const char *behind_quote(const char *text) {
    const char *end = *text == '\'' || *text == '`' || *text == '"' ? strchr(text + 1, *text) : NULL;
    return end ? end + 1 : text;
}

static size_t put_word(ls_buf *out, const char *text) {
    size_t best = 0, longest = 0;
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        size_t length = match(text, words[i].cuda);
        if (length > longest) longest = length, best = i;
    }
    if (!longest) return 0;
    const char *word = words[best].opencl;
    ls_buf_putc(out, isupper((unsigned char)*text) ? (char)toupper((unsigned char)*word) : *word);
    ls_buf_puts(out, word + 1);
    return longest;
}

static size_t put_name(ls_buf *out, const char *text) {
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        size_t length = strlen(names[i].cuda);
        char axis = strncmp(text, names[i].cuda, length) == 0 ? text[length] : 0;
        if (axis < 'x' || axis > 'z') continue;
        ls_buf_printf(out, "%s(%d)", names[i].opencl, axis - 'x');
        return length + 1;
    }
    return 0;
}

void ls_in_opencl_words(const char *text, ls_buf *out) {
    char before = ' ';
    while (*text) {
        bool begins = !is_of_name(before) && before != '-' && before != '.' && before != '/';
        const char *quoted = begins ? behind_quote(text) : text;
        size_t taken = quoted > text || !begins ? 0 : put_name(out, text);
        if (quoted == text && begins && !taken) taken = put_word(out, text);
        size_t length = quoted > text ? (size_t)(quoted - text) : taken ? taken : 1;
        if (!taken) ls_buf_add(out, text, length);
        text += length;
        before = text[-1];
    }
}

/* A text that has not been said in these words already. */
static void say(ls_report *report, const char **text) {
    bool is_new = false;
    if (*text) ls_intmap_at(&report->in_opencl_words, (uintptr_t)*text, &is_new);
    if (!is_new) return;
    ls_buf out = {0};
    ls_in_opencl_words(*text, &out);
    if (strcmp(ls_buf_text(&out), *text) != 0) {
        *text = ls_store_text(&report->store, ls_buf_text(&out));
        ls_intmap_at(&report->in_opencl_words, (uintptr_t)*text, &is_new);
    }
    ls_buf_free(&out);
}

static void say_finding(ls_report *report, ls_finding *f) {
    say(report, &f->message);
    say(report, &f->help);
    for (ls_related *r = f->related; r; r = r->next) say(report, &r->message);
    for (ls_field *v = f->story && f->story->values ? f->story->values->first : NULL; v; v = v->next)
        say(report, &v->key);
    for (ls_finding *same = f->same; same; same = same->next) {
        say(report, &same->message);
        for (ls_related *r = same->related; r; r = r->next) say(report, &r->message);
    }
}

void ls_say_in_opencl_words(ls_report_kernel *kernel) {
    ls_report *report = kernel->file->report;
    for (ls_finding *f = kernel->findings; f; f = f->next) say_finding(report, f);
    for (ls_reason *r = kernel->reasons; r; r = r->next) say(report, &r->message), say(report, &r->help);
    for (ls_scope_item *s = kernel->scope; s; s = s->next) say(report, &s->text), say(report, &s->brief);
    say(report, &kernel->help);
}
