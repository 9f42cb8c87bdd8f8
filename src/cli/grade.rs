//! `grade`: grades a whole class, and writes the reports that learning platforms read.

use super::{Answer, CommandError, Context, Exit, Result, shown_path};
use anyhow::Context as _;
use compiler::Compiler;
use compiler::digest::{digest, hex, sha256_of};
use grade::{
    Class, Graded, Jobs, Judges, Mark, Part, Plan, Settings, Shard, StudentReport, Times, digest_of_course,
    emit, students,
};
use report::{escape, plural, without_ci_commands};
use std::ffi::OsString;
use std::fs;
use std::io::{IsTerminal, Write, stderr};
use std::num::NonZero;
use std::path::{Path, PathBuf};
use std::thread;

#[derive(clap::Args)]
#[command(args_conflicts_with_subcommands = true, subcommand_negates_reqs = true)]
pub struct Args {
    #[command(subcommand)]
    command: Option<Command>,
    #[command(flatten)]
    class: Option<ClassArgs>,
    // Flattened separately, because clap does not recognise an optional group within an optional group.
    #[command(flatten)]
    plan: Option<PlanArgs>,
}

#[derive(clap::Args)]
struct ClassArgs {
    /// A folder or zip archive with a folder, archive or file for each student, as Moodle, Canvas, Gradescope
    /// and GitHub Classroom export them
    submissions: PathBuf,
    /// Folder of the report; an unfinished report is continued
    #[arg(long, short, value_name = "REPORT")]
    output: PathBuf,
    /// Grade only one part of the class, for `grade merge`: 2/10 is the second of ten
    #[arg(long, value_name = "I/N")]
    shard: Option<Shard>,
    /// How many files to judge at a time; one per core if omitted
    #[arg(long, short, value_name = "N")]
    jobs: Option<NonZero<u16>>,
    /// Treat the submissions as those of one student, of this name, as in a job of that student's own
    #[arg(long, value_name = "NAME", conflicts_with = "shard")]
    student: Option<String>,
    /// Exit with 1 if a student's final mark is below this percentage of the points; a mark that waits for a person
    /// fails nothing
    #[arg(long, value_name = "PERCENT", conflicts_with = "shard", value_parser = clap::value_parser!(u8).range(1..=100))]
    fail_below: Option<u8>,
}

#[derive(clap::Args)]
struct PlanArgs {
    /// What to grade, and how: lessons, points, deadlines
    #[arg(long = "plan", alias = "course", value_name = "plan.toml")]
    file: PathBuf,
    /// When students handed in: a CSV with the columns student, time and, if lessons differ, lesson
    #[arg(long, value_name = "TIMES.csv")]
    times: Option<PathBuf>,
    /// Students to include in the report in any case: a CSV with the column student
    #[arg(long, value_name = "STUDENTS.csv")]
    students: Option<PathBuf>,
}

#[derive(clap::Subcommand)]
enum Command {
    /// Merge all parts of a class into one report
    Merge {
        /// The reports of the parts
        #[arg(required = true)]
        parts: Vec<PathBuf>,
        #[command(flatten)]
        plan: PlanArgs,
        /// Folder of the report
        #[arg(long, short, value_name = "REPORT")]
        output: PathBuf,
    },
    /// Write the jobs that grade a class on a Slurm cluster
    Slurm {
        /// As for `grade`; every node needs access to it, to the report and to this program
        submissions: PathBuf,
        #[command(flatten)]
        plan: PlanArgs,
        /// Folder of the report, its parts and the scripts
        #[arg(long, short, value_name = "REPORT")]
        output: PathBuf,
        /// Number of tasks of the array job
        #[arg(long, value_name = "N")]
        parts: NonZero<u16>,
        /// Generic resources that each task of the array job also requests, such as gpu:1 on a cluster that allocates
        /// its nodes only with a GPU; files are judged on the simulator
        #[arg(long, value_name = "GRES", value_parser = gres)]
        gres: Option<String>,
        /// An option for the head of the scripts, such as --sbatch=--cpus-per-task=8
        #[arg(long, value_name = "OPTION", allow_hyphen_values = true)]
        sbatch: Vec<String>,
        /// Also submit the jobs
        #[arg(long)]
        submit: bool,
    },
    /// Write each student's own starters, for lessons whose sizes are drawn for each
    Handout {
        #[command(flatten)]
        plan: PlanArgs,
        /// Folder for the starters, with a folder for each student
        #[arg(long, short, value_name = "DIR")]
        output: PathBuf,
    },
}

