// SPDX-License-Identifier: Apache-2.0
#include "widgets/common/parameter_form.h"

#include "widgets/common/format.h"
#include "widgets/common/panels.h"
#include "widgets/common/plain_text.h"
#include "widgets/common/theme.h"

#include <QCheckBox>
#include <QComboBox>
#include <QGroupBox>
#include <QLabel>
#include <QLineEdit>
#include <QVBoxLayout>

namespace sparserl {

namespace {

QString helpOf(const ParameterSpec& spec)
{
    QStringList lines{toQString(spec.key), toQString(spec.helpText)};
    if (!spec.rangeText().empty())
        lines.append(ParameterForm::tr("Range: %1.").arg(toQString(spec.rangeText())));
    lines.append(ParameterForm::tr("Default: %1.").arg(toQString(toText(spec.defaultValue))));
    if (!spec.sourceText.empty())
        lines.append(ParameterForm::tr("Source: %1.").arg(toQString(spec.sourceText)));
    lines.append(ParameterForm::tr("A change takes effect: %1.").arg(toQString(nameOf(spec.effect))));
    return wrappedTip(lines.join(QLatin1Char('\n')));
}

} // namespace

ParameterForm::ParameterForm(QWidget* parent)
    : QWidget(parent)
    , m_layout(new QVBoxLayout(this))
    , m_nothing(makeMuted(tr("No parameter matches."), this))
{
    m_layout->setContentsMargins(0, 0, 8, 0);
    m_layout->setSpacing(10);
    m_nothing->hide();
    m_layout->addWidget(m_nothing);
    m_layout->addStretch();
}

void ParameterForm::setParameters(const ParameterSet& parameters)
{
    for (Group& group : m_groups)
        delete group.box;
    m_groups.clear();
    m_errors.clear();
    m_parameters = parameters;
    std::map<std::string, std::size_t> byName;
    m_nameWidth = leastNameWidth;
    for (const ParameterSpec& spec : parameters.declarations().specs())
        m_nameWidth = std::max(m_nameWidth, fontMetrics().horizontalAdvance(toQString(spec.key)));
    m_nameWidth = std::min(m_nameWidth, std::max(leastNameWidth, atTextSize(mostNameWidth)));
    for (const ParameterSpec& spec : parameters.declarations().specs()) {
        const auto [it, fresh] = byName.try_emplace(spec.groupName, m_groups.size());
        if (fresh) {
            auto* box = new QGroupBox(toQString(spec.groupName), this);
            auto* rows = new QVBoxLayout(box);
            rows->setContentsMargins(12, 6, 12, 10);
            rows->setSpacing(4);
            m_layout->insertWidget(m_layout->count() - 1, box);
            m_groups.push_back({box, {}});
        }
        addRow(m_groups[it->second], spec);
    }
    Q_EMIT changed();
}

QWidget* ParameterForm::makeEditor(const ParameterSpec& spec)
{
    const std::string key = spec.key;
    const QString text = toQString(toText(m_parameters.value(key)));
    if (spec.type == ParameterType::Bool) {
        auto* box = new QCheckBox(this);
        box->setChecked(m_parameters.boolean(key));
        connect(box, &QCheckBox::toggled, this,
                [this, key](bool on) { take(key, on ? QStringLiteral("true") : QStringLiteral("false")); });
        return box;
    }
    if (spec.type == ParameterType::Enum) {
        auto* combo = new QComboBox(this);
        for (const std::string& choice : spec.choices)
            combo->addItem(toQString(choice));
        combo->setCurrentText(text);
        connect(combo, &QComboBox::currentTextChanged, this, [this, key](const QString& t) { take(key, t); });
        return combo;
    }
    if (const auto offer = m_offers.find(key); offer != m_offers.end()) {
        auto* combo = new QComboBox(this);
        combo->setEditable(true);
        combo->setInsertPolicy(QComboBox::NoInsert);
        combo->addItems(offer->second);
        combo->setCurrentIndex(-1);
        combo->setEditText(text);
        connect(combo, &QComboBox::editTextChanged, this, [this, key](const QString& t) { take(key, t); });
        return combo;
    }
    auto* line = new QLineEdit(text, this);
    connect(line, &QLineEdit::textChanged, this, [this, key](const QString& t) { take(key, t); });
    return line;
}

void ParameterForm::addRow(Group& group, const ParameterSpec& spec)
{
    auto* widget = new QWidget(group.box);
    auto* column = new QVBoxLayout(widget);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(1);
    auto* across = new QHBoxLayout;
    across->setSpacing(10);
    auto* name = new QLabel(toQString(spec.key), widget);
    name->setMinimumWidth(m_nameWidth);
    name->setToolTip(helpOf(spec));
    QWidget* editor = makeEditor(spec);
    editor->setToolTip(helpOf(spec));
    editor->setAccessibleName(toQString(spec.key));
    editor->setAccessibleDescription(toQString(spec.helpText));
    editor->setFixedWidth(170);
    name->setBuddy(editor);
    auto* unit = makeMuted(toQString(spec.unitText), widget);
    unit->setFixedWidth(atTextSize(76));
    auto* help = makeMuted(toQString(spec.helpText), widget);
    help->setWordWrap(true);
    help->setToolTip(helpOf(spec));
    across->addWidget(name);
    across->addWidget(editor);
    across->addWidget(unit);
    across->addWidget(help, 1);
    column->addLayout(across);
    auto* error = new QLabel(widget);
    error->setProperty("bad", true);
    error->setWordWrap(true);
    error->setContentsMargins(m_nameWidth + 6, 0, 0, 2);
    error->hide();
    column->addWidget(error);
    auto* was = makeMuted({}, widget);
    was->setContentsMargins(m_nameWidth + 16, 0, 0, 2);
    was->hide();
    column->addWidget(was);
    group.box->layout()->addWidget(widget);
    group.rows.push_back({spec.key, widget, editor, name, error, was});
    markRow(spec.key);
}

ParameterForm::Row* ParameterForm::find(const std::string& key)
{
    for (Group& group : m_groups)
        for (Row& row : group.rows)
            if (row.key == key)
                return &row;
    return nullptr;
}

void ParameterForm::take(const std::string& key, const QString& text)
{
    const Status status = m_parameters.setText(key, text.trimmed().toStdString());
    if (status)
        m_errors.erase(key);
    else
        m_errors[key] = sentenceOf(status.error());
    markRow(key);
    Q_EMIT changed();
}

void ParameterForm::markRow(const std::string& key)
{
    Row* row = find(key);
    if (!row)
        return;
    const auto error = m_errors.find(key);
    row->error->setVisible(error != m_errors.end());
    row->error->setText(error == m_errors.end() ? QString() : error->second);
    setStyled(row->editor, "invalid", error != m_errors.end());
    QFont font = row->name->font(); // changed ones stand out
    const bool changed = differs(key);
    font.setWeight(changed ? QFont::DemiBold : QFont::Normal);
    row->name->setFont(font);
    row->was->setVisible(changed && !m_referenceName.isEmpty());
    row->was->setText(tr("%1 in %2").arg(toQString(toText(reference(key))), m_referenceName));
}

const ParameterValue& ParameterForm::reference(const std::string& key) const
{
    return m_reference && m_reference->has(key) ? m_reference->value(key)
                                                : m_parameters.declarations().find(key)->defaultValue;
}

bool ParameterForm::differs(const std::string& key) const
{
    return m_errors.contains(key) || !(m_parameters.value(key) == reference(key));
}

void ParameterForm::setReference(const ParameterSet& reference, const QString& name)
{
    m_reference = reference;
    m_referenceName = name;
    for (const Group& group : m_groups)
        for (const Row& row : group.rows)
            markRow(row.key);
}

QString ParameterForm::problem() const
{
    return m_errors.empty() ? QString() : m_errors.begin()->second;
}

void ParameterForm::setFilter(const QString& text, bool changedOnly)
{
    bool any = false;
    for (Group& group : m_groups) {
        bool anyHere = false;
        for (Row& row : group.rows) {
            const ParameterSpec* spec = m_parameters.declarations().find(row.key);
            const QString all =
                QStringList{toQString(spec->key), toQString(spec->helpText), toQString(spec->groupName)}.join(
                    QLatin1Char(' '));
            const bool shown = (text.isEmpty() || all.contains(text, Qt::CaseInsensitive)) &&
                               (!changedOnly || differs(row.key));
            row.widget->setVisible(shown);
            anyHere = anyHere || shown;
        }
        group.box->setVisible(anyHere);
        any = any || anyHere;
    }
    m_nothing->setVisible(!any);
}

void ParameterForm::enter(const std::string& key, const QString& text)
{
    Row* row = find(key);
    if (!row)
        return;
    if (auto* line = qobject_cast<QLineEdit*>(row->editor))
        line->setText(text);
    else if (auto* combo = qobject_cast<QComboBox*>(row->editor); combo && combo->isEditable())
        combo->setEditText(text);
    else if (combo)
        combo->setCurrentText(text);
    else if (auto* box = qobject_cast<QCheckBox*>(row->editor))
        box->setChecked(text == QLatin1String("true"));
}

} // namespace sparserl
