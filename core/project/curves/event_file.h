// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace sparserl {

/// CRC-32C (Castagnoli, reflected polynomial 0x82f63b78) of bytes.
std::uint32_t crc32c(std::string_view bytes);

/// A record of a TFRecord file: length as a little-endian 64-bit number, its masked CRC-32C, the data, their
/// masked CRC-32C. Masked: rotated right by 15 bits, plus 0xa282ead8.
std::string tfRecord(std::string_view data);

// Protocol buffers of type tensorflow.Event, one per record of TensorBoard's event files.

/// The first event of a file: its version, "brain.Event:2".
std::string versionEvent(double wallTime);
/// Values at one step, by tag. The format stores them as 32-bit floats.
std::string scalarEvent(double wallTime, std::int64_t step,
                        const std::vector<std::pair<std::string_view, double>>& values);
/// Markdown for TensorBoard's Text tab.
std::string textEvent(double wallTime, std::string_view tag, std::string_view markdown);

} // namespace sparserl
