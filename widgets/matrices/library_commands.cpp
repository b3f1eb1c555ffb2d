// SPDX-License-Identifier: Apache-2.0
#include "widgets/matrices/library_commands.h"

#include "widgets/common/format.h"
#include "widgets/common/translate.h"

namespace sparserl {

SetSplits::SetSplits(std::map<std::string, std::string> before, const std::string& split,
                     ChangeProject change)
    : QUndoCommand(counted(static_cast<std::int64_t>(before.size()), tr("split of one matrix"),
                           tr("split of %1 matrices")))
    , m_before(std::move(before))
    , m_change(std::move(change))
{
    for (const auto& [name, old] : m_before)
        m_after[name] = split;
}

void SetSplits::undo()
{
    m_change([splits = m_before](Project& project) { return project.setSplits(splits); });
}

void SetSplits::redo()
{
    m_change([splits = m_after](Project& project) { return project.setSplits(splits); });
}

RemoveMatrices::RemoveMatrices(std::vector<std::string> names, ChangeProject change)
    : QUndoCommand(counted(static_cast<std::int64_t>(names.size()), tr("removal of one matrix"),
                           tr("removal of %1 matrices")))
    , m_names(std::move(names))
    , m_removed(std::make_shared<std::vector<MatrixEntry>>())
    , m_change(std::move(change))
{
}

void RemoveMatrices::undo()
{
    m_change([removed = m_removed](Project& project) { return project.putBack(*removed); });
}

void RemoveMatrices::redo()
{
    m_change([names = m_names, removed = m_removed](Project& project) -> Status {
        SPARSERL_TRY(*removed, project.removeMatrices(names));
        return {};
    });
}

} // namespace sparserl
