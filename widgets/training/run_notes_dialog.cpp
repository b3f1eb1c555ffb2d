// SPDX-License-Identifier: Apache-2.0
#include "widgets/training/run_notes_dialog.h"

#include "widgets/common/format.h"
#include "widgets/common/panels.h"
#include "widgets/common/plain_text.h"
#include "widgets/common/theme.h"
#include "widgets/training/run_model.h"

#include <QDialogButtonBox>
#include <QFormLayout>
#include <QLineEdit>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QVBoxLayout>
#include <algorithm>

namespace sparserl {

RunNotesDialog::RunNotesDialog(const RunSummary& run, const QStringList& known, QWidget* parent)
    : QDialog(parent)
    , m_run(run)
    , m_tags(new QLineEdit(this))
    , m_note(new QPlainTextEdit(this))
{
    setWindowTitle(tr("Tags and note of %1").arg(visibleText(runLabel(run))));
    resize(atTextSize(460), atTextSize(300));
    QStringList tags;
    for (const std::string& tag : run.notes.tags)
        tags.append(toQString(tag));
    m_tags->setText(tags.join(QStringLiteral(", ")));
    m_tags->setPlaceholderText(tr("good, repeat"));
    m_note->setPlainText(toQString(run.notes.note));
    m_note->setTabChangesFocus(true);
    auto* form = new QFormLayout;
    form->addRow(tr("Ta&gs"), m_tags);
    if (!known.isEmpty()) {
        auto* hint = makeMuted(tr("In use: %1").arg(known.join(QStringLiteral(", "))), this);
        fitWrapped(hint);
        form->addRow(QString(), hint);
    }
    form->addRow(tr("&Note"), m_note);
    levelLabels(form);
    auto* buttons = new QDialogButtonBox(QDialogButtonBox::Cancel, this);
    auto* save = buttons->addButton(tr("&Save"), QDialogButtonBox::AcceptRole);
    makePrimary(save);
    connect(buttons, &QDialogButtonBox::accepted, this, &RunNotesDialog::saveAsked);
    connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
    auto* layout = new QVBoxLayout(this);
    layout->addLayout(form, 1);
    layout->addWidget(buttons);
}

void RunNotesDialog::setTags(const QString& tags)
{
    m_tags->setText(tags);
}

void RunNotesDialog::setNote(const QString& note)
{
    m_note->setPlainText(note);
}

std::vector<Annotation> RunNotesDialog::changes() const
{
    std::vector<Annotation> changes;
    const auto add = [&](Annotation::Field field, const std::string& value) {
        Annotation annotation;
        annotation.target = Annotation::Target::Run;
        annotation.key = m_run.name;
        annotation.field = field;
        annotation.value = value;
        changes.push_back(annotation);
    };
    std::vector<std::string> wanted;
    for (QString tag : m_tags->text().split(QLatin1Char(','), Qt::SkipEmptyParts)) {
        tag = tag.simplified();
        while (tag.startsWith(QLatin1Char('-'))) // that takes a tag away
            tag.remove(0, 1);
        if (!tag.isEmpty() && std::find(wanted.begin(), wanted.end(), tag.toStdString()) == wanted.end())
            wanted.push_back(tag.toStdString());
    }
    const auto& had = m_run.notes.tags;
    for (const std::string& tag : had)
        if (std::find(wanted.begin(), wanted.end(), tag) == wanted.end())
            add(Annotation::Field::Tag, "-" + tag);
    for (const std::string& tag : wanted)
        if (std::find(had.begin(), had.end(), tag) == had.end())
            add(Annotation::Field::Tag, tag);
    const std::string note = m_note->toPlainText().trimmed().toStdString();
    if (note != m_run.notes.note)
        add(Annotation::Field::Note, note);
    return changes;
}

} // namespace sparserl
