// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QObject>
#include <functional>

namespace sparserl {

/// SIGINT, SIGTERM and SIGHUP end the event loop as closing the window would, so that what is temporary goes
/// with the process. Another one after a second, or five seconds without an end, ends the process at once.
/// One at a time.
class EndingSignals : public QObject
{
    Q_OBJECT

public:
    /// `ended` is called in the event loop, with the number of the signal.
    explicit EndingSignals(std::function<void(int)> ended);
    ~EndingSignals() override;

private:
    std::function<void(int)> m_ended;
    int m_read = -1, m_write = -1;
};

} // namespace sparserl
