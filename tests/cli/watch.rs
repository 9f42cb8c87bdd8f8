//! Watching, on a terminal of the test's own.

use super::{lessons, solve, workspace};
use std::fs::File;
use std::io::{Read, Write};
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd};
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{self, Receiver};
use std::time::{Duration, Instant};

/// Far longer than anything here takes.
const PATIENCE: Duration = Duration::from_secs(30);

pub struct Terminal {
    keys: File,
    /// Kept open, to ask for the terminal's state at the end.
    slave: OwnedFd,
    pieces: Receiver<Vec<u8>>,
    seen: String,
    child: Child,
}

impl Terminal {
    fn open(folder: &Path) -> Terminal {
        Terminal::of_rows(120, folder, &[])
    }

    pub fn of_rows(rows: u16, folder: &Path, args: &[&str]) -> Terminal {
        Terminal::with(rows, folder, args, &[("TERM", "xterm")])
    }

    pub fn with(rows: u16, folder: &Path, args: &[&str], environment: &[(&str, &str)]) -> Terminal {
        let (mut master, mut slave) = (0, 0);
        let size = libc::winsize { ws_row: rows, ws_col: 80, ws_xpixel: 0, ws_ypixel: 0 };
        // SAFETY: the pointers are to locals of the right types, or null where that is allowed.
        let opened =
            unsafe { libc::openpty(&mut master, &mut slave, std::ptr::null_mut(), std::ptr::null(), &size) };
        assert_eq!(opened, 0);
        // SAFETY: both were just opened, and nobody else owns them.
        let (master, slave) = unsafe { (File::from_raw_fd(master), OwnedFd::from_raw_fd(slave)) };
        let stdio = || Stdio::from(slave.try_clone().unwrap());
        let mut command = Command::new(env!("CARGO_BIN_EXE_gpulearn"));
        command
            .current_dir(folder)
            .arg0("gpulearn")
            .args(args)
            .stdin(stdio())
            .stdout(stdio())
            .stderr(stdio())
            .env("XDG_CONFIG_HOME", "/nowhere")
            .env_remove("VISUAL")
            .env_remove("CI")
            .envs(environment.iter().copied());
        // SAFETY: both calls are allowed between fork and exec.
        unsafe {
            command.pre_exec(|| {
                libc::setsid();
                libc::ioctl(0, libc::TIOCSCTTY, 0);
                Ok(())
            });
        }
        let child = command.spawn().unwrap();
        let (send, pieces) = mpsc::channel();
        let mut screen = master.try_clone().unwrap();
        std::thread::spawn(move || {
            let mut buffer = [0; 4096];
            while let Ok(n @ 1..) = screen.read(&mut buffer) {
                if send.send(buffer[..n].to_vec()).is_err() {
                    return;
                }
            }
        });
        Terminal { keys: master, slave, pieces, seen: String::new(), child }
    }

    /// Waits until a text appears after what was waited for before; answers with all up to its end.
    pub fn expect(&mut self, text: &str) -> String {
        let start = Instant::now();
        loop {
            if let Some(at) = self.seen.find(text) {
                return self.seen.drain(..at + text.len()).collect();
            }
            match self.pieces.recv_timeout(Duration::from_millis(100)) {
                Ok(piece) => self.seen += &String::from_utf8_lossy(&piece),
                Err(_) => assert!(start.elapsed() < PATIENCE, "no \"{text}\" in {:?}", self.seen),
            }
        }
    }

    /// The terminal has other columns from now on.
    fn resize(&self, rows: u16, columns: u16) {
        let size = libc::winsize { ws_row: rows, ws_col: columns, ws_xpixel: 0, ws_ypixel: 0 };
        // SAFETY: the pointer is to a local of the right type.
        assert_eq!(unsafe { libc::ioctl(self.slave.as_raw_fd(), libc::TIOCSWINSZ, &size) }, 0);
    }

    pub fn press(&mut self, keys: &str) {
        self.keys.write_all(keys.as_bytes()).unwrap();
    }

    /// Waits for the end; the exit code, and all that was printed.
    pub fn all(mut self) -> (Option<i32>, String) {
        let status = self.child.wait().unwrap();
        // What was written last may still be on its way: once nobody holds the terminal, it ends after that.
        drop(self.slave);
        while let Ok(piece) = self.pieces.recv_timeout(PATIENCE) {
            self.seen += &String::from_utf8_lossy(&piece);
        }
        (status.code(), self.seen)
    }

