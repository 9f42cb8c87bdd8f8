struct Buffer {
    float *data;
    Buffer() { cudaMalloc(&data, 64); }
    ~Buffer() { cudaFree(data); }
#ifdef FIXED
    Buffer(const Buffer &) = delete;
    Buffer &operator=(const Buffer &) = delete;
#endif
};
int main() {
    Buffer one;
#ifndef FIXED
    Buffer two = one;
#endif
}
