// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.h"
#include "evaluation/protocol/channel.h"

namespace sparserl {

/// What a role answers to one message. An Error ends the runner: the message broke the protocol.
class Role
{
public:
    virtual ~Role() = default;
    virtual Result<nlohmann::json> answer(Message& message) = 0;
};

/// Serves `compile` jobs with NVRTC, the gate and nvJitLink, loaded and warm. Fails where they are missing.
Result<std::unique_ptr<Role>> makeCompileRole();
/// Serves `simulate` jobs on the simulated device.
std::unique_ptr<Role> makeSimRole();

} // namespace sparserl
