// SPDX-License-Identifier: Apache-2.0
#include "widgets/common/undo_commands.h"

#include "project/files/unique_id.h"
#include "widgets/common/format.h"
#include "widgets/common/session.h"
#include "widgets/common/translate.h"

#include <algorithm>

namespace sparserl {

namespace {

QString fieldText(Annotation::Field field)
{
    switch (field) {
    case Annotation::Field::Note:
        return tr("note");
    case Annotation::Field::Tag:
        return tr("tag");
    case Annotation::Field::Star:
        return tr("star");
    case Annotation::Field::Pin:
        return tr("pin");
    case Annotation::Field::Archive:
        return tr("archiving");
    case Annotation::Field::Colour:
        return tr("colour");
    case Annotation::Field::Shown:
        return tr("display on the charts");
    case Annotation::Field::Sft:
        return tr("membership in the SFT set");
    }
    return toQString(nameOf(field));
}

} // namespace

QString annotationText(const Annotation& annotation)
{
    const QString field = fieldText(annotation.field);
    switch (annotation.target) {
    case Annotation::Target::Program:
        return tr("%1 of the program %2").arg(field, shortHash(annotation.key));
    case Annotation::Target::Matrix:
        return tr("%1 of the matrix %2").arg(field, shortHash(annotation.key));
    case Annotation::Target::Run:
    case Annotation::Target::Checkpoint:
        break;
    }
    return tr("%1 of %2").arg(field, toQString(annotation.key));
}

AnnotateCommand::AnnotateCommand(ProjectSession* session, std::vector<Annotation> annotations,
                                 const QString& what)
    : QUndoCommand(what)
    , m_session(session)
    , m_annotations(std::move(annotations))
{
}

bool AnnotateCommand::isOf(const std::string& id) const
{
    return std::any_of(m_annotations.begin(), m_annotations.end(),
                       [&](const Annotation& annotation) { return annotation.id == id; });
}

void AnnotateCommand::setLost()
{
    m_lost = true;
    setObsolete(true);
}

void AnnotateCommand::redo()
{
    if (m_lost)
        return;
    for (Annotation& annotation : m_annotations) {
        annotation.id = uniqueId(); // one that was taken back stays so under its id
        m_session->addAnnotation(annotation);
    }
}

void AnnotateCommand::undo()
{
    if (m_lost)
        return;
    for (auto annotation = m_annotations.rbegin(); annotation != m_annotations.rend(); ++annotation)
        m_session->takeBackAnnotation(annotation->id);
}

FunctionCommand::FunctionCommand(const QString& what, std::function<void()> redo, std::function<void()> undo)
    : QUndoCommand(what)
    , m_redo(std::move(redo))
    , m_undo(std::move(undo))
{
}

} // namespace sparserl