    /// Waits for the end; the exit code, and whether the terminal takes lines again.
    pub fn end(mut self) -> (Option<i32>, bool) {
        let start = Instant::now();
        let status = loop {
            if let Some(status) = self.child.try_wait().unwrap() {
                break status;
            }
            if start.elapsed() > PATIENCE {
                self.child.kill().unwrap();
                panic!("it did not end");
            }
            std::thread::sleep(Duration::from_millis(10));
        };
        // SAFETY: termios is plain data, filled by the call.
        let state = unsafe {
            let mut state: libc::termios = std::mem::zeroed();
            assert_eq!(libc::tcgetattr(self.slave.as_raw_fd(), &mut state), 0);
            state
        };
        (status.code(), state.c_lflag & libc::ICANON != 0 && state.c_lflag & libc::ECHO != 0)
    }
}

#[test]
fn saves_are_checked_and_nothing_moves_on_by_itself() {
    let folder = workspace();
    let mut terminal = Terminal::open(folder.path());
    terminal.expect("Edit   ");
    terminal.expect("q quit");
    terminal.press("n");
    terminal.expect("not passed yet");
    terminal.press("h");
    terminal.expect("Hint 1 of 3");
    terminal.press("l");
    terminal.expect(&format!("0 of {} done", lessons()));
    solve(folder.path(), "map");
    terminal.expect("✓ map");
    terminal.expect("n: next lesson");
    terminal.expect("q quit");
    terminal.press("r");
    terminal.expect("✓ map");
    // The picture is over the verdict that `v` is about.
    terminal.press("p");
    terminal.expect("What warps access");
    terminal.expect("q quit");
    terminal.press("v");
    terminal.expect("(warp_instructions)");
    terminal.press("v");
    terminal.expect("n: next lesson");
    terminal.press("n");
    terminal.expect(&format!("2/{}  zip", lessons()));
    // Saving another lesson's file turns to that one.
    std::fs::write(folder.path().join("kernels/1-puzzles/guards.cu"), "\x1b[31m nonsense").unwrap();
    terminal.expect("guards: does not compile");
    terminal.expect("Switched to guards; n goes to the next lesson.");
    terminal.press("x");
    terminal.expect("Press x again");
    terminal.press("?");
    terminal.expect("yours is kept as a backup");
    terminal.press("x");
    terminal.expect("Press x again");
    terminal.press("x");
    terminal.expect("backups/guards.1.cu");
    terminal.press("q");
    assert_eq!(terminal.end(), (Some(0), true));
}

#[test]
fn a_file_that_is_gone_has_no_verdict() {
    let folder = workspace();
    let mut terminal = Terminal::open(folder.path());
    terminal.expect("q quit");
    solve(folder.path(), "map");
    terminal.expect("✓ map");
    let path = folder.path().join("kernels/1-puzzles/map.cu");
    std::fs::remove_file(&path).unwrap();
    terminal.expect("map.cu is gone. Press x to start it again");
    terminal.press("x");
    terminal.expect("Press x again");
    terminal.press("x");
    terminal.expect("the starter");
    assert!(path.exists());
    solve(folder.path(), "map");
    terminal.expect("✓ map");
    terminal.press("q");
    assert_eq!(terminal.end(), (Some(0), true));
}

#[test]
fn a_long_text_is_shown_from_its_start() {
    let folder = workspace();
    let mut terminal = Terminal::of_rows(24, folder.path(), &["watch", "guards"]);
    terminal.expect(&format!("/{}  guards", lessons()));
    terminal.expect("space: more");
    for _ in 0..8 {
        terminal.press(" ");
    }
    terminal.expect("Edit   ");
    terminal.press("q");
    assert_eq!(terminal.end(), (Some(0), true));
}

