//! What the findings about memory that a kernel touches mean, at length.

use sim::FindingKind;

/// Why it matters and how to see it; `None` for other codes.
pub(super) fn explanation(code: FindingKind) -> Option<&'static str> {
    Some(match code {
        FindingKind::OutOfBounds => {
            "A thread read or wrote outside the buffer it was given. On a GPU this often goes unnoticed: the neighbouring memory belongs to somebody, so the value is wrong or another result is destroyed.

Most often there are more threads than the data has elements. Those past the end must do nothing:

    int i = threadIdx.x;
    if (i < n) out[i] = in[i];

An index can also be too small. A thread that looks at its neighbour to the left has none at the left edge, where i - 1 is negative:

    if (i >= 1 && i < n) out[i] = in[i] - in[i - 1];

Of an unsigned number, such as threadIdx.x - 1, it is a very large one instead; it is told as what it was meant to be.

With several blocks, i is the index over all of them, and the guard remains. The last block is often only partly needed:

    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = in[i];"
        }
        FindingKind::Misaligned => {
            "A thread touched n bytes at an address that is not a multiple of n. GPUs refuse that: the kernel would end with cudaErrorMisalignedAddress.

It comes from casting a pointer to a wider type. A float4 is 16 bytes, so this needs i to be a multiple of 4:

    float4 v = *(const float4 *)(in + i);"
        }
        FindingKind::NullPointer => {
            "A thread followed a pointer that is zero, or nearly. Either a null pointer was passed to the kernel, or a pointer variable was never given a value."
        }
        FindingKind::ReadOnly => {
            "The kernel wrote to a buffer that is an input here. Whoever launches it still needs that data; and a kernel that overwrites its input can't be run twice, which is what measuring it needs."
        }
        FindingKind::SharedOutOfBounds => {
            "An index into shared memory was outside the array. Shared memory of a block is small and tightly packed, so on a GPU the access usually lands in another array of the same block.

Two sizes must agree: the array's, and the number of threads in the block.

    __shared__ float s[256];      // needs blockDim.x <= 256
    s[threadIdx.x] = in[i];

Inline assembly takes addresses in shared memory of 32 bits, which __cvta_generic_to_shared(pointer) makes of a pointer; a pointer that is cut to 32 bits is one on some GPUs alone. And wgmma reads where its descriptors say: a wrong start, offset or swizzle in one leads out of the array."
        }
        FindingKind::LocalOutOfBounds => {
            "An index into an array declared inside the kernel was outside it. Such an array is the thread's own; past its end lie the thread's other variables."
        }
        FindingKind::DeadLocal => {
            "A thread followed a pointer to a local variable of a __device__ function that has returned. The function's memory is free from then on: the next call puts its own variables there.

    __device__ float *corners(float x) {
        float c[2] = {x - 1, x + 1};
        return c;                 // c ends here
    }

Return the values themselves, in a struct, or let the caller give the memory: void corners(float x, float *c).

This is seen of functions that are called. Most are put into their caller by the compiler, where their variables live on in the caller's memory or in registers: the value may then be right today, or be left out altogether, and nothing tells. __noinline__ before a function shows it."
        }
        FindingKind::UseAfterFree => {
            "A buffer was used after it was given back with cudaFree() or its kin. The memory may by then belong to somebody else: the value is wrong, or another result is destroyed.

A launch returns before the kernel has run, so this can also happen to a buffer that is freed in the right order but too early from another stream. Free memory when the last use of it is known to be over:

    cudaStreamSynchronize(stream);
    cudaFree(p);"
        }
        FindingKind::OtherDevice => {
            "A kernel followed a pointer to memory of another GPU. That is allowed only between GPUs that can reach each other, and after the program has asked for it, from the side that runs the kernel:

    cudaSetDevice(0);
    cudaDeviceEnablePeerAccess(1, 0);   // kernels on 0 may use memory of 1

Without that, copy the data with cudaMemcpyPeer(). A pointer that was allocated while another device was the current one is the usual cause: cudaMalloc() uses the device of the last cudaSetDevice()."
        }
        FindingKind::HostPointer => {
            "A kernel followed a pointer to ordinary host memory: a local variable, a global one, or memory from malloc() or new. GPUs have no access to it.

Copy the data to the device and give the kernel the address there:

    float *d;
    cudaMalloc(&d, n * sizeof(float));
    cudaMemcpy(d, h, n * sizeof(float), cudaMemcpyHostToDevice);
    kernel<<<blocks, threads>>>(d, n);

Small structs can be passed by value, but pointers inside them must point to device memory as well."
        }
        FindingKind::Uninitialised => {
            "A thread read memory that nobody had written. A GPU does not clear memory: what is found there is left over from somebody else, and may happen to be the right value today.

Copying such bytes is no mistake: a structure is copied whole, with its padding and with fields that nobody set. It is told once the value matters: an address or a branch depends on it, an atomic or printf takes it, or it is left in global memory as a result. The line shown is the one that read it first.

In shared memory the usual cause is a guard on the store and none on the load:

    if (i < n) s[threadIdx.x] = in[i];
    __syncthreads();
    sum += s[k];                  // also those that were never stored

Store a neutral value in the other case: s[threadIdx.x] = i < n ? in[i] : 0;

In an output the usual cause is adding to what has no value yet:

    out[i] += in[i];              // reads out[i] first

Copies take it along: what no thread has stored is still unset in the host's array, and what the host has not filled is unset on the GPU. Host code that uses it is told as well: where a branch or an address depends on it, a library takes it, or it is printed. Look at the number of blocks and threads, (n + 255) / 256, and at the bytes of each copy, n * sizeof(element). Of host memory, single bytes in a word that was written in part are not seen."
        }
        FindingKind::Undefined => {
            "A local variable was used before anything was assigned to it. It holds whatever was left in its register: often zero, until the code around it changes.

    float sum;                    // has no value
    for (int i = 0; i < n; i++)
        sum += in[i];             // adds to what is not there
    out[threadIdx.x] = sum;

Give it one where it is declared: float sum = 0;

The other usual cause is a variable that only some paths assign:

    int best;
    if (in[t] > 0) best = t;      // and otherwise?
    out[t] = best;

The accumulator of a matrix product is such a variable too: fill_fragment(sum, 0.0f) before the first mma_sync().

The line that is shown is where the value first matters: where it is stored, or decides something. Where the compiler sees that there is no value it may pick one: a NaN for float and double, which the results then show, and for integers it may leave out all that was worked out from it, the store included. Results that are NaN or missing for no reason are a hint to look for such a variable."
        }
        _ => return None,
    })
}
