// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "app/cli/commands.h"
#include "corpus/scan.h"

#include <string>

namespace sparserl::cli {

struct CorpusScanOptions
{
    std::string folder, out, refused;
    ScanOptions scan;
};

/// Collects the usable CUDA sources below a folder in one file.
int scanCorpus(const CorpusScanOptions& options, const Context& context);

} // namespace sparserl::cli
