//! `stats`: what is done of the course.

use super::{Answer, Context, Exit, list, output_files, shown_path};
use std::path::PathBuf;

#[derive(clap::Args)]
pub struct Args {
    /// Also draw it as a picture to keep
    #[arg(long, value_name = "FILE.svg")]
    card: Option<PathBuf>,
}

pub fn run(args: Args, context: &mut Context) -> Answer {
    let lessons = list::view(context)?;
    let text = report::stats(&lessons, context.course()?.topics(), &context.style);
    context.out.print(&text);
    if let Some(path) = &args.card {
        output_files::write(path, report::stats_card(&lessons).svg_file().as_bytes())?;
        context.out.print(&format!("\nWrote {}\n", shown_path(path)));
    }
    Ok(Exit::Pass)
}
