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

/// Shows a text that the user selects beside an edited program: the original, or PTX, SASS or both for the
/// current text, which is compiled during editing. While the text does not compile, shows the last result and
/// the reason.
class CopyCode : public QWidget
{
    Q_OBJECT

public:
    /// `text`: returns the editor's contents; `compare`: shows the original beside it.
    CopyCode(ProjectSession* session, SourcePair* sources, std::function<std::string()> text,
             std::function<void()> compare, QWidget* parent);
    QComboBox* choice() const { return m_choice; }
    QLabel* state() const { return m_state; }
    /// Call it after the text or the selection has changed.
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
    std::string m_asked; ///< Hash of the text that is being compiled, or of the last one compiled.
    std::string m_made;  ///< Hash of the text whose code is shown; empty: none.
    ProgramCode m_code{this};
};

} // namespace sparserl
