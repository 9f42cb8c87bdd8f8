// Tiles in shared memory, ldmatrix (plain and transposed), and mma by inline PTX.
// arch: 80
// launch: grid 1 block 32
// in a: f16 256 = (i * 3 % 17) - 8
// in b: f16 128 = (i * 5 % 13) - 6
// out y: f32 128
// expect y[i] = sum(k, 0, 16, a[i/8*16 + k] * b[k*8 + i%8]) + i % 8
#include <cuda_fp16.h>
extern "C" __global__ void product(const half *a, const half *b, float *y) {
    __shared__ __align__(16) half left[256], right[128];
    int t = threadIdx.x;
    for (int i = t; i < 256; i += 32) {
        left[i] = a[i];
        right[i % 128] = b[i % 128];
    }
    __syncwarp();
    unsigned l[4], r[2];
    unsigned left_row = (unsigned)__cvta_generic_to_shared(&left[t % 16 * 16 + t / 16 * 8]);
    unsigned right_row = (unsigned)__cvta_generic_to_shared(&right[t % 16 * 8]);
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
                 : "=r"(l[0]), "=r"(l[1]), "=r"(l[2]), "=r"(l[3]) : "r"(left_row));
    asm volatile("ldmatrix.sync.aligned.m8n8.x2.trans.shared.b16 {%0, %1}, [%2];"
                 : "=r"(r[0]), "=r"(r[1]) : "r"(right_row));
    int row = t / 4, column = t % 4 * 2;
    float d[4] = {(float)column, column + 1.0f, (float)column, column + 1.0f};
    asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
                 : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
                 : "r"(l[0]), "r"(l[1]), "r"(l[2]), "r"(l[3]), "r"(r[0]), "r"(r[1]));
    y[row * 8 + column] = d[0];
    y[row * 8 + column + 1] = d[1];
    y[(row + 8) * 8 + column] = d[2];
    y[(row + 8) * 8 + column + 1] = d[3];
}
