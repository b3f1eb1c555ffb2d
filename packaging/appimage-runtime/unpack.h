// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "squashfs_image.h"

#include <cstdint>
#include <filesystem>
#include <functional>
#include <vector>

namespace sparserl {

/// Called while files are written: bytes so far, and of all.
using UnpackProgress = std::function<void(std::uint64_t done, std::uint64_t total)>;

/// Bytes of all files.
std::uint64_t unpackedBytes(const std::vector<ImageEntry>& entries);

/// Writes the entries of `image` below `folder`, which must be new and empty, and sees to it that they are on
/// the disk. Files are for their owner to write and for all to read. Fails with a sentence where the disk
/// has too little room or fills up; what has been written by then is the caller's to remove.
Status unpackImage(SquashfsImage& image, const std::vector<ImageEntry>& entries,
                   const std::filesystem::path& folder, const UnpackProgress& progress);

/// Whether `folder` holds the entries as unpackImage leaves them: types, sizes, times of change, targets of
/// links. Reads no file's contents, so that every start can ask.
bool isUnpacked(const std::vector<ImageEntry>& entries, const std::filesystem::path& folder);

} // namespace sparserl
