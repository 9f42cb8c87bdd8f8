//! Restricts a worker once it is about to read a source.
//!
//! - Resource limits of the process: address space, CPU time, no core dumps, and no writes to files (in the worker
//!   of a course's author: writes up to a maximum file size).
//! - Landlock with no rules: no files, no sockets, no signals to other processes. The worker of a course's author may
//!   read and write the files of one folder, and can find out which other files exist.
//! - A seccomp filter: calls that name a file fail with "no such file" (the compiler asks for headers and for
//!   `libcuda.so.1` as it works; not so in the worker with a folder, where only Landlock refuses access), a short
//!   list of other calls is allowed, and any other call kills the process.
//!   A process that runs the simulator may also start threads; neither kind may start processes.
//!
//! A process that simulates the user's own program as machine code may open files; [`no_processes`] denies it what no
//! such program needs: processes, sockets, and other processes' memory.
//!
//! Only Linux has these mechanisms. Elsewhere, and on a Linux that lacks some of them, the worker is still a process
//! of its own with an empty environment and a deadline, and [`guarantees`] reports what is missing.

/// Which of the sandbox's guarantees hold on this machine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Guarantees {
    /// Landlock: a source cannot reach files.
    pub landlock: bool,
    /// seccomp: a source cannot make system calls other than those that compiling needs.
    pub seccomp: bool,
    /// Limits on memory and CPU time.
    pub resources: bool,
}

impl Guarantees {
    /// Returns a sentence for each missing guarantee; empty if all hold.
    pub fn missing(&self) -> Vec<&'static str> {
        let mut missing = Vec::new();
        if !self.landlock && !self.seccomp {
            missing.push("a file that you compile can read your other files into compiler messages (no Landlock, no seccomp)");
        } else if !self.landlock {
            missing.push("only seccomp keeps files from the compiler (this kernel has no Landlock)");
        } else if !self.seccomp {
            missing.push("only Landlock keeps files from the compiler (this kernel has no seccomp filter)");
        }
        if !self.resources {
            missing.push("the compiler's memory is not limited, only its time");
        }
        missing
    }
}

#[cfg(target_os = "linux")]
pub use linux::{close_files, guarantees, limit, lock, lock_with_folder, lock_with_threads, no_processes};

/// Forbids this process to start others, to open sockets, and to access other processes, from now on. Threads
/// are allowed.
///
/// # Errors
///
/// Always fails: only Linux has seccomp.
#[cfg(not(target_os = "linux"))]
pub fn no_processes() -> Result<(), String> {
    Err("only Linux has seccomp".to_owned())
}

/// Returns which guarantees hold on this machine.
#[cfg(not(target_os = "linux"))]
pub fn guarantees() -> Guarantees {
    Guarantees { landlock: false, seccomp: false, resources: false }
}

/// Sets the process's resource limits.
///
/// # Errors
///
/// Fails on Linux only: see there.
#[cfg(not(target_os = "linux"))]
pub fn limit(_memory_bytes: u64, _cpu_seconds: u64, _file_bytes: u64) -> Result<(), String> {
    Ok(())
}

/// Closes all descriptors from `first` on.
///
/// # Errors
///
/// Fails on Linux only: see there.
#[cfg(not(target_os = "linux"))]
pub fn close_files(_first: i32) -> Result<(), String> {
    Ok(())
}

/// Enters the sandbox, irrevocably.
///
/// # Errors
///
/// Fails on Linux only: see there.
#[cfg(not(target_os = "linux"))]
pub fn lock() -> Result<(), String> {
    Ok(())
}

/// Like [`lock`], but allows access to the files of a folder.
///
/// # Errors
///
/// Fails on Linux only: see there.
#[cfg(not(target_os = "linux"))]
pub fn lock_with_folder(_folder: &std::path::Path) -> Result<(), String> {
    Ok(())
}

/// Like [`lock`], for a process that starts threads.
///
/// # Errors
///
/// Fails on Linux only: see there.
#[cfg(not(target_os = "linux"))]
#[cfg(unix)]
pub fn lock_with_threads() -> Result<(), String> {
    Ok(())
}

#[cfg(target_os = "linux")]
mod linux {
    use super::Guarantees;
    use landlock::{
        ABI, Access, AccessFs, AccessNet, PathBeneath, PathFd, Ruleset, RulesetAttr, RulesetCreatedAttr,
        RulesetStatus, Scope,
    };
    use rlimit::{Resource, setrlimit};
    use seccompiler::{
        BpfProgram, SeccompAction, SeccompCmpArgLen, SeccompCmpOp, SeccompCondition, SeccompFilter,
        SeccompRule,
    };
    use std::collections::BTreeMap;
    use std::path::Path;

