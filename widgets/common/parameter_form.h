// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/parameters.h"

#include <QWidget>
#include <map>
#include <optional>
#include <string>
#include <vector>

class QLabel;
class QLineEdit;
class QVBoxLayout;

namespace sparserl {

/// A form made from declared parameters: a group a box, a row a parameter, with unit, help and range. What is
/// typed is checked at once; a bad value is told as a sentence below its field.
class ParameterForm : public QWidget
{
    Q_OBJECT

public:
    explicit ParameterForm(QWidget* parent = nullptr);

    void setParameters(const ParameterSet& parameters);
    const ParameterSet& parameters() const { return m_parameters; }
    bool valid() const { return m_errors.empty(); }
    /// The first problem as a sentence, or empty.
    QString problem() const;
    /// What the values are compared with, and what that is called; without one, with the defaults. Values of
    /// other declarations are the defaults'.
    void setReference(const ParameterSet& reference, const QString& name);
    /// Shows rows whose key, help or group contains the text; `changedOnly` those that differ from the
    /// reference.
    void setFilter(const QString& text, bool changedOnly);
    /// Types into a field, as a user would.
    void enter(const std::string& key, const QString& text);

Q_SIGNALS:
    void changed();

private:
    struct Row
    {
        std::string key;
        QWidget *widget, *editor;
        QLabel *name, *error, *was;
    };
    struct Group
    {
        QWidget* box;
        std::vector<Row> rows;
    };
    void addRow(Group& group, const ParameterSpec& spec);
    QWidget* makeEditor(const ParameterSpec& spec);
    void take(const std::string& key, const QString& text);
    void markRow(const std::string& key);
    const ParameterValue& reference(const std::string& key) const;
    bool differs(const std::string& key) const;
    Row* find(const std::string& key);

    ParameterSet m_parameters;
    std::optional<ParameterSet> m_reference;
    QString m_referenceName;
    std::vector<Group> m_groups;
    std::map<std::string, QString> m_errors;
    QVBoxLayout* m_layout;
    QLabel* m_nothing;
};

} // namespace sparserl
