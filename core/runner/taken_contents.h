// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "evaluation/protocol/shared_contents.h"

#include <map>
#include <string>

namespace sparserl {

/// Contents of targets that a runner keeps between jobs, grouped by the file that brought them.
class TakenContents
{
public:
    /// Adds all contents of a shared-memory file. Fails if some are damaged; then none of them is kept.
    Status take(const std::string& file, const SharedBuffer& buffer);
    /// Forgets all contents of a file.
    void drop(const std::string& file) { m_files.erase(file); }
    /// nullptr if no file brought them. They stay until their file is dropped.
    const Contents* find(const std::string& key) const;

private:
    std::map<std::string, std::map<std::string, Contents>> m_files; ///< By file, then by key.
};

} // namespace sparserl
