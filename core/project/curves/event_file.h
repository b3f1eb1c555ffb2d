// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace sparserl {

/// Returns the CRC-32C of bytes (Castagnoli, reflected polynomial 0x82f63b78).
std::uint32_t crc32c(std::string_view bytes);

/// Returns a record of a TFRecord file. It consists of the length as a little-endian 64-bit number, the
/// masked CRC-32C of the length, the data, and the masked CRC-32C of the data. A CRC is masked by rotating it
/// right by 15 bits and adding 0xa282ead8.
std::string tfRecord(std::string_view data);

// Each function below returns a protocol buffer of type tensorflow.Event, the content of one record in a
// TensorBoard event file.

/// Returns the first event of a file, which states its version, "brain.Event:2".
std::string versionEvent(double wallTime);
/// Returns an event with the values at one step, by tag. The format stores them as 32-bit floats.
std::string scalarEvent(double wallTime, std::int64_t step,
                        const std::vector<std::pair<std::string_view, double>>& values);
/// Returns an event with Markdown for TensorBoard's Text tab.
std::string textEvent(double wallTime, std::string_view tag, std::string_view markdown);

} // namespace sparserl
