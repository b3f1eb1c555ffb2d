// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "evaluation/protocol/shared_buffer.h"
#include "target/workload.h"

#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace sparserl {

/// Contents of a target that runners can map, with their cache key.
struct SharedContents
{
    std::string key;
    std::shared_ptr<SharedBuffer> buffer;
    std::string file;  ///< Name of the buffer, which may also hold other contents.
    SparseSizes sizes; ///< The sizes of the contents, except those that require a scan of all rows.
    std::shared_ptr<const OperatorSignature> signature = {}; ///< For kind Operator.

    Workload workload(const TargetVariant& variant) const
    {
        return signature ? Workload(variant, signature) : Workload(variant, sizes);
    }
};

/// The files of a job by name, each once.
using JobFiles = std::vector<std::pair<std::string, std::shared_ptr<SharedBuffer>>>;
void addFile(JobFiles& files, const SharedContents& contents);

} // namespace sparserl
