//! Runs decoded kernels. The engine emits events and keeps the rules of the machine; what is a
//! defect beyond those rules, and what is counted, is up to the observers.
//!
//! - `grid`: host threads take blocks; results are joined in block order.
//! - `block`: the warps of a block take turns; barriers.
//! - `step`: one warp runs basic blocks until it must wait.
//! - `warp`: the groups of a diverged warp, who runs next, where they meet again.
//! - `cluster`: blocks that run together, and reach each other's shared memory.
//! - `clock`: what the clocks of a kernel show.
//! - `spin`: loops that wait for others; `endless_loop`: those that never end; `external_wait`: what those wait for.
//! - `stuck`: blocks of which no thread can go on.
//! - `step_budget`: blocks that took all the steps they may; `interleaving`: blocks that take turns.
//! - `undefined`: values that come from memory never written; `unwritten`: where such are loaded and
//!   stored.
//! - `access`, `bank`, `local_access`: memory instructions; `fault`: those that are not done; `note`:
//!   what is kept of them. `collective`, `call`, `system`: the other instructions.
//! - `warpgroup`: products by a warpgroup; `wgmma_in_flight`: their registers until they are waited for.
//! - `compiled`: warps that run machine code.
//! - `work`: what was done, told from how often each basic block ran.

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
pub mod launch;
pub mod local_access;
pub mod matrix;
pub mod note;
pub mod observer;
pub mod spin;
pub mod step;
mod step_budget;
mod stuck;
pub mod system;
mod tensor_copy;
pub mod undefined;
pub mod unit;
mod unwritten;
pub mod warp;
mod warpgroup;
mod wgmma_in_flight;
mod work;

pub(crate) use undefined::bitwise;
