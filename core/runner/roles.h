// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.h"
#include "evaluation/protocol/channel.h"

namespace sparserl {

/// A role answers messages. An Error ends the runner: the message violated the protocol.
class Role
{
public:
    virtual ~Role() = default;
    virtual Result<nlohmann::json> answer(Message& message) = 0;
};

/// The answer to a job that a runner could not serve.
inline nlohmann::json failedAnswer(const Error& error)
{
    nlohmann::json body{{"type", "failed"}, {"what", error.sentence()}};
    if (error.kind == ErrorKind::OutOfMemory)
        body["out_of_memory"] = true;
    return body;
}

/// Serves `compile` jobs with NVRTC, the gate and nvJitLink, loaded and warm. Fails if they are missing.
Result<std::unique_ptr<Role>> makeCompileRole();
/// Serves `simulate` jobs on the simulated device.
std::unique_ptr<Role> makeSimRole();

} // namespace sparserl
