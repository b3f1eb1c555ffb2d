// SPDX-License-Identifier: Apache-2.0
#include "machine/process_usage.h"

#include <array>
#include <cerrno>
#include <charconv>
#include <fcntl.h>
#include <string>
#include <system_error>
#include <unistd.h>
#include <vector>

namespace sparserl {

namespace {

namespace fs = std::filesystem;

/// Against a tree that grows while it is walked.
constexpr std::size_t mostProcesses = 4096;

/// A file of /proc; empty where it cannot be read. These are small, and have no size to ask for.
std::string readSmall(const fs::path& path)
{
    const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
    if (file < 0)
        return {};
    std::string text;
    std::array<char, 4096> buffer;
    for (;;) {
        const auto got = ::read(file, buffer.data(), buffer.size());
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            break;
        text.append(buffer.data(), static_cast<std::size_t>(got));
    }
    ::close(file);
    return text;
}

/// Takes the next number off the front of a text; nothing where there is none.
std::optional<std::int64_t> takeNumber(std::string_view& text)
{
    const auto begin = text.find_first_not_of(" \t\n");
    if (begin == std::string_view::npos)
        return std::nullopt;
    text.remove_prefix(begin);
    std::int64_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc())
        return std::nullopt;
    text.remove_prefix(static_cast<std::size_t>(end - text.data()));
    return value;
}

/// The number behind "NAME:" at the start of a line.
std::optional<std::int64_t> numberOf(std::string_view text, std::string_view name)
{
    while (!text.empty()) {
        const auto end = std::min(text.find('\n'), text.size());
        auto line = text.substr(0, end);
        text.remove_prefix(std::min(end + 1, text.size()));
        if (line.starts_with(name) && line.substr(name.size()).starts_with(':')) {
            line.remove_prefix(name.size() + 1);
            return takeNumber(line);
        }
    }
    return std::nullopt;
}

/// Of every thread: a child belongs to the one that started it.
void addChildren(const fs::path& process, std::vector<int>& found)
{
    std::error_code code;
    for (fs::directory_iterator thread(process / "task", code), end; !code && thread != end;
         thread.increment(code)) {
        const std::string text = readSmall(thread->path() / "children");
        std::string_view rest = text;
        while (const auto child = takeNumber(rest))
            found.push_back(static_cast<int>(*child));
    }
}

} // namespace

std::optional<ProcessStat> parseProcessStat(std::string_view line)
{
    // "PID (COMMAND) STATE PPID ...": the command may hold anything, brackets too.
    const auto bracket = line.rfind(')');
    if (bracket == std::string_view::npos)
        return std::nullopt;
    line.remove_prefix(bracket + 1);
    const auto state = line.find_first_not_of(' ');
    if (state == std::string_view::npos)
        return std::nullopt;
    const char letter = line[state];
    line.remove_prefix(state + 1);
    // Fields from the 4th on, as proc(5) counts them: utime is 14, cstime 17, starttime 22, rss 24.
    constexpr std::size_t first = 4, last = 24;
    std::array<std::int64_t, last + 1> field{};
    for (std::size_t i = first; i <= last; ++i) {
        // starttime and vsize are unsigned but fit; a limit of 2^64 - 1 only comes behind them.
        const auto number = takeNumber(line);
        if (!number)
            return std::nullopt;
        field[i] = *number;
    }
    return ProcessStat{field[14] + field[15], field[16] + field[17], field[24], field[22],
                       letter == 'Z' || letter == 'X'};
}

std::optional<ProcessUsage> readProcessUsage(const ProcessSource& source)
{
    const auto ticksPerSecond = source.ticksPerSecond > 0 ? source.ticksPerSecond : ::sysconf(_SC_CLK_TCK);
    const auto pageBytes = source.pageBytes > 0 ? source.pageBytes : ::sysconf(_SC_PAGESIZE);
    ProcessUsage usage;
    std::int64_t ticks = 0;
    // The process comes before its children: one that ends in between counts late, never twice.
    std::vector<int> processes{source.process > 0 ? source.process : static_cast<int>(::getpid())};
    for (std::size_t i = 0; i < processes.size() && i < mostProcesses; ++i) {
        const fs::path folder = source.proc / std::to_string(processes[i]);
        const auto stat = parseProcessStat(readSmall(folder / "stat"));
        if (!stat && i == 0)
            return std::nullopt;
        if (!stat)
            continue;
        ticks += stat->ownTicks + stat->waitedTicks;
        (i == 0 ? usage.ownBytes : usage.descendantBytes) += stat->residentPages * pageBytes;
        const std::string io = readSmall(folder / "io");
        if (const auto bytes = numberOf(io, "read_bytes"))
            usage.readBytes = usage.readBytes.value_or(0) + *bytes;
        if (const auto bytes = numberOf(io, "write_bytes"))
            usage.writtenBytes = usage.writtenBytes.value_or(0) + *bytes;
        addChildren(folder, processes);
    }
    usage.cpuSeconds = static_cast<double>(ticks) / static_cast<double>(ticksPerSecond);
    return usage;
}

} // namespace sparserl
