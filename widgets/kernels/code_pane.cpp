// SPDX-License-Identifier: Apache-2.0
#include "widgets/kernels/code_pane.h"

#include "widgets/common/format.h"
#include "widgets/common/panels.h"
#include "widgets/kernels/find_bar.h"
#include "widgets/kernels/instruction_tips.h"
#include "widgets/kernels/listing_counts.h"
#include "widgets/kernels/sass_bar.h"
#include "widgets/kernels/source_pair.h"
#include "widgets/kernels/source_view.h"

#include "widgets/kernels/scintilla.h"
#include <QButtonGroup>
#include <QLabel>
#include <QToolButton>
#include <QVBoxLayout>
#include <algorithm>
#include <utility>

namespace sparserl {

namespace {

const CodeListing& listingOf(const CompiledCode& code, CodeKind kind)
{
    return kind == CodeKind::Sass ? code.sass : code.ptx;
}

} // namespace

CodePane::CodePane(QWidget* parent)
    : QWidget(parent)
    , m_sources(new SourcePair(this))
    , m_source(m_sources->source())
    , m_sassBar(new SassBar(this))
    , m_madeFor(m_sassBar->architecture())
{
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->addWidget(m_sources);
    m_sassBar->hide();
    connect(m_sassBar, &SassBar::architectureChosen, this, &CodePane::setArchitecture);
    connect(m_sassBar, &SassBar::controlsToggled, this, [this](bool on) {
        for (SourceView* view : m_sources->views())
            view->setControlsShown(on);
    });
    makeKinds();
    connect(&m_compiled, &ProgramCode::ready, this, &CodePane::ready);
    connect(&m_compiled, &ProgramCode::failed, this,
            [this](const std::string& which, const QString& sentence) {
                if (which == hash())
                    Q_EMIT failed(sentence);
            });
}

void CodePane::makeKinds()
{
    m_kinds = new QWidget(this);
    m_kindButtons = new QButtonGroup(this);
    auto* across = new QHBoxLayout(m_kinds);
    across->setContentsMargins(0, 0, 6, 0);
    across->setSpacing(2);
    const std::pair<CodeKind, QString> kinds[] = {{CodeKind::Program, tr("Compare the sources")},
                                                  {CodeKind::Ptx, tr("Compare the PTX of both programs")},
                                                  {CodeKind::Sass, tr("Compare the SASS of both programs")}};
    for (const auto& [kind, tip] : kinds) {
        auto* button = makeToolButton({}, kindName(kind), tip, m_kinds);
        button->setCheckable(true);
        m_kindButtons->addButton(button, static_cast<int>(kind));
        across->addWidget(button);
    }
    m_kindButtons->button(static_cast<int>(CodeKind::Program))->setChecked(true);
    connect(m_kindButtons, &QButtonGroup::idClicked, this, [this](int id) {
        kindButton(m_comparedKind)->setChecked(true); // until it is so
        Q_EMIT kindChosen(static_cast<CodeKind>(id));
    });
    m_sources->takeChoice(m_kinds);
}

QToolButton* CodePane::kindButton(CodeKind kind) const
{
    return static_cast<QToolButton*>(m_kindButtons->button(static_cast<int>(kind)));
}

void CodePane::setSession(ProjectSession* session)
{
    m_session = session;
    m_program = {};
    m_other.reset();
}

void CodePane::show(const ComparedProgram& program, const std::optional<ComparedProgram>& other,
                    const QString& otherName)
{
    m_program = program;
    m_other = other;
    m_otherName = otherName;
    showCode();
}

void CodePane::setPtxShown(bool on)
{
    m_ptxShown = on;
    m_comparedKind = on ? CodeKind::Ptx : m_sassShown ? CodeKind::Sass : CodeKind::Program;
    kindButton(m_comparedKind)->setChecked(true);
    if (!hash().empty())
        showCode();
}

void CodePane::setSassShown(bool on)
{
    m_sassShown = on;
    m_comparedKind = on ? CodeKind::Sass : m_ptxShown ? CodeKind::Ptx : CodeKind::Program;
    kindButton(m_comparedKind)->setChecked(true);
    m_compiled.retry(hash());
    if (m_other)
        m_compiled.retry(m_other->candidate.programHash);
    if (!hash().empty())
        showCode();
}

void CodePane::setArchitecture(const QString& architecture)
{
    m_compiled.setArchitecture(architecture);
    if (!hash().empty())
        showCode();
}

void CodePane::restoreSass(const QString& architecture, bool controls)
{
    m_sassBar->setControlsShown(controls);
    m_sassBar->setArchitecture(architecture);
    if (m_sassBar->architecture() != m_compiled.architecture())
        setArchitecture(m_sassBar->architecture());
}

void CodePane::askOptions()
{
    if (!hash().empty())
        m_compiled.ask(m_session, hash(), m_program.text, false);
}

QString CodePane::options() const
{
    const CompiledCode* code = m_compiled.known(hash());
    return code ? code->options : QString();
}

void CodePane::ready(const std::string& which)
{
    const CompiledCode& code = *m_compiled.known(which);
    const bool shown = which == hash(), other = m_other && which == m_other->candidate.programHash;
    const QString problem = m_sassShown && (shown || other) ? code.sassProblem : QString();
    if (!code.sass.text.isEmpty())
        m_madeFor = code.architecture;
    if (m_ptxShown || m_sassShown)
        showCode();
    if (shown)
        Q_EMIT compiled();
    if (problem.isEmpty())
        return;
    if (m_madeFor != m_compiled.architecture()) { // what is shown stays, and so does the choice
        m_sassBar->setArchitecture(m_madeFor);
        setArchitecture(m_madeFor);
        Q_EMIT architectureFailed(problem);
        return;
    }
    Q_EMIT sassFailed(problem);
}

const CompiledCode* CodePane::compiledOf(const ComparedProgram& program)
{
    m_compiled.ask(m_session, program.candidate.programHash, program.text, m_sassShown);
    return m_compiled.known(program.candidate.programHash);
}

QString CodePane::listingName(CodeKind kind, const CompiledCode* code) const
{
    if (!code || (kind == CodeKind::Sass && code->architecture.isEmpty()))
        return tr("Generating %1…").arg(kindName(kind));
    if (kind == CodeKind::Sass && code->architecture != m_compiled.architecture())
        return tr("%1 for %2; generating the %1 for %3…")
            .arg(kindName(kind), code->architecture, m_compiled.architecture());
    return kindName(kind);
}

std::vector<LineCounters> CodePane::countsOf(const ComparedProgram& program, const CompiledCode& code,
                                             CodeKind kind)
{
    if (!program.record || program.record->ptxLines.empty())
        return {};
    return kind == CodeKind::Ptx ? program.record->ptxLines
                                 : sassCounters(code.ptx, program.record->ptxLines, code.sass);
}

// False: one of them is not there yet.
bool CodePane::showBoth(CodeKind kind)
{
    const CompiledCode* own = compiledOf(m_program);
    const CompiledCode* others = compiledOf(*m_other);
    if (!own || !others || listingOf(*own, kind).text.isEmpty() || listingOf(*others, kind).text.isEmpty())
        return false;
    m_source->showListing(listingOf(*own, kind), listingName(kind, own), countsOf(m_program, *own, kind));
    m_sources->baseline()->showListing(listingOf(*others, kind), listingName(kind, others),
                                       countsOf(*m_other, *others, kind));
    const QString name = kind == CodeKind::Sass ? tr("the SASS of %1") : tr("the PTX of %1");
    m_sources->compare(true, name.arg(m_otherName));
    return true;
}

void CodePane::showCode()
{
    const bool sass = m_other ? m_comparedKind == CodeKind::Sass : m_sassShown;
    m_sassBar->setVisible(sass);
    if (sass)
        (m_ptxShown && !m_other ? m_sources->second() : m_sources->baseline())->takeHead(m_sassBar);
    if (m_other) {
        if (m_comparedKind != CodeKind::Program && showBoth(m_comparedKind))
            return;
        m_source->showProgram(toQString(m_program.text), m_program.record);
        m_sources->baseline()->showProgram(toQString(m_other->text), m_other->record);
        m_sources->compare(true, m_otherName);
        if (m_comparedKind != CodeKind::Program)
            m_sources->summary()->setText(
                tr("Generating the %1 of both programs…").arg(kindName(m_comparedKind)));
        return;
    }
    m_source->showProgram(toQString(m_program.text), m_program.record);
    const CompiledCode* own = m_ptxShown || m_sassShown ? compiledOf(m_program) : nullptr;
    std::vector<NamedListing> listings;
    for (const CodeKind kind : {CodeKind::Ptx, CodeKind::Sass})
        if (kind == CodeKind::Ptx ? m_ptxShown : m_sassShown)
            listings.push_back({own ? listingOf(*own, kind) : CodeListing{kind, {}, {}, {}, {}, {}},
                                listingName(kind, own),
                                own ? countsOf(m_program, *own, kind) : std::vector<LineCounters>()});
    if (listings.empty())
        m_sources->compare(false);
    else
        m_sources->showListings(listings);
    if (own && !listings.empty() && std::exchange(m_explainLater, false))
        explain();
}

SourceView* CodePane::focusedView() const
{
    for (SourceView* view : m_sources->views())
        if (!view->isHidden() && view->isAncestorOf(window()->focusWidget()))
            return view;
    return nullptr;
}

void CodePane::nextHotLine()
{
    SourceView* view = focusedView();
    (view ? view : m_source)->nextHotLine();
}

void CodePane::previousHotLine()
{
    SourceView* view = focusedView();
    (view ? view : m_source)->previousHotLine();
}

void CodePane::find()
{
    SourceView* view = focusedView();
    for (SourceView* other : m_sources->views()) // one that is searched already
        if (!view && !other->isHidden() && !other->findBar()->isHidden())
            view = other;
    if (!view)
        view = m_source;
    if (view->findBar()->isHidden())
        view->find();
    else
        view->findBar()->next();
}

bool CodePane::explain()
{
    std::vector<SourceView*> listings;
    for (SourceView* view : m_sources->views())
        if (!view->isHidden() && view->kind() != CodeKind::Program)
            listings.push_back(view);
    if (listings.empty())
        return false;
    const auto focused = std::find_if(listings.begin(), listings.end(),
                                      [](const SourceView* view) { return view->editor()->hasFocus(); });
    SourceView* chosen = focused != listings.end() ? *focused : listings.front();
    if (m_source->editor()->hasFocus() && m_source->kind() == CodeKind::Program) {
        // Lines of PTX that are for the assembler come before the instructions of a line.
        const std::vector<int> lines = m_sources->listedLines(0, m_source->cursorLine());
        const auto first = std::find_if(lines.begin(), lines.end(), [&](int line) {
            return !instructionOn(chosen->editor()->text(line - 1)).name.isEmpty();
        });
        if (first == lines.end()) {
            m_source->tips()->tellHere(tr("No instruction comes from this line."));
            return true;
        }
        chosen->goToLine(*first);
        chosen->revealLine(*first);
    }
    chosen->editor()->setFocus();
    chosen->tips()->explainHere();
    return true;
}

} // namespace sparserl
