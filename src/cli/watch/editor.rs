//! The user's editor: that of the configuration file, `$VISUAL`, `$EDITOR`, or the system's usual one.

use std::env;
use std::io;
use std::path::Path;
use std::process::{Command, ExitStatus};

/// Opens a file and waits until the editor ends; one with its own window may end at once.
///
/// # Errors
///
/// The editor can't be started.
pub fn open(file: &Path, configured: Option<&str>) -> io::Result<ExitStatus> {
    let set = |name: &str| env::var(name).ok().filter(|value| !value.trim().is_empty());
    let usual = if cfg!(windows) { "notepad" } else { "vi" };
    let editor = configured.map(str::to_owned).or_else(|| set("VISUAL")).or_else(|| set("EDITOR"));
    command(&editor.unwrap_or_else(|| usual.into()), file).status()
}

/// Returns the command that starts the editor. Its value may contain options, and quotation marks around a path
/// with spaces; like git, this lets a shell parse it.
#[cfg(unix)]
fn command(editor: &str, file: &Path) -> Command {
    let mut command = Command::new("sh");
    command.arg("-c").arg(format!("{editor} \"$@\"")).arg(editor).arg(file);
    command
}

#[cfg(not(unix))]
fn command(editor: &str, file: &Path) -> Command {
    let mut words = editor.split_whitespace();
    let mut command = Command::new(words.next().unwrap_or("notepad"));
    command.args(words).arg(file);
    command
}
