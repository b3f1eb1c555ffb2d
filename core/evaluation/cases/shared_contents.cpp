// SPDX-License-Identifier: Apache-2.0
#include "evaluation/cases/shared_contents.h"

#include <algorithm>

namespace sparserl {

void addFile(JobFiles& files, const SharedContents& contents)
{
    if (std::none_of(files.begin(), files.end(),
                     [&](const auto& file) { return file.first == contents.file; }))
        files.emplace_back(contents.file, contents.buffer);
}

} // namespace sparserl
