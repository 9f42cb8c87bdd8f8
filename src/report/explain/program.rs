//! What the findings of whole programs mean: how the host uses CUDA.

use sim::FindingKind;

/// Why it matters and how to mend it; `None` for other codes.
pub(super) fn explanation(code: FindingKind) -> Option<&'static str> {
    Some(match code {
        FindingKind::CopyPastEnd => {
            "A copy was asked to move more bytes than one of its sides has. cudaMemcpy() counts bytes, not elements, and both sides need that many.

The usual cause is an allocation without sizeof, or one made for another n:

    cudaMalloc(&d_x, n);                              // n bytes
    cudaMemcpy(d_x, x, n * sizeof(float), cudaMemcpyHostToDevice);

Name the size once and use it in both places:

    size_t bytes = n * sizeof(float);
    cudaMalloc(&d_x, bytes);
    cudaMemcpy(d_x, x, bytes, cudaMemcpyHostToDevice);

Past an end on the device the call fails with cudaErrorInvalidValue. Past an end on the host nothing fails: other data is read, or destroyed."
        }
        FindingKind::CopyOverlap => {
            "A copy writes to bytes that it also reads. cudaMemcpy(), like memcpy(), may take its bytes in any order, and in pieces at the same time: some of what it reads may be overwritten already. The result differs from run to run, or from GPU to GPU.

To move elements within one buffer, go by way of another, or write a kernel that reads one buffer and writes the other:

    cudaMemcpy(d_tmp, d_x, bytes, cudaMemcpyDeviceToDevice);
    cudaMemcpy(d_x + 1, d_tmp, bytes, cudaMemcpyDeviceToDevice);

On the host, memmove() does what memcpy() may not. A memcpy() of a few bytes, of a number that the compiler knows, becomes loads and stores like any others: an overlap of such a one is not seen here."
        }
        FindingKind::CopyDirection => {
            "The last argument of a copy says where its two sides are, and the pointers say something else. The destination comes first, as in memcpy():

    cudaMemcpy(d_x, x, bytes, cudaMemcpyHostToDevice);   // to the device
    cudaMemcpy(x, d_x, bytes, cudaMemcpyDeviceToHost);   // back

Swapped pointers and a swapped direction look alike in the source; names such as d_x and h_x help. cudaMemcpyDefault lets CUDA work the direction out from the pointers."
        }
        FindingKind::HostPointerGiven => {
            "This call works on memory that a GPU can use, and was given a pointer to ordinary host memory: an array, a local variable, memory from malloc() or new.

    float x[256];
    cudaMemset(x, 0, sizeof x);          // fails: x is the host's

Use memset() for host memory, and give the call the device's copy:

    cudaMemset(d_x, 0, sizeof x);"
        }
        FindingKind::DevicePointerGiven => {
            "This call works on host memory and was given a pointer to device memory. The host can't read or write there: the pointer is only good for kernels, copies and sets.

    printf(\"%s\\n\", d_text);             // stops the program

Copy the data to the host first."
        }
        FindingKind::HostFollows => {
            "Host code followed a pointer to device memory. What cudaMalloc() gives is an address on the GPU; the host has nothing there, and the program stops with a segmentation fault.

    cudaMalloc(&d_x, bytes);
    d_x[0] = 1.0f;                       // stops the program

Prepare data in host memory and copy it, or let both sides share it:

    float *x;
    cudaMallocManaged(&x, bytes);
    x[0] = 1.0f;                         // fine: managed memory is for both"
        }
        FindingKind::DoubleFree => {
            "The same memory was given back twice. The second call fails with cudaErrorInvalidValue; where somebody else has been given that address in between, it frees their memory.

Let one place own each allocation: free it where it was made, or in the destructor of a class that can't be copied. A class with a destructor and no copy constructor is copied member by member, and both copies free the same pointer:

    Buffer(const Buffer &) = delete;
    Buffer &operator=(const Buffer &) = delete;"
        }
        FindingKind::WrongFree => {
            "Memory has to be given back by the function that belongs to the one that made it, with the very pointer that it gave.

    cudaMalloc, cudaMallocManaged, cudaMallocPitch    cudaFree
    cudaMallocAsync                                   cudaFreeAsync or cudaFree
    cudaMallocHost, cudaHostAlloc                     cudaFreeHost
    malloc, new                                       free, delete

A pointer that was moved on (d_x += n) is not the start any more: keep the first one."
        }
        FindingKind::DestroyedHandle => {
            "A stream, an event or a graph was used after it was destroyed. Its handle means nothing then: the call fails, or meets another object that was made since.

    cudaStreamDestroy(stream);
    cudaStreamSynchronize(stream);       // too late

Destroy at the very end, or let a destructor do it when the last user is gone. Destroying a stream with work in it is fine: the work is still done."
        }
        FindingKind::Leak => {
            "The program ended and had not freed or destroyed this. The system cleans up after a process, so nothing breaks today. In a program that runs on, or a function that is called again, memory runs out.

    float *d_x;
    cudaMalloc(&d_x, bytes);
    if (failed) return 1;                // d_x is never freed here
    cudaFree(d_x);

A small class whose destructor calls cudaFree() frees it on every way out. What has a Create has a Destroy: streams, events, graphs, handles of cuBLAS and cuDNN. Leaks are advice where a program is run by itself; a lesson refuses them."
        }
        FindingKind::IgnoredError => {
            "A call of CUDA failed, and nobody looked at what it returned. The program went on with a pointer that was never set, or data that was never copied, and its results mean nothing.

Every call returns a cudaError_t. Look at each of them, with a macro:

    #define CHECK(call)                                              \\
        do {                                                         \\
            cudaError_t error = (call);                              \\
            if (error != cudaSuccess) {                              \\
                fprintf(stderr, \"%s:%d: %s\\n\", __FILE__, __LINE__,    \\
                        cudaGetErrorString(error));                  \\
                exit(1);                                             \\
            }                                                        \\
        } while (0)

    CHECK(cudaMalloc(&d_x, bytes));"
        }
        FindingKind::FailedCall => {
            "A call of CUDA failed, the program looked at the result, and ended itself. That is right: what would come after has nothing to work with. The line is that of the call, and its error says what CUDA did not like.

    CHECK(cudaMemcpy(d_x, x, bytes, (cudaMemcpyKind)7));   // no such direction

Often a size, a pointer or a direction is not what it was meant to be. Memory that the program had by then is not told of as leaked: it never came to the lines that give it back."
        }
        FindingKind::UncheckedLaunch => {
            "A kernel was never started, and nobody noticed. A launch gives no result: whether it could start is told by cudaGetLastError(), and what happens while it runs by the next call that waits for it.

    scale<<<blocks, threads>>>(d_x, n);
    CHECK(cudaGetLastError());           // could it start?
    CHECK(cudaDeviceSynchronize());      // did it run well?"
        }
        FindingKind::InvalidLaunch => {
            "The launch asks for more than the GPU can do, so the kernel never ran. A block has at most 1024 threads, however they are spread over x, y and z; 1024 in x and y, 64 in z. A grid has at most 2147483647 blocks in x and 65535 in y and z. Nothing may be zero: (n + 255) / 256 blocks are zero where n is.

Shared memory beyond 48 KiB a block has to be asked for before the launch:

    cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                         bytes);"
        }
        _ => return None,
    })
}
