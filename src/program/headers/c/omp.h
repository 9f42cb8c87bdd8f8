#error "omp.h: OpenMP is not to be had here: the host part of a program runs as one thread. Leave out the parallel regions, or use streams to overlap work"