/// Checks that a text is a list of generic resources as in Slurm: `name[:type][:count]`, separated by commas.
fn gres(text: &str) -> Result<String, String> {
    let known = |c: char| c.is_ascii_alphanumeric() || "_-.:,".contains(c);
    let named = text.split(',').all(|one| one.starts_with(|c: char| c.is_ascii_alphabetic()));
    if named && text.chars().all(known) {
        return Ok(text.to_owned());
    }
    Err("generic resources are written as gpu:2 or gpu:a100:1".into())
}

/// The process behind `grade` that judges one text after the other.
#[derive(clap::Args)]
pub struct JudgeArgs {
    #[arg(long)]
    plan: PathBuf,
}

/// The contents of `plan.toml` and the files that go with it.
struct Read {
    plan: Plan,
    times: Times,
    roster: Vec<String>,
    /// Digest of the lessons.
    lessons: String,
}

pub fn run(args: Args, context: &mut Context) -> Answer {
    match (args.command, args.class.zip(args.plan)) {
        (Some(Command::Merge { parts, plan, output }), _) => {
            let read = read(&plan, context)?;
            let parts = parts.iter().map(|part| Part::read(part)).collect::<anyhow::Result<Vec<Part>>>()?;
            let graded = grade::merge(parts)?;
            make(&output)?;
            finish(&graded, &read, &output, None, context)
        }
        (Some(Command::Slurm { submissions, plan, output, parts, gres, sbatch, submit }), _) => {
            // Report errors now instead of in a thousand tasks.
            read(&plan, context)?;
            context.compiler()?;
            let words = plan_words(&plan, context)?;
            let program = std::env::current_exe().context("can't find the path of this program")?;
            let (submissions, report) = (absolute(&submissions)?, absolute(&output)?);
            let jobs = Jobs {
                program: &program,
                submissions: &submissions,
                plan: &words,
                report: &report,
                parts: parts.get().into(),
                gres: gres.as_deref(),
                options: &sbatch,
            };
            slurm(&jobs, submit, context)
        }
        (Some(Command::Handout { plan, output }), _) => handout(&read(&plan, context)?, &output, context),
        (None, Some((class, plan))) => class_of(&class, &plan, context),
        (None, None) => Err(CommandError::usage("name the folder of the submissions")),
    }
}

/// Serves `grade` on standard input and output.
pub fn judge(args: &JudgeArgs, context: &mut Context) -> Answer {
    let course = context.lessons_alone()?;
    // The seed comes with each request.
    let plan = Plan::parse(&text_of(&args.plan)?, &course, Some(0))?;
    let compiler = context.compiler()?;
    grade::serve(&plan, compiler, std::io::stdin().lock(), std::io::stdout().lock())?;
    Ok(Exit::Pass)
}

fn class_of(args: &ClassArgs, plan: &PlanArgs, context: &mut Context) -> Answer {
    for missing in Compiler::guarantees().missing() {
        context.say(&format!("On this machine {missing}."));
    }
    let read = read(plan, context)?;
    // Fetches the compiler once, before the judges need it.
    let compiler = context.compiler()?.version();
    let program = std::env::current_exe().context("can't find the path of this program")?;
    let digest = program_digest(&program, compiler)?;
    context.out.print(&format!("Lessons {}\n", &read.lessons[..16]));
    make(&args.output)?;
    let mut arguments: Vec<OsString> =
        vec!["grade-judge".into(), "--offline".into(), "--plan".into(), absolute(&plan.file)?.into()];
    if let Some(lessons) = &context.global.lessons {
        arguments.extend(["--lessons".into(), absolute(lessons)?.into()]);
    }
    let usual = thread::available_parallelism().map_or(1, NonZero::get);
    let jobs = args.jobs.map_or(usual, |jobs| usize::from(jobs.get()));
    let judges = Judges::new(Settings { program, arguments, jobs });
    let class = Class {
        plan: &read.plan,
        times: &read.times,
        roster: &read.roster,
        lessons: read.lessons.clone(),
        program: digest,
        shard: args.shard,
        student: args.student.as_deref(),
    };
    let terminal = stderr().is_terminal();
    let graded = grade::grade(&args.submissions, &class, &judges, &args.output, |at| {
        if terminal {
            let _ = write!(stderr(), "\r{} of {} texts judged ", at.known + at.judged, at.texts);
        }
    })?;
    if terminal {
        let _ = write!(stderr(), "\r\x1b[K");
    }
    if let Some(shard) = args.shard {
        let students = plural(graded.students.len() as u64, "student", "students");
        Part::new(shard, graded).write(&args.output)?;
        return context.answer(&format!("Part {} of {}: {students}\n", shard.number, shard.of));
    }
    if args.student.is_some()
        && let Some(submission) = emit::Submission::of_variables(|name| std::env::var(name).ok())
    {
        emit::write_classroom50(&graded, submission, &args.output)?;
    }
    finish(&graded, &read, &args.output, args.fail_below, context)
}

