// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "evaluation/protocol/channel.h"
#include "runner/roles.h"
#include "runner/runner_options.h"
#include "runner/sandbox.h"
#include "runner/witness.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

namespace sparserl {

/// The first message says how a runner came up: {"type":"ready",...} or {"type":"unusable","what":...}.
nlohmann::json readyMessage(const std::string& role, const SandboxReport& report);
nlohmann::json unusableMessage(const Error& error);

/// A witness of refused calls, if the options ask for one and this machine allows it.
std::optional<Witness> witnessFor(const RunnerOptions& options, LockedRole role);
/// Adds what the witness has counted so far.
void addRefused(nlohmann::json& body, std::optional<Witness>& witness);

/// Makes a role with everything loaded that it needs, locks this process (lockDown), says so and answers jobs
/// until the other side closes the socket or the process has answered enough. Returns the exit status.
int serveLocked(Channel& channel, const RunnerOptions& options, std::uint64_t cpuSecondsPerJob,
                const std::function<Result<std::unique_ptr<Role>>()>& make);

} // namespace sparserl
