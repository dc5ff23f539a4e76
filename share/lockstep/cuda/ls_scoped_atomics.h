/* Atomic operations at a scope and with an order, for numbers of 4 and 8 bytes, each one instruction of PTX; on
 * the host, too, as they are used in managed memory. cuda::atomic is made of them (libcu), and nvcc's built-in
 * functions, __nv_atomic_…. */
#ifndef LS_SCOPED_ATOMICS_H
#define LS_SCOPED_ATOMICS_H
#pragma GCC system_header

namespace ls_scoped {
/* As cuda::thread_scope and cuda::memory_order have them. */
enum { scope_system, scope_device, scope_block, scope_cluster, scope_thread = 10 };
enum { order_relaxed, order_consume, order_acquire, order_release, order_acq_rel, order_seq_cst };

#ifdef __CUDA_ARCH__
/* The instructions at one scope; WORD is u32 or u64 with its constraint. */
template <int S> struct ls_at;
#define LS_RMW(NAME, OP, T, W, C, SCOPE)                                                                     \
    static LS_MEMBER T NAME(T *p, T v, int o) {                                              \
        T r;                                                                                                 \
        if (o == order_seq_cst) asm volatile("fence.sc." SCOPE ";" ::: "memory");                     \
        switch (o) {                                                                                         \
        case order_relaxed: asm volatile("atom.relaxed." SCOPE "." OP " %0, [%1], %2;" : "=" C(r) : "l"(p), C(v) : "memory"); break; \
        case order_consume:                                                                           \
        case order_acquire: asm volatile("atom.acquire." SCOPE "." OP " %0, [%1], %2;" : "=" C(r) : "l"(p), C(v) : "memory"); break; \
        case order_release: asm volatile("atom.release." SCOPE "." OP " %0, [%1], %2;" : "=" C(r) : "l"(p), C(v) : "memory"); break; \
        default: asm volatile("atom.acq_rel." SCOPE "." OP " %0, [%1], %2;" : "=" C(r) : "l"(p), C(v) : "memory"); break; \
        }                                                                                                    \
        return r;                                                                                            \
    }
#define LS_WORD(T, N, C, SCOPE)                                                                              \
    LS_RMW(add, "add.u" N, T, N, C, SCOPE)                                                                   \
    LS_RMW(exchange, "exch.b" N, T, N, C, SCOPE)                                                             \
    LS_RMW(bit_and, "and.b" N, T, N, C, SCOPE)                                                               \
    LS_RMW(bit_or, "or.b" N, T, N, C, SCOPE)                                                                 \
    LS_RMW(bit_xor, "xor.b" N, T, N, C, SCOPE)                                                               \
    LS_RMW(least_u, "min.u" N, T, N, C, SCOPE)                                                               \
    LS_RMW(most_u, "max.u" N, T, N, C, SCOPE)                                                                \
    LS_RMW(least_s, "min.s" N, T, N, C, SCOPE)                                                               \
    LS_RMW(most_s, "max.s" N, T, N, C, SCOPE)                                                                \
    static LS_MEMBER T swap(T *p, T expected, T v, int o) {                                  \
        T r;                                                                                                 \
        if (o == order_seq_cst) asm volatile("fence.sc." SCOPE ";" ::: "memory");                     \
        switch (o) {                                                                                         \
        case order_relaxed: asm volatile("atom.relaxed." SCOPE ".cas.b" N " %0, [%1], %2, %3;" : "=" C(r) : "l"(p), C(expected), C(v) : "memory"); break; \
        case order_consume:                                                                           \
        case order_acquire: asm volatile("atom.acquire." SCOPE ".cas.b" N " %0, [%1], %2, %3;" : "=" C(r) : "l"(p), C(expected), C(v) : "memory"); break; \
        case order_release: asm volatile("atom.release." SCOPE ".cas.b" N " %0, [%1], %2, %3;" : "=" C(r) : "l"(p), C(expected), C(v) : "memory"); break; \
        default: asm volatile("atom.acq_rel." SCOPE ".cas.b" N " %0, [%1], %2, %3;" : "=" C(r) : "l"(p), C(expected), C(v) : "memory"); break; \
        }                                                                                                    \
        return r;                                                                                            \
    }                                                                                                        \
    static LS_MEMBER T load(const T *p, int o) {                                             \
        T r;                                                                                                 \
        if (o == order_seq_cst) asm volatile("fence.sc." SCOPE ";" ::: "memory");                     \
        if (o == order_relaxed) asm volatile("ld.relaxed." SCOPE ".u" N " %0, [%1];" : "=" C(r) : "l"(p) : "memory"); \
        else asm volatile("ld.acquire." SCOPE ".u" N " %0, [%1];" : "=" C(r) : "l"(p) : "memory");           \
        return r;                                                                                            \
    }                                                                                                        \
    static LS_MEMBER void store(T *p, T v, int o) {                                          \
        if (o == order_seq_cst) asm volatile("fence.sc." SCOPE ";" ::: "memory");                     \
        if (o == order_relaxed) asm volatile("st.relaxed." SCOPE ".u" N " [%0], %1;" ::"l"(p), C(v) : "memory"); \
        else asm volatile("st.release." SCOPE ".u" N " [%0], %1;" ::"l"(p), C(v) : "memory");                \
    }
#define LS_SCOPE(S, SCOPE)                                                                                   \
    template <> struct ls_at<S> {                                                                            \
        LS_WORD(unsigned, "32", "r", SCOPE)                                                                  \
        LS_WORD(unsigned long long, "64", "l", SCOPE)                                                        \
        static LS_MEMBER void fence(int o) {                                                 \
            if (o == order_relaxed) return;                                                           \
            if (o == order_seq_cst) asm volatile("fence.sc." SCOPE ";" ::: "memory");                 \
            else asm volatile("fence.acq_rel." SCOPE ";" ::: "memory");                                      \
        }                                                                                                    \
    };
LS_SCOPE(scope_system, "sys")
LS_SCOPE(scope_device, "gpu")
LS_SCOPE(scope_block, "cta")
LS_SCOPE(scope_thread, "cta")
#if __CUDA_ARCH__ >= 900
LS_SCOPE(scope_cluster, "cluster")
#else
LS_SCOPE(scope_cluster, "gpu")
#endif
#undef LS_SCOPE
#else
/* On the host: the compiler's own, in the strongest order, whatever the scope. */
#define LS_RMW(NAME, T, HOW)                                                                                 \
    static LS_MEMBER T NAME(T *p, T v, int) { return HOW; }
#define LS_CHOOSE(NAME, T, S, COMPARED)                                                                      \
    static LS_MEMBER T NAME(T *p, T v, int) {                                                       \
        T old = __atomic_load_n(p, __ATOMIC_SEQ_CST);                                                        \
        while ((S)v COMPARED (S)old && !__atomic_compare_exchange_n(p, &old, v, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST)) {} \
        return old;                                                                                          \
    }
#define LS_WORD(T, S)                                                                                        \
    LS_RMW(add, T, __atomic_fetch_add(p, v, __ATOMIC_SEQ_CST))                                               \
    LS_RMW(exchange, T, __atomic_exchange_n(p, v, __ATOMIC_SEQ_CST))                                         \
    LS_RMW(bit_and, T, __atomic_fetch_and(p, v, __ATOMIC_SEQ_CST))                                           \
    LS_RMW(bit_or, T, __atomic_fetch_or(p, v, __ATOMIC_SEQ_CST))                                             \
    LS_RMW(bit_xor, T, __atomic_fetch_xor(p, v, __ATOMIC_SEQ_CST))                                           \
    LS_CHOOSE(least_u, T, T, <)                                                                              \
    LS_CHOOSE(most_u, T, T, >)                                                                               \
    LS_CHOOSE(least_s, T, S, <)                                                                              \
    LS_CHOOSE(most_s, T, S, >)                                                                               \
    static LS_MEMBER T swap(T *p, T expected, T v, int) {                                           \
        __atomic_compare_exchange_n(p, &expected, v, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);             \
        return expected;                                                                                     \
    }                                                                                                        \
    static LS_MEMBER T load(const T *p, int) { return __atomic_load_n(p, __ATOMIC_SEQ_CST); }       \
    static LS_MEMBER void store(T *p, T v, int) { __atomic_store_n(p, v, __ATOMIC_SEQ_CST); }
template <int> struct ls_at {
    LS_WORD(unsigned, int)
    LS_WORD(unsigned long long, long long)
    static LS_MEMBER void fence(int) { __atomic_thread_fence(__ATOMIC_SEQ_CST); }
};
#undef LS_CHOOSE
#endif
#undef LS_WORD
#undef LS_RMW

template <int size> struct ls_word;
template <> struct ls_word<4> { typedef unsigned type; };
template <> struct ls_word<8> { typedef unsigned long long type; };

template <class T, int S> class ls_operations {
    typedef typename ls_word<sizeof(T)>::type word;
    typedef ls_at<S> at;
    static LS_MEMBER word in(T v) { return __builtin_bit_cast(word, v); }
    static LS_MEMBER T out(word v) { return __builtin_bit_cast(T, v); }
    LS_MEMBER word *p() const { return (word *)place; }
    template <class F> LS_MEMBER T replace(F f, int o) const { /* by comparing and swapping */
        word seen = at::load(p(), order_relaxed), old;
        do {
            old = seen;
            seen = at::swap(p(), old, in(f(out(old))), o);
        } while (seen != old);
        return out(old);
    }
  protected:
    T *place;
  public:
    typedef T value_type;
    constexpr LS_MEMBER ls_operations(T *where) : place(where) {}
    LS_MEMBER T load(int o = order_seq_cst) const { return out(at::load(p(), o)); }
    LS_MEMBER void store(T v, int o = order_seq_cst) const { at::store(p(), in(v), o); }
    LS_MEMBER T exchange(T v, int o = order_seq_cst) const { return out(at::exchange(p(), in(v), o)); }
    LS_MEMBER bool compare_exchange_strong(T &expected, T v, int o = order_seq_cst, int = order_seq_cst) const {
        word was = in(expected), seen = at::swap(p(), was, in(v), o);
        expected = out(seen);
        return seen == was;
    }
    LS_MEMBER bool compare_exchange_weak(T &expected, T v, int o = order_seq_cst, int f = order_seq_cst) const { return compare_exchange_strong(expected, v, o, f); }
    LS_MEMBER T fetch_add(T v, int o = order_seq_cst) const {
        if constexpr (__is_integral(T)) return out(at::add(p(), in(v), o));
        else return replace([v](T x) { return x + v; }, o);
    }
    LS_MEMBER T fetch_sub(T v, int o = order_seq_cst) const { return fetch_add((T)-v, o); }
    LS_MEMBER T fetch_and(T v, int o = order_seq_cst) const { return out(at::bit_and(p(), in(v), o)); }
    LS_MEMBER T fetch_or(T v, int o = order_seq_cst) const { return out(at::bit_or(p(), in(v), o)); }
    LS_MEMBER T fetch_xor(T v, int o = order_seq_cst) const { return out(at::bit_xor(p(), in(v), o)); }
    LS_MEMBER T fetch_min(T v, int o = order_seq_cst) const {
        if constexpr (!__is_integral(T)) return replace([v](T x) { return v < x ? v : x; }, o);
        else if constexpr ((T)-1 < (T)0) return out(at::least_s(p(), in(v), o));
        else return out(at::least_u(p(), in(v), o));
    }
    LS_MEMBER T fetch_max(T v, int o = order_seq_cst) const {
        if constexpr (!__is_integral(T)) return replace([v](T x) { return x < v ? v : x; }, o);
        else if constexpr ((T)-1 < (T)0) return out(at::most_s(p(), in(v), o));
        else return out(at::most_u(p(), in(v), o));
    }
    LS_MEMBER T operator++(int) const { return fetch_add(1); }
    LS_MEMBER T operator--(int) const { return fetch_sub(1); }
    LS_MEMBER T operator++() const { return fetch_add(1) + 1; }
    LS_MEMBER T operator--() const { return fetch_sub(1) - 1; }
    LS_MEMBER T operator+=(T v) const { return fetch_add(v) + v; }
    LS_MEMBER T operator-=(T v) const { return fetch_sub(v) - v; }
    LS_MEMBER T operator&=(T v) const { return fetch_and(v) & v; }
    LS_MEMBER T operator|=(T v) const { return fetch_or(v) | v; }
    LS_MEMBER T operator^=(T v) const { return fetch_xor(v) ^ v; }
    LS_MEMBER operator T() const { return load(); }
    LS_MEMBER bool is_lock_free() const { return true; }
    /* Waits by looking again. */
    LS_MEMBER void wait(T old, int o = order_seq_cst) const { while (in(load(o)) == in(old)) {} }
    LS_MEMBER void notify_one() const {}
    LS_MEMBER void notify_all() const {}
};
}

