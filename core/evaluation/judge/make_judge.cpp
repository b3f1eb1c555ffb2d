// SPDX-License-Identifier: Apache-2.0
#include "evaluation/judge/make_judge.h"

#include "evaluation/judge/judge_pipeline.h"
#include "evaluation/steps/cuda_device_judge.h"
#include "evaluation/steps/simulator_device_judge.h"
#include "machine/device_model.h"

#include <algorithm>
#include <charconv>

namespace sparserl {

namespace {

/// Runners see no files: a model of the user's travels as text.
void useModel(JudgeOptions& options, const DeviceModel& model)
{
    if (!findDeviceModel(options.deviceModel))
        options.deviceModel = toToml(model);
}

/// Without these no driver works, so that machines without a GPU need not start a runner to hear so. dxg is
/// Windows' way.
bool mayHaveGpu()
{
    std::error_code error;
    return std::filesystem::exists("/dev/nvidiactl", error) || std::filesystem::exists("/dev/dxg", error);
}

} // namespace

Result<std::vector<int>> gpuNumbers(std::string_view text)
{
    std::vector<int> numbers;
    for (std::size_t at = 0; at <= text.size();) {
        const auto end = std::min(text.find(',', at), text.size());
        int number = -1;
        const auto [rest, error] = std::from_chars(text.data() + at, text.data() + end, number);
        if (error != std::errc{} || rest != text.data() + end || number < 0 ||
            std::find(numbers.begin(), numbers.end(), number) != numbers.end())
            return fail("\"" + std::string(text) + "\" does not name GPUs", "write numbers such as 0 or 0,1");
        numbers.push_back(number);
        at = end + 1;
    }
    return numbers;
}

Result<std::unique_ptr<Judge>> makeSimulatorJudge(JudgeOptions options)
{
    SPARSERL_TRY(auto model, loadDeviceModel(options.deviceModel));
    useModel(options, model);
    if (options.timing != "standard")
        return fail("the timing protocol \"" + options.timing + "\" is not one of the simulated device",
                    "its model gives one time: use the protocol standard, or a GPU");
    return JudgePipeline::make(std::move(options), false,
                               [&](const JudgeServices& services) -> Result<std::unique_ptr<DeviceJudge>> {
                                   return makeSimulatorDeviceJudge(services, model);
                               });
}

Result<std::unique_ptr<Judge>> makeCudaJudge(JudgeOptions options)
{
    SPARSERL_TRY(const auto model, loadDeviceModel(options.deviceModel));
    useModel(options, model);
    if (options.timing != "standard" && options.timing != "paper")
        return fail("there is no timing protocol \"" + options.timing + "\"", "use standard or paper");
    if (options.gpus.empty())
        return fail("no GPU was named", "give at least one ordinal");
    return JudgePipeline::make(std::move(options), true, makeCudaDeviceJudge);
}

Result<std::unique_ptr<Judge>> makeJudge(std::string_view device, JudgeOptions options)
{
    if (device == "sim")
        return makeSimulatorJudge(std::move(options));
    if (device == "cuda")
        return makeCudaJudge(std::move(options));
    if (device != "auto")
        return fail("there is no device \"" + std::string(device) + "\"", "use sim, cuda or auto");
    Error why{"this machine has no device files of an NVIDIA driver", {}, 0, {}};
    if (mayHaveGpu()) {
        auto judge = makeCudaJudge(options);
        if (judge)
            return judge;
        why = judge.error();
    }
    if (options.log)
        options.log("no GPU is used (" + why.sentence() + "): programs run on the simulated device");
    options.timing = "standard";
    return makeSimulatorJudge(std::move(options));
}

} // namespace sparserl
