// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QObject>
#include <functional>

namespace sparserl {

/// Ends the event loop on SIGINT, SIGTERM and SIGHUP like closing the window, so temporary data are removed.
/// Another signal after a second, or five seconds without an end, ends the process immediately. Only one
/// instance at a time.
class EndingSignals : public QObject
{
    Q_OBJECT

public:
    /// `ended` is called in the event loop with the signal's number.
    explicit EndingSignals(std::function<void(int)> ended);
    ~EndingSignals() override;

private:
    std::function<void(int)> m_ended;
    int m_read = -1, m_write = -1;
};

} // namespace sparserl