#define __NV_ATOMIC_RELAXED 0
#define __NV_ATOMIC_CONSUME 1
#define __NV_ATOMIC_ACQUIRE 2
#define __NV_ATOMIC_RELEASE 3
#define __NV_ATOMIC_ACQ_REL 4
#define __NV_ATOMIC_SEQ_CST 5
#define __NV_THREAD_SCOPE_THREAD 0
#define __NV_THREAD_SCOPE_BLOCK 1
#define __NV_THREAD_SCOPE_CLUSTER 2
#define __NV_THREAD_SCOPE_DEVICE 3
#define __NV_THREAD_SCOPE_SYSTEM 4

/* Scopes are constants where these are called: one of the calls is left. */
#define LS_AT_SCOPE(PLACE, CALL)                                                                             \
    switch (scope) {                                                                                         \
    case __NV_THREAD_SCOPE_THREAD: return ls_scoped::ls_operations<T, ls_scoped::scope_thread>(PLACE).CALL;  \
    case __NV_THREAD_SCOPE_BLOCK: return ls_scoped::ls_operations<T, ls_scoped::scope_block>(PLACE).CALL;    \
    case __NV_THREAD_SCOPE_CLUSTER: return ls_scoped::ls_operations<T, ls_scoped::scope_cluster>(PLACE).CALL; \
    case __NV_THREAD_SCOPE_DEVICE: return ls_scoped::ls_operations<T, ls_scoped::scope_device>(PLACE).CALL;  \
    default: return ls_scoped::ls_operations<T, ls_scoped::scope_system>(PLACE).CALL;                        \
    }
