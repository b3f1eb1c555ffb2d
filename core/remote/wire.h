// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.h"

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>

namespace sparserl {

/// What the two sides of a remote run say to each other: a line of JSON, then `bytes` bytes where it has
/// that key. What heads there are: serve.cpp tells, mirror.cpp and follow.cpp take.
struct Frame
{
    nlohmann::json head;
    std::string body;
};

constexpr int wireVersion = 1;
/// The longest body; longer things go in pieces.
constexpr std::int64_t longestBody = std::int64_t(4) << 20;

/// "FILE:LINE: WHAT": an Error whose remedy goes in a field of its own.
std::string causeOf(Error error);

/// Bytes of a frame; `bytes` is set from the body.
std::string encodeFrame(nlohmann::json head, std::string_view body = {});

/// Cuts a stream into frames. What stands before the first one is skipped, to 64 KiB: login shells print.
/// The other side is not trusted: lines and bodies have a longest length, and what is no frame is an error.
class FrameReader
{
public:
    void feed(std::string_view bytes) { m_buffer.append(bytes); }
    /// Nothing while the next frame is not whole.
    Result<std::optional<Frame>> next();
    /// What was skipped before the first frame: it may say why there is none.
    const std::string& skipped() const { return m_skipped; }

private:
    std::string m_buffer, m_skipped;
    std::size_t m_at = 0;
    bool m_begun = false;
};

} // namespace sparserl
