__global__ void read(cudaTextureObject_t image, float *out) {
    float x = threadIdx.x + 0.5f, y = 0.5f;
#ifdef FIXED
    float v = tex2D<unsigned char>(image, x, y) / 255.0f;
#else
    float v = tex2D<float>(image, x, y);
#endif
    out[threadIdx.x] = v;
}

int main() {
    unsigned char pixels[32] = {};
    cudaChannelFormatDesc format = cudaCreateChannelDesc<unsigned char>();
    cudaResourceDesc what = {};
    cudaMallocArray(&what.res.array.array, &format, 32, 1);
    cudaMemcpy2DToArray(what.res.array.array, 0, 0, pixels, 32, 32, 1, cudaMemcpyHostToDevice);
    cudaTextureDesc how = {};
    how.readMode = cudaReadModeElementType;
    cudaTextureObject_t image;
    cudaCreateTextureObject(&image, &what, &how, nullptr);
    float *out;
    cudaMalloc(&out, 32 * sizeof(float));
    read<<<1, 32>>>(image, out);
    cudaDeviceSynchronize();
    cudaFree(out);
    cudaDestroyTextureObject(image);
    cudaFreeArray(what.res.array.array);
}
