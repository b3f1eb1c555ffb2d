// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/cancel.h"
#include "base/subprocess.h"
#include "remote/remote_host.h"

#include <string>
#include <vector>

namespace sparserl {

/// How ssh is called, without host and command: never asks for anything (BatchMode), gives up a connection
/// after ten seconds, notices within half a minute that the other side is gone, and checks host keys as the
/// user's configuration says.
std::vector<std::string> sshWords();
/// ssh that runs `command` (a line of shellLine()) on a host; streams are for the caller to set.
SpawnOptions sshCommand(const RemoteHost& host, const std::string& command);

constexpr double greetingSeconds = 20;
/// Whether a command there says something at once.
enum class Greeting
{
    None,
    AtOnce
};

/// Why ssh, rsync or the program there failed, as a cause and what to do, from exit status and stderr. ssh
/// ends with 255 where there was no connection.
Error explainSsh(const RemoteHost& host, const ExitStatus& status, const std::string& standardError);

/// Runs the words of a command there to their end; both outputs are collected. Fails with explainSsh()
/// where its status is not 0, and after `seconds`; where it greets, also if it has not after
/// `greetingSeconds`: who connects and then says nothing is not waited for as long as one that works.
Result<std::string> runThere(const RemoteHost& host, const std::vector<std::string>& words,
                             double seconds = 60, Greeting greeting = Greeting::None);

} // namespace sparserl
