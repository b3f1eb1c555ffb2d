// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>
#include <vector>

namespace sparserl {

/// A file of export/, embedded at build time. writeBundle replaces "@NAME@" markers.
struct BundleFile
{
    std::string_view name;
    std::string_view text;
};
const std::vector<BundleFile>& bundleFiles();

} // namespace sparserl
