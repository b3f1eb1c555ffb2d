// SPDX-License-Identifier: Apache-2.0
#include "remote/remote_launch.h"

#include "base/files.h"
#include "base/json.h"
#include "base/line_diff.h"
#include "base/lock.h"
#include "base/printable.h"
#include "base/subprocess.h"
#include "base/time.h"
#include "base/trust.h"
#include "project/files/run_files.h"
#include "project/files/unique_id.h"
#include "project/run/control.h"
#include "project/run/remote_mark.h"
#include "remote/inventory.h"
#include "remote/known_hosts.h"
#include "remote/sent_runs.h"
#include "remote/shell_words.h"
#include "remote/ship.h"
#include "remote/ssh.h"
#include "remote/wire.h"

#include <csignal>
#include <fmt/format.h>
#include <thread>

namespace sparserl {

namespace {

namespace fs = std::filesystem;

Status startFollower(const fs::path& run, const fs::path& program)
{
    SpawnOptions options;
    options.argv = {program.string(), "remote", "follow", run.string()};
    options.input = StreamEnd::null();
    options.output = options.error = StreamEnd::toFile(run / followerLogFile);
    SPARSERL_TRY(const auto pid, spawnDetached(options));
    static_cast<void>(pid);
    return {};
}

/// Ends a follower, so that another may begin with what stands in the mark now.
Status stopFollower(const fs::path& run)
{
    const fs::path file = run / followerLock;
    for (int attempt = 0; FileLock::isLocked(file); ++attempt) {
        const auto holder = FileLock::localHolder(file);
        if (!holder && FileLock::isLocked(file))
            return failAt(run.string(), 0,
                          "the process that follows this run cannot be identified on this machine",
                          "End it where it runs, then try again");
        if (!holder)
            break;
        if (attempt > 100)
            return failAt(run.string(), 0, "the process that follows this run does not end",
                          fmt::format("End the process {}", *holder));
        if (attempt % 25 == 0)
            ::kill(*holder, attempt < 50 ? SIGTERM : SIGKILL);
        std::this_thread::sleep_for(std::chrono::milliseconds(50));
    }
    return {};
}

/// The project's folder there, of "FOLDER/PROJECT/runs/RUN".
fs::path projectThere(const RemoteMark& mark)
{
    return fs::path(mark.run).parent_path().parent_path();
}

/// Gives a run an identity, and by it a folder of its own there, and puts that on record: numbers come again
/// once runs are removed, and a run must never be taken for another.
Status placeAnew(RemoteMark& mark, const std::string& projectFolder, const Project& project,
                 const fs::path& run)
{
    mark.identity = uniqueId();
    mark.run =
        fmt::format("{}/runs/{}-{}", projectFolder, run.filename().string(), mark.identity.substr(0, 12));
    SPARSERL_CHECK(checkRemoteText("the run", mark.run));
    return recordSentRun(mark, project.path(), run);
}

/// Where the run is to be there. A mark may come from anybody: its place counts only where this machine has
/// sent the run there. What there is to say of it, else nothing.
Result<std::string> settlePlace(const Project& project, const fs::path& run, const RemoteHost& host,
                                RemoteMark& mark)
{
    SPARSERL_TRY(const auto sent, sentRun(mark));
    const bool own = sent && isRunOf(host, mark.run);
    const bool copy = own && isOfACopy(run, *sent);
    if (own && !copy) {
        SPARSERL_CHECK(checkRemoteText("the run", mark.run));
        SPARSERL_CHECK(recordSentRun(mark, project.path(), run)); // it may have been moved
        std::error_code code;
        return !isHomeOf(*sent, fs::absolute(project.path(), code))
                   ? fmt::format(
                         "the run was sent from {}, but is no longer there, so its folder on {} now "
                         "belongs to this project. If that project was only moved, its run gets a new "
                         "folder when it is resumed",
                         shortened(printableLine(sent->home), 300), host.name)
                   : std::string();
    }
    std::string notice;
    if (copy)
        notice = fmt::format("the folder of this run on {} is used by the project {}: the run now uses a "
                             "new folder there",
                             host.name, shortened(printableLine(sent->home), 300));
    else if (!mark.run.empty())
        notice =
            fmt::format("this machine has no record of sending the run to {} on {}, so the run now uses a "
                        "new folder there. A worker in the old folder is not followed",
                        shortened(printableLine(mark.run), 300), host.name);
    SPARSERL_CHECK(placeAnew(mark, remoteProjectFolder(host, project.path()), project, run));
    return notice;
}

/// Sends the run and begins to follow it; the follower has the worker started.
Status sendAndStart(Project& project, const RunDirectory& run, const fs::path& program,
                    const CancelToken& cancel, const Progress& progress)
{
    auto mark = readRemoteMark(run.path());
    SPARSERL_TRY(const RemoteHost host, confirmedHost(mark->host, mark->folder));
    SPARSERL_TRY(std::string notice, settlePlace(project, run.path(), host, *mark));
    const std::string folder = projectThere(*mark).string();
    const auto identity = [&] {
        return RunIdentity{fs::path(mark->run).filename().string(), mark->identity};
    };
    SPARSERL_TRY(auto there, inventory(host, folder, identity()));
    // From here on the mark is this process's: the host is reached, and nobody follows.
    SPARSERL_CHECK(stopFollower(run.path()));
    if (const auto now = readRemoteMark(run.path())) {
        mark->worker = now->worker;
        mark->controlSent = now->controlSent;
    }
    // A worker has worked there, and the folder is whole no more: what is left of it stays as it is.
    if (!there.hasRun && there.files.contains("runs/" + identity().nameThere + "/" + workerLock)) {
        notice = fmt::format("the folder {} on {} is not whole: the run works in another one there now",
                             shortened(printableLine(mark->run), 300), host.name);
        SPARSERL_CHECK(placeAnew(*mark, folder, project, run.path()));
        SPARSERL_TRY(there, inventory(host, folder, identity()));
    }
    SPARSERL_CHECK(writeRemoteMark(run.path(), *mark)); // what is sent from now on is found again
    ShippedPolicy policy;                               // where the run is, it has what it starts from
    if (!there.hasRun) {
        SPARSERL_TRY(policy, policyOf(project, run.config()));
        SPARSERL_CHECK(forgetDamagedPolicy(there, host, folder, policy));
    }
    SPARSERL_TRY(const auto scratch, TempDir::create("sparserl-send"));
    SPARSERL_TRY(const auto files,
                 shipmentOf(project, run, identity(), policy, scratch.path(), cancel, progress));
    SPARSERL_CHECK(ship(host, folder, files, there, identity(), cancel, progress));
    mark->wantsStart = true;
    mark->answered = false;
    mark->notice = notice;
    mark->ended = false;
    mark->worker = false;
    mark->connected = true; // just now
    mark->reached = unixSeconds();
    mark->since = 0;
    mark->problem.clear();
    mark->remedy.clear();
    // What was asked of an earlier worker is not for this one; changes of parameters are for the run.
    mark->controlBegin = controlLength(run.path());
    SPARSERL_CHECK(writeRemoteMark(run.path(), *mark));
    return startFollower(run.path(), program);
}

Status noteFailure(const fs::path& run, const Error& why)
{
    if (auto mark = readRemoteMark(run)) {
        mark->connected = false;
        mark->since = unixSeconds();
        mark->answered = false;
        mark->problem = causeOf(why);
        mark->remedy = why.remedy;
        static_cast<void>(writeRemoteMark(run, *mark));
    }
    return fail(why);
}

} // namespace

Result<RemoteMachine> askHost(const RemoteHost& host)
{
    RemoteMachine machine;
    SPARSERL_CHECK(checkRemoteHost(host));
    SPARSERL_TRY(const auto version, runThere(host, {host.program, "--json", "--version"}, greetingSeconds));
    for (const std::string& line : splitLines(version)) { // its shell may print, too
        if (!machine.version.empty())
            break;
        if (const auto json = parseJson(line))
            machine.version = shortened(printable(jsonValue<std::string>(*json, "version", {})), 40);
    }
    if (machine.version.empty())
        return fail(
            fmt::format("the program {} on {} is not the one that is needed", host.program, host.name),
            "Install SparseRL Workbench there");
    SPARSERL_TRY(const auto said, runThere(host, {host.program, "--json", "doctor"}));
    for (const std::string& line : splitLines(said)) {
        const auto json = parseJson(line);
        if (!json || !json->is_object() || !json->contains("key"))
            continue;
        const auto text = [&](const char* key) {
            return shortened(printable(jsonValue<std::string>(*json, key, {})), 400);
        };
        machine.items.push_back({text("key"), text("title"), text("level"), text("sentence")});
    }
    return machine;
}

Result<WorkerInfo> launchRemote(Project& project, RunConfig config, const RemoteHost& host,
                                const fs::path& program, const CancelToken& cancel, const Progress& progress)
{
    SPARSERL_CHECK(checkRemoteHost(host));
    SPARSERL_CHECK(requireTrust(project.path()));
    if (project.matrices().empty())
        return failAt((project.path() / "project.toml").string(), 0, "The project has no matrices",
                      "Add some with `sparserl import FILE --project DIR`");
    if (progress)
        progress(-1, "asking " + host.name);
    // A host that is not reached, or has another program, leaves no run behind; nor does a policy that is
    // gone.
    SPARSERL_CHECK(inventory(host, remoteProjectFolder(host, project.path())));
    SPARSERL_CHECK(policyOf(project, config));
    SPARSERL_CHECK(rememberHost(host)); // the user has named it here
    SPARSERL_TRY(auto run, makeRun(project, std::move(config)));
    RemoteMark mark;
    mark.host = host.name;
    mark.folder = host.folder;
    SPARSERL_CHECK(placeAnew(mark, remoteProjectFolder(host, project.path()), project, run.path()));
    mark.connected = true;
    mark.reached = unixSeconds();
    SPARSERL_CHECK(writeRemoteMark(run.path(), mark));
    if (const auto sent = sendAndStart(project, run, program, cancel, progress); !sent)
        return fail(noteFailure(run.path(), sent.error()).error());
    return WorkerInfo{run.path(), 0, host.name};
}

Result<WorkerInfo> resumeRemote(const fs::path& path, const fs::path& program, const CancelToken& cancel,
                                const Progress& progress)
{
    SPARSERL_TRY(const auto run, RunDirectory::open(path));
    SPARSERL_CHECK(requireTrust(run.path()));
    SPARSERL_TRY(const RemoteMark mark, requireRemoteMark(run.path()));
    if (isReached(run.path(), mark) && mark.worker)
        return failAt(path.string(), 0,
                      fmt::format("a worker on {} is working on this run already", mark.host));
    SPARSERL_TRY(auto project, Project::find(run.path().parent_path()));
    SPARSERL_CHECK(confirmedHost(mark.host, mark.folder));
    if (progress)
        progress(-1, "asking " + mark.host);
    if (const auto sent = sendAndStart(project, run, program, cancel, progress); !sent)
        return fail(noteFailure(run.path(), sent.error()).error());
    return WorkerInfo{run.path(), 0, mark.host};
}

Status requireOwnRun(const fs::path& run)
{
    SPARSERL_CHECK(requireTrust(run));
    const auto mark = readRemoteMark(run);
    if (!mark || mark->host.empty() || mark->run.empty())
        return {};
    SPARSERL_CHECK(confirmedHost(mark->host, mark->folder));
    return requireSent(run, *mark);
}

Status ensureFollower(const fs::path& run, const fs::path& program, bool anew)
{
    const auto mark = readRemoteMark(run);
    if (!mark || mark->host.empty() || mark->run.empty() || mark->ended)
        return {};
    SPARSERL_CHECK(requireOwnRun(run));
    if (FileLock::isLocked(run / followerLock)) {
        if (!anew || mark->connected)
            return {};
        SPARSERL_CHECK(stopFollower(run));
    }
    return startFollower(run, program);
}

} // namespace sparserl
