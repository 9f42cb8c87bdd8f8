// Steady clocks count from the machine's start, a day before the program's: too far for a float to tell microseconds.
// modelled: times of a real machine vary
#include <chrono>
#include <cstdio>
#include <ctime>

double now_us() {
    using namespace std::chrono;
    return duration<double, std::micro>(steady_clock::now().time_since_epoch()).count();
}

double seconds(clockid_t clock) {
    timespec now;
    clock_gettime(clock, &now);
    return now.tv_sec + 1e-9 * now.tv_nsec;
}

int main() {
    printf("%.0f s up, by clock_gettime %.0f and %.0f\n", now_us() / 1e6, seconds(CLOCK_MONOTONIC),
           seconds(CLOCK_MONOTONIC_RAW));
    printf("%.0f s of the processor's time\n", seconds(CLOCK_PROCESS_CPUTIME_ID));
    printf("%.0f s since 1970\n", seconds(CLOCK_REALTIME));
    double start = now_us();
    float in_float = now_us();
    timespec wait = {0, 100000};
    nanosleep(&wait, nullptr);
    printf("%.0f us in double, %.0f in float\n", now_us() - start, float(now_us()) - in_float);
}
