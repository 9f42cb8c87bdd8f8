#error "cub/cub.cuh: the whole of CUB needs a host compiler. Include the parts for a block or a warp, such as cub/block/block_reduce.cuh"
