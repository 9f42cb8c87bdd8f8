// What NVIDIA's samples share in addition to CUDA: command lines, stop watches, comparisons.
#pragma once
#include <assert.h>
#include <helper_string.h>
#include <helper_timer.h>
#include <math.h>

template <class T, class S>
bool compareData(const T *reference, const T *data, unsigned length, S epsilon, float threshold) {
    unsigned wrong = 0;
    for (unsigned i = 0; i < length; ++i) {
        double difference = fabs((double)reference[i] - (double)data[i]);
        if (!(difference <= (double)epsilon)) ++wrong;
    }
    return threshold == 0.0f ? wrong == 0 : wrong < length * threshold;
}
inline bool compareL2fe(const float *reference, const float *data, unsigned length, float epsilon) {
    float error = 0, norm = 0;
    for (unsigned i = 0; i < length; ++i) {
        float difference = reference[i] - data[i];
        error += difference * difference;
        norm += reference[i] * reference[i];
    }
    return sqrtf(norm) > 1e-7f && sqrtf(error) / sqrtf(norm) < epsilon;
}
inline bool sdkCompareL2fe(const float *reference, const float *data, unsigned length, float epsilon) {
    return compareL2fe(reference, data, length, epsilon);
}
