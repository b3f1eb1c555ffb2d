// SPDX-License-Identifier: Apache-2.0
#include "app/cli/commands.h"
#include "app/cli/signals.h"
#include "base/file_error.h"
#include "base/interruption.h"
#include "base/printable.h"
#include "base/time.h"

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <unistd.h>

namespace sparserl::cli {

namespace {

std::string timeText(double seconds)
{
    const auto whole = std::lround(seconds);
    return whole >= 60 ? fmt::format("{} min {:02} s", whole / 60, whole % 60) : fmt::format("{} s", whole);
}

} // namespace

void Context::emit(const nlohmann::json& object) const
{
    if (!json) {
        return;
    }
    write(stdout,
          printableJson(object.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace)) + "\n");
}

void Context::write(std::FILE* stream, const std::string& text) const
{
    const std::lock_guard lock(m_mutex);
    const WholeLine whole;
    errno = 0;
    if (std::fwrite(text.data(), 1, text.size(), stream) == text.size() && std::fflush(stream) == 0) {
        return;
    }
    const int why = errno;
    const bool readerGone = why == EPIPE;
    std::clearerr(stream);
    m_unwritten = true;
    if (stream == stdout && !readerGone && m_outputError == 0) {
        m_outputError = why != 0 ? why : EIO;
    }
    // Nobody reads the results any more: what only makes results may end.
    if (stream == stdout && readerGone && !savesOnSignal) {
        cancel.cancel();
    }
}

int Context::finish(int status) const
{
    const std::lock_guard lock(m_mutex);
    endProgress();
    if (std::fflush(stdout) != 0 || std::fflush(stderr) != 0) {
        m_unwritten = true;
    }
    if (m_outputError != 0) { // A reader that has gone knows; nobody else would see that results are missing.
        note(fileError("cannot write the results", "standard output", m_outputError).sentence());
    }
    return m_unwritten ? Failed : status;
}

void Context::note(std::string_view text) const
{
    const std::lock_guard lock(m_mutex);
    endProgress();
    write(stderr, fmt::format("sparserl: {}\n", printable(text)));
}

void Context::print(const std::string& text) const
{
    const std::lock_guard lock(m_mutex);
    // Only the line goes: the time left goes on being counted from where the progress began.
    if (m_progressShown) {
        write(stderr, "\r\033[K");
        m_progressShown = false;
    }
    const bool ended = !text.empty() && text.back() == '\n';
    write(json ? stderr : stdout, printable(text) + (ended ? "" : "\n"));
}

void Context::progress(double fraction, const std::string& phase) const
{
    if (quiet) {
        return;
    }
    const std::lock_guard lock(m_mutex);
    const bool terminal = isatty(STDERR_FILENO) != 0;
    const double time = monotonicSeconds();
    const auto left = m_left.update(fraction, time);
    // A log file needs a line now and then; a terminal can be redrawn often.
    if (time - m_lastProgress < (terminal ? 0.1 : 5.0)) {
        return;
    }
    m_lastProgress = time;
    const double part = std::clamp(fraction, 0.0, 1.0);
    // The first per cent of long work takes a while, and what does not move looks stuck.
    std::string line =
        fmt::format("{:3.{}f} %  {}", 100 * part, part > 0 && part < 0.01 ? 1 : 0, printableLine(phase));
    if (left) {
        line += fmt::format("  ({} left)", timeText(*left));
    }
    write(stderr, terminal ? "\r\033[K" + line : line + "\n");
    m_progressShown = terminal;
}

void Context::endProgress() const
{
    const std::lock_guard lock(m_mutex);
    if (m_progressShown) {
        write(stderr, "\r\033[K");
        m_progressShown = false;
    }
    m_left = {};
}

int Context::error(const Error& failure) const
{
    const std::lock_guard lock(m_mutex);
    note(failure.sentence());
    nlohmann::json detail = {{"what", failure.what}, {"remedy", failure.remedy}};
    detail["file"] = failure.file;
    detail["line"] = failure.line;
    emit({{"error", detail}});
    return Failed;
}

int Context::wrongUsage(const Error& failure) const
{
    error(failure);
    return WrongUsage;
}

int Context::failed(const Error& failure) const
{
    endProgress();
    return isInterruption(failure) ? Interrupted : error(failure);
}

void Context::keeps(const std::string& what) const
{
    constexpr std::size_t linesHeld = 64;
    const std::lock_guard lock(m_mutex);
    m_interruptedLines.push_back(fmt::format("sparserl: interrupted; {}\n", printable(what)));
    m_interrupted = &m_interruptedLines.back();
    if (m_interruptedLines.size() > linesHeld)
        m_interruptedLines.pop_front();
}

void Context::sayInterrupted() const
{
    const std::lock_guard lock(m_mutex);
    endProgress();
    write(stderr, std::string(interruptedLine()));
}

std::string siblingProgram(const Context& context, const std::string& name)
{
    return (std::filesystem::path(context.executable).parent_path() / name).string();
}

} // namespace sparserl::cli
