// What flood() should do, by one block.

__global__ void flood_all(int *labels, int *room, int height, int width) {
    int cells = height * width;
    for (;;) {
        bool mine = false;
        for (int p = threadIdx.x; p < cells; p += blockDim.x) {
            int best = labels[p], row = p / width, col = p % width;
            if (best >= 0) {
                if (row > 0) best = max(best, labels[p - width]);
                if (row + 1 < height) best = max(best, labels[p + width]);
                if (col > 0) best = max(best, labels[p - 1]);
                if (col + 1 < width) best = max(best, labels[p + 1]);
            }
            room[p] = best;
            mine = mine || best != labels[p];
        }
        bool any = __syncthreads_or(mine);
        for (int p = threadIdx.x; p < cells; p += blockDim.x) {
            labels[p] = room[p];
        }
        __syncthreads();
        if (!any) {
            return;
        }
    }
}

void flood(int *labels, int *room, int *changed, int height, int width) {
    flood_all<<<1, 1024>>>(labels, room, height, width);
    cudaGetLastError();
    cudaDeviceSynchronize();
}