/// Writes the reports and prints a summary. Final marks below the percentage `least` fail.
fn finish(graded: &Graded, read: &Read, output: &Path, least: Option<u8>, context: &mut Context) -> Answer {
    emit::write(graded, &read.plan, output)?;
    let mut text = String::new();
    for note in &graded.notes {
        text += &format!("Note: {}\n", escape(note));
    }
    for student in &graded.students {
        let waits = student.lessons.iter().filter(|lesson| !lesson.mark.is_final()).count();
        let waits = if waits > 0 { format!(", {waits} not final") } else { String::new() };
        let (name, total, full) = (escape(&student.student), student.total(), student.full());
        text += &format!("{name}: {total} of {full}{waits}\n");
        // The same files may belong to each of the lessons.
        let unmatched = student.lessons.iter().find(|lesson| lesson.mark == Mark::Unmatched);
        if let Some(why) = unmatched.and_then(|lesson| lesson.why.as_ref()) {
            text += &format!("  {}\n", escape(why));
        }
    }
    let count = |wanted: fn(&Mark) -> bool| {
        graded
            .students
            .iter()
            .flat_map(|student| &student.lessons)
            .filter(|lesson| wanted(&lesson.mark))
            .count() as u64
    };
    let review = count(|mark| matches!(mark, Mark::Review(_) | Mark::Unreadable | Mark::Unmatched));
    let failed = count(|mark| matches!(mark, Mark::Failed));
    text += &format!(
        "\n{}, {}; {}\n",
        plural(graded.students.len() as u64, "student", "students"),
        plural(graded.texts.len() as u64, "different text", "different texts"),
        plural(review, "mark needs review by a person", "marks need review by a person"),
    );
    if failed > 0 {
        text += &format!(
            "{} could not be judged on this machine: run the same command to try again.\n",
            plural(failed, "file", "files")
        );
    }
    let least = least.unwrap_or_default();
    let is_below =
        |its: &&StudentReport| its.is_final() && its.total().0 * 100 < its.full().0 * u64::from(least);
    let below = graded.students.iter().filter(is_below).count() as u64;
    if below > 0 {
        text += &format!("{} below {least} % of the points.\n", plural(below, "student is", "students are"));
    }
    text += &format!("Report: {}\n", shown_path(output));
    context.out.print(&without_ci_commands(&text));
    Ok(match () {
        _ if below > 0 => Exit::Fails,
        _ if failed > 0 => Exit::Unavailable,
        _ => Exit::Pass,
    })
}

/// Returns the command-line arguments for `plan.toml` and the files that go with it, with absolute paths.
fn plan_words(plan: &PlanArgs, context: &Context) -> Result<Vec<String>> {
    let mut words = Vec::new();
    let files = [
        ("--plan", Some(&plan.file)),
        ("--times", plan.times.as_ref()),
        ("--students", plan.students.as_ref()),
        ("--lessons", context.global.lessons.as_ref()),
    ];
    for (option, path) in files {
        if let Some(path) = path {
            let path = absolute(path)?;
            let Some(path) = path.to_str() else {
                return Err(CommandError::usage(format!("{option}: a path of a job must be UTF-8")));
            };
            words.extend([option.to_owned(), path.to_owned()]);
        }
    }
    if let Some(seed) = context.global.seed {
        words.extend(["--seed".to_owned(), seed.to_string()]);
    }
    Ok(words)
}

/// Writes the scripts, and submits them if asked to.
fn slurm(jobs: &Jobs, submit: bool, context: &mut Context) -> Answer {
    let folder = jobs.report.join("slurm");
    make(&folder)?;
    let scripts = jobs.scripts();
    let (parts, merge) = (folder.join(grade::PARTS), folder.join(grade::MERGE));
    for (path, text) in [(&parts, &scripts.parts), (&merge, &scripts.merge)] {
        fs::write(path, text).with_context(|| format!("can't write {}", path.display()))?;
    }
    let shown = |path: &Path| shown_path(path);
    if !submit {
        let text = format!(
            "Submit them with\n  id=$(sbatch --parsable {})\n  sbatch --dependency=afterany:$id {}\n",
            shown(&parts),
            shown(&merge)
        );
        return context.answer(&text);
    }
    let id = sbatch(&["--parsable".into(), parts.into()])?;
    // The cluster's name may follow the job number.
    let number = id.split(';').next().unwrap_or_default();
    let last =
        sbatch(&["--parsable".into(), format!("--dependency=afterany:{number}").into(), merge.into()])?;
    context.answer(&format!(
        "Job {} grades {} parts, job {} merges them.\n",
        escape(number),
        jobs.parts,
        escape(&last)
    ))
}

