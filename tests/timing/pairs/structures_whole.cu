//! All fields of an array of structures, and of an array for each field.
//! floats: 8388608 1 8388608
//! slow: grid 4096 1 block 256 1
//! fast: grid 4096 1 block 256 1
//! held: out
//! n: 1048576

struct Particle { float x, y, z, vx, vy, vz, mass, charge; };

extern "C" __global__ void slow(const Particle *a, const float *b, Particle *c, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    Particle p = {a[i].x, a[i].y, a[i].z, a[i].vx, a[i].vy, a[i].vz, a[i].mass, a[i].charge};
    c[i].x = p.x + p.vx;
    c[i].y = p.y + p.vy;
    c[i].z = p.z + p.vz;
    c[i].vx = p.vx * p.mass;
    c[i].vy = p.vy * p.mass;
    c[i].vz = p.vz * p.charge;
    c[i].mass = p.mass;
    c[i].charge = p.charge;
}

extern "C" __global__ void fast(const float *a, const float *b, float *c, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    Particle p = {a[i], a[n + i], a[2 * n + i], a[3 * n + i], a[4 * n + i], a[5 * n + i], a[6 * n + i], a[7 * n + i]};
    c[i] = p.x + p.vx;
    c[n + i] = p.y + p.vy;
    c[2 * n + i] = p.z + p.vz;
    c[3 * n + i] = p.vx * p.mass;
    c[4 * n + i] = p.vy * p.mass;
    c[5 * n + i] = p.vz * p.charge;
    c[6 * n + i] = p.mass;
    c[7 * n + i] = p.charge;
}
