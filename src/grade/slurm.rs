//! Grading on a Slurm cluster: an array job that grades one part of the class per task, and a job that merges the
//! parts.

use super::part::FILE;
use std::fmt::Write;
use std::path::{Path, PathBuf};

/// Names of the scripts.
pub const PARTS: &str = "parts.sbatch";
pub const MERGE: &str = "merge.sbatch";
/// How many times a part is tried.
const TRIES: u32 = 3;

/// The parameters of the jobs.
#[derive(Clone, Debug)]
pub struct Jobs<'a> {
    pub program: &'a Path,
    /// The folder of submissions. All paths must be absolute, because the cluster chooses the working directory of
    /// jobs.
    pub submissions: &'a Path,
    /// Options for both `grade` and `grade merge`: `--plan` and its file, and so on.
    pub plan: &'a [String],
    pub report: &'a Path,
    pub parts: u32,
    /// Generic resources of each array task, such as `gpu:1`.
    pub gres: Option<&'a str>,
    /// Additional `#SBATCH` options for both scripts, such as `--partition=teach`.
    pub options: &'a [String],
}

/// The two scripts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Scripts {
    pub parts: String,
    pub merge: String,
}

impl Jobs<'_> {
    /// Returns the folder of a part's report.
    pub fn part(&self, number: u32) -> PathBuf {
        self.report.join("parts").join(number.to_string())
    }

    /// Creates the scripts. A task that is lost with its node is queued again and continues where it stopped,
    /// because results are on disk. A part that was not finished, for lack of time or memory, is submitted again by
    /// the merge job.
    pub fn scripts(&self) -> Scripts {
        let head = |name: &str| {
            let log = self.report.join("slurm").join(format!("{name}-%A_%a.log"));
            let mut head = format!(
                "#!/bin/bash\n#SBATCH --job-name=gpulearn-{name}\n#SBATCH --output={}\n#SBATCH --open-mode=append\n#SBATCH --requeue\n",
                quoted(&log.display().to_string())
            );
            for option in self.options {
                let _ = writeln!(head, "#SBATCH {option}");
            }
            head
        };
        let program = quoted(&self.program.display().to_string());
        let path = |path: &Path| quoted(&path.display().to_string());
        let plan = self.plan.iter().map(|word| quoted(word)).collect::<Vec<_>>().join(" ");
        let (parts, folder) = (self.parts, path(&self.report.join("parts")));
        let submissions = path(self.submissions);
        // The merge job needs no generic resources.
        let gres = self.gres.map_or(String::new(), |gres| format!("#SBATCH --gres={gres}\n"));
        let array = format!(
            "{}{gres}#SBATCH --array=1-{parts}\nset -eu\nexec {program} grade {submissions} {plan} \\\n    \
             --shard \"$SLURM_ARRAY_TASK_ID/{parts}\" -o {folder}/\"$SLURM_ARRAY_TASK_ID\" \
             -j \"${{SLURM_CPUS_PER_TASK:-1}}\" --offline\n",
            head("part")
        );
        let all: Vec<String> = (1..=parts).map(|number| path(&self.part(number))).collect();
        let scripts = self.report.join("slurm");
        let [array_file, merge_file] = [PARTS, MERGE].map(|name| path(&scripts.join(name)));
        let merge = format!(
            "{}set -eu
missing=
for part in $(seq {parts}); do
    [ -f {folder}/$part/{FILE} ] || missing=$missing${{missing:+,}}$part
done
if [ -n \"$missing\" ]; then
    try=${{GPULEARN_TRY:-1}}
    if [ \"$try\" -ge {TRIES} ]; then
        echo \"parts $missing were not graded in {TRIES} tries: see the logs next to this one\" >&2
        exit 1
    fi
    echo \"parts $missing are graded again\"
    id=$(sbatch --parsable --array=\"$missing\" {array_file})
    sbatch --dependency=\"afterany:${{id%%;*}}\" --export=ALL,GPULEARN_TRY=$((try + 1)) {merge_file}
    exit 0
fi
exec {program} grade merge {} \\\n    {plan} -o {}
",
            head("merge"),
            all.join(" "),
            path(self.report)
        );
        Scripts { parts: array, merge }
    }
}

/// Quotes a word for a shell.
fn quoted(word: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_./=:,%+@".contains(c);
    if !word.is_empty() && word.chars().all(plain) {
        return word.to_owned();
    }
    format!("'{}'", word.replace('\'', "'\\''"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_word_is_one_word_to_a_shell() {
        for word in ["", "a b", "it's", "$(reboot)", "`x`", "a\nb", "-j", "ü"] {
            let said = std::process::Command::new("sh")
                .arg("-c")
                .arg(format!("printf %s {}", quoted(word)))
                .output();
            assert_eq!(String::from_utf8(said.unwrap().stdout).unwrap(), word);
        }
    }
}
