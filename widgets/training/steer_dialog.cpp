// SPDX-License-Identifier: Apache-2.0
#include "widgets/training/steer_dialog.h"

#include "widgets/common/format.h"
#include "widgets/common/panels.h"

#include <QComboBox>
#include <QDialogButtonBox>
#include <QFormLayout>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QVBoxLayout>

namespace sparserl {

SteerDialog::SteerDialog(SteeredParameters steered, QWidget* parent)
    : QDialog(parent)
    , m_steered(std::move(steered))
    , m_key(new QComboBox(this))
    , m_value(new QLineEdit(this))
    , m_help(makeMuted({}, this))
    , m_problem(new QLabel(this))
{
    setWindowTitle(tr("Change a parameter"));
    resize(520, 260);
    for (const ParameterSpec& spec : m_steered.values.declarations().specs())
        if (spec.effect != ParameterEffect::Restart)
            m_key->addItem(toQString(spec.key));
    m_help->setWordWrap(true);
    m_problem->setWordWrap(true);
    m_problem->setProperty("bad", true);
    auto* layout = new QVBoxLayout(this);
    auto* form = new QFormLayout;
    form->addRow(tr("&Parameter"), m_key);
    form->addRow(tr("&New value"), m_value);
    layout->addLayout(form);
    layout->addWidget(m_help);
    layout->addWidget(m_problem);
    layout->addStretch();
    auto* buttons = new QDialogButtonBox(QDialogButtonBox::Cancel, this);
    m_apply = buttons->addButton(tr("&Change it"), QDialogButtonBox::AcceptRole);
    makePrimary(m_apply);
    connect(buttons, &QDialogButtonBox::accepted, this, &QDialog::accept);
    connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
    layout->addWidget(buttons);
    connect(m_key, &QComboBox::currentIndexChanged, this, &SteerDialog::showParameter);
    connect(m_value, &QLineEdit::textChanged, this, &SteerDialog::validate);
    showParameter();
}

const ParameterSpec* SteerDialog::spec() const
{
    return m_steered.values.declarations().find(key());
}

std::string SteerDialog::key() const
{
    return m_key->currentText().toStdString();
}

std::string SteerDialog::value() const
{
    return m_value->text().trimmed().toStdString();
}

void SteerDialog::choose(const std::string& key, const QString& value)
{
    m_key->setCurrentText(toQString(key));
    m_value->setText(value);
}

void SteerDialog::showParameter()
{
    if (!spec()) {
        m_help->setText(
            tr("Nothing of this stage can change while it runs. Stop it and continue from its checkpoint "
               "with other parameters."));
        m_value->setEnabled(false);
        m_apply->setEnabled(false);
        return;
    }
    const QString present = toQString(toText(m_steered.values.value(key())));
    const auto asked = m_steered.pending.find(key());
    m_value->setText(asked == m_steered.pending.end() ? present : toQString(asked->second));
    QString text = toQString(spec()->helpText);
    text += asked == m_steered.pending.end()
                ? tr(" It is %1 now.").arg(present)
                : tr(" It is %1 now; %2 was asked for and has not taken effect yet.")
                      .arg(present, toQString(asked->second));
    if (!spec()->rangeText().empty())
        text += tr(" It must be %1.").arg(toQString(spec()->rangeText()));
    text += spec()->effect == ParameterEffect::Live
                ? tr(" The change takes effect at once and is marked on every chart.")
                : tr(" The change takes effect with the next iteration and is marked on every chart.");
    m_help->setText(text);
    validate();
}

QString SteerDialog::problem() const
{
    if (!spec())
        return tr("There is no such parameter.");
    const auto parsed = spec()->parse(value());
    return parsed ? QString() : sentenceOf(parsed.error());
}

void SteerDialog::validate()
{
    m_problem->setText(problem());
    m_apply->setEnabled(problem().isEmpty());
}

} // namespace sparserl
