//! Reports system functions that a lesson's program may not call: files, processes, networks. No lesson needs them,
//! so calling one is a mistake in the file and not a limitation of the tool; so is calling a function that the file
//! declares and nobody defines.

use compiler::{Diagnostic, Subject};
use cpp::{Source, source_name};
use host::program::{HostFunction, libc, runtime};

/// Functions of the C library and of POSIX that reach outside the process.
const OUTSIDE: &str = "\
    fopen freopen fdopen tmpfile tmpnam mkstemp remove rename open open64 openat creat read write pread \
    pwrite close unlink unlinkat link symlink readlink realpath mkdir rmdir opendir readdir chdir getcwd \
    chmod chown stat fstat lstat access truncate ftruncate mmap shm_open pipe dup dup2 ioctl fcntl \
    system popen pclose fork vfork execl execlp execle execv execve execvp execvpe posix_spawn \
    posix_spawnp wait waitpid kill ptrace prctl setrlimit syscall dlopen dlsym \
    socket connect bind listen accept send sendto recv recvfrom getaddrinfo gethostbyname";

/// Returns an error at the place of each call to a function that is not available; `functions` are those that the
/// file defines or declares.
pub fn outside(functions: &[HostFunction], source: &str, file_name: &str) -> Vec<Diagnostic> {
    let source = Source::new(source);
    let wanted = functions.iter().filter(|function| function.parameters.is_none());
    wanted
        .filter_map(|function| {
            let name = source_name(&function.symbol);
            let known = libc::row(&function.symbol).is_some() || runtime::row(&function.symbol).is_some();
            let error = |message: String| {
                Diagnostic::error(file_name, found(&source, &name).unwrap_or_default(), message)
            };
            if OUTSIDE.split_whitespace().any(|outside| outside == name) {
                let message = format!(
                    "\"{name}\": a lesson's program has no files, starts no processes and uses no network; \
                     leave it out"
                );
                return Some(error(message).about(Subject::SystemCalled));
            }
            (!known && declares(&source, &name))
                .then(|| error(format!("\"{name}\" is declared here, but defined nowhere")))
        })
        .collect()
}

/// Returns whether the file declares a free function of that name without defining it.
fn declares(source: &Source, name: &str) -> bool {
    let functions = source.functions().unwrap_or_default();
    functions.iter().any(|function| {
        function.is_free && function.body.is_none() && source.tokens().word(function.name) == name.as_bytes()
    })
}

/// Returns line and column of the last occurrence of a name: where it is called rather than where it is declared.
fn found(source: &Source, name: &str) -> Option<(u32, u32)> {
    let tokens = source.tokens();
    let at = (0..tokens.count()).rev().find(|at| tokens.word(*at) == name.as_bytes())?;
    Some(source.place_of(at))
}
