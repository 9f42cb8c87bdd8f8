// Arrays of random numbers, call after call of each kind: those that NVIDIA's library makes, in its order.
#include <cstdio>
#include <curand.h>
#include <vector>

template <class T>
void show(const char *kind, const T *device, int n, const char *format) {
    std::vector<T> host(n);
    cudaMemcpy(host.data(), device, n * sizeof(T), cudaMemcpyDeviceToHost);
    printf("%s", kind);
    for (int i : {0, 1, 2, 3, 4, 4095, 4096, n / 2, n - 2, n - 1}) printf(format, host[i]);
    printf("\n");
}

int main() {
    const int n = 270000;
    unsigned *words;
    float *floats;
    double *doubles;
    cudaMalloc(&words, n * sizeof(unsigned));
    cudaMalloc(&floats, n * sizeof(float));
    cudaMalloc(&doubles, n * sizeof(double));
    cudaStream_t stream;
    cudaStreamCreate(&stream);
    for (curandRngType_t type : {CURAND_RNG_PSEUDO_DEFAULT, CURAND_RNG_PSEUDO_PHILOX4_32_10}) {
        curandGenerator_t generator;
        curandCreateGenerator(&generator, type);
        curandGenerate(generator, words, 5000);
        show("default seed", words, 5000, " %u");
        curandSetPseudoRandomGeneratorSeed(generator, 1234);
        curandSetGeneratorOffset(generator, 7);
        curandSetStream(generator, stream);
        curandGenerate(generator, words, n);
        cudaStreamSynchronize(stream);
        show("words", words, n, " %u");
        curandGenerateUniform(generator, floats, 5000);
        cudaStreamSynchronize(stream);
        show("uniform", floats, 5000, " %.7f");
        curandGenerateNormal(generator, floats, n, 1.0f, 2.0f);
        cudaStreamSynchronize(stream);
        show("normal", floats, n, " %.4f");
        curandGenerateUniformDouble(generator, doubles, n);
        cudaStreamSynchronize(stream);
        show("uniform doubles", doubles, n, " %.12f");
        curandGenerateNormalDouble(generator, doubles, n, 0.5, 3.0);
        cudaStreamSynchronize(stream);
        show("normal doubles", doubles, n, " %.10f");
        curandGenerateLogNormal(generator, floats, 5000, 0.0f, 1.0f);
        cudaStreamSynchronize(stream);
        show("exponentials", floats, 5000, " %.4f");
        curandGenerate(generator, words, 5000);
        cudaStreamSynchronize(stream);
        show("words again", words, 5000, " %u");
        curandStatus_t odd = curandGenerateNormal(generator, floats, 5, 0, 1);
        printf("an odd number of normal ones: %d\n", odd);
        cudaStreamSynchronize(stream);
        curandDestroyGenerator(generator);
    }
    printf("no generator: %d\n", curandGenerate(nullptr, words, n));
    cudaStreamDestroy(stream);
    cudaFree(words);
    cudaFree(floats);
    cudaFree(doubles);
}
