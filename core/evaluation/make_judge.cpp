// SPDX-License-Identifier: Apache-2.0
#include "evaluation/make_judge.h"

#include "device/device_model.h"
#include "evaluation/cuda_stage.h"
#include "evaluation/judge_pipeline.h"
#include "evaluation/simulator_stage.h"

namespace sparserl {

namespace {

Result<const DeviceModel*> modelOf(const JudgeOptions& options)
{
    if (const DeviceModel* model = findDeviceModel(options.deviceModel))
        return model;
    std::string known;
    for (const auto& name : deviceModelNames())
        known += (known.empty() ? "" : ", ") + name;
    return fail("there is no device model \"" + options.deviceModel + "\"", "use one of: " + known);
}

/// Without these no driver works, so that machines without a GPU need not start a runner to hear so. dxg is
/// Windows' way.
bool mayHaveGpu()
{
    std::error_code error;
    return std::filesystem::exists("/dev/nvidiactl", error) || std::filesystem::exists("/dev/dxg", error);
}

} // namespace

Result<std::unique_ptr<Judge>> makeSimulatorJudge(JudgeOptions options)
{
    const auto model = modelOf(options);
    if (!model)
        return fail(model.error());
    if (options.timing != "standard")
        return fail("the timing protocol \"" + options.timing + "\" is not one of the simulated device",
                    "its model gives one time: use the protocol standard, or a GPU");
    return JudgePipeline::make(std::move(options), false,
                               [&](JudgePipeline& judge) -> Result<std::unique_ptr<TargetStage>> {
                                   return makeSimulatorStage(judge, **model);
                               });
}

Result<std::unique_ptr<Judge>> makeCudaJudge(JudgeOptions options)
{
    if (const auto model = modelOf(options); !model)
        return fail(model.error());
    if (options.timing != "standard" && options.timing != "paper")
        return fail("there is no timing protocol \"" + options.timing + "\"", "use standard or paper");
    if (options.gpus.empty())
        return fail("no GPU was named", "give at least one ordinal");
    return JudgePipeline::make(std::move(options), true, makeCudaStage);
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
