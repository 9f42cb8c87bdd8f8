// The first element is the largest at first; what is compared with it before there is one does not matter.
// launch: grid 1 block 32
// in x: f32 64 = i
// arg n: i32 = 64
// out y: i32 32
// expect y[i] = 63
extern "C" __global__ void largest(const float *x, int n, int *y) {
    float best;
    int place = -1;
    for (int i = 0; i < n; i++) {
        if (place < 0 || x[i] > best) {
            best = x[i];
            place = i;
        }
    }
    y[threadIdx.x] = place;
}
