"""The CUDA driver through ctypes, as far as measuring needs it: modules, buffers, launches, graphs."""

import ctypes
import ctypes.util
import glob
import os

CAPTURE_RELAXED = 2
ATTRIBUTES = {"shared": 1, "local": 3, "registers": 4}
MOST_DYNAMIC_SHARED = 8


def compiled(source, name, arch, options=()):
    """A cubin, by NVRTC: the newest found in $CUDA_HOME, /usr/local/cuda or the library path."""
    home = os.environ.get("CUDA_HOME", "/usr/local/cuda")
    found = sorted(glob.glob(home + "/lib64/libnvrtc.so*"))[-1:] or [ctypes.util.find_library("nvrtc")]
    nvrtc = ctypes.CDLL(found[0])
    program, size = ctypes.c_void_p(), ctypes.c_size_t()
    nvrtc.nvrtcCreateProgram(ctypes.byref(program), source.encode(), name.encode(), 0, None, None)
    flags = ["--gpu-architecture=" + arch, "-default-device", "-I" + home + "/include", *options]
    failed = nvrtc.nvrtcCompileProgram(
        program, len(flags), (ctypes.c_char_p * len(flags))(*[flag.encode() for flag in flags]))
    if failed:
        nvrtc.nvrtcGetProgramLogSize(program, ctypes.byref(size))
        log = ctypes.create_string_buffer(size.value)
        nvrtc.nvrtcGetProgramLog(program, log)
        raise SystemExit(f"{name} does not compile:\n{log.value.decode()}")
    nvrtc.nvrtcGetCUBINSize(program, ctypes.byref(size))
    cubin = ctypes.create_string_buffer(size.value)
    nvrtc.nvrtcGetCUBIN(program, cubin)
    return cubin.raw


class Gpu:
    def __init__(self):
        self.cuda = ctypes.CDLL("libcuda.so.1")
        self.call("cuInit", 0)
        context, self.device, self.stream = ctypes.c_void_p(), ctypes.c_int(), ctypes.c_void_p()
        self.call("cuDeviceGet", ctypes.byref(self.device), 0)
        self.call("cuDevicePrimaryCtxRetain", ctypes.byref(context), self.device)
        self.call("cuCtxSetCurrent", context)
        self.call("cuStreamCreate", ctypes.byref(self.stream), 1)

    def call(self, name, *arguments):
        code = getattr(self.cuda, name)(*arguments)
        if code:
            text = ctypes.c_char_p()
            self.cuda.cuGetErrorString(code, ctypes.byref(text))
            raise RuntimeError(f"{name}: {(text.value or b'?').decode()}")

    def name(self):
        text = ctypes.create_string_buffer(100)
        self.call("cuDeviceGetName", text, 100, self.device)
        return text.value.decode()

    def arch(self):
        major, minor = ctypes.c_int(), ctypes.c_int()
        self.call("cuDeviceGetAttribute", ctypes.byref(major), 75, self.device)
        self.call("cuDeviceGetAttribute", ctypes.byref(minor), 76, self.device)
        return f"sm_{major.value}{minor.value}"

    def kernel(self, cubin, name):
        module, function = ctypes.c_void_p(), ctypes.c_void_p()
        self.call("cuModuleLoadData", ctypes.byref(module), cubin)
        self.call("cuModuleGetFunction", ctypes.byref(function), module, name.encode())
        return function

    def attribute(self, kernel, name):
        value = ctypes.c_int()
        self.call("cuFuncGetAttribute", ctypes.byref(value), ATTRIBUTES[name], kernel)
        return value.value

    def allow_shared(self, kernel, dynamic_bytes):
        self.call("cuFuncSetAttribute", kernel, MOST_DYNAMIC_SHARED, dynamic_bytes)

    def resident(self, kernel, threads, dynamic_bytes=0):
        blocks = ctypes.c_int()
        self.call("cuOccupancyMaxActiveBlocksPerMultiprocessor", ctypes.byref(blocks), kernel, threads,
                  ctypes.c_size_t(dynamic_bytes))
        return blocks.value

    def allocate(self, bytes_):
        address = ctypes.c_uint64()
        self.call("cuMemAlloc_v2", ctypes.byref(address), ctypes.c_size_t(bytes_))
        return address

    def free(self, address):
        self.call("cuMemFree_v2", address)

    def write(self, address, array):
        self.call("cuMemcpyHtoD_v2", address, ctypes.c_void_p(array.ctypes.data), ctypes.c_size_t(array.nbytes))

    def read(self, array, address):
        self.call("cuMemcpyDtoH_v2", ctypes.c_void_p(array.ctypes.data), address, ctypes.c_size_t(array.nbytes))

    def launch(self, kernel, grid, block, arguments, shared=0):
        pointers = (ctypes.c_void_p * len(arguments))(*[ctypes.addressof(a) for a in arguments])
        self.call("cuLaunchKernel", kernel, *grid, 1, *block, 1, shared, self.stream, pointers, None)

    def wait(self):
        self.call("cuStreamSynchronize", self.stream)

    def milliseconds(self, work):
        """Between two events around `work`."""
        events = [ctypes.c_void_p(), ctypes.c_void_p()]
        for event in events:
            self.call("cuEventCreate", ctypes.byref(event), 0)
        self.call("cuEventRecord", events[0], self.stream)
        work()
        self.call("cuEventRecord", events[1], self.stream)
        self.wait()
        passed = ctypes.c_float()
        self.call("cuEventElapsedTime", ctypes.byref(passed), *events)
        for event in events:
            self.call("cuEventDestroy_v2", event)
        return passed.value

    def graph(self, work):
        """What `work` launches, to be launched again by the function that is returned."""
        graph, made = ctypes.c_void_p(), ctypes.c_void_p()
        self.call("cuStreamBeginCapture_v2", self.stream, CAPTURE_RELAXED)
        work()
        self.call("cuStreamEndCapture", self.stream, ctypes.byref(graph))
        self.call("cuGraphInstantiateWithFlags", ctypes.byref(made), graph, ctypes.c_ulonglong(0))
        return lambda: self.call("cuGraphLaunch", made, self.stream)
