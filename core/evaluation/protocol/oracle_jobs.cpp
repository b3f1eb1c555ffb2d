// SPDX-License-Identifier: Apache-2.0
#include "evaluation/protocol/oracle_jobs.h"

#include "base/json.h"

#include <cmath>

namespace sparserl {

nlohmann::json toJson(const OracleJob& job)
{
    nlohmann::json json = {{"type", job.work == OracleWork::Examine ? "examine" : "compute"},
                           {"graph_bytes", job.graphBytes},
                           {"tensor_bytes", job.tensorBytes},
                           {"recorded_bytes", job.recordedBytes},
                           {"seconds", job.seconds},
                           {"memory_bytes", job.memoryBytes},
                           {"cpu_seconds", job.cpuSeconds}};
    if (job.seed)
        json["seed"] = *job.seed;
    return json;
}

Result<OracleJob> oracleJobFromJson(const nlohmann::json& json)
{
    OracleJob job;
    SPARSERL_TRY(const auto type, jsonRequire<std::string>(json, "type"));
    if (type != "examine" && type != "compute")
        return fail("the oracle does not know such a job");
    job.work = type == "examine" ? OracleWork::Examine : OracleWork::Compute;
    SPARSERL_TRY(job.graphBytes, jsonRequire<std::uint64_t>(json, "graph_bytes"));
    SPARSERL_TRY(job.tensorBytes, jsonRequire<std::uint64_t>(json, "tensor_bytes"));
    SPARSERL_TRY(job.recordedBytes, jsonRequire<std::uint64_t>(json, "recorded_bytes"));
    SPARSERL_TRY(job.seconds, jsonRequire<double>(json, "seconds"));
    SPARSERL_TRY(job.memoryBytes, jsonRequire<std::uint64_t>(json, "memory_bytes"));
    SPARSERL_TRY(job.cpuSeconds, jsonRequire<std::uint64_t>(json, "cpu_seconds"));
    if (!std::isfinite(job.seconds) || job.seconds < 0)
        return fail("the oracle's time limit is no duration");
    if (json.contains("seed")) {
        SPARSERL_TRY(job.seed, jsonRequire<std::uint64_t>(json, "seed"));
    }
    return job;
}

} // namespace sparserl
