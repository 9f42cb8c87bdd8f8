// A maximum of floats built from atomicCAS on 32 bits, and a product on 64 bits.
// launch: grid 2 block 64
// in a: f32 128 = (i * 37 % 128) * 0.5 - 10
// inout largest: f32 1 = -1000000
// inout product: u64 1 = 1
// expect largest = 53.5
// expect product = 243
extern "C" __global__ void swaps(const float *a, float *largest, unsigned long long *product) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int *bits = (int *)largest;
    int seen = *bits;
    while (a[i] > __int_as_float(seen)) {
        int before = atomicCAS(bits, seen, __float_as_int(a[i]));
        if (before == seen) {
            break;
        }
        seen = before;
    }
    if (i % 26 == 3) {
        unsigned long long old = *product, assumed;
        do {
            assumed = old;
            old = atomicCAS(product, assumed, assumed * 3);
        } while (old != assumed);
    }
}
