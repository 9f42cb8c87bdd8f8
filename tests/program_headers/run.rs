//! Runs the cases of `runs`: programs of the C library alone, answered by `program::libc`.
//!
//! Their expected output (`//> `) and exit code (`//~ exits: `) are what the same file does where
//! gcc and glibc compiled it.

use super::compile;
use crate::plain;
use gpulearn::host::program::libc::{self, Channel, Context, Library, Output, Sink, World};
use gpulearn::report;
use gpulearn::sim::{Call, Environment, HostLimits, HostThread, Module, Stop};
use libtest_mimic::Trial;

pub fn trials() -> Vec<Trial> {
    vec![
        plain(
            "program_headers::what_programs_cannot_have_ends_them_by_name",
            what_programs_cannot_have_ends_them_by_name,
        ),
        plain("program_headers::clocks_go_on_from_one_date", clocks_go_on_from_one_date),
    ]
}

#[derive(Default)]
struct Kept(Vec<u8>);

impl Sink for Kept {
    fn write(&mut self, _: Channel, bytes: &[u8]) {
        self.0.extend_from_slice(bytes);
    }
}

/// A world of printing and a clock; there is no other memory than the program's own.
struct Surroundings<'a> {
    output: Output<'a>,
    now_ns: u64,
}

impl World for Surroundings<'_> {
    fn load(&mut self, _: &mut HostThread<'_>, address: u64, _: &mut [u8]) -> Result<(), Stop> {
        Err(nowhere(address))
    }
    fn store(&mut self, _: &mut HostThread<'_>, address: u64, _: &[u8]) -> Result<(), Stop> {
        Err(nowhere(address))
    }
    fn count_output(&mut self, bytes: u64) -> Result<(), Stop> {
        self.output.count(bytes, true)
    }

    fn print(&mut self, channel: Channel, bytes: &[u8]) -> Result<(), Stop> {
        self.output.print(channel, bytes)
    }
    fn now_ns(&mut self) -> u64 {
        self.now_ns += 1000;
        self.now_ns
    }
    fn sleep_ns(&mut self, ns: u64) {
        self.now_ns += ns;
    }
}

fn nowhere(address: u64) -> Stop {
    Stop::Unsupported { what: format!("memory at {address:#x}"), line: None }
}

struct Process<'a> {
    library: Library,
    world: Surroundings<'a>,
}

impl Environment for Process<'_> {
    fn call(&mut self, thread: &mut HostThread<'_>, call: &Call<'_>) -> Result<(), Stop> {
        let Some(row) = libc::row(call.name) else {
            return Err(Stop::Unsupported { what: call.name.to_owned(), line: None });
        };
        (row.run)(&mut Context { library: &mut self.library, world: &mut self.world, thread, call })
    }
    fn load(&mut self, thread: &mut HostThread<'_>, address: u64, out: &mut [u8]) -> Result<(), Stop> {
        self.world.load(thread, address, out)
    }
    fn store(&mut self, thread: &mut HostThread<'_>, address: u64, bytes: &[u8]) -> Result<(), Stop> {
        self.world.store(thread, address, bytes)
    }
}

/// Runs a program without arguments: what it printed, and its exit code or why it was stopped.
fn run(ptx: &str, most_output: u64) -> (String, Result<i32, Stop>) {
    let module = Module::parse(ptx).unwrap_or_else(|why| panic!("{why}"));
    let mut thread = HostThread::new(&module, HostLimits::default()).unwrap();
    let mut kept = Kept::default();
    let world = Surroundings { output: Output::new(&mut kept, most_output), now_ns: 0 };
    let mut process = Process { library: Library::default(), world };
    let name = thread.memory_mut().allocate(16, 16).unwrap();
    thread.memory_mut().write(name, b"program\0").unwrap();
    let argv = thread.memory_mut().allocate(16, 16).unwrap();
    thread.memory_mut().write(argv, &[name.to_le_bytes(), [0; 8]].concat()).unwrap();
    let mut end = match thread.run(&mut process, "main", &[1, argv]) {
        Ok(returned) => Ok(returned as i32),
        Err(Stop::Exit(code)) => Ok(code),
        Err(stop) => Err(stop),
    };
    if end.is_ok() {
        for function in process.library.take_exit_functions() {
            if let Err(stop) = thread.call(&mut process, function, &[]) {
                end = Err(stop);
            }
        }
    }
    drop(process);
    (String::from_utf8_lossy(&kept.0).into_owned(), end)
}

