//! Runs the user's git to fetch the newest commit of a repository within a time limit.

use super::{CommandError, Result};
use compiler::process::{Group, Process, read_to_end};
use report::{escape, plural};
use std::ffi::OsStr;
use std::io::ErrorKind;
use std::num::NonZero;
use std::path::Path;
use std::process::{Command, Stdio};
use std::thread;
use std::time::Duration;

/// Returns a URL for display, without a password in it.
pub fn shown_url(url: &str) -> String {
    let hidden = url.split_once("://").and_then(|(scheme, rest)| {
        let (user, place) = rest.split('/').next()?.rsplit_once('@')?;
        let path = &rest[user.len() + 1 + place.len()..];
        user.contains(':').then(|| format!("{scheme}://…@{place}{path}"))
    });
    escape(hidden.as_deref().unwrap_or(url))
}

/// Returns whether git is to fetch the source: a URL, `user@host:path`, or a name that ends in `.git` and is no
/// folder.
pub fn is_git(source: &str) -> bool {
    let like_scp = || {
        let host = source.split_once(':').map(|(host, _)| host);
        host.is_some_and(|host| host.len() > 1 && host.contains('@') && !host.contains(['/', '\\']))
    };
    !Path::new(source).is_dir() && (source.contains("://") || source.ends_with(".git") || like_scp())
}

/// Clones the newest commit into an empty folder and returns its hash. No hooks are run, and neither submodules
/// nor Git LFS files are fetched.
///
/// # Errors
///
/// There is no git, git fails, or it takes longer than `seconds`; it is then killed together with its child
/// processes.
pub fn clone(url: &str, branch: Option<&str>, place: &Path, seconds: NonZero<u32>) -> Result<String> {
    let mut arguments: Vec<&OsStr> =
        ["-c", "core.hooksPath=/dev/null", "-c", "protocol.ext.allow=never", "clone"]
            .into_iter()
            .chain([
                "--quiet",
                "--depth=1",
                "--single-branch",
                "--no-tags",
                "--no-recurse-submodules",
                "--template=",
            ])
            .map(OsStr::new)
            .collect();
    let branch = branch.map(|branch| format!("--branch={branch}"));
    arguments.extend(branch.as_ref().map(OsStr::new));
    arguments.extend([OsStr::new("--"), OsStr::new(url), place.as_os_str()]);
    git(&arguments, url, seconds)?;
    let head = [OsStr::new("-C"), place.as_os_str(), OsStr::new("rev-parse"), OsStr::new("HEAD")];
    Ok(git(&head, url, seconds)?.trim().to_owned())
}

fn git(arguments: &[&OsStr], url: &str, seconds: NonZero<u32>) -> Result<String> {
    let shown = shown_url(url);
    let mut command = Command::new("git");
    command.args(arguments);
    // These may be set by a hook or a script of another repository that called this program.
    command.env_remove("GIT_DIR").env_remove("GIT_WORK_TREE").env_remove("GIT_INDEX_FILE");
    command.env("GIT_LFS_SKIP_SMUDGE", "1");
    command.stdin(Stdio::inherit()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let _terminal = terminal::Foreground::give_to(&mut command);
    let mut process = Process::start(&mut command, Group::Own).map_err(|error| match error.kind() {
        ErrorKind::NotFound => {
            CommandError::environment(format!("git is needed to fetch {shown}, but is not installed"))
        }
        _ => CommandError::environment(format!("git can't be started: {error}")),
    })?;
    let (out, err) =
        (read_to_end(process.stdout.take(), u64::MAX), read_to_end(process.stderr.take(), u64::MAX));
    let seconds = u64::from(seconds.get());
    let Ok(Some(exit)) = process.wait(Duration::from_secs(seconds)) else {
        return Err(CommandError::environment(format!(
            "git was stopped: it had not fetched {shown} after {}. `--limit-seconds N` gives it more time",
            plural(seconds, "second", "seconds")
        )));
    };
    let text = |reader: thread::JoinHandle<Vec<u8>>| {
        String::from_utf8_lossy(&reader.join().unwrap_or_default()).into_owned()
    };
    if exit.status.success() {
        return Ok(text(out));
    }
    let said = text(err).replace(url, &shown);
    let said = said.trim().lines().last().unwrap_or("it gave no reason");
    Err(CommandError::environment(format!("git can't fetch {shown}: {}", escape(said))))
}

/// Lends git the terminal, so that it can ask for a password although it is in a process group of its own, with its
/// child processes: a protocol helper, ssh, programs that ask for a password.
#[cfg(unix)]
mod terminal {
    use std::fs::File;
    use std::os::fd::AsRawFd;
    use std::os::unix::process::CommandExt;
    use std::process::Command;

    /// Makes this process's group the terminal's foreground group again when it is dropped.
    pub struct Foreground {
        terminal: Option<File>,
    }

    impl Foreground {
        pub fn give_to(command: &mut Command) -> Foreground {
            let terminal = File::open("/dev/tty").ok().filter(|terminal| {
                // SAFETY: only queries process groups, on an open descriptor.
                unsafe { libc::tcgetpgrp(terminal.as_raw_fd()) == libc::getpgrp() }
            });
            if let Some(terminal) = &terminal {
                let terminal = terminal.as_raw_fd();
                // SAFETY: system calls with integers, which are allowed between fork and exec; the descriptor is
                // not closed before exec.
                unsafe {
                    command.pre_exec(move || {
                        bring_to_front(terminal, libc::getpid());
                        Ok(())
                    });
                }
            }
            Foreground { terminal }
        }
    }

    impl Drop for Foreground {
        fn drop(&mut self) {
            if let Some(terminal) = &self.terminal {
                // SAFETY: only queries the process group.
                bring_to_front(terminal.as_raw_fd(), unsafe { libc::getpgrp() });
            }
        }
    }

    /// Makes a group the terminal's foreground process group.
    fn bring_to_front(terminal: i32, group: libc::pid_t) {
        // SAFETY: system calls with integers. A background process that calls tcsetpgrp is stopped unless SIGTTOU
        // is ignored.
        unsafe {
            let before = libc::signal(libc::SIGTTOU, libc::SIG_IGN);
            libc::tcsetpgrp(terminal, group);
            libc::signal(libc::SIGTTOU, before);
        }
    }
}

#[cfg(not(unix))]
mod terminal {
    pub struct Foreground;

    impl Foreground {
        pub fn give_to(_: &mut std::process::Command) -> Foreground {
            Foreground
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_url_is_known_and_its_password_hidden() {
        for url in ["https://a.b/c", "git@a.b:c/d", "ssh://a/b", "file:///a/b", "nowhere/here.git"] {
            assert!(is_git(url), "{url}");
        }
        for folder in [".", "/tmp", "a/b", "C:\\courses", "C:/courses", "--upload-pack=x"] {
            assert!(!is_git(folder), "{folder}");
        }
        assert_eq!(shown_url("https://me:secret@a.b/c@d"), "https://…@a.b/c@d");
        assert_eq!(shown_url("https://a.b/c"), "https://a.b/c");
        assert_eq!(shown_url("git@a.b:c"), "git@a.b:c");
        assert_eq!(shown_url("https://a.b/\u{1b}"), "https://a.b/\\x1b");
    }
}
