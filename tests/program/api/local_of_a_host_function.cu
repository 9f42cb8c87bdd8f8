// A host function gets the address of a variable of a function that may have returned when it is called.
// exit: stopped
#include <stdio.h>
#include <stdlib.h>

#define CHECK(call)                                                   \
    do {                                                              \
        cudaError_t e_ = (call);                                      \
        if (e_ != cudaSuccess) {                                      \
            fprintf(stderr, "line %d: %s\n", __LINE__, cudaGetErrorString(e_)); \
            exit(1);                                                  \
        }                                                             \
    } while (0)

struct Context { int *sum; int v; };

static void add(void *argument) {
    Context *context = (Context *)argument;
    *context->sum += context->v; //~ H006
}

static void enqueue(cudaStream_t stream, int *sum) {
    Context context = {sum, 5};
    CHECK(cudaLaunchHostFunc(stream, add, &context));
}

int main(void) {
    cudaStream_t stream;
    int sum = 0;
    CHECK(cudaStreamCreate(&stream));
    enqueue(stream, &sum);
    CHECK(cudaStreamSynchronize(stream));
    printf("%d\n", sum);
    CHECK(cudaStreamDestroy(stream));
}
