//! One field of an array of structures, and of an array of its own.
//! floats: 8388608 1048576 1048576
//! slow: grid 4096 1 block 256 1
//! fast: grid 4096 1 block 256 1
//! n: 1048576

struct Particle { float x, y, z, vx, vy, vz, mass, charge; };

extern "C" __global__ void slow(const Particle *a, const float *b, float *c, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) c[i] = a[i].mass * 2;
}

extern "C" __global__ void fast(const float *a, const float *b, float *c, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) c[i] = b[i] * 2;
}
