// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "widgets/common/session.h"
#include "widgets/kernels/compared_program.h"
#include "widgets/kernels/program_code.h"

#include <QWidget>
#include <optional>

class QButtonGroup;
class QToolButton;

namespace sparserl {

class SassBar;
class SourcePair;
class SourceView;

/// Shows the source of a program and, beside it, the requested text: its PTX, its SASS, or the program for
/// comparison. Two programs are compared in one kind of text, which is the user's last choice.
class CodePane : public QWidget
{
    Q_OBJECT

public:
    explicit CodePane(QWidget* parent = nullptr);
    void setSession(ProjectSession* session);
    /// `other`: the program for comparison, named `otherName`.
    void show(const ComparedProgram& program, const std::optional<ComparedProgram>& other,
              const QString& otherName);
    /// Shows PTX or SASS or both beside the source, or one of them for both compared programs.
    void setPtxShown(bool on);
    void setSassShown(bool on);
    /// Restores the user's choice: SASS architecture, and control codes.
    void restoreSass(const QString& architecture, bool controls);
    /// The kind of text in comparisons of two programs.
    CodeKind comparedKind() const { return m_comparedKind; }
    QToolButton* kindButton(CodeKind kind) const;
    /// Compiles the program to determine its options.
    void askOptions();
    QString options() const; ///< Its compiler options; empty: unknown.
    /// Explains the instruction under the cursor in the focused listing; if the source has the focus, the
    /// first instruction of its line in the first listing. False if no listing is shown.
    bool explain();
    /// The same once the requested PTX arrives.
    void explainLater() { m_explainLater = true; }
    bool comparing() const { return m_other.has_value(); }
    /// Goes to the next hottest line of the focused view, or of the source if no view has the focus.
    void nextHotLine();
    void previousHotLine();
    /// Searches in the focused view, otherwise in the source; another call goes to the next match.
    void find();
    SourcePair* sources() const { return m_sources; }
    SourceView* source() const { return m_source; }
    SassBar* sassBar() const { return m_sassBar; }

Q_SIGNALS:
    /// The options of the displayed program are known.
    void compiled();
    /// The program cannot be compiled.
    void failed(const QString& sentence);
    /// There is PTX but no SASS.
    void sassFailed(const QString& sentence);
    /// There is no SASS for the selected architecture; the previous one stays.
    void architectureFailed(const QString& sentence);
    /// The user selected the compared texts, like setPtxShown and setSassShown.
    void kindChosen(CodeKind kind);

private:
    void ready(const std::string& hash);
    void setArchitecture(const QString& architecture);
    void showCode();
    bool showBoth(CodeKind kind);
    void makeKinds();
    SourceView* focusedView() const;
    QString listingName(CodeKind kind, const CompiledCode* code) const;
    static std::vector<LineCounters> countsOf(const ComparedProgram& program, const CompiledCode& code,
                                              CodeKind kind);
    const CompiledCode* compiledOf(const ComparedProgram& program);
    const std::string& hash() const { return m_program.candidate.programHash; }

    ProjectSession* m_session = nullptr;
    SourcePair* m_sources;
    SourceView* m_source; ///< In `m_sources`.
    SassBar* m_sassBar;   ///< Shown in the head of the view with SASS.
    ComparedProgram m_program;
    std::optional<ComparedProgram> m_other;
    QString m_otherName;
    QString m_madeFor; ///< The last architecture with SASS.
    bool m_ptxShown = false, m_sassShown = false, m_explainLater = false;
    CodeKind m_comparedKind = CodeKind::Program;
    QWidget* m_kinds; ///< The choice of the compared text: source, PTX or SASS.
    QButtonGroup* m_kindButtons;
    ProgramCode m_compiled{this};
};

} // namespace sparserl
