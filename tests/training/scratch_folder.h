// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/files.h"

#include <QtGlobal>

namespace sparserl::test {

/// The current folder is a new one as long as this lives: a test that is started by hand leaves its runs
/// nowhere. The first member of a test class, before those that are paths.
class ScratchFolder
{
public:
    ScratchFolder()
        : m_folder(TempDir::create("sparserl-test").value())
    {
        std::filesystem::current_path(m_folder.path());
    }
    ~ScratchFolder() { std::filesystem::current_path(m_before); }
    Q_DISABLE_COPY_MOVE(ScratchFolder)

private:
    std::filesystem::path m_before = std::filesystem::current_path();
    TempDir m_folder;
};

} // namespace sparserl::test
