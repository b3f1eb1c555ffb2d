// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "verdict/record.h"

#include <QString>
#include <QtNumeric>
#include <vector>

namespace sparserl {

/// One measure of a program's profile.
struct ProfileRow
{
    enum class Better
    {
        Neither,
        Lower,
        Higher
    };
    QString name, text, help;
    double value = qQNaN(); ///< What `text` says, where it can be compared.
    Better better = Better::Neither;
};

/// Everything that is known of a program, a row each: times with their spread, the physical floor, set-up,
/// resources, what the simulator counted. What is not known has no row.
std::vector<ProfileRow> profileRows(const VerdictRecord& record);
/// The same names of what the record was timed against: that baseline's time and speed-up.
std::vector<ProfileRow> baselineRows(const VerdictRecord& record);

/// The bytes that any program has to move over the warm time, in GB/s; 0: not timed.
double bandwidthOf(const VerdictRecord& record);
/// "1,240 GB/s, 29.5 % of DRAM": of the rate of the device, where that is known. Empty: not timed.
QString bandwidthText(const VerdictRecord& record);

/// By how much `value` differs from `base`, in per cent, and whether that is good; empty where either is
/// unknown or both are equal.
QString deltaText(const ProfileRow& row, const ProfileRow& base);
/// +1: better, -1: worse, 0: neither.
int deltaSign(const ProfileRow& row, const ProfileRow& base);

} // namespace sparserl
