// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.h"
#include "evaluation/protocol/channel.h"

namespace sparserl {

/// Answers the messages to a runner. An Error means that a message violated the protocol; it ends the runner.
class Role
{
public:
    virtual ~Role() = default;
    virtual Result<nlohmann::json> answer(Message& message) = 0;
};

/// Returns the answer to a job that a runner could not serve.
inline nlohmann::json failedAnswer(const Error& error)
{
    nlohmann::json body{{"type", "failed"}, {"what", error.sentence()}};
    if (error.kind == ErrorKind::OutOfMemory)
        body["out_of_memory"] = true;
    return body;
}

/// Creates the role that serves `compile` jobs with NVRTC, the gate and nvJitLink. Loads the libraries and
/// warms them up. Fails if they are missing.
Result<std::unique_ptr<Role>> makeCompileRole();
/// Creates the role that serves `simulate` jobs on the simulated device.
std::unique_ptr<Role> makeSimRole();

} // namespace sparserl
