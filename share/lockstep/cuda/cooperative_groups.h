/* Cooperative groups: blocks, tiles, coalesced groups, clusters and the grid, with their collectives. A block's sync
 * is the block's barrier; a tile's is the warp's barrier over the tile's lanes. The grid's sync cannot be
 * said in PTX alone (it is code of NVIDIA's device runtime): it is a call of a function without a body. */
#ifndef LS_COOPERATIVE_GROUPS_H
#define LS_COOPERATIVE_GROUPS_H
#pragma GCC system_header
#include "lockstep_cuda.h"

extern "C" __device__ __attribute__((convergent)) void __lockstep_grid_sync(void);
#if defined(__LOCKSTEP_SOURCE__) || defined(__LOCKSTEP_RUN__) /* the barrier of a group is for all its threads, none of which may have left */
extern "C" __device__ __attribute__((convergent)) void __lockstep_whole_block(void);
#define LS_BLOCK_SYNC() (__lockstep_whole_block(), __syncthreads())
#else
#define LS_BLOCK_SYNC() __syncthreads()
#endif
#define _CG_HAS_CUDA_PLATFORM 1

namespace cooperative_groups {
#define LS_CG LS_DEVICE_MEMBER
namespace details {
LS_DEVICE unsigned lane() { return __laneid(); }
LS_DEVICE unsigned thread_in_block() { return (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x; }
LS_DEVICE unsigned block_in_grid() { return (blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x; }
LS_DEVICE unsigned block_size() { return blockDim.x * blockDim.y * blockDim.z; }
/* Any type can be shuffled: numbers at once, others word by word. */
enum mode { from, up, down, exchange };
template <mode M, bool is_number> struct shuffle {
    template <class T> static LS_CG T run(unsigned mask, T v, int lane, int width) {
        if (M == from) return __shfl_sync(mask, v, lane, width);
        if (M == up) return __shfl_up_sync(mask, v, lane, width);
        if (M == down) return __shfl_down_sync(mask, v, lane, width);
        return __shfl_xor_sync(mask, v, lane, width);
    }
};
template <mode M> struct shuffle<M, false> {
    template <class T> static LS_CG T run(unsigned mask, T v, int lane, int width) {
        unsigned words[(sizeof(T) + 3) / 4] = {};
        __builtin_memcpy(words, &v, sizeof(T));
        for (unsigned i = 0; i < (sizeof(T) + 3) / 4; i++) words[i] = shuffle<M, true>::run(mask, words[i], lane, width);
        __builtin_memcpy(&v, words, sizeof(T));
        return v;
    }
};
template <mode M, class T> LS_DEVICE T move(unsigned mask, T v, int lane, int width = 32) {
    return shuffle<M, __is_arithmetic(T)>::run(mask, v, lane, width);
}
LS_DEVICE unsigned grid_blocks() { return gridDim.x * gridDim.y * gridDim.z; }
}

/* Any group, by its lanes: a mask of all ones and a size over 32 is a whole block. */
class thread_group {
  public:
    unsigned mask, count, rank_;
    enum kind { block, lanes, grid, cluster } kind_;
    LS_CG thread_group(unsigned m = 0, unsigned c = 0, unsigned r = 0, kind k = lanes) : mask(m), count(c), rank_(r), kind_(k) {}
    LS_CG unsigned long long size() const { return count; }
    LS_CG unsigned long long num_threads() const { return count; }
    LS_CG unsigned long long thread_rank() const { return rank_; }
    LS_CG bool is_valid() const { return true; }
    LS_CG void sync() const {
        if (kind_ == block) LS_BLOCK_SYNC();
        else if (kind_ == lanes) __syncwarp(mask);
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900
        else if (kind_ == cluster) __cluster_barrier_arrive(), __cluster_barrier_wait();
#else
        else if (kind_ == cluster) __trap(); /* there are no clusters */
#endif
        else __lockstep_grid_sync();
    }
};

class thread_block : public thread_group {
  public:
    LS_CG thread_block() : thread_group(~0u, details::block_size(), details::thread_in_block(), thread_group::block) {}
    static LS_CG void sync() { LS_BLOCK_SYNC(); }
    static LS_CG unsigned thread_rank() { return details::thread_in_block(); }
    static LS_CG unsigned size() { return details::block_size(); }
    static LS_CG unsigned num_threads() { return details::block_size(); }
    static LS_CG dim3 group_index() { return blockIdx; }
    static LS_CG dim3 thread_index() { return threadIdx; }
    static LS_CG dim3 group_dim() { return blockDim; }
    static LS_CG dim3 dim_threads() { return blockDim; }
    struct arrival_token {};
    LS_CG arrival_token barrier_arrive() const { return arrival_token(); }
    LS_CG void barrier_wait(arrival_token &&) const { LS_BLOCK_SYNC(); }
};

#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900
#define _CG_HAS_CLUSTER_GROUP 1
class cluster_group : public thread_group {
  public:
    LS_CG cluster_group() : thread_group(~0u, num_threads(), thread_rank(), thread_group::cluster) {}
    struct arrival_token {};
    static LS_CG void sync() { __cluster_barrier_arrive(), __cluster_barrier_wait(); }
    static LS_CG arrival_token barrier_arrive() { __cluster_barrier_arrive(); return arrival_token(); }
    static LS_CG void barrier_wait() { __cluster_barrier_wait(); }
    static LS_CG void barrier_wait(arrival_token &&) { __cluster_barrier_wait(); }
    static LS_CG unsigned query_shared_rank(const void *p) { return __cluster_query_shared_rank(p); }
    template <class T> static LS_CG T *map_shared_rank(T *p, int rank) { return (T *)__cluster_map_shared_rank((const void *)p, (unsigned)rank); }
    static LS_CG dim3 block_index() { return __clusterRelativeBlockIdx(); }
    static LS_CG unsigned block_rank() { return __clusterRelativeBlockRank(); }
    static LS_CG dim3 thread_index() {
        const dim3 b = block_index();
        return dim3(b.x * blockDim.x + threadIdx.x, b.y * blockDim.y + threadIdx.y, b.z * blockDim.z + threadIdx.z);
    }
    static LS_CG unsigned thread_rank() { return block_rank() * details::block_size() + details::thread_in_block(); }
    static LS_CG dim3 dim_blocks() { return __clusterDim(); }
    static LS_CG unsigned num_blocks() { return __clusterSizeInBlocks(); }
    static LS_CG dim3 dim_threads() {
        const dim3 c = __clusterDim();
        return dim3(c.x * blockDim.x, c.y * blockDim.y, c.z * blockDim.z);
    }
    static LS_CG unsigned num_threads() { return num_blocks() * details::block_size(); }
    static LS_CG unsigned size() { return num_threads(); }
};
#endif

class grid_group : public thread_group {
  public:
    LS_CG grid_group() : thread_group(~0u, 0, 0, thread_group::grid) {}
    static LS_CG bool is_valid() { return true; }
    static LS_CG void sync() { __lockstep_grid_sync(); }
    static LS_CG unsigned long long size() { return (unsigned long long)details::grid_blocks() * details::block_size(); }
    static LS_CG unsigned long long num_threads() { return size(); }
    static LS_CG unsigned long long thread_rank() { return (unsigned long long)details::block_in_grid() * details::block_size() + details::thread_in_block(); }
    static LS_CG unsigned long long num_blocks() { return details::grid_blocks(); }
    static LS_CG unsigned long long block_rank() { return details::block_in_grid(); }
    static LS_CG dim3 group_dim() { return gridDim; }
    static LS_CG dim3 dim_blocks() { return gridDim; }
    static LS_CG dim3 block_index() { return blockIdx; }
};
class multi_grid_group : public grid_group {
  public:
    LS_CG unsigned grid_rank() const { return 0; }
    LS_CG unsigned num_grids() const { return 1; }
};

template <class Parent> struct ls_tile_parent {};
template <unsigned N, class Parent = void> class thread_block_tile : public thread_group {
  public:
    LS_CG thread_block_tile() : thread_group(lanes_mask(), N, thread_rank(), thread_group::lanes) {}
    template <class Other> LS_CG thread_block_tile(const thread_block_tile<N, Other> &) : thread_block_tile() {}
    static LS_CG unsigned lanes_mask() { return N >= 32 ? ~0u : (unsigned)(((1ull << (N & 63)) - 1) << (details::lane() & ~(N - 1))); }
    static LS_CG unsigned thread_rank() { return details::thread_in_block() & (N - 1); }
    static constexpr LS_CG unsigned size() { return N; }
    static constexpr LS_CG unsigned num_threads() { return N; }
    static LS_CG unsigned meta_group_rank() { return details::thread_in_block() / N; }
    static LS_CG unsigned meta_group_size() { return (details::block_size() + N - 1) / N; }
    LS_CG void sync() const {
        if (N > 32) __syncthreads(); /* tiles of several warps: no finer barrier is had */
        else __syncwarp(lanes_mask());
    }
    template <class T> LS_CG T shfl(T v, int lane) const { return details::move<details::from>(lanes_mask(), v, (int)lane, N); }
    template <class T> LS_CG T shfl_up(T v, unsigned n) const { return details::move<details::up>(lanes_mask(), v, (int)n, N); }
    template <class T> LS_CG T shfl_down(T v, unsigned n) const { return details::move<details::down>(lanes_mask(), v, (int)n, N); }
    template <class T> LS_CG T shfl_xor(T v, unsigned n) const { return details::move<details::exchange>(lanes_mask(), v, (int)n, N); }
    LS_CG int any(int p) const { return __any_sync(lanes_mask(), p); }
    LS_CG int all(int p) const { return __all_sync(lanes_mask(), p); }
    LS_CG unsigned ballot(int p) const { return (__ballot_sync(lanes_mask(), p) >> (details::lane() & ~(N - 1))) & (N >= 32 ? ~0u : (1u << (N & 31)) - 1); }
    template <class T> LS_CG unsigned match_any(T v) const { return __match_any_sync(lanes_mask(), v) >> (details::lane() & ~(N - 1)); }
    template <class T> LS_CG unsigned match_all(T v, int &p) const { return __match_all_sync(lanes_mask(), v, &p) >> (details::lane() & ~(N - 1)); }
};

class coalesced_group : public thread_group {
  public:
    LS_CG coalesced_group(unsigned m) : thread_group(m, __popc(m), __popc(m & ((1u << details::lane()) - 1)), thread_group::lanes) {}
    LS_CG unsigned size() const { return count; }
    LS_CG unsigned num_threads() const { return count; }
    LS_CG unsigned thread_rank() const { return rank_; }
    LS_CG unsigned meta_group_rank() const { return 0; }
    LS_CG unsigned meta_group_size() const { return 1; }
    LS_CG void sync() const { __syncwarp(mask); }
    LS_CG int nth(unsigned n) const { return (int)__fns(mask, 0, (int)n + 1); }
    template <class T> LS_CG T shfl(T v, int n) const { return details::move<details::from>(mask, v, nth((unsigned)n)); }
    template <class T> LS_CG T shfl_down(T v, unsigned n) const { return details::move<details::from>(mask, v, rank_ + n < count ? nth(rank_ + n) : (int)details::lane()); }
    template <class T> LS_CG T shfl_up(T v, unsigned n) const { return details::move<details::from>(mask, v, rank_ >= n ? nth(rank_ - n) : (int)details::lane()); }
    LS_CG int any(int p) const { return __any_sync(mask, p); }
    LS_CG int all(int p) const { return __all_sync(mask, p); }
    LS_CG unsigned ballot(int p) const {
        unsigned votes = __ballot_sync(mask, p), packed = 0;
        for (unsigned i = 0; i < count; i++) packed |= ((votes >> nth(i)) & 1u) << i;
        return packed;
    }
};

LS_DEVICE thread_block this_thread_block() { return thread_block(); }
template <unsigned max_block_size = 1024> struct block_tile_memory { unsigned long long room[max_block_size / 32]; };
template <unsigned N> LS_DEVICE thread_block this_thread_block(block_tile_memory<N> &) { return thread_block(); }
#ifdef _CG_HAS_CLUSTER_GROUP
LS_DEVICE cluster_group this_cluster() { return cluster_group(); }
#endif
LS_DEVICE grid_group this_grid() { return grid_group(); }
LS_DEVICE multi_grid_group this_multi_grid() { return multi_grid_group(); }
LS_DEVICE coalesced_group coalesced_threads() { return coalesced_group(__activemask()); }
template <unsigned N, class Parent> LS_DEVICE thread_block_tile<N, Parent> tiled_partition(const Parent &) { return thread_block_tile<N, Parent>(); }
LS_DEVICE thread_group tiled_partition(const thread_group &, unsigned n) {
    unsigned lane = details::lane(), start = lane & ~(n - 1);
    unsigned mask = n >= 32 ? ~0u : ((1u << n) - 1) << start;
    return thread_group(mask, n, lane - start, thread_group::lanes);
}
template <class G> LS_DEVICE coalesced_group binary_partition(const G &g, bool p) {
    unsigned votes = __ballot_sync(g.mask, p);
    return coalesced_group(p ? votes : g.mask & ~votes);
}
template <class G, class T> LS_DEVICE coalesced_group labeled_partition(const G &g, T label) { return coalesced_group(__match_any_sync(g.mask, label)); }
template <class G> LS_DEVICE void sync(const G &g) { g.sync(); }
LS_DEVICE void synchronize(const thread_group &g) { g.sync(); }
template <class G> LS_DEVICE unsigned long long thread_rank(const G &g) { return g.thread_rank(); }
template <class G> LS_DEVICE unsigned long long group_size(const G &g) { return g.size(); }

/* --- Collectives --------------------------------------------------------------------------------------- */
template <class T> struct plus { LS_CG T operator()(T a, T b) const { return a + b; } };
template <class T> struct less { LS_CG T operator()(T a, T b) const { return b < a ? b : a; } };
template <class T> struct greater { LS_CG T operator()(T a, T b) const { return a < b ? b : a; } };
template <class T> struct bit_and { LS_CG T operator()(T a, T b) const { return a & b; } };
template <class T> struct bit_or { LS_CG T operator()(T a, T b) const { return a | b; } };
template <class T> struct bit_xor { LS_CG T operator()(T a, T b) const { return a ^ b; } };
template <unsigned N, class P, class T, class Op> LS_DEVICE T reduce(const thread_block_tile<N, P> &g, T v, Op op) {
    for (unsigned d = N / 2; d > 0; d /= 2) v = op(v, g.shfl_xor(v, d));
    return v;
}
template <class T, class Op> LS_DEVICE T reduce(const coalesced_group &g, T v, Op op) {
    T total = g.shfl(v, 0);
    for (unsigned i = 1; i < g.size(); i++) total = op(total, g.shfl(v, (int)i));
    return total;
}
template <class G, class T, class Op> LS_DEVICE T inclusive_scan(const G &g, T v, Op op) {
    for (unsigned d = 1; d < g.size(); d *= 2) {
        T other = g.shfl_up(v, d);
        if (g.thread_rank() >= d) v = op(other, v);
    }
    return v;
}
template <class G, class T> LS_DEVICE T inclusive_scan(const G &g, T v) { return inclusive_scan(g, v, plus<T>()); }
template <class G, class T, class Op> LS_DEVICE T exclusive_scan(const G &g, T v, Op op) {
    T all = inclusive_scan(g, v, op), before = g.shfl_up(all, 1);
    return g.thread_rank() ? before : T();
}
template <class G, class T> LS_DEVICE T exclusive_scan(const G &g, T v) { return exclusive_scan(g, v, plus<T>()); }

/* Copies by all threads of the group, in the background from sm_80 on, one group of cp.async each: a thread waits
 * for its own, and the barrier for those of the others. */
template <class G, class T, class Size> LS_DEVICE void memcpy_async(const G &g, T *to, const T *from, Size bytes) {
    if (__isShared(to)) ls_copy_by<ls_alignment_of<T, Size>::value>(g, (char *)to, (const char *)from, bytes);
    else for (unsigned long long i = g.thread_rank(); i < bytes / sizeof(T); i += g.size()) to[i] = from[i];
    __pipeline_commit();
}
template <class G, class T, class D, class S> LS_DEVICE void memcpy_async(const G &g, T *to, const D &room, const T *from, const S &count) {
    const unsigned long long most = room < count ? room : count;
    memcpy_async(g, to, from, most * sizeof(T));
}
template <unsigned N, class G> LS_DEVICE void wait_prior(const G &g) {
    __pipeline_wait_prior(N);
    g.sync();
}
template <class G> LS_DEVICE void wait(const G &g) { wait_prior<0>(g); }
template <class G, class F> LS_DEVICE void invoke_one(const G &g, F f) { if (g.thread_rank() == 0) f(); }
#undef LS_CG
}
#endif
