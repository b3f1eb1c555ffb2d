// SPDX-License-Identifier: Apache-2.0
#include "remote/sent_runs.h"

#include "base/files.h"
#include "base/json.h"
#include "base/printable.h"
#include "base/settings_file.h"
#include "base/shell.h"
#include "base/trust.h"
#include "project/files/project.h"
#include "remote/known_hosts.h"
#include "remote/shell_words.h"

#include <algorithm>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace sparserl {

namespace fs = std::filesystem;

namespace {

/// Who sends more runs than that forgets the oldest.
constexpr std::ptrdiff_t mostRuns = 10000;

/// Nothing: a comment, or what another version wrote.
std::optional<SentRun> sentRunOf(std::string_view line)
{
    const auto json = line.starts_with('{') ? parseJson(line) : Result<nlohmann::json>(nlohmann::json());
    if (!json || !json->is_object())
        return std::nullopt;
    const auto text = [&](const char* key) { return jsonValue<std::string>(*json, key, {}); };
    SentRun run{text("host"), text("run"),           text("identity"),
                text("home"), text("home_identity"), text("folder_identity")};
    return run.host.empty() || run.run.empty() || run.identity.empty() ? std::nullopt : std::optional(run);
}

bool isSameRun(const SentRun& a, const RemoteMark& b)
{
    return a.identity == b.identity && a.run == b.run && a.host == b.host;
}

bool hasMarkOf(const fs::path& run, const SentRun& sent)
{
    const auto mark = readRemoteMark(run);
    return mark && mark->run == sent.run && mark->identity == sent.identity;
}

/// Whether the folder that the run was sent from is in a project, under whatever name.
bool hasOriginal(const fs::path& project, const SentRun& sent)
{
    const auto runs = listDirectory(project / "runs");
    return runs && std::any_of(runs->begin(), runs->end(), [&](const fs::path& run) {
               return folderIdentity(run) == sent.folderIdentity && hasMarkOf(run, sent);
           });
}

/// The folder of the original here, of a project in `home`, by its name.
fs::path originalIn(const fs::path& home, const SentRun& sent)
{
    std::string name = fs::path(sent.run).filename().string();
    const std::string tail = "-" + sent.identity.substr(0, 12); // its name there is longer by that
    if (name.ends_with(tail))
        name.resize(name.size() - tail.size());
    return home / "runs" / name;
}

fs::path homeOf(const fs::path& run)
{
    std::error_code code;
    const fs::path plain = fs::absolute(run, code).lexically_normal();
    return (plain.has_filename() ? plain : plain.parent_path()).parent_path().parent_path();
}

Status requireOriginal(const fs::path& run, const SentRun& sent)
{
    if (!isOfACopy(run, sent))
        return {};
    return failAt(run.string(), 0,
                  fmt::format("this is a copy: the run works on {} for the original, which is still in {}",
                              shortened(printableLine(sent.host), 80),
                              shortened(printableLine(sent.home), 300)),
                  shellCommand("sparserl train --run {}", {run.string()}) +
                      " continues the copy in a separate folder there");
}

} // namespace

fs::path sentRunsFile()
{
    return userSettingsFolder() / "sent-runs";
}

Result<std::optional<SentRun>> sentRun(const RemoteMark& mark)
{
    SPARSERL_TRY(const std::string text, readSettings(sentRunsFile()));
    for (const std::string_view line : linesOf(text))
        if (auto one = sentRunOf(line); one && isSameRun(*one, mark))
            return one;
    return std::optional<SentRun>();
}

Status recordSentRun(const RemoteMark& mark, const fs::path& project, const fs::path& run)
{
    std::error_code code;
    const fs::path home = fs::absolute(project, code);
    const std::string added = dumpJson({{"host", mark.host},
                                        {"run", mark.run},
                                        {"identity", mark.identity},
                                        {"home", home.string()},
                                        {"home_identity", folderIdentity(home)},
                                        {"folder_identity", folderIdentity(run)}});
    return changeSettings(sentRunsFile(), [&](const std::string& before) -> Result<std::string> {
        auto lines = linesOf(before);
        if (std::find(lines.begin(), lines.end(), added) != lines.end())
            return before;
        std::erase_if(lines, [&](std::string_view line) {
            const auto one = sentRunOf(line);
            return one && isSameRun(*one, mark);
        });
        const auto isRun = [](std::string_view line) { return sentRunOf(line).has_value(); };
        auto tooMany = std::count_if(lines.begin(), lines.end(), isRun) + 1 - mostRuns;
        std::erase_if(lines,
                      [&](std::string_view line) { return tooMany > 0 && isRun(line) && tooMany-- > 0; });
        std::string after;
        for (const std::string_view line : lines)
            after.append(line) += '\n';
        return after + added + "\n";
    });
}

bool isHomeOf(const SentRun& sent, const fs::path& project)
{
    return sent.home == project || sent.homeIdentity == folderIdentity(project);
}

bool isOfACopy(const fs::path& run, const SentRun& sent)
{
    const fs::path here = homeOf(run);
    const fs::path home = isHomeOf(sent, here) ? here : fs::path(sent.home);
    if (!sent.folderIdentity.empty() && hasOriginal(home, sent))
        return folderIdentity(run) != sent.folderIdentity;
    const fs::path original = originalIn(home, sent);
    std::error_code code; // the same folder by another way, such as a link, is no copy
    if (fs::equivalent(run, original, code))
        return false;
    return hasMarkOf(original, sent);
}

Status requireSent(const fs::path& run, const RemoteMark& mark)
{
    SPARSERL_TRY(const auto sent, sentRun(mark));
    if (sent)
        return requireOriginal(run, *sent);
    return failAt(run.string(), 0,
                  fmt::format("this machine has not sent the run to {}, folder {}",
                              shortened(printableLine(mark.host), 80),
                              mark.run.empty() ? "(none)" : shortened(printableLine(mark.run), 300)),
                  shellCommand("sparserl train --run {}", {run.string()}) +
                      " sends it to a separate folder there. If the run in that folder is yours, " +
                      shellCommand("sparserl remote adopt {}", {run.string()}) + " says so");
}

Status adoptRun(const fs::path& path)
{
    std::error_code code;
    const fs::path run = fs::absolute(path, code);
    SPARSERL_CHECK(requireTrust(run));
    SPARSERL_TRY(const RemoteMark mark, requireRemoteMark(run));
    SPARSERL_TRY(const RemoteHost host, confirmedHost(mark.host, mark.folder));
    if (mark.identity.empty() || !isRunOf(host, mark.run) || !checkRemoteText("the run", mark.run))
        return failAt(
            run.string(), 0, fmt::format("remote.json names no run in the folder of {}", host.text()),
            shellCommand("sparserl train --run {}", {run.string()}) + " sends it to a separate folder there");
    SPARSERL_TRY(const auto sent, sentRun(mark));
    if (sent)
        SPARSERL_CHECK(requireOriginal(run, *sent));
    return recordSentRun(mark, run.parent_path().parent_path(), run);
}

bool isRunOf(const RemoteHost& host, const std::string& run)
{
    const fs::path path = run, plain = path.lexically_normal();
    return (plain == run || run == "./" + plain.string()) && path.has_filename() &&
           path.parent_path().filename() == "runs" &&
           path.parent_path().parent_path().parent_path() == fs::path(remotePath(host.folder));
}

} // namespace sparserl
