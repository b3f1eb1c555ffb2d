// SPDX-License-Identifier: Apache-2.0
#include "remote/ship.h"

#include "base/beneath.h"
#include "base/files.h"
#include "base/hash.h"
#include "base/interruption.h"
#include "base/json.h"
#include "base/path_folders.h"
#include "base/printable.h"
#include "base/trust.h"
#include "matrix/cache.h"
#include "project/project_file.h"
#include "project/run_files.h"
#include "project/sft_set.h"
#include "remote/shell_words.h"
#include "remote/ssh.h"
#include "remote/wire.h"

#include <algorithm>
#include <array>
#include <csignal>
#include <fmt/format.h>
#include <unistd.h>

namespace sparserl {

namespace {

namespace fs = std::filesystem;

/// What a run's folder holds for this machine only, or until it ends.
constexpr std::array<std::string_view, 6> ownFiles{"remote.json", followerLock, followerLogFile,
                                                   heartbeatFile, workerLock,   workerLogFile};
constexpr std::string_view policiesFolder = "policies";

bool isOnPath(const char* program)
{
    return std::ranges::any_of(pathFolders(), [&](const fs::path& folder) {
        return ::access((folder / program).c_str(), X_OK) == 0;
    });
}

/// Every regular file below a folder, its place there being below `target`.
void addTree(std::vector<ShippedFile>& files, const fs::path& folder, const std::string& target)
{
    std::error_code code;
    for (fs::recursive_directory_iterator it(folder, code), end; !code && it != end; it.increment(code)) {
        std::error_code ignored;
        if (it->path().filename().string().starts_with('.')) { // half-written
            if (it->is_directory(ignored))
                it.disable_recursion_pending();
            continue;
        }
        if (it->is_regular_file(ignored))
            files.push_back(
                {it->path(), target + "/" + it->path().lexically_relative(folder).generic_string(), false});
    }
}

/// What a policy's files hold: of a checkpoint, its list of checksums, else each file.
Result<std::string> identityOfPolicy(const fs::path& folder)
{
    if (auto list = readFile(folder / "checkpoint.json", 64 << 20))
        return sha256Hex(*list);
    std::vector<ShippedFile> files;
    addTree(files, folder, "");
    std::sort(files.begin(), files.end(),
              [](const ShippedFile& a, const ShippedFile& b) { return a.target < b.target; });
    Hasher all;
    for (const ShippedFile& file : files) {
        SPARSERL_TRY(const auto mapped, MappedFile::open(file.source));
        all.update(file.target + "\n" + sha256Hex(mapped.view()) + "\n");
    }
    return all.hex();
}

/// The policy to start from, and where run.toml is to say that it is.
Result<std::string> addParent(std::vector<ShippedFile>& files, const Project& project,
                              const RunConfig& config)
{
    fs::path parent = config.parentCheckpoint;
    if (parent.empty() && !config.parentRun.empty())
        parent = project.runsPath() / config.parentRun;
    if (parent.empty())
        return std::string();
    parent = (parent.is_absolute() ? parent : project.path() / parent).lexically_normal();
    if (!parent.has_filename())
        parent = parent.parent_path();
    std::error_code code;
    if (!fs::is_directory(parent, code))
        return failAt(parent.string(), 0, "the policy to start from is not there",
                      "Choose another checkpoint");
    // Of a run, its newest checkpoint, as the worker would take.
    if (const auto checkpoints = listCheckpoints(parent); !checkpoints.empty())
        parent = checkpoints.back().path;
    // By its contents: what was trained anew under an old name is another one.
    SPARSERL_TRY(const std::string identity, identityOfPolicy(parent));
    const std::string target = fmt::format("{}/{}", policiesFolder, identity.substr(0, 16));
    addTree(files, parent, target);
    return target;
}

Status addMatrices(std::vector<ShippedFile>& files, Project& project, const fs::path& scratch,
                   const CancelToken& cancel, const Progress& progress)
{
    ProjectFile list{project.title(), project.matrices()};
    const MatrixCache cache(project.cachePath());
    for (MatrixEntry& entry : list.matrices) {
        // A file is read where it is; elsewhere its cache stands for it.
        if (!entry.file.empty() && (entry.digest.empty() || !cache.has(entry.digest))) {
            if (cancel.cancelled())
                return fail(interruption());
            if (progress)
                progress(-1, "reading " + entry.name);
            SPARSERL_TRY(const auto loaded, project.load(MatrixEntry(entry), cancel));
            entry.digest = loaded.digest;
        }
        if (entry.digest.empty())
            continue; // generated there
        std::error_code code;
        for (const fs::path& file : {cache.matrixPath(entry.digest), cache.pyramidPath(entry.digest),
                                     project.cachePath() / (entry.digest + ".features.json")})
            if (fs::exists(file, code))
                files.push_back({file, "cache/" + file.filename().string(), false});
    }
    SPARSERL_CHECK(writeFileAtomic(scratch / "project.toml", formatProjectFile(list)));
    files.push_back({scratch / "project.toml", "project.toml", true});
    std::error_code code; // what their files' formats forbid stands there
    if (fs::exists(project.cachePath() / "sources.json", code))
        files.push_back({project.cachePath() / "sources.json", "cache/sources.json", true});
    return {};
}

} // namespace

std::string remoteProjectFolder(const RemoteHost& host, const fs::path& project)
{
    std::string name = project.filename().string();
    for (char& c : name)
        if (!((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_'))
            c = '-';
    std::array<char, 256> machine{};
    static_cast<void>(::gethostname(machine.data(), machine.size() - 1));
    const std::string id = sha256Hex(std::string(machine.data()) + ":" + project.string());
    return fmt::format("{}/{}-{}", remotePath(host.folder), name.substr(0, 40), id.substr(0, 10));
}

Result<std::vector<ShippedFile>> shipmentOf(Project& project, const RunDirectory& run,
                                            const std::string& nameThere, const fs::path& scratch,
                                            const CancelToken& cancel, const Progress& progress)
{
    std::vector<ShippedFile> files;
    SPARSERL_CHECK(addMatrices(files, project, scratch, cancel, progress));
    std::error_code code;
    if (fs::exists(project.path() / "annotations.jsonl", code)) // which programs are in the SFT set
        files.push_back({project.path() / "annotations.jsonl", "annotations.jsonl", true});
    addTree(files, project.path() / "sft_set", "sft_set");
    SPARSERL_TRY(const auto parent, addParent(files, project, run.config()));
    const std::string folder = "runs/" + nameThere;
    std::vector<ShippedFile> own;
    addTree(own, run.path(), folder);
    std::erase_if(own, [&](const ShippedFile& file) {
        const std::string name = file.target.substr(folder.size() + 1);
        return name == runFile || std::find(ownFiles.begin(), ownFiles.end(), name) != ownFiles.end();
    });
    files.insert(files.end(), own.begin(), own.end());
    // Paths are those of the project that a run lies in, so that they hold there, too.
    RunConfig config = run.config();
    config.project = project.path().string();
    if (!parent.empty())
        config.parentCheckpoint = (project.path() / parent).string();
    SPARSERL_CHECK(writeRunConfig(scratch / runFile, config));
    files.push_back({scratch / runFile, folder + "/run.toml", false});
    for (const ShippedFile& file : files)
        SPARSERL_CHECK(checkRemoteText("the file", file.target));
    return files;
}

Result<RemoteInventory> inventory(const RemoteHost& host, const std::string& folder)
{
    SPARSERL_TRY(const auto said, runThere(host, {host.program, "remote", "have", folder}, 120));
    FrameReader frames;
    frames.feed(said);
    RemoteInventory there;
    bool any = false;
    for (;;) {
        SPARSERL_TRY(const auto frame, frames.next());
        if (!frame)
            break;
        any = true;
        const nlohmann::json& head = frame->head;
        if (head.contains("server")) {
            there.version = shortened(printable(jsonValue<std::string>(head, "version", "?")), 40);
            if (jsonValue(head, "server", 0) != wireVersion)
                return fail(
                    fmt::format("{} has version {} of SparseRL Workbench, which takes runs in another way",
                                host.name, there.version),
                    "Install the same version on both machines");
            there.hasRsync = jsonValue(head, "rsync", false);
        } else if (head.contains("error")) {
            return fail(fmt::format("{} says: {}", host.name,
                                    shortened(printable(jsonValue<std::string>(head, "error", "?")), 500)));
        } else if (head.contains("have")) {
            there.files[jsonValue<std::string>(head, "have", {})] = jsonValue<std::int64_t>(head, "size", -1);
        }
    }
    if (!any)
        return fail(
            fmt::format("the program {} on {} is not the one that is needed", host.program, host.name),
            "Install this version of SparseRL Workbench there");
    return there;
}

Status tellInventory(const fs::path& folder, const std::string& version, int output)
{
    const auto send = [&](const nlohmann::json& head) { return writeAll(output, encodeFrame(head)); };
    SPARSERL_CHECK(send({{"server", wireVersion}, {"version", version}, {"rsync", isOnPath("rsync")}}));
    if (const auto made = makeDirectories(folder); !made)
        return send({{"error", made.error().sentence()}});
    if (const auto trusted = trustProject(folder); !trusted) // the user's own, from another machine
        return send({{"error", trusted.error().sentence()}});
    std::error_code code;
    for (fs::recursive_directory_iterator it(folder, code), end; !code && it != end; it.increment(code)) {
        std::error_code ignored;
        if (it->is_regular_file(ignored))
            SPARSERL_CHECK(send({{"have", it->path().lexically_relative(folder).generic_string()},
                                 {"size", it->file_size(ignored)}}));
    }
    return {};
}

namespace {

/// A folder with links to the files where they are to be there.
Status stage(const fs::path& folder, const std::vector<const ShippedFile*>& files)
{
    for (const ShippedFile* file : files) {
        const fs::path link = folder / file->target;
        SPARSERL_CHECK(makeDirectories(link.parent_path()));
        std::error_code code;
        fs::create_symlink(fs::absolute(file->source), link, code);
        if (code)
            return failAt(link.string(), 0, "cannot gather what is to be sent: " + code.message());
    }
    return {};
}

Status waitFor(Subprocess& process, const CancelToken& cancel, const RemoteHost& host, const fs::path& errors)
{
    for (;;) {
        if (const auto status = process.wait(0.2)) {
            if (status->ok())
                return {};
            const auto said = readFile(errors, 1 << 20);
            return fail(explainSsh(host, *status, said ? *said : std::string()));
        }
        if (cancel.cancelled()) {
            process.killGroup(SIGTERM);
            return fail(interruption());
        }
    }
}

Status byRsync(const RemoteHost& host, const std::string& folder, const fs::path& staged,
               const fs::path& errors, const CancelToken& cancel)
{
    std::string shell;
    for (const std::string& word : sshWords()) // none has a blank
        shell += (shell.empty() ? "" : " ") + word;
    SpawnOptions options;
    // -s: paths go through the protocol, not through the shell there.
    options.argv = {"rsync",
                    "-rLt",
                    "-s",
                    "--partial",
                    "-e",
                    shell,
                    staged.string() + "/",
                    host.name + ":" + folder + "/"};
    options.dieWithParent = true;
    options.output = StreamTarget::null();
    options.error = StreamTarget::toFile(errors);
    SPARSERL_TRY(auto rsync, spawn(options));
    return waitFor(rsync, cancel, host, errors);
}

Status byTar(const RemoteHost& host, const std::string& folder, const fs::path& staged,
             const fs::path& errors, std::int64_t total, const CancelToken& cancel, const Progress& progress)
{
    SpawnOptions packing;
    packing.argv = {"tar", "-C", staged.string(), "-chf", "-", "."};
    packing.dieWithParent = true;
    packing.output = StreamTarget::pipe();
    packing.error = StreamTarget::toFile(errors);
    SPARSERL_TRY(auto tar, spawn(packing));
    auto sending = sshCommand(host, shellLine({"tar", "-C", folder, "-xof", "-"}));
    sending.input = StreamTarget::pipe();
    sending.output = StreamTarget::null();
    sending.error = StreamTarget::toFile(errors);
    SPARSERL_TRY(auto ssh, spawn(sending));
    std::array<char, 65536> buffer{};
    std::int64_t sent = 0;
    for (;;) {
        const ssize_t got = ::read(tar.outputFd(), buffer.data(), buffer.size());
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            break;
        if (cancel.cancelled()) {
            ssh.killGroup(SIGTERM);
            return fail(interruption());
        }
        if (!writeAll(ssh.inputFd(), {buffer.data(), static_cast<std::size_t>(got)}))
            break; // ssh says why
        sent += got;
        if (progress)
            progress(std::min(1.0, static_cast<double>(sent) / static_cast<double>(total + 1)),
                     "sending to " + host.name);
    }
    ssh.closeInput();
    SPARSERL_CHECK(waitFor(ssh, cancel, host, errors));
    if (const auto status = tar.wait(5); !status || !status->ok())
        return fail("what is to be sent could not be read", "See whether the project's files can be read");
    return {};
}

} // namespace

Status ship(const RemoteHost& host, const std::string& folder, const std::vector<ShippedFile>& files,
            const RemoteInventory& there, const CancelToken& cancel, const Progress& progress)
{
    SPARSERL_CHECK(checkRemoteHost(host));
    SPARSERL_CHECK(checkRemoteText("the folder", folder));
    std::vector<const ShippedFile*> first, last;
    std::int64_t total = 0;
    const auto runIsThere = [&](const std::string& target) {
        const auto at = target.find('/', 5); // behind "runs/"
        return target.starts_with("runs/") && at != std::string::npos &&
               target.find("/checkpoints/") == std::string::npos &&
               there.files.contains(target.substr(0, at) + "/run.toml");
    };
    for (const ShippedFile& file : files) {
        std::error_code code;
        const auto size = static_cast<std::int64_t>(fs::file_size(file.source, code));
        if (code)
            return failAt(file.source.string(), 0, "cannot be sent: " + code.message());
        const auto known = there.files.find(file.target);
        if ((known != there.files.end() && known->second == size && !file.always) || runIsThere(file.target))
            continue;
        total += size;
        (file.target.ends_with("/run.toml") && file.target.starts_with("runs/") &&
                 file.target.find("/checkpoints/") == std::string::npos
             ? last
             : first)
            .push_back(&file);
    }
    for (const auto* part : {&first, &last}) {
        if (part->empty())
            continue;
        if (cancel.cancelled())
            return fail(interruption());
        SPARSERL_TRY(const auto staging, TempDir::create("sparserl-send"));
        SPARSERL_CHECK(makeDirectories(staging.path() / "files"));
        SPARSERL_CHECK(stage(staging.path() / "files", *part));
        const fs::path errors = staging.path() / "stderr";
        if (progress)
            progress(0, "sending to " + host.name);
        // rsync minds what a login shell prints, tar does not.
        bool sent = false;
        if (there.hasRsync && isOnPath("rsync")) {
            auto status = byRsync(host, folder, staging.path() / "files", errors, cancel);
            if (!status && isInterruption(status.error()))
                return status;
            sent = status.has_value();
        }
        std::error_code code;
        removeEntry(errors, code); // what rsync said is not why tar fails
        if (!sent)
            SPARSERL_CHECK(byTar(host, folder, staging.path() / "files", errors, total, cancel, progress));
    }
    return {};
}

} // namespace sparserl
