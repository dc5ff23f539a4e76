/* The summary of cub::BlockRadixSort, which stands for its text in proofs: that its ranks are different numbers
 * is not proved. It says what CUB's manual promises, and no more:
 *   - all threads of the block call it;
 *   - the storage is any thread's to write from the call's begin on, so that nothing else may be done with it
 *     at that time, and is read until its end, so that a barrier must stand before it is used again. Within the
 *     call, accesses are ordered;
 *   - keys and values become any keys and values.
 * tests/library/cub/summaries.cu holds it against the implementation, which the emulator runs. */
#ifndef LOCKSTEP_BLOCK_RADIX_SORT
#define LOCKSTEP_BLOCK_RADIX_SORT
#pragma GCC system_header
#define BlockRadixSort BlockRadixSortOfCub
#include_next <cub/block/block_radix_sort.cuh>
#undef BlockRadixSort

extern "C" __device__ void __lockstep_summary_cub__BlockRadixSort(void);
extern "C" __device__ unsigned long long __lockstep_summary_value(void);
extern "C" __device__ void __lockstep_summary_use(unsigned);
extern "C" __device__ void __lockstep_whole_block(void);

CUB_NAMESPACE_BEGIN
template <typename KeyT, int BLOCK_DIM_X, int ITEMS_PER_THREAD, typename ValueT = NullType, int RADIX_BITS = 4,
          bool MEMOIZE_OUTER_SCAN = true, BlockScanAlgorithm INNER_SCAN_ALGORITHM = BLOCK_SCAN_WARP_SCANS,
          cudaSharedMemConfig SMEM_CONFIG = cudaSharedMemBankSizeFourByte, int BLOCK_DIM_Y = 1, int BLOCK_DIM_Z = 1>
class BlockRadixSort {
    using implementation = BlockRadixSortOfCub<KeyT, BLOCK_DIM_X, ITEMS_PER_THREAD, ValueT, RADIX_BITS, MEMOIZE_OUTER_SCAN,
                                               INNER_SCAN_ALGORITHM, SMEM_CONFIG, BLOCK_DIM_Y, BLOCK_DIM_Z>;

  public:
    using TempStorage = typename implementation::TempStorage;

  private:
    unsigned *words;
    enum { COUNT = sizeof(TempStorage) / sizeof(unsigned) };

    static __device__ __forceinline__ TempStorage &own_storage() {
        __shared__ TempStorage storage;
        return storage;
    }

    /* An index that no compiler makes a moving pointer of. */
    static __device__ __forceinline__ unsigned as_written(unsigned i) {
        asm volatile("" : "+r"(i));
        return i;
    }

    template <class T> static __device__ __forceinline__ void become_any(T (&items)[ITEMS_PER_THREAD]) {
#pragma unroll
        for (int i = 0; i < ITEMS_PER_THREAD; i++) {
            unsigned long long parts[(sizeof(T) + 7) / 8];
#pragma unroll
            for (unsigned k = 0; k < (sizeof(T) + 7) / 8; k++) parts[k] = __lockstep_summary_value();
            __builtin_memcpy(&items[i], parts, sizeof(T));
        }
    }
    template <class T> static __device__ __forceinline__ void become_any(const T &) {} /* bits, a decomposer */

    template <class... More> __device__ __forceinline__ void sort(KeyT (&keys)[ITEMS_PER_THREAD], More &&...more) {
        __lockstep_summary_cub__BlockRadixSort();
#pragma unroll 1
        for (unsigned i = 0; i < COUNT; i++) atomicExch(words + as_written(i), (unsigned)__lockstep_summary_value());
        __lockstep_whole_block();
        __syncthreads();
#pragma unroll 1
        for (unsigned i = 0; i < COUNT; i++) __lockstep_summary_use(words[as_written(i)]);
        become_any(keys);
        (become_any(more), ...);
    }

  public:
    __device__ __forceinline__ BlockRadixSort() : words(reinterpret_cast<unsigned *>(&own_storage())) {}
    __device__ __forceinline__ BlockRadixSort(TempStorage &storage) : words(reinterpret_cast<unsigned *>(&storage)) {}

    template <class... More> __device__ __forceinline__ void Sort(KeyT (&keys)[ITEMS_PER_THREAD], More &&...more) { sort(keys, more...); }
    template <class... More> __device__ __forceinline__ void SortDescending(KeyT (&keys)[ITEMS_PER_THREAD], More &&...more) {
        sort(keys, more...);
    }
    template <class... More> __device__ __forceinline__ void SortBlockedToStriped(KeyT (&keys)[ITEMS_PER_THREAD], More &&...more) {
        sort(keys, more...);
    }
    /* As CUB's own kernels call it: the two tags are constants of the library, which are there by value alone. */
    template <class Order, class Only, class... More>
    __device__ __forceinline__ void SortBlockedToStriped(KeyT (&keys)[ITEMS_PER_THREAD], ValueT (&values)[ITEMS_PER_THREAD], int,
                                                         int, Order, Only, More...) {
        sort(keys, values);
    }
    template <class... More>
    __device__ __forceinline__ void SortDescendingBlockedToStriped(KeyT (&keys)[ITEMS_PER_THREAD], More &&...more) {
        sort(keys, more...);
    }
};
CUB_NAMESPACE_END
#endif
