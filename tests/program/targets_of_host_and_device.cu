// <nv/target> tells the host's code from that of devices.
#include <cstdio>
#include <nv/target>

__host__ __device__ int where() { NV_IF_ELSE_TARGET(NV_IS_DEVICE, (return 1;), (return 2;)) }
__host__ __device__ int also() { NV_IF_TARGET(NV_IS_HOST, (return 3;)) return 4; }

__global__ void ask(int *out) {
    NV_IF_TARGET(NV_PROVIDES_SM_70, (out[0] = 70;), (out[0] = 1;))
    out[1] = where();
    out[2] = also();
}

int main() {
    int *out, host = 0;
    if (cudaMallocManaged(&out, 3 * sizeof(int)) != cudaSuccess) return 1;
    ask<<<1, 1>>>(out);
    if (cudaDeviceSynchronize() != cudaSuccess) return 2;
    NV_IF_TARGET(NV_PROVIDES_SM_70, (host = 1;), (host = 2;))
    printf("%d %d %d, %d %d %d\n", out[0], out[1], out[2], host, where(), also());
    return cudaFree(out) != cudaSuccess;
}
