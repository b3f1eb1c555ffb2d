// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.h"

#include <deque>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace sparserl {

/// Owns a file descriptor.
class FileDescriptor
{
public:
    explicit FileDescriptor(int fd = -1)
        : m_fd(fd)
    {
    }
    ~FileDescriptor() { reset(); }
    FileDescriptor(FileDescriptor&& other) noexcept
        : m_fd(std::exchange(other.m_fd, -1))
    {
    }
    FileDescriptor& operator=(FileDescriptor&& other) noexcept
    {
        if (this != &other)
            reset(std::exchange(other.m_fd, -1));
        return *this;
    }
    int get() const { return m_fd; }
    bool valid() const { return m_fd >= 0; }
    void reset(int fd = -1);

private:
    int m_fd;
};

/// A message: a JSON object and its attached files.
struct Message
{
    nlohmann::json body;
    std::vector<FileDescriptor> files;
};

/// Sends and receives messages over a Unix stream socket. A message consists of its length and number of
/// files (u32 each, little endian) and its JSON text. The files travel with the first byte (SCM_RIGHTS).
/// Neither side trusts the other. A message that is too long, is not a JSON object with a "type", or has
/// another number of files than stated is a protocol error, which makes the channel unusable.
class Channel
{
public:
    static constexpr std::size_t maxMessageBytes = 16u << 20;
    /// Files per message. A judgement of a large target uses about a hundred matrices. Linux passes at most
    /// 253 files.
    static constexpr std::size_t maxFiles = 240;

    /// Creates a socket pair. Returns both ends, which are close-on-exec and non-blocking.
    static Result<std::pair<FileDescriptor, FileDescriptor>> socketPair();

    explicit Channel(FileDescriptor socket);

    int fd() const { return m_socket.get(); }
    /// Queues a message. The kernel duplicates `files` when they are sent. They must stay open until flush()
    /// has returned true.
    Status queue(const nlohmann::json& body, std::span<const int> files = {});
    /// Sends as much as possible. Returns true when the queue is empty.
    Result<bool> flush();
    /// Reads the available bytes. Returns false at the end of the stream.
    Result<bool> readAvailable();
    /// Returns the next complete message, or nullopt if it has not arrived yet.
    Result<std::optional<Message>> next();

    /// Queues a message and waits until everything is sent.
    Status send(const nlohmann::json& body, std::span<const int> files = {});
    /// Waits for a message and returns it. Returns nullopt at the end of the stream.
    Result<std::optional<Message>> receive();

private:
    struct Outgoing
    {
        std::string bytes;
        std::vector<int> files;
        std::size_t sent = 0;
    };
    FileDescriptor m_socket;
    std::deque<Outgoing> m_out;
    std::string m_in;
    std::deque<FileDescriptor> m_files;
};

} // namespace sparserl
