// SPDX-License-Identifier: Apache-2.0
#include "widgets/matrices/generate_dialog.h"

#include "matrix/generate.h"
#include "verdict/names.h"
#include "widgets/common/format.h"
#include "widgets/common/panels.h"
#include "widgets/common/parameter_form.h"
#include "widgets/common/theme.h"

#include <QComboBox>
#include <QDialogButtonBox>
#include <QFormLayout>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QScrollArea>
#include <QVBoxLayout>

namespace sparserl {

GenerateDialog::GenerateDialog(QWidget* parent)
    : QDialog(parent)
    , m_kind(new QComboBox(this))
    , m_split(new QComboBox(this))
    , m_name(new QLineEdit(this))
    , m_help(makeMuted({}, this))
    , m_problem(new QLabel(this))
    , m_form(new ParameterForm)
{
    setWindowTitle(tr("Generate a matrix"));
    resize(atTextSize(760), atTextSize(520));
    for (const GeneratorKind& kind : generatorKinds())
        m_kind->addItem(toQString(kind.name));
    m_split->addItem(tr("Train: the policy learns from it"), QLatin1String(split::train));
    m_split->addItem(tr("Held-out: used only for evaluation"), QLatin1String(split::heldOut));
    m_name->setPlaceholderText(tr("May be empty; the kind then gives the name"));
    fitWrapped(m_help);
    m_problem->setProperty("bad", true);
    m_problem->setWordWrap(true);
    auto* layout = new QVBoxLayout(this);
    auto* form = new QFormLayout;
    form->addRow(tr("&Kind"), m_kind);
    form->addRow(QString(), m_help);
    form->addRow(tr("&Name"), m_name);
    form->addRow(tr("&Split"), m_split);
    levelLabels(form);
    layout->addLayout(form);
    auto* area = new QScrollArea(this);
    area->setWidgetResizable(true);
    area->setFrameShape(QFrame::NoFrame);
    m_form->setProperty("plain", true);
    area->setWidget(m_form);
    layout->addWidget(area, 1);
    layout->addWidget(m_problem);
    auto* buttons = new QDialogButtonBox(QDialogButtonBox::Cancel, this);
    m_add = buttons->addButton(tr("&Add to the project"), QDialogButtonBox::AcceptRole);
    makePrimary(m_add);
    connect(buttons, &QDialogButtonBox::accepted, this, &QDialog::accept);
    connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
    layout->addWidget(buttons);
    connect(m_kind, &QComboBox::currentIndexChanged, this, &GenerateDialog::showKind);
    connect(m_form, &ParameterForm::changed, this, &GenerateDialog::validate);
    showKind();
}

void GenerateDialog::showKind()
{
    const GeneratorKind& kind = generatorKinds()[m_kind->currentIndex()];
    m_help->setText(toQString(kind.help));
    m_form->setParameters(ParameterSet(kind.parameters));
}

void GenerateDialog::validate()
{
    m_problem->setText(m_form->problem());
    m_problem->setVisible(!m_form->valid());
    m_add->setEnabled(m_form->valid());
}

std::string GenerateDialog::generator() const
{
    return GeneratorSpec{generatorKinds()[m_kind->currentIndex()].name, m_form->parameters(), 0}.text();
}

std::string GenerateDialog::name() const
{
    return m_name->text().trimmed().toStdString();
}

std::string GenerateDialog::split() const
{
    return m_split->currentData().toString().toStdString();
}

} // namespace sparserl
