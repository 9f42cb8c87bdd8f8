//~ refused: give it its value in main
struct Device {
    int number;
    Device() { cudaGetDevice(&number); }
};
Device device;
int main() { return device.number; }
