// SPDX-License-Identifier: Apache-2.0
#include "remote/ssh.h"

#include "base/printable.h"
#include "base/shell.h"
#include "base/system_remedy.h"
#include "remote/shell_words.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <fmt/format.h>

namespace sparserl {

namespace {

constexpr int noConnection = 255, notFound = 127, notExecutable = 126;

struct Cause
{
    const char* sign; ///< What ssh says.
    const char* what;
    const char* remedy; ///< "{}" is the host.
};
/// In this order: the first sign that is found counts.
constexpr std::array causes{
    Cause{"REMOTE HOST IDENTIFICATION HAS CHANGED", "the host key of {} has changed",
          "Find out why; then remove the old key with `ssh-keygen -R {}` and connect once by hand"},
    Cause{"Host key verification failed", "the key of {} is not known here",
          "Run `ssh {}` once in a terminal, compare the key and accept it"},
    Cause{"Permission denied", "{} does not let this user in without a password",
          "Put a key there with `ssh-copy-id {}`, or load yours with `ssh-add`: nothing asks for passwords "
          "here"},
    Cause{"Too many authentication failures", "{} does not let this user in",
          "Name the right key in ~/.ssh/config with IdentityFile and IdentitiesOnly yes"},
    Cause{"Could not resolve hostname", "there is no host called {}",
          "Check the name, or add it to ~/.ssh/config"},
    Cause{"Name or service not known", "there is no host called {}",
          "Check the name, or add it to ~/.ssh/config"},
    Cause{"Connection refused", "{} refuses connections by ssh",
          "Check that its ssh server is running, and on which port; `ssh {}` should fail in the same way"},
    Cause{"timed out", "{} does not answer", "See whether it is on and the network reaches it"},
    Cause{"No route to host", "there is no way to {} through the network",
          "See whether it is on and the network reaches it"},
    Cause{"Network is unreachable", "there is no network to reach {}", "Connect this machine first"},
};

std::string lastLineOf(const std::string& text)
{
    const auto end = text.find_last_not_of(" \r\n\t");
    if (end == std::string::npos)
        return {};
    const auto begin = text.rfind('\n', end);
    return shortened(printable(text.substr(begin == std::string::npos ? 0 : begin + 1, end - begin)), 300);
}

/// The first line that has these words: the last one of several is seldom the cause.
std::string lineWith(const std::string& text, std::string_view words)
{
    const auto at = text.find(words);
    if (at == std::string::npos)
        return {};
    const auto begin = text.rfind('\n', at) + 1; // npos + 1: the text's begin
    return shortened(printable(text.substr(begin, std::min(text.find('\n', at), text.size()) - begin)), 300);
}

std::string filled(std::string_view text, const std::string& host)
{
    std::string made(text);
    if (const auto at = made.find("{}"); at != std::string::npos)
        made.replace(at, 2, host);
    return made;
}

} // namespace

std::vector<std::string> sshWords()
{
    return {"ssh", "-T",
            "-o",  "BatchMode=yes",
            "-o",  "ConnectTimeout=10",
            "-o",  "ServerAliveInterval=10",
            "-o",  "ServerAliveCountMax=3",
            "-o",  "ClearAllForwardings=yes"};
}

SpawnOptions sshCommand(const RemoteHost& host, const std::string& command)
{
    SpawnOptions options;
    options.argv = sshWords();
    options.argv.insert(options.argv.end(), {"--", host.name, command});
    options.dieWithParent = true;
    return options;
}

Error explainSsh(const RemoteHost& host, const ExitStatus& status, const std::string& standardError)
{
    for (const Cause& cause : causes)
        if (status.code == noConnection && !status.signalled &&
            standardError.find(cause.sign) != std::string::npos)
            return {filled(cause.what, host.name), {}, 0, filled(cause.remedy, shellWord(host.name))};
    const std::string last = lastLineOf(standardError);
    if (!status.signalled && (status.code == notFound || status.code == notExecutable))
        return {fmt::format("{} has no program \"{}\"", host.name, host.program),
                {},
                0,
                "Install SparseRL Workbench there; if it is not on the PATH that ssh sets, put the path of "
                "sparserl into hosts.toml or the launch form"};
    for (const int error : {ENOSPC, EDQUOT, EFBIG, EROFS, EIO, EACCES, ENOMEM})
        if (const std::string line = lineWith(standardError, std::strerror(error)); !line.empty())
            return {fmt::format("{} says: {}", host.name, line), {}, 0, systemRemedy(error) + ", over there"};
    if (status.signalled || status.code == noConnection)
        return {last.empty() ? fmt::format("the connection to {} broke", host.name)
                             : fmt::format("the connection to {} broke: {}", host.name, last),
                {},
                0,
                fmt::format("Try {} in a terminal", shellCommand("ssh {}", {host.name}))};
    return {last.empty() ? fmt::format("the program on {} {}", host.name, status.sentence())
                         : fmt::format("{} says: {}", host.name, last),
            {},
            0,
            fmt::format("Try {} in a terminal", shellCommand("ssh {} {} doctor", {host.name, host.program}))};
}

Result<std::string> runThere(const RemoteHost& host, const std::vector<std::string>& words, double seconds,
                             Greeting greeting)
{
    SPARSERL_CHECK(checkRemoteHost(host));
    for (const std::string& word : words)
        SPARSERL_CHECK(checkRemoteText("the word", word));
    SPARSERL_TRY(auto ran, runToEnd(sshCommand(host, shellLine(words)), {}, seconds,
                                    greeting == Greeting::AtOnce ? greetingSeconds : -1));
    if (ran.timedOut)
        return fail(fmt::format("{} did not answer within {:.0f} seconds", host.name,
                                ran.isSilent ? greetingSeconds : seconds),
                    "See whether it is overloaded; `ssh` in a terminal says more");
    if (!ran.status.ok())
        return fail(explainSsh(host, ran.status, ran.error));
    return std::move(ran.output);
}

} // namespace sparserl
