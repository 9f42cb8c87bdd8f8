// __constant__ arrays with initial values, uniform and divergent indices; __device__ tables.
// launch: grid 1 block 32
// out y: f32 64
// expect y[i] = i % 2 == 0 ? (i/2 % 4 == 0 ? 1.5 : i/2 % 4 == 1 ? -2.5 : i/2 % 4 == 2 ? 0 : 1e10) + 7 : (i/2 % 3) * 10 + 3
struct Row {
    char tag;
    int values[3];
};
__constant__ float weights[4] = {1.5f, -2.5f, 0.0f, 1e10f};
__constant__ Row rows[2] = {{'a', {1, 2, 3}}, {'b', {4, 5, 7}}};
__device__ short table[3] = {3, 13, 23};
__device__ const int *picked = &rows[1].values[2];
extern "C" __global__ void constants(float *y) {
    int i = threadIdx.x;
    y[2 * i] = weights[i % 4] + *picked;
    y[2 * i + 1] = table[i % 3];
}
