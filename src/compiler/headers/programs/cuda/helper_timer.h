// The stop watch of NVIDIA's samples, in milliseconds.
#pragma once
#include <sys/time.h>

class StopWatchInterface {
public:
    virtual ~StopWatchInterface() {}
    virtual void start() = 0;
    virtual void stop() = 0;
    virtual void reset() = 0;
    virtual float getTime() = 0;
    virtual float getAverageTime() = 0;
};

class StopWatchLinux : public StopWatchInterface {
    double began_ms = 0, total_ms = 0;
    bool running = false;
    int sessions = 0;

    static double now_ms() {
        timeval now;
        gettimeofday(&now, nullptr);
        return 1e3 * now.tv_sec + 1e-3 * now.tv_usec;
    }

public:
    void start() override {
        began_ms = now_ms();
        running = true;
    }
    void stop() override {
        total_ms += now_ms() - began_ms;
        running = false;
        ++sessions;
    }
    void reset() override {
        total_ms = 0;
        sessions = 0;
        if (running) began_ms = now_ms();
    }
    float getTime() override { return (float)(total_ms + (running ? now_ms() - began_ms : 0)); }
    float getAverageTime() override { return sessions > 0 ? (float)(total_ms / sessions) : 0.0f; }
};

inline bool sdkCreateTimer(StopWatchInterface **timer) {
    *timer = new StopWatchLinux;
    return true;
}
inline bool sdkDeleteTimer(StopWatchInterface **timer) {
    delete *timer;
    *timer = nullptr;
    return true;
}
inline bool sdkStartTimer(StopWatchInterface **timer) {
    if (*timer) (*timer)->start();
    return true;
}
inline bool sdkStopTimer(StopWatchInterface **timer) {
    if (*timer) (*timer)->stop();
    return true;
}
inline bool sdkResetTimer(StopWatchInterface **timer) {
    if (*timer) (*timer)->reset();
    return true;
}
inline float sdkGetTimerValue(StopWatchInterface **timer) { return *timer ? (*timer)->getTime() : 0.0f; }
inline float sdkGetAverageTimerValue(StopWatchInterface **timer) { return *timer ? (*timer)->getAverageTime() : 0.0f; }
