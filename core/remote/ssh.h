// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/cancel.h"
#include "base/subprocess.h"
#include "remote/remote_host.h"

#include <string>
#include <vector>

namespace sparserl {

/// Returns ssh and its options, without host and command. With these options, ssh never prompts (BatchMode),
/// stops trying to connect after ten seconds, detects a lost peer within half a minute, and checks host keys
/// according to the user's configuration.
std::vector<std::string> sshWords();
/// Returns the options for starting ssh so that it runs `command`, a line from shellLine(), on a host. The
/// caller sets the streams.
SpawnOptions sshCommand(const RemoteHost& host, const std::string& command);

constexpr double greetingSeconds = 20;
/// The output that a remote command produces before it does its work.
enum class Greeting
{
    None,
    AtOnce
};

/// Explains why ssh, rsync or the remote program failed. Finds cause and remedy from the exit status (255 if
/// ssh had no connection) and from the standard error.
Error explainSsh(const RemoteHost& host, const ExitStatus& status, const std::string& standardError);

/// Runs a remote command to its end and returns its standard output. Fails with explainSsh() if the exit
/// status is not zero, and fails after `seconds`. With Greeting::AtOnce, also fails if there is no output
/// within `greetingSeconds`, which limits the wait for an unresponsive host.
Result<std::string> runThere(const RemoteHost& host, const std::vector<std::string>& words,
                             double seconds = 60, Greeting greeting = Greeting::None);

} // namespace sparserl
