//! `completions` and `man`: shell completions and manual pages, both generated from the options themselves.

use super::{Answer, CommandError, Context, Exit, shown_path};
use anyhow::Context as _;
use clap::builder::PossibleValuesParser;
use std::path::PathBuf;

/// Names of the positional arguments that may be a lesson.
const NAMES_OF_LESSONS: [&str; 4] = ["lesson", "names", "target", "targets"];

#[derive(clap::Args)]
pub struct CompletionsArgs {
    shell: clap_complete::Shell,
}

#[derive(clap::Args)]
pub struct ManArgs {
    /// Folder to put the pages in, such as ~/.local/share/man/man1
    dir: PathBuf,
}

/// Prints the completion script for a shell. Lesson names are completed as well in bash, zsh and fish.
/// `clap_complete` omits the values of positional arguments for PowerShell and Elvish, and for fish, whose lines
/// are added here.
pub fn completions(args: CompletionsArgs, context: &mut Context) -> Answer {
    // clap needs names that live until the program ends; it ends once the script is printed.
    let slugs: Vec<&'static str> =
        context.course()?.lessons().iter().map(|lesson| &*lesson.slug.clone().leak()).collect();
    let mut command = super::command();
    let names: Vec<String> = command.get_subcommands().map(|c| c.get_name().to_owned()).collect();
    let mut of_lessons = Vec::new();
    for name in names {
        command = command.mut_subcommand(name.clone(), |subcommand| {
            let lesson = subcommand
                .get_positionals()
                .map(|argument| argument.get_id().to_string())
                .find(|id| NAMES_OF_LESSONS.contains(&id.as_str()));
            match lesson {
                Some(id) => {
                    of_lessons.push(name);
                    subcommand.mut_arg(id, |argument| {
                        argument.value_parser(PossibleValuesParser::new(slugs.clone()))
                    })
                }
                None => subcommand,
            }
        });
    }
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut command, "gpulearn", &mut script);
    context.out.print(&String::from_utf8_lossy(&script));
    if args.shell == clap_complete::Shell::Fish {
        let (commands, slugs) = (of_lessons.join(" "), slugs.join(" "));
        context.out.print(&format!(
            "complete -c gpulearn -n \"__fish_seen_subcommand_from {commands}\" -a \"{slugs}\"\n"
        ));
    }
    Ok(Exit::Pass)
}

/// Writes a manual page for each command.
pub fn man(args: ManArgs, context: &mut Context) -> Answer {
    let shown = shown_path(&args.dir);
    std::fs::create_dir_all(&args.dir).with_context(|| format!("can't create {shown}"))?;
    clap_mangen::generate_to(super::command(), &args.dir)
        .map_err(|e| CommandError::environment(format!("can't write the pages to {shown}: {e}")))?;
    context.answer(&format!("Manual pages are in {shown}: man -l {shown}/gpulearn.1\n"))
}
