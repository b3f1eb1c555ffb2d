// SPDX-License-Identifier: Apache-2.0
#include "driver.h"

#include <dlfcn.h>

#include <mutex>

namespace sparserl_bundle {

namespace {

constexpr int out_of_memory = 2, no_device_found = 100, invalid_context = 201, unsupported_ptx_version = 222;

template <typename F>
void bind(void* library, F& function, const char* name)
{
    function = reinterpret_cast<F>(dlsym(library, name));
    if (!function)
        throw Failure(Status::no_driver, std::string("the NVIDIA driver is too old: it has no function ") +
                                             name + "; install a newer one");
}

Driver open()
{
    void* library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
    if (!library)
        throw Failure(
            Status::no_driver,
            "no NVIDIA driver was found (libcuda.so.1): this kernel needs a machine with an NVIDIA GPU and "
            "its driver");
    Driver d{};
    bind(library, d.init, "cuInit");
    bind(library, d.get_error_name, "cuGetErrorName");
    bind(library, d.get_error_string, "cuGetErrorString");
    bind(library, d.device_get_count, "cuDeviceGetCount");
    bind(library, d.device_get, "cuDeviceGet");
    bind(library, d.device_get_attribute, "cuDeviceGetAttribute");
    bind(library, d.device_get_name, "cuDeviceGetName");
    bind(library, d.primary_ctx_retain, "cuDevicePrimaryCtxRetain");
    bind(library, d.primary_ctx_release, "cuDevicePrimaryCtxRelease_v2");
    bind(library, d.ctx_get_current, "cuCtxGetCurrent");
    bind(library, d.ctx_push_current, "cuCtxPushCurrent_v2");
    bind(library, d.ctx_pop_current, "cuCtxPopCurrent_v2");
    bind(library, d.ctx_get_device, "cuCtxGetDevice");
    bind(library, d.module_load_data_ex, "cuModuleLoadDataEx");
    bind(library, d.module_unload, "cuModuleUnload");
    bind(library, d.module_get_function, "cuModuleGetFunction");
    bind(library, d.func_set_attribute, "cuFuncSetAttribute");
    bind(library, d.mem_alloc, "cuMemAlloc_v2");
    bind(library, d.mem_free, "cuMemFree_v2");
    bind(library, d.memcpy_htod_async, "cuMemcpyHtoDAsync_v2");
    bind(library, d.memcpy_dtoh, "cuMemcpyDtoH_v2");
    bind(library, d.memcpy_dtod_async, "cuMemcpyDtoDAsync_v2");
    bind(library, d.pointer_get_attribute, "cuPointerGetAttribute");
    bind(library, d.memset_d8_async, "cuMemsetD8Async");
    bind(library, d.stream_create, "cuStreamCreate");
    bind(library, d.stream_destroy, "cuStreamDestroy_v2");
    bind(library, d.stream_synchronize, "cuStreamSynchronize");
    bind(library, d.stream_is_capturing, "cuStreamIsCapturing");
    bind(library, d.stream_begin_capture, "cuStreamBeginCapture_v2");
    bind(library, d.stream_end_capture, "cuStreamEndCapture");
    bind(library, d.graph_instantiate, "cuGraphInstantiateWithFlags");
    bind(library, d.graph_launch, "cuGraphLaunch");
    bind(library, d.graph_exec_destroy, "cuGraphExecDestroy");
    bind(library, d.graph_destroy, "cuGraphDestroy");
    bind(library, d.event_create, "cuEventCreate");
    bind(library, d.event_destroy, "cuEventDestroy_v2");
    bind(library, d.event_record, "cuEventRecord");
    bind(library, d.event_synchronize, "cuEventSynchronize");
    bind(library, d.event_elapsed_time, "cuEventElapsedTime");
    bind(library, d.launch_kernel, "cuLaunchKernel");
    int devices = 0;
    if (d.init(0) != 0 || d.device_get_count(&devices) != 0 || devices == 0)
        throw Failure(Status::no_device,
                      "the NVIDIA driver is there, but it offers no GPU: look at what nvidia-smi says");
    return d;
}

} // namespace

void Driver::check(int code, const char* what) const
{
    if (code == 0)
        return;
    const char *name = "unknown error", *text = nullptr;
    get_error_name(code, &name);
    get_error_string(code, &text);
    std::string sentence = std::string(what) + ": " + (text ? text : "") + " (" + (name ? name : "") + ")";
    if (code == unsupported_ptx_version)
        sentence += "; the driver is older than the compiler that made this kernel: install a newer driver";
    if (code == invalid_context)
        sentence += "; the stream and the memory must be of the GPU that the handle was created on";
    throw Failure(code == out_of_memory     ? Status::out_of_memory
                  : code == no_device_found ? Status::no_device
                                            : Status::driver_error,
                  sentence);
}

const Driver& driver()
{
    // Not a static initialiser: a failure is tried again, and its sentence said again, by the next call.
    static std::mutex mutex;
    static const Driver* opened = nullptr;
    const std::lock_guard<std::mutex> lock(mutex);
    if (!opened)
        opened = new Driver(open()); // For as long as the process lives, as the driver itself.
    return *opened;
}

UseContext::UseContext(Context context)
{
    const Driver& d = driver();
    Context current = nullptr;
    if (d.ctx_get_current(&current) == 0 && current == context)
        return;
    d.check(d.ctx_push_current(context), "making the GPU's context current");
    m_pushed = true;
}

UseContext::~UseContext()
{
    Context popped = nullptr;
    if (m_pushed)
        driver().ctx_pop_current(&popped);
}

} // namespace sparserl_bundle
