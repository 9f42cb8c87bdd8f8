//! `init`: creates a workspace; needs nothing but this program.

use super::{Answer, Context};
use anyhow::Context as _;
use judge::course::Workspace;
use report::escape;
use std::fs::{self, OpenOptions};
use std::io::{ErrorKind, Write};
use std::path::PathBuf;

/// Headers of libraries that lessons include and that do not come with the compiler; gpulearn's own versions are
/// used.
const LIBRARIES: [&str; 9] = [
    "cublas.h",
    "cublas_api.h",
    "cublas_v2.h",
    "cudnn.h",
    "cufft.h",
    "curand.h",
    "curand_kernel.h",
    "gpulearn/xorwow_jumps.h",
    "nccl.h",
];

/// VS Code's settings for a workspace: a task that checks a file and parses its messages, and the extension that
/// completes CUDA.
const VS_CODE: [(&str, &str); 2] =
    [("tasks.json", include_str!("tasks.json")), ("extensions.json", include_str!("extensions.json"))];

#[derive(clap::Args)]
pub struct Args {
    /// Folder to create; the current one if omitted
    #[arg(default_value = ".", hide_default_value = true)]
    dir: PathBuf,
}

pub fn run(args: Args, context: &mut Context) -> Answer {
    let root = std::path::absolute(&args.dir).context("can't find its absolute path")?;
    let (workspace, made) = Workspace::init(&root, context.course()?)?;
    let place = escape(&context.shown(workspace.root()));
    let files = |n: usize| format!("{n} {}", if n == 1 { "file" } else { "files" });
    let mut text = match (made.new, made.kept) {
        (0, _) => "This is already a workspace, and nothing was missing.\n".to_string(),
        (new, 0) => format!("Created a workspace: {}.\n", files(new)),
        (new, kept) => {
            format!("Created a workspace: {}; existing files left unchanged: {kept}.\n", files(new))
        }
    };
    text += &clangd(&workspace, context);
    if !workspace.is_checkout() {
        text += &vs_code(&workspace, context);
    }
    text = text
        .lines()
        .flat_map(|line| report::wrap(line, context.style.width, 0))
        .map(|line| line + "\n")
        .collect();
    let command = &context.style.command;
    text += &match place.as_str() {
        "" => format!("\nNow    {command} next\n"),
        place => format!("\nNow    cd {place}\n       {command} next\n"),
    };
    context.answer(&text)
}

/// Writes VS Code's files where there are none. Returns a message if any is new.
fn vs_code(workspace: &Workspace, context: &Context) -> String {
    let folder = workspace.root().join(".vscode");
    let put = |(name, text): &(&str, &str)| -> std::io::Result<bool> {
        fs::create_dir_all(&folder)?;
        match OpenOptions::new().write(true).create_new(true).open(folder.join(name)) {
            Ok(mut file) => file.write_all(text.as_bytes()).map(|()| true),
            Err(error) if error.kind() == ErrorKind::AlreadyExists => Ok(false),
            Err(error) => Err(error),
        }
    };
    match VS_CODE.iter().map(put).collect::<std::io::Result<Vec<bool>>>() {
        Ok(new) if new.contains(&true) => {
            "VS Code checks the open file with Run Build Task (.vscode/tasks.json).\n".into()
        }
        Ok(_) => String::new(),
        Err(error) => {
            context.say(&format!(
                "Note: the tasks for VS Code were not written: {}",
                escape(&error.to_string())
            ));
            String::new()
        }
    }
}

/// Configures editors that use clangd, if the CUDA headers are present. Returns a message with the outcome.
fn clangd(workspace: &Workspace, context: &Context) -> String {
    let include = match context.compiler_here() {
        Ok(compiler) => compiler.include_dirs().iter().find(|d| d.join("cuda.h").is_file()).cloned(),
        Err(command_error) => {
            context.say(&command_error.message);
            None
        }
    };
    let again = format!("{} init", context.style.command);
    let Some(include) = include else {
        return format!(
            "No CUDA headers here yet, so editors can't complete CUDA. Try again later: {again}\n"
        );
    };
    let libraries = compiler::program_headers().filter(|(name, _)| LIBRARIES.contains(name));
    match workspace.set_up_editor(&include, libraries) {
        Ok(true) => "Editors that use clangd complete CUDA here (.clangd).\n".into(),
        Ok(false) => String::new(),
        Err(error) => {
            context.say(&format!("Note: the editor was not set up: {}", escape(&format!("{error:#}"))));
            String::new()
        }
    }
}
