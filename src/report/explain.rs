//! What each finding code means, at more length than a verdict has room for.

use super::layout::{pad, paragraph};
use super::{Style, paint};
use crate::sim::Code;

/// Why it matters and how to see it, paragraphs; lines that begin with spaces are code.
fn story(code: Code) -> &'static str {
    match code {
        Code::OutOfBounds => {
            "A thread read or wrote outside the buffer it was given. On a GPU this often goes unnoticed: the neighbouring memory belongs to somebody, so the value is wrong or another result is destroyed.

Most often there are more threads than the data has elements. Those past the end must do nothing:

    int i = threadIdx.x;
    if (i < n) out[i] = in[i];

An index can also be too small. A thread that looks at its neighbour to the left has none at the left edge, where i - 1 is negative:

    if (i >= 1 && i < n) out[i] = in[i] - in[i - 1];

Of an unsigned number, such as threadIdx.x - 1, it is a very large one instead; it is told as what it was meant to be.

With several blocks, i is the index over all of them, and the guard remains. The last block is often only partly needed:

    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = in[i];"
        }
        Code::Misaligned => {
            "A thread touched n bytes at an address that is not a multiple of n. GPUs refuse that: the kernel would end with cudaErrorMisalignedAddress.

It comes from casting a pointer to a wider type. A float4 is 16 bytes, so this needs i to be a multiple of 4:

    float4 v = *(const float4 *)(in + i);"
        }
        Code::NullPointer => {
            "A thread followed a pointer that is zero, or nearly. Either a null pointer was passed to the kernel, or a pointer variable was never given a value."
        }
        Code::ReadOnly => {
            "The kernel wrote to a buffer that is an input here. Whoever launches it still needs that data; and a kernel that overwrites its input can't be run twice, which is what measuring it needs."
        }
        Code::SharedOutOfBounds => {
            "An index into shared memory was outside the array. Shared memory of a block is small and tightly packed, so on a GPU the access usually lands in another array of the same block.

Two sizes must agree: the array's, and the number of threads in the block.

    __shared__ float s[256];      // needs blockDim.x <= 256
    s[threadIdx.x] = in[i];"
        }
        Code::LocalOutOfBounds => {
            "An index into an array declared inside the kernel was outside it. Such an array is the thread's own; past its end lie the thread's other variables."
        }
        Code::UseAfterFree => {
            "A buffer was used after it was given back with cudaFree() or its kin. The memory may by then belong to somebody else: the value is wrong, or another result is destroyed.

A launch returns before the kernel has run, so this can also happen to a buffer that is freed in the right order but too early from another stream. Free memory when the last use of it is known to be over:

    cudaStreamSynchronize(stream);
    cudaFree(p);"
        }
        Code::OtherDevice => {
            "A kernel followed a pointer to memory of another GPU. That is allowed only between GPUs that can reach each other, and after the program has asked for it, from the side that runs the kernel:

    cudaSetDevice(0);
    cudaDeviceEnablePeerAccess(1, 0);   // kernels on 0 may use memory of 1

Without that, copy the data with cudaMemcpyPeer(). A pointer that was allocated while another device was the current one is the usual cause: cudaMalloc() uses the device of the last cudaSetDevice()."
        }
        Code::HostPointer => {
            "A kernel followed a pointer to ordinary host memory: a local variable, a global one, or memory from malloc() or new. GPUs have no access to it.

Copy the data to the device and give the kernel the address there:

    float *d;
    cudaMalloc(&d, n * sizeof(float));
    cudaMemcpy(d, h, n * sizeof(float), cudaMemcpyHostToDevice);
    kernel<<<blocks, threads>>>(d, n);

Small structs can be passed by value, but pointers inside them must point to device memory as well."
        }
        Code::Uninitialised => {
            "A thread read memory that nobody had written. A GPU does not clear memory: what is found there is left over from somebody else, and may happen to be the right value today.

Copying such bytes is no mistake: a structure is copied whole, with its padding and with fields that nobody set. It is told once the value matters: an address or a branch depends on it, an atomic or printf takes it, or it is left in global memory as a result. The line shown is the one that read it first.

In shared memory the usual cause is a guard on the store and none on the load:

    if (i < n) s[threadIdx.x] = in[i];
    __syncthreads();
    sum += s[k];                  // also those that were never stored

Store a neutral value in the other case: s[threadIdx.x] = i < n ? in[i] : 0;

In an output the usual cause is adding to what has no value yet:

    out[i] += in[i];              // reads out[i] first"
        }
        Code::Undefined => {
            "A local variable was used before anything was assigned to it. It holds whatever was left in its register: often zero, until the code around it changes.

    float sum;                    // has no value
    for (int i = 0; i < n; i++)
        sum += in[i];             // adds to what is not there
    out[threadIdx.x] = sum;

Give it one where it is declared: float sum = 0;

The other usual cause is a variable that only some paths assign:

    int best;
    if (in[t] > 0) best = t;      // and otherwise?
    out[t] = best;

The accumulator of a matrix product is such a variable too: fill_fragment(sum, 0.0f) before the first mma_sync().

The line that is shown is where the value first matters: where it is stored, or decides something. Where the compiler sees that there is no value it may pick one: a NaN for float and double, which the results then show, and for integers it may leave out all that was worked out from it, the store included. Results that are NaN or missing for no reason are a hint to look for such a variable."
        }
        Code::SharedRace => {
            "Two threads of a block touched the same element of shared memory, at least one of them wrote, and nothing decides which comes first. Threads run in no fixed order, not even those of one warp; that it came out right once proves nothing.

A barrier decides: what is before it, in every thread, happens before what is after it, in every thread.

    s[threadIdx.x] = in[i];
    __syncthreads();
    out[i] = s[blockDim.x - 1 - threadIdx.x];

In a loop there are often two places: one barrier between writing and reading, and another before the next round writes again."
        }
        Code::GlobalRace => {
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
        Code::GridBarrier => {
            "this_grid().sync() waits for all blocks of the grid. In a plain launch blocks may start only when others have ended, so such a wait might never end; it is refused.

All blocks must be on the GPU at once. A cooperative launch makes sure of it, or says that they do not fit:

    void *args[] = { &a, &n };
    cudaLaunchCooperativeKernel((void *)kernel, blocks, threads, args);

The most blocks that fit are those of cudaOccupancyMaxActiveBlocksPerMultiprocessor() times the number of multiprocessors."
        }
        Code::HostOutOfBounds => {
            "Host code read or wrote outside its arrays. Natively this often goes unnoticed: the bytes beside an array belong to something else, which is changed, or to the allocator, which fails much later somewhere else.

An array of n elements has the indices 0 to n - 1, and a string needs one byte more than it has characters:

    int *a = (int *)malloc(n * sizeof(int));
    for (int i = 0; i < n; i++) a[i] = i;      // not i <= n"
        }
        Code::HostUseAfterFree => {
            "Host code used memory that was given back with free() or delete. Natively the old value is often still there, until something else gets the same memory.

It happens when two pointers lead to one block and one of them frees it, or when a std::vector grows and an older pointer or iterator into it is used."
        }
        Code::HostDoubleFree => {
            "A block of memory was given back twice. Natively that destroys the allocator's own data.

A class that frees in its destructor must not be copied as it is: both copies would free the same block. Delete its copy constructor, or let it copy what it owns."
        }
        Code::HostBadFree => {
            "free() or delete was given an address that malloc() or new never gave: a local or global variable, a place inside a block, or memory of another kind.

Each kind of memory has its own way back: cudaMalloc() and cudaFree(), cudaMallocHost() and cudaFreeHost(), malloc() and free(), new and delete."
        }
        Code::HostNullPointer => {
            "Host code followed a pointer that is zero, or nearly. A pointer variable was never set, or what should have set it failed: malloc() when memory is at its end, or a function that found nothing."
        }
        Code::HostDeadLocal => {
            "Host code used the address of a local variable after the function that it belongs to had returned. Its place on the stack then belongs to the next function that is called.

    int *bad() { int x = 1; return &x; }       // x ends with the function
    int good() { int x = 1; return x; }"
        }
        Code::HostDeviceVariable => {
            "A variable at file scope that kernels use lives in the memory of each GPU. Host code that names it reaches a copy of its own, which no kernel ever sees or changes.

    __device__ int count;

    int host = 0;
    cudaMemcpyToSymbol(count, &host, sizeof(int));
    kernel<<<1, 32>>>();
    cudaMemcpyFromSymbol(&host, count, sizeof(int));

A __managed__ variable is one for both sides."
        }
        Code::DeviceCodeOnHost => {
            "Host code came to something that only kernels have: threadIdx, shared memory, __syncthreads(), an operation of a warp. A function for the device was called by the host.

The host part of a program is compiled together with its kernels here, so a test of __CUDA_ARCH__ holds in both."
        }
        Code::HostBadCall => {
            "A call went through a pointer that leads to no function: a function pointer that was never set, or an object whose memory is no longer, or never was, an object of its class. A kernel is no function either: it is launched."
        }
        Code::HostTrap => {
            "The host's code stopped itself: it called __trap(), or came to a place that the compiler knows can't be reached. The commonest is the end of a function that should return a value and does not.

An atomic operation on a local variable is one too: NVRTC, which compiles host code here, knows no such operation."
        }
        Code::HostStackOverflow => {
            "Functions called each other, or themselves, so deep that the stack was full. A recursion must come to an end, and large local arrays belong on the heap.

    void count(int n) { if (n != 0) count(n - 1); printf(\"%d\\n\", n); }

    count(-1);                        // does not come to zero"
        }
        Code::HostDivision => {
            "Host code divided an integer, or took its remainder, where there is no quotient: the divisor was zero, or the smallest integer was divided by -1, whose quotient is one more than the type holds. The processor stops a program that does so (\"Floating point exception\", though no float is in it). A GPU does not stop: kernels get a number that means nothing.

    int mean(int sum, int n) { return n == 0 ? 0 : sum / n; }"
        }
        Code::CopyInFlight => {
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
        Code::DivergentBarrier => {
            "__syncthreads() is meant for all threads of the block. Here some went another way and never come to this one. The CUDA programming guide allows that only if the whole block decides alike; otherwise what happens is undefined: the rest may wait for ever, or go on too early.

    if (i < n) {
        s[threadIdx.x] = in[i];
        __syncthreads();          // threads with i >= n never get here
    }

Guard the work and leave the barrier outside:

    if (i < n) s[threadIdx.x] = in[i];
    __syncthreads();

An early return before a barrier is reported as well. GPUs of compute capability 7.0 and later wait only for the threads that have not ended, older ones may hang; a kernel should not depend on which it meets. So guard the work instead of returning."
        }
        Code::Deadlock => {
            "Threads wait at a barrier, or for lanes of their warp, and those who should come wait themselves: at another barrier, or in a loop that looks for a lock or a flag which nobody will change any more. On a GPU the program would hang. It is told where they wait, how many, and which loop the others go round.

A __syncthreads() under a lock is the usual one: who has the lock waits there for threads of its own block that wait for the lock.

    while (atomicCAS(lock, 0, 1) != 0) {}
    __syncthreads();              // never complete: the others are still above

Let one thread of the block take the lock and give it back, and the block meet outside. A flag that is set only behind the barrier is the same. So is a block that waits for what another block tells it, while that one has not begun: no GPU promises to begin block 0 first, nor all blocks at once.

Where nobody waits at a barrier, and all that are left go round loops, it is told as a loop that does not end (S001)."
        }
        Code::EndlessLoop => {
            "The kernel was stopped after far more instructions than its work needs. The line shown is where it was.

Look at what ends the loop. A counter that does not change (s *= 2 doubles 1, but leaves 0 as it is), an unsigned counter that is expected to go below zero, or a flag kept in a register: a value that another thread will change must be read as volatile or by an atomic.

A loop may also wait for a block that has not begun. Blocks begin in any order, and only as many as the GPU has room for: let each block take a ticket, n = atomicAdd(ticket, 1), and wait only for those with smaller ones, which have begun. Where blocks talk to each other within a launch, lessons run them once more in another order with few at once."
        }
        Code::Trap => {
            "The kernel executed a trap instruction: __trap() in the source, or a place that the compiler took to be out of reach, such as the end of a function that returns a value but has no return. A null pointer ends here as well where the compiler can see that it is null: it puts a trap in place of the access."
        }
        Code::AssertFailed => "A condition given to assert() was false in this thread. The kernel stops there, on a GPU as here.",
        Code::StackOverflow => {
            "Calls were nested deeper than a thread's stack. A GPU thread has about a kilobyte by default: recursion must be shallow, or be written as a loop."
        }
        Code::WarpMask => {
            "Functions whose names end in _sync take a mask of the lanes that take part. Each lane named must execute the same call, and each lane that executes it must be named.

    if (lane < 16) v += __shfl_down_sync(0xffffffff, v, 8);  // half never come

Move the call out of the branch, to where all the named lanes come, and let the branch have what it gave:

    int other = __shfl_down_sync(0xffffffff, v, 8);
    if (lane < 16) v += other;

Only where the others have nothing to do with it, name those that come, and let them read from each other only: the last argument parts the lanes into groups of 16.

    if (lane < 16) v += __shfl_down_sync(0x0000ffff, v, 8, 16);

Matrix operations (load_matrix_sync(), mma_sync(), store_matrix_sync(), mma.sync and ldmatrix) take no mask: all 32 lanes must come, since each holds a part of every matrix. The condition of an if around one must be the same in the whole warp, such as threadIdx.x / 32 == 0; the first operation that lanes miss is told, once for each warp."
        }
        other => super::explain_order::story(other)
            .or_else(|| super::explain_advice::story(other))
            .unwrap_or_else(|| super::explain_program::story(other)),
    }
}

/// One code in full.
pub fn explain(code: Code, style: &Style) -> String {
    let head = format!("{}  {}", code.code(), code.slug());
    let mut out = paint::bold(&head) + "\n";
    out += &paragraph(&sentence(code.title()), style.width, 0);
    out.push('\n');
    let story = story(code);
    for block in story.split("\n\n").filter(|b| !b.is_empty()) {
        let prose = block.lines().take_while(|l| !l.starts_with(' ')).collect::<Vec<_>>().join(" ");
        out += &paragraph(&prose, style.width, 0);
        for line in block.lines().skip_while(|l| !l.starts_with(' ')) {
            out += &format!("{line}\n");
        }
        out.push('\n');
    }
    out += &paragraph(&format!("Try: {}", code.help()), style.width, 0);
    out
}

fn sentence(title: &str) -> String {
    let mut letters = title.chars();
    let first: String = letters.next().map(|c| c.to_uppercase().collect()).unwrap_or_default();
    format!("{first}{}.", letters.as_str())
}

/// Every code with its title.
pub fn explain_all(style: &Style) -> String {
    let slug = Code::ALL.iter().map(|c| c.slug().len()).max().unwrap_or(0);
    let mut out = String::new();
    for code in Code::ALL {
        let line = format!("{}  {}  {}", code.code(), pad(code.slug(), slug), code.title());
        out += &super::layout::truncate(&line, style.width);
        out.push('\n');
    }
    out + &paint::dim(&format!("\nMore of one: {} explain R001\n", style.command))
}
