/* Warp functions: shuffles, votes, matches, reductions. */
#ifndef LS_WARP_H
#define LS_WARP_H
#pragma GCC system_header

#define LS_SHUFFLE_WORD(NAME, MODE, CLAMP)                                                                   \
    LS_DEVICE int NAME(unsigned mask, int v, int lane, int width = 32) {                                     \
        return __nvvm_shfl_sync_##MODE##_i32(mask, v, lane, ((32 - width) << 8) | CLAMP);                    \
    }                                                                                                        \
    LS_DEVICE float NAME(unsigned mask, float v, int lane, int width = 32) {                                 \
        return __nvvm_shfl_sync_##MODE##_f32(mask, v, lane, ((32 - width) << 8) | CLAMP);                    \
    }                                                                                                        \
    LS_DEVICE unsigned NAME(unsigned mask, unsigned v, int lane, int width = 32) {                           \
        return (unsigned)NAME(mask, (int)v, lane, width);                                                    \
    }                                                                                                        \
    LS_DEVICE long long NAME(unsigned mask, long long v, int lane, int width = 32) {                         \
        unsigned lo = (unsigned)NAME(mask, (int)v, lane, width);                                             \
        int hi = NAME(mask, (int)(v >> 32), lane, width);                                                    \
        return (long long)(((unsigned long long)(unsigned)hi << 32) | lo);                                   \
    }                                                                                                        \
    LS_DEVICE unsigned long long NAME(unsigned mask, unsigned long long v, int lane, int width = 32) {       \
        return (unsigned long long)NAME(mask, (long long)v, lane, width);                                    \
    }                                                                                                        \
    LS_DEVICE long NAME(unsigned mask, long v, int lane, int width = 32) {                                   \
        return (long)NAME(mask, (long long)v, lane, width);                                                  \
    }                                                                                                        \
    LS_DEVICE unsigned long NAME(unsigned mask, unsigned long v, int lane, int width = 32) {                 \
        return (unsigned long)NAME(mask, (long long)v, lane, width);                                         \
    }                                                                                                        \
    LS_DEVICE double NAME(unsigned mask, double v, int lane, int width = 32) {                               \
        return __builtin_bit_cast(double, NAME(mask, __builtin_bit_cast(long long, v), lane, width));        \
    }
LS_SHUFFLE_WORD(__shfl_sync, idx, 0x1f)
LS_SHUFFLE_WORD(__shfl_up_sync, up, 0)
LS_SHUFFLE_WORD(__shfl_down_sync, down, 0x1f)
LS_SHUFFLE_WORD(__shfl_xor_sync, bfly, 0x1f)
#undef LS_SHUFFLE_WORD

LS_DEVICE unsigned __activemask(void) { return __nvvm_activemask(); }
LS_DEVICE int __all_sync(unsigned mask, int p) { return __nvvm_vote_all_sync(mask, p); }
LS_DEVICE int __any_sync(unsigned mask, int p) { return __nvvm_vote_any_sync(mask, p); }
LS_DEVICE int __uni_sync(unsigned mask, int p) { return __nvvm_vote_uni_sync(mask, p); }
LS_DEVICE unsigned __ballot_sync(unsigned mask, int p) { return __nvvm_vote_ballot_sync(mask, p); }

/* The forms without a mask, which CUDA 9 took back for sm_70: all lanes that are there. */
#define LS_OLD_SHUFFLE(NAME)                                                                                 \
    template <class T> LS_DEVICE T NAME(T v, int lane, int width = 32) { return NAME##_sync(__activemask(), v, lane, width); }
LS_OLD_SHUFFLE(__shfl)
LS_OLD_SHUFFLE(__shfl_up)
LS_OLD_SHUFFLE(__shfl_down)
LS_OLD_SHUFFLE(__shfl_xor)
#undef LS_OLD_SHUFFLE
#ifndef __LOCKSTEP_ANNOTATED__ /* there __all is an annotation */
LS_DEVICE int __all(int p) { return __all_sync(__activemask(), p); }
#endif
LS_DEVICE int __any(int p) { return __any_sync(__activemask(), p); }
LS_DEVICE unsigned __ballot(int p) { return __ballot_sync(__activemask(), p); }

#define LS_MATCH(T, W, BUILTIN)                                                                              \
    LS_DEVICE unsigned __match_any_sync(unsigned mask, T v) {                                                \
        return (unsigned)__nvvm_match_any_sync_##BUILTIN(mask, __builtin_bit_cast(W, v));                    \
    }                                                                                                        \
    LS_DEVICE unsigned __match_all_sync(unsigned mask, T v, int *p) {                                        \
        return (unsigned)__nvvm_match_all_sync_##BUILTIN##p(mask, __builtin_bit_cast(W, v), p);              \
    }
LS_MATCH(int, unsigned, i32)
LS_MATCH(unsigned, unsigned, i32)
LS_MATCH(float, unsigned, i32)
LS_MATCH(long, unsigned long long, i64)
LS_MATCH(unsigned long, unsigned long long, i64)
LS_MATCH(long long, unsigned long long, i64)
LS_MATCH(unsigned long long, unsigned long long, i64)
LS_MATCH(double, unsigned long long, i64)
#undef LS_MATCH

#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 800
LS_DEVICE int __reduce_add_sync(unsigned mask, int v) { return __nvvm_redux_sync_add(v, mask); }
LS_DEVICE unsigned __reduce_add_sync(unsigned mask, unsigned v) { return (unsigned)__nvvm_redux_sync_add((int)v, mask); }
LS_DEVICE int __reduce_min_sync(unsigned mask, int v) { return __nvvm_redux_sync_min(v, mask); }
LS_DEVICE unsigned __reduce_min_sync(unsigned mask, unsigned v) { return __nvvm_redux_sync_umin(v, mask); }
LS_DEVICE int __reduce_max_sync(unsigned mask, int v) { return __nvvm_redux_sync_max(v, mask); }
LS_DEVICE unsigned __reduce_max_sync(unsigned mask, unsigned v) { return __nvvm_redux_sync_umax(v, mask); }
LS_DEVICE unsigned __reduce_and_sync(unsigned mask, unsigned v) { return (unsigned)__nvvm_redux_sync_and((int)v, mask); }
LS_DEVICE unsigned __reduce_or_sync(unsigned mask, unsigned v) { return (unsigned)__nvvm_redux_sync_or((int)v, mask); }
LS_DEVICE unsigned __reduce_xor_sync(unsigned mask, unsigned v) { return (unsigned)__nvvm_redux_sync_xor((int)v, mask); }
#endif

#endif
