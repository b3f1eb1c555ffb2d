// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QDialog>
#include <string>

class QComboBox;
class QLabel;
class QLineEdit;
class QPushButton;

namespace sparserl {

class ParameterForm;

/// Asks for the description of a generated matrix: its kind, declared parameters, name and split.
class GenerateDialog : public QDialog
{
    Q_OBJECT

public:
    explicit GenerateDialog(QWidget* parent);
    std::string generator() const; ///< "stencil2d(n=64)", as in project.toml.
    std::string name() const;
    std::string split() const;

private:
    void showKind();
    void validate();
    QComboBox *m_kind, *m_split;
    QLineEdit* m_name;
    QLabel *m_help, *m_problem;
    ParameterForm* m_form;
    QPushButton* m_add;
};

} // namespace sparserl
