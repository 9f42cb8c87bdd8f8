//! What the findings about threads mean that meet, wait or stop, at length.

use sim::FindingKind;

/// Why it matters and how to see it; `None` for other codes.
pub(super) fn explanation(code: FindingKind) -> Option<&'static str> {
    Some(match code {
        FindingKind::SharedRace => {
            "Two threads of a block touched the same element of shared memory, at least one of them wrote, and nothing decides which comes first. Threads run in no fixed order, not even those of one warp; that it came out right once proves nothing.

A barrier decides: what is before it, in every thread, happens before what is after it, in every thread.

    s[threadIdx.x] = in[i];
    __syncthreads();
    out[i] = s[blockDim.x - 1 - threadIdx.x];

In a loop there are often two places: one barrier between writing and reading, and another before the next round writes again."
        }
        FindingKind::GlobalRace => {
            "Two threads touched the same element of global memory, at least one of them wrote, and nothing decides which comes first. They may be of one block or of different ones; blocks run in any order, or at the same time.

    out[blockIdx.x] = s[threadIdx.x];   // every thread, one element
    x[i] = x[i - 1] + x[i + 1];         // reads what neighbours overwrite

If one value is meant, let one thread write it. If each thread has its own, give each its own element. If the values are to be added, add them first, or with atomicAdd(). A kernel that reads its neighbours writes to another buffer than it reads.

Within a block, __syncthreads() orders what is before it and what is after it. No barrier reaches from block to block: end the kernel there and launch the next one, or hand the data on with a fence and an atomic on either side:

    out[b] = sum;                            // one block
    __threadfence();
    atomicExch(&ready[b], 1);

    while (atomicAdd(&ready[b], 0) == 0) ;   // another
    __threadfence();
    float theirs = out[b];

__threadfence_block() and the _block atomics reach the threads of one block only. A plain access is a race with an atomic as with any other. Only a store of the value that is already there races with no other store.

volatile accesses may meet each other, as atomics may: a word that one thread writes and others watch is no race. But volatile puts nothing else in order, so that data behind such a flag still needs the fences; and it makes no single step of a read and a write:

    *count = *count + 1;             // volatile: of two at once, one is lost
    atomicAdd(count, 1);

Updates that go through several branches, such as if (*best < x) *best = x; are not found so."
        }
        FindingKind::GridBarrier => {
            "this_grid().sync() waits for all blocks of the grid. In a plain launch blocks may start only when others have ended, so such a wait might never end; it is refused.

All blocks must be on the GPU at once. A cooperative launch makes sure of it, or says that they do not fit:

    void *args[] = { &a, &n };
    cudaLaunchCooperativeKernel((void *)kernel, blocks, threads, args);

The most blocks that fit are those of cudaOccupancyMaxActiveBlocksPerMultiprocessor() times the number of multiprocessors."
        }
        FindingKind::CopyInFlight => {
            "A thread asked for an asynchronous copy to shared memory, and somebody read or wrote those bytes, or changed the source, before the thread waited for the copy. A copy goes on behind the instruction that asks for it: until the wait nothing is certain, not even for the thread itself.

    __pipeline_memcpy_async(&tile[4 * t], &in[4 * i], 16);
    __pipeline_commit();
    __syncthreads();              // orders the threads, not the copy
    sum += tile[k];

Wait for the group, then let the threads meet, so that each sees what the others copied:

    __pipeline_wait_prior(0);
    __syncthreads();

The number given to the wait says how many of the latest groups may still be on their way. With two buffers it is 1 while the next tile is being copied, and 0 for the last one."
        }
        FindingKind::ClusterLifetime => {
            "A thread used the shared memory of another block of its cluster, and nothing says that this block had begun, or that it had not ended. The blocks of a cluster run at the same time, but they need not begin or end together, and a block's shared memory is there only while the block is (CUDA programming guide, \"Distributed Shared Memory\").

    float *theirs = cluster.map_shared_rank(tile, rank ^ 1);
    sum += theirs[k];         // the other block may have ended

A barrier of the cluster says both. One stands behind what each block does to its own shared memory first, which the others need in any case; another behind the last access to a block that is not one's own:

    tile[t] = in[i];
    cluster.sync();           // all have begun, and written their tiles
    sum += theirs[k];
    cluster.sync();           // nobody ends before all have read"
        }
        FindingKind::DivergentBarrier => {
            "__syncthreads() is meant for all threads of the block. Here some went another way and never come to this one. The CUDA programming guide allows that only if the whole block decides alike; otherwise what happens is undefined: the rest may wait for ever, or go on too early.

    if (i < n) {
        s[threadIdx.x] = in[i];
        __syncthreads();          // threads with i >= n never get here
    }

Guard the work and leave the barrier outside:

    if (i < n) s[threadIdx.x] = in[i];
    __syncthreads();

A plain early return, if (i >= n) return; before everything else, is not reported: GPUs of compute capability 7.0 and later wait only for the threads that have not ended. Older ones may hang there."
        }
        FindingKind::Deadlock => {
            "Threads wait at a barrier, or for lanes of their warp, and those who should come wait themselves: at another barrier, or in a loop that looks for a lock or a flag which nobody will change any more. On a GPU the program would hang. It is told where they wait, how many, and which loop the others go round.

A __syncthreads() under a lock is the usual one: who has the lock waits there for threads of its own block that wait for the lock.

    while (atomicCAS(lock, 0, 1) != 0) {}
    __syncthreads();              // never complete: the others are still above

Let one thread of the block take the lock and give it back, and the block meet outside. A flag that is set only behind the barrier is the same. So is a block that waits for what another block tells it, while that one has not begun: no GPU promises to begin block 0 first, nor all blocks at once.

Where nobody waits at a barrier, and all that are left go round loops, it is told as a loop that does not end (S001)."
        }
        FindingKind::EndlessLoop => {
            "The kernel was stopped after far more instructions than its work needs. The line shown is where it was.

Look at what ends the loop. A counter that does not change (s *= 2 doubles 1, but leaves 0 as it is), an unsigned counter that is expected to go below zero, or a flag kept in a register: a value that another thread will change must be read as volatile or by an atomic.

A loop may also wait for a block that has not begun. Blocks begin in any order, and only as many as the GPU has room for: let each block take a ticket, n = atomicAdd(ticket, 1), and wait only for those with smaller ones, which have begun. Where blocks talk to each other within a launch, lessons run them again in another order with few at once, and by turns of a few instructions."
        }
        FindingKind::Trap => {
            "The kernel executed a trap instruction: __trap() in the source, or a place that the compiler took to be out of reach, such as the end of a function that returns a value but has no return. A null pointer ends here as well where the compiler can see that it is null: it puts a trap in place of the access."
        }
        FindingKind::AssertFailed => "A condition given to assert() was false in this thread. The kernel stops there, on a GPU as here.",
        FindingKind::StackOverflow => {
            "Calls were nested deeper than a thread's stack. A GPU thread has about a kilobyte by default: recursion must be shallow, or be written as a loop."
        }
        FindingKind::WarpMask => {
            "Functions whose names end in _sync take a mask of the lanes that take part. Each lane named must execute the same call, and each lane that executes it must be named.

    if (lane < 16) v += __shfl_down_sync(0xffffffff, v, 8);  // half never come

Move the call out of the branch, to where all the named lanes come, and let the branch have what it gave:

    int other = __shfl_down_sync(0xffffffff, v, 8);
    if (lane < 16) v += other;

Only where the others have nothing to do with it, name those that come, and let them read from each other only: the last argument parts the lanes into groups of 16.

    if (lane < 16) v += __shfl_down_sync(0x0000ffff, v, 8, 16);

Matrix operations (load_matrix_sync(), mma_sync(), store_matrix_sync(), mma.sync and ldmatrix) take no mask: all 32 lanes must come, since each holds a part of every matrix. The condition of an if around one must be the same in the whole warp, such as threadIdx.x / 32 == 0; the first operation that lanes miss is told, once for each warp."
        }
        _ => return None,
    })
}
