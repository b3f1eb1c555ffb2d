// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.h"

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>

namespace sparserl {

/// A message about a remote run: a line of JSON, followed by a body if the JSON has the key "bytes", which is
/// the length of the body. serve.cpp sends frames; mirror.cpp and follow.cpp receive them.
struct Frame
{
    nlohmann::json head;
    std::string body;
};

constexpr int wireVersion = 1;
/// The maximum length of a body in bytes. Longer data are split.
constexpr std::int64_t longestBody = std::int64_t(4) << 20;

/// Returns an Error as "FILE:LINE: WHAT", without its remedy, which is sent in a separate field.
std::string causeOf(Error error);

/// Encodes a frame. Sets the key "bytes" if there is a body.
std::string encodeFrame(nlohmann::json head, std::string_view body = {});

/// Splits a stream into frames. Skips up to 64 KiB before the first frame, because login shells may print
/// text. The other side is not trusted: lines and bodies have a maximum length, and an invalid frame is an
/// Error.
class FrameReader
{
public:
    void feed(std::string_view bytes) { m_buffer.append(bytes); }
    /// Returns the next frame, or nullopt if it is not complete yet.
    Result<std::optional<Frame>> next();
    /// Returns the text that was skipped before the first frame. It may explain why there is no frame.
    const std::string& skipped() const { return m_skipped; }

private:
    std::string m_buffer, m_skipped;
    std::size_t m_at = 0;
    bool m_begun = false;
};

} // namespace sparserl
