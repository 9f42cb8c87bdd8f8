//! What the findings about products of a warpgroup mean, at length.

use sim::FindingKind;

/// Why it matters and how to see it; `None` for other codes.
pub(super) fn explanation(code: FindingKind) -> Option<&'static str> {
    Some(match code {
        FindingKind::ProductInFlight => {
            "wgmma.mma_async only begins a product: the tensor cores work on it while the warp goes on. Until the warp has waited for its group, the sums in its registers mean nothing, and the tiles in shared memory are still being read. Here somebody did not wait: a sum was read or changed, or a tile was overwritten.

    wgmma(sum, a, b);
    wgmma_commit_group();
    out[i] = sum[0];              // the product may not have come here yet
    wgmma_wait_group<0>();

Close the group behind its last product, and wait before its results are used:

    wgmma(sum, a, b);
    wgmma_commit_group();
    wgmma_wait_group<0>();
    out[i] = sum[0];

The number says how many of the latest groups may still be under way: with 1, the next product can be begun before the last one is done, and of the tiles only those of the group before it are free. The other warps of the block know of the wait only behind a barrier."
        }
        FindingKind::ProxyFence => {
            "The tensor cores read shared memory by a way of their own, the asynchronous proxy. What threads wrote in the usual way, with a store or with cp.async, is not sure to be seen there, not even behind __syncthreads(): that orders threads, not ways to memory. A fence between the two ways does.

    tile[i] = x;
    __syncthreads();
    wgmma(sum, a, b);             // may read what was in the tile before

Each thread that wrote executes the fence behind its writes (behind its wait, where it copied with cp.async), and then the threads meet:

    tile[i] = x;
    asm volatile(\"fence.proxy.async.shared::cta;\" ::: \"memory\");
    __syncthreads();
    wgmma(sum, a, b);

What cp.async.bulk brings needs no such fence: it takes the same way."
        }
        FindingKind::RegisterFence => {
            "A product takes its sums (and perhaps A) from registers while the warp goes on, so somebody must say that the registers are ready: wgmma.fence does. One is needed before the first product, and again wherever the program itself changed those registers. Products of one shape that add to the same sums, one after the other, need none between them.

    for (int i = 0; i < 4; i++) sum[i] *= scale;
    wgmma(sum, a, b);             // may add to the sums of before

    for (int i = 0; i < 4; i++) sum[i] *= scale;
    asm volatile(\"wgmma.fence.sync.aligned;\" ::: \"memory\");
    wgmma(sum, a, b);"
        }
        FindingKind::WarpGroup => {
            "A warpgroup is four warps in a row, the first of which has a number that four divides: 128 threads. A product by wgmma belongs to all of them: each warp has sixteen of the 64 rows, and all must come to the same instruction with the same descriptors. Where they do not, what happens is undefined; the kernel may hang.

    if (warp % 4 < 2) wgmma(sum, a, b);             // two warps stay away
    wgmma(sum, descriptor(tile + warp * 2048), b);  // each has its own

The descriptor says where the 64 rows begin, the same for all four warps; which sixteen are its own a warp knows by its number:

    int group = warp / 4;
    wgmma(sum, descriptor(tile + group * 8192), b);"
        }
        FindingKind::MatrixDescriptor => {
            "A descriptor is 64 bits that tell the tensor cores where a matrix lies in shared memory. Addresses and strides stand in it in units of 16 bytes, in 14 bits each: the start in bits 0 to 13, the leading offset in 16 to 29, the stride in 32 to 45; bits 62 and 63 say how 16-byte pieces change places: 0 not at all, 1 within 128 bytes, 2 within 64, 3 within 32. All other bits are zero here: an address or a stride that was not cut to its bits spoils its neighbours.

Which pieces change places is decided by bits of their address, so the matrix must begin where the pattern does: at a multiple of 1024 bytes for rows of 128, of 512 for 64, of 256 for 32. Declare the array so, with __align__(1024), and let no tile begin between:

    desc = (address + 128) >> 4 | (stride >> 4) << 32 | 1ull << 62;

    desc = address >> 4 | (stride >> 4) << 32 | 1ull << 62;

A step along a row of the pattern, 32 bytes for the next sixteen k, is allowed."
        }
        _ => return None,
    })
}
