#error "mpi.h: MPI is not to be had here: a program is one process. Several GPUs in it are (cudaSetDevice), with NCCL between them"
