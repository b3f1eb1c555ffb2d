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

/// The source of a program, and beside it what was asked for: its PTX, its SASS, or the program that it is
/// compared with. Of two programs one kind of text is compared: what the user chose last.
class CodePane : public QWidget
{
    Q_OBJECT

public:
    explicit CodePane(QWidget* parent = nullptr);
    void setSession(ProjectSession* session);
    /// `other`: what it is compared with, called `otherName`.
    void show(const ComparedProgram& program, const std::optional<ComparedProgram>& other,
              const QString& otherName);
    /// PTX or SASS or both beside the source, or one of them of both programs that are compared.
    void setPtxShown(bool on);
    void setSassShown(bool on);
    /// As the user left it: whose SASS, with or without control codes.
    void restoreSass(const QString& architecture, bool controls);
    /// Which texts are compared where two programs are.
    CodeKind comparedKind() const { return m_comparedKind; }
    QToolButton* kindButton(CodeKind kind) const;
    /// Lets the program be compiled, so that its options are known.
    void askOptions();
    QString options() const; ///< What its compiler was called with; empty: not known.
    /// Shows what the instruction under the cursor does, in the listing that has the focus; where the source
    /// has it, the first instruction that its line became, in the first listing. False: no listing is shown.
    bool explain();
    /// The same once the PTX that is asked for next is there.
    void explainLater() { m_explainLater = true; }
    bool comparing() const { return m_other.has_value(); }
    /// Of the view that has the focus, else of the source.
    void nextHotLine();
    void previousHotLine();
    /// Looks for words in the view that has the focus, else in the source; again: goes to the next place.
    void find();
    SourcePair* sources() const { return m_sources; }
    SourceView* source() const { return m_source; }
    SassBar* sassBar() const { return m_sassBar; }

Q_SIGNALS:
    /// The options of the program that is shown are there.
    void compiled();
    /// Or it cannot be compiled.
    void failed(const QString& sentence);
    /// PTX is there, but no SASS.
    void sassFailed(const QString& sentence);
    /// There is no SASS of the architecture that was chosen; that of the one before stays.
    void architectureFailed(const QString& sentence);
    /// The user chose which texts are to be compared: what setPtxShown and setSassShown say.
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
    SourceView* m_source; ///< Of `m_sources`.
    SassBar* m_sassBar;   ///< In the head of whichever view shows SASS.
    ComparedProgram m_program;
    std::optional<ComparedProgram> m_other;
    QString m_otherName;
    QString m_madeFor; ///< The last architecture of which there was SASS.
    bool m_ptxShown = false, m_sassShown = false, m_explainLater = false;
    CodeKind m_comparedKind = CodeKind::Program;
    QWidget* m_kinds; ///< Source, PTX, SASS: of what is compared.
    QButtonGroup* m_kindButtons;
    ProgramCode m_compiled{this};
};

} // namespace sparserl
