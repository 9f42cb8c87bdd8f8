#error "pthread.h: the host part of a program runs as one thread. Use streams to overlap work"
