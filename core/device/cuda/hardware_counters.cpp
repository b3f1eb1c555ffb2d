// SPDX-License-Identifier: Apache-2.0
#include "device/cuda/hardware_counters.h"

#include "machine/cuda_libraries.h"

#include <array>
#include <cmath>
#include <cupti_profiler_host.h>
#include <cupti_profiler_target.h>
#include <cupti_range_profiler.h>
#include <cupti_target.h>
#include <fmt/format.h>
#include <vector>

namespace sparserl::cuda {

namespace {

#define SPARSERL_CUPTI_FUNCTIONS(F)                                                                          \
    F(initialize, cuptiProfilerInitialize)                                                                   \
    F(deviceSupported, cuptiProfilerDeviceSupported)                                                         \
    F(counterAvailability, cuptiProfilerGetCounterAvailability)                                              \
    F(chipName, cuptiDeviceGetChipName)                                                                      \
    F(hostInitialize, cuptiProfilerHostInitialize)                                                           \
    F(hostDeinitialize, cuptiProfilerHostDeinitialize)                                                       \
    F(addMetrics, cuptiProfilerHostConfigAddMetrics)                                                         \
    F(configSize, cuptiProfilerHostGetConfigImageSize)                                                       \
    F(config, cuptiProfilerHostGetConfigImage)                                                               \
    F(evaluate, cuptiProfilerHostEvaluateToGpuValues)                                                        \
    F(enable, cuptiRangeProfilerEnable)                                                                      \
    F(disable, cuptiRangeProfilerDisable)                                                                    \
    F(setConfig, cuptiRangeProfilerSetConfig)                                                                \
    F(start, cuptiRangeProfilerStart)                                                                        \
    F(stop, cuptiRangeProfilerStop)                                                                          \
    F(pushRange, cuptiRangeProfilerPushRange)                                                                \
    F(popRange, cuptiRangeProfilerPopRange)                                                                  \
    F(decode, cuptiRangeProfilerDecodeData)                                                                  \
    F(dataSize, cuptiRangeProfilerGetCounterDataSize)                                                        \
    F(dataInitialize, cuptiRangeProfilerCounterDataImageInitialize)

struct Cupti
{
#define SPARSERL_CUPTI_FIELD(FIELD, SYMBOL) decltype(&::SYMBOL) FIELD = nullptr;
    SPARSERL_CUPTI_FUNCTIONS(SPARSERL_CUPTI_FIELD)
#undef SPARSERL_CUPTI_FIELD
};

Result<Cupti> openCupti()
{
    SPARSERL_TRY(const auto library, openCudaLibrary("libcupti.so." + std::to_string(cudaMajorVersion)));
    Cupti api;
    bool complete = true;
#define SPARSERL_CUPTI_BIND(FIELD, SYMBOL) complete = library.bind(api.FIELD, #SYMBOL) && complete;
    SPARSERL_CUPTI_FUNCTIONS(SPARSERL_CUPTI_BIND)
#undef SPARSERL_CUPTI_BIND
    if (!complete)
        return fail(library.path.string() + " has no range profiler",
                    "use the CUPTI of CUDA " + std::to_string(cudaMajorVersion));
    return api;
}

Status check(CUptiResult code, std::string_view doing)
{
    switch (code) {
    case CUPTI_SUCCESS:
        return {};
    case CUPTI_ERROR_INSUFFICIENT_PRIVILEGES:
    case CUPTI_ERROR_VIRTUALIZED_DEVICE_INSUFFICIENT_PRIVILEGES:
        return fail(
            "this machine permits hardware counters to administrators only",
            "load the NVIDIA kernel module with NVreg_RestrictProfilingToAdminUsers=0, or do without");
    case CUPTI_ERROR_HARDWARE_BUSY:
        return fail("another profiler is using the hardware counters", "end it, or do without");
    default:
        return fail(fmt::format("CUPTI failed while {} (error {})", doing, static_cast<int>(code)));
    }
}

// In the order of HardwareCounters.
constexpr std::size_t metricCount = 6;
constexpr std::array<const char*, metricCount> metricNames{
    "dram__bytes.sum",
    "lts__t_sectors.sum",
    "lts__t_sector_hit_rate.pct",
    "l1tex__t_sector_hit_rate.pct",
    "smsp__inst_executed.sum",
    "sm__warps_active.avg.pct_of_peak_sustained_active"};
constexpr int mostPasses = 64;

/// A parameter block with its size, as every CUPTI function wants it.
#define SPARSERL_CUPTI_PARAMS(TYPE, NAME)                                                                    \
    TYPE NAME{};                                                                                             \
    NAME.structSize = TYPE##_STRUCT_SIZE

class Session
{
public:
    Session(Gpu& gpu, const Cupti& api)
        : m_gpu(gpu)
        , m_api(api)
    {
    }
    ~Session();
    Result<HardwareCounters> run(const std::function<Result<std::optional<Fault>>()>& call,
                                 double limitSeconds);

private:
    Status open();
    Status configure();
    Status pass(const std::function<Result<std::optional<Fault>>()>& call, double limitSeconds, bool& last);

