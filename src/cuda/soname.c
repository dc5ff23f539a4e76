/* The one symbol of a library that is there for its name (layer.cmake). */
extern const int lockstep_cudart;
const int lockstep_cudart = 1;
