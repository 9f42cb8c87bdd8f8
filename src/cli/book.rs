//! `book`: the course as a static site.

use super::{Answer, CommandError, Context, Exit};
use report::escape;
use std::path::{Path, PathBuf};

#[derive(clap::Args)]
pub struct Args {
    /// Folder for the pages; index.html is the first
    #[arg(long, short, value_name = "DIR", default_value = "site")]
    output: PathBuf,
}

pub fn run(args: Args, context: &mut Context) -> Answer {
    let files = book::pages(context.course()?)?;
    for file in &files {
        write(&args.output.join(&file.path), &file.text)?;
    }
    let pages = files.iter().filter(|file| file.path.ends_with(".html")).count();
    let first = args.output.join("index.html");
    context.out.print(&format!("{pages} pages: {}\n", escape(&first.display().to_string())));
    Ok(Exit::Pass)
}

/// Writes a file and the folders above it.
pub fn write(path: &Path, text: &str) -> Result<(), CommandError> {
    let folder = path.parent().unwrap_or(path);
    std::fs::create_dir_all(folder).and_then(|()| std::fs::write(path, text)).map_err(|error| {
        CommandError::environment(format!("can't write {}: {error}", escape(&path.display().to_string())))
    })
}
