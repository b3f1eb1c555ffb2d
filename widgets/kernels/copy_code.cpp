// SPDX-License-Identifier: Apache-2.0
#include "widgets/kernels/copy_code.h"

#include "base/hash.h"
#include "widgets/common/format.h"
#include "widgets/common/panels.h"
#include "widgets/kernels/sass_bar.h"
#include "widgets/kernels/source_pair.h"
#include "widgets/kernels/source_view.h"

#include <QComboBox>
#include <QHBoxLayout>
#include <QLabel>
#include <QTimer>
#include <utility>

namespace sparserl {

namespace {

enum Beside
{
    Original,
    Ptx,
    Sass,
    PtxAndSass
};

} // namespace

CopyCode::CopyCode(ProjectSession* session, SourcePair* sources, std::function<std::string()> text,
                   std::function<void()> compare, QWidget* parent)
    : QWidget(parent)
    , m_session(session)
    , m_sources(sources)
    , m_text(std::move(text))
    , m_compare(std::move(compare))
    , m_choice(new QComboBox(this))
    , m_sassBar(new SassBar(this))
    , m_state(makeMuted({}, this))
    , m_typing(new QTimer(this))
{
    m_choice->addItems({tr("The original"), tr("PTX"), tr("SASS"), tr("PTX and SASS")});
    m_choice->setAccessibleName(tr("Beside the copy"));
    m_choice->setToolTip(tr("Selects what is shown beside the copy. PTX and SASS are updated as you type."));
    auto* name = new QLabel(tr("&Beside the copy"), this);
    name->setBuddy(m_choice);
    letShrink(m_state);
    auto* across = new QHBoxLayout(this);
    across->setContentsMargins(0, 0, 0, 0);
    across->addWidget(name);
    across->addWidget(m_choice);
    across->addWidget(m_sassBar);
    across->addWidget(m_state, 1);
    m_sassBar->hide();
    constexpr int pause = 400; // milliseconds without a key
    m_typing->setSingleShot(true);
    m_typing->setInterval(pause);
    connect(m_typing, &QTimer::timeout, this, &CopyCode::compile);
    connect(m_choice, &QComboBox::currentIndexChanged, this, &CopyCode::show);
    connect(m_sassBar, &SassBar::architectureChosen, this, [this](const QString& architecture) {
        m_code.setArchitecture(architecture);
        compile();
    });
    connect(m_sassBar, &SassBar::controlsToggled, this, [this](bool on) {
        for (SourceView* view : m_sources->views())
            view->setControlsShown(on);
    });
    connect(&m_code, &ProgramCode::ready, this, [this](const std::string& hash) {
        if (hash != m_asked)
            return;
        m_made = hash;
        showListings();
    });
    connect(&m_code, &ProgramCode::failed, this, [this](const std::string& hash, const QString& sentence) {
        if (hash != m_asked || m_choice->currentIndex() == Original)
            return;
        m_state->setText(sentence.section(QLatin1Char('\n'), 0, 0));
        m_state->setToolTip(sentence);
    });
}

bool CopyCode::wantsPtx() const
{
    return m_choice->currentIndex() == Ptx || m_choice->currentIndex() == PtxAndSass;
}

bool CopyCode::wantsSass() const
{
    return m_choice->currentIndex() == Sass || m_choice->currentIndex() == PtxAndSass;
}

void CopyCode::show()
{
    m_sassBar->setVisible(wantsSass());
    m_state->clear();
    m_state->setToolTip({});
    if (m_choice->currentIndex() == Original) {
        m_typing->stop();
        m_compare();
        return;
    }
    showListings();
    compile();
}

void CopyCode::refresh()
{
    if (m_choice->currentIndex() == Original) {
        m_compare();
        return;
    }
    if (sha256Hex(m_text()) == m_made)
        showListings();
    else
        m_typing->start();
}

void CopyCode::compile()
{
    const std::string text = m_text();
    m_asked = sha256Hex(text);
    m_code.forgetWaiting(); // texts in between
    if (const CompiledCode* known = m_code.known(m_asked);
        known &&
        (!wantsSass() || (known->architecture == m_code.architecture() && !known->sass.text.isEmpty()))) {
        m_made = m_asked;
        showListings();
        return;
    }
    m_state->setText(tr("Compiling…"));
    m_state->setToolTip({});
    m_code.ask(m_session, m_asked, text, wantsSass());
}

void CopyCode::showListings()
{
    if (m_choice->currentIndex() == Original)
        return;
    const CompiledCode* code = m_made.empty() ? nullptr : m_code.known(m_made);
    std::vector<NamedListing> listings;
    if (wantsPtx())
        listings.push_back(
            {code ? code->ptx : CodeListing{CodeKind::Ptx, {}, {}, {}, {}, {}}, kindName(CodeKind::Ptx)});
    if (wantsSass())
        listings.push_back({code ? code->sass : CodeListing{CodeKind::Sass, {}, {}, {}, {}, {}},
                            code && !code->architecture.isEmpty()
                                ? tr("%1 of %2").arg(kindName(CodeKind::Sass), code->architecture)
                                : kindName(CodeKind::Sass)});
    m_sources->showListings(listings);
    if (!code)
        return;
    m_state->setText(wantsSass() && code->sass.text.isEmpty() && !code->sassProblem.isEmpty()
                         ? asSentence(code->sassProblem)
                     : sha256Hex(m_text()) == m_made ? tr("Up to date.")
                                                     : tr("Compiling…"));
    m_state->setToolTip({});
}

} // namespace sparserl