    /// Enough for any source, and small enough that endless recursion crashes soon.
    const STACK_BYTES: u64 = 256 << 20;
    const OPEN_FILES: u64 = 64;

    /// Sets the process's resource limits, and makes it end with its parent.
    ///
    /// # Errors
    ///
    /// Fails if a limit can't be read or set.
    pub fn limit(memory_bytes: u64, cpu_seconds: u64, file_bytes: u64) -> Result<(), String> {
        let limits = [
            (Resource::AS, memory_bytes),
            (Resource::CPU, cpu_seconds),
            (Resource::FSIZE, file_bytes),
            (Resource::CORE, 0),
            (Resource::NOFILE, OPEN_FILES),
            (Resource::STACK, STACK_BYTES),
        ];
        for (resource, most) in limits {
            // A lower hard limit cannot be raised, and need not be.
            let (_, hard) = resource.get().map_err(|error| error.to_string())?;
            let most = most.min(hard);
            // At the hard limit of CPU time the system kills the process without giving the reason; at the
            // soft limit it gives it (SIGXCPU).
            let last = if resource == Resource::CPU { most.saturating_add(1).min(hard) } else { most };
            setrlimit(resource, most, last)
                .map_err(|error| format!("cannot limit {}: {error}", resource.as_name()))?;
        }
        // SAFETY: a plain system call on numbers.
        unsafe {
            libc::prctl(libc::PR_SET_PDEATHSIG, libc::SIGKILL);
        }
        Ok(())
    }

    /// Closes all descriptors from `first` on.
    ///
    /// # Errors
    ///
    /// Fails if the kernel can't close a range of descriptors and the open ones can't be listed.
    pub fn close_files(first: i32) -> Result<(), String> {
        // SAFETY: a plain system call on numbers; the closed descriptors are no longer used.
        if unsafe { libc::syscall(libc::SYS_close_range, first, u32::MAX, 0) } == 0 {
            return Ok(());
        }
        // A kernel before 5.9.
        let open = std::fs::read_dir("/proc/self/fd").map_err(|error| format!("/proc/self/fd: {error}"))?;
        let open: Vec<i32> =
            open.flatten().filter_map(|entry| entry.file_name().to_str()?.parse().ok()).collect();
        for descriptor in open.into_iter().filter(|descriptor| *descriptor >= first) {
            // SAFETY: as above. The descriptor of the listing itself is already closed, which does no harm.
            unsafe { libc::close(descriptor) };
        }
        Ok(())
    }

    /// Returns which guarantees hold on this machine, by asking the kernel, which takes microseconds.
    pub fn guarantees() -> Guarantees {
        const CREATE_RULESET_VERSION: libc::c_uint = 1;
        const GET_ACTION_AVAIL: libc::c_uint = 2;
        let kill: libc::c_uint = libc::SECCOMP_RET_KILL_PROCESS;
        // SAFETY: queries a version without any structure, and the availability of an action with a pointer
        // to a live number.
        unsafe {
            Guarantees {
                landlock: libc::syscall(
                    libc::SYS_landlock_create_ruleset,
                    std::ptr::null::<libc::c_void>(),
                    0usize,
                    CREATE_RULESET_VERSION,
                ) > 0,
                seccomp: libc::syscall(libc::SYS_seccomp, GET_ACTION_AVAIL, 0, &kill) == 0,
                resources: true,
            }
        }
    }

    /// Enters the sandbox, irrevocably. What the kernel claims to support must work.
    ///
    /// # Errors
    ///
    /// Fails if the kernel has Landlock or seccomp filters, but they can't be entered.
    pub fn lock() -> Result<(), String> {
        lock_with(None, &[absent_files, known_calls])
    }

    /// Like [`lock`], but allows reading, writing and removing the files of a folder.
    ///
    /// # Errors
    ///
    /// Fails as [`lock`] does, and if there is no Landlock, because nothing else can restrict access to that
    /// folder.
    pub fn lock_with_folder(folder: &Path) -> Result<(), String> {
        if !guarantees().landlock {
            return Err("this kernel has no Landlock".to_owned());
        }
        lock_with(Some(folder), &[no_other_limits, known_calls_and_files])
    }

    /// Like [`lock`], for a process that starts threads.
    ///
    /// # Errors
    ///
    /// Fails as [`lock`] does.
    pub fn lock_with_threads() -> Result<(), String> {
        lock_with(None, &[absent_files, absent_clone3, known_calls_and_threads])
    }

