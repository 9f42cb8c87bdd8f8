// Fills a buffer again that others still read.
#define THREADS 128
#define TILE 512 // elements of y that are copied at a time

typedef unsigned long long Barrier; // an mbarrier, in shared memory

// What PTX calls an address in shared memory.
__device__ unsigned shared_address(const void *p) {
    return (unsigned)__cvta_generic_to_shared(p);
}

// Makes a barrier for which one thread announces copies. By one thread; the
// others may use it after __syncthreads().
__device__ void make(Barrier *full) {
    asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(shared_address(full)));
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
}

// Announces that so many bytes will come. By one thread, once a phase.
__device__ void announce(Barrier *full, unsigned bytes) {
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;"
                 ::"r"(shared_address(full)), "r"(bytes) : "memory");
}

// Begins to copy bytes from global to shared memory, and does not wait. By one
// thread. The addresses and bytes must be multiples of 16.
__device__ void bulk_copy(float *to, const float *from, unsigned bytes, Barrier *full) {
    asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes "
                 "[%0], [%1], %2, [%3];"
                 ::"r"(shared_address(to)), "l"(from), "r"(bytes), "r"(shared_address(full))
                 : "memory");
}

// Waits until a phase is over: the barrier's first, third, … have parity 0, the
// others 1. By every thread that reads what has been copied.
__device__ void wait(Barrier *full, int parity) {
    asm volatile("{ .reg .pred over;\n\t"
                 "again: mbarrier.try_wait.parity.shared::cta.b64 over, [%0], %1;\n\t"
                 "@!over bra again; }" ::"r"(shared_address(full)), "r"(parity) : "memory");
}

// Begins to copy the tile at start. The last one may be shorter. By one thread.
__device__ void fetch(float *tile, const float *y, int start, int m, Barrier *full) {
    unsigned bytes = min(TILE, m - start) * sizeof(float);
    announce(full, bytes);
    bulk_copy(tile, y + start, bytes, full);
}

extern "C" __global__ void distances(const float *x, const float *y, float *out, int n, int m) {
    // One is used while the other is filled. Each has a barrier that tells when
    // it is full.
    __shared__ alignas(16) float tile[2][TILE];
    __shared__ Barrier full[2];
    int i = blockIdx.x * THREADS + threadIdx.x;
    float mine = i < n ? x[i] : 0;
    float sum = 0;

    if (threadIdx.x == 0) {
        make(&full[0]);
        make(&full[1]);
        fetch(tile[0], y, 0, m, &full[0]);
    }
    __syncthreads(); // the barriers are there

    for (int k = 0; k * TILE < m; k++) {
        int start = k * TILE, buffer = k % 2;
        // The other tile is free: all have finished with it. The next one is on
        // its way there while …
        if (threadIdx.x == 0 && start + TILE < m) {
            fetch(tile[1 - buffer], y, start + TILE, m, &full[1 - buffer]);
        }

        // … this one is used, which is the (k / 2)-th in its buffer.
        wait(&full[buffer], k / 2 % 2);
        int count = min(TILE, m - start);
        for (int j = 0; j < count; j++) {
            sum += fabsf(mine - tile[buffer][j]); //~ shared-race
        }
    }

    if (i < n) {
        out[i] = sum;
    }
}
