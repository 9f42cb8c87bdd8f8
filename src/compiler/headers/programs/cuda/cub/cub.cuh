// CUB: what blocks, warps and threads do together, as NVIDIA's headers have it, and what it does with a whole device,
// as the headers next to this one have it. What they lack is declared: a program is told so where it calls it.
#pragma once
#include <cub/block/block_adjacent_difference.cuh>
#include <cub/block/block_discontinuity.cuh>
#include <cub/block/block_exchange.cuh>
#include <cub/block/block_histogram.cuh>
#include <cub/block/block_load.cuh>
#include <cub/block/block_merge_sort.cuh>
#include <cub/block/block_radix_rank.cuh>
#include <cub/block/block_radix_sort.cuh>
#include <cub/block/block_reduce.cuh>
#include <cub/block/block_run_length_decode.cuh>
#include <cub/block/block_scan.cuh>
#include <cub/block/block_shuffle.cuh>
#include <cub/block/block_store.cuh>
#include <cub/device/device_for.cuh>
#include <cub/device/device_histogram.cuh>
#include <cub/device/device_merge_sort.cuh>
#include <cub/device/device_partition.cuh>
#include <cub/device/device_radix_sort.cuh>
#include <cub/device/device_reduce.cuh>
#include <cub/device/device_run_length_encode.cuh>
#include <cub/device/device_scan.cuh>
#include <cub/device/device_segmented_reduce.cuh>
#include <cub/device/device_select.cuh>
#include <cub/iterator/arg_index_input_iterator.cuh>
#include <cub/iterator/cache_modified_input_iterator.cuh>
#include <cub/iterator/constant_input_iterator.cuh>
#include <cub/iterator/counting_input_iterator.cuh>
#include <cub/iterator/discard_output_iterator.cuh>
#include <cub/iterator/transform_input_iterator.cuh>
#include <cub/thread/thread_load.cuh>
#include <cub/thread/thread_operators.cuh>
#include <cub/thread/thread_reduce.cuh>
#include <cub/thread/thread_scan.cuh>
#include <cub/thread/thread_store.cuh>
#include <cub/util_allocator.cuh>
#include <cub/util_debug.cuh>
#include <cub/util_ptx.cuh>
#include <cub/util_type.cuh>
#include <cub/warp/warp_exchange.cuh>
#include <cub/warp/warp_load.cuh>
#include <cub/warp/warp_merge_sort.cuh>
#include <cub/warp/warp_reduce.cuh>
#include <cub/warp/warp_scan.cuh>
#include <cub/warp/warp_store.cuh>

extern "C" {
cudaError_t cubDeviceAdjacentDifference(void);
cudaError_t cubDeviceSegmentedRadixSort(void);
cudaError_t cubDeviceSegmentedSort(void);
}

namespace cub {

// A function of a class that stands for all of it.
#define __GPULEARN_CUB(Class, name) \
    template <class... A> \
    static cudaError_t name(A &&...) { return cub##Class(); }

struct DeviceAdjacentDifference {
    __GPULEARN_CUB(DeviceAdjacentDifference, SubtractLeft)
    __GPULEARN_CUB(DeviceAdjacentDifference, SubtractLeftCopy)
    __GPULEARN_CUB(DeviceAdjacentDifference, SubtractRight)
    __GPULEARN_CUB(DeviceAdjacentDifference, SubtractRightCopy)
};
struct DeviceSegmentedRadixSort {
    __GPULEARN_CUB(DeviceSegmentedRadixSort, SortKeys)
    __GPULEARN_CUB(DeviceSegmentedRadixSort, SortKeysDescending)
    __GPULEARN_CUB(DeviceSegmentedRadixSort, SortPairs)
    __GPULEARN_CUB(DeviceSegmentedRadixSort, SortPairsDescending)
};
struct DeviceSegmentedSort {
    __GPULEARN_CUB(DeviceSegmentedSort, SortKeys)
    __GPULEARN_CUB(DeviceSegmentedSort, SortKeysDescending)
    __GPULEARN_CUB(DeviceSegmentedSort, SortPairs)
    __GPULEARN_CUB(DeviceSegmentedSort, SortPairsDescending)
    __GPULEARN_CUB(DeviceSegmentedSort, StableSortKeys)
    __GPULEARN_CUB(DeviceSegmentedSort, StableSortPairs)
};

#undef __GPULEARN_CUB

} // namespace cub
