//! `init`: a workspace to work in, with nothing but this program.

use super::{Answer, Context, Exit};
use anyhow::Context as _;
use judge::course::Workspace;
use report::escape;
use std::path::PathBuf;

#[derive(clap::Args)]
pub struct Args {
    /// Folder to make; this one if left out
    #[arg(default_value = ".", hide_default_value = true)]
    dir: PathBuf,
}

pub fn run(args: Args, context: &mut Context) -> Answer {
    let root = std::path::absolute(&args.dir).context("can't tell where that is")?;
    let (workspace, made) = Workspace::init(&root, context.course()?)?;
    let place = escape(&context.shown(workspace.root()));
    let files = |n: usize| format!("{n} {}", if n == 1 { "file" } else { "files" });
    let mut text = match (made.new, made.kept) {
        (0, _) => "A workspace already, and nothing was missing.\n".to_string(),
        (new, 0) => format!("Made a workspace: {}.\n", files(new)),
        (new, kept) => {
            format!("Made a workspace: {}, and {kept} that were there stay as they are.\n", files(new))
        }
    };
    text += &editor(&workspace, context);
    let command = &context.style.command;
    text += &match place.as_str() {
        "" => format!("\nNow    {command} next\n"),
        place => format!("\nNow    cd {place}\n       {command} next\n"),
    };
    context.out.print(&text);
    Ok(Exit::Pass)
}

/// Sets up editors, as far as the headers are there; says what came of it.
fn editor(workspace: &Workspace, context: &Context) -> String {
    let include = match context.compiler() {
        Ok(compiler) => compiler.include_dirs().iter().find(|d| d.join("cuda.h").is_file()).cloned(),
        Err(trouble) => {
            context.say(&trouble.message);
            None
        }
    };
    let again = format!("{} init", context.style.command);
    let Some(include) = include else {
        return format!("No CUDA headers here yet, so editors can't complete CUDA. Later: {again}\n");
    };
    match workspace.set_up_editor(&include) {
        Ok(true) => "Editors that use clangd complete CUDA here (.clangd).\n".into(),
        Ok(false) => String::new(),
        Err(error) => {
            context.say(&format!("Note: no editor set-up: {}", escape(&format!("{error:#}"))));
            String::new()
        }
    }
}
