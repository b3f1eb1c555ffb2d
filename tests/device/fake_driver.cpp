// SPDX-License-Identifier: Apache-2.0
// A libcuda.so.1 for tests: memory is the host's, modules are PTX texts, and kernels run in the simulator's
// interpreter. It fails as the real one does: sticky errors after a bad access or a trap, work that never
// ends after an endless loop, functions that may not be called during a capture. What it is like comes from
// SPARSERL_FAKE_GPU: "version=12040 devices=0 major=7 init=100 overlap=1" in any order.
#include "device/simulator/decode/address_space.h"
#include "device/simulator/execute/launch.h"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <cuda.h>
#include <elf.h>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

using namespace sparserl;

namespace {

struct FakeModule
{
    ptx::Module module;
    std::map<std::string, std::unique_ptr<struct FakeFunction>> functions;
};

struct FakeFunction
{
    sim::KernelCode code;
    std::int64_t sharedLimit = 48 * 1024;
};

using FakeNode = std::function<CUresult()>;

/// Each node follows the one before it. With "overlap=1", captured nodes follow programmatically: they may
/// start before the one before them ends, and do so here.
struct FakeGraph
{
    std::vector<FakeNode> nodes;
    std::vector<bool> waits; ///< Of each node: until the one before it has ended.
};

struct FakeEvent
{
    double time = 0;
    bool recorded = false, hung = false;
};

struct Machine
{
    int version = 13000, devices = 1, major = 9, init = 0;
    bool initialised = false;
    std::string settings;
    CUresult sticky = CUDA_SUCCESS;
    bool hung = false;
    sim::SimulatedMemory memory;
    std::vector<std::vector<std::byte>> storage;
    std::vector<bool> used;
    bool capturing = false;
    FakeGraph captured;
    int contexts = 0;
    int allocations = 0;   ///< All that ever were.
    int recordedSince = 0; ///< Events since one was last asked for.
    double recordedFirst = 0;
    int lateRows = 0;
    std::map<void*, std::shared_ptr<void>> objects; ///< Streams, events, graphs, modules.
};

/// Contexts made current in a thread; there is only one context.
thread_local std::vector<CUcontext> currentContexts;

Machine& machine()
{
    static Machine one;
    return one;
}

/// Objects of the context. What a poisoned context had is never given back: the driver's memory, not a leak.
template <typename Handle, typename T>
Handle handOut(std::unique_ptr<T> object)
{
    T* const address = object.get();
    machine().objects.emplace(address, std::shared_ptr<T>(std::move(object)));
    return reinterpret_cast<Handle>(address);
}

double seconds()
{
    using namespace std::chrono;
    return duration<double>(steady_clock::now().time_since_epoch()).count();
}

int setting(const char* name, int otherwise)
{
    const char* text = std::getenv("SPARSERL_FAKE_GPU");
    const char* at = text ? std::strstr(text, name) : nullptr;
    return at ? std::atoi(at + std::strlen(name)) : otherwise;
}

/// The host address of device memory, if [address, address + bytes) lies in one allocation.
std::byte* host(CUdeviceptr address, std::size_t bytes)
{
    Machine& m = machine();
    const auto index = static_cast<std::size_t>(address >> sim::regionShift) - 1;
    if (index == 0 || index >= m.memory.regions.size() || !m.used[index])
        return nullptr;
    sim::Region& region = m.memory.regions[index];
    if (address < region.base || address - region.base + bytes > region.bytes)
        return nullptr;
    return region.host + (address - region.base);
}

CUresult ready()
{
    Machine& m = machine();
    if (!m.initialised)
        return CUDA_ERROR_NOT_INITIALIZED;
    return m.sticky;
}

/// FakeNode on a stream: into the graph during a capture, else now.
CUresult submit(FakeNode work)
{
    Machine& m = machine();
    if (const CUresult code = ready(); code != CUDA_SUCCESS)
        return code;
    if (m.capturing) {
        m.captured.nodes.push_back(std::move(work));
        return CUDA_SUCCESS;
    }
    return m.hung ? CUDA_SUCCESS : work();
}

/// PTX, or what fake_nvjitlink.cpp put behind a cubin.
std::string textOf(const char* image)
{
    if (std::memcmp(image,
                    "\x7f"
                    "ELF",
                    4) != 0)
        return image;
    Elf64_Ehdr header;
    std::memcpy(&header, image, sizeof header);
    std::size_t end = header.e_shoff + std::size_t(header.e_shentsize) * header.e_shnum;
    end = std::max<std::size_t>(end, header.e_phoff + std::size_t(header.e_phentsize) * header.e_phnum);
    return std::memcmp(image + end, "\n//SPARSERL-FAKE-PTX\n", 21) == 0 ? std::string(image + end)
                                                                        : std::string();
}

CUresult runKernel(FakeFunction& function, const sim::LaunchSetup& setup)
{
    Machine& m = machine();
    if (m.hung)
        return CUDA_SUCCESS;
    sim::Region& constants = m.memory.regions[sim::constantRegion];
    constants.host = const_cast<std::byte*>(function.code.constantBytes.data());
    constants.bytes = function.code.constantBytes.size();
    const sim::LaunchOutcome outcome = sim::runLaunch(m.memory, setup);
    if (!outcome.fault)
        return CUDA_SUCCESS;
    // As on a GPU, the launch itself succeeds; what went wrong shows at the next call.
    if (outcome.fault->kind == FaultKind::Timeout)
        m.hung = true;
    else if (outcome.fault->kind == FaultKind::OutOfBounds)
        m.sticky = outcome.fault->message.find("misaligned") != std::string::npos
                       ? CUDA_ERROR_MISALIGNED_ADDRESS
                       : CUDA_ERROR_ILLEGAL_ADDRESS;
    else
        m.sticky = CUDA_ERROR_LAUNCH_FAILED;
    return CUDA_SUCCESS;
}

} // namespace

