// SPDX-License-Identifier: Apache-2.0
#include "operator/import/task_import.h"

#include "base/beneath.h"
#include "base/files.h"
#include "base/format.h"
#include "base/interruption.h"
#include "base/json.h"
#include "base/printable.h"
#include "base/subprocess.h"
#include "operator/graph/graph_file.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <fmt/format.h>
#include <poll.h>
#include <set>
#include <system_error>
#include <unistd.h>

namespace sparserl {

namespace {

namespace fs = std::filesystem;

constexpr std::size_t mostSaid = std::size_t(1) << 30, mostSizes = 8, longestLine = 4096, longestError = 400;
/// Names that small sizes must not have, because other files of the folder have them.
constexpr std::array<std::string_view, 2> reservedNames{"task", "full"};
const char* const installTorch =
    "Install PyTorch for this Python (Debian: `apt install python3-torch`), or name another one with "
    "SPARSERL_PYTHON; graphs written by hand need none";

const char* const askFolders =
    "import json, os, sys\n"
    "own = [os.path.join(prefix, name) for prefix in (sys.prefix, sys.base_prefix, sys.exec_prefix)"
    " for name in ('bin', 'lib', 'lib64', 'pyvenv.cfg')]\n"
    "print(json.dumps([sys.executable] + own + sys.path))";

std::string foreign(const std::string& text)
{
    return shortened(printableLine(text), longestError);
}

/// Takes lines, and the bytes that the lines announce, from the front of a text.
class Said
{
public:
    explicit Said(std::string_view text)
        : m_text(text)
    {
    }
    bool empty() const { return m_text.empty(); }
    Result<nlohmann::json> line()
    {
        const auto end = m_text.substr(0, longestLine).find('\n');
        if (end == std::string_view::npos)
            return fail("the recorder ended in the middle of a line");
        auto json = parseJson(m_text.substr(0, end));
        m_text.remove_prefix(end + 1);
        if (!json || !json->is_object())
            return fail(
                "the recorder said something that is no line of its own: the task wrote into its answer");
        return json;
    }
    Result<std::string_view> bytes(const nlohmann::json& line, const char* key)
    {
        SPARSERL_TRY(const auto count, jsonRequire<std::uint64_t>(line, key));
        if (count > m_text.size())
            return fail("the recorder ended in the middle of a graph");
        const auto found = m_text.substr(0, count);
        m_text.remove_prefix(count);
        return found;
    }

private:
    std::string_view m_text;
};

/// Returns the folders that do not lie in another one of them.
std::vector<fs::path> outermost(std::vector<fs::path> folders)
{
    std::sort(folders.begin(), folders.end());
    std::vector<fs::path> kept;
    for (const fs::path& folder : folders)
        if (kept.empty() || !(folder.string() + "/").starts_with(kept.back().string() + "/"))
            kept.push_back(folder);
    return kept;
}

/// The output of a locked process until its end, and how the process ended.
struct Listened
{
    std::string said, error;
    std::optional<ExitStatus> status;
    bool timedOut = false, tooMuch = false;
};

/// Appends the data that a descriptor has. Returns false at the end, or after an error.
bool readSome(int fd, std::string& into)
{
    std::array<char, 65536> buffer{};
    const ssize_t got = ::read(fd, buffer.data(), buffer.size());
    if (got > 0)
        into.append(buffer.data(), static_cast<std::size_t>(got));
    return got > 0 || (got < 0 && (errno == EINTR || errno == EAGAIN));
}

Result<Listened> listen(const SpawnOptions& spawning, const ImportOptions& options)
{
    using Clock = std::chrono::steady_clock;
    SPARSERL_TRY(auto process, spawn(spawning));
    Listened heard;
    constexpr std::size_t mostErrors = 65536;
    bool open = true, errors = true;
    const auto end = Clock::now() + std::chrono::duration<double>(options.wallSeconds);
    while (open || errors) {
        if (options.cancel.cancelled())
            return fail(interruption());
        heard.timedOut = Clock::now() >= end;
        heard.tooMuch = heard.said.size() > mostSaid || heard.error.size() > mostErrors;
        if (heard.timedOut || heard.tooMuch)
            break;
        std::array<pollfd, 2> waits{pollfd{open ? process.outputFd() : -1, POLLIN, 0},
                                    pollfd{errors ? process.errorFd() : -1, POLLIN, 0}};
        constexpr int lookMilliseconds = 100;
        if (::poll(waits.data(), waits.size(), lookMilliseconds) < 0 && errno != EINTR)
            return fail("what the recorder says cannot be waited for");
        if (waits[0].revents != 0)
            open = readSome(process.outputFd(), heard.said);
        if (waits[1].revents != 0)
            errors = readSome(process.errorFd(), heard.error);
    }
    if (heard.timedOut || heard.tooMuch)
        process.killGroup(SIGKILL);
    heard.status = process.wait(heard.timedOut || heard.tooMuch ? -1 : 10);
    process.killGroup(SIGKILL);
    return heard;
}

Error howItEnded(const Listened& heard, const ImportOptions& options)
{
    if (heard.timedOut)
        return {"the task did not come to an end within " + formatDuration(options.wallSeconds)};
    if (heard.tooMuch)
        return {"the task says too much"};
    if (!heard.status)
        return {"the task closed its outputs and did not come to an end"};
    const ExitStatus status = *heard.status;
    if (status.signalled && (status.code == SIGXCPU || status.code == SIGKILL))
        return {fmt::format("the task used up its {} of processor time",
                            formatCounted(options.cpuSeconds, "second"))};
    // The last line is the message of Python or of the lock.
    std::string text = heard.error;
    while (!text.empty() && (text.back() == '\n' || text.back() == ' '))
        text.pop_back();
    text = text.substr(text.rfind('\n') + 1);
    return {"the process that records the task " + status.sentence() +
            (text.empty() ? "" : ": " + foreign(text))};
}

/// The three texts that the recorder writes for a size.
struct SaidSize
{
    std::string_view graph, tensors, expected;
};

Result<SaidSize> takeSize(Said& rest, const nlohmann::json& line)
{
    SaidSize size;
    SPARSERL_TRY(size.graph, rest.bytes(line, "graph"));
    SPARSERL_TRY(size.tensors, rest.bytes(line, "tensors"));
    SPARSERL_TRY(size.expected, rest.bytes(line, "expected"));
    return size;
}

Result<ImportedSize> readSize(const SaidSize& said)
{
    ImportedSize size;
    SPARSERL_TRY(size.graph, parseGraph(said.graph, "graph"));
    SPARSERL_TRY(size.tensors, parseTensors(said.tensors, "tensors", mostSaid));
    SPARSERL_TRY(size.expected, parseTensors(said.expected, "outputs", mostSaid));
    return size;
}

/// Reads what follows all other sizes: the full size, the reason why there is none, or nothing.
Status takeFull(Said& rest, ImportedTask& task)
{
    if (rest.empty())
        return {};
    SPARSERL_TRY(const auto line, rest.line());
    if (line.contains("no_full")) {
        task.noFull = foreign(jsonValue<std::string>(line, "no_full", ""));
    } else {
        SPARSERL_TRY(const auto said, takeSize(rest, line));
        // The full size may exceed limits that the other sizes keep.
        auto size = readSize(said);
        if (size && size->graph.size != "full")
            return fail("the recorder says a full size of another name");
        if (size)
            task.full = std::move(*size);
        else
            task.noFull = foreign(size.error().sentence());
    }
    if (!rest.empty())
        return fail("the recorder says more than it announced");
    return {};
}

Status readFull(Said& rest, ImportedTask& task, const std::string& cut)
{
    auto taken = takeFull(rest, task);
    if (cut.empty() || (taken && (task.full || !task.noFull.empty())))
        return taken;
    task.full.reset();
    task.noFull = cut;
    return {};
}

} // namespace

Result<ImportPython> findImportPython()
{
    ImportPython python;
    const char* const chosen = std::getenv("SPARSERL_PYTHON");
    python.program = chosen && *chosen ? chosen : "/usr/bin/python3";
    SpawnOptions options;
    // No task runs yet. This only asks Python from which folders it reads modules.
    options.argv = {python.program.string(), "-I", "-B", "-c", askFolders};
    options.output = options.error = StreamEnd::pipe();
    options.dieWithParent = true;
    constexpr double patience = 60;
    const auto said = runToEnd(std::move(options), {}, patience);
    const auto list =
        said && said->status.ok() ? parseJson(said->output) : Result<nlohmann::json>(fail("none"));
    const auto words = list ? jsonAs<std::vector<nlohmann::json>>(*list) : std::nullopt;
    if (!words || words->empty())
        return fail("there is no Python " + python.program.string() + " that works", installTorch);
    std::vector<fs::path> folders;
    for (const auto& word : *words) {
        const auto text = jsonAs<std::string>(word);
        const fs::path place = text ? fs::path(*text) : fs::path();
        std::error_code code;
        // Only these parts of an environment's folder are shown, because the user's own files may lie beside
        // them. Folders directly in /usr belong to the system's libraries and are skipped.
        if (&word == &words->front())
            python.program = place;
        else if (place.is_absolute() && place != "/" && place != "/usr" && place.parent_path() != "/usr" &&
                 fs::exists(place, code))
            folders.push_back(place);
    }
    // In a virtual environment, this program is a link to the Python that runs.
    std::error_code code;
    const fs::path real = fs::canonical(python.program, code);
    if (!code)
        folders.push_back(real);
    python.folders = outermost(std::move(folders));
    return python;
}

Result<ImportedTask> readImported(std::string_view said, const std::string& cut)
{
    Said rest(said);
    ImportedTask task;
    while (!rest.empty()) {
        SPARSERL_TRY(const auto line, rest.line());
        if (line.contains("no_torch"))
            return fail("this Python has no PyTorch: " +
                            foreign(jsonValue<std::string>(line, "no_torch", "")),
                        installTorch);
        if (line.contains("error"))
            return fail("the task cannot be recorded: " + foreign(jsonValue<std::string>(line, "error", "")));
        if (line.contains("done")) {
            task.torch = foreign(jsonValue<std::string>(line, "done", ""));
            task.scaled = jsonValue<std::int64_t>(line, "scaled", 0) > 0;
            if (task.sizes.empty())
                return fail("the recorder says that it is done, and is not");
            SPARSERL_CHECK(readFull(rest, task, cut));
            return task;
        }
        if (task.sizes.size() == mostSizes)
            return fail("the recorder says more sizes than there are");
        SPARSERL_TRY(const auto parts, takeSize(rest, line));
        SPARSERL_TRY(auto size, readSize(parts));
        // Each size becomes a file, which needs a name of its own.
        const std::string name = fileNameFor(size.graph.size);
        if (std::ranges::any_of(reservedNames, [&](std::string_view one) { return one == name; }) ||
            std::ranges::any_of(task.sizes,
                                [&](const ImportedSize& one) { return fileNameFor(one.graph.size) == name; }))
            return fail("the recorder says two sizes of one name: " + foreign(size.graph.size));
        task.sizes.push_back(std::move(size));
    }
    return fail("the recorder ended before it was done");
}

Result<ImportedTask> importTask(const ImportPython& python, const TaskSource& source,
                                const ImportOptions& options)
{
    bool isText = isUtf8(source.text);
    for (const auto& [name, text] : source.modules)
        isText = isText && isUtf8(text);
    if (!isText)
        return fail("the task is not text in UTF-8");
    SPARSERL_TRY(const auto folder, TempDir::create("sparserl-import"));
    const fs::path script = folder.path() / "script.py";
    nlohmann::json job = {{"text", source.text},
                          {"name", source.name},
                          {"mode", options.mode},
                          {"stored_bytes", options.storedBytes},
                          {"larger", options.larger}};
    if (!source.modules.empty()) {
        job["files"] = source.modules;
        job["cases"] = source.cases;
        if (source.full)
            job["full"] = *source.full;
    }
    SPARSERL_CHECK(writeFileAtomic(script, std::string(recordTaskScript()) + "\nmain(\"" +
                                               base64Encode(dumpJson(job)) + "\")\n"));
    SpawnOptions spawning;
    spawning.argv = {options.runner.string(),
                     "--role",
                     "import",
                     "--tool",
                     python.program.string(),
                     "--memory",
                     std::to_string(options.memoryBytes >> 20),
                     "--cpu",
                     std::to_string(options.cpuSeconds)};
    for (const fs::path& place : python.folders) {
        spawning.argv.emplace_back("--visible");
        spawning.argv.push_back(place.string());
    }
    spawning.input = StreamEnd::toFile(script);
    spawning.output = spawning.error = StreamEnd::pipe();
    spawning.dieWithParent = true;
    SPARSERL_TRY(const auto heard, listen(spawning, options));
    const Error ended = howItEnded(heard, options);
    if (heard.timedOut || heard.tooMuch || !heard.status || !heard.status->ok()) {
        // The process may have failed at the full size only. The other sizes are then used.
        auto sizes = heard.tooMuch || !heard.status ? fail(ended) : readImported(heard.said, ended.what);
        return sizes ? std::move(sizes) : fail(ended);
    }
    auto task = readImported(heard.said);
    if (!task && heard.said.empty())
        return fail(ended);
    return task;
}

} // namespace sparserl
