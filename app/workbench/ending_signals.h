// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QObject>
#include <functional>

namespace sparserl {

/// Ends the event loop on SIGINT, SIGTERM and SIGHUP as closing the window does, so that temporary data are
/// removed. The process ends immediately if another signal arrives after a second, or if it has not ended
/// after five seconds. Only one instance may exist at a time.
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
