#include <chrono>
#include <cstdio>

using namespace std::chrono_literals;
using Clock = std::chrono::high_resolution_clock;

int main() {
    auto start = Clock::now();
    auto wait = 1500ms;
    printf("%ld %ld\n", (long)std::chrono::duration_cast<std::chrono::seconds>(wait).count(),
           (long)std::chrono::duration_cast<std::chrono::microseconds>(wait).count());
    std::chrono::duration<double> seconds = wait;
    std::chrono::duration<float, std::milli> ms = 2s + 250us;
    printf("%.3f %.3f\n", seconds.count(), ms.count());
    auto sum = 1h + 30min + 15s;
    printf("%ld %d %d\n", (long)std::chrono::nanoseconds(sum).count(), 1000ms == 1s, 999us < 1ms);
    printf("%ld %.2f %ld\n", (long)(sum / 2).count(), (seconds * 2).count(), (long)(sum / 1min));
    std::chrono::steady_clock::time_point t0 = std::chrono::steady_clock::now(), t1 = t0 + 20ms;
    printf("%ld\n", (long)std::chrono::duration_cast<std::chrono::milliseconds>(t1 - t0).count());
    auto end = Clock::now();
    std::chrono::duration<double, std::micro> elapsed = end - start;
    printf("%d %d\n", elapsed.count() >= 0, std::chrono::steady_clock::now() >= t0);
    double direct = std::chrono::duration<double, std::milli>(end - start).count();
    printf("%d\n", direct < 1000.0);
    auto rounded = std::chrono::duration_cast<std::chrono::milliseconds>(std::chrono::duration<double>(0.0129)).count();
    printf("%ld\n", (long)rounded);
}
