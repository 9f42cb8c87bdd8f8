// cp.async whose byte count is a value: threads that copy all 16 bytes read them in one request, and the last one word by word.
// arch: 80
// launch: grid 1 block 32
// in a: f32 128 = i
// arg n: i32 = 126
// out y: f32 128
// count load_requests: 3
// expect y[i] = i < 126 ? i : 0
extern "C" __global__ void copy(const float *a, int n, float *y) {
    __shared__ __align__(16) float tile[128];
    int at = 4 * threadIdx.x;
    int bytes = min(16, 4 * max(0, n - at));
    unsigned to = (unsigned)__cvta_generic_to_shared(&tile[at]);
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(to), "l"(a + at), "r"(bytes) : "memory");
    asm volatile("cp.async.wait_all;" ::: "memory");
    for (int i = 0; i < 4; i++) {
        y[at + i] = tile[at + i];
    }
}
