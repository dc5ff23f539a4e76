/* The runtime that is linked into a library: it knows no device. */
enum { NO_DEVICE = 100 };

/* Long enough for a jump. */
#define FAILS(name)                                                                                          \
    __attribute__((visibility("hidden"))) int name(int *out);                                                \
    int name(int *out) {                                                                                     \
        static volatile int calls;                                                                           \
        calls = calls + 1;                                                                                   \
        *out = calls;                                                                                        \
        return NO_DEVICE;                                                                                    \
    }

FAILS(cudaGetDeviceCount)
FAILS(__cudaRegisterFatBinary)
