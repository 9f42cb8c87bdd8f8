//! What the runtime keeps for each thread of the host. Threads run one after the other, each where it is created.

use super::errors::LastError;
use crate::device::DeviceId;
use crate::program::call::calls;

/// A thread that waits while one runs that it has created.
#[derive(Debug)]
pub struct WaitingThread {
    current: DeviceId,
    last: LastError,
    /// Its number; see `Streams::thread`.
    number: u32,
}

calls! {
    /// A thread begins: with the first device, and without an error.
    [WithoutContext]
    fn __gpulearn_thread_begins(call) {
        let runtime = &mut *call.runtime;
        let last = runtime.errors.exchange_last(None);
        let current = std::mem::take(&mut runtime.current);
        let streams = &mut runtime.streams;
        streams.last_thread += 1;
        let number = std::mem::replace(&mut streams.thread, streams.last_thread);
        runtime.waiting_threads.push(WaitingThread { current, last, number });
        Ok(())
    }

    /// The thread ends, and the one that created it goes on.
    [WithoutContext]
    fn __gpulearn_thread_ends(call) {
        let runtime = &mut *call.runtime;
        if let Some(WaitingThread { current, last, number }) = runtime.waiting_threads.pop() {
            runtime.current = current;
            runtime.streams.thread = number;
            runtime.errors.exchange_last(last);
        }
        Ok(())
    }
}
