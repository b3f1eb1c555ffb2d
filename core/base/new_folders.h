// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.h"

#include <filesystem>
#include <vector>

namespace sparserl {

/// Folders created for a result that is written later. The destructor removes the folders that are still
/// empty, so a refused or failed operation leaves no folder behind.
class NewFolders
{
public:
    NewFolders() = default;
    NewFolders(NewFolders&&) = default;
    NewFolders& operator=(NewFolders&&) = delete;
    ~NewFolders();

    /// Creates a folder and its missing parents. An existing folder is not an error and is never removed.
    Status make(const std::filesystem::path& folder);
    /// Keeps all folders, even empty ones.
    void keep() { m_made.clear(); }

private:
    std::vector<std::filesystem::path> m_made; ///< Outermost first.
};

} // namespace sparserl
