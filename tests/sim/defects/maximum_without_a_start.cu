// The place of the largest element: neither it nor what is largest so far has a value at first.
// launch: grid 1 block 32
// in x: f32 64 = i
// arg n: i32 = 64
// out y: i32 32
// finding: I002
extern "C" __global__ void largest(const float *x, int n, int *y) {
    float best;
    int place;
    for (int i = 0; i < n; i++) {
        if (x[i] > best) {
            best = x[i];
            place = i;
        }
    }
    y[threadIdx.x] = place; //~ I002
}
