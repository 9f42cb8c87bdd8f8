// A cell's next state goes to another board.
// launch: grid 2,2 block 4,4
// inout board: u8 64 = i * i % 3 == 1
// inout next: u8 64 = 0
// expect board[i] = i * i % 3 == 1
extern "C" __global__ void step(unsigned char *board, unsigned char *next) {
    int x = blockIdx.x * 4 + threadIdx.x, y = blockIdx.y * 4 + threadIdx.y, count = 0;
    for (int b = y - 1; b <= y + 1; b++) {
        for (int a = x - 1; a <= x + 1; a++) {
            if (a >= 0 && a < 8 && b >= 0 && b < 8 && (a != x || b != y)) {
                count += board[b * 8 + a];
            }
        }
    }
    bool lives = count == 3 || count == 2 && board[y * 8 + x];
    next[y * 8 + x] = lives;
}
