// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tests/patience.h"
#include "widgets/common/format.h"
#include "widgets/common/session.h"
#include "widgets/training/charts_panel.h"
#include "widgets/training/training_page.h"

#include <QTest>

namespace sparserl::test {

/// Shows the page with a run of the session selected, and waits until its charts are about it.
inline void openRun(TrainingPage& page, ProjectSession* session, const QString& run)
{
    const int patience = test::patience();
    page.resize(1300, 860);
    page.setSession(session);
    page.show();
    page.select(run);
    const auto selected = [&] {
        const auto& runs = page.charts()->curves().runs();
        return !runs.empty() && toQString(runs.front().name) == run;
    };
    QTRY_VERIFY_WITH_TIMEOUT(selected(), patience);
}

} // namespace sparserl::test
