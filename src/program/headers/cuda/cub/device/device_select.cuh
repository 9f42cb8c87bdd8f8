#error "cub/device/device_select.cuh: CUB's algorithms for a device need a host compiler. Include the parts for a block or a warp, such as cub/block/block_reduce.cuh"
