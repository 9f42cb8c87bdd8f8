//! Runs the same command in gpulearn's container, for machines for which NVIDIA publishes no compiler.

use compiler::environment;
use std::ffi::OsString;
use std::io::{IsTerminal, stdin, stdout};
use std::path::Path;
use std::process::{Command, Stdio};
use std::{env, fs};

/// The image's name in the README's instructions.
const IMAGE: &str = "gpulearn";
const ENGINES: [&str; 2] = ["docker", "podman"];

/// Runs this command in the container, if that is enabled and the image is present, with the workspace (or else
/// the current folder) mounted as `/work`. Returns its exit code; `None` if it was not run.
pub fn run_instead(workspace: Option<&Path>) -> Option<i32> {
    let image = match environment::value(environment::CONTAINER).and_then(|named| named.into_string().ok()) {
        Some(named) => named,
        None if cfg!(target_os = "macos") => IMAGE.to_owned(),
        None => return None,
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
    // Make courses that the user added available inside.
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
