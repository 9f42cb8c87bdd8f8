//! Measures `grade` on a generated class: `cargo bench --bench grade [-- STUDENTS [LESSONS]]`.
//!
//! Each student submits a file for each lesson: one of the base files, modified so that its text is unique. The
//! bases are solutions, starters, and the wrong kernels of `tests/wrong` (wrong, slow, racy); every tenth
//! student's file is truncated and does not compile. Printed: wall time, processor time per file, and peak
//! resident memory in MiB of `grade` itself, of the largest judge process that is reused from file to file, and of
//! any process at all. Results: benches/README.md.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

/// Kernel lessons in the order of the course.
const LESSONS: [&str; 16] = [
    "map",
    "zip",
    "guards",
    "map-2d",
    "broadcast",
    "blocks",
    "blocks-2d",
    "shared",
    "pooling",
    "dot-product",
    "conv-1d",
    "block-sum",
    "axis-sum",
    "matmul",
    "coalescing",
    "bank-conflicts",
];

fn files_of(folder: &Path) -> Vec<PathBuf> {
    let mut files: Vec<PathBuf> =
        fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path()).collect();
    files.retain(|path| path.extension().is_some_and(|ending| ending == "cu"));
    files.sort();
    files
}

/// Returns the texts that the students' files of a lesson are made from.
fn bases(root: &Path, slug: &str) -> Vec<String> {
    let mut files = files_of(&root.join("tests/wrong").join(slug));
    for folder in ["solutions", "kernels"] {
        for part in fs::read_dir(root.join(folder)).into_iter().flatten().flatten() {
            files.push(part.path().join(format!("{slug}.cu")));
        }
    }
    files.iter().filter_map(|path| fs::read_to_string(path).ok()).collect()
}

/// Returns a text with the same meaning that is unique to the student; truncated for every tenth student.
fn mutated(base: &str, student: usize) -> String {
    let text = base.replace("threadIdx.x", &format!("(threadIdx.x + {student} - {student})"));
    let text = format!(
        "// by student {student}\n{text}\n__device__ int of_student_{student}() {{ return {student}; }}\n"
    );
    if student % 10 == 9 { text.chars().take(text.len() / 2).collect() } else { text }
}

fn main() {
    let mut numbers = std::env::args().skip(1).filter_map(|word| word.parse::<usize>().ok());
    let students = numbers.next().unwrap_or(50);
    let lessons = numbers.next().unwrap_or(LESSONS.len()).min(LESSONS.len());
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let folder = tempfile::tempdir().expect("a folder");
    let mut plan = "name = \"bench\"\nseed = 1\n".to_owned();
    let mut distinct = 0;
    for slug in &LESSONS[..lessons] {
        plan += &format!("[[lessons]]\nlesson = \"{slug}\"\n");
        let bases = bases(root, slug);
        assert!(!bases.is_empty(), "{slug}");
        distinct += bases.len();
        for student in 0..students {
            let path = folder.path().join(format!("in/s{student:04}/{slug}.cu"));
            fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
            fs::write(path, mutated(&bases[student % bases.len()], student)).expect("a file");
        }
    }
    fs::write(folder.path().join("plan.toml"), plan).expect("a file");
    let start = Instant::now();
    let said = fs::File::create(folder.path().join("said")).expect("a file");
    let mut grade = Command::new(env!("CARGO_BIN_EXE_gpulearn"))
        .args(["grade", "in", "--plan", "plan.toml", "-o", "report", "--offline"])
        .current_dir(folder.path())
        .stdin(Stdio::null())
        .stdout(said)
        .spawn()
        .expect("a command that starts");
    let mut resident = Resident::default();
    let status = loop {
        resident.look(grade.id());
        match grade.try_wait().expect("a child") {
            Some(status) => break status,
            None => thread::sleep(Duration::from_millis(50)),
        }
    };
    let wall = start.elapsed().as_secs_f64();
    assert!(status.success(), "{status}");
    let (cpu, peak) = usage();
    let texts = students * lessons;
    println!("{students} students × {lessons} lessons, {texts} texts from {distinct} bases: {wall:.1} s");
    println!("{cpu:.1} s of processor time, {:.3} s a text", cpu / texts as f64);
    let Resident { grade, judge } = resident;
    println!("peak memory: {grade} MiB grade, {judge} MiB the largest judge, {peak} MiB any process");
    let said = fs::read_to_string(folder.path().join("said")).expect("what it said");
    println!("{}", said.lines().rev().take(3).collect::<Vec<_>>().join("\n"));
}

/// Peak resident memory of the long-lived processes in MiB; 0 if there is no /proc.
#[derive(Default)]
struct Resident {
    grade: u64,
    judge: u64,
}

impl Resident {
    /// Updates the peaks for `grade` and for the judges, its child processes.
    fn look(&mut self, grade: u32) {
        self.grade = self.grade.max(high_water(grade));
        let grade = grade.to_string();
        for entry in fs::read_dir("/proc").into_iter().flatten().flatten() {
            let Some(pid) = entry.file_name().to_str().and_then(|name| name.parse().ok()) else { continue };
            if status(pid, "PPid:").is_some_and(|parent| parent == grade) {
                self.judge = self.judge.max(high_water(pid));
            }
        }
    }
}

/// Returns the peak resident memory of a process in MiB.
fn high_water(pid: u32) -> u64 {
    let kib = status(pid, "VmHWM:").and_then(|text| text.trim_end_matches("kB").trim().parse::<u64>().ok());
    kib.unwrap_or(0) / 1024
}

/// Returns a field of a process's `/proc/PID/status`.
fn status(pid: u32, key: &str) -> Option<String> {
    let text = fs::read_to_string(format!("/proc/{pid}/status")).ok()?;
    Some(text.lines().find_map(|line| line.strip_prefix(key))?.trim().to_owned())
}

/// Returns the processor time in seconds of all child processes that have ended, and the peak memory of any of
/// them in MiB.
#[cfg(unix)]
fn usage() -> (f64, i64) {
    // SAFETY: all-zero is a valid `rusage`, and the pointer is to a live variable.
    let usage = unsafe {
        let mut usage: libc::rusage = std::mem::zeroed();
        libc::getrusage(libc::RUSAGE_CHILDREN, &raw mut usage);
        usage
    };
    let seconds = |time: libc::timeval| time.tv_sec as f64 + time.tv_usec as f64 * 1e-6;
    (seconds(usage.ru_utime) + seconds(usage.ru_stime), usage.ru_maxrss / 1024)
}

#[cfg(not(unix))]
fn usage() -> (f64, i64) {
    (f64::NAN, 0)
}
