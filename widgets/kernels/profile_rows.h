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
    double value = qQNaN(); ///< The number in `text`, if it is comparable.
    Better better = Better::Neither;
    /// The number grows with the work that the target asks for. Between programs for different targets, it is
    /// neither better nor worse.
    bool ofTarget = false;
};

/// All known facts about a program, one row each: times with their spread, the physical floor, set-up,
/// resources, simulator counters. Omits unknown facts.
std::vector<ProfileRow> profileRows(const VerdictRecord& record);
/// The same rows for the record's baseline: its time and speed-up.
std::vector<ProfileRow> baselineRows(const VerdictRecord& record);

/// The compulsory bytes divided by the warm time, in GB/s; 0 if the program was not timed.
double bandwidthOf(const VerdictRecord& record);
/// "1,240 GB/s, 29.5 % of DRAM", with the share of the device's bandwidth if it is known. Empty if the
/// program was not timed.
QString bandwidthText(const VerdictRecord& record);

/// The difference between `value` and `base` in per cent, and whether it is an improvement; empty if either
/// is unknown or both are equal.
QString deltaText(const ProfileRow& row, const ProfileRow& base);
/// +1: better, -1: worse, 0: neither.
int deltaSign(const ProfileRow& row, const ProfileRow& base);

} // namespace sparserl
