// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "appended_image.h"
#include "unpack.h"

#include <filesystem>

namespace sparserl {

/// Where images are unpacked: sparserl/appimage below XDG_CACHE_HOME, which is ~/.cache where it is not set.
Result<std::filesystem::path> imageCache();

/// The folder in `cache` that holds the files of `image`, named by its digest. Where it is missing, or not as
/// it was unpacked, the image is checked, unpacked beside and renamed, so that no other start ever sees half
/// of it; of two starts at once the second waits. Then folders of earlier images go, but for the two that
/// were used last and those from which something runs.
Result<std::filesystem::path> unpackedInCache(const AppendedImage& image, const std::filesystem::path& cache,
                                              const UnpackProgress& progress);

} // namespace sparserl
