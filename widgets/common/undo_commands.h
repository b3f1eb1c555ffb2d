// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "project/files/annotations.h"

#include <QUndoCommand>
#include <functional>
#include <vector>

namespace sparserl {

class ProjectSession;

/// Annotations that were made together; undone, each is taken back. Owned by the session's undo stack.
class AnnotateCommand : public QUndoCommand
{
public:
    AnnotateCommand(ProjectSession* session, std::vector<Annotation> annotations, const QString& what);
    void undo() override;
    void redo() override;
    bool isOf(const std::string& id) const;
    /// It was never written: there is nothing to undo or to do again.
    void setLost();

private:
    ProjectSession* m_session;
    std::vector<Annotation> m_annotations; ///< With the ids that they have in the file now.
    bool m_lost = false;
};

/// What an annotation is of, for a line of the Edit menu: "star of the program 1a2b3c4d5e".
QString annotationText(const Annotation& annotation);

/// Something small that is done and undone by two functions of the window.
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
