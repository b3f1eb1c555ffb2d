// SPDX-License-Identifier: Apache-2.0
#include "remote/inventory.h"

#include "base/beneath.h"
#include "base/files.h"
#include "base/hash.h"
#include "base/json.h"
#include "base/mapped_file.h"
#include "base/path_folders.h"
#include "base/printable.h"
#include "base/shell.h"
#include "base/trust.h"
#include "project/run/checkpoint_files.h"
#include "project/run/default_policy.h"
#include "project/run/run_directory.h"
#include "remote/ssh.h"
#include "remote/wire.h"

#include <algorithm>
#include <fmt/format.h>
#include <unistd.h>
#include <utility>

namespace sparserl {

namespace fs = std::filesystem;

namespace {

constexpr double listSeconds = 120, readSeconds = 600;
constexpr std::size_t identityDigits = 16, longestIdentity = 128;

Status addFolder(std::vector<TreeFile>& files, const fs::path& root, const fs::path& folder, Hidden hidden)
{
    const auto entries = listDirectory(folder);
    if (!entries) {
        SPARSERL_TRY(const auto look, lookAt(folder));
        return look.exists ? fail(entries.error()) : Status(); // it went meanwhile
    }
    for (const fs::path& path : *entries) {
        if (hidden == Hidden::Skip && path.filename().string().starts_with('.'))
            continue;
        SPARSERL_TRY(const auto look, lookAt(path));
        if (look.folder) {
            SPARSERL_CHECK(addFolder(files, root, path, hidden));
            continue;
        }
        // A link is refused with a sentence where it is to be read.
        if (look.regular || (look.link && hidden == Hidden::Skip))
            files.push_back(
                {path.lexically_relative(root).generic_string(), static_cast<std::int64_t>(look.bytes)});
    }
    return {};
}

/// Makes the run's folder, for this run only; whether all of the run is there. Nothing is made or changed
/// before it is known that the folder is of no other.
Result<bool> claim(const fs::path& folder, const RunIdentity& run)
{
    if (fileNameFor(run.nameThere) != run.nameThere || run.nameThere.starts_with('.'))
        return fail("a run cannot be called so: " + shortened(run.nameThere, 100));
    if (fileNameFor(run.id) != run.id || run.id.size() > longestIdentity)
        return fail("a run cannot have this identity: " + shortened(run.id, 100));
    const fs::path path = folder / "runs" / run.nameThere;
    SPARSERL_TRY(const auto claimed, identityIn(path / claimFile));
    SPARSERL_TRY(const auto identity, identityIn(path / identityFile));
    SPARSERL_TRY(const auto held, lookAt(path));
    SPARSERL_TRY(const auto entries, held.folder ? listDirectory(path) : std::vector<fs::path>());
    const std::string remedy =
        "Move it away there, then resume the run: the local files are sent there again";
    if ((identity && *identity != run.id) || (claimed && *claimed != run.id))
        return failAt(path.string(), 0, "the folder holds another run than the one that was sent there",
                      remedy);
    if (!identity && !claimed && held.exists && (!held.folder || !entries.empty()))
        return failAt(path.string(), 0, "the folder is not empty, and does not say which run it holds",
                      remedy);
    SPARSERL_TRY(const auto project, lookAt(folder));
    SPARSERL_TRY(const bool trusted, trustOf(folder));
    SPARSERL_TRY(const auto others,
                 project.folder && !trusted ? listDirectory(folder) : std::vector<fs::path>());
    if (!others.empty())
        return failAt(folder.string(), 0, "the folder was not made by runs that were sent to this machine",
                      "Move the folder away on that machine, or confirm there that it is yours: " +
                          shellCommand("sparserl project trust {}", {folder.string()}));
    SPARSERL_CHECK(makeDirectories(folder));
    SPARSERL_CHECK(trustProject(folder)); // the user's own, from another machine
    if (!claimed) {
        SPARSERL_CHECK(makeDirectories(path));
        SPARSERL_CHECK(writeFileAtomic(path / claimFile, run.id + "\n"));
    }
    SPARSERL_TRY(const auto toml, lookAt(path / runFile));
    return identity && toml.regular;
}

tl::unexpected<Error> noProgramThere(const RemoteHost& host)
{
    return fail(fmt::format("the program {} on {} is not the one that is needed", host.program, host.name),
                "Install this version of SparseRL Workbench there");
}

/// What a policy's files hold: of a checkpoint, its list of checksums, else each file.
Result<std::string> identityOfPolicy(const fs::path& folder, std::vector<TreeFile> files)
{
    SPARSERL_TRY(const auto list, lookAt(folder / "checkpoint.json"));
    if (list.exists) {
        SPARSERL_TRY(const auto text, readFile(folder / "checkpoint.json", 64 << 20));
        return sha256Hex(text);
    }
    std::sort(files.begin(), files.end(),
              [](const TreeFile& a, const TreeFile& b) { return a.name < b.name; });
    Hasher all;
    for (const TreeFile& file : files) {
        SPARSERL_TRY(const auto mapped, MappedFile::open(folder / file.name));
        all.update("/" + file.name + "\n" + sha256Hex(mapped.view()) + "\n");
        SPARSERL_CHECK(mapped.whole());
    }
    return all.hex();
}

} // namespace

Result<std::optional<std::string>> identityIn(const fs::path& file)
{
    SPARSERL_TRY(const auto look, lookAt(file));
    if (!look.exists)
        return std::nullopt;
    SPARSERL_TRY(std::string text, readFile(file, 256));
    while (!text.empty() && text.back() == '\n')
        text.pop_back();
    return text;
}

Result<std::vector<TreeFile>> treeOf(const fs::path& folder, Hidden hidden)
{
    std::vector<TreeFile> files;
    SPARSERL_TRY(const auto look, lookAt(folder));
    if (look.exists)
        SPARSERL_CHECK(addFolder(files, folder, folder, hidden));
    return files;
}

bool isOnPath(const char* program)
{
    return std::ranges::any_of(pathFolders(), [&](const fs::path& folder) {
        return ::access((folder / program).c_str(), X_OK) == 0;
    });
}

Result<RemoteInventory> inventory(const RemoteHost& host, const std::string& folder, const RunIdentity& run)
{
    std::vector<std::string> words{host.program, "remote", "have", folder};
    if (!run.id.empty())
        words.insert(words.end(), {run.nameThere, run.id});
    SPARSERL_TRY(const auto said, runThere(host, words, listSeconds, Greeting::AtOnce));
    FrameReader frames;
    frames.feed(said);
    RemoteInventory there;
    bool claimed = run.id.empty();
    bool greeted = false, whole = false;
    for (;;) {
        SPARSERL_TRY(const auto frame, frames.next());
        if (!frame)
            break;
        if (!std::exchange(greeted, true) && !frame->head.contains("server"))
            return noProgramThere(host); // of which version it is comes first
        const nlohmann::json& head = frame->head;
        if (head.contains("server")) {
            there.version = shortened(printable(jsonValue<std::string>(head, "version", "?")), 40);
            if (jsonValue(head, "server", 0) != wireVersion || there.version != SPARSERL_VERSION)
                return fail(fmt::format("{} has version {} of SparseRL Workbench, this machine has {}",
                                        host.name, there.version, SPARSERL_VERSION),
                            "Install the same version on both machines");
            there.hasRsync = jsonValue(head, "rsync", false);
        } else if (head.contains("error")) {
            return fail(fmt::format("{} says: {}", host.name,
                                    shortened(printable(jsonValue<std::string>(head, "error", "?")), 500)),
                        shortened(printable(jsonValue<std::string>(head, "remedy", {})), 300));
        } else if (head.contains("claimed")) {
            claimed = jsonValue<std::string>(head, "claimed", {}) == run.id;
            there.hasRun = jsonValue(head, "whole", false);
        } else if (head.contains("have")) {
            there.files[jsonValue<std::string>(head, "have", {})] = jsonValue<std::int64_t>(head, "size", -1);
        }
        whole = head.contains("all");
    }
    if (!greeted)
        return noProgramThere(host);
    if (!whole) // with a hole in it, what is there would be taken for missing
        return fail(fmt::format("{} did not say all that is there", host.name), "Try again");
    if (!claimed)
        return fail(fmt::format("{} did not report which run the folder there belongs to", host.name),
                    "Try again");
    there.run = run;
    return there;
}

Status tellInventory(const fs::path& folder, const RunIdentity& run, const std::string& version, int output)
{
    const auto send = [&](const nlohmann::json& head) { return writeAll(output, encodeFrame(head)); };
    const auto refuse = [&](const Error& why) {
        return send({{"error", causeOf(why)}, {"remedy", why.remedy}});
    };
    SPARSERL_CHECK(send({{"server", wireVersion}, {"version", version}, {"rsync", isOnPath("rsync")}}));
    if (!run.id.empty()) {
        const auto whole = claim(folder, run);
        if (!whole)
            return refuse(whole.error());
        SPARSERL_CHECK(send({{"claimed", run.id}, {"whole", *whole}}));
    }
    const auto files = treeOf(folder, Hidden::Take);
    if (!files)
        return refuse(files.error());
    for (const TreeFile& file : *files)
        SPARSERL_CHECK(send({{"have", file.name}, {"size", file.size}}));
    return send({{"all", true}});
}

Result<ShippedPolicy> policyOf(const Project& project, const RunConfig& config)
{
    fs::path parent = policyPlace(config.parentCheckpoint);
    if (parent.empty() && !config.parentRun.empty())
        parent = project.runsPath() / config.parentRun;
    if (parent.empty())
        return ShippedPolicy();
    parent = (parent.is_absolute() ? parent : project.path() / parent).lexically_normal();
    if (!parent.has_filename())
        parent = parent.parent_path();
    if (!glance(parent).folder)
        return failAt(parent.string(), 0, "the policy to start from is not there",
                      "Choose another checkpoint");
    SPARSERL_CHECK(requireNamedPolicy(project, parent));
    // Of a run, its newest checkpoint, as the worker would take.
    SPARSERL_TRY(const auto newest, newestCheckpoint(parent));
    if (newest) {
        for (const fs::path& folder : {newest->path.parent_path(), newest->path})
            SPARSERL_CHECK(refuseLink(folder));
        parent = newest->path;
    }
    SPARSERL_TRY(auto files, filesOfPolicy(parent));
    SPARSERL_TRY(const std::string identity, identityOfPolicy(parent, files));
    return ShippedPolicy{parent, fmt::format("policies/{}", identity.substr(0, identityDigits)),
                         std::move(files)};
}

Status forgetDamagedPolicy(RemoteInventory& there, const RemoteHost& host, const std::string& folder,
                           const ShippedPolicy& policy)
{
    const std::string prefix = policy.target + "/";
    const auto first = there.files.lower_bound(prefix);
    if (policy.target.empty() || first == there.files.end() || !first->first.starts_with(prefix))
        return {};
    SPARSERL_TRY(const auto said,
                 runThere(host, {host.program, "remote", "sound", folder + "/" + policy.target}, readSeconds,
                          Greeting::AtOnce));
    FrameReader frames;
    frames.feed(said);
    for (;;) {
        SPARSERL_TRY(const auto frame, frames.next());
        if (!frame)
            break;
        if (jsonValue(frame->head, "sound", false))
            return {};
    }
    std::erase_if(there.files, [&](const auto& file) { return file.first.starts_with(prefix); });
    return {};
}

Status tellPolicy(const fs::path& folder, int output)
{
    SPARSERL_CHECK(writeAll(output, encodeFrame({{"server", wireVersion}}))); // reading it takes its time
    auto files = filesOfPolicy(folder);
    const Result<std::string> identity =
        files ? identityOfPolicy(folder, std::move(*files)) : Result<std::string>(fail(files.error()));
    bool sound = identity && identity->starts_with(folder.filename().string());
    SPARSERL_TRY(const auto list, lookAt(folder / "checkpoint.json"));
    if (sound && list.exists) {
        const auto fault = checkpointFault(folder);
        sound = fault && !*fault;
    }
    return writeAll(output, encodeFrame({{"sound", sound}}));
}

} // namespace sparserl