    Gpu& m_gpu;
    const Cupti& m_api;
    CUpti_Profiler_Host_Object* m_host = nullptr;
    CUpti_RangeProfiler_Object* m_range = nullptr;
    std::vector<std::uint8_t> m_availability, m_config, m_data;
};

Session::~Session()
{
    if (m_gpu.poisoned())
        return;
    if (m_range) {
        SPARSERL_CUPTI_PARAMS(CUpti_RangeProfiler_Disable_Params, off);
        off.pRangeProfilerObject = m_range;
        (void)m_api.disable(&off);
    }
    if (m_host) {
        SPARSERL_CUPTI_PARAMS(CUpti_Profiler_Host_Deinitialize_Params, end);
        end.pHostObject = m_host;
        (void)m_api.hostDeinitialize(&end);
    }
}

Status Session::open()
{
    SPARSERL_CUPTI_PARAMS(CUpti_Profiler_Initialize_Params, begin);
    SPARSERL_CHECK(check(m_api.initialize(&begin), "starting"));
    SPARSERL_CUPTI_PARAMS(CUpti_Profiler_DeviceSupported_Params, supported);
    supported.cuDevice = m_gpu.info().ordinal;
    supported.api = CUPTI_PROFILER_RANGE_PROFILING;
    SPARSERL_CHECK(check(m_api.deviceSupported(&supported), "asking whether this GPU has counters"));
    if (supported.isSupported != CUPTI_PROFILER_CONFIGURATION_SUPPORTED)
        return fail("this GPU or its configuration (virtual, confidential) has no hardware counters");
    SPARSERL_CUPTI_PARAMS(CUpti_Device_GetChipName_Params, chip);
    chip.deviceIndex = static_cast<std::size_t>(m_gpu.info().ordinal);
    SPARSERL_CHECK(check(m_api.chipName(&chip), "asking for the chip"));
    SPARSERL_CUPTI_PARAMS(CUpti_Profiler_GetCounterAvailability_Params, available);
    SPARSERL_CHECK(check(m_api.counterAvailability(&available), "asking which counters there are"));
    m_availability.resize(available.counterAvailabilityImageSize);
    available.pCounterAvailabilityImage = m_availability.data();
    SPARSERL_CHECK(check(m_api.counterAvailability(&available), "asking which counters there are"));
    SPARSERL_CUPTI_PARAMS(CUpti_Profiler_Host_Initialize_Params, host);
    host.profilerType = CUPTI_PROFILER_TYPE_RANGE_PROFILER;
    host.pChipName = chip.pChipName;
    host.pCounterAvailabilityImage = m_availability.data();
    SPARSERL_CHECK(check(m_api.hostInitialize(&host), "preparing the counters"));
    m_host = host.pHostObject;
    SPARSERL_CUPTI_PARAMS(CUpti_RangeProfiler_Enable_Params, on);
    SPARSERL_CHECK(check(m_api.enable(&on), "switching the counters on"));
    m_range = on.pRangeProfilerObject;
    return {};
}

Status Session::configure()
{
    std::array<const char*, metricCount> names = metricNames;
    SPARSERL_CUPTI_PARAMS(CUpti_Profiler_Host_ConfigAddMetrics_Params, add);
    add.pHostObject = m_host;
    add.ppMetricNames = names.data();
    add.numMetrics = names.size();
    SPARSERL_CHECK(check(m_api.addMetrics(&add), "choosing counters"));
    SPARSERL_CUPTI_PARAMS(CUpti_Profiler_Host_GetConfigImageSize_Params, size);
    size.pHostObject = m_host;
    SPARSERL_CHECK(check(m_api.configSize(&size), "sizing the counters' configuration"));
    m_config.resize(size.configImageSize);
    SPARSERL_CUPTI_PARAMS(CUpti_Profiler_Host_GetConfigImage_Params, image);
    image.pHostObject = m_host;
    image.configImageSize = m_config.size();
    image.pConfigImage = m_config.data();
    SPARSERL_CHECK(check(m_api.config(&image), "making the counters' configuration"));
    SPARSERL_CUPTI_PARAMS(CUpti_RangeProfiler_GetCounterDataSize_Params, data);
    data.pRangeProfilerObject = m_range;
    data.pMetricNames = names.data();
    data.numMetrics = names.size();
    data.maxNumOfRanges = 1;
    data.maxNumRangeTreeNodes = 1;
    SPARSERL_CHECK(check(m_api.dataSize(&data), "sizing the counters' data"));
    m_data.resize(data.counterDataSize);
    SPARSERL_CUPTI_PARAMS(CUpti_RangeProfiler_CounterDataImage_Initialize_Params, initial);
    initial.pRangeProfilerObject = m_range;
    initial.counterDataSize = m_data.size();
    initial.pCounterData = m_data.data();
    SPARSERL_CHECK(check(m_api.dataInitialize(&initial), "preparing the counters' data"));
    SPARSERL_CUPTI_PARAMS(CUpti_RangeProfiler_SetConfig_Params, set);
    set.pRangeProfilerObject = m_range;
    set.configSize = m_config.size();
    set.pConfig = m_config.data();
    set.counterDataImageSize = m_data.size();
    set.pCounterDataImage = m_data.data();
    set.range = CUPTI_UserRange;
    set.replayMode = CUPTI_UserReplay;
    set.maxRangesPerPass = 1;
    set.numNestingLevels = 1;
    set.minNestingLevel = 1;
    set.passIndex = 0;
    set.targetNestingLevel = 1;
    return check(m_api.setConfig(&set), "setting the counters up");
}

Status Session::pass(const std::function<Result<std::optional<Fault>>()>& call, double limitSeconds,
                     bool& last)
{
    SPARSERL_CUPTI_PARAMS(CUpti_RangeProfiler_Start_Params, start);
    start.pRangeProfilerObject = m_range;
    SPARSERL_CHECK(check(m_api.start(&start), "starting to count"));
    SPARSERL_CUPTI_PARAMS(CUpti_RangeProfiler_PushRange_Params, push);
    push.pRangeProfilerObject = m_range;
    push.pRangeName = "call";
    SPARSERL_CHECK(check(m_api.pushRange(&push), "starting to count"));
    auto refused = call();
    SPARSERL_TRY(auto fault, refused && !*refused ? m_gpu.settle(limitSeconds) : std::move(refused));
    if (fault)
        return fail("the program failed while it was counted: " + fault->message);
    SPARSERL_CUPTI_PARAMS(CUpti_RangeProfiler_PopRange_Params, pop);
    pop.pRangeProfilerObject = m_range;
    SPARSERL_CHECK(check(m_api.popRange(&pop), "ending to count"));
    SPARSERL_CUPTI_PARAMS(CUpti_RangeProfiler_Stop_Params, stop);
    stop.pRangeProfilerObject = m_range;
    SPARSERL_CHECK(check(m_api.stop(&stop), "ending to count"));
    last = stop.isAllPassSubmitted != 0;
    return {};
}

Result<HardwareCounters> Session::run(const std::function<Result<std::optional<Fault>>()>& call,
                                      double limitSeconds)
{
    for (auto step : {&Session::open, &Session::configure}) {
        SPARSERL_CHECK((this->*step)());
    }
    bool last = false;
    for (int i = 0; !last; ++i) {
        if (i == mostPasses)
            return fail("the hardware counters want more repetitions than is sensible");
        SPARSERL_CHECK(pass(call, limitSeconds, last));
    }
    SPARSERL_CUPTI_PARAMS(CUpti_RangeProfiler_DecodeData_Params, decode);
    decode.pRangeProfilerObject = m_range;
    SPARSERL_CHECK(check(m_api.decode(&decode), "reading the counters"));
    std::array<const char*, metricCount> names = metricNames;
    std::array<double, metricCount> values{};
    SPARSERL_CUPTI_PARAMS(CUpti_Profiler_Host_EvaluateToGpuValues_Params, evaluate);
    evaluate.pHostObject = m_host;
    evaluate.pCounterDataImage = m_data.data();
    evaluate.counterDataImageSize = m_data.size();
    evaluate.rangeIndex = 0;
    evaluate.ppMetricNames = names.data();
    evaluate.numMetrics = names.size();
    evaluate.pMetricValues = values.data();
    SPARSERL_CHECK(check(m_api.evaluate(&evaluate), "reading the counters"));
    for (double& value : values) {
        if (!std::isfinite(value))
            value = 0; // a hit rate without accesses
    }
    HardwareCounters counters;
    counters.dramBytes = values[0];
    counters.l2Bytes = 32 * values[1];
    counters.l2HitRate = values[2] / 100;
    counters.l1HitRate = values[3] / 100;
    counters.instructions = values[4];
    counters.achievedOccupancy = values[5] / 100;
    return counters;
}

} // namespace

Result<HardwareCounters> collectCounters(Gpu& gpu, const std::function<Result<std::optional<Fault>>()>& call,
                                         double limitSeconds)
{
    SPARSERL_TRY(const auto api, openCupti());
    return Session(gpu, api).run(call, limitSeconds);
}

} // namespace sparserl::cuda
