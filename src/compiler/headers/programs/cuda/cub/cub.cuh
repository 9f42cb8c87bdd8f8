// CUB: what blocks, warps and threads do together, as NVIDIA's headers have it. What it does with a whole
// device is declared and not to be had: a program is told so where it calls it.
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
#include <cub/iterator/cache_modified_input_iterator.cuh>
#include <cub/iterator/counting_input_iterator.cuh>
#include <cub/thread/thread_load.cuh>
#include <cub/thread/thread_operators.cuh>
#include <cub/thread/thread_reduce.cuh>
#include <cub/thread/thread_scan.cuh>
#include <cub/thread/thread_store.cuh>
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
cudaError_t cubDeviceHistogram(void);
cudaError_t cubDeviceMergeSort(void);
cudaError_t cubDevicePartition(void);
cudaError_t cubDeviceRadixSort(void);
cudaError_t cubDeviceReduce(void);
cudaError_t cubDeviceRunLengthEncode(void);
cudaError_t cubDeviceScan(void);
cudaError_t cubDeviceSegmentedRadixSort(void);
cudaError_t cubDeviceSegmentedReduce(void);
cudaError_t cubDeviceSelect(void);
}

namespace cub {

// A function of a class that stands for all of it.
#define __GPULEARN_CUB(Class, name) \
    template <class... A> \
    static cudaError_t name(A &&...) { return cub##Class(); }

struct DeviceHistogram {
    __GPULEARN_CUB(DeviceHistogram, HistogramEven)
    __GPULEARN_CUB(DeviceHistogram, HistogramRange)
    __GPULEARN_CUB(DeviceHistogram, MultiHistogramEven)
    __GPULEARN_CUB(DeviceHistogram, MultiHistogramRange)
};
struct DeviceMergeSort {
    __GPULEARN_CUB(DeviceMergeSort, SortKeys)
    __GPULEARN_CUB(DeviceMergeSort, SortKeysCopy)
    __GPULEARN_CUB(DeviceMergeSort, SortPairs)
    __GPULEARN_CUB(DeviceMergeSort, StableSortKeys)
    __GPULEARN_CUB(DeviceMergeSort, StableSortPairs)
};
struct DevicePartition {
    __GPULEARN_CUB(DevicePartition, Flagged)
    __GPULEARN_CUB(DevicePartition, If)
};
struct DeviceRadixSort {
    __GPULEARN_CUB(DeviceRadixSort, SortKeys)
    __GPULEARN_CUB(DeviceRadixSort, SortKeysDescending)
    __GPULEARN_CUB(DeviceRadixSort, SortPairs)
    __GPULEARN_CUB(DeviceRadixSort, SortPairsDescending)
};
struct DeviceReduce {
    __GPULEARN_CUB(DeviceReduce, ArgMax)
    __GPULEARN_CUB(DeviceReduce, ArgMin)
    __GPULEARN_CUB(DeviceReduce, Max)
    __GPULEARN_CUB(DeviceReduce, Min)
    __GPULEARN_CUB(DeviceReduce, Reduce)
    __GPULEARN_CUB(DeviceReduce, ReduceByKey)
    __GPULEARN_CUB(DeviceReduce, Sum)
    __GPULEARN_CUB(DeviceReduce, TransformReduce)
};
struct DeviceRunLengthEncode {
    __GPULEARN_CUB(DeviceRunLengthEncode, Encode)
    __GPULEARN_CUB(DeviceRunLengthEncode, NonTrivialRuns)
};
struct DeviceScan {
    __GPULEARN_CUB(DeviceScan, ExclusiveScan)
    __GPULEARN_CUB(DeviceScan, ExclusiveScanByKey)
    __GPULEARN_CUB(DeviceScan, ExclusiveSum)
    __GPULEARN_CUB(DeviceScan, ExclusiveSumByKey)
    __GPULEARN_CUB(DeviceScan, InclusiveScan)
    __GPULEARN_CUB(DeviceScan, InclusiveScanByKey)
    __GPULEARN_CUB(DeviceScan, InclusiveSum)
    __GPULEARN_CUB(DeviceScan, InclusiveSumByKey)
};
struct DeviceSegmentedRadixSort {
    __GPULEARN_CUB(DeviceSegmentedRadixSort, SortKeys)
    __GPULEARN_CUB(DeviceSegmentedRadixSort, SortKeysDescending)
    __GPULEARN_CUB(DeviceSegmentedRadixSort, SortPairs)
    __GPULEARN_CUB(DeviceSegmentedRadixSort, SortPairsDescending)
};
struct DeviceSegmentedReduce {
    __GPULEARN_CUB(DeviceSegmentedReduce, ArgMax)
    __GPULEARN_CUB(DeviceSegmentedReduce, ArgMin)
    __GPULEARN_CUB(DeviceSegmentedReduce, Max)
    __GPULEARN_CUB(DeviceSegmentedReduce, Min)
    __GPULEARN_CUB(DeviceSegmentedReduce, Reduce)
    __GPULEARN_CUB(DeviceSegmentedReduce, Sum)
};
struct DeviceSelect {
    __GPULEARN_CUB(DeviceSelect, Flagged)
    __GPULEARN_CUB(DeviceSelect, If)
    __GPULEARN_CUB(DeviceSelect, Unique)
    __GPULEARN_CUB(DeviceSelect, UniqueByKey)
};

#undef __GPULEARN_CUB

} // namespace cub
