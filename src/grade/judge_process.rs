//! Judges a text in a sandboxed fork of this process. The fork sends its requests to compile back to this process.

use super::judging::Reply;

/// How a judge process ended.
pub enum JudgeExit {
    Answered(Reply),
    /// It exceeded its processor time, or its much larger limit on wall-clock time.
    #[cfg_attr(not(unix), expect(dead_code, reason = "what can't be told here"))]
    OutOfTime,
    /// It was killed by a signal, or ended without an answer.
    #[cfg_attr(not(unix), expect(dead_code, reason = "what can't be told here"))]
    Died(String),
}

#[cfg(unix)]
pub use forks::run;

/// Judges in this process, because this system has no `fork`.
///
/// # Errors
///
/// Fails only where judging is done in a fork.
#[cfg(not(unix))]
pub fn run(
    _cpu_seconds: u64,
    compiler: &compiler::Compiler,
    answer: &dyn Fn(&compiler::Compiler) -> Reply,
) -> anyhow::Result<JudgeExit> {
    Ok(JudgeExit::Answered(answer(compiler)))
}

#[cfg(unix)]
mod forks {
    use super::super::judging::Reply;
    use super::JudgeExit;
    use anyhow::{Context, Result, ensure};
    use compiler::{Bounds, Compiler, Forked};
    use std::io::{ErrorKind, Read, Write};
    use std::sync::{Arc, Mutex, PoisonError};
    use std::time::Duration;

    /// Limit on a judge's address space, in bytes.
    const MEMORY_BYTES: u64 = 8 << 30;
    /// A judge's wall-clock limit is `PATIENCE` times its processor time, to allow for other work on the machine,
    /// but at least `MIN_PATIENCE`.
    const PATIENCE: u32 = 10;
    const MIN_PATIENCE: Duration = Duration::from_secs(120);
    /// Largest message from a judge, in bytes.
    const MAX_BYTES: u64 = 64 << 20;
    /// Largest number of compile requests for one text: far more than any text needs.
    const MAX_QUESTIONS: usize = 200;

    /// The first byte of a message: something to compile, or the verdict.
    const QUESTION: u8 = b'Q';
    const VERDICT: u8 = b'V';

    /// Runs `answer`, which judges a text, in a fork. Its compiler forwards requests to `compiler`.
    ///
    /// # Errors
    ///
    /// Fails if no process can be started or sandboxed.
    pub fn run(
        cpu_seconds: u64,
        compiler: &Compiler,
        answer: &dyn Fn(&Compiler) -> Reply,
    ) -> Result<JudgeExit> {
        let bounds = Bounds {
            cpu_seconds,
            memory_bytes: MEMORY_BYTES,
            wall_time: Duration::from_secs(cpu_seconds).saturating_mul(PATIENCE).max(MIN_PATIENCE),
        };
        let mut forked = Forked::start(bounds, |connection| {
            let connection = Arc::new(Mutex::new(connection));
            let ours = connection.clone();
            let asking = compiler.clone().asking(move |question| {
                let mut connection = ours.lock().unwrap_or_else(PoisonError::into_inner);
                write_message(&mut *connection, QUESTION, question)?;
                Ok(read_message(&mut *connection)?.1)
            });
            let reply = serde_json::to_vec(&answer(&asking)).unwrap_or_default();
            let _ = write_message(
                &mut *connection.lock().unwrap_or_else(PoisonError::into_inner),
                VERDICT,
                &reply,
            );
        })?;
        let heard = verdict(&mut forked, compiler);
        let late = heard.as_ref().is_err_and(is_late);
        // If the process has ended, the way it ended says more than the error, so it is not killed.
        if heard.as_ref().is_err_and(|error| !is_end(error)) {
            forked.kill();
        }
        let death = forked.end()?;
        Ok(match (heard, death) {
            (Ok(reply), None) => JudgeExit::Answered(reply),
            (_, Some(death)) if late || death.out_of_time() => JudgeExit::OutOfTime,
            (_, death) => match death.and_then(|death| death.signal()) {
                Some(signal) => JudgeExit::Died(format!("by signal {signal}")),
                None => JudgeExit::Died("without an answer".into()),
            },
        })
    }

    /// Serves a judge's compile requests until its verdict arrives.
    fn verdict(forked: &mut Forked, compiler: &Compiler) -> Result<Reply> {
        for _ in 0..MAX_QUESTIONS {
            match read_message(forked)? {
                (QUESTION, question) => write_message(forked, QUESTION, &compiler.answer(&question)?)?,
                (VERDICT, verdict) => return Ok(serde_json::from_slice(&verdict)?),
                _ => break,
            }
        }
        anyhow::bail!("a judge that never stops asking")
    }

    fn kind(error: &anyhow::Error) -> Option<ErrorKind> {
        error.downcast_ref::<std::io::Error>().map(std::io::Error::kind)
    }

    /// Returns whether the wall-clock limit was exceeded.
    fn is_late(error: &anyhow::Error) -> bool {
        matches!(kind(error), Some(ErrorKind::TimedOut | ErrorKind::WouldBlock))
    }

    /// Returns whether the judge has closed the connection.
    fn is_end(error: &anyhow::Error) -> bool {
        matches!(
            kind(error),
            Some(ErrorKind::UnexpectedEof | ErrorKind::BrokenPipe | ErrorKind::ConnectionReset)
        )
    }

    fn write_message(to: &mut impl Write, what: u8, bytes: &[u8]) -> Result<()> {
        to.write_all(&[what])?;
        to.write_all(&(bytes.len() as u64).to_le_bytes())?;
        to.write_all(bytes)?;
        Ok(())
    }

    fn read_message(from: &mut impl Read) -> Result<(u8, Vec<u8>)> {
        let (mut what, mut length) = ([0], [0; 8]);
        from.read_exact(&mut what)?;
        from.read_exact(&mut length)?;
        let length = u64::from_le_bytes(length);
        ensure!(length <= MAX_BYTES, "a message of {length} bytes is too long");
        let mut bytes = Vec::new();
        from.take(length).read_to_end(&mut bytes).context("a message")?;
        if (bytes.len() as u64) < length {
            return Err(std::io::Error::from(ErrorKind::UnexpectedEof).into());
        }
        Ok((what[0], bytes))
    }
}
