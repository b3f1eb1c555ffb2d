// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "project/files/annotations.h"

#include <QUndoCommand>
#include <functional>
#include <vector>

namespace sparserl {

class ProjectSession;

/// Annotations that are made together. Undo reverts all of them. The session's undo stack owns the command.
class AnnotateCommand : public QUndoCommand
{
public:
    AnnotateCommand(ProjectSession* session, std::vector<Annotation> annotations, const QString& what);
    void undo() override;
    void redo() override;
    bool isOf(const std::string& id) const;
    /// Records that the annotations were never written, so that undo and redo do nothing.
    void setLost();

private:
    ProjectSession* m_session;
    std::vector<Annotation> m_annotations; ///< With their current ids in the file.
    bool m_lost = false;
};

/// A description for the Edit menu: "star of the program 1a2b3c4d5e".
QString annotationText(const Annotation& annotation);

/// A small action with functions for undo and redo.
class FunctionCommand : public QUndoCommand
{
public:
    FunctionCommand(const QString& what, std::function<void()> redo, std::function<void()> undo);
    void undo() override { m_undo(); }
    void redo() override { m_redo(); }

private:
    std::function<void()> m_redo, m_undo;
};

} // namespace sparserl
