//! The memory of this machine and of this process, as Linux reports it, and how much of it this process keeps.

/// Has the allocator keep memory that is freed, up to some 64 MiB, rather than return it to the system. Each launch on the
/// simulator allocates what it keeps of each byte of memory, and frees it at the end: of many short launches, page faults would
/// take a tenth of the time.
pub fn keep_freed() {
    #[cfg(all(target_os = "linux", target_env = "gnu"))]
    // SAFETY: this sets two numbers of the allocator.
    unsafe {
        // Setting either stops the allocator from adapting the other to what the program does.
        libc::mallopt(libc::M_TRIM_THRESHOLD, 64 << 20);
        libc::mallopt(libc::M_MMAP_THRESHOLD, 16 << 20);
    }
}

/// Returns the resident memory of this process in bytes; 0 where the system does not report it.
pub fn resident_bytes() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    kilobytes(&status, "VmRSS:").map_or(0, |kilobytes| kilobytes << 10)
}

/// Returns the number behind a name in the form in which proc(5) has memory sizes: `VmRSS:     5312 kB`.
fn kilobytes(text: &str, name: &str) -> Option<u64> {
    let rest = text.lines().find_map(|line| line.strip_prefix(name))?;
    rest.split_whitespace().next()?.parse().ok()
}

/// Returns the machine's available memory in bytes; `None` where the system does not report it.
pub fn available_bytes() -> Option<u64> {
    let text = std::fs::read_to_string("/proc/meminfo").ok()?;
    kilobytes(&text, "MemAvailable:").map(|kilobytes| kilobytes << 10)
}

/// Returns how much more memory this process may use, limited by the machine's available memory and by its
/// control group; `None` where the system does not report it.
pub fn available_to_process_bytes() -> Option<u64> {
    let free = available_bytes()?;
    let number = |name: &str| {
        let text = std::fs::read_to_string(format!("/sys/fs/cgroup/{name}")).ok()?;
        text.trim().parse::<u64>().ok()
    };
    let allowed = number("memory.max").zip(number("memory.current"));
    Some(allowed.map_or(free, |(most, held)| free.min(most.saturating_sub(held))))
}