#define LS_ANY_SCOPE int scope = __NV_THREAD_SCOPE_SYSTEM
template <class T> LS_DEVICE T __nv_atomic_load_n(T *p, int order, LS_ANY_SCOPE) { LS_AT_SCOPE(p, load(order)) }
template <class T> LS_DEVICE void __nv_atomic_load(T *p, T *to, int order, LS_ANY_SCOPE) { *to = __nv_atomic_load_n(p, order, scope); }
template <class T> LS_DEVICE void __nv_atomic_store_n(T *p, T v, int order, LS_ANY_SCOPE) { LS_AT_SCOPE(p, store(v, order)) }
template <class T> LS_DEVICE void __nv_atomic_store(T *p, T *v, int order, LS_ANY_SCOPE) { __nv_atomic_store_n(p, *v, order, scope); }
template <class T> LS_DEVICE T __nv_atomic_exchange_n(T *p, T v, int order, LS_ANY_SCOPE) { LS_AT_SCOPE(p, exchange(v, order)) }
template <class T> LS_DEVICE void __nv_atomic_exchange(T *p, T *v, T *to, int order, LS_ANY_SCOPE) { *to = __nv_atomic_exchange_n(p, *v, order, scope); }
template <class T> LS_DEVICE bool __nv_atomic_compare_exchange_n(T *p, T *expected, T v, bool, int order, int failed, LS_ANY_SCOPE) {
    LS_AT_SCOPE(p, compare_exchange_strong(*expected, v, order, failed))
}
template <class T> LS_DEVICE bool __nv_atomic_compare_exchange(T *p, T *expected, T *v, bool weak, int order, int failed, LS_ANY_SCOPE) {
    return __nv_atomic_compare_exchange_n(p, expected, *v, weak, order, failed, scope);
}
/* The value may be of another type than the object. */
#define LS_VALUE typename ls_scoped::ls_operations<T, ls_scoped::scope_system>::value_type
#define LS_NV_ATOMIC(NAME)                                                                                   \
    template <class T> LS_DEVICE T __nv_atomic_fetch_##NAME(T *p, LS_VALUE v, int order, LS_ANY_SCOPE) { \
        LS_AT_SCOPE(p, fetch_##NAME(v, order))                                                               \
    }                                                                                                        \
    template <class T> LS_DEVICE void __nv_atomic_##NAME(T *p, LS_VALUE v, int order, LS_ANY_SCOPE) { \
        __nv_atomic_fetch_##NAME(p, v, order, scope);                                                        \
    }
LS_NV_ATOMIC(add)
LS_NV_ATOMIC(sub)
LS_NV_ATOMIC(and)
LS_NV_ATOMIC(or)
LS_NV_ATOMIC(xor)
LS_NV_ATOMIC(min)
LS_NV_ATOMIC(max)
LS_DEVICE void __nv_atomic_thread_fence(int order, LS_ANY_SCOPE) {
    if (scope == __NV_THREAD_SCOPE_BLOCK || scope == __NV_THREAD_SCOPE_THREAD) ls_scoped::ls_at<ls_scoped::scope_block>::fence(order);
    else if (scope == __NV_THREAD_SCOPE_CLUSTER) ls_scoped::ls_at<ls_scoped::scope_cluster>::fence(order);
    else if (scope == __NV_THREAD_SCOPE_DEVICE) ls_scoped::ls_at<ls_scoped::scope_device>::fence(order);
    else ls_scoped::ls_at<ls_scoped::scope_system>::fence(order);
}
#undef LS_NV_ATOMIC
#undef LS_VALUE
#undef LS_ANY_SCOPE
#undef LS_AT_SCOPE

#endif
