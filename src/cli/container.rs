//! The same command in gpulearn's container, for machines for which NVIDIA publishes no compiler.

use std::ffi::OsString;
use std::io::{IsTerminal, stdin, stdout};
use std::path::Path;
use std::process::{Command, Stdio};
use std::{env, fs};

/// Names the container's image: anywhere where no compiler is found, and on macOS another than the usual one.
const VARIABLE: &str = "GPULEARN_CONTAINER";
/// As the README has it built.
const IMAGE: &str = "gpulearn";
const ENGINES: [&str; 2] = ["docker", "podman"];

/// Where that is called for and the image is here: runs this command in it, with the workspace, or else this folder, as
/// its `/work`. Gives its exit code.
pub fn run_instead(workspace: Option<&Path>) -> Option<i32> {
    let image = match env::var(VARIABLE) {
        Ok(named) if !named.is_empty() => named,
        _ if cfg!(target_os = "macos") => IMAGE.to_owned(),
        _ => return None,
    };
    let here = fs::canonicalize(env::current_dir().ok()?).ok()?;
    let root = workspace.and_then(|root| fs::canonicalize(root).ok()).unwrap_or_else(|| here.clone());
    let engine = ENGINES.into_iter().find(|engine| has_image(engine, &image))?;
    let mut mount = root.clone().into_os_string();
    mount.push(":/work");
    let mut command = Command::new(engine);
    command.args(["run", "--rm", "--interactive"]);
    if stdin().is_terminal() && stdout().is_terminal() {
        command.arg("--tty");
    }
    command.args(["--volume", "gpulearn-cache:/cache", "--volume"]).arg(mount);
    // Courses that were added are read there as here.
    if let Some(courses) = super::course::folder().filter(|folder| folder.is_dir()) {
        let mut mount = courses.into_os_string();
        mount.push(":/data/gpulearn/courses:ro");
        command.args(["--env", "XDG_DATA_HOME=/data", "--volume"]).arg(mount);
    }
    command.arg("--workdir").arg(Path::new("/work").join(here.strip_prefix(&root).unwrap_or(Path::new(""))));
    command.arg(image).args(env::args_os().skip(1).collect::<Vec<OsString>>());
    command.status().ok()?.code()
}

fn has_image(engine: &str, image: &str) -> bool {
    let mut asked = Command::new(engine);
    asked.args(["image", "inspect", image]).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    asked.status().is_ok_and(|status| status.success())
}
