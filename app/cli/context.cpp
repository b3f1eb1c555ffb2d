// SPDX-License-Identifier: Apache-2.0
#include "app/cli/commands.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <unistd.h>

namespace sparserl::cli {

namespace {

double now()
{
    using namespace std::chrono;
    return duration<double>(steady_clock::now().time_since_epoch()).count();
}

std::string timeLeft(double seconds)
{
    const auto whole = static_cast<long>(seconds + 0.5);
    return whole >= 60 ? fmt::format("{} min {:02} s", whole / 60, whole % 60) : fmt::format("{} s", whole);
}

} // namespace

void Context::emit(const nlohmann::json& object) const
{
    if (!json) {
        return;
    }
    const std::string line = object.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
    std::fwrite(line.data(), 1, line.size(), stdout);
    std::fflush(stdout);
}

void Context::print(const std::string& text) const
{
    // Only the line goes: the time left goes on being counted from where the progress began.
    if (m_progressShown) {
        fmt::print(stderr, "\r\033[K");
        m_progressShown = false;
    }
    std::FILE* stream = json ? stderr : stdout;
    std::fwrite(text.data(), 1, text.size(), stream);
    if (text.empty() || text.back() != '\n') {
        std::fputc('\n', stream);
    }
    std::fflush(stream);
}

void Context::progress(double fraction, const std::string& phase) const
{
    if (quiet) {
        return;
    }
    const bool terminal = isatty(STDERR_FILENO) != 0;
    const double time = now();
    if (m_started == 0 || fraction <= 0) {
        m_started = time;
    }
    // A log file needs a line now and then; a terminal can be redrawn often.
    if (time - m_lastProgress < (terminal ? 0.1 : 5.0)) {
        return;
    }
    m_lastProgress = time;
    const double part = std::clamp(fraction, 0.0, 1.0);
    std::string line = fmt::format("{:3.0f} %  {}", 100 * part, phase);
    if (part > 0.01 && part < 1) {
        line += fmt::format("  ({} left)", timeLeft((time - m_started) * (1 - part) / part));
    }
    if (terminal) {
        fmt::print(stderr, "\r\033[K{}", line);
    } else {
        fmt::print(stderr, "{}\n", line);
    }
    std::fflush(stderr);
    m_progressShown = terminal;
}

void Context::endProgress() const
{
    if (m_progressShown) {
        fmt::print(stderr, "\r\033[K");
        std::fflush(stderr);
        m_progressShown = false;
    }
    m_started = 0;
}

int Context::error(const Error& failure) const
{
    endProgress();
    fmt::print(stderr, "sparserl: {}\n", failure.sentence());
    nlohmann::json detail = {{"what", failure.what}, {"remedy", failure.remedy}};
    detail["file"] = failure.file;
    detail["line"] = failure.line;
    emit({{"error", detail}});
    return Failed;
}

std::string siblingProgram(const Context& context, const std::string& name)
{
    return (std::filesystem::path(context.executable).parent_path() / name).string();
}

} // namespace sparserl::cli