    /// Forbids this process to start others, to open sockets, and to access other processes, from now on:
    /// such calls fail with "operation not permitted". Threads are allowed.
    ///
    /// # Errors
    ///
    /// Fails if the kernel has no seccomp filters, or rejects this one.
    pub fn no_processes() -> Result<(), String> {
        if !guarantees().seccomp {
            return Err("this kernel has no seccomp filter".to_owned());
        }
        enter(&[absent_clone3, no_calls_to_others])
    }

    fn lock_with(
        folder: Option<&Path>,
        filters: &[fn() -> Result<BpfProgram, String>],
    ) -> Result<(), String> {
        let has = guarantees();
        if has.landlock {
            landlock(folder).map_err(|error| format!("cannot enter the Landlock sandbox: {error}"))?;
        }
        if has.seccomp { enter(filters) } else { Ok(()) }
    }

    /// Installs filters, of which the most restrictive one applies: the last one must allow the calls that
    /// earlier ones make fail.
    fn enter(filters: &[fn() -> Result<BpfProgram, String>]) -> Result<(), String> {
        for filter in filters {
            let filter = filter().map_err(|error| format!("cannot create the seccomp filter: {error}"))?;
            seccompiler::apply_filter_all_threads(&filter)
                .map_err(|error| format!("cannot enter the seccomp filter: {error}"))?;
        }
        Ok(())
    }

    fn landlock(folder: Option<&Path>) -> Result<(), String> {
        // Everything that the newest kernel known here can restrict; an older kernel restricts what it can.
        let newest = ABI::V6;
        let entered = Ruleset::default()
            .handle_access(AccessFs::from_all(newest))
            .and_then(|ruleset| ruleset.handle_access(AccessNet::from_all(newest)))
            .and_then(|ruleset| ruleset.scope(Scope::from_all(newest)))
            .and_then(Ruleset::create)
            .map_err(|error| error.to_string())?;
        let entered = match folder {
            Some(folder) => {
                let its = PathFd::new(folder).map_err(|error| error.to_string())?;
                let files = AccessFs::ReadFile | AccessFs::WriteFile | AccessFs::ReadDir;
                let files = files | AccessFs::MakeReg | AccessFs::RemoveFile | AccessFs::Truncate;
                entered.add_rule(PathBeneath::new(its, files))
            }
            None => Ok(entered),
        }
        .and_then(|ruleset| ruleset.restrict_self())
        .map_err(|error| error.to_string())?;
        if entered.ruleset == RulesetStatus::NotEnforced { Err("not enforced".to_owned()) } else { Ok(()) }
    }

    type Rules = BTreeMap<i64, Vec<SeccompRule>>;

    /// Returns rules that match calls whatever their arguments.
    fn rules(calls: impl Iterator<Item = i64>) -> Rules {
        calls.map(|call| (call, Vec::new())).collect()
    }

    /// Returns the rule that matches calls with such an argument.
    fn rule(
        argument: u8,
        bits: SeccompCmpArgLen,
        compare: SeccompCmpOp,
        value: u64,
    ) -> Result<SeccompRule, String> {
        SeccompCondition::new(argument, bits, compare, value)
            .and_then(|condition| SeccompRule::new(vec![condition]))
            .map_err(|error| error.to_string())
    }

    fn filter(rules: Rules, otherwise: SeccompAction, matched: SeccompAction) -> Result<BpfProgram, String> {
        let arch = std::env::consts::ARCH.try_into().map_err(|_| "unknown processor".to_owned())?;
        SeccompFilter::new(rules, otherwise, matched, arch)
            .and_then(BpfProgram::try_from)
            .map_err(|error| error.to_string())
    }

    /// Makes calls that name a file fail with "no such file", and forbids changing limits, except the
    /// process's own stack limit, which the compiler queries.
    fn absent_files() -> Result<BpfProgram, String> {
        let mut rules = rules(file_calls());
        rules.extend(other_limits()?);
        filter(rules, SeccompAction::Allow, SeccompAction::Errno(libc::ENOENT.cast_unsigned()))
    }

    fn no_other_limits() -> Result<BpfProgram, String> {
        filter(other_limits()?, SeccompAction::Allow, SeccompAction::Errno(libc::EPERM.cast_unsigned()))
    }

    /// Returns the rule for calls that concern any limit but this process's own stack limit.
    fn other_limits() -> Result<Rules, String> {
        let unequal = |argument, value| rule(argument, SeccompCmpArgLen::Dword, SeccompCmpOp::Ne, value);
        let others = vec![unequal(0, 0)?, unequal(1, u64::from(libc::RLIMIT_STACK))?];
        Ok(Rules::from([(libc::SYS_prlimit64, others)]))
    }

