// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/parameters.h"

#include <QStringList>
#include <QWidget>
#include <map>
#include <optional>
#include <string>
#include <vector>

class QLabel;
class QLineEdit;
class QVBoxLayout;

namespace sparserl {

/// A form for declared parameters: one box per group, one row per parameter, with unit, help and range. Input
/// is checked immediately, and a problem is shown below its field.
class ParameterForm : public QWidget
{
    Q_OBJECT

public:
    explicit ParameterForm(QWidget* parent = nullptr);

    /// Texts to choose from in the field of a parameter, which takes others, too. Before setParameters().
    void offer(const std::string& key, const QStringList& texts) { m_offers[key] = texts; }
    void setParameters(const ParameterSet& parameters);
    const ParameterSet& parameters() const { return m_parameters; }
    bool valid() const { return m_errors.empty(); }
    /// The first problem as a sentence, or empty.
    QString problem() const;
    /// Sets the reference for comparisons, and its name. Initially, the reference is the declared defaults,
    /// which also replace missing values.
    void setReference(const ParameterSet& reference, const QString& name);
    /// Shows the rows whose key, help or group contains the text. `changedOnly`: shows only rows that differ
    /// from the reference.
    void setFilter(const QString& text, bool changedOnly);
    /// Enters text into a field as a user would.
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
    std::map<std::string, QStringList> m_offers;
    std::map<std::string, QString> m_errors;
    static constexpr int leastNameWidth = 190, mostNameWidth = 150; ///< The most: at the usual size of text.
    int m_nameWidth = leastNameWidth;                               ///< Of the column of names, in pixels.
    QVBoxLayout* m_layout;
    QLabel* m_nothing;
};

} // namespace sparserl
