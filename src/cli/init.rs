//! `init`: a workspace to work in, with nothing but this program.

use super::{Answer, Context, Exit};
use crate::course::Workspace;
use crate::report::escape;
use anyhow::Context as _;
use std::path::PathBuf;

#[derive(clap::Args)]
pub struct Args {
    /// Folder to make; this one if left out
    #[arg(default_value = ".", hide_default_value = true)]
    dir: PathBuf,
}

pub fn run(args: Args, context: &mut Context) -> Answer {
    let root = std::path::absolute(&args.dir).context("can't tell where that is")?;
    let (workspace, made) = Workspace::init(&root, context.course()?, &[])?;
    let place = escape(&context.shown(workspace.root()));
    let files = |n: usize| format!("{n} {}", if n == 1 { "file" } else { "files" });
    let mut text = match (made.new, made.kept) {
        (0, _) => "A workspace already, and nothing was missing.\n".to_string(),
        (new, 0) => format!("Made a workspace: {}.\n", files(new)),
        (new, kept) => {
            format!("Made a workspace: {}, and {kept} that were there stay as they are.\n", files(new))
        }
    };
    let command = &context.style.command;
    text += &match place.as_str() {
        "" => format!("\nNow    {command} next\n"),
        place => format!("\nNow    cd {place}\n       {command} next\n"),
    };
    context.out.print(&text);
    Ok(Exit::Pass)
}