extern "C" {

/// For fake_cusparse.cpp.
std::byte* fakeHostAddress(CUdeviceptr address)
{
    return host(address, 0);
}

int fakeAllocations()
{
    return machine().allocations;
}

int fakeSubmit(std::function<void()> work)
{
    return submit([work = std::move(work)] {
        work();
        return CUDA_SUCCESS;
    });
}

CUresult cuInit(unsigned)
{
    Machine& m = machine();
    const char* text = std::getenv("SPARSERL_FAKE_GPU");
    const std::string settings = text ? text : "";
    // NVRTC initialises the driver too; a new session begins with other settings, or where the old one is
    // lost.
    if (m.initialised && m.settings == settings && m.sticky == CUDA_SUCCESS && !m.hung)
        return CUDA_SUCCESS;
    m = Machine{};
    m.settings = settings;
    m.version = setting("version=", 13000);
    m.devices = setting("devices=", 1);
    m.major = setting("major=", 9);
    m.init = setting("init=", 0);
    if (m.init)
        return static_cast<CUresult>(m.init);
    m.initialised = true;
    m.memory.regions.emplace_back(); // constants
    m.memory.regions[0].name = "constant memory";
    m.memory.regions[0].base = sim::regionBase(sim::constantRegion);
    m.memory.regions[0].elementBytes = 1;
    m.storage.emplace_back();
    m.used.push_back(true);
    return CUDA_SUCCESS;
}

CUresult cuDriverGetVersion(int* version)
{
    *version = setting("version=", 13000);
    return CUDA_SUCCESS;
}

/// NVRTC asks for private tables where there is a driver, for its disk cache.
CUresult cuGetExportTable(const void** table, const CUuuid*)
{
    *table = nullptr;
    return CUDA_ERROR_NOT_FOUND;
}

CUresult cuGetErrorName(CUresult code, const char** name)
{
    static const std::map<CUresult, const char*> names{
        {CUDA_SUCCESS, "CUDA_SUCCESS"},
        {CUDA_ERROR_INVALID_VALUE, "CUDA_ERROR_INVALID_VALUE"},
        {CUDA_ERROR_ILLEGAL_ADDRESS, "CUDA_ERROR_ILLEGAL_ADDRESS"},
        {CUDA_ERROR_MISALIGNED_ADDRESS, "CUDA_ERROR_MISALIGNED_ADDRESS"},
        {CUDA_ERROR_LAUNCH_FAILED, "CUDA_ERROR_LAUNCH_FAILED"},
        {CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED, "CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED"}};
    const auto at = names.find(code);
    *name = at == names.end() ? "CUDA_ERROR_OTHER" : at->second;
    return CUDA_SUCCESS;
}

CUresult cuGetErrorString(CUresult, const char** text)
{
    *text = "the fake GPU says so";
    return CUDA_SUCCESS;
}

CUresult cuDeviceGetCount(int* count)
{
    *count = machine().devices;
    return ready();
}

CUresult cuDeviceGet(CUdevice* device, int ordinal)
{
    *device = ordinal;
    return ordinal < machine().devices ? CUDA_SUCCESS : CUDA_ERROR_INVALID_DEVICE;
}

CUresult cuDeviceGetName(char* name, int size, CUdevice)
{
    std::strncpy(name, "Fake GPU", static_cast<std::size_t>(size));
    return CUDA_SUCCESS;
}

CUresult cuDeviceGetAttribute(int* value, CUdevice_attribute which, CUdevice)
{
    switch (which) {
    case CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR:
        *value = machine().major;
        break;
    case CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR:
        *value = 0;
        break;
    case CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT:
        *value = 2;
        break;
    case CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE:
        *value = 1 << 16;
        break;
    case CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_MULTIPROCESSOR:
        *value = 233472;
        break;
    case CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK:
        *value = 49152;
        break;
    case CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN:
        *value = 232448;
        break;
    case CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_MULTIPROCESSOR:
        *value = 65536;
        break;
    case CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR:
        *value = 2048;
        break;
    case CU_DEVICE_ATTRIBUTE_MAX_BLOCKS_PER_MULTIPROCESSOR:
        *value = 32;
        break;
    case CU_DEVICE_ATTRIBUTE_CLOCK_RATE:
        *value = 1980000;
        break;
    case CU_DEVICE_ATTRIBUTE_MEMORY_CLOCK_RATE:
        *value = 3201000;
        break;
    case CU_DEVICE_ATTRIBUTE_GLOBAL_MEMORY_BUS_WIDTH:
        *value = 6144;
        break;
    default:
        return CUDA_ERROR_INVALID_VALUE;
    }
    return CUDA_SUCCESS;
}

CUresult cuDeviceTotalMem_v2(std::size_t* bytes, CUdevice)
{
    *bytes = std::size_t(8) << 20;
    return CUDA_SUCCESS;
}

CUresult cuDevicePrimaryCtxRetain(CUcontext* context, CUdevice)
{
    ++machine().contexts;
    *context = reinterpret_cast<CUcontext>(&machine());
    return ready();
}

CUresult cuDevicePrimaryCtxRelease_v2(CUdevice)
{
    --machine().contexts;
    return ready();
}

CUresult cuCtxSetCurrent(CUcontext)
{
    return ready();
}

CUresult cuCtxGetCurrent(CUcontext* context)
{
    *context = currentContexts.empty() ? nullptr : currentContexts.back();
    return ready();
}

CUresult cuCtxPushCurrent_v2(CUcontext context)
{
    currentContexts.push_back(context);
    return ready();
}

CUresult cuCtxPopCurrent_v2(CUcontext* context)
{
    if (currentContexts.empty())
        return CUDA_ERROR_INVALID_CONTEXT;
    *context = currentContexts.back();
    currentContexts.pop_back();
    return ready();
}

CUresult cuCtxGetDevice(CUdevice* device)
{
    *device = 0;
    return currentContexts.empty() ? CUDA_ERROR_INVALID_CONTEXT : ready();
}

CUresult cuCtxSetLimit(CUlimit, std::size_t)
{
    return ready();
}

CUresult cuCtxResetPersistingL2Cache()
{
    return ready();
}

CUresult cuMemAlloc_v2(CUdeviceptr* address, std::size_t bytes)
{
    Machine& m = machine();
    if (const CUresult code = ready(); code != CUDA_SUCCESS)
        return code;
    if (m.capturing)
        return CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;
    std::size_t held = 0;
    for (std::size_t i = 1; i < m.used.size(); ++i)
        held += m.used[i] ? m.storage[i].size() : 0;
    if (held + bytes > (std::size_t(512) << 20))
        return CUDA_ERROR_OUT_OF_MEMORY;
    std::size_t index = 1;
    while (index < m.used.size() && m.used[index])
        ++index;
    if (index == m.used.size()) {
        m.memory.regions.emplace_back();
        m.storage.emplace_back();
        m.used.push_back(false);
    }
    m.used[index] = true;
    ++m.allocations;
    m.storage[index].assign(bytes, std::byte(0xcd));
    sim::Region& region = m.memory.regions[index];
    region = {};
    region.name = "memory";
    region.host = m.storage[index].data();
    region.bytes = bytes;
    region.base = sim::regionBase(static_cast<std::uint32_t>(index));
    region.writable = true;
    *address = region.base;
    return CUDA_SUCCESS;
}

CUresult cuMemFree_v2(CUdeviceptr address)
{
    Machine& m = machine();
    if (const CUresult code = ready(); code != CUDA_SUCCESS)
        return code;
    if (m.hung)
        std::abort(); // the real one would never return
    if (!host(address, 0))
        return CUDA_ERROR_INVALID_VALUE;
    const auto index = static_cast<std::size_t>(address >> sim::regionShift) - 1;
    m.used[index] = false;
    m.memory.regions[index].bytes = 0;
    m.storage[index] = {};
    return CUDA_SUCCESS;
}

CUresult cuMemGetInfo_v2(std::size_t* free, std::size_t* total)
{
    *free = *total = std::size_t(512) << 20;
    return ready();
}

CUresult cuMemcpyHtoD_v2(CUdeviceptr to, const void* from, std::size_t bytes)
{
    Machine& m = machine();
    if (const CUresult code = ready(); code != CUDA_SUCCESS)
        return code;
    if (m.hung)
        std::abort();
    std::byte* at = host(to, bytes);
    if (!at)
        return CUDA_ERROR_INVALID_VALUE;
    std::memcpy(at, from, bytes);
    return CUDA_SUCCESS;
}

CUresult cuMemcpyHtoDAsync_v2(CUdeviceptr to, const void* from, std::size_t bytes, CUstream)
{
    return cuMemcpyHtoD_v2(to, from, bytes);
}

CUresult cuMemcpyDtoH_v2(void* to, CUdeviceptr from, std::size_t bytes)
{
    Machine& m = machine();
    if (const CUresult code = ready(); code != CUDA_SUCCESS)
        return code;
    if (m.hung)
        std::abort();
    const std::byte* at = host(from, bytes);
    if (!at)
        return CUDA_ERROR_INVALID_VALUE;
    std::memcpy(to, at, bytes);
    return CUDA_SUCCESS;
}

CUresult cuMemcpyDtoDAsync_v2(CUdeviceptr to, CUdeviceptr from, std::size_t bytes, CUstream)
{
    std::byte *a = host(to, bytes), *b = host(from, bytes);
    if (!a || !b)
        return CUDA_ERROR_INVALID_VALUE;
    return submit([a, b, bytes] {
        std::memcpy(a, b, bytes);
        return CUDA_SUCCESS;
    });
}

/// Of memory of the host the driver knows nothing.
CUresult cuPointerGetAttribute(void* value, CUpointer_attribute which, CUdeviceptr address)
{
    if (which != CU_POINTER_ATTRIBUTE_MEMORY_TYPE || !host(address, 0))
        return CUDA_ERROR_INVALID_VALUE;
    *static_cast<unsigned*>(value) = CU_MEMORYTYPE_DEVICE;
    return ready();
}

CUresult cuMemsetD8Async(CUdeviceptr to, unsigned char value, std::size_t count, CUstream)
{
    std::byte* at = host(to, count);
    if (!at)
        return CUDA_ERROR_INVALID_VALUE;
    return submit([=] {
        std::memset(at, value, count);
        return CUDA_SUCCESS;
    });
}

CUresult cuMemsetD32Async(CUdeviceptr to, unsigned value, std::size_t count, CUstream)
{
    std::byte* at = host(to, 4 * count);
    if (!at || to % 4)
        return CUDA_ERROR_INVALID_VALUE;
    return submit([=] {
        for (std::size_t i = 0; i < count; ++i)
            std::memcpy(at + 4 * i, &value, 4);
        return CUDA_SUCCESS;
    });
}

CUresult cuStreamCreate(CUstream* stream, unsigned)
{
    *stream = handOut<CUstream>(std::make_unique<int>());
    return ready();
}

CUresult cuStreamDestroy_v2(CUstream stream)
{
    machine().objects.erase(stream);
    return ready();
}

CUresult cuStreamSynchronize(CUstream)
{
    if (machine().capturing)
        return CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;
    if (machine().hung)
        std::abort(); // the real one would never return
    return ready();
}

CUresult cuStreamIsCapturing(CUstream, CUstreamCaptureStatus* status)
{
    *status = machine().capturing ? CU_STREAM_CAPTURE_STATUS_ACTIVE : CU_STREAM_CAPTURE_STATUS_NONE;
    return ready();
}

CUresult cuStreamBeginCapture_v2(CUstream, CUstreamCaptureMode)
{
    Machine& m = machine();
    m.capturing = true;
    m.captured = {};
    return ready();
}

CUresult cuStreamEndCapture(CUstream, CUgraph* graph)
{
    Machine& m = machine();
    m.capturing = false;
    m.captured.waits.assign(m.captured.nodes.size(), setting("overlap=", 0) == 0);
    *graph = handOut<CUgraph>(std::make_unique<FakeGraph>(std::move(m.captured)));
    return ready();
}

CUresult cuEventCreate(CUevent* event, unsigned)
{
    *event = handOut<CUevent>(std::make_unique<FakeEvent>());
    return ready();
}

CUresult cuEventDestroy_v2(CUevent event)
{
    machine().objects.erase(event);
    return ready();
}

CUresult cuEventRecord(CUevent event, CUstream)
{
    Machine& m = machine();
    auto* e = reinterpret_cast<FakeEvent*>(event);
    if (m.recordedSince++ == 0)
        m.recordedFirst = seconds();
    e->recorded = true;
    e->hung = m.hung;
    e->time = seconds();
    return ready();
}

CUresult cuEventQuery(CUevent event)
{
    if (const CUresult code = ready(); code != CUDA_SUCCESS)
        return code;
    // As on a host whose processors are busy: the ends of the first rows of samples are seen late.
    if (std::exchange(machine().recordedSince, 0) > 8 && machine().lateRows < setting("late=", 0)) {
        ++machine().lateRows;
        std::this_thread::sleep_for(
            std::chrono::duration<double>(0.1 + (seconds() - machine().recordedFirst) / 2));
    }
    return reinterpret_cast<FakeEvent*>(event)->hung ? CUDA_ERROR_NOT_READY : CUDA_SUCCESS;
}

CUresult cuEventSynchronize(CUevent)
{
    return cuStreamSynchronize(nullptr);
}

CUresult cuEventElapsedTime_v2(float* milliseconds, CUevent from, CUevent to)
{
    const auto *a = reinterpret_cast<FakeEvent*>(from), *b = reinterpret_cast<FakeEvent*>(to);
    if (!a->recorded || !b->recorded)
        return CUDA_ERROR_INVALID_HANDLE;
    *milliseconds = static_cast<float>(1e3 * (b->time - a->time));
    return ready();
}

// The name that programs built without cuda.h ask for.
#undef cuEventElapsedTime
CUresult cuEventElapsedTime(float* milliseconds, CUevent from, CUevent to)
{
    return cuEventElapsedTime_v2(milliseconds, from, to);
}

CUresult cuGraphInstantiateWithFlags(CUgraphExec* exec, CUgraph graph, unsigned long long)
{
    *exec = handOut<CUgraphExec>(std::make_unique<FakeGraph>(*reinterpret_cast<FakeGraph*>(graph)));
    return ready();
}

CUresult cuGraphGetEdges_v2(CUgraph graph, CUgraphNode* from, CUgraphNode* to, CUgraphEdgeData* data,
                            size_t* count)
{
    const auto& waits = reinterpret_cast<FakeGraph*>(graph)->waits;
    const std::size_t edges = waits.empty() ? 0 : waits.size() - 1;
    if (!from) {
        *count = edges;
        return ready();
    }
    *count = std::min(*count, edges);
    for (std::uintptr_t i = 0; i < *count; ++i) {
        from[i] = reinterpret_cast<CUgraphNode>(i + 1);
        to[i] = reinterpret_cast<CUgraphNode>(i + 2);
        data[i] = {};
        data[i].type =
            waits[i + 1] ? CU_GRAPH_DEPENDENCY_TYPE_DEFAULT : CU_GRAPH_DEPENDENCY_TYPE_PROGRAMMATIC;
    }
    return ready();
}

CUresult cuGraphRemoveDependencies_v2(CUgraph graph, const CUgraphNode* from, const CUgraphNode* to,
                                      const CUgraphEdgeData* data, size_t count)
{
    const auto& waits = reinterpret_cast<FakeGraph*>(graph)->waits;
    for (std::size_t i = 0; i < count; ++i)
        if (reinterpret_cast<std::uintptr_t>(from[i]) + 1 != reinterpret_cast<std::uintptr_t>(to[i]) ||
            waits[reinterpret_cast<std::uintptr_t>(from[i])] !=
                (data[i].type == CU_GRAPH_DEPENDENCY_TYPE_DEFAULT))
            return CUDA_ERROR_INVALID_VALUE;
    return ready();
}

CUresult cuGraphAddDependencies_v2(CUgraph graph, const CUgraphNode* from, const CUgraphNode*,
                                   const CUgraphEdgeData* data, size_t count)
{
    for (std::size_t i = 0; i < count; ++i)
        reinterpret_cast<FakeGraph*>(graph)->waits[reinterpret_cast<std::uintptr_t>(from[i])] =
            !data || data[i].type == CU_GRAPH_DEPENDENCY_TYPE_DEFAULT;
    return ready();
}

CUresult cuGraphLaunch(CUgraphExec exec, CUstream)
{
    const auto& graph = *reinterpret_cast<FakeGraph*>(exec);
    for (std::size_t next = 0; next < graph.nodes.size();) {
        std::size_t end = next + 1;
        while (end < graph.nodes.size() && !graph.waits[end])
            ++end;
        for (std::size_t i = end; i > next; --i)
            if (const CUresult code = submit(graph.nodes[i - 1]); code != CUDA_SUCCESS)
                return code;
        next = end;
    }
    return ready();
}

CUresult cuGraphDestroy(CUgraph graph)
{
    machine().objects.erase(graph);
    return ready();
}

CUresult cuGraphExecDestroy(CUgraphExec exec)
{
    machine().objects.erase(exec);
    return ready();
}

CUresult cuModuleLoadDataEx(CUmodule* module, const void* image, unsigned, CUjit_option*, void**)
{
    if (const CUresult code = ready(); code != CUDA_SUCCESS)
        return code;
    const std::string text = textOf(static_cast<const char*>(image));
    auto parsed = ptx::parse(text);
    if (!parsed)
        return CUDA_ERROR_INVALID_IMAGE;
    auto made = std::make_unique<FakeModule>();
    made->module = std::move(*parsed);
    *module = handOut<CUmodule>(std::move(made));
    return CUDA_SUCCESS;
}

CUresult cuModuleUnload(CUmodule module)
{
    machine().objects.erase(module);
    return ready();
}

CUresult cuModuleGetFunction(CUfunction* function, CUmodule module, const char* name)
{
    auto* from = reinterpret_cast<FakeModule*>(module);
    const ptx::Function* entry = from->module.find(name);
    if (!entry || !entry->entry)
        return CUDA_ERROR_NOT_FOUND;
    auto code = sim::decodeKernel(from->module, *entry);
    if (!code) {
        std::fprintf(stderr, "%s: %s\n", name, code.error().sentence().c_str());
        return CUDA_ERROR_INVALID_IMAGE;
    }
    auto made = std::make_unique<FakeFunction>();
    made->code = std::move(*code);
    *function = reinterpret_cast<CUfunction>(made.get());
    from->functions[name] = std::move(made);
    return CUDA_SUCCESS;
}

CUresult cuModuleGetGlobal_v2(CUdeviceptr*, std::size_t*, CUmodule, const char*)
{
    return CUDA_ERROR_NOT_FOUND;
}

CUresult cuFuncGetAttribute(int* value, CUfunction_attribute which, CUfunction function)
{
    const auto* f = reinterpret_cast<FakeFunction*>(function);
    const std::int64_t bound = f->code.maxntid[0] * f->code.maxntid[1] * f->code.maxntid[2];
    switch (which) {
    case CU_FUNC_ATTRIBUTE_NUM_REGS:
        *value = f->code.registerEstimate;
        break;
    case CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK:
        *value = bound ? static_cast<int>(bound) : 1024;
        break;
    case CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES:
        *value = static_cast<int>(f->code.staticShared);
        break;
    case CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES:
        *value = static_cast<int>(f->code.localBytes);
        break;
    default:
        return CUDA_ERROR_INVALID_VALUE;
    }
    return ready();
}

CUresult cuFuncSetAttribute(CUfunction function, CUfunction_attribute which, int value)
{
    if (which != CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES)
        return CUDA_ERROR_INVALID_VALUE;
    auto* f = reinterpret_cast<FakeFunction*>(function);
    f->sharedLimit = f->code.staticShared + value;
    return ready();
}

CUresult cuOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks, CUfunction function, int threads,
                                                     std::size_t shared)
{
    const auto* f = reinterpret_cast<FakeFunction*>(function);
    *blocks = occupancyOf(*findDeviceModel("h200"), threads, f->code.registerEstimate,
                          f->code.staticShared + static_cast<std::int64_t>(shared), 1 << 20)
                  .blocksPerSm;
    return ready();
}

CUresult cuLaunchKernel(CUfunction function, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by,
                        unsigned bz, unsigned shared, CUstream, void** arguments, void**)
{
    auto* f = reinterpret_cast<FakeFunction*>(function);
    if (gx * gy * gz == 0 || bx * by * bz == 0 || bx * by * bz > 1024 ||
        f->code.staticShared + shared > f->sharedLimit)
        return CUDA_ERROR_INVALID_VALUE;
    sim::LaunchSetup setup;
    setup.code = &f->code;
    setup.shape = {{gx, gy, gz}, {bx, by, bz}};
    setup.dynamicShared = shared;
    setup.params.resize(f->code.paramBytes + 8);
    for (std::size_t i = 0; i < f->code.paramSizes.size(); ++i)
        std::memcpy(setup.params.data() + f->code.paramOffsets[i], arguments[i], f->code.paramSizes[i]);
    setup.checks = Checks::None;
    setup.stepBudget = 20'000'000;
    setup.model = findDeviceModel("h200");
    return submit([f, setup] { return runKernel(*f, setup); });
}

} // extern "C"
