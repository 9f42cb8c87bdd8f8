// What NVIDIA's samples check errors and choose devices with.
#pragma once
#include <cuda_runtime.h>
#include <helper_string.h>
#include <stdio.h>
#include <stdlib.h>

#ifndef MAX
#define MAX(a, b) ((a) > (b) ? (a) : (b))
#endif
#ifndef MIN
#define MIN(a, b) ((a) < (b) ? (a) : (b))
#endif
#define DEVICE_RESET cudaDeviceReset();

inline const char *_cudaGetErrorEnum(cudaError_t error) { return cudaGetErrorName(error); }
// Statuses of the libraries have names in their own headers.
template <class T> const char *_cudaGetErrorEnum(T) { return "<unknown>"; }

template <class T> void check(T result, const char *call, const char *file, int line) {
    if (!result) return;
    fprintf(stderr, "CUDA error at %s:%d code=%d(%s) \"%s\" \n", file, line, (int)result, _cudaGetErrorEnum(result), call);
    exit(EXIT_FAILURE);
}
#define checkCudaErrors(...) check((__VA_ARGS__), #__VA_ARGS__, __FILE__, __LINE__)

inline void __getLastCudaError(const char *message, const char *file, int line) {
    cudaError_t error = cudaGetLastError();
    if (error == cudaSuccess) return;
    fprintf(stderr, "%s(%i) : getLastCudaError() CUDA error : %s : (%d) %s.\n", file, line, message, (int)error,
            cudaGetErrorString(error));
    exit(EXIT_FAILURE);
}
#define getLastCudaError(message) __getLastCudaError(message, __FILE__, __LINE__)
inline void __printLastCudaError(const char *message, const char *file, int line) {
    cudaError_t error = cudaGetLastError();
    if (error == cudaSuccess) return;
    fprintf(stderr, "%s(%i) : getLastCudaError() CUDA error : %s : (%d) %s.\n", file, line, message, (int)error,
            cudaGetErrorString(error));
}
#define printLastCudaError(message) __printLastCudaError(message, __FILE__, __LINE__)

inline int ftoi(float value) { return (int)(value >= 0 ? value + 0.5f : value - 0.5f); }

// Cores of a multiprocessor for float arithmetic, by compute capability.
inline int _ConvertSMVer2Cores(int major, int minor) {
    switch (major * 10 + minor) {
    case 30: case 32: case 35: case 37: return 192;
    case 60: case 70: case 72: case 75: case 80: return 64;
    default: return 128;
    }
}
inline const char *_ConvertSMVer2ArchName(int major, int minor) {
    switch (major) {
    case 3: return "Kepler";
    case 5: return "Maxwell";
    case 6: return "Pascal";
    case 7: return minor == 5 ? "Turing" : minor == 2 ? "Xavier" : "Volta";
    case 8: return minor == 9 ? "Ada" : "Ampere";
    case 9: return "Hopper";
    default: return major > 9 ? "Blackwell" : "Graphics Device";
    }
}

// The device with the most cores times clock.
inline int gpuGetMaxGflopsDeviceId() {
    int count = 0, best = 0;
    unsigned long long most = 0;
    checkCudaErrors(cudaGetDeviceCount(&count));
    if (count == 0) {
        fprintf(stderr, "gpuGetMaxGflopsDeviceId() CUDA error: no devices supporting CUDA.\n");
        exit(EXIT_FAILURE);
    }
    for (int device = 0; device < count; ++device) {
        int major, minor, multiprocessors, clock;
        checkCudaErrors(cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, device));
        checkCudaErrors(cudaDeviceGetAttribute(&minor, cudaDevAttrComputeCapabilityMinor, device));
        checkCudaErrors(cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, device));
        checkCudaErrors(cudaDeviceGetAttribute(&clock, cudaDevAttrClockRate, device));
        unsigned long long power = (unsigned long long)multiprocessors * _ConvertSMVer2Cores(major, minor) * clock;
        if (power > most) {
            most = power;
            best = device;
        }
    }
    return best;
}

// Chooses a device by its number.
inline int gpuDeviceInit(int device) {
    int count = 0, major = 0, minor = 0;
    checkCudaErrors(cudaGetDeviceCount(&count));
    if (count == 0) {
        fprintf(stderr, "gpuDeviceInit() CUDA error: no devices supporting CUDA.\n");
        exit(EXIT_FAILURE);
    }
    if (device < 0) device = 0;
    if (device >= count) {
        fprintf(stderr, "gpuDeviceInit (-device=%d) is not a valid GPU: there are %d\n", device, count);
        return -device;
    }
    checkCudaErrors(cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, device));
    checkCudaErrors(cudaDeviceGetAttribute(&minor, cudaDevAttrComputeCapabilityMinor, device));
    checkCudaErrors(cudaSetDevice(device));
    printf("gpuDeviceInit() CUDA Device [%d]: \"%s\n", device, _ConvertSMVer2ArchName(major, minor));
    return device;
}

// Chooses what -device=N says, or the fastest.
inline int findCudaDevice(int argc, const char **argv) {
    if (checkCmdLineFlag(argc, argv, "device")) {
        int device = gpuDeviceInit(getCmdLineArgumentInt(argc, argv, "device"));
        if (device < 0) exit(EXIT_FAILURE);
        return device;
    }
    int device = gpuGetMaxGflopsDeviceId(), major = 0, minor = 0;
    checkCudaErrors(cudaSetDevice(device));
    checkCudaErrors(cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, device));
    checkCudaErrors(cudaDeviceGetAttribute(&minor, cudaDevAttrComputeCapabilityMinor, device));
    printf("GPU Device %d: \"%s\" with compute capability %d.%d\n\n", device, _ConvertSMVer2ArchName(major, minor), major,
           minor);
    return device;
}

inline bool checkCudaCapabilities(int major, int minor) {
    int device = 0, its_major = 0, its_minor = 0;
    checkCudaErrors(cudaGetDevice(&device));
    checkCudaErrors(cudaDeviceGetAttribute(&its_major, cudaDevAttrComputeCapabilityMajor, device));
    checkCudaErrors(cudaDeviceGetAttribute(&its_minor, cudaDevAttrComputeCapabilityMinor, device));
    if (its_major > major || (its_major == major && its_minor >= minor)) {
        printf("  Device %d: Compute SM %d.%d detected\n", device, its_major, its_minor);
        return true;
    }
    printf("  No GPU device was found that can support CUDA compute capability %d.%d.\n", major, minor);
    return false;
}
