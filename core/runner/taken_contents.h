// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "evaluation/protocol/shared_contents.h"

#include <map>
#include <string>

namespace sparserl {

/// Contents of targets that a runner keeps between jobs, grouped by the file in which they arrived.
class TakenContents
{
public:
    /// Adds all contents of a shared-memory file. If some are damaged, fails and keeps none of them.
    Status take(const std::string& file, const SharedBuffer& buffer);
    /// Forgets all contents of a file.
    void drop(const std::string& file) { m_files.erase(file); }
    /// Returns the contents with this key, or nullptr if no file contained them. They stay valid until their
    /// file is dropped.
    const Contents* find(const std::string& key) const;

private:
    std::map<std::string, std::map<std::string, Contents>> m_files; ///< By file, then by key.
};

} // namespace sparserl
