"""What cuDNN and FlashAttention-2 take, as PyTorch calls them: what fast.md compares attention and convolutions with.

    python3 tests/gpu/fast/cudnn.py

256 MiB are read before each call, so the caches hold nothing of it, and the host is ahead of the GPU.
"""

import torch
import torch.nn.functional as F
from torch.nn.attention import SDPBackend, sdpa_kernel

others = torch.zeros(1 << 26, device="cuda")


def median_us(call, calls=30):
    times = []
    for i in range(calls + 6):
        others.sum()
        begin, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
        begin.record()
        call(i)
        end.record()
        end.synchronize()
        if i >= 6:
            times.append(begin.elapsed_time(end) * 1000)
    return sorted(times)[calls // 2]


def uniform(*shape, size):
    return (torch.rand(*shape, device="cuda", dtype=torch.half) * 2 - 1) * size


@torch.no_grad()
def main():
    print(torch.cuda.get_device_name(), "PyTorch", torch.__version__, "cuDNN", torch.backends.cudnn.version())
    torch.backends.cudnn.benchmark = True
    for n, head in ((4096, 128), (2048, 64)):
        q, k, v = (uniform(4, 16, n, head, size=2) for _ in range(3))
        for name, backend in (("cuDNN", SDPBackend.CUDNN_ATTENTION), ("FlashAttention-2", SDPBackend.FLASH_ATTENTION)):
            with sdpa_kernel(backend):
                us = median_us(lambda i: F.scaled_dot_product_attention(q, k, v))
            print(f"{name}, {n} tokens, heads of {head}: {us:.0f} us, {4 * 64 * n * n * head / us * 1e-6:.0f} TFLOP/s")
    for size, channels in ((56, 64), (28, 128), (14, 256), (7, 512)):
        last = torch.channels_last
        images = [uniform(32, channels, size, size, size=1).to(memory_format=last) for _ in range(4)]
        weights = [uniform(channels, channels, 3, 3, size=0.1).to(memory_format=last) for _ in range(4)]
        us = median_us(lambda i: F.conv2d(images[i % 4], weights[i % 4], padding=1))
        flops = 18 * 32 * size * size * channels * channels
        print(f"3x3, 32 images of {size}x{size}, {channels} channels: {us:.1f} us, {flops / us * 1e-6:.0f} TFLOP/s")


main()
