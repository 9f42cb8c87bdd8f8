//! A real Slurm with two nodes on this host, of which one dies in the middle. Where Slurm is not installed, or this is
//! not root, the test says so.

use super::{RIGHT, class, gpulearn, grade, put, report};
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::time::{Duration, Instant};

/// Two nodes, which end with this.
struct Cluster {
    folder: PathBuf,
}

impl Cluster {
    /// `None` where there is no Slurm here.
    fn start(folder: PathBuf) -> Option<Cluster> {
        let started = script(&["start", folder.to_str().unwrap()]);
        match started.status.code() {
            Some(0) => Some(Cluster { folder }),
            Some(77) => {
                println!("skipped: {}", String::from_utf8_lossy(&started.stderr));
                None
            }
            _ => panic!("{started:?}"),
        }
    }

    fn conf(&self) -> PathBuf {
        self.folder.join("slurm.conf")
    }

    /// What a command of Slurm prints.
    fn ask(&self, command: &str) -> String {
        let mut words = command.split(' ');
        let output =
            Command::new(words.next().unwrap()).args(words).env("SLURM_CONF", self.conf()).output().unwrap();
        String::from_utf8(output.stdout).unwrap()
    }

    fn kill(&self, node: &str) {
        let killed = script(&["kill", self.folder.to_str().unwrap(), node]);
        assert!(killed.status.success(), "{killed:?}");
    }
}

impl Drop for Cluster {
    fn drop(&mut self) {
        script(&["stop", self.folder.to_str().unwrap()]);
    }
}

fn script(args: &[&str]) -> Output {
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/slurm/cluster.sh");
    Command::new(script).args(args).output().unwrap()
}

/// Waits until something is so; says what Slurm knows where that takes too long.
fn until(what: &str, cluster: &Cluster, seconds: u64, so: impl Fn() -> bool) {
    let start = Instant::now();
    while !so() {
        let late = start.elapsed().as_secs() > seconds;
        assert!(!late, "{what}: {}{}", cluster.ask("squeue"), cluster.ask("sinfo -N -l"));
        std::thread::sleep(Duration::from_millis(50));
    }
}

#[test]
fn a_node_that_dies_costs_no_mark() {
    // SAFETY: asks for a number.
    if unsafe { libc::geteuid() } != 0 {
        return println!("skipped: slurmd needs root");
    }
    let folder = class();
    let root = folder.path();
    // Enough for a node to be in the middle of.
    for n in 0..400 {
        put(root, &format!("in/s{n:03}/map.cu"), RIGHT.replace("+ 10", &format!("+ {}", 10 + n)));
    }
    let Some(cluster) = Cluster::start(root.join("slurm")) else { return };
    let args = [
        "grade",
        "slurm",
        "in",
        "--plan",
        "plan.toml",
        "--times",
        "times.csv",
        "--students",
        "students.csv",
        "-o",
        "cluster",
        "--parts",
        "4",
        "--submit",
    ];
    let output = gpulearn(root, &args).env("SLURM_CONF", cluster.conf()).output().unwrap();
    assert!(output.status.success(), "{output:?}");
    println!("{}{}", String::from_utf8_lossy(&output.stdout), cluster.ask("squeue"));
    let kept = |part: u32| {
        std::fs::read_dir(root.join(format!("cluster/parts/{part}/results"))).map_or(0, Iterator::count)
    };
    // Of the two parts that run first, the one on the node that dies has begun and is not through.
    let on = |node: &str| cluster.ask(&format!("squeue -h -t R -w {node} -o %K")).trim().parse::<u32>();
    until("a part on node two", &cluster, 120, || on("two").is_ok_and(|part| kept(part) > 0));
    let part = on("two").unwrap();
    cluster.kill("two");
    let (had, whole) = (kept(part), root.join(format!("cluster/parts/{part}/part.json")));
    assert!(!whole.exists(), "part {part} was through");
    println!("node two killed with {had} results of part {part}; {}", cluster.ask("squeue"));
    let queued = || cluster.ask("squeue -h -r -o %i");
    until("Slurm sees it", &cluster, 120, || cluster.ask("squeue -h -t R -w two -o %i").trim().is_empty());
    println!("{}{}", cluster.ask("sinfo -N -l"), cluster.ask("squeue"));
    // Slurm waits two minutes before it starts a job again that lost its node.
    for job in queued().lines() {
        cluster.ask(&format!("scontrol update jobid={job} starttime=now"));
    }
    until("the report", &cluster, 420, || root.join("cluster/report.json").exists());
    assert!(kept(part) > had && whole.exists());
    println!("report there; part {part} has {} results", kept(part));
    assert_eq!(grade(root, "whole", &[]).0, 0);
    let mut by_cluster = report(root, "cluster");
    by_cluster.retain(|(path, _)| !path.starts_with("parts") && !path.starts_with("slurm"));
    assert_eq!(by_cluster, report(root, "whole"));
    println!("{} files are equal byte for byte", by_cluster.len());
}
