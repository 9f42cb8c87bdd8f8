// A structure of arrays: what is used lies together.
//
// launch: grid 8 block 64
// inout x: f32 512 = i
// expect x[i] = i + 1
// advice:
extern "C" __global__ void one_field_of_a_structure_fixed(float *x) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    x[i] += 1;
}
