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

/// Asks where a new run executes: on this machine, on a host that was used before, or on another host.
class HostChooser : public QWidget
{
    Q_OBJECT

public:
    HostChooser(std::vector<RemoteHost> known, QWidget* parent);

    /// The chosen host; nullopt: this machine. Requires that problem() is empty.
    std::optional<RemoteHost> host() const;
    /// Why the choice is invalid, or empty.
    QString problem() const;
    /// Chooses a host as a user would: selects a known host, or types the name of another.
    void choose(const RemoteHost& host);
    /// Shows the result of a check. Ignores the result for a host that is no longer chosen.
    void showAnswer(const RemoteHost& host, const Result<RemoteMachine>& answer);

    QComboBox* box() const { return m_box; }
    /// The label for the result of a check. It is hidden until there is a result, and belongs on a separate
    /// line below the chooser.
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