#[test]
fn when_all_is_passed_the_last_lesson_stays() {
    let folder = workspace();
    let course = gpulearn::lessons::course();
    let passed: Vec<String> =
        course.lessons().iter().map(|l| format!("\"{}\":{{\"passed_at\":1}}", l.slug)).collect();
    let progress = format!(r#"{{"schema":"gpulearn.progress/1","lessons":{{{}}}}}"#, passed.join(","));
    std::fs::write(folder.path().join(".gpulearn/progress.json"), progress).unwrap();
    let mut terminal = Terminal::open(folder.path());
    let all = lessons();
    terminal.expect(&format!("{all}/{all}  "));
    terminal.expect(&format!("All {all} lessons are passed."));
    terminal.press("q");
    assert_eq!(terminal.end(), (Some(0), true));
}

#[test]
fn however_it_ends_the_terminal_is_put_back() {
    for end in ["\x03", "\x04", "SIGTERM", "SIGINT"] {
        let folder = workspace();
        let mut terminal = Terminal::open(folder.path());
        terminal.expect("q quit");
        let signal = match end {
            "SIGTERM" => libc::SIGTERM,
            "SIGINT" => libc::SIGINT,
            key => {
                terminal.press(key);
                0
            }
        };
        if signal != 0 {
            // SAFETY: a signal to our own child, which has not been waited for.
            unsafe { libc::kill(terminal.child.id() as i32, signal) };
        }
        assert_eq!(terminal.end(), (Some(0), true), "{end:?}");
    }
}

#[test]
fn one_goes_back_in_a_text_and_returns_to_where_one_was() {
    let folder = workspace();
    let mut terminal = Terminal::of_rows(24, folder.path(), &["watch", "guards"]);
    terminal.expect(&format!("/{}  guards", lessons()));
    terminal.expect("kernels/1-puzzles/guards.cu");
    terminal.press(" ");
    terminal.expect("b: back up");
    // Help, and back to the same place: the beginning is not shown.
    terminal.press("?");
    terminal.expect("Esc: back");
    terminal.press("?");
    let shown = terminal.expect("b: back up");
    assert!(!shown.contains(&format!("/{}  guards", lessons())), "{shown}");
    terminal.press("b");
    terminal.expect(&format!("/{}  guards", lessons()));
    terminal.expect("space: more");
    // There is no verdict to have details of.
    terminal.press("v");
    terminal.expect("there is none here");
    // A lesson by its number.
    terminal.press("l");
    terminal.expect("space: more   Esc: back");
    terminal.press("2");
    terminal.expect("Lesson 2: Enter opens it.");
    terminal.press("\r");
    terminal.expect(&format!("2/{}  zip", lessons()));
    terminal.press("l9999\r");
    terminal.expect("There is no lesson 9999");
    terminal.press("q");
    assert_eq!(terminal.end(), (Some(0), true));
}

#[test]
fn a_page_follows_the_window() {
    let folder = workspace();
    let mut terminal = Terminal::of_rows(60, folder.path(), &["watch", "map"]);
    terminal.expect("q quit");
    terminal.press("?");
    terminal.expect("Esc: back");
    terminal.resize(60, 40);
    terminal.expect("\x1b[2J");
    let shown = terminal.expect("Esc: back");
    terminal.press("?");
    terminal.expect("q quit");
    terminal.press("q");
    assert_eq!(terminal.end(), (Some(0), true));
    assert!(shown.lines().count() > 15, "{shown}");
    assert!(shown.lines().all(|line| line.trim_end().chars().count() <= 40 + "\x1b[H".len()), "{shown}");
}

#[test]
fn the_file_is_edited_from_the_watch() {
    let folder = workspace();
    let editor = folder.path().join("my editor");
    std::fs::write(&editor, "#!/bin/sh\nread typed\necho \"typed: $typed\"\necho nonsense > \"$1\"\n")
        .unwrap();
    std::fs::set_permissions(&editor, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
    let named = format!("'{}'", editor.display());
    let mut terminal =
        Terminal::with(120, folder.path(), &["watch", "map"], &[("TERM", "xterm"), ("EDITOR", &named)]);
    terminal.expect("q quit");
    terminal.press("e");
    // The editor has the keys, and lines as usual.
    std::thread::sleep(Duration::from_millis(300));
    terminal.press("qqq\n");
    terminal.expect("typed: qqq");
    terminal.expect("map: does not compile");
    terminal.press("q");
    assert_eq!(terminal.end(), (Some(0), true));
}

#[test]
fn a_dumb_terminal_gets_no_escapes() {
    let folder = workspace();
    let mut terminal =
        Terminal::with(60, folder.path(), &["watch", "map"], &[("TERM", "dumb"), ("LC_ALL", "C")]);
    terminal.expect("q quit");
    solve(folder.path(), "map");
    terminal.expect("v map");
    terminal.press("q");
    while let Ok(piece) = terminal.pieces.recv_timeout(Duration::from_secs(2)) {
        terminal.seen += &String::from_utf8_lossy(&piece);
    }
    assert!(!terminal.seen.contains('\u{1b}') && terminal.seen.is_ascii(), "{:?}", terminal.seen);
    assert_eq!(terminal.end(), (Some(0), true));
}
