// SPDX-License-Identifier: Apache-2.0
#include "runner/taken_contents.h"

namespace sparserl {

Status TakenContents::take(const std::string& file, const SharedBuffer& buffer)
{
    SPARSERL_TRY(auto read, readSharedContents(buffer));
    std::map<std::string, Contents> taken;
    for (std::size_t i = 0; i < read.size(); ++i)
        taken[keyInFile(file, i, read.size())] = std::move(read[i]);
    m_files[file] = std::move(taken);
    return {};
}

const Contents* TakenContents::find(const std::string& key) const
{
    for (const auto& [file, contents] : m_files)
        if (const auto found = contents.find(key); found != contents.end())
            return &found->second;
    return nullptr;
}

} // namespace sparserl