    fn known_calls() -> Result<BpfProgram, String> {
        known(Rules::new())
    }

    /// Which files may be accessed is left to Landlock.
    fn known_calls_and_files() -> Result<BpfProgram, String> {
        known(rules(folder_calls()))
    }

    /// Kills the process for any call but these further ones and those that every sandbox allows.
    fn known(further: Rules) -> Result<BpfProgram, String> {
        let mut rules = rules(file_calls().chain(harmless_calls()));
        rules.insert(libc::SYS_fcntl, vec![asks_of_a_descriptor()?]);
        rules.extend(further);
        filter(rules, SeccompAction::KillProcess, SeccompAction::Allow)
    }

    /// Makes `clone3` unavailable, because no filter can inspect its arguments; threads are then started by
    /// `clone`.
    fn absent_clone3() -> Result<BpfProgram, String> {
        let rules = Rules::from([(libc::SYS_clone3, Vec::new())]);
        filter(rules, SeccompAction::Allow, SeccompAction::Errno(libc::ENOSYS.cast_unsigned()))
    }

    fn known_calls_and_threads() -> Result<BpfProgram, String> {
        let mut rules = rules(thread_calls());
        rules.insert(libc::SYS_clone, vec![clones(true)?]);
        known(rules)
    }

    fn no_calls_to_others() -> Result<BpfProgram, String> {
        let mut rules = rules(calls_to_others());
        rules.insert(libc::SYS_clone, vec![clones(false)?]);
        filter(rules, SeccompAction::Allow, SeccompAction::Errno(libc::EPERM.cast_unsigned()))
    }

    /// Returns the rule that matches `clone` calls that start a thread of this process, or those that start a
    /// process.
    fn clones(thread: bool) -> Result<SeccompRule, String> {
        let flag = libc::CLONE_THREAD as u64;
        let has = SeccompCmpOp::MaskedEq(flag);
        rule(0, SeccompCmpArgLen::Qword, has, if thread { flag } else { 0 })
    }

    /// Returns the calls that start processes, access them, or reach another machine; and those that can
    /// perform other calls' work past a filter.
    fn calls_to_others() -> impl Iterator<Item = i64> {
        #[cfg(target_arch = "x86_64")]
        let old = [libc::SYS_fork, libc::SYS_vfork];
        #[cfg(not(target_arch = "x86_64"))]
        let old = [];
        [
            libc::SYS_execve,
            libc::SYS_execveat,
            libc::SYS_ptrace,
            libc::SYS_process_vm_readv,
            libc::SYS_process_vm_writev,
            libc::SYS_pidfd_getfd,
            libc::SYS_socket,
            libc::SYS_socketpair,
            libc::SYS_io_uring_setup,
            libc::SYS_bpf,
            libc::SYS_perf_event_open,
            libc::SYS_userfaultfd,
            libc::SYS_unshare,
            libc::SYS_setns,
            libc::SYS_mount,
            libc::SYS_chroot,
            libc::SYS_pivot_root,
            libc::SYS_keyctl,
            libc::SYS_init_module,
            libc::SYS_finit_module,
            libc::SYS_kexec_load,
        ]
        .into_iter()
        .chain(old)
    }

    /// Returns the rule for querying whether a descriptor is open: the standard library does so before it
    /// closes one, in builds with debug assertions.
    fn asks_of_a_descriptor() -> Result<SeccompRule, String> {
        rule(1, SeccompCmpArgLen::Dword, SeccompCmpOp::Eq, libc::F_GETFD as u64)
    }

    fn file_calls() -> impl Iterator<Item = i64> {
        #[cfg(target_arch = "x86_64")]
        let old = [libc::SYS_open, libc::SYS_stat, libc::SYS_lstat, libc::SYS_access, libc::SYS_readlink];
        // Newer processor architectures have only the calls that take a folder's descriptor.
        #[cfg(not(target_arch = "x86_64"))]
        let old = [];
        [
            libc::SYS_openat,
            libc::SYS_openat2,
            libc::SYS_newfstatat,
            libc::SYS_statx,
            libc::SYS_faccessat,
            libc::SYS_faccessat2,
            libc::SYS_readlinkat,
        ]
        .into_iter()
        .chain(old)
    }

