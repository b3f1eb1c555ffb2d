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

/// The two possible first messages of a runner: {"type":"ready",...} and {"type":"unusable","what":...}.
nlohmann::json readyMessage(const std::string& role, const SandboxReport& report);
nlohmann::json unusableMessage(const Error& error);

/// Starts a witness of refused calls if the options ask for it and this machine allows it.
std::optional<Witness> witnessFor(const RunnerOptions& options, LockedRole role);
/// Adds the witness's counts of refused calls so far. Does nothing without a witness.
void addRefused(nlohmann::json& body, std::optional<Witness>& witness);

/// Creates a role with all its libraries loaded, locks this process (lockDown), sends the first message and
/// answers jobs until the other side closes the socket or `options.programs` jobs are answered. Returns the
/// exit status.
int serveLocked(Channel& channel, const RunnerOptions& options, std::uint64_t cpuSecondsPerJob,
                const std::function<Result<std::unique_ptr<Role>>()>& make);

} // namespace sparserl
