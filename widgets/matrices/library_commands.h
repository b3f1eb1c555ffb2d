// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "project/files/project.h"

#include <QStringList>
#include <QUndoCommand>
#include <functional>
#include <map>
#include <memory>
#include <string>

namespace sparserl {

/// Changes project.toml on another thread and reports the result.
using ChangeProject = std::function<void(std::function<Status(Project&)>)>;

/// Gives matrices a split. Undo restores the previous split of each.
class SetSplits : public QUndoCommand
{
public:
    SetSplits(std::map<std::string, std::string> before, const std::string& split, ChangeProject change);
    void undo() override;
    void redo() override;

private:
    std::map<std::string, std::string> m_before, m_after;
    ChangeProject m_change;
};

/// Removes matrices from the list. Undo lists them again.
class RemoveMatrices : public QUndoCommand
{
public:
    RemoveMatrices(std::vector<std::string> names, ChangeProject change);
    void undo() override;
    void redo() override;

private:
    std::vector<std::string> m_names;
    std::shared_ptr<std::vector<MatrixEntry>> m_removed; ///< Filled by the thread that makes the change.
    ChangeProject m_change;
};

} // namespace sparserl
