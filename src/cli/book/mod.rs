//! `book`: the course as a static site.

mod solutions;

use super::output_files::{refuse_source, write};
use super::{Answer, CommandError, Context, Exit, Result, shown_path};
use book::{Figures, RunResults};
use compiler::Compiler;
use compiler::process::{Group, Process, read_to_end};
use judge::course::Lesson;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

/// Names of Chromium's executable.
const BROWSERS: [&str; 5] =
    ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome"];

/// Time after which Chromium is stopped: it prints the whole course in well under a minute.
const PRINTING_SECONDS: u64 = 300;

/// How much is read of what Chromium says.
const MAX_SAID_BYTES: u64 = 64 << 10;

#[derive(clap::Args)]
pub struct Args {
    /// Folder for the pages; the first is index.html
    #[arg(long, short, value_name = "DIR", default_value = "site")]
    output: PathBuf,
    /// Also print all pages to one PDF file, using Chromium
    #[arg(long, value_name = "FILE.pdf")]
    pdf: Option<PathBuf>,
    /// Figures for the pages of claims: the output of `claims --format json`
    #[arg(long, value_name = "FILE.json")]
    claims: Option<PathBuf>,
}

pub fn run(args: Args, context: &mut Context) -> Answer {
    args.pdf.as_deref().map_or(Ok(()), refuse_source)?;
    let figures = args.claims.as_deref().map(figures).transpose()?;
    let made = RunResults { figures, ..of_solutions(context)? };
    let files = book::pages(context.base_course()?, &made)?;
    for file in &files {
        write(&args.output.join(&file.path), file.text.as_bytes())?;
    }
    let pages = files.iter().filter(|file| file.path.ends_with(".html")).count();
    let first = args.output.join("index.html");
    context.out.print(&format!("{pages} pages: {}\n", shown_path(&first)));
    if let Some(pdf) = &args.pdf {
        print_to(pdf, &book::one_page(context.base_course()?, &made)?)?;
        context.out.print(&format!("Printed: {}\n", shown_path(pdf)));
    }
    Ok(Exit::Pass)
}

/// Returns what the solutions do and compute. A site can be built without the compiler, and then lacks these
/// pictures.
fn of_solutions(context: &Context) -> Result<RunResults> {
    let lessons = context.base_course()?.lessons().iter();
    // The run of a solution would reveal the answers of a lesson that asks questions.
    let lessons: Vec<&Lesson> = lessons.filter(|lesson| lesson.spec.is_of_kernels()).collect();
    let mut made = RunResults::default();
    if lessons.is_empty() {
        return Ok(made);
    }
    let Ok(compiler) = Compiler::locate(true) else {
        context.say("The pages have no pictures of what solutions do: those need the compiler.");
        return Ok(made);
    };
    for (slug, seen) in solutions::seen(&lessons, &compiler)? {
        made.images.extend(seen.image.map(|image| (slug.clone(), image)));
        made.accesses.extend(seen.accesses.map(|accesses| (slug, accesses)));
    }
    Ok(made)
}

fn figures(path: &Path) -> Result<Figures> {
    let bad = |why: String| CommandError::usage(format!("{}: {why}", shown_path(path)));
    let text = std::fs::read_to_string(path).map_err(|error| bad(error.to_string()))?;
    Figures::from_json(&text).map_err(|error| bad(format!("{error:#}")))
}

/// Prints a page that this program generated to PDF, with Chromium.
fn print_to(pdf: &Path, page: &str) -> Result<()> {
    let folder = std::env::temp_dir().join(format!("gpulearn-book-{}", std::process::id()));
    let source = folder.join("book.html");
    write(&source, page.as_bytes())?;
    let pdf = std::path::absolute(pdf).map_err(anyhow::Error::from)?;
    let started = BROWSERS.iter().find_map(|browser| {
        let mut command = Command::new(browser);
        command.args(["--headless", "--disable-gpu", "--no-pdf-header-footer"]);
        if is_root() {
            // Chromium's sandbox does not work for root. The page is our own and has no scripts.
            command.arg("--no-sandbox");
        }
        command.arg(format!("--user-data-dir={}", folder.join("profile").display()));
        command.arg(format!("--print-to-pdf={}", pdf.display())).arg(&source);
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::piped());
        Process::start(&mut command, Group::Own).ok()
    });
    let printed = started.map_or(
        Err("printing needs Chromium (or Chrome), which is not on the PATH: install it, or print the pages from a browser"
            .to_owned()),
        |browser| finished(browser, &pdf),
    );
    // If the folder can't be removed, the system cleans it up.
    let _ = std::fs::remove_dir_all(&folder);
    printed.map_err(CommandError::environment)
}

/// Waits until the browser has printed to `pdf`, or else returns what is wrong.
fn finished(mut browser: Process, pdf: &Path) -> Result<(), String> {
    let said = read_to_end(browser.stderr.take(), MAX_SAID_BYTES);
    let Ok(Some(exit)) = browser.wait(Duration::from_secs(PRINTING_SECONDS)) else {
        return Err(format!(
            "Chromium was stopped: it had not printed the pages after {PRINTING_SECONDS} seconds. Try again, or print \
             them from a browser"
        ));
    };
    if exit.status.success() && pdf.is_file() {
        return Ok(());
    }
    let said = said.join().unwrap_or_default();
    Err(format!("Chromium did not print it: {}", report::escape_lines(String::from_utf8_lossy(&said).trim())))
}

fn is_root() -> bool {
    #[cfg(unix)]
    {
        // SAFETY: the call takes no arguments and cannot fail.
        unsafe { libc::geteuid() == 0 }
    }
    #[cfg(not(unix))]
    {
        false
    }
}
