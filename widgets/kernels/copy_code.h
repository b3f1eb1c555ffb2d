// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "widgets/kernels/program_code.h"

#include <QWidget>
#include <functional>
#include <string>

class QComboBox;
class QLabel;
class QTimer;

namespace sparserl {

class SassBar;
class SourcePair;

/// What stands beside a text that is being edited, for the user to choose: the original, or the PTX, the SASS
/// or both of the text as it is, compiled again while it is typed. Until the text compiles again, what it was
/// made into last stays, and a sentence says why there is nothing newer.
class CopyCode : public QWidget
{
    Q_OBJECT

public:
    /// `text`: what is in the editor; `compare`: shows the original beside it.
    CopyCode(ProjectSession* session, SourcePair* sources, std::function<std::string()> text,
             std::function<void()> compare, QWidget* parent);
    QComboBox* choice() const { return m_choice; }
    QLabel* state() const { return m_state; }
    /// The text, or what is shown with it, is another one.
    void refresh();

private:
    bool wantsPtx() const;
    bool wantsSass() const;
    void show();
    void compile();
    void showListings();

    ProjectSession* m_session;
    SourcePair* m_sources;
    std::function<std::string()> m_text;
    std::function<void()> m_compare;
    QComboBox* m_choice;
    SassBar* m_sassBar;
    QLabel* m_state;
    QTimer* m_typing;
    std::string m_asked; ///< Hash of the text that is compiled, or was last.
    std::string m_made;  ///< Of that whose code is shown; empty: none.
    ProgramCode m_code{this};
};

} // namespace sparserl