/// Whether a program prints what its file says and ends with this exit code.
pub fn ends_as_elsewhere(source: &str, ptx: &str, code: i32) -> Result<(), String> {
    let expected: String =
        source.lines().filter_map(|line| line.strip_prefix("//> ")).map(|line| format!("{line}\n")).collect();
    let (printed, end) = run(ptx, 1 << 20);
    if printed == expected && end == Ok(code) {
        return Ok(());
    }
    let first = printed.lines().zip(expected.lines()).find(|(got, wanted)| got != wanted);
    Err(format!("ended with {end:?}, printed {} lines; first other line {first:?}", printed.lines().count()))
}

fn what_programs_cannot_have_ends_them_by_name() {
    const HEADERS: &str = "#include <malloc.h>\n#include <sched.h>\n#include <semaphore.h>\n#include <setjmp.h>\n\
                           #include <stdio.h>\n#include <stdlib.h>\n#include <unistd.h>\n";
    for (body, told) in [
        ("fopen(\"data.bin\", \"rb\");", "fopen(\"data.bin\"): programs find no files here"),
        ("system(\"ls\");", "system(\"ls\"): programs can't run other programs here"),
        ("fork();", "fork(): a program runs in isolation here"),
        ("popen(\"ls\", \"r\");", "popen(): a program runs in isolation here"),
        (
            "access(\"data.bin\", R_OK);",
            "access(): files are read and written by <fstream> and <cstdio> here",
        ),
        (
            "char text[4]; read(0, text, 4);",
            "read(): files are read and written by <fstream> and <cstdio> here",
        ),
        (
            "write(3, \"a\", 1);",
            "write(): there are no descriptors but 1 and 2 to write to here, and this is 3",
        ),
        ("fileno(tmpfile());", "fileno(): files have no descriptors here"),
        ("jmp_buf here; if (setjmp(here) == 0) longjmp(here, 1);", "longjmp(): there are no jumps"),
        (
            "sem_t none; sem_init(&none, 0, 0); sem_wait(&none);",
            "sem_wait waits for what another one is to do",
        ),
        (
            "cpu_set_t set; CPU_ZERO(&set); sched_setaffinity(0, sizeof set, &set);",
            "sched_setaffinity(): a program has",
        ),
        ("printf(\"%d\", mallinfo().arena);", "mallinfo(): the heap is not laid out here"),
        ("for (;;) puts(\"more and more\");", "more than the limit of 1000 bytes"),
    ] {
        let source = format!("{HEADERS}int main() {{ {body} return 0; }}\n");
        let (_, end) = run(&compile(&source).unwrap().ptx, 1000);
        match end {
            Err(Stop::Unsupported { what: text, .. }) if text.contains(told) => {}
            Err(Stop::Limit(reached)) if report::limit_reached(&reached).contains(told) => {}
            other => panic!("{body}: {other:?}"),
        }
    }
    for (body, code, told) in [
        ("abort();", 134, ""),
        ("assert(1 > 2);", 134, "Assertion `1 > 2' failed."),
        ("exit(-1);", 255, ""),
        ("_exit(3);", 3, ""),
        ("perror(\"here\"); return getchar();", -1, "here: Success"),
    ] {
        let source = format!("{HEADERS}int main() {{ {body} return 0; }}\n");
        let (printed, end) = run(&compile(&source).unwrap().ptx, 1000);
        assert_eq!(end, Ok(code), "{body}");
        assert!(printed.contains(told), "{body}: {printed:?}");
    }
}

fn clocks_go_on_from_one_date() {
    let source = "#include <stdio.h>\n#include <sys/time.h>\n#include <time.h>\n#include <unistd.h>\n\
        int main() { timeval a, b; gettimeofday(&a, NULL); usleep(2500); gettimeofday(&b, NULL);\n\
        time_t t = time(NULL); char text[32]; strftime(text, 32, \"%F %A\", gmtime(&t));\n\
        printf(\"%ld %s\", (b.tv_sec - a.tv_sec) * 1000000 + b.tv_usec - a.tv_usec, text); return 0; }\n";
    let (printed, end) = run(&compile(source).unwrap().ptx, 1000);
    assert_eq!((printed.as_str(), end), ("2501 2024-01-01 Monday", Ok(0)));
}
