/* Where a Python program has called: its own lines instead of the interpreter's. The functions of Python's
 * interface are those of the interpreter that the process has, if it has one.
 *
 * They may be called by the thread that has the interpreter's lock. A call through ctypes has given it back;
 * it is taken again where the program has one thread alone, so that nobody can hold it and wait for the
 * device meanwhile. In programs with several threads the lines are known where the call has kept the lock. */
#include "device/private.h"

#include <dlfcn.h>
#include <stdlib.h>

typedef void object; /* PyObject and what is one */

typedef struct {
    int (*is_initialized)(void), (*has_lock)(void), (*take_lock)(void);
    void (*give_lock)(int state), (*forget)(object *o), (*clear_error)(void);
    void *(*this_thread)(void), *(*interpreter_of)(void *thread), *(*first_thread)(void *interpreter),
        *(*next_thread)(void *thread);
    object *(*frame_of)(void *thread), *(*back)(object *frame), *(*code_of)(object *frame),
        *(*attribute)(object *o, const char *name);
    int (*line_of)(object *frame);
    const char *(*text_of)(object *o);
} interface;

/* dlsym gives objects; POSIX has functions in them. */
static bool find(const char *name, void *function) {
    void *f = dlsym(RTLD_DEFAULT, name);
    memcpy(function, &f, sizeof f);
    return f;
}

static bool find_all(interface *py) {
    return find("Py_IsInitialized", &py->is_initialized) && find("PyGILState_Check", &py->has_lock) &&
           find("PyGILState_Ensure", &py->take_lock) && find("PyGILState_Release", &py->give_lock) &&
           find("Py_DecRef", &py->forget) && find("PyErr_Clear", &py->clear_error) &&
           find("PyGILState_GetThisThreadState", &py->this_thread) &&
           find("PyThreadState_GetInterpreter", &py->interpreter_of) &&
           find("PyInterpreterState_ThreadHead", &py->first_thread) &&
           find("PyThreadState_Next", &py->next_thread) && find("PyThreadState_GetFrame", &py->frame_of) &&
           find("PyFrame_GetBack", &py->back) && find("PyFrame_GetCode", &py->code_of) &&
           find("PyObject_GetAttrString", &py->attribute) && find("PyFrame_GetLineNumber", &py->line_of) &&
           find("PyUnicode_AsUTF8", &py->text_of);
}

static void put_attribute(const interface *py, ls_buf *to, object *code, const char *name) {
    object *value = py->attribute(code, name);
    const char *text = value ? py->text_of(value) : NULL;
    if (!text) py->clear_error();
    for (const char *c = text ? text : "?"; *c; c++) ls_buf_putc(to, *c == '\n' || *c == '\t' ? ' ' : *c);
    if (value) py->forget(value);
}

/* python:file:line=function, a line for each frame. */
static void put_frames(const interface *py, ls_buf *to) {
    enum { MOST = 8 };
    object *frame = py->frame_of(py->this_thread());
    for (int k = 0; frame && k < MOST; k++) {
        object *code = py->code_of(frame), *back = py->back(frame);
        ls_buf_puts(to, "python:");
        put_attribute(py, to, code, "co_filename");
        ls_buf_printf(to, ":%d=", py->line_of(frame));
        put_attribute(py, to, code, "co_name");
        ls_buf_putc(to, '\n');
        py->forget(code);
        py->forget(frame);
        frame = back;
    }
    if (frame) py->forget(frame);
}

const void *dv_python_object(void) {
    Dl_info info;
    void *f = dlsym(RTLD_DEFAULT, "Py_IsInitialized");
    return f && dladdr(f, &info) ? info.dli_fbase : NULL;
}

/* Kept by the device: the same calls come again and again. */
static const char *keep(ls_dev *dev, const ls_buf *text) {
    dv_lock(dev);
    char *known = ls_map_get(&dev->python_stacks, text->text, text->length);
    if (!known) {
        known = ls_arena_strdup(&dev->arena, text->text);
        *ls_map_at(&dev->python_stacks, known, text->length) = known;
    }
    dv_unlock(dev);
    return known;
}

const char *dv_python_stack(ls_dev *dev) {
    interface py;
    if (!find_all(&py) || !py.is_initialized()) return NULL;
    void *thread = py.this_thread();
    if (!thread) return NULL;
    bool has = py.has_lock();
    void *first = has ? NULL : py.first_thread(py.interpreter_of(thread));
    if (!has && (first != thread || py.next_thread(first))) return NULL;
    int state = has ? 0 : py.take_lock();
    ls_buf text = {0};
    put_frames(&py, &text);
    if (!has) py.give_lock(state);
    const char *kept = text.length ? keep(dev, &text) : NULL;
    ls_buf_free(&text);
    return kept;
}
