__global__ void shift(cudaSurfaceObject_t image, cudaSurfaceObject_t other, float *out) {
    int x = threadIdx.x, y = 0;
    float v = x;
#ifdef FIXED
    surf2Dwrite(v, other, x * 4, y);
#else
    surf2Dwrite(v, image, x * 4, y);
#endif
    __syncthreads();
    surf2Dread(&v, image, (x + 1) * 4, y);
    out[x] = v;
}

int main() {
    float pixels[33] = {};
    cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
    cudaResourceDesc what[2] = {};
    cudaSurfaceObject_t surfaces[2];
    for (int i = 0; i < 2; i++) {
        cudaMallocArray(&what[i].res.array.array, &format, 33, 1, cudaArraySurfaceLoadStore);
        cudaCreateSurfaceObject(&surfaces[i], &what[i]);
    }
    cudaMemcpy2DToArray(what[0].res.array.array, 0, 0, pixels, 132, 132, 1, cudaMemcpyHostToDevice);
    float *out;
    cudaMalloc(&out, 32 * sizeof(float));
    shift<<<1, 32>>>(surfaces[0], surfaces[1], out);
    cudaDeviceSynchronize();
    cudaFree(out);
    for (int i = 0; i < 2; i++) {
        cudaDestroySurfaceObject(surfaces[i]);
        cudaFreeArray(what[i].res.array.array);
    }
}
