//! Fetches wheels with the user's own pip, so that mirrors, proxies and certificates configured for it work
//! here too.

use super::progress::Progress;
use super::{WHAT_ELSE, escape};
use crate::paths::bytes_below;
use crate::process::{Group, Process, read_to_end};
use crate::wheel::Wheel;
use anyhow::{Context, Result, anyhow};
use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

/// How to invoke pip: a program and the arguments that precede pip's own.
#[derive(Clone, Debug)]
pub struct Pip {
    program: String,
    arguments: Vec<String>,
    /// Variables added to pip's environment.
    pub environment: Vec<(String, String)>,
}

impl Pip {
    /// Returns the first Python 3 on the path that has pip, otherwise a standalone `pip3`.
    pub fn find() -> Option<Pip> {
        let mut pythons: Vec<(&str, &[&str])> =
            vec![("python3", &["-m", "pip"]), ("python", &["-m", "pip"]), ("pip3", &[]), ("pip", &[])];
        if cfg!(windows) {
            pythons.insert(0, ("py", &["-3", "-m", "pip"]));
        }
        pythons.into_iter().find_map(|(program, arguments)| {
            let output = Command::new(program)
                .args(arguments)
                .args(["--version", "--disable-pip-version-check"])
                .current_dir(std::env::temp_dir())
                .stdin(Stdio::null())
                .output()
                .ok()?;
            let answers =
                output.status.success() && String::from_utf8_lossy(&output.stdout).contains("python 3");
            answers.then(|| Pip {
                program: program.to_owned(),
                arguments: arguments.iter().map(|&argument| argument.to_owned()).collect(),
                environment: Vec::new(),
            })
        })
    }

    /// Returns the command, for display.
    pub fn shown(&self) -> String {
        std::iter::once(&self.program)
            .chain(&self.arguments)
            .map(String::as_str)
            .collect::<Vec<_>>()
            .join(" ")
    }

    /// Downloads the wheels into `folder`.
    ///
    /// # Errors
    ///
    /// Fails if nothing can be written to `folder`, or if pip can't be started or fails.
    pub fn download(&self, wheels: &[Wheel], platform: &str, title: &str, folder: &Path) -> Result<()> {
        // pip first downloads into a temporary folder. It is placed here so that its growth can be watched,
        // and so that it is removed with ours if we are killed.
        let partial = folder.join("partial");
        fs::create_dir_all(&partial)?;
        let mut command = Command::new(&self.program);
        command
            .args(&self.arguments)
            .args(["download", "--no-deps", "--only-binary=:all:", "--platform", platform])
            .args(["--no-input", "--disable-pip-version-check", "--progress-bar", "off", "--retries", "2"])
            .arg("--dest")
            .arg(folder)
            .args(wheels.iter().map(|wheel| format!("{}=={}", wheel.project, wheel.version)))
            .envs(self.environment.iter().map(|(name, value)| (name, value)))
            .env("TMPDIR", &partial)
            .env("TEMP", &partial)
            .env("TMP", &partial)
            .current_dir(folder)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::piped());
        let mut pip = Process::start(&mut command, Group::Ours)
            .with_context(|| format!("cannot start {}", self.program))?;
        let said = read_to_end(pip.stderr.take(), u64::MAX);

        let total: u64 = wheels.iter().map(|wheel| wheel.bytes).sum();
        let bar = Progress::new(title, total);
        let exit = loop {
            if let Some(exit) = pip.wait(Duration::from_millis(80))? {
                break exit;
            }
            bar.at(bytes_below(folder).min(total));
        };
        let said = said.join().unwrap_or_default();
        bar.end();
        let _ = fs::remove_dir_all(&partial);
        if exit.status.success() { Ok(()) } else { Err(failure(&String::from_utf8_lossy(&said), title)) }
    }
}

/// Returns one sentence on why pip failed, and what to do.
fn failure(said: &str, title: &str) -> anyhow::Error {
    const UNREACHABLE: [&str; 8] = [
        "NewConnectionError",
        "NameResolutionError",
        "ConnectTimeoutError",
        "ReadTimeoutError",
        "Failed to establish a new connection",
        "Temporary failure in name resolution",
        "Network is unreachable",
        "ProxyError",
    ];
    if UNREACHABLE.iter().any(|sign| said.contains(sign)) {
        return anyhow!(
            "cannot fetch {title}: pip cannot reach the package index. Connect to the network, or give \
             pip your proxy or mirror (pip config set global.index-url URL), and run this again. {WHAT_ELSE}"
        );
    }
    if said.contains("No space left on device") {
        return anyhow!("cannot fetch {title}: the disk is full. Installing it takes about 300 MB");
    }
    let why = said
        .lines()
        .rev()
        .find(|line| line.contains("ERROR"))
        .or_else(|| said.lines().rev().find(|line| !line.trim().is_empty()))
        .unwrap_or("it gave no reason");
    anyhow!("cannot fetch {title}: pip says: {}. {WHAT_ELSE}", escape(why.trim()).trim_end_matches('.'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_network_is_one_sentence_with_what_to_do() {
        let said = "WARNING: Retrying (Retry(total=1)) after connection broken by \
                    'NewConnectionError(...: [Errno -3] Temporary failure in name resolution')': /simple/x/\n\
                    ERROR: No matching distribution found for x==1\n";
        let text = failure(said, "NVRTC").to_string();
        assert!(text.contains("cannot reach the package index"), "{text}");
        assert!(!text.contains('\n'));
    }

    #[test]
    fn other_failures_carry_pips_own_word_escaped() {
        let text = failure("ERROR: bad \x1b[31mthing\nnote: more\n", "NVRTC").to_string();
        assert!(text.contains("pip says: ERROR: bad \\x1b[31mthing. "), "{text}");
        assert!(failure("", "NVRTC").to_string().contains("it gave no reason"));
    }
}
