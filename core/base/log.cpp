// SPDX-License-Identifier: Apache-2.0
#include "base/log.h"

#include "base/beneath.h"
#include "base/printable.h"
#include "base/subprocess.h"
#include "base/time.h"

#include <fcntl.h>
#include <mutex>
#include <unistd.h>

namespace sparserl {

std::string_view nameOf(LogLevel level)
{
    switch (level) {
    case LogLevel::Debug:
        return "debug";
    case LogLevel::Info:
        return "info";
    case LogLevel::Warning:
        return "warning";
    case LogLevel::Error:
        return "error";
    }
    return "error";
}

struct Logger::State
{
    Sink sink;
    LogLevel least = LogLevel::Info;
    std::mutex mutex;
};

Logger::Logger(Sink sink, LogLevel least)
    : m_state(std::make_shared<State>())
{
    m_state->sink = std::move(sink);
    m_state->least = least;
}

Logger Logger::toStderr(LogLevel least)
{
    return Logger([](LogLevel, std::string_view line) { (void)writeAll(STDERR_FILENO, line); }, least);
}

Result<Logger> Logger::toFile(const std::filesystem::path& path, LogLevel least)
{
    SPARSERL_TRY(Descriptor file, openFile(path, O_WRONLY | O_CREAT | O_APPEND, "write the log"));
    const auto owner = std::make_shared<const Descriptor>(std::move(file));
    return Logger([owner](LogLevel, std::string_view line) { (void)writeAll(owner->get(), line); }, least);
}

void Logger::write(LogLevel level, std::string_view text) const
{
    if (!m_state || level < m_state->least) {
        return;
    }
    const std::string line =
        fmt::format("{} {:<7} {}\n", isoTime(unixSeconds()), nameOf(level), printable(text));
    const std::lock_guard guard(m_state->mutex);
    m_state->sink(level, line);
}

} // namespace sparserl
