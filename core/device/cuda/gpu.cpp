// SPDX-License-Identifier: Apache-2.0
#include "device/cuda/gpu.h"

#include "compile/nvjitlink.h"
#include "device/cuda/helper_kernels.h"

#include <algorithm>
#include <bit>
#include <chrono>
#include <fmt/format.h>
#include <thread>
#include <utility>

namespace sparserl::cuda {

namespace {

constexpr std::int64_t mostSpareBytes = std::int64_t(8) << 30;
/// A measurement holds about a dozen blocks, most of them tables. With fewer spares than that, each program
/// would reserve and free some of them, and the largest among them.
constexpr std::size_t mostSpares = 64;
/// Up to here sizes are rounded, so that what one program gave back fits the next one.
constexpr std::int64_t mostRounded = std::int64_t(256) << 20;

/// A table must not take the block of an arena: more than half of it and this lie idle in no spare.
constexpr std::int64_t mostIdle = std::int64_t(64) << 10;

/// At least 256 bytes, in steps of a quarter to an eighth.
std::int64_t blockBytes(std::int64_t bytes)
{
    bytes = std::max<std::int64_t>(bytes, 256);
    if (bytes > mostRounded)
        return bytes;
    const auto step = static_cast<std::int64_t>(std::bit_floor(static_cast<std::uint64_t>(bytes))) / 4;
    return roundUp(bytes, std::max<std::int64_t>(step, 256));
}

/// Errors after which the context answers nothing any more.
bool isSticky(CUresult code)
{
    switch (code) {
    case CUDA_ERROR_ILLEGAL_ADDRESS:
    case CUDA_ERROR_MISALIGNED_ADDRESS:
    case CUDA_ERROR_INVALID_ADDRESS_SPACE:
    case CUDA_ERROR_INVALID_PC:
    case CUDA_ERROR_HARDWARE_STACK_ERROR:
    case CUDA_ERROR_ILLEGAL_INSTRUCTION:
    case CUDA_ERROR_LAUNCH_FAILED:
    case CUDA_ERROR_LAUNCH_TIMEOUT:
    case CUDA_ERROR_ASSERT:
    case CUDA_ERROR_ECC_UNCORRECTABLE:
    case CUDA_ERROR_NVLINK_UNCORRECTABLE:
    case CUDA_ERROR_CONTEXT_IS_DESTROYED:
    case CUDA_ERROR_DEINITIALIZED:
        return true;
    default:
        return false;
    }
}

} // namespace

double now()
{
    using namespace std::chrono;
    return duration<double>(steady_clock::now().time_since_epoch()).count();
}

DeviceMemory::DeviceMemory(Gpu& gpu, CUdeviceptr address, std::int64_t bytes)
    : m_gpu(&gpu)
    , m_address(address)
    , m_bytes(bytes)
{
}

DeviceMemory::~DeviceMemory()
{
    release();
}

DeviceMemory::DeviceMemory(DeviceMemory&& other) noexcept
    : m_gpu(std::exchange(other.m_gpu, nullptr))
    , m_address(std::exchange(other.m_address, 0))
    , m_bytes(std::exchange(other.m_bytes, 0))
{
}

DeviceMemory& DeviceMemory::operator=(DeviceMemory&& other) noexcept
{
    if (this != &other) {
        release();
        m_gpu = std::exchange(other.m_gpu, nullptr);
        m_address = std::exchange(other.m_address, 0);
        m_bytes = std::exchange(other.m_bytes, 0);
    }
    return *this;
}

void DeviceMemory::release()
{
    if (m_gpu && m_address)
        m_gpu->give(m_address, m_bytes);
    m_gpu = nullptr;
    m_address = 0;
}

Result<std::unique_ptr<Gpu>> Gpu::open(int ordinal, const std::filesystem::path& driverLibrary)
{
    SPARSERL_TRY(auto driver, Driver::load(driverLibrary));
    std::unique_ptr<Gpu> gpu(new Gpu);
    gpu->m_driver = std::move(driver);
    SPARSERL_CHECK(gpu->start(ordinal));
    return gpu;
}

Status Gpu::start(int ordinal)
{
    int count = 0;
    SPARSERL_CHECK(check(api().deviceGetCount(&count), "counting the GPUs"));
    if (count == 0)
        return fail(
            "the NVIDIA driver finds no GPU",
            "give this machine or container access to one (CUDA_VISIBLE_DEVICES?), or choose the device sim");
    if (ordinal < 0 || ordinal >= count)
        return fail(fmt::format("there is no GPU {}: this machine has {}", ordinal, count),
                    fmt::format("use one from 0 to {}", count - 1));
    SPARSERL_TRY(auto info, describeGpu(api(), ordinal));
    m_info = std::move(info);
    if (m_info.major < 8)
        return fail(fmt::format("{} is older than Ampere (compute capability {}.{})", m_info.name,
                                m_info.major, m_info.minor),
                    "use a GPU with compute capability 8.0 or higher, or choose the device sim");
    SPARSERL_CHECK(check(api().deviceGet(&m_device, ordinal), "opening the GPU"));
    SPARSERL_CHECK(check(api().primaryCtxRetain(&m_context, m_device), "making a context"));
    SPARSERL_CHECK(begin());
    // No program can keep lines in L2 beyond its own call (docs/evaluation.md 3 #13). A GPU without the
    // feature refuses, and then there is nothing to turn off.
    api().ctxSetLimit(CU_LIMIT_PERSISTING_L2_CACHE_SIZE, 0);
    api().ctxResetPersistingL2Cache();
    // A blocking stream: copies from pageable memory, which return before they have arrived, go before its
    // work.
    SPARSERL_CHECK(check(api().streamCreate(&m_stream, CU_STREAM_DEFAULT), "making a stream"));
    SPARSERL_CHECK(check(api().eventCreate(&m_done, CU_EVENT_DISABLE_TIMING), "making an event"));
    return loadHelpers();
}

Status Gpu::loadHelpers()
{
    CUresult code = api().moduleLoadDataEx(&m_helperModule, helperKernels, 0, nullptr, nullptr);
    if (code != CUDA_SUCCESS) {
        // Containers sometimes lack the driver's own assembler; ours does the same.
        const auto assembler = NvJitLink::load();
        if (assembler) {
            const auto assembled = assembler->assemble(helperKernels, m_info.architecture());
            if (assembled && assembled->ok)
                code = api().moduleLoadDataEx(&m_helperModule, assembled->cubin.data(), 0, nullptr, nullptr);
        }
    }
    SPARSERL_CHECK(check(code, "loading the helper kernels"));
    const std::pair<CUfunction*, const char*> functions[] = {
        {&m_helpers.empty, "sparserl_empty"},        {&m_helpers.checksum, "sparserl_checksum"},
        {&m_helpers.zoneFill, "sparserl_zone_fill"}, {&m_helpers.zoneCheck, "sparserl_zone_check"},
        {&m_helpers.fill, "sparserl_fill"},          {&m_helpers.read, "sparserl_read"},
        {&m_helpers.copy, "sparserl_copy"},          {&m_helpers.poison, "sparserl_poison"},
        {&m_helpers.signs, "sparserl_signs"},        {&m_helpers.scrub, "sparserl_scrub"},
        {&m_helpers.compare, "sparserl_compare"},    {&m_helpers.compare64, "sparserl_compare64"}};
    for (const auto& [function, name] : functions) {
        if (auto ok =
                check(api().moduleGetFunction(function, m_helperModule, name), "finding the helper kernels");
            !ok)
            return ok;
    }
    return check(api().funcSetAttribute(m_helpers.scrub, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES,
                                        static_cast<int>(m_info.maxSharedOptinPerBlock)),
                 "allowing a helper kernel its shared memory");
}

Gpu::~Gpu()
{
    if (!m_context || m_poisoned)
        return;
    api().ctxSetCurrent(m_context);
    m_flush = {};
    freeSpares();
    if (m_helperModule)
        api().moduleUnload(m_helperModule);
    if (m_done)
        api().eventDestroy(m_done);
    if (m_stream)
        api().streamDestroy(m_stream);
    api().ctxSetCurrent(nullptr);
    api().primaryCtxRelease(m_device);
}

Status Gpu::begin()
{
    if (m_poisoned)
        return fail("the GPU's context is unusable after a kernel that failed or did not end",
                    "start a new process");
    return check(api().ctxSetCurrent(m_context), "making its context current");
}

Status Gpu::check(CUresult code, std::string_view doing)
{
    if (code == CUDA_SUCCESS)
        return {};
    if (isSticky(code))
        m_poisoned = true;
    return fail(fmt::format("the GPU failed while {}: {}", doing, api().describe(code)));
}

Result<DeviceMemory> Gpu::allocate(std::int64_t bytes, std::string_view what)
{
    bytes = blockBytes(bytes);
    // The smallest spare that fits, unless most of it would lie idle.
    auto best = m_spares.end();
    for (auto it = m_spares.begin(); it != m_spares.end(); ++it) {
        if (it->bytes >= bytes && it->bytes / 2 <= bytes + mostIdle &&
            (best == m_spares.end() || it->bytes < best->bytes))
            best = it;
    }
    if (best != m_spares.end()) {
        const Spare spare = *best;
        m_spares.erase(best);
        return DeviceMemory(*this, spare.address, spare.bytes);
    }
    CUdeviceptr address = 0;
    CUresult code = api().memAlloc(&address, static_cast<std::size_t>(bytes));
    if (code == CUDA_ERROR_OUT_OF_MEMORY && !m_spares.empty()) {
        freeSpares();
        code = api().memAlloc(&address, static_cast<std::size_t>(bytes));
    }
    if (code == CUDA_ERROR_OUT_OF_MEMORY)
        return failOutOfMemory(fmt::format("{} needs {:.1f} MiB, which the GPU does not have free", what,
                                           static_cast<double>(bytes) / (1 << 20)),
                               "close other programs that use the GPU, or use a smaller matrix");
    SPARSERL_CHECK(check(code, "reserving memory"));
    return DeviceMemory(*this, address, bytes);
}

void Gpu::give(CUdeviceptr address, std::int64_t bytes)
{
    if (m_poisoned)
        return;
    m_spares.push_back({address, bytes});
    std::int64_t held = 0;
    for (const Spare& spare : m_spares)
        held += spare.bytes;
    // The oldest goes first.
    while (!m_spares.empty() && (held > mostSpareBytes || m_spares.size() > mostSpares)) {
        held -= m_spares.front().bytes;
        (void)check(api().memFree(m_spares.front().address), "giving memory back");
        m_spares.erase(m_spares.begin());
    }
}

void Gpu::freeSpares()
{
    for (const Spare& spare : m_spares)
        (void)check(api().memFree(spare.address), "giving memory back");
    m_spares.clear();
}

Status Gpu::upload(CUdeviceptr to, const void* from, std::size_t bytes)
{
    if (bytes == 0)
        return {};
    return check(api().memcpyHtoD(to, from, bytes), "copying to it");
}

Status Gpu::download(void* to, CUdeviceptr from, std::size_t bytes)
{
    if (bytes == 0)
        return {};
    return check(api().memcpyDtoH(to, from, bytes), "copying from it");
}

Status Gpu::launchHelper(CUfunction function, unsigned blocks, unsigned threads, void** arguments,
                         std::string_view doing, unsigned rows)
{
    return check(
        api().launchKernel(function, blocks, rows, 1, threads, 1, 1, 0, m_stream, arguments, nullptr), doing);
}

std::optional<Fault> Gpu::faultOf(CUresult code) const
{
    Fault fault;
    switch (code) {
    case CUDA_ERROR_ILLEGAL_ADDRESS:
    case CUDA_ERROR_INVALID_ADDRESS_SPACE:
        fault.kind = FaultKind::OutOfBounds;
        fault.message = "an access outside every array";
        break;
    case CUDA_ERROR_MISALIGNED_ADDRESS:
        fault.kind = FaultKind::OutOfBounds;
        fault.message = "a misaligned access";
        break;
    case CUDA_ERROR_INVALID_PC:
    case CUDA_ERROR_HARDWARE_STACK_ERROR:
    case CUDA_ERROR_ILLEGAL_INSTRUCTION:
    case CUDA_ERROR_LAUNCH_FAILED:
    case CUDA_ERROR_ASSERT:
        fault.kind = FaultKind::LaunchError;
        fault.message = "the kernel was stopped by a trap or a hardware exception";
        break;
    case CUDA_ERROR_LAUNCH_TIMEOUT:
        fault.kind = FaultKind::Timeout;
        fault.message = "the driver stopped a kernel that did not end";
        break;
    // These two are what a launch itself says and are not sticky.
    case CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES:
        fault.kind = FaultKind::LaunchError;
        fault.message = "the launch needs more registers, shared or local memory than the GPU has";
        fault.outOfMemory = true;
        break;
    case CUDA_ERROR_INVALID_VALUE:
        fault.kind = FaultKind::LaunchError;
        fault.message = "the GPU does not accept this launch";
        break;
    default:
        return std::nullopt;
    }
    fault.message += fmt::format(": {}", api().describe(code));
    return fault;
}

Result<std::optional<Fault>> Gpu::settle(double seconds)
{
    const double begin = now();
    CUresult code = api().eventRecord(m_done, m_stream);
    if (code == CUDA_SUCCESS) {
        // Spin while a short kernel may still run: sleeping costs more than it takes. At first without
        // yielding, which on a host where others wait for this core takes milliseconds, for kernels that take
        // microseconds.
        for (double waited = 0; (code = api().eventQuery(m_done)) == CUDA_ERROR_NOT_READY;
             waited = now() - begin) {
            if (waited > seconds) {
                m_poisoned = true;
                Fault fault;
                fault.kind = FaultKind::Timeout;
                fault.message = fmt::format("the program did not end within {:.3g} s", seconds);
                return fault;
            }
            if (waited > 0.005)
                std::this_thread::sleep_for(std::chrono::microseconds(100));
            else if (waited > 0.0002)
                std::this_thread::yield();
        }
    }
    if (code == CUDA_SUCCESS)
        return std::nullopt;
    if (isSticky(code)) {
        m_poisoned = true;
        if (auto fault = faultOf(code))
            return fault;
    }
    return fail(fmt::format("the GPU failed while a program ran: {}", api().describe(code)));
}

Status Gpu::flushL2()
{
    const std::int64_t l2 = std::max<std::int64_t>(m_info.l2Bytes, 1 << 20) / 256 * 256;
    if (!m_flush) {
        SPARSERL_TRY(auto memory, allocate(3 * l2 + 256, "flushing the caches"));
        m_flush = std::move(memory);
        SPARSERL_CHECK(
            check(api().memsetD32Async(m_flush.address(), 1, static_cast<std::size_t>(3 * l2 / 4), m_stream),
                  "preparing the flush"));
    }
    CUdeviceptr written = m_flush.address(), read = written + 2 * l2, sink = written + 3 * l2;
    std::uint64_t writes = static_cast<std::uint64_t>(2 * l2 / 16),
                  reads = static_cast<std::uint64_t>(l2 / 16);
    unsigned value = 0x5a17c3e9u, repeats = 1;
    const unsigned blocks = static_cast<unsigned>(m_info.smCount) * 8;
    void* writeArguments[] = {&written, &writes, &value};
    SPARSERL_CHECK(launchHelper(m_helpers.fill, blocks, 256, writeArguments, "flushing L2"));
    void* readArguments[] = {&read, &reads, &repeats, &sink};
    return launchHelper(m_helpers.read, blocks, 256, readArguments, "flushing L2");
}

Status Gpu::scrubShared(std::uint64_t seed)
{
    const auto bytes = static_cast<unsigned>(m_info.maxSharedOptinPerBlock);
    unsigned words = bytes / 4;
    void* arguments[] = {&seed, &words};
    // A block that has all of an SM's: as many as there are SMs are one on each.
    return check(api().launchKernel(m_helpers.scrub, static_cast<unsigned>(m_info.smCount), 1, 1, 1024, 1, 1,
                                    bytes, m_stream, arguments, nullptr),
                 "clearing shared memory");
}

unsigned Gpu::blocksFor(std::uint64_t words) const
{
    const auto most = static_cast<std::uint64_t>(m_info.smCount) * 8;
    return static_cast<unsigned>(std::clamp<std::uint64_t>((words + 255) / 256, 1, most));
}

} // namespace sparserl::cuda
