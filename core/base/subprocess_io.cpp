// SPDX-License-Identifier: Apache-2.0
#include "base/subprocess.h"
#include "base/system_remedy.h"
#include "base/time.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

namespace sparserl {

Result<RunOutput> runToEnd(SpawnOptions options, std::string_view input, double seconds,
                           double greetingSeconds)
{
    constexpr std::size_t most = std::size_t(16) << 20;
    options.input = input.empty() ? StreamEnd::null() : StreamEnd::pipe();
    options.output = StreamEnd::pipe();
    options.error = StreamEnd::pipe();
    SPARSERL_TRY(auto child, spawn(options));
    RunOutput out;
    const double begin = monotonicSeconds(), end = seconds < 0 ? 1e300 : begin + seconds,
                 greeted = greetingSeconds < 0 ? 1e300 : begin + greetingSeconds;
    std::size_t sent = 0;
    bool outputOpen = true;
    bool errorOpen = true;
    if (child.inputFd() >= 0) {
        ::fcntl(child.inputFd(), F_SETFL, O_NONBLOCK);
    }
    std::array<char, 65536> buffer{};
    while (outputOpen || errorOpen) {
        const double left =
            (out.output.empty() && outputOpen ? std::min(end, greeted) : end) - monotonicSeconds();
        if (left <= 0) {
            out.timedOut = true;
            out.isSilent = monotonicSeconds() < end;
            child.killGroup(SIGKILL);
            break;
        }
        std::array<pollfd, 3> fds{{{outputOpen ? child.outputFd() : -1, POLLIN, 0},
                                   {errorOpen ? child.errorFd() : -1, POLLIN, 0},
                                   {child.inputFd(), POLLOUT, 0}}};
        if (::poll(fds.data(), fds.size(), static_cast<int>(std::min(left * 1e3 + 1, 1e8))) < 0 &&
            errno != EINTR) {
            break;
        }
        const auto drain = [&](const pollfd& fd, std::string& text, bool& open) {
            if (fd.fd >= 0 && fd.revents != 0) {
                const ssize_t got = ::read(fd.fd, buffer.data(), buffer.size());
                if (got == 0 || (got < 0 && errno != EINTR && errno != EAGAIN)) {
                    open = false;
                } else if (got > 0) {
                    text.append(buffer.data(), std::min(static_cast<std::size_t>(got), most - text.size()));
                }
            }
        };
        drain(fds[0], out.output, outputOpen);
        drain(fds[1], out.error, errorOpen);
        if (fds[2].fd >= 0 && fds[2].revents != 0) {
            // At most PIPE_BUF at a time: POLLOUT promises that much, so a plain EAGAIN loop is enough.
            const std::size_t step = std::min<std::size_t>(input.size() - sent, 4096);
            if (auto written = writeAll(fds[2].fd, input.substr(sent, step)); written) {
                sent += step;
            } else {
                sent = input.size(); // The child does not want the rest.
            }
            if (sent == input.size()) {
                child.closeInput();
            }
        }
    }
    const double left = end - monotonicSeconds();
    auto status = child.wait(out.timedOut || seconds < 0 ? -1 : std::max(left, 0.0));
    if (!status) {
        out.timedOut = true;
        child.killGroup(SIGKILL);
        status = child.wait();
    }
    out.status = status.value_or(ExitStatus{true, 0});
    return out;
}

Status writeAll(int fd, std::string_view bytes)
{
    // SIGPIPE is blocked for this thread while writing and, if we caused one, taken away again.
    sigset_t pipeOnly;
    sigset_t pending;
    sigset_t before;
    ::sigemptyset(&pipeOnly);
    ::sigaddset(&pipeOnly, SIGPIPE);
    ::sigpending(&pending);
    const bool wasPending = ::sigismember(&pending, SIGPIPE) == 1;
    ::pthread_sigmask(SIG_BLOCK, &pipeOnly, &before);
    int error = 0;
    while (!bytes.empty()) {
        const ssize_t written = ::write(fd, bytes.data(), bytes.size());
        if (written >= 0) {
            bytes.remove_prefix(static_cast<std::size_t>(written));
        } else if (errno == EAGAIN) {
            pollfd ready{fd, POLLOUT, 0};
            ::poll(&ready, 1, 1000);
        } else if (errno != EINTR) {
            error = errno;
            break;
        }
    }
    if (error == EPIPE && !wasPending) {
        const timespec now{0, 0};
        while (::sigtimedwait(&pipeOnly, nullptr, &now) < 0 && errno == EINTR) {
        }
    }
    ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
    if (error != 0) {
        struct stat info
        {
        };
        const bool isFile = ::fstat(fd, &info) == 0 && S_ISREG(info.st_mode);
        return fail(error == EPIPE ? std::string("the reader at the other end is gone")
                                   : std::string("cannot write: ") + std::strerror(error),
                    error == EPIPE ? std::string()
                                   : systemRemedy(error, isFile ? Subject::File : Subject::Stream));
    }
    return {};
}

Status readExactly(int fd, void* data, std::size_t size)
{
    auto* at = static_cast<char*>(data);
    std::size_t left = size;
    while (left > 0) {
        const ssize_t got = ::read(fd, at, left);
        if (got > 0) {
            at += got;
            left -= static_cast<std::size_t>(got);
        } else if (got == 0) {
            return fail(left == size ? "end of stream" : "the stream ended in the middle of a message");
        } else if (errno == EAGAIN) {
            pollfd ready{fd, POLLIN, 0};
            ::poll(&ready, 1, 1000);
        } else if (errno != EINTR) {
            return fail(std::string("cannot read: ") + std::strerror(errno));
        }
    }
    return {};
}

bool processExists(pid_t pid)
{
    return pid > 0 && (::kill(pid, 0) == 0 || errno == EPERM);
}

std::filesystem::path executablePath()
{
    std::error_code error;
    return std::filesystem::read_symlink("/proc/self/exe", error);
}

} // namespace sparserl
