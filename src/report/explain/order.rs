//! What the findings about asynchronous work mean, at length.

use sim::FindingKind;

/// Why it matters and how to see it; `None` for other codes.
pub(super) fn explanation(code: FindingKind) -> Option<&'static str> {
    Some(match code {
        FindingKind::HostReadsEarly => {
            "A kernel launch and cudaMemcpyAsync() return at once; the GPU does the work later. Here the host read memory that such work writes, and nothing had made it wait. The value it got may be the old one.

    cudaMallocHost(&h, bytes);    // from malloc(), the copy would wait
    cudaMemcpyAsync(h, d, bytes, cudaMemcpyDeviceToHost, stream);
    printf(\"%f\\n\", h[0]);          // the copy may not have begun

Wait for the work first, with the smallest wait that does:

    cudaStreamSynchronize(stream);
    printf(\"%f\\n\", h[0]);

That it came out right once proves nothing: the GPU was quick, or the host slow. Run the program with --schedule lazy to see what it can come to."
        }
        FindingKind::HostWritesInFlight => {
            "An asynchronous copy reads its source when its turn comes, not when it is called. Here the host changed pinned memory that a copy or a kernel given earlier may not have used yet, so the work may see the new bytes.

    for (int k = 0; k < chunks; k++) {
        fill(pinned, k);              // copy k - 1 may still read it
        cudaMemcpyAsync(d + k * n, pinned, bytes, cudaMemcpyDefault, stream);
    }

Use two buffers in turn, and before one is filled again, wait for the event recorded behind the copy that used it. With pageable memory the bytes are taken at the call, so there it may be changed at once."
        }
        FindingKind::StreamRace => {
            "Work in one stream is done in order; work in two streams is not ordered at all, unless an event orders it. Here two streams use the same bytes, and at least one of them writes.

    produce<<<g, b, 0, one>>>(data);
    consume<<<g, b, 0, two>>>(data);  // may run before, or beside it

An event says when the first is done, and the second stream waits for it; the host goes on:

    produce<<<g, b, 0, one>>>(data);
    cudaEventRecord(ready, one);
    cudaStreamWaitEvent(two, ready);
    consume<<<g, b, 0, two>>>(data);

The same holds for the default stream and streams made with cudaStreamNonBlocking, and for branches of a graph. Streams may work on different parts of one buffer: what counts is the bytes."
        }
        FindingKind::ManagedInUse => {
            "Managed memory has one address for the host and the GPUs, but no order: here the host touched bytes that a kernel or a copy given earlier may still use.

    cudaMallocManaged(&x, bytes);
    scale<<<g, b>>>(x, n);
    printf(\"%f\\n\", x[0]);          // the kernel may not have begun

    scale<<<g, b>>>(x, n);
    cudaDeviceSynchronize();
    printf(\"%f\\n\", x[0]);

On GPUs before compute capability 6.0 even other bytes of managed memory may not be touched while a kernel runs: the program would crash."
        }
        FindingKind::FreedInUse => {
            "Memory was given back while work that uses it may not be done. cudaFree() waits for the GPU; cudaFreeAsync() does not: it frees when its turn in its own stream comes, whatever other streams do. cudaFreeHost() must not be counted on to wait.

    kernel<<<g, b, 0, one>>>(d);
    cudaFreeAsync(d, two);            // stream two may get there first

    kernel<<<g, b, 0, one>>>(d);
    cudaFreeAsync(d, one);"
        }
        FindingKind::PoolOrder => {
            "Memory from cudaMallocAsync() can be used from that place of its stream on. In another stream nothing says that it exists already.

    cudaMallocAsync(&d, bytes, one);
    kernel<<<g, b, 0, two>>>(d);      // stream two is not behind the allocation

Let the other stream wait:

    cudaMallocAsync(&d, bytes, one);
    cudaEventRecord(made, one);
    cudaStreamWaitEvent(two, made);
    kernel<<<g, b, 0, two>>>(d);"
        }
        FindingKind::NeverAwaited => {
            "The program ended before the GPU had done what it was given. Whatever such a kernel prints is lost: the output of printf() in kernels comes to the terminal when the host waits for the GPU.

    hello<<<1, 4>>>();
    return 0;                         // nothing is printed

    hello<<<1, 4>>>();
    cudaDeviceSynchronize();
    return 0;"
        }
        FindingKind::CollectiveDeadlock => {
            "A collective of NCCL begins when every rank has called it. Here the host waits for one whose other parts were never given, so the wait would never end.

One thread that drives several GPUs must group the calls, else the first of them may wait for the others:

    ncclGroupStart();
    for (int r = 0; r < ranks; r++)
        ncclAllReduce(in[r], out[r], n, ncclFloat, ncclSum, comm[r], st[r]);
    ncclGroupEnd();"
        }
        FindingKind::CollectiveMismatch => {
            "The ranks of one collective asked for different things: another operation, another count, or another type. A real run hangs, or gives wrong values without a word.

Compute the count once and use it for all ranks. Ranks must also make their calls in the same order."
        }
        _ => return None,
    })
}
