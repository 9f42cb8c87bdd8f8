// Files that the program writes and reads back: by stdio, by streams, in text and in bytes.
#include <cstdio>
#include <cstring>
#include <fstream>
#include <iostream>
#include <sstream>
#include <string>
#include <vector>

__global__ void gradient(unsigned char *image, int width) {
    int x = threadIdx.x, y = blockIdx.x;
    image[y * width + x] = 16 * x + y;
}

int main() {
    const int width = 4, height = 3;
    unsigned char *device, host[width * height];
    cudaMalloc(&device, sizeof host);
    gradient<<<height, width>>>(device, width);
    cudaMemcpy(host, device, sizeof host, cudaMemcpyDeviceToHost);
    cudaFree(device);

    FILE *image = fopen("image.pgm", "wb");
    fprintf(image, "P5\n%d %d\n255\n", width, height);
    size_t written = fwrite(host, 1, sizeof host, image);
    printf("%zu written, at %ld\n", written, ftell(image));
    fclose(image);
    image = fopen("image.pgm", "rb");
    char kind[8];
    int columns, rows, most;
    int fields = fscanf(image, "%7s %d %d %d", kind, &columns, &rows, &most);
    printf("%d %s %d %d %d, then %d\n", fields, kind, columns, rows, most, fgetc(image));
    unsigned char back[sizeof host];
    size_t got = fread(back, 1, sizeof back, image);
    printf("%zu bytes, the same: %d, end: %d", got, memcmp(host, back, sizeof host) == 0, feof(image) != 0);
    int beyond = fgetc(image);
    printf(" %d %d\n", beyond, feof(image) != 0);
    fseek(image, -2, SEEK_END);
    int before_last = fgetc(image);
    ungetc(before_last, image);
    int again = fgetc(image);
    printf("%d %d\n", before_last, again);
    fclose(image);

    {
        std::ofstream table("table.csv");
        table << "n,square\n";
        for (int n = 1; n <= 3; n++) table << n << ',' << n * n << '\n';
    }
    std::ofstream more("table.csv", std::ios::app);
    more << "4,16" << std::endl;
    more.close();
    std::ifstream table("table.csv");
    std::string line;
    int sum = 0;
    while (std::getline(table, line)) {
        std::stringstream fields(line);
        std::string n, square;
        std::getline(fields, n, ',');
        std::getline(fields, square, ',');
        if (n != "n") sum += std::stoi(square);
    }
    std::cout << table.is_open() << ' ' << table.eof() << " sum " << sum << '\n';

    std::vector<double> values = {0.5, 1.5, 2.5};
    std::ofstream bytes("values.bin", std::ios::binary);
    bytes.write(reinterpret_cast<const char *>(values.data()), values.size() * sizeof(double));
    bytes.close();
    std::vector<double> read(3);
    std::ifstream in("values.bin", std::ios::binary);
    in.read(reinterpret_cast<char *>(read.data()), read.size() * sizeof(double));
    std::cout << read[0] + read[1] + read[2] << '\n';

    std::fstream report("report.txt", std::ios::in | std::ios::out | std::ios::trunc);
    report << std::fixed;
    report.precision(2);
    report << 3.14159 << ' ' << 2 << '\n';
    report.seekg(0);
    double pi;
    int two;
    report >> pi >> two;
    std::cout << pi << ' ' << two << ' ' << report.good() << '\n';
    report.close();
    remove("report.txt");

    FILE *both = fopen("notes.txt", "w+");
    fputs("first\nsecond\n", both);
    rewind(both);
    char text[16];
    while (fgets(text, sizeof text, both)) printf("[%s]", strtok(text, "\n"));
    fputc('!', both);
    fclose(both);
    printf(" %d", rename("notes.txt", "renamed.txt"));
    printf(" %d\n", remove("renamed.txt"));
    printf("%d %d\n", fopen("table.csv", "wx") == nullptr, fopen("x", "q") == nullptr);
}
