//! `explain`: what a finding means.

use super::{Answer, Context, Exit, Trouble};
use cpp::distance;
use report::{self, escape};
use sim::Code;

#[derive(clap::Args)]
pub struct Args {
    /// Code (R001) or name (shared-race); all of them if left out
    code: Option<String>,
}

pub fn run(args: Args, context: &mut Context) -> Answer {
    let text = match args.code.as_deref() {
        None => report::explain_all(&context.style),
        Some(wanted) => report::explain(find(wanted, &context.style.command)?, &context.style),
    };
    context.out.print(&text);
    Ok(Exit::Pass)
}

fn find(wanted: &str, command: &str) -> Result<Code, Trouble> {
    let wanted: String = wanted.chars().take(60).collect();
    let same = |c: &&Code| c.code().eq_ignore_ascii_case(&wanted) || c.slug().eq_ignore_ascii_case(&wanted);
    if let Some(code) = Code::ALL.iter().find(same) {
        return Ok(*code);
    }
    let lower = wanted.to_lowercase();
    let far = |c: &Code| {
        let code = distance(&lower, &c.code().to_lowercase());
        distance(&lower, c.slug()).min(2 * code)
    };
    let near = Code::ALL.iter().map(|c| (far(c), c)).min_by_key(|(d, _)| *d);
    let guess = match near {
        Some((d, code)) if d <= (wanted.chars().count().min(12) / 3).max(2) => {
            format!(" Did you mean {} ({})?", code.slug(), code.code())
        }
        _ => String::new(),
    };
    Err(Trouble::usage(format!("no finding \"{}\".{guess} `{command} explain` lists all", escape(&wanted))))
}
