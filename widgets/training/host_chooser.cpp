// SPDX-License-Identifier: Apache-2.0
#include "widgets/training/host_chooser.h"

#include "widgets/common/format.h"
#include "widgets/common/panels.h"

#include <QComboBox>
#include <QHBoxLayout>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>

namespace sparserl {

namespace {

constexpr int here = -1, another = -2;
/// Of what a machine says of itself, as much as a form has room for.
constexpr std::size_t mostItems = 4;

} // namespace

HostChooser::HostChooser(std::vector<RemoteHost> known, QWidget* parent)
    : QWidget(parent)
    , m_known(std::move(known))
    , m_box(new QComboBox(this))
    , m_host(new QLineEdit(this))
    , m_program(new QLineEdit(this))
    , m_check(new QPushButton(tr("&Check"), this))
    , m_answer(new QLabel(this))
{
    m_box->setAccessibleName(tr("Where the run executes"));
    m_box->addItem(tr("This machine"), here);
    for (std::size_t i = 0; i < m_known.size(); ++i)
        m_box->addItem(toQString(m_known[i].text()), static_cast<int>(i));
    m_box->addItem(tr("Another host…"), another);
    m_host->setPlaceholderText(tr("Host for ssh, or host:folder"));
    m_host->setAccessibleName(tr("Host, and the folder on it"));
    m_host->setToolTip(
        tr("A name from ~/.ssh/config, or the name of a host that ssh reaches without a password. A colon "
           "and the folder for runs on that host may follow; the default is “%1” in the home folder.")
            .arg(toQString(RemoteHost().folder)));
    m_program->setText(toQString(RemoteHost().program));
    m_program->setAccessibleName(tr("Program on the host"));
    m_program->setToolTip(tr("Name or path of the sparserl program on the host."));
    m_program->setMaximumWidth(200);
    m_check->setToolTip(tr("Contacts the host and shows its version and devices."));
    m_answer->setWordWrap(true);
    m_answer->setTextFormat(Qt::PlainText);
    m_answer->setAccessibleName(tr("Answer of the host"));
    fitWrapped(m_answer);
    auto* line = new QHBoxLayout(this);
    line->setContentsMargins(0, 0, 0, 0);
    line->setSpacing(8);
    line->addWidget(m_box);
    line->addWidget(m_host, 1);
    line->addWidget(m_program);
    line->addWidget(m_check);
    line->addStretch();
    setFocusProxy(m_box);
    m_box->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon); // hosts may have any name
    m_box->setMinimumContentsLength(24);
    connect(m_box, &QComboBox::currentIndexChanged, this, [this] {
        update();
        if (m_box->currentData().toInt() == another)
            m_host->setFocus();
    });
    connect(m_host, &QLineEdit::textChanged, this, &HostChooser::update);
    connect(m_program, &QLineEdit::textChanged, this, &HostChooser::update);
    connect(m_check, &QPushButton::clicked, this, [this] {
        const auto host = chosen();
        if (!host)
            return;
        m_answer->setText(tr("Asking %1…").arg(toQString(host->name)));
        m_answer->show();
        Q_EMIT checkAsked(*host);
    });
    update();
}

Result<RemoteHost> HostChooser::chosen() const
{
    const int choice = m_box->currentData().toInt();
    if (choice >= 0)
        return m_known[static_cast<std::size_t>(choice)];
    SPARSERL_TRY(auto host, parseRemoteHost(m_host->text().trimmed().toStdString()));
    host.program = m_program->text().trimmed().toStdString();
    SPARSERL_CHECK(checkRemoteHost(host));
    return host;
}

std::optional<RemoteHost> HostChooser::host() const
{
    if (m_box->currentData().toInt() == here)
        return std::nullopt;
    const auto host = chosen();
    return host ? std::optional(*host) : std::nullopt;
}

QString HostChooser::problem() const
{
    const int choice = m_box->currentData().toInt();
    if (choice != another)
        return {};
    if (m_host->text().trimmed().isEmpty())
        return tr("Enter the host on which to run.");
    const auto host = chosen();
    return host ? QString() : sentenceOf(host.error());
}

void HostChooser::choose(const RemoteHost& host)
{
    for (std::size_t i = 0; i < m_known.size(); ++i)
        if (m_known[i] == host) {
            m_box->setCurrentIndex(m_box->findData(static_cast<int>(i)));
            return;
        }
    m_box->setCurrentIndex(m_box->findData(another));
    m_host->setText(toQString(host.text()));
    m_program->setText(toQString(host.program));
}

void HostChooser::update()
{
    const int choice = m_box->currentData().toInt();
    m_host->setVisible(choice == another);
    m_program->setVisible(choice == another);
    m_check->setVisible(choice != here);
    m_check->setEnabled(choice >= 0 || (choice == another && problem().isEmpty()));
    m_answer->clear();
    m_answer->hide();
    Q_EMIT changed();
}

void HostChooser::showAnswer(const RemoteHost& host, const Result<RemoteMachine>& answer)
{
    const auto now = this->host();
    if (!now || !(*now == host))
        return;
    QStringList lines;
    if (answer) {
        lines.append(
            tr("%1 answers and has version %2.").arg(toQString(host.name), toQString(answer->version)));
        std::size_t shown = 0;
        for (const RemoteMachine::Item& item : answer->items)
            if (shown < mostItems &&
                (item.key.find("gpu") != std::string::npos || item.key.find("cpu") != std::string::npos ||
                 item.key.find("cuda") != std::string::npos || item.level == "missing" ||
                 item.level == "bad")) {
                lines.append(QStringLiteral("%1: %2").arg(toQString(item.title), toQString(item.sentence)));
                ++shown;
            }
    } else {
        lines.append(sentenceOf(answer.error()));
    }
    setStyled(m_answer, "bad", !answer);
    m_answer->setText(lines.join(QLatin1Char('\n')));
    m_answer->show();
}

} // namespace sparserl
