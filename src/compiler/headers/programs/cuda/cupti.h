#error "cupti.h: CUPTI is not to be had here; cudaEvent_t and the trace of a run tell times"
