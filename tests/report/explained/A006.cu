struct Buffer {
    float *data;
    Buffer() { cudaMalloc(&data, 64); }
    ~Buffer() { cudaFree(data); }
#ifdef MENDED
    Buffer(const Buffer &) = delete;
    Buffer &operator=(const Buffer &) = delete;
#endif
};
int main() {
    Buffer one;
#ifndef MENDED
    Buffer two = one;
#endif
}
