//! What the C library declares and programs cannot have here: whoever calls it is told why.

use super::{Context, c_functions};
use sim::Stop;

c_functions! {
    /// Sets what a signal does, sends one, waits for one, or names one.
    fn signal, sigaction, sigprocmask, raise, kill, alarm, pause, strsignal(c) {
        absent(c, "programs receive no signals here")
    }

    /// Ends another thread.
    fn pthread_cancel(c) {
        absent(c, "threads run one after the other here, each to its end")
    }

    /// Works on files by descriptor, or asks for what is known of a path.
    fn open, creat, fcntl, read, close, lseek, dup, dup2, fsync, ftruncate, fdopen, stat, lstat, fstat, access, truncate, link,
        symlink, readlink, mkdir, rmdir, chdir, getcwd, chmod, mkstemp, tmpnam(c)
    {
        absent(c, "files are read and written by <fstream> and <cstdio> here")
    }

    /// Opens a stream to memory.
    fn fmemopen, open_memstream(c) {
        absent(c, "text in memory is read and written by sscanf and snprintf here")
    }

    /// Starts other programs, communicates with them, or asks who runs this one.
    fn fork, execl, execlp, execv, execvp, execve, popen, pclose, pipe, getppid, getuid, geteuid, getgid, getegid(c) {
        absent(c, "a program runs in isolation here, without other processes")
    }

    /// Shares a semaphore by its name, or waits for it until some time.
    fn sem_open, sem_close, sem_unlink, sem_timedwait(c) {
        absent(c, "semaphores are made by sem_init here, and waited for by sem_wait and sem_trywait")
    }

    /// Asks for, or chooses, the processor that runs the program.
    fn sched_getaffinity, sched_setaffinity, sched_setscheduler, sched_getcpu(c) {
        absent(c, "a program has one processor here")
    }

    /// Goes back to where `setjmp` was called.
    fn longjmp, siglongjmp(c) {
        absent(c, "there are no jumps from one function into another here")
    }

    /// Asks how the heap is laid out, or changes that.
    fn mallinfo, mallopt, malloc_trim(c) {
        absent(c, "the heap is not laid out here as glibc lays it out")
    }

    /// Keeps the state of `random` in the program's memory.
    fn initstate, setstate(c) {
        absent(c, "random is seeded by srandom here, and rand_r has its state where the program wants it")
    }

    /// Sorts with a function that is passed a pointer of the program's.
    fn qsort_r(c) {
        absent(c, "qsort and std::sort sort here")
    }

    /// Asks what the program uses, or may use, of the machine.
    fn getrusage, getrlimit, setrlimit(c) {
        absent(c, "a program runs in isolation here: of the system it has only the clocks")
    }

    /// Returns how numbers are written in the locale.
    fn localeconv(c) {
        absent(c, "text is in the C locale here")
    }

    /// Asks for, or changes, what floating-point exceptions do.
    fn fetestexcept, feclearexcept, feenableexcept, fedisableexcept(c) {
        absent(c, FLOATS)
    }

    /// Returns the direction of rounding: to nearest.
    fn fegetround(_c) -> i32 {
        Ok(TO_NEAREST)
    }

    /// Sets the direction of rounding, of which there is one.
    fn fesetround(c, direction: i32) {
        if direction == TO_NEAREST { Ok(()) } else { absent(c, FLOATS) }
    }
}

/// `FE_TONEAREST`.
const TO_NEAREST: i32 = 0;
const FLOATS: &str = "floating-point arithmetic rounds to nearest here and sets no flags";

fn absent(c: &Context, why: &str) -> Result<(), Stop> {
    Err(c.unsupported(format!("{}(): {why}", c.call.name)))
}
