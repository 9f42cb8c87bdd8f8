//! What the findings about host code mean, at length.

use sim::FindingKind;

/// Why it matters and how to see it; `None` for other codes.
pub(super) fn explanation(code: FindingKind) -> Option<&'static str> {
    Some(match code {
        FindingKind::HostOutOfBounds => {
            "Host code read or wrote outside its arrays. Natively this often goes unnoticed: the bytes beside an array belong to something else, which is changed, or to the allocator, which fails much later somewhere else.

An array of n elements has the indices 0 to n - 1, and a string needs one byte more than it has characters:

    int *a = (int *)malloc(n * sizeof(int));
    for (int i = 0; i < n; i++) a[i] = i;      // not i <= n"
        }
        FindingKind::HostUseAfterFree => {
            "Host code used memory that was given back with free() or delete. Natively the old value is often still there, until something else gets the same memory.

It happens when two pointers lead to one block and one of them frees it, or when a std::vector grows and an older pointer or iterator into it is used."
        }
        FindingKind::HostDoubleFree => {
            "A block of memory was given back twice. Natively that destroys the allocator's own data.

A class that frees in its destructor must not be copied as it is: both copies would free the same block. Delete its copy constructor, or let it copy what it owns."
        }
        FindingKind::HostBadFree => {
            "free() or delete was given an address that malloc() or new never gave: a local or global variable, a place inside a block, or memory of another kind.

Each kind of memory has its own way back: cudaMalloc() and cudaFree(), cudaMallocHost() and cudaFreeHost(), malloc() and free(), new and delete."
        }
        FindingKind::HostNullPointer => {
            "Host code followed a pointer that is zero, or nearly. A pointer variable was never set, or what should have set it failed: malloc() when memory is at its end, or a function that found nothing."
        }
        FindingKind::HostDeadLocal => {
            "Host code used the address of a local variable after the function that it belongs to had returned. Its place on the stack then belongs to the next function that is called.

    int *bad() { int x = 1; return &x; }       // x ends with the function
    int good() { int x = 1; return x; }"
        }
        FindingKind::HostDeviceVariable => {
            "A variable at file scope that kernels use lives in the memory of each GPU. Host code that names it reaches a copy of its own, which no kernel ever sees or changes.

    __device__ int count;

    int host = 0;
    cudaMemcpyToSymbol(count, &host, sizeof(int));
    kernel<<<1, 32>>>();
    cudaMemcpyFromSymbol(&host, count, sizeof(int));

A __managed__ variable is one for both sides."
        }
        FindingKind::DeviceCodeOnHost => {
            "Host code came to something that only kernels have: threadIdx, shared memory, __syncthreads(), an operation of a warp. A function for the device was called by the host.

The host part of a program is compiled together with its kernels here, so a test of __CUDA_ARCH__ holds in both."
        }
        FindingKind::HostBadCall => {
            "A call went through a pointer that leads to no function: a function pointer that was never set, or an object whose memory is no longer, or never was, an object of its class. A kernel is no function either: it is launched."
        }
        FindingKind::HostTrap => {
            "The host's code stopped itself: it called __trap(), or came to a place that the compiler knows can't be reached. The commonest is the end of a function that should return a value and does not.

An atomic operation on a local variable is one too: NVRTC, which compiles host code here, knows no such operation."
        }
        FindingKind::HostStackOverflow => {
            "Functions called each other, or themselves, so deep that the stack was full. A recursion must come to an end, and large local arrays belong on the heap.

    void count(int n) { if (n != 0) count(n - 1); printf(\"%d\\n\", n); }

    count(-1);                        // does not come to zero"
        }
        FindingKind::HostDivision => {
            "Host code divided an integer, or took its remainder, where there is no quotient: the divisor was zero, or the smallest integer was divided by -1, whose quotient is one more than the type holds. The processor stops a program that does so (\"Floating point exception\", though no float is in it). A GPU does not stop: kernels get a number that means nothing.

    int mean(int sum, int n) { return n == 0 ? 0 : sum / n; }"
        }
        _ => return None,
    })
}
