// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "remote/remote_launch.h"

#include <QWidget>
#include <optional>
#include <vector>

class QComboBox;
class QLabel;
class QLineEdit;
class QPushButton;

namespace sparserl {

/// Where a new run is to work: this machine, a host that was used before, or another one.
class HostChooser : public QWidget
{
    Q_OBJECT

public:
    HostChooser(std::vector<RemoteHost> known, QWidget* parent);

    /// Nothing for this machine. Only where problem() is empty.
    std::optional<RemoteHost> host() const;
    /// Why the choice cannot stand, or empty.
    QString problem() const;
    /// Chooses a host as a user would: a known one, or by writing it down.
    void choose(const RemoteHost& host);
    /// What a check found out; one of a host that is not chosen any more is dropped.
    void showAnswer(const RemoteHost& host, const Result<RemoteMachine>& answer);

    QComboBox* box() const { return m_box; }
    /// What a check found out: hidden until then, and for a line of its own below the chooser.
    QLabel* answer() const { return m_answer; }

Q_SIGNALS:
    void changed();
    void checkAsked(const sparserl::RemoteHost& host);

private:
    Result<RemoteHost> chosen() const;
    void update();

    std::vector<RemoteHost> m_known;
    QComboBox* m_box;
    QLineEdit *m_host, *m_program;
    QPushButton* m_check;
    QLabel* m_answer;
};

} // namespace sparserl