    /// Returns the calls for memory, time, the open pipes, and exiting.
    fn harmless_calls() -> impl Iterator<Item = i64> {
        [
            libc::SYS_read,
            libc::SYS_readv,
            libc::SYS_write,
            libc::SYS_writev,
            libc::SYS_close,
            libc::SYS_fstat,
            libc::SYS_lseek,
            libc::SYS_brk,
            libc::SYS_mmap,
            libc::SYS_munmap,
            libc::SYS_mremap,
            libc::SYS_mprotect,
            libc::SYS_madvise,
            libc::SYS_futex,
            libc::SYS_sched_yield,
            libc::SYS_sched_getaffinity,
            libc::SYS_clock_gettime,
            libc::SYS_clock_getres,
            libc::SYS_gettimeofday,
            libc::SYS_getrusage,
            libc::SYS_times,
            libc::SYS_getrandom,
            libc::SYS_sysinfo,
            libc::SYS_uname,
            libc::SYS_getcwd,
            libc::SYS_getpid,
            libc::SYS_gettid,
            libc::SYS_prlimit64,
            libc::SYS_rt_sigaction,
            libc::SYS_rt_sigprocmask,
            libc::SYS_rt_sigreturn,
            libc::SYS_sigaltstack,
            libc::SYS_restart_syscall,
            libc::SYS_exit,
            libc::SYS_exit_group,
        ]
        .into_iter()
    }

    /// Returns the additional calls for files of a folder.
    fn folder_calls() -> impl Iterator<Item = i64> {
        #[cfg(target_arch = "x86_64")]
        let old = [libc::SYS_unlink];
        #[cfg(not(target_arch = "x86_64"))]
        let old = [];
        [libc::SYS_getdents64, libc::SYS_unlinkat, libc::SYS_pread64, libc::SYS_pwrite64, libc::SYS_ftruncate]
            .into_iter()
            .chain(old)
    }

    /// Returns the calls that a thread makes to start, to sleep and to end.
    fn thread_calls() -> impl Iterator<Item = i64> {
        [
            libc::SYS_clone3,
            libc::SYS_set_robust_list,
            libc::SYS_rseq,
            libc::SYS_nanosleep,
            libc::SYS_clock_nanosleep,
        ]
        .into_iter()
    }

    #[cfg(test)]
    mod tests {
        use super::*;

        #[test]
        fn the_filters_can_be_made() {
            assert!(!absent_files().unwrap().is_empty());
            assert!(!known_calls().unwrap().is_empty());
            assert!(!absent_clone3().unwrap().is_empty());
            assert!(!known_calls_and_threads().unwrap().is_empty());
            assert!(!no_other_limits().unwrap().is_empty());
            assert!(!known_calls_and_files().unwrap().is_empty());
            assert!(!no_calls_to_others().unwrap().is_empty());
        }

        #[test]
        fn no_process_is_started_where_that_is_forbidden() {
            // SAFETY: the child only makes system calls, and ends.
            let child = unsafe { libc::fork() };
            if child == 0 {
                let is_locked = no_processes().is_ok();
                // SAFETY: plain system calls on numbers.
                unsafe {
                    let refused = |answer: i64| answer == -1 && *libc::__errno_location() == libc::EPERM;
                    let process = libc::syscall(libc::SYS_clone, libc::SIGCHLD, 0, 0, 0, 0);
                    if process == 0 {
                        libc::_exit(0);
                    }
                    let is_alone = refused(process);
                    let is_offline = refused(libc::socket(libc::AF_INET, libc::SOCK_STREAM, 0).into());
                    let has_files = libc::open(c"/".as_ptr(), libc::O_RDONLY) >= 0;
                    libc::_exit(if is_locked && is_alone && is_offline && has_files { 7 } else { 1 });
                }
            }
            let mut status = 0;
            // SAFETY: waits for that child, with a live number to write to.
            assert_eq!(unsafe { libc::waitpid(child, &raw mut status, 0) }, child);
            assert_eq!(libc::WEXITSTATUS(status), 7);
        }

        #[test]
        fn nothing_that_reaches_others_is_allowed() {
            let allowed: Vec<i64> = file_calls().chain(harmless_calls()).chain(folder_calls()).collect();
            for call in [
                libc::SYS_socket,
                libc::SYS_clone,
                libc::SYS_execve,
                libc::SYS_kill,
                libc::SYS_tgkill,
                libc::SYS_ptrace,
                libc::SYS_renameat2,
                libc::SYS_linkat,
                libc::SYS_symlinkat,
            ] {
                assert!(!allowed.contains(&call), "{call}");
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_missing_is_said() {
        let all = Guarantees { landlock: true, seccomp: true, resources: true };
        assert!(all.missing().is_empty());
        assert_eq!(Guarantees { landlock: false, ..all }.missing().len(), 1);
        let none = Guarantees { landlock: false, seccomp: false, resources: false };
        assert_eq!(none.missing().len(), 2);
    }
}
