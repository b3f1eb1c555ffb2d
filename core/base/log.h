// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.h"

#include <filesystem>
#include <fmt/format.h>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

namespace sparserl {

enum class LogLevel
{
    Debug,
    Info,
    Warning,
    Error
};
std::string_view nameOf(LogLevel level); ///< "debug", "info", "warning", "error"

/// Writes lines such as "2026-01-31T12:00:00.000Z LEVEL text" to one sink. Copies share the sink.
/// Thread-safe.
class Logger
{
public:
    using Sink = std::function<void(LogLevel level, std::string_view line)>;

    /// A logger that discards everything.
    Logger() = default;
    Logger(Sink sink, LogLevel least);

    static Logger toStderr(LogLevel least = LogLevel::Info);
    /// Appends to a file, with one write call per line.
    static Result<Logger> toFile(const std::filesystem::path& path, LogLevel least = LogLevel::Info);

    void write(LogLevel level, std::string_view text) const;
    template <typename... A>
    void debug(fmt::format_string<A...> format, A&&... arguments) const
    {
        write(LogLevel::Debug, fmt::format(format, std::forward<A>(arguments)...));
    }
    template <typename... A>
    void info(fmt::format_string<A...> format, A&&... arguments) const
    {
        write(LogLevel::Info, fmt::format(format, std::forward<A>(arguments)...));
    }
    template <typename... A>
    void warning(fmt::format_string<A...> format, A&&... arguments) const
    {
        write(LogLevel::Warning, fmt::format(format, std::forward<A>(arguments)...));
    }
    template <typename... A>
    void error(fmt::format_string<A...> format, A&&... arguments) const
    {
        write(LogLevel::Error, fmt::format(format, std::forward<A>(arguments)...));
    }

private:
    struct State;
    std::shared_ptr<State> m_state;
};

} // namespace sparserl
