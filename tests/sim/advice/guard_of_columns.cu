// Every second column works, in a block of rows that are half a warp long.
//
// launch: grid 5,5 block 16,16
// in a: f32 6400 = i
// out b: f32 6400
// expect b[i] = i % 80 % 2 * (i + 100) + (1 - i % 80 % 2) * i
// advice: P003
extern "C" __global__ void guard_of_columns(const float *a, float *b) {
    int col = blockIdx.x * blockDim.x + threadIdx.x;
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    float x = a[row * 80 + col];
    if (col % 2 == 1) { //~ P003
        for (volatile int k = 0; k < 100; k = k + 1)
            x += 1;
    }
    b[row * 80 + col] = x;
}
