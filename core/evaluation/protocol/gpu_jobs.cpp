// SPDX-License-Identifier: Apache-2.0
#include "evaluation/protocol/gpu_jobs.h"

#include "evaluation/protocol/message_fields.h"

namespace sparserl {

using Json = nlohmann::json;

Json toJson(const GpuJob& job)
{
    return messageToJson("run", job);
}

Result<GpuJob> gpuJobFromJson(const Json& json)
{
    return messageFromJson<GpuJob>(json);
}

Json toJson(const GpuAnswer& answer)
{
    return messageToJson("ran", answer);
}

Result<GpuAnswer> gpuAnswerFromJson(const Json& json)
{
    return answerFromJson<GpuAnswer>(json, "ran", "a run was");
}

Json toJson(const BaselineJob& job)
{
    return messageToJson("baselines", job);
}

Result<BaselineJob> baselineJobFromJson(const Json& json)
{
    return messageFromJson<BaselineJob>(json);
}

Json toJson(const BaselineAnswer& answer)
{
    return messageToJson("timed", answer);
}

Result<BaselineAnswer> baselineAnswerFromJson(const Json& json)
{
    return answerFromJson<BaselineAnswer>(json, "timed", "baselines were");
}

Json toJson(const GpuInfo& info)
{
    return writeFields(info);
}

Result<GpuInfo> gpuInfoFromJson(const Json& json)
{
    return messageFromJson<GpuInfo>(json);
}

} // namespace sparserl
