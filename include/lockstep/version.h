/* The version of the headers, the status codes, and what lets C++ include them. */
#ifndef LOCKSTEP_VERSION_H
#define LOCKSTEP_VERSION_H

/* The one place where the version stands: CMake reads it from here. */
#define LOCKSTEP_VERSION_MAJOR 0
#define LOCKSTEP_VERSION_MINOR 1
#define LOCKSTEP_VERSION_PATCH 0
#define LOCKSTEP_VERSION       "0.1.0"
/* For comparisons: 1.2.3 is 10203. */
#define LOCKSTEP_VERSION_NUMBER                                                                              \
    (LOCKSTEP_VERSION_MAJOR * 10000 + LOCKSTEP_VERSION_MINOR * 100 + LOCKSTEP_VERSION_PATCH)

#ifdef __cplusplus
#define LS_BEGIN_DECLS extern "C" {
#define LS_END_DECLS   }
#else
#define LS_BEGIN_DECLS
#define LS_END_DECLS
#endif

/* Options structs begin with `size`, which says how much of them the program was compiled with: a program
 * goes on working with a library whose struct has grown. LS_OPTIONS(ls_verify_options, .bounds = true) fills
 * it in C; in C++ write `ls_verify_options options = {}; options.size = sizeof options;`. 0 means as large as
 * the library's. */
#define LS_OPTIONS(type, ...) ((type){.size = sizeof(type), __VA_ARGS__})

LS_BEGIN_DECLS

/* The version of the library that is linked: "0.1.0". */
const char *ls_version(void);

/* What came of a check, also the command's exit statuses. */
typedef enum {
    LS_STATUS_CLEAN = 0,    /* nothing was found, and everything that was asked for is known */
    LS_STATUS_FOUND = 1,    /* something was found */
    LS_STATUS_UNUSABLE = 2, /* the input or the options cannot be used: the diagnostics say why */
    LS_STATUS_UNKNOWN = 3,  /* nothing was found, but something is not known */
} ls_status;

LS_END_DECLS

#endif
