//! Runs the user's git to fetch the newest commit of a repository within a time limit.

use super::CommandError;
use report::{escape, plural};
use std::ffi::OsStr;
use std::io::{ErrorKind, Read};
use std::num::NonZero;
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::thread;
use std::time::{Duration, Instant};

/// Interval at which git is polled for its end.
const POLL_INTERVAL: Duration = Duration::from_millis(20);

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
pub fn clone(
    url: &str,
    branch: Option<&str>,
    place: &Path,
    seconds: NonZero<u32>,
) -> Result<String, CommandError> {
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

fn git(arguments: &[&OsStr], url: &str, seconds: NonZero<u32>) -> Result<String, CommandError> {
    let shown = shown_url(url);
    let mut command = Command::new("git");
    command.args(arguments);
    // These may be set by a hook or a script of another repository that called this program.
    command.env_remove("GIT_DIR").env_remove("GIT_WORK_TREE").env_remove("GIT_INDEX_FILE");
    command.env("GIT_LFS_SKIP_SMUDGE", "1");
    command.stdin(Stdio::inherit()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let group = group::Group::of(&mut command);
    let mut child = command.spawn().map_err(|error| match error.kind() {
        ErrorKind::NotFound => {
            CommandError::environment(format!("git is needed to fetch {shown}, but is not installed"))
        }
        _ => CommandError::environment(format!("git can't be started: {error}")),
    })?;
    let (out, err) = (read(child.stdout.take()), read(child.stderr.take()));
    let seconds = u64::from(seconds.get());
    let Some(status) = within(&mut child, Duration::from_secs(seconds)) else {
        group.end(&mut child);
        return Err(CommandError::environment(format!(
            "git was stopped: it had not fetched {shown} after {}. `--limit-seconds N` gives it more time",
            plural(seconds, "second", "seconds")
        )));
    };
    let text = |reader: thread::JoinHandle<Vec<u8>>| {
        String::from_utf8_lossy(&reader.join().unwrap_or_default()).into_owned()
    };
    if status.success() {
        return Ok(text(out));
    }
    let said = text(err).replace(url, &shown);
    let said = said.trim().lines().last().unwrap_or("it gave no reason");
    Err(CommandError::environment(format!("git can't fetch {shown}: {}", escape(said))))
}

/// Reads everything from a pipe, on a thread of its own.
fn read(from: Option<impl Read + Send + 'static>) -> thread::JoinHandle<Vec<u8>> {
    thread::spawn(move || {
        let mut bytes = Vec::new();
        if let Some(mut from) = from {
            // If reading fails, what was read so far is returned.
            let _ = from.read_to_end(&mut bytes);
        }
        bytes
    })
}

/// Waits for a process; `None` if it did not exit within the limit.
fn within(child: &mut Child, limit: Duration) -> Option<ExitStatus> {
    let start = Instant::now();
    loop {
        match child.try_wait() {
            Ok(Some(status)) => return Some(status),
            _ if start.elapsed() >= limit => return None,
            _ => thread::sleep(POLL_INTERVAL),
        }
    }
}

/// Groups git with its child processes: a protocol helper, ssh, programs that ask for a password.
#[cfg(unix)]
mod group {
    use std::fs::File;
    use std::os::fd::AsRawFd;
    use std::os::unix::process::CommandExt;
    use std::process::{Child, Command};

    /// A process group of its own, made the terminal's foreground group meanwhile, so that git can ask for a
    /// password.
    pub struct Group {
        terminal: Option<File>,
    }

    impl Group {
        pub fn of(command: &mut Command) -> Group {
            command.process_group(0);
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
            Group { terminal }
        }

        pub fn end(&self, child: &mut Child) {
            if let Ok(group) = libc::pid_t::try_from(child.id()) {
                // SAFETY: signals a group whose leader is our child, which has not been waited for yet.
                unsafe { libc::kill(-group, libc::SIGKILL) };
            }
            let _ = child.wait();
        }
    }

    impl Drop for Group {
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
mod group {
    use std::process::{Child, Command, Stdio};

    pub struct Group;

    impl Group {
        pub fn of(_: &mut Command) -> Group {
            Group
        }

        /// Uses `taskkill`, which also ends child processes.
        pub fn end(&self, child: &mut Child) {
            let mut end = Command::new("taskkill");
            end.args(["/T", "/F", "/PID", &child.id().to_string()]);
            let _ = end.stdout(Stdio::null()).stderr(Stdio::null()).status();
            let _ = child.kill();
            let _ = child.wait();
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
