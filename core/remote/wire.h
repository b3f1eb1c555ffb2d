// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.h"

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>

namespace sparserl {

/// A message between the two sides of a remote run: a line of JSON, then `bytes` bytes if it has that key.
/// serve.cpp sends them; mirror.cpp and follow.cpp receive them.
struct Frame
{
    nlohmann::json head;
    std::string body;
};

constexpr int wireVersion = 1;
/// The maximum body length; longer data are split.
constexpr std::int64_t longestBody = std::int64_t(4) << 20;

/// "FILE:LINE: WHAT": an Error whose remedy is sent in a separate field.
std::string causeOf(Error error);

/// Encodes a frame; sets `bytes` from the body.
std::string encodeFrame(nlohmann::json head, std::string_view body = {});

/// Splits a stream into frames. Skips up to 64 KiB before the first one, because login shells print text. The
/// other side is not trusted: lines and bodies have a maximum length, and invalid frames are errors.
class FrameReader
{
public:
    void feed(std::string_view bytes) { m_buffer.append(bytes); }
    /// nullopt until the next frame is complete.
    Result<std::optional<Frame>> next();
    /// The text skipped before the first frame, which may explain why there is none.
    const std::string& skipped() const { return m_skipped; }

private:
    std::string m_buffer, m_skipped;
    std::size_t m_at = 0;
    bool m_begun = false;
};

} // namespace sparserl
