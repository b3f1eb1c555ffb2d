// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "widgets/common/session.h"
#include "widgets/kernels/compared_program.h"
#include "widgets/kernels/program_code.h"

#include <QWidget>
#include <optional>

namespace sparserl {

class SassBar;
class SourcePair;
class SourceView;

/// The source of a program, and beside it what was asked for: its PTX, its SASS, or the program that it is
/// compared with.
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
    /// Lets the program be compiled, so that its options are known.
    void askOptions();
    QString options() const; ///< What its compiler was called with; empty: not known.
    /// Shows what the instruction under the cursor does, in the listing that has the focus, else in the first
    /// one. False: no listing is shown.
    bool explain();
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

private:
    void ready(const std::string& hash);
    void setArchitecture(const QString& architecture);
    void showCode();
    bool showBoth(CodeKind kind);
    QString listingName(CodeKind kind, const CompiledCode* code) const;
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
    bool m_ptxShown = false, m_sassShown = false;
    ProgramCode m_compiled{this};
};

} // namespace sparserl