fn sbatch(arguments: &[OsString]) -> Result<String> {
    let output = std::process::Command::new("sbatch").args(arguments).output();
    let output = output.map_err(|error| CommandError::environment(format!("can't run sbatch: {error}")))?;
    if !output.status.success() {
        let said = String::from_utf8_lossy(&output.stderr);
        return Err(CommandError::environment(format!("sbatch: {}", escape(said.trim()))));
    }
    Ok(String::from_utf8_lossy(&output.stdout).trim().to_owned())
}

/// Writes each student's starters with the sizes drawn for them.
fn handout(read: &Read, output: &Path, context: &mut Context) -> Answer {
    if read.roster.is_empty() {
        return Err(CommandError::usage(
            "give the CSV of the students who get their own starters with --students",
        ));
    }
    let mut written = 0;
    for student in &read.roster {
        let folder = output.join(emit::file_name(student));
        make(&folder)?;
        for assignment in read.plan.assignments.iter().filter(|assignment| !assignment.draw.is_empty()) {
            let sizes = assignment.sizes_of(read.plan.seed, student);
            let lesson = assignment.lesson_with(&sizes);
            let mut text = format!(
                "// For {} only. Where the text below gives other sizes, use these:\n",
                escape(student)
            );
            for (own, usual) in lesson.spec.cases.iter().zip(&assignment.lesson.spec.cases) {
                let (own, usual) = (own.to_string(), usual.to_string());
                text += &format!("//   {own} instead of {usual}\n");
            }
            let path = folder.join(format!("{}.cu", lesson.slug));
            fs::write(&path, format!("{text}\n{}", lesson.starter))
                .with_context(|| format!("can't write {}", path.display()))?;
            written += 1;
        }
    }
    context.out.print(&format!("{} in {}\n", plural(written, "starter", "starters"), shown_path(output)));
    let compiler = context.compiler()?;
    for assignment in grade::shared_answers(&read.plan, &read.roster, compiler)? {
        let slug = &assignment.lesson.slug;
        context.say(&format!(
            "All students have the same answers to {slug}: another student's answers pass too. Sizes with different \
             answers under `draw` make a shared answer wrong."
        ));
    }
    Ok(Exit::Pass)
}

fn read(args: &PlanArgs, context: &Context) -> Result<Read> {
    let course = context.lessons_alone()?;
    let usage = |path: &Path, error: anyhow::Error| {
        CommandError::usage(format!("{}: {}", shown_path(path), escape(&format!("{error:#}"))))
    };
    let plan = Plan::parse(&text_of(&args.file)?, &course, context.global.seed)
        .map_err(|error| usage(&args.file, error))?;
    let times = match &args.times {
        Some(path) => Times::parse(&text_of(path)?).map_err(|error| usage(path, error))?,
        None => Times::default(),
    };
    let roster = match &args.students {
        Some(path) => students::roster(&text_of(path)?).map_err(|error| usage(path, error))?,
        None => Vec::new(),
    };
    Ok(Read { plan, times, roster, lessons: digest_of_course(&course) })
}

fn absolute(path: &Path) -> Result<PathBuf> {
    Ok(std::path::absolute(path).context("can't find its absolute path")?)
}

fn text_of(path: &Path) -> Result<String> {
    fs::read_to_string(path)
        .map_err(|error| CommandError::usage(format!("can't read {}: {error}", shown_path(path))))
}

fn make(folder: &Path) -> anyhow::Result<()> {
    fs::create_dir_all(folder).with_context(|| format!("can't create {}", folder.display()))
}

/// Returns a digest that is the same for programs that judge alike: of this program's bytes and the compiler's
/// release.
fn program_digest(program: &Path, (major, minor): (u32, u32)) -> anyhow::Result<String> {
    let bytes = fs::File::open(program).and_then(sha256_of).context("can't read this program")?;
    Ok(hex(&digest([bytes.as_slice(), format!("NVRTC {major}.{minor}").as_bytes()])))
}
