// An array of structures of which one field is used: the others come along in every sector.
//
// launch: grid 8 block 64
// inout a: f32 4096 = i
// expect a[i] = i + max(0, 1 - i % 8)
// advice: P001
struct Particle {
    float x, y, z, vx, vy, vz, mass, charge;
};
extern "C" __global__ void one_field_of_a_structure(Particle *a) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    a[i].x += 1; //~ P001
}
