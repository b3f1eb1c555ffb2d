// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.h"

#include <filesystem>
#include <vector>

namespace sparserl {

/// Folders that are made for something that is still to be written there. At the end of its life it removes
/// those of them that are empty: what is refused or fails leaves no folder.
class NewFolders
{
public:
    NewFolders() = default;
    NewFolders(NewFolders&&) = default;
    NewFolders& operator=(NewFolders&&) = delete;
    ~NewFolders();

    /// Makes a folder, and those above it that are missing. One that is there already is no error, and stays.
    Status make(const std::filesystem::path& folder);
    /// They stay, also where they are empty.
    void keep() { m_made.clear(); }

private:
    std::vector<std::filesystem::path> m_made; ///< The outer ones first.
};

} // namespace sparserl
