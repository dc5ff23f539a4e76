/* Marks that the front end leaves in the PTX for the layers behind it. */
#ifndef LS_PTX_MARKS_H
#define LS_PTX_MARKS_H

/* A .pragma of this name stands in the source form where a number becomes a pointer. */
#define LS_PRAGMA_POINTER "lockstep pointer from a number"

#endif
