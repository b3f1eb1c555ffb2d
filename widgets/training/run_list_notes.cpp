// SPDX-License-Identifier: Apache-2.0
// What the user writes on runs in the run list: stars, colours, tags, notes. All of it can be undone.
#include "widgets/common/format.h"
#include "widgets/training/run_list.h"
#include "widgets/training/run_notes_dialog.h"

namespace sparserl {

namespace {

Annotation annotationOf(const RunSummary& run, Annotation::Field field, const std::string& value)
{
    Annotation annotation;
    annotation.target = Annotation::Target::Run;
    annotation.key = run.name;
    annotation.field = field;
    annotation.value = value;
    return annotation;
}

} // namespace

void RunList::annotate(const std::vector<Annotation>& annotations, const QString& what)
{
    if (!m_session || annotations.empty())
        return;
    std::set<std::string> runs;
    for (const Annotation& annotation : annotations)
        runs.insert(annotation.key);
    const auto count = static_cast<std::int64_t>(runs.size());
    m_session->annotate(annotations, count == 1 ? tr("%1 of %2").arg(what, toQString(*runs.begin()))
                                                : tr("%1 of %2 runs").arg(what, formatCount(count)));
}

void RunList::toggle(Annotation::Field field, const std::function<bool(const AnnotationState&)>& has,
                     const QString& on, const QString& off)
{
    const auto runs = selected();
    if (runs.empty())
        return;
    // Several become what the current one becomes.
    const auto first = current();
    const bool now = !has((first ? *first : runs.front()).notes);
    std::vector<Annotation> changes;
    QStringList names;
    for (const RunSummary& run : runs) {
        names.append(runLabel(run));
        if (has(run.notes) == now)
            continue;
        changes.push_back(annotationOf(run, field, now ? "1" : "0"));
        if (field == Annotation::Field::Shown && now) // keeps the colour that it was seen in
            changes.push_back(annotationOf(run, Annotation::Field::Colour, std::to_string(runColour(run))));
    }
    const QString sentence = (now ? on : off).arg(names.join(QStringLiteral(", ")));
    annotate(changes, toQString(nameOf(field)));
    if (m_session)
        m_session->onceWritten(this, [this, sentence] { Q_EMIT statusMessage(sentence); });
}

void RunList::setColour(const std::string& value)
{
    std::vector<Annotation> changes;
    for (const RunSummary& run : selected())
        changes.push_back(annotationOf(run, Annotation::Field::Colour, value));
    annotate(changes, tr("colour"));
}

void RunList::setStarred(const std::string& run, bool on)
{
    for (const RunRow& row : m_rows)
        if (row.name == run)
            annotate({annotationOf(row, Annotation::Field::Star, on ? "1" : "0")}, tr("star"));
}

void RunList::editNotes()
{
    const auto run = current();
    if (!run)
        return;
    std::set<QString> known;
    for (const RunRow& row : m_rows)
        for (const std::string& tag : row.notes.tags)
            known.insert(toQString(tag));
    auto* dialog = new RunNotesDialog(*run, QStringList(known.begin(), known.end()), this);
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    connect(dialog, &RunNotesDialog::saveAsked, this, [this, dialog] {
        annotate(dialog->changes(), tr("tags and note"));
        if (m_session)
            m_session->onceWritten(dialog, [dialog] { dialog->accept(); });
        else
            dialog->accept();
    });
    dialog->open();
}

} // namespace sparserl
