// NCCL: collectives of several devices in one process.
#pragma once
#include <cuda_runtime.h>

#define NCCL_MAJOR 2
#define NCCL_MINOR 27
#define NCCL_PATCH 3
#define NCCL_VERSION_CODE 22703
#define NCCL_VERSION(X, Y, Z) ((X) * 10000 + (Y) * 100 + (Z))

typedef struct ncclComm *ncclComm_t;
#define NCCL_COMM_NULL nullptr
#define NCCL_UNIQUE_ID_BYTES 128
typedef struct { char internal[NCCL_UNIQUE_ID_BYTES]; } ncclUniqueId;

typedef enum {
    ncclSuccess = 0,
    ncclUnhandledCudaError = 1,
    ncclSystemError = 2,
    ncclInternalError = 3,
    ncclInvalidArgument = 4,
    ncclInvalidUsage = 5,
    ncclRemoteError = 6,
    ncclInProgress = 7,
    ncclNumResults = 8
} ncclResult_t;
typedef enum { ncclSum = 0, ncclProd = 1, ncclMax = 2, ncclMin = 3, ncclAvg = 4, ncclNumOps = 5 } ncclRedOp_t;
typedef enum {
    ncclInt8 = 0, ncclChar = 0,
    ncclUint8 = 1,
    ncclInt32 = 2, ncclInt = 2,
    ncclUint32 = 3,
    ncclInt64 = 4,
    ncclUint64 = 5,
    ncclFloat16 = 6, ncclHalf = 6,
    ncclFloat32 = 7, ncclFloat = 7,
    ncclFloat64 = 8, ncclDouble = 8,
    ncclBfloat16 = 9,
    ncclNumTypes = 10
} ncclDataType_t;

extern "C" {
ncclResult_t ncclGetVersion(int *version);
ncclResult_t ncclGetUniqueId(ncclUniqueId *id);
ncclResult_t ncclCommInitRank(ncclComm_t *communicator, int ranks, ncclUniqueId id, int rank);
ncclResult_t ncclCommInitAll(ncclComm_t *communicators, int count, const int *devices);
ncclResult_t ncclCommFinalize(ncclComm_t);
ncclResult_t ncclCommDestroy(ncclComm_t);
ncclResult_t ncclCommAbort(ncclComm_t);
ncclResult_t ncclCommGetAsyncError(ncclComm_t, ncclResult_t *error);
ncclResult_t ncclCommCount(const ncclComm_t, int *count);
ncclResult_t ncclCommCuDevice(const ncclComm_t, int *device);
ncclResult_t ncclCommUserRank(const ncclComm_t, int *rank);
const char *ncclGetErrorString(ncclResult_t);
const char *ncclGetLastError(ncclComm_t);
ncclResult_t ncclAllReduce(
    const void *send, void *receive, size_t count, ncclDataType_t, ncclRedOp_t, ncclComm_t, cudaStream_t);
ncclResult_t ncclReduce(
    const void *send, void *receive, size_t count, ncclDataType_t, ncclRedOp_t, int root, ncclComm_t, cudaStream_t);
ncclResult_t ncclBroadcast(
    const void *send, void *receive, size_t count, ncclDataType_t, int root, ncclComm_t, cudaStream_t);
ncclResult_t ncclBcast(void *buffer, size_t count, ncclDataType_t, int root, ncclComm_t, cudaStream_t);
ncclResult_t ncclReduceScatter(
    const void *send, void *receive, size_t receive_count, ncclDataType_t, ncclRedOp_t, ncclComm_t, cudaStream_t);
ncclResult_t ncclAllGather(
    const void *send, void *receive, size_t send_count, ncclDataType_t, ncclComm_t, cudaStream_t);
ncclResult_t ncclSend(const void *send, size_t count, ncclDataType_t, int peer, ncclComm_t, cudaStream_t);
ncclResult_t ncclRecv(void *receive, size_t count, ncclDataType_t, int peer, ncclComm_t, cudaStream_t);
ncclResult_t ncclGroupStart();
ncclResult_t ncclGroupEnd();
}
