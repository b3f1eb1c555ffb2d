// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/cancel.h"
#include "base/subprocess.h"
#include "remote/remote_host.h"

#include <string>
#include <vector>

namespace sparserl {

/// The ssh options, without host and command: never prompts (BatchMode), gives up connecting after ten
/// seconds, detects a lost peer within half a minute, and checks host keys according to the user's
/// configuration.
std::vector<std::string> sshWords();
/// ssh that runs `command` (a line from shellLine()) on a host; the caller sets the streams.
SpawnOptions sshCommand(const RemoteHost& host, const std::string& command);

constexpr double greetingSeconds = 20;
/// Whether a remote command produces output immediately.
enum class Greeting
{
    None,
    AtOnce
};

/// Why ssh, rsync or the remote program failed, as cause and remedy, from exit status and stderr. ssh ends
/// with 255 if there was no connection.
Error explainSsh(const RemoteHost& host, const ExitStatus& status, const std::string& standardError);

/// Runs a remote command to its end and collects both outputs. Fails with explainSsh() for a non-zero status,
/// and after `seconds`. A command with a greeting also fails if it is silent for `greetingSeconds`, which
/// limits the wait for an unresponsive host.
Result<std::string> runThere(const RemoteHost& host, const std::vector<std::string>& words,
                             double seconds = 60, Greeting greeting = Greeting::None);

} // namespace sparserl
