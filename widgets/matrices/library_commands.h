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

/// Changes project.toml somewhere else and tells how it went.
using ChangeProject = std::function<void(std::function<Status(Project&)>)>;

/// Gives matrices a split; undone, each has its own again.
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

/// Takes matrices off the list; undone, they are listed again.
class RemoveMatrices : public QUndoCommand
{
public:
    RemoveMatrices(std::vector<std::string> names, ChangeProject change);
    void undo() override;
    void redo() override;

private:
    std::vector<std::string> m_names;
    std::shared_ptr<std::vector<MatrixEntry>> m_removed; ///< Filled where the change runs.
    ChangeProject m_change;
};

} // namespace sparserl
