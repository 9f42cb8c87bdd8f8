//! Executes decoded kernels. The engine emits events and enforces the rules of the machine; which defects are
//! reported beyond those rules, and what is counted, is up to the observers.
//!
//! - `launch`: what a launch consists of; `worker`: the state of a host thread and of a thread block; `observer`: the
//!   events; `findings`: the log of what was found; `side`: a side of a finding.
//! - `grid`: distributes the thread blocks over host threads and joins the results in block order.
//! - `block`: schedules the warps of a block and releases its barriers.
//! - `step`: runs one warp, basic block by basic block, until it must wait; `issue`: an instruction that it has issued.
//! - `warp`: divergence: the groups of lanes of a warp, which group runs next, and where groups reconverge.
//! - `cluster`: the blocks of a cluster, which run together and can access each other's shared memory.
//! - `clock`: the values that a kernel reads from its clocks.
//! - `spin`: detects loops that wait for other threads; `endless_loop`: detects loops that never end;
//!   `external_wait`: finds the memory that such a loop polls.
//! - `stuck`: detects and reports blocks in which no thread can continue.
//! - `step_budget`: ends blocks that have used up their instruction budget; `interleaving`: draws the turns of
//!   blocks that run alternately.
//! - `undefined`: tracks values that come from memory never written, and `undefined_bytes` those that a block leaves
//!   there; `unwritten`: the loads and stores where such
//!   values are read and stored.
//! - `access`, `transfer`, `bank`, `local_access`: memory instructions; `fault`: accesses that are refused; `kernel_heap`: the bounds
//!   of blocks that kernels allocated; `note`: the record of accesses to global memory. `bulk`, `tensor_copy`: bulk
//!   asynchronous copies. `collective`, `call`, `builtin`, `system`, `matrix`, `texture`: the other instructions.
//! - `warpgroup`: matrix products of a warpgroup (`wgmma`); `wgmma_in_flight`: their registers until the wait.
//! - `compiled`: runs warps with machine code.
//! - `work`: derives the amount of work from how often each basic block ran.

pub mod access;
pub mod bank;
pub mod block;
pub mod builtin;
mod bulk;
pub mod call;
pub mod clock;
pub mod cluster;
pub mod collective;
pub mod compiled;
mod endless_loop;
mod external_wait;
pub mod fault;
pub mod findings;
pub mod grid;
pub mod interleaving;
mod issue;
pub mod kernel_heap;
pub mod launch;
pub mod local_access;
pub mod matrix;
pub mod note;
pub mod observer;
pub mod side;
pub mod spin;
pub mod step;
mod step_budget;
mod stuck;
pub mod system;
mod tensor_copy;
mod texture;
pub mod transfer;
pub mod undefined;
pub mod undefined_bytes;
mod unwritten;
pub mod warp;
mod warpgroup;
mod wgmma_in_flight;
mod work;
pub mod worker;

pub(crate) use undefined::{Vacated, bitwise, vacated, vacated_by_load, whole};
