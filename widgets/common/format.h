// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.h"

#include <QString>
#include <cstdint>

namespace sparserl {

/// Numbers for display in the user's locale. Files use the C locale.
QString formatCount(std::int64_t value);            ///< "1,234,567"
QString formatShortCount(double value);             ///< "1.23 M"
QString formatNumber(double value, int digits = 4); ///< Significant digits; "NaN", "inf"
QString formatMicroseconds(double microseconds);    ///< "12.3 µs", "4.56 ms"
QString formatRatio(double ratio);                  ///< "1.52×", or an en dash for 0
/// A number with about `digits` significant digits and no exponent: 12,346, 1.23, 0.00123. Extremely large
/// and small numbers are as in formatNumber().
QString formatDigits(double value, int digits);
/// A percentage with one decimal, or with more for values close to 0 % or 100 %: 0.012 %, 99.97 %.
QString formatPercent(double fraction);            ///< "12.3 %"
QString formatBytes(double bytes);                 ///< "12.3 KiB"
QString formatDuration(double seconds);            ///< "45 s", "3 min 12 s", "2 h 05 min"
QString formatAgo(double unixSeconds, double now); ///< "just now", "5 min ago", or a date
/// Returns `one` for 1, otherwise `many` with the count in place of %1, so that English plurals need no
/// translation file.
QString counted(std::int64_t count, const QString& one, const QString& many);
QString shortHash(const std::string& hash); ///< First 10 characters

inline QString toQString(std::string_view text)
{
    return QString::fromUtf8(text.data(), static_cast<qsizetype>(text.size()));
}
QString sentenceOf(const Error& error); ///< Cause, location and remedy.
/// Turns the output of a program into a sentence with a capital letter and a full stop.
QString asSentence(QString said);

} // namespace sparserl
