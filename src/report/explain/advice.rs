//! What codes of advice mean: traffic, waiting, and values that give pause.

use sim::FindingKind;

/// `None` for a code that is told elsewhere.
pub(super) fn explanation(code: FindingKind) -> Option<&'static str> {
    Some(match code {
        FindingKind::Uncoalesced => {
            "Memory moves in sectors of 32 bytes. A load or store of a warp moves every sector that one of its 32 lanes touches, whole. Where the lanes are neighbours, 32 floats are four sectors; where each is in a row of its own, they are 32, and 28 of 32 bytes are moved for nothing.

    a[threadIdx.x * n + k]        // lanes n elements apart
    a[k * n + threadIdx.x]        // lanes side by side

The index that changes from lane to lane, threadIdx.x, should be the fast one, that of columns. Of structures of which one field is used, keep an array for each field. Where one side of a transpose must go across, let it go through a tile in shared memory."
        }
        FindingKind::BankConflict => {
            "Shared memory has 32 banks, and word i of four bytes is in bank i % 32. Each bank gives one word at a time. Lanes that want the same word share it; lanes that want different words of one bank wait for each other.

    __shared__ float tile[32][32];
    x = tile[threadIdx.x][k];     // 32 words of one bank: 32 passes

One element of padding moves each row on by a bank:

    __shared__ float tile[32][33];

With --verbose, check draws which banks the lanes of a warp come to."
        }
        FindingKind::Divergence => {
            "The 32 lanes of a warp share one instruction at a time. Where a condition holds for some and not for others, the warp takes both ways, one after the other, and lanes wait while the others work. A loop lasts as long as that of its slowest lane.

    if (threadIdx.x % 2) work();          // every warp goes both ways
    if (threadIdx.x / 32 % 2) work();     // each warp goes one way

Short branches cost nothing: they become instructions that some lanes skip. So does a warp that splits only at the edge of the data."
        }
        FindingKind::RedundantBarrier => {
            "Between the barrier before and the barrier after this one, no thread touched memory that another thread wrote, and none wrote what another had touched. So the barrier orders nothing, in any of the cases that were run.

    s[t] = in[i];
    __syncthreads();              // each thread reads its own element
    out[i] = s[t];

Of two barriers that stand together either can go, not both: take out one at a time, and check again. Kernels whose blocks wait for each other, or that copy asynchronously, are not judged: there a barrier may be needed by what is not seen."
        }
        FindingKind::RegisterSpill => {
            "A thread needs more registers than it may have (255, or as many as __launch_bounds__() leaves for it), so the compiler keeps some values in memory and loads them back. Each is a load or store that the source does not show.

Keep fewer values alive at once: smaller tiles for each thread, less unrolling, values worked out again instead of kept."
        }
        FindingKind::LowOccupancy => {
            "A multiprocessor hides the wait for memory by going on with other warps. How many it can hold is limited by what each block takes: threads, registers, shared memory, and a number of blocks. Here less than half of the warps that it could hold are there.

Blocks of 32 threads fill half of the warps at most, since the number of blocks is limited; 128 to 256 threads are a good start. inspect shows the occupancy for several sizes of block, and what limits each.

Few warps are enough where each has much to do at once; measure before you change much."
        }
        FindingKind::HotAtomic => {
            "Atomics on one address are done one after the other, by whichever thread they come from. Where all lanes of a warp add to one counter, each of them waits for the 31 others, and for all other warps.

    atomicAdd(count, x);          // every thread

Add within the warp first, then let one lane tell:

    for (int step = 16; step > 0; step /= 2)
        x += __shfl_down_sync(0xffffffff, x, step);
    if (threadIdx.x % 32 == 0) atomicAdd(count, x);

A block can keep a sum, or a histogram, of its own in shared memory, and add that once at its end."
        }
        FindingKind::LocalArray => {
            "Registers have no index. An array whose index is known only while the kernel runs is kept in local memory: the thread's own, but as far away as global memory, and reached through the caches.

    float best[8];
    best[which[i]] = x;           // which one?

Where every index is a constant, as in a loop that is unrolled, each element has a register. A small table that all threads read belongs in __constant__ memory, one that threads write in shared memory."
        }
        FindingKind::NotANumber => {
            "NaN, not a number, is what 0 / 0, inf / inf, inf - inf, 0 * inf, and the root or the logarithm of a negative number give. Whatever is worked out from it is NaN again, so it is seen far from where it was born; here is the place, with its operands.

The commonest are a mean over nothing, a softmax whose powers are infinite, and a root of what is zero but for rounding."
        }
        FindingKind::Infinity => {
            "A result was too large for its type, or something was divided by zero. A float holds up to 3.4e38, a half up to 65504. exp(x) of a float is infinite from 89 on.

    e = expf(x[i]);               // infinite for 100
    e = expf(x[i] - greatest);    // at most 1

Infinities lead to NaN: inf - inf, and inf / inf."
        }
        FindingKind::IndexOverflow => {
            "An int has 32 bits, and holds no more than 2 147 483 647. A product such as row * pitch goes past that for a matrix of 50 000 by 50 000. What the sum or product then gives is undefined in C++; in practice it wraps around, and points somewhere else.

    int at = row * pitch + column;
    size_t at = (size_t)row * pitch + column;

One operand that has 64 bits is enough, if it comes before the product."
        }
        FindingKind::DivisionByZero => {
            "An integer was divided by zero, or the remainder taken. CUDA C++ leaves undefined what comes out; a GPU goes on without a word.

    mean = n > 0 ? sum / n : 0;"
        }
        FindingKind::LossyConversion => {
            "A float became an integer that can't hold its value, or a narrower float for which it is too large. A GPU gives the nearest integer that there is, and infinity for a float; of NaN it makes zero, or, from a double or to 64 bits, a number with only its highest bit set; other processors give something else.

    int n = (int)x;               // of 3e9f: 2147483647
    __half h = __float2half(x);   // of 1e5f: infinite

Clamp the value first, or choose a type that holds it. A scale, as training in half precision has for its loss, keeps values within bounds."
        }
        FindingKind::Cancellation => {
            "Two values that are nearly equal were subtracted. The leading digits cancel, and what is left is mostly the rounding of what came before: of the 24 bits of a float, eight or fewer still say something.

    var = squares / n - mean * mean;      // both large, nearly equal

Subtract first, where the values are still exact:

    d = x[i] - mean;
    var += d * d / n;

This is told only with --strict-floats: many such differences are harmless."
        }
        _ => return None,
    })
}
