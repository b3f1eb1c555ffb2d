// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "evaluation/judge.h"

#include <QtGlobal>

namespace sparserl::tests {

/// The verdict on one program; where the judge fails, a warning and an empty record.
inline VerdictRecord judgeOne(Judge& judge, const JudgeRequest& request)
{
    const auto records = judge.judge({request}, {});
    if (records)
        return records->at(0);
    qWarning("%s", records.error().sentence().c_str());
    return {};
}

} // namespace sparserl::tests
