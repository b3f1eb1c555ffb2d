// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "widgets/training/steered_parameters.h"

#include <QDialog>
#include <string>

class QComboBox;
class QLabel;
class QLineEdit;
class QPushButton;

namespace sparserl {

/// Changes one parameter of a running training: which one, its new value, and when that takes effect.
class SteerDialog : public QDialog
{
    Q_OBJECT

public:
    /// Offers the parameters that can change without a restart, with their present values, and says which
    /// changes are on their way.
    SteerDialog(SteeredParameters steered, QWidget* parent);

    std::string key() const;
    std::string value() const;
    void choose(const std::string& key, const QString& value);
    /// Why the value is refused, or empty.
    QString problem() const;

private:
    void showParameter();
    void validate();
    const ParameterSpec* spec() const;

    SteeredParameters m_steered;
    QComboBox* m_key;
    QLineEdit* m_value;
    QLabel *m_help, *m_problem;
    QPushButton* m_apply;
};

} // namespace sparserl
